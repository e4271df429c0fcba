"""The pressures of an arm's cavities, as the loads of a case give them."""

from __future__ import annotations

from loligo.cases.case import Case
from loligo.cases.core.record import BadInput
from loligo.cases.load.kinds import CavityPressure, OuterPressure, TendonShortening, nature
from loligo.meshes.bodies import Arm


def cavity_pressures(body: Arm, case: Case, step: int) -> dict[str, float]:
    """Return the gauge pressure (Pa) of every cavity at a reported step, inside minus outside."""
    pressure = dict.fromkeys(body.cavities, 0.0)
    for load in case.load.values():
        factor = (load.path or case.steps)[step]
        if isinstance(load, CavityPressure):
            for cavity in load.cavities:
                pressure[cavity] += factor * load.pressure
        elif isinstance(load, OuterPressure):
            pressure = {name: p - factor * load.pressure for name, p in pressure.items()}
        elif nature(load).cavities or isinstance(load, TendonShortening):
            raise BadInput(f"{case.name}: a {load.kind} has no pressure before it is solved")
    return pressure
