"""A picture of a mesh, cut open: ``python -m loligo.meshes.picture mesh.msh picture.png``."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyvista as pv
from vtk import vtkLegendBoxActor

from loligo.meshes.mesh import TETRAHEDRON, Array, Index, Mesh, faces
from loligo.meshes.session import read_msh

# Okabe and Ito's colours, which colour-blind readers can tell apart.
_BODY, _DISC, _SECTION, _LINES = "#f0e4cf", "#a9b2ba", "#c0392b", "#5b5b5b"
_COLOURS = {"body": _BODY, "outer": _BODY, "winding": "#e69f00", "bore": "#56b4e9"}
_CAVITIES = (
    *("#56b4e9", "#009e73", "#cc79a7", "#0072b2", "#d55e00", "#f0e442"),
    *("#7b5ea7", "#8c6d46", "#4b4b4b"),
)
_WIDTH, _SIDE = 2000, 0.24
# Places of Gmsh's nodes in VTK's order.
_VTK_TETRAHEDRON = [0, 1, 2, 3, 4, 5, 6, 7, 9, 8]
_VTK_HEXAHEDRON = [
    *range(8),
    8,
    11,
    13,
    9,
    16,
    18,
    19,
    17,
    10,
    12,
    14,
    15,
    22,
    23,
    21,
    24,
    20,
    25,
    26,
]


def draw(mesh: Mesh, picture: Path) -> None:
    """Draw the half y >= 0 of a mesh, coloured by group, and a cross-section beside it.

    Mesh lines are those of the elements, on the skin and on the cuts. Sections are lines on the
    cut.
    """
    low, high = mesh.points.min(axis=0), mesh.points.max(axis=0)
    stretch = (high[2] - low[2]) / (high[0] - low[0])
    plotter = pv.Plotter(
        off_screen=True,
        shape=(2, 2),
        groups=[((0, 1), 0)],
        col_weights=[1.0 - _SIDE, _SIDE],
        row_weights=[0.5, 0.5],
        border=False,
        window_size=(_WIDTH, round(_WIDTH * min(0.6, max(0.4, 0.9 * stretch)))),
    )
    plotter.set_background("white")
    plotter.enable_anti_aliasing("ssaa")
    colours = _colours(mesh)
    plotter.subplot(0, 0)
    _paint(plotter, mesh, colours, "y", np.zeros(3))
    for name, colour in colours.items():
        _add(plotter, _clip(_facets(mesh, mesh.facets_of(name))), colour)
    _add_lines(plotter, _clip(_edges(mesh, mesh.facets[_on_skin(mesh)])), _LINES, 1.0)
    plotter.add_axes(line_width=4, color="black", viewport=(0.0, 0.0, 0.14, 0.24))
    _look(plotter, low, high, np.array([-0.15, 1.0, -0.4]), 1.0 - _SIDE)
    plotter.subplot(0, 1)
    legend = {"discs" if n.startswith("disc_") else n: c for n, c in colours.items()}
    legend = {n: c for n, c in legend.items() if n not in ("outer", "base", "tip", "rim")}
    if any(name.startswith("section_") for name in mesh.facet_names):
        legend["sections"] = _SECTION
    plotter.add_actor(_legend(legend))
    plotter.subplot(1, 1)
    # Off the middle, where a connector or a station may be.
    place = low + 0.301 * (high - low)
    _paint(plotter, mesh, colours, "x", place)
    around = low * [0, 1, 1] + place * [1, 0, 0], high * [0, 1, 1] + place * [1, 0, 0]
    _look(plotter, *around, np.array([-1.0, 0.0, 0.0]), _SIDE)
    plotter.add_text(f"x = {1e3 * place[0]:.4g} mm, seen from the tip", font_size=13, color="black")
    plotter.screenshot(str(picture))


def _legend(colours: dict[str, str]) -> vtkLegendBoxActor:
    """A patch of each colour with its name in black, which pyvista's own legend cannot do."""
    legend = vtkLegendBoxActor()
    legend.SetNumberOfEntries(len(colours))
    for i, (name, colour) in enumerate(colours.items()):
        patch = pv.ImageData(dimensions=(8, 8, 1))
        patch["colour"] = np.tile(pv.Color(colour).int_rgb, (64, 1)).astype(np.uint8)
        patch.set_active_scalars("colour")
        legend.SetEntryString(i, name)
        legend.SetEntryIcon(i, patch)
        legend.SetEntryColor(i, 0.1, 0.1, 0.1)
    height = 0.085 * len(colours)
    legend.GetPositionCoordinate().SetValue(0.05, max(0.0, 0.96 - height))
    legend.GetPosition2Coordinate().SetValue(0.9, min(0.96, height))
    legend.BorderOff()
    legend.GetEntryTextProperty().SetFontFamilyToArial()
    return legend


