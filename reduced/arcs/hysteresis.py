r"""How long a chamber is at a pressure, from measured loading and unloading curves.

Two monotone piecewise-linear curves, fitted by least squares with non-negative increments, enclose
the hysteresis loop: rising pressure follows the lower (``loading``), falling pressure the upper
(``unloading``). In between the length sticks,

.. math:: l_k = \min(\max(l_{k-1}, f_\mathrm{load}(p_k)), f_\mathrm{unload}(p_k)),

the generalised play operator: the measured loop is reproduced as measured, whatever its shape, and
the inverse is exact. That a reversal inside the loop holds the length until the other curve is met
is an assumption: two curves say nothing about minor loops. Rate and creep are not represented.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import nnls

from loligo.cases.core.record import BadInput
from loligo.reduced.checks import finite, non_negative, positive, whole

Array = NDArray[np.float64]

_ROUNDING = 1e-12  # of the length: what least squares leaves of exact data


@dataclass(frozen=True)
class HysteresisLoop:
    """Lengths (m) of the two branches at common, increasing pressures (Pa)."""

    pressure: tuple[float, ...]
    loading: tuple[float, ...]
    unloading: tuple[float, ...]
    misfit: float
    """Root mean square of what the fit leaves of the data, both branches together (m)."""

    def __post_init__(self) -> None:
        """Refuse branches that do not rise together."""
        if np.any(np.diff(finite("pressure", self.pressure)) <= 0.0):
            raise BadInput("the pressures of a loop must increase")
        for name in ("loading", "unloading"):
            branch = non_negative(name, getattr(self, name))
            if branch.shape != (len(self.pressure),) or np.any(np.diff(branch) < 0.0):
                raise BadInput(f"{name} must be one length a pressure, and none may fall")
        non_negative("misfit", self.misfit)


def fit_loop(
    loading: tuple[ArrayLike, ArrayLike], unloading: tuple[ArrayLike, ArrayLike], knots: int = 13
) -> HysteresisLoop:
    """Fit a loop to (pressures, lengths) measured while loading and while unloading (Pa, m).

    Args:
        loading: Pressures and lengths of the rising branch, in any order.
        unloading: Pressures and lengths of the falling branch, in any order.
        knots: Number of evenly spaced pressures at which the branches are given.
    """
    whole("knots", knots, 2)
    branches = [_branch(*loading, "loading"), _branch(*unloading, "unloading")]
    low = max(branch[0].min() for branch in branches)
    high = min(branch[0].max() for branch in branches)
    if not low < high:
        raise ValueError("the loading and unloading data share no range of pressure")
    pressure = np.linspace(low, high, knots)
    rising, falling = (_monotone_fit(pressure, *branch) for branch in branches)
    left = [
        branch[1] - np.interp(branch[0], pressure, curve, left=np.nan, right=np.nan)
        for branch, curve in zip(branches, (rising, falling), strict=True)
    ]
    misfit = float(np.sqrt(np.nanmean(np.concatenate(left) ** 2)))
    crossing = float(np.max(rising - falling))
    if crossing > 3.0 * misfit + _ROUNDING * falling[-1]:
        raise ValueError(
            f"the loading branch lies up to {crossing:.3g} m above the unloading branch (misfit of "
            f"the fit {misfit:.3g} m): exchange the two, or use other knots"
        )
    # Noise makes the branches cross where the loop closes: there both take their mean.
    mean = 0.5 * (rising + falling)
    rising, falling = np.minimum(rising, mean), np.maximum(falling, mean)
    return HysteresisLoop(tuple(pressure), tuple(rising), tuple(falling), misfit)


def lengths_along(loop: HysteresisLoop, pressures: ArrayLike, start: float) -> Array:
    """Return the lengths (m) along a history of pressures (Pa), ``start`` (m) long before it."""
    pressures = finite("pressures", pressures)
    positive("start", start)
    _require_range(pressures, loop.pressure, "pressure", "Pa")
    lower = np.interp(pressures, loop.pressure, loop.loading)
    upper = np.interp(pressures, loop.pressure, loop.unloading)
    lengths = np.empty_like(pressures)
    length = start
    for i in range(len(pressures)):
        length = min(max(length, lower[i]), upper[i])
        lengths[i] = length
    return lengths


def pressures_along(loop: HysteresisLoop, lengths: ArrayLike, start: float) -> Array:
    """Return pressures (Pa) that drive a chamber along a history of lengths (m).

    Longer than before: the pressure of the loading branch; shorter: of the unloading branch; the
    same: the same pressure. ``start`` is the pressure (Pa) at the first length.
    """
    lengths = positive("lengths", lengths)
    finite("start", start)
    common = (loop.unloading[0], loop.loading[-1])
    _require_range(lengths, common, "length", "m")
    pressures = np.full_like(lengths, start)
    for i in range(1, len(lengths)):
        if lengths[i] > lengths[i - 1]:
            pressures[i] = np.interp(lengths[i], loop.loading, loop.pressure)
        elif lengths[i] < lengths[i - 1]:
            pressures[i] = np.interp(lengths[i], loop.unloading, loop.pressure)
        else:
            pressures[i] = pressures[i - 1]
    return pressures


def _branch(pressures: ArrayLike, lengths: ArrayLike, name: str) -> Array:
    """Pressures and lengths of a branch, (2, n)."""
    found = (
        finite(f"pressures of the {name}", pressures),
        positive(f"lengths of the {name}", lengths),
    )
    if found[0].ndim != 1 or found[0].shape != found[1].shape or not found[0].size:
        raise BadInput(f"the {name} branch needs as many lengths as pressures, in a row")
    return np.stack(found)


def _monotone_fit(knots: Array, pressure: Array, length: Array) -> Array:
    """Return the non-decreasing values at the knots whose interpolant fits the data best."""
    inside = (pressure >= knots[0]) & (pressure <= knots[-1])
    hats = np.stack(
        [np.interp(pressure[inside], knots, unit) for unit in np.eye(len(knots))], axis=1
    )
    # Value i is the first value plus the increments up to i; a length is positive, so all are.
    steps, _ = nnls(hats @ np.tri(len(knots)), length[inside])
    return np.cumsum(steps)


def _require_range(values: Array, limits: tuple[float, ...], name: str, unit: str) -> None:
    if values.min() < limits[0] or values.max() > limits[-1]:
        raise ValueError(
            f"{name}s from {values.min():.4g} to {values.max():.4g} {unit} leave the measured "
            f"loop, {limits[0]:.4g} to {limits[-1]:.4g} {unit}"
        )
