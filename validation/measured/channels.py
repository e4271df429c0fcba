"""What the columns of a recording are: their names say the kind, their units the factor.

| column | what |
|---|---|
| `time` | time of each sample |
| `NAME_x`, `NAME_y`, `NAME_z` | place of a marker, in the axes of the laboratory |
| `angle_NAME`, `distance_NAME` | turn of a tag over another one, distance of two markers |
| `pressure_NAME`, `volume_NAME` | of the cavity NAME, gauge |
| `tension_NUMBER` | of a tendon |
| `force_x` to `force_z`, `moment_x` to `moment_z` | of a load cell, on the body, its axes |
| `load_NAME` | magnitude of the case's load NAME |
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from loligo.cases.core.record import BadInput
from loligo.cases.core.units import Unit

Array = NDArray[np.float64]

UNITS = {
    "time": Unit("s", "time", "1 s"),
    "length": Unit("m", "length", "1 mm"),
    "angle": Unit("rad", "angle", "1 deg"),
    "pressure": Unit("Pa", "pressure", "1 kPa"),
    "volume": Unit("m^3", "volume", "1 mL"),
    "force": Unit("N", "force", "1 N"),
    "moment": Unit("N m", "moment", "1 N mm"),
    "acceleration": Unit("m/s^2", "acceleration", "1 m/s^2"),
}
"""Dimensions that a column can have, by the word that `units` of a setup uses."""
_SCALARS = {
    "angle": "angle",
    "distance": "length",
    "pressure": "pressure",
    "volume": "volume",
    "tension": "force",
}
_CELL = re.compile(r"(force|moment)_([xyz])")
_SCALAR = re.compile(rf"({'|'.join(_SCALARS)})_(\w[\w-]*)")
_LOAD = re.compile(r"load_(\w[\w-]*)")
_MARKER = re.compile(r"(\w[\w-]*)_([xyz])")
LARGEST = 1e100
"""Beyond this no value of a recording can lie."""


@dataclass(frozen=True, eq=False)
class Column:
    """A column of a file: its name, the unit that its header states, and its values."""

    name: str
    unit: str | None
    values: Array
    """Not a number where nothing was recorded."""


@dataclass(frozen=True, eq=False)
class Recording:
    """What one file holds, in SI."""

    file: Path
    time: Array
    """Shape (samples,) (s)."""
    markers: Mapping[str, Array] = field(default_factory=dict)
    """Places in the laboratory by marker, each (samples, 3) (m); not a number in gaps."""
    signals: Mapping[str, Array] = field(default_factory=dict)
    """Everything else by the column's name, each (samples,)."""
    signal_units: Mapping[str, str] = field(default_factory=dict)
    """SI units of the signals."""
    ignored: tuple[str, ...] = ()
    """Columns of names that mean nothing here."""

    def within(self, span: tuple[float, float]) -> NDArray[np.bool_]:
        """Return which samples lie in a span of time (s); BadInput if there is none."""
        inside = (self.time >= span[0]) & (self.time <= span[1])
        if not inside.any():
            raise BadInput(
                f"{self.file}: there is no sample between {span[0]:g} s and {span[1]:g} s; it "
                f"lasts from {self.time[0]:.4g} s to {self.time[-1]:.4g} s"
            )
        return np.asarray(inside)

    def tared(self, names: Iterable[str], span: tuple[float, float]) -> Recording:
        """Return it with the mean over a span of time taken from some signals."""
        signals = dict(self.signals)
        for name in names:
            if name not in signals:
                raise BadInput(
                    f"{self.file}: there is no column {name} to be tared; it has "
                    f"{', '.join(signals) or 'none but markers'}"
                )
            signals[name] = signals[name] - np.nanmean(signals[name][self.within(span)])
        return replace(self, signals=signals)


def mean_known(values: Array) -> Array:
    """Return the mean over the first dimension without gaps; nan where all are."""
    known = np.isfinite(values)
    total, count = np.where(known, values, 0.0).sum(axis=0), known.sum(axis=0)
    return np.asarray(np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0))


