"""A study: one or several cases, varied over lists, a grid, a sample or a table.

A study file names the cases and, below ``grid``, ``sample`` or ``table``, what varies: by the keys
of the case file and with values written as there. Every combination is an item: a complete case
that was checked, with the hash of what it asks for. What was computed once is known by its hash.
"""

from __future__ import annotations

import copy
import csv
import hashlib
import io
import itertools
import json
import math
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import numpy as np
from pydantic import Field, JsonValue, Strict, field_validator, model_validator

from loligo.cases.case import Case
from loligo.cases.case_file import CaseError, find, named_files, resolve, tables, to_toml, validated
from loligo.cases.core import atomic as files
from loligo.cases.core.record import Record, beside
from loligo.cases.core.units import convert, split

MOST_ITEMS = 100_000
"""Items beyond which a study is taken for a slip."""
MOST_TEXT = 60
"""Characters of a value in a message."""
NAMES_ONLY = {"name", "title", "source", "assumptions", "acceptance"}
"""What a case says to people; it does not change what is computed."""


Level = Annotated[int, Field(ge=0, le=6), Strict()]


class Sample(Record):
    """A Latin hypercube: every value is spread evenly over its range, without a grid."""

    count: int = Field(gt=0, le=MOST_ITEMS, strict=True)
    seed: int = Field(0, ge=0, strict=True)
    between: dict[str, tuple[JsonValue, JsonValue]] = Field(min_length=1)
    """Key of the case: smallest and largest value, numbers or texts with the same unit."""

    @field_validator("between", mode="before")
    @classmethod
    def _flat_keys(cls, value: Any) -> Any:
        return _flat(value) if isinstance(value, dict) else value


class Study(Record):
    """What a study file says."""

    cases: tuple[str, ...] = Field(min_length=1)
    """Cases of the library, or files beside the study."""
    run: Literal["solve", "reduce"] = "solve"
    """The 3D solution, or the prediction of the reduced model."""
    level: Level | Annotated[tuple[Level, ...], Field(min_length=1)] = 0
    """Mesh level of the 3D solution; a list of them gives error bars."""
    ranks: int = Field(1, ge=1, strict=True)
    """MPI ranks of an item."""
    grid: dict[str, tuple[JsonValue, ...]] = Field(default_factory=dict)
    """Key of the case: its values; every combination is an item."""
    sample: Sample | None = None
    table: str | None = None
    """A CSV file beside the study: keys in its header, an item a row."""

    @field_validator("table")
    @classmethod
    def _stays_in_folder(cls, value: str | None) -> str | None:
        return None if value is None else beside(value, "study")

    @field_validator("grid", mode="before")
    @classmethod
    def _flat_keys(cls, value: Any) -> Any:
        return _flat(value) if isinstance(value, dict) else value

    @model_validator(mode="before")
    @classmethod
    def _gives_no_trust(cls, data: Any) -> Any:
        if isinstance(data, dict) and "trust" in data:
            raise ValueError(
                "trust: no file can give it; say --trust on the command line, after reading the "
                "cases' own Python energies"
            )
        return data

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        ways = [bool(self.grid), self.sample is not None, self.table is not None]
        if sum(ways) > 1:
            raise ValueError("vary by one of grid, sample and table; a table can hold any of them")
        if self.run == "reduce" and (self.level, self.ranks) != (0, 1):
            raise ValueError("level and ranks belong to the 3D solution; reduce has neither")
        return self

    @property
    def command(self) -> tuple[str, ...]:
        """Arguments of `loligo` before a case's file."""
        if self.run == "reduce":
            return (self.run,)
        # As `loligo solve` takes them, so that one solution has one hash.
        levels = sorted({self.level} if isinstance(self.level, int) else set(self.level))
        option = "--level" if len(levels) == 1 else "--levels"
        return self.run, option, ",".join(map(str, levels))


