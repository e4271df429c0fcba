"""The linear algebra of one Newton step: the tangent, its factor, and borders beside it.

A volume-controlled cavity adds one unknown, its pressure, and one equation, V = V_target, without
touching the matrix: with K the tangent, b = dR/dp and c = -dV/du of every cavity,

    K x + B y = r,    C^T x = g        (block elimination: S = -C^T K^-1 B, a small dense matrix).

K itself is singular only exactly at a limit point of pressure, between two steps.
"""

from __future__ import annotations

from petsc4py import PETSc

import numpy as np
import numpy.typing as npt

from loligo.fem.problem import Problem

Array = npt.NDArray[np.float64]


class Factor:
    """MUMPS on the tangent: LDLT if symmetric, else LU."""

    def __init__(self, matrix: PETSc.Mat, symmetric: bool) -> None:
        """Choose the factor of a matrix whose pattern is set; nothing is computed yet."""
        self._comm = matrix.comm
        self._matrix = matrix
        matrix.setOption(PETSc.Mat.Option.SYMMETRIC, symmetric)
        self._pc = pc = PETSc.PC().create(self._comm)
        pc.setOperators(matrix)
        pc.setType("cholesky" if symmetric else "lu")
        pc.setFactorSolverType("mumps")
        pc.setFactorSetUpSolverType()
        factor = pc.getFactorMatrix()
        factor.setMumpsIcntl(24, 1)  # detect null pivots
        factor.setMumpsIcntl(14, 60)  # per cent of extra workspace
        if self._comm.size > 1:
            factor.setMumpsIcntl(13, 1)  # or the pivots of the root are not counted
        self.fresh = False
        """Whether there is a factor of the present solve."""
        self.failure = ""
        """Why the last factor is none."""
        self.description = f"MUMPS {'LDLT' if symmetric else 'LU'}"

    def forget(self) -> None:
        """Say that no factor belongs to the solve that begins."""
        self.fresh, self.failure = False, ""

    def compute(self) -> None:
        """Factor the matrix as it is now."""
        self._pc.setOperators(self._matrix)
        self._pc.setUp()
        error = self._pc.getFactorMatrix().getMumpsInfog(1)
        self.failure = (
            f"MUMPS could not factor the tangent (INFOG(1) = {error})" if error < 0 else ""
        )
        self.fresh = True

    def solve(self, right: PETSc.Vec, solution: PETSc.Vec) -> None:
        """Solve with the last factor."""
        self._pc.apply(right, solution)

    def inertia(self) -> tuple[int, int]:
        """Negative and zero pivots."""
        negative, _, _ = self._pc.getFactorMatrix().getInertia()
        return int(negative), int(self._pc.getFactorMatrix().getMumpsInfog(28))

    def destroy(self) -> None:
        """Free MUMPS's memory; collective."""
        self._pc.destroy()


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
