"""A cross-section with circles embedded, and its triangles with curved edges on them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import gmsh
import numpy as np
import numpy.typing as npt

from loligo.meshes.curving import spread
from loligo.meshes.mesh import Array, Index
from loligo.meshes.mirror import Mirrors, unfold
from loligo.meshes.session import session

ON_CIRCLE = 1e-9
"""Distance from a circle, over its radius, within which a node lies on it."""
DRAWN = 1e-3
"""Radius (m) of a section that is drawn as it is: OpenCASCADE's tolerance is 1e-7 m."""


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
class CrossSection:
    """Cells in the plane (y, z), and the circles that they follow.

    Triangles have six nodes: ascending corners, middles of 01, 12, 02; quadrilaterals nine, in
    Gmsh's order. ``inside[i, j]`` tells whether cell i lies inside circle j.
    """

    points: Array
    cells: Index
    circles: tuple[Circle, ...]
    inside: npt.NDArray[np.bool_]


def triangulate(circles: Sequence[Circle], mirrors: Mirrors | None = None) -> CrossSection:
    """Mesh the disc within the first circle such that edges follow every circle.

    With ``mirrors``, which must map the circles to one another, the mesh is its own image in each
    of the planes: the wedge between two of them is meshed and unfolded. A small section is drawn
    magnified.
    """
    mirrors = mirrors or Mirrors()
    times = 2.0 ** max(0, math.ceil(math.log2(DRAWN / circles[0].radius)))
    large = [replace(c, y=times * c.y, z=times * c.z, radius=times * c.radius) for c in circles]
    with session():
        _draw(large, mirrors)
        for _, curve in gmsh.model.getEntities(1):
            gmsh.model.mesh.setTransfiniteCurve(curve, *_division(curve, large))
        gmsh.model.mesh.generate(2)
        tags, coordinates, _ = gmsh.model.mesh.getNodes()
        _, corners = gmsh.model.mesh.getElementsByType(2)
    used, triangles = np.unique(corners, return_inverse=True)
    order = np.argsort(tags)
    points = coordinates.reshape(-1, 3)[order[np.searchsorted(tags[order], used)], :2]
    drawn = _second_order(*unfold(points, triangles.reshape(-1, 3), mirrors), large)
    shrunk = (drawn.points / times).astype(np.float64)
    return replace(drawn, points=shrunk, circles=tuple(circles))


def _draw(circles: Sequence[Circle], mirrors: Mirrors) -> None:
    """Draw the discs within all circles, or what a wedge between two planes cuts from them."""
    occ = gmsh.model.occ
    discs = []
    for c in circles:
        # A closed circle begins on its mirror plane, if it has one.
        begin = math.atan2(c.z, c.y) if (c.y, c.z) != (0.0, 0.0) else mirrors.azimuth
        along = [math.cos(begin), math.sin(begin), 0.0]
        discs.append((2, occ.addDisk(c.y, c.z, 0.0, c.radius, c.radius, xAxis=along)))
    if mirrors.number:
        ends = mirrors.azimuth, mirrors.azimuth + math.pi / mirrors.number
        centre = occ.addPoint(0.0, 0.0, 0.0)
        reach = 2 * circles[0].radius
        arc = occ.addCircle(0.0, 0.0, 0.0, reach, angle1=ends[0], angle2=ends[1])
        occ.synchronize()
        (_, first), (_, last) = gmsh.model.getBoundary([(1, arc)])
        sides = [occ.addLine(centre, first), arc, occ.addLine(last, centre)]
        wedge = (2, occ.addPlaneSurface([occ.addCurveLoop(sides)]))
        discs = [
            part for disc in discs for part in occ.intersect([disc], [wedge], removeTool=False)[0]
        ]
        occ.remove([wedge], recursive=True)
    if len(discs) > 1:
        occ.fragment(discs[:1], discs[1:])
    occ.synchronize()


def _division(curve: int, circles: Sequence[Circle]) -> tuple[int, str, float]:
    """Nodes of a curve, and by which rule and ratio the distances between them grow.

    An arc has its share of the edges of its circle. On a straight piece of a mirror plane sizes
    grow evenly between those of the circles nearest to its ends.
    """
    low, high = gmsh.model.getParametrizationBounds(1, curve)
    points = gmsh.model.getValue(1, curve, np.linspace(low[0], high[0], 5)).reshape(-1, 3)[:, :2]
    length = gmsh.model.occ.getMass(1, curve)
    off = np.abs([np.hypot(*(points - (c.y, c.z)).T) - c.radius for c in circles])
    if gmsh.model.getType(1, curve) != "Line":
        circle = circles[int(np.argmin(off.max(axis=1)))]
        return round(length / circle.edge) + 1, "Progression", 1.0
    first, last = (circles[int(i)].edge for i in np.argmin(off[:, [0, -1]], axis=0))
    edges = max(1, round(length / math.sqrt(first * last)))
    return edges + 1, "Progression", (last / first) ** (1 / edges)


def _second_order(points: Array, corners: Index, circles: Sequence[Circle]) -> CrossSection:
    """Put nodes between corners, those of edges along circles onto the circles."""
    ends = corners[:, [[0, 1], [1, 2], [0, 2]]].reshape(-1, 2)
    edges, which = np.unique(ends, axis=0, return_inverse=True)
    which = which.reshape(-1, 3)
    middle = points[edges].mean(axis=1)
    shift = np.zeros_like(middle)
    curved = np.zeros(len(edges), dtype=bool)
    inside = np.empty((len(corners), len(circles)), dtype=bool)
    for j, circle in enumerate(circles):
        off = np.hypot(*(points - (circle.y, circle.z)).T) / circle.radius - 1.0
        inside[:, j] = np.all(off[corners] < ON_CIRCLE, axis=1)
        # An edge follows a circle when of its triangles one lies inside and none or one outside.
        within = np.bincount(which[inside[:, j]].ravel(), minlength=len(edges))
        on = (within == 1) & np.all(np.abs(off[edges]) < ON_CIRCLE, axis=1)
        arm = middle[on] - (circle.y, circle.z)
        shift[on] = arm * (circle.radius / np.linalg.norm(arm, axis=1, keepdims=True) - 1)
        curved |= on
    middle += spread(points[corners], which, shift, curved)
    cells = np.c_[corners, len(points) + which]
    return CrossSection(np.r_[points, middle], cells, tuple(circles), inside)
