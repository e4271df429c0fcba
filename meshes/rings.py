"""An arm's section in quadrilaterals of nine nodes, which lie in rings around its holes.

Points are complex, y + i z. A block is a grid of them, an odd number each way: every other one is a
corner of cells, those between are the nodes of edges and middles. Each of n holes has a sector of
the section, 2 pi/n wide, which rings of cells fill: through its sleeve, and on to the skin and to
the lines midway between holes. A square and a ring around it fill a hole, for the plates, and a
section without any. Outside a winding, and far outside of the holes, rings lie around the axis.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

from loligo.meshes.bodies import Hole, Piece
from loligo.meshes.circles import SLEEVE_LAYERS, Grain, outlines
from loligo.meshes.integrals import QUADRILATERAL_NODES
from loligo.meshes.mesh import Array, Index
from loligo.meshes.section import CrossSection

Points = npt.NDArray[np.complex128]

Count = Callable[[float, int], int]
"""Edges along an extent (m), of which level 0 has at least a number."""
_HUB = 0.55
"""Corners of the square amid a disc, over the disc's radius."""
_WIDEST = math.radians(50.0)
"""What an edge spans of a circle at most: parabolas of more are no arcs."""
_FAR = 2.0
"""Sectors end at this times the distance of holes from the axis; rings around the axis follow."""
_CLOSE = 1e-6
"""Nodes of two blocks that are nearer to each other than this share of the radius are one."""
_ORDER = QUADRILATERAL_NODES @ [3, 1]
"""Nodes of a quadrilateral out of a grid of three by three."""


def quadrangulate(piece: Piece, grain: Grain) -> CrossSection:
    """Return quadrilaterals of the section of a soft piece where it is thinnest.

    Edges are as long as the grain says on the skin and half as wide towards a hole, since the thin
    wall outside it bends. The section is its own image in all mirror planes of its holes.
    """
    circles = outlines(piece)
    radius = circles[0].radius
    size = grain.nominal / grain.fineness * radius / piece.start_radius

    def along(extent: float, least: int) -> int:
        return round(max(least, round(extent / size)) * grain.refinement)

    blocks = [*_blocks(piece, radius, along)]
    nodes = np.concatenate([_cells(block) for block in blocks])
    points, cells = _joined(nodes, _CLOSE * radius)
    middles = points[cells[:, 8]]
    inside = [np.hypot(*(middles - (c.y, c.z)).T) < c.radius for c in circles]
    return CrossSection(points, cells, circles, np.stack(inside, axis=1))


def _blocks(piece: Piece, radius: float, along: Count) -> Iterator[Points]:
    """Give the blocks of a section of a radius."""
    rims = [radius]
    if piece.winding_radius is not None and not piece.wound_outside:
        rims.insert(0, piece.winding_radius)
    if not piece.holes:
        arc = _arc(math.pi, 4 * along(math.pi / 2 * radius, 2))
        yield from _disc(rims[0] * arc[:-1], along)
        yield from _rings(rims, arc, along)
        return
    away = math.hypot(piece.holes[0].y, piece.holes[0].z)
    if len(piece.holes) > 1 and _FAR * away < rims[0]:
        rims.insert(0, _FAR * away)
    half = math.pi / len(piece.holes)
    at_hole = abs(np.angle(rims[0] * np.exp(1j * half) - away))
    # A whole circle has a multiple of four edges, for two mirror planes.
    parts = 2 if len(piece.holes) > 1 else 4
    least = _least(2 * max(half, at_hole) / parts)
    skin = parts * along(2 * half * radius / parts, least)
    arc = _arc(half, skin)
    sector = [*_around(piece.holes[0], away, rims[0] * arc, along), *_rings(rims, arc, along)]
    for hole in piece.holes:
        centre = complex(hole.y, hole.z)
        turn = centre / away if away else 1.0
        yield from (turn * block for block in sector)


def _rings(radii: Sequence[float], arc: Points, along: Count) -> Iterator[Points]:
    """Give the rings around the axis between radii."""
    for inner, outer in pairwise(radii):
        yield _ring(inner, outer, arc, along, 1)


def _ring(inner: float, outer: float, arc: Points, along: Count, least: int) -> Points:
    return _between(inner * arc, outer * arc, along(2 * (outer - inner), least))


