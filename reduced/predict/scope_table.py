"""The loads and features of a case that every reduced model carries, leaves out, or refuses.

`of_load` has the loads, `FEATURES` everything else; docs/scope.md shows both. An entry is missing
where the model has no body that could have the feature.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, assert_never

from loligo.cases.body import ChamberedArm
from loligo.cases.case import Case
from loligo.cases.load.kinds import (
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
    Weight,
)

Model = Literal["rod", "pcc", "pcc_lengths", "joint", "shell", "shell_eq7"]

SECTIONS = "sections"
"""Stands for coefficients with a section law, as `loligo section` makes them."""
SOLID = "law"
"""Stands for the section law of the solid, as `loligo section --law` makes it; it settles what
sections do, too."""
STIFF = 100.0
"""k/(mu r) of a thread around a rubber of radius r, from which it gives way by 1 % at most."""
NEARLY = 100.0
"""K/mu from which a rubber counts as nearly incompressible: stresses of mu change its volume by
1 %."""


@dataclass(frozen=True)
class ScopeEntry:
    """Whether a model carries a feature, and if not, why."""

    state: Literal["carried", "left out", "refused"]
    why: str = ""
    settled_by: str = ""
    """Coefficient with which the model carries it after all."""


@dataclass(frozen=True)
class Feature:
    """Something that a case may have beside its loads.

    Attributes:
        key: where it stands in the case.
        words: its name.
        present: whether a case has it.
        entries: by model.
    """

    key: str
    words: str
    present: Callable[[Case], bool]
    entries: Mapping[Model, ScopeEntry]


def _left(why: str, settled_by: str = "") -> ScopeEntry:
    return ScopeEntry("left out", why, settled_by)


def _refused(why: str, settled_by: str = "") -> ScopeEntry:
    return ScopeEntry("refused", why, settled_by)


_CARRIED = ScopeEntry("carried")
_RODS: dict[Model, ScopeEntry] = {"rod": _CARRIED, "pcc": _CARRIED}
_SHELLS: dict[Model, ScopeEntry] = {"shell": _CARRIED, "shell_eq7": _CARRIED}
_JOINT = _refused("the joint carries pressures only")
_LENGTHS = _left("its lengths follow pressures, whatever hangs on the arm, see length_at_rest")
_STATIC = _refused("it is static")
_FOUND = _refused(
    "reduced models take pressures and tensions; give them those that the 3D solution finds"
)


def of_load(load: Load) -> dict[Model, ScopeEntry]:
    """Return the entries of a load by model."""
    match load:
        case Weight() | Water():
            return {**_RODS, "pcc_lengths": _LENGTHS, "joint": _JOINT, **_SHELLS}
        case TipForce() | TipMoment():
            return {**_RODS, "pcc_lengths": _LENGTHS, "joint": _JOINT}
        case CavityPressure() | OuterPressure():
            return {**_RODS, "pcc_lengths": _CARRIED, "joint": _CARRIED, **_SHELLS}
        case Supply():
            arms: tuple[Model, ...] = ("rod", "pcc", "pcc_lengths", "joint")
            return {**dict.fromkeys(arms, _FOUND), "shell": _FOUND, "shell_eq7": _FOUND}
        case TendonTension() | RecruitedTorque():
            return dict(_RODS)
        case TendonShortening():
            return {"rod": _FOUND, "pcc": _FOUND}
        case HoopTension():
            return dict(_SHELLS)
        case BaseMotion() | Current():
            still: dict[Model, ScopeEntry] = {
                "pcc": _STATIC,
                "pcc_lengths": _STATIC,
                "joint": _STATIC,
            }
            return {"rod": _CARRIED, **still, **_SHELLS}
        case unknown:
            assert_never(unknown)


def _softest_thread(case: Case) -> float | None:
    """Return the least k/(mu r) of a case's windings; None without any."""
    if case.winding is None or not isinstance(case.body, ChamberedArm):
        return None
    mu = case.material["body"].shear_modulus
    radii = [s.winding_radius for s in case.body.segments if s.winding_radius is not None]
    radii += [s.sleeve.inner_radius for s in case.body.segments if s.sleeve is not None]
    return min((case.winding.stiffness / (mu * radius) for radius in radii), default=None)


