r"""Equilibrium of a cross-section: strain or wrench prescribed by component, and its full tangent.

Newton's method on the unknowns w, the multipliers of the six conditions, and those components of
the strain whose wrench is prescribed. Every iteration factors one matrix,

.. math:: A = \begin{pmatrix} K & B^T \\ B & 0 \end{pmatrix}, \qquad K = \Pi_{ww},

solves with it for the residual and for the columns of :math:`\Pi_{wz}`, z = (strain, pressures),
and eliminates w:

.. math:: \hat\Pi_{zz} = \Pi_{zz} - \Pi_{zw} A^{-1} \Pi_{wz} .

At the solution that is the tangent of the section: wrench and minus the volumes, by strain and
pressures. It is symmetric. The number of negative pivots of A beyond those of the pressures and
conditions is the number of unstable modes of the section at fixed strain.
"""

from __future__ import annotations

from dataclasses import dataclass

from petsc4py import PETSc

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from loligo.cases.core.record import LoligoError
from loligo.fem.cross_section.problem import SectionProblem
from loligo.fem.solvers import mumps

Array = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

_TOLERANCE = 1e-9
"""Of the residual over its scale, and of the last correction over the section's size."""
_MOST = 25
"""Iterations."""
FREE: Mask = np.ones(6, dtype=bool)
HELD: Mask = np.zeros(6, dtype=bool)


@dataclass(frozen=True)
class Target:
    """What is prescribed: pressures, and of every component the wrench or the strain."""

    pressures: Array
    """Of the chambers (Pa)."""
    free: Mask
    """Components whose wrench is prescribed; of the others the strain is."""
    values: Array
    """Wrench (N m, N) of section and fluid where free, strain elsewhere; shape (6,)."""

    def between(self, other: Target, fraction: float) -> Target:
        """Return the target at a fraction of the way to another with the same components free."""
        return Target(
            (1.0 - fraction) * self.pressures + fraction * other.pressures,
            other.free,
            (1.0 - fraction) * self.values + fraction * other.values,
        )


@dataclass(frozen=True)
class SectionState:
    """An equilibrium of the section."""

    strain: Array
    """(k; v), shape (6,)."""
    pressures: Array
    """Of the chambers (Pa)."""
    wrench: Array
    """Of section and fluid (N m, N), shape (6,)."""
    wrench_solid: Array
    """Of the solid alone (N m, N), shape (6,)."""
    volumes: Array
    """Of the chambers per reference length (m^2)."""
    energy: float
    """Of the solid per reference length (J/m)."""
    tangent: Array
    """d(wrench; -volumes)/d(strain; pressures), shape (6 + chambers, 6 + chambers)."""
    unstable: int
    """Number of unstable modes at fixed strain; 0 in a stable section."""
    radius: float
    """sqrt(A/pi) of the solid (m), which makes bends and stretches comparable."""
    unknowns: Array
    multipliers: Array
    iterations: int


class SectionNotSolved(LoligoError, RuntimeError):
    """Newton's method has no solution; the problem is in its last state."""


