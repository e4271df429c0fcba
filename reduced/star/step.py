"""One implicit step of a star system on SE(3) and the shapes of its rods and shells.

All unknowns are solved for together: the screw exp(theta) along which the root moves, the
coordinates of the rods, the displacements of the shells. Every rod meets its equations of
`loligo.reduced.rod.motion.midpoint_equations`, every shell those of `loligo.reduced.star.bell`, and
the wrenches that they send to the root balance. Newton's matrix is an arrow: each appendage is
eliminated on its own, six unknowns remain, so that the cost is linear in the number of appendages.

After the step every lump has a velocity of its own; those that the robot can have are the
projection of these, orthogonal in the inertia, of the whole robot at once: its momentum stays, its
energy can only fall, in the third order of the step.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from loligo.reduced.lie import (
    Array,
    exp_se3,
    tangent_inverse_se3,
)
from loligo.reduced.rod.loadset import LoadSet
from loligo.reduced.rod.motion.equations import MovingRod as RodState
from loligo.reduced.rod.motion.midpoint_equations import (
    Ended,
    Middle,
    Nodes,
    ended,
    middle,
    nodes,
    spent,
    turned,
)
from loligo.reduced.star.bell import (
    BellFailed,
    BellMiddle,
    BellStart,
    bell_end,
    bell_middle,
    bell_rates,
    bell_start,
)
from loligo.reduced.star.model import StarModel, measure, rod_states
from loligo.reduced.star.parts import subtract_parts
from loligo.reduced.star.system import StarState
from loligo.reduced.stepping import StepFailed

_ITERATIONS = 15
_TOLERANCE = 1e-9  # of the last correction: turns in rad, ways over the robot's size


class StarAccount(NamedTuple):
    """Impulses of limbs and bells on the root, in its axes; energies of a step (J)."""

    limbs: Array
    bells: Array
    dissipated: float
    drained: float
    lost: float
    driven: float
    jet: float

    def plus(self, other: StarAccount) -> StarAccount:
        """Return the sum of two accounts."""
        return StarAccount(
            self.limbs + other.limbs,
            self.bells + other.bells,
            self.dissipated + other.dissipated,
            self.drained + other.drained,
            self.lost + other.lost,
            self.driven + other.driven,
            self.jet + other.jet,
        )


class Guess(NamedTuple):
    """What a step changes: the root's screw, and the shapes."""

    theta: Array
    limbs: tuple[Array, ...]
    bells: tuple[Array, ...]

    def scaled(self, factor: float) -> Guess:
        """Return rates for changes, or changes for rates."""
        return Guess(
            factor * self.theta,
            tuple(factor * change for change in self.limbs),
            tuple(factor * change for change in self.bells),
        )

    def plus(self, other: Guess) -> Guess:
        """Return the sum of two guesses."""
        return Guess(
            self.theta + other.theta,
            tuple(a + b for a, b in zip(self.limbs, other.limbs, strict=True)),
            tuple(a + b for a, b in zip(self.bells, other.bells, strict=True)),
        )


class _Start(NamedTuple):
    """Everything at the start of a step; rods' states have their bases in the world."""

    part_twists: Array
    part_carried: Array
    limbs: list[tuple[RodState, Nodes]]
    bells: list[BellStart]


class _Iteration(NamedTuple):
    """Newton's iteration: rods and shells at its guess, the next guess, and how far it is."""

    limbs: list[Middle]
    bells: list[BellMiddle]
    next: Guess
    size: float


