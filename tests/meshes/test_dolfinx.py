"""The file as the 3D solver reads it, on one rank and on two."""

import json

from mpi4py import MPI

import dolfinx
import pytest
import ufl
from dolfinx.io import gmshio
from dolfinx.mesh import GhostMode, create_cell_partitioner

from loligo.cases.case_file import load
from loligo.meshes.build import make_mesh, mesh_files


@pytest.mark.mpi
@pytest.mark.parametrize(
    ("case", "element"),
    [
        ("gong_bending_one", "tetrahedron"),
        ("zhang_joint_one", "tetrahedron"),
        ("zhang_joint_one", "hexahedron"),
        ("renda_mantle_inflation", "tetrahedron"),
        ("renda_mantle_inflation", "hexahedron"),
    ],
)
def test_assembled_volumes_and_areas_are_those_of_the_report(case, element, tmp_path_factory):
    body, comm = load(case).body, MPI.COMM_WORLD
    folder = comm.bcast(tmp_path_factory.mktemp("meshes") if comm.rank == 0 else None)
    files = mesh_files(folder, case, 0)
    if comm.rank == 0:
        make_mesh(case, body, 0, folder, element=element, picture=False)
    comm.barrier()
    mesh, cells, facets = gmshio.read_from_msh(
        files.mesh, comm, gdim=3, partitioner=create_cell_partitioner(GhostMode.shared_facet)
    )
    assert mesh.geometry.cmap.degree == 2
    report = json.loads(files.report.read_text())
    # The report's own rules: exact for volumes, of five Gauss points a direction for areas.
    degree = {"quadrature_degree": 9}
    dx = ufl.Measure("dx", mesh, subdomain_data=cells, metadata=degree)
    ds = ufl.Measure("ds", mesh, subdomain_data=facets, metadata=degree)
    inside = ufl.Measure("dS", mesh, subdomain_data=facets, metadata=degree)
    one = dolfinx.fem.Constant(mesh, 1.0)

    def total(form):
        return comm.allreduce(dolfinx.fem.assemble_scalar(dolfinx.fem.form(form)))

    for group in report["volumes"]:
        assert total(one * dx(group["tag"])) == pytest.approx(group["value"], rel=1e-12)
    for group in report["areas"]:
        area = total(one * ds(group["tag"])) + total(one("+") * inside(group["tag"]))
        # Area is no polynomial: the rules differ by what they cut off on curved facets.
        assert area == pytest.approx(group["value"], rel=1e-7)