def solve(
    problem: SectionProblem, target: Target, start: SectionState | None = None
) -> SectionState:
    """Solve for the equilibrium at a target, from a state or from the problem's present one.

    Raises:
        NoEquilibrium: if Newton's method does not converge, or cells fold.
    """
    multipliers: Array = np.zeros(6)
    strain: Array = problem.strain
    if start is not None:
        problem.unknowns.x.array[:] = start.unknowns
        multipliers, strain = start.multipliers.copy(), start.strain.copy()
    strain[~target.free] = target.values[~target.free]
    problem.set_strain(strain)
    problem.set_pressures(target.pressures)
    free = np.flatnonzero(target.free)
    radius = np.sqrt(problem.area / np.pi)
    force_scale = problem.modulus * radius
    wrench_scale = problem.modulus * radius**2 * np.array([radius] * 3 + [1.0] * 3)
    for iteration in range(_MOST + 1):
        system = _System(problem)
        force = problem.residual() + problem.conditions.T @ multipliers
        gap = problem.conditions @ problem.unknowns.x.array + problem.condition_values
        gradient = problem.gradient()
        missing = (target.values - gradient[:6])[free]
        error = max(
            float(np.abs(force[system.displacements]).max()) / force_scale,
            float(np.abs(force[system.pressures]).max(initial=0.0)) / problem.area,
            float(np.abs(missing / wrench_scale[free]).max(initial=0.0)),
        )
        if not np.isfinite(error):
            raise SectionNotSolved("the residual is not finite")
        coupling, second = problem.coupling(), problem.second()
        system.factor()
        right = np.vstack(
            [-np.column_stack([force, coupling]), np.zeros((6, coupling.shape[1] + 1))]
        )
        right[len(force) :, 0] = -gap
        answer = system.solve(right)
        tangent = second + coupling.T @ answer[: len(force), 1:]
        if error < _TOLERANCE:
            break
        if iteration == _MOST:
            raise SectionNotSolved(
                f"no convergence in {_MOST} iterations; the residual is {error:.1e}"
            )
        change = np.zeros(6)
        if len(free):
            slope = tangent[np.ix_(free, free)]
            change[free] = np.linalg.solve(
                slope, missing - (coupling.T @ answer[: len(force), 0])[free]
            )
        move = answer[:, 0] + answer[:, 1:7] @ change
        problem.unknowns.x.array[:] += move[: len(force)]
        multipliers += move[len(force) :]
        problem.set_strain(problem.strain + change)
    if problem.folded() > 0.0:
        raise SectionNotSolved("cells are folded")
    return SectionState(
        strain=problem.strain,
        pressures=problem.pressures,
        wrench=gradient[:6],
        wrench_solid=problem.wrench_of_solid(),
        volumes=-gradient[6:],
        energy=problem.energy(),
        tangent=np.asarray((tangent + tangent.T) / 2.0, dtype=np.float64),
        unstable=system.unstable(),
        radius=float(radius),
        unknowns=problem.unknowns.x.array.copy(),
        multipliers=multipliers,
        iterations=iteration,
    )


class _System:
    """The bordered matrix at the problem's present state, and its factor."""

    def __init__(self, problem: SectionProblem) -> None:
        self._problem = problem
        self.pressures = problem.pressure_unknowns
        self.displacements = np.setdiff1d(np.arange(problem.size), self.pressures)

    def factor(self) -> None:
        """Assemble and factor."""
        rows = sp.csr_matrix(self._problem.conditions)
        matrix = sp.bmat([[self._problem.tangent(), rows.T], [rows, None]], format="csr")
        matrix.setdiag(matrix.diagonal())  # MUMPS wants every diagonal entry in the pattern
        matrix.sort_indices()
        index = matrix.indptr.astype(PETSc.IntType), matrix.indices.astype(PETSc.IntType)
        self._matrix = PETSc.Mat().createAIJ(
            matrix.shape, csr=(*index, matrix.data), comm=PETSc.COMM_SELF
        )
        self._matrix.assemble()
        self._pc = mumps.factor_of(self._matrix)
        self._pc.getFactorMatrix().setMumpsIcntl(24, 1)  # or the inertia is not counted
        self._pc.setUp()
        if failure := mumps.trouble(self._pc, "the section's tangent"):
            raise SectionNotSolved(failure)

    def solve(self, right: Array) -> Array:
        """Solve for several right-hand sides, shape (unknowns + 6, n)."""
        given = PETSc.Mat().createDense(
            right.shape, array=np.asfortranarray(right), comm=PETSc.COMM_SELF
        )
        result = PETSc.Mat().createDense(right.shape, comm=PETSc.COMM_SELF)
        result.setUp()
        self._pc.getFactorMatrix().matSolve(given, result)
        answer = np.array(result.getDenseArray())
        given.destroy()
        result.destroy()
        return answer

    def unstable(self) -> int:
        """Negative pivots beyond those of the pressures and the conditions."""
        negative, _, _ = self._pc.getFactorMatrix().getInertia()
        return int(negative) - len(self._problem.pressure_unknowns) - 6
