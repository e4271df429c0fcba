"""A case's mesh on all ranks: from rank 0, or through a file that all of them read at once.

Rank 0 makes the mesh and hands it out: up to some million unknowns that is quickest, beyond it the
memory of its node would limit the run. There, or where a folder of meshes is given, rank 0 writes
the mesh (:mod:`loligo.meshes.xdmf`) and every rank reads its share; a mesh that is there already is
not made again.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from mpi4py import MPI

from dolfinx.io import XDMFFile

from loligo.cases.case import Case
from loligo.fem.core.domain import Domain, distribute
from loligo.fem.io.checkpoint import made
from loligo.fem.io.ranks import on_first_rank
from loligo.meshes.build import case_mesh
from loligo.meshes.mesh import Mesh
from loligo.meshes.report import MeshReport
from loligo.meshes.xdmf import CELLS, FACETS, MESH, About, mesh_file, read_about, write_xdmf

LARGE = 5_000_000
"""Unknowns from which on a mesh goes through a file."""


@dataclass(frozen=True)
class MeshFolder:
    """Where meshes lie, and from how many unknowns on they go through it."""

    path: Path
    least: int = LARGE


def meshed(
    case: Case, comm: MPI.Comm, level: int, case_folder: Path | None, folder: MeshFolder | None
) -> tuple[Domain, MeshReport]:
    """Mesh a case, or read its mesh; what is wrong with the case is raised on all ranks.

    Args:
        case: the case.
        comm: the ranks.
        level: of the mesh.
        case_folder: where a solid's file lies.
        folder: of meshes; without it rank 0 hands out all of them.
    """
    mesh: Mesh | None = None

    def make() -> tuple[MeshReport | None, Path | None]:
        nonlocal mesh
        file = mesh_file(folder.path, case, level, case_folder) if folder else None
        if file is not None and file.exists():
            return None, file
        mesh, report = case_mesh(case, level, case_folder)
        if folder is None or file is None or report.unknowns < folder.least:
            return report, None
        write_xdmf(mesh, report, file)
        mesh = None
        return report, file

    report, file = on_first_rank(comm, make)
    if file is not None:
        return read(file, comm)
    assert report is not None
    return distribute(mesh, comm), report


def hash_now(case: Case, level: int, case_folder: Path | None, folder: MeshFolder | None) -> str:
    """Return the hash of the mesh that :func:`meshed` gives; one rank, and nothing is written."""
    file = mesh_file(folder.path, case, level, case_folder) if folder else None
    if file is not None and file.exists():
        return _report(read_about(file)).hash
    return case_mesh(case, level, case_folder)[1].hash


def read(file: Path, comm: MPI.Comm) -> tuple[Domain, MeshReport]:
    """Read a mesh that :func:`loligo.meshes.xdmf.write_xdmf` wrote; every rank reads its share."""
    about: About = on_first_rank(comm, lambda: read_about(file))
    with XDMFFile(comm, str(file), "r") as source:
        mesh = source.read_mesh(name=MESH)
        dim = mesh.topology.dim
        mesh.topology.create_connectivity(dim - 1, dim)
        cells, facets = (source.read_meshtags(mesh, name) for name in (CELLS, FACETS))
    return Domain(mesh, cells, facets, about.cell_groups, about.facet_groups), _report(about)


def _report(about: About) -> MeshReport:
    return made(MeshReport, json.loads(about.report), lambda name: NotImplemented)
