"""From solutions on several meshes, or with several time steps, to one with error bars."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import xarray as xr

from loligo.cases.dataset.gci import (
    Array,
    GridConvergence,
    Verdict,
    grid_convergence,
    two_levels,
)
from loligo.cases.dataset.io import QUANTITIES

ORDER = 3.0
"""Of displacements with quadratic elements, in the mean over a section; most else follows."""
LOWER_ORDERS = {"max_stretch": 2.0}
"""Of what is read at points from gradients."""
TIME_ORDER = 2.0
"""Of everything that a time integration gives."""
EXACT = ("time", "stable", "max_stretch_position")
"""What has no error that levels could tell."""
RESOLUTION = 1e-8
"""What the tolerances of a solution leave of every number, relative to the largest of its step."""
SAME_LOAD = 1e-9
"""Loads of levels agree if they differ by less than this, relative to the largest."""


SEVERITY = (
    Verdict.EXACT,
    Verdict.ORDER_OBSERVED,
    Verdict.ORDER_NOT_OBSERVED,
    Verdict.TWO_LEVELS,
    Verdict.OSCILLATORY,
    Verdict.DIVERGENT,
)
"""From what can be trusted most to what can be trusted least."""


@dataclass(frozen=True)
class Convergence:
    """What levels say of one variable at one step, in its entry with the widest bar."""

    name: str
    value: float
    half_width: float
    order: float
    """Observed; not a number where none is."""
    verdict: Verdict
    entry: int
    """Number of the entry in the variable's step, flattened; of frames among their origins."""


def with_bars(
    data: xr.Dataset, meshes: Sequence[xr.Dataset], times: Sequence[xr.Dataset] = ()
) -> xr.Dataset:
    """Return a data set with `<name>_uncertainty` and `<name>_uncertainty_flag`, one a step.

    The bar of a variable is the widest of its entries, in that entry's unit; of frames, that of
    their origins (m). The flag is a :class:`Verdict` on that entry. Bars of meshes and time steps
    add up, and the worse flag counts.

    Args:
        data: the finest of the levels.
        meshes: with the attribute `size`. Of less than two, or of such that do not reach the same
            loads, nothing follows.
        times: the same for time steps, with the attribute `time_step` (s).
    """
    of_meshes, of_times = mesh_convergence(data, meshes), time_convergence(data, times)
    bars: dict[str, object] = {}
    for name in dict.fromkeys([*of_meshes, *of_times]):
        studies = [found[name] for found in (of_meshes, of_times) if name in found]
        bars |= _variables(name, studies)
    return data.assign(bars)


def mesh_convergence(
    data: xr.Dataset, levels: Sequence[xr.Dataset]
) -> dict[str, list[Convergence]]:
    """Return what meshes say of every variable at every step; empty without two of them."""
    orders = {name: LOWER_ORDERS.get(name, ORDER) for name in _stepwise(data)}
    return _convergence(data, levels, "size", orders)


def time_convergence(
    data: xr.Dataset, levels: Sequence[xr.Dataset]
) -> dict[str, list[Convergence]]:
    """Return what time steps say of every variable at every step; empty without two of them."""
    return _convergence(data, levels, "time_step", dict.fromkeys(_stepwise(data), TIME_ORDER))


def _stepwise(data: xr.Dataset) -> Iterator[str]:
    for name in QUANTITIES:
        if name in data and "step" in data[name].dims and name not in EXACT:
            yield name


def _convergence(
    data: xr.Dataset, levels: Sequence[xr.Dataset], size: str, orders: dict[str, float]
) -> dict[str, list[Convergence]]:
    if len(levels) < 2 or not _same_loads(data, levels):
        return {}
    sizes = np.array([float(level.attrs[size]) for level in levels])
    judge = two_levels if len(levels) == 2 else grid_convergence
    found = {}
    for name, order in orders.items():
        # Each step on its own: nothing at a large load may be something at a small one.
        steps = zip(*(_entries(level, name) for level in levels), strict=True)
        finest = _entries(data, name)
        found[name] = [
            _widest(name, finest[i], judge(step, sizes, order, resolution=RESOLUTION))
            for i, step in enumerate(steps)
        ]
    return found


def _widest(name: str, values: Array, all_entries: GridConvergence) -> Convergence:
    i = int(all_entries.half_width.argmax())
    return Convergence(
        name,
        float(values[i]),
        float(all_entries.half_width[i]),
        float(all_entries.order[i]),
        Verdict(int(all_entries.verdict[i])),
        i,
    )


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


def _variables(name: str, studies: Sequence[Sequence[Convergence]]) -> dict[str, object]:
    """Bar and flag of a variable from its studies, as variables of a data set."""
    width = np.sum([[one.half_width for one in study] for study in studies], axis=0)
    # The worst of several studies: the numbers of verdicts are no order.
    flags = [[SEVERITY.index(one.verdict) for one in study] for study in studies]
    flag = [SEVERITY[worst] for worst in np.max(flags, axis=0)]
    meanings = " ".join(verdict.name.lower() for verdict in Verdict)
    unit = entry_unit(name, studies[0][-1].entry)
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


def entry_unit(name: str, entry: int) -> str:
    """Return the unit of an entry of a variable of the schema."""
    units = [part.split(" (")[0] for part in QUANTITIES[name].unit.split(", ")]
    if name == "frame":
        return units[1]
    # Of six components the first three are angular.
    return units[0 if len(units) == 1 or entry % 6 < 3 else 1]
