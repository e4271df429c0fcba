"""One study: a body, its rubber, how it is held, what acts on it, and the steps to report."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from loligo.cases.acceptance import Acceptance
from loligo.cases.body import Body, ChamberedArm, Mantle, Solid, TaperedArm
from loligo.cases.elastomer import Elastomer
from loligo.cases.history import Factor, Step
from loligo.cases.load import (
    BaseMotion,
    CavityPressure,
    Current,
    HoopTension,
    Load,
    OuterPressure,
    RecruitedTorque,
    Supply,
    TendonShortening,
    TendonTension,
    TipForce,
    TipMoment,
    Water,
)
from loligo.cases.record import Record
from loligo.cases.units import (
    Angle,
    PositiveLength,
    PositiveLineTension,
    PositiveTime,
)
from loligo.cases.water import Surroundings

GRAVITY = 9.81
"""Standard gravity of every case (m/s^2)."""


class Problems(ValueError):
    """Several things that are wrong with a case, each with the key it belongs to."""

    def __init__(self, items: list[tuple[str, str]]) -> None:
        """Keep the pairs of key and reason."""
        super().__init__("; ".join(f"{key}: {reason}" for key, reason in items))
        self.items = items


class Winding(Record):
    """Thread wound around the body: membrane energy (k/2)(hoop stretch - 1)^2 per reference area.

    In a sleeve of finite thickness h the same energy is spread over the volume, k/h per reference
    volume.
    """

    stiffness: PositiveLineTension
    """k = fibre modulus times effective thickness."""
    tension_only: bool = False
    """Whether the thread goes slack instead of carrying compression. Hoops in a sleeve should:
    where they push by more than the rubber's shear modulus they buckle as finely as cells allow."""
    angle: Annotated[Angle, Field(ge=0.0, lt=math.pi / 2)] = 0.0
    """Between the thread and the hoop. Above zero there are two threads, one for each sense of
    turning, that share the stiffness; the stretch is that along each of them."""


class Support(Record):
    """How the body is held; the base is always clamped."""

    tip: Literal["free", "blocked"] = "free"
    """A blocked tip disc keeps its place and attitude, and its reaction is reported."""


class MeshChoice(Record):
    """What a case may say about its mesh; the level comes from the command line."""

    element: Literal["tetrahedron", "hexahedron"] = "tetrahedron"
    """Hexahedra are often several times cheaper at equal accuracy; no STEP file has them, nor an
    arm whose segments differ in more than their length."""
    size: PositiveLength | None = None
    """Largest element size at level 0, in place of the body's own."""


class Motion(Record):
    """A study in time: it begins in equilibrium with the loads as they are at 0 s."""

    duration: PositiveTime
    every: PositiveTime
    """Between two reported states; the first is that at 0 s, the last that at the end."""
    tolerance: float = Field(1e-4, gt=0.0, lt=1.0)
    """A step's own error in the place of any point, over the body's extent."""
    rho_inf: float = Field(0.8, ge=0.0, le=1.0)
    """What a step leaves of vibrations that are much faster than it."""
    scheme: Literal["generalised_alpha", "conserving"] = "generalised_alpha"
    """`conserving` keeps energy and momenta; it damps nothing, whatever `rho_inf` says."""

    @model_validator(mode="after")
    def _check(self) -> Self:
        count = self.duration / self.every
        if abs(count - round(count)) > 1e-9 * count or not 1 <= round(count) <= 2000:
            raise ValueError(
                f"duration over every is {count:.6g}; it must be a whole number from 1 to 2000"
            )
        return self

    @property
    def times(self) -> tuple[float, ...]:
        """Times of the reported states (s)."""
        count = round(self.duration / self.every)
        return tuple(i * self.duration / count for i in range(count + 1))


def _unit_vector(v: tuple[float, float, float]) -> tuple[float, float, float]:
    norm = math.hypot(*v)
    if not 0.999 < norm < 1.001:
        raise ValueError(f"must be a unit vector; its length is {norm:.4g}")
    return (v[0] / norm, v[1] / norm, v[2] / norm)


Name = Annotated[str, Field(pattern=r"^\w[\w-]*$")]


class Case(Record):
    """One study, complete: everything that a solver, a reduced model or a report needs to know."""

    name: str = Field(pattern=r"^\w[\w-]*$")
    """The file's name without its ending."""
    title: str
    source: str
    """Where the numbers come from."""
    assumptions: tuple[str, ...] = ()
    """What the source does not say and was assumed; shown wherever the case is reported."""
    body: Body
    material: dict[Name, Elastomer]
    """The rubber of each volume group; `body` serves the groups that are not named."""
    winding: Winding | None = None
    gravity: Annotated[tuple[float, float, float], AfterValidator(_unit_vector)] = (1.0, 0.0, 0.0)
    """Direction of gravity; +x hangs the body from its base."""
    water: Surroundings | None = None
    support: Support = Support()
    load: dict[Name, Load]
    """The loads by name."""
    steps: tuple[Factor, ...] = Field((0.25, 0.5, 0.75, 1.0), min_length=1, max_length=1000)
    """Factor on every load at each reported step; of no account in a motion."""
    control: Literal["arc_length"] | None = None
    """`arc_length` follows the path of equilibria past limit points, behind which the loads fall;
    without it the loads lead from step to step."""
    time: Motion | None = None
    """A motion, in place of static steps."""
    mesh: MeshChoice = MeshChoice()
    acceptance: Acceptance | None = None
    """How good a reduced model must be; written before the comparison."""

    @model_validator(mode="after")
    def _check(self) -> Self:
        problems = [
            *_material_problems(self),
            *_water_problems(self),
            *_control_problems(self),
            *_load_problems(self),
        ]
        if problems:
            raise Problems(problems)
        return self


