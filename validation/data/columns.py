"""Columns of a CSV file by name, in SI: the header carries the units, as in ``stress [MPa]``."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from loligo.cases.core import atomic as files
from loligo.cases.core.record import BadInput
from loligo.cases.core.units import Unit


def read_columns(
    file: Path, numbers: Mapping[str, Unit | None], words: tuple[str, ...] = ()
) -> tuple[dict[str, NDArray[np.float64]], dict[str, list[str]]]:
    """Read the wanted columns of a file, in any order; others are ignored.

    Lines that begin with # are comments. Where semicolons or tabs part the columns, as spreadsheets
    of half the world have it, a number may have a decimal comma.

    Args:
        file: CSV with a header.
        numbers: columns of numbers with their unit, None for one without.
        words: columns of text.

    Raises:
        BadInput: naming the file, and the column and row that cannot be used.
    """
    try:
        text = io.StringIO(files.read_text(file))
        lines = [line for line in text if line.strip(" ,;\t\r\n") and line[0] != "#"]
        parted = next((mark for mark in ";\t" if lines and mark in lines[0]), ",")
        table = list(csv.reader(lines, delimiter=parted))
    except FileNotFoundError:
        raise BadInput(f"{file}: there is no such file") from None
    except (ValueError, OSError, csv.Error) as error:
        reason = getattr(error, "strerror", None) or error
        raise BadInput(f"{file}: cannot be read as CSV with a header: {reason}") from None
    if not table:
        raise BadInput(f"{file}: is empty; it needs a header and rows")
    header, *rows = table
    place, factor = _header(file, header, numbers, words)
    if not rows:
        raise BadInput(f"{file}: there are no rows in it")
    found: dict[str, NDArray[np.float64]] = {}
    for name in numbers:
        cells = _cells(file, rows, name, place[name])
        if parted != ",":  # a comma then stands before decimals
            cells = [cell.replace(",", ".") for cell in cells]
        values = np.array([_number(file, name, row, cell) for row, cell in enumerate(cells, 1)])
        found[name] = values * factor[name]
    return found, {name: _cells(file, rows, name, place[name]) for name in words}


def _header(
    file: Path, header: list[str], numbers: Mapping[str, Unit | None], words: tuple[str, ...]
) -> tuple[dict[str, int], dict[str, float]]:
    """Return the place of each column, and its unit in SI."""
    place: dict[str, int] = {}
    factor: dict[str, float] = {}
    for number, cell in enumerate(header):
        match = re.fullmatch(r"\s*(\w+)\s*(?:\[\s*(.*?)\s*\])?\s*", cell)
        if match is None or match[1] not in (*numbers, *words):
            continue
        name, unit = match[1], match[2] or ""
        if name in place:
            raise BadInput(f"{file}: there are two columns {name}")
        place[name] = number
        expected = numbers.get(name)
        if expected is None:
            if unit not in ("", "1", "-"):
                raise BadInput(f"{file}: column {name} has no unit, not [{unit}]")
            factor[name] = 1.0
        else:
            try:
                factor[name] = expected.parse(f"1 {unit}")
            except ValueError as error:
                example = expected.example.partition(" ")[2]
                raise BadInput(
                    f"{file}: column {name}: {error}; as in {name} [{example}]"
                ) from None
    if absent := [name for name in (*numbers, *words) if name not in place]:
        raise BadInput(
            f"{file}: its header lacks {', '.join(absent)}; needed: {', '.join((*numbers, *words))}"
        )
    return place, factor


def _cells(file: Path, rows: list[list[str]], name: str, place: int) -> list[str]:
    for number, row in enumerate(rows, 1):
        if len(row) <= place:
            raise BadInput(f"{file}: row {number} has no {name}")
    return [row[place].strip() for row in rows]


def _number(file: Path, name: str, row: int, cell: str) -> float:
    try:
        value = float(cell)
    except ValueError:
        raise BadInput(f'{file}: row {row}: "{cell}" is no number for {name}') from None
    if not abs(value) < 1e100:  # squares of it must stay finite
        raise BadInput(f"{file}: row {row}: {name} is {cell}, which nothing can be")
    return value
