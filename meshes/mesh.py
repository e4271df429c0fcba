"""A second-order mesh with named groups, as plain arrays."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Index = npt.NDArray[np.int64]


_GRID = 1e-7 * math.pi
"""Step of the grid of :func:`mesh_hash`, of the largest coordinate. By pi no coordinate that a
construction gives lies halfway between two points of the grid."""

# Corners of the edges in Gmsh's order of the nodes between them.
TETRAHEDRON_EDGES = ((0, 1), (1, 2), (0, 2), (0, 3), (2, 3), (1, 3))
TRIANGLE_EDGES = ((0, 1), (1, 2), (0, 2))


@dataclass(frozen=True)
class Element:
    """A second-order cell: Gmsh types, corners, and the nodes of its faces seen from outside."""

    name: str
    cell_type: int
    facet_type: int
    corners: int
    facet_corners: int
    faces: tuple[tuple[int, ...], ...]


TETRAHEDRON = Element(
    "tetrahedron",
    cell_type=11,
    facet_type=9,
    corners=4,
    facet_corners=3,
    faces=((0, 2, 1, 6, 5, 4), (0, 1, 3, 4, 9, 7), (0, 3, 2, 7, 8, 6), (1, 2, 3, 5, 8, 9)),
)
HEXAHEDRON = Element(
    "hexahedron",
    cell_type=12,
    facet_type=10,
    corners=8,
    facet_corners=4,
    faces=(
        (0, 3, 2, 1, 9, 13, 11, 8, 20),
        (0, 1, 5, 4, 8, 12, 16, 10, 21),
        (0, 4, 7, 3, 10, 17, 15, 9, 22),
        (1, 2, 6, 5, 11, 14, 18, 12, 23),
        (2, 3, 7, 6, 13, 15, 19, 14, 24),
        (4, 5, 6, 7, 16, 18, 19, 17, 25),
    ),
)
ELEMENTS = {element.name: element for element in (TETRAHEDRON, HEXAHEDRON)}


@dataclass(frozen=True)
class Mesh:
    """Nodes (m), second-order cells and facets in Gmsh's node order, and their groups.

    Group number i > 0 is the name at position i - 1 and the physical tag in the file; 0 stands for
    no group. A cell or facet in two groups appears twice. ``foreign`` counts the elements of a file
    that are of another type.
    """

    element: Element
    points: Array
    cells: Index
    cell_tags: Index
    cell_names: tuple[str, ...]
    facets: Index
    facet_tags: Index
    facet_names: tuple[str, ...]
    foreign: Mapping[str, int] = field(default_factory=dict)

    def cells_of(self, name: str) -> Index:
        """Return the nodes of the cells in a group; none if the mesh has no such group."""
        return self.cells[_members(self.cell_names, self.cell_tags, name)]

    @cached_property
    def skin(self) -> Faces:
        """Every face of the cells."""
        return faces(self.element, self.cells)

    def facets_of(self, name: str) -> Index:
        """Return the nodes of the facets in a group; none if the mesh has no such group."""
        return self.facets[_members(self.facet_names, self.facet_tags, name)]


def _members(names: tuple[str, ...], tags: Index, name: str) -> npt.NDArray[np.bool_]:
    return tags == names.index(name) + 1 if name in names else np.zeros(tags.shape, dtype=bool)


def unknowns(mesh: Mesh) -> int:
    """Return the size of the mixed displacement-pressure problem: 3 a node and 1 a corner."""
    return 3 * len(mesh.points) + corners(mesh)


def corners(mesh: Mesh) -> int:
    """Return the number of nodes that are corners of cells."""
    return len(np.unique(mesh.cells[:, : mesh.element.corners]))


def mesh_hash(mesh: Mesh) -> str:
    """Return the SHA-256 of connectivity, named groups, size, and nodes on a fine grid.

    Last bits of a node are no other mesh: by what a processor's kernels of linear algebra do, those
    that Gmsh makes differ by 3e-17 of the body. That one of a million nodes is at another point of
    the grid for it has a chance of 1e-3; a node that moves by 1e-6 of the largest coordinate is.
    """
    digest = hashlib.sha256(mesh.element.name.encode())
    size = float(np.abs(mesh.points).max(initial=0.0))
    digest.update(f"{size:.9e}".encode())
    digest.update(np.rint(mesh.points / (_GRID * size)).astype("<i8").tobytes())
    for cells, tags, names in (
        (mesh.cells, mesh.cell_tags, mesh.cell_names),
        (mesh.facets, mesh.facet_tags, mesh.facet_names),
    ):
        # A file keeps elements by group.
        order = np.argsort(tags, kind="stable")
        digest.update(cells[order].astype("<i8").tobytes())
        digest.update(tags[order].astype("<i8").tobytes())
        digest.update("\n".join(names).encode())
    return digest.hexdigest()


@dataclass(frozen=True)
class Faces:
    """Every face once, by key: nodes seen from outside of its first cell, and number of cells."""

    nodes: Index
    count: Index


def faces(element: Element, cells: Index) -> Faces:
    """Return the faces of cells; a count of 1 is an exterior face, of 2 an interior one."""
    nodes = cells[:, np.array(element.faces)].reshape(-1, len(element.faces[0]))
    _, first, count = np.unique(face_keys(element, nodes), return_index=True, return_counts=True)
    return Faces(nodes[first], count)


def face_keys(element: Element, nodes: Index) -> Index:
    """Return one number a face that depends on its set of corners alone."""
    ordered = np.sort(nodes[:, : element.facet_corners], axis=1)
    # Three corners name a face of a conforming mesh: two quadrilaterals share at most an edge.
    return (ordered[:, 0] << 42) + (ordered[:, 1] << 21) + ordered[:, 2]


def oriented(points: Array, cells: Index) -> Index:
    """Return tetrahedra with all corners right-handed."""
    a, b, c, d = (points[cells[:, i]] for i in range(4))
    flipped = np.einsum("ij,ij->i", np.cross(b - a, c - a), d - a) < 0.0
    result = cells.copy()
    result[flipped] = cells[flipped][:, [0, 2, 1, 3, 6, 5, 4, 7, 9, 8]]
    return result
