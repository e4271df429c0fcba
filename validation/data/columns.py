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
    header, rows, parted = read_table(file)
    place, factor = _header(file, header, numbers, words)
    found: dict[str, NDArray[np.float64]] = {}
    for name in numbers:
        cells = cells_of(file, rows, name, place[name])
        values = [number(file, name, row, cell, parted) for row, cell in enumerate(cells, 1)]
        found[name] = np.array(values) * factor[name]
    return found, {name: cells_of(file, rows, name, place[name]) for name in words}


def read_table(file: Path) -> tuple[list[str], list[list[str]], str]:
    """Return header, rows, and the mark that parts the columns; comments and empty lines left out.

    Raises:
        BadInput: if the file cannot be read as CSV, or has no header or no row.
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
    if not rows:
        raise BadInput(f"{file}: there are no rows in it")
    return header, rows, parted


def _header(
    file: Path, header: list[str], numbers: Mapping[str, Unit | None], words: tuple[str, ...]
) -> tuple[dict[str, int], dict[str, float]]:
    """Return the place of each column, and its unit in SI."""
    place: dict[str, int] = {}
    factor: dict[str, float] = {}
    for column, cell in enumerate(header):
        match = re.fullmatch(r"\s*(\w+)\s*(?:\[\s*(.*?)\s*\])?\s*", cell)
        if match is None or match[1] not in (*numbers, *words):
            continue
        name, unit = match[1], match[2] or ""
        if name in place:
            raise BadInput(f"{file}: there are two columns {name}")
        place[name] = column
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


def cells_of(file: Path, rows: list[list[str]], name: str, place: int) -> list[str]:
    """Return the cells of a column; BadInput where a row ends before it."""
    for count, row in enumerate(rows, 1):
        if len(row) <= place:
            raise BadInput(f"{file}: row {count} has no {name}")
    return [row[place].strip() for row in rows]


def number(file: Path, name: str, row: int, cell: str, parted: str = ",") -> float:
    """Return the number in a cell; where other marks part columns a comma stands for the point."""
    if parted != ",":
        cell = cell.replace(",", ".")
    try:
        value = float(cell)
    except ValueError:
        raise BadInput(f'{file}: row {row}: "{cell}" is no number for {name}') from None
    if not abs(value) < 1e100:  # squares of it must stay finite
        raise BadInput(f"{file}: row {row}: {name} is {cell}, which nothing can be")
    return value