def advance(
    model: StarModel, state: StarState, drift: Guess, now: float, after: float
) -> tuple[StarState, StarAccount, Guess]:
    """Return the state after a step, the step's entry in the account, and its mean rates.

    Newton's method begins at the rates `drift`.

    Raises:
        StepFailed: if Newton's method finds no state.
    """
    h = after - now
    loads = [m.loads(0.5 * (now + after)) for m in model.limbs]
    on_nodes = [one.on_nodes(m.rod) for one, m in zip(loads, model.limbs, strict=True)]
    start = _start(model, state, now, after)
    guess = drift.scaled(h)
    for _ in range(_ITERATIONS):
        found = _iterate(model, state, start, loads, on_nodes, guess, h)
        guess = found.next
        if found.size < _TOLERANCE:
            break
    else:
        raise StepFailed(f"{_ITERATIONS} Newton iterations left a correction of {found.size:.3g}")

    new, lost = _finish(model, state, start, found.limbs, guess, h)
    entries = [
        spent(m, lumped, mid, h)[0]
        for m, lumped, mid in zip(model.limbs, on_nodes, found.limbs, strict=True)
    ]
    drained, driven = _spent_parts(model, state, guess.theta, h)
    by_limbs = [to.T @ mid.sent for to, mid in zip(model.to_limbs, found.limbs, strict=True)]
    by_bells = [
        -bell.to_shell.T @ part.wrench for bell, part in zip(model.bells, found.bells, strict=True)
    ]
    account = StarAccount(
        limbs=h * np.array(by_limbs).reshape(-1, 6),
        bells=h * np.array(by_bells).reshape(-1, 6),
        dissipated=sum(e.dissipated for e in entries) + sum(p.dissipated for p in found.bells),
        drained=drained + sum(e.drained for e in entries) + sum(p.drained for p in found.bells),
        lost=lost,
        driven=driven + sum(e.work for e in entries) + sum(p.drive for p in found.bells),
        jet=sum(p.jet for p in found.bells),
    )
    return new, account, guess.scaled(1.0 / h)


def _iterate(
    model: StarModel,
    state: StarState,
    start: _Start,
    loads: list[LoadSet],
    on_nodes: list[Array],
    guess: Guess,
    h: float,
) -> _Iteration:
    """Eliminate every rod and every shell, solve for the root, and go back to them."""
    values, tangent = _parts(model, state, start, guess.theta, h)
    limbs: list[Middle] = []
    solved: list[Array] = []
    for m, to, acting, lumped, (rod, at), change in zip(
        model.limbs, model.to_limbs, loads, on_nodes, start.limbs, guess.limbs, strict=True
    ):
        mid = middle(m, acting, lumped, rod, at, change, to @ guess.theta, h)
        right = np.column_stack([mid.values[6:], mid.tangent[6:, :6]])
        inner = _solve(mid.tangent[6:, 6:], right, "a rod")
        reduced = mid.tangent[:6, 6:] @ inner
        values = values + to.T @ (mid.values[:6] - reduced[:, 0])
        tangent = tangent + to.T @ (mid.tangent[:6, :6] - reduced[:, 1:]) @ to
        limbs.append(mid)
        solved.append(inner)
    bells: list[BellMiddle] = []
    for bell, begun, move in zip(model.bells, start.bells, guess.bells, strict=True):
        try:
            part = bell_middle(bell, begun, begun.displacement + move, guess.theta, h)
        except BellFailed as failure:
            raise StepFailed(str(failure)) from failure
        values = values + bell.to_shell.T @ part.values
        tangent = tangent + bell.to_shell.T @ part.tangent @ bell.to_shell
        bells.append(part)
    c, free = np.zeros(6), model.free
    c[free] = -_solve(tangent[np.ix_(free, free)], values[free], "the root")

    shift = tangent_inverse_se3(0.5 * guess.theta) @ c
    sizes = [float(np.linalg.norm(shift[:3]) + np.linalg.norm(shift[3:]) / model.size)]
    changes, moves = [], []
    for k, (m, to, inner) in enumerate(zip(model.limbs, model.to_limbs, solved, strict=True)):
        update = -inner[:, 0] - inner[:, 1:] @ (to @ c)
        sizes.append(turned(m.rod, update)[1])
        changes.append(guess.limbs[k] + update)
        # Over a short step the twists would be that much behind.
        late = limbs[k].by_unknowns @ np.concatenate([to @ c, update])
        limbs[k] = limbs[k]._replace(twist=limbs[k].twist + late)
    for bell, part, move in zip(model.bells, bells, guess.bells, strict=True):
        wall = part.update + part.follow * float(part.row @ (bell.to_shell @ c))
        sizes += [float(np.abs(wall[:, :2]).max()) / model.size, float(np.abs(wall[:, 2]).max())]
        moves.append(move + wall)
    if not np.isfinite(sizes).all():
        raise StepFailed("the equations are not finite")
    following = Guess(guess.theta + shift, tuple(changes), tuple(moves))
    return _Iteration(limbs, bells, following, max(sizes))


