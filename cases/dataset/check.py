"""What is wrong with a data set's form, and why that matters."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from loligo.cases.case import Case
from loligo.cases.case_file import CaseError, validated
from loligo.cases.core.frames import lost_turns
from loligo.cases.dataset.schema import (
    ARC_LENGTHS,
    KINDS,
    LABELS,
    LONGEST,
    MEASURABLE,
    POSITIVE,
    QUANTITIES,
    REQUIRED_ATTRIBUTES,
    SCHEMA_VERSION,
)

TEXTS = ("kind", "source", "model", "case", "case_name", "status", "missing")
"""Attributes that are texts wherever they are there."""


@dataclass(frozen=True)
class DataFinding:
    """One thing that is wrong with a data set, or that is worth knowing."""

    verdict: Literal["bad", "warning"]
    where: str
    reason: str

    def __str__(self) -> str:
        """Return one line."""
        return f"{self.verdict}: {self.where}: {self.reason}"


def check(dataset: xr.Dataset) -> list[DataFinding]:
    """Return everything that is wrong with a data set's form; empty if it can be used."""
    return [
        *_attribute_findings(dataset),
        *_coordinate_findings(dataset),
        *(f for name in dataset.data_vars for f in _variable_findings(dataset, str(name))),
        *_missing_findings(dataset),
        *_frame_findings(dataset),
    ]


def _attribute_findings(dataset: xr.Dataset) -> Iterator[DataFinding]:
    numbers = [name for name in TEXTS if not isinstance(dataset.attrs.get(name, ""), str)]
    if numbers:  # arrays even cannot be compared with a text
        yield from (DataFinding("bad", f"attribute {name}", "should be a text") for name in numbers)
        return
    for name, why in REQUIRED_ATTRIBUTES.items():
        if not str(dataset.attrs.get(name, "")).strip():
            yield DataFinding("bad", f"attribute {name}", f"is missing: without it {why}")
    version = str(dataset.attrs.get("schema_version", SCHEMA_VERSION))
    if version.split(".")[0] != SCHEMA_VERSION.split(".")[0]:
        yield DataFinding(
            "bad", "attribute schema_version", f"is {version}; this loligo reads {SCHEMA_VERSION}"
        )
    status = str(dataset.attrs.get("status", "complete"))
    if status != "complete" and not status.startswith("stopped"):
        yield DataFinding(
            "bad", "attribute status", 'should be "complete" or "stopped at ...: why"'
        )
    if dataset.attrs.get("kind", KINDS[0]) not in KINDS:
        yield DataFinding("bad", "attribute kind", f"should be one of {', '.join(KINDS)}")
    yield from _case_findings(dataset)


def _case_findings(dataset: xr.Dataset) -> Iterator[DataFinding]:
    """A case that is written in a data set must be one that loligo can read back."""
    text, name = dataset.attrs.get("case"), str(dataset.attrs.get("case_name", ""))
    if text is None:
        return
    advice = "write the text of the case file there, as `loligo cases show CASE` prints it"
    try:
        tables = tomllib.loads(str(text))
        validated(Case, {"name": name or "unnamed", **tables}, Path("case"))
    except CaseError as error:
        wrong = "; ".join(f"{key}: {reason}" if key else reason for key, reason in error.problems)
        yield DataFinding("bad", "attribute case", f"is no case: {wrong}; {advice}")
    except (ValueError, RecursionError) as error:
        yield DataFinding("bad", "attribute case", f"is not valid TOML: {error}; {advice}")


