"""The deformation of a body as UFL expressions."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import ufl
from dolfinx.fem import Constant

from loligo.fem.core.domain import Domain, Names

GAUSS = (0.5 - 0.5 / math.sqrt(3.0), 0.5 + 0.5 / math.sqrt(3.0))
"""Shares of the straight way between two states at which Gauss's two points lie."""


@dataclass(frozen=True)
class Kinematics:
    """What loads, cavities and energies are written in."""

    domain: Domain
    displacement: Any
    """Displacement u."""
    virtual: Any
    """Virtual displacement v."""
    density: Mapping[str, Constant]
    """Reference density of every cell group."""
    dx: Any
    """Volume measure of the reference."""
    ds: Any
    """Measure of the reference's surface."""
    inner_ds: Any
    """Measure of facets inside the reference body."""
    velocity: Any = None
    """Of the material points; None in a problem that cannot move."""
    acceleration: Any = None
    added_mass: float = 0.0
    """Mass of water that moves with every point, over the body's own."""

    @property
    def inertia(self) -> dict[str, Any]:
        """Density that resists acceleration in every cell group, water with it."""
        return {group: (1.0 + self.added_mass) * rho for group, rho in self.density.items()}

    def cells(self, names: Names) -> Any:
        """Return the volume measure over cell groups."""
        return self.dx(self.domain.cell_tag(names))

    def facets(self, names: Names) -> Any:
        """Return the surface measure over exterior facet groups."""
        return self.ds(self.domain.facet_tag(names))

    def inner_facets(self, names: Names) -> Any:
        """Return the surface measure over groups of facets inside the body."""
        return self.inner_ds(self.domain.facet_tag(names))

    @property
    def position(self) -> Any:
        """Deformed position x = X + u (m)."""
        return ufl.SpatialCoordinate(self.domain.mesh) + self.displacement

    @property
    def gradient(self) -> Any:
        """Deformation gradient F = 1 + grad u."""
        return ufl.Identity(3) + ufl.grad(self.displacement)

    @property
    def area_vector(self) -> Any:
        """Outward area of the deformed surface per reference area, J F^-T N (Nanson).

        The rows of J F^-T are cross products of the rows of F: no division, exact quadrature.
        """
        f = self.gradient
        cofactor = ufl.as_matrix(
            [
                [f[j, b] * f[k, c] - f[j, c] * f[k, b] for b, c in ((1, 2), (2, 0), (0, 1))]
                for j, k in ((1, 2), (2, 0), (0, 1))
            ]
        )
        return cofactor * ufl.FacetNormal(self.domain.mesh)
