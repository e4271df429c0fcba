"""Meshes that ranks read from a file in parallel: the same as those that rank 0 hands out."""

from pathlib import Path

from mpi4py import MPI

import numpy as np
import pytest
import ufl
from dolfinx.fem import Constant, assemble_scalar, form

from loligo.cases.body import Mantle, TaperedArm
from loligo.cases.case import Case, MeshChoice
from loligo.cases.core.record import BadInput
from loligo.cases.rubber.elastomer import Elastomer
from loligo.fem.core.domain import Domain
from loligo.fem.io.checkpoint import Order
from loligo.fem.io.mesh_file import MeshFolder, meshed
from loligo.fem.problem.problem import Problem
from loligo.meshes.xdmf import mesh_file

ARM = TaperedArm(length=0.03, base_radius=0.01, tip_radius=0.008, tip_disc=0.002, stations=3)
MANTLE = Mantle(radius=0.03, thickness=0.006, truncation=0.8, cylinder_length=0.02)
BODIES = {
    "tetrahedron": (ARM, MeshChoice(size=0.012)),
    "hexahedron": (MANTLE, MeshChoice(size=0.02, element="hexahedron")),
}
COMM = MPI.COMM_WORLD


def case_of(element: str) -> Case:
    body, mesh = BODIES[element]
    return Case.model_construct(name="small", body=body, mesh=mesh)


def moments(domain: Domain) -> dict[str, np.ndarray]:
    """First moments of every group, and the squares of normals: an order of nodes shows in them."""
    x = ufl.SpatialCoordinate(domain.mesh)
    n = ufl.FacetNormal(domain.mesh)
    one = Constant(domain.mesh, 1.0)
    dx, ds, inner = domain.measures(4, 4)

    def total(integrand: object) -> float:
        return float(COMM.allreduce(assemble_scalar(form(integrand))))

    volumes = {
        name: np.array([total(x[i] ** 2 * dx(tag)) for i in range(3)])
        for name, tag in domain.cell_groups.items()
    }
    areas = {
        f"facets {name}": np.array(
            [total((x[i] + 2 * n[i] ** 2) * ds(tag) + one("+") * inner(tag)) for i in range(3)]
        )
        for name, tag in domain.facet_groups.items()
    }
    return volumes | areas


@pytest.mark.mpi
@pytest.mark.mpi3
@pytest.mark.parametrize("element", BODIES)
def test_a_mesh_from_a_file_is_the_one_that_rank_0_hands_out(
    element: str, tmp_path: Path, laws: dict[str, Elastomer]
) -> None:
    case, folder = case_of(element), COMM.bcast(tmp_path)
    given, report = meshed(case, COMM, 0, None, MeshFolder(folder, least=10**9))
    assert not COMM.bcast(list(folder.iterdir()))
    # Twice: made and written, then found.
    for least in (report.unknowns, 0):
        read, its_report = meshed(case, COMM, 0, None, MeshFolder(folder, least))
        COMM.barrier()
        assert len(list(folder.glob("*.xdmf"))) == 1
        assert its_report == report
        assert read.cell_groups == given.cell_groups
        assert read.facet_groups == given.facet_groups
        found, wanted = moments(read), moments(given)
        for name, values in wanted.items():
            # Sums over cells in another order; what symmetry makes nothing is rounding.
            allowed = 1e-10 * np.abs(values).max()
            np.testing.assert_allclose(found[name], values, rtol=0, atol=allowed, err_msg=name)
    # Nodes have the same numbers, so that a checkpoint goes from one way to the other.
    one, other = (Problem(domain, laws["gent"], supports=[]) for domain in (given, read))
    for problem in (one, other):
        problem.fields.function.x.array[: problem.fields.owned] = problem.fields.wave(0.03, 0.3)
        problem.fields.function.x.scatter_forward()
    whole = COMM.bcast(Order(one).gather(one.save().unknowns))
    np.testing.assert_allclose(Order(other).spread(whole), other.save().unknowns, atol=1e-12)


def test_a_file_is_of_one_mesh(tmp_path: Path) -> None:
    case = case_of("tetrahedron")
    finer = case.model_copy(update={"mesh": MeshChoice(size=0.011)})
    other = case.model_copy(update={"body": ARM.model_copy(update={"length": 0.031})})
    named = case.model_copy(update={"name": "other"})
    files = {mesh_file(tmp_path, one, 0, None) for one in (case, finer, other)}
    assert len({*files, mesh_file(tmp_path, case, 1, None)}) == 4
    assert mesh_file(tmp_path, named, 0, None) in files


@pytest.mark.parametrize("damage", ["cut", "flip", "empty"])
def test_a_damaged_mesh_is_named(tmp_path: Path, damage: str) -> None:
    """Before HDF5 reads it, which some damage makes end the process."""
    case = case_of("tetrahedron")
    meshed(case, MPI.COMM_SELF, 0, None, MeshFolder(tmp_path, least=0))
    (arrays,) = tmp_path.glob("*.h5")
    content = bytearray(arrays.read_bytes())
    content[len(content) // 2] ^= 1
    arrays.write_bytes({"cut": content[:1000], "flip": content, "empty": b""}[damage])
    with pytest.raises(BadInput, match=f"{arrays}: is damaged .* delete it"):
        meshed(case, MPI.COMM_SELF, 0, None, MeshFolder(tmp_path))
