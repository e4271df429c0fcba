"""A rod in the middle of an implicit time step: its equations, and the state that they lead to.

What the free rod of `loligo.reduced.rod.motion.midpoint` and the robots of
`loligo.reduced.star.step` share.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from loligo.cases.core.frames import log_se3
from loligo.reduced.lie import Array, adjoint, exp_se3, inverse, tangent_se3
from loligo.reduced.rod.kernel import add_internal, add_tendons, frames_along, jacobians_along
from loligo.reduced.rod.loadset import LoadSet, in_world
from loligo.reduced.rod.model import Rod, check_frame
from loligo.reduced.rod.motion.equations import Carried, FreeBase, MovingRod
from loligo.reduced.rod.motion.inertia import Lumps
from loligo.reduced.rod.motion.kernel import subtract_motion
from loligo.reduced.stepping import StepFailed

LONGEST_TURN = np.pi  # of one Newton correction along the rod
# Gauss points along the step, on [0, 1], of weight 1/2 each
_ALONG = 0.5 + np.array([-0.5, 0.5]) / np.sqrt(3.0)
_SIDE = 0.01  # of a step: differences of a prescribed base are taken over this to either side


class RodAccount(NamedTuple):
    """Impulse of the base's support in a step, in the world's axes about the base; energies.

    The impulse is what momentum the rod has gained beside that from the loads and the water.
    """

    reaction: Array
    dissipated: float
    drained: float
    lost: float
    work: float

    def plus(self, other: RodAccount) -> RodAccount:
        """Return the sum of two accounts."""
        return RodAccount(
            self.reaction + other.reaction,
            self.dissipated + other.dissipated,
            self.drained + other.drained,
            self.lost + other.lost,
            self.work + other.work,
        )


@dataclass(frozen=True, eq=False)
class RodModel:
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


def nodes(model: RodModel, state: MovingRod) -> Nodes:
    """Return where the nodes of a state are, how they may move, and how they do."""
    frames, jacobian, by_base = _places(model, state.q, state.base)
    if model.extra:
        twist = jacobian @ np.concatenate([state.base_twist, state.velocity])
    else:
        twist = jacobian @ state.velocity + by_base @ state.base_twist
    return Nodes(frames, jacobian, twist)


def momentum_of(model: RodModel, at: Nodes) -> tuple[Array, float]:
    """Return momentum (angular about the world's origin; linear) and kinetic energy."""
    carried = (model.lumps.inertia() @ at.twist[:, :, None])[:, :, 0]
    energy = 0.5 * float(np.sum(carried * at.twist))
    rotation = at.frames[:, :3, :3]
    spin, linear = (rotation @ carried.reshape(-1, 2, 3, 1)[:, k] for k in (0, 1))
    spin, linear = spin[:, :, 0], linear[:, :, 0]
    spin = spin + np.cross(at.frames[:, :3, 3], linear)
    return np.concatenate([spin.sum(0), linear.sum(0)]), energy


class Middle(NamedTuple):
    """The equations of a step for a guess of what it changes, and the nodes in the middle of it.

    Attributes:
        values: what is left of the equations, base first if it is free.
        tangent: their derivative by the unknowns.
        frames: of the nodes.
        twist: of the nodes, (nodes, 6).
        by_unknowns: derivative of these, (nodes, 6, unknowns).
        sent: wrench of all loads, inertia and drag at the base, in its axes.
        step: change of the strain at the Gauss points.
        pull: actuation there.
    """

    values: Array
    tangent: Array
    frames: Array
    twist: Array
    by_unknowns: Array
    sent: Array
    step: Array
    pull: Array


def middle(
    model: RodModel,
    loads: LoadSet,
    on_nodes: Array,
    state: MovingRod,
    at: Nodes,
    change: Array,
    theta: Array,
    h: float,
) -> Middle:
    """Return the equations of a step in which q moves by `change` and the base by exp(theta).

    Args:
        model: the rod.
        loads: in the middle of the step.
        on_nodes: these, lumped.
        state: at the start of the step.
        at: nodes of this state.
        change: of q.
        theta: screw of the base, in its axes.
        h: duration.

    Raises:
        StepFailed: if no rod can be like that.
    """
    rod, grid, extra = model.rod, model.rod.grid, model.extra
    carried = (at.frames[:, :3, :3] @ at.twist[:, 3:, None])[:, :, 0]
    basis = rod.shapes, grid.component, model.first
    strain = rod.strain_at_gauss(state.q)
    step = rod.strain_at_gauss(change) - rod.rest_at_gauss
    check_strain(rod, strain + 0.5 * step)
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
        strain + 0.5 * step,
        *basis,
        model.start,
        np.concatenate([np.zeros(extra), change / h]),
        theta / h,
        by_base,
        h,
        model.lumps.mass,
        model.lumps.rotary,
        model.lumps.added,
        model.lumps.drag,
        at.twist,
        carried,
        on_nodes,
        values,
        tangent,
    )
    if not (np.isfinite(values).all() and np.isfinite(tangent).all()):
        raise StepFailed("the section law or the path of a tendon is not finite")
    return Middle(values, tangent, frames, twist, by_unknowns, sent, step, pull)


