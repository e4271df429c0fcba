"""From a case and its mesh to a problem, and to the values of everything that drives it.

Values keep the names of the data set: ``load_<name>`` for a load of the case, in SI and with its
factor; a cavity's own name for its gauge pressure (Pa), or the volume that it and its supply hold
(m^3); ``tendon_<number>`` for a tension (N) or a shortening (m).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, assert_never

import numpy as np

from loligo.cases.body import Bar, Body, ChamberedArm, Mantle, Solid, TaperedArm
from loligo.cases.case import Case
from loligo.cases.dataset.io import factor, magnitude, slope
from loligo.cases.fluid import Jet
from loligo.cases.load import kinds as record
from loligo.cases.rubber.elastomer import Elastomer
from loligo.fem.core.domain import Domain
from loligo.fem.core.value_text import units_of
from loligo.fem.loads.base import Load, Pressure, StreamPressure, Vector, WaterPressure, Weight
from loligo.fem.loads.cavities import Cavity
from loligo.fem.loads.discs import DiscForce, DiscMoment, disc_material, tip_point
from loligo.fem.loads.muscles import HoopMuscle, RecruitedMuscle, mantle_band
from loligo.fem.loads.supports import Fixed, Moved
from loligo.fem.loads.tendons import Tendon, tendon
from loligo.fem.materials.thread import windings
from loligo.fem.observe.mantle_profile import middle_points
from loligo.fem.observe.wrench import Slabs
from loligo.fem.problem.problem import Problem
from loligo.fem.water.jet import DraggedHull, JetWater
from loligo.fem.water.strips import FlowingWater, MovingWater, strips
from loligo.meshes.bodies import Piece, centreline, pieces, station_planes

TIP = "disc_tip"
"""The cell group that tip loads act on, and that a blocked tip holds."""


@dataclass(frozen=True)
class TimedValues:
    """What moves a body in time."""

    times: tuple[float, ...]
    """Of the reported states, the first that where the motion begins (s)."""
    values: Callable[[float], Mapping[str, float]]
    """By name, of the time; where one jumps, those before."""
    jumps: tuple[float, ...]
    kinks: tuple[float, ...]


@dataclass(frozen=True)
class Setup:
    """A problem at rest, and where the case wants it to go."""

    problem: Problem
    targets: tuple[Mapping[str, float], ...]
    """Values by name at every reported step."""
    rest: Mapping[str, float]
    """The same at rest."""
    volume_controlled: tuple[str, ...] = ()
    """Cavities on a supply and tendons that are wound up: their values are what is delivered."""
    drive: TimedValues | None = None
    """Of a motion, that begins in equilibrium at the first target."""


def set_up(case: Case, domain: Domain) -> Setup:
    """Return the problem of a case on a mesh of its body.

    The base face is clamped, a blocked tip disc held throughout. Water and outer pressure act on
    the whole surface of the solid, held faces and cavities included, so that what they leave is
    buoyancy, or nothing; pressures of cavities are relative to them.
    """
    body = case.body
    supplied = {
        cavity: load.compliance
        for load in case.load.values()
        if isinstance(load, record.Supply)
        for cavity in load.cavities
    }
    wound = {
        f"tendon_{number}"
        for load in case.load.values()
        if isinstance(load, record.TendonShortening)
        for number in load.tendons
    }
    stream = _stream(case)
    problem = Problem(
        domain,
        materials(case, domain),
        supports=[_base(case), *([Fixed(cells=TIP)] if case.support.tip == "blocked" else [])],
        loads=[
            made
            for name, load in case.load.items()
            if (made := _load(f"load_{name}", load, case, domain)) is not None
        ]
        + _stream_pressure(case, stream),
        cavities=[
            Cavity(
                name,
                f"cavity_{name}",
                open_along_x=isinstance(body, Mantle),
                compliance=supplied.get(name, 0.0),
            )
            for name in body.cavities
        ],
        windings=windings(_stack(body), case.winding, domain) if case.winding else (),
        tendons=_tendons(case),
        parameters=(stream.speed,) if stream else (),
        moving=case.time is not None,
        added_mass=case.water.wall.added if case.water and case.water.wall else 0.0,
        conserving=case.time is not None and case.time.scheme == "conserving",
    )
    problem.units = units_of(case)
    if (water := strips(case)) is not None:
        slabs = Slabs(domain, centreline(body), station_planes(body))
        problem.water = MovingWater(problem, water, slabs, stream)
    if case.water is not None and (nozzle := case.water.nozzle) is not None:
        jet = Jet(case.water.density, nozzle.outflow, nozzle.inflow, nozzle.loss)
        problem.water = JetWater(problem, problem.cavities[0], jet, _hull(case), stream)
    rest = {cavity: problem.cavity_volume(cavity) for cavity in supplied}
    drive = _drive(case, rest) if case.time is not None else None
    if drive:
        targets = tuple(drive.values(time) for time in drive.times)
    else:
        targets = tuple(
            _values(case, rest, f"step {i + 1}", partial(_at_step, case, i))
            for i in range(len(case.steps))
        )
    return Setup(
        problem,
        targets,
        {**dict.fromkeys(targets[0], 0.0), **rest},
        tuple(sorted({*supplied, *wound})),
        drive,
    )


def _at_step(case: Case, step: int, load: record.Load) -> float:
    """Return the factor on a load at a static step."""
    return (load.path or case.steps)[step]


def _drive(case: Case, supplied: Mapping[str, float]) -> TimedValues:
    assert case.time is not None
    end, histories = case.time.duration, [load.history for load in case.load.values()]
    jumps = {t for history in histories if history for t in history.jumps(end)}
    for load in case.load.values():
        if isinstance(load, record.Current) and load.history:
            jumps |= {0.0, *load.history.kinks(end)}  # of its acceleration
    return TimedValues(
        case.time.times,
        lambda t: (
            _values(case, supplied, f"{t:.4g} s", lambda load: factor(load, t))
            | _stream_rates(case, t)
        ),
        tuple(sorted(jumps)),
        tuple(sorted({t for history in histories if history for t in history.kinks(end)})),
    )


def _stream(case: Case) -> FlowingWater | None:
    """Return what a current is by a problem's values."""
    for name, load in case.load.items():
        if isinstance(load, record.Current):
            return FlowingWater(f"load_{name}", f"rate_of_load_{name}", _direction(load.velocity))
    return None


