"""Coefficients of a reduced model from data sets of one body.

`search` fits, `judge` states intervals, held-out errors and cautions.
"""

__all__ = [
    "base",
    "case_data",
    "cautions",
    "errors",
    "further",
    "held_out",
    "intervals",
    "judge",
    "search",
    "slopes",
    "trials",
    "weights",
]
