"""Records, units, frames, atomic files and provenance: what every other module may use.

None of them knows what a case is.
"""

__all__ = ["atomic", "drawing", "frames", "provenance", "record", "units"]