def _stream_pressure(case: Case, stream: FlowingWater | None) -> list[Load]:
    if stream is None:
        return []
    assert case.water is not None  # the case has been checked
    density = case.water.density
    if case.water.wall is not None:  # its inertia is by its own acceleration, not that in the water
        density += case.water.wall.added * case.material["body"].density
    return [StreamPressure(stream.rate, density, stream.along)]


def _hull(case: Case) -> DraggedHull | None:
    """Return what of a mantle is dragged."""
    if case.water is None or case.water.hull is None:
        return None
    assert isinstance(case.body, Mantle)  # the case has been checked
    return DraggedHull(case.water.hull.drag, middle_points(case.body))


def _stream_rates(case: Case, time: float) -> dict[str, float]:
    """Return the acceleration of a current at a time, by the name of its value."""
    return {
        f"rate_of_load_{name}": magnitude(load, case)[0] * slope(load, time)
        for name, load in case.load.items()
        if isinstance(load, record.Current)
    }


def _base(case: Case) -> Fixed | Moved:
    """Return what holds the base, or carries it."""
    for name, load in case.load.items():
        if isinstance(load, record.BaseMotion):
            along = np.array(_direction(load.displacement))[:, None]
            return Moved(f"load_{name}", "base", lambda x, value: value * along + 0.0 * x)
    return Fixed("base")


def materials(case: Case, domain: Domain) -> dict[str, Elastomer]:
    """Return what every group of cells is made of; `body` serves the groups that are not named.

    A disc that is held throughout needs a bulk modulus, see :class:`Fixed`: as far above its shear
    modulus as that is above the body's.
    """
    body = case.material["body"]
    rigid = {f"disc_{name}" for name in case.body.discs}
    found: dict[str, Elastomer] = {}
    for group in domain.cell_groups:
        found[group] = case.material.get(group, body)
        if group in rigid:
            found[group] = disc = disc_material(body)
            if group == TIP and case.support.tip == "blocked":
                bulk = disc.mu**2 / body.shear_modulus
                found[group] = disc.model_copy(update={"bulk_modulus": bulk})
    return found


