"""An arm in motion, stepped as a Cosserat rod, as a data set."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import xarray as xr

from loligo.cases.case import Case
from loligo.cases.core.frames import strain_between
from loligo.cases.core.record import BadInput
from loligo.cases.dataset.io import factor
from loligo.cases.fluid import added_mass, quadratic_drag, section_drag
from loligo.cases.load.kinds import BaseMotion
from loligo.cases.rubber.elastomer import NeoHooke
from loligo.meshes.bodies import Arm, Piece, pieces, stations
from loligo.reduced.lie import Array
from loligo.reduced.predict.arm_loads import (
    ArmActions,
    acting_on,
    arm_rod,
    densities,
    load_marks,
    weight,
)
from loligo.reduced.predict.case_at import (
    SAME,
    Steps,
    at,
    base_rates,
    clock_of,
    refuse_jolt,
    stopped_at,
)
from loligo.reduced.predict.collect import collect_arm
from loligo.reduced.predict.current import CurrentHistory, stream
from loligo.reduced.predict.march import states_reported
from loligo.reduced.predict.rod import (
    ASSUMPTIONS,
    GIVEN_SECTIONS,
    LONG_NAMES,
    cavities,
    cell_size,
    largest_stretch,
    mean_strain,
    widening,
)
from loligo.reduced.rod.grid import FieldOfX
from loligo.reduced.rod.loads import LineLoad, Load
from loligo.reduced.rod.loadset import actuation
from loligo.reduced.rod.model import Rod
from loligo.reduced.rod.motion import dynamics as rod_dynamics
from loligo.reduced.rod.motion.equations import Carried, MovingRod, RodMotion, RodWater
from loligo.reduced.rod.motion.inertia import lumps
from loligo.reduced.rod.motion.steady import carry
from loligo.reduced.rod.statics import NotConvergedError, solve
from loligo.reduced.section.arm_law import ArmLaw, soft_pieces
from loligo.reduced.section.stiffness import section_stiffness
from loligo.reduced.stepping import MotionLost

TOLERANCE = 1e-5
"""Of a rod's step, not of the motion: an order below that of the 3D solution."""
_TWIST = 1e-5  # of a turn, or of the length, to either side for velocities by differences
_GAUSS = np.polynomial.legendre.leggauss(2)

IN_MOTION = (
    "the rubber's viscosity is in the section as its modulus is; the centres of mass lie on the "
    "axis; water moves along a section as along a long cylinder, where the case says so"
)


def move_rod(
    case: Case, body: Arm, law: ArmLaw, refine: float = 1.0, time_steps: Steps | None = None
) -> xr.Dataset:
    """Return what a rod predicts at every reported time, or up to that where it stops.

    Args:
        case: the case.
        body: its arm.
        law: its sections.
        refine: so many times the usual number of intervals.
        time_steps: by default of `TOLERANCE` over `refine`, and as long as outputs are apart.
    """
    if case.support.tip == "blocked":
        raise BadInput(f"{case.name}: a rod in motion has a free tip; its support blocks it")
    rod = arm_rod(body, law, load_marks(case, body), refine)
    base = _carried(case, rod)
    frame = np.asarray(rod.base, float) if base is None else base(0.0)
    clock, reported = clock_of(case)
    if time_steps is None:
        time_steps = Steps(TOLERANCE / refine, float(np.diff(clock).max()))
    nowhere = collect_arm(body, [], LONG_NAMES)
    acting = partial(_acting, case, body, law)
    water = _water(case, body)
    try:
        begun = solve(rod, _loads(acting(0.0))).q
        if water is not None and (flow := stream(case)) is not None and flow.velocity(0.0).any():
            begun = carry(rod, _loads(acting(0.0)), water, -flow.velocity(0.0), begun)
    except NotConvergedError as failure:
        return nowhere.assign_attrs(status=f"stopped at step 1: {failure}", assumptions=IN_MOTION)
    damping = arm_damping(case, body)
    status = "complete"
    try:
        motion = rod_dynamics.simulate(
            rod,
            arm_inertia(case, body),
            clock,
            loads=lambda time: _loads(acting(time)),
            damping=damping,
            base=base,
            water=water,
            start=MovingRod(begun, np.zeros_like(begun), frame, np.zeros(6)),
            step=time_steps.longest,
            tolerance=time_steps.tolerance,
            scheme="radau",
        )
    except MotionLost as lost:
        motion, status = lost.reached, stopped_at(reported, len(lost.reached.time), str(lost))
    kept = reported[reported < len(motion.time)]
    distilled, status = states_reported(
        lambda i: _distil(case, body, law, acting(clock[i]), motion, i, damping), kept, status
    )
    basis = GIVEN_SECTIONS if law.given else ASSUMPTIONS
    found = collect_arm(body, distilled, LONG_NAMES)
    return found.assign_attrs(
        status=status,
        reached=float(len(distilled)),
        assumptions=f"{basis}; {IN_MOTION}",
        size=cell_size(rod),
        step_tolerance=time_steps.tolerance,
        longest_step=time_steps.longest,
    )


