"""Motion of a shell of revolution: inertia, viscous wall, water, a base that moves along the axis.

A step of the duration dt takes displacement q and velocity v of the nodes from 0 to 1 by

    M (v1 - v0)/dt + f = F,    (q1 - q0)/dt = (v0 + v1)/2,

f the mean forces of `loligo.reduced.shell_step`, F the mean loads. The scheme is implicit, of
second order, and keeps account: kinetic and stored energy change by the work less what the
viscosity took, to rounding for Green and linear walls, and the momentum along the axis by the
impulse of loads, water and supports. It damps nothing by itself: an inviscid wall goes on ringing.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, solve_banded
from scipy.sparse import csr_array

from loligo.reduced.fluid import Jet, quadratic_drag
from loligo.reduced.lie import Array
from loligo.reduced.shell import BAND, Shell
from loligo.reduced.shell_assembly import Inadmissible, enclosed_volume, hold, stored_energy
from loligo.reduced.shell_inertia import banded
from loligo.reduced.shell_loads import Drive, Loads, surface_load
from loligo.reduced.shell_step import Begin, WallStep, begin, tangent, wall_step

ITERATIONS = 15
CONVERGED = 1e-7  # last update over the displacement of the step; the next would be its square
ROUNDING = 1e-10  # of the largest radius: displacements below are lost in stretch minus one
SMALLEST_STEP = 2.0**-12  # of the step that was asked for
LARGEST_TURN = 1.0  # rad, of one Newton update: beyond it the tangent says nothing

Surge = Callable[[float], float]
"""Velocity of the supports along x (m/s), of the time (s)."""


@dataclass(frozen=True)
class FreeBase:
    """A support that may move along x and carries a rigid body.

    Attributes:
        mass: of the body, with its own added mass (kg).
    """

    mass: float = 0.0

    def __post_init__(self) -> None:
        """Refuse a mass that is none."""
        if not 0.0 <= self.mass < np.inf:
            raise ValueError(f"the base's mass is {self.mass} kg; it must not be negative")


@dataclass(frozen=True)
class Water:
    """Jet and drag of a mantle whose nozzle is its last rim, Renda 2018 Eq 12 and 15.

    Both are forces along the axis, evenly spread over the reference area of the wall: the thrust of
    the jet with the rate of the enclosed volume, and the drag rho_w C_d pi max(r)^2 V |V|/2 of the
    velocity V of the base. The paper's volume integrates pi r^2 along the meridian's length, which
    counts a conical part too much; here it is the volume, and its rate is exact. (The authors' code
    has another factor 2 in the rate, where the meridian stretches.)

    Attributes:
        jet: the nozzle; its density is the water's.
        drag: C_d.
    """

    jet: Jet
    drag: float = 0.0

    def __post_init__(self) -> None:
        """Refuse a drag that pushes."""
        if not 0.0 <= self.drag < np.inf:
            raise ValueError(f"the drag coefficient is {self.drag}; it must not be negative")


@dataclass(frozen=True, eq=False)
class State:
    """Displacement (u, w, psi) of the nodes and their velocity, shapes (n, 3), in m, rad and s."""

    displacement: Array
    velocity: Array


@dataclass(frozen=True, eq=False)
class Motion:
    """A shell in motion; the first axis is the output times.

    Forces along x are means since the time before (0 at the first), so that times the interval they
    are impulses. Energies obey kinetic + stored + dissipated - work = constant.

    Attributes:
        time: in s, as asked.
        displacement: (u, w, psi) of the nodes (m, m, rad), shape (t, n, 3).
        velocity: of the same (m/s, m/s, rad/s).
        volume: inside the mid-surface, between the planes of its two rims (m^3).
        volume_rate: of the same (m^3/s).
        reaction: force of the supports, or of a free base's body, on the shell along x (N).
        thrust: force of the jet on the shell, along -x (N): forwards, away from the nozzle.
        drag: force of the water's drag on the shell, along x (N).
        momentum: along x, of wall, added mass and the body of a free base (kg m/s).
        kinetic: energy (J).
        stored: energy in the wall (J).
        dissipated: energy lost in the wall since the first time (J).
        work: of loads, water and supports since the first time (J).
        steps: how many it took.
        halved: how often a step failed and was halved.
    """

    time: Array
    displacement: Array
    velocity: Array
    volume: Array
    volume_rate: Array
    reaction: Array
    thrust: Array
    drag: Array
    momentum: Array
    kinetic: Array
    stored: Array
    dissipated: Array
    work: Array
    steps: int
    halved: int

    def state(self, index: int = -1) -> State:
        """Return the state at an output, to go on from."""
        return State(self.displacement[index], self.velocity[index])


class MotionLost(RuntimeError):
    """Steps kept failing; `reached` holds the motion up to the last output time before."""

    def __init__(self, message: str, reached: Motion) -> None:
        """Keep what was reached."""
        super().__init__(message)
        self.reached = reached


class _StepFailed(ArithmeticError):
    """Newton's method did not converge from here; a shorter step may."""


