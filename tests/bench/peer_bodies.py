"""The two bodies that all solvers are given, as tetrahedra and as hexahedra of second order.

Both are of one rubber. The segment has three chambers, closed by plates of the same rubber, and one
of them is under pressure; the end of the arm, a cylinder, moves sideways.
"""

from __future__ import annotations

import gmsh
import numpy as np
from peer_sections import around

from loligo.cases.body import ChamberedArm, Segment, TaperedArm
from loligo.meshes.bodies import length, pieces
from loligo.meshes.build import build_mesh
from loligo.meshes.mesh import HEXAHEDRON, Mesh, faces
from loligo.meshes.session import session

SEGMENT = ChamberedArm(
    radius=0.017,
    plates=(0.005, 0.005),
    segments=(Segment(length=0.12, chambers=3, chamber_radius=0.005, chamber_offset=0.01),),
    stations=2,
)
ARM = TaperedArm(length=0.12, base_radius=0.01, tip_radius=0.01, stations=2)
BODIES = {"segment": SEGMENT, "arm": ARM}
PRESSED = "cavity_s1c1"
GROWTH = 3.0
"""Layers of hexahedra are so much thicker than the one before, from both ends of a piece on, where
the solution is singular along rims."""
SLENDER = 5.0
"""The thickest are so many times as long as they are at the ends."""


def mesh_of(name: str, cell: str, size: float) -> Mesh:
    """Return a mesh of a body with edges of a size on its outer surface (m)."""
    if cell == "tetrahedron":
        return build_mesh(BODIES[name], 0, size=size)
    return hexahedra(name, size)


def hexahedra(name: str, size: float) -> Mesh:
    """Return quadrilaterals of the section, swept along the axis."""
    stack = pieces(BODIES[name])
    body = next(piece for piece in stack if piece.region == "body")
    section, quadrilaterals = (
        around(body.holes, body.start_radius, size)
        if body.holes
        else _disc(body.start_radius, size)
    )
    ends = np.concatenate([[0.0], *(piece.start + _layers(piece.length, size) for piece in stack)])
    planes = np.interp(np.arange(2 * len(ends) - 1) / 2, np.arange(len(ends)), ends)
    points = np.column_stack([planes.repeat(len(section)), np.tile(section, (len(planes), 1))])
    swept = np.stack([quadrilaterals + k * len(section) for k in range(len(planes))])
    low, between, high = swept[:-2:2], swept[1::2], swept[2::2]
    every = np.concatenate([low, between, high], axis=2).reshape(-1, 27)
    cells = every[:, _SWEPT]
    middle = points[cells[:, 26]]
    void = np.zeros(len(cells), dtype=bool)
    for piece in stack:
        inside = (middle[:, 0] > piece.start) & (middle[:, 0] < piece.end)
        for hole in piece.holes:
            void |= inside & (np.hypot(*(middle[:, 1:] - [hole.y, hole.z]).T) < hole.radius)
    used, kept = np.unique(cells[~void], return_inverse=True)
    return _named(name, points[used], kept.reshape(-1, 27))


def _layers(extent: float, size: float) -> np.ndarray:
    """Where layers end that grow from both ends of an extent."""
    thick, last = [size], size
    while (last := GROWTH * last) < SLENDER * size:
        thick.append(last)
    rest = extent - 2 * sum(thick)
    if rest < size:
        count = max(1, round(extent / (GROWTH * size)))
        return np.linspace(0.0, extent, count + 1)[1:]
    count = max(1, round(rest / (SLENDER * size)))
    ends = np.cumsum([*thick, *[rest / count] * count, *thick[::-1]])
    return ends * (extent / ends[-1])


_SWEPT = [0, 1, 2, 3, 18, 19, 20, 21, 4, 7, 9, 5, 10, 6, 11, 12, 22, 25, 23, 24]
_SWEPT += [8, 13, 16, 14, 15, 26, 17]
"""Gmsh's order of a hexahedron's nodes out of three layers of nine."""


def _disc(radius: float, size: float) -> tuple[np.ndarray, np.ndarray]:
    """Points (y, z) and quadrilaterals of nine nodes of a disc."""
    with session():
        for option in ("RecombineAll", "SubdivisionAlgorithm"):
            gmsh.option.setNumber(f"Mesh.{option}", 1)
        gmsh.model.occ.addDisk(0, 0, 0, radius, radius)
        gmsh.model.occ.synchronize()
        gmsh.option.setNumber("Mesh.MeshSizeMax", 2 * size)  # all are halved
        gmsh.model.mesh.generate(2)
        gmsh.model.mesh.setOrder(2)
        tags, coordinates, _ = gmsh.model.mesh.getNodes()
        _, corners = gmsh.model.mesh.getElementsByType(10)
    number = np.zeros(int(tags.max()) + 1, dtype=np.int64)
    number[tags] = np.arange(len(tags))
    return coordinates.reshape(-1, 3)[:, :2], number[corners].reshape(-1, 9)


def _named(name: str, points: np.ndarray, cells: np.ndarray) -> Mesh:
    """Name the ends and the walls of the chambers."""
    end = length(BODIES[name])
    skin = faces(HEXAHEDRON, cells)
    nodes = skin.nodes[skin.count == 1]
    at = points[nodes]
    groups = {"base": at[:, :, 0] < 1e-9, "tip": at[:, :, 0] > end - 1e-9}
    for piece in pieces(BODIES[name]):
        for hole in piece.holes:
            off = np.hypot(at[:, :, 1] - hole.y, at[:, :, 2] - hole.z)
            within = (at[:, :, 0] > piece.start - 1e-9) & (at[:, :, 0] < piece.end + 1e-9)
            groups[hole.name] = within & (off < hole.radius * (1 + 1e-6))
    members = [np.flatnonzero(where.all(axis=1)) for where in groups.values()]
    tags = np.repeat(np.arange(1, len(members) + 1), [len(m) for m in members])
    return Mesh(
        HEXAHEDRON,
        points,
        cells,
        np.ones(len(cells), dtype=np.int64),
        ("body",),
        nodes[np.concatenate(members)],
        tags,
        tuple(groups),
    )


def at_axis(rest: np.ndarray, moved: np.ndarray) -> np.ndarray:
    """Return the displacement of the axis in the tip face: of the linear field that fits best."""
    plane = np.column_stack([np.ones(len(rest)), rest[:, 1:]])
    return np.linalg.lstsq(plane, moved, rcond=None)[0][0]
