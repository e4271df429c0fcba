"""Linear systems of Newton's method: the tangent now, by the factor of an earlier one.

Factorisations are most of the work, so that each is used as long as it helps: FGMRES solves with
the tangent of the present iterate and the last factor as its preconditioner, and the tangent is
factored anew when that takes too many iterations. What is factored is the symmetric part of the
tangent: that of a potential is symmetric, and of the others it says what can be said about
stability (:mod:`loligo.fem.solvers.stability`).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from petsc4py import PETSc

import dolfinx.fem.petsc

from loligo.fem.problem.problem import Problem
from loligo.fem.solvers.bordered import Border, Edge
from loligo.fem.solvers.factor import Solver, factor_of

_SYMMETRIC = 1e-11
"""Largest |(K - K^T) v| / |K v| of a tangent that counts as symmetric."""
_PATIENCE = 12
"""Iterations with an old factor after which a new one is cheaper: it costs about 25 of them."""
_FRESH = 60
"""Iterations with the factor of the tangent's own symmetric part."""
_WITHIN = 0.5
"""What an iterative factor is asked for over the tolerance: its norm is another."""


@dataclass
class Work:
    """What was done since the last converged state, and the wall time of the costly parts (s)."""

    factorisations: int = 0
    linear_iterations: int = 0
    seconds_assembly: float = 0.0
    seconds_factorisation: float = 0.0

    def plus(self, other: Work) -> Work:
        """Return the sum of both."""
        return Work(
            self.factorisations + other.factorisations,
            self.linear_iterations + other.linear_iterations,
            self.seconds_assembly + other.seconds_assembly,
            self.seconds_factorisation + other.seconds_factorisation,
        )


class Linear:
    """The bordered tangent of a problem and its factor."""

    def __init__(
        self,
        problem: Problem,
        cavities: tuple[str, ...],
        solver: Solver = "auto",
        edge: Callable[[], Edge] | None = None,
    ) -> None:
        """Allocate; whether the tangent can be unsymmetric is measured.

        Args:
            problem: the problem.
            cavities: those whose volume is prescribed.
            solver: see :data:`loligo.fem.solvers.factor.Solver`.
            edge: of a load factor that is unknown, see :class:`loligo.fem.solvers.bordered.Border`.
        """
        self._problem = problem
        self.matrix = dolfinx.fem.petsc.create_matrix(problem.tangent)
        """The tangent as it was assembled last: systems alone need no more than its products."""
        self.potential = self._generic_asymmetry() <= _SYMMETRIC
        """Whether every load has a potential, so that the tangent is always symmetric."""
        self._even = self.matrix if self.potential else self.matrix.duplicate()
        """Its symmetric part."""
        self.factor = factor_of(problem, self._even, solver)
        self.border = Border(problem, cavities, self.matrix, self.factor, edge)
        self._factored = False
        self.symmetric = True
        """Whether the tangent that was factored last is symmetric."""
        self.work = Work()
        self._ksp = ksp = PETSc.KSP().create(problem.comm)
        size = self.border.scale.getSizes()
        self._operator = PETSc.Mat().createPython((size, size), self.border, comm=problem.comm)
        self._operator.setUp()
        ksp.setOperators(self._operator)
        ksp.setType("fgmres")
        ksp.setGMRESRestart(_FRESH)
        ksp.getPC().setType("python")
        ksp.getPC().setPythonContext(self.border)

    def assemble(self) -> None:
        """Prepare for systems with the tangent at the problem's current state."""
        start = time.perf_counter()
        self.border.assemble()
        self.work.seconds_assembly += time.perf_counter() - start
        if self.factor.current:
            self._assemble_matrix()

    def _assemble_matrix(self) -> None:
        start = time.perf_counter()
        self._problem.assemble_tangent(self.matrix)
        if not self.potential:
            transposed = self.matrix.transpose(PETSc.Mat())
            self.matrix.copy(self._even, PETSc.Mat.Structure.SAME_NONZERO_PATTERN)
            self._even.axpy(1.0, transposed, PETSc.Mat.Structure.SAME_NONZERO_PATTERN)
            self._even.scale(0.5)
            transposed.destroy()
        self.work.seconds_assembly += time.perf_counter() - start

    def compute(self) -> None:
        """Factor the symmetric part of the tangent at the state that was prepared for last."""
        if not self.factor.current:
            self._assemble_matrix()
        start = time.perf_counter()
        if not self.potential:
            self.symmetric = self.asymmetry() <= _SYMMETRIC
        self.border.factor()
        self._factored = not self.factor.failure
        self.work.factorisations += 1
        self.work.seconds_factorisation += time.perf_counter() - start

    def solve(self, right: PETSc.Vec, solution: PETSc.Vec, tolerance: float) -> str | None:
        """Solve to a residual relative to the right-hand side, rows scaled; say why if it failed.

        The right-hand side has been multiplied by the border's scale.
        """
        if self._factored:
            if self._iterate(right, solution, tolerance, _PATIENCE):
                return None
            if self.factor.failure:  # with this very tangent: trying again would end alike
                return self.factor.failure
        self.compute()
        if self.factor.failure:
            return self.factor.failure
        if self._iterate(right, solution, tolerance, _FRESH):
            return None
        return "the linear system was not solved: the tangent is singular or far from symmetric"

    def _iterate(self, right: PETSc.Vec, solution: PETSc.Vec, tolerance: float, most: int) -> bool:
        self._ksp.setTolerances(rtol=tolerance, atol=0.0, divtol=1e10, max_it=most)
        if not len(self.border.schur):  # whose columns are rough
            self.factor.aim = _WITHIN * tolerance
        self._ksp.solve(right, solution)
        self.work.linear_iterations += self._ksp.getIterationNumber()
        return bool(self._ksp.getConvergedReason() > 0)

    def asymmetry(self) -> float:
        """Return |(K - K^T) v| / |K v| of the assembled tangent for a generic displacement v."""
        problem = self._problem
        v, right, left = (self.matrix.createVecRight() for _ in range(3))
        v.array_w[:] = problem.fields.wave(problem.length, 0.5)
        v.array_w[problem.supports.held] = 0.0
        self.matrix.mult(v, right)
        self.matrix.multTranspose(v, left)
        left.axpy(-1.0, right)
        found = left.norm() / right.norm()
        for vector in (v, right, left):
            vector.destroy()
        return float(found)

    def _generic_asymmetry(self) -> float:
        """The same at a generic state under every load; at rest the tangents of loads vanish."""
        problem = self._problem
        state = problem.save()
        problem.disturb()
        problem.assemble_tangent(self.matrix)
        problem.restore(state)
        if problem.motion:
            problem.motion.rest()
        return self.asymmetry()

    def destroy(self) -> None:
        """Free what PETSc and MUMPS hold; collective."""
        self._ksp.destroy()
        self._operator.destroy()
        self.border.free()
        self.factor.destroy()
        if self._even is not self.matrix:
            self._even.destroy()
        self.matrix.destroy()
