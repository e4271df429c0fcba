"""Measured data with gaps: a metric is taken over the places that were seen, step by step.

A gap is a value that is not a number. At every step the places without a value are left out of both
data sets, and the strain of frames is that between neighbours which are left. What needs the end
or the whole of a body is not known at a step where its end was not seen.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from loligo.cases.core.frames import strain_between
from loligo.reduced.lie import exp_se3

Array = NDArray[np.float64]
Known = NDArray[np.bool_]
Compare = Callable[[xr.Dataset, xr.Dataset], Array]

_PLACES = ("station", "meridian")
_SHAPES = ("frame", "centreline", "profile_radius")
_LAST = {"tip_position", "tip_attitude", "rim_radius"}
"""Metrics of the last place."""
_ENDS = {"bend_angle", "centreline_length"}
"""Metrics of all that lies between the first and the last place."""


def known(data: xr.Dataset, names: tuple[str, ...]) -> Known | None:
    """Return where the variables of a metric have values, (step, place); None without a gap.

    Args:
        data: a data set.
        names: what the metric needs, as in `loligo.validation.compare.metric.Metric`.
    """
    seen: Known | None = None
    for values in (_needed(data, name) for name in names):
        if values is None or np.isfinite(values).all():
            continue
        finite = np.isfinite(values.values)
        keep = 2 if any(place in values.dims for place in _PLACES) else 1
        finite = finite.reshape(*finite.shape[:keep], -1).all(axis=-1)
        finite = finite if keep == 2 else finite[:, None]
        seen = finite if seen is None else seen & finite
    return seen


def filled(data: xr.Dataset) -> xr.Dataset:
    """Return a data set whose gaps in the strain are filled where its frames know the strain."""
    if not {"frame", "strain"} <= set(data.data_vars) or np.isfinite(data["strain"]).all():
        return data
    between = strain_between(data["frame"].values, data["station"].values)
    return data.assign(strain=data["strain"].fillna(between))


def gap_steps(data: xr.Dataset) -> tuple[int, ...]:
    """Return the steps (from 0) at which some place of a body's shape was not seen."""
    lost = np.zeros(data.sizes["step"], dtype=bool)
    for name in _SHAPES:
        if name in data:
            finite = np.isfinite(data[name].values)
            lost |= ~finite.reshape(len(finite), -1).all(axis=1)
    return tuple(int(i) for i in np.flatnonzero(lost))


def over_seen(name: str, needs: tuple[str, ...], of: Compare) -> Compare:
    """Return a metric's error that leaves gaps of the reference out; nan where it is not known."""

    def error(reference: xr.Dataset, prediction: xr.Dataset) -> Array:
        seen = known(reference, needs)
        if seen is None:
            return of(reference, prediction)
        found = np.full(len(seen), np.nan)
        dim = next((d for d in _PLACES if d in reference.dims), "")
        for pattern in np.unique(seen, axis=0):
            if not _enough(name, pattern):
                continue
            steps = np.flatnonzero((seen == pattern).all(axis=1))
            part = [_seen_of(data, steps, pattern, dim) for data in (reference, prediction)]
            if all(n not in reference or all(n in each for each in part) for n in needs):
                found[steps] = of(*part)
        return found

    return error


def end_seen(of: Callable[..., Array]) -> Callable[..., Array]:
    """Return what tells a number of motions, without the instants at which the end was not seen."""

    def number(*data: xr.Dataset) -> Array:
        there = _end(data[0])
        if there.all():
            return of(*data)
        found = np.full(there.size, np.nan)
        if there.any():
            found[there] = of(*(each.isel(step=there) for each in data))
        return found

    return number


def seen_motion(data: xr.Dataset) -> xr.Dataset:
    """Return a data set without the steps at which the free end was not seen."""
    there = _end(data)
    return data if there.all() or not there.any() else data.isel(step=there)


def largest_of(rows: Array) -> Array:
    """Return the largest entry of each row (nan are gaps); nan where a row has none."""
    lost = np.isnan(rows)
    most = np.where(lost, -np.inf, rows).max(axis=1)
    return np.where(lost.all(axis=1), np.nan, most)


def _needed(data: xr.Dataset, name: str) -> xr.DataArray | None:
    """Return the values that a need of a metric stands for; None of what is no variable."""
    if name == "points":
        return data["frame"][..., :3, 3] if "frame" in data else data["centreline"]
    if name == "strain" and "frame" in data:
        return data["frame"]  # the strain is that between the frames which are left
    return data[name] if name in data.data_vars else None


def _enough(name: str, pattern: Known) -> bool:
    if pattern.size > 1 and pattern.sum() < 2:
        return False
    if name in _LAST:
        return bool(pattern[-1])
    if name in _ENDS:
        return bool(pattern[0] and pattern[-1])
    return bool(pattern.any())


def _seen_of(data: xr.Dataset, steps: NDArray[np.intp], pattern: Known, dim: str) -> xr.Dataset:
    """Return some steps and places of a data set; strains between the places that are left."""
    part = data.isel(step=steps)
    if pattern.size == 1 or pattern.all():
        return part
    part = part.isel({dim: np.flatnonzero(pattern)})
    if dim != "station":
        return part
    station = part["station"].values
    part = part.drop_dims("station_mid", errors="ignore")
    part = part.assign_coords(station_mid=0.5 * (station[1:] + station[:-1]))
    if "frame" not in part:
        return part
    strain = strain_between(part["frame"].values, station)
    part["strain"] = (("step", "station_mid", "strain_component"), strain)
    if "strain_rest" in data:
        rest = _rest_frames(data)[None, pattern]
        between = strain_between(rest, station)[0]
        part["strain_rest"] = (("station_mid", "strain_component"), between)
    return part


def _rest_frames(data: xr.Dataset) -> Array:
    """Return the frames at rest (station, 4, 4), the first of them the identity."""
    g = [np.eye(4)]
    for strain, dx in zip(data["strain_rest"].values, np.diff(data["station"]), strict=True):
        g.append(g[-1] @ exp_se3(np.asarray(dx * strain, dtype=np.float64)))
    return np.array(g)


def _end(data: xr.Dataset) -> Known:
    """Where the free end was seen, (step)."""
    for name in _SHAPES:
        if name in data:
            last = data[name].values[:, -1]
            return np.asarray(np.isfinite(last.reshape(len(last), -1)).all(axis=1))
    return np.ones(data.sizes["step"], dtype=bool)
