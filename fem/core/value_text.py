"""Values of a problem in messages, with their units."""

from __future__ import annotations

from collections.abc import Mapping

from loligo.cases.case import Case
from loligo.cases.dataset.io import magnitude
from loligo.cases.load import kinds as record

_READABLE = {"m^3": ("ml", 1e6), "m": ("mm", 1e3)}
"""Units in which a volume and a shortening are read, and their number in one of SI."""


def units_of(case: Case) -> dict[str, str]:
    """Return the unit of every value that drives a case's problem, by name; see `fem.setup`."""
    units = {cavity: "Pa" for cavity in case.body.cavities}
    for name, load in case.load.items():
        unit = magnitude(load, case)[1]
        if isinstance(load, record.CavityPressure | record.Supply):
            units |= dict.fromkeys(load.cavities, unit)
        elif isinstance(load, record.TendonTension | record.TendonShortening):
            units |= {f"tendon_{number}": unit for number in load.tendons}
        else:
            units[f"load_{name}"] = unit
    return units


def value_text(units: Mapping[str, str], name: str, value: float) -> str:
    """Return a value with its unit; a plain number where none is known."""
    unit, factor = _READABLE.get(units.get(name, ""), (units.get(name, ""), 1.0))
    return f"{factor * value:.6g}{f' {unit}' if unit not in ('', '1') else ''}"
