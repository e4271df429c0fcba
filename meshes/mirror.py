"""Mirror planes that the sections of an arm share, and triangles unfolded across them.

A mesh that is its own mirror image answers a symmetric load symmetrically. In a section with n
equal chambers around the axis every chamber has such a plane, so that the mesh treats all of them
alike.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from loligo.meshes.bodies import Hole, Piece
from loligo.meshes.mesh import Array, Index

MOST = 3
"""Planes that are used at most: more would crowd slender triangles around the axis."""
CLOSE = 1e-9
"""Share of a radius within which two points are one."""


@dataclass(frozen=True)
class Mirrors:
    """Planes that contain the x axis: ``number`` of them, pi/number apart, one at ``azimuth``."""

    number: int = 0
    azimuth: float = 0.0

    @property
    def copies(self) -> int:
        """Copies of a wedge between two neighbouring planes that make up the section."""
        return max(1, 2 * self.number)

    def edges(self, y: float, z: float) -> int:
        """Return what divides the number of edges of a circle around (y, z)."""
        concentric = math.hypot(y, z) == 0.0
        return self.copies if concentric else min(2, self.copies)


def mirrors_of(pieces: Sequence[Piece]) -> Mirrors:
    """Return the mirror planes that all pieces have, or a third or half of these if they are many.

    Of sections without holes beside the axis every plane is one: y = 0 is taken, the plane of
    chamber or tendon 1, and z = 0 unless there is a bore, which has few edges to share out.
    """
    sections = [
        [hole for hole in piece.holes if (hole.y, hole.z) != (0.0, 0.0)] for piece in pieces
    ]
    first = next((holes for holes in sections if holes), None)
    if first is None:
        return Mirrors(1 if any(piece.holes for piece in pieces) else 2, math.pi / 2)
    azimuths = [math.atan2(hole.z, hole.y) for hole in first]
    # A mirror plane maps the first hole to one of them, perhaps to itself.
    candidates = [(azimuths[0] + azimuth) / 2 for azimuth in azimuths]
    shared = [a for a in candidates if all(_is_mirror(a, holes) for holes in sections)]
    if not shared:
        return Mirrors()
    turns = np.sort(np.mod(np.array(shared) - shared[0] + CLOSE, math.pi))
    planes = 1 + int(np.count_nonzero(np.diff(turns) > 2 * CLOSE))
    number = max(n for n in range(1, MOST + 1) if planes % n == 0)
    return Mirrors(number, shared[0])


def _is_mirror(azimuth: float, holes: Sequence[Hole]) -> bool:
    """Whether the plane maps every hole to an equal one."""
    turn = _reflection(azimuth)

    def match(a: Hole, b: Hole) -> bool:
        image = turn @ (a.y, a.z)
        close = CLOSE * math.hypot(a.y, a.z)
        return bool(np.allclose(image, (b.y, b.z), rtol=0.0, atol=close)) and (
            a.radius,
            a.sleeve,
        ) == (b.radius, b.sleeve)

    return all(any(match(a, b) for b in holes) for a in holes)


def unfold(points: Array, triangles: Index, mirrors: Mirrors) -> tuple[Array, Index]:
    """Return a whole section from its wedge between ``azimuth`` and the next mirror plane.

    Nodes are numbered by their place in the wedge first. So the ends of an edge and of its images
    are in the same order, and the sweep divides prisms symmetrically.

    Args:
        points: Nodes of the wedge, (y, z).
        triangles: Nodes of its triangles.
        mirrors: The planes.
    """
    if mirrors.number == 0:
        return points, np.sort(triangles, axis=1)
    wedge = math.pi / mirrors.number
    copy = np.arange(mirrors.copies)
    # Odd copies are reflections in the plane between the wedge and them.
    turns = np.array(
        [
            _reflection(mirrors.azimuth + (k + 1) * wedge / 2) if k % 2 else _rotation(k * wedge)
            for k in copy
        ]
    )
    close = CLOSE * float(np.abs(points).max())
    near, far = (
        np.abs(points @ (-math.sin(a), math.cos(a))) < close
        for a in (mirrors.azimuth, mirrors.azimuth + wedge)
    )
    # On a plane two copies of a node are one, on the axis all are.
    own = np.tile(copy, (len(points), 1))
    own[far] = copy - copy % 2
    own[near] = (copy + copy % 2) % mirrors.copies
    own[np.hypot(*points.T) < close] = 0
    number = mirrors.copies * np.arange(len(points))[:, None] + own
    images = np.einsum("kij,nj->nki", turns, points).reshape(-1, 2)
    used, cells = np.unique(number[triangles], return_inverse=True)
    cells = cells.reshape(*triangles.shape, len(copy))
    return images[used], np.sort(np.moveaxis(cells, 2, 0).reshape(-1, 3), axis=1)


def _rotation(angle: float) -> Array:
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, -s], [s, c]])


def _reflection(azimuth: float) -> Array:
    c, s = math.cos(2 * azimuth), math.sin(2 * azimuth)
    return np.array([[c, s], [s, -c]])
