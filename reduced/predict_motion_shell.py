"""A mantle in motion, stepped as a shell of revolution, as a data set."""

from __future__ import annotations

from functools import partial

import numpy as np
import xarray as xr

from loligo.cases.body import Mantle
from loligo.cases.case import Case
from loligo.cases.dataset import factor
from loligo.cases.fluid import Jet
from loligo.cases.load import BaseMotion
from loligo.cases.record import BadInput
from loligo.reduced import shell_dynamics
from loligo.reduced.lie import Array
from loligo.reduced.predict_data import collect
from loligo.reduced.predict_motion import at, clock_of, stopped_at
from loligo.reduced.predict_shell import (
    ASSUMPTIONS,
    LONG_NAMES,
    acting_on_wall,
    case_shell,
    wall_shape,
)
from loligo.reduced.shell import Shell
from loligo.reduced.shell_inertia import mass_matrix
from loligo.reduced.shell_loads import Drive, Loads, surface_load
from loligo.reduced.shell_motion import Motion, State, Water
from loligo.reduced.shell_statics import NoEquilibrium, solve
from loligo.reduced.shell_step import begin, wall_step

_INTERVALS = 8  # steps between two reported states, before they are halved
_HALVINGS = 6
_MOMENT = 1e-4  # between two reported states, over which the forces of the wall are taken
_RAMP = 1e-6  # of the duration, within which a load jumps

IN_MOTION = "of the water there are jet and added mass of the wall, where the case has them"


def move_shell(
    case: Case, body: Mantle, model: str, refine: float = 1.0, bending: float = 1.0
) -> xr.Dataset:
    """Return what a shell predicts at every reported time, or up to that where it stops.

    Its steps are halved until the wall is where it was with twice the step, to three times the
    case's tolerance over the meridian: the scheme is of second order, the finer one is off by a
    third of what parts the two.
    """
    assert case.time is not None
    for name, load in case.load.items():
        if isinstance(load, BaseMotion):
            raise BadInput(f"{case.name}: load.{name}: the edge of a shell in motion must stay")
    shell = case_shell(case, body, model, refine, bending)
    clock, reported = clock_of(case, _RAMP)
    drives = [_drive(case, shell, body, name) for name in case.load]
    loads, _ = acting_on_wall(shell, body, at(case, 0.0), 0)
    coords = {"meridian": ("meridian", shell.arc, {"units": "m"}), "cavity": list(body.cavities)}
    assumptions = f"{ASSUMPTIONS[model]}; {IN_MOTION}"
    try:
        begun = solve(shell, loads).displacement
    except NoEquilibrium as failure:
        nowhere = collect([], LONG_NAMES, coords)
        return nowhere.assign_attrs(status=f"stopped at step 1: {failure}", assumptions=assumptions)
    water = _water(case)
    wall = case.water.wall if case.water is not None else None
    mass = mass_matrix(shell, case.material["body"].density, wall.added if wall else 0.0)
    start = State(begun, np.zeros_like(begun))
    longest = case.time.every / (_INTERVALS * refine)
    allowed = 3.0 * case.time.tolerance * body.meridian_length
    before: Motion | None = None
    for halving in range(_HALVINGS):
        step = longest * 0.5**halving
        status = "complete"
        try:
            motion = shell_dynamics.simulate(
                shell, mass, clock, step, drives=drives, water=water, start=start
            )
        except shell_dynamics.MotionLost as lost:
            motion, status = lost.reached, stopped_at(reported, len(lost.reached.time), str(lost))
        if before is not None and len(before.time) == len(motion.time):
            apart = (motion.displacement - before.displacement)[..., :2]
            if np.linalg.norm(apart, axis=-1).max() <= allowed:
                break
        before = motion
    else:
        assumptions += f"; steps of {step:.3g} s are not fine enough for the case's tolerance"
    kept = reported[reported < len(motion.time)]
    steps = [_distil_wall(case, shell, body, motion, int(i)) for i in kept]
    found = collect(steps, LONG_NAMES, coords)
    return found.assign_attrs(status=status, assumptions=assumptions)


def _water(case: Case) -> Water | None:
    """The jet of a mantle, if it has one; a base that stays is not dragged."""
    if case.water is None or (nozzle := case.water.nozzle) is None:
        return None
    return Water(Jet(case.water.density, nozzle.outflow, nozzle.inflow, nozzle.loss))


def _drive(case: Case, shell: Shell, body: Mantle, name: str) -> Drive:
    """One load at its full magnitude, and its history."""
    load = case.load[name]
    alone = load.model_copy(update={"path": (1.0,), "history": None})
    still = case.model_copy(update={"time": None, "steps": (1.0,), "load": {name: alone}})
    return Drive(acting_on_wall(shell, body, still, 0)[0], partial(factor, load))


def _distil_wall(
    case: Case, shell: Shell, body: Mantle, motion: Motion, i: int
) -> dict[str, Array]:
    """Everything that is reported of one time."""
    loads, pressure = acting_on_wall(shell, body, at(case, float(motion.time[i])), 0)
    held = np.zeros(6)
    held[3] = _reaction(case, shell, motion, i, loads)  # round the axis all else cancels
    return {
        **wall_shape(shell, body, motion.displacement[i], pressure),
        "reaction": held,
        "reaction_tip": np.zeros(6),
        "stable": np.array(-1),
        "stored_energy": np.array(motion.stored[i]),
        "kinetic_energy": np.array(motion.kinetic[i]),
        "dissipated_energy": np.array(motion.dissipated[i]),
        "external_work": np.array(motion.stored[0] + motion.work[i]),
    }


def _reaction(case: Case, shell: Shell, motion: Motion, i: int, loads: Loads) -> float:
    """Return the force of the supports along x, by what wall, loads and jet leave there (N).

    The wall's forces are those of a moment at the velocity. Left out is the inertia of half an
    element beside a support that stays.
    """
    assert case.time is not None
    moment = _MOMENT * case.time.every
    side = 0.5 * moment * motion.velocity[i]
    start = begin(shell, motion.displacement[i] - side)
    wall = wall_step(shell, start, motion.displacement[i] + side, moment, loads.pressure)
    force = wall.force - wall.push - loads.dead
    if (water := _water(case)) is not None:
        thrust, _ = water.jet.thrust(float(motion.volume_rate[i]))
        force = force + thrust * surface_load(shell, axial=1.0 / shell.area.sum()).dead
    return float(force[shell.fixed[:, 0], 0].sum())
