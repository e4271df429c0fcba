"""Section laws of arms: stiffness from geometry, or from coefficients.

Rods, arcs and robots take their section law from here.
"""

__all__ = ["arm_law", "stiffness"]
