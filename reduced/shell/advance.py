"""One implicit time step of a shell of revolution in water, by Newton's method."""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, solve_banded
from scipy.sparse import csr_array

from loligo.cases.fluid import hull_drag, quadratic_drag
from loligo.reduced.lie import Array
from loligo.reduced.shell.assembly import Inadmissible, enclosed_volume, hold
from loligo.reduced.shell.inertia import banded
from loligo.reduced.shell.loads import Loads, TimedLoads, surface_load
from loligo.reduced.shell.model import BAND, Shell
from loligo.reduced.shell.motion import MantleWater, ShellState, SlidingBase, Surge, still
from loligo.reduced.shell.wall_step import Begin, WallStep, begin, tangent, wall_step
from loligo.reduced.stepping import StepFailed

ITERATIONS = 15
CONVERGED = 1e-7  # last update over the displacement of the step; the next would be its square
ROUNDING = 1e-10  # of the largest radius: displacements below are lost in stretch minus one
LARGEST_TURN = 1.0  # rad, of one Newton update: beyond it the tangent says nothing


class ShellAccount(NamedTuple):
    """Sums over steps: impulses of the supports, jet and drag (N s), energies (J)."""

    reaction: float = 0.0
    thrust: float = 0.0
    drag: float = 0.0
    dissipated: float = 0.0
    work: float = 0.0

    def plus(self, other: "ShellAccount") -> "ShellAccount":
        """Return the sum of two accounts."""
        return ShellAccount(*(a + b for a, b in zip(self, other, strict=True)))


@dataclass(frozen=True, eq=False)
class ShellModel:
    """All that stays the same in a motion."""

    shell: Shell  # with the base's displacement along x free if the base is
    mass: csr_array
    mass_band: Array
    drives: tuple[TimedLoads, ...]
    water: MantleWater | None
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


def make_model(
    shell: Shell,
    mass: csr_array,
    drives: tuple[TimedLoads, ...],
    water: MantleWater | None,
    base: Surge | SlidingBase | None,
) -> ShellModel:
    """Return what stays the same in a motion, the body of a free base among the masses.

    Raises:
        ValueError: if the mass is another shell's, or more than one support holds a free base.
    """
    holding = np.flatnonzero(shell.fixed[:, 0])
    if mass.shape != (shell.fixed.size, shell.fixed.size):
        raise ValueError(f"the mass matrix is of another shell: its shape is {mass.shape}")
    if isinstance(base, SlidingBase):
        if len(holding) > 1:
            raise ValueError("both ends hold the shell along x: a free base needs one that does")
        fixed = shell.fixed.copy()
        fixed[holding[0], 0] = False
        shell = replace(shell, fixed=fixed)
        mass = mass.copy()
        mass[3 * holding[0], 3 * holding[0]] += base.mass
    return ShellModel(
        shell=shell,
        mass=mass,
        mass_band=banded(mass),
        drives=drives,
        water=water,
        share=surface_load(shell, axial=1.0 / shell.area.sum()).dead,
        base=int(holding[0]),
        body=base.mass if isinstance(base, SlidingBase) else 0.0,
        surge=base if callable(base) else still,
    )


def advance(
    model: ShellModel, state: ShellState, drift: Array, now: float, after: float
) -> tuple[ShellState, ShellAccount]:
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
            water = _water(model, old, old_volume, displacement, (now, after))
            force = loads.dead + wall.push + water.force * model.share
            residual = force - inertia - wall.force
            if largest <= allowed:
                return _settle(model, state, displacement, duration, wall, water, residual, loads)
            update = _solve(model, wall, water, duration, np.where(shell.fixed, 0.0, residual))
            if not np.isfinite(update).all():
                raise StepFailed("the tangent is singular")
            if np.abs(update[:, 2]).max() > LARGEST_TURN:
                raise StepFailed("one iteration turned the wall by more than 1 rad")
            displacement = displacement + update
            change = displacement - state.displacement
            largest = np.abs(update * scale).max()
            allowed = CONVERGED * np.abs(change * scale).max() + ROUNDING
    except (Inadmissible, LinAlgError) as failure:
        raise StepFailed(str(failure)) from failure
    raise StepFailed(f"no convergence in {ITERATIONS} iterations, last update {largest:.1e}")


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
    model: ShellModel, old: Begin, old_volume: float, displacement: Array, step: tuple[float, float]
) -> _WaterStep:
    row = np.zeros(displacement.shape)
    if model.water is None:
        return _WaterStep(0.0, 0.0, row)
    jet, duration = model.water.jet, step[1] - step[0]
    volume, gradient = enclosed_volume(model.shell, displacement)
    thrust, slope = jet.thrust((volume - old_volume) / duration)
    row -= slope / duration * gradient

    # That max(r) changes on the way is left to Newton's iterations: drag hardly widens a mantle.
    widest = (model.shell.rest + 0.5 * (old.displacement + displacement)[:, :2])[:, 1].max()
    coefficient = hull_drag(jet.density, model.water.drag, widest)
    change = displacement[model.base, 0] - old.displacement[model.base, 0]
    flow = sum(model.water.flow(end) for end in step) / 2.0
    force, slopes = quadratic_drag(coefficient, np.array([change / duration - flow]))
    drag = float(force[0])
    row[model.base, 0] += slopes[0, 0] / duration
    return _WaterStep(thrust, drag, row)


def _solve(
    model: ShellModel, wall: WallStep, water: _WaterStep, duration: float, residual: Array
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
    model: ShellModel,
    state: ShellState,
    displacement: Array,
    duration: float,
    wall: WallStep,
    water: _WaterStep,
    residual: Array,
    loads: Loads,
) -> tuple[ShellState, ShellAccount]:
    """Return the new state and the step's entry in the account."""
    shell = model.shell
    change = displacement - state.displacement
    velocity = 2.0 / duration * change - state.velocity
    held = shell.fixed[:, 0]
    support = -residual[held, 0]
    work = ((loads.dead + wall.push + water.force * model.share) * change).sum()
    body = -model.body * (velocity - state.velocity)[model.base, 0]
    return ShellState(displacement, velocity), ShellAccount(
        reaction=duration * float(support.sum()) + body,
        thrust=duration * water.thrust,
        drag=duration * water.drag,
        dissipated=wall.dissipated,
        work=float(work + (support * change[held, 0]).sum()),
    )
