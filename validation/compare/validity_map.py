r"""Where a reduced model can be trusted: its errors over the load and one property of the body.

A map has a column for every 3D solution of a study and a row for every step of the load. Three
errors stand in it, each the distance of the centrelines, or whatever metric was chosen, as a share
of that metric's scale (an angle: in rad):

* *kinematic*: of the best member of the model's class, fitted to the 3D shape itself; no
  coefficient can do better;
* *constitutive*: of the prediction with printed or geometry-derived coefficients;
* *calibrated*: of the prediction with coefficients fitted to the smaller loads of the same column,
  at the larger ones, which it has not seen.

`bar` is the half-width that reference and prediction leave open, NaN where a part of it is not
known. A model is trusted up to a load if error and bar stay below the accepted level at that load
and at all smaller ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from loligo.cases.core.record import BadInput
from loligo.cases.dataset import io as dataset
from loligo.validation.compare.comparison import Comparison
from loligo.validation.compare.metrics import BY_NAME
from loligo.validation.compare.record import listed
from loligo.validation.compare.row import MetricRow
from loligo.validation.data.quantities import Array, moving_load

PARTS = {
    "kinematic": "best member of the class",
    "constitutive": "printed or geometric coefficients",
    "calibrated": "fitted to smaller loads",
}
MODEL_CLASS = {"pcc": "arc", "pcc_lengths": "arc"}
"""Class of the models that are poorer than the shapes of a body; others follow any axis."""


def validity_map(
    columns: Mapping[float, Comparison],
    key: str,
    unit: str,
    *,
    metric: str = "centreline_l2",
    accepted: float | None = None,
    beside: Sequence[str] = (),
) -> xr.Dataset:
    """Return the map of one model over a study.

    Args:
        columns: what the comparison of every item found, by the value of the key.
        key: what varies from column to column, by its key in the case file.
        unit: of the key's values.
        metric: name of the metric whose error is drawn.
        accepted: level of the accepted error; by default the acceptance level of the case.
        beside: what varies together with the key, for the label.

    Raises:
        BadInput: if the columns are not of one model and the same steps, nothing is compared by
            that metric, or nobody says which error is accepted.
    """
    if metric not in BY_NAME:
        raise BadInput(f'"{metric}" is no metric; they are {", ".join(BY_NAME)}')
    if len(columns) < 2:
        raise BadInput("a map needs two columns at least: solve more items of the study")
    values = sorted(columns)
    ordered = [columns[value] for value in values]
    first = ordered[0]
    for found in ordered:
        if (found.model, found.case.steps) != (first.model, first.case.steps):
            raise BadInput("a map is of one model, and of solutions with the same steps")
    level = accepted
    if level is None:
        levels = {} if first.case.acceptance is None else first.case.acceptance.levels
        if metric not in levels:
            raise BadInput(
                f"{first.case.name}: has no acceptance level for {metric}; give --accept"
            )
        level = levels[metric]
    table: dict[str, list[Array]] = {name: [] for name in (*PARTS, "bar", "load", "stable")}
    name, load_unit = moving_load(first.pair.reference)
    for found in ordered:
        row = found.row(metric)
        if row is None:
            raise BadInput(f"{metric}: is not in both, the reference and the prediction")
        at = [step - 1 for step in found.pair.steps]
        for part, line in _errors(found, row).items():
            whole = np.full(len(found.case.steps), np.nan)
            whole[at] = line
            table[part].append(whole)
        load = np.full(len(found.case.steps), np.nan)
        load[at] = found.pair.reference[name].values if name else found.pair.steps
        table["load"].append(load)
        stable = np.full(len(found.case.steps), np.nan)
        if "stable" in found.pair.reference:
            stable[at] = found.pair.reference["stable"].values
        table["stable"].append(stable)
    return xr.Dataset(
        {part: (("column", "row"), np.array(lines)) for part, lines in table.items()},
        {
            "column": ("column", values, {"long_name": key, "units": unit or "1"}),
            "row": ("row", list(first.case.steps), {"long_name": "share of the full load"}),
        },
        {
            "kind": "validity map",
            "case_name": first.case.name,
            "title": first.case.title,
            "model": first.model,
            "metric": metric,
            "metric_title": BY_NAME[metric].title,
            "accepted": level,
            "load_name": name.removeprefix("load_"),
            "load_units": load_unit,
            "beside": ", ".join(beside),
            "from_rest": int(all(_of_the_body(found.row(metric)) for found in ordered)),
        },
    )


def trusted(chart: xr.Dataset, part: str) -> Array:
    """Return the share of the load up to which a model is trusted, in every column.

    Between steps the error is linear. It is zero if the first load at which the part is known is
    too much already, NaN where the part is not known at all.
    """
    error = chart[part].values + np.nan_to_num(chart["bar"].values)
    share, level = chart["row"].values, float(chart.attrs["accepted"])
    return np.array([_reach(share, line, level, bool(chart.attrs["from_rest"])) for line in error])


def map_record(chart: xr.Dataset) -> dict[str, Any]:
    """Return a map as plain data; what is not known is None."""
    return {
        **{
            str(name): value.item() if isinstance(value, np.generic) else value
            for name, value in chart.attrs.items()
        },
        "over": chart["column"].attrs["long_name"],
        "unit": chart["column"].attrs["units"],
        "values": listed(chart["column"].values),
        "share_of_load": listed(chart["row"].values),
        "trusted": {part: listed(trusted(chart, part)) for part in PARTS},
        **{name: listed(chart[name].values) for name in (*PARTS, "bar", "load", "stable")},
    }


def _of_the_body(row: MetricRow | None) -> bool:
    """Whether an error is a share of something that no load changes, and so grows from nothing."""
    return row is not None and (row.scale is None or np.ptp(row.scale) == 0.0)


def _reach(share: Array, error: Array, level: float, from_rest: bool) -> float:
    known = np.isfinite(error)
    if not known.any():
        return np.nan
    if known[0] and from_rest:
        share, error = np.insert(share, 0, 0.0), np.insert(error, 0, 0.0)
        known = np.insert(known, 0, True)
    share, error = share[known], error[known]
    over = np.flatnonzero(error > level)
    if over.size == 0:
        return float(share[-1])
    k = int(over[0])
    if k == 0:
        return 0.0
    return float(np.interp(level, error[k - 1 : k + 1], share[k - 1 : k + 1]))


def shipped() -> dict[str, Path]:
    """Return the files of the maps that loligo brings along, by name."""
    folder = Path(str(resources.files("loligo.validation"))) / "reference" / "maps"
    return {file.stem: file for file in sorted(folder.glob("*.nc"))}


def read_map(file: Path) -> xr.Dataset:
    """Read a map; raises BadInput if the file is none."""
    chart = dataset.read(file)
    if chart.attrs.get("kind") != "validity map":
        raise BadInput(f"{file}: is no validity map; `loligo map` makes one from a study")
    return chart


def _errors(found: Comparison, row: MetricRow) -> dict[str, Array]:
    """Return the parts at the matched steps, relative where the metric has a scale."""
    scale = np.ones(row.error.size) if row.scale is None else row.scale

    def relative(error: Array) -> Array:
        share = np.full(scale.size, np.nan)
        np.divide(np.abs(error), scale, out=share, where=scale > 0.0)
        return share

    nothing = np.full(row.error.size, np.nan)
    kind = MODEL_CLASS.get(found.model)
    return {
        "kinematic": relative(row.kinematic[kind]) if kind in row.kinematic else nothing,
        "constitutive": relative(row.error),
        "calibrated": nothing if row.calibrated is None else relative(row.calibrated),
        "bar": relative(row.bar) if row.bars_known else nothing,
    }
