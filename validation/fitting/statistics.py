r"""Statistics that the fits of coefficients and of rubber share.

With J the slopes of the residuals by the unknowns and s^2 their variance, the Fisher matrix is
:math:`J^T J/s^2` and its inverse the covariance of the unknowns. Scaled to unit columns of J its
trace is the number of unknowns, and an eigenvalue near zero is a combination of unknowns that no
residual feels.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import stats

Array = npt.NDArray[np.float64]


class Interval(NamedTuple):
    """Ends of an interval.

    Infinite where the data set no end within the bounds; nan where no end is known.
    """

    low: float
    high: float


def scaled_fisher(columns: Array) -> tuple[Array, Array]:
    """Return eigenvalues, smallest first, and vectors, of slopes with columns of norm 1 or 0."""
    _, singular, rows = np.linalg.svd(columns, full_matrices=False)
    return singular[::-1] ** 2, rows[::-1].T


def spread_and_correlation(
    eigenvalues: Array, vectors: Array, singular: float
) -> tuple[Array, Array]:
    """Return the standard errors at unit variance and unit columns, and the correlation.

    Eigenvalues below `singular` count as `singular`.
    """
    inverse = vectors / np.maximum(eigenvalues, singular) @ vectors.T
    spread = np.sqrt(np.diag(inverse))
    return spread, inverse / np.outer(spread, spread)


def percentile_tail(draws: int, freedom: int, confidence: float = 0.95) -> float:
    """Return the share of resampled fits beyond either end of an interval.

    Percentiles are those of a normal law with a variance over n, the number of values drawn.
    Student's law with a variance over n - p, the freedom, is due.
    """
    reach = np.sqrt(draws / freedom) * stats.t.ppf(0.5 + 0.5 * confidence, freedom)
    return float(stats.norm.sf(reach))