def recording(
    file: Path,
    columns: Iterable[Column],
    units: Mapping[str, str],
    rename: Mapping[str, str],
) -> Recording:
    """Return what the columns of a file mean.

    Args:
        file: for messages.
        columns: all columns.
        units: unit of columns whose header states none, by dimension, "length" for example.
        rename: names to take in place of the file's; a marker's stands for its three columns.
    """
    known: dict[str, tuple[Array, str]] = {}
    ignored: list[str] = []
    for column in columns:
        name = _renamed(column.name, rename)
        if (kinds := _dimensions(name)) is None:
            ignored.append(column.name)
            continue
        if name in known:
            raise BadInput(f"{file}: there are two columns {name}")
        known[name] = _in_si(file, replace(column, name=name), kinds, units)
    if not known:
        raise BadInput(
            f"{file}: no column has a name that means something here ({_few(ignored)}): time, "
            "NAME_x, NAME_y, NAME_z of a marker, angle_NAME, distance_NAME, pressure_CAVITY, "
            "volume_CAVITY, tension_NUMBER, force_x, moment_x, load_NAME; rename them in the setup"
        )
    time = _time(file, known)
    markers = _markers(file, known)
    placed = {f"{name}_{axis}" for name in markers for axis in "xyz"} | {"time"}
    signals = {name: pair for name, pair in known.items() if name not in placed}
    return Recording(
        file,
        time,
        markers,
        {name: values for name, (values, _) in signals.items()},
        {name: unit for name, (_, unit) in signals.items()},
        tuple(ignored),
    )


def _renamed(name: str, rename: Mapping[str, str]) -> str:
    name = name.strip()
    if name in rename:
        return rename[name]
    if name[-2:] in ("_x", "_y", "_z") and name[:-2] in rename:
        return rename[name[:-2]] + name[-2:]
    return name


def _dimensions(name: str) -> tuple[str, ...] | None:
    """Return the dimensions that a column of a name can have; None of a name without a meaning."""
    if name == "time":
        return ("time",)
    if match := _CELL.fullmatch(name):
        return (match[1],)
    if match := _SCALAR.fullmatch(name):
        return (_SCALARS[match[1]],)
    if _LOAD.fullmatch(name):
        return ("force", "pressure", "moment", "length", "volume", "acceleration")
    return ("length",) if _MARKER.fullmatch(name) else None


def _in_si(
    file: Path, column: Column, kinds: tuple[str, ...], units: Mapping[str, str]
) -> tuple[Array, str]:
    given = column.unit or next((units[kind] for kind in kinds if kind in units), "")
    example = UNITS[kinds[0]].example.partition(" ")[2]
    if not given:
        raise BadInput(
            f"{file}: column {column.name} has no unit: write {column.name} [{example}] in the "
            f"header, or give --unit {kinds[0]}={example}"
        )
    reasons = []
    for kind in kinds:
        try:
            factor = UNITS[kind].parse(f"1 {given}")
        except ValueError as error:
            reasons.append(str(error))
            continue
        values = column.values * factor
        if not np.isfinite(column.values).any():
            raise BadInput(f"{file}: column {column.name} has no value at all")
        if np.nanmax(np.abs(column.values)) > LARGEST:
            raise BadInput(f"{file}: column {column.name} reaches values that nothing can be")
        return values, UNITS[kind].si
    raise BadInput(f"{file}: column {column.name}: {reasons[0]}; as in {column.name} [{example}]")


def _time(file: Path, known: Mapping[str, tuple[Array, str]]) -> Array:
    size = len(next(iter(known.values()))[0])
    if "time" not in known:
        if size > 1:
            raise BadInput(
                f"{file}: has {size} rows and no column time: write time [s] in the header"
            )
        return np.zeros(1)
    time = known["time"][0]
    if not np.isfinite(time).all():
        row = int(np.flatnonzero(~np.isfinite(time))[0]) + 1
        raise BadInput(f"{file}: row {row} has no time")
    if np.any(np.diff(time) <= 0.0):
        row = int(np.flatnonzero(np.diff(time) <= 0.0)[0]) + 2
        raise BadInput(
            f"{file}: time does not increase at row {row}: are two recordings in one file, or is "
            "another column named time?"
        )
    return time


def _markers(file: Path, known: Mapping[str, tuple[Array, str]]) -> dict[str, Array]:
    names = [m[1] for name in known if not _CELL.fullmatch(name) and (m := _MARKER.fullmatch(name))]
    names = [name for name in names if f"{name}_x" in known or not _LOAD.match(name)]
    markers = {}
    for name in dict.fromkeys(names):
        if absent := [f"{name}_{axis}" for axis in "xyz" if f"{name}_{axis}" not in known]:
            if _SCALAR.match(name) or _LOAD.match(name):
                continue
            raise BadInput(f"{file}: marker {name} lacks {', '.join(absent)}")
        markers[name] = np.stack([known[f"{name}_{axis}"][0] for axis in "xyz"], axis=-1)
    return markers


def _few(names: list[str]) -> str:
    return ", ".join(names[:5]) + (", ..." if len(names) > 5 else "")