def _coordinate_findings(dataset: xr.Dataset) -> Iterator[DataFinding]:
    for dim, labels in LABELS.items():
        if dim in dataset.dims and tuple(map(str, dataset[dim].values)) != labels:
            yield DataFinding("bad", dim, f"its labels should be {', '.join(labels)}")
    for dim in ("row", "column"):
        if dataset.sizes.get(dim, 4) != 4:
            yield DataFinding("bad", dim, f"a frame has 4 of them, not {dataset.sizes[dim]}")
    if dataset.sizes.get("step", 0) == 0:
        yield DataFinding("bad", "step", "there is no step")
    arcs = [dim for dim in ARC_LENGTHS if dim in dataset.dims]
    faulty = [finding for dim in arcs for finding in _arc_findings(dataset, dim)]
    yield from faulty
    if not faulty and {"station", "station_mid"} <= set(arcs):
        station = dataset["station"].values
        middle = 0.5 * (station[1:] + station[:-1])
        if dataset.sizes["station_mid"] != middle.size or not np.allclose(
            dataset["station_mid"], middle, rtol=0.0, atol=1e-6 * (station[-1] - station[0])
        ):
            yield DataFinding("bad", "station_mid", "should be the middles between the stations")


def _arc_findings(dataset: xr.Dataset, dim: str) -> Iterator[DataFinding]:
    if dim not in dataset.coords:
        yield DataFinding("bad", dim, "has no coordinate: give the arc lengths at rest in m")
        return
    arc = dataset[dim]
    if arc.dtype.kind not in "fiu":
        yield DataFinding("bad", dim, f"holds {arc.dtype}, should be arc lengths at rest in m")
        return
    if arc.attrs.get("units") != "m":
        yield DataFinding("bad", dim, f"has units {arc.attrs.get('units')!r}, should be 'm'")
    if not np.all(np.diff(arc) > 0.0):
        yield DataFinding("bad", dim, "its arc lengths must increase from base to tip")
    elif arc.size and float(arc[-1]) > LONGEST:
        yield DataFinding(
            "warning", dim, f"reaches to {float(arc[-1]):.4g} m: is it in millimetres?"
        )


def _variable_findings(dataset: xr.Dataset, name: str) -> Iterator[DataFinding]:
    variable = dataset[name]
    if name.endswith("_uncertainty_flag"):  # stands beside a bar, for whoever wants to know
        return
    base = name.removesuffix("_uncertainty")
    quantity = QUANTITIES.get(base)
    if quantity is None and not base.startswith("load_"):
        near = difflib.get_close_matches(base, QUANTITIES, n=1)
        hint = f'; did you mean "{near[0]}"?' if near else " and will not be used"
        yield DataFinding("warning", name, f"is not in the schema{hint}")
        return
    if base != name and base not in dataset:
        yield DataFinding("bad", name, f"is the error bar of {base}, which is not here")
    dims = ("step",) if base != name or quantity is None else quantity.dims
    if variable.dims != dims:
        yield DataFinding(
            "bad", name, f"has dimensions ({_listed(variable.dims)}), should be ({_listed(dims)})"
        )
    yield from _unit_findings(variable, name, "" if quantity is None else quantity.unit)
    if variable.dtype.kind not in "fiu":
        yield DataFinding("bad", name, f"holds {variable.dtype}, should be numbers")
    else:
        gaps_allowed = dataset.attrs.get("kind") == "measurement"
        yield from _value_findings(variable.values, name, gaps_allowed)


def _unit_findings(variable: xr.DataArray, name: str, unit: str) -> Iterator[DataFinding]:
    found = variable.attrs.get("units")
    if name.endswith("_uncertainty") and "(" in unit:
        unit = ""  # of several units the bar has the one of the entry that sets it
    if found is None:
        hint = f" (should be {unit})" if unit else ""
        yield DataFinding("bad", name, f"has no attribute units{hint}")
    elif unit and found != unit:
        yield DataFinding(
            "bad", name, f"has units {found!r}, should be {unit!r}: no unit is converted"
        )