def _colours(mesh: Mesh) -> dict[str, str]:
    """Colours of all groups of cells and of the facets of the skin."""
    cavities = [name for name in mesh.facet_names if name.startswith("cavity_")]
    result = dict.fromkeys(mesh.cell_names, _DISC)
    result |= {name: _DISC for name in mesh.facet_names if not name.startswith("section_")}
    result |= {name: _CAVITIES[i % len(_CAVITIES)] for i, name in enumerate(cavities)}
    return {name: _COLOURS.get(name, colour) for name, colour in result.items()}


def _paint(
    plotter: pv.Plotter, mesh: Mesh, colours: dict[str, str], normal: str, origin: Array
) -> None:
    """Paint a plane cut through the cells, with the lines of mesh, sections and winding on it."""

    def cut(grid: pv.UnstructuredGrid) -> pv.PolyData:
        return grid.slice(normal, origin=origin)

    for name in mesh.cell_names:
        plane = cut(_cells(mesh, mesh.cells_of(name)))
        if plane.n_cells:
            plotter.add_mesh(plane, color=colours[name], lighting=False)
    every = _facets(mesh, faces(mesh.element, mesh.cells).nodes)
    _add_lines(plotter, cut(every), _LINES, 1.0)
    for name in mesh.facet_names:
        lines = cut(_facets(mesh, mesh.facets_of(name)))
        if name.startswith("section_"):
            _add_lines(plotter, lines, _SECTION, 4.0)
        elif name.startswith("cavity_") or name in ("winding", "bore"):
            _add_lines(plotter, lines, colours[name], 6.0)


def _look(plotter: pv.Plotter, low: Array, high: Array, direction: Array, share: float) -> None:
    """Look along a direction, z up, at a box such that it fills the panel, without perspective."""
    up = np.array([0.0, 0.0, 1.0])
    centre, reach = (low + high) / 2, float(np.linalg.norm(high - low))
    direction = direction / np.linalg.norm(direction)
    right = np.cross(direction, up)
    right /= np.linalg.norm(right)
    above = np.cross(right, direction)
    box = np.array(np.meshgrid(*zip(low, high, strict=True))).reshape(3, -1).T - centre
    width, height = np.ptp(box @ right), np.ptp(box @ above)
    window = plotter.window_size
    aspect = share * window[0] / (window[1] if share > 0.5 else window[1] / 2)
    camera = plotter.camera
    camera.parallel_projection = True
    camera.focal_point = centre
    camera.position = centre - 3 * reach * direction
    camera.up = up
    camera.clipping_range = (reach, 5 * reach)
    camera.parallel_scale = 0.58 * max(height, width / aspect)


def _on_skin(mesh: Mesh) -> npt.NDArray[np.bool_]:
    inner = [i for i, n in enumerate(mesh.facet_names, 1) if n.startswith("section_")]
    return ~np.isin(mesh.facet_tags, inner)


def _cells(mesh: Mesh, cells: Index) -> pv.UnstructuredGrid:
    if mesh.element is TETRAHEDRON:
        return pv.UnstructuredGrid(
            {pv.CellType.QUADRATIC_TETRA: cells[:, _VTK_TETRAHEDRON]}, mesh.points
        )
    return pv.UnstructuredGrid(
        {pv.CellType.TRIQUADRATIC_HEXAHEDRON: cells[:, _VTK_HEXAHEDRON]}, mesh.points
    )


def _facets(mesh: Mesh, facets: Index) -> pv.UnstructuredGrid:
    kind = (
        pv.CellType.QUADRATIC_TRIANGLE
        if mesh.element is TETRAHEDRON
        else pv.CellType.BIQUADRATIC_QUAD
    )
    return pv.UnstructuredGrid({kind: facets}, mesh.points)


def _edges(mesh: Mesh, facets: Index) -> pv.UnstructuredGrid:
    n = mesh.element.facet_corners
    corners = facets[:, :n]
    edges = np.stack([corners, np.roll(corners, -1, axis=1), facets[:, n : 2 * n]], axis=2)
    return pv.UnstructuredGrid({pv.CellType.QUADRATIC_EDGE: edges.reshape(-1, 3)}, mesh.points)


def _clip(grid: pv.UnstructuredGrid) -> pv.UnstructuredGrid:
    return grid.clip("y", origin=(0.0, -1e-9, 0.0), invert=False)


def _add(plotter: pv.Plotter, grid: pv.DataSet, colour: str) -> None:
    if grid.n_cells:
        plotter.add_mesh(grid, color=colour, ambient=0.55, diffuse=0.5)


def _add_lines(plotter: pv.Plotter, grid: pv.DataSet, colour: str, width: float) -> None:
    if grid.n_cells:
        # Lines are drawn over the surfaces that they lie in.
        actor = plotter.add_mesh(grid, color=colour, line_width=width, lighting=False)
        actor.mapper.SetResolveCoincidentTopologyToPolygonOffset()
        actor.mapper.SetRelativeCoincidentTopologyLineOffsetParameters(0.0, -4.0)


if __name__ == "__main__":
    draw(read_msh(Path(sys.argv[1])), Path(sys.argv[2]))
