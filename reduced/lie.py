"""Rotations and rigid motions: SO(3) and SE(3), their exponentials and tangents.

Twists and strains are (angular; linear), x = (w; v); wrenches are (moment; force). A frame is
g = [[R, p], [0, 1]] and moves by g' = g x^, so everything here is written in the body frame.
Logarithms are in :mod:`loligo.cases.core.frames`, which everybody shares.

Every coefficient is a combination of the Stumpff functions

    c_k(s) = sum_j (-s)^j / (k + 2 j)!,   s = |w|^2,   c_k = 1/k! - s c_(k+2),

of which c_0 = cos|w|, c_1 = sin|w|/|w|, c_2 = (1 - cos|w|)/|w|^2, c_3 = (|w| - sin|w|)/|w|^3. They
are entire and are combined below without cancellation, so no formula has a special case at w = 0.

Numba caches what it compiles by the time stamp of the *caller's* file: after editing this file,
delete the cached kernels of the modules that call it.
"""

from collections.abc import Callable
from math import cos, factorial, sin, sqrt
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]  # of float64, unless said otherwise
_Function = TypeVar("_Function", bound=Callable[..., Any])


def compiled(function: _Function) -> _Function:
    """Compile with numba, cached on disk, and keep the signature that type checkers see."""
    return cast(_Function, numba.njit(cache=True, error_model="numpy")(function))


_SERIES_BELOW = 4.0  # s = |w|^2; above it the upward recurrence loses less than two digits
_SERIES_6 = tuple((-1.0) ** j / factorial(6 + 2 * j) for j in range(11))
_SERIES_7 = tuple((-1.0) ** j / factorial(7 + 2 * j) for j in range(11))


@compiled
def stumpff(s: float) -> tuple[float, float, float, float, float, float, float, float]:
    """Return the Stumpff functions c_0(s) to c_7(s), for s = |w|^2 >= 0."""
    if s < _SERIES_BELOW:
        c6 = 0.0
        c7 = 0.0
        for j in range(10, -1, -1):
            c6 = c6 * s + _SERIES_6[j]
            c7 = c7 * s + _SERIES_7[j]
        c5 = 1.0 / 120.0 - s * c7
        c4 = 1.0 / 24.0 - s * c6
        c3 = 1.0 / 6.0 - s * c5
        c2 = 0.5 - s * c4
        c1 = 1.0 - s * c3
        c0 = 1.0 - s * c2
    else:
        angle = sqrt(s)
        c0 = cos(angle)
        c1 = sin(angle) / angle
        c2 = (1.0 - c0) / s
        c3 = (1.0 - c1) / s
        c4 = (0.5 - c2) / s
        c5 = (1.0 / 6.0 - c3) / s
        c6 = (1.0 / 24.0 - c4) / s
        c7 = (1.0 / 120.0 - c5) / s
    return c0, c1, c2, c3, c4, c5, c6, c7


@compiled
def hat_so3(w: Array) -> Array:
    """Return the skew matrix w^ with w^ u = w x u."""
    return np.array([[0.0, -w[2], w[1]], [w[2], 0.0, -w[0]], [-w[1], w[0], 0.0]])


@compiled
def hat_se3(x: Array) -> Array:
    """Return the 4x4 matrix x^ = [[w^, v], [0, 0]] of a twist x = (w; v)."""
    m = np.zeros((4, 4))
    m[:3, :3] = hat_so3(x[:3])
    m[:3, 3] = x[3:]
    return m


@compiled
def _series_so3(w: Array, a: float, b: float) -> Array:
    """Return I + a w^ + b w^ w^, written out since w^ w^ = w w^T - |w|^2 I."""
    m = np.empty((3, 3))
    s = w[0] * w[0] + w[1] * w[1] + w[2] * w[2]
    for i in range(3):
        for j in range(3):
            m[i, j] = b * w[i] * w[j]
        m[i, i] += 1.0 - b * s
    m[0, 1] -= a * w[2]
    m[0, 2] += a * w[1]
    m[1, 0] += a * w[2]
    m[1, 2] -= a * w[0]
    m[2, 0] -= a * w[1]
    m[2, 1] += a * w[0]
    return m


@compiled
def exp_so3(w: Array) -> Array:
    """Return R = exp(w^) = I + c_1 w^ + c_2 w^ w^, for any w."""
    c = stumpff(w[0] * w[0] + w[1] * w[1] + w[2] * w[2])
    return _series_so3(w, c[1], c[2])


@compiled
def tangent_so3(w: Array) -> Array:
    """Return T(w) = I - c_2 w^ + c_3 w^ w^, with exp(-w^) d exp(w^) = (T(w) dw)^ for any w."""
    c = stumpff(w[0] * w[0] + w[1] * w[1] + w[2] * w[2])
    return _series_so3(w, -c[2], c[3])


