r"""Error bars: from three meshes or time steps to a half-width.

A quantity computed with sizes :math:`h_1 < h_2 < h_3` is taken as :math:`f_i = f + C h_i^p`. The
grid convergence index (Roache 1994; Celik et al. 2008 for ratios that are not constant) is a safety
factor times the error that this estimates for the finest level. Nothing here knows what is refined:
with time steps for sizes and the integrator's order it is the bar of a time-step study.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]

TRUSTED_ORDER = (0.5, 1.1)
"""Observed over theoretical order for which the observed one is believed."""
SAFETY_OBSERVED = 1.25
SAFETY_OTHERWISE = 3.0


class Verdict(IntEnum):
    """How the levels of one number behave."""

    EXACT = 0
    """All differences are below the resolution: there is nothing to extrapolate."""
    ORDER_OBSERVED = 1
    """Monotone, with an observed order within 0.5 to 1.1 of theory."""
    ORDER_NOT_OBSERVED = 2
    """Monotone, but not in the asymptotic range, or too close to the resolution to tell."""
    OSCILLATORY = 3
    """The last two differences have opposite signs, or one of them is zero."""
    DIVERGENT = 4
    """Refining changes the number no less than before."""
    TWO_LEVELS = 5
    """Two levels show no order: that of theory is taken, with the larger factor of safety."""


@dataclass(frozen=True)
class GridConvergence:
    """What three levels say about each number; arrays of one shape."""

    order: Array
    """Observed order; not a number where the levels are exact, oscillatory or divergent."""
    extrapolated: Array
    """Richardson's value; the finest level's own value where no order was observed."""
    half_width: Array
    """Half-width of the error bar around the finest level's value, in its unit."""
    asymptotic_ratio: Array
    """Error estimated from the coarse pair over that from the fine pair, both brought to the finest
    level with the theoretical order: 1 in the asymptotic range. (With the observed order the ratio
    is 1 for any three numbers, and says nothing.)"""
    verdict: NDArray[np.int8]
    """A `Verdict` each."""


@dataclass(frozen=True)
class StepBars:
    """One bar per step: the largest over all other dimensions."""

    half_width: Array
    verdict: NDArray[np.int8]
    """`Verdict` of the number that sets the bar."""


def observed_order(values: ArrayLike, sizes: ArrayLike) -> Array:
    r"""Return the order p of :math:`f + C h^p` through three levels, finest first.

    The root of

    .. math:: \frac{f_3 - f_2}{f_2 - f_1} = r_{21}^p \frac{r_{32}^p - 1}{r_{21}^p - 1},

    :math:`r_{ij} = h_i/h_j`, whose right side increases with p from ln r32/ln r21 at p = 0. A
    quotient at or below that is divergent or oscillatory and has no positive order: not a number.
    (Celik's form of the equation, with absolute values, gives such levels an order too.)

    Args:
        values: Three levels along the first axis, finest first, any other axes behind.
        sizes: Three increasing sizes.
    """
    f = np.asarray(values, dtype=np.float64)
    h1, h2, h3 = np.asarray(sizes, dtype=np.float64)
    fine, coarse = np.log(h2 / h1), np.log(h3 / h2)
    with np.errstate(divide="ignore", invalid="ignore"):
        quotient = (f[2] - f[1]) / (f[1] - f[0])
    solvable = np.isfinite(quotient) & (quotient > coarse / fine)
    target = np.log(np.where(solvable, quotient, 1.0))

    def excess(p: Array) -> Array:
        return np.asarray(np.log(np.expm1(p * coarse) / -np.expm1(-p * fine)) - target)

    # r21^p/(r21^p - 1) > 1, so that the root lies below ln(1 + quotient)/ln r32.
    low = np.zeros_like(target)
    high = np.log1p(np.exp(target)) / coarse
    for _ in range(60):
        middle = 0.5 * (low + high)
        below = excess(middle) < 0.0
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return np.where(solvable, 0.5 * (low + high), np.nan)


