"""A mantle in motion, stepped as a shell of revolution, as a data set."""

from __future__ import annotations

from functools import partial

import numpy as np
import xarray as xr
from scipy.sparse import csr_array

from loligo.cases.body import Mantle
from loligo.cases.case import Case
from loligo.cases.core.record import BadInput
from loligo.cases.dataset.io import factor, slope
from loligo.cases.fluid import Jet, hull_drag, quadratic_drag
from loligo.cases.load.kinds import BaseMotion, Current
from loligo.reduced.lie import Array
from loligo.reduced.predict.case_at import (
    SAME,
    Steps,
    at,
    base_rates,
    clock_of,
    refuse_jolt,
    stopped_at,
)
from loligo.reduced.predict.collect import collect
from loligo.reduced.predict.current import stream
from loligo.reduced.predict.march import states_reported
from loligo.reduced.predict.shell import (
    ASSUMPTIONS,
    LONG_NAMES,
    acting_on_wall,
    case_shell,
    wall_shape,
)
from loligo.reduced.shell import dynamics as shell_dynamics
from loligo.reduced.shell.inertia import mass_matrix
from loligo.reduced.shell.loads import Loads, TimedLoads, surface_load
from loligo.reduced.shell.model import Shell
from loligo.reduced.shell.motion import MantleWater, ShellMotion, ShellState, Surge, still
from loligo.reduced.shell.statics import NoEquilibrium, solve
from loligo.reduced.shell.wall_step import begin, wall_step
from loligo.reduced.stepping import MotionLost

_INTERVALS = 8  # steps between two reported states, before they are halved
_HALVINGS = 6
_MOMENT = 1e-4  # between two reported states, over which the forces of the wall are taken
_ROUNDS = 20  # in which a drag finds the widest ring that goes with it
_RAMP = 1e-6  # of the duration, within which a load jumps

IN_MOTION = "of the water there are jet, drag and added mass of the wall, where the case has them"


def move_shell(
    case: Case,
    body: Mantle,
    model: str,
    refine: float = 1.0,
    bending: float = 1.0,
    time_steps: Steps | None = None,
) -> xr.Dataset:
    """Return what a shell predicts at every reported time, or up to that where it stops.

    Its steps are halved until the wall is where it was with twice the step, to three times the
    case's tolerance over the meridian: the scheme is of second order, the finer one is off by a
    third of what parts the two. With `time_steps` they have that length.
    """
    assert case.time is not None
    carried = _carried(case)
    shell = case_shell(case, body, model, refine, bending)
    clock, reported = clock_of(case, _RAMP)
    driving = (name for name, load in case.load.items() if not isinstance(load, BaseMotion))
    drives = [_drive(case, shell, body, name) for name in driving]
    coords = {"meridian": ("meridian", shell.arc, {"units": "m"}), "cavity": list(body.cavities)}
    assumptions = f"{ASSUMPTIONS[model]}; {IN_MOTION}"
    water = _water(case)
    try:
        begun = _begin(case, shell, body, water)
    except NoEquilibrium as failure:
        nowhere = collect([], LONG_NAMES, coords)
        return nowhere.assign_attrs(status=f"stopped at step 1: {failure}", assumptions=assumptions)
    mass = mass_matrix(shell, case.material["body"].density, _added(case))
    start = ShellState(begun, np.zeros_like(begun))
    longest = case.time.every / (_INTERVALS * refine)
    if time_steps is not None:
        longest = time_steps.longest
    allowed = 3.0 * case.time.tolerance * body.meridian_length
    before: ShellMotion | None = None
    for halving in range(_HALVINGS):
        step = longest * 0.5**halving
        status = "complete"
        try:
            motion = shell_dynamics.simulate(
                shell, mass, clock, step, drives=drives, water=water, base=carried, start=start
            )
        except MotionLost as lost:
            motion, status = lost.reached, stopped_at(reported, len(lost.reached.time), str(lost))
        if time_steps is not None:
            break
        if before is not None and len(before.time) == len(motion.time):
            apart = (motion.displacement - before.displacement)[..., :2]
            if np.linalg.norm(apart, axis=-1).max() <= allowed:
                break
        before = motion
    else:
        assumptions += f"; steps of {step:.3g} s are not fine enough for the case's tolerance"
    kept = reported[reported < len(motion.time)]
    distilled, status = states_reported(
        lambda i: _distil_wall(case, shell, body, motion, i, mass), kept, status
    )
    found = collect(distilled, LONG_NAMES, coords)
    return found.assign_attrs(
        status=status,
        reached=float(len(distilled)),
        assumptions=assumptions,
        size=float(np.diff(shell.arc).mean()),
        step_tolerance=case.time.tolerance,
        longest_step=step,
    )


def _water(case: Case) -> MantleWater | None:
    """Jet and drag of a mantle, if it has a nozzle, in water that may flow."""
    if case.water is None or (nozzle := case.water.nozzle) is None:
        return None
    jet = Jet(case.water.density, nozzle.outflow, nozzle.inflow, nozzle.loss)
    drag = case.water.hull.drag if case.water.hull else 0.0
    flow = stream(case)
    return MantleWater(jet, drag, still if flow is None else lambda t: float(flow.velocity(t)[0]))


