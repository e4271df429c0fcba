"""Data sets made by hand: frames of given strains, whose differences are known in closed form."""

import numpy as np
import xarray as xr

from loligo.cases.dataset.io import STRAIN_COMPONENTS, WRENCH_COMPONENTS, describe
from loligo.reduced.lie import exp_se3

STATION = np.linspace(0.0, 0.2, 11)
STRAIGHT = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0])


def frames(strain, station=STATION):
    """Integrate strains (step, station_mid, 6) from the identity."""
    g = np.tile(np.eye(4), (len(strain), station.size, 1, 1))
    for step, rows in enumerate(strain):
        for i, (row, dx) in enumerate(zip(rows, np.diff(station), strict=True)):
            g[step, i + 1] = g[step, i] @ exp_se3(dx * row)
    return g


def arm(excess, load=(1.0,), station=STATION, kind="reference", **more):
    """A data set of an arm whose strains exceed those of a straight one by (step, ..., 6)."""
    excess = np.asarray(excess, float).reshape(len(load), -1, 6)
    strain = STRAIGHT + np.broadcast_to(excess, (len(load), station.size - 1, 6))
    data = xr.Dataset(
        {
            "time": ("step", np.full(len(load), np.nan)),
            "load_tip": ("step", np.array(load), {"units": "N"}),
            "strain": (("step", "station_mid", "strain_component"), strain),
            "strain_rest": (
                ("station_mid", "strain_component"),
                np.tile(STRAIGHT, (station.size - 1, 1)),
            ),
            "frame": (("step", "station", "row", "column"), frames(strain, station)),
            **more,
        },
        {
            "station": station,
            "station_mid": 0.5 * (station[1:] + station[:-1]),
            "strain_component": list(STRAIN_COMPONENTS),
        },
        {"kind": kind, "source": "by hand", "status": "complete", "case_name": "made"},
    )
    if "wrench" in data or "reaction" in data:
        data = data.assign_coords(wrench_component=list(WRENCH_COMPONENTS))
    return describe(data)


def moved(data, g):
    """The same body, moved as if rigid."""
    return data.assign(frame=(data["frame"].dims, g @ data["frame"].values))
