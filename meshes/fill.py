"""Tetrahedra between two different triangulated sections: a connector of two turned segments."""

from __future__ import annotations

import gmsh
import numpy as np

from loligo.meshes.curving import curve_interior
from loligo.meshes.mesh import TETRAHEDRON_EDGES, TRIANGLE_EDGES, Array, Index
from loligo.meshes.session import session


def fill(points: Array, lower: Index, upper: Index, layers: int) -> tuple[Array, Index]:
    """Return all nodes, new ones last, and ten-node tetrahedra between two faces normal to x.

    ``lower`` and ``upper`` are six-node triangles; the nodes on their rims must agree in (y, z).
    """
    points, wall = _wall(points, _rim(points, lower), _rim(points, upper), layers)
    skin = np.concatenate([lower, upper, wall])
    used, corners = np.unique(skin[:, :3], return_inverse=True)
    corners = corners.reshape(-1, 3)
    with session():
        # Delaunay leaves flat cells between faces that share planes of symmetry; HXT does not.
        gmsh.option.setNumber("Mesh.Algorithm3D", 10)
        gmsh.model.addDiscreteEntity(2, 1)
        numbers = np.arange(1, len(used) + 1)
        gmsh.model.mesh.addNodes(2, 1, numbers, points[used].ravel())
        gmsh.model.mesh.addElementsByType(1, 2, np.arange(1, len(skin) + 1), corners.ravel() + 1)
        volume = gmsh.model.geo.addVolume([gmsh.model.geo.addSurfaceLoop([1])])
        gmsh.model.geo.synchronize()
        gmsh.model.mesh.generate(3)
        tags, coordinates, _ = gmsh.model.mesh.getNodes(3, volume)
        _, tetrahedra = gmsh.model.mesh.getElementsByType(4)
    number = np.zeros(int(max(tags.max(initial=0), len(used))) + 1, dtype=np.int64)
    number[1 : len(used) + 1] = used
    number[tags] = len(points) + np.arange(len(tags))
    points = np.r_[points, coordinates.reshape(-1, 3)]
    points, cells = _second_order(points, number[tetrahedra.reshape(-1, 4)], skin)
    return curve_interior(points, cells, skin), cells


def _rim(points: Array, triangles: Index) -> Index:
    """Nodes around a face, corners and middles in turn, in order of azimuth."""
    edges = triangles[:, [[0, 1, 3], [1, 2, 4], [0, 2, 5]]].reshape(-1, 3)
    _, first, count = np.unique(
        np.sort(edges[:, :2], axis=1), axis=0, return_index=True, return_counts=True
    )
    edges = edges[first[count == 1]]
    corners = np.unique(edges[:, :2])
    ring = np.r_[corners, edges[:, 2]]
    azimuth = np.arctan2(points[ring, 2], points[ring, 1])
    is_corner = np.arange(len(ring)) < len(corners)
    order = np.argsort(azimuth)
    # Start at a corner.
    return np.roll(ring[order], -int(np.argmax(is_corner[order])))


def _wall(points: Array, lower: Index, upper: Index, layers: int) -> tuple[Array, Index]:
    """Six-node triangles on the cylinder between two rims, and all nodes."""
    a, b = points[lower], points[upper]
    shift = int(np.argmin(np.hypot(*(b - a[0]).T[1:])))
    upper = np.roll(upper, -shift)
    share = np.arange(1, 2 * layers)[:, None, None] / (2 * layers)
    between = (1 - share) * a + share * points[upper]
    ids = np.vstack(
        [lower, len(points) + np.arange(between.size // 3).reshape(-1, len(lower)), upper]
    )
    triangles = []
    for k in range(0, 2 * layers, 2):
        for i in range(0, len(lower), 2):
            m, j = i + 1, (i + 2) % len(lower)
            low, mid, high = ids[k], ids[k + 1], ids[k + 2]
            triangles.append((low[i], low[j], high[j], low[m], mid[j], mid[m]))
            triangles.append((low[i], high[i], high[j], mid[i], high[m], mid[m]))
    return np.r_[points, between.reshape(-1, 3)], np.array(triangles)


def _second_order(points: Array, corners: Index, skin: Index) -> tuple[Array, Index]:
    """Ten-node tetrahedra with the skin's nodes on its edges, straight elsewhere."""
    known = np.sort(skin[:, TRIANGLE_EDGES].reshape(-1, 2), axis=1)
    middles = skin[:, 3:].ravel()
    ends = np.sort(corners[:, TETRAHEDRON_EDGES].reshape(-1, 2), axis=1)
    edges, which = np.unique(ends, axis=0, return_inverse=True)
    key = edges[:, 0] * len(points) + edges[:, 1]
    known_key, first = np.unique(known[:, 0] * len(points) + known[:, 1], return_index=True)
    at = np.minimum(np.searchsorted(known_key, key), len(known_key) - 1)
    on_skin = known_key[at] == key
    number = np.where(on_skin, middles[first[at]], len(points) + np.cumsum(~on_skin) - 1)
    points = np.r_[points, points[edges[~on_skin]].mean(axis=1)]
    return points, np.c_[corners, number[which.reshape(-1, 6)]]
