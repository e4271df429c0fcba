r"""Powers of principal stretches as smooth UFL expressions, also where stretches repeat.

Automatic differentiation of eigenvalues divides by their differences. Here nothing is: with c_a the
eigenvalues of a unimodular symmetric tensor, m their mean, J2 and J3 invariants of the deviator,

- the isolated eigenvalue (largest if J3 > 0, else smallest) is m +- 2 r y with r = sqrt(J2/3) and
  y = cos(theta), cos(3 theta) = z = |J3|/(2 r^3). As a function of w = sqrt((1 + z)/2), the factor
  y = cos(2/3 arccos w) is analytic on [1/sqrt 2, 1]: there a polynomial is exact to rounding;
- the other two enter through their mean and the square of their half-difference, in which
  c_a^b + c_b^b is analytic;
- near rest no eigenvalue is isolated: the sum is a series in J2 and J3 (Newton's identities).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import ufl

_DEGREE = 12
_LOW = float(np.sqrt(0.5))


def _third_of_angle(w: Any) -> Any:
    return np.cos(2.0 / 3.0 * np.arccos(w))


# Coefficients in the local variable that maps [_LOW, 1] to [-1, 1].
_COSINE = np.polynomial.chebyshev.cheb2poly(
    np.polynomial.Chebyshev.interpolate(_third_of_angle, _DEGREE, domain=[_LOW, 1.0]).coef
)
# Below these the series are used, which are then exact to rounding, second derivatives included.
_NEAR_REST = 0.02  # r / mean
_REST_TERMS = 10
_NEAR_PAIR = 0.05  # half-difference / mean of the pair
_PAIR_TERMS = 6


def deviator_invariants(c: Any, j: Any) -> tuple[Any, Any, Any]:
    """Return mean, J2 and J3 of (J^2)^(-1/3) c: tr/3, S:S/2 and det S, with S its deviator."""
    scale, mean = (j**2) ** (-1 / 3), ufl.tr(c) / 3
    s = c - mean * ufl.Identity(3)
    return scale * mean, scale**2 * ufl.inner(s, s) / 2, ufl.det(s) / j**2


def sum_of_powers(invariants: tuple[Any, ...], exponents: list[Any]) -> list[Any]:
    """Return sum_a c_a^b for every exponent b, c_a the eigenvalues of a tensor of determinant 1.

    Args:
        invariants: its :func:`deviator_invariants`.
        exponents: numbers or Constants.
    """
    mean, j2, j3 = invariants
    r = ufl.sqrt(j2 / 3)
    side = ufl.conditional(ufl.ge(j3, 0), 1.0, -1.0)
    isolated = mean + 2 * r * side * _cosine(side * j3 / (2 * r**3))
    pair_mean = (3 * mean - isolated) / 2
    pair_square = 1 - 1 / (isolated * pair_mean**2)  # (half-difference / mean)^2, since det c = 1

    return [
        ufl.conditional(
            ufl.lt(r, _NEAR_REST * mean),
            _around_rest(b, mean, j2, j3),
            isolated**b + pair_mean**b * _pair(b, pair_square),
        )
        for b in exponents
    ]


def _cosine(z: Any) -> Any:
    """cos(arccos(z)/3) on [0, 1]."""
    x = (2 * ufl.sqrt((1 + z) / 2) - (1 + _LOW)) / (1 - _LOW)
    value = ufl.as_ufl(_COSINE[-1])
    for coefficient in _COSINE[-2::-1]:
        value = value * x + coefficient
    return value


def _pair(b: Any, t: Any) -> Any:
    """(1 + sqrt t)^b + (1 - sqrt t)^b, by its series for small t."""
    series, term = ufl.as_ufl(2), ufl.as_ufl(2)
    for n in range(2, 2 * _PAIR_TERMS + 1, 2):
        term = term * (b - n + 2) * (b - n + 1) / ((n - 1) * n) * t
        series = series + term
    root = ufl.sqrt(t)
    return ufl.conditional(ufl.lt(t, _NEAR_PAIR**2), series, (1 + root) ** b + (1 - root) ** b)


def _around_rest(b: Any, mean: Any, j2: Any, j3: Any) -> Any:
    """mean^b sum_n binomial(b, n) q_n, q_n the power sums of (c_a - mean)/mean."""
    j2, j3 = j2 / mean**2, j3 / mean**3
    q = [ufl.as_ufl(3), ufl.as_ufl(0), 2 * j2]
    total, binomial = q[0], b
    for n in range(2, _REST_TERMS + 1):
        if n > 2:
            q.append(j2 * q[n - 2] + j3 * q[n - 3])
        binomial = binomial * (b - n + 1) / n
        total = total + binomial * q[n]
    return mean**b * total
