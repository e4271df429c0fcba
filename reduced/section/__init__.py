"""Section laws of arms: stiffness from geometry or coefficients, or the law of the solid.

Rods, arcs and robots take their section law from here.
"""

__all__ = ["arm_law", "solid_sections", "stiffness"]
