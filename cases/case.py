"""One study: a body, its rubber, how it is held, what acts on it, and the steps to report."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Annotated, Literal, Self, assert_never

from pydantic import AfterValidator, Field, model_validator

from loligo.cases.acceptance import Acceptance
from loligo.cases.body import Bar, Body, ChamberedArm, Mantle, Solid, TaperedArm
from loligo.cases.core.record import LoligoError, Record
from loligo.cases.core.units import (
    Angle,
    PositiveLength,
    PositiveLineTension,
    PositiveTime,
)
from loligo.cases.load.history import Factor
from loligo.cases.load.kinds import Load, TendonShortening, TendonTension
from loligo.cases.load_check import listed, load_problems, tip_disc_hint
from loligo.cases.markers import Distance, Marker, MarkerName, Turn
from loligo.cases.rubber.elastomer import Elastomer
from loligo.cases.water import Surroundings

GRAVITY = 9.81
"""Standard gravity of every case (m/s^2)."""


class Problems(LoligoError, ValueError):
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
    """Factor on every load at each reported step, on weight and water too: for gravity first, begin
    with 0 and give them a `path` of ones. Ignored in a motion."""
    control: Literal["arc_length"] | None = None
    """`arc_length` follows the path of equilibria past limit points, behind which the loads fall;
    without it the loads lead from step to step."""
    time: Motion | None = None
    """A motion, in place of static steps."""
    marker: dict[MarkerName, Marker] = Field(default_factory=dict)
    """Points whose way is measured, and predicted, by name."""
    angle: dict[MarkerName, Turn] = Field(default_factory=dict)
    """Turns of sections over others that are measured."""
    distance: dict[MarkerName, Distance] = Field(default_factory=dict)
    """Distances between markers that are measured."""
    mesh: MeshChoice = MeshChoice()
    acceptance: Acceptance | None = None
    """How good a reduced model must be; written before the comparison."""

    @model_validator(mode="after")
    def _check(self) -> Self:
        problems = [
            *_material_problems(self),
            *_water_problems(self),
            *_control_problems(self),
            *_marker_problems(self),
            *load_problems(self),
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
                f"the body has no volume of this name; it has {listed(regions)}",
            )
    if case.body.has_winding and case.winding is None:
        yield "winding", 'the body is wound: give the thread, for example stiffness = "1e5 N/m"'
    if case.winding is not None and not (case.body.has_winding or isinstance(case.body, Solid)):
        yield "winding", "the body has no winding"
    if case.support.tip == "blocked" and "tip" not in case.body.discs:
        yield "support.tip", f"only a rigid disc can be blocked; {tip_disc_hint(case.body)}"
    if case.mesh.element == "hexahedron":
        yield from _hexahedron_problems(case.body)


def _marker_problems(case: Case) -> Iterator[tuple[str, str]]:
    for name, span in case.distance.items():
        for one in span.between:
            if one not in case.marker:
                yield (
                    f"distance.{name}",
                    f"there is no marker {one}; there are {listed(set(case.marker))}",
                )
    if case.angle and isinstance(case.body, Mantle):
        yield "angle", "a mantle has no sections that turn: give markers"


def _hexahedron_problems(body: Body) -> Iterator[tuple[str, str]]:
    match body:
        case TaperedArm() | Mantle() | Bar():
            pass
        case ChamberedArm():
            if len({segment.model_copy(update={"length": 0.0}) for segment in body.segments}) > 1:
                yield (
                    "mesh.element",
                    "segments that differ in more than their length are joined by tetrahedra",
                )
        case Solid():
            yield (
                "mesh.element",
                "a STEP file is meshed with tetrahedra only, a mesh has its own cells",
            )
        case unknown:
            assert_never(unknown)


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
        case Mantle() | Solid() | Bar():
            raise TypeError(f"a {case.body.kind} is no arm")
        case unknown:
            assert_never(unknown)
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
