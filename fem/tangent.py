"""The linear algebra of one Newton step: the factor of the tangent."""

from __future__ import annotations

from petsc4py import PETSc


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
        self._pc.setReusePreconditioner(False)
        self._pc.setUp()
        self._pc.setReusePreconditioner(True)  # the matrix goes on changing under the factor
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
