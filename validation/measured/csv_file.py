"""CSV files of recordings: wide, one column a quantity, or long, one row a value or a marker.

Wide: ``time [s], tip_x [mm], tip_y [mm], tip_z [mm], pressure_s1c1 [kPa]``. Long with markers:
``time [s], marker, x [mm], y [mm], z [mm]``. Long with values: ``time [s], name, value, unit``.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from loligo.cases.core.record import BadInput
from loligo.validation.data.columns import cells_of, number, read_table
from loligo.validation.measured.channels import Array, Column

_HEADING = re.compile(r"\s*(.*?)\s*(?:\[\s*(.*?)\s*\])?\s*")
_GAPS = ("", "nan", "na", "-")
"""Cells in which nothing was recorded."""


def columns_of_csv(file: Path) -> list[Column]:
    """Return the columns of a CSV file, those of a long file made wide."""
    header, rows, parted = read_table(file)
    pairs = [_heading(cell) for cell in header]
    names = [name for name, _ in pairs]
    if twice := [name for name in dict.fromkeys(names) if name and names.count(name) > 1]:
        raise BadInput(f"{file}: there are two columns {twice[0]}")
    cells = {
        name: cells_of(file, rows, name or f"column {place + 1}", place)
        for place, name in enumerate(names)
    }
    units = dict(pairs)
    if {"time", "name", "value"} <= set(names):
        return _long_values(file, cells, units, parted)

    def read(name: str) -> Array:
        return np.array([_value(file, name, i, c, parted) for i, c in enumerate(cells[name], 1)])

    if "marker" in names:
        return _long_markers(file, cells, units, parted)
    return [Column(name, units[name], read(name)) for name in names if name]


def _heading(cell: str) -> tuple[str, str | None]:
    match = _HEADING.fullmatch(cell)
    return (match[1], match[2] or None) if match else (cell, None)


def _value(file: Path, name: str, row: int, cell: str, parted: str) -> float:
    return np.nan if cell.lower() in _GAPS else number(file, name, row, cell, parted)


def _times(
    file: Path, cells: dict[str, list[str]], parted: str
) -> tuple[Array, np.ndarray[tuple[int], np.dtype[np.intp]]]:
    """Return the times of a long file, and which of them every row has."""
    if "time" not in cells:
        raise BadInput(f"{file}: a long table needs a column time")
    values = [number(file, "time", i, cell, parted) for i, cell in enumerate(cells["time"], 1)]
    times, which = np.unique(values, return_inverse=True)
    return times, which.ravel()


def _long_markers(
    file: Path, cells: dict[str, list[str]], units: dict[str, str | None], parted: str
) -> list[Column]:
    if absent := [axis for axis in "xyz" if axis not in cells]:
        raise BadInput(f"{file}: a table with a column marker lacks {', '.join(absent)}")
    times, which = _times(file, cells, parted)
    found = {
        f"{marker}_{axis}": np.full(times.size, np.nan)
        for marker in dict.fromkeys(cells["marker"])
        for axis in "xyz"
    }
    seen: set[tuple[str, int]] = set()
    for row, marker in enumerate(cells["marker"]):
        if (key := (marker, int(which[row]))) in seen:
            raise BadInput(f"{file}: row {row + 1}: marker {marker} is there twice at one time")
        seen.add(key)
        for axis in "xyz":
            value = _value(file, axis, row + 1, cells[axis][row], parted)
            found[f"{marker}_{axis}"][which[row]] = value
    wide = [Column(name, units[name[-1]], values) for name, values in found.items()]
    return [Column("time", units["time"], times), *wide]


def _long_values(
    file: Path, cells: dict[str, list[str]], units: dict[str, str | None], parted: str
) -> list[Column]:
    times, which = _times(file, cells, parted)
    found = {name: np.full(times.size, np.nan) for name in dict.fromkeys(cells["name"])}
    stated: dict[str, str | None] = {}
    for row, name in enumerate(cells["name"]):
        unit = cells["unit"][row] if "unit" in cells else None
        if stated.setdefault(name, unit) != unit:
            raise BadInput(
                f"{file}: row {row + 1}: {name} is in {unit}, before it was in {stated[name]}"
            )
        if np.isfinite(found[name][which[row]]):
            raise BadInput(f"{file}: row {row + 1}: {name} is there twice at one time")
        value = _value(file, name, row + 1, cells["value"][row], parted)
        found[name][which[row]] = value
    wide = [Column(name, stated[name] or units["value"], v) for name, v in found.items()]
    return [Column("time", units["time"], times), *wide]
