"""An arm and its loads as those of a Cosserat rod, from the case alone.

Soft lengths become intervals with the linear section law of `loligo.reduced.section.stiffness`;
rigid discs, plates and connectors become rigid intervals, so that X along the rod is x of the case.

Water and outer pressure. Under a pressure p(x) all around, incompressible rubber adds -p I to its
stress and strains no more than before; of water there remains div(p I), the buoyancy of the solid
per volume. So the weight is reduced by that of the water in the solid's place, flooded bores and
cavities displacing nothing. Of a uniform outer pressure there remains nothing on a solid arm: the
p A on its tip face, which would shorten a rod, is balanced by the -p I inside. It only lowers the
gauge pressure of cavities, which do not feel it. Wrenches and reactions are relative to p.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import assert_never

import numpy as np

from loligo.cases.body import TaperedArm
from loligo.cases.case import GRAVITY, Case, highest
from loligo.cases.core.record import BadInput
from loligo.cases.load.kinds import (
    CavityPressure,
    OuterPressure,
    RecruitedTorque,
    TendonTension,
    TipForce,
    TipMoment,
    Water,
    Weight,
)
from loligo.meshes.bodies import Arm, Piece, pieces, tendon_offset
from loligo.reduced.lie import Array
from loligo.reduced.rod.loads import (
    ActiveWrench,
    Axes,
    LineLoad,
    Load,
    PointLoad,
    RodTendon,
    recruited_torque,
)
from loligo.reduced.rod.model import Rod, SectionLaw
from loligo.reduced.section.arm_law import ArmLaw, chambers, fluid_arm, soft_pieces
from loligo.reduced.section.pressures import cavity_pressures

ArmLoad = (
    Weight
    | Water
    | TipForce
    | TipMoment
    | CavityPressure
    | OuterPressure
    | TendonTension
    | RecruitedTorque
)
"""Loads that a rod at rest carries."""
_INTERVALS = 6  # of every soft length: tips of the library are within 1e-5 of the length
_DEGREE = 4  # of every strain on an interval
# With a law of the solid, whose own error is 1e-4 or more; segments have one section all along.
_LAW_ON_TAPER, _LAW_ON_SEGMENT = (6, 3), (2, 2)
_ARC_CELLS = 24  # of two Gauss points, of every arc: stiffness ratios of 625 integrate to 1e-6


@dataclass
class ArmActions:
    """What acts on an arm at one step, by who carries it.

    Attributes:
        outside: loads on the sections, and tendons.
        fluid: wrenches of the fluid in the cavities.
        muscle: active wrenches in the solid.
        pressure: gauge pressure of every cavity in Pa, inside minus outside.
    """

    outside: list[Load] = field(default_factory=list)
    fluid: list[Load] = field(default_factory=list)
    muscle: list[Load] = field(default_factory=list)
    pressure: dict[str, float] = field(default_factory=dict)


def arm_rod(
    body: Arm,
    law: ArmLaw | SectionLaw,
    marks: Sequence[float] = (),
    refine: float = 1.0,
    arcs: bool = False,
    discs: Sequence[float] = (),
) -> Rod:
    """Return the rod of an arm at rest.

    Args:
        body: the arm.
        law: its sections, or wrench and tangent of them.
        marks: more places in m where an interval is to end.
        refine: so many times the usual number of intervals.
        arcs: whether every soft length is one arc, its two curvatures and its stretch constant
            along it and no other strain free; `marks` have no meaning then, and `refine` refines
            the quadrature along the arcs.
        discs: places in m up to which the stretches beside discs have a law of their own.
    """
    stack = pieces(body)
    if isinstance(law, ArmLaw):
        intervals, degree = _INTERVALS, _DEGREE
    else:
        intervals, degree = _LAW_ON_TAPER if isinstance(body, TaperedArm) else _LAW_ON_SEGMENT
    ends, rigid = {0.0}, []
    for piece in stack:
        soft = piece.region == "body"
        count = round(refine * intervals) if soft and not arcs else 1
        start, end = piece.start, piece.end
        inside = [mark for mark in discs if start < mark < end]
        if inside and not arcs:
            ends |= {start, end}
            start, end = inside[0], inside[-1]
        ends |= {float(x) for x in np.linspace(start, end, count + 1)}
        if not soft:
            rigid.append((piece.start, piece.end))
    length = stack[-1].end
    linear = isinstance(law, ArmLaw) and law.softening == 0.0
    stiffness = law.stiffness if isinstance(law, ArmLaw) and linear else None
    section = None if linear else law.section_law() if isinstance(law, ArmLaw) else law
    if arcs:
        return Rod(
            length,
            stiffness,
            section,
            degrees={"bend_y": 0, "bend_z": 0, "stretch": 0},
            segments=sorted(ends),
            rigid=rigid,
            cells=round(refine * _ARC_CELLS),
        )
    ends |= {mark for mark in marks if min(abs(mark - end) for end in ends) > 1e-9 * length}
    return Rod(
        length,
        stiffness,
        section,
        degrees=degree,
        segments=sorted(ends),
        rigid=rigid,
        scaled_by="compliance" if linear and isinstance(body, TaperedArm) else "strain",
    )


def load_marks(case: Case, body: Arm) -> list[float]:
    """Return the places in m where a load of the case has a kink."""
    soft = soft_pieces(body)[0]
    return [
        soft.start + load.recruited * soft.length
        for load in case.load.values()
        if isinstance(load, RecruitedTorque)
    ]


def acting_on(body: Arm, case: Case, step: int, law: ArmLaw | None) -> ArmActions:
    """Return what acts on the rod of a case's arm at a reported step, counted from 0.

    Of what a pressure drives the section by the fluid carries its part; the wall that it pushes
    along, within thread for example, carries the rest. Without a law both are left out: the section
    law of the solid has them.
    """
    acting = ArmActions(pressure=cavity_pressures(body, case, step))
    soft = soft_pieces(body)
    tip, gravity = soft[-1].end, GRAVITY * np.array(case.gravity)
    for name, load in case.load.items():
        factor = (load.path or case.steps)[step]
        if not isinstance(load, ArmLoad):
            raise BadInput(f"{case.name}: load.{name}: a rod at rest carries no {load.kind}")
        match load:
            case Weight():
                acting.outside += weight(body, densities(case), factor * gravity)
            case Water():
                assert case.water is not None  # the case has been checked
                if (out := -highest(case)) > 0.0:
                    raise BadInput(
                        f"{case.name}: load.{name}: at rest the arm stands {out * 1e3:.4g} mm out "
                        "of the water, and a rod's buoyancy is that of an arm below the surface: "
                        "put the base deeper"
                    )
                water = {"body": case.water.density}
                acting.outside += weight(body, water, -factor * gravity)
            case TipForce():
                force = factor * np.array(load.force)
                acting.outside.append(
                    PointLoad(force=force, axes=_axes(load), at=tip, lever=load.offset)
                )
            case TipMoment():
                moment = factor * np.array(load.moment)
                acting.outside.append(PointLoad(moment=moment, axes=_axes(load), at=tip))
            case TendonTension():
                if factor < 0.0:
                    raise BadInput(
                        f"{case.name}: load.{name}: a tendon cannot push; its factor at step "
                        f"{step + 1} is {factor:.4g}"
                    )
                acting.outside += [_tendon(body, j, factor * load.tension) for j in load.tendons]
            case RecruitedTorque():
                span = (soft[0].start, soft[0].end)
                reach = load.recruited * soft[0].length
                for strain, part in zip(("bend_y", "bend_z"), load.moment, strict=True):
                    acting.muscle.append(recruited_torque(factor * part, reach, strain, span))
            case CavityPressure() | OuterPressure():
                pass  # see `cavity_pressures`
            case unknown:
                assert_never(unknown)
    if law is None:
        return acting
    for cavity, piece, hole in chambers(body):
        pressure, span = acting.pressure[cavity], (piece.start, piece.end)
        fluid, push = pressure * fluid_arm(hole), law.push(cavity, pressure)
        acting.fluid.append(ActiveWrench(-fluid, span))
        if np.any(push != fluid):
            acting.muscle.append(ActiveWrench(fluid - push, span))
    return acting


def _axes(load: TipForce | TipMoment) -> Axes:
    return "body" if load.follower else "world"


def densities(case: Case) -> dict[str, float]:
    """Return the density (kg/m^3) of every rubber of a case."""
    return {name: rubber.density for name, rubber in case.material.items()}


def weight(body: Arm, density: Mapping[str, float], gravity: Array) -> list[Load]:
    """Return the weight of every piece of an arm, holes left out.

    Args:
        body: the arm.
        density: of its materials (kg/m^3); `body` serves what is not named.
        gravity: acceleration in the world (m/s^2).
    """
    wound = density.get("winding", density["body"])

    def over(piece: Piece) -> LineLoad:
        sleeves = [hole.sleeve for hole in piece.holes if hole.sleeve]
        winding = np.pi * sum(outer**2 - inner**2 for inner, outer in sleeves)
        bored = np.pi * sum(hole.radius**2 for hole in piece.holes)

        def force(X: Array) -> Array:
            rubber = piece.full(X).area - winding - bored
            line: Array = np.outer(density["body"] * rubber + wound * winding, gravity)
            return line

        return LineLoad(force=force, span=(piece.start, piece.end))

    return [over(piece) for piece in pieces(body)]


def _tendon(body: Arm, number: int, tension: float) -> RodTendon:
    """A straight tendon from the base face to the tip disc's inner face."""
    assert isinstance(body, TaperedArm) and body.tendons is not None  # the case has been checked
    end = body.base_disc + body.length

    def path(X: Array) -> Array:
        return tendon_offset(body, number, X)

    return RodTendon(tension, path, span=(0.0, end))
