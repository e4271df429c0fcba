"""From solutions on several meshes to one with an error bar on every quantity."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import xarray as xr

from loligo.cases.dataset import QUANTITIES
from loligo.validation.uncertainty import Array, Verdict, grid_convergence

ORDER = 3.0
"""Of displacements with quadratic elements, in the mean over a section; most else follows."""
LOWER_ORDERS = {"max_stretch": 2.0}
"""Of what is read at points from gradients."""
EXACT = ("time", "stable", "max_stretch_position", "dissipated_energy", "kinetic_energy")
"""What has no error that a mesh could tell."""
RESOLUTION = 1e-8
"""What the tolerances of a solution leave of every number, relative to the largest of its step."""
SAME_LOAD = 1e-9
"""Loads of levels agree if they differ by less than this, relative to the largest."""


def with_bars(data: xr.Dataset, levels: Sequence[xr.Dataset]) -> xr.Dataset:
    """Return a data set with `<name>_uncertainty` and `<name>_uncertainty_flag`, one a step.

    The bar of a variable is the widest of its entries, in that entry's unit; of frames, that of
    their origins (m). The flag is a :class:`Verdict` on that entry.

    Args:
        data: the finest of the levels.
        levels: with the attribute `size`. Of fewer than three, or of such that do not reach the
            same loads, nothing follows: the data come back unchanged.
    """
    if len(levels) < 3 or not _same_loads(data, levels):
        return data
    sizes = np.array([float(level.attrs["size"]) for level in levels])
    bars: dict[str, object] = {}
    for name in QUANTITIES:
        if name in data and "step" in data[name].dims and name not in EXACT:
            bars |= _bars(name, [_entries(level, name) for level in levels], sizes)
    return data.assign(bars)


def _same_loads(data: xr.Dataset, levels: Sequence[xr.Dataset]) -> bool:
    loads = [name for name in data.data_vars if str(name).startswith("load_")]
    return all(
        level.sizes["step"] == data.sizes["step"]
        and all(
            np.allclose(
                level[name], data[name], rtol=0.0, atol=SAME_LOAD * float(np.abs(data[name]).max())
            )
            for name in loads
        )
        for level in levels
    )


def _entries(data: xr.Dataset, name: str) -> Array:
    """Return what is compared of a variable, shape (steps, entries)."""
    values = data[name].values[..., :3, 3] if name == "frame" else data[name].values
    return np.asarray(values.reshape(data.sizes["step"], -1))


def _bars(name: str, levels: Sequence[Array], sizes: Array) -> dict[str, object]:
    order = LOWER_ORDERS.get(name, ORDER)
    # Each step on its own: what counts as nothing at a large load is not nothing at a small one.
    found = [
        grid_convergence(step, sizes, order, resolution=RESOLUTION)
        for step in zip(*levels, strict=True)
    ]
    widest = [int(one.half_width.argmax()) for one in found]
    width = [one.half_width[i] for one, i in zip(found, widest, strict=True)]
    flag = [one.verdict[i] for one, i in zip(found, widest, strict=True)]
    units = [part.split(" (")[0] for part in QUANTITIES[name].unit.split(", ")]
    if name == "frame":
        unit = units[1]
    else:  # of six components the first three are angular
        unit = units[0 if len(units) == 1 or widest[-1] % 6 < 3 else 1]
    meanings = " ".join(verdict.name.lower() for verdict in Verdict)
    return {
        f"{name}_uncertainty": (
            "step",
            width,
            {"units": unit, "long_name": f"error bar of {name}, half-width"},
        ),
        f"{name}_uncertainty_flag": (
            "step",
            np.array(flag, dtype=np.int8),
            {
                "units": "1",
                "long_name": f"how the levels of {name} behave where its bar is widest",
                "flag_values": np.array(list(Verdict), dtype=np.int8),
                "flag_meanings": meanings,
            },
        ),
    }