@compiled
def tangent_inverse_so3(w: Array) -> Array:
    """Return T(w)^-1 = I + w^/2 + (c_3 - 2 c_4)/(2 c_2) w^ w^, for |w| < 2 pi (singular there)."""
    c = stumpff(w[0] * w[0] + w[1] * w[1] + w[2] * w[2])
    return _series_so3(w, 0.5, (c[3] - 2.0 * c[4]) / (2.0 * c[2]))


@compiled
def _frame(r: Array, p: Array) -> Array:
    g = np.zeros((4, 4))
    g[:3, :3] = r
    g[:3, 3] = p
    g[3, 3] = 1.0
    return g


@compiled
def exp_se3(x: Array) -> Array:
    """Return the frame exp(x^): rotation exp(w^), translation (I + c_2 w^ + c_3 w^ w^) v."""
    w = x[:3]
    c = stumpff(w[0] * w[0] + w[1] * w[1] + w[2] * w[2])
    return _frame(_series_so3(w, c[1], c[2]), _series_so3(w, c[2], c[3]) @ x[3:])


@compiled
def inverse(g: Array) -> Array:
    """Return the inverse of a frame, [[R^T, -R^T p], [0, 1]]."""
    transposed = g[:3, :3].T.copy()
    return _frame(transposed, -(transposed @ np.ascontiguousarray(g[:3, 3])))


@compiled
def adjoint(g: Array) -> Array:
    """Return Ad_g = [[R, 0], [p^ R, R]]: (Ad_g x)^ = g x^ g^-1.

    With g_ab the frame b seen from a, twists go from b to a by Ad_g; wrenches go from a to b by
    its transpose, since the power n . x is the same in both.
    """
    a = np.zeros((6, 6))
    r = np.ascontiguousarray(g[:3, :3])
    a[:3, :3] = r
    a[3:, 3:] = r
    a[3:, :3] = hat_so3(g[:3, 3]) @ r
    return a


@compiled
def ad(x: Array) -> Array:
    """Return ad_x = [[w^, 0], [v^, w^]], the bracket: (ad_x y)^ = x^ y^ - y^ x^."""
    a = np.zeros((6, 6))
    a[:3, :3] = hat_so3(x[:3])
    a[3:, 3:] = a[:3, :3]
    a[3:, :3] = hat_so3(x[3:])
    return a


@compiled
def coadjoint(n: Array) -> Array:
    """Return the matrix C(n) with C(n) x = ad_x^T n for a wrench n: [[m^, f^], [f^, 0]]."""
    c = np.zeros((6, 6))
    c[:3, :3] = hat_so3(n[:3])
    c[:3, 3:] = hat_so3(n[3:])
    c[3:, :3] = c[:3, 3:]
    return c


@compiled
def tangent_se3(x: Array) -> Array:
    """Return T(x) with exp(-x^) d exp(x^) = (T(x) dx)^ for any x; the spatial one is T(-x).

    T = sum_k (-ad_x)^k / (k + 1)! = I - t_1 ad + t_2 ad^2 - t_3 ad^3 + t_4 ad^4, where the t_k
    are those of `_tangent_coefficients`, since ad^5 + 2 |w|^2 ad^3 + |w|^4 ad = 0.
    """
    c = stumpff(x[0] * x[0] + x[1] * x[1] + x[2] * x[2])
    t1, t2, t3, t4 = _tangent_coefficients(c)
    a = ad(x)
    a2 = a @ a
    t: Array = np.eye(6) - t1 * a + (t2 * np.eye(6) - t3 * a + t4 * a2) @ a2
    return t


@compiled
def tangent_inverse_se3(x: Array) -> Array:
    """Return T(x)^-1 for |w| < 2 pi, where it becomes singular."""
    t = tangent_se3(x)
    diagonal = tangent_inverse_so3(x[:3])
    inverted = np.zeros((6, 6))
    inverted[:3, :3] = diagonal
    inverted[3:, 3:] = diagonal
    inverted[3:, :3] = -(diagonal @ np.ascontiguousarray(t[3:, :3])) @ diagonal
    return inverted


@compiled
def _tangent_coefficients(
    c: tuple[float, float, float, float, float, float, float, float],
) -> tuple[float, float, float, float]:
    return (
        2.0 * c[2] - 0.5 * c[1],
        0.5 * (5.0 * c[3] - c[2]),
        0.5 * (c[3] - 2.0 * c[4]),
        0.5 * (c[4] - 3.0 * c[5]),
    )