def _added(case: Case) -> float:
    """B_s, water that moves along with the wall over the wall's own mass."""
    return case.water.wall.added if case.water is not None and case.water.wall else 0.0


def _carried(case: Case) -> Surge | None:
    """The velocity of a base that is moved along the axis."""
    for name, load in case.load.items():
        if isinstance(load, BaseMotion):
            refuse_jolt(case, name, load)
            if any(load.displacement[1:]):
                raise BadInput(
                    f"{case.name}: load.{name}: a base that moves across the axis bends a mantle, "
                    "which no axisymmetric shell can follow; move it along x"
                )
            return partial(_surge, load)
    return None


def _surge(load: BaseMotion, time: float) -> float:
    return slope(load, time) * load.displacement[0]


def _begin(case: Case, shell: Shell, body: Mantle, water: MantleWater | None) -> Array:
    """Return the displacement in equilibrium with the loads at 0 s, in a stream with its drag.

    The drag goes by the widest ring, which it hardly widens: a few rounds are enough.
    """
    loads, _ = acting_on_wall(shell, body, at(case, 0.0), 0)
    found = solve(shell, loads).displacement
    if water is None or not (slip := -water.flow(0.0)):
        return found
    for _ in range(_ROUNDS):
        drag = _drag(shell, water, found, slip)
        pull = surface_load(shell, axial=drag / shell.area.sum())
        before, found = found, solve(shell, loads + pull).displacement
        if np.abs(found - before).max() <= SAME * shell.arc[-1]:
            break
    return found


def _drive(case: Case, shell: Shell, body: Mantle, name: str) -> TimedLoads:
    """One load at its full magnitude, and its history; of a current what accelerates it."""
    load = case.load[name]
    if isinstance(load, Current):
        assert case.water is not None  # the case has been checked
        density = case.water.density + _added(case) * case.material["body"].density
        push = density * body.thickness * load.velocity[0]
        return TimedLoads(surface_load(shell, axial=push), partial(slope, load))
    alone = load.model_copy(update={"path": (1.0,), "history": None})
    still = case.model_copy(update={"time": None, "steps": (1.0,), "load": {name: alone}})
    return TimedLoads(acting_on_wall(shell, body, still, 0)[0], partial(factor, load))


def _distil_wall(
    case: Case, shell: Shell, body: Mantle, motion: ShellMotion, i: int, mass: csr_array
) -> dict[str, Array]:
    """Everything that is reported of one time."""
    time, displacement = float(motion.time[i]), motion.displacement[i].copy()
    loads, pressure = acting_on_wall(shell, body, at(case, time), 0)
    for name, load in case.load.items():
        if isinstance(load, Current):
            drive = _drive(case, shell, body, name)
            loads += drive.history(time) * drive.loads
        if isinstance(load, BaseMotion):  # the steps sum its velocity; this is where it is
            held_at = displacement[shell.fixed[:, 0], 0][0]
            displacement[:, 0] += factor(load, time) * load.displacement[0] - held_at
    held = np.zeros(6)
    held[3] = _reaction(case, shell, motion, i, loads, mass)  # round the axis all else cancels
    return {
        **wall_shape(shell, body, displacement, pressure),
        "reaction": held,
        "reaction_tip": np.zeros(6),
        "stable": np.array(-1),
        "stored_energy": np.array(motion.stored[i]),
        "kinetic_energy": np.array(motion.kinetic[i]),
        "dissipated_energy": np.array(motion.dissipated[i]),
        "external_work": np.array(motion.stored[0] + motion.work[i]),
    }


def _reaction(
    case: Case, shell: Shell, motion: ShellMotion, i: int, loads: Loads, mass: csr_array
) -> float:
    """Return the force of the supports along x, by what wall, loads and water leave there (N).

    The wall's forces are those of a moment at the velocity. Half an element beside the support is
    as fast as it: left out is what it gains on it.
    """
    assert case.time is not None
    time, velocity, acceleration = float(motion.time[i]), 0.0, 0.0
    for load in case.load.values():
        if isinstance(load, BaseMotion):
            way = load.displacement[0]
            velocity, acceleration = (way * rate for rate in base_rates(load, time))
    moment = _MOMENT * case.time.every
    side = 0.5 * moment * motion.velocity[i]
    start = begin(shell, motion.displacement[i] - side)
    wall = wall_step(shell, start, motion.displacement[i] + side, moment, loads.pressure)
    force = wall.force - wall.push - loads.dead
    if (water := _water(case)) is not None:
        thrust, _ = water.jet.thrust(float(motion.volume_rate[i]))
        drag = _drag(shell, water, motion.displacement[i], velocity - water.flow(time))
        force = force + (thrust - drag) * surface_load(shell, axial=1.0 / shell.area.sum()).dead
    along = np.zeros(shell.fixed.shape)
    along[:, 0] = acceleration
    force = force + (mass @ along.ravel()).reshape(force.shape)
    return float(force[shell.fixed[:, 0], 0].sum())


def _drag(shell: Shell, water: MantleWater, displacement: Array, slip: float) -> float:
    """Return the drag along x (N) of a mantle whose base has a velocity in the water (m/s)."""
    widest = float((shell.rest[:, 1] + displacement[:, 1]).max())
    coefficient = hull_drag(water.jet.density, water.drag, widest)
    return float(quadratic_drag(coefficient, np.array([slip]))[0][0])
