"""The data set of watched recordings: every measured quantity with its uncertainty by source."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from loligo.cases.case import Case
from loligo.cases.case_file import to_toml
from loligo.cases.core.record import BadInput
from loligo.cases.dataset.io import absent, describe
from loligo.cases.dataset.schema import PARTS, WRENCH_COMPONENTS
from loligo.validation.measured.channels import UNITS, Array
from loligo.validation.measured.gather import (
    Watched,
    check_lengths,
    distances_of,
    places_of,
    rest_on_body,
    way_of,
)
from loligo.validation.measured.holds import mean_over
from loligo.validation.measured.loads import grouped
from loligo.validation.measured.setup import Setup
from loligo.validation.measured.uncertainty import (
    averaged,
    by_placement,
    by_registration,
    combined,
    repeated,
    stacked,
)

_ROWS = {
    "angle": ("angle", "tag", "angle"),
    "distance": ("distance", "span", "length"),
    "pressure": ("pressure", "cavity", "pressure"),
    "volume": ("volume", "cavity", "volume"),
    "tension": ("tendon_tension", "tendon", "force"),
}
"""Variable, dimension and kind of unit of a column, by the first part of its name."""
_WITH_PARTS = ("angle", "distance")


@dataclass(frozen=True, eq=False)
class _Series:
    """One measured quantity in every recording, (samples, ...), before it is averaged."""

    dims: tuple[str, ...]
    of_take: Sequence[Array]
    sensor: float = 0.0
    parts: Mapping[str, Array] = field(default_factory=dict)
    """Half-widths from other sources, (step, ...)."""


def measured(watched: Sequence[Watched], setup: Setup, case: Case | None) -> xr.Dataset:
    """Return the data set of recordings that were watched.

    Raises:
        BadInput: if there is nothing in common, or values are those of a mistake.
    """
    check_lengths(watched, case)
    rest = rest_on_body(watched, places_of(setup, case))
    series, coords = _series(watched, setup, case, list(rest))
    if setup.motion:
        return _finished(*_motion(watched, setup, series, rest), coords, rest, setup, case)
    groups = grouped([loads for each in watched for loads in each.loads], setup.same_load)
    steps, unknown = {}, []
    for name, one in series.items():
        steps[name], lacking = _averaged(name, one, watched, groups, rest, setup)
        unknown += lacking
    variables = _variables(series, steps)
    first = [group[0] for group in groups]
    loads = [loads for each in watched for loads in each.loads]
    for name, (_, unit) in loads[0].items():
        values = np.array([np.mean([loads[i][name][0] for i in group]) for group in groups])
        variables[name] = ("step", values, {"units": unit})
    variables["time"] = ("step", np.full(len(first), np.nan))
    attrs: dict[str, object] = {"repeats": [len(group) for group in groups]}
    if unknown:
        attrs["uncertainty_not_known"] = "; ".join(dict.fromkeys(unknown))
    return _finished(variables, attrs, coords, rest, setup, case)


def _series(
    watched: Sequence[Watched], setup: Setup, case: Case | None, markers: Sequence[str]
) -> tuple[dict[str, _Series], dict[str, list[str | int]]]:
    """Return every measured quantity, and the labels of its dimensions."""
    found: dict[str, _Series] = {}
    coords: dict[str, list[str | int]] = {}
    if markers:
        ways = [np.stack([way_of(w, m) for m in markers], axis=1) for w in watched]
        sensor = _sensor(setup, "marker", "length")
        found["marker_position"] = _Series(("marker", "axis"), ways, sensor)
        coords["marker"], coords["axis"] = list(markers), ["x", "y", "z"]
    names = dict.fromkeys(name for each in watched for name in each.recorded.signals)
    for kind, (variable, dim, unit) in _ROWS.items():
        mine = [name for name in names if name.startswith(f"{kind}_")]
        rows = {name.partition("_")[2]: [_signal(w, name) for w in watched] for name in mine}
        if kind == "distance":
            rows |= _spans(watched, setup, case)
        if rows:
            labels: list[str | int] = [_label(kind, row) for row in rows]
            if coords.setdefault(dim, labels) != labels:
                raise BadInput(f"{kind}: its cavities are others than those of another quantity")
            columns = [np.stack(parts, axis=1) for parts in zip(*rows.values(), strict=True)]
            found[variable] = _Series((dim,), columns, _sensor(setup, kind, unit))
    cell = [f"{kind}_{axis}" for kind in ("moment", "force") for axis in "xyz"]
    if any(name in names for name in cell):
        variable = "reaction" if setup.load_cell == "base" else "reaction_tip"
        columns = [np.stack([_signal(w, name) for name in cell], axis=1) for w in watched]
        found[variable] = _Series(("wrench_component",), columns, _sensor(setup, "force", "force"))
        coords["wrench_component"] = list(WRENCH_COMPONENTS)
    if not found:
        raise BadInput(f"{watched[0].recorded.file}: nothing but loads was recorded")
    return found, coords


def _label(kind: str, row: str) -> str | int:
    if kind != "tension":
        return row
    if not row.isdigit():
        raise BadInput(f"tension_{row}: tendons have numbers, from 1")
    return int(row)


def _signal(each: Watched, name: str) -> Array:
    empty = np.full(each.recorded.time.size, np.nan)
    return np.asarray(each.recorded.signals.get(name, empty))


def _spans(watched: Sequence[Watched], setup: Setup, case: Case | None) -> dict[str, list[Array]]:
    """Distances between markers, as they were recorded."""
    found = {}
    for name, span in distances_of(setup, case).items():
        a, b = span.between
        if strange := [m for m in (a, b) if all(m not in w.rest_places for w in watched)]:
            raise BadInput(f"distance {name}: there is no marker {strange[0]} in the recordings")
        found[name] = [
            np.linalg.norm(w.recorded.markers[a] - w.recorded.markers[b], axis=1)
            if {a, b} <= set(w.recorded.markers)
            else np.full(w.recorded.time.size, np.nan)
            for w in watched
        ]
    return found


def _sensor(setup: Setup, kind: str, unit: str) -> float:
    text = setup.uncertainty.sensor.get(kind)
    if text is None:
        return 0.0
    try:
        return abs(UNITS[unit].parse(text))
    except ValueError as error:
        raise BadInput(f"uncertainty.sensor.{kind}: {error}") from None


def _averaged(
    name: str,
    one: _Series,
    watched: Sequence[Watched],
    groups: Sequence[Sequence[int]],
    rest: Mapping[str, Array],
    setup: Setup,
) -> tuple[tuple[Array, Array], list[str]]:
    """Return means (step, ...) and half-widths by source (part, step, ...), and what is unknown."""
    means = [
        mean_over(values, w.recorded.time, hold)
        for values, w in zip(one.of_take, watched, strict=True)
        for hold in w.holds
    ]
    values = np.array([mean.value for mean in means])
    noise = np.array([mean.half_width for mean in means])
    unknown = []
    if np.isnan(noise[np.isfinite(values)]).any():
        unknown.append(f"noise of {name}, of which a hold has one sample alone")
    average, scatter = repeated(values, groups)
    if max(map(len, groups)) == 1:
        unknown.append("scatter of repeats: no load was repeated")
    parts = {"noise": averaged(noise, groups), "repeats": scatter}
    if one.sensor > 0.0:
        parts["sensor"] = np.full_like(average, one.sensor)
    else:
        unknown.append(f"sensor of {name}: not stated")
    if name == "marker_position":
        places = np.array(list(rest.values()))
        covariance = np.mean([w.registration.covariance for w in watched], axis=0)
        parts["registration"] = by_registration(average, covariance)
        parts["placement"] = by_placement(average, places, setup.uncertainty.placement)
        if not any(setup.uncertainty.placement):
            unknown.append("placement of the markers: not stated")
        average = average + places
    return (average, stacked(parts, average.shape)), unknown


def _variables(
    series: Mapping[str, _Series], steps: Mapping[str, tuple[Array, Array]]
) -> dict[str, tuple[object, ...]]:
    found: dict[str, tuple[object, ...]] = {}
    for name, (values, parts) in steps.items():
        dims = ("step", *series[name].dims)
        found[name] = (dims, values)
        whole = combined(parts).reshape(len(values), -1).max(axis=1)
        unit = _unit(name)
        found[f"{name}_uncertainty"] = ("step", whole, {"units": unit})
        if name in ("marker_position", *_WITH_PARTS):
            found[f"{name}_parts"] = (("uncertainty_part", *dims), parts)
    return found


def _unit(name: str) -> str:
    if name.startswith("reaction"):
        return "N"
    kinds = {variable: UNITS[unit].si for variable, _, unit in _ROWS.values()}
    return kinds.get(name, "m")


def _motion(
    watched: Sequence[Watched],
    setup: Setup,
    series: Mapping[str, _Series],
    rest: Mapping[str, Array],
) -> tuple[dict[str, tuple[object, ...]], dict[str, object]]:
    """Return the samples of one recording as steps, thinned to the time between reported states."""
    if len(watched) > 1:
        raise BadInput(f"a motion is one recording, and there are {len(watched)}: give one file")
    recorded = watched[0].recorded
    at: NDArray[np.intp] = np.arange(recorded.time.size)
    if setup.every is not None:
        wanted = np.arange(recorded.time[0], recorded.time[-1], setup.every)
        middle = 0.5 * (recorded.time[1:] + recorded.time[:-1])
        at = np.unique(np.searchsorted(middle, wanted))  # the nearest sample
    found: dict[str, tuple[object, ...]] = {"time": ("step", recorded.time[at])}
    for name, one in series.items():
        values = one.of_take[0][at]
        if name == "marker_position":
            values = values + np.array(list(rest.values()))
        found[name] = (("step", *one.dims), values)
        if one.sensor > 0.0:
            half = np.full(at.size, one.sensor)
            found[f"{name}_uncertainty"] = ("step", half, {"units": _unit(name)})
    for name, values in recorded.signals.items():
        if name.startswith("load_"):
            found[name] = ("step", values[at], {"units": recorded.signal_units[name]})
    return found, {}


def _finished(
    variables: Mapping[str, tuple[object, ...]],
    attrs: Mapping[str, object],
    coords: Mapping[str, list[str | int]],
    rest: Mapping[str, Array],
    setup: Setup,
    case: Case | None,
) -> xr.Dataset:
    everything = dict(variables)
    labels: dict[str, object] = dict(coords)
    if rest:
        everything["marker_rest"] = (("marker", "axis"), np.array(list(rest.values())))
    if any(name.endswith("_parts") for name in everything):
        labels["uncertainty_part"] = list(PARTS)
    data = xr.Dataset(everything, labels).assign_attrs(
        {"kind": "measurement", "source": setup.source, "status": "complete", **attrs}
    )
    if case is not None:
        data = data.assign_attrs({"case_name": case.name, "case": to_toml(case)})
    return describe(data.assign_attrs(missing=", ".join(absent(data))))
