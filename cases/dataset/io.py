"""The data set that everybody speaks: its files; schema and check are shown here, too.

A reference solution, a prediction of a reduced model and a measurement are the same netCDF-4 file,
opened by `xarray.open_dataset` with no code of ours. What a source cannot give is left out and
named in the attribute `missing`. `check` says what is wrong with a data set, and why that matters;
nothing else in loligo judges one.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import Path

import h5netcdf
import numpy as np
import xarray as xr
from numpy.typing import NDArray
from xarray.backends import H5NetCDFStore

from loligo.cases.case import GRAVITY, Case
from loligo.cases.core import atomic as files
from loligo.cases.core.record import BadInput
from loligo.cases.dataset.check import DataFinding, absent, check
from loligo.cases.dataset.reading import know, read, read_groups
from loligo.cases.dataset.schema import (
    ARC_LENGTHS,
    KINDS,
    LABELS,
    LINES,
    QUANTITIES,
    REQUIRED_ATTRIBUTES,
    RESIDUALS,
    SCHEMA_VERSION,
    STRAIN_COMPONENTS,
    WRENCH_COMPONENTS,
    Quantity,
)
from loligo.cases.load.kinds import Load, Water, Weight, nature

__all__ = [
    "KINDS",
    "LABELS",
    "LINES",
    "QUANTITIES",
    "REQUIRED_ATTRIBUTES",
    "RESIDUALS",
    "SCHEMA_VERSION",
    "STRAIN_COMPONENTS",
    "WRENCH_COMPONENTS",
    "DataFinding",
    "Quantity",
    "absent",
    "check",
    "describe",
    "factor",
    "know",
    "load_variables",
    "magnitude",
    "read",
    "read_groups",
    "slope",
    "write",
]

_PACKED = {"zlib": True, "complevel": 4, "shuffle": True}
_LARGE = 256
"""Numbers beyond which packing saves more than it takes."""


def load_variables(case: Case) -> dict[str, tuple[str, NDArray[np.float64], dict[str, str]]]:
    """Return `load_<name>` (step) of every load of a case: its magnitude at each reported step.

    Of a force or a moment that is the length of its vector, of a weight the acceleration of
    gravity, of water its pressure per depth. Of a recruited torque that spreads it is the recruited
    share of the length.
    """
    variables = {}
    for name, load in case.load.items():
        size, unit = magnitude(load, case)
        if case.time is None:
            factors = load.path or case.steps
        else:
            factors = tuple(factor(load, time) for time in case.time.times)
        values = size * np.array(factors)
        attrs = {"units": unit, "long_name": f"magnitude of the load {name}, {load.kind}"}
        variables[f"load_{name}"] = ("step", values, attrs)
    return variables


def factor(load: Load, time: float) -> float:
    """Return the factor on a load's magnitude in a motion."""
    return 1.0 if load.history is None else load.history.factor(time)


def slope(load: Load, time: float) -> float:
    """Return the rate of the factor in a motion, just before a time (1/s); until 0 s it stays."""
    return 0.0 if load.history is None or time <= 0.0 else load.history.slope(time)


def magnitude(load: Load, case: Case) -> tuple[float, str]:
    """Return a load's magnitude at a factor of 1, and its unit."""
    size, unit = nature(load).size, nature(load).unit
    if isinstance(load, Weight):
        size = GRAVITY
    elif isinstance(load, Water):
        assert case.water is not None  # the case has been checked
        size = case.water.density * GRAVITY
    return size, unit


def describe(dataset: xr.Dataset) -> xr.Dataset:
    """State the schema's units and long names where none are stated; the values must be in them."""
    described = dataset.copy()
    for name, quantity in QUANTITIES.items():
        if name in described:
            stated = described[name].attrs
            described[name].attrs = {
                "units": quantity.unit,
                "long_name": quantity.long_name,
                **stated,
            }
    for dim in ARC_LENGTHS:
        if dim in described.coords:
            described[dim].attrs = {"units": "m", **described[dim].attrs}
    return described.assign_attrs({"schema_version": SCHEMA_VERSION, **described.attrs})


def write(dataset: xr.Dataset, file: Path, groups: dict[str, xr.Dataset] | None = None) -> None:
    """Write a data set, and named groups below it, so that a kill leaves the old file or the new.

    Raises BadInput if the data set does not pass `check`: a file that cannot be used is not
    written.
    """
    if bad := [finding for finding in check(dataset) if finding.verdict == "bad"]:
        raise BadInput("\n  ".join([f"{file}: not written", *map(str, bad)]))
    write_whole({"/": dataset, **(groups or {})}, file)


def write_whole(contents: Mapping[str, xr.Dataset], file: Path) -> None:
    """Write groups, the top one named "/", so that a kill or a full disk leaves the old file.

    The file is made in memory first: HDF5 crashes where it cannot write, Python raises OSError.
    """
    memory = io.BytesIO()
    with h5netcdf.File(memory, "w") as made:
        for group, content in contents.items():
            store = H5NetCDFStore(made, group=group, mode="a")  # type: ignore[no-untyped-call]
            large = {
                name: _PACKED
                for name, variable in content.variables.items()
                if variable.dtype.kind in "fi" and variable.size > _LARGE
            }
            content.dump_to_store(store, encoding=large)
    files.replace(file, memory.getvalue())
    know(file)
