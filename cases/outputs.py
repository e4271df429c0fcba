"""What an output may replace: decided here for every verb that writes, before its work begins.

An output has the suffix of its kind, is none of the inputs (links followed), and can be written. An
existing file is replaced if it is of the same kind and of the same case; any other is replaced only
if the user forces it.
"""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from loligo.cases.core import atomic as files
from loligo.cases.core.record import BadInput

_PNG = b"\x89PNG\r\n\x1a\n"


@dataclass(frozen=True)
class Kind:
    """A kind of output."""

    name: str
    """With its article, as in "a data set"."""
    suffix: str
    other: Callable[[Path], str]
    """Describes an existing file that is not to be replaced; empty for one that may be."""


def check(file: Path, kind: Kind, inputs: Iterable[Path] = (), *, force: bool = False) -> Path:
    """Return the path of an output that can be written; nothing is made.

    Args:
        file: where the output goes.
        kind: what it is.
        inputs: files that the work reads.
        force: replace an existing file of another kind or case.

    Raises:
        BadInput: if the file must be kept; the message says what it is and what to do.
        OSError: if it cannot be written.
    """
    refuse_inputs(file, inputs)
    if file.suffix.lower() != kind.suffix:
        raise BadInput(f"{file}: {kind.name} ends with {kind.suffix}; give the output such a name")
    if file.is_dir():
        raise BadInput(f"{file}: is a folder; give the output the name of a file")
    if file.exists():
        files.check_regular(file)
        if not force and file.stat().st_size > 0 and (other := kind.other(file)):
            raise BadInput(
                f"{file}: is {other}; {kind.name} would replace it: give another --output, "
                "or --force to replace it"
            )
    files.check_writable(file)
    return file


def refuse_inputs(file: Path, inputs: Iterable[Path]) -> None:
    """Refuse an output that is one of the files that the work reads."""
    for given in inputs:
        if file.exists() and given.exists() and os.path.samefile(file, given):
            named = "" if str(given) == str(file) else f" ({given})"
            raise BadInput(
                f"{file}: is an input of this command{named} and would be replaced: give another "
                "--output"
            )


def check_folder(folder: Path) -> Path:
    """Return the path of a folder in which files can be written; it is not made."""
    if folder.exists() and not folder.is_dir():
        raise BadInput(f"{folder}: is a file; give a folder as --output")
    files.check_writable(folder / "output")
    return folder


def check_export(
    folder: Path, names: Iterable[str], inputs: Iterable[Path] = (), *, force: bool = False
) -> Path:
    """Return the path of a folder for an export; files of an earlier one may be replaced.

    Raises:
        BadInput: if it holds such files that are of no export, or inputs.
    """
    check_folder(folder)
    given, there = list(inputs), [name for name in names if (folder / name).exists()]
    for name in there:
        refuse_inputs(folder / name, given)
    report = folder / EXPORT_REPORT
    if there and not force and (not report.is_file() or EXPORT.other(report)):
        raise BadInput(
            f"{folder / there[0]}: is of no export and would be replaced: give another --output, "
            "or --force to replace it"
        )
    return folder


def solution(case: str) -> Kind:
    """Return the kind of 3D solutions of a case, which is given as resolved TOML."""
    return data_set("a 3D solution", ("reference",), case=case)


def prediction(case: str) -> Kind:
    """Return the kind of predictions of a case, which is given as resolved TOML."""
    return data_set("a prediction", ("prediction",), case=case)


def data_set(name: str, kinds: Iterable[str], **attributes: str) -> Kind:
    """Return a kind of netCDF file.

    Args:
        name: with its article.
        kinds: values of its attribute `kind`.
        attributes: those that say what it is of, with their values.
    """
    expected = set(kinds)

    def other(file: Path) -> str:
        from loligo.cases.identity import same_study

        if isinstance(stated := _attributes(file), str):
            return stated
        if str(stated.get("kind")) not in expected:
            return _described(stated)
        for attribute, value in attributes.items():
            given = stated.get(attribute)
            if given != value and not (attribute == "case" and same_study(str(given), value)):
                return f"{name} of {_whose(stated, attribute)}"
        return ""

    return Kind(name, ".nc", other)


def validity_map(cases: Iterable[str]) -> Kind:
    """Return the kind of maps that are of one of some cases, given by their names."""
    known = set(cases)

    def other(file: Path) -> str:
        if isinstance(stated := _attributes(file), str):
            return stated
        of_them = stated.get("kind") == "validity map" and stated.get("case_name") in known
        return "" if of_them else _described(stated)

    return Kind("a validity map", ".nc", other)