def _acting(case: Case, body: Arm, law: ArmLaw, time: float) -> ArmActions:
    """What acts at a time, in a stream that is accelerated with the forces of its frame."""
    acting = acting_on(body, at(case, time), 0, law)
    flow = stream(case)
    if case.water is not None and flow is not None and (rate := flow.acceleration(time)).any():
        acting.outside += weight(body, densities(case), -rate)
        acting.outside += weight(body, {"body": case.water.density}, rate)
    return acting


def _loads(acting: ArmActions) -> Sequence[Load]:
    return [*acting.outside, *acting.fluid, *acting.muscle]


def _carried(case: Case, rod: Rod) -> Carried | None:
    """The frame of a base that is moved, as seen from the water.

    It must be smooth: a rod would miss the impulse.
    """
    found, flow = None, stream(case)
    for name, load in case.load.items():
        if not isinstance(load, BaseMotion):
            continue
        refuse_jolt(case, name, load)
        found = load
    if found is None and flow is None:
        return None
    return partial(_shifted, np.asarray(rod.base, float), found, flow)


def _shifted(
    rest: Array, load: BaseMotion | None, flow: CurrentHistory | None, time: float
) -> Array:
    frame = rest.copy()
    if load is not None:
        frame[:3, 3] += factor(load, time) * np.array(load.displacement)
    if flow is not None:
        frame[:3, 3] -= flow.way(time)
    return frame


def arm_inertia(case: Case, body: Arm) -> FieldOfX:
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
    full = piece.full(np.array([X]))
    mass, second = rubber * float(full.area[0]), rubber * full.second[0]
    parts = []
    for hole in piece.holes:
        parts.append((-rubber, hole.y, hole.z, hole.radius))
        if hole.sleeve:
            inner, outer = hole.sleeve
            more = wound - rubber
            parts += [(more, hole.y, hole.z, outer), (-more, hole.y, hole.z, inner)]
    for density, y, z, radius in parts:
        line = density * np.pi * radius**2
        mass += line
        second = second + line * (np.outer((y, z), (y, z)) + 0.25 * radius**2 * np.eye(2))
    inertia = mass * np.eye(6)
    inertia[0, 0] = np.trace(second)
    inertia[1:3, 1:3] = inertia[0, 0] * np.eye(2) - second
    return inertia


def _radius(body: Arm) -> FieldOfX:
    stack = pieces(body)

    def radius(X: float) -> float:
        return float(next(p for p in stack if X <= p.end or p is stack[-1]).radius(X))

    return lambda X: np.array([radius(float(x)) for x in X])


def _water(case: Case, body: Arm) -> RodWater | None:
    """The water along an arm, if any moves with it."""
    if case.water is None or case.water.strip is None:
        return None
    strip = case.water.strip
    return RodWater(case.water.density, _radius(body), strip.drag, strip.added)


def arm_damping(case: Case, body: Arm) -> FieldOfX:
    """Upsilon, the section's stiffness with eta for mu: 3 eta where it has E, eta where G."""
    viscous = {
        name: NeoHooke.model_construct(mu=rubber.viscosity, density=rubber.density)
        for name, rubber in case.material.items()
    }
    if all(rubber.viscosity == 0.0 for rubber in case.material.values()):
        return lambda X: np.zeros((len(X), 6, 6))
    return lambda X: section_stiffness(body, viscous, X)


