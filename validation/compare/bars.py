r"""The error bar of a metric: what the reference's meshes and time steps leave open.

A metric is a distance, so that it can be taken between two meshes of the reference as well. With
:math:`d_{ij}` the metric between levels i and j, finest first, the levels stand at 0,
:math:`d_{12}` and :math:`d_{12} + d_{23}` on a line, and the grid convergence index of these three
numbers is the bar, in the metric's own norm and unit. By the triangle inequality no error of the
reference moves the metric by more. (Of a norm the signs are lost: oscillation cannot be seen.)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from loligo.cases.dataset.gci import SAFETY_OTHERWISE, Verdict, grid_convergence
from loligo.cases.dataset.levels import RESOLUTION
from loligo.validation.compare.metric import Metric
from loligo.validation.data.gaps import largest_of
from loligo.validation.data.matching import match
from loligo.validation.data.quantities import Array, length

TIME_ORDER = 2.0
Levels = tuple[tuple[float, xr.Dataset], ...]
"""Data sets with the sizes of their cells or time steps, finest first."""
Origin = Literal["three levels", "two levels", "stated", "static", "none", "not given"]


@dataclass(frozen=True, eq=False)
class ErrorBar:
    """Half-widths at every step, and where they come from."""

    half_width: Array
    """Not a number where nothing is known."""
    origin: Origin
    order: Array | None = None
    """Observed order, with three levels."""
    verdict: NDArray[np.int8] | None = None
    """A `Verdict` each, with three levels."""

    @property
    def known(self) -> bool:
        """Whether there is a bar at all."""
        return bool(np.isfinite(self.half_width).all())


def alike(reference: xr.Dataset, levels: Mapping[float, xr.Dataset]) -> Levels:
    """Return the levels at the reference's steps and places, finest first.

    Those that do not reach all of them are left out.

    Args:
        reference: the steps and places that count.
        levels: data sets by their size (cell size or time step in any unit).
    """
    pairs = ((size, match(reference, level)) for size, level in sorted(levels.items()))
    return tuple((size, pair.prediction) for size, pair in pairs if not pair.missed)


def level_bar(metric: Metric, reference: xr.Dataset, levels: Levels, order: float) -> ErrorBar:
    """Return the bar that levels give, else the one that the reference states, else none.

    Args:
        metric: what is compared.
        reference: the steps and places that count.
        levels: made `alike`.
        order: that theory gives.
    """
    pairs = [(size, data) for size, data in levels if metric.serves(data)][:3]
    if len(pairs) < 2:
        return stated_bar(metric, reference)
    sizes, data = zip(*pairs, strict=True)
    steps = [metric.error(finer, coarser) for finer, coarser in pairwise(data)]
    values = np.cumsum([np.zeros_like(steps[0]), *steps], axis=0)
    if len(pairs) == 2:
        half = SAFETY_OTHERWISE * np.abs(steps[0]) / ((sizes[1] / sizes[0]) ** order - 1.0)
        return ErrorBar(half, "two levels")
    # Each step on its own: what counts as nothing at a large load is not nothing at a small one.
    least = _least(metric, reference)
    found = [
        grid_convergence(row, sizes, order, resolution=least_of_row)
        for row, least_of_row in zip(
            values.T, least / np.maximum(np.abs(values).max(axis=0), least), strict=True
        )
    ]
    return ErrorBar(
        np.array([float(one.half_width) for one in found]),
        "three levels",
        np.array([float(one.order) for one in found]),
        np.array([int(one.verdict) for one in found], dtype=np.int8),
    )


def stated_bar(metric: Metric, data: xr.Dataset) -> ErrorBar:
    """Return the bar that follows from `<name>_uncertainty` of a data set.

    That is the largest half-width over all entries of a variable, in the unit of the entry that
    sets it (of frames: of their origins), so that the bar of a norm of k components is at most
    sqrt(k) times it, and of a sum over the body L times that. What it says nothing about has none.
    """
    name = metric.needs[0]
    if name == "marker_position" and f"{name}_parts" in data:
        return ErrorBar(_of_markers(metric.name, data), "stated")
    unit, factor = metric.unit, np.sqrt(3.0)
    match metric.name:
        case "tip_attitude" | "bend_angle":
            name, unit, factor = "strain", "1/m", factor * length(data)
        case "centreline_length":
            unit, factor = "1", factor * length(data)
        case "profile_l2" | "profile_max":
            factor = np.sqrt(2.0)
    if name == "points":
        name = "frame" if "frame_uncertainty" in data else "centreline"
    if (
        metric.group in ("cavity", "energy")
        or name in ("angle", "distance")
        or metric.name in ("rim_radius", "thickness")
    ):
        factor = 1.0
    stated = f"{name}_uncertainty"
    if stated not in data or data[stated].attrs.get("units") != unit:
        return ErrorBar(np.full(data.sizes["step"], np.nan), "not given")
    return ErrorBar(factor * data[stated].values.astype(float), "stated")


def _of_markers(metric: str, data: xr.Dataset) -> Array:
    """Return the half-width of a metric of markers from those of their places by source.

    The mean way feels what lies along the ways alone; what all markers share is not averaged out.
    """
    square = np.sum(np.nan_to_num(data["marker_position_parts"].values) ** 2, axis=0)
    if metric == "marker_max":
        return largest_of(np.sqrt(square.sum(axis=-1)))
    way = data["marker_position"].values - data["marker_rest"].values
    along = way / np.maximum(np.linalg.norm(way, axis=-1, keepdims=True), 1e-300)
    half = np.sqrt(np.sum(np.nan_to_num(along) ** 2 * square, axis=-1))
    known = np.isfinite(way).all(axis=-1)
    return np.asarray((half * known).sum(axis=1) / np.maximum(known.sum(axis=1), 1))


def no_bar(steps: int, origin: Origin = "static") -> ErrorBar:
    """Return a bar of zero: a static solution has no time step."""
    return ErrorBar(np.zeros(steps), origin)


def not_observed(bar: ErrorBar) -> bool:
    """Whether levels were there, but did not show the order that theory gives."""
    return bar.verdict is not None and bool(np.any(bar.verdict > Verdict.ORDER_OBSERVED))


def _least(metric: Metric, reference: xr.Dataset) -> Array:
    """What the tolerances of a solution leave of a metric at every step."""
    scale = np.ones(reference.sizes["step"]) if metric.scale is None else metric.scale(reference)
    return np.asarray(RESOLUTION * np.where(scale > 0.0, scale, 1e-300))
