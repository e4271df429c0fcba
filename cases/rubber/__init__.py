"""Elastomers: energies, stability, and plane stress.

Parameters are in SI.
"""

__all__ = ["elastomer", "plane_stress", "stability"]