@dataclass(frozen=True)
class Item:
    """One case of a study, and what it differs in."""

    case: Case
    settings: Mapping[str, Any]
    """What was set, by the keys of the case file."""
    command: tuple[str, ...]
    """Arguments of `loligo` before the case's file: the verb and its options."""
    ranks: int
    folder: Path
    """Where the original case lies, with the files that it names."""

    @property
    def id(self) -> str:
        """The hash of everything that the result depends on, 12 hexadecimal digits."""
        asked = self.case.model_dump(mode="json", exclude=NAMES_ONLY)
        # Part of the command when a study's file could give trust; hashes stay as they were.
        trusting = ["--trust"] if self.code and self.command[0] == "solve" else []
        command = (*self.command, *trusting)
        digest = hashlib.sha256(json.dumps([asked, command], sort_keys=True).encode())
        for file in self.files:
            digest.update(files.read_bytes(file))
        return digest.hexdigest()[:12]

    @property
    def files(self) -> tuple[Path, ...]:
        """Files that the case names: a body's mesh or STEP file, the code of its energies."""
        return named_files(self.case, self.folder)

    @property
    def code(self) -> tuple[Path, ...]:
        """Python files among them, which run when the item is solved."""
        return tuple(file for file in self.files if file.suffix == ".py")


def read_study(file: Path) -> tuple[Study, list[Item]]:
    """Read a study file and make its items, each once.

    Raises:
        CaseError: with everything that is wrong with the study, or with the first item that is no
            case, and how it was made.
    """
    study = validated(Study, tables(file), file)
    items: dict[str, Item] = {}
    # A grid of many keys would not end; one item too many is enough to say so.
    settings = list(itertools.islice(_settings(study, file), MOST_ITEMS + 1))
    if not settings:
        raise CaseError(file, [("", "makes no item: the table has no row, or a list is empty")])
    if len(settings) * len(study.cases) > MOST_ITEMS:
        raise CaseError(file, [("", f"makes more than {MOST_ITEMS} items")])
    for name in study.cases:
        source = _case_file(name, file)
        data = tables(source)
        for change in settings:
            try:
                case = resolve(_changed(data, change), source)
            except CaseError as error:
                problems = [(f"{source.stem} {key}".strip(), why) for key, why in error.problems]
                raise CaseError(file, [("with " + words(change), ""), *problems]) from None
            item = Item(case, change, study.command, study.ranks, source.parent)
            items.setdefault(item.id, item)
    return study, list(items.values())


def _case_file(name: str, study: Path) -> Path:
    if not name.endswith(".toml"):
        return find(name)
    try:
        return study.parent / beside(name, "study")
    except ValueError as error:
        raise CaseError(study, [("cases", str(error))]) from None


def _settings(study: Study, file: Path) -> Iterator[dict[str, Any]]:
    """Yield what every item sets."""
    if study.sample is not None:
        yield from _hypercube(study.sample, file)
    elif study.table is not None:
        yield from _rows(file.parent / study.table)
    else:
        for values in itertools.product(*study.grid.values()):
            yield dict(zip(study.grid, values, strict=True))


def _hypercube(sample: Sample, file: Path) -> Iterator[dict[str, Any]]:
    ends = {key: _interval(file, key, *pair) for key, pair in sample.between.items()}
    random = np.random.default_rng(sample.seed)
    layers = np.tile(np.arange(sample.count), (len(ends), 1))
    shares = (random.permuted(layers, axis=1) + random.random(layers.shape)) / sample.count
    for point in shares.T:
        yield {
            key: _join(low + (high - low) * float(share), unit)
            for share, (key, (low, high, unit)) in zip(point, ends.items(), strict=True)
        }


def _interval(file: Path, key: str, low: Any, high: Any) -> tuple[float, float, str]:
    pairs = [quantity(value) for value in (low, high)]
    if pairs[0] is None or pairs[1] is None or pairs[0][1] != pairs[1][1]:
        reason = 'needs two numbers, with the same unit where it has one, as in ["1 kPa", "5 kPa"]'
        raise CaseError(file, [(f"sample.between.{key}", reason)])
    return pairs[0][0], pairs[1][0], pairs[0][1]