def _distil(
    case: Case,
    body: Arm,
    law: ArmLaw,
    acting: ArmActions,
    motion: RodMotion,
    i: int,
    damping: FieldOfX,
) -> dict[str, Array]:
    """Everything that is reported of one time."""
    rod, q, rate, time = motion.rod, motion.q[i], motion.velocity[i], float(motion.time[i])
    X, flow = stations(body), stream(case)
    base, gained = motion.base[i].copy(), 0.0
    speed = _base_rates(case, time)[0]
    if flow is not None:  # back to the ground
        base[:3, 3] += flow.way(time)
        gained = _gained(case, body, motion, i, speed, flow.velocity(time))
        speed = speed + flow.velocity(time)
    frame = rod.frames(q, X)
    twist = _twists(rod, q, rate, X)
    twist[:, 3:] += np.einsum("nji,j->ni", frame[:, :3, :3], speed)
    frame[:, :3, 3] += base[:3, 3] - np.asarray(rod.base, float)[:3, 3]

    # The rod's own law; at a disc it is that of the soft length beside it
    soft = soft_pieces(body)
    beside = np.array([_beside(soft, x) for x in X])
    rest = rod.rest_strain(beside)
    excess, strain_rate = rod.strain(q, beside) - rest, rod.strain(rate, beside) - rest
    elastic = law.section_law()(excess, beside)[0]
    viscous = np.einsum("nij,nj->ni", damping(beside), strain_rate)
    solid = elastic + viscous + actuation(rod, acting.muscle, X).wrench
    fluid = actuation(rod, acting.fluid, X).wrench
    held = _base_reaction(case, body, acting, base, time, frame[0], solid[0] + fluid[0])

    strain = rod.strain_at_gauss(q)
    wide = widening(body, law, acting, rod, strain)
    return {
        "frame": frame,
        "frame_velocity": twist,
        "strain": strain_between(frame, X, mean_strain(rod, q, X)),
        "wrench": solid,
        "wrench_fluid": fluid,
        "reaction": held,
        "reaction_tip": np.zeros(6),
        "stable": np.array(-1),
        "max_stretch": np.array(largest_stretch(body, rod, q)),
        "stored_energy": np.array(motion.stored[i] + wide),
        "kinetic_energy": np.array(motion.kinetic[i] + gained),
        "dissipated_energy": np.array(motion.dissipated[i] + motion.drained[i]),
        "external_work": np.array(
            motion.stored[0] + motion.kinetic[0] + motion.work[i] + gained + wide
        ),
        **cavities(body, law, acting, rod, strain),
    }


def _base_reaction(
    case: Case, body: Arm, acting: ArmActions, base: Array, time: float, inner: Array, beyond: Array
) -> Array:
    """Return the wrench of the support, about the origin: that of the base plate's motion, too.

    Args:
        case: what is studied.
        body: its arm.
        acting: what acts on it at this time.
        base: frame of the base.
        time: now (s).
        inner: frame of the first section.
        beyond: the wrench through it, solid and fluid.
    """
    moment, force = -beyond.reshape(2, 3) @ inner[:3, :3].T
    moment = moment + np.cross(inner[:3, 3], force)
    plate = soft_pieces(body)[0].start
    X, weight = 0.5 * plate * (1.0 + _GAUSS[0]), 0.5 * plate * _GAUSS[1]
    velocity, acceleration = _base_rates(case, time)
    lines = arm_inertia(case, body)(X)[:, 3:, 3:] @ acceleration
    if (water := _water(case, body)) is not None:
        radius = np.asarray(water.radius(X) if callable(water.radius) else water.radius)
        area = np.pi * radius**2
        carried = added_mass(water.density, area, water.added)
        lines += carried * acceleration
        moment = moment + weight @ np.cross(velocity, carried * velocity)  # Munk's
        drag = section_drag(water.density, radius, water.drag)
        lines -= quadratic_drag(drag, np.broadcast_to(velocity, drag.shape))[0]
    for load in acting.outside:
        if isinstance(load, LineLoad) and load.span is not None and load.span[1] <= plate:
            lines -= load.force(X) if callable(load.force) else np.asarray(load.force)
    at = base[:3, 3] + np.outer(X, base[:3, 0])
    forces = weight[:, None] * lines
    return np.concatenate([moment + np.cross(at, forces).sum(0), force + forces.sum(0)])


def _gained(case: Case, body: Arm, motion: RodMotion, i: int, speed: Array, flow: Array) -> float:
    """Kinetic energy of an arm seen from the ground, less that seen from the stream.

    Args:
        case: what is studied.
        body: its arm.
        motion: as seen from the stream.
        i: which of its times.
        speed: of the base, as seen from the stream.
        flow: velocity of the stream.
    """
    rod, X = motion.rod, motion.rod.grid.nodes
    mass = lumps(rod, arm_inertia(case, body), None, None).mass
    own = _twists(rod, motion.q[i], motion.velocity[i], X)[:, 3:]
    turn = rod.frames(motion.q[i], X)[:, :3, :3]
    velocity = np.einsum("nij,nj->ni", turn, own) + speed
    return float(mass @ (velocity @ flow)) + 0.5 * float(mass.sum() * (flow @ flow))


def _base_rates(case: Case, time: float) -> tuple[Array, Array]:
    """Velocity and acceleration in the water of the base, which a sine moves, if anything does."""
    velocity: Array = np.zeros(3)
    acceleration: Array = np.zeros(3)
    if (flow := stream(case)) is not None:
        velocity, acceleration = -flow.velocity(time), -flow.acceleration(time)
    for load in case.load.values():
        if isinstance(load, BaseMotion):
            rate, growth = base_rates(load, time)
            velocity += rate * np.array(load.displacement)
            acceleration += growth * np.array(load.displacement)
    return velocity, acceleration


def _beside(soft: Sequence[Piece], x: float) -> float:
    """The nearest place within a soft length."""
    gaps = [(SAME * p.length, p) for p in soft]
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
