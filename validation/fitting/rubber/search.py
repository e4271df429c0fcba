"""Least squares of a law to coupon curves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares

from loligo.cases.core.record import BadInput
from loligo.validation.fitting.rubber.coupon import Array, Points
from loligo.validation.fitting.rubber.laws import Law
from loligo.validation.fitting.rubber.starts import Start, starts


@dataclass(frozen=True, eq=False)
class RubberFit:
    """The best coefficients found, and what the search knows there."""

    law: Law
    points: Points
    start: Start
    """The best coefficients, with the box they were sought in."""
    residual: Array
    """Weighted residuals."""
    jacobian: Array
    """Their slopes by the coefficients."""

    @property
    def values(self) -> Array:
        """The coefficients."""
        return self.start.values

    @property
    def sum_of_squares(self) -> float:
        """Of the weighted residuals."""
        return float(self.residual @ self.residual)

    @property
    def freedom(self) -> int:
        """Points less coefficients."""
        return self.residual.size - self.values.size

    @property
    def variance(self) -> float:
        """Estimated variance of a weighted residual; without scatter, what the search leaves."""
        floor = 1e-9 * float(np.linalg.norm(self.points.stress * self.points.weight))
        return max(self.sum_of_squares, floor**2) / self.freedom

    @property
    def at_bound(self) -> NDArray[np.bool_]:
        """Which coefficients ended at a bound, to 1e-6.

        Relative to the bound; where that is zero, the stress that the coefficient makes relative to
        all stress.
        """
        values, lower, upper, _ = self.start
        effect = np.linalg.norm(self.jacobian, axis=0) * np.abs(values)
        nothing = effect < 1e-6 * np.linalg.norm(self.points.stress * self.points.weight)
        ended = [
            np.where(bound == 0.0, nothing, np.isclose(values, bound, rtol=1e-6, atol=0.0))
            for bound in (lower, upper)
        ]
        return np.asarray(ended[0] | ended[1])


def fit(law: Law, points: Points) -> RubberFit:
    """Return the best fit over all starts."""
    if points.first.size <= len(law.names):
        raise BadInput(
            f"{points.first.size} points cannot tell the {len(law.names)} coefficients of "
            f"{law.energy}, let alone their uncertainty: give more points or a smaller law"
        )
    return min((search(law, points, start) for start in starts(law, points)), key=_misfit)


def search(
    law: Law,
    points: Points,
    start: Start,
    fixed: NDArray[np.bool_] | None = None,
    tolerance: float = 1e-13,
) -> RubberFit:
    """Return the fit nearest to a start, with some coefficients fixed at their start.

    The search runs in units of the start's scale, in which all slopes are of similar size, and ends
    when a step improves the sum of squares by less than `tolerance`, relative.
    """
    free = np.ones(start.values.size, bool) if fixed is None else ~fixed
    scale, values = start.scale, start.values.copy()

    def residual(reduced: Array) -> Array:
        trial = values.copy()
        trial[free] = reduced * scale[free]
        return (law.stress(trial, points) - points.stress) * points.weight

    if not free.any():
        return RubberFit(
            law, points, start, residual(values[free]), np.empty((points.first.size, 0))
        )
    lower, upper = (bound[free] / scale[free] for bound in (start.lower, start.upper))
    size = float(np.linalg.norm(points.stress * points.weight))
    done = least_squares(
        lambda reduced: residual(reduced) / size,
        np.clip(values[free] / scale[free], lower, upper),
        bounds=(lower, upper),
        jac="3-point",
        x_scale="jac",
        xtol=100.0 * tolerance,
        ftol=tolerance,
        gtol=tolerance,
        max_nfev=400,
    )
    values[free] = done.x * scale[free]
    jacobian = np.zeros((points.first.size, values.size))
    jacobian[:, free] = done.jac * size / scale[free]
    return RubberFit(law, points, start._replace(values=values), done.fun * size, jacobian)


def reweighted(found: RubberFit, counts: Array) -> RubberFit:
    """Return the fit, from where this one ended, with every point counted so many times."""
    points = found.points._replace(weight=found.points.weight * np.sqrt(counts))
    # Resampling scatters far more than this leaves.
    return search(found.law, points, found.start, tolerance=1e-8)


def _misfit(found: RubberFit) -> float:
    return found.sum_of_squares
