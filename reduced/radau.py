"""One step of the three-stage Radau IIA method for M(y) y'' + ... = 0, of order five and L-stable.

The accelerations a_i at the times c_i h of a step are the unknowns; with Butcher's matrix A

    y_i = y_0 + c_i h y_0' + h^2 sum (A^2)_ij a_j,   y_i' = y_0' + h sum A_ij a_j,

and the residual of the equations of motion vanishes at each of the three; the last one is the end.
What is much stiffer than a step is long dies within it. Newton's method keeps the matrices M, C, K
of the start: with A = V diag(l) V^-1 its corrections fall apart into

    (M + h l_k C + (h l_k)^2 K) (V^-1 da)_k = -(V^-1 r)_k,

one real and two conjugate ones. Error estimate and constants: Hairer and Wanner, Solving Ordinary
Differential Equations II, IV.8.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from loligo.cases.core.record import LoligoError
from loligo.reduced.lie import Array

_R = np.sqrt(6.0)
NODES = np.array([4.0 - _R, 4.0 + _R, 10.0]) / 10.0
_A = np.array(
    [
        [(88 - 7 * _R) / 360, (296 - 169 * _R) / 1800, (-2 + 3 * _R) / 225],
        [(296 + 169 * _R) / 1800, (88 + 7 * _R) / 360, (-2 - 3 * _R) / 225],
        [(16 - _R) / 36, (16 + _R) / 36, 1 / 9],
    ]
)
WEIGHTS = _A[2]
_A2 = _A @ _A
_EIGEN, _V = np.linalg.eig(_A)
_ORDER = np.argsort(-_EIGEN.imag)  # the complex one, the real one, the conjugate
_SPIRAL, _REAL = _EIGEN[_ORDER[0]], float(_EIGEN[_ORDER[1]].real)
_INTO = np.linalg.inv(_V)[_ORDER[:2]]
_BACK = _V[:, _ORDER[:2]] * [2.0, 1.0]  # of which the real part counts
_ESTIMATE = _REAL / 3.0 * np.array([-13.0 - 7.0 * _R, -13.0 + 7.0 * _R, -1.0])
_ITERATIONS = 20
_SLOWEST = 0.8  # ratio of two corrections in turn, at most


class NoStages(LoligoError):
    """Newton's method found no stages; it says why."""


class Stages(NamedTuple):
    """A step: displacement, rate and acceleration at its three stages, (3, n), and its error, (n,).

    The error is that of the displacement at the end, estimated with an order of three.
    """

    place: Array
    rate: Array
    acceleration: Array
    error: Array


def collocate(
    residual: Callable[[int, Array, Array, Array], Array],
    matrices: tuple[Array, Array, Array],
    rate: Array,
    acceleration: Array,
    guess: Array,
    duration: float,
    measure: Callable[[Array], float],
    close: float,
) -> Stages:
    """Return the stages of one step.

    Args:
        residual: of a stage's number, displacement since the start, rate and acceleration.
        matrices: its derivatives M, C, K by acceleration, rate and place, at the start, (n, n).
        rate: at the start, (n,).
        acceleration: at the start.
        guess: of the accelerations at the stages, (3, n).
        duration: h.
        measure: size of displacements, (3, n) or (n,).
        close: size of the error that Newton's method may leave.

    Raises:
        NoStages: if Newton's method does not converge.
    """
    mass, damping, stiffness = matrices
    h = duration
    try:
        inverses = [
            np.linalg.inv(mass + h * x * damping + (h * x) ** 2 * stiffness)
            for x in (_SPIRAL, _REAL)
        ]
    except np.linalg.LinAlgError:
        raise NoStages("the tangent is singular") from None
    found = guess
    sizes: list[float] = []
    for _ in range(_ITERATIONS):
        place = h * NODES[:, None] * rate + h**2 * (_A2 @ found)
        rates = rate + h * (_A @ found)
        left = np.array([residual(i, place[i], rates[i], found[i]) for i in range(3)])
        if not np.isfinite(left).all():
            raise NoStages("the section law or the path of a tendon is not finite")
        modes = _INTO @ left
        solved = np.array([inverses[k] @ modes[k] for k in (0, 1)])
        correction = -(_BACK @ solved).real
        found = found + correction
        size = measure(h**2 * (_A2 @ correction))
        # Corrections shrink by turns, much and little: the mean of two ratios tells
        ratio = np.sqrt(size / sizes[-2]) if len(sizes) > 1 else 0.5
        if size * ratio <= close * (1.0 - ratio):
            break
        if ratio > _SLOWEST:
            raise NoStages(f"Newton's corrections shrink by no more than {ratio:.2f}")
        sizes.append(size)
    else:
        raise NoStages(f"{_ITERATIONS} Newton iterations left a correction of {sizes[-1]:.3g}")
    place = h * NODES[:, None] * rate + h**2 * (_A2 @ found)
    rates = rate + h * (_A @ found)
    # gamma h f(y_0) + sum e_i z_i, filtered by (I - h gamma J)^-1, for place and rate
    off = _REAL * h * rate + _ESTIMATE @ place
    faster = _REAL * h * acceleration + _ESTIMATE @ (rates - rate)
    filtered = inverses[1].real @ (mass @ faster - _REAL * h * (stiffness @ off))
    return Stages(place, rates, found, off + _REAL * h * filtered)


def extrapolated(before: Array, ratio: float) -> Array:
    """Return accelerations at the stages of a step from those of the step before, (3, n).

    Args:
        before: at the stages of that.
        ratio: of the durations, this one to that.
    """
    powers = np.vander(NODES, 3)
    ahead = np.vander(1.0 + ratio * NODES, 3)
    found: Array = ahead @ np.linalg.solve(powers, before)
    return found
