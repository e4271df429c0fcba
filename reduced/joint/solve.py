"""Where a soft joint comes to rest under pressure, and how it moves there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.integrate import solve_ivp

from loligo.cases.advice.plausible import ATMOSPHERE
from loligo.cases.core.record import BadInput
from loligo.reduced.checks import positive, vector
from loligo.reduced.joint import model as joints
from loligo.reduced.joint.model import Joint
from loligo.reduced.stepping import output_times

Array = NDArray[np.float64]

_WEIGHTLESS = (0.0, 0.0, 0.0)
_ITERATIONS = 60
_HALVINGS = 30
_SHORTEST = 0.1  # stretch below which neither statics nor motion goes


def unbalanced_force(
    joint: Joint, q: ArrayLike, pressures: ArrayLike, gravity: ArrayLike = _WEIGHTLESS
) -> Array:
    """Return K p + Q_g - dE/dq (N) for one q (3,) (m) and gauge pressures (3,) (Pa)."""
    push = joint.pressure_area * np.asarray(pressures, dtype=np.float64)
    return push + joints.gravity_force(joint, q, gravity) - joints.elastic(joint, q).force


def equilibrium(
    joint: Joint,
    pressures: ArrayLike,
    *,
    gravity: ArrayLike = _WEIGHTLESS,
    start: ArrayLike = (0.0, 0.0, 0.0),
) -> Array:
    """Return the lengthenings q (3,) (m) at which the joint rests, by Newton's method.

    Args:
        joint: The joint.
        pressures: Gauge pressure of each actuator (Pa).
        gravity: Acceleration in the frame at the joint's base (m/s^2).
        start: Lengthenings to start from (m).

    Raises:
        RuntimeError: If no equilibrium is found from there, or one that is not stable.
    """
    pressures, gravity = _pressures(pressures), vector("gravity", gravity, 3)
    q = np.array(vector("start", start, 3))
    force = unbalanced_force(joint, q, pressures, gravity)
    for _ in range(_ITERATIONS):
        tangent = _stiffness(joint, q, gravity)
        step = np.asarray(np.linalg.solve(tangent, force), dtype=np.float64)
        if np.abs(step).max() <= 1e-10 * joint.rest_length:  # the next would be its square
            if np.linalg.eigvalsh(tangent).min() > 0.0:
                return q + step
            raise RuntimeError(
                f"the equilibrium at q = {q.tolist()} m is unstable, the weight overcomes the "
                "stiffness: start from the side to which the joint gives way"
            )
        step = _shortened(joint, q, step, force, pressures, gravity)
        q = q + step
        force = unbalanced_force(joint, q, pressures, gravity)
    raise RuntimeError(
        f"no equilibrium found for pressures {np.asarray(pressures).tolist()} Pa: at q = "
        f"{q.tolist()} m the forces still differ by {np.linalg.norm(force):.3g} N; start from the "
        "solution at a lower pressure"
    )


def _pressures(pressures: ArrayLike) -> Array:
    """Gauge pressures, one an actuator, that are above absolute vacuum."""
    found = vector("pressures", pressures, 3)
    if found.min() < -ATMOSPHERE:
        raise BadInput(
            f"pressures must be above absolute vacuum, {-ATMOSPHERE:.6g} Pa gauge at the surface, "
            f"but one is {found.min():.6g} Pa"
        )
    return found


def _stiffness(joint: Joint, q: Array, gravity: ArrayLike) -> Array:
    stiffness = np.diag(joints.elastic(joint, q).stiffness)
    return np.asarray(stiffness - joints.gravity_stiffness(joint, q, gravity))


def _shortened(
    joint: Joint, q: Array, step: Array, force: Array, pressures: ArrayLike, gravity: ArrayLike
) -> Array:
    """Return the step, halved until the forces differ less and no actuator is squeezed."""
    for _ in range(_HALVINGS):
        trial = q + step
        if 1.0 + trial.min() / joint.rest_length > _SHORTEST:
            left = unbalanced_force(joint, trial, pressures, gravity)
            if np.linalg.norm(left) < np.linalg.norm(force):
                break
        step = 0.5 * step
    return step


def acceleration(
    joint: Joint,
    q: ArrayLike,
    rate: ArrayLike,
    pressures: ArrayLike,
    gravity: ArrayLike = _WEIGHTLESS,
) -> Array:
    """Return q'' (3,) (m/s^2) for one state (q, q') (m, m/s)."""
    force = (
        unbalanced_force(joint, q, pressures, gravity)
        - joints.viscous_force(joint, q, rate)
        - joints.inertial_force(joint, q, rate)
    )
    return np.asarray(np.linalg.solve(joints.mass_matrix(joint, q), force))


def total_energy(
    joint: Joint, q: ArrayLike, rate: ArrayLike, gravity: ArrayLike = _WEIGHTLESS
) -> float:
    """Return kinetic plus elastic plus gravitational energy (J) of one state."""
    vector("q", q, 3)
    vector("gravity", gravity, 3)
    rate = vector("rate", rate, 3)
    kinetic = 0.5 * rate @ joints.mass_matrix(joint, q) @ rate
    stored = joints.elastic(joint, q).energy.sum() + joints.gravity_energy(joint, q, gravity)
    return float(kinetic + stored)


@dataclass(frozen=True)
class JointMotion:
    """A joint in time."""

    time: Array
    """(n,) s."""
    q: Array
    """Lengthenings (n, 3), m."""
    rate: Array
    """Their rates (n, 3), m/s."""


def simulate(
    joint: Joint,
    pressures: Callable[[float], ArrayLike],
    times: ArrayLike,
    *,
    gravity: ArrayLike = _WEIGHTLESS,
    q: ArrayLike = (0.0, 0.0, 0.0),
    rate: ArrayLike = (0.0, 0.0, 0.0),
    tolerance: float = 1e-7,
) -> JointMotion:
    """Return the motion from (q, rate) at the first of the increasing times (s).

    Implicit Runge-Kutta (Radau IIA, order 5): the power-law damper is stiff.

    Args:
        joint: The joint.
        pressures: Takes the time (s) to the gauge pressures (3,) (Pa).
        times: When the state is wanted (s).
        gravity: Acceleration in the frame at the joint's base (m/s^2).
        q: Lengthenings at the first time (m).
        rate: Their rates (m/s).
        tolerance: Relative error of a step; also absolute, of the rest length (and of it a second).

    Raises:
        RuntimeError: If the integrator cannot go on, with the time it reached.
    """
    times = output_times(np.asarray(times, dtype=np.float64))
    positive("tolerance", tolerance)
    gravity, q, rate = (
        vector(name, value, 3) for name, value in (("gravity", gravity), ("q", q), ("rate", rate))
    )
    for time in times:
        _pressures(pressures(time))

    def stretch_left(_: float, state: Array) -> float:
        return float(1.0 + state[:3].min() / joint.rest_length - _SHORTEST)

    stretch_left.terminal = True  # type: ignore[attr-defined]

    def slope(time: float, state: Array) -> Array:
        pull = acceleration(joint, state[:3], state[3:], pressures(time), gravity)
        return np.concatenate([state[3:], pull])

    solution = solve_ivp(
        slope,
        (times[0], times[-1]),
        np.concatenate([q, rate]),
        method="Radau",
        t_eval=times,
        events=stretch_left,
        rtol=tolerance,
        atol=tolerance * joint.rest_length,
    )
    if solution.t_events[0].size:
        raise RuntimeError(
            f"the motion of the joint stopped at {solution.t_events[0][0]:.4g} s: an actuator is "
            f"squeezed to {_SHORTEST:.4g} of its length"
        )
    if not solution.success:
        raise RuntimeError(
            f"the motion of the joint stopped after {solution.t.size} of the {times.size} times: "
            f"{solution.message}"
        )
    return JointMotion(solution.t, solution.y[:3].T, solution.y[3:].T)
