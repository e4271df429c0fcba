"""Velocity and acceleration of a problem in motion, and the forces of inertia."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import ufl
from dolfinx.fem import Constant, Function

from loligo.fem.core.fields import Fields
from loligo.fem.core.kinematics import Kinematics
from loligo.fem.problem.generalised_alpha import Rates

Array = npt.NDArray[np.float64]

INERTIA = "inertia"
"""Name of the load that inertia is."""


class AffineRates:
    """The rates of a displacement u, each affine in u itself: slope u + start.

    So a step in time is a state of equilibrium like any other, with forces of inertia and viscosity
    that depend on the displacement at its end. As long as the rates are not set all are zero.
    """

    def __init__(self, fields: Fields) -> None:
        """Begin at rest."""
        mesh = fields.space.mesh
        self._slopes = [Constant(mesh, 0.0) for _ in range(2)]
        self._starts = [Function(fields.space) for _ in range(2)]
        self.velocity, self.acceleration = (
            slope * fields.displacement + fields.parts(start)[0]
            for slope, start in zip(self._slopes, self._starts, strict=True)
        )
        self.rest()

    def set(self, rates: Rates) -> None:
        """Take over the rates of a step; arrays of all unknowns of this rank, ghosts included."""
        self.rates = rates
        slopes = rates.velocity_slope, rates.acceleration_slope
        starts = rates.velocity_start, rates.acceleration_start
        for slope, value in zip(self._slopes, slopes, strict=True):
            slope.value = value
        for start, values in zip(self._starts, starts, strict=True):
            start.x.array[:] = values

    def velocity_at(self, unknowns: Array) -> Array:
        """Return the rate of all unknowns of this rank, ghosts included; of no account for p."""
        found: Array = float(self._slopes[0].value) * unknowns + self._starts[0].x.array
        return found

    def rest(self) -> None:
        """Return to statics: no velocity and no acceleration, wherever the body goes."""
        self._set_slopes(0.0)

    def disturb(self) -> None:
        """Let velocity (1/s) and acceleration (1/s^2) be the displacement."""
        self._set_slopes(1.0)

    def _set_slopes(self, slope: float) -> None:
        nothing = np.zeros_like(self._starts[0].x.array)
        self.set(Rates(slope, nothing, slope, nothing))


@dataclass(frozen=True)
class Inertia:
    """The forces of inertia as a load (d'Alembert); its value is 1, or 0 to leave them out.

    Held supports and sections then carry what they do in motion, without a further word.
    """

    name: str = INERTIA

    def virtual_work(self, k: Kinematics, value: Constant) -> Any:
        """Return -int (1 + B) rho_0 a . v dV over the reference, B rho_0 of it water."""
        along = ufl.inner(k.acceleration, k.virtual)
        return sum(-value * rho * along * k.cells(group) for group, rho in k.inertia.items())
