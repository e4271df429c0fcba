"""A body drawn from the skin in its data set: depth-sorted triangles, no graphics card, no vtk."""

from __future__ import annotations

import base64
import io

import numpy as np
import xarray as xr
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.cm import ScalarMappable
from matplotlib.collections import PolyCollection
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from numpy.typing import NDArray

from loligo.validation.data.quantities import Array

TOWARDS_VIEWER = np.array([0.25, -0.75, 0.61])
LIGHT = np.array([-0.3, -0.6, 0.74])
UP = np.array([0.0, 0.0, 1.0])
WIDTH, MARGIN = 7.2, 0.15
"""Of a picture, and around the body (inches)."""
SHARE, TALLEST = 0.84, 0.6
"""Of the width that the body has, and its largest height over that."""
SHOWN = 0.15
"""Largest displacement of a drawn mode, of the body's size."""


def body_picture(surface: xr.Dataset) -> str | None:
    """Return the body at the last step it is kept at, over its rest, as a PNG in base64.

    Colour is the largest principal stretch. None if there is nothing to draw.
    """
    if not {"rest", "triangle", "displacement"} <= set(surface.data_vars):
        return None
    stretch = surface["stretch"].values[-1] if "stretch" in surface else None
    moved = surface["displacement"].values[-1].astype(float)
    return _picture(surface, moved, stretch, "largest principal stretch", 1.0)


def mode_pictures(surface: xr.Dataset, modes: xr.Dataset) -> list[str]:
    """Return the shapes in which stability is lost, drawn large on the body at rest, in base64.

    Colour is the displacement, of which the largest is 1.
    """
    size = float(np.ptp(surface["rest"].values, axis=0).max())
    return [
        _picture(surface, SHOWN * size * mode, np.linalg.norm(mode, axis=1), "critical mode", 0.0)
        for mode in modes["shape"].values.astype(float)
    ]


def _picture(
    surface: xr.Dataset, displacement: Array, colour: Array | None, label: str, low: float
) -> str:
    """Draw the moved body over its rest; colours, one a vertex, begin at the low one."""
    rest = surface["rest"].values.astype(float)
    triangle = surface["triangle"].values
    ghost, _, grey = _visible(rest, triangle)
    corners, order, shade = _visible(rest + displacement, triangle)
    seen = np.concatenate([ghost.reshape(-1, 2), corners.reshape(-1, 2)])
    low_corner, extent = seen.min(axis=0), np.ptp(seen, axis=0)
    # Drawn once: places are given, no layout is sought.
    height = WIDTH * SHARE * min(float(extent[1] / extent[0]), TALLEST) + 2.0 * MARGIN
    figure = Figure(figsize=(WIDTH, height), dpi=110)
    FigureCanvasAgg(figure)
    edge = MARGIN / height
    panel = figure.add_axes((0.01, edge, SHARE, 1.0 - 2.0 * edge))
    panel.set_axis_off()
    panel.set_aspect("equal")
    panel.set_xlim(low_corner[0], low_corner[0] + extent[0])
    panel.set_ylim(low_corner[1], low_corner[1] + extent[1])
    panel.add_collection(
        PolyCollection(list(ghost), facecolors=_grey(grey), edgecolors="face", lw=0.2, alpha=0.25)
    )
    if colour is None:
        filled = _grey(shade)
    else:
        value = colour[triangle].mean(axis=1)[order]
        norm = Normalize(low, max(float(np.quantile(value, 0.995)), low + 1e-6))
        scale = ScalarMappable(norm, "viridis")
        filled = scale.to_rgba(value)[:, :3] * (0.45 + 0.55 * shade[:, None])
        beside = figure.add_axes((SHARE + 0.04, 2.0 * edge, 0.018, 1.0 - 4.0 * edge))
        figure.colorbar(scale, cax=beside, extend="max").set_label(label)
    panel.add_collection(
        PolyCollection(list(corners), facecolors=filled, edgecolors="face", lw=0.2)
    )
    content = io.BytesIO()
    figure.savefig(content, format="png", metadata={"Software": None})
    return base64.b64encode(content.getvalue()).decode("ascii")


def _visible(vertex: Array, triangle: Array) -> tuple[Array, NDArray[np.intp], Array]:
    """Corners on the page, numbers and brightness of the triangles that face the viewer, far first.

    Triangles are seen anticlockwise from outside of the material.
    """
    view = TOWARDS_VIEWER / np.linalg.norm(TOWARDS_VIEWER)
    up = UP - (UP @ view) * view
    up = up / np.linalg.norm(up)
    right = np.cross(up, view)
    corner = vertex[triangle]
    normal = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
    size = np.linalg.norm(normal, axis=1)
    normal = normal / np.where(size > 0.0, size, 1.0)[:, None]
    facing = np.flatnonzero(normal @ view > 0.0)
    order = facing[np.argsort(corner[facing].mean(axis=1) @ view, kind="stable")]
    shade = np.clip(normal[order] @ (LIGHT / np.linalg.norm(LIGHT)), 0.0, 1.0)
    return corner[order] @ np.stack([right, up], axis=1), order, shade


def _grey(shade: Array) -> Array:
    return np.repeat((0.45 + 0.5 * shade)[:, None], 3, axis=1)
