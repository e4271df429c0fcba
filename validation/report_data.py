"""What the report says, as plain data: every number of the page, and nothing else.

The parts stay apart (ASME V&V 10): verification (is the data set consistent with itself),
solution verification (error bars), model-form comparison (reduced against 3D), calibration
(coefficients from the smaller loads, judged at the larger), validation (measured data only).
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from loligo.cases import dataset
from loligo.cases.case import Case
from loligo.cases.read import library_names, load, resolve
from loligo.cases.record import BadInput
from loligo.reduced.predict import NothingPredicted
from loligo.validation.bars import alike, level_bar, not_observed
from loligo.validation.compare import Comparison, compare
from loligo.validation.compare_record import record
from loligo.validation.consistency import strain_findings
from loligo.validation.held_out import with_factors
from loligo.validation.ladder import AGREED, Ladder, climb, same_body
from loligo.validation.levels import ORDER
from loligo.validation.maps import map_record
from loligo.validation.matching import match
from loligo.validation.metrics import applicable
from loligo.validation.source import Source
from loligo.validation.words import range_words, share_words, value_words

BALANCE = 1e-2
"""Residual of the energy balance, of the largest part, above which it is called open."""


@dataclass(frozen=True, eq=False)
class Entry:
    """One reference data set, and what came of comparing it."""

    source: Source
    case: Case
    comparison: Comparison | None
    failure: str | None
    measurement: Comparison | None
    """Of our model with measured data, where there are any."""


@dataclass(frozen=True, eq=False)
class Robot:
    """A body with all cases that there are data of."""

    name: str
    entries: tuple[Entry, ...]
    ladder: Ladder


def gather(sources: Sequence[Source]) -> tuple[list[Robot], list[str]]:
    """Compare every reference with our model; returns the bodies and what could not be used."""
    unused: list[str] = []
    cases: list[tuple[Source, Case]] = []
    measured: dict[str, Source] = {}
    for source in sources:
        try:
            case = case_of(source)
        except BadInput as error:
            unused.append(str(error))
            continue
        if source.kind == "measurement":
            measured[case.name] = source
        elif source.kind == "reference":
            cases.append((source, case))
        else:
            unused.append(f"{_name(source)}: a prediction; `loligo compare` takes those")
    known = {case.name for _, case in cases}
    cases += [(source, case_of(source)) for name, source in measured.items() if name not in known]
    entries = [_entry(source, case, measured.get(case.name)) for source, case in cases]
    groups: list[list[Entry]] = []
    for entry in entries:
        group = next((g for g in groups if same_body(g[0].case, entry.case)), None)
        if group is None:
            groups.append([entry])
        else:
            group.append(entry)
    return [_robot(group) for group in groups], unused


def case_of(source: Source) -> Case:
    """Return the case of a data set: the library's of that name, else the one written in it."""
    name = source.case_name
    if name in library_names():
        return load(name)
    text = source.data.attrs.get("case")
    if not name or text is None:
        raise BadInput(
            f"{_name(source)}: names no case of the library, and no case is written in it: give it "
            "the attribute case_name, or case with the text of the case file"
        )
    try:
        return resolve(tomllib.loads(str(text)), Path(f"{name}.toml"))
    except tomllib.TOMLDecodeError as error:
        raise BadInput(f"{_name(source)}: its attribute case is not valid TOML: {error}") from None


def summary(
    robots: Sequence[Robot], unused: Sequence[str], maps: Sequence[xr.Dataset] = ()
) -> dict[str, Any]:
    """Return every number of the report."""
    return {
        "schema": "loligo report 1",
        "robots": [_robot_summary(robot) for robot in robots],
        "maps": [map_record(chart) for chart in maps],
        "not_used": list(unused),
        "agreed": AGREED,
    }


def _entry(source: Source, case: Case, measured: Source | None) -> Entry:
    comparison, failure, against_data = None, None, None
    try:
        if source.kind == "reference":
            comparison = compare(case, source)
        if measured is not None:
            against_data = compare(case, measured, calibrating=False)
    except (BadInput, NothingPredicted) as error:
        failure = str(error)
    return Entry(source, case, comparison, failure, against_data)


def _robot(group: list[Entry]) -> Robot:
    names = [entry.case.name for entry in group]
    parts = [name.split("_") for name in names]
    shared = takewhile(lambda words: len(set(words)) == 1, zip(*parts, strict=False))
    return Robot(
        "_".join(words[0] for words in shared) or names[0],
        tuple(group),
        climb([e.comparison for e in group if e.comparison is not None]),
    )


