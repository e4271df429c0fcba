"""Meshes of bars: a grid in the rectangle, swept along x through the stations."""

from __future__ import annotations

import numpy as np

from loligo.cases.body import Bar
from loligo.meshes import bodies
from loligo.meshes.arms import facets_of, groups_of
from loligo.meshes.integrals import QUADRILATERAL_NODES
from loligo.meshes.mesh import TETRAHEDRON, Array, Element, Index, Mesh, oriented
from loligo.meshes.section import CrossSection
from loligo.meshes.sweep import compress, hexahedra, lattice, planes, prisms_to_tetrahedra

_ALONG = 1.0
"""Size along x over the size across the section."""


def nominal_size(body: Bar) -> float:
    """Return an edge length (m) that fits the section."""
    return min(body.width, body.height) / 4


def build_bar(body: Bar, element: Element, size: float, refinement: float = 1.0) -> Mesh:
    """Return the mesh of a bar with edges of ``size / refinement`` (m)."""
    counts = [
        max(2, round(max(2, round(side / size)) * refinement)) for side in (body.width, body.height)
    ]
    section = _grid(body, counts, element is TETRAHEDRON)
    stack = bodies.pieces(body)
    result = [np.array([stack[0].start])]
    for piece in stack:
        stops = piece.stations or (piece.start, piece.end)
        result.append(planes(stops, lambda x: np.full_like(x, _ALONG * size), refinement)[1:])
    ends = np.concatenate(result)
    names = tuple(sorted(bodies.volumes(body)))
    sweep = prisms_to_tetrahedra if element is TETRAHEDRON else hexahedra
    cells, groups = sweep(section, groups_of(stack, ends, section, names))
    points, cells = compress(lattice(section, ends), cells)
    if element is TETRAHEDRON:
        cells = oriented(points, cells)
    at = list(zip(bodies.station_groups(body), bodies.stations(body), strict=True))
    return Mesh(
        element, points, cells, groups, names, *facets_of(stack, at, element, points, cells)
    )


def _grid(body: Bar, counts: list[int], triangles: bool) -> CrossSection:
    """Return nodes and cells of the rectangle; diagonals alternate like a union jack."""
    rows = [
        np.linspace(-side / 2, side / 2, 2 * n + 1)
        for side, n in zip((body.width, body.height), counts, strict=True)
    ]
    points: Array = np.stack(np.meshgrid(*rows, indexing="ij"), axis=-1).reshape(-1, 2)
    number = np.arange(len(points)).reshape(len(rows[0]), len(rows[1]))
    found: list[Index] = []
    for i in range(counts[0]):
        for j in range(counts[1]):
            block = number[2 * i : 2 * i + 3, 2 * j : 2 * j + 3]
            found += _triangles(block, (i + j) % 2 == 0) if triangles else [_quadrilateral(block)]
    cells = np.array(found)
    return CrossSection(points, cells, (), np.zeros((len(cells), 0), dtype=bool))


def _quadrilateral(block: Index) -> Index:
    i, j = QUADRILATERAL_NODES.T
    return np.asarray(block[i, j])


def _triangles(block: Index, rising: bool) -> list[Index]:
    """Return two triangles of six nodes: ascending corners, then middles of 01, 12, 02."""
    corners = (
        [((0, 0), (2, 0), (2, 2)), ((0, 0), (0, 2), (2, 2))]
        if rising
        else [((0, 0), (2, 0), (0, 2)), ((2, 0), (0, 2), (2, 2))]
    )
    found = []
    for three in corners:
        a, b, c = sorted(three, key=lambda at: int(block[at]))
        middles = [((p[0] + q[0]) // 2, (p[1] + q[1]) // 2) for p, q in ((a, b), (b, c), (a, c))]
        found.append(np.array([block[at] for at in (a, b, c, *middles)]))
    return found
