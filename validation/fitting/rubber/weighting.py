r"""Which error a point of a coupon has: the same everywhere, or in proportion to the stress.

Least squares has the largest likelihood for independent Gaussian errors if each residual is divided
by its standard deviation. A load cell's noise and resolution are the same everywhere,
:math:`\sigma_i = s`: absolute residuals. Scatter between specimens, errors of their cross-section
and hysteresis grow with the stress, :math:`\sigma_i = s P_i`: relative residuals. Data seldom come
with their errors, so the residuals decide. With s at its best value, the logarithm of the
likelihood is

.. math:: \ln L = -\frac n2 \ln\Big(\frac1n\sum (P_i - \hat P_i)^2/g_i^2\Big) - \sum \ln g_i

up to a constant, with :math:`g_i = 1` or the stress of the law, :math:`g_i = |P_i|`. Both have the
same number of unknowns, so that the larger likelihood decides.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from loligo.cases.core.record import BadInput
from loligo.validation.fitting.rubber.coupon import Coupon, Mode, points
from loligo.validation.fitting.rubber.laws import Law
from loligo.validation.fitting.rubber.record import Weighting
from loligo.validation.fitting.rubber.search import RubberFit, fit

_RESOLVED = 1e-9
"""Rms of a residual over the stress below which it is the search's own."""


def fit_likely(
    law: Law, curves: tuple[Coupon, ...], weights: Mapping[Mode, float] | None = None
) -> tuple[RubberFit, Weighting | None]:
    """Return the fit with the more likely kind of residual, and what speaks for it.

    The latter is None where a point without stress leaves absolute residuals alone.
    """
    absolute = fit(law, points(curves, "absolute", weights))
    try:
        relative = fit(law, points(curves, "relative", weights))
    except BadInput:
        return absolute, None
    ahead = log_likelihood(relative) - log_likelihood(absolute)
    best, other = (relative, absolute) if ahead > 0.0 else (absolute, relative)
    return best, Weighting(
        log_likelihood_ahead=abs(ahead) if np.isfinite(ahead) else None,
        other_shear_modulus=law.elastomer(other.values).shear_modulus,
    )


def log_likelihood(found: RubberFit) -> float:
    """Return the logarithm of the likelihood of a fit, up to a constant that both kinds share."""
    p = found.points
    stress = found.law.stress(found.values, p)
    size = np.abs(stress) if p.relative else np.ones_like(stress)
    factor = p.weight * np.abs(p.stress) if p.relative else p.weight  # the modes' own weights
    if not (size > 0.0).all():
        return -np.inf
    square = float(np.mean((factor * (p.stress - stress) / size) ** 2))
    floor = _RESOLVED**2 * float(np.mean((factor * p.stress / size) ** 2))
    count = p.stress.size
    return float(-0.5 * count * np.log(max(square, floor)) - np.sum(np.log(size)))
