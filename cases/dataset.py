"""The data set that everybody speaks: schema, validator, atomic writer.

A reference solution, a prediction of a reduced model and a measurement are the same netCDF-4 file,
opened by `xarray.open_dataset` with no code of ours. What a source cannot give is left out and
named in the attribute `missing`. `check` says what is wrong with a data set, and why that matters;
nothing else in loligo judges one.
"""

from __future__ import annotations

import difflib
import math
import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from loligo.cases.case import GRAVITY, Case
from loligo.cases.load import (
    CavityPressure,
    HoopTension,
    Load,
    OuterPressure,
    RecruitedTorque,
    Supply,
    TendonShortening,
    TendonTension,
    TipForce,
    TipMoment,
    Water,
    Weight,
)
from loligo.cases.record import BadInput

SCHEMA_VERSION = "1.0"
STRAIN_COMPONENTS = ("tx", "ky", "kz", "ex", "sy", "sz")
WRENCH_COMPONENTS = ("mx", "my", "mz", "fx", "fy", "fz")
RESIDUALS = ("area_change", "ovalisation", "warping")
LINES = ("bore", "surface")
LABELS = {
    "axis": ("x", "y", "z"),
    "strain_component": STRAIN_COMPONENTS,
    "wrench_component": WRENCH_COMPONENTS,
    "residual": RESIDUALS,
    "line": LINES,
}
"""Dimensions whose labels are fixed."""
ARC_LENGTHS = ("station", "station_mid", "meridian")
"""Dimensions whose coordinates are arc lengths at rest (m)."""
LONGEST = 20.0
"""A body longer than this (m) is taken for one in millimetres."""


@dataclass(frozen=True)
class Quantity:
    """What the schema says of one variable."""

    dims: tuple[str, ...]
    unit: str
    long_name: str
    why: str
    """What cannot be compared without it."""


QUANTITIES = {
    "time": Quantity(("step",), "s", "time; NaN for statics", "nothing can be ordered in time"),
    "pressure": Quantity(
        ("step", "cavity"), "Pa", "gauge pressure of each cavity", "no pressure law can be fitted"
    ),
    "volume": Quantity(
        ("step", "cavity"), "m^3", "enclosed volume of each cavity", "no supply can be sized"
    ),
    "chamber_length": Quantity(
        ("step", "cavity", "line"),
        "m",
        "length of each chamber's line along its bore and along the surface",
        "no pressure to length map of a constant-curvature model can be fitted",
    ),
    "centreline": Quantity(
        ("step", "station", "axis"), "m", "points of the axis", "no shape can be compared"
    ),
    "frame": Quantity(
        ("step", "station", "row", "column"),
        "1 (rotation), m (last column)",
        "section frames, homogeneous matrices",
        "no shape can be compared",
    ),
    "strain": Quantity(
        ("step", "station_mid", "strain_component"),
        "1/m (angular), 1 (linear)",
        "total strain between stations, log(g_i^-1 g_i+1)/dX",
        "no section law can be compared or fitted",
    ),
    "strain_rest": Quantity(
        ("station_mid", "strain_component"),
        "1/m (angular), 1 (linear)",
        "strain of the rest configuration",
        "a precurved body looks loaded",
    ),
    "wrench": Quantity(
        ("step", "station", "wrench_component"),
        "N m (moment), N (force)",
        "action of the distal solid on the proximal solid, section frame",
        "stiffness cannot be separated from load",
    ),
    "wrench_fluid": Quantity(
        ("step", "station", "wrench_component"),
        "N m (moment), N (force)",
        "action of the distal fluid on the proximal part, section frame: -p (A, first moments) of "
        "the deformed bores; wrench + wrench_fluid balance the loads beyond",
        "two people differ by p A",
    ),
    "section_residual": Quantity(
        ("step", "station", "residual"),
        "1",
        "what a rod cannot represent",
        "model error of the section cannot be told from error of its stiffness",
    ),
    "profile_radius": Quantity(
        ("step", "meridian"), "m", "radius of the mid-surface", "no shell can be compared"
    ),
    "profile_axial": Quantity(
        ("step", "meridian"), "m", "axial place of the mid-surface", "no shell can be compared"
    ),
    "profile_thickness": Quantity(
        ("step", "meridian"), "m", "wall thickness", "thinning cannot be compared"
    ),
    "lobes": Quantity(
        ("step", "mode"),
        "m",
        "amplitude of the circumferential modes",
        "nobody sees that a round model has left its branch",
    ),
    "reaction": Quantity(
        ("step", "wrench_component"),
        "N m (moment), N (force)",
        "action of the support on the body at the base, fixed axes, moment about the origin",
        "loads cannot be checked by equilibrium",
    ),
    "reaction_tip": Quantity(
        ("step", "wrench_component"),
        "N m (moment), N (force)",
        "action of the support on a blocked tip disc, fixed axes, moment about the centre of its "
        "inner face; 0 where the tip is free",
        "no blocked force can be compared",
    ),
    "external_work": Quantity(("step",), "J", "work of the loads", "the balance is unknown"),
    "stored_energy": Quantity(("step",), "J", "elastic energy", "the balance is unknown"),
    "dissipated_energy": Quantity(("step",), "J", "energy lost", "the balance is unknown"),
    "kinetic_energy": Quantity(("step",), "J", "kinetic energy", "the balance is unknown"),
    "stable": Quantity(
        ("step",), "1", "1 stable, 0 unstable, -1 unknown", "unstable states would be fitted"
    ),
    "max_stretch": Quantity(
        ("step",),
        "1",
        "largest principal stretch",
        "nobody sees that the rubber's fitted range is left",
    ),
}
"""Every variable of the schema; beside them stand loads, `load_<name>` (step), and error bars."""

