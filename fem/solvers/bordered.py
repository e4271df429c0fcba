"""A tangent with borders: one more unknown and one more equation for each.

A volume-controlled cavity adds its pressure and V = V_target without touching the matrix: with K
the tangent, b = dR/dp and c = -dV/du of every cavity,

    K x + B y = r,    C^T x - Y y = g    (block elimination: S = -Y - C^T K^-1 B, small and dense),

with Y what the supplies yield. Arc length adds one more: the load factor, and the step's length.

K itself is singular only exactly at a limit point of pressure or load, between two steps.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from petsc4py import PETSc

import numpy as np
import numpy.typing as npt

from loligo.fem.problem.problem import Problem
from loligo.fem.solvers.factor import Factor

Array = npt.NDArray[np.float64]


@dataclass
class Edge:
    """The last column, row and corner of a border, of the load factor and its equation."""

    column: PETSc.Vec
    """Derivative of the residual by the load factor."""
    row: PETSc.Vec
    """Derivative of the equation by the unknowns."""
    given: Array
    """Derivatives by the load factor of what cavities are to deliver, without the part of supports
    that move."""
    corner: float
    """Derivative of the equation by the load factor."""


class Border:
    """The bordered tangent as PETSc's operator (mult), its inverse as a preconditioner (apply).

    The operator is that of the problem's current state. The inverse is that of the last factored
    one, which may be older. What the operator gives is multiplied by a scale for every row, so that
    its norm makes sense: forces and volumes have units of their own.
    """

    def __init__(
        self,
        problem: Problem,
        cavities: tuple[str, ...],
        matrix: PETSc.Mat,
        factor: Factor,
        edge: Callable[[], Edge] | None = None,
    ) -> None:
        """Border the tangent by the volumes of these cavities, and by a load factor if it has one.

        ``edge`` gives new vectors at the problem's current state.
        """
        self._problem, self._cavities, self._edge = problem, cavities, edge
        count = len(cavities) + (edge is not None)
        self._factor = factor
        self._columns: list[PETSc.Vec] = []
        self._rows: list[PETSc.Vec] = []
        self._in, self._out = matrix.createVecRight(), matrix.createVecRight()
        self._solved = [self._in.duplicate() for _ in range(count)]
        self._factored_rows = [self._in.duplicate() for _ in range(count)]
        self.schur: Array = np.zeros((count, count))
        """S of the last factor."""
        self._yielding = np.zeros((count, count))
        """Y: what supplies swallow per pressure, and minus what the load factor has them give."""
        for i, name in enumerate(cavities):
            self._yielding[i, i] = problem.compliance(name)
        self._comm = problem.comm
        self._last = self._comm.rank == self._comm.size - 1
        extra = count if self._last else 0
        self.scale = PETSc.Vec().createMPI((problem.fields.owned + extra, None), comm=self._comm)
        """What the rows are multiplied by."""
        self.scale.set(1.0)
        self._scaled = self.scale.duplicate()

    def clear(self) -> None:
        """Free the vectors of the border at the last state."""
        for vector in (*self._columns, *self._rows):
            vector.destroy()
        self._columns, self._rows = [], []

    def free(self) -> None:
        """Free all vectors. PETSc calls ``destroy`` on contexts, so that this is none."""
        self.clear()
        kept = (*self._solved, *self._factored_rows)
        for vector in (*kept, self._in, self._out, self.scale, self._scaled):
            vector.destroy()

    def assemble(self) -> None:
        """Assemble the border at the problem's current state."""
        self.clear()
        for cavity in self._cavities:
            column, row = self._problem.assemble_border(cavity)
            row.scale(-1.0)
            self._columns.append(column)
            self._rows.append(row)
        if self._edge is not None:
            edge = self._edge()
            self._columns.append(edge.column)
            self._rows.append(edge.row)
            self._yielding[:-1, -1] = -edge.given
            self._yielding[-1, -1] = -edge.corner

    def factor(self) -> None:
        """Factor the tangent, and eliminate the border that has been assembled last."""
        self._factor.compute()
        if self._factor.failure:
            return
        for column, row, solved, kept in zip(
            self._columns, self._rows, self._solved, self._factored_rows, strict=True
        ):
            self._factor.solve(column, solved)
            row.copy(kept)
        products = [[row.dot(solved) for solved in self._solved] for row in self._rows]
        self.schur = -np.array(products).reshape(self.schur.shape) - self._yielding

    @property
    def symmetric(self) -> bool:
        """Whether B = C, as for closed cavities: pressure then does work on the volume alone."""
        for column, row, _ in zip(self._columns, self._rows, self._cavities, strict=False):
            column.copy(self._out)
            self._out.axpy(-1.0, row)
            if self._out.norm() > 1e-9 * column.norm():
                return False
        return True

    def potential_schur(self) -> Array:
        """Return -Y - B^T K^-1 B of the cavities with the last factor, symmetric like it."""
        n = len(self._cavities)
        products = [
            [column.dot(solved) for solved in self._solved[:n]] for column in self._columns[:n]
        ]
        schur = -np.array(products).reshape(n, n) - self._yielding[:n, :n]
        return np.asarray((schur + schur.T) / 2)

    def mult(self, matrix: PETSc.Mat, x: PETSc.Vec, y: PETSc.Vec) -> None:
        """Set y = [K B; C^T 0] x, rows scaled."""
        tail = self._split(x)
        self._problem.multiply(self._in, self._out)
        self._problem.multiply_water(self._in, self._out)
        for column, value in zip(self._columns, tail, strict=True):
            self._out.axpy(value, column)
        given = [row.dot(self._in) for row in self._rows]
        self.join(y, self._out, given - self._yielding @ tail)
        y.pointwiseMult(y, self.scale)

    def apply(self, pc: PETSc.PC, x: PETSc.Vec, y: PETSc.Vec) -> None:
        """Solve [K B; C^T 0] y = x of the last factor by block elimination, rows scaled."""
        self._scaled.pointwiseDivide(x, self.scale)
        tail = self._split(self._scaled)
        self._factor.solve(self._in, self._out)
        if len(tail):
            gap = tail - np.array([row.dot(self._out) for row in self._factored_rows])
            tail = np.linalg.solve(self.schur, gap)
            for solved, value in zip(self._solved, tail, strict=True):
                self._out.axpy(-value, solved)
        self.join(y, self._out, tail)

    def yield_to(self, force: PETSc.Vec, way: PETSc.Vec) -> None:
        """Set the way that the body goes under a force, volumes kept, with the last factor.

        The load factor stays as it is, and so the equation of a step's length has no say.
        """
        self._factor.solve(force, way)
        n = len(self._cavities)
        if n:
            swept = np.array([row.dot(way) for row in self._factored_rows[:n]])
            pressures = np.linalg.solve(self.schur[:n, :n], -swept)
            for solved, value in zip(self._solved[:n], pressures, strict=True):
                way.axpy(-value, solved)

    def join(self, y: PETSc.Vec, head: PETSc.Vec, tail: npt.ArrayLike) -> None:
        """Put the unknowns of the tangent and those of the border, equal on all ranks, into y."""
        owned = self._problem.fields.owned
        y.array_w[:owned] = head.array_r[:owned]
        if self._last:
            y.array_w[owned:] = tail

    def tail(self, x: PETSc.Vec) -> Array:
        """Return the unknowns of the border on all ranks."""
        if not len(self.schur):
            return np.zeros(0)
        tail = x.array_r[self._problem.fields.owned :].copy() if self._last else None
        return np.asarray(self._comm.bcast(tail, self._comm.size - 1))

    def _split(self, x: PETSc.Vec) -> Array:
        self._in.array_w[:] = x.array_r[: self._problem.fields.owned]
        return self.tail(x)
