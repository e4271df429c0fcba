"""Coefficients of reduced models: what they are worth, of which body, from where, and how far.

`loligo section` writes a file of them from a slice of the solid, `loligo calibrate` from data, and
every reduced model reads them. A file belongs to one body with its rubber and its thread, whatever
acts on it, and holds within the stretches and loads that its source has seen. All is in SI.

Version 1 of the format had neither the model nor the sign of loads: its largest magnitude m is read
as the range from 0 to m, so that a load of the other sign is said rather than trusted. Version 2
did not name the section law: rods had the one from the geometry, or the sections in the file.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import numpy as np
from pydantic import Field, field_validator, model_validator

from loligo.cases.case import Case
from loligo.cases.case_file import tables, validated
from loligo.cases.core import atomic as files
from loligo.cases.core.record import BadInput, Record

_FITTED = re.compile(r"calibrated by loligo: (\w+) on ")
_RAN = re.compile(r"(\w+) ran to its bound")
_RODS = ("rod", "pcc")
_SHELLS = ("shell", "shell_eq7")
_LENGTHS = ("pcc_lengths",)
_FORMAT: Literal["loligo coefficients 3"] = "loligo coefficients 3"
_CHAMBER = ("chamber_area", "chamber_arm", "chamber_growth")
_OLDER = ("loligo coefficients 1", "loligo coefficients 2")


@dataclass(frozen=True)
class Known:
    """What a coefficient is.

    Attributes:
        meaning: in words.
        models: who reads it.
        physical: the range that a property of the body can have; beyond it, it is none.
        neutral: the value that changes nothing; None where it comes from the body.
        unit: in SI, "1" for a factor.
        signed: whether it may be sought below zero, linearly; else by its logarithm.
    """

    meaning: str
    models: tuple[str, ...]
    physical: tuple[float, float]
    neutral: float | None = 1.0
    unit: str = "1"
    signed: bool = False


KNOWN = {
    "bending_stiffness": Known(
        "factor on the section's stiffness in bending, halfway along", _RODS, (0.5, 2.0)
    ),
    "bending_taper": Known(
        "that factor at the tip over the one at the base, geometric in between", _RODS, (0.5, 2.0)
    ),
    "stretch_stiffness": Known("factor on the section's stiffness in stretch", _RODS, (0.5, 2.0)),
    "stretch_taper": Known("the same taper of the stiffness in stretch", _RODS, (0.5, 2.0)),
    "torsion_stiffness": Known(
        "factor on the section's stiffness in torsion", ("rod",), (0.5, 2.0)
    ),
    "torsion_taper": Known("the same taper of the stiffness in torsion", ("rod",), (0.5, 2.0)),
    "shear_stiffness": Known("factor on the section's stiffness in shear", ("rod",), (0.5, 2.0)),
    "softening": Known(
        "s in 1/(1 + s e), the factor on the section's energy at a stretch 1 + e of its axis",
        _RODS,
        (-1.0, 3.0),
        neutral=0.0,
        signed=True,
    ),
    "chamber_area": Known(
        "factor on the force per pressure in a chamber, its moment with it", _RODS, (0.0, 10.0)
    ),
    "chamber_arm": Known(
        "factor on the distance from the axis at which that force acts", _RODS, (0.2, 1.5)
    ),
    "chamber_growth": Known(
        "g in 1 + g p/mu, the factor on that moment at a pressure p, mu the rubber's shear modulus",
        _RODS,
        (-1.0, 5.0),
        neutral=0.0,
        signed=True,
    ),
    "modulus": Known(
        "factor on the modulus of every rubber", (*_RODS, "joint", *_SHELLS), (0.5, 2.0)
    ),
    "wall_bending": Known("factor on the wall's stiffness in bending", _SHELLS, (0.5, 2.0)),
    "density": Known(
        "factor on the density of every rubber, which a balance knows better",
        (*_RODS, *_SHELLS),
        (0.9, 1.1),
    ),
    "viscosity": Known(
        "factor on the viscosity of every rubber, which a motion tells",
        ("rod", *_SHELLS),
        (0.1, 10.0),
    ),
    "drag": Known(
        "factor on the drag of water across and along an arm, which a motion tells",
        ("rod",),
        (0.1, 10.0),
    ),
    "added_mass": Known(
        "factor on the mass of water that moves along with an arm, which a motion tells",
        ("rod",),
        (0.1, 10.0),
    ),
    "length_gain": Known(
        "c in s - 1/s^3 = c x (1 + g x), s the stretch that a pressure p = mu x gives its chamber",
        _LENGTHS,
        (0.1, 10.0),
        None,
    ),
    "length_growth": Known("g of that law", _LENGTHS, (-1.0, 5.0), neutral=0.0, signed=True),
    "length_coupling": Known(
        "share of that stretch by which the other chambers of a segment lengthen",
        _LENGTHS,
        (-0.45, 0.95),  # at 1 nothing bends, at -1/2 three alike do not stretch
        neutral=0.0,
        signed=True,
    ),
    "length_at_rest": Known(
        "length of a segment without pressure, under what hangs on it, over that of its body",
        _LENGTHS,
        (0.8, 1.25),
    ),
    "offset_slope": Known(
        "a of p1 = a p2 + b, with which segments 1 and 2 bend alike", _LENGTHS, (0.5, 2.0), None
    ),
    "offset_pressure": Known("b of the same", _LENGTHS, (-1e4, 1e4), None, "Pa", signed=True),
    "actuator_area": Known(
        "K, force per pressure of an actuator", ("joint",), (0.0, 0.1), None, "m^2"
    ),
    "c10": Known("Yeoh's first coefficient", ("joint",), (1e2, 1e7), None, "Pa"),
    "c20": Known("Yeoh's second coefficient", ("joint",), (-1e6, 1e6), None, "Pa", signed=True),
    "c30": Known("Yeoh's third coefficient", ("joint",), (-1e6, 1e6), None, "Pa", signed=True),
    "matrix_fraction": Known(
        "V_m0, volume fraction of rubber in the sleeve at rest", ("joint",), (0.0, 1.0)
    ),
    "matrix_to_fabric": Known(
        "E_m/E_f, the rubber's modulus over that of the sleeve's fibres, 0 if they do not stretch",
        ("joint",),
        (0.0, 1.0),
        neutral=0.0,
        signed=True,
    ),
}
"""Every coefficient by its name."""
OF_LINEAR_LAWS = frozenset(
    name
    for name in KNOWN
    if name.endswith(("_stiffness", "_taper")) or name in ("softening", *_CHAMBER)
)
"""Coefficients that correct the linear section law of a rod, and have no meaning on another."""


class Coefficient(Record):
    """One coefficient; an end of its interval that is left out is not known."""

    name: str
    value: float
    unit: str
    low: float | None = None
    """Lower end of the 95 % interval."""
    high: float | None = None
    measured: bool = False
    """Whether it was measured on its own and kept, not sought."""
    at_bound: bool = False
    """Whether the search ended at its bound, so that the data do not determine it."""

    @model_validator(mode="after")
    def _check(self) -> Self:
        known = KNOWN.get(self.name)
        if known is None:
            raise ValueError(f'no model knows "{self.name}"{_nearest(self.name)}')
        if self.unit != known.unit:
            raise ValueError(f'the unit of {self.name} is "{known.unit}", not "{self.unit}"')
        if not known.signed and self.value <= 0.0:
            raise ValueError(f"{self.name} must be positive, but is {self.value:.4g}")
        low = -math.inf if self.low is None else self.low
        high = math.inf if self.high is None else self.high
        if not low <= self.value <= high:
            raise ValueError(
                f"{self.name} = {self.value:.4g} is outside its interval, {low:.4g} to {high:.4g}"
            )
        return self


Six = tuple[float, float, float, float, float, float]


class StationLaw(Record):
    """The section law at a place; strains and wrenches as in the data set."""

    x: float
    """Along the axis at rest (m)."""
    stiffness: tuple[Six, Six, Six, Six, Six, Six]
    """N m^2, N m, N."""
    arms: dict[str, Six] = Field(default_factory=dict)
    """Wrench (moment; force) that drives the section per pressure in each cavity (m^3, m^2)."""

    @model_validator(mode="after")
    def _check(self) -> Self:
        k = np.array(self.stiffness)
        if np.abs(k - k.T).max() > 1e-6 * np.abs(k).max() or np.linalg.eigvalsh(k)[0] <= 0.0:
            raise ValueError("the stiffness must be symmetric and positive definite")
        return self


class Reach(Record):
    """How far coefficients hold: what their source has seen."""

    max_stretch: Annotated[float, Field(ge=1.0, allow_inf_nan=True)] = math.inf
    """Largest stretch in the body, as the model gives it; inf for any."""
    load: dict[str, tuple[float, float]] | None = None
    """Smallest and largest magnitude of the loads of each kind, rest included, as in a data set;
    of forces, moments and other vectors the length, from 0. Left out for any."""

    @field_validator("load", mode="before")
    @classmethod
    def _from_zero(cls, load: Any) -> Any:
        """Take a number m as the range from 0 to m: version 1 of the file has no signs."""
        if not isinstance(load, Mapping):
            return load
        return {k: (0.0, v) if isinstance(v, int | float) else v for k, v in load.items()}

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        for kind, (low, high) in (self.load or {}).items():
            if not -math.inf < low <= high < math.inf:
                raise ValueError(f"load.{kind} must be [smallest, largest], not [{low}, {high}]")
        return self


class Data(Record):
    """A data set that was fitted."""

    case: str
    sha256: str
    steps: tuple[int, ...]
    """Those fitted, from 1."""


class Coefficients(Record):
    """A file of coefficients."""

    format: Literal["loligo coefficients 3"] = _FORMAT
    source: str
    """Where they come from, in words."""
    model: str | None = None
    """The model that was fitted; left out where none was."""
    law: Annotated[str, Field(pattern=r"^(geometry|slice|solid [0-9a-f]{16})$")] | None = None
    """The section law that rods and arcs were fitted on; left out for any, and in older files. That
    of the solid is named by a hash of its numbers."""
    belongs_to: dict[str, str]
    """Hashes of body, rubber and thread, see `fingerprint`."""
    reach: Reach = Reach()
    coefficient: tuple[Coefficient, ...] = ()
    section: tuple[StationLaw, ...] = ()
    """From base to tip; empty for the section law from the geometry."""
    data: tuple[Data, ...] = ()
    notes: tuple[str, ...] = ()
    """What to know before they are used."""

    @model_validator(mode="before")
    @classmethod
    def _older(cls, data: Any) -> Any:
        """Read version 1, which says model and bounds in words alone, and 2, which had no law."""
        if not isinstance(data, Mapping) or data.get("format") not in _OLDER:
            return data
        new = {**data, "format": _FORMAT}
        notes, listed = data.get("notes"), data.get("coefficient")
        if data["format"] == _OLDER[0]:
            if model := _FITTED.match(str(data.get("source", ""))):
                new["model"] = model[1]
            if isinstance(notes, list) and isinstance(listed, list):  # else they are refused below
                stuck = {ran[1] for note in notes if (ran := _RAN.match(str(note)))}
                new["coefficient"] = [
                    {**c, "at_bound": True}
                    if isinstance(c, Mapping) and str(c.get("name")) in stuck
                    else c
                    for c in listed
                ]
        return new

    @property
    def stands_on(self) -> str | None:
        """The section law that was fitted on; of older files it follows from what they hold."""
        if self.law is not None or self.model not in _RODS:
            return self.law
        return "slice" if self.section else "geometry"

    @property
    def values(self) -> dict[str, float]:
        """Values by name."""
        return {c.name: c.value for c in self.coefficient}

    def read_by(self, model: str) -> dict[str, float]:
        """Return the values that a model reads."""
        return {name: v for name, v in self.values.items() if model in KNOWN[name].models}

    def report(self, model: str) -> tuple[list[str], list[str]]:
        """Return in words what a model uses and what it ignores."""
        at = ", ".join(f"{1e3 * section.x:.4g}" for section in self.section)
        sections = [f"section law at x = {at} mm"] if self.section else []
        mine = self.read_by(model)
        used = [f"{name} = {value:.4g}" for name, value in mine.items()]
        ignored = [name for name in self.values if name not in mine]
        return (sections + used, ignored) if model in _RODS else (used, sections + ignored)

    def replaced(self, values: Mapping[str, float]) -> Coefficients:
        """Return these with other values, and no interval, for the coefficients named."""
        kept = tuple(c for c in self.coefficient if c.name not in values)
        new = tuple(Coefficient(name=n, value=v, unit=unit_of(n)) for n, v in values.items())
        return self.model_copy(update={"coefficient": kept + new})


def unit_of(name: str) -> str:
    """Return the unit of a coefficient; raises BadInput for one that no model knows."""
    if name not in KNOWN:
        raise BadInput(f'no model knows a coefficient "{name}"{_nearest(name)}')
    return KNOWN[name].unit


def for_case(case: Case, source: str) -> Coefficients:
    """Return a file without coefficients for the body of a case, that holds for anything."""
    return Coefficients(source=source, belongs_to=fingerprint(case))


def fingerprint(case: Case) -> dict[str, str]:
    """Return hashes of what coefficients belong to: body, rubber, thread.

    Where the stations are and which discs an arm has do not matter.
    """
    parts = {
        "body": body_text(case.body),
        "rubber": ";".join(f"{k}={v.model_dump_json()}" for k, v in sorted(case.material.items())),
        "thread": "none" if case.winding is None else case.winding.model_dump_json(),
    }
    return {name: hashlib.sha256(text.encode()).hexdigest() for name, text in parts.items()}


def body_text(body: Record) -> str:
    """Return what of a body coefficients belong to."""
    return body.model_dump_json(exclude={"stations", "base_disc", "tip_disc"})


def check_belongs(coefficients: Coefficients, case: Case) -> None:
    """Refuse coefficients of another body; the message says what is another."""
    if other := others(coefficients.belongs_to, case):
        raise BadInput(
            f"{case.name}: these coefficients ({coefficients.source}) belong to another "
            f"{' and another '.join(other)}; make them anew for this case with loligo section or "
            "loligo calibrate"
        )


def others(belongs_to: Mapping[str, str], case: Case) -> list[str]:
    """Return which of body, rubber and thread of a case are not those of some hashes."""
    return [name for name, found in fingerprint(case).items() if belongs_to.get(name) != found]


def check_same(one: Case, other: Case) -> None:
    """Refuse two cases that are not of one body; the message says in what they differ."""
    mine, theirs = fingerprint(one), fingerprint(other)
    if parts := [name for name, found in mine.items() if theirs[name] != found]:
        raise BadInput(
            f"{one.name} and {other.name} differ in {' and '.join(parts)}: coefficients belong to "
            "one body with its rubber and thread; calibrate them one at a time"
        )


def read(file: Path) -> Coefficients:
    """Read a file of coefficients; raises BadInput with everything that is wrong with it."""
    return validated(Coefficients, tables(file), file)


def write(coefficients: Coefficients, file: Path) -> None:
    """Write a file of coefficients, so that a kill leaves the old file or the new."""
    import tomli_w

    text = tomli_w.dumps(coefficients.model_dump(mode="python", exclude_none=True))
    file.parent.mkdir(parents=True, exist_ok=True)
    files.replace(file, text)


def _nearest(name: str) -> str:
    close = get_close_matches(name, KNOWN, 1, 0.5)
    return f'; did you mean "{close[0]}"?' if close else f"; known are {', '.join(KNOWN)}"
