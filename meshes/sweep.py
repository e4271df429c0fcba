"""Tetrahedra and hexahedra from a section swept along x, and the spacing of the planes.

A swept mesh places a triangle's worth of resolution across thin walls and stretches along the axis
where nothing changes, which takes a fraction of the unknowns of an isotropic mesh; planes of the
sweep are section planes for free.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np

from loligo.meshes.integrals import HEXAHEDRON_NODES, QUADRILATERAL_NODES
from loligo.meshes.mesh import TETRAHEDRON_EDGES, Array, Index
from loligo.meshes.section import CrossSection

# Tetrahedra of a prism over a triangle with ascending corners: (corner, 0 below or 1 above).
_PRISM = (
    ((0, 0), (1, 0), (2, 0), (2, 1)),
    ((0, 0), (1, 0), (1, 1), (2, 1)),
    ((0, 0), (0, 1), (1, 1), (2, 1)),
)
_BETWEEN = {(0, 0): 0, (1, 1): 1, (2, 2): 2, (0, 1): 3, (1, 2): 4, (0, 2): 5}
_ACROSS = np.lexsort(QUADRILATERAL_NODES.T[::-1]).reshape(3, 3)
_SWEPT = 9 * HEXAHEDRON_NODES[:, 2] + _ACROSS[HEXAHEDRON_NODES[:, 0], HEXAHEDRON_NODES[:, 1]]
"""Nodes of a hexahedron out of three layers of a quadrilateral's nine."""


def planes(stops: Sequence[float], size: Callable[[Array], Array], refinement: float) -> Array:
    """Return planes through all stops whose distances follow ``size`` divided by ``refinement``.

    The planes are equal steps of the integral of dx/size: a whole number of layers between two
    stops, at least one, times the refinement, of which fractions are carried on to the next stop.
    """
    result = [np.array(stops[:1])]
    carried, laid = 0.0, 0
    for start, end in pairwise(stops):
        x = np.linspace(start, end, 201, dtype=np.float64)
        density = 1.0 / size(x)
        measure = np.r_[0.0, np.cumsum((density[1:] + density[:-1]) / 2 * np.diff(x))]
        carried += max(1, round(measure[-1])) * refinement
        layers = math.floor(carried + 0.5) - laid
        laid += layers
        steps = np.interp(np.linspace(0.0, measure[-1], layers + 1)[1:], measure, x)
        steps[-1] = end
        result.append(steps)
    return np.concatenate(result)


def prisms_to_tetrahedra(section: CrossSection, layers: Sequence[Index]) -> tuple[Index, Index]:
    """Return ten-node tetrahedra over the lattice of section nodes times planes, and their groups.

    ``layers[k][t]`` is the group of the prism over triangle t in layer k, 0 for none. The lattice
    has a plane of nodes at and between the layers' ends, of ``len(section.points)`` nodes each. The
    diagonals run up in even and down in odd layers, so that the mesh has no handedness.
    """
    width = len(section.points)
    cells, tags = [], []
    for k, groups in enumerate(layers):
        triangles, group = section.cells[groups > 0], groups[groups > 0]
        for corners in _PRISM:
            levels = [level if k % 2 == 0 else 1 - level for _, level in corners]
            nodes = [
                (2 * k + 2 * lv) * width + triangles[:, c]
                for (c, _), lv in zip(corners, levels, strict=True)
            ]
            for a, b in TETRAHEDRON_EDGES:
                i, j = sorted((corners[a][0], corners[b][0]))
                at = _BETWEEN[i, j]
                nodes.append((2 * k + levels[a] + levels[b]) * width + triangles[:, at])
            cells.append(np.stack(nodes, axis=1))
            tags.append(group)
    return np.concatenate(cells), np.concatenate(tags)


def hexahedra(section: CrossSection, layers: Sequence[Index]) -> tuple[Index, Index]:
    """Return 27-node hexahedra over the same lattice, and their groups, from quadrilaterals."""
    width = len(section.points)
    planes_of = 2 * np.arange(len(layers))[:, None, None, None] + np.arange(3)[:, None]
    # Layers, quadrilaterals, planes, nodes.
    nodes = planes_of * width + section.cells[:, None, :]
    groups = np.stack(layers)
    cells: Index = nodes.reshape(*groups.shape, 27)[groups > 0][:, _SWEPT]
    return cells, groups[groups > 0]


def lattice(section: CrossSection, ends: Array) -> Array:
    """Return the nodes of a straight sweep: the section at every layer's end and middle."""
    x = np.empty(2 * len(ends) - 1)
    x[::2], x[1::2] = ends, (ends[1:] + ends[:-1]) / 2
    return np.concatenate([np.c_[np.full(len(section.points), at), section.points] for at in x])


def compress(points: Array, cells: Index) -> tuple[Array, Index]:
    """Return only the nodes that cells use."""
    used, cells_new = np.unique(cells, return_inverse=True)
    return points[used], cells_new.reshape(cells.shape)