def _around(hole: Hole, away: float, arc: Points, along: Count) -> Iterator[Points]:
    """Give the rings around a hole on the real axis out to an arc, and the disc in it."""
    corner, half = arc[-1], abs(np.angle(arc[-1]))
    foot = away * math.cos(half) * np.exp(1j * half)
    # From the arc's end to the axis and back, on the lines midway to the next holes.
    path = [corner, foot, 0.0, foot.conjugate(), corner.conjugate()]
    if half > 0.9 * math.pi:
        path = [corner]
    elif half > 0.4 * math.pi:
        path = [corner, 0.0, corner.conjugate()]
    turns = np.mod(np.angle(np.array(path) - away), 2 * math.pi)
    outside, angles = [arc], [_grid(-turns[0], turns[0], len(arc) // 2).real]
    for leg, turn in zip(pairwise(path), pairwise(turns), strict=True):
        count = along(abs(leg[1] - leg[0]), _least(turn[1] - turn[0]))
        outside.append(_grid(*leg, count)[1:])
        angles.append(_grid(*turn, count)[1:].real)
    way = np.exp(1j * np.concatenate(angles))
    reach = hole.radius
    if hole.sleeve:
        yield away + _ring(hole.radius, hole.sleeve[0], way, along, 1)
        yield away + _ring(*hole.sleeve, way, along, SLEEVE_LAYERS)
        reach = hole.sleeve[1]
    rim, edge = away + reach * way, np.concatenate(outside)
    if not np.allclose(rim, edge, rtol=0.0, atol=_CLOSE * abs(corner)):
        deepest = abs(corner) if half > 0.9 * math.pi else away
        yield _between(rim, edge, along(2 * (deepest - reach), 1))
    begin = len(arc) // 2
    yield from (away + block for block in _disc(np.roll(hole.radius * way[:-1], -begin), along))


def _least(angle: float) -> int:
    """Edges that an arc of an angle (rad) needs."""
    return max(1, math.ceil(angle / _WIDEST - 1e-9))


def _disc(rim: Points, along: Count) -> Iterator[Points]:
    """Give a square and the ring around it, within a closed rim of an even number of edges.

    The mirror plane of the rim through its first node maps the square to itself.
    """
    half = len(rim) // 4
    if half % 2:
        front = 2 * round(half / 4)
        rim, counts = np.roll(rim, front), (front, half - front)
    else:
        counts = (half // 2, half // 2)
    rim = np.append(rim, rim[0])
    ends = 2 * np.cumsum([0, *counts, *counts])
    corners = _HUB * rim[ends]
    sides = [_grid(*leg, n) for leg, n in zip(pairwise(corners), counts * 2, strict=True)]
    square = np.concatenate([sides[0], *(side[1:] for side in sides[1:])])
    yield _between(square, rim, along((1.0 - _HUB) * abs(rim[0]), 1))
    yield _between(sides[0], sides[2][::-1], counts[1]).T


def _between(inner: Points, outer: Points, count: int) -> Points:
    """Return the block of straight lines from one row of points to another."""
    share = _grid(0.0, 1.0, count)[:, None]
    return (1.0 - share) * inner + share * outer


def _cells(block: Points) -> Points:
    """Return the nodes of the cells of a block, shape (cells, 9)."""
    starts = np.ndindex(block.shape[0] // 2, block.shape[1] // 2)
    cells = [block[2 * k : 2 * k + 3, 2 * m : 2 * m + 3].ravel()[_ORDER] for k, m in starts]
    return np.stack(cells)


def _joined(nodes: Points, close: float) -> tuple[Array, Index]:
    """Return every point once, (y, z), and the number of each node."""
    at = np.column_stack([nodes.real.ravel(), nodes.imag.ravel()])
    i, j = cKDTree(at).query_pairs(close, output_type="ndarray").T
    same = coo_matrix((np.ones(len(i)), (i, j)), shape=(len(at), len(at)))
    _, number = connected_components(same, directed=False)
    _, first = np.unique(number, return_index=True)
    return at[first], number.reshape(nodes.shape).astype(np.int64)


def _arc(half: float, count: int) -> Points:
    """Return ends and middles of equal steps on the unit circle, to both sides of the real axis."""
    arc: Points = np.exp(1j * _grid(-half, half, count))
    return arc


def _grid(start: complex, end: complex, count: int) -> Points:
    """Return the ends and middles of equal steps."""
    return np.linspace(start, end, 2 * count + 1, dtype=np.complex128)
