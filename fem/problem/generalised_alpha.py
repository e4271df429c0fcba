r"""Generalised-alpha with equilibrium at the ends of the steps (Arnold and Bruels 2007).

The new state keeps to the equations of motion and to J = 1 exactly, pressure included. With
:math:`\ddot u` its acceleration and a an auxiliary one,

.. math::

   (1 - \alpha_m) a_1 + \alpha_m a_0 = (1 - \alpha_f) \ddot u_1 + \alpha_f \ddot u_0, \\
   u_1 = u_0 + h \dot u_0 + h^2 ((1/2 - \beta) a_0 + \beta a_1), \qquad
   \dot u_1 = \dot u_0 + h ((1 - \gamma) a_0 + \gamma a_1).

With :math:`\rho` the share that a step leaves of what is infinitely fast,
:math:`\alpha_m = (2\rho - 1)/(1 + \rho)`, :math:`\alpha_f = \rho/(1 + \rho)`,
:math:`\gamma = 1/2 + \alpha_f - \alpha_m` and :math:`\beta = (\gamma + 1/2)^2/4` (Chung and Hulbert
1993): second order, stable for linear systems at any step.

The auxiliary a lives :math:`(\alpha_m - \alpha_f) h` after its acceleration: where the step
changes, its distance from it is scaled along. Where a motion begins, or goes on behind a jump of a
load, both are the acceleration at the end of a small step of Euler's implicit method, which needs
none itself: they are off by that step, and the motion, once, by the product of both steps.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Rates:
    """Velocity and acceleration at the end of a step, by the displacement u there.

    v = velocity_slope u + velocity_start, and likewise the acceleration.
    """

    velocity_slope: float
    velocity_start: Array
    acceleration_slope: float
    acceleration_start: Array


@dataclass(frozen=True)
class MotionState:
    """Where a motion is."""

    displacement: Array
    velocity: Array
    acceleration: Array
    auxiliary: Array
    """a, of a step of the size ``step``."""
    step: float
    """Size of the last step (s)."""


@dataclass(frozen=True)
class Alpha:
    """The numbers of the scheme."""

    rho: float
    """Spectral radius for what is infinitely fast, from 0 to 1."""

    def __post_init__(self) -> None:
        """Refuse a scheme that would blow up."""
        if not 0.0 <= self.rho <= 1.0:
            raise ValueError(f"rho_inf must be from 0 to 1, not {self.rho}")

    @property
    def mass_shift(self) -> float:
        """alpha_m."""
        return (2.0 * self.rho - 1.0) / (1.0 + self.rho)

    @property
    def force_shift(self) -> float:
        """alpha_f."""
        return self.rho / (1.0 + self.rho)

    @property
    def gamma(self) -> float:
        """Weight of the new auxiliary acceleration in the velocity."""
        return 0.5 + self.force_shift - self.mass_shift

    @property
    def beta(self) -> float:
        """Twice its weight in the displacement, over 2."""
        return (self.gamma + 0.5) ** 2 / 4.0

    @property
    def error(self) -> float:
        """A step's own error of the displacement over h^3 times the third derivative."""
        return self.beta + (self.mass_shift - self.force_shift) / 2.0 - 1.0 / 6.0

    @property
    def description(self) -> str:
        """What a data set says of it."""
        return f"generalised-alpha, rho {self.rho:g}"

    def rates(self, place: MotionState, step: float) -> Rates:
        """Return what a step of this size makes of a displacement at its end."""
        u, v = place.displacement, place.velocity
        old = _auxiliary(place, step)
        slope = 1.0 / (self.beta * step**2)
        start = -slope * u - slope * step * v - (0.5 / self.beta - 1.0) * old
        share = (1.0 - self.mass_shift) / (1.0 - self.force_shift)
        carried = self.mass_shift * old - self.force_shift * place.acceleration
        return Rates(
            step * self.gamma * slope,
            v + step * (1.0 - self.gamma) * old + step * self.gamma * start,
            share * slope,
            share * start + carried / (1.0 - self.force_shift),
        )

    def arrive(self, place: MotionState, step: float, displacement: Array) -> MotionState:
        """Return the end of a step, its displacement found."""
        r = self.rates(place, step)
        velocity = r.velocity_slope * displacement + r.velocity_start
        acceleration = r.acceleration_slope * displacement + r.acceleration_start
        way = displacement - place.displacement - step * place.velocity
        old = _auxiliary(place, step)
        auxiliary = way / (self.beta * step**2) - (0.5 / self.beta - 1.0) * old
        return MotionState(displacement, velocity, acceleration, auxiliary, step)

    def own_error(self, before: MotionState, after: MotionState) -> Array:
        """Return a step's own error of the displacement; it is of third order in the step."""
        error: Array = self.error * after.step**2 * (after.acceleration - before.acceleration)
        return error


def euler(displacement: Array, velocity: Array, step: float) -> Rates:
    """Return what a step of Euler's implicit method makes of a displacement at its end."""
    slope = 1.0 / step
    return Rates(
        slope, -slope * displacement, slope**2, -(slope**2) * displacement - slope * velocity
    )


def guess(place: MotionState, step: float) -> Array:
    """Return the displacement at the end of a step if the acceleration stays."""
    return place.displacement + step * place.velocity + step**2 / 2.0 * place.acceleration


def _auxiliary(place: MotionState, step: float) -> Array:
    """The auxiliary acceleration as if the last step had had this size."""
    return place.acceleration + (place.auxiliary - place.acceleration) * (step / place.step)
