r"""How a body rings: the frequency and the decay of its free end, read off its turning points.

The end swings along the line in which it moves most, about a place that need not be known. Where
its coordinate turns, at :math:`t_i` with :math:`x_i` (a parabola through three samples), half a
period lies between two turns, and the swing :math:`s_i = |x_{i+1} - x_i|` falls by half the
logarithmic decrement :math:`\delta` a turn. Straight lines through :math:`t_i` and
:math:`\ln s_i` over i give both. Swings below a hundredth of the largest are left alone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import xarray as xr
from numpy.typing import NDArray

Array = NDArray[np.float64]

LEAST = 1e-2
"""Of the largest swing: what is smaller says nothing."""
TURNS = 4
"""Fewest turning points that are called ringing: a period and a half."""


@dataclass(frozen=True)
class Ringing:
    """Frequency (Hz) and logarithmic decrement a period."""

    frequency: float
    decrement: float


def moves(data: xr.Dataset) -> bool:
    """Whether a data set is of a motion, and tells where the free end is."""
    return (
        bool({"frame", "centreline", "profile_radius"} & set(data.data_vars))
        and data.sizes["step"] > 2
        and "time" in data
        and bool(np.isfinite(data["time"].values).all())
    )


def free_end(data: xr.Dataset) -> Array:
    """Return where the tip is at every step, of a mantle its rim (x, r)."""
    if "frame" in data:
        return np.asarray(data["frame"].values[:, -1, :3, 3])
    if "centreline" in data:
        return np.asarray(data["centreline"].values[:, -1])
    rim = [data[name].values[:, -1] for name in ("profile_axial", "profile_radius")]
    return np.stack(rim, axis=-1)


def ringing(data: xr.Dataset) -> Ringing | None:
    """Return how the free end rings; None if it does not turn often enough."""
    if not moves(data):
        return None
    time, path = data["time"].values, free_end(data)
    off = path - path.mean(axis=0)
    along = off @ np.linalg.svd(off, full_matrices=False)[2][0]
    at, value = turns(time, along)
    swing = np.abs(np.diff(value))
    kept = int(np.argmin(np.append(swing > LEAST * swing.max(initial=0.0), False)))
    if kept < TURNS - 1:
        return None
    count = np.arange(kept + 1)
    half = np.polyfit(count, at[: kept + 1], 1)[0]
    decay = np.polyfit(count[:-1], np.log(swing[:kept]), 1)[0]
    return Ringing(float(0.5 / half), float(-2.0 * decay))


def path_gap(path: Array, other: Array) -> float:
    """Return the largest distance from points of a path to another path, whenever it is there."""
    start, along = other[:-1], np.diff(other, axis=0)
    square = np.maximum(np.sum(along**2, axis=1), 1e-300)
    off = path[:, None] - start
    share = np.clip(np.sum(off * along, axis=-1) / square, 0.0, 1.0)
    gap = np.linalg.norm(off - share[..., None] * along, axis=-1)
    return float(gap.min(axis=1).max())


def turns(time: Array, x: Array) -> tuple[Array, Array]:
    """Return times and values where samples turn, each by the parabola through three of them."""
    slope = np.sign(np.diff(x))
    i = np.flatnonzero(slope[1:] * slope[:-1] < 0.0) + 1
    before, after = time[i - 1] - time[i], time[i + 1] - time[i]
    low, high = (x[i - 1] - x[i]) / before, (x[i + 1] - x[i]) / after
    bend = (high - low) / (after - before)
    tilt = low - bend * before
    return time[i] - tilt / (2.0 * bend), x[i] - tilt**2 / (4.0 * bend)
