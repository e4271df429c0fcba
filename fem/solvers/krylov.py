r"""Large tangents by FGMRES: the work of a direct solve an eighth the size, the rest linear.

With :math:`K = [A, B^T; B, -C]`, A of the displacements u and C = 0 where incompressible, the
preconditioner is

.. math:: P = [\hat A, B^T; 0, -\hat S],

block triangular as of Murphy, Golub and Wathen (2000). Three things make it robust, and one fast:

- A alone is that of the isochoric energy and resists no change of volume. In a slender body
  dilatations that vary along it cost next to nothing, and :math:`S = C + B A^{-1} B^T`
  has large eigenvalues that no mass matrix has. :math:`\hat A` is A with
  :math:`\gamma \mu \int (J F^{-T} : \nabla u)(J F^{-T} : \nabla v) dV` added; then
  :math:`\hat S = \int (1/((1 + \gamma) \mu) + 1/\kappa) q^2 dV`, of which the diagonal is taken.
- :math:`\hat A` is inverted by one cycle of two levels, Chebyshev's method with blocks
  (:mod:`loligo.fem.solvers.smoother`) and functions of degree 1, and of degree 2 along thread
  (:mod:`loligo.fem.solvers.coarse`), where a direct solver takes over. No such choice is left to
  aggregation, which stalls on stiff thread.
- What FGMRES makes small are residuals over the square roots of the diagonals of A and
  :math:`\hat S`. Forces and volumes become comparable, and so do those of rubber and of discs a
  thousand times as stiff, which left alone cost three times as many iterations.
- Products with :math:`\hat A` are most of the work, and wait for memory. They are taken of its
  upper half in blocks of nodes, a third of the bytes of all entries with their columns.

Nothing is said about inertia: whether a state is stable stays unknown. Where the tangent has many
negative eigenvalues, as where stiff fibres are pressed together by more than mu, FGMRES becomes
slow or fails, and does so with the exact inverse of :math:`\hat A`, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from mpi4py import MPI
from petsc4py import PETSc

import dolfinx.fem.petsc
import numpy as np
import numpy.typing as npt
import ufl
from dolfinx.fem import Constant, form

from loligo.fem.problem.problem import Problem
from loligo.fem.solvers import fibre_cells, mumps
from loligo.fem.solvers.coarse import interpolation
from loligo.fem.solvers.smoother import Planes

Array = npt.NDArray[np.float64]

GAMMA = 0.5
"""Volumetric stiffness of the preconditioner over the shear modulus; 2 takes a third more
iterations, 0 up to three times as many."""
SWEEPS, LOWEST = 6, 0.03
"""Iterations of Chebyshev's method before and after the coarse level, and the lowest eigenvalue
that they are for, over the largest. With 4 and 0.1 fine meshes take a fifth more."""
TOLERANCE = 1e-2
"""Relative residual that makes a solution a preconditioner to whoever wants a better one."""
MOST = 150
"""Iterations after which a solve has failed that is not even that."""
_OPTIONS = {
    "pc_type": "mg",
    "pc_mg_levels": 2,
    "pc_mg_galerkin": "pmat",
    "mg_levels_ksp_type": "chebyshev",
    "mg_levels_ksp_max_it": SWEEPS,
    "mg_levels_ksp_chebyshev_esteig": f"0,{LOWEST},0,1.1",
    "mg_coarse_pc_type": "cholesky",
    "mg_coarse_pc_factor_mat_solver_type": "mumps",
    "mg_coarse_mat_mumps_icntl_14": mumps.WORKSPACE,
}
_PREFIX = "loligo_krylov_"


class Krylov:
    """FGMRES in the place of a factor of one problem's tangent."""

    def __init__(self, problem: Problem, matrix: PETSc.Mat) -> None:
        """Set up what does not depend on the state.

        Args:
            problem: mixed and of degree 2.
            matrix: where its tangent, or the symmetric part of it, is assembled.
        """
        self._matrix, self._state = matrix, -1
        self._blocks = _Blocks(problem, matrix)
        self._ksp = ksp = PETSc.KSP().create(problem.comm)
        sizes = self._blocks.scale.getSizes()
        self._operator = PETSc.Mat().createPython((sizes, sizes), self._blocks, comm=problem.comm)
        self._operator.setUp()
        ksp.setOperators(self._operator)
        ksp.setType("fgmres")
        ksp.setGMRESRestart(MOST)
        ksp.getPC().setType("python")
        ksp.getPC().setPythonContext(self._blocks)
        self._scaled = self._blocks.scale.duplicate()
        self.aim = TOLERANCE
        """Relative residual of the next solve; those after it are rough again."""
        self.iterations = 0
        """Of all solves so far."""
        self.failure = ""
        """Why the last solve failed."""
        self.current = True
        self.description = (
            f"FGMRES to {TOLERANCE:g}, block triangular, volumetric stiffness {GAMMA:g} mu, two "
            f"levels with {self._blocks.coarse} unknowns on the lower (MUMPS LDLT), {SWEEPS} "
            "Chebyshev iterations with blocks of nodes and of planes with fibres"
        )

    def compute(self) -> None:
        """Set the preconditioner up for the matrix as it is now."""
        self._blocks.compute()
        self._state = self._matrix.stateGet()
        self.failure = self._blocks.failure

    def solve(self, right: PETSc.Vec, solution: PETSc.Vec) -> None:
        """Solve with the matrix as it is now to the aim; not a number where that failed.

        A matrix that has changed gets a preconditioner of its own: it costs ten iterations, and an
        old one fails as soon as the body turns.
        """
        if self._matrix.stateGet() != self._state:
            self.compute()
        if self._blocks.failure:
            solution.set(np.nan)
            return
        self._scaled.pointwiseMult(right, self._blocks.scale)
        self._ksp.setTolerances(rtol=min(self.aim, TOLERANCE), atol=0.0, max_it=MOST)
        self.aim, self.failure = TOLERANCE, ""
        self._ksp.solve(self._scaled, solution)
        self.iterations += self._ksp.getIterationNumber()
        if self._ksp.getResidualNorm() <= TOLERANCE * self._scaled.norm():
            solution.pointwiseMult(solution, self._blocks.scale)
            return
        self.failure = (
            f"{self._ksp.getIterationNumber()} iterations of FGMRES did not solve the tangent "
            f"to {TOLERANCE:g}: it is nearly singular or indefinite, or a thread is too stiff"
        )
        solution.set(np.nan)

    def inertia(self) -> None:
        """Return None: an approximate inverse has no signs to count."""

    def destroy(self) -> None:
        """Free what PETSc and MUMPS hold; collective."""
        self._ksp.destroy()
        self._operator.destroy()
        self._scaled.destroy()
        self._blocks.free()


