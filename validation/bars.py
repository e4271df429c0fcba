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

from loligo.validation.matching import match
from loligo.validation.metrics import Array, Metric, length
from loligo.validation.uncertainty import SAFETY_OTHERWISE, Verdict, grid_convergence

MESH_ORDER = 3.0
"""Of displacements with quadratic elements, in the mean over a section; all else follows."""
TIME_ORDER = 2.0
Origin = Literal["three levels", "two levels", "stated", "static", "not given"]


@dataclass(frozen=True, eq=False)
class Bar:
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


def level_bar(
    metric: Metric, reference: xr.Dataset, levels: Mapping[float, xr.Dataset], order: float
) -> Bar:
    """Return the bar that levels give, else the one that the reference states, else none.

    Args:
        metric: what is compared.
        reference: the steps and places that count.
        levels: data sets by their size (cell size or time step in any unit).
        order: that theory gives.
    """
    usable = [(size, _like(reference, data)) for size, data in sorted(levels.items())]
    pairs = [(size, data) for size, data in usable if data is not None and metric.serves(data)][:3]
    if len(pairs) < 2:
        return stated_bar(metric, reference)
    sizes, data = zip(*pairs, strict=True)
    steps = [metric.error(finer, coarser) for finer, coarser in pairwise(data)]
    values = np.cumsum([np.zeros_like(steps[0]), *steps], axis=0)
    if len(pairs) == 2:
        half = SAFETY_OTHERWISE * np.abs(steps[0]) / ((sizes[1] / sizes[0]) ** order - 1.0)
        return Bar(half, "two levels")
    # Each step on its own: what counts as nothing at a large load is not nothing at a small one.
    found = [grid_convergence(row, sizes, order) for row in values.T]
    return Bar(
        np.array([float(one.half_width) for one in found]),
        "three levels",
        np.array([float(one.order) for one in found]),
        np.array([int(one.verdict) for one in found], dtype=np.int8),
    )


def stated_bar(metric: Metric, data: xr.Dataset) -> Bar:
    """Return the bar that follows from `<name>_uncertainty` of a data set.

    That is the largest half-width over all entries of a variable, so that the bar of a norm of k
    components is at most sqrt(k) times it, and of a sum over the body L times that.
    """
    steps = data.sizes["step"]
    name = metric.needs[0]
    if name == "points":
        name = "frame" if "frame_uncertainty" in data else "centreline"
    stated = f"{name}_uncertainty"
    if stated not in data:
        return Bar(np.full(steps, np.nan), "not given")
    half = data[stated].values.astype(float)
    if metric.group == "shape":
        half = np.sqrt(3.0) * half
        if name == "strain":
            half = half * length(data)
    elif metric.group in ("strain", "wrench", "support"):
        half = np.sqrt(3.0) * half
    elif metric.name.startswith("profile"):
        half = np.sqrt(2.0) * half
    return Bar(half, "stated")


def no_bar(steps: int, origin: Origin = "static") -> Bar:
    """Return a bar of zero: a static solution has no time step."""
    return Bar(np.zeros(steps), origin)


def not_observed(bar: Bar) -> bool:
    """Whether levels were there, but did not show the order that theory gives."""
    return bar.verdict is not None and bool(np.any(bar.verdict > Verdict.ORDER_OBSERVED))


def _like(reference: xr.Dataset, level: xr.Dataset) -> xr.Dataset | None:
    """A level at the reference's steps and places; None if it does not reach all of them."""
    pair = match(reference, level)
    return None if pair.missed else pair.prediction
