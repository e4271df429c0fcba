"""Rods and shells joined at one body, moving in water.

`system` has the parts, `dynamics` the solver.
"""

__all__ = ["bell", "dynamics", "model", "parts", "step", "system"]
