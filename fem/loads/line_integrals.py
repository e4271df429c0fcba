"""Integrals along lines through the cells of a mesh."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import basix
import numpy as np
import numpy.typing as npt
from dolfinx.mesh import Mesh

from loligo.fem.core import compat
from loligo.fem.loads.base import Vector

Array = npt.NDArray[np.float64]

_GAUSS = np.polynomial.legendre.leggauss(4)
"""Points and weights on (-1, 1) for the piece of a path in one cell."""
_SAME = 1e-9
"""Share of a piece of the path below which two crossings of faces are one."""
_NEWTON = 6
"""Iterations that find a crossing of a curved face from that of the plane through its vertices."""
_NEAR = 1e-3
"""A crossing counts if it is at most this far outside its cell, in reference coordinates."""
_FACES = {"tetrahedron": [1, 2, 3, 0], "hexahedron": [2, 1, 0, 3, 4, 5]}
"""The faces of basix in the order of :func:`_beyond`."""


def quadrature(mesh: Mesh, path: Sequence[Vector]) -> tuple[Array, Array, Array]:
    """Return points, weights and unit tangents along straight pieces, the same on all ranks.

    Args:
        mesh: the reference mesh.
        path: corners of the path (m), at least two.
    """
    parts: list[tuple[Array, Array, Array]] = []
    for corner, following in pairwise(path):
        start = np.array(corner, dtype=np.float64)
        along = np.array(following) - start
        crossings = _crossings(mesh, start, along)
        middles, halves = (crossings[1:] + crossings[:-1]) / 2, np.diff(crossings) / 2
        share = (middles[:, None] + halves[:, None] * _GAUSS[0]).ravel()
        length = float(np.linalg.norm(along))
        weights = (halves[:, None] * _GAUSS[1]).ravel() * length
        tangents = np.tile(along / length, (len(share), 1))
        parts.append((start + share[:, None] * along, weights, tangents))
    points, weights, tangents = (np.concatenate(part) for part in zip(*parts, strict=True))
    return points, weights, tangents


def _crossings(mesh: Mesh, start: Array, along: Array) -> Array:
    """Return where the line start + s along, s in [0, 1], passes from cell to cell of any rank.

    F t jumps there. Sampling the jumps blindly leaves nodal forces out of balance that finer meshes
    do not cure: a straight tendon bends a block 3 % too little with sixteen points a cell.
    """
    owned = mesh.topology.index_map(mesh.topology.dim).size_local
    nodes = mesh.geometry.x[compat.geometry_dofmap(mesh)[:owned]]
    near, guesses = _near_cells(mesh, nodes, start, along)
    found = [
        _face_crossings(mesh, nodes[cell], start, along, guesses[i]) for i, cell in enumerate(near)
    ]
    here = np.concatenate([np.zeros(0), *found])
    every = np.sort(np.concatenate([[0.0, 1.0], *mesh.comm.allgather(here)]))
    every = every[(every >= 0.0) & (every <= 1.0)]
    every = every[np.append(True, np.diff(every) > _SAME)]
    every[-1] = 1.0
    return every


def _near_cells(
    mesh: Mesh, nodes: Array, start: Array, along: Array
) -> tuple[npt.NDArray[np.intp], Array]:
    """Return the cells that the line meets or just misses, and where it meets their faces' planes.

    Faces are in the order of :func:`_beyond`; not a number stands for a parallel plane.
    """
    shape = getattr(basix.CellType, mesh.topology.cell_name())
    topology = basix.topology(shape)
    vertices = nodes[:, : len(topology[0])]
    faces = np.array([face[:3] for face in topology[2]])[_FACES[mesh.topology.cell_name()]]
    first, second, third = (vertices[:, faces[:, i]] for i in range(3))  # (cells, faces, 3)
    normal = np.cross(second - first, third - first)
    normal /= np.linalg.norm(normal, axis=2, keepdims=True)
    outward = np.einsum("cfi,cfi->cf", normal, first - vertices.mean(axis=1, keepdims=True))
    normal *= np.sign(outward)[:, :, None]
    height = np.einsum("cfi,cfi->cf", normal, start - first)  # outside where height + s slope > 0
    slope = normal @ along
    parallel = np.abs(slope) < _SAME * np.linalg.norm(along)
    slope = np.where(parallel, np.nan, slope)
    # A curved face bulges out of its plane by less than this.
    room = 0.2 * np.linalg.norm(np.ptp(vertices, axis=1), axis=1)[:, None]
    at = (room - height) / slope
    enter = np.where(slope < 0, at, 0.0).max(axis=1, initial=0.0)
    leave = np.where(slope > 0, at, 1.0).min(axis=1, initial=1.0)
    near = ~np.any(parallel & (height > room), axis=1) & (leave > enter)
    return np.flatnonzero(near), (-height / slope)[near]


def _face_crossings(mesh: Mesh, nodes: Array, start: Array, along: Array, guess: Array) -> Array:
    """Return where the line meets the true faces of a cell, by Newton's method from the guesses.

    Each face for itself: the plane of one may be met so far off that the cell's map cannot be
    inverted there, which says nothing of the others. A line that grazes a curved face or meets it
    twice may be cut short of a crossing.
    """
    faces = np.flatnonzero(np.isfinite(guess))
    found = [_crossing(mesh, nodes, start, along, face, guess[face]) for face in faces]
    return np.array([s for s in found if s is not None])


def _crossing(
    mesh: Mesh, nodes: Array, start: Array, along: Array, face: np.intp, s: float
) -> float | None:
    """Return where the line meets a face of a cell, None if Newton's method finds no such place."""
    coordinate_map = compat.coordinate_map(mesh)
    geometry = mesh.ufl_domain().ufl_coordinate_element().basix_element
    cell = mesh.topology.cell_name()
    step = np.inf
    try:
        for _ in range(_NEWTON):
            reference = coordinate_map.pull_back((start + s * along)[None], nodes)
            beyond, gradient = _beyond(cell, reference)
            jacobian = geometry.tabulate(1, reference)[1:, 0, :, 0] @ nodes
            step = -beyond[0, face] / (gradient[face] @ np.linalg.solve(jacobian.T, along))
            s = s + step
    except RuntimeError:
        return None
    return float(s) if abs(step) < _SAME and beyond.max() < _NEAR else None


def _beyond(cell: str, reference: Array) -> tuple[Array, Array]:
    """How far points are outside each face in reference coordinates, and the gradients of that."""
    outer = np.ones((1, 3)) if cell == "tetrahedron" else np.eye(3)
    return np.hstack([-reference, reference @ outer.T - 1.0]), np.vstack([-np.eye(3), outer])