def _has_stiff_thread(case: Case) -> bool:
    return (softest := _softest_thread(case)) is not None and softest >= STIFF


def _has_soft_thread(case: Case) -> bool:
    return (softest := _softest_thread(case)) is not None and softest < STIFF


def _compressibility(case: Case) -> float:
    """Return the largest mu/K of a case's rubbers, 0 if all are incompressible."""
    return max(
        0.0
        if rubber.bulk_modulus == "incompressible"
        else rubber.shear_modulus / rubber.bulk_modulus
        for rubber in case.material.values()
    )


def _is_squeezed(case: Case) -> bool:
    around = any(isinstance(load, OuterPressure | Water) for load in case.load.values())
    return around and _compressibility(case) > 0.0


def _has_bare_chambers(case: Case) -> bool:
    body = case.body
    return isinstance(body, ChamberedArm) and any(
        segment.winding_radius is None and segment.sleeve is None for segment in body.segments
    )


def _segments_differ(case: Case) -> bool:
    if not isinstance(case.body, ChamberedArm):
        return False
    alike = {"length": 1.0, "turn": 0.0}
    return len({segment.model_copy(update=alike) for segment in case.body.segments}) > 1


def _is_no_joint(case: Case) -> bool:
    segments = case.body.segments if isinstance(case.body, ChamberedArm) else ()
    return len(segments) != 1 or segments[0].chambers != 3 or segments[0].sleeve is None


def _has_no_arcs(case: Case) -> bool:
    return isinstance(case.body, ChamberedArm) and any(
        segment.chambers < 3 and segment.chamber_offset > 0.0 for segment in case.body.segments
    )


