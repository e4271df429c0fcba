"""Data sets as they come: from files, measurements, and the shipped references.

Quantities of a data set, gaps, and columns of numbers.
"""

__all__ = [
    "columns",
    "gaps",
    "importers",
    "matching",
    "motion_numbers",
    "quantities",
    "references",
    "regress",
    "response",
    "ringing",
    "shipped",
    "source",
]