def _robot_summary(robot: Robot) -> dict[str, Any]:
    failing = robot.ladder.first_failing
    return {
        "name": robot.name,
        "verdict": _verdict(robot),
        "trust": _trust(robot),
        "validated": any(entry.measurement is not None for entry in robot.entries),
        "ladder": [
            {
                "rung": rung.name,
                "case": rung.case,
                "state": rung.state,
                "error": rung.error,
                "differs": list(rung.differs),
                "causes": list(rung.causes),
            }
            for rung in robot.ladder.rungs
        ],
        "first_failing": None if failing is None else failing.name,
        "cases": [_entry_summary(entry) for entry in robot.entries],
        "cross": _cross(robot),
    }


def _verdict(robot: Robot) -> str:
    """One sentence a body."""
    failing = robot.ladder.first_failing
    compared = [e.comparison for e in robot.entries if e.comparison is not None]
    if not compared:
        return "Nothing could be compared."
    model = compared[0].model
    if failing is None:
        worst = max(rung.error or 0.0 for rung in robot.ladder.rungs)
        return (
            f"The {model} follows the reference to {share_words(worst)} of the length on every "
            f"rung there are data for."
        )
    causes = f": {failing.differs[0]}" if failing.differs else ""
    off = f", {share_words(failing.error)} of the length" if failing.error is not None else ""
    return f"The {model} first differs on the rung {failing.name} ({failing.case}){off}{causes}."


def _trust(robot: Robot) -> list[dict[str, Any]]:
    """How far the model can be trusted, for which load, with which coefficients."""
    rows = []
    for entry in robot.entries:
        found = entry.comparison
        if found is None or (row := found.headline) is None or row.relative is None:
            continue
        last = float(row.relative[-1])
        tuned = None
        if row.calibrated is not None and row.scale is not None and row.scale[-1] > 0.0:
            tuned = float(row.calibrated[-1] / row.scale[-1])
        factors = found.calibrated.factors if found.calibrated else ()
        rows.append(
            {
                "case": entry.case.name,
                "title": entry.case.title,
                "metric": row.metric.title,
                "error": last,
                "bar": float(row.bar[-1] / row.scale[-1])
                if row.bars_known and row.scale is not None and row.scale[-1] > 0.0
                else None,
                "resolved": bool(row.resolved[-1]),
                "held_out": tuned,
                "factors": {factor.name: factor.value for factor in factors},
                "acceptance": found.accepted,
            }
        )
    return rows


def _entry_summary(entry: Entry) -> dict[str, Any]:
    found = entry.comparison
    return {
        "case": entry.case.name,
        "title": entry.case.title,
        "source": entry.case.source,
        "assumptions": list(entry.case.assumptions),
        "failure": entry.failure,
        "verification": list(_checks(entry)),
        "solution": list(_solution(entry)),
        "stretch": _stretch(entry),
        "beyond_class": _beyond_class(entry),
        "spread": max(rubber.spread for rubber in entry.case.material.values()),
        "comparison": None if found is None else record(found),
        "validation": None if entry.measurement is None else record(entry.measurement),
        "claims": [] if found is None else _claims(found),
    }


def _checks(entry: Entry) -> Iterator[dict[str, Any]]:
    """Is the data set consistent with itself: what must hold whatever the model."""
    data = entry.source.data
    findings = dataset.check(data)
    yield _check("form", not findings, "; ".join(map(str, findings)) or "no finding")
    if {"frame", "strain", "station"} <= set(data.variables):
        spoiled = list(strain_findings(data))
        words = "; ".join(map(str, spoiled)) or "strains are those of the frames"
        yield _check("strains and frames", not spoiled, words)
    parts = [n for n in ("stored_energy", "dissipated_energy", "kinetic_energy") if n in data]
    if "external_work" in data and "stored_energy" in parts:
        work = data["external_work"].values
        gap = work - sum(data[name].values for name in parts)
        size = max(float(np.abs(work).max()), 1e-300)
        residual = float(np.abs(gap).max()) / size
        words = f"work of the loads and energy differ by {share_words(residual)} of the work"
        yield _check("energy balance", residual <= BALANCE, words, residual)
    if "stable" in data:
        unstable = [str(i + 1) for i, s in enumerate(data["stable"].values) if s == 0]
        unknown = bool((data["stable"].values < 0).any())
        words = f"unstable at step {', '.join(unstable)}" if unstable else "no step is unstable"
        yield _check("stability", not unstable, words + (", some unknown" if unknown else ""))


def _check(name: str, good: bool, words: str, value: float | None = None) -> dict[str, Any]:
    return {"what": name, "good": good, "words": words, "value": value}


