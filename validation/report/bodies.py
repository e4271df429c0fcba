"""What a report is about: data sets and their cases, in bodies, and what came of comparing them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile

from loligo.cases.case import Case
from loligo.cases.case_file import library_names, load
from loligo.cases.core.record import BadInput
from loligo.cases.identity import differences, relation, same_problem, written
from loligo.reduced.predict.predict import NothingPredicted
from loligo.reduced.predict.scope import models_of
from loligo.validation.compare.comparison import Comparison, compare
from loligo.validation.compare.ladder import Ladder, climb, same_body
from loligo.validation.data.source import Source
from loligo.validation.fitting.coefficients.case_data import CaseData
from loligo.validation.fitting.coefficients.held_out import (
    MODELS_JUDGED,
    BodyCalibration,
    applied,
    judge_body,
    study_of,
)


@dataclass(frozen=True, eq=False)
class Given:
    """A case with its data."""

    case: Case
    source: Source
    """The reference; where there is none, what was measured."""
    measured: Source | None


@dataclass(frozen=True, eq=False)
class ReportedCase:
    """A case with its data, and what came of comparing them."""

    case: Case
    source: Source
    comparison: Comparison | None
    failure: str | None
    measurements: tuple[Comparison, ...]
    """Of the 3D solution and of every model of ours with measured data, where there are any."""


@dataclass(frozen=True, eq=False)
class Body:
    """A body with all cases that there are data of."""

    name: str
    entries: tuple[ReportedCase, ...]
    ladder: Ladder
    calibrations: tuple[BodyCalibration, ...]
    """Of every model that is worth it, fitted to all static cases together."""


def gather(sources: Sequence[Source]) -> tuple[list[tuple[Given, ...]], list[str]]:
    """Return the data of every body, and what cannot be used."""
    unused: list[str] = []
    references: list[tuple[Case, Source]] = []
    measured: list[tuple[Case, Source]] = []
    for source in sources:
        try:
            case = case_of(source)
        except BadInput as error:
            unused.append(str(error))
            continue
        if source.kind == "measurement":
            measured.append((case, source))
        elif source.kind == "reference":
            references.append((_renamed(case, [other.name for other, _ in references]), source))
        else:
            unused.append(f"{_name(source)}: a prediction; `loligo compare` takes those")
    against: dict[str, Source] = {}
    for case, source in measured:
        mine = [other for other, _ in references if _belongs(other, source)]
        if not mine:  # nothing else is of its case: our models are compared with it alone
            mine = [_renamed(case, [other.name for other, _ in references])]
            references.append((mine[0], source))
        against |= dict.fromkeys((each.name for each in mine), source)
    bodies: list[list[Given]] = []
    for case, source in references:
        given = Given(case, source, against.get(case.name))
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
    """Return the case of a data set: the one written in it, else the library's of its name.

    If the two are one by content it is the library's, whose title and levels are today's.
    """
    try:
        case = written(source.data)
    except BadInput as error:
        raise BadInput(f"{_name(source)}: {error}") from None
    name = source.case_name
    if name in library_names() and (case is None or not differences(load(name), case)):
        return load(name)
    if case is not None:
        return case
    raise BadInput(
        f"{_name(source)}: names no case of the library, and no case is written in it: give it "
        "the attribute case_name, or case with the text of the case file"
    )


def of_library(case: Case) -> bool:
    """Whether a case is the library's of its name, by content."""
    return case.name in library_names() and same_problem(case, load(case.name))


def _belongs(case: Case, source: Source) -> bool:
    """Whether measured data are of a case."""
    try:
        return not relation(case, source.data).another
    except BadInput:
        return False


def _renamed(case: Case, taken: Sequence[str]) -> Case:
    """Return a case whose name is not taken: those of one study may all have one name."""
    if case.name not in taken:
        return case
    number = next(n for n in range(2, len(taken) + 2) if f"{case.name}-{n}" not in taken)
    return case.model_copy(update={"name": f"{case.name}-{number}"})


def _calibrations(body: Sequence[Given]) -> Iterator[BodyCalibration]:
    studies = [_study(given) for given in body if _can_be_fitted(given)]
    for model in MODELS_JUDGED.get(type(body[0].case.body), ()) if studies else ():
        if (found := judge_body(studies, model)) is not None:
            yield found


def _can_be_fitted(given: Given) -> bool:
    return given.case.time is None and given.source.kind == "reference"


def _study(given: Given) -> CaseData:
    return study_of(given.case, given.source.data)


def _entry(given: Given, found: BodyCalibration | None) -> ReportedCase:
    case, source = given.case, given.source
    comparison, failure = None, None
    measurements: tuple[Comparison, ...] = ()
    try:
        if source.kind == "reference":
            known = found is not None and case.name in found.cases
            calibrated = applied(found, _study(given)) if found is not None and known else None
            comparison = compare(case, source, calibrating=False, calibrated=calibrated)
        if given.measured is not None:
            measurements = tuple(_against(case, source, given.measured))
    except (BadInput, NothingPredicted) as error:
        failure = str(error)
    return ReportedCase(case, source, comparison, failure, measurements)


def _against(case: Case, source: Source, measured: Source) -> Iterator[Comparison]:
    """Compare measured data with the 3D solution and with every model that answers the case."""
    if source.kind == "reference":
        yield compare(case, measured, source, calibrating=False)
    for model in models_of(case.body):
        try:
            yield compare(case, measured, model=model)
        except (BadInput, NothingPredicted):
            continue  # another model may answer it


def _name(source: Source) -> str:
    return source.file.name if source.file is not None else "a data set"
