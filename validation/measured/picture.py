"""A picture of recordings in which rest and holds are marked, to be confirmed by a person."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes

from loligo.validation.measured.channels import Array
from loligo.validation.measured.gather import Watched, way_of
from loligo.validation.plot.style import readable, svg_figure, svg_text

REST, HOLD = "#2e7d32", "#b35900"
_MOST = 12
"""Curves in one panel."""


def holds_svg(watched: Sequence[Watched]) -> str:
    """Return the picture as SVG: a column a recording, one panel for markers, one for the rest."""
    with svg_figure(3.4 * len(watched) + 0.6, 4.6) as figure:
        panels = figure.subplots(2, len(watched), squeeze=False)
        for column, each in enumerate(watched):
            top, bottom = panels[:, column]
            top.set_title(each.recorded.file.name.replace("$", r"\$"), fontsize="small")
            ways = {name: way_of(each, name) for name in each.recorded.markers}
            lengths = {name: _size(way) for name, way in ways.items()}
            _curves(top, each, lengths, "m", "way of the markers")
            signals = dict(each.recorded.signals)
            scaled = {name: _scaled(values) for name, values in signals.items()}
            _curves(bottom, each, scaled, "1", "other columns, over their largest")
            bottom.set_xlabel("time (s)")
        return svg_text(figure)


def _size(way: Array) -> Array:
    return np.asarray(np.linalg.norm(way, axis=1))


def _scaled(values: Array) -> Array:
    return np.asarray(values / max(float(np.nanmax(np.abs(values))), 1e-300))


def _curves(panel: Axes, each: Watched, curves: dict[str, Array], unit: str, label: str) -> None:
    if not curves:
        panel.set_visible(False)
        return
    factor, words = readable(unit, np.array([np.nanmax(v) for v in curves.values()]))
    for name, values in list(curves.items())[:_MOST]:
        panel.plot(each.recorded.time, values / factor, lw=1.0, label=name)
    panel.axvspan(*each.rest, color=REST, alpha=0.2, label="rest")
    for i, span in enumerate(each.holds):
        panel.axvspan(*span, color=HOLD, alpha=0.25, label="hold" if i == 0 else None)
    panel.set_ylabel(f"{label} ({words})" if unit != "1" else label)
    panel.legend(fontsize="x-small", frameon=False, ncols=2)
