"""Newton's method, its linear systems, stability, and small vibrations.

`newton` solves for one equilibrium; `linear`, `factor` and `krylov` solve its linear systems.
"""

__all__ = [
    "bordered",
    "coarse",
    "factor",
    "fibre_cells",
    "krylov",
    "linear",
    "load_line",
    "mumps",
    "newton",
    "slack",
    "smoother",
    "stability",
    "vibrations",
]
