"""A case in motion, stepped as a Cosserat rod or as a shell of revolution, as a data set.

At any time its loads are those of a static case (`at`), so that arms and walls are loaded in motion
as in statics. It begins in equilibrium with its loads at 0 s. What the loads have done until then
is what is stored, since they got there slowly: external_work begins with it, and external work less
stored, kinetic and dissipated energy is what the scheme loses.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import xarray as xr

from loligo.cases.body import Mantle
from loligo.cases.case import Case
from loligo.cases.dataset import factor
from loligo.cases.elastomer import NeoHooke
from loligo.cases.frames import strain_between
from loligo.cases.history import Sine
from loligo.cases.load import BaseMotion, RecruitedTorque
from loligo.cases.record import BadInput
from loligo.meshes.bodies import Arm, Piece, pieces, stations
from loligo.reduced import rod_dynamics, shell_dynamics
from loligo.reduced.lie import Array
from loligo.reduced.predict_arm import Acting, acting_on, arm_rod, load_marks
from loligo.reduced.predict_data import collect, collect_arm
from loligo.reduced.predict_rod import ASSUMPTIONS as ROD_ASSUMPTIONS
from loligo.reduced.predict_rod import (
    GIVEN_SECTIONS,
    LONG_NAMES,
    cavities,
    largest_stretch,
    widening,
)
from loligo.reduced.predict_section import ArmLaw, soft_pieces
from loligo.reduced.predict_shell import ASSUMPTIONS as WALL_ASSUMPTIONS
from loligo.reduced.predict_shell import LONG_NAMES as WALL_NAMES
from loligo.reduced.predict_shell import acting_on_wall, case_shell, wall_shape
from loligo.reduced.rod import Rod
from loligo.reduced.rod_grid import FieldOfX
from loligo.reduced.rod_loads import Load
from loligo.reduced.rod_loadset import actuation
from loligo.reduced.rod_motion import Carried, Motion, State
from loligo.reduced.rod_solve import NotConvergedError
from loligo.reduced.rod_solve import solve as solve_rod
from loligo.reduced.sections import section_stiffness
from loligo.reduced.shell import Shell
from loligo.reduced.shell_inertia import mass_matrix
from loligo.reduced.shell_loads import Drive
from loligo.reduced.shell_motion import Motion as WallMotion
from loligo.reduced.shell_motion import State as WallState
from loligo.reduced.shell_statics import NoEquilibrium
from loligo.reduced.shell_statics import solve as solve_shell

TOLERANCE = 1e-5
"""Of a rod's step: an order below that of the 3D solution."""
_INTERVALS = 8  # steps of a shell between two reported states, before they are halved
_HALVINGS = 6
_SAME = 1e-9  # of the duration: times that are one
_RAMP = 1e-6  # of the duration, within which a shell's load jumps
_TWIST = 1e-5  # of a turn, or of the length, to either side for velocities by differences

IN_MOTION = (
    "the rubber's viscosity is in the section as its modulus is; the centres of mass lie on the "
    "axis; water neither drags nor moves along"
)


def move_rod(case: Case, body: Arm, law: ArmLaw, refine: int = 1) -> xr.Dataset:
    """Return what a rod predicts at every reported time, or up to that where it stops."""
    if case.support.tip == "blocked":
        raise BadInput(f"{case.name}: a rod in motion has a free tip; its support blocks it")
    rod = arm_rod(body, law, load_marks(case, body), refine)
    base = _carried(case, rod)
    frame = np.asarray(rod.base, float) if base is None else base(0.0)
    clock, reported = _clock(case)
    nowhere = collect_arm(body, [], LONG_NAMES)
    acting = partial(_acting, case, body, law)
    try:
        begun = solve_rod(rod, _loads(acting(0.0)))
    except NotConvergedError as failure:
        return nowhere.assign_attrs(status=f"stopped at step 1: {failure}", assumptions=IN_MOTION)
    damping = _damping(case, body)
    status = "complete"
    try:
        motion = rod_dynamics.simulate(
            rod,
            _inertia(case, body),
            clock,
            loads=lambda time: _loads(acting(time)),
            damping=damping,
            base=base,
            start=State(begun.q, np.zeros_like(begun.q), frame, np.zeros(6)),
            tolerance=TOLERANCE / refine,
            scheme="radau",
        )
    except rod_dynamics.MotionLost as lost:
        motion, status = lost.reached, _stopped(reported, len(lost.reached.time), str(lost))
    kept = reported[reported < len(motion.time)]
    steps = [_distil(body, law, acting(clock[i]), motion, int(i), damping) for i in kept]
    basis = GIVEN_SECTIONS if law.given else ROD_ASSUMPTIONS
    found = collect_arm(body, steps, LONG_NAMES)
    return found.assign_attrs(status=status, assumptions=f"{basis}; {IN_MOTION}")


