"""A validity map drawn: the parts of a model's error over the load and one property of the body."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.colors import BoundaryNorm
from matplotlib.contour import QuadContourSet

from loligo.validation.compare.validity_map import PARTS, trusted
from loligo.validation.data.quantities import Array
from loligo.validation.plot.style import readable, svg_figure, svg_text
from loligo.validation.words import share_words, value_words

STEPS = (0.0, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
"""Bounds of the colours, shares of the scale."""
LEVEL = "#c00000"


def map_svg(chart: xr.Dataset) -> str:
    """Return the picture of a map: a panel for every part that is known, in the same colours."""
    parts = [part for part in PARTS if np.isfinite(chart[part].values).any()]
    with svg_figure(1.8 + 3.1 * len(parts), 3.8) as figure:
        panels = figure.subplots(1, len(parts), sharey=True, squeeze=False)[0]
        for panel, part in zip(panels, parts, strict=True):
            filled = _panel(panel, chart, part)
        panels[0].set_ylabel(_loads(chart)[1].replace("$", r"\$"))
        bar = figure.colorbar(filled, ax=list(panels), ticks=STEPS[1:], extend="max")
        bar.ax.set_yticklabels([_level_words(chart, step) for step in STEPS[1:]])
        bar.set_label(str(chart.attrs["metric_title"]))
        figure.supxlabel(_axis_label(chart), fontsize=9)
        return svg_text(figure)


def map_words(chart: xr.Dataset) -> list[str]:
    """Say what the map shows, a sentence a part."""
    factor, unit = readable(str(chart["column"].attrs["units"]), chart["column"].values)
    level = _level_words(chart, float(chart.attrs["accepted"]))
    key = str(chart["column"].attrs["long_name"])
    said = []
    for part, meaning in PARTS.items():
        reach = trusted(chart, part)
        if not np.isfinite(reach).any():
            continue
        ends = ", ".join(
            f"{_reach_words(chart, part, share)} at {value / factor:.4g} {unit}".removesuffix(" 1")
            for value, share in zip(chart["column"].values, reach, strict=True)
            if np.isfinite(share)
        )
        said.append(
            f"{part} ({meaning}): within {level}, error bar included, up to this share of the "
            f"load: {ends}"
        )
    if said:
        beside = str(chart.attrs["beside"])
        said[0] = f"Over {key}{f', and with it {beside}' if beside else ''}: {said[0]}"
    if not np.isfinite(chart["bar"].values).any():
        said.append("The references have no error bars: one mesh each")
    return said


def _reach_words(chart: xr.Dataset, part: str, share: float) -> str:
    """Say up to where; a part that is known from some load on says nothing of smaller ones."""
    first = int(np.isfinite(chart[part].values).all(axis=0).argmax())
    if share == 0.0 and first > 0:
        return f"less than {100.0 * float(chart['row'].values[first]):.0f} %"
    return f"{100.0 * share:.0f} %"


def _panel(panel: Axes, chart: xr.Dataset, part: str) -> QuadContourSet:
    factor, _ = readable(str(chart["column"].attrs["units"]), chart["column"].values)
    error = chart[part].values
    x = np.broadcast_to(chart["column"].values[:, None] / factor, error.shape)
    y, _ = _loads(chart)
    # An error that is a share of the body grows from nothing; what the fit has seen says nothing.
    nothing = bool(chart.attrs["from_rest"]) and not np.isnan(error[:, 0]).all()
    field = np.hstack([np.full((len(error), 1), 0.0 if nothing else np.nan), error])
    over = np.hstack([x[:, :1], x]), np.hstack([0.0 * y[:, :1], y])
    norm = BoundaryNorm(STEPS, 256, extend="max")
    filled = panel.contourf(*over, field, STEPS, cmap="cividis", norm=norm, extend="max")
    level = float(chart.attrs["accepted"])
    if np.nanmin(field) < level < np.nanmax(field):
        panel.contour(*over, field, [level], colors=LEVEL, linewidths=2.0)
    known = np.isfinite(error)
    if not known[:, 0].any():
        panel.axhspan(0.0, float(y[known].min()), color="0.9", lw=0)
        panel.text(0.5, 0.25, "seen by the fit", transform=panel.transAxes, ha="center")
    unstable = known & (chart["stable"].values == 0)
    open_ = known & ~unstable & (error <= chart["bar"].values)
    for which, marker in ((known & ~open_ & ~unstable, "wo"), (open_, "k_"), (unstable, "rx")):
        if not which.any():
            continue  # what is empty has no extent, and the layout would collapse
        panel.plot(
            x[which], y[which], marker, ms=5, mec=marker[0].replace("w", "k"), ls="", clip_on=False
        )
    panel.set_title(f"{part}:\n{PARTS[part]}", fontsize=9)
    panel.set_ylim(0.0, float(np.nanmax(y)))
    return filled


def _axis_label(chart: xr.Dataset) -> str:
    column = chart["column"]
    unit = readable(str(column.attrs["units"]), column.values)[1]
    return str(column.attrs["long_name"]) + ("" if unit == "1" else f" ({unit})")


def _loads(chart: xr.Dataset) -> tuple[Array, str]:
    """Heights of the points: the load where all columns have the same, else its share."""
    load = chart["load"].values
    same = np.nanmax(load, axis=0) - np.nanmin(load, axis=0) <= 1e-9 * np.nanmax(np.abs(load))
    if chart.attrs["load_name"] and same.all():
        factor, unit = readable(str(chart.attrs["load_units"]), load)
        values = np.nanmax(load, axis=0) / factor
        return np.broadcast_to(values, load.shape), f"{chart.attrs['load_name']} ({unit})"
    return np.broadcast_to(chart["row"].values, load.shape), "share of the full load"


def _level_words(chart: xr.Dataset, level: float) -> str:
    if chart.attrs["metric"] == "tip_attitude":
        return value_words(level, "rad")
    return share_words(level)