REQUIRED_ATTRIBUTES = {
    "schema_version": "a reader cannot know what the names mean",
    "kind": "a prediction could be taken for a reference",
    "source": "nobody knows where the numbers come from",
    "status": "a run that stopped early looks complete",
}
KINDS = ("reference", "prediction", "measurement")
POSITIVE = ("volume", "chamber_length", "profile_thickness", "max_stretch")
"""Variables that cannot be zero or negative."""


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong with a data set, or that is worth knowing."""

    verdict: Literal["bad", "warning"]
    where: str
    reason: str

    def __str__(self) -> str:
        """Return one line."""
        return f"{self.verdict}: {self.where}: {self.reason}"


def load_variables(case: Case) -> dict[str, tuple[str, NDArray[np.float64], dict[str, str]]]:
    """Return `load_<name>` (step) of every load of a case: its magnitude at each reported step.

    Of a force or a moment that is the length of its vector, of a weight the acceleration of
    gravity, of water its pressure per depth.
    """
    variables = {}
    for name, load in case.load.items():
        magnitude, unit = _magnitude(load, case)
        values = magnitude * np.array(load.path or case.steps)
        attrs = {"units": unit, "long_name": f"magnitude of the load {name}, {load.kind}"}
        variables[f"load_{name}"] = ("step", values, attrs)
    return variables


def _magnitude(load: Load, case: Case) -> tuple[float, str]:
    match load:
        case Weight():
            return GRAVITY, "m/s^2"
        case Water():
            assert case.water is not None
            return case.water.density * GRAVITY, "Pa/m"
        case TipForce():
            return math.hypot(*load.force), "N"
        case TipMoment() | RecruitedTorque():
            return math.hypot(*load.moment), "N m"
        case CavityPressure() | OuterPressure():
            return load.pressure, "Pa"
        case Supply():
            return load.volume, "m^3"
        case TendonTension():
            return load.tension, "N"
        case TendonShortening():
            return load.shortening, "m"
        case HoopTension():
            return load.tension, "N/m"


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


def check(dataset: xr.Dataset) -> list[Finding]:
    """Return everything that is wrong with a data set's form; empty if it can be used."""
    return [
        *_attribute_findings(dataset),
        *_coordinate_findings(dataset),
        *(f for name in dataset.data_vars for f in _variable_findings(dataset, str(name))),
        *_missing_findings(dataset),
        *_frame_findings(dataset),
    ]


def write(dataset: xr.Dataset, file: Path, groups: dict[str, xr.Dataset] | None = None) -> None:
    """Write a data set, and named groups below it, so that a kill leaves the old file or the new.

    Raises BadInput if the data set does not pass `check`: a file that cannot be used is not
    written.
    """
    if bad := [finding for finding in check(dataset) if finding.verdict == "bad"]:
        raise BadInput("\n  ".join([f"{file}: not written", *map(str, bad)]))
    handle, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.", suffix=".part")
    os.close(handle)
    aside = Path(name)
    try:
        dataset.to_netcdf(aside, mode="w", engine="h5netcdf")
        for group, content in (groups or {}).items():
            content.to_netcdf(aside, mode="a", engine="h5netcdf", group=group)
        with aside.open("rb") as written:
            os.fsync(written.fileno())
        aside.chmod(0o666 & ~_umask())
        aside.replace(file)
    except BaseException:
        aside.unlink(missing_ok=True)
        raise