def collection(items: Iterable[str]) -> Kind:
    """Return the kind of joined results of a study's items, given by their hashes."""
    known = set(items)

    def other(file: Path) -> str:
        from loligo.cases.dataset import io as dataset

        if isinstance(stated := _attributes(file), str):
            return stated
        data = dataset.read(file)
        if "item" not in data.coords:
            return _described(stated)
        if not known & {str(item) for item in data["item"].values}:
            return "a collection of another study"
        return ""

    return Kind("a collection", ".nc", other)


def coefficients(belongs_to: Mapping[str, str]) -> Kind:
    """Return the kind of coefficient files of a body, which is given by its fingerprint."""

    def other(file: Path) -> str:
        tables = _toml(file)
        if not str(tables.get("format")).startswith("loligo coefficients"):
            return "no file of coefficients"
        same = tables.get("belongs_to") == dict(belongs_to)
        return "" if same else "a file of coefficients of another body, rubber or thread"

    return Kind("a file of coefficients", ".toml", other)


def section_law(belongs_to: dict[str, str]) -> Kind:
    """Return the kind of section laws of an arm, which is given by their identity."""
    from loligo.cases.section_law.law import KIND, belongs_text

    return data_set("a section law", (KIND,), belongs_to=belongs_text(belongs_to))


def table(name: str, keys: Iterable[str]) -> Kind:
    """Return a kind of TOML file that has certain tables."""
    wanted = set(keys)

    def other(file: Path) -> str:
        return "" if wanted <= _toml(file).keys() else f"another file than {name}"

    return Kind(name, ".toml", other)


def record(name: str, keys: Iterable[str] = (), **values: Any) -> Kind:
    """Return a kind of JSON file, which has certain keys, some with certain values."""
    wanted = {*keys, *values}

    def other(file: Path) -> str:
        try:
            found = json.loads(files.read_text(file))
        except (OSError, ValueError, RecursionError):
            return "no JSON"
        if not isinstance(found, dict) or not wanted <= found.keys():
            return f"another file than {name}"
        differing = [key for key, value in values.items() if found[key] != value]
        return f"{name} with another {differing[0]}" if differing else ""

    return Kind(name, ".json", other)


def marked(name: str, suffix: str, *marks: bytes) -> Kind:
    """Return a kind of file that has one of certain marks near its beginning."""

    def other(file: Path) -> str:
        with file.open("rb") as opened:
            head = opened.read(4096)
        return "" if any(mark in head for mark in marks) else f"another file than {name}"

    return Kind(name, suffix, other)


def exported(suffix: str) -> Kind:
    """Return the kind of meshes in the format xdmf or vtu."""
    return marked("an exported mesh", f".{suffix}", b"<Xdmf", b"<VTKFile")


def _foreign_mesh(file: Path) -> str:
    with file.open("rb") as opened:
        if opened.read(11) != b"$MeshFormat":
            return "no Gmsh mesh"
    reported = file.with_suffix(".json").exists()
    return "" if reported else "a mesh without a report of loligo beside it"


PICTURE = marked("a picture", ".png", _PNG)
PAGE = marked("a page of loligo", ".html", b'name="generator" content="loligo"')
EXPORT_REPORT = "LOSSES.md"
EXPORT = marked("a loss report", ".md", b"what is lost")
DRAWING = marked("a drawing", ".svg", b"<svg")
MESH = Kind("a mesh", ".msh", _foreign_mesh)
REPORT = record("a report", schema="loligo report 1")


def _attributes(file: Path) -> dict[Any, Any] | str:
    """Return the attributes of a data set; in words if it is none."""
    from loligo.cases.dataset import io as dataset

    with file.open("rb") as opened:
        if opened.read(len(files.HDF5)) != files.HDF5:
            return "no netCDF-4 data set"
    try:
        return dataset.read(file).attrs
    except BadInput:
        return "a damaged data set"


def _described(stated: Mapping[Any, Any]) -> str:
    """Describe a data set by its kind and case."""
    kind = stated.get("kind")
    names = {
        "reference": "a 3D solution",
        "prediction": "a prediction",
        "measurement": "a measurement",
        "validity map": "a validity map",
        "robot": "the motion of a robot",
        "reaching": "the reach of a robot",
        "section law": "a section law",
    }
    what = names.get(str(kind), "another data set")
    return f'{what} of "{stated["case_name"]}"' if stated.get("case_name") else what


def _whose(stated: Mapping[Any, Any], attribute: str) -> str:
    """Name what a data set is of, where it is not what was expected."""
    if attribute == "belongs_to":
        return "another body, rubber or thread"
    if attribute != "case":
        return f'"{stated.get(attribute, "")}"'
    name = stated.get("case_name", "")
    if "case" not in stated:
        return f'a case that it does not hold, named "{name}"'
    return f'another case, "{name}" as it was when that was made'


def _toml(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(files.read_text(file))
    except (OSError, ValueError, RecursionError):
        return {}
