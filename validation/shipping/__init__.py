"""Tools of the maintainers: make the reference data and the robots' records.

Not needed by users.
"""

__all__ = ["reference", "robots"]