def _value_findings(
    value: NDArray[np.float64], name: str, gaps_allowed: bool
) -> Iterator[DataFinding]:
    known = np.isfinite(value)
    if name == "time":
        if known.any() and not (known.all() and np.all(np.diff(value) > 0.0)):
            yield DataFinding(
                "bad", name, "must increase from step to step, or be NaN in all of them"
            )
        return
    if not known.all():
        lost = int(np.sum(~known))
        if gaps_allowed:
            yield DataFinding("warning", name, f"{lost} values were not measured")
        else:
            yield DataFinding(
                "bad", name, f"{lost} values are not finite; leave out what is unknown"
            )
    if name.endswith(("_uncertainty", "_parts")) and np.any(value < 0.0):
        yield DataFinding("bad", name, "an error bar cannot be negative")
    elif name in POSITIVE and np.any(value[known] <= 0.0):
        yield DataFinding("bad", name, "must be positive")
    elif name == "profile_radius" and np.any(value[known] < 0.0):
        yield DataFinding("bad", name, "cannot be negative")
    elif name == "stable" and not np.all(np.isin(value, (-1, 0, 1))):
        yield DataFinding("bad", name, "holds something other than 1, 0 and -1")


def _missing_findings(dataset: xr.Dataset) -> Iterator[DataFinding]:
    """What is absent must be named as missing, so that absence is never an accident."""
    declared = {name.strip() for name in str(dataset.attrs.get("missing", "")).split(",")} - {""}
    shell = "profile_radius" in dataset
    rod = bool({"frame", "centreline"} & set(dataset.data_vars))
    measured = str(dataset.attrs.get("kind")) == "measurement"
    measured = measured and any(name in dataset for name in MEASURABLE)
    if not shell and not rod and not measured:
        yield DataFinding("bad", "frame", "no frames, no centreline, no profile: there is no shape")
    for name in absent(dataset):
        if name not in declared:
            why = QUANTITIES[name].why
            yield DataFinding(
                "warning",
                name,
                f"is absent and not named in the attribute missing: without it {why}",
            )
    for name in QUANTITIES:
        if name in dataset and name in declared:
            yield DataFinding("warning", name, "is here although the attribute missing names it")


def absent(dataset: xr.Dataset) -> list[str]:
    """Return the quantities that belong to what a data set is of, and that it has not.

    Optional ones are left out, and the centreline beside frames, whose last column it is.
    """
    dims = set(map(str, dataset.dims))
    nowhere = {"station", "meridian", "cavity", "tendon"} - dims
    if "station" in nowhere:
        nowhere.add("station_mid")
    if "meridian" in nowhere:
        nowhere.add("mode")
    return [
        name
        for name, quantity in QUANTITIES.items()
        if name not in dataset
        and not quantity.optional
        and not nowhere & set(quantity.dims)
        and not (name == "centreline" and "frame" in dataset)
    ]


def _frame_findings(dataset: xr.Dataset) -> Iterator[DataFinding]:
    if "frame" not in dataset or dataset["frame"].shape[-2:] != (4, 4):
        return
    if dataset["frame"].dtype.kind not in "fiu":
        return
    every = dataset["frame"].values.astype(float)
    frame = every[np.isfinite(every).all(axis=(-2, -1))]
    rotation = frame[..., :3, :3]
    gram = np.swapaxes(rotation, -1, -2) @ rotation
    if not np.allclose(gram, np.eye(3), atol=1e-6) or not np.all(np.linalg.det(rotation) > 0.0):
        yield DataFinding("bad", "frame", "its rotations are not orthogonal with determinant +1")
    elif _has_arcs(dataset, every) and (said := lost_turns(every, dataset["station"].values)):
        yield DataFinding("warning", "frame", f"{said}: strains may be wrong by that; add stations")
    if not np.allclose(frame[..., 3, :], (0.0, 0.0, 0.0, 1.0), atol=1e-12):
        yield DataFinding("bad", "frame", "the last row of a frame should be 0 0 0 1")


def _has_arcs(dataset: xr.Dataset, frame: NDArray[np.float64]) -> bool:
    """Whether frames (step, station, 4, 4) have arc lengths that increase."""
    if "station" not in dataset.coords or frame.ndim != 4:
        return False
    station = dataset["station"].values
    return station.dtype.kind in "fiu" and bool(np.all(np.diff(station) > 0.0))


def _listed(names: tuple[object, ...]) -> str:
    return ", ".join(map(str, names))
