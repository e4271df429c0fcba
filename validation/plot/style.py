"""What all figures share: their style, how they become SVG text, and units that are easily read."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager

import matplotlib as mpl
import numpy as np
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

from loligo.validation.data.quantities import Array

_STYLE = {
    "svg.fonttype": "none",
    "svg.hashsalt": "loligo",
    "font.family": "sans-serif",
    "font.size": 9.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
}


@contextmanager
def styled() -> Iterator[None]:
    """Draw in the style of loligo meanwhile."""
    with mpl.rc_context(_STYLE):
        yield


@contextmanager
def svg_figure(width: float, height: float) -> Iterator[Figure]:
    """Give a figure of a size in inches; to be drawn and made to text inside the block."""
    with styled():
        figure = Figure(figsize=(width, height), layout="constrained")
        FigureCanvasSVG(figure)
        yield figure


def svg_text(figure: Figure) -> str:
    """Return a figure as SVG text that stands in a page by itself."""
    text = io.StringIO()
    figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    content = text.getvalue()
    # Names of groups would stand in the page once for every figure.
    return re.sub(r'<g id="[^"]*"', "<g", content[content.index("<svg") :])


def legend_below(figure: Figure) -> None:
    """Put one legend below all panels, every label once."""
    handles = {
        label: handle
        for panel in figure.axes
        for handle, label in zip(*panel.get_legend_handles_labels(), strict=True)
    }
    figure.legend(
        handles.values(),
        handles.keys(),
        loc="outside lower center",
        ncols=len(handles),
        frameon=False,
    )


def readable(unit: str, values: Array) -> tuple[float, str]:
    """Return factor and unit in which values are easily read."""
    size = float(np.nanmax(np.abs(values)))
    match unit:
        case "rad":
            return np.pi / 180.0, "deg"
        case "m^3":
            return 1e-6, "ml"
        case "m":
            return 1e-3, "mm"
        case "Pa":
            return (1e3, "kPa") if size >= 1e3 else (1.0, "Pa")
        case "N" | "N m" if size < 0.1:
            return 1e-3, f"m{unit}"
    return 1.0, unit
