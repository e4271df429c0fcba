"""Cavities: named facets that enclose a fluid, with its pressure and its volume.

Positive pressure inflates, enclosed volume is positive. Facet normals point out of the solid, thus
into the cavity, hence the minus signs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import ufl

from loligo.fem.core.domain import Names
from loligo.fem.core.kinematics import Kinematics
from loligo.fem.loads.base import follower_pressure


@dataclass(frozen=True)
class Cavity:
    """One fluid-filled space. Its pressure is prescribed, or what its supply delivers is.

    A supply delivers V + C p: the enclosed volume V, and what its compliance C swallows at the
    gauge pressure p. Without compliance that prescribes the volume, as an incompressible fluid
    does; with much of it the pressure (delivered - V)/C hardly depends on the volume.
    """

    name: str
    facets: Names
    open_along_x: bool = False
    """Whether the surface is open at planes x = const (a mantle's nozzle) instead of closed."""
    compliance: float = 0.0
    """C of what supplies it (m^3/Pa); of no account where the pressure is prescribed."""

    def __post_init__(self) -> None:
        """Refuse a supply that would push back."""
        if self.compliance < 0.0:
            raise ValueError(f"the compliance of {self.name}'s supply is negative")

    def virtual_work(self, k: Kinematics, pressure: Any) -> Any:
        """Return the external virtual work of the cavity's gauge pressure (Pa)."""
        return follower_pressure(pressure, k, k.facets(self.facets))

    def volume(self, k: Kinematics) -> Any:
        """Return the enclosed deformed volume (m^3), by the divergence theorem.

        A closed surface: V = -1/3 int x . n da, wherever the origin is; planes through the origin
        may stay open (mirror symmetry). A surface open along x: V = -1/2 int (y n_y + z n_z) da,
        to which end planes x = const add nothing, however they move.
        """
        x, area = k.position, k.area_vector
        ds = k.facets(self.facets)
        if self.open_along_x:
            return -(x[1] * area[1] + x[2] * area[2]) / 2 * ds
        return -ufl.inner(x, area) / 3 * ds

    def first_moment(self, k: Kinematics, direction: Any) -> Any:
        """Return int d . x dv over the enclosed deformed volume (m^4), d a vector (UFL).

        As the volume, by a field of divergence x_i each: x_i^2/2 e_i, to which symmetry planes
        through the origin add nothing; for x of a surface open along it, x (y e_y + z e_z)/2.
        """
        x, area = k.position, k.area_vector
        flux = [x[i] ** 2 * area[i] / 2 for i in range(3)]
        if self.open_along_x:
            flux[0] = x[0] * (x[1] * area[1] + x[2] * area[2]) / 2
        return -ufl.inner(direction, ufl.as_vector(flux)) * k.facets(self.facets)