def _solve(matrix: Array, right: Array, whose: str) -> Array:
    try:
        return np.linalg.solve(matrix, right)
    except np.linalg.LinAlgError:
        raise StepFailed(f"the tangent of {whose} is singular") from None


def _start(model: StarModel, state: StarState, now: float, after: float) -> _Start:
    twists = (model.to_parts @ state.twist).reshape(-1, 6)
    rotation = state.root[:3, :3] @ model.part_arrays[0][:, :3, :3]
    rods = rod_states(model, state)
    return _Start(
        twists,
        (rotation @ twists[:, 3:, None])[:, :, 0],
        [(rod, nodes(m, rod)) for m, rod in zip(model.limbs, rods, strict=True)],
        [
            bell_start(bell, state.twist, q, rate, now, after)
            for bell, (q, rate) in zip(model.bells, state.bells, strict=True)
        ],
    )


def _parts(
    model: StarModel, state: StarState, start: _Start, theta: Array, h: float
) -> tuple[Array, Array]:
    """Equations of the rigid parts for the root, and their tangent."""
    frame, mass, rotary, added, drag, weight = model.part_arrays
    by_base = tangent_inverse_se3(0.5 * theta) / h
    return subtract_parts(
        state.root @ exp_se3(0.5 * theta),
        frame,
        model.to_parts,
        theta / h,
        by_base,
        h,
        mass,
        rotary,
        added,
        drag,
        weight,
        start.part_twists,
        start.part_carried,
    )


def _spent_parts(model: StarModel, state: StarState, theta: Array, h: float) -> tuple[float, float]:
    """Return the energy that the parts lose by drag in a step, and the work of their weight."""
    frame, _, _, _, drag, weight = model.part_arrays
    velocity = (model.to_parts @ (theta / h)).reshape(-1, 6)[:, 3:]
    turn = (state.root @ exp_se3(0.5 * theta))[:3, :3] @ frame[:, :3, :3]
    speed = np.linalg.norm(velocity, axis=1)
    resisted = (velocity[:, None] @ drag @ velocity[:, :, None])[:, 0, 0]
    sunk = ((turn @ velocity[:, :, None])[:, :, 0] * weight).sum()
    return h * float(speed @ resisted), h * float(sunk)


