"""Section laws of arms: stiffness from geometry or coefficients, or the law of the solid.

Rods, arcs and robots take their section law from here; `law_choice` decides which.
"""

__all__ = ["arm_law", "law_choice", "pressures", "solid_sections", "stiffness"]
