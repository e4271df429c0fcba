"""The cross-section of an arm as a plane mesh with named cells and edges."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from loligo.meshes.arms import groups_of, sections_of_run
from loligo.meshes.bodies import Piece
from loligo.meshes.circles import Grain
from loligo.meshes.mesh import HEXAHEDRON, Array, Element, Index
from loligo.meshes.section import ON_CIRCLE
from loligo.meshes.sweep import compress

_TRIANGLE_EDGES = np.array([[0, 1], [1, 2], [0, 2]])
_QUADRILATERAL_EDGES = np.array([[0, 1], [1, 2], [2, 3], [3, 0]])


@dataclass(frozen=True)
class PlaneMesh:
    """Second-order cells in the plane (y, z), in Gmsh's order of nodes.

    Triangles have six nodes and quadrilaterals nine. Groups are numbered from 1 in the order of
    their names.
    """

    points: Array
    """Nodes (m), shape (nodes, 2)."""
    cells: Index
    cell_groups: Index
    """Group of every cell."""
    cell_names: tuple[str, ...]
    edges: Index
    """Corners of the edges that belong to a group, shape (edges, 2)."""
    edge_groups: Index
    """Group of every such edge."""
    edge_names: tuple[str, ...]


def build_plane(piece: Piece, size: float, element: Element) -> PlaneMesh:
    """Return the cross-section of a soft piece of an arm at its start.

    Cell groups are those of the 3D mesh (the piece's region, and ``winding`` in sleeves). Edge
    groups are the walls of the holes, ``winding`` where thread is wound, and ``outer``.

    Args:
        piece: the piece; holes and thread are those of the 3D mesh.
        size: length of the edges on the outer surface (m).
        element: HEXAHEDRON gives quadrilaterals, TETRAHEDRON triangles.
    """
    nominal = piece.start_radius / 3
    (section,) = sections_of_run([piece], element, Grain(nominal, nominal / size, 1.0))
    names = (piece.region, *(["winding"] if any(hole.sleeve for hole in piece.holes) else []))
    (groups,) = groups_of((piece,), np.array([piece.start, piece.end]), section, names)
    kept = groups > 0
    points, cells = compress(section.points, section.cells[kept])
    edges, edge_groups, edge_names = _edges(piece, element, points, cells)
    return PlaneMesh(points, cells, groups[kept], names, edges, edge_groups, edge_names)


def _edges(
    piece: Piece, element: Element, points: Array, cells: Index
) -> tuple[Index, Index, tuple[str, ...]]:
    """Edges with a group: the wall of a hole, thread, or the outer surface."""
    local = _QUADRILATERAL_EDGES if element is HEXAHEDRON else _TRIANGLE_EDGES
    every = np.sort(cells[:, local].reshape(-1, 2), axis=1)
    edges, count = np.unique(every, axis=0, return_counts=True)
    outside, at = count == 1, points[edges]
    name = np.full(len(edges), "", dtype=object)

    def on(y: float, z: float, radius: float) -> npt.NDArray[np.bool_]:
        distance = np.hypot(at[..., 0] - y, at[..., 1] - z)
        near = np.abs(distance / radius - 1.0) < 10 * ON_CIRCLE
        return np.asarray(near.all(axis=1))

    for hole in piece.holes:
        name[outside & on(hole.y, hole.z, hole.radius)] = hole.name
    if piece.winding_radius is not None:
        name[(name == "") & on(0.0, 0.0, piece.winding_radius)] = "winding"
    name[outside & (name == "")] = "outer"
    names = tuple(sorted(set(name) - {""}))
    groups = np.array([names.index(text) + 1 if text else 0 for text in name])
    return edges[groups > 0], groups[groups > 0], names