class _Blocks:
    """K as PETSc's operator (mult) and P as its preconditioner (apply), scaled from both sides."""

    def __init__(self, problem: Problem, matrix: PETSc.Mat) -> None:
        self._comm, self._matrix, fields = problem.comm, matrix, problem.fields
        self._nodal = fields.node_unknowns.ravel()
        pressure_space, unknowns = fields.space.sub(1).collapse()
        owned = pressure_space.dofmap.index_map.size_local
        self._pressures = np.asarray(unknowns, dtype=np.int64)[:owned]
        self._nodes = _selection(self._nodal, fields.owned, self._comm)
        self._held = problem.supports.held_here[self._nodal]
        self._softness = _softness(problem, pressure_space)
        self._volumetric = _volumetric_form(problem)
        self._stiffened = dolfinx.fem.petsc.create_matrix(self._volumetric)
        self._free, self._diagonal, self._force, self._motion = (
            self._stiffened.createVecRight() for _ in range(4)
        )
        self._free.array_w[:] = ~self._held
        self._block: PETSc.Mat | None = None
        self._upper = PETSc.Mat()
        kind = fibre_cells.kinds(problem)
        self._interpolation = interpolation(problem, kind)
        self.coarse = int(self._interpolation.getSize()[1])
        """Number of unknowns of the lower level."""
        self.scale, self._scaled = matrix.createVecRight(), matrix.createVecRight()
        self._pc = pc = PETSc.PC().create(self._comm)
        pc.setOptionsPrefix(_PREFIX)
        options = PETSc.Options(_PREFIX)
        for key, value in _OPTIONS.items():
            options[key] = value
        pc.setFromOptions()
        pc.setUseAmat(True)
        pc.setMGInterpolation(1, self._interpolation)
        # The lower level is solved by a factor alone, but PETSc wants an operator to be there.
        _, columns = self._interpolation.getSizes()
        self._unused = PETSc.Mat().createConstantDiagonal((columns, columns), 1.0, self._comm)
        pc.getMGCoarseSolve().setOperators(self._unused)
        planes, inner = fibre_cells.planes(problem, kind), pc.getMGSmoother(1).getPC()
        inner.setType("pbjacobi")
        self._planes: Planes | None = None
        if self._comm.allreduce(len(planes)):
            self._planes = Planes(problem, planes)
            inner.setType("python")
            inner.setPythonContext(self._planes)
        self.failure = ""
        """Why there is no P for the matrix that was computed for last."""

    def compute(self) -> None:
        """Set P and the scale up for the matrix as it is now."""
        with _lean_products(self._comm):
            self._block = self._matrix.ptap(self._nodes, self._block)
        self._stiffened.zeroEntries()
        dolfinx.fem.petsc.assemble_matrix(self._stiffened, self._volumetric)
        self._stiffened.assemble()
        self._stiffened.diagonalScale(self._free, self._free)
        self._block.axpy(1.0, self._stiffened, PETSc.Mat.Structure.SUBSET_NONZERO_PATTERN)
        self._block.setBlockSize(3)
        self._block.setOption(PETSc.Mat.Option.SYMMETRIC, True)
        self._block.convert("sbaij", self._upper)
        self._pc.setOperators(self._upper, self._block)
        with _lean_products(self._comm):
            self._pc.setUp()
        lower = self._pc.getMGCoarseSolve().getPC()
        self.failure = mumps.trouble(lower, "the lower level of the Krylov solver")
        if self._planes is not None:
            self.failure = self.failure or self._planes.failure
        self._block.getDiagonal(self._diagonal)
        self.scale.array_w[self._nodal] = np.abs(self._diagonal.array_r) ** -0.5
        self.scale.array_w[self._pressures] = self._softness**-0.5

    def mult(self, matrix: PETSc.Mat, x: PETSc.Vec, y: PETSc.Vec) -> None:
        """Set y = K x, scaled."""
        self._scaled.pointwiseMult(x, self.scale)
        self._matrix.mult(self._scaled, y)
        y.pointwiseMult(y, self.scale)

    def apply(self, pc: PETSc.PC, x: PETSc.Vec, y: PETSc.Vec) -> None:
        """Solve P y = x, scaled."""
        self._scaled.pointwiseDivide(x, self.scale)
        given = self._scaled.array_r[self._nodal]
        pressure = -self._scaled.array_r[self._pressures] / self._softness
        self._scaled.array_w[self._nodal] = 0.0
        self._scaled.array_w[self._pressures] = pressure
        self._matrix.mult(self._scaled, y)  # K (0, p) holds B^T p
        self._force.array_w[:] = given - y.array_r[self._nodal]
        self._pc.apply(self._force, self._motion)
        # Supports have unit rows, of which the smoother would leave a rest.
        y.array_w[self._nodal] = np.where(self._held, given, self._motion.array_r)
        y.array_w[self._pressures] = pressure
        y.pointwiseDivide(y, self.scale)

    def free(self) -> None:
        """Free all; not called destroy, which PETSc calls on the contexts of its objects."""
        self._pc.destroy()
        if self._planes is not None:
            self._planes.free()
        if self._block is not None:
            self._block.destroy()
        vectors = (self._free, self._diagonal, self._force, self._motion, self.scale, self._scaled)
        matrices = (self._nodes, self._stiffened, self._upper, self._interpolation, self._unused)
        for held in (*vectors, *matrices):
            held.destroy()


