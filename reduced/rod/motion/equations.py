"""What moves a rod beside its loads, and the record of its motion."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from loligo.reduced.checks import finite, non_negative, positive
from loligo.reduced.lie import Array, inverse
from loligo.reduced.rod.grid import FieldOfX
from loligo.reduced.rod.model import Rod

Carried = Callable[[float], Array]
"""Frame of the base, (4, 4), of the time in s: twice differentiable between output times."""


def circular_inertia(radius: Array | float, density: float) -> Array:
    """Return rho diag(J, I, I, A, A, A) of solid circular sections, shape (..., 6, 6).

    Args:
        radius: in m, any shape.
        density: rho in kg/m^3.
    """
    positive("density", density)
    area = np.pi * positive("radius", radius) ** 2
    second = area**2 / (4.0 * np.pi)
    diagonal = np.stack([2.0 * second, second, second, area, area, area], axis=-1)
    return density * diagonal[..., None] * np.eye(6)


@dataclass(frozen=True, eq=False)
class RodWater:
    """Still water around a rod of round sections, by strip theory: Renda 2018 Eq 11 and 13.

    The drag per reference length is -rho_w h |v| diag(pi C_x/2, C_y, C_z) v, v the velocity of the
    section in its own axes, h its radius; the water that moves along has the momentum
    rho_w pi h^2 diag(B) v. The momentum turns with the section, whence the moment -v x p (Munk) on
    it, which Eq 13 leaves out. Buoyancy is a load: `net_weight`.

    Linear drag beside it is -pi rho_w h diag(l_x, l_y, l_z) v and, about the axis alone, the moment
    -pi rho_w h^3 l_r w_x, with speeds l: Zhang 2022 Eq 32 for l = C_d V (Omega; beta, 1, 1), and
    with the radius that Eq 32 lacks.

    Attributes:
        density: rho_w in kg/m^3.
        radius: h in m, constant or a function of X.
        drag: C in the section's axes; the paper has (0.01, 2.5, 2.5).
        added: B likewise; the paper has (0, 1.5, 1.5).
        linear: l of roll and of the three axes, in m/s.
    """

    density: float
    radius: float | FieldOfX
    drag: Sequence[float] = (0.0, 0.0, 0.0)
    added: Sequence[float] = (0.0, 1.0, 1.0)
    linear: Sequence[float] = (0.0, 0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        """Refuse water that pushes."""
        for name, count in (("drag", 3), ("added", 3), ("linear", 4)):
            value = np.asarray(getattr(self, name), float)
            if value.shape != (count,) or not (np.isfinite(value) & (value >= 0.0)).all():
                raise ValueError(
                    f"{name} of the water must be {count} numbers >= 0, but is {value}"
                )
        non_negative("density", self.density)
        if not callable(self.radius):  # a function of X is checked on the nodes of its rod
            non_negative("radius", self.radius)


@dataclass(frozen=True, eq=False)
class FreeBase:
    """A base that goes where the forces take it.

    Attributes:
        inertia: of a rigid body that it carries, in the base's axes: rotary inertia and mass as of
            a section, (6, 6), in kg m^2 and kg.
    """

    inertia: Array = field(default_factory=lambda: np.zeros((6, 6)))

    def __post_init__(self) -> None:
        """Refuse what is no inertia."""
        finite("inertia", self.inertia)


@dataclass(frozen=True, eq=False)
class MovingRod:
    """A rod in motion at one time.

    Attributes:
        q: generalised coordinates.
        velocity: their rates.
        base: frame of the base, (4, 4).
        base_twist: its velocity (angular; linear) in its own axes, (6,).
    """

    q: Array
    velocity: Array
    base: Array
    base_twist: Array


@dataclass(frozen=True, eq=False)
class RodMotion:
    """A rod in motion; the first axis is the output times.

    Energies obey kinetic + stored + dissipated + drained + lost - work = constant. Sums begin at
    the first time.

    Attributes:
        rod: the rod.
        time: in s, as asked.
        q: generalised coordinates, (t, n).
        velocity: their rates, (t, n).
        base: frame of the base, (t, 4, 4).
        base_twist: its velocity in its own axes, (t, 6).
        reaction: wrench (moment; force) of what holds the base on the rod, in the world's axes
            about the base, as means since the time before (0 at the first), (t, 6).
        momentum: of rod, added mass and a free base's body, (angular about the world's origin;
            linear), (t, 6).
        kinetic: energy in J, that of the added mass with it.
        stored: energy in the sections.
        dissipated: energy lost in the sections.
        drained: energy lost to the water by drag.
        lost: energy lost to the scheme itself: never gained by the midpoint rule, unless the base
            is carried.
        work: of loads, actuation and what moves the base.
        steps: how many it took.
        refused: how many were tried in vain: Newton's method failed, or the error was too large.
    """

    rod: Rod
    time: Array
    q: Array
    velocity: Array
    base: Array
    base_twist: Array
    reaction: Array
    momentum: Array
    kinetic: Array
    stored: Array
    dissipated: Array
    drained: Array
    lost: Array
    work: Array
    steps: int
    refused: int

    def state(self, index: int = -1) -> MovingRod:
        """Return the state at an output, to go on from."""
        return MovingRod(
            self.q[index], self.velocity[index], self.base[index], self.base_twist[index]
        )

    def frames(self, X: Array | Sequence[float]) -> Array:
        """Return the section frames at X, (t, n, 4, 4)."""
        back = inverse(np.asarray(self.rod.base, float))
        seen = np.array([self.rod.frames(q, X) for q in self.q])
        frames: Array = (self.base @ back)[:, None] @ seen
        return frames

    def strain(self, X: Array | Sequence[float]) -> Array:
        """Return the total strain at X, (t, n, 6)."""
        return np.array([self.rod.strain(q, X) for q in self.q])

    @property
    def tip_position(self) -> Array:
        """Position of the tip, (t, 3)."""
        tip: Array = self.frames([self.rod.length])[:, 0, :3, 3]
        return tip
