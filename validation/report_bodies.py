"""What a report is about: data sets and their cases, in bodies, and what came of comparing them."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

from loligo.cases.case import Case
from loligo.cases.read import library_names, load, resolve
from loligo.cases.record import BadInput
from loligo.reduced.predict import NothingPredicted
from loligo.validation.calibrate_study import Study
from loligo.validation.compare import Comparison, compare
from loligo.validation.held_out import (
    MODELS_JUDGED,
    BodyCalibration,
    applied,
    judge_body,
    study_of,
)
from loligo.validation.ladder import Ladder, climb, same_body
from loligo.validation.source import Source


@dataclass(frozen=True, eq=False)
class Given:
    """A case with its data."""

    case: Case
    source: Source
    """The reference; where there is none, what was measured."""
    measured: Source | None


@dataclass(frozen=True, eq=False)
class Entry:
    """A case with its data, and what came of comparing them."""

    case: Case
    source: Source
    comparison: Comparison | None
    failure: str | None
    measurement: Comparison | None
    """Of our model with measured data, where there are any."""


@dataclass(frozen=True, eq=False)
class Body:
    """A body with all cases that there are data of."""

    name: str
    entries: tuple[Entry, ...]
    ladder: Ladder
    calibrations: tuple[BodyCalibration, ...]
    """Of every model that is worth it, fitted to all static cases together."""


def gather(sources: Sequence[Source]) -> tuple[list[tuple[Given, ...]], list[str]]:
    """Return the data of every body, and what cannot be used."""
    unused: list[str] = []
    references: list[tuple[Case, Source]] = []
    measured: dict[str, tuple[Case, Source]] = {}
    for source in sources:
        try:
            case = case_of(source)
        except BadInput as error:
            unused.append(str(error))
            continue
        if source.kind == "measurement":
            measured[case.name] = (case, source)
        elif source.kind == "reference":
            references.append((case, source))
        else:
            unused.append(f"{_name(source)}: a prediction; `loligo compare` takes those")
    known = {case.name for case, _ in references}
    references += [pair for name, pair in measured.items() if name not in known]
    bodies: list[list[Given]] = []
    for case, source in references:
        given = Given(case, source, measured[case.name][1] if case.name in measured else None)
        body = next((each for each in bodies if same_body(each[0].case, case)), None)
        if body is None:
            bodies.append([given])
        else:
            body.append(given)
    return [tuple(body) for body in bodies], unused


def compared(body: Sequence[Given]) -> Body:
    """Calibrate our models on all data of a body, and compare each case with the default model."""
    calibrations = tuple(_calibrations(body))
    default = MODELS_JUDGED.get(type(body[0].case.body), ("",))[0]
    fitted = next((found for found in calibrations if found.model == default), None)
    entries = tuple(_entry(given, fitted) for given in body)
    parts = [entry.case.name.split("_") for entry in entries]
    shared = takewhile(lambda words: len(set(words)) == 1, zip(*parts, strict=False))
    return Body(
        "_".join(words[0] for words in shared) or entries[0].case.name,
        entries,
        climb([entry.comparison for entry in entries if entry.comparison is not None]),
        calibrations,
    )


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


def _calibrations(body: Sequence[Given]) -> Iterator[BodyCalibration]:
    studies = [_study(given) for given in body if _can_be_fitted(given)]
    for model in MODELS_JUDGED.get(type(body[0].case.body), ()) if studies else ():
        if (found := judge_body(studies, model)) is not None:
            yield found


def _can_be_fitted(given: Given) -> bool:
    return given.case.time is None and given.source.kind == "reference"


def _study(given: Given) -> Study:
    return study_of(given.case, given.source.data)


def _entry(given: Given, found: BodyCalibration | None) -> Entry:
    case, source = given.case, given.source
    comparison, failure, against_data = None, None, None
    try:
        if source.kind == "reference":
            known = found is not None and case.name in found.cases
            calibrated = applied(found, _study(given)) if found is not None and known else None
            comparison = compare(case, source, calibrating=False, calibrated=calibrated)
        if given.measured is not None:
            against_data = compare(case, given.measured, calibrating=False)
    except (BadInput, NothingPredicted) as error:
        failure = str(error)
    return Entry(case, source, comparison, failure, against_data)


def _name(source: Source) -> str:
    return source.file.name if source.file is not None else "a data set"
