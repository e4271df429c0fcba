"""The axisymmetric shell of a mantle, at rest and in motion.

`model` has the shell, `laws` its wall, `statics` and `dynamics` the solvers.
"""

__all__ = [
    "advance",
    "assembly",
    "dynamics",
    "inertia",
    "laws",
    "loads",
    "model",
    "motion",
    "statics",
    "viscosity",
    "wall_step",
]