def _solution(entry: Entry) -> Iterator[dict[str, Any]]:
    """Bar and observed order of every quantity that the reference gives on its meshes."""
    data = entry.source.data
    rows = entry.comparison.rows if entry.comparison is not None else ()
    levels = alike(data, entry.source.meshes)
    for metric in applicable(data):
        row = next((row for row in rows if row.metric is metric), None)
        bar = row.mesh if row is not None else level_bar(metric, data, levels, ORDER)
        if not bar.known or not np.any(bar.half_width):
            continue
        scale = None if metric.scale is None else metric.scale(data)
        half = float(bar.half_width[-1])
        share = None if scale is None or scale[-1] == 0.0 else half / float(scale[-1])
        order = None if bar.order is None else float(bar.order[-1])
        yield {
            "what": metric.title,
            "unit": metric.unit,
            "half_width": half,
            "words": value_words(half, metric.unit),
            "share": share,
            "origin": bar.origin,
            "order": order if order is not None and np.isfinite(order) else None,
            "theory": ORDER,
            "order_not_observed": not_observed(bar),
        }


def _beyond_class(entry: Entry) -> list[str]:
    """What no rod and no round shell can follow, at the last step, in words."""
    data = entry.source.data
    words = []
    if "section_residual" in data:
        largest = np.abs(data["section_residual"].values[-1]).max(axis=0)
        for name, value in zip(dataset.RESIDUALS, largest, strict=True):
            words.append(f"{name.replace('_', ' ')} up to {share_words(float(value))}")
    if "lobes" in data:
        lobes = np.abs(data["lobes"].values[-1])
        mode = int(data["mode"].values[lobes.argmax()]) if "mode" in data.coords else None
        named = "" if mode is None else f" with {mode} waves"
        words.append(f"lobes{named} of {value_words(float(lobes.max()), 'm')}")
    return words


def _stretch(entry: Entry) -> dict[str, Any] | None:
    """Largest stretch against the range of the rubber's law."""
    data = entry.source.data
    if "max_stretch" not in data:
        return None
    largest = float(data["max_stretch"].max())
    rubber = entry.case.material["body"]
    limit = rubber.fitted_stretch[1] if rubber.fitted_stretch else None
    return {
        "largest": largest,
        "limit": limit,
        "beyond": limit is not None and largest > limit,
        "law": rubber.energy.replace("_", "-"),
    }


def _claims(found: Comparison) -> list[dict[str, Any]]:
    """The numbers at the last step, in words, with what the rubber's spread makes of them."""
    rows = []
    for claim in found.claims:
        last = float(claim.prediction[-1])
        words = open_range = None
        if claim.range is not None:
            low, high = float(claim.range[0][-1]), float(claim.range[1][-1])
            words = range_words(low, high, claim.unit)
            if last != 0.0:
                open_range = [low / last, high / last]
        row = found.row(claim.metric)
        bar = None if row is None or not row.bars_known else float(row.bar[-1])
        reference = float(claim.reference[-1])
        carried = None
        if open_range is not None:
            carried = range_words(reference * open_range[0], reference * open_range[1], claim.unit)
        rows.append(
            {
                "what": claim.title,
                "reference": value_words(reference, claim.unit),
                "bar": None if bar is None else value_words(bar, claim.unit),
                "prediction": value_words(last, claim.unit),
                "ratio": None if reference == 0.0 else last / reference,
                "prediction_range": words,
                "reference_range": carried,
            }
        )
    return rows


def _cross(robot: Robot) -> list[dict[str, Any]]:
    """Coefficients found at one case, judged at another one of the same body."""
    rows = []
    for giver in robot.entries:
        found = giver.comparison
        if found is None or found.calibrated is None:
            continue
        for taker in robot.entries:
            other = taker.comparison
            if taker is giver or other is None or (row := other.headline) is None:
                continue
            try:
                tuned = with_factors(taker.case, other.model, found.calibrated.factors)
                pair = match(other.pair.reference, tuned)
            except (BadInput, NothingPredicted):
                continue
            if pair.missed or row.scale is None or row.relative is None:
                continue
            error = row.metric.error(pair.reference, pair.prediction) / row.scale
            rows.append(
                {
                    "from": giver.case.name,
                    "to": taker.case.name,
                    "factors": {f.name: f.value for f in found.calibrated.factors},
                    "before": float(np.abs(row.relative).max()),
                    "after": float(np.abs(error).max()),
                }
            )
    return rows


def _name(source: Source) -> str:
    return source.file.name if source.file is not None else "a data set"
