"""Which data set is the reference of a case: by content, wherever it lies and whatever its name."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from loligo.cases import identity
from loligo.cases.case import Case
from loligo.cases.case_file import library_names, load
from loligo.cases.coefficients import fingerprint
from loligo.cases.core import atomic as files
from loligo.cases.core.record import BadInput
from loligo.cases.identity import Relation
from loligo.validation.data import shipped
from loligo.validation.data.source import Source, read_source


@dataclass(frozen=True, eq=False)
class Reference:
    """A data set with how it belongs to a case."""

    case: Case
    source: Source
    relation: Relation
    passed: tuple[str, ...] = ()
    """Which data sets of the case's name were passed over, and why."""

    @property
    def said(self) -> tuple[str, ...]:
        """What a reader has to know of the data before the numbers."""
        lines = self.relation.said("data set")
        return (*self.passed, *(f"{self.case.name}: {line}" for line in lines))

    def record(self) -> dict[str, Any]:
        """Return as plain data which file it is, and how it belongs to the case."""
        file = None if self.source.file is None else self.source.file.name
        return {"file": file, "sha256": self.file_hash, **self.relation.record()}

    @property
    def file_hash(self) -> str:
        """SHA-256 of the file, of nothing without one."""
        content = files.read_bytes(self.source.file) if self.source.file else b""
        return hashlib.sha256(content).hexdigest()


def reference_of(case: Case, word: str, file: Path | None = None) -> Reference:
    """Return the reference data set of a case.

    Args:
        case: the case.
        word: what the user calls it on the command line.
        file: the data set; by default NAME.nc in the current folder, else the one that loligo
            brings along. Either serves only if its own case is this one.

    Raises:
        BadInput: if there is none of this case.
    """
    if file is not None:
        return _checked(case, read_source(file))
    passed: list[str] = []
    for candidate in (Path(f"{case.name}.nc"), shipped.shipped().get(case.name)):
        if candidate is None or not candidate.is_file():
            continue
        source = read_source(candidate)
        try:
            return _checked(case, source, passed)
        except BadInput as error:
            where = "./" if candidate.parent == Path() else "the shipped "
            passed.append(f"{where}{candidate.name} is not used: {error}")
    none = "" if passed else f"{case.name}: loligo brings no reference data of this case along: "
    reasons = "".join(f"{line}\n  " for line in passed)
    raise BadInput(
        f"{reasons}{none}make them with `loligo solve {word}` (needs dolfinx), or give a data set "
        "of yours"
    )


def references(
    cases: Sequence[Case], words: Sequence[str], files: Sequence[Path]
) -> list[Reference]:
    """Return a data set for every case: among the files the one of its content, else as above.

    Raises:
        BadInput: if a file belongs to none of the cases, or two belong to one.
    """
    found: dict[str, Reference] = {}
    for file in files:
        mine = _whose(cases, read_source(file))
        if mine.case.name in found:
            raise BadInput(f"--data: {file} is the second data set of {mine.case.name}: give one")
        found[mine.case.name] = mine
    return [
        found[case.name] if case.name in found else reference_of(case, word)
        for case, word in zip(cases, words, strict=True)
    ]


def relatives(cases: Sequence[Case]) -> list[Case]:
    """Return static cases of the library of the same body as the first that are none of these."""
    mine, found = fingerprint(cases[0]), []
    for name in library_names():
        try:
            case = load(name)
        except BadInput:
            continue  # a broken file in the library is no matter of this body
        if case.time is not None or fingerprint(case) != mine:
            continue
        if not any(identity.same_problem(case, other) for other in cases):
            found.append(case)
    return found


def _checked(case: Case, source: Source, passed: Sequence[str] = ()) -> Reference:
    found = identity.relate(case, source.data, "reference")
    return Reference(case, source, found, tuple(passed))


def _whose(cases: Sequence[Case], source: Source) -> Reference:
    """Return the case of a data set; data that say nothing of one are of the only one."""
    stated = "case" in source.data.attrs or source.case_name
    if not stated and len(cases) > 1:
        raise BadInput(
            f"--data: {source.file} carries no case and no name of one, and there are "
            f"{len(cases)} cases: give it the attribute case_name"
        )
    refused: list[str] = []
    # The one of the same name first: of several with one content it is meant, or the message's.
    for case in sorted(cases, key=lambda case: case.name != source.case_name):
        try:
            return _checked(case, source)
        except BadInput as error:
            refused.append(str(error))
    raise BadInput(f"--data: {source.file} is of none of the cases given\n  " + refused[0])
