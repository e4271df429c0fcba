"""One implicit time step of a rod, by Newton's method with the exact tangent.

A step of the duration h takes the coordinates from q_0 to q_1 so that at the mean (q_0 + q_1)/2

    B^T (Lambda + Upsilon B (q_1 - q_0)/h + actuation) = J^T (loads + inertia + drag),

with the inertia of `loligo.reduced.rod_motion_kernel`; Lambda is the mean of the section's wrench
along the straight line between both strains, by two Gauss points: exact for sections that are
linear, or cubic, in the strains. A free base moves along a screw, exp(theta), and adds its six
equations. So the energy of the rod and of its lumps changes by exactly what is done to it.

The lumps then have twists 2 zeta - zeta_0 that no rod can have: the rod's new velocity is the
projection J v of these, orthogonal in the lumps' inertia. It leaves the momentum as it is and takes
away energy, never adds any: of fourth order in h a step, of third order at a given time.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from loligo.cases.frames import log_se3
from loligo.reduced.lie import Array, adjoint, exp_se3, inverse, tangent_se3
from loligo.reduced.rod import Rod, check_frame
from loligo.reduced.rod_inertia import Lumps
from loligo.reduced.rod_kernel import add_internal, add_tendons, frames_along, jacobians_along
from loligo.reduced.rod_loadset import LoadSet
from loligo.reduced.rod_motion import Carried, FreeBase, State
from loligo.reduced.rod_motion_kernel import subtract_motion

_ITERATIONS = 12
_LONGEST_TURN = np.pi  # of one Newton correction along the rod
_TOLERANCE = 1e-9  # of the last correction, in strain times length
# Gauss points along the step, on [0, 1], of weight 1/2 each
_ALONG = 0.5 + np.array([-0.5, 0.5]) / np.sqrt(3.0)
_SIDE = 0.01  # of a step: differences of a prescribed base are taken over this to either side


class StepFailed(Exception):
    """A step that has no solution, or none that Newton's method finds; it says why."""


class Account(NamedTuple):
    """Impulse of the base's support in a step, in the world's axes about the base; energies.

    The impulse is what momentum the rod has gained beside that from the loads and the water.
    """

    reaction: Array
    dissipated: float
    drained: float
    lost: float
    work: float


class Drift(NamedTuple):
    """Mean rates of the step before, Newton's first guess: free of what rings."""

    rate: Array
    twist: Array


@dataclass(frozen=True, eq=False)
class Model:
    """A rod, what it carries and what drives it, ready to step.

    Attributes:
        rod: the rod.
        lumps: on its nodes.
        damping: Upsilon at the Gauss points.
        loads: at a time.
        base: None where it stays, its frame at a time, or free.
    """

    rod: Rod
    lumps: Lumps
    damping: Array
    loads: Callable[[float], LoadSet]
    base: Carried | FreeBase | None

    @property
    def extra(self) -> int:
        """Number of unknowns of the base, which stand before those of the strains."""
        return 6 if isinstance(self.base, FreeBase) else 0

    @property
    def start(self) -> Array:
        """Jacobian of the base, (6, unknowns)."""
        return np.eye(6, self.extra + self.rod.grid.unknowns) * (self.extra > 0)

    @property
    def first(self) -> Array:
        """The first unknown of every cell, -1 where it is rigid."""
        first = self.rod.grid.first
        return np.where(first < 0, -1, first + self.extra)

    def base_at(self, time: float) -> Array:
        """Return the frame of a base that does not move freely."""
        if not callable(self.base):
            return np.asarray(self.rod.base, float)
        frame = np.asarray(self.base(time), float)
        check_frame(frame, f"the base at t = {time:.6g} s")
        return frame

    def base_twist(self, time: float, step: float) -> Array:
        """Return the twist of a base that does not move freely, by central differences."""
        if not callable(self.base):
            return np.zeros(6)
        side = _SIDE * step
        back = inverse(self.base_at(time - side))
        twist: Array = log_se3(back @ self.base_at(time + side)) / (2.0 * side)
        return twist


class Nodes(NamedTuple):
    """Frames of the nodes, their Jacobians by all unknowns, and their twists."""

    frames: Array
    jacobian: Array
    twist: Array


def nodes(model: Model, state: State) -> Nodes:
    """Return where the nodes of a state are, how they may move, and how they do."""
    frames, jacobian, by_base = _places(model, state.q, state.base)
    if model.extra:
        twist = jacobian @ np.concatenate([state.base_twist, state.velocity])
    else:
        twist = jacobian @ state.velocity + by_base @ state.base_twist
    return Nodes(frames, jacobian, twist)