def read(file: Path, group: str | None = None) -> xr.Dataset:
    """Read a data set, or a group of it, into memory; raises BadInput if it is not netCDF."""
    try:
        with xr.open_dataset(file, engine="h5netcdf", group=group) as dataset:
            return dataset.load()
    except FileNotFoundError:
        raise BadInput(f"{file}: there is no such file") from None
    except (OSError, ValueError, KeyError, RuntimeError) as error:
        raise BadInput(f"{file}: cannot be read as netCDF-4: {error}") from None


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _attribute_findings(dataset: xr.Dataset) -> Iterator[Finding]:
    for name, why in REQUIRED_ATTRIBUTES.items():
        if not str(dataset.attrs.get(name, "")).strip():
            yield Finding("bad", f"attribute {name}", f"is missing: without it {why}")
    version = str(dataset.attrs.get("schema_version", SCHEMA_VERSION))
    if version.split(".")[0] != SCHEMA_VERSION.split(".")[0]:
        yield Finding(
            "bad", "attribute schema_version", f"is {version}; this loligo reads {SCHEMA_VERSION}"
        )
    status = str(dataset.attrs.get("status", "complete"))
    if status != "complete" and not status.startswith("stopped"):
        yield Finding("bad", "attribute status", 'should be "complete" or "stopped at ...: why"')
    if dataset.attrs.get("kind", KINDS[0]) not in KINDS:
        yield Finding("bad", "attribute kind", f"should be one of {', '.join(KINDS)}")


def _coordinate_findings(dataset: xr.Dataset) -> Iterator[Finding]:
    for dim, labels in LABELS.items():
        if dim in dataset.dims and tuple(map(str, dataset[dim].values)) != labels:
            yield Finding("bad", dim, f"its labels should be {', '.join(labels)}")
    for dim in ("row", "column"):
        if dataset.sizes.get(dim, 4) != 4:
            yield Finding("bad", dim, f"a frame has 4 of them, not {dataset.sizes[dim]}")
    if dataset.sizes.get("step", 0) == 0:
        yield Finding("bad", "step", "there is no step")
    arcs = [dim for dim in ARC_LENGTHS if dim in dataset.dims]
    faulty = [finding for dim in arcs for finding in _arc_findings(dataset, dim)]
    yield from faulty
    if not faulty and {"station", "station_mid"} <= set(arcs):
        station = dataset["station"].values
        middle = 0.5 * (station[1:] + station[:-1])
        if dataset.sizes["station_mid"] != middle.size or not np.allclose(
            dataset["station_mid"], middle, rtol=0.0, atol=1e-6 * (station[-1] - station[0])
        ):
            yield Finding("bad", "station_mid", "should be the middles between the stations")


def _arc_findings(dataset: xr.Dataset, dim: str) -> Iterator[Finding]:
    if dim not in dataset.coords:
        yield Finding("bad", dim, "has no coordinate: give the arc lengths at rest in m")
        return
    arc = dataset[dim]
    if arc.dtype.kind not in "fiu":
        yield Finding("bad", dim, f"holds {arc.dtype}, should be arc lengths at rest in m")
        return
    if arc.attrs.get("units") != "m":
        yield Finding("bad", dim, f"has units {arc.attrs.get('units')!r}, should be 'm'")
    if not np.all(np.diff(arc) > 0.0):
        yield Finding("bad", dim, "its arc lengths must increase from base to tip")
    elif arc.size and float(arc[-1]) > LONGEST:
        yield Finding("warning", dim, f"reaches to {float(arc[-1]):.4g} m: is it in millimetres?")


def _variable_findings(dataset: xr.Dataset, name: str) -> Iterator[Finding]:
    variable = dataset[name]
    if name.endswith("_uncertainty_flag"):  # stands beside a bar, for whoever wants to know
        return
    base = name.removesuffix("_uncertainty")
    quantity = QUANTITIES.get(base)
    if quantity is None and not base.startswith("load_"):
        near = difflib.get_close_matches(base, QUANTITIES, n=1)
        hint = f'; did you mean "{near[0]}"?' if near else " and will not be used"
        yield Finding("warning", name, f"is not in the schema{hint}")
        return
    if base != name and base not in dataset:
        yield Finding("bad", name, f"is the error bar of {base}, which is not here")
    dims = ("step",) if base != name or quantity is None else quantity.dims
    if variable.dims != dims:
        yield Finding(
            "bad", name, f"has dimensions ({_listed(variable.dims)}), should be ({_listed(dims)})"
        )
    yield from _unit_findings(variable, name, "" if quantity is None else quantity.unit)
    if variable.dtype.kind not in "fiu":
        yield Finding("bad", name, f"holds {variable.dtype}, should be numbers")
    else:
        gaps_allowed = dataset.attrs.get("kind") == "measurement"
        yield from _value_findings(variable.values, name, gaps_allowed)


