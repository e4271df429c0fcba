"""Robots of several bodies: swimmers, a snake, arms that reach.

They use the coefficients that were calibrated for their bodies.
"""

__all__ = [
    "coefficients",
    "pressed_arcs",
    "pulled_arcs",
    "range",
    "reaching",
    "reaching_arms",
    "snake",
    "spread",
    "stroke",
    "swimmer",
]
