r"""Weights of generalised least squares.

The residuals of a kind k have the variance :math:`u^2 + \tau_k^2`. u is the scatter that a
measurement states, and 0 without one. :math:`\tau_k` is common to the kind: it is 0 if u alone
explains what a fit leaves, else it is such that the weighted squares of the kind have the mean 1
(Paule and Mandel 1982). Without u that weighs a kind by what is left of it.
"""

from __future__ import annotations

import numpy as np
from scipy import stats
from scipy.optimize import brentq

from loligo.validation.data.quantities import Array

CONSISTENT = 0.99
"""Probability of chi-squared up to which a misfit is no more than the stated scatter."""


def weights(kind: Array, sigma: Array, left: Array, exact: bool = False) -> Array:
    """Return one over the standard deviation of every residual, as the module's head has it.

    Args:
        kind: what each residual is of.
        sigma: scatter that the data state of each, 0 where they state none.
        left: residuals that a fit leaves.
        exact: whether to take the model as exact where a scatter is stated.
    """
    weight = np.ones(left.size)
    for one in np.unique(kind):
        here = kind == one
        r, u = left[here], sigma[here]
        if not np.all(u > 0.0):
            weight[here] = 1.0 / max(float(np.sqrt(np.mean(r**2))), 1e-12)
        else:
            extra = 0.0 if exact else _extra_variance(r, u)
            weight[here] = 1.0 / np.sqrt(u**2 + extra)
    if not sigma.any():
        weight /= np.exp(np.mean(np.log(weight)))  # only their ratios count
    return weight


def _extra_variance(r: Array, u: Array) -> float:
    """Return tau^2, 0 if the scatter u alone explains residuals."""
    if float(np.sum((r / u) ** 2)) <= stats.chi2.ppf(CONSISTENT, r.size):
        return 0.0

    def excess(extra: float) -> float:
        return float(np.mean(r**2 / (u**2 + extra))) - 1.0

    most = float(np.mean(r**2))
    return float(brentq(excess, 0.0, most, xtol=1e-12 * most, rtol=1e-12))