FEATURES = (
    Feature(
        "time",
        "a motion",
        lambda case: case.time is not None,
        {"pcc": _STATIC, "pcc_lengths": _STATIC, "joint": _STATIC, "rod": _CARRIED, **_SHELLS},
    ),
    Feature(
        "material",
        "a power law of viscosity in a motion",
        lambda case: (
            case.time is not None and any(r.rate_index != 1.0 for r in case.material.values())
        ),
        dict.fromkeys(
            ("rod", "shell", "shell_eq7"),
            _refused("rods and shells are linear in the rate: leave rate_index out"),
        ),
    ),
    Feature(
        "support.tip",
        "a blocked tip",
        lambda case: case.support.tip == "blocked",
        {
            "rod": _CARRIED,
            "pcc": _refused("three strains of an arc cannot hold the six of a blocked tip"),
            "pcc_lengths": _refused("lengths cannot hold a blocked tip"),
            "joint": _CARRIED,
        },
    ),
    Feature(
        "support.tip",
        "a blocked tip in a motion",
        lambda case: case.support.tip == "blocked" and case.time is not None,
        {"rod": _refused("a rod in motion has a free tip, and its support blocks it")},
    ),
    Feature(
        "body",
        "an arm that is no joint",
        _is_no_joint,
        {"joint": _refused("a joint is one segment with three chambers in sleeves")},
    ),
    Feature(
        "body.segments",
        "one or two chambers beside the axis",
        _has_no_arcs,
        {"pcc_lengths": _refused("an arc takes three lengths or a chamber on the axis")},
    ),
    Feature(
        "load",
        "an arm without pressure",
        lambda case: not any(isinstance(load, CavityPressure) for load in case.load.values()),
        {"pcc_lengths": _refused("lengths follow pressures, and none acts")},
    ),
    Feature(
        "body.segments",
        "segments that differ in more than length and turn",
        _segments_differ,
        {"pcc_lengths": _left("all take the gain of the first one", "length_gain")},
    ),
    Feature(
        "body.segments",
        "the swelling of chambers without thread",
        _has_bare_chambers,
        dict.fromkeys(
            ("rod", "pcc"),
            _left("a chamber pushes with its own area", SECTIONS),
        ),
    ),
    Feature(
        "winding.angle",
        "thread at an angle to the hoop",
        lambda case: case.winding is not None and case.winding.angle > 0.0,
        {
            **dict.fromkeys(
                ("rod", "pcc"),
                _refused(
                    "it pulls along the axis and stiffens the section, which the geometry of the "
                    "section does not tell",
                    SECTIONS,
                ),
            ),
            "pcc_lengths": _refused("the hoop takes no stretch and pulls by none", "length_gain"),
            "joint": _refused("its fibres run around the hoop", "actuator_area"),
        },
    ),
    Feature(
        "winding.stiffness",
        "the thread's stretch",
        _has_stiff_thread,
        {
            **dict.fromkeys(
                ("rod", "pcc"),
                _left("a chamber pushes with its own area", SECTIONS),
            ),
            "pcc_lengths": _left("it does not stretch", "length_gain"),
            "joint": _left("it does not stretch", "actuator_area"),
        },
    ),
    Feature(
        "winding.stiffness",
        f"thread softer than {STIFF:g} mu r",
        _has_soft_thread,
        {
            **dict.fromkeys(
                ("rod", "pcc"),
                _left("a chamber pushes with its own area", SECTIONS),
            ),
            "pcc_lengths": _refused("its thread does not stretch", "length_gain"),
            "joint": _refused("its thread does not stretch", "actuator_area"),
        },
    ),
    Feature(
        "winding.tension_only",
        "slackening of thread",
        lambda case: case.winding is not None and case.winding.tension_only,
        {
            **dict.fromkeys(("rod", "pcc"), _left("its thread is taut or not there", SOLID)),
            **dict.fromkeys(("pcc_lengths", "joint"), _left("its thread is taut or not there")),
        },
    ),
    Feature(
        "material",
        "the rubber's law at large stretch",
        lambda case: any(rubber.energy != "neo_hooke" for rubber in case.material.values()),
        {
            **dict.fromkeys(("rod", "pcc"), _left("it has the initial modulus", SOLID)),
            "pcc_lengths": _left("it has the initial modulus"),
            "joint": _CARRIED,
            "shell": _CARRIED,
            "shell_eq7": _left("it has the initial modulus"),
        },
    ),
    Feature(
        "material.winding",
        "a rubber of its own in the sleeves",
        lambda case: case.material.get("winding", case.material["body"]) != case.material["body"],
        {
            **_RODS,
            **dict.fromkeys(("pcc_lengths", "joint"), _left("all rubber is that of the body")),
        },
    ),
    Feature(
        "material.body",
        f"a bulk modulus of {NEARLY:g} mu or more",
        lambda case: 0.0 < _compressibility(case) <= 1.0 / NEARLY,
        {
            **_RODS,
            **dict.fromkeys(("pcc_lengths", "joint"), _left("its rubber is incompressible")),
            "shell": _refused("a shell's rubber must be incompressible: leave bulk_modulus out"),
            "shell_eq7": _CARRIED,
        },
    ),
    Feature(
        "material.body",
        f"a bulk modulus below {NEARLY:g} mu",
        lambda case: _compressibility(case) > 1.0 / NEARLY,
        {
            **_RODS,
            "pcc_lengths": _refused("its rubber is incompressible", "length_gain"),
            "joint": _refused("its rubber is incompressible", "actuator_area"),
            "shell": _refused("a shell's rubber must be incompressible: leave bulk_modulus out"),
            "shell_eq7": _CARRIED,
        },
    ),
    Feature(
        "material",
        "the compression of rubber by water or outer pressure",
        _is_squeezed,
        dict.fromkeys(
            ("rod", "pcc", "pcc_lengths", "joint", "shell_eq7"),
            _left("a pressure all around strains nothing"),
        ),
    ),
)
