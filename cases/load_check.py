"""What is wrong with the loads of a case: what they act on, how they run, what acts twice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, assert_never

from loligo.cases.body import Bar, Body, ChamberedArm, Mantle, Solid, TaperedArm
from loligo.cases.load.history import Step
from loligo.cases.load.kinds import (
    BaseMotion,
    CavityPressure,
    Current,
    HoopTension,
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

if TYPE_CHECKING:
    from loligo.cases.case import Case


def load_problems(case: Case) -> Iterator[tuple[str, str]]:
    """Yield key and reason of everything that is wrong with the loads of a case."""
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
                    yield key, f"a {load.kind} acts on a rigid disc; {tip_disc_hint(body)}"
                elif case.support.tip == "blocked":
                    yield key, "the tip is blocked: the load would go straight into the support"
            case CavityPressure() | Supply():
                yield from _named_twice(f"{key}.cavities", "cavity", load.cavities)
                for cavity in load.cavities:
                    if cavity not in body.cavities:
                        known = (
                            f"it has {listed(body.cavities)}" if body.cavities else "it has none"
                        )
                        yield f"{key}.cavities", f'the body has no cavity "{cavity}"; {known}'
            case TendonTension() | TendonShortening():
                yield from _named_twice(f"{key}.tendons", "tendon", load.tendons)
                for tendon in load.tendons:
                    if tendon > body.tendon_count:
                        yield (
                            f"{key}.tendons",
                            f"there is no tendon {tendon}; the body has {body.tendon_count}",
                        )
                if body.tendon_count and "tip" not in body.discs:
                    yield key, f"tendons are anchored in the tip disc; {tip_disc_hint(body)}"
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
            case Weight():
                pass
            case unknown:
                assert_never(unknown)
    yield from _repeated_problems(case)


def _repeated_problems(case: Case) -> Iterator[tuple[str, str]]:
    """What acts twice, where once is meant; forces, torques and tensions of a tendon add up."""
    body = case.body
    for kind, what in (
        (Weight, "the body's weight acts already"),
        (Water, "the water presses already"),
        (OuterPressure, "an outer pressure acts already"),
        (BaseMotion, "the base is also moved"),
        (Current, "the water also flows"),
    ):
        acting = [name for name, load in case.load.items() if isinstance(load, kind)]
        if len(acting) > 1:
            yield f"load.{acting[1]}", f"{what} by load.{acting[0]}: make them one load"
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
                f"tendon {tendon} is also driven by {listed({*pulls} - {wound[0]})}; its tension "
                "or its shortening can be given, not both",
            )


def _named_twice(key: str, kind: str, named: Sequence[object]) -> Iterator[tuple[str, str]]:
    for one in dict.fromkeys(named):
        if (times := named.count(one)) > 1:
            yield key, f"{kind} {one} is named {times} times, and would act as often: name it once"


def _current_problems(case: Case, load: Current, key: str) -> Iterator[tuple[str, str]]:
    """What a current has nothing to flow past of."""
    match case.body:
        case Mantle():
            if case.water is None or case.water.nozzle is None:
                yield key, "flows along a mantle that has a nozzle: add [water.nozzle]"
            if any(load.velocity[1:]):
                yield (
                    f"{key}.velocity",
                    "a mantle is dragged along its axis only: let it be along x",
                )
        case TaperedArm() | ChamberedArm() | Bar() | Solid():
            if case.water is None or case.water.strip is None:
                yield key, "flows past the strips of an arm: add [water.strip]"
        case unknown:
            assert_never(unknown)


def tip_disc_hint(body: Body) -> str:
    """Return how a body gets the tip disc that it lacks."""
    match body:
        case TaperedArm() | Bar():
            return 'give the body one with tip_disc = "2 mm"'
        case ChamberedArm():
            return "its tip plate is the last of its plates"
        case Mantle():
            return "a mantle has none"
        case Solid():
            return 'a .msh file has it as volume group disc_tip, named in discs = ["tip"]'
        case unknown:
            assert_never(unknown)


def listed(names: set[str] | tuple[str, ...]) -> str:
    """Return names in order, with commas."""
    return ", ".join(sorted(names))
