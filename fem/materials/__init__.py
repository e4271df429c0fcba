"""Energies of the solid: rubbers, viscosity, and thread on surfaces or in cells.

Each is a UFL expression of the deformation; stresses and tangents follow by differentiation.
"""

__all__ = ["fibres", "hyperelastic", "principal_powers", "thread", "viscosity"]
