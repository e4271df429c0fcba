"""A picture of a body: ``python -m loligo.validation.plot.body data.nc body.png``.

The body is drawn where it has moved, coloured by stretch, with its section frames. A hollow one is
cut open along its axis at rest, so that the cut is made of the same material in every state.
"""

from __future__ import annotations

import math
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyvista as pv
import xarray as xr
from numpy.typing import NDArray

from loligo.cases.core.record import BadInput
from loligo.cases.dataset.io import read_groups
from loligo.cases.dataset.surface import check_surface
from loligo.validation.plot.picture import keep

Array = NDArray[np.float64]

# Okabe and Ito's colours, which colour-blind readers can tell apart; x, y, z of a section frame.
_AXES = ("#d55e00", "#009e73", "#0072b2")
_REST, _CUT = "#9aa3ab", "#f0e4cf"
_WINDOW = (1600, 1000)
_FRAME = 0.6
"""Length of a frame's arrows over the body's half width; twice that on a body that is not cut."""
_LABELS = 5
"""Numbers on the scale of stretches."""
_SAME = 1e-7
"""Distance along x over the body's size below which corners of a contour are one."""


def scene(data: xr.Dataset, surface: xr.Dataset, shown: int, *, off_screen: bool) -> pv.Plotter:
    """Return a plotter with the body at one of its kept states.

    Args:
        data: the data set.
        surface: its group `surface`.
        shown: which of the kept states, from 0; -1 is the last.
        off_screen: whether there is no window.
    """
    whole = skin(surface, shown)
    hollow = any(name == "bore" or name.startswith("cavity_") for name in _parts(surface))
    body = opened(whole) if hollow else moved(whole)
    largest = max(1.01, float(surface["stretch"].max()))
    plotter = pv.Plotter(off_screen=off_screen, window_size=_WINDOW)
    plotter.set_background("white")
    plotter.enable_anti_aliasing("ssaa")
    plotter.add_mesh(
        body,
        scalars="stretch",
        cmap="viridis",
        opacity=1.0 if hollow else 0.75,
        culling=None if hollow else "back",  # of two clear layers either may be drawn first
        clim=(1.0, largest),
        smooth_shading=True,
        split_sharp_edges=True,
        feature_angle=40.0,
        scalar_bar_args={
            "title": "largest principal stretch at the skin\n",
            "color": "black",
            "n_labels": _LABELS,
            "fmt": stretch_format(largest),
            "position_x": 0.3,
            "width": 0.4,
            "height": 0.09,
        },
    )
    if hollow:
        plotter.add_mesh(cut_face(whole), color=_CUT, lighting=False)
    plotter.add_mesh(whole.slice("y", origin=_plane(whole)), color=_REST, line_width=2)
    step = int(surface["shown"].values[shown])
    if "frame" in data:
        size = (_FRAME if hollow else 2 * _FRAME) * _half_width(surface)
        _add_frames(plotter, data["frame"].values[step], size)
    plotter.add_text(_title(data, step), font_size=14, color="black")
    plotter.add_axes(line_width=4, color="black")
    _look(plotter, body, sideways=not hollow)
    return plotter


def stretch_format(largest: float) -> str:
    """Return a format that tells the numbers from 1 to the largest stretch apart."""
    return f"%.{max(2, math.ceil(-math.log10((largest - 1.0) / (_LABELS - 1))))}f"


def skin(surface: xr.Dataset, shown: int) -> pv.PolyData:
    """Return the closed skin at rest, with the displacement and stretch of a state."""
    triangle = surface["triangle"].values.astype(np.int64)
    faces = np.column_stack([np.full(len(triangle), 3), triangle])
    mesh = pv.PolyData(surface["rest"].values.astype(np.float64), faces.ravel())
    mesh["displacement"] = surface["displacement"].values[shown].astype(np.float64)
    mesh["stretch"] = surface["stretch"].values[shown].astype(np.float64)
    return mesh


def _parts(surface: xr.Dataset) -> list[str]:
    """Return the groups that the drawn triangles belong to."""
    names = str(surface.attrs.get("parts", "")).split(", ")
    return [names[i] for i in np.unique(surface["part"].values) if 0 <= i < len(names)]


def moved(mesh: pv.PolyData) -> pv.PolyData:
    """Return a skin where it has moved."""
    result = mesh.copy()
    result.points = mesh.points + mesh["displacement"]
    return result


def opened(mesh: pv.PolyData) -> pv.PolyData:
    """Cut a skin at rest by the plane y = 0, keep y > 0, and move it."""
    return moved(mesh.clip("-y", origin=_plane(mesh)))


