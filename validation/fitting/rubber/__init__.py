"""Elastomers from coupon tests, with intervals and the range they hold for.

`search` fits, `assess` judges the result.
"""

__all__ = [
    "assess",
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
