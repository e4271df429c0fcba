"""Reduced models calibrated on some loads, judged on others that they have not seen.

Of one data set (`calibrate`) the first half of the steps is fitted (of a measurement the first
third), the others are held out. Of a
body with data under several loads (`judge_body`) the first halves of all are fitted together, and
each load case is held out as a whole, too: its rows are what the coefficients of the *other* cases
make of it. Sought are the coefficients that the loads excite, by
`loligo.validation.fitting.coefficients.search`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import xarray as xr

from loligo.cases import coefficients as files
from loligo.cases.body import Bar, ChamberedArm, Mantle, TaperedArm
from loligo.cases.case import Case
from loligo.cases.coefficients import KNOWN, Coefficients
from loligo.cases.core.record import BadInput
from loligo.cases.rubber.elastomer import scaled
from loligo.reduced.predict.predict import NothingPredicted, predict
from loligo.reduced.section.law_choice import Law
from loligo.validation.fitting.coefficients.base import base_on
from loligo.validation.fitting.coefficients.case_data import (
    SHAPES,
    CaseData,
    excited,
    predicted,
    stable_steps,
)
from loligo.validation.fitting.coefficients.cautions import ABSORBING, NOT_RIGHT
from loligo.validation.fitting.coefficients.errors import ErrorRow as Errors
from loligo.validation.fitting.coefficients.errors import share_off
from loligo.validation.fitting.coefficients.intervals import identify, wald
from loligo.validation.fitting.coefficients.judge import judge
from loligo.validation.fitting.coefficients.search import Found, Search, without
from loligo.validation.fitting.coefficients.search import calibrate as sought

MODELS_JUDGED = {
    TaperedArm: ("rod", "pcc"),
    Bar: ("rod", "pcc"),
    ChamberedArm: ("rod", "pcc_lengths", "joint"),
    Mantle: ("shell", "shell_eq7"),
}
"""Models whose coefficients are worth a table, the default first: on chambered arms under pressure
the arcs of pcc are those of the rod."""
BECAUSE = {
    "rod": "its section softens alike in bending and in stretch, and a hooped one of wide bores "
    "does not",
    "pcc": "one arc bends alike all along, and this body does not",
    "pcc_lengths": "what chambers do to each other's lengths does not add up as it has it",
    "joint": "its three actuators stretch side by side as bars, and the body bends as one beam",
    "shell_eq7": "its law, linear in Green's strains, softens to a limit load, and rubber does not",
}
"""What a model leaves out, whatever its coefficients."""


@dataclass(frozen=True)
class FittedFactor:
    """A coefficient that was found, with its 95 % interval."""

    name: str
    value: float
    standard_error: float
    low: float
    high: float

    @property
    def absorbs(self) -> bool:
        """Whether it is a factor further from 1 than the geometry's own uncertainty."""
        neutral = KNOWN[self.name].neutral
        return neutral == 1.0 and max(self.value, 1.0 / self.value) > ABSORBING


@dataclass(frozen=True, eq=False)
class Calibrated:
    """A calibrated prediction, and which steps it has seen."""

    coefficients: Coefficients
    factors: tuple[FittedFactor, ...]
    prediction: xr.Dataset
    """At all steps of the case."""
    fitted: tuple[int, ...]
    held_out: tuple[int, ...]
    """Steps of the case, from 1."""


@dataclass(frozen=True)
class HeldOutRow:
    """How far a model is from held-out loads, as a share of the displacement, before and after."""

    case: str
    held_out: Literal["larger loads", "another load"]
    """Whether smaller loads of the same case were fitted, or none of it."""
    steps: tuple[int, ...]
    before: float
    """With coefficients of geometry and rubber; nan where the model gives no answer."""
    after: float


@dataclass(frozen=True)
class BodyCalibration:
    """A model of a body, fitted to all its load cases, judged on what was held out."""

    model: str
    cases: tuple[str, ...]
    coefficients: Coefficients
    factors: tuple[FittedFactor, ...]
    condition: float
    """Of the scaled Fisher matrix."""
    rows: tuple[HeldOutRow, ...]
    cautions: tuple[str, ...]
    verdict: str
    """In a sentence: how far held-out loads are off, and whether that can be made right."""

    def record(self) -> dict[str, Any]:
        """Return every number for JSON; what is not known is None."""
        return {
            "model": self.model,
            "cases": list(self.cases),
            "coefficients": [
                {
                    "name": f.name,
                    "value": f.value,
                    "unit": KNOWN[f.name].unit,
                    "standard_error": _number(f.standard_error),
                    "low": _number(f.low),
                    "high": _number(f.high),
                    "absorbs_model_error": f.absorbs,
                }
                for f in self.factors
            ],
            "condition": _number(self.condition),
            "held_out": [
                {
                    "case": row.case,
                    "kind": row.held_out,
                    "steps": list(row.steps),
                    "before": _number(row.before),
                    "after": _number(row.after),
                }
                for row in self.rows
            ],
            "cautions": list(self.cautions),
            "verdict": self.verdict,
        }


