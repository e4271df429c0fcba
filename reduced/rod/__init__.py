"""The Cosserat rod at rest: model, loads, equilibrium, wrench and tip.

`model` has the rod, `loads` its loads, `statics` the solver.
"""

__all__ = [
    "fibres",
    "grid",
    "kernel",
    "loads",
    "loadset",
    "model",
    "motion",
    "state",
    "statics",
    "tip",
]
