r"""What data can tell of coefficients, and their intervals.

The eigenvalues of the scaled Fisher matrix say which combinations the data feel; their ratio is the
condition number.

Intervals are at 95 %, three ways: Wald's, that of the tangent; the profile, of values at which the
best fit of the others has a sum of squares below S (1 + F(0.95; 1, n - p)/(n - p)); the bootstrap,
percentiles over loads drawn anew, each replicate one Gauss-Newton step from the best fit. Where a
measurement states its scatter and that explains the misfit, the variance is known, s^2 = 1: Wald's
and the profile's quantiles are those of the normal law, and an interval covers if the stated
scatter is right and the values are independent. Otherwise s^2 is estimated, and Student's law is
due. Against a 3D solution residuals are the model's own error, not scatter: then none of them is a
probability, and a caution says so.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy import stats

from loligo.cases.coefficients import KNOWN
from loligo.validation.data.quantities import Array
from loligo.validation.fitting.coefficients.search import Found, refit
from loligo.validation.fitting.statistics import (
    Interval,
    percentile_tail,
    scaled_fisher,
    spread_and_correlation,
)

SINGULAR = 1e-10
"""Eigenvalue of the scaled Fisher matrix below which finite differences are all there is."""
REPLICATES = 1000
_FAR = 100.0
"""No coefficient lies so far off, by its logarithm or, if signed, by its physical range."""
FEWEST = 4
"""Loads per coefficient below which drawing them anew says nothing."""


@dataclass(frozen=True, eq=False)
class FisherInformation:
    """What the data can tell."""

    eigenvalues: Array
    """Of the Fisher matrix with unit columns, smallest first."""
    correlation: Array
    error: Array
    """Standard errors of the unknowns: relative, of signed coefficients absolute."""

    @property
    def condition(self) -> float:
        """Ratio of the largest eigenvalue to the smallest."""
        low, high = float(self.eigenvalues[0]), float(self.eigenvalues[-1])
        return high / low if low > SINGULAR else np.inf


def identify(jacobian: Array, variance: float) -> FisherInformation:
    """Judge slopes of residuals, (n, p)."""
    norms = np.linalg.norm(jacobian, axis=0)
    scaled = jacobian / np.where(norms > 0.0, norms, 1.0)
    eigenvalues, vectors = scaled_fisher(scaled)
    spread, correlation = spread_and_correlation(eigenvalues, vectors, SINGULAR)
    with np.errstate(divide="ignore"):
        error = np.sqrt(variance) * spread / norms
    return FisherInformation(eigenvalues, correlation, error)


def wald(found: Found, known: FisherInformation) -> Iterator[Interval]:
    """Yield the tangent's intervals of the coefficients."""
    reach = stats.t.ppf(0.975, found.variance_freedom) * known.error
    return _in_values(found, found.unknowns - reach, found.unknowns + reach)


def bootstrap(found: Found, seed: int) -> Iterator[Interval]:
    """Yield percentile intervals over loads drawn anew; nan with too few of them."""
    blocks = np.unique(found.block)
    none = np.full(found.unknowns.size, np.nan)
    if blocks.size < FEWEST * found.unknowns.size:
        return _in_values(found, none, none)
    random = np.random.default_rng(seed)
    outer = np.array(
        [found.jacobian[found.block == b].T @ found.jacobian[found.block == b] for b in blocks]
    )
    pull = np.array(
        [found.jacobian[found.block == b].T @ found.residual[found.block == b] for b in blocks]
    )
    drawn = random.multinomial(blocks.size, np.full(blocks.size, 1 / blocks.size), REPLICATES)
    moved = [
        found.unknowns - np.linalg.pinv(np.tensordot(n, outer, 1), hermitian=True) @ (n @ pull)
        for n in drawn
    ]
    freedom = blocks.size - found.unknowns.size
    tail = percentile_tail(blocks.size, freedom)
    return _in_values(found, *np.quantile(moved, [tail, 1.0 - tail], axis=0))


def profile(found: Found, known: FisherInformation, i: int) -> Interval:
    """Ends of the profile of an unknown, as values; infinite where the bounds come first."""
    # F with 1 and n - p is the square of Student's t; with a known variance that of a normal law.
    quantile = stats.t.ppf(0.975, found.variance_freedom) ** 2
    limit = found.sum_of_squares + found.variance * quantile
    low, high = found.search.bounds
    ends = []
    for way, bound in ((-1.0, low[i]), (1.0, high[i])):
        step = way * min(2.0 * known.error[i], abs(bound - found.unknowns[i]))
        inside, at, past = 0.0, 1.0, None
        for _ in range(8):
            total = refit(found, {i: found.unknowns[i] + at * step})[1]
            # Along a parabola through the best fit; halved where the profile is steeper.
            share = np.sqrt(
                (limit - found.sum_of_squares) / max(total - found.sum_of_squares, 1e-300)
            )
            if abs(share - 1.0) < 0.01:
                break
            if total > limit:
                past = at
            else:
                inside = at
            at = float(np.clip(share * at, inside, past if past is not None else 4.0 * at))
        u = found.unknowns[i] + at * step
        ends.append(way * np.inf if (bound - u) * way <= 0.0 else u)
    name = found.search.names[i]
    signed = KNOWN[name].signed
    return Interval(*(end if signed else float(np.exp(end)) for end in ends))


def _in_values(found: Found, low: Array, high: Array) -> Iterator[Interval]:
    """Intervals of the coefficients; nan for an end that the data do not set, and at a bound."""
    spans = [
        np.ptp(KNOWN[name].physical) if KNOWN[name].signed else 1.0 for name in found.search.names
    ]
    far = _FAR * np.array(spans)
    known = [np.where((np.abs(end) < far) & ~found.at_bound, end, np.nan) for end in (low, high)]
    ends = [found.search.values(end) for end in known]
    return (Interval(ends[0][name], ends[1][name]) for name in found.search.names)