def cut_face(mesh: pv.PolyData) -> pv.PolyData:
    """Return the moved face that the cut opens, in ribbons between its edges.

    Between two neighbouring corners of the contour its edges are straight and in one order along z:
    every other space between them is solid. Moved points lie straight between those of the edges.
    """
    contour = mesh.slice("y", origin=_plane(mesh))
    ends = contour.lines.reshape(-1, 3)[:, 1:]
    x, z = contour.points[:, 0], contour.points[:, 2]
    ends = np.where((x[ends[:, :1]] <= x[ends[:, 1:]]), ends, ends[:, ::-1])
    stops = np.unique(np.round(x / (_SAME * mesh.length))) * _SAME * mesh.length
    now = contour.points + contour["displacement"]
    ribbons = []
    for low, high in pairwise(stops):
        middle = (low + high) / 2
        start, end = ends[(x[ends[:, 0]] < middle) & (x[ends[:, 1]] > middle)].T

        def at(place: float, values: Array, a: Array = start, b: Array = end) -> Array:
            share = np.clip((place - x[a]) / (x[b] - x[a]), 0.0, 1.0)
            share = share.reshape(-1, *[1] * (values.ndim - 1))
            return np.asarray(values[a] + share * (values[b] - values[a]))

        order = np.argsort(at(middle, z))
        first, second = at(low, now)[order], at(high, now)[order]
        for i in range(0, len(order) - 1, 2):
            ribbons.append([first[i], second[i], second[i + 1], first[i + 1]])
    points = np.array(ribbons).reshape(-1, 3)
    faces = np.column_stack([np.full(len(ribbons), 4), np.arange(len(points)).reshape(-1, 4)])
    return pv.PolyData(points, faces.ravel()).clean(tolerance=1e-6)


def _plane(mesh: pv.PolyData) -> tuple[float, float, float]:
    """Return a point of the plane, a little off y = 0, where meshes have vertices."""
    return (0.0, 1e-6 * float(mesh.length), 0.0)


def _half_width(surface: xr.Dataset) -> float:
    """Half the extent of the body across its axis at rest (m)."""
    across = surface["rest"].values[:, 1:]
    return float(np.ptp(across, axis=0).max()) / 2


def _add_frames(plotter: pv.Plotter, frames: Array, size: float) -> None:
    for i, colour in enumerate(_AXES):
        origins, arrows = frames[:, :3, 3], frames[:, :3, i]
        plotter.add_arrows(origins, arrows, mag=size, color=colour)
    axis = pv.lines_from_points(frames[:, :3, 3])
    plotter.add_mesh(axis, color="black", line_width=3)


def _title(data: xr.Dataset, step: int) -> str:
    name = data.attrs.get("case_name", data.attrs.get("source", ""))
    loads = [
        f"{load[5:]} {data[load].values[step]:.5g} {data[load].attrs.get('units', '')}"
        for load in map(str, data.data_vars)
        if load.startswith("load_") and not load.endswith("_uncertainty")
    ]
    time = float(data["time"].values[step]) if "time" in data else np.nan
    at = [f"{time:.4g} s"] if np.isfinite(time) else []
    return "  ".join([f"{name}, step {step + 1}", *at, *loads])


def _look(plotter: pv.Plotter, body: pv.PolyData, *, sideways: bool) -> None:
    """Look at the cut face a little from the side, x to the right and z up; or along a bend."""
    low, high = np.array(body.bounds).reshape(3, 2).T
    from_above = sideways and high[1] - low[1] > high[2] - low[2]
    # The kept half of a cut body is y > 0.
    direction = np.array([-0.2, 0.3, -1.0] if from_above else [-0.2, 1.0, -0.3])
    plotter.camera.focal_point = body.center
    plotter.camera.position = np.array(body.center) - 3.0 * body.length * direction
    plotter.camera.up = (0.0, 1.0, 0.0) if from_above else (0.0, 0.0, 1.0)
    plotter.camera.parallel_projection = True
    plotter.reset_camera(bounds=body.bounds)
    plotter.camera.zoom(1.15)


def read_surface(file: Path) -> tuple[xr.Dataset, xr.Dataset]:
    """Return a data set and its group `surface`; BadInput if it has none."""
    groups = read_groups(file)
    if "surface" not in groups:
        raise BadInput(
            f"{file}: has no group surface to draw; data sets of `loligo solve` have one"
        )
    surface = groups["surface"]
    if bad := [finding for finding in check_surface(surface) if finding.verdict == "bad"]:
        raise BadInput("\n  ".join([f"{file}: cannot be drawn", *map(str, bad)]))
    return groups[""], surface


def show(file: Path, shown: int) -> None:
    """Open a window on a kept state of a data set."""
    scene(*read_surface(file), shown, off_screen=False).show()


def main(source: str, picture: str, shown: str = "-1", width: str = "0") -> None:
    """Draw a data set, as wide as is said (pixels), else as wide as a window."""
    plotter = scene(*read_surface(Path(source)), int(shown), off_screen=True)
    keep(plotter.screenshot(return_img=True), Path(picture), Path(source), int(width))


if __name__ == "__main__":
    main(*sys.argv[1:])
