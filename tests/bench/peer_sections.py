"""Quadrilaterals of nine nodes of a section with holes around its middle.

Points are complex, y + i z. A block is a grid of them, an odd number each way: every other one is a
corner of cells, those between are the nodes of edges and middles. Around each hole lie rings of
cells, out to the skin and to the lines midway between holes; a disc fills the hole. Gmsh's own
quadrilaterals fold over where the wall is thin, unless they are small.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from loligo.meshes.bodies import Hole

Array = npt.NDArray[np.float64]
Points = npt.NDArray[np.complex128]
_HUB = 0.55
"""Corners of the square amid a disc, over the disc's radius."""
_SAME = 1e-9
"""Points that are nearer are one (m)."""
_ORDER = [0, 6, 8, 2, 3, 7, 5, 1, 4]
"""Gmsh's order of the nodes of a quadrilateral out of a grid of three by three."""


def around(
    holes: Sequence[Hole], radius: float, size: float
) -> tuple[Array, npt.NDArray[np.int64]]:
    """Return points (y, z), shape (n, 2), and the nodes of cells with edges of about a size (m).

    The holes, three or more, are at equal angles from each other.
    """
    blocks = [block for hole in holes for block in _sector(hole, np.pi / len(holes), radius, size)]
    nodes = np.concatenate([_cells(block) for block in blocks]).ravel()
    at = np.column_stack([nodes.real, nodes.imag])
    _, first, number = np.unique(
        np.rint(at / _SAME), axis=0, return_index=True, return_inverse=True
    )
    return at[first], number.reshape(-1, 9)


def _sector(hole: Hole, half: float, radius: float, size: float) -> Iterator[Points]:
    """Give the rings around a hole, in a sector of twice an angle (rad), and the disc in it.

    The rings are half as wide as cells are long: the thin wall outside the hole bends.
    """
    centre = complex(hole.y, hole.z)
    away, off = abs(centre), centre / abs(centre)
    corner, foot = radius * np.exp(1j * half), away * np.cos(half) * np.exp(1j * half)
    skin = 2 * _count(half * radius, size)
    side = _count(abs(corner - foot), size)
    inner = _count(abs(foot), size)
    outside = [
        radius * np.exp(1j * _grid(-half, half, skin)),
        _grid(corner, foot, side)[1:],
        _grid(foot, 0.0, inner)[1:],
        _grid(0.0, foot.conjugate(), inner)[1:],
        _grid(foot.conjugate(), corner.conjugate(), side)[1:],
    ]
    at = [np.angle(corner - away), np.angle(foot - away)]
    turns = [-at[0], at[0], at[1], np.pi, 2 * np.pi - at[1], 2 * np.pi - at[0]]
    counts = [skin, side, inner, inner, side]
    angles = [_grid(*turn, n) for *turn, n in zip(turns, turns[1:], counts, strict=False)]
    angle = np.concatenate([angles[0], *(more[1:] for more in angles[1:])])
    wall = away + hole.radius * np.exp(1j * angle)
    yield off * _between(wall, np.concatenate(outside), _count(away - hole.radius, size / 2))
    yield from (off * (away + block) for block in _disc(wall - away, size))


def _disc(rim: Points, size: float) -> Iterator[Points]:
    """Give a square in the middle and the ring around it of a disc with an even number of sides."""
    sides = len(rim) // 2
    a, b = sides // 4, sides // 2 - sides // 4
    corners = _HUB * rim[[0, 2 * a, 2 * (a + b), 2 * (2 * a + b), 0]]
    counts = (a, b, a, b)
    square = [_grid(*ends, n) for *ends, n in zip(corners, corners[1:], counts, strict=False)]
    hub = np.concatenate([square[0], *(more[1:] for more in square[1:])])
    yield _between(hub, rim, _count((1.0 - _HUB) * abs(rim[0]), size))
    yield _between(square[0], square[2][::-1], b).T


def _between(inner: Points, outer: Points, count: int) -> Points:
    """Return the block of straight lines from one row of points to another."""
    share = _grid(0.0, 1.0, count)[:, None]
    return (1.0 - share) * inner + share * outer


def _cells(block: Points) -> Points:
    """Return the nodes of the cells of a block, shape (cells, 9)."""
    starts = np.ndindex(block.shape[0] // 2, block.shape[1] // 2)
    cells = [block[2 * k : 2 * k + 3, 2 * m : 2 * m + 3].ravel()[_ORDER] for k, m in starts]
    return np.stack(cells)


def _grid(start: complex, end: complex, count: int) -> Points:
    """Return the ends and middles of equal steps."""
    return np.asarray(np.linspace(start, end, 2 * count + 1))


def _count(extent: float, size: float) -> int:
    return max(1, round(extent / size))
