"""Jacobi's method in blocks for :mod:`loligo.fem.solvers.krylov`: nodes, and planes with fibres.

A hoop that is displaced without being stretched costs next to nothing, yet each of its nodes alone
is as stiff as its thread: blocks of nodes would hardly move it. So the nodes of a plane along
fibres are one block, as far as cells with fibres go on: what a matrix couples within planes is
factored as a whole. Planes, not lines, since such layers are thin: their nodes are coupled across
them more than along them, and what varies along them alone would hardly move, either.
"""

from __future__ import annotations

from petsc4py import PETSc

import numpy as np
import numpy.typing as npt
import scipy.sparse

from loligo.fem.core.numbering import marked, numbered
from loligo.fem.problem.problem import Problem
from loligo.fem.solvers import mumps


class Planes:
    """A preconditioner for PETSc, of a matrix of the displacements alone."""

    def __init__(self, problem: Problem, planes: npt.NDArray[np.int32]) -> None:
        """Number the nodes in planes of a cell, nine each, and find what couples them; collective.

        Args:
            problem: whose displacements they are.
            planes: nodes of those in the cells of this rank and ghosts.
        """
        comm, index_map = problem.comm, problem.fields.nodal_space.dofmap.index_map
        owned = index_map.size_local
        taken = marked(index_map, planes.ravel())
        number = numbered(index_map, taken[:, None]).ravel()
        nodes = np.flatnonzero(taken[:owned])
        first = comm.scan(len(nodes)) - len(nodes)
        self._rows = (3 * nodes[:, None] + np.arange(3)).ravel()
        start = 3 * index_map.local_range[0]
        self._wanted = PETSc.IS().createGeneral((start + self._rows).astype(np.int32), comm=comm)
        i, j = (planes[:, k].ravel() for k in np.mgrid[:9, :9].reshape(2, -1))
        # Who has a node need not know a cell with fibres around it: its own block is always there.
        row, column = (number[np.r_[k[i < owned], nodes]] for k in (i, j))
        size = comm.allreduce(len(nodes))
        coupled = scipy.sparse.csr_matrix(
            (np.ones(len(row)), (row - first, column)), shape=(len(nodes), size)
        )
        self._pattern = scipy.sparse.kron(coupled, np.ones((3, 3)), format="csr")
        self._pattern.sort_indices()
        self._places: npt.NDArray[np.int64] | None = None
        shape = (3 * len(nodes), None)
        csr = (self._pattern.indptr, self._pattern.indices, np.zeros(self._pattern.nnz))
        self._blocks = PETSc.Mat().createAIJ((shape, shape), csr=csr, comm=comm)
        self._given, self._found = self._blocks.createVecs()
        self._points = PETSc.PC().create(comm)
        self._points.setType("pbjacobi")
        self._pc = mumps.factor_of(self._blocks)
        self.failure = ""
        """Why the last set-up failed."""

    def setUp(self, pc: PETSc.PC) -> None:
        """Factor the blocks of the matrix as it is now."""
        _, matrix = pc.getOperators()
        self._points.setOperators(matrix)
        self._points.setUp()
        part = matrix.createSubMatrix(self._wanted, self._wanted)
        starts, columns, values = part.getValuesCSR()
        part.destroy()
        if self._places is None:
            self._places = np.searchsorted(
                _keys(starts, columns), _keys(self._pattern.indptr, self._pattern.indices)
            )
        pattern = self._pattern
        self._blocks.setValuesCSR(pattern.indptr, pattern.indices, values[self._places])
        self._blocks.assemble()
        self._pc.setOperators(self._blocks)
        self._pc.setUp()
        self.failure = mumps.trouble(self._pc, "the planes of nodes with fibres")

    def apply(self, pc: PETSc.PC, x: PETSc.Vec, y: PETSc.Vec) -> None:
        """Set y to the inverse of the blocks times x."""
        self._points.apply(x, y)
        self._given.array_w[:] = x.array_r[self._rows]
        self._pc.apply(self._given, self._found)
        y.array_w[self._rows] = self._found.array_r

    def free(self) -> None:
        """Free all; not called destroy, which PETSc calls on the contexts of its objects."""
        for held in (
            self._pc,
            self._points,
            self._blocks,
            self._given,
            self._found,
            self._wanted,
        ):
            held.destroy()


def _keys(starts: npt.NDArray[np.int32], columns: npt.NDArray[np.int32]) -> npt.NDArray[np.int64]:
    """Return a number for every entry of a matrix of rows with ascending columns, ascending."""
    rows = np.repeat(np.arange(len(starts) - 1, dtype=np.int64), np.diff(starts))
    return rows << 32 | columns