def move_shell(
    case: Case, body: Mantle, model: str, refine: int = 1, bending: float = 1.0
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
    clock, reported = _clock(case, _RAMP)
    drives = [_drive(case, shell, body, name) for name in case.load]
    loads, _ = acting_on_wall(shell, body, at(case, 0.0), 0)
    coords = {"meridian": ("meridian", shell.arc, {"units": "m"}), "cavity": list(body.cavities)}
    assumptions = f"{WALL_ASSUMPTIONS[model]}; water neither drags nor moves along"
    try:
        begun = solve_shell(shell, loads).displacement
    except NoEquilibrium as failure:
        nowhere = collect([], WALL_NAMES, coords)
        return nowhere.assign_attrs(status=f"stopped at step 1: {failure}", assumptions=assumptions)
    mass = mass_matrix(shell, case.material["body"].density)
    start = WallState(begun, np.zeros_like(begun))
    longest = case.time.every / (_INTERVALS * refine)
    allowed = 3.0 * case.time.tolerance * body.meridian_length
    before: WallMotion | None = None
    for halving in range(_HALVINGS):
        step = longest * 0.5**halving
        status = "complete"
        try:
            motion = shell_dynamics.simulate(shell, mass, clock, step, drives=drives, start=start)
        except shell_dynamics.MotionLost as lost:
            motion, status = lost.reached, _stopped(reported, len(lost.reached.time), str(lost))
        if before is not None and len(before.time) == len(motion.time):
            apart = (motion.displacement - before.displacement)[..., :2]
            if np.linalg.norm(apart, axis=-1).max() <= allowed:
                break
        before = motion
    else:
        assumptions += f"; steps of {step:.3g} s are not fine enough for the case's tolerance"
    kept = reported[reported < len(motion.time)]
    steps = [_distil_wall(case, shell, body, motion, int(i)) for i in kept]
    found = collect(steps, WALL_NAMES, coords)
    return found.assign_attrs(status=status, assumptions=assumptions)


def at(case: Case, time: float) -> Case:
    """Return the static case with the loads of a motion as they are at a time (s).

    A torque that spreads has its length of that time; what moves the base is no load.
    """
    loads = {}
    for name, load in case.load.items():
        share = factor(load, time)
        if isinstance(load, BaseMotion):
            continue
        if isinstance(load, RecruitedTorque) and load.spreads:
            if share * load.recruited < _SAME:
                continue
            changes = {"recruited": share * load.recruited, "spreads": False}
            share, load = 1.0, load.model_copy(update=changes)
        loads[name] = load.model_copy(update={"path": (share,), "history": None})
    return case.model_copy(update={"time": None, "steps": (1.0,), "load": loads})


def _clock(case: Case, ramp: float = 0.0) -> tuple[Array, Array]:
    """Times at which a step must end, and which of them are reported.

    Those are where a load jumps or turns, too; `ramp`, in durations, puts one more behind a jump.
    """
    assert case.time is not None
    end = case.time.duration
    histories = [load.history for load in case.load.values() if load.history is not None]
    jumps = [t for history in histories for t in history.jumps(end)]
    behind = [t + ramp * end for t in jumps] if ramp else []
    kinks = [t for history in histories for t in history.kinks(end)]
    wanted = list(case.time.times)
    clock: list[float] = []
    for time in [*jumps, *behind, *wanted, *kinks]:
        inside = time <= end * (1.0 + _SAME)
        if inside and all(abs(time - other) > _SAME * end for other in clock):
            clock.append(time)
    ordered = np.array(sorted(clock))
    return ordered, np.abs(ordered - np.array(wanted)[:, None]).argmin(axis=1)


def _stopped(reported: Array, reached: int, why: str) -> str:
    return f"stopped at step {int(np.sum(reported < reached)) + 1}: {why}"


# Rods


def _acting(case: Case, body: Arm, law: ArmLaw, time: float) -> Acting:
    return acting_on(body, at(case, time), 0, law)


def _loads(acting: Acting) -> Sequence[Load]:
    return [*acting.outside, *acting.fluid, *acting.muscle]


def _carried(case: Case, rod: Rod) -> Carried | None:
    """The frame of a base that is moved, which must be smooth: a rod would miss the impulse."""
    for name, load in case.load.items():
        if not isinstance(load, BaseMotion):
            continue
        history = load.history
        if history is not None:
            jolts = not isinstance(history, Sine) or abs(np.cos(history.phase)) > 1e-9
            if jolts:
                raise BadInput(
                    f"{case.name}: load.{name}: the velocity of the base jumps, and the impulse is "
                    'not in a rod; move it by a sine with phase = "90 deg" or "-90 deg"'
                )
        return partial(_shifted, np.asarray(rod.base, float), load)
    return None


def _shifted(rest: Array, load: BaseMotion, time: float) -> Array:
    frame = rest.copy()
    frame[:3, 3] += factor(load, time) * np.array(load.displacement)
    return frame


def _inertia(case: Case, body: Arm) -> FieldOfX:
    """Inertia per length of an arm: discs weigh like the rubber of `body`, holes are empty."""
    rubber = case.material["body"].density
    wound = case.material.get("winding", case.material["body"]).density
    stack = pieces(body)

    def section(X: float) -> Array:
        piece = next(p for p in stack if X <= p.end or p is stack[-1])
        return section_inertia(piece, X, rubber, wound)

    return lambda X: np.array([section(float(x)) for x in X])


def section_inertia(piece: Piece, X: float, rubber: float, wound: float) -> Array:
    """Return [[J, 0], [0, m I]] of a disc with round holes and their sleeves, about the axis."""
    parts = [(rubber, 0.0, 0.0, float(piece.radius(np.array(X))))]
    for hole in piece.holes:
        parts.append((-rubber, hole.y, hole.z, hole.radius))
        if hole.sleeve:
            inner, outer = hole.sleeve
            more = wound - rubber
            parts += [(more, hole.y, hole.z, outer), (-more, hole.y, hole.z, inner)]
    mass, second = 0.0, np.zeros((2, 2))
    for density, y, z, radius in parts:
        line = density * np.pi * radius**2
        mass += line
        second += line * (np.outer((y, z), (y, z)) + 0.25 * radius**2 * np.eye(2))
    inertia = mass * np.eye(6)
    inertia[0, 0] = np.trace(second)
    inertia[1:3, 1:3] = inertia[0, 0] * np.eye(2) - second
    return inertia


def _damping(case: Case, body: Arm) -> FieldOfX:
    """Upsilon, the section's stiffness with eta for mu: 3 eta where it has E, eta where G."""
    viscous = {
        name: NeoHooke.model_construct(mu=rubber.viscosity, density=rubber.density)
        for name, rubber in case.material.items()
    }
    if all(rubber.viscosity == 0.0 for rubber in case.material.values()):
        return lambda X: np.zeros((len(X), 6, 6))
    return lambda X: section_stiffness(body, viscous, X)


def _distil(
    body: Arm, law: ArmLaw, acting: Acting, motion: Motion, i: int, damping: FieldOfX
) -> dict[str, Array]:
    """Everything that is reported of one time."""
    rod, q, rate = motion.rod, motion.q[i], motion.velocity[i]
    X = np.append(stations(body), 0.0)
    shift = motion.base[i, :3, 3] - np.asarray(rod.base, float)[:3, 3]
    frame = rod.frames(q, X)
    twist = _twists(rod, q, rate, X)
    carry = motion.base[i, :3, :3] @ motion.base_twist[i, 3:]
    twist[:, 3:] += np.einsum("nji,j->ni", frame[:, :3, :3], carry)
    frame[:, :3, 3] += shift

    # The rod's own law; at a disc it is that of the soft length beside it
    soft = soft_pieces(body)
    beside = np.array([_beside(soft, x) for x in X])
    rest = rod.rest_strain(beside)
    excess, strain_rate = rod.strain(q, beside) - rest, rod.strain(rate, beside) - rest
    elastic = law.section_law()(excess, beside)[0]
    viscous = np.einsum("nij,nj->ni", damping(beside), strain_rate)
    solid = elastic + viscous + actuation(rod, acting.muscle, X).wrench

    strain = rod.strain_at_gauss(q)
    wide = widening(body, law, acting, rod, strain)
    return {
        "frame": frame[:-1],
        "frame_velocity": twist[:-1],
        "strain": strain_between(frame[:-1], X[:-1]),
        "wrench": solid[:-1],
        "wrench_fluid": actuation(rod, acting.fluid, X[:-1]).wrench,
        **_base_reaction(frame[-1], solid[-1], soft[0]),
        "reaction_tip": np.zeros(6),
        "stable": np.array(-1),
        "max_stretch": np.array(largest_stretch(body, rod, q)),
        "stored_energy": np.array(motion.stored[i] + wide),
        "kinetic_energy": np.array(motion.kinetic[i]),
        "dissipated_energy": np.array(motion.dissipated[i]),
        "external_work": np.array(motion.stored[0] + motion.work[i] + wide),
        **cavities(body, law, acting, rod, strain),
    }


def _base_reaction(base: Array, solid: Array, first: Piece) -> dict[str, Array]:
    """The wrench of the support, about the origin, where the base is soft: a plate would move, too.

    Its inertia is not in the section law of the soft length beside it.
    """
    if first.start > 0.0:
        return {}
    moment, force = -solid.reshape(2, 3) @ base[:3, :3].T
    return {"reaction": np.append(moment + np.cross(base[:3, 3], force), force)}


def _beside(soft: Sequence[Piece], x: float) -> float:
    """The nearest place within a soft length."""
    gaps = [(_SAME * p.length, p) for p in soft]
    near = [float(np.clip(x, p.start + gap, p.end - gap)) for gap, p in gaps]
    return min(near, key=lambda place: abs(place - x))


def _twists(rod: Rod, q: Array, rate: Array, X: Array) -> Array:
    """Twists g^-1 dg/dt of the sections at X of a rod on a base at rest, by central differences.

    The strains differ by `_TWIST` at most, over the length: the error is of its square.
    """
    turned = np.abs(rod.strain_at_gauss(rate) - rod.rest_at_gauss) * ([rod.length] * 3 + [1.0] * 3)
    fastest = float(turned.max())
    if fastest == 0.0:
        return np.zeros((len(X), 6))
    h = _TWIST / fastest
    change = (rod.frames(q + h * rate, X) - rod.frames(q - h * rate, X)) / (2.0 * h)
    own = np.swapaxes(rod.frames(q, X)[:, :3, :3], 1, 2)
    spin = own @ change[:, :3, :3]
    angular = 0.5 * np.stack(
        [spin[:, a, b] - spin[:, b, a] for a, b in ((2, 1), (0, 2), (1, 0))], axis=1
    )
    linear = (own @ change[:, :3, 3, None])[:, :, 0]
    return np.concatenate([angular, linear], axis=1)


# Shells


def _drive(case: Case, shell: Shell, body: Mantle, name: str) -> Drive:
    """One load at its full magnitude, and its history."""
    load = case.load[name]
    alone = load.model_copy(update={"path": (1.0,), "history": None})
    still = case.model_copy(update={"time": None, "steps": (1.0,), "load": {name: alone}})
    return Drive(acting_on_wall(shell, body, still, 0)[0], partial(factor, load))


def _distil_wall(
    case: Case, shell: Shell, body: Mantle, motion: WallMotion, i: int
) -> dict[str, Array]:
    """Everything that is reported of one time."""
    _, pressure = acting_on_wall(shell, body, at(case, float(motion.time[i])), 0)
    return {
        **wall_shape(shell, body, motion.displacement[i], pressure),
        "reaction_tip": np.zeros(6),
        "stable": np.array(-1),
        "stored_energy": np.array(motion.stored[i]),
        "kinetic_energy": np.array(motion.kinetic[i]),
        "dissipated_energy": np.array(motion.dissipated[i]),
        "external_work": np.array(motion.stored[0] + motion.work[i]),
    }
