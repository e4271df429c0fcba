"""The pressures of an arm's cavities, as the loads of a case give them."""

from __future__ import annotations

from typing import assert_never

from loligo.cases.case import Case
from loligo.cases.core.record import BadInput
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
from loligo.meshes.bodies import Arm


def cavity_pressures(body: Arm, case: Case, step: int) -> dict[str, float]:
    """Return the gauge pressure (Pa) of every cavity at a reported step, inside minus outside."""
    pressure = dict.fromkeys(body.cavities, 0.0)
    for load in case.load.values():
        factor = (load.path or case.steps)[step]
        match load:
            case CavityPressure():
                for cavity in load.cavities:
                    pressure[cavity] += factor * load.pressure
            case OuterPressure():
                pressure = {name: p - factor * load.pressure for name, p in pressure.items()}
            case (
                Weight()
                | Water()
                | TipForce()
                | TipMoment()
                | TendonTension()
                | HoopTension()
                | RecruitedTorque()
                | BaseMotion()
                | Current()
            ):
                pass  # moves no fluid in a cavity
            case Supply() | TendonShortening():
                raise BadInput(f"{case.name}: a {load.kind} has no pressure before it is solved")
            case unknown:
                assert_never(unknown)
    return pressure