class _Account(NamedTuple):
    """Sums over steps: impulses of the supports, jet and drag (N s), energies (J)."""

    reaction: float = 0.0
    thrust: float = 0.0
    drag: float = 0.0
    dissipated: float = 0.0
    work: float = 0.0

    def plus(self, other: "_Account") -> "_Account":
        return _Account(*(a + b for a, b in zip(self, other, strict=True)))


@dataclass(frozen=True, eq=False)
class _Model:
    """All that stays the same in a motion."""

    shell: Shell  # with the base's displacement along x free if the base is
    mass: csr_array
    mass_band: Array
    drives: tuple[Drive, ...]
    water: Water | None
    share: Array  # nodal forces of an even axial load of 1 N, shape (n, 3)
    base: int  # node of the support that holds x
    body: float  # mass of what a free base carries
    surge: Surge

    def towed(self, time: float) -> float:
        """Return the velocity of the supports along x."""
        velocity = self.surge(time)
        if not np.isfinite(velocity):
            raise ValueError(f"the base's velocity is {velocity} m/s at t = {time:.6g} s")
        return velocity

    def loads(self, start: float, end: float) -> Loads:
        """Return the mean of the loads at both ends of a step, by the trapezoidal rule."""
        total = Loads(0.0, np.zeros(self.shell.fixed.shape))
        for drive in self.drives:
            total = total + 0.5 * (drive.history(start) + drive.history(end)) * drive.loads
        return total


def simulate(
    shell: Shell,
    mass: csr_array,
    times: Sequence[float] | Array,
    step: float,
    *,
    drives: Sequence[Drive] = (),
    water: Water | None = None,
    base: Surge | FreeBase | None = None,
    start: State | None = None,
) -> Motion:
    """Return the motion of a shell under drives, in water, on a base that may move along x.

    Args:
        shell: at rest.
        mass: of wall and water that moves with it, from `mass_matrix`.
        times: of the output (s), increasing; the motion begins at the first. Every one is the end
            of a step.
        step: the longest step (s). Steps halve where Newton's method fails, and grow back.
        drives: loads with their histories.
        water: jet and drag, or none.
        base: None keeps the supports where they are; a velocity of the time moves what they hold
            along x; `FreeBase` lets the one support that holds x go where the forces take it.
        start: state at the first time; at rest if None. Where the supports hold, `base` rules.

    Raises:
        ValueError: if times, step or start are no input, or a base cannot be free.
        MotionLost: where even short steps fail; it keeps the motion before.
    """
    clock = np.asarray(times, float)
    if clock.ndim != 1 or len(clock) < 2 or not (np.diff(clock) > 0.0).all():
        raise ValueError(f"times must be two or more, finite and increasing, not {times!r}")
    if not (np.isfinite(clock).all() and 0.0 < step < np.inf):
        raise ValueError(f"the step is {step} s; it must be positive, and the times finite")
    model = _model(shell, mass, tuple(drives), water, base)
    state = _initial(model, clock[0], start)
    states, accounts = [state], [_Account()]
    # Newton's first guess follows the mean velocity of the step before: it is free of what rings.
    drift = state.velocity
    size, steps, halved = step, 0, 0
    for now, end in pairwise(clock):
        account = _Account()
        while now < end:
            left = int(np.ceil((end - now) / size - 1e-9))
            after = end if left == 1 else now + (end - now) / left
            try:
                new, entry = _advance(model, state, drift, now, after)
            except _StepFailed as failure:
                size, halved = 0.5 * (after - now), halved + 1
                if size < SMALLEST_STEP * step:
                    reached = _motion(model, clock[: len(states)], states, accounts, steps, halved)
                    raise MotionLost(
                        f"no step of {size:.3g} s or more goes on from t = {now:.6g} s: {failure}. "
                        "The wall may be collapsing: lower the load, or use a finer mesh.",
                        reached,
                    ) from failure
                continue
            drift = (new.displacement - state.displacement) / (after - now)
            state, now, steps, size = new, after, steps + 1, min(2.0 * size, step)
            account = account.plus(entry)
        states.append(state)
        accounts.append(account)
    return _motion(model, clock, states, accounts, steps, halved)