def momentum_of(model: Model, at: Nodes) -> tuple[Array, float]:
    """Return momentum (angular about the world's origin; linear) and kinetic energy."""
    carried = (model.lumps.inertia() @ at.twist[:, :, None])[:, :, 0]
    energy = 0.5 * float(np.sum(carried * at.twist))
    rotation = at.frames[:, :3, :3]
    spin, linear = (rotation @ carried.reshape(-1, 2, 3, 1)[:, k] for k in (0, 1))
    spin, linear = spin[:, :, 0], linear[:, :, 0]
    spin = spin + np.cross(at.frames[:, :3, 3], linear)
    return np.concatenate([spin.sum(0), linear.sum(0)]), energy


def advance(
    model: Model, state: State, drift: Drift, now: float, after: float
) -> tuple[State, Account, Drift]:
    """Return the state after a step, the step's entry in the account, and its mean rates.

    Raises:
        StepFailed: if Newton's method finds no state.
    """
    rod, grid, extra = model.rod, model.rod.grid, model.extra
    h = after - now
    loads = model.loads(0.5 * (now + after))
    on_nodes = loads.on_nodes(rod)
    at = nodes(model, state)
    carried = (at.frames[:, :3, :3] @ at.twist[:, 3:, None])[:, :, 0]
    shared = model.lumps.mass, model.lumps.rotary, model.lumps.added, model.lumps.drag
    basis = rod.shapes, grid.component, model.first
    start = model.start
    strain = rod.strain_at_gauss(state.q)

    change = h * drift.rate
    if extra:
        theta = h * drift.twist
    elif callable(model.base):
        theta = log_se3(inverse(state.base) @ model.base_at(after))
    else:
        theta = np.zeros_like(state.base_twist)
    for _ in range(_ITERATIONS):
        step = rod.strain_at_gauss(change) - rod.rest_at_gauss
        middle = strain + 0.5 * step
        _check(rod, middle)
        wrench, by_step, pull = _sections(model, loads, strain, step, h)
        size = extra + grid.unknowns
        values, tangent = np.zeros(size), np.zeros((size, size))
        add_internal(*basis, grid.gauss_weights, wrench, by_step, values, tangent)
        by_base = np.zeros((6, size))
        if extra:
            by_base[:, :6] = np.linalg.inv(tangent_se3(0.5 * theta)) / h
        frames, twist, by_unknowns, sent = subtract_motion(
            state.base @ exp_se3(0.5 * theta),
            grid.steps,
            rod.joints_at_cells,
            middle,
            *basis,
            start,
            np.concatenate([np.zeros(extra), change / h]),
            theta / h,
            by_base,
            h,
            *shared,
            at.twist,
            carried,
            on_nodes,
            values,
            tangent,
        )
        if not (np.isfinite(values).all() and np.isfinite(tangent).all()):
            raise StepFailed("the section law or the path of a tendon is not finite")
        try:
            correction = -np.linalg.solve(tangent, values)
        except np.linalg.LinAlgError:
            raise StepFailed("the tangent is singular") from None
        bent = rod.strain_at_gauss(correction[extra:]) - rod.rest_at_gauss
        turn = float(grid.gauss_weights @ np.linalg.norm(bent[:, :3], axis=1))
        size_of = turn + float(np.abs(bent[:, 3:]).max())
        change = change + correction[extra:]
        if extra:
            shift = h * by_base[:, :6] @ correction[:6]
            theta = theta + shift
            turn += float(np.linalg.norm(shift[:3]))
            size_of += float(np.linalg.norm(shift[:3]) + np.linalg.norm(shift[3:]) / rod.length)
        if not turn < _LONGEST_TURN:
            raise StepFailed(f"one Newton correction turns the rod by {turn:.3g} rad")
        if size_of < _TOLERANCE:
            twist += by_unknowns @ correction  # over a short step they would be that much behind
            break
    else:
        raise StepFailed(f"{_ITERATIONS} Newton iterations left a correction of {size_of:.3g}")
    _check(rod, strain + step)
    new, arrived, lost = _finish(model, state, at, frames, twist, change, theta, after, h)

    rate = step / h
    viscous = (model.damping @ rate[:, :, None])[:, :, 0]
    speed = np.linalg.norm(twist[:, 3:], axis=1)[:, None]
    drag = speed * (model.lumps.drag @ twist[:, 3:, None])[:, :, 0]
    rotation = frames[:, :3, :3]
    acting = on_nodes[:, :2] + on_nodes[:, 2:] @ np.swapaxes(rotation, 1, 2)  # in the world
    work = h * float(np.sum((acting @ rotation).reshape(-1, 6) * twist))
    work -= float(grid.gauss_weights @ np.sum(pull * step, axis=1))
    reaction: Array = np.zeros(6)
    if not extra:
        acting[:, 1] -= (rotation @ drag[:, :, None])[:, :, 0]
        acting[:, 0] += np.cross(frames[:, :3, 3], acting[:, 1])
        reaction = momentum_of(model, arrived)[0] - momentum_of(model, at)[0]
        reaction -= h * acting.sum(0).ravel()
        reaction[:3] -= np.cross(frames[0, :3, 3], reaction[3:])
        # What the base does by its mean wrench; `sent`, which closes the account, is of order one.
        given = float(np.sum((reaction.reshape(2, 3) @ rotation[0]).ravel() * twist[0]))
        work += given
        lost += given + float(sent @ theta)
    entry = Account(
        reaction=reaction,
        dissipated=h * float(grid.gauss_weights @ np.sum(viscous * rate, axis=1)),
        drained=h * float(np.sum(drag * twist[:, 3:])),
        lost=lost,
        work=work,
    )
    return new, entry, Drift(change / h, theta / h)