def turned(rod: Rod, correction: Array) -> tuple[float, float]:
    """Return by how much a correction of q turns the rod (rad), and the size of all its strains.

    Raises:
        StepFailed: if it turns so much that the tangent says nothing.
    """
    bent = rod.strain_at_gauss(correction) - rod.rest_at_gauss
    turn = float(rod.grid.gauss_weights @ np.linalg.norm(bent[:, :3], axis=1))
    if not turn < LONGEST_TURN:
        raise StepFailed(f"one Newton correction turns the rod by {turn:.3g} rad")
    return turn, turn + float(np.abs(bent[:, 3:]).max())


def spent(
    model: RodModel, on_nodes: Array, mid: Middle, h: float
) -> tuple[RodAccount, Array, Array]:
    """Return a step's entry but for the base, the drag on the nodes, and the loads in the world."""
    weights = model.rod.grid.gauss_weights
    rate = mid.step / h
    viscous = (model.damping @ rate[:, :, None])[:, :, 0]
    speed = np.linalg.norm(mid.twist[:, 3:], axis=1)
    drag = (model.lumps.resistance(speed) @ mid.twist[:, :, None])[:, :, 0]
    rotation = mid.frames[:, :3, :3]
    acting = in_world(on_nodes, rotation)
    work = h * float(np.sum((acting @ rotation).reshape(-1, 6) * mid.twist))
    work -= float(weights @ np.sum(mid.pull * mid.step, axis=1))
    entry = RodAccount(
        reaction=np.zeros(6),
        dissipated=h * float(weights @ np.sum(viscous * rate, axis=1)),
        drained=h * float(np.sum(drag * mid.twist)),
        lost=0.0,
        work=work,
    )
    return entry, drag, acting


def _sections(
    model: RodModel, loads: LoadSet, strain: Array, step: Array, duration: float
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


class Ended(NamedTuple):
    """The nodes at the end of a step, with the momentum that they then have, each on its own.

    Attributes:
        frames: of the nodes.
        jacobian: by all unknowns.
        by_base: by the twist of the base.
        momentum: of the lumps, in their axes, (nodes, 6, 1).
        kinetic: energy of the lumps (J).
    """

    frames: Array
    jacobian: Array
    by_base: Array
    momentum: Array
    kinetic: float


def ended(model: RodModel, at: Nodes, mid: Middle, q: Array, base: Array) -> Ended:
    """Return where the nodes are at the end of a step, and what momentum they have."""
    lumps = model.lumps
    seen, jacobian, by_base = _places(model, q, base)
    end = 2.0 * mid.twist - at.twist
    velocity = 2.0 * mid.frames[:, :3, :3] @ mid.twist[:, 3:, None]
    velocity -= at.frames[:, :3, :3] @ at.twist[:, 3:, None]
    spin = lumps.rotary @ end[:, :3, None]
    water = lumps.added @ end[:, 3:, None]
    rotation = np.swapaxes(seen[:, :3, :3], 1, 2)
    linear = lumps.mass[:, None, None] * (rotation @ velocity) + water
    momentum = np.concatenate([spin, linear], axis=1)
    kinetic = 0.5 * float(
        np.sum(end[:, :3, None] * spin)
        + np.sum(lumps.mass[:, None, None] * velocity**2)
        + np.sum(end[:, 3:, None] * water)
    )
    return Ended(seen, jacobian, by_base, momentum, kinetic)


def _places(model: RodModel, q: Array, base: Array) -> tuple[Array, Array, Array]:
    """Frames of the nodes, Jacobians by all unknowns, and by the twist of the base, (n, 6, 6)."""
    rod, grid = model.rod, model.rod.grid
    strain = rod.strain_at_gauss(q)
    basis = rod.shapes, grid.component, model.first
    joints = rod.joints_at_cells
    frames = frames_along(base, grid.steps, joints, strain)
    jacobian = jacobians_along(grid.steps, joints, strain, *basis, model.start)[0]
    by_base = np.array([adjoint(inverse(frame) @ base) for frame in frames])
    return frames, jacobian, by_base


def check_strain(rod: Rod, strain: Array) -> None:
    """Refuse a rod of no length."""
    if not (strain[:, 3] > 0.0).all():
        X = rod.grid.gauss[np.argmin(strain[:, 3])]
        raise StepFailed(f"the rod was compressed to nothing at X = {X:.4g} m")