def quantity(value: Any) -> tuple[float, str] | None:
    """Return number and unit of a value; None if it is neither a number nor a quantity."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return float(value), ""
    pair = split(value) if isinstance(value, str) else None
    return pair if pair is not None and math.isfinite(pair[0]) else None


def in_one_unit(values: Sequence[Any]) -> tuple[list[float], str] | None:
    """Return values in the unit of the first; None if one is no number, or of another kind.

    None among the values becomes NaN.
    """
    import pint

    pairs = [None if value is None else quantity(value) for value in values]
    units = [pair[1] for pair in pairs if pair is not None]
    if not units or any(p is None and v is not None for p, v in zip(pairs, values, strict=True)):
        return None
    first = units[0]
    if set(units) == {first}:  # which may be no unit: a plain number
        return [math.nan if pair is None else pair[0] for pair in pairs], first
    try:
        return [math.nan if p is None else convert(*p, first) for p in pairs], first
    except pint.PintError:
        return None


def _join(number: float, unit: str) -> float | str:
    return f"{number!r} {unit}" if unit else number


def _rows(file: Path) -> Iterator[dict[str, Any]]:
    """Yield the rows of a table; a cell is written as in a case file, a text without quotes."""
    try:
        text = io.StringIO(files.read_text(file))
        table = csv.DictReader(line for line in text if line.strip() and line[0] != "#")
        header, rows = [key.strip() for key in table.fieldnames or ()], list(table)
    except (OSError, ValueError, csv.Error) as error:
        reason = getattr(error, "strerror", None) or error
        raise CaseError(file, [("", f"cannot be read as CSV with a header: {reason}")]) from None
    if twice := {key for key in header if header.count(key) > 1}:
        raise CaseError(file, [(", ".join(sorted(twice)), "heads more than one column")])
    for number, row in enumerate(rows, 1):
        if None in row or None in row.values():
            raise CaseError(file, [(f"row {number}", "has not as many cells as the header")])
        yield {key.strip(): _cell(cell.strip()) for key, cell in row.items()}


def _cell(cell: str) -> Any:
    try:
        return tomllib.loads(f"cell = {cell}")["cell"]
    except (ValueError, RecursionError):  # a text
        return cell


def _flat(nested: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Join the keys of nested tables by dots."""
    flat: dict[str, Any] = {}
    for key, value in nested.items():
        if isinstance(value, dict):
            flat |= _flat(value, f"{prefix}{key}.")
        else:
            flat[f"{prefix}{key}"] = value
    return flat


def _changed(data: Mapping[str, Any], settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the contents of a case file with values set; numbers in a key count list entries."""
    changed = copy.deepcopy(dict(data))
    for key, value in settings.items():
        *way, last = key.split(".")
        node: Any = changed
        for part in way:
            if isinstance(node, list):
                node = node[_place(node, part, key)]
            else:
                node = node.setdefault(part, {})
            if not isinstance(node, dict | list):
                break
        if isinstance(node, list):
            node[_place(node, last, key)] = value
        elif isinstance(node, dict):
            node[last] = value
        else:
            reason = f"{part} is a value, not a table: nothing lies below it"
            raise CaseError(key, [(key, reason)])
    return changed


def _place(node: list[Any], part: str, key: str) -> int:
    if not (part.isascii() and part.isdecimal()) or int(part) >= len(node):
        reason = f"{part} should be the place in a list, from 0 to {len(node) - 1}"
        raise CaseError(key, [(key, reason)])
    return int(part)


def words(settings: Mapping[str, Any]) -> str:
    """Say what was set, a long list by its beginning."""
    said = {key: str(value) for key, value in settings.items()}
    short = (
        f"{key} = {text if len(text) <= MOST_TEXT else text[:MOST_TEXT] + ' ...'}"
        for key, text in said.items()
    )
    return ", ".join(short) or "nothing changed"


def item_toml(item: Item) -> str:
    """Return the case of an item as a file, with what the study set in its first lines."""
    lines = [f"# {key} = {value!r}".replace("\n", " ") for key, value in item.settings.items()]
    return "\n".join([*lines, to_toml(item.case)])
