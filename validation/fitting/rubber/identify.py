"""How well the data determine the coefficients: the Fisher matrix before any interval."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from loligo.validation.fitting.rubber.coupon import (
    MODES,
    SECOND_STRETCH,
    Array,
    Coupon,
    Mode,
    Points,
    first_invariant,
    stretch_reaching,
)
from loligo.validation.fitting.rubber.search import RubberFit
from loligo.validation.fitting.statistics import scaled_fisher, spread_and_correlation

SINGULAR = 1e-13
"""Eigenvalue of the scaled Fisher matrix below which the slopes' own error is all there is."""


@dataclass(frozen=True, eq=False)
class Identifiability:
    """How well the data tell the coefficients apart."""

    eigenvalues: Array
    """Of the Fisher matrix scaled to unit columns, smallest first."""
    unfelt: tuple[str, ...]
    """Coefficients that have a part in a combination which changes no residual."""
    correlation: Array
    """Of the estimates; not a number for a coefficient at its bound."""
    worst_error: float
    """Largest relative standard error of a coefficient that is not at its bound."""
    worst_error_with: dict[Mode, float]
    """The same if a curve were added in a mode that was not fitted: as many points as the others
    have, as far in I_1, with the same scatter."""

    @property
    def condition(self) -> float:
        """Ratio of the largest to the smallest eigenvalue, infinite below `SINGULAR`."""
        smallest, largest = float(self.eigenvalues[0]), float(self.eigenvalues[-1])
        return largest / smallest if smallest > SINGULAR else np.inf


def identify(found: RubberFit, coupons: tuple[Coupon, ...]) -> Identifiability:
    """Judge a fit of curves."""
    eigenvalues, vectors = scaled_fisher(found.jacobian / _norms(found, found.jacobian))
    part = np.abs(vectors[:, eigenvalues < SINGULAR]).max(axis=1, initial=0.0)
    deviation, correlation = _covariance(found, found.jacobian)
    absent = [mode for mode in MODES if mode not in {c.mode for c in coupons}]
    return Identifiability(
        eigenvalues,
        tuple(name for name, p in zip(found.law.names, part, strict=True) if p > 0.1),
        correlation,
        _worst(found, deviation),
        {mode: _worst(found, _deviation_with(found, mode, len(coupons))) for mode in absent},
    )


def standard_error(found: RubberFit) -> Array:
    """Return the standard error of each coefficient.

    Infinite where the data cannot tell it; not a number at a bound, where the others are judged as
    if it were known.
    """
    return _covariance(found, found.jacobian)[0]


def stress_error(found: RubberFit, mode: Mode, stretch: Array) -> Array:
    """Return the standard error (Pa) that the coefficients' errors make in a mode's stress."""
    free = ~found.at_bound
    points = Points(
        stretch, stretch ** SECOND_STRETCH[mode], np.zeros_like(stretch), np.ones_like(stretch)
    )
    slopes = found.law.slopes(found.values, found.start.scale, points)[:, free]
    norms = _norms(found, found.jacobian)[free]
    eigenvalues, vectors = scaled_fisher(found.jacobian[:, free] / norms)
    felt = eigenvalues > SINGULAR
    parts = (slopes / norms) @ vectors[:, felt] / np.sqrt(eigenvalues[felt])
    return np.asarray(np.sqrt(found.variance) * np.linalg.norm(parts, axis=1))


def _norms(found: RubberFit, jacobian: Array) -> Array:
    """Return the norm of each column; infinite for a coefficient that no point feels."""
    norms = np.linalg.norm(jacobian, axis=0)
    all_stress = np.linalg.norm(found.points.stress * found.points.weight)
    return np.where(norms * found.start.scale > 1e-10 * all_stress, norms, np.inf)


def _covariance(found: RubberFit, jacobian: Array) -> tuple[Array, Array]:
    """Return standard errors and correlations, those at a bound taken as known."""
    free = ~found.at_bound
    deviation = np.full(free.size, np.nan)
    correlation = np.full((free.size, free.size), np.nan)
    if free.any():
        norms = _norms(found, jacobian)[free]
        eigenvalues, vectors = scaled_fisher(jacobian[:, free] / norms)
        spread, correlated = spread_and_correlation(eigenvalues, vectors, SINGULAR)
        unfelt = (np.abs(vectors[:, eigenvalues < SINGULAR]) > 1e-3).any(axis=1)
        error = np.sqrt(found.variance) * spread / norms
        deviation[free] = np.where(unfelt, np.inf, error)
        correlation[np.ix_(free, free)] = correlated
    return deviation, correlation


def _worst(found: RubberFit, deviation: Array) -> float:
    """Return the largest error over its coefficient; infinite if no coefficient is free."""
    with np.errstate(divide="ignore"):
        relative = deviation[~found.at_bound] / np.abs(found.values[~found.at_bound])
    return float(relative.max(initial=0.0)) if relative.size else np.inf


def _deviation_with(found: RubberFit, mode: Mode, curves: int) -> Array:
    """Return the standard errors after one more curve, planned as `Identifiability` says."""
    p = found.points
    # Just inside, since a Gent rubber may have its limit there.
    longest = stretch_reaching(mode, 0.99 * float(first_invariant(p.first, p.second).max()))
    count = max(p.first.size // curves, 2)
    first: Array = np.linspace(1.0, longest, count + 1, dtype=np.float64)[1:]
    planned = Points(
        first, first ** SECOND_STRETCH[mode], np.zeros_like(first), np.ones_like(first)
    )
    stress = found.law.stress(found.values, planned)
    weight = 1.0 / np.abs(stress) if p.relative else np.full(first.size, np.median(p.weight))
    added = found.law.slopes(found.values, found.start.scale, planned) * weight[:, None]
    return _covariance(found, np.concatenate([found.jacobian, added]))[0]
