"""The reported steps of a reduced model as the variables of a data set, markers among them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import xarray as xr

from loligo.cases.body import Mantle
from loligo.cases.case import Case
from loligo.cases.core.record import BadInput
from loligo.cases.dataset.io import LABELS, QUANTITIES
from loligo.cases.markers import carried, spans, turns
from loligo.meshes.bodies import Arm, arc_lengths, stations
from loligo.reduced.lie import Array
from loligo.reduced.rod.model import STRAIGHT


def collect(
    steps: Sequence[Mapping[str, Array]],
    long_names: Mapping[str, str],
    coords: Mapping[str, object],
) -> xr.Dataset:
    """Return a data set of quantities of the schema, with its dimensions and labels.

    Args:
        steps: values by name at every step that was reached, the step dimension left out.
        long_names: what this model means by a quantity, where the schema leaves it open.
        coords: coordinates beside the labels that the schema fixes.
    """
    variables = {
        name: (
            QUANTITIES[name].dims,
            np.array([values[name] for values in steps]),
            {"long_name": long_names[name]} if name in long_names else {},
        )
        for name in (steps[0] if steps else ())
    }
    used = {dim for dims, _, _ in variables.values() for dim in dims}
    labels = {dim: list(names) for dim, names in LABELS.items() if dim in used}
    return xr.Dataset(variables, {**labels, **coords})


def collect_arm(
    body: Arm, steps: Sequence[Mapping[str, Array]], long_names: Mapping[str, str]
) -> xr.Dataset:
    """Return a data set of an arm that is straight at rest, on its stations."""
    X = stations(body)
    coords: dict[str, object] = {
        "station": ("station", X, {"units": "m"}),
        "station_mid": ("station_mid", 0.5 * (X[1:] + X[:-1]), {"units": "m"}),
    }
    if body.cavities:
        coords["cavity"] = list(body.cavities)
    rest = ("station_mid", "strain_component"), np.tile(STRAIGHT, (len(X) - 1, 1))
    return collect(steps, long_names, coords).assign(strain_rest=rest)


def shapes(body: Arm, steps: Sequence[Mapping[str, Array]]) -> xr.Dataset:
    """Return frames and tip reactions alone: labels, which a search does not ask for, take long."""
    X = stations(body)
    return xr.Dataset(
        {
            name: (QUANTITIES[name].dims, np.array([values[name] for values in steps]))
            for name in ("frame", "reaction_tip")
            if steps and name in steps[0]
        },
        {"station": X, "station_mid": 0.5 * (X[1:] + X[:-1])},
    )


def with_markers(case: Case, found: xr.Dataset) -> xr.Dataset:
    """Return a prediction with what the case's markers, angles and distances show of it.

    A rod carries a marker with the section at its place, a shell with its wall: at the marker's arc
    length and azimuth, as far off the mid-surface as at rest.
    """
    names = list(case.marker)
    rest = np.array([one.rest for one in case.marker.values()]).reshape(-1, 3)
    if isinstance(case.body, Mantle):
        places = _on_wall(case.body, found, rest) if names else None
    elif "frame" in found:
        station, frame = found["station"].values, found["frame"].values
        straight = np.tile(np.eye(4), (station.size, 1, 1))
        straight[:, 0, 3] = station
        at = np.array([one.at for one in case.marker.values()]).reshape(-1, 3)
        places = carried(frame, straight, station, arc_lengths(case.body, at), rest)
        if case.angle:
            angle = turns(case.angle, frame, straight, station)
            found = found.assign(angle=(("step", "tag"), angle)).assign_coords(tag=list(case.angle))
    else:
        places = None
    if not names or places is None:
        return found
    found = found.assign(
        marker_position=(("step", "marker", "axis"), places),
        marker_rest=(("marker", "axis"), rest),
    ).assign_coords(marker=names, axis=["x", "y", "z"])
    if not case.distance:
        return found
    distance = spans(case.distance, names, places)
    return found.assign(distance=(("step", "span"), distance)).assign_coords(
        span=list(case.distance)
    )


def _on_wall(body: Mantle, found: xr.Dataset, rest: Array) -> Array:
    """Return where markers are on a shell of revolution, (step, marker, 3)."""
    arc = found["meridian"].values
    tilt = np.maximum(body.truncation - arc / body.radius, 0.0)
    r0 = body.radius * np.cos(tilt)
    x0 = body.radius * (np.sin(body.truncation) - np.sin(tilt))
    x0 += np.maximum(arc - body.radius * body.truncation, 0.0)
    x, r = found["profile_axial"].values, found["profile_radius"].values
    places = np.empty((len(x), len(rest), 3))
    for m, (along, y, z) in enumerate(rest):
        radius = float(np.hypot(y, z))
        if radius == 0.0:
            raise BadInput("a marker on the axis of a mantle has no azimuth: put it on the wall")
        i, share, off = _nearest(x0, r0, along, radius)
        for step in range(len(x)):
            ends = np.stack([x[step, i : i + 2], r[step, i : i + 2]], axis=-1)
            tangent = (ends[1] - ends[0]) / np.linalg.norm(ends[1] - ends[0])
            here = ends[0] + share * (ends[1] - ends[0]) + off * np.array([-tangent[1], tangent[0]])
            places[step, m] = here[0], here[1] * y / radius, here[1] * z / radius
    return places


def _nearest(x: Array, r: Array, along: float, radius: float) -> tuple[int, float, float]:
    """Return interval of the meridian, share of the way through it, and distance off it."""
    points = np.stack([x, r], axis=-1)
    span = np.diff(points, axis=0)
    to = np.array([along, radius]) - points[:-1]
    share = np.clip(np.sum(to * span, axis=1) / np.sum(span**2, axis=1), 0.0, 1.0)
    miss = to - share[:, None] * span
    i = int(np.argmin(np.sum(miss**2, axis=1)))
    tangent = span[i] / np.linalg.norm(span[i])
    return i, float(share[i]), float(miss[i] @ np.array([-tangent[1], tangent[0]]))