def _model(
    shell: Shell,
    mass: csr_array,
    drives: tuple[Drive, ...],
    water: Water | None,
    base: Surge | FreeBase | None,
) -> _Model:
    holding = np.flatnonzero(shell.fixed[:, 0])
    if mass.shape != (shell.fixed.size, shell.fixed.size):
        raise ValueError(f"the mass matrix is of another shell: its shape is {mass.shape}")
    if isinstance(base, FreeBase):
        if len(holding) > 1:
            raise ValueError("both ends hold the shell along x: a free base needs one that does")
        fixed = shell.fixed.copy()
        fixed[holding[0], 0] = False
        shell = replace(shell, fixed=fixed)
        mass = mass.copy()
        mass[3 * holding[0], 3 * holding[0]] += base.mass
    return _Model(
        shell=shell,
        mass=mass,
        mass_band=banded(mass),
        drives=drives,
        water=water,
        share=surface_load(shell, axial=1.0 / shell.area.sum()).dead,
        base=int(holding[0]),
        body=base.mass if isinstance(base, FreeBase) else 0.0,
        surge=base if callable(base) else lambda t: 0.0,
    )


def _initial(model: _Model, time: float, start: State | None) -> State:
    shape = model.shell.fixed.shape
    start = start or State(np.zeros(shape), np.zeros(shape))
    for name, value in (("displacement", start.displacement), ("velocity", start.velocity)):
        if value.shape != shape or not np.isfinite(value).all():
            raise ValueError(f"the {name} at the start must be finite, of shape {shape}")
    velocity = np.where(model.shell.fixed, 0.0, start.velocity)
    velocity[model.shell.fixed[:, 0], 0] = model.towed(time)
    return State(start.displacement, velocity)


def _advance(
    model: _Model, state: State, drift: Array, now: float, after: float
) -> tuple[State, _Account]:
    """Return the state at the end of a step and what went in and out on the way."""
    shell, duration = model.shell, after - now
    loads = model.loads(now, after)
    old = begin(shell, state.displacement)
    old_volume, _ = enclosed_volume(shell, state.displacement)
    held = shell.fixed[:, 0]
    displacement = state.displacement + duration * np.where(shell.fixed, 0.0, drift)
    displacement[held, 0] += 0.5 * duration * (state.velocity[held, 0] + model.towed(after))
    size = shell.rest[:, 1].max()
    scale = np.array([1.0 / size, 1.0 / size, 1.0])
    largest, allowed = np.inf, 0.0
    try:
        for _ in range(ITERATIONS):
            wall = wall_step(shell, old, displacement, duration, loads.pressure)
            change = displacement - state.displacement
            kick = 2.0 / duration * (change / duration - state.velocity)  # mean acceleration
            inertia = (model.mass @ kick.ravel()).reshape(change.shape)
            water = _water(model, old, old_volume, displacement, duration)
            force = loads.dead + wall.push + water.force * model.share
            residual = force - inertia - wall.force
            if largest <= allowed:
                return _settle(model, state, displacement, duration, wall, water, residual, loads)
            update = _solve(model, wall, water, duration, np.where(shell.fixed, 0.0, residual))
            if not np.isfinite(update).all():
                raise _StepFailed("the tangent is singular")
            if np.abs(update[:, 2]).max() > LARGEST_TURN:
                raise _StepFailed("one iteration turned the wall by more than 1 rad")
            displacement = displacement + update
            change = displacement - state.displacement
            largest = np.abs(update * scale).max()
            allowed = CONVERGED * np.abs(change * scale).max() + ROUNDING
    except (Inadmissible, LinAlgError) as failure:
        raise _StepFailed(str(failure)) from failure
    raise _StepFailed(f"no convergence in {ITERATIONS} iterations, last update {largest:.1e}")