def calibrate(case: Case, reference: xr.Dataset, model: str, law: Law = None) -> Calibrated | None:
    """Fit to the first half of the steps; None if there are less than two, or nothing to fit."""
    study = study_of(case, reference)
    if len(study.fitted) == 0 or not study.held_out or not _shape(reference):
        return None
    base, given = base_on([case], model, law)
    names = excited(model, [study], base)
    if not names:
        return None
    found = sought(Search(model, base, names, (study,), given))
    return Calibrated(
        coefficients=found.coefficients,
        factors=_factors(found),
        prediction=predict(case, model, coefficients=found.coefficients, law=given),
        fitted=study.fitted,
        held_out=study.held_out,
    )


def judge_body(studies: Sequence[CaseData], model: str) -> BodyCalibration | None:
    """Fit a model to all data of a body, and judge it at the loads that were held out.

    Cases that the model cannot answer at all take no part; None if none is left, or if the model
    reaches the fitted loads with no coefficients.
    """
    able = tuple(study for study in studies if _shape(study.data) and _answers(study, model))
    if not any(study.fitted for study in able):
        return None
    base, _ = base_on([study.case for study in able], model)
    names = excited(model, able, base)
    if not names:
        return None
    try:
        found = sought(Search(model, base, names, able))
    except BadInput:
        return None
    judged = judge(found, profiles=False)
    rows = tuple(_rows(found, able, judged.rows))
    factors = _factors(found)
    return BodyCalibration(
        model=model,
        cases=tuple(study.case.name for study in able),
        coefficients=found.coefficients,
        factors=factors,
        condition=judged.known.condition,
        rows=rows,
        cautions=judged.cautions,
        verdict=_verdict(model, factors, rows),
    )


def applied(found: BodyCalibration, study: CaseData) -> Calibrated | None:
    """Return what the coefficients of a body make of one of its cases; None if it has no answer."""
    try:
        prediction = predict(study.case, found.model, coefficients=found.coefficients)
    except NothingPredicted:
        return None
    return Calibrated(found.coefficients, found.factors, prediction, study.fitted, study.held_out)


def study_of(case: Case, data: xr.Dataset, file_hash: str = "") -> CaseData:
    """Return a case with its data, the first half of the stable steps to be fitted.

    Of a measurement it is the first third: what is fitted there validates nothing.
    """
    stable = stable_steps(data)
    parts = 3 if data.attrs.get("kind") == "measurement" else 2
    return CaseData(case, data, stable[: -(-len(stable) // parts)], file_hash)


def softened(case: Case, factor: float) -> Case:
    """Return the case with every rubber's modulus times a factor."""
    material = {name: scaled(rubber, factor) for name, rubber in case.material.items()}
    return case.model_copy(update={"material": material})


def _rows(
    found: Found, studies: Sequence[CaseData], known: Sequence[Errors]
) -> Iterator[HeldOutRow]:
    """Rows of larger loads, whose errors are known, and of every case by what the others tell."""
    search = found.search
    larger = {row.case: row for row in known if not row.fitted}
    for study in studies:
        name = study.case.name
        if (row := larger.get(name)) is not None:
            yield HeldOutRow(name, "larger loads", row.steps, row.before, row.after)
        if len(studies) > 1 and (coefficients := without(found, study)) is not None:
            every = stable_steps(study.data)
            pair = (_answer(study, search.model, c) for c in (search.base, coefficients))
            yield HeldOutRow(
                name, "another load", every, *(_off(study, data, every) for data in pair)
            )


def _verdict(model: str, factors: Sequence[FittedFactor], rows: Sequence[HeldOutRow]) -> str:
    given = ", ".join(f"{f.name} {f.value:.3g}" for f in factors)
    worst = max(rows, key=lambda row: np.nan_to_num(row.after, nan=np.inf), default=None)
    if worst is None:
        return f"No load is held out for the {model}."
    if np.isnan(worst.after):
        return f"With {given} the {model} gives no answer at {worst.case}, which was held out."
    was = "" if np.isnan(worst.before) else f", {worst.before:.1%} before"
    if worst.after <= NOT_RIGHT:
        return (
            f"With {given} the {model} is off by at most {worst.after:.1%} of the displacement at "
            f"held-out loads ({worst.case}{was})."
        )
    why = f": {BECAUSE[model]}" if model in BECAUSE else ""
    return (
        f"No coefficients make the {model} right: with {given} it stays {worst.after:.0%} of the "
        f"displacement off at held-out loads ({worst.case}{was}){why}."
    )


def _factors(found: Found) -> tuple[FittedFactor, ...]:
    known = identify(found.jacobian, found.variance)
    values = found.search.values(found.unknowns)
    errors = np.where(found.at_bound, np.nan, known.error)
    ends = zip(values.items(), errors, wald(found, known), strict=True)
    return tuple(
        FittedFactor(
            name,
            value,
            float(error if KNOWN[name].signed else value * error),
            interval.low,
            interval.high,
        )
        for (name, value), error, interval in ends
    )


def _shape(data: xr.Dataset) -> bool:
    return bool(SHAPES & set(data.variables))


def _answers(study: CaseData, model: str) -> bool:
    try:
        predicted(study, model, files.for_case(study.case, "geometry and rubber"), 1)
    except (BadInput, NothingPredicted):
        return False
    return True


def _answer(study: CaseData, model: str, coefficients: Coefficients) -> xr.Dataset | None:
    try:
        return predicted(study, model, coefficients)
    except NothingPredicted:
        return None


def _off(study: CaseData, data: xr.Dataset | None, steps: Sequence[int]) -> float:
    return np.nan if data is None else share_off(study, data, steps)


def _number(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