@compiled
def _tangent_factors(x: Array) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return the factors of ad to ad^4 in T(x), and their derivatives by s = |w|^2.

    The coefficients vary by dc_k/ds = (k c_(k+2) - c_(k+1)) / 2.
    """
    c = stumpff(x[0] * x[0] + x[1] * x[1] + x[2] * x[2])
    t1, t2, t3, t4 = _tangent_coefficients(c)
    d1 = 0.5 * (c[3] - c[2])
    d2 = 0.5 * (2.0 * c[4] - c[3])
    d3 = 0.5 * (3.0 * c[5] - c[4])
    d4 = 0.5 * (4.0 * c[6] - c[5])
    d5 = 0.5 * (5.0 * c[7] - c[6])
    slopes = (
        0.5 * d1 - 2.0 * d2,
        0.5 * (5.0 * d3 - d2),
        d4 - 0.5 * d3,
        0.5 * (d4 - 3.0 * d5),
    )
    return (-t1, t2, -t3, t4), slopes


@compiled
def tangent_wrench_se3(x: Array, n: Array) -> tuple[Array, Array]:
    """Return T(x)^T n and its 6x6 derivative with respect to x at fixed n."""
    return _tangent_product(x, n, True)


@compiled
def tangent_twist_se3(x: Array, y: Array) -> tuple[Array, Array]:
    """Return T(x) y and its 6x6 derivative with respect to x at fixed y."""
    return _tangent_product(x, y, False)


@compiled
def _tangent_product(x: Array, y: Array, transposed: bool) -> tuple[Array, Array]:
    """T(x)^T y or T(x) y, and its derivative with respect to x.

    The powers v_k of y obey v_(k+1) = ad_x^T v_k, dv_(k+1) = C(v_k) dx + ad_x^T dv_k, or
    v_(k+1) = ad_x v_k, dv_(k+1) = -ad_(v_k) dx + ad_x dv_k; and ds = 2 w . dw.
    """
    factors, slopes = _tangent_factors(x)
    matrix = ad(x)
    if transposed:
        matrix = matrix.T.copy()
    power = y.copy()
    power_slope: Array = np.zeros((6, 6))
    value = y.copy()
    slope = np.zeros((6, 6))
    for k in range(4):
        by_x = coadjoint(power) if transposed else -ad(power)
        power_slope = by_x + matrix @ power_slope
        power = matrix @ power
        value += factors[k] * power
        slope += factors[k] * power_slope
        for i in range(6):
            for j in range(3):
                slope[i, j] += 2.0 * slopes[k] * power[i] * x[j]
    return value, slope


@compiled
def bracket(x: Array, y: Array) -> Array:
    """Return ad_x y."""
    z = np.empty(6)
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        z[i] = x[j] * y[k] - x[k] * y[j]
        z[3 + i] = x[3 + j] * y[k] - x[3 + k] * y[j] + x[j] * y[3 + k] - x[k] * y[3 + j]
    return z


@compiled
def cobracket(x: Array, n: Array) -> Array:
    """Return ad_x^T n of a wrench n."""
    z = np.empty(6)
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        z[i] = n[j] * x[k] - n[k] * x[j] + n[3 + j] * x[3 + k] - n[3 + k] * x[3 + j]
        z[3 + i] = n[3 + j] * x[k] - n[3 + k] * x[j]
    return z


@compiled
def tangent_apply(x: Array, y: Array) -> Array:
    """Return T(x) y, without the matrix."""
    factors, _ = _tangent_factors(x)
    value, power = y.copy(), y
    for k in range(4):
        power = bracket(x, power)
        value += factors[k] * power
    return value


@compiled
def tangent_apply_transposed(x: Array, n: Array) -> Array:
    """Return T(x)^T n, without the matrix."""
    factors, _ = _tangent_factors(x)
    value, power = n.copy(), n
    for k in range(4):
        power = cobracket(x, power)
        value += factors[k] * power
    return value


@compiled
def tangent_rate(x: Array, rate: Array) -> tuple[Array, Array]:
    """Return T(x) x', the twist of exp(x(t)), and (dT/dt) x', the part of its rate without x''."""
    factors, slopes = _tangent_factors(x)
    growth = 2.0 * (x[0] * rate[0] + x[1] * rate[1] + x[2] * rate[2])
    value: Array = rate.copy()
    power = rate
    second: Array = np.zeros(6)
    power_rate: Array = np.zeros(6)
    for k in range(4):
        power_rate = bracket(rate, power) + bracket(x, power_rate)
        power = bracket(x, power)
        value += factors[k] * power
        second += factors[k] * power_rate + growth * slopes[k] * power
    return value, second


@compiled
def exp_se3_batch(x: Array) -> Array:
    """Return the frames exp(x_i^), shape (n, 4, 4), of twists of shape (n, 6)."""
    g = np.empty((len(x), 4, 4))
    for i in range(len(x)):
        g[i] = exp_se3(x[i])
    return g
