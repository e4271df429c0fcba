"""Measured markers drawn over the models that predict them, from the side."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from loligo.validation.compare.comparison import Comparison
from loligo.validation.data.quantities import Array, points
from loligo.validation.plot.style import svg_figure, svg_text
from loligo.validation.report.against_data import who

MEASURED = "#1b1b1b"
_COLOURS = ("#b35900", "#0a6ebd", "#2e7d32", "#7a3db8")
_MOST = 6
"""Steps that are drawn."""


def markers_svg(comparisons: Sequence[Comparison]) -> str:
    """Return the figure as SVG; empty where no markers were measured."""
    with_markers = [c for c in comparisons if "marker_position" in c.pair.reference]
    if not with_markers:
        return ""
    data = with_markers[0].pair.reference
    across = _across(data["marker_position"].values - data["marker_rest"].values)
    steps = np.unique(np.linspace(0, data.sizes["step"] - 1, _MOST).round().astype(int))
    half = data["marker_position_uncertainty"] if "marker_position_uncertainty" in data else None
    with svg_figure(7.2, 3.6) as figure:
        panel = figure.subplots()
        for i in steps:
            place = data["marker_position"].values[i] * 1e3
            bar = None if half is None else float(half[i]) * 1e3
            panel.errorbar(
                place[:, 0],
                place @ across,
                bar,
                bar,
                fmt="o",
                ms=4,
                color=MEASURED,
                capsize=2,
                lw=0.8,
                label="measured" if i == 0 else None,
            )
        for colour, found in zip(_COLOURS, with_markers, strict=False):
            prediction = found.pair.prediction
            for i in steps:
                place = prediction["marker_position"].values[i] * 1e3
                name = who(found) if i == 0 else None
                panel.plot(place[:, 0], place @ across, "x", color=colour, ms=6, label=name)
                if "frame" in prediction:
                    axis = points(prediction)[i] * 1e3
                    panel.plot(axis[:, 0], axis @ across, "-", color=colour, lw=1.0)
        panel.set_aspect("equal", adjustable="datalim")
        panel.set_xlabel("x (mm)")
        panel.set_ylabel("along the markers' way (mm)")
        panel.legend(frameon=False)
        return svg_text(figure)


def _across(ways: Array) -> Array:
    """Return the direction across x along which the markers went most."""
    flat = np.nan_to_num(ways.reshape(-1, 3)) * [0.0, 1.0, 1.0]
    direction = np.linalg.svd(flat)[2][0]
    return np.asarray(direction * (np.sign(direction[np.argmax(np.abs(direction))]) or 1.0))