def _unit_findings(variable: xr.DataArray, name: str, unit: str) -> Iterator[Finding]:
    found = variable.attrs.get("units")
    if name.endswith("_uncertainty") and "(" in unit:
        unit = ""  # of several units the bar has the one of the entry that sets it
    if found is None:
        hint = f" (should be {unit})" if unit else ""
        yield Finding("bad", name, f"has no attribute units{hint}")
    elif unit and found != unit:
        yield Finding("bad", name, f"has units {found!r}, should be {unit!r}: no unit is converted")


def _value_findings(value: NDArray[np.float64], name: str, gaps_allowed: bool) -> Iterator[Finding]:
    known = np.isfinite(value)
    if name == "time":
        if known.any() and not (known.all() and np.all(np.diff(value) > 0.0)):
            yield Finding("bad", name, "must increase from step to step, or be NaN in all of them")
        return
    if not known.all():
        lost = int(np.sum(~known))
        if gaps_allowed:
            yield Finding("warning", name, f"{lost} values were not measured")
        else:
            yield Finding("bad", name, f"{lost} values are not finite; leave out what is unknown")
    if name.endswith("_uncertainty") and np.any(value < 0.0):
        yield Finding("bad", name, "an error bar cannot be negative")
    elif name in POSITIVE and np.any(value[known] <= 0.0):
        yield Finding("bad", name, "must be positive")
    elif name == "profile_radius" and np.any(value[known] < 0.0):
        yield Finding("bad", name, "cannot be negative")
    elif name == "stable" and not np.all(np.isin(value, (-1, 0, 1))):
        yield Finding("bad", name, "holds something other than 1, 0 and -1")


def _missing_findings(dataset: xr.Dataset) -> Iterator[Finding]:
    """What is absent must be named as missing, so that absence is never an accident."""
    declared = {name.strip() for name in str(dataset.attrs.get("missing", "")).split(",")} - {""}
    shell = "profile_radius" in dataset
    rod = bool({"frame", "centreline"} & set(dataset.data_vars))
    if not shell and not rod:
        yield Finding("bad", "frame", "no frames, no centreline, no profile: there is no shape")
    if "frame" in dataset:
        declared.add("centreline")  # it is the frames' last column
    for name, quantity in QUANTITIES.items():
        belongs_to_shell = "meridian" in quantity.dims or "mode" in quantity.dims
        belongs_to_rod = bool({"station", "station_mid"} & set(quantity.dims))
        if (belongs_to_shell and not shell) or (belongs_to_rod and not rod):
            continue
        if "cavity" in quantity.dims and "cavity" not in dataset.dims:
            continue
        if name not in dataset and name not in declared:
            yield Finding(
                "warning",
                name,
                f"is absent and not named in the attribute missing: without it {quantity.why}",
            )
        if name in dataset and name in declared and name != "centreline":
            yield Finding("warning", name, "is here although the attribute missing names it")


def _frame_findings(dataset: xr.Dataset) -> Iterator[Finding]:
    if "frame" not in dataset or dataset["frame"].shape[-2:] != (4, 4):
        return
    if dataset["frame"].dtype.kind != "f":
        return
    frame = dataset["frame"].values
    frame = frame[np.isfinite(frame).all(axis=(-2, -1))]
    rotation = frame[..., :3, :3]
    gram = np.swapaxes(rotation, -1, -2) @ rotation
    if not np.allclose(gram, np.eye(3), atol=1e-6) or not np.all(np.linalg.det(rotation) > 0.0):
        yield Finding("bad", "frame", "its rotations are not orthogonal with determinant +1")
    if not np.allclose(frame[..., 3, :], (0.0, 0.0, 0.0, 1.0), atol=1e-12):
        yield Finding("bad", "frame", "the last row of a frame should be 0 0 0 1")


def _listed(names: tuple[object, ...]) -> str:
    return ", ".join(map(str, names))