def _sections(
    model: Model, loads: LoadSet, strain: Array, step: Array, duration: float
) -> tuple[Array, Array, Array]:
    """Mean wrench over a step, its derivative by the change of strain, and the actuation in it."""
    rod = model.rod
    middle = strain + 0.5 * step
    if rod.law is None:
        wrench, stiffness = rod.section(middle)
        by_step = 0.5 * stiffness
    else:
        found = [rod.section(strain + share * step) for share in _ALONG]
        wrench = 0.5 * (found[0][0] + found[1][0])
        by_step = 0.5 * (_ALONG[0] * found[0][1] + _ALONG[1] * found[1][1])
    acting = loads.actuation
    pull, by_middle = acting.wrench.copy(), np.zeros_like(by_step)
    add_tendons(middle, acting.offset, acting.slope, acting.tension, pull, by_middle)
    by_step = by_step + 0.5 * by_middle + model.damping / duration
    viscous = (model.damping @ step[:, :, None])[:, :, 0] / duration
    return wrench + pull + viscous, by_step, pull


def _finish(
    model: Model,
    state: State,
    at: Nodes,
    frames: Array,
    twist: Array,
    change: Array,
    theta: Array,
    after: float,
    duration: float,
) -> tuple[State, Nodes, float]:
    """Return the new state, its nodes, and what the projection takes of the kinetic energy."""
    lumps = model.lumps
    q = state.q + change
    free = isinstance(model.base, FreeBase)
    base = state.base @ exp_se3(theta) if free else model.base_at(after)
    seen, jacobian, by_base = _places(model, q, base)

    ended = 2.0 * twist - at.twist
    velocity = 2.0 * frames[:, :3, :3] @ twist[:, 3:, None]
    velocity -= at.frames[:, :3, :3] @ at.twist[:, 3:, None]
    spin = lumps.rotary @ ended[:, :3, None]
    water = lumps.added @ ended[:, 3:, None]
    rotation = np.swapaxes(seen[:, :3, :3], 1, 2)
    linear = lumps.mass[:, None, None] * (rotation @ velocity) + water
    momentum = np.concatenate([spin, linear], axis=1)
    kinetic = 0.5 * float(
        np.sum(ended[:, :3, None] * spin)
        + np.sum(lumps.mass[:, None, None] * velocity**2)
        + np.sum(ended[:, 3:, None] * water)
    )

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
        mean = lumps.mass @ (frames[:, :3, :3] @ twist[:, 3:, None])[:, :, 0]
        gone = lumps.mass @ (seen[:, :3, 3] - at.frames[:, :3, 3])
        base = base.copy()
        base[:3, 3] += (duration * mean - gone) / lumps.mass.sum()
        given, rates = rates[:6], rates[6:]
    return State(q, rates, base, given), Nodes(seen, jacobian, final), kinetic - kept


def _places(model: Model, q: Array, base: Array) -> tuple[Array, Array, Array]:
    """Frames of the nodes, Jacobians by all unknowns, and by the twist of the base, (n, 6, 6)."""
    rod, grid = model.rod, model.rod.grid
    strain = rod.strain_at_gauss(q)
    basis = rod.shapes, grid.component, model.first
    joints = rod.joints_at_cells
    frames = frames_along(base, grid.steps, joints, strain)
    jacobian = jacobians_along(grid.steps, joints, strain, *basis, model.start)[0]
    by_base = np.array([adjoint(inverse(frame) @ base) for frame in frames])
    return frames, jacobian, by_base


def _check(rod: Rod, strain: Array) -> None:
    if not (strain[:, 3] > 0.0).all():
        X = rod.grid.gauss[np.argmin(strain[:, 3])]
        raise StepFailed(f"the rod was compressed to nothing at X = {X:.4g} m")
