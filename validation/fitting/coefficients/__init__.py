"""Coefficients of a reduced model from data sets of one body.

`calibration` is the whole way: `search` fits, `judge` states intervals, held-out errors and
cautions.
"""

__all__ = [
    "base",
    "calibration",
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
