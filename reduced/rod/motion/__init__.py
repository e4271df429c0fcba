"""The Cosserat rod in motion: inertia, water, and the time steps.

`dynamics` drives the steps; `midpoint` and `radau` take one.
"""

__all__ = [
    "dynamics",
    "equations",
    "error",
    "inertia",
    "kernel",
    "midpoint",
    "midpoint_equations",
    "radau",
    "radau_kernel",
    "steady",
]
