"""Figures of solutions, predictions and fits, by matplotlib and without a screen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import xarray as xr
from matplotlib.figure import Figure

from loligo.validation.fitting.coefficients.errors import ErrorRow
from loligo.validation.plot.solution import draw, draw_errors
from loligo.validation.plot.style import styled


@contextmanager
def new_figure(width: float, height: float) -> Iterator[Figure]:
    """Give a figure of a size in inches, that notebooks show and `savefig` writes."""
    from matplotlib import pyplot as plt

    with styled():
        figure = plt.figure(figsize=(width, height), layout="constrained")
        yield figure
    plt.close(figure)  # a notebook would else show it twice


def plot(given: Sequence[xr.Dataset]) -> Figure:
    """Draw data sets of one case into one figure, the one to compare with first."""
    with new_figure(8.0, 3.4) as figure:
        draw(figure, [(_label(data), data) for data in given])
    return figure


def plot_errors(rows: Sequence[ErrorRow]) -> Figure:
    """Draw the errors of a fit before and after."""
    with new_figure(1.6 + 1.4 * len(rows), 3.2) as figure:
        draw_errors(figure, rows)
    return figure


def _label(data: xr.Dataset) -> str:
    facts = data.attrs
    return str(facts.get("model") or facts.get("source") or facts.get("kind"))
