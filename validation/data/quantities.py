"""What a data set tells of a body as a whole: points, bend, lengths, norms along it."""

from __future__ import annotations

import numpy as np
import xarray as xr
from numpy.typing import NDArray
from scipy.integrate import trapezoid

from loligo.validation.data.gaps import seen_motion
from loligo.validation.data.motion_numbers import KINDS_OF_MOTION

Array = NDArray[np.float64]

NEXT_TO_NOTHING = 1e-2
"""A part of strain, wrench or bend (rad) below this share of the whole is no scale for an error."""


def points(data: xr.Dataset) -> Array:
    """Return the axis' points (step, station, 3) in m."""
    if "frame" in data:
        return np.asarray(data["frame"].values[..., :3, 3])
    return np.asarray(data["centreline"].values)


def ways(data: xr.Dataset) -> Array:
    """Return how far every marker is from where it rests, (step, marker) (m)."""
    rest = data["marker_rest"].values if "marker_rest" in data else data["marker_position"][0]
    return np.asarray(np.linalg.norm(data["marker_position"].values - rest, axis=-1))


def mean_way(data: xr.Dataset, seen: xr.Dataset) -> Array:
    """Return the mean way (m) of the markers of a data set that another one has seen, (step)."""
    known = np.isfinite(seen["marker_position"].values).all(axis=-1)
    count = known.sum(axis=1)
    total = np.where(known, ways(data), 0.0).sum(axis=1)
    mean: Array = np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0)
    return mean


def length(data: xr.Dataset) -> float:
    """Return L, the arc length at rest from the first to the last station (m)."""
    station = data["station"].values
    return float(station[-1] - station[0])


def moving_load(data: xr.Dataset) -> tuple[str, str]:
    """Return variable and unit of the first load that varies over the steps; empty if none does."""
    for name in map(str, data.data_vars):
        if name.startswith("load_") and np.ptp(data[name].values) > 0.0:
            return name, str(data[name].attrs.get("units", "1"))
    return "", "1"


def bend(data: xr.Dataset) -> Array:
    r"""Return the bend vector :math:`\sum (\kappa - \kappa_{rest})_{y,z}\,\Delta X` (step, 2)."""
    return np.asarray(np.einsum("smc,m->sc", excess(data)[..., 1:3], widths(data)))


def centreline_length(data: xr.Dataset) -> Array:
    r"""Return :math:`\sum |v|\,\Delta X` of the linear strains v, (step)."""
    v = data["strain"].values[..., 3:]
    return np.asarray(np.linalg.norm(v, axis=-1) @ widths(data))


def over_stations(field: Array, data: xr.Dataset) -> Array:
    """Return the norm of a field (step, station, components) over the stations."""
    station = data["station"].values
    square = np.sum(field**2, axis=-1)
    return np.asarray(np.sqrt(trapezoid(square, station, axis=-1) / length(data)))


def over_intervals(field: Array, data: xr.Dataset) -> Array:
    """Return the norm of a field (step, station_mid, components) over the body."""
    return np.asarray(np.sqrt(np.sum(field**2, axis=-1) @ widths(data) / length(data)))


def over_meridian(field: Array, data: xr.Dataset) -> Array:
    """Return the norm of a field (step, meridian, components) over the meridian."""
    arc = data["meridian"].values
    square = np.sum(field**2, axis=-1)
    return np.asarray(np.sqrt(trapezoid(square, arc, axis=-1) / (arc[-1] - arc[0])))


def has(data: xr.Dataset, name: str) -> bool:
    """Return whether a data set has a variable, "points" of the axis, or something of a motion."""
    if name in KINDS_OF_MOTION:
        return KINDS_OF_MOTION[name](seen_motion(data))
    if name == "points":
        return "station" in data.dims and bool({"frame", "centreline"} & set(data.data_vars))
    return name in data


def widths(data: xr.Dataset) -> Array:
    """Return the intervals between stations at rest (m)."""
    return np.asarray(np.diff(data["station"].values))


def excess(data: xr.Dataset) -> Array:
    """Return strain less the strain at rest; straight at rest where that is not given."""
    straight = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0])
    rest = data["strain_rest"].values if "strain_rest" in data else straight
    return np.asarray(data["strain"].values - rest)


def body_length(data: xr.Dataset) -> Array:
    """Return L at every step."""
    return np.full(data.sizes["step"], length(data))


def profile(data: xr.Dataset) -> Array:
    """Return the meridian's points (step, meridian, 2), axial and radial (m)."""
    return np.stack([data["profile_axial"].values, data["profile_radius"].values], axis=-1)


def meridian_length(data: xr.Dataset) -> Array:
    """Return M, the meridian's length at rest, at every step (m)."""
    arc = data["meridian"].values
    return np.full(data.sizes["step"], arc[-1] - arc[0])


def unit_length(unit: float) -> Array:
    """Return what makes angular and linear strains of one dimension (its inverse, wrenches)."""
    return np.array([unit] * 3 + [1.0] * 3)


def if_there(part: Array, full: Array) -> Array:
    """Return a scale, or zero where it is nothing beside the whole: torsion of what only bends."""
    return np.where(part > NEXT_TO_NOTHING * full, part, 0.0)
