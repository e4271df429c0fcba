"""One implicit time step of a rod, by Newton's method with the exact tangent.

A step of the duration h takes the coordinates from q_0 to q_1 so that at the mean (q_0 + q_1)/2

    B^T (Lambda + Upsilon B (q_1 - q_0)/h + actuation) = J^T (loads + inertia + drag),

with the inertia of `loligo.reduced.rod.motion.kernel`; Lambda is the mean of the section's wrench
along the straight line between both strains, by two Gauss points: exact for sections that are
linear, or cubic, in the strains. A free base moves along a screw, exp(theta), and adds its six
equations. So the energy of the rod and of its lumps changes by exactly what is done to it.

The lumps then have twists 2 zeta - zeta_0 that no rod can have: the rod's new velocity is the
projection J v of these, orthogonal in the lumps' inertia. It leaves the momentum as it is and takes
away energy, never adds any: of fourth order in h a step, of third order at a given time.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from loligo.cases.core.frames import log_se3
from loligo.reduced.lie import Array, exp_se3, inverse, tangent_se3
from loligo.reduced.rod.motion.equations import FreeBase, MovingRod
from loligo.reduced.rod.motion.midpoint_equations import (
    LONGEST_TURN,
    Middle,
    Nodes,
    RodAccount,
    RodModel,
    check_strain,
    ended,
    middle,
    momentum_of,
    nodes,
    spent,
    turned,
)
from loligo.reduced.stepping import StepFailed

_ITERATIONS = 12
_TOLERANCE = 1e-9  # of the last correction, in strain times length


class Drift(NamedTuple):
    """Mean rates of the step before, Newton's first guess: free of what rings."""

    rate: Array
    twist: Array


def advance(
    model: RodModel, state: MovingRod, drift: Drift, now: float, after: float
) -> tuple[MovingRod, RodAccount, Drift]:
    """Return the state after a step, the step's entry in the account, and its mean rates.

    Raises:
        StepFailed: if Newton's method finds no state.
    """
    rod, extra = model.rod, model.extra
    h = after - now
    loads = model.loads(0.5 * (now + after))
    on_nodes = loads.on_nodes(rod)
    at = nodes(model, state)

    change = h * drift.rate
    if extra:
        theta = h * drift.twist
    elif callable(model.base):
        theta = log_se3(inverse(state.base) @ model.base_at(after))
    else:
        theta = np.zeros_like(state.base_twist)
    for _ in range(_ITERATIONS):
        mid = middle(model, loads, on_nodes, state, at, change, theta, h)
        try:
            correction = -np.linalg.solve(mid.tangent, mid.values)
        except np.linalg.LinAlgError:
            raise StepFailed("the tangent is singular") from None
        turn, size_of = turned(rod, correction[extra:])
        change = change + correction[extra:]
        if extra:
            shift = np.linalg.solve(tangent_se3(0.5 * theta), correction[:6])
            theta = theta + shift
            turn += float(np.linalg.norm(shift[:3]))
            size_of += float(np.linalg.norm(shift[:3]) + np.linalg.norm(shift[3:]) / rod.length)
        if not turn < LONGEST_TURN:
            raise StepFailed(f"one Newton correction turns the rod by {turn:.3g} rad")
        if size_of < _TOLERANCE:
            # over a short step the twists would be that much behind
            mid = mid._replace(twist=mid.twist + mid.by_unknowns @ correction)
            break
    else:
        raise StepFailed(f"{_ITERATIONS} Newton iterations left a correction of {size_of:.3g}")
    check_strain(rod, rod.strain_at_gauss(state.q) + mid.step)
    new, arrived, lost = _finish(model, state, at, mid, change, theta, after, h)

    entry, drag, acting = spent(model, on_nodes, mid, h)
    work = entry.work
    reaction: Array = np.zeros(6)
    if not extra:
        rotation = mid.frames[:, :3, :3]
        acting -= drag.reshape(-1, 2, 3) @ np.swapaxes(rotation, 1, 2)
        acting[:, 0] += np.cross(mid.frames[:, :3, 3], acting[:, 1])
        reaction = momentum_of(model, arrived)[0] - momentum_of(model, at)[0]
        reaction -= h * acting.sum(0).ravel()
        reaction[:3] -= np.cross(mid.frames[0, :3, 3], reaction[3:])
        # What the base does by its mean wrench; `sent`, which closes the account, is of order one.
        given = float(np.sum((reaction.reshape(2, 3) @ rotation[0]).ravel() * mid.twist[0]))
        work += given
        lost += given + float(mid.sent @ theta)
    entry = entry._replace(reaction=reaction, lost=lost, work=work)
    return new, entry, Drift(change / h, theta / h)


def _finish(
    model: RodModel,
    state: MovingRod,
    at: Nodes,
    mid: Middle,
    change: Array,
    theta: Array,
    after: float,
    duration: float,
) -> tuple[MovingRod, Nodes, float]:
    """Return the new state, its nodes, and what the projection takes of the kinetic energy."""
    lumps = model.lumps
    q = state.q + change
    free = isinstance(model.base, FreeBase)
    base = state.base @ exp_se3(theta) if free else model.base_at(after)
    seen, jacobian, by_base, momentum, kinetic = ended(model, at, mid, q, base)

    inertia = lumps.inertia()
    given = np.zeros(6) if free else model.base_twist(after, duration)
    moved = (by_base @ given)[:, :, None]
    flat = jacobian.reshape(-1, jacobian.shape[2])
    heavy = (inertia @ jacobian).reshape(flat.shape)
    rates = np.linalg.solve(flat.T @ heavy, flat.T @ (momentum - inertia @ moved).ravel())
    final = jacobian @ rates + moved[:, :, 0]
    kept = 0.5 * float(np.sum(final[:, :, None] * (inertia @ final[:, :, None])))
    if free:
        # The centre of mass goes where the momentum takes it; the midpoint rule would miss that
        # by the third order in h, and nothing else knows where in space the rod is.
        mean = lumps.mass @ (mid.frames[:, :3, :3] @ mid.twist[:, 3:, None])[:, :, 0]
        gone = lumps.mass @ (seen[:, :3, 3] - at.frames[:, :3, 3])
        base = base.copy()
        base[:3, 3] += (duration * mean - gone) / lumps.mass.sum()
        given, rates = rates[:6], rates[6:]
    return MovingRod(q, rates, base, given), Nodes(seen, jacobian, final), kinetic - kept
