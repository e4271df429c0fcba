"""Other people's shapes become data sets: centreline points, or section frames, from CSV files.

The header of every file carries the units: ``step, X [mm], x [mm], y [mm], z [mm]``. X is the arc
length at rest. What a file cannot give is named as missing in the data set.

The axes are those of docs/conventions.md: the base's centre at the origin, the body at rest along
+x. Wrong units and axes are refused where the points show them: a body is shorter than 20 m, a soft
length grows or shrinks tenfold at most, and the clamped base neither moves nor turns. A mirrored
body, y and z swapped for instance, cannot be noticed.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from loligo.cases.core.frames import derived_strain, strain_between
from loligo.cases.core.record import BadInput
from loligo.cases.core.units import Unit
from loligo.cases.dataset import io as schema
from loligo.cases.dataset.schema import LONGEST
from loligo.validation.data.columns import read_columns

TURNED = 0.5
"""Cosine of the angle between the base's tangent and +x below which the axes are others."""
GROWN = 10.0
"""Factor between a length and that at rest beyond which their units differ."""
AWAY = 0.2
"""Part of the length by which the first point may be off the place that its X has at rest."""
_PLACE = dict.fromkeys(("X", "x", "y", "z"), Unit("m", "length", "1 mm"))
_ROTATION = tuple(f"r{i}{j}" for i in (1, 2, 3) for j in (1, 2, 3))


def centreline_from_csv(file: Path, *, source: str) -> xr.Dataset:
    """Read centreline points, for example from motion capture.

    Columns: step (a number for each shape), X (arc length at rest), x, y, z, the lengths with their
    unit. Every step lists the same stations in the same order.
    """
    columns = read_columns(file, {"step": None, **_PLACE})[0]
    steps = np.unique(columns["step"])
    rows = [np.flatnonzero(columns["step"] == step) for step in steps]
    stations = [columns["X"][index] for index in rows]
    for step, found in zip(steps, stations, strict=True):
        if found.shape != stations[0].shape or not np.array_equal(found, stations[0]):
            raise BadInput(f"{file}: step {step:g} has other stations X than step {steps[0]:g}")
    points = np.stack([np.stack([columns[axis][i] for axis in "xyz"], axis=-1) for i in rows])
    _check_axes(file, stations[0], points)
    variables = {"centreline": (("step", "station", "axis"), points)}
    return _dataset(variables, stations[0], len(steps), source)


def frames_from_folder(folder: Path, *, source: str) -> xr.Dataset:
    """Read section frames: one CSV a step, in the order of their names, one row a station.

    Columns: X (arc length at rest), r11 to r33 (rotation, row by row), x, y, z (origin). The
    strains between the stations follow from the frames.
    """
    files = sorted(folder.glob("*.csv"))
    if not files:
        raise BadInput(f"{folder}: there is no .csv file in this folder")
    wanted = {**_PLACE, **dict.fromkeys(_ROTATION)}
    tables = [read_columns(file, wanted)[0] for file in files]
    station = tables[0]["X"]
    frame = np.zeros((len(files), station.size, 4, 4))
    frame[..., 3, 3] = 1.0
    for step, (file, table) in enumerate(zip(files, tables, strict=True)):
        if not np.array_equal(table["X"], station):
            raise BadInput(f"{file}: has other stations X than {files[0].name}")
        frame[step, :, :3, :3] = np.stack([table[n] for n in _ROTATION], axis=-1).reshape(-1, 3, 3)
        frame[step, :, :3, 3] = np.stack([table[axis] for axis in "xyz"], axis=-1)
    _check_axes(folder, station, frame[..., :3, 3])
    variables = {
        "frame": (("step", "station", "row", "column"), frame),
        "strain": (
            ("step", "station_mid", "strain_component"),
            strain_between(frame, station),
        ),
    }
    found = _dataset(variables, station, len(files), source)
    derived_strain(frame, station)  # refuses frames, right ones, that stations too far apart have
    return found


def _check_axes(file: Path, station: NDArray[np.float64], points: NDArray[np.float64]) -> None:
    """Refuse points (step, station, axis) in other units or axes than those of the data set."""
    if station.size < 2 or not np.isfinite(station).all() or not np.all(np.diff(station) > 0.0):
        return  # the check of the data set says what is wrong
    extent = float(station[-1])
    if extent > LONGEST:
        raise BadInput(
            f"{file}: X reaches to {extent:.4g} m, longer than any soft body: is the column in "
            "millimetres? Then its header is X [mm]"
        )
    span = points[:, 1:] - points[:, :-1]
    growth = float(np.nanmedian(np.linalg.norm(span, axis=-1) / np.diff(station)))
    if not 1.0 / GROWN < growth < GROWN:
        raise BadInput(
            f"{file}: the points are {growth:.3g} times as far apart as X says: do the columns X "
            "and x, y, z have the units that their headers name?"
        )
    tangent = np.nanmean(span[:, 0] / np.linalg.norm(span[:, :1], axis=-1), axis=0)
    if not tangent[0] > TURNED:
        axis = int(np.argmax(np.abs(tangent)))
        named = f"{'+' if tangent[axis] > 0.0 else '-'}{'xyz'[axis]}"
        raise BadInput(
            f"{file}: the body leaves its base along {named}, at rest it lies along +x: turn the "
            "axes, all three by one rotation"
        )
    away = np.nanmean(points[:, 0], axis=0) - (station[0], 0.0, 0.0)
    if np.linalg.norm(away) > AWAY * extent:
        words = ", ".join(f"{1e3 * a:.4g}" for a in away)
        raise BadInput(
            f"{file}: the base lies ({words}) mm off the origin: subtract its place at rest"
        )


def _dataset(
    variables: Mapping[str, tuple[tuple[str, ...], NDArray[np.float64]]],
    station: NDArray[np.float64],
    steps: int,
    source: str,
) -> xr.Dataset:
    """Complete the variables to a valid measurement, with all that is absent named as missing."""
    coords: dict[str, object] = {"station": ("station", station, {"units": "m"})}
    if "strain" in variables:
        middle = 0.5 * (station[1:] + station[:-1])
        coords["station_mid"] = ("station_mid", middle, {"units": "m"})
        coords["strain_component"] = list(schema.STRAIN_COMPONENTS)
    if "centreline" in variables:
        coords["axis"] = ["x", "y", "z"]
    everything = {"time": (("step",), np.full(steps, np.nan)), **variables}
    absent = [name for name in schema.QUANTITIES if name not in everything]
    dataset = xr.Dataset(
        everything,
        coords,
        {
            "kind": "measurement",
            "source": source,
            "status": "complete",
            "missing": ", ".join(absent),
        },
    )
    described = schema.describe(dataset)
    if bad := [finding for finding in schema.check(described) if finding.verdict == "bad"]:
        raise BadInput("\n  ".join([source, *map(str, bad)]))
    return described