def _material_problems(case: Case) -> Iterator[tuple[str, str]]:
    regions = {"body", "winding"} if case.body.has_winding else {"body"}
    if "body" not in case.material:
        yield "material", "there is no [material.body]"
    if not isinstance(case.body, Solid):
        for name in case.material.keys() - regions:
            yield (
                f"material.{name}",
                f"the body has no volume of this name; it has {_listed(regions)}",
            )
    if case.body.has_winding and case.winding is None:
        yield "winding", 'the body is wound: give the thread, for example stiffness = "1e5 N/m"'
    if case.winding is not None and not (case.body.has_winding or isinstance(case.body, Solid)):
        yield "winding", "the body has no winding"
    if case.support.tip == "blocked" and "tip" not in case.body.discs:
        yield "support.tip", f"only a rigid disc can be blocked; {_tip_disc_hint(case.body)}"
    if case.mesh.element == "hexahedron":
        yield from _hexahedron_problems(case.body)


def _hexahedron_problems(body: Body) -> Iterator[tuple[str, str]]:
    if isinstance(body, Solid):
        yield "mesh.element", "a STEP file is meshed with tetrahedra only, a mesh has its own cells"
    if isinstance(body, ChamberedArm):
        kinds = {segment.model_copy(update={"length": 0.0}) for segment in body.segments}
        if len(kinds) > 1:
            yield (
                "mesh.element",
                "segments that differ in more than their length are joined by tetrahedra",
            )


def _water_problems(case: Case) -> Iterator[tuple[str, str]]:
    arms, mantles = (TaperedArm, ChamberedArm), (Mantle,)
    kinds_of = {"strip": arms, "nozzle": mantles, "wall": mantles, "hull": mantles}
    for key, whose in kinds_of.items():
        if case.water is None or getattr(case.water, key) is None:
            continue
        if not isinstance(case.body, whose):
            kinds = " or ".join(kind.model_fields["kind"].default for kind in whose)
            yield f"water.{key}", f"belongs to a {kinds}; the body is a {case.body.kind}"
        elif case.time is None:
            yield f"water.{key}", "is felt in a motion only: add [time], or leave it out"
        elif case.time.scheme == "conserving" and key != "wall":
            yield f"water.{key}", "is not there in the conserving scheme"
        elif key == "hull" and case.water.nozzle is None:
            yield f"water.{key}", "drags a mantle that has a nozzle: add [water.nozzle]"
        elif key == "strip" and (out := -highest(case)) > 0.0:
            yield (
                "water.base_depth",
                f"at rest the arm stands {out * 1e3:.4g} mm out of the water, where strips would "
                "go on dragging: put the base deeper, or turn gravity",
            )


def highest(case: Case) -> float:
    """Return the depth of the highest point of an arm at rest below the surface (m)."""
    assert case.water is not None
    match case.body:
        case TaperedArm() as arm:
            total = arm.base_disc + arm.length + arm.tip_disc
            ends = ((0.0, arm.base_radius), (total, arm.tip_radius))
        case ChamberedArm() as arm:
            total = sum(arm.plates) + sum(segment.length for segment in arm.segments)
            ends = ((0.0, arm.radius), (total, arm.radius))
        case _:
            raise TypeError(f"a {case.body.kind} is no arm")
    down, *across = case.gravity
    return min(case.water.base_depth + down * x - math.hypot(*across) * r for x, r in ends)


def _control_problems(case: Case) -> Iterator[tuple[str, str]]:
    if case.time is not None and case.time.scheme == "conserving":
        for name, load in case.load.items():
            if isinstance(load, TendonTension | TendonShortening):
                yield f"load.{name}", "tendons are not there in the conserving scheme"
    if case.control is None:
        return
    if case.time is not None:
        yield "control", "arc_length belongs to static steps; leave it out of a motion"
    if case.steps[0] == 0.0:
        yield "steps", "the path of arc_length begins where all loads are 0; leave that step out"
    for name, load in case.load.items():
        if load.path is not None:
            yield (
                f"load.{name}.path",
                "arc_length drives all loads by one factor, that of steps; leave the path out",
            )


