"""Factors by MUMPS's LDLT: how they are set up, and what went wrong with one."""

from __future__ import annotations

from petsc4py import PETSc

WORKSPACE = 60
"""Per cent of memory beyond what MUMPS expects to need; where pivots are delayed it needs more."""
_MEMORY = {-8, -9, -11, -13, -14, -15, -17, -18, -19, -20}
"""INFOG(1) that tells of too little memory or workspace."""


def factor_of(matrix: PETSc.Mat) -> PETSc.PC:
    """Return what will factor a symmetric matrix whose pattern is set; nothing is computed yet."""
    matrix.setOption(PETSc.Mat.Option.SYMMETRIC, True)
    pc = PETSc.PC().create(matrix.comm)
    pc.setOperators(matrix)
    pc.setType("cholesky")
    pc.setFactorSolverType("mumps")
    pc.setFactorSetUpSolverType()
    pc.getFactorMatrix().setMumpsIcntl(14, WORKSPACE)
    return pc


def trouble(pc: PETSc.PC, what: str) -> str:
    """Say why what was factored last could not be; empty if it could.

    Args:
        pc: has been set up.
        what: names the matrix.
    """
    error = pc.getFactorMatrix().getMumpsInfog(1)
    if error >= 0:
        return ""
    why = ": not enough memory" if error in _MEMORY else ""
    return f"MUMPS could not factor {what} (INFOG(1) = {error}){why}"
