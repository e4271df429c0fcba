"""Solutions, predictions and measurements of one case in one figure, and the errors of a fit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from loligo.validation.data.quantities import Array, moving_load, points
from loligo.validation.plot.style import legend_below, readable

STYLES = (("o", "#1b1b1b"), ("-", "#0a6ebd"), ("--", "#b35900"), (":", "#2e7d32"))
"""Marker or dash, and colour, one after the other."""
Named = tuple[str, xr.Dataset]
"""A label with its data set."""


class Errors(Protocol):
    """How far a model is from the data of a case, before a fit and after."""

    @property
    def case(self) -> str:
        """Its name."""

    @property
    def fitted(self) -> bool:
        """Whether the data were fitted; else they were held out."""

    @property
    def before(self) -> float:
        """As a fraction of the displacement."""

    @property
    def after(self) -> float:
        """The same with the fitted coefficients."""


def draw(figure: Figure, given: Sequence[Named]) -> None:
    """Draw the shape at the last step, and how far the tip or the rim is moved at every step."""
    shape, way = figure.subplots(1, 2)
    direction = _across(given[0][1])
    for (label, data), (style, colour) in zip(given, STYLES, strict=False):
        if "profile_radius" in data:
            x, y = data["profile_axial"].values[-1], data["profile_radius"].values[-1]
        else:
            axis = points(data)[-1]
            x, y = axis[:, 0], axis[:, 1:] @ direction
        shape.plot(x * 1e3, y * 1e3, style, color=colour, label=label, ms=4, lw=1.4)
        _moved(way, data, style, colour, label)
    mantle = "profile_radius" in given[0][1]
    shape.set_aspect("equal", adjustable="datalim")
    shape.set_xlabel("x (mm)")
    shape.set_ylabel("radius (mm)" if mantle else "across (mm)")
    way.set_ylabel("radius of the rim (mm)" if mantle else "displacement of the tip (mm)")
    legend_below(figure)


def draw_errors(figure: Figure, rows: Sequence[Errors]) -> None:
    """Draw the errors of a fit before and after, a pair of bars for each case and part."""
    panel = figure.subplots()
    at = np.arange(len(rows))
    for shift, name, colour in ((-0.2, "before", STYLES[2][1]), (0.2, "after", STYLES[1][1])):
        heights = [100.0 * getattr(row, name) for row in rows]
        panel.bar(at + shift, heights, 0.4, color=colour, label=name)
    labels = [f"{row.case}\n{'fitted' if row.fitted else 'held out'}" for row in rows]
    panel.set_xticks(at, labels)
    panel.set_ylabel("error (% of the displacement)")
    legend_below(figure)


def _across(data: xr.Dataset) -> Array:
    """Return the direction across the axis in which a body bends most at the last step."""
    if "profile_radius" in data:
        return np.array([1.0, 0.0])
    axis = points(data)[-1]
    off = axis[:, 1:] - axis[0, 1:]
    direction = np.linalg.svd(off)[2][0] if np.any(off) else np.array([1.0, 0.0])
    return np.asarray(direction * np.sign(off[-1] @ direction or 1.0))


def _moved(panel: Axes, data: xr.Dataset, style: str, colour: str, label: str) -> None:
    """Plot how far the tip or the rim is at every step, with its error bar where there is one."""
    if "profile_radius" in data:
        name, values = "profile_radius", data["profile_radius"].values[:, -1]
    else:
        name = "frame" if "frame" in data else "centreline"
        tips = points(data)[:, -1]
        values = np.linalg.norm(tips - _at_rest(data), axis=1)
    x, words = _axis(data)
    bars = data.get(f"{name}_uncertainty")
    width = None if bars is None else np.nan_to_num(bars.values) * 1e3
    line = panel.plot(x, values * 1e3, style, color=colour, label=label, ms=4, lw=1.4)[0]
    if width is not None and np.any(width > 0.0):
        panel.errorbar(x, values * 1e3, yerr=width, fmt="none", ecolor=line.get_color(), capsize=2)
    panel.set_xlabel(words)


def _at_rest(data: xr.Dataset) -> Array:
    """Return where the tip is at rest."""
    if "frame_rest" in data:
        return np.asarray(data["frame_rest"].values[-1, :3, 3])
    station = data["station"].values
    return np.array([station[-1], 0.0, 0.0])


def _axis(data: xr.Dataset) -> tuple[Array, str]:
    """Return the time, the load that varies or the number of the step, for the horizontal axis."""
    if "time" in data and np.isfinite(data["time"].values).all():
        return data["time"].values, "time (s)"
    name, unit = moving_load(data)
    if not name:
        return np.array([float(i + 1) for i in range(data.sizes["step"])]), "step"
    values = data[name].values
    factor, words = readable(unit, values)
    return values / factor, f"{name.removeprefix('load_')} ({words})".replace("$", r"\$")
