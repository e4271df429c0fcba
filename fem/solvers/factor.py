"""What stands for the inverse of a tangent: a factor, or an iteration where one is too large."""

from __future__ import annotations

from typing import Literal, Protocol

from petsc4py import PETSc

from loligo.fem.problem.problem import Problem
from loligo.fem.solvers import mumps
from loligo.fem.solvers.krylov import Krylov

Solver = Literal["auto", "direct", "krylov"]
"""How tangents are inverted; "auto" goes by the number of unknowns."""
LARGE = 600_000
"""Unknowns from which "auto" takes Krylov. It is cheaper from 200 000 to 400 000 on, but does not
know whether a state is stable; here a factor needs about 13 GB in a bulky body."""


class Factor(Protocol):
    """The inverse of a tangent, exact or not."""

    failure: str
    """Why the last attempt gave none; empty if it did."""
    aim: float
    """Relative residual that the next solve is for, if it is not exact anyway."""
    description: str
    current: bool
    """Whether it solves with the matrix as it is now, which every system then has to assemble."""

    def compute(self) -> None:
        """Prepare for the matrix as it is now."""

    def solve(self, right: PETSc.Vec, solution: PETSc.Vec) -> None:
        """Solve with what was prepared last."""

    def inertia(self) -> tuple[int, int] | None:
        """Return the numbers of negative and of zero pivots; None if they are not known."""

    def destroy(self) -> None:
        """Free what it holds; collective."""


def factor_of(problem: Problem, matrix: PETSc.Mat, solver: Solver = "auto") -> Factor:
    """Return what inverts a symmetric tangent whose pattern is set; nothing is computed yet.

    Args:
        problem: whose tangent it is.
        matrix: the tangent or the symmetric part of it.
        solver: "krylov" needs the mixed method of degree 2.

    Raises:
        ValueError: if the solver cannot serve the problem.
    """
    fields = problem.fields
    suits = fields.pressure is not None and fields.degree == 2
    if solver == "krylov" and not suits:
        raise ValueError(
            'the solver "krylov" needs the mixed method with displacements of degree 2; '
            'take "direct"'
        )
    large = fields.space.dofmap.index_map.size_global >= LARGE
    if solver == "krylov" or (solver == "auto" and suits and large):
        return Krylov(problem, matrix)
    return Direct(matrix)


class Direct:
    """MUMPS's LDLT of a symmetric matrix."""

    def __init__(self, matrix: PETSc.Mat) -> None:
        """Choose the factor of a matrix whose pattern is set; nothing is computed yet."""
        self._matrix = matrix
        self._pc = mumps.factor_of(matrix)
        factor = self._pc.getFactorMatrix()
        factor.setMumpsIcntl(24, 1)  # detect null pivots
        if matrix.comm.size > 1:
            factor.setMumpsIcntl(13, 1)  # or the pivots of the root are not counted
        self.failure = ""
        """Why there is no factor."""
        self.aim = 0.0
        self.description = "MUMPS LDLT"
        self.current = False

    def compute(self) -> None:
        """Factor the matrix as it is now."""
        self._pc.setOperators(self._matrix)
        self._pc.setReusePreconditioner(False)
        self._pc.setUp()
        self._pc.setReusePreconditioner(True)  # the matrix goes on changing under the factor
        self.failure = mumps.trouble(self._pc, "the tangent")

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
