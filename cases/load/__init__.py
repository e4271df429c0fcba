"""What acts on a body: one record per kind of load, and its history in a motion.

`kinds` has the loads, `history` how they change with time.
"""

__all__ = ["history", "kinds"]
