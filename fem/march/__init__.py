"""Paths of equilibria and motions: load steps, arc length, time steps, contact.

Each yields converged states one by one and stops with a reason.
"""

__all__ = [
    "arclength",
    "contact",
    "continuation",
    "critical_point",
    "crossing",
    "midpoint",
    "motion",
    "standing",
    "static",
    "step",
]
