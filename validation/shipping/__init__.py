"""Tools of the maintainers: make the reference data, the section laws and the robots' records.

Not needed by users.
"""

__all__ = ["laws", "reference", "robots"]
