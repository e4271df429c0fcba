"""Which cells have fibres along one of their axes, and the planes of nodes that those lie in."""

from __future__ import annotations

from typing import Any

import basix
import numpy as np
import numpy.typing as npt
import ufl
from dolfinx.fem import Expression

from loligo.fem.core import compat
from loligo.fem.materials.fibres import Fibres
from loligo.fem.problem.problem import Problem

PLAIN, ASKEW = 0, 4
"""Kinds of cells: without fibres, and with fibres along none of their axes; those between have them
along axis kind - 1."""
_ALONG = 0.999
"""Least cosine between fibres and an axis that they are along."""


def kinds(problem: Problem) -> npt.NDArray[np.int64]:
    """Return the kind of every cell that this rank knows; axes are those of hexahedra."""
    domain = problem.domain
    topology = domain.mesh.topology
    cell_map = topology.index_map(topology.dim)
    found = np.full(cell_map.size_local + cell_map.num_ghosts, PLAIN)
    hexahedra = domain.mesh.basix_cell() == basix.CellType.hexahedron
    for thread in problem.threads:
        if isinstance(thread, Fibres):
            cells = domain.cells(thread.cells)
            found[cells] = _along(problem, thread, cells) if hexahedra else ASKEW
    return found


def planes(problem: Problem, kind: npt.NDArray[np.int64]) -> npt.NDArray[np.int32]:
    """Return the nodes of planes along fibres, nine by nine, in the cells of this rank and ghosts.

    A cell with fibres along an axis has three, across the longest of its other axes.

    Args:
        problem: whose displacements they are.
        kind: of every cell that this rank knows, of :func:`kinds`.
    """
    cells = np.asarray(problem.fields.nodal_space.dofmap.list)
    cell = problem.domain.mesh.basix_cell()
    (threaded,) = np.nonzero((kind != PLAIN) & (kind != ASKEW))
    if not len(threaded):
        return cells[:0, :9]
    lengths = np.linalg.norm(_axes(problem, threaded), axis=2)
    lengths[np.arange(len(threaded)), kind[threaded] - 1] = 0.0
    across = lengths.argmax(axis=1)
    found = []
    for axis in set(across.tolist()):
        order = np.argsort(element(cell, 2).points[:, axis].round(6), kind="stable")
        found.append(cells[threaded[across == axis]][:, order].reshape(-1, 9))
    return np.concatenate(found)


def element(cell: basix.CellType, degree: int) -> Any:
    """Return the element that dolfinx has for functions of a degree."""
    variant = basix.LagrangeVariant.gll_warped
    return basix.create_element(basix.ElementFamily.P, cell, degree, variant)


def _along(problem: Problem, fibres: Fibres, cells: npt.NDArray[np.int32]) -> npt.NDArray[np.int64]:
    """Return the kinds of hexahedra with fibres, by their direction amid a cell."""
    mesh = problem.domain.mesh
    direction = ufl.as_vector(fibres.direction(ufl.SpatialCoordinate(mesh)))
    amid = Expression(direction, np.full((1, 3), 0.5), comm=mesh.comm)
    way = amid.eval(mesh, cells).reshape(-1, 3)
    axes = _axes(problem, cells)
    sizes = np.linalg.norm(axes, axis=2) * np.linalg.norm(way, axis=1)[:, None]
    cosines = abs(np.einsum("ndi,ni->nd", axes, way)) / sizes
    return np.where(cosines.max(axis=1) > _ALONG, 1 + cosines.argmax(axis=1), ASKEW)


def _axes(problem: Problem, cells: npt.NDArray[np.integer[Any]]) -> npt.NDArray[np.float64]:
    """Return the mean edges of hexahedra along their axes, shape (cells, 3, 3)."""
    corners = basix.geometry(basix.CellType.hexahedron)
    nodes = compat.geometry_dofmap(problem.domain.mesh)[cells][:, : len(corners)]
    at = problem.domain.mesh.geometry.x[nodes]
    edges: npt.NDArray[np.float64] = np.einsum("nci,cd->ndi", at, (corners - 0.5) / 2.0)
    return edges