def grid_convergence(
    values: ArrayLike, sizes: ArrayLike, theory: float, *, resolution: float = 1e-12
) -> GridConvergence:
    r"""Return the error bar of every number from at least three levels; the finest three count.

    The error of the finest level is estimated as :math:`|f_1 - f_2|/(r_{21}^p - 1)`. If the
    observed order is within 0.5 to 1.1 of theory, p is the observed order but not more than theory,
    and the bar is 1.25 times the estimate; a difference below 100 times the resolution shows no
    order. Otherwise p is the theoretical order and the bar is 3
    times the larger of this estimate and that of the coarse pair,
    :math:`|f_2 - f_3|/(r_{32}^p - 1)/r_{21}^p`, so that two fine levels which agree by accident do
    not make a small bar.

    Args:
        values: Levels along the first axis, any order; any other axes behind.
        sizes: Size of each level, all different: cell size, or time step.
        theory: Order that theory gives this quantity.
        resolution: Difference that means nothing, relative to the largest magnitude in `values`:
            what the solver's tolerance leaves. No bar is smaller.
    """
    h = np.asarray(sizes, dtype=np.float64)
    f = np.asarray(values, dtype=np.float64)
    _check_levels(f, h, theory)
    finest = np.argsort(h)[:3]
    f, h = f[finest], h[finest]
    r21, r32 = h[1] / h[0], h[2] / h[1]
    floor = resolution * float(np.abs(f).max(initial=0.0))
    fine, coarse = f[0] - f[1], f[1] - f[2]

    order = observed_order(f, h)
    exact = (np.abs(fine) <= floor) & (np.abs(coarse) <= floor)
    order = np.where(exact, np.nan, order)
    observed = (order >= TRUSTED_ORDER[0] * theory) & (order <= TRUSTED_ORDER[1] * theory)
    observed &= np.abs(fine) > 100.0 * floor
    verdict = np.select(
        [exact, observed, np.isfinite(order), fine * coarse <= 0.0],
        [
            Verdict.EXACT,
            Verdict.ORDER_OBSERVED,
            Verdict.ORDER_NOT_OBSERVED,
            Verdict.OSCILLATORY,
        ],
        Verdict.DIVERGENT,
    )

    used = np.where(observed, np.minimum(order, theory), theory)
    correction = fine / (r21**used - 1.0)
    estimate = np.abs(fine) / (r21**theory - 1.0)
    estimate_coarse = np.abs(coarse) / (r32**theory - 1.0) / r21**theory
    half_width = np.where(
        observed,
        SAFETY_OBSERVED * np.abs(correction),
        SAFETY_OTHERWISE * np.maximum(estimate, estimate_coarse),
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(exact, 1.0, estimate_coarse / estimate)
    return GridConvergence(
        order=order,
        extrapolated=np.where(observed, f[0] + correction, f[0]),
        half_width=np.maximum(half_width, floor),
        asymptotic_ratio=ratio,
        verdict=verdict.astype(np.int8),
    )


def two_levels(
    values: ArrayLike, sizes: ArrayLike, theory: float, *, resolution: float = 1e-12
) -> GridConvergence:
    r"""Return the error bar of every number from two levels alone: 3 times the estimate.

    That is :math:`3 |f_1 - f_2|/(r_{21}^p - 1)` with the theoretical order, which holds the error
    as long as the order is not below about a half of it. Arguments are those of
    :func:`grid_convergence`.
    """
    h = np.asarray(sizes, dtype=np.float64)
    f = np.asarray(values, dtype=np.float64)
    _check_levels(f, h, theory, least=2)
    finest = np.argsort(h)[:2]
    f, h = f[finest], h[finest]
    floor = resolution * float(np.abs(f).max(initial=0.0))
    difference = np.abs(f[0] - f[1])
    unknown = np.full(difference.shape, np.nan)
    return GridConvergence(
        order=unknown,
        extrapolated=f[0],
        half_width=np.maximum(SAFETY_OTHERWISE * difference / ((h[1] / h[0]) ** theory - 1), floor),
        asymptotic_ratio=unknown,
        verdict=np.where(difference <= floor, Verdict.EXACT, Verdict.TWO_LEVELS).astype(np.int8),
    )


def bar_per_step(convergence: GridConvergence) -> StepBars:
    """Return the largest bar of each step (first axis) with the verdict of the number it is of."""
    steps = convergence.half_width.shape[0]
    width = convergence.half_width.reshape(steps, -1)
    widest = width.argmax(axis=1)[:, None]
    verdict = convergence.verdict.reshape(steps, -1)
    return StepBars(
        np.take_along_axis(width, widest, axis=1)[:, 0],
        np.take_along_axis(verdict, widest, axis=1)[:, 0],
    )


def _check_levels(values: Array, sizes: Array, theory: float, least: int = 3) -> None:
    if sizes.ndim != 1 or sizes.size < least:
        raise ValueError(f"an error bar needs at least {least} levels; {sizes.size} are given")
    if values.shape[:1] != sizes.shape:
        raise ValueError(f"{sizes.size} sizes, but values of shape {values.shape}")
    if not (np.isfinite(sizes).all() and (sizes > 0.0).all()) or np.unique(sizes).size < sizes.size:
        raise ValueError("the sizes of the levels must be positive and all different")
    if not np.isfinite(values).all():
        raise ValueError("some values are not finite: leave out what is not known on every level")
    if not theory > 0.0:
        raise ValueError("the theoretical order must be positive")
