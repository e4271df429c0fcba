"""Meshes of mantles: a lattice along the meridian, through the wall and around the axis."""

from __future__ import annotations

import math
from itertools import permutations

import numpy as np

from loligo.cases.body import Mantle
from loligo.meshes.integrals import HEXAHEDRON_NODES
from loligo.meshes.mesh import (
    HEXAHEDRON,
    TETRAHEDRON,
    TETRAHEDRON_EDGES,
    Array,
    Element,
    Index,
    Mesh,
    faces,
    oriented,
)
from loligo.meshes.sweep import planes

WALL_LAYERS = 2
"""Elements through the wall at level 0."""
FEWEST = 2
"""Elements around half the axis for each layer of the wall, however long the mantle is."""
GROWTH = 0.5
"""Growth of the size along the meridian with the distance from its ends."""


def nominal_size(body: Mantle) -> float:
    """Return an element size (m) for level 0 that fits the radius."""
    return body.radius / 4


def build_mantle(body: Mantle, element: Element, size: float, refinement: float = 1.0) -> Mesh:
    """Return the wall of a mantle with elements of ``size`` (m) around and along it.

    ``refinement`` is rounded to whole layers through the wall. All other numbers of elements are
    multiples of that of the layers, so that the meshes of all levels are similar: what an error bar
    rests on. Along the meridian the elements shrink towards both ends, where bending decays over
    about sqrt(radius thickness).
    """
    edge_zone = 0.5 * math.sqrt(body.radius * body.thickness) * size / nominal_size(body)
    sphere, end = body.radius * body.truncation, body.meridian_length
    layers = round(WALL_LAYERS * refinement)

    def along(s: Array) -> Array:
        return WALL_LAYERS * np.minimum(size, edge_zone + GROWTH * np.minimum(s, end - s))

    meridian = _with_middles(planes([0.0, sphere, end], along, layers))
    through = np.linspace(-0.5, 0.5, 2 * layers + 1) * body.thickness
    # Twice a number, so that the mesh has a plane of symmetry.
    half_turn = math.pi * body.radius / WALL_LAYERS
    around = 2 * layers * max(round(half_turn / size), FEWEST)
    azimuth = np.arange(2 * around) * math.pi / around
    s, t, phi = np.meshgrid(meridian, through, azimuth, indexing="ij")
    points = _place(body, t, s, phi).reshape(-1, 3)
    ids = np.arange(t.size).reshape(t.shape)
    ids = np.concatenate([ids, ids[:, :, :1]], axis=2)
    cells = _hexahedra(ids) if element is HEXAHEDRON else _tetrahedra(ids)
    if element is TETRAHEDRON:
        cells = oriented(points, cells)
    nodes, tags, names = _facets(element, cells, t, s)
    return Mesh(
        element, points, cells, np.ones(len(cells), dtype=np.int64), ("body",), nodes, tags, names
    )


def _with_middles(ends: Array) -> Array:
    result = np.empty(2 * len(ends) - 1)
    result[::2], result[1::2] = ends, (ends[1:] + ends[:-1]) / 2
    return result


def _place(body: Mantle, t: Array, s: Array, phi: Array) -> Array:
    """Points at height t over the mid-surface, arc length s from the cap, azimuth phi."""
    sphere = body.radius * body.truncation
    # The normal leans towards the cap by this angle: truncation at the cap, 0 on the cylinder.
    lean = np.maximum(sphere - s, 0.0) / body.radius
    centre = body.radius * math.sin(body.truncation)
    x = centre - (body.radius + t) * np.sin(lean) + np.maximum(s - sphere, 0.0)
    r = (body.radius + t) * np.cos(lean)
    return np.stack([x, r * np.cos(phi), r * np.sin(phi)], axis=-1)


def _hexahedra(ids: Index) -> Index:
    """27-node hexahedra of a lattice of nodes with a node between any two corners."""
    return np.stack([_at(ids, *corner, flip=False) for corner in HEXAHEDRON_NODES], axis=1)


def _tetrahedra(ids: Index) -> Index:
    """Six ten-node tetrahedra a hexahedron: the paths along edges from first to last corner.

    Every other column around the axis is mirrored, so that the mesh has no handedness.
    """
    cells = []
    for path in permutations(np.eye(3, dtype=int)):
        corners = 2 * np.cumsum([np.zeros(3, dtype=int), *path], axis=0)
        middles = [(corners[a] + corners[b]) // 2 for a, b in TETRAHEDRON_EDGES]
        cells.append(np.stack([_at(ids, *c, flip=True) for c in (*corners, *middles)], axis=1))
    return np.concatenate(cells)


def _at(ids: Index, i: int, j: int, k: int, *, flip: bool) -> Index:
    """Node (i, j, k) in steps of half an element of every hexahedron."""
    counts = [(n - 1) // 2 for n in ids.shape]
    a, b, c = np.meshgrid(*(np.arange(n) for n in counts), indexing="ij")
    step = np.where(c % 2 == 1, 2 - k, k) if flip else k
    nodes: Index = ids[2 * a + i, 2 * b + j, 2 * c + step].ravel()
    return nodes


def _facets(
    element: Element, cells: Index, t: Array, s: Array
) -> tuple[Index, Index, tuple[str, ...]]:
    """Exterior facets with their groups, told from the lattice coordinates of their nodes."""
    outside = faces(element, cells)
    nodes = outside.nodes[outside.count == 1]
    height, arc = t.ravel()[nodes], s.ravel()[nodes]
    sides = {
        "base": arc == s.min(),
        "cavity_mantle": height == t.min(),
        "outer": height == t.max(),
        "rim": arc == s.max(),
    }
    tags = np.zeros(len(nodes), dtype=np.int64)
    for tag, side in enumerate(sides.values(), 1):
        tags[np.all(side, axis=1)] = tag
    return nodes, tags, tuple(sides)
