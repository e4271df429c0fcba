"""What acts on a body: each load is one scalar value times a virtual work that is written here.

A load has a name, under which its value is set and recorded, and gives its external virtual work.
Sign convention of every pressure here: positive pushes onto the solid, against its outward normal.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import ufl
from dolfinx.fem import Constant

from loligo.fem.core.domain import Names
from loligo.fem.core.kinematics import Kinematics

Vector = tuple[float, float, float]


class Load(Protocol):
    """Anything that does external virtual work in proportion to, or as a function of, one value."""

    @property
    def name(self) -> str:
        """Name under which the value is set."""

    def virtual_work(self, k: Kinematics, value: Constant) -> Any:
        """Return the external virtual work (a UFL form, linear in k.virtual) at this value."""


def follower_pressure(pressure: Any, k: Kinematics, ds: Any) -> Any:
    """Positive pushes onto the solid: virtual work -int p (J F^-T N) . v dA over reference facets.

    Args:
        pressure: Pa, an expression that may depend on the deformed position.
        k: the deformation.
        ds: the facets, a measure of the reference surface.
    """
    return -pressure * ufl.inner(k.area_vector, k.virtual) * ds


@dataclass(frozen=True)
class Pressure:
    """Uniform follower pressure on facets; its value in Pa, positive pushes onto the solid."""

    name: str
    facets: Names

    def virtual_work(self, k: Kinematics, value: Constant) -> Any:
        """Return the virtual work of the pressure on the deformed facets."""
        return follower_pressure(value, k, k.facets(self.facets))


@dataclass(frozen=True)
class WaterPressure:
    """Pressure of resting water on facets, value * depth, value = rho g (Pa/m), zero above surface.

    Depth is that of the deformed point: ``depth`` at the origin, growing along ``down``. On a
    closed surface below the water line the resultant is the buoyancy -value V ``down``. Pressures
    of cavities are relative to it, so under water it acts on the facets of cavities, too.
    """

    name: str
    facets: Names
    depth: float
    """Depth of the origin below the surface (m)."""
    down: Vector = (1.0, 0.0, 0.0)
    """Unit vector along gravity."""

    def virtual_work(self, k: Kinematics, value: Constant) -> Any:
        """Return the virtual work of the water on the deformed facets."""
        depth = self.depth + ufl.inner(ufl.as_vector(self.down), k.position)
        pressure = value * ufl.max_value(depth, 0.0)
        return follower_pressure(pressure, k, k.facets(self.facets))


@dataclass(frozen=True)
class StreamPressure:
    """Pressure that accelerates a stream, as it pushes the solid: Froude and Krylov's force.

    It is buoyancy in a gravity of minus the stream's acceleration, the value (m/s^2). Of
    incompressible rubber a pressure all around moves what its gradient does, here per volume.
    """

    name: str
    density: float
    """Of the water, and of what of it moves with every point (kg/m^3)."""
    along: Vector
    """Unit vector along the stream."""

    def virtual_work(self, k: Kinematics, value: Constant) -> Any:
        """Return int rho_w a . v dV over the reference."""
        along = ufl.inner(ufl.as_vector(self.along), k.virtual)
        return self.density * value * along * k.cells(tuple(k.density))


@dataclass(frozen=True)
class Weight:
    """The body's weight; its value is the acceleration of gravity (m/s^2) along ``down``."""

    name: str = "weight"
    down: Vector = (1.0, 0.0, 0.0)
    """Unit vector along gravity."""

    def virtual_work(self, k: Kinematics, value: Constant) -> Any:
        """Return int rho_0 g down . v dV over the reference."""
        along = ufl.inner(ufl.as_vector(self.down), k.virtual)
        return sum(rho * value * along * k.cells(group) for group, rho in k.density.items())


@dataclass(frozen=True)
class Traction:
    """Dead traction on facets: value (Pa of the reference area) along a fixed direction."""

    name: str
    facets: Names
    direction: Vector

    def virtual_work(self, k: Kinematics, value: Constant) -> Any:
        """Return int t . v dA over the reference."""
        along = ufl.inner(ufl.as_vector(self.direction), k.virtual)
        return value * along * k.facets(self.facets)