@contextmanager
def _lean_products(comm: MPI.Comm) -> Iterator[None]:
    """Let products of distributed matrices keep no copies of them, a quarter of all memory."""
    options = PETSc.Options()
    if comm.size > 1:  # one rank has no such choice
        options["matptap_via"] = "allatonce_merged"
    try:
        yield
    finally:
        options.delValue("matptap_via")


def _selection(unknowns: npt.NDArray[np.int64], size: int, comm: MPI.Comm) -> PETSc.Mat:
    """Return the matrix that puts values into these of a rank's unknowns; the others are zero."""
    order = np.argsort(unknowns).astype(np.int32)
    counts = np.zeros(size + 1, dtype=np.int32)
    counts[1 + unknowns] = 1
    first = sum(comm.allgather(len(unknowns))[: comm.rank])
    csr = (np.cumsum(counts, dtype=np.int32), first + order, np.ones(len(unknowns)))
    matrix = PETSc.Mat().createAIJ(((size, None), (len(unknowns), None)), csr=csr, comm=comm)
    matrix.assemble()
    return matrix


def _softness(problem: Problem, space: dolfinx.fem.FunctionSpace) -> Array:
    """Return the diagonal of S-hat for this rank's pressures (m^3/Pa)."""
    p, q = ufl.TrialFunction(space), ufl.TestFunction(space)
    terms = []
    for group, material in problem.materials.items():
        weight = 1 / ((1 + GAMMA) * material.elastomer.shear_modulus)
        if material.elastomer.bulk_modulus != "incompressible":
            weight += 1 / material.elastomer.bulk_modulus
        weight = Constant(problem.domain.mesh, weight)
        terms.append(weight * p * q * problem.kinematics.cells(group))
    mass = dolfinx.fem.petsc.assemble_matrix(form(sum(terms)))
    mass.assemble()
    diagonal = np.array(mass.getDiagonal().array_r)
    mass.destroy()
    return diagonal


def _volumetric_form(problem: Problem) -> Any:
    """Return gamma mu int (J F^-T : grad u)(J F^-T : grad v) dV in the current state, compiled."""
    space, f = problem.fields.nodal_space, problem.kinematics.gradient
    cofactor = ufl.det(f) * ufl.inv(f).T
    changes = [
        ufl.inner(cofactor, ufl.grad(w))
        for w in (ufl.TrialFunction(space), ufl.TestFunction(space))
    ]
    return form(
        sum(
            Constant(problem.domain.mesh, GAMMA * material.elastomer.shear_modulus)
            * changes[0]
            * changes[1]
            * problem.kinematics.cells(group)
            for group, material in problem.materials.items()
        )
    )
