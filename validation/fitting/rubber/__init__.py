"""Elastomers from coupon tests, with intervals and the range they hold for.

`calibration` is the whole way: `search` fits, `assess` judges the result.
"""

__all__ = [
    "assess",
    "calibration",
    "cautions",
    "coupon",
    "identify",
    "intervals",
    "laws",
    "plot",
    "record",
    "refusals",
    "search",
    "starts",
    "treloar",
    "weighting",
]
