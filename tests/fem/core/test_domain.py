"""Named groups: found, or refused with the nearest name."""

from collections.abc import Callable

from mpi4py import MPI

import basix
import basix.quadrature
import gmsh
import numpy as np
import pytest
from dolfinx.mesh import CellType, create_unit_cube, meshtags

from loligo.cases.rubber.elastomer import Elastomer
from loligo.fem.core.domain import Domain, cell_rule, from_gmsh, from_mesh
from loligo.fem.problem.problem import QUADRATURE, Problem

Box = Callable[..., Domain]


def test_an_unknown_group_is_refused_with_a_suggestion(box: Box) -> None:
    with pytest.raises(
        ValueError, match=r'group of facets "yy1"; did you mean "y1"\? It has: x0, x1'
    ):
        box().facets("yy1")
    with pytest.raises(ValueError, match=r'group of cells "disc_tip"\. It has: body'):
        box().cell_tag("disc_tip")


@pytest.mark.mpi
def test_a_facet_belongs_to_one_group() -> None:
    mesh = create_unit_cube(MPI.COMM_WORLD, 2, 2, 2)
    same = {"a": lambda x: np.isclose(x[0], 0), "b": lambda x: x[0] < 1e-3}
    with pytest.raises(ValueError, match="exactly one"):
        from_mesh(mesh, same)


@pytest.mark.mpi
def test_gmsh_groups_arrive_by_name_on_all_ranks() -> None:
    model = gmsh.model
    if MPI.COMM_WORLD.rank == 0:
        gmsh.initialize()
        gmsh.option.setNumber("General.Terminal", 0)
        model.occ.addBox(0, 0, 0, 2, 1, 1)
        model.occ.synchronize()
        model.addPhysicalGroup(3, [1], 7, "body")
        base, tip = (
            [s for _, s in model.getEntitiesInBoundingBox(x - 0.1, -1, -1, x + 0.1, 2, 2, 2)]
            for x in (0.0, 2.0)
        )
        model.addPhysicalGroup(2, base, 3, "base")
        model.addPhysicalGroup(2, tip, 5, "tip")
        model.mesh.generate(3)
    domain = from_gmsh(model, MPI.COMM_WORLD)
    if MPI.COMM_WORLD.rank == 0:
        gmsh.finalize()
    assert (domain.cell_groups, domain.facet_groups) == ({"body": 7}, {"base": 3, "tip": 5})
    with pytest.raises(ValueError, match="tip"):
        domain.facets("tipp")


def test_cells_without_a_material_are_counted(box: Box, laws: dict[str, Elastomer]) -> None:
    domain = box()
    values = domain.cell_tags.values.copy()
    values[:5] = 2
    tags = meshtags(domain.mesh, 3, domain.cell_tags.indices, values)
    split = Domain(domain.mesh, tags, domain.facet_tags, {"body": 1, "disc": 2}, {})
    with pytest.raises(ValueError, match=r"5 cells have no material; .* body, .* body, disc"):
        Problem(split, {"body": laws["neo_hooke"]}, supports=[])


@pytest.mark.parametrize("cell", [CellType.tetrahedron, CellType.hexahedron])
def test_the_rule_in_cells_has_no_negative_weight(box: Box, cell: CellType) -> None:
    """A negative weight would take its minimum from the convex energy of stiff fibres."""
    mesh = box((1, 1, 1), cell=cell).mesh
    rule = basix.quadrature.string_to_type(cell_rule(mesh))
    degree = QUADRATURE[mesh.topology.cell_name()][0]
    _, weights = basix.make_quadrature(mesh.basix_cell(), degree, rule=rule)
    assert weights.min() > 0.0
