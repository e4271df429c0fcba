"""The largest principal stretch of a body, and where it is."""

from __future__ import annotations

from dataclasses import dataclass

from mpi4py import MPI

import basix
import basix.quadrature
import numpy as np
import numpy.typing as npt
import ufl
from dolfinx.fem import Expression

from loligo.fem.core.domain import cell_rule
from loligo.fem.problem.problem import Problem

Array = npt.NDArray[np.float64]

_TIE = 1e-6
"""Stretches that differ by less than this share are as large as one another."""


@dataclass(frozen=True)
class LargestStretch:
    """The most stretched quadrature point of a body."""

    stretch: float
    group: str
    """Cell group it lies in."""
    position: tuple[float, float, float]
    """At rest (m)."""


def largest_stretch(gradient: Array) -> Array:
    """Return the largest principal stretch of deformation gradients (..., 3, 3)."""
    right = np.swapaxes(gradient, -1, -2) @ gradient
    return np.asarray(np.sqrt(np.linalg.eigvalsh(right)[..., -1]))


class Stretches:
    """Principal stretches at the quadrature points of a problem."""

    def __init__(self, problem: Problem) -> None:
        """Compile the deformation gradient at the points of the cells' quadrature."""
        mesh = problem.domain.mesh
        cell = getattr(basix.CellType, mesh.topology.cell_name())
        rule = basix.quadrature.string_to_type(cell_rule(mesh))
        points, _ = basix.make_quadrature(cell, problem.quadrature[0], rule=rule)
        self._problem = problem
        self._gradient = Expression(problem.kinematics.gradient, points)
        self._place = Expression(ufl.SpatialCoordinate(mesh), points)
        tags = problem.domain.cell_tags
        owned = mesh.topology.index_map(mesh.topology.dim).size_local
        mine = tags.indices < owned
        self._cells, self._tags = tags.indices[mine], tags.values[mine]
        self._points = len(points)

    def of_cells(self, cells: npt.NDArray[np.int32]) -> Array:
        """Return the largest stretch at the points of some cells of this rank, shape (cells,)."""
        return np.asarray(self._at_points(cells).max(axis=1, initial=0.0))

    def _at_points(self, cells: npt.NDArray[np.int32]) -> Array:
        mesh = self._problem.domain.mesh
        gradient = self._gradient.eval(mesh, cells).reshape(-1, self._points, 3, 3)
        return largest_stretch(gradient)

    def largest(self) -> LargestStretch:
        """Return the largest stretch of all ranks, the same on all of them.

        Of places that are stretched alike, as on both sides of a plane of symmetry, it is at the
        first along x, then y, then z: rounding does not choose.
        """
        comm, mesh = self._problem.comm, self._problem.domain.mesh
        here = self._at_points(self._cells)
        most = comm.allreduce(float(here.max(initial=0.0)), op=MPI.MAX)
        cells, points = np.nonzero(here > (1.0 - _TIE) * most)
        groups = {tag: name for name, tag in self._problem.domain.cell_groups.items()}
        found = None
        if len(cells):
            every = self._place.eval(mesh, self._cells[cells]).reshape(len(cells), -1, 3)
            place = every[np.arange(len(cells)), points]
            rounded = np.round(place / (_TIE * self._problem.length))
            first = np.lexsort(rounded.T[::-1])[0]
            x, y, z = map(float, place[first])
            found = tuple(rounded[first]), groups[self._tags[cells[first]]], (x, y, z)
        gathered = [one for one in comm.allgather(found) if one is not None]
        _, group, position = min(gathered)
        return LargestStretch(most, group, position)
