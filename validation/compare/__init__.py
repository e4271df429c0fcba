"""Comparison of a prediction with a reference: metrics, error bars, validity maps.

`comparison` compares one pair of data sets.
"""

__all__ = [
    "bars",
    "comparison",
    "consistency",
    "headline",
    "kinematic",
    "ladder",
    "metric",
    "metrics",
    "on_laws",
    "record",
    "row",
    "validity_map",
    "verdict",
]