def _load_problems(case: Case) -> Iterator[tuple[str, str]]:
    body = case.body
    for name, load in case.load.items():
        key = f"load.{name}"
        if case.time is None and load.history is not None:
            yield f"{key}.history", "there is no motion: add [time] with its duration"
        if case.time is not None and load.path is not None:
            yield f"{key}.path", "belongs to static steps; in a motion give the load a history"
        elif load.path is not None and len(load.path) != len(case.steps):
            yield (
                f"{key}.path",
                f"has {len(load.path)} factors for {len(case.steps)} steps",
            )
        match load:
            case TipForce() | TipMoment():
                if "tip" not in body.discs:
                    yield key, f"a {load.kind} acts on a rigid disc; {_tip_disc_hint(body)}"
                elif case.support.tip == "blocked":
                    yield key, "the tip is blocked: the load would go straight into the support"
            case CavityPressure() | Supply():
                for cavity in load.cavities:
                    if cavity not in body.cavities:
                        known = (
                            f"it has {_listed(body.cavities)}" if body.cavities else "it has none"
                        )
                        yield f"{key}.cavities", f'the body has no cavity "{cavity}"; {known}'
            case TendonTension() | TendonShortening():
                for tendon in load.tendons:
                    if tendon > body.tendon_count:
                        yield (
                            f"{key}.tendons",
                            f"there is no tendon {tendon}; the body has {body.tendon_count}",
                        )
                if body.tendon_count and "tip" not in body.discs:
                    yield key, f"tendons are anchored in the tip disc; {_tip_disc_hint(body)}"
            case HoopTension():
                if not isinstance(body, Mantle):
                    yield key, f"hoop_tension acts in the wall of a mantle, not of a {body.kind}"
                elif load.band is not None and load.band[1] > body.meridian_length:
                    yield (
                        f"{key}.band",
                        f"ends at {load.band[1] * 1e3:.4g} mm, beyond the meridian's end at "
                        f"{body.meridian_length * 1e3:.4g} mm",
                    )
            case RecruitedTorque():
                if not isinstance(body, TaperedArm):
                    yield key, f"recruited_torque acts in a tapered arm, not in a {body.kind}"
                if load.spreads and load.history is None:
                    yield f"{key}.spreads", "how it spreads is not known: give the load a history"
            case BaseMotion():
                if case.time is None:
                    yield key, "moves the base in time: add [time] with its duration"
            case Current():
                if case.time is None:
                    yield key, "is felt in a motion only: add [time] with its duration"
                yield from _current_problems(case, load, key)
                if isinstance(load.history, Step):
                    yield (
                        f"{key}.history",
                        "water that jumps would hit the body: let it rise, by a table",
                    )
            case Water():
                if case.water is None:
                    yield key, 'needs the water: add [water] with density = "1000 kg/m^3"'
            case OuterPressure():
                if "water" in {other.kind for other in case.load.values()}:
                    yield key, "outer_pressure and water both press on the outside; choose one"
    for kind, what in ((BaseMotion, "the base is also moved"), (Current, "the water also flows")):
        moving = [name for name, load in case.load.items() if isinstance(load, kind)]
        if len(moving) > 1:
            yield f"load.{moving[1]}", f"{what} by load.{moving[0]}"
    for cavity in body.cavities:
        users = [
            name
            for name, load in case.load.items()
            if isinstance(load, CavityPressure | Supply) and cavity in load.cavities
        ]
        if len(users) > 1:
            yield (
                f"load.{users[1]}.cavities",
                f'cavity "{cavity}" is also driven by load.{users[0]}',
            )
    for tendon in range(1, body.tendon_count + 1):
        pulls = {
            name: load
            for name, load in case.load.items()
            if isinstance(load, TendonTension | TendonShortening) and tendon in load.tendons
        }
        wound = [name for name, load in pulls.items() if isinstance(load, TendonShortening)]
        if wound and len(pulls) > 1:
            yield (
                f"load.{wound[0]}.tendons",
                f"tendon {tendon} is also driven by {_listed({*pulls} - {wound[0]})}; its tension "
                "or its shortening can be given, not both",
            )


def _current_problems(case: Case, load: Current, key: str) -> Iterator[tuple[str, str]]:
    """What a current has nothing to flow past of."""
    if isinstance(case.body, Mantle):
        if case.water is None or case.water.nozzle is None:
            yield key, "flows along a mantle that has a nozzle: add [water.nozzle]"
        if any(load.velocity[1:]):
            yield f"{key}.velocity", "a mantle is dragged along its axis only: let it be along x"
    elif case.water is None or case.water.strip is None:
        yield key, "flows past the strips of an arm: add [water.strip]"


def _tip_disc_hint(body: Body) -> str:
    if isinstance(body, TaperedArm):
        return 'give the body one with tip_disc = "2 mm"'
    if isinstance(body, Solid):
        return 'a .msh file has it as volume group disc_tip, named in discs = ["tip"]'
    if isinstance(body, ChamberedArm):
        return "its tip plate is the last of its plates"
    return "a mantle has none"


def _listed(names: set[str] | tuple[str, ...]) -> str:
    return ", ".join(sorted(names))
