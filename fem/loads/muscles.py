"""Active tension in the solid: a stress along a material direction, added to that of the rubber.

Along a direction e of the reference a muscle pulls with a nominal stress S: its energy is S times
the stretch |F e| per reference volume, its stress on the reference S (F e)/|F e|. A rigid motion
does not change the stretch, so that every muscle balances itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import ufl
from dolfinx.fem import Constant, form

from loligo.cases.body import Mantle
from loligo.fem.core.domain import Names
from loligo.fem.core.kinematics import Kinematics
from loligo.fem.core.measure import global_sum

_NOTHING = 1e-9
"""Recruited share that stands for none: no point of a mesh lies so near the base."""


def _pull(k: Kinematics, stress: Any, direction: Any) -> Any:
    """Return minus the variation of stress * |F e|: the muscle's external work per volume."""
    fibre = k.gradient * direction
    variation = ufl.inner(fibre, ufl.grad(k.virtual) * direction)
    return -stress * variation / ufl.sqrt(ufl.inner(fibre, fibre))


@dataclass(frozen=True)
class Band:
    """A part of a wall's meridian."""

    start: float
    """Arc length of the mid-surface where it begins (m)."""
    end: float
    arc: Callable[[Any], Any]
    """Gives the arc length of reference positions (UFL)."""
    meridian: float
    """Arc length of the whole wall (m), from 0."""


def mantle_band(body: Mantle, start: float, end: float) -> Band:
    """Return the band of a mantle between two arc lengths from its cap (m)."""
    centre, sphere = body.radius * math.sin(body.truncation), body.radius * body.truncation

    def arc(x: Any) -> Any:
        lean = ufl.atan2(centre - x[0], ufl.sqrt(x[1] ** 2 + x[2] ** 2))
        on_sphere = body.radius * (body.truncation - lean)
        return ufl.conditional(ufl.lt(x[0], centre), on_sphere, sphere + x[0] - centre)

    return Band(start, end, arc, body.meridian_length)


@dataclass(frozen=True)
class HoopMuscle:
    """Active tension T around the x axis in a wall of constant thickness; its value in N/m.

    The nominal stress T/h. Per reference length of meridian and azimuth its energy is T r, r the
    mean over the thickness of the deformed radius: T (hoop stretch) r* at the mid-surface, save
    h^2/(12 R^2) of it. On a round wall it does the work of a radial dead load T/r* inward per
    reference area of the mid-surface (Renda 2018, Eq 7 and 24).
    """

    name: str
    cells: Names
    thickness: float
    """h (m)."""
    band: Band | None = None
    """Where it acts; the whole wall if absent."""

    def virtual_work(self, k: Kinematics, value: Constant) -> Any:
        """Return -int w T/h d|F e| dV over the reference, e = e_x x e_r.

        The weight w is 1 in the band, whose ends may cut cells: it is scaled such that the band's
        whole load int w/(h rho) dV stands to that of the wall as the arc lengths do.
        """
        x, dx = ufl.SpatialCoordinate(k.domain.mesh), k.cells(self.cells)
        radius = ufl.sqrt(x[1] ** 2 + x[2] ** 2)
        around = ufl.as_vector((0.0, -x[2] / radius, x[1] / radius))
        work = _pull(k, value / self.thickness, around)
        if self.band is None:
            return work * dx
        arc = self.band.arc(x)
        inside = ufl.And(ufl.ge(arc, self.band.start), ufl.le(arc, self.band.end))
        weight = ufl.conditional(inside, 1.0, 0.0)
        load, whole = (global_sum(form(part / radius * dx)) for part in (weight, 1.0))
        if load == 0.0:
            raise ValueError(
                f"no quadrature point lies in the band of {self.name}, from {self.band.start:.4g} "
                f"to {self.band.end:.4g} m of {self.band.meridian:.4g} m; refine the mesh there"
            )
        share = (self.band.end - self.band.start) / self.band.meridian
        return share * whole / load * weight * work * dx


@dataclass(frozen=True)
class RecruitedMuscle:
    """Active bending moment that falls linearly along the body; its value is m (N m).

    m(X) = m (1 - (X - start)/reach) up to start + reach (Renda 2018, Eq 25 at t = recruited dt), by
    the nominal axial stress S = (m_z y - m_y z)/I, tension positive: the inner side of the bend
    pulls. A free slender body takes the curvature m/(E I).
    """

    name: str
    cells: Names
    start: float
    """X where the soft part begins (m)."""
    reach: float
    """Recruited length (m)."""
    direction: tuple[float, float]
    """Unit vector of (m_y, m_z)."""
    second_moment: Callable[[Any], Any]
    """I of the solid section as a function of X (m^4, UFL)."""
    moment: float | None = None
    """m, if the recruited length is what varies: its value is then the share of the reach."""

    def virtual_work(self, k: Kinematics, value: Constant) -> Any:
        """Return -int S d|F e_x| dV over the reference."""
        x = ufl.SpatialCoordinate(k.domain.mesh)
        if self.moment is None:
            size, reach = value, self.reach
        else:
            size, reach = self.moment, ufl.max_value(value, _NOTHING) * self.reach
        moment = size * ufl.max_value(1 - (x[0] - self.start) / reach, 0.0)
        lever = self.direction[1] * x[1] - self.direction[0] * x[2]
        stress = moment * lever / self.second_moment(x[0])
        return _pull(k, stress, ufl.as_vector((1.0, 0.0, 0.0))) * k.cells(self.cells)
