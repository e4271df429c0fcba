r"""Where a fit begins and the box that it stays in.

The bounds keep mu > 0 (c10 > 0 for Yeoh), Gent's limit beyond the data, and every Ogden term stable
by itself, mu_p alpha_p > 0.
"""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np
from scipy.optimize import least_squares, nnls

from loligo.validation.fitting.rubber.coupon import Array, Points, first_invariant
from loligo.validation.fitting.rubber.laws import Law

NEO_HOOKE_LIMIT = 100.0
"""Largest Gent limit over the largest I_1 - 3 of the data. There the limit stiffens the rubber by
1 % at most: a larger one cannot be told from neo-Hooke."""
_EXPONENTS = (0.1, 25.0)
_GRID = (0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 13.0, 16.0, 20.0, 25.0)
_OGDEN_STARTS = 6


class Start(NamedTuple):
    """Where a search begins, and the box that it stays in."""

    values: Array
    lower: Array
    upper: Array
    scale: Array
    """Change of each coefficient that changes the stress by about as much as there is."""


def starts(law: Law, points: Points) -> list[Start]:
    """Return where to begin: one place for laws linear in their coefficients, else several."""
    if law.energy == "gent":
        return _gent(law, points)
    if law.energy == "ogden":
        return _ogden(law, points)
    size = len(law.names)
    columns = np.stack([law.stress(unit, points) for unit in np.eye(size)], axis=-1)
    columns *= points.weight[:, None]
    target = points.stress * points.weight
    values = np.linalg.lstsq(columns, target)[0]
    scale = np.linalg.norm(target) / np.linalg.norm(columns, axis=0)
    lower = np.full(size, -np.inf)
    if law.energy != "mooney_rivlin":
        lower[0] = 0.0
    return [Start(np.maximum(values, lower), lower, np.full(size, np.inf), scale)]


def _gent(law: Law, points: Points) -> list[Start]:
    reach = float(first_invariant(points.first, points.second).max())
    lower = np.array([0.0, reach * (1.0 + 1e-9)])
    upper = np.array([np.inf, reach * NEO_HOOKE_LIMIT])
    target = points.stress * points.weight
    found = []
    for limit in np.array([1.05, 1.5, 5.0, 50.0]) * reach:
        column = law.stress(np.array([1.0, limit]), points) * points.weight
        mu = max(float(column @ target / (column @ column)), 0.0)
        scale = np.array([np.linalg.norm(target) / np.linalg.norm(column), limit])
        found.append(Start(np.array([mu, limit]), lower, upper, scale))
    return found


def _ogden(law: Law, points: Points) -> list[Start]:
    """Choose exponents from a grid, improve the best choices, and give each its best moduli.

    For given exponents the stress is linear in the moduli, and non-negative least squares finds
    them. What is left is a smooth problem in the exponents alone (variable projection), which
    converges where a search in exponents and moduli together stalls.
    """
    target = points.stress * points.weight
    size = np.linalg.norm(target)
    low, high = _EXPONENTS

    def columns(alpha: Array) -> Array:
        """Return the weighted stress of terms with |mu| = 1 and mu alpha > 0."""
        terms = [one.stress(np.array([np.sign(a), a]), points) for a in alpha]
        return np.stack(terms, axis=-1) * points.weight[:, None]

    def project(matrix: Array) -> tuple[Array, Array]:
        """Return the best non-negative factors of the columns, and the relative residual."""
        norm = np.linalg.norm(matrix, axis=0)
        factors, _ = nnls(matrix / norm, target)
        return factors / norm, (matrix / norm @ factors - target) / size

    one = Law("ogden", 1)
    grid = np.array([sign * a for sign in (1.0, -1.0) for a in _GRID])
    tried = columns(grid)
    choices = [list(c) for c in itertools.combinations(range(grid.size), law.terms)]
    misfit = [float(np.linalg.norm(project(tried[:, choice])[1])) for choice in choices]
    found = []
    for best in np.argsort(misfit)[:_OGDEN_STARTS]:
        alpha = grid[choices[best]]
        sign = np.sign(alpha)
        ends = np.sort(sign * np.array([[low], [high]]), axis=0)
        improved = least_squares(
            lambda trial: project(columns(trial))[1], alpha, bounds=ends, jac="3-point"
        ).x
        matrix = columns(improved)
        moduli, _ = project(matrix)
        scale = np.concatenate([size / np.linalg.norm(matrix, axis=0), np.abs(improved)])
        half = np.sort(sign * np.array([[0.0], [np.inf]]), axis=0)
        lower, upper = np.concatenate([half, ends], axis=1)
        found.append(Start(np.concatenate([sign * moduli, improved]), lower, upper, scale))
    return found
