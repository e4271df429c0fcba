"""A triangulated cross-section: a disc with circles embedded and curved edges on them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import gmsh
import numpy as np
import numpy.typing as npt

from loligo.meshes.curving import spread
from loligo.meshes.mesh import Array, Index
from loligo.meshes.session import session


@dataclass(frozen=True)
class Circle:
    """A circle around (y, z) that the mesh follows with ``edges`` equal edges."""

    y: float
    z: float
    radius: float
    edges: int

    @property
    def edge(self) -> float:
        """Length of an edge along the arc (m)."""
        return 2 * math.pi * self.radius / self.edges


@dataclass(frozen=True)
class Triangulation:
    """Six-node triangles in the plane (y, z): ascending corners, middles of 01, 12, 02.

    ``inside[i, j]`` tells whether triangle i lies inside circle j.
    """

    points: Array
    triangles: Index
    inside: npt.NDArray[np.bool_]


def triangulate(circles: Sequence[Circle]) -> Triangulation:
    """Mesh the disc within the first circle such that edges follow every circle."""
    with session():
        occ = gmsh.model.occ
        discs = [(2, occ.addDisk(c.y, c.z, 0.0, c.radius, c.radius)) for c in circles]
        parts = occ.fragment(discs[:1], discs[1:])[1] if len(discs) > 1 else [discs]
        occ.synchronize()
        for _, curve in gmsh.model.getEntities(1):
            circle = _circle_of(curve, circles)
            gmsh.model.mesh.setTransfiniteCurve(curve, circle.edges + 1)
        gmsh.model.mesh.generate(2)
        tags, coordinates, _ = gmsh.model.mesh.getNodes()
        corners, inside = [], []
        for surface in gmsh.model.getEntities(2):
            _, nodes = gmsh.model.mesh.getElementsByType(2, surface[1])
            corners.append(nodes.reshape(-1, 3))
            inside.append(np.tile([surface in part for part in parts], (len(corners[-1]), 1)))
    used, triangles = np.unique(np.concatenate(corners), return_inverse=True)
    order = np.argsort(tags)
    points = coordinates.reshape(-1, 3)[order[np.searchsorted(tags[order], used)], :2]
    return _second_order(
        points, np.sort(triangles.reshape(-1, 3), axis=1), np.concatenate(inside), circles
    )


def _circle_of(curve: int, circles: Sequence[Circle]) -> Circle:
    """The circle that a closed curve came from: the one that its points lie on."""
    low, high = gmsh.model.getParametrizationBounds(1, curve)
    points = gmsh.model.getValue(1, curve, np.linspace(low[0], high[0], 5)).reshape(-1, 3)

    def misfit(circle: Circle) -> float:
        distance = np.hypot(points[:, 0] - circle.y, points[:, 1] - circle.z)
        return float(np.abs(distance - circle.radius).max())

    return min(circles, key=misfit)


def _second_order(
    points: Array, corners: Index, inside: npt.NDArray[np.bool_], circles: Sequence[Circle]
) -> Triangulation:
    """Put nodes between corners, those of edges along circles onto the circles."""
    ends = corners[:, [[0, 1], [1, 2], [0, 2]]].reshape(-1, 2)
    edges, which = np.unique(ends, axis=0, return_inverse=True)
    which = which.reshape(-1, 3)
    neighbours = np.bincount(which.ravel(), minlength=len(edges))
    middle = points[edges].mean(axis=1)
    shift = np.zeros_like(middle)
    curved = np.zeros(len(edges), dtype=bool)
    for j, circle in enumerate(circles):
        # An edge follows a circle when one of its triangles lies inside and one outside.
        within = np.bincount(which[inside[:, j]].ravel(), minlength=len(edges))
        on = (within == 1) & ((neighbours == 2) | (j == 0))
        arm = middle[on] - (circle.y, circle.z)
        shift[on] = arm * (circle.radius / np.linalg.norm(arm, axis=1, keepdims=True) - 1)
        curved |= on
    middle += spread(points[corners], which, shift, curved)
    return Triangulation(np.r_[points, middle], np.c_[corners, len(points) + which], inside)
