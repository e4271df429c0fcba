"""The reported steps of a reduced model as the variables of a data set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import xarray as xr

from loligo.cases.dataset.io import LABELS, QUANTITIES
from loligo.meshes.bodies import Arm, stations
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
