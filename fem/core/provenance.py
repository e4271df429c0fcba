"""The versions of what takes part in a 3D solution."""

from __future__ import annotations

from petsc4py import PETSc

from loligo.cases.core import provenance

PACKAGES = (
    "loligo",
    "fenics-dolfinx",
    "fenics-ffcx",
    "petsc4py",
    "mpi4py",
    "gmsh",
    "numpy",
    "xarray",
    "h5netcdf",
)


def versions() -> dict[str, str]:
    """Return the versions of what takes part in a 3D solution."""
    petsc = ".".join(map(str, PETSc.Sys.getVersion()))
    return {**provenance.versions(PACKAGES), "petsc": petsc}
