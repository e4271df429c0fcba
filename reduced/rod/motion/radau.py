"""A rod's time step by collocation: of fifth order, and deaf to what is too fast for it.

The rod's equations of motion at a stage are those of `loligo.reduced.rod.motion.radau_kernel` with
the wrench Lambda + Upsilon xi' + actuation of its sections,

    int B^T (Lambda + Upsilon B q' + actuation) dX = J^T (loads + drag - inertia),

and a free base adds its six. It moves by a screw from where the step began, g = g_0 exp(theta), so
that (theta; q) are ordinary coordinates within a step; its twist is T(theta) theta'. The work of
all forces is integrated by the weights of the method.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from loligo.cases.core.frames import log_se3
from loligo.reduced.lie import Array, exp_se3, inverse, tangent_apply, tangent_rate
from loligo.reduced.radau import NODES, WEIGHTS, NoStages, collocate, extrapolated
from loligo.reduced.rod.kernel import add_tendons, frames_along, jacobians_along, sweep_back
from loligo.reduced.rod.loadset import LoadSet
from loligo.reduced.rod.motion.equations import MovingRod
from loligo.reduced.rod.motion.midpoint_equations import RodAccount, RodModel, check_strain
from loligo.reduced.rod.motion.radau_kernel import demanded
from loligo.reduced.stepping import StepFailed

_CLOSE = 1e-3  # what Newton's method may leave, of the tolerance
_CLOSEST = 1e-12  # the same in rad, without a tolerance
_INSIDE = 1e-9  # of a step: loads are asked for within it, since they may jump at its ends
_STENCIL = np.arange(-2.0, 3.0)  # of points in time, for the motion of a carried base
_POWERS = np.linalg.inv(np.vander(_STENCIL, increasing=True))
_SIDE = 0.05  # of a step: distance of these points


class Memory(NamedTuple):
    """Accelerations at the stages of the step before, (3, unknowns), and its duration."""

    acceleration: Array
    duration: float


@dataclass(frozen=True, eq=False)
class Ready:
    """What stays the same from step to step.

    Attributes:
        model: the rod.
        spread: B at the Gauss points, (6 points, n).
        viscous: damping matrix, base first if it is free, (unknowns, unknowns).
        inertia: of the lumps, (nodes, 6, 6).
    """

    model: RodModel
    spread: Array
    viscous: Array
    inertia: Array


def prepare(model: RodModel) -> Ready:
    """Return a rod that is ready to step."""
    rod = model.rod
    unit = np.eye(rod.grid.unknowns)
    spread = np.stack([(rod.strain_at_gauss(q) - rod.rest_at_gauss).ravel() for q in unit], axis=1)
    return Ready(model, spread, _internal(model, spread, model.damping), model.lumps.inertia())


def advance(
    ready: Ready,
    state: MovingRod,
    memory: Memory | None,
    now: float,
    after: float,
    tolerance: float | None,
) -> tuple[MovingRod, RodAccount, Memory, float]:
    """Return the state after a step, its entry in the account, its stages and its error.

    The error is that in the place of any section over the length and in its rotation in rad.

    Args:
        ready: the rod.
        state: at the start.
        memory: of the step before, None where there is none or a load may have jumped.
        now: time of the start.
        after: time of the end.
        tolerance: of the error, for Newton's method; None lets it go on to rounding.

    Raises:
        StepFailed: if Newton's method finds no stages.
    """
    model, rod, extra = ready.model, ready.model.rod, ready.model.extra
    h = after - now
    given = [
        _given(model, state, float(now + share * h), now, after)
        for share in (*NODES[:2], 1.0 - _INSIDE)
    ]
    strain = rod.strain_at_gauss(state.q)
    points: list[_Point] = [_NOWHERE] * 3

    def residual(i: int, y: Array, rate: Array, faster: Array) -> Array:
        points[i] = _point(ready, given[i], strain, y, rate, faster)
        return points[i].residual

    rate = np.concatenate([state.base_twist, state.velocity]) if extra else state.velocity
    begun = given[0] if memory is not None else _given(model, state, now + _INSIDE * h, now, after)
    mass, drag, stiffness, jacobian = _matrices(ready, state, begun, strain)
    if memory is None:
        nothing = np.zeros(len(rate))
        start = _point(ready, begun, strain, nothing, rate, nothing)
        acceleration = -np.linalg.solve(mass, start.residual)
        guess = np.tile(acceleration, (3, 1))
    else:
        acceleration = memory.acceleration[-1]
        guess = extrapolated(memory.acceleration, h / memory.duration)
    per = np.repeat([1.0, 1.0 / rod.length], 3)[:, None]

    def measure(y: Array) -> float:
        moved = per * (jacobian @ np.atleast_2d(y).T)
        return float(np.sqrt((moved**2).reshape(len(moved), 2, 3, -1).sum(2).max()))

    try:
        stages = collocate(
            residual,
            (mass, ready.viscous + drag, stiffness),
            rate,
            acceleration,
            guess,
            h,
            measure,
            _CLOSEST if tolerance is None else _CLOSE * tolerance,
        )
    except NoStages as failure:
        raise StepFailed(str(failure)) from None
    q = state.q + stages.place[-1, extra:]
    check_strain(rod, rod.strain_at_gauss(q))
    accelerations = stages.acceleration.copy()
    if extra:
        theta = stages.place[-1, :6]
        base = state.base @ exp_se3(theta)
        twist = tangent_apply(theta, stages.rate[-1, :6])
        # The next step begins with theta = 0, where theta'' is the rate of the twist
        accelerations[:, :6] = [point.base.rate for point in points]
    else:
        base, twist = model.base_at(after), points[-1].base.twist
    new = MovingRod(q, stages.rate[-1, extra:], base, twist)
    return new, _account(ready, points, h), Memory(accelerations, h), measure(stages.error)


class _Base(NamedTuple):
    """Frame, twist and its rate of a base that is held or carried."""

    frame: Array
    twist: Array
    rate: Array


class _Given(NamedTuple):
    """Base and loads at a time; of a free base the frame at the start of the step."""

    base: _Base
    loads: LoadSet
    nodal: Array


class _Point(NamedTuple):
    """What a stage leaves of the equations, and the powers there."""

    residual: Array
    base: _Base
    sent: Array
    work: float
    dissipated: float
    drained: float


_NOTHING: Array = np.zeros(6)
_NOWHERE = _Point(_NOTHING, _Base(np.eye(4), _NOTHING, _NOTHING), _NOTHING, 0.0, 0.0, 0.0)


def _given(model: RodModel, state: MovingRod, time: float, now: float, after: float) -> _Given:
    loads = model.loads(time)
    return _Given(_base(model, state, time, now, after), loads, loads.on_nodes(model.rod))


def _base(model: RodModel, state: MovingRod, time: float, now: float, after: float) -> _Base:
    """Where a base is at a time within a step, and how it moves.

    Five frames around the time, none beyond the step's ends, make a polynomial of the screw from
    the middle one.
    """
    if not callable(model.base):
        return _Base(state.base, _NOTHING, _NOTHING)
    side = _SIDE * (after - now)
    middle = min(max(time, now + 2.0 * side), after - 2.0 * side)
    centre = model.base_at(middle)
    back = inverse(centre)
    frames = [model.base_at(middle + float(x) * side) for x in _STENCIL]
    screws = np.array([log_se3(back @ frame) for frame in frames])
    shares = (time - middle) / side
    k = np.arange(5.0)
    coefficients = _POWERS @ screws
    screw = shares**k @ coefficients
    rate = (k[1:] * shares ** k[:-1]) @ coefficients[1:] / side
    faster = (k[2:] * k[1:-1] * shares ** k[:-2]) @ coefficients[2:] / side**2
    twist, turning = tangent_rate(screw, rate)
    return _Base(centre @ exp_se3(screw), twist, tangent_apply(screw, faster) + turning)


def _point(
    ready: Ready, given: _Given, strain: Array, y: Array, rate: Array, faster: Array
) -> _Point:
    """Equations of motion and powers at displacements y from the start of a step."""
    model, rod, grid, extra = ready.model, ready.model.rod, ready.model.rod.grid, ready.model.extra
    base, shape = given.base, strain.shape
    moved = strain + (ready.spread @ y[extra:]).reshape(shape)
    check_strain(rod, moved)
    speed = (ready.spread @ rate[extra:]).reshape(shape)
    second = (ready.spread @ faster[extra:]).reshape(shape)
    if extra:
        theta = y[:6]
        twist, turning = tangent_rate(theta, rate[:6])
        twist_rate = tangent_apply(theta, faster[:6]) + turning
        base = _Base(base.frame @ exp_se3(theta), twist, twist_rate)
    acting = given.loads.actuation
    pull = acting.wrench.copy()
    add_tendons(
        moved, acting.offset, acting.slope, acting.tension, pull, np.zeros((len(pull), 6, 6))
    )
    viscous = (model.damping @ speed[:, :, None])[:, :, 0]
    wrench = rod.section(moved)[0] + pull + viscous
    weighted = grid.gauss_weights[:, None] * wrench
    left = np.zeros(len(y))
    left[extra:] = weighted.ravel() @ ready.spread
    sent, work, drained = demanded(
        base.frame,
        grid.steps,
        rod.joints_at_cells,
        moved,
        speed,
        second,
        rod.shapes,
        grid.component,
        model.first,
        base.twist,
        base.rate,
        ready.inertia,
        model.lumps.drag,
        given.nodal,
        left,
    )
    if extra:
        left[:6] -= sent
    weights = grid.gauss_weights
    work -= float(weights @ np.sum(pull * speed, axis=1))
    dissipated = float(weights @ np.sum(viscous * speed, axis=1))
    return _Point(left, base, sent, work, dissipated, drained)


def _matrices(
    ready: Ready, state: MovingRod, given: _Given, strain: Array
) -> tuple[Array, Array, Array, Array]:
    """Mass matrix, damping of drag, stiffness, and the Jacobian of the nodes, at a state."""
    model, rod, grid, extra = ready.model, ready.model.rod, ready.model.rod.grid, ready.model.extra
    basis = rod.shapes, grid.component, model.first
    joints = rod.joints_at_cells
    frames = frames_along(state.base, grid.steps, joints, strain)
    chain = jacobians_along(grid.steps, joints, strain, *basis, model.start)
    jacobian = chain[0]
    flat = jacobian.reshape(-1, jacobian.shape[2])
    mass = flat.T @ (ready.inertia @ jacobian).reshape(flat.shape)
    size = extra + grid.unknowns
    velocity = state.velocity
    if extra:
        velocity = np.concatenate([state.base_twist, velocity])
    speed = np.linalg.norm((jacobian @ velocity)[:, 3:], axis=1)
    resisted = model.lumps.resistance(speed) @ jacobian
    drag = flat.T @ resisted.reshape(flat.shape)
    wrench, slope = rod.section(strain)
    acting = given.loads.actuation
    slope = slope.copy()
    add_tendons(strain, acting.offset, acting.slope, acting.tension, wrench, slope)
    stiffness = _internal(model, ready.spread, slope)
    follower = np.zeros((len(frames), 6, size))
    sweep_back(
        frames, chain, grid.steps, *basis, given.nodal, follower, 1.0, np.zeros(size), stiffness
    )
    return mass, drag, stiffness, jacobian


def _internal(model: RodModel, spread: Array, slope: Array) -> Array:
    """Integral of B^T C B, with zeros for the base, (unknowns, unknowns)."""
    by_point = spread.reshape(*slope.shape[:2], -1)
    weighted = model.rod.grid.gauss_weights[:, None, None] * (slope @ by_point)
    whole = np.zeros((model.extra + spread.shape[1],) * 2)
    whole[model.extra :, model.extra :] = spread.T @ weighted.reshape(spread.shape)
    return whole


def _account(ready: Ready, points: list[_Point], h: float) -> RodAccount:
    """Entry of a step; `lost` is left to the caller, who knows the energies."""
    reaction, given = np.zeros(6), 0.0
    if not ready.model.extra:
        for weight, point in zip(WEIGHTS, points, strict=True):
            rotation = point.base.frame[:3, :3]
            reaction -= h * weight * (rotation @ point.sent.reshape(2, 3, 1)).ravel()
            given -= h * weight * float(point.sent @ point.base.twist)
    work, dissipated, drained = (
        h * float(WEIGHTS @ [getattr(point, name) for point in points])
        for name in ("work", "dissipated", "drained")
    )
    return RodAccount(reaction, dissipated, drained, 0.0, work + given)
