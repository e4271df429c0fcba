"""A tangent with borders: one more unknown and one more equation for each.

A volume-controlled cavity adds its pressure and V = V_target without touching the matrix: with K
the tangent, b = dR/dp and c = -dV/du of every cavity,

    K x + B y = r,    C^T x = g        (block elimination: S = -C^T K^-1 B, a small dense matrix).

K itself is singular only exactly at a limit point of pressure, between two steps.
"""

from __future__ import annotations

from petsc4py import PETSc

import numpy as np
import numpy.typing as npt

from loligo.fem.problem import Problem
from loligo.fem.tangent import Factor

Array = npt.NDArray[np.float64]


class Border:
    """The bordered tangent as PETSc's operator (mult), its inverse as a preconditioner (apply)."""

    def __init__(
        self, problem: Problem, cavities: tuple[str, ...], matrix: PETSc.Mat, factor: Factor
    ) -> None:
        """Border the tangent by the volumes of these cavities."""
        self._problem, self._cavities = problem, cavities
        self._matrix, self._factor = matrix, factor
        self._columns: list[PETSc.Vec] = []
        self._rows: list[PETSc.Vec] = []
        self._solved: list[PETSc.Vec] = []
        self.schur = np.zeros((len(cavities), len(cavities)))
        """S = -C^T K^-1 B at the last factor."""
        self._in, self._out = matrix.createVecRight(), matrix.createVecRight()
        self._comm = problem.comm
        self._last = self._comm.rank == self._comm.size - 1

    def clear(self) -> None:
        """Free the border's vectors."""
        for vector in (*self._columns, *self._rows, *self._solved):
            vector.destroy()
        self._columns, self._rows, self._solved = [], [], []

    def factor(self) -> None:
        """Assemble and factor the tangent at the problem's current state."""
        self._problem.assemble_tangent(self._matrix)
        self._factor.compute()
        self.clear()
        for cavity in self._cavities:
            column, row = self._problem.assemble_border(cavity)
            row.scale(-1.0)
            solved = self._matrix.createVecRight()
            self._factor.solve(column, solved)
            self._columns.append(column)
            self._rows.append(row)
            self._solved.append(solved)
        products = [[row.dot(solved) for solved in self._solved] for row in self._rows]
        self.schur = -np.array(products).reshape(self.schur.shape)

    @property
    def symmetric(self) -> bool:
        """Whether B = C, as for closed cavities: pressure then does work on the volume alone."""
        return all(
            (column - row).norm() <= 1e-9 * column.norm()
            for column, row in zip(self._columns, self._rows, strict=True)
        )

    def mult(self, matrix: PETSc.Mat, x: PETSc.Vec, y: PETSc.Vec) -> None:
        """Set y = [K B; C^T 0] x."""
        tail = self._split(x)
        self._matrix.mult(self._in, self._out)
        for column, value in zip(self._columns, tail, strict=True):
            self._out.axpy(value, column)
        self._join(y, [row.dot(self._in) for row in self._rows])

    def apply(self, pc: PETSc.PC, x: PETSc.Vec, y: PETSc.Vec) -> None:
        """Solve [K B; C^T 0] y = x by block elimination."""
        tail = self._split(x)
        if self._factor.failure:
            y.set(np.nan)
            return
        self._factor.solve(self._in, self._out)
        if self._cavities:
            gap = tail - np.array([row.dot(self._out) for row in self._rows])
            tail = np.linalg.solve(self.schur, gap)
            for solved, value in zip(self._solved, tail, strict=True):
                self._out.axpy(-value, solved)
        self._join(y, tail)

    def _split(self, x: PETSc.Vec) -> Array:
        owned = self._problem.fields.owned
        self._in.array_w[:] = x.array_r[:owned]
        if not self._cavities:
            return np.zeros(0)
        tail = x.array_r[owned:].copy() if self._last else None
        return np.asarray(self._comm.bcast(tail, self._comm.size - 1))

    def _join(self, y: PETSc.Vec, tail: npt.ArrayLike) -> None:
        owned = self._problem.fields.owned
        y.array_w[:owned] = self._out.array_r
        if self._last:
            y.array_w[owned:] = tail