def _finish(
    model: StarModel, state: StarState, start: _Start, limbs: list[Middle], done: Guess, h: float
) -> tuple[StarState, float]:
    """Return the new state and what the projection takes of the kinetic energy."""
    theta = done.theta
    half = exp_se3(0.5 * theta)
    mid_root, root = state.root @ half, state.root @ exp_se3(theta)
    frame, mass, rotary, added, _, _ = model.part_arrays

    # Parts: momentum in their axes at the end.
    zeta = (model.to_parts @ (theta / h)).reshape(-1, 6)
    end = 2.0 * zeta - start.part_twists
    mid_turn = mid_root[:3, :3] @ frame[:, :3, :3]
    mean = (mid_turn @ zeta[:, 3:, None])[:, :, 0]
    velocity = 2.0 * mean - start.part_carried
    turn = root[:3, :3] @ frame[:, :3, :3]
    spin = (rotary @ end[:, :3, None])[:, :, 0]
    water = (added @ end[:, 3:, None])[:, :, 0]
    linear = mass[:, None] * (np.swapaxes(turn, 1, 2) @ velocity[:, :, None])[:, :, 0] + water
    kinetic = 0.5 * float(
        (end[:, :3] * spin).sum() + (mass[:, None] * velocity**2).sum() + (end[:, 3:] * water).sum()
    )
    matrix, momentum = np.zeros((6, 6)), np.zeros(6)
    for to, inertia, one in zip(
        model.to_parts, model.part_inertia, np.hstack([spin, linear]), strict=True
    ):
        matrix += to.T @ inertia @ to
        momentum += to.T @ one
    here = state.root[:3, :3] @ frame[:, :3, 3].T + state.root[:3, 3:]
    there = root[:3, :3] @ frame[:, :3, 3].T + root[:3, 3:]
    gone = (there - here) @ mass
    gained = mass @ mean

    ends: list[tuple[Ended, Array]] = []
    for m, to, (rod, at), mid, change in zip(
        model.limbs, model.to_limbs, start.limbs, limbs, done.limbs, strict=True
    ):
        found = ended(m, at, mid, rod.q + change, root @ np.asarray(m.rod.base, float))
        flat = found.jacobian.reshape(-1, found.jacobian.shape[2])
        heavy = (m.lumps.inertia() @ found.jacobian).reshape(flat.shape)
        whole, right = flat.T @ heavy, flat.T @ found.momentum.ravel()
        inner = np.linalg.solve(whole[6:, 6:], np.column_stack([right[6:], whole[6:, :6]]))
        reduced = whole[:6, 6:] @ inner
        momentum = momentum + to.T @ (right[:6] - reduced[:, 0])
        matrix = matrix + to.T @ (whole[:6, :6] - reduced[:, 1:]) @ to
        kinetic += found.kinetic
        ends.append((found, inner))
        lump = m.lumps.mass
        gained = gained + lump @ (mid.frames[:, :3, :3] @ mid.twist[:, 3:, None])[:, :, 0]
        gone = gone + lump @ (found.frames[:, :3, 3] - at.frames[:, :3, 3])

    bell_ends = []
    for bell, begun, move in zip(model.bells, start.bells, done.bells, strict=True):
        last = bell_end(bell, begun, begun.displacement + move, theta, h)
        momentum = momentum + bell.to_shell.T @ last.momentum
        matrix = matrix + bell.to_shell.T @ last.inertia @ bell.to_shell
        kinetic += last.kinetic
        bell_ends.append(last)
        between = begun.displacement + 0.5 * move
        mean_field = bell.velocities(bell.to_shell @ (theta / h), between, move / h)[0]
        axes = np.asarray(bell.bell.frame, float)
        gained = gained + mid_root[:3, :3] @ axes[:3, :3] @ (bell.along @ mean_field)
        for sign, at_root, q in (
            (1.0, root, begun.displacement + move),
            (-1.0, state.root, begun.displacement),
        ):
            centre = np.array([bell.along @ bell.place(q)[:, 0], 0.0, 0.0, bell.along.sum()])
            gone = gone + sign * (at_root @ axes @ centre)[:3]

    twist, free = np.zeros(6), model.free
    twist[free] = np.linalg.solve(matrix[np.ix_(free, free)], momentum[free])
    # The centre of mass goes where the momentum takes it, see `rod_step`.
    behind = root[:3, :3].T @ (h * gained - gone) / model.mass
    behind[[k - 3 for k in model.star.held if k >= 3]] = 0.0
    root = root.copy()
    root[:3, 3] += root[:3, :3] @ behind
    new = StarState(
        root,
        twist,
        tuple(
            (q + change, inner[:, 0] - inner[:, 1:] @ (to @ twist))
            for (q, _), change, (_, inner), to in zip(
                state.limbs, done.limbs, ends, model.to_limbs, strict=True
            )
        ),
        tuple(
            (q + move, bell_rates(bell, last, twist))
            for (q, _), move, bell, last in zip(
                state.bells, done.bells, model.bells, bell_ends, strict=True
            )
        ),
    )
    return new, kinetic - measure(model, new)[1]