class _WaterStep(NamedTuple):
    """Mean axial forces of the water in a step (N), and their sum's derivative, shape (n, 3)."""

    thrust: float
    drag: float
    row: Array

    @property
    def force(self) -> float:
        """Along x; the thrust is forwards, along -x."""
        return self.drag - self.thrust


def _water(
    model: _Model, old: Begin, old_volume: float, displacement: Array, duration: float
) -> _WaterStep:
    row = np.zeros(displacement.shape)
    if model.water is None:
        return _WaterStep(0.0, 0.0, row)
    jet = model.water.jet
    volume, gradient = enclosed_volume(model.shell, displacement)
    thrust, slope = jet.thrust((volume - old_volume) / duration)
    row -= slope / duration * gradient

    # That max(r) changes on the way is left to Newton's iterations: drag hardly widens a mantle.
    widest = (model.shell.rest + 0.5 * (old.displacement + displacement)[:, :2])[:, 1].max()
    coefficient = 0.5 * jet.density * model.water.drag * np.pi * widest**2
    change = displacement[model.base, 0] - old.displacement[model.base, 0]
    force, slopes = quadratic_drag(coefficient, np.array([change / duration]))
    drag = float(force[0])
    row[model.base, 0] += slopes[0, 0] / duration
    return _WaterStep(thrust, drag, row)


def _solve(
    model: _Model, wall: WallStep, water: _WaterStep, duration: float, residual: Array
) -> Array:
    """Return Newton's update; the water's forces are a rank-one part of the tangent."""
    shell = model.shell
    matrix = tangent(shell, wall) + 2.0 / duration**2 * model.mass_band
    hold(matrix, np.flatnonzero(shell.fixed))
    columns = [residual.ravel()]
    if model.water is not None:
        columns.append(np.where(shell.fixed, 0.0, model.share).ravel())
    moves = solve_banded((BAND, BAND), matrix, np.stack(columns, axis=-1), check_finite=False)
    update: Array = moves[:, 0]
    if model.water is not None:
        row = np.where(shell.fixed, 0.0, water.row).ravel()
        update = update + moves[:, 1] * (row @ update) / (1.0 - row @ moves[:, 1])
    return update.reshape(residual.shape)


def _settle(
    model: _Model,
    state: State,
    displacement: Array,
    duration: float,
    wall: WallStep,
    water: _WaterStep,
    residual: Array,
    loads: Loads,
) -> tuple[State, _Account]:
    """Return the new state and the step's entry in the account."""
    shell = model.shell
    change = displacement - state.displacement
    velocity = 2.0 / duration * change - state.velocity
    held = shell.fixed[:, 0]
    support = -residual[held, 0]
    work = ((loads.dead + wall.push + water.force * model.share) * change).sum()
    body = -model.body * (velocity - state.velocity)[model.base, 0]
    return State(displacement, velocity), _Account(
        reaction=duration * float(support.sum()) + body,
        thrust=duration * water.thrust,
        drag=duration * water.drag,
        dissipated=wall.dissipated,
        work=float(work + (support * change[held, 0]).sum()),
    )


def _motion(
    model: _Model,
    time: Array,
    states: Sequence[State],
    accounts: Sequence[_Account],
    steps: int,
    halved: int,
) -> Motion:
    shell, mass = model.shell, model.mass
    displacement = np.array([state.displacement for state in states])
    velocity = np.array([state.velocity for state in states])
    cavity = [enclosed_volume(shell, q) for q in displacement]
    flat = velocity.reshape(len(velocity), -1)
    momentum = flat @ mass
    sums = _Account(*np.array(accounts).T)
    interval = np.diff(time, prepend=time[0] - 1.0)
    return Motion(
        time=time,
        displacement=displacement,
        velocity=velocity,
        volume=np.array([volume for volume, _ in cavity]),
        volume_rate=np.array([(g * v).sum() for (_, g), v in zip(cavity, velocity, strict=True)]),
        reaction=sums.reaction / interval,
        thrust=sums.thrust / interval,
        drag=sums.drag / interval,
        momentum=momentum[:, ::3].sum(-1),
        kinetic=0.5 * (momentum * flat).sum(-1),
        stored=np.array([stored_energy(shell, q) for q in displacement]),
        dissipated=np.cumsum(sums.dissipated),
        work=np.cumsum(sums.work),
        steps=steps,
        halved=halved,
    )
