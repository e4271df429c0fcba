"""Numbers from distributed fields: sums, values at points. Every function here is collective."""

from __future__ import annotations

from mpi4py import MPI

import dolfinx.fem
import numpy as np
import numpy.typing as npt
from dolfinx.geometry import bb_tree, compute_collisions_points
from dolfinx.mesh import Mesh

from loligo.fem.core import compat

Array = npt.NDArray[np.float64]

_OUTSIDE = 1e-6
"""How far outside a cell, in its reference coordinates, a point may lie and still belong to it."""


def global_sum(form: dolfinx.fem.Form) -> float:
    """Return the value of a compiled scalar form over all ranks."""
    return float(form.mesh.comm.allreduce(dolfinx.fem.assemble_scalar(form)))


class Probe:
    """Points of the reference body, each owned by one cell of one rank, to read fields at."""

    def __init__(self, mesh: Mesh, points: npt.ArrayLike) -> None:
        """Find the owner of every point.

        Args:
            mesh: the reference mesh.
            points: the same on all ranks, shape (points, 3) (m).

        Raises:
            ValueError: on all ranks, if a point lies outside the mesh.
        """
        self._points = np.atleast_2d(np.asarray(points, dtype=np.float64))
        self._comm = mesh.comm
        self._mine, self._cells = locate(mesh, self._points)

    def read(self, field: dolfinx.fem.Function) -> Array:
        """Return a field's values at the points on every rank, shape (points, components)."""
        value = np.zeros((len(self._points), int(np.prod(field.ufl_shape))))
        if len(self._mine):
            here = field.eval(self._points[self._mine], self._cells)
            value[self._mine] = np.reshape(here, (len(self._mine), -1))
        total = np.empty_like(value)
        self._comm.Allreduce(value, total)
        return total


def locate(mesh: Mesh, points: Array) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.int32]]:
    """Return which points this rank owns, and the cell of each.

    Every point has one owner: the cell it lies deepest in, then the lowest rank.

    Args:
        mesh: the reference mesh.
        points: the same on all ranks, shape (points, 3) (m).

    Raises:
        ValueError: on all ranks, if a point lies outside the mesh.
    """
    cells, outside = _deepest_cells(mesh, points)
    best = np.empty_like(outside)
    mesh.comm.Allreduce(outside, best, op=MPI.MIN)
    lost = np.flatnonzero(best > _OUTSIDE)
    if len(lost):
        raise ValueError(
            f"{len(lost)} of {len(best)} points lie outside the mesh, the first at "
            f"{tuple(points[lost[0]].tolist())}; move them into the body"
        )
    rank = np.where(outside == best, mesh.comm.rank, mesh.comm.size)
    owner = np.empty_like(rank)
    mesh.comm.Allreduce(rank, owner, op=MPI.MIN)
    mine = np.flatnonzero(owner == mesh.comm.rank)
    return mine, cells[mine]


def _deepest_cells(mesh: Mesh, points: Array) -> tuple[npt.NDArray[np.int32], Array]:
    """For each point this rank's owned cell in which it lies deepest, and how far outside it is."""
    cells = np.full(len(points), -1, dtype=np.int32)
    outside = np.full(len(points), np.inf)
    dim = mesh.topology.dim
    owned = np.arange(mesh.topology.index_map(dim).size_local, dtype=np.int32)
    if not len(owned):
        return cells, outside
    nodes = mesh.geometry.x[compat.geometry_dofmap(mesh)[owned]]
    size = float(np.ptp(nodes, axis=1).max())
    # A curved cell bulges out of the box of its vertices; a tenth of the largest cell covers that.
    tree = bb_tree(mesh, dim, entities=owned, padding=0.1 * size)
    candidates = compute_collisions_points(tree, points)
    coordinate_map = compat.coordinate_map(mesh)
    is_simplex = mesh.topology.cell_name() == "tetrahedron"
    for i in range(len(points)):
        for cell in candidates.links(i):
            try:
                reference = coordinate_map.pull_back(points[i : i + 1], nodes[cell])[0]
            except RuntimeError:  # the point is so far off that the map cannot be inverted there
                continue
            beyond = [-reference.min(), (reference.sum() if is_simplex else reference.max()) - 1.0]
            if max(beyond) < outside[i]:
                cells[i], outside[i] = cell, max(beyond)
    return cells, outside
