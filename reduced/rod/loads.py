"""What acts on a rod: external loads on its sections, and actuation inside them.

External loads are a wrench at a section or a density along the rod, given in the world (dead) or in
the section's axes (follower). Actuation is an internal wrench: it joins the wrench of the solid in
the balance of every section, solid + actuation = what the loads beyond the section send through it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from loligo.reduced.checks import finite, non_negative, one_of, positive, vector
from loligo.reduced.lie import Array
from loligo.reduced.rod.grid import FieldOfX, Span
from loligo.reduced.rod.model import STRAINS

Vector = Array | Sequence[float]
Axes = Literal["world", "body"]

AXES = ("world", "body")
_ZERO = (0.0, 0.0, 0.0)


@dataclass(frozen=True, eq=False)
class PointLoad:
    """A force and a moment on one section, by default the tip.

    Attributes:
        force: in N.
        moment: in N m.
        axes: "world" for a dead load, "body" for one that follows the section.
        at: arc length in m, an end of one of the rod's intervals.
        lever: from the axis to where the force attacks, in the section's axes, in m.
    """

    force: Vector = _ZERO
    moment: Vector = _ZERO
    axes: Axes = "world"
    at: float | None = None
    lever: Vector = _ZERO

    def __post_init__(self) -> None:
        """Refuse what is no load."""
        for name in ("force", "moment", "lever"):
            vector(name, getattr(self, name), 3)
        one_of("axes", self.axes, AXES)
        if self.at is not None:
            non_negative("at", self.at)


@dataclass(frozen=True, eq=False)
class LineLoad:
    """A force and a moment per reference length, over the whole rod or a span of it.

    Attributes:
        force: in N/m, constant or a function of X that returns (n, 3).
        moment: in N, likewise.
        axes: "world" for a dead load, "body" for one that follows the sections.
        span: the part of the rod it acts on, between ends of the rod's intervals.
    """

    force: Vector | FieldOfX = _ZERO
    moment: Vector | FieldOfX = _ZERO
    axes: Axes = "world"
    span: Span | None = None

    def __post_init__(self) -> None:
        """Refuse what is no load; a function of X is checked where a rod carries it."""
        for name in ("force", "moment"):
            if not callable(value := getattr(self, name)):
                vector(name, value, 3)
        one_of("axes", self.axes, AXES)


@dataclass(frozen=True, eq=False)
class ActiveWrench:
    """An internal wrench in body axes that does not depend on the strain.

    Attributes:
        wrench: (moment; force), constant or a function of X that returns (n, 6). It is the part of
            the section's wrench that the actuation carries: tension positive.
        span: the part of the rod it acts on, between ends of the rod's intervals.
    """

    wrench: Vector | FieldOfX
    span: Span | None = None

    def __post_init__(self) -> None:
        """Refuse what is no wrench; a function of X is checked where a rod carries it."""
        if not callable(self.wrench):
            vector("wrench", self.wrench, 6)


@dataclass(frozen=True, eq=False)
class RodTendon:
    """A frictionless tendon of prescribed tension through the sections, fixed at its far end.

    Attributes:
        tension: in N, at least 0.
        path: (y, z) in the section in m, constant or a function of X that returns (n, 2).
        span: from where it enters to where it ends, by default the whole rod.
    """

    tension: float
    path: Vector | FieldOfX
    span: Span | None = None

    def __post_init__(self) -> None:
        """Refuse a tendon that pushes."""
        non_negative("tension", self.tension)
        if not callable(self.path):
            vector("path", self.path, 2)


Load = PointLoad | LineLoad | ActiveWrench | RodTendon


def net_weight(
    area: float | FieldOfX, density: float, fluid_density: float, gravity: Vector
) -> LineLoad:
    """Return weight minus buoyancy, (rho - rho_fluid) A(X) g per reference length.

    It is complete (Archimedes) if all other pressures are taken relative to the outer water at the
    same point, as cavity pressures are.

    Args:
        area: section area in m^2 of the displaced volume, constant or a function of X.
        density: mean density of the rod in kg/m^3.
        fluid_density: of the water, 0 in air.
        gravity: acceleration in the world, in m/s^2.
    """
    non_negative("density", density)
    non_negative("fluid_density", fluid_density)
    per_area = (density - fluid_density) * vector("gravity", gravity, 3)
    if callable(area):
        return LineLoad(force=lambda X: np.asarray(area(X))[:, None] * per_area)
    return LineLoad(force=non_negative("area", area) * per_area)


def chamber_pressure(
    pressure: float, area: float, y: float, z: float, span: Span | None = None
) -> ActiveWrench:
    """Return the wrench of the fluid in a chamber along the rod, -p A (0, z, -y; 1, 0, 0).

    Its work is p dV, V the integral of A (stretch + z bend_y - y bend_z). Positive inflates, so
    that a chamber lengthens the rod and bends it away from its own side.

    Args:
        pressure: gauge, in Pa, relative to the outer water.
        area: effective area in m^2.
        y: of its centroid in the section, in m.
        z: of its centroid in the section, in m.
        span: the part of the rod with the chamber.
    """
    non_negative("area", area)
    for name, value in (("pressure", pressure), ("y", y), ("z", z)):
        finite(name, value)
    return ActiveWrench(-pressure * area * np.array([0.0, z, -y, 1.0, 0.0, 0.0]), span)


def recruited_torque(
    amplitude: float, recruited: float, strain: str = "bend_z", span: Span | None = None
) -> ActiveWrench:
    """Return Renda 2018 Eq 25: a torque that falls linearly to zero over the recruited length.

    The section carries Lambda = K (xi - xi_rest) - F_a, F_a = m (1 - X/X_r) for X < X_r (Eq 4), so
    that a free rod takes the curvature F_a/EI.

    Args:
        amplitude: m at the base, in N m.
        recruited: X_r = L t/Delta t in m, positive.
        strain: which of the three angular strains it drives.
        span: the part of the rod with the muscle, from whose start the recruited length counts.
    """
    if strain not in STRAINS[:3]:
        raise ValueError(f'a torque drives one of {", ".join(STRAINS[:3])}, not "{strain}"')
    finite("amplitude", amplitude)
    positive("recruited", recruited)
    axis = np.eye(6)[STRAINS.index(strain)]
    start = 0.0 if span is None else span[0]

    def wrench(X: Array) -> Array:
        carried: Array = -amplitude * np.maximum(1.0 - (X - start) / recruited, 0.0)[:, None] * axis
        return carried

    return ActiveWrench(wrench, span)
