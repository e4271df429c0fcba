"""Where dolfinx 0.9 and 0.10 to 0.11 differ: the only module that knows versions."""

from __future__ import annotations

import signal
from contextlib import suppress
from typing import Any

from mpi4py import MPI
from petsc4py import PETSc  # noqa: F401  it takes over signals as it is loaded

import dolfinx.jit
import dolfinx.mesh
import numpy as np
import numpy.typing as npt
from dolfinx.mesh import CellType, GhostMode, Mesh, MeshTags, create_cell_partitioner

from loligo.fem.core import jit

jit.guard()
# A reader that closes its end of a pipe, as `head` does, is an exception in Python. PETSc would
# end the process, and all ranks with it.
with suppress(ValueError):  # not of the main thread
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
# Products of sums are multiplied out in FFCx's kernels; with these the compiler may collect them
# again, which halves the time of tangents. What is not a number stays so, as folded cells need.
_FLAGS = ["-O2", "-g0", "-fassociative-math", "-fno-signed-zeros", "-fno-trapping-math"]
dolfinx.jit.DOLFINX_DEFAULT_JIT_OPTIONS["cffi_extra_compile_args"] = (_FLAGS, "of the C compiler")
# Where the file system has no locks, a process that finds another one compiling the same form waits
# for it; ten seconds, by default, are less than a busy machine takes.
dolfinx.jit.DOLFINX_DEFAULT_JIT_OPTIONS["timeout"] = (120, "Timeout for JIT compilation")


def coordinate_map(mesh: Mesh) -> Any:
    """Return the coordinate element of a mesh with one cell type, with its ``pull_back``."""
    geometry = mesh.geometry
    return geometry.cmaps[0] if hasattr(geometry, "cmaps") else geometry.cmap


def geometry_dofmap(mesh: Mesh) -> npt.NDArray[np.int32]:
    """Return the geometry nodes of every cell, shape (cells, nodes of a cell)."""
    geometry = mesh.geometry
    return np.asarray(geometry.dofmaps[0] if hasattr(geometry, "dofmaps") else geometry.dofmap)


def interpolation_points(space: Any) -> npt.NDArray[np.float64]:
    """Return the points of the reference cell that functions of a space are given at."""
    points = space.element.interpolation_points
    return np.asarray(points() if callable(points) else points)


def mesh_from_gmsh(model: Any, comm: MPI.Comm) -> tuple[Mesh, MeshTags, MeshTags]:
    """Distribute the model that gmsh holds on rank 0; return mesh, cell tags and facet tags.

    Every rank knows the cells behind its facets, as integrals over facets inside the body need.
    """
    try:
        from dolfinx.io import gmshio
    except ImportError:
        from dolfinx.io import gmsh as gmshio
    mesh, cell_tags, facet_tags = gmshio.model_to_mesh(
        model, comm, 0, gdim=3, partitioner=create_cell_partitioner(GhostMode.shared_facet)
    )[0:3]
    return mesh, cell_tags, facet_tags


def gmsh_permutation(cell: str, nodes: int) -> npt.NDArray[np.int64]:
    """Return which of Gmsh's nodes of a cell is each of dolfinx's."""
    try:
        from dolfinx.io import gmshio
    except ImportError:
        from dolfinx.io import gmsh as gmshio
    return np.asarray(gmshio.cell_perm_array(CellType[cell], nodes), dtype=np.int64)


def create_mesh(comm: MPI.Comm, cells: Any, coordinates: Any, points: Any) -> Mesh:
    """Return a mesh of cells with these nodes; 0.10 swapped two arguments."""
    return dolfinx.mesh.create_mesh(comm, cells=cells, x=points, e=coordinates)
