"""Confidence intervals of fitted coefficients, three ways to be read beside each other.

Wald: the tangent's. Profile likelihood: asymmetric, sees bounds and flat directions. Bootstrap: no
assumption on the scatter's distribution, and blocks of neighbouring points stay together because
the points of one pull are not independent.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from scipy import stats
from scipy.optimize import brentq

from loligo.cases.core.record import BadInput
from loligo.validation.fitting.rubber.coupon import Array, Coupon
from loligo.validation.fitting.rubber.identify import standard_error
from loligo.validation.fitting.rubber.search import RubberFit, reweighted, search
from loligo.validation.fitting.rubber.starts import Start
from loligo.validation.fitting.statistics import Interval, percentile_tail

MOST_DOUBLINGS = 12


def wald(found: RubberFit, confidence: float = 0.95) -> list[Interval]:
    """Return value -+ t standard errors, Student's t with points less coefficients."""
    reach = stats.t.ppf(0.5 + 0.5 * confidence, found.freedom) * standard_error(found)
    return [Interval(float(v - r), float(v + r)) for v, r in zip(found.values, reach, strict=True)]


def profile(found: RubberFit, coefficient: int, confidence: float = 0.95) -> Interval:
    """Return the values of a coefficient at which the best fit of the others is still likely.

    These are the values with a sum of squares up to S_min + s^2 F(confidence; 1, n - p). For a law
    linear in its coefficients this is Wald's interval exactly.
    """
    quantile = float(stats.f.ppf(confidence, 1, found.freedom))
    threshold = found.sum_of_squares + found.variance * quantile
    return Interval(*(_profile_end(found, coefficient, way, threshold) for way in (-1.0, 1.0)))


def _profile_end(found: RubberFit, coefficient: int, way: float, threshold: float) -> float:
    """Walk outwards in doubling steps until the threshold is passed, then bracket it."""
    value = float(found.values[coefficient])
    end = found.start.lower[coefficient] if way < 0.0 else found.start.upper[coefficient]
    error = standard_error(found)[coefficient]
    # Infinite on a flat direction, not a number at a bound.
    step = error if np.isfinite(error) else 0.1 * (abs(value) or 1.0)
    fixed = np.arange(found.values.size) == coefficient

    def best(trial: float, near: Start) -> RubberFit:
        values = np.where(fixed, trial, near.values)
        return search(found.law, found.points, near._replace(values=values), fixed)

    inside, near = value, found.start
    for _ in range(MOST_DOUBLINGS):
        outside = max(inside - step, end) if way < 0.0 else min(inside + step, end)
        if outside == inside:
            break
        there = best(outside, near)
        if there.sum_of_squares > threshold:
            # From the same likely place each time, so that no trial strays.
            return float(
                brentq(
                    lambda trial: best(trial, near).sum_of_squares - threshold,
                    inside,
                    outside,
                    xtol=1e-6 * abs(outside - inside),
                )
            )
        inside, near, step = outside, there.start, 2.0 * step
    return way * np.inf


def bootstrap(
    found: RubberFit,
    coupons: tuple[Coupon, ...],
    *,
    seed: int,
    replicates: int = 400,
    by: Literal["block", "mode"] = "block",
    confidence: float = 0.95,
) -> list[Interval]:
    """Return percentile intervals of refits to resampled data, open where they end at a bound.

    Args:
        found: The fit; each refit begins there.
        coupons: The curves that it was fitted to.
        seed: Of the random numbers.
        replicates: Number of refits.
        by: "block" draws, in every curve, runs of neighbouring points; "mode" draws whole curves,
            of which there must be three or more.
        confidence: Of the interval.
    """
    if by == "mode" and len(coupons) < 3:
        raise BadInput(f"{len(coupons)} curves are too few to draw from: bootstrap by block")
    random = np.random.default_rng(seed)
    sizes = [c.stretch.size for c in coupons]
    values = np.empty((replicates, found.values.size))
    for replicate in range(replicates):
        if by == "mode":
            drawn = random.multinomial(len(sizes), np.full(len(sizes), 1.0 / len(sizes)))
            counts = np.repeat(drawn, sizes).astype(np.float64)
        else:
            counts = np.concatenate([_block_counts(size, random) for size in sizes])
        values[replicate] = reweighted(found, counts).values
    tail = percentile_tail(sum(sizes), found.freedom, confidence)
    low, high = np.quantile(values, [tail, 1.0 - tail], axis=0)
    # What stops at the box of the search was not told by the data.
    low = np.where(np.isclose(low, found.start.lower, rtol=1e-6, atol=0.0), -np.inf, low)
    high = np.where(np.isclose(high, found.start.upper, rtol=1e-6, atol=0.0), np.inf, high)
    return [Interval(float(a), float(b)) for a, b in zip(low, high, strict=True)]


def _block_counts(size: int, random: np.random.Generator) -> Array:
    """Return how often each point of a curve is drawn, in circular blocks of n^(1/3) points."""
    length = int(np.ceil(size ** (1.0 / 3.0)))
    starts = random.integers(size, size=-(-size // length))
    drawn = (starts[:, None] + np.arange(length)).ravel()[:size] % size
    return np.bincount(drawn, minlength=size).astype(np.float64)