def _load(name: str, load: record.Load, case: Case, domain: Domain) -> Load | None:
    """Return what does a load's work; None for those that have objects of their own.

    Pressures and supplies have cavities, tendons are their own, a base motion is a support, a
    current moves the water.
    """
    surface = tuple(domain.facet_groups)  # of groups inside the body there is no surface to act on
    match load:
        case record.Weight():
            return Weight(name, case.gravity)
        case record.Water():
            assert case.water is not None  # the case has been checked
            return WaterPressure(name, surface, case.water.base_depth, case.gravity)
        case record.OuterPressure():
            return Pressure(name, surface)
        case record.TipForce():
            x, y, z = tip_point(case.body, domain)
            at = x + load.offset[0], y + load.offset[1], z + load.offset[2]
            return DiscForce(name, TIP, at, _direction(load.force), load.follower)
        case record.TipMoment():
            return DiscMoment(name, TIP, _direction(load.moment), load.follower)
        case record.HoopTension():
            assert isinstance(case.body, Mantle)
            band = mantle_band(case.body, *load.band) if load.band else None
            return HoopMuscle(name, "body", case.body.thickness, band)
        case record.RecruitedTorque():
            assert isinstance(case.body, TaperedArm)
            return RecruitedMuscle(
                name,
                "body",
                start=case.body.base_disc,
                reach=(1.0 if load.spreads else load.recruited) * case.body.length,
                direction=_direction((0.0, *load.moment))[1:],
                second_moment=_second_moment(case.body),
                moment=math.hypot(*load.moment) if load.spreads else None,
            )
        case (
            record.CavityPressure()
            | record.Supply()
            | record.TendonTension()
            | record.TendonShortening()
            | record.BaseMotion()
            | record.Current()
        ):
            return None
        case unknown:
            assert_never(unknown)


def _values(
    case: Case,
    supplied: Mapping[str, float],
    when: str,
    factors: Callable[[record.Load], float],
) -> dict[str, float]:
    """Return every value at one instant; several loads on one cavity or tendon add up.

    Args:
        case: the case.
        supplied: volume at rest of the cavities that have a supply (m^3).
        when: names the instant in a complaint.
        factors: gives the factor on every load.
    """
    values = {cavity: supplied.get(cavity, 0.0) for cavity in case.body.cavities}
    values |= {one.name: 0.0 for one in _tendons(case)}
    for name, load in case.load.items():
        value = magnitude(load, case)[0] * factors(load)
        match load:
            case record.CavityPressure() | record.Supply():
                for cavity in load.cavities:
                    values[cavity] += value
            case record.TendonTension() | record.TendonShortening():
                if isinstance(load, record.TendonTension) and value < 0.0:
                    raise ValueError(
                        f"load.{name}: a tendon cannot push; its tension at {when} is {value:.4g} N"
                    )
                for number in load.tendons:
                    values[f"tendon_{number}"] += value
            case record.OuterPressure():
                for cavity in set(case.body.cavities) - set(supplied):
                    values[cavity] -= value
                values[f"load_{name}"] = value
            case (
                record.Weight()
                | record.Water()
                | record.TipForce()
                | record.TipMoment()
                | record.HoopTension()
                | record.RecruitedTorque()
                | record.BaseMotion()
                | record.Current()
            ):
                values[f"load_{name}"] = value
            case unknown:
                assert_never(unknown)
    return values


def _stack(body: Body) -> tuple[Piece, ...]:
    match body:
        case TaperedArm() | ChamberedArm() | Bar():
            return pieces(body)
        case Mantle() | Solid():
            return ()
        case unknown:
            assert_never(unknown)


def _tendons(case: Case) -> list[Tendon]:
    """Return the tendons that a load pulls."""
    kinds = record.TendonTension | record.TendonShortening
    loads = [load for load in case.load.values() if isinstance(load, kinds)]
    pulled = {number for load in loads for number in load.tendons}
    return [tendon(case.body, number) for number in sorted(pulled)]


def _direction(vector: Vector) -> Vector:
    """Return the unit vector along a force or moment; any one along a zero."""
    size = math.hypot(*vector)
    return (vector[0] / size, vector[1] / size, vector[2] / size) if size > 0.0 else (1.0, 0.0, 0.0)


def _second_moment(body: TaperedArm) -> Callable[[Any], Any]:
    """Return I(x) = pi/4 (R^4 - bore^4) of the soft part (m^4, UFL)."""
    slope = (body.tip_radius - body.base_radius) / body.length

    def second_moment(x: Any) -> Any:
        radius = body.base_radius + slope * (x - body.base_disc)
        return math.pi / 4 * (radius**4 - body.bore_radius**4)

    return second_moment
