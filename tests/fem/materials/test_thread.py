"""The winding's membrane on outer and on inner facets, against its energy written by hand."""

from collections.abc import Callable
from typing import Any

import dolfinx.mesh
import numpy as np
import pytest

from loligo.cases.rubber.elastomer import Elastomer
from loligo.fem.core.domain import Domain
from loligo.fem.materials.thread import ThreadMembrane
from loligo.fem.problem.problem import Problem

Box = Callable[..., Domain]


def _with_middle(domain: Domain) -> Domain:
    """Add the facets of the plane y = 1/2 as a group."""
    mesh, old = domain.mesh, domain.facet_tags
    inside = dolfinx.mesh.locate_entities(mesh, 2, lambda x: np.isclose(x[1], 0.5))
    index = np.concatenate([old.indices, inside])
    value = np.concatenate([old.values, np.full(len(inside), 99, np.int32)])
    order = np.argsort(index)
    tags = dolfinx.mesh.meshtags(mesh, 2, index[order], value[order])
    groups = {**domain.facet_groups, "middle": 99}
    return Domain(mesh, domain.cell_tags, tags, domain.cell_groups, groups)


@pytest.mark.mpi
@pytest.mark.parametrize("facets", ["y1", "middle"])
def test_crossed_threads_stretch_along_their_own_ways(
    box: Box, laws: dict[str, Elastomer], facets: str
) -> None:
    domain = _with_middle(box((2, 2, 2), (2.0, 1.0, 0.5)))
    gradient = np.array([[1.1, 0.1, 0.2], [0.0, 0.9, 0.3], [0.1, -0.2, 1.2]])
    energies = []
    for windings in ([], [ThreadMembrane(facets, 40.0, angle=0.4)]):
        problem = Problem(domain, laws["neo_hooke"], supports=[], windings=windings)
        fields = problem.fields
        motion = fields.node_positions @ (gradient - np.eye(3)).T
        fields.function.x.array[fields.node_unknowns] = motion
        fields.function.x.scatter_forward()
        energies.append(problem.strain_energy())
    ways = [np.array([np.sin(a), 0.0, np.cos(a)]) for a in (0.4, -0.4)]
    stretches = np.array([np.linalg.norm(gradient @ way) for way in ways])
    expected = 40.0 / 4 * np.sum((stretches - 1) ** 2) * 1.0
    assert energies[1] - energies[0] == pytest.approx(expected, rel=1e-10)


@pytest.mark.mpi
@pytest.mark.parametrize("facets", ["y1", "middle"])
def test_energy_is_that_of_the_hoop_stretch(
    box: Box, laws: dict[str, Elastomer], facets: str
) -> None:
    domain = _with_middle(box((2, 2, 2), (2.0, 1.0, 0.5)))
    bare, wound = (
        Problem(domain, laws["neo_hooke"], supports=[], windings=w)
        for w in ([], [ThreadMembrane(facets, 40.0)])
    )
    gradient = np.array([[1.1, 0.1, 0.2], [0.0, 0.9, 0.3], [0.1, -0.2, 1.2]])
    for problem in (bare, wound):
        fields = problem.fields
        motion = fields.node_positions @ (gradient - np.eye(3)).T
        fields.function.x.array[fields.node_unknowns] = motion
        fields.function.x.scatter_forward()
    # On planes y = const the hoop runs along z; the area is 2 x 0.5.
    expected = 40.0 / 2 * (np.linalg.norm(gradient[:, 2]) - 1) ** 2 * 1.0
    assert wound.strain_energy() - bare.strain_energy() == pytest.approx(expected, rel=1e-10)
    # The forces are the derivative of the energy along any motion.
    fields, h = wound.fields, 1e-6
    direction = fields.wave(1.0, 0.3)
    forces = wound.assemble_residual()[1].array_r - bare.assemble_residual()[1].array_r
    work = wound.comm.allreduce(forces @ direction)
    energies = []
    for sign in (1, -1):
        for problem in (bare, wound):
            problem.fields.function.x.array[: fields.owned] += sign * h * direction
            problem.fields.function.x.scatter_forward()
        energies.append(wound.strain_energy() - bare.strain_energy())
        for problem in (bare, wound):
            problem.fields.function.x.array[: fields.owned] -= sign * h * direction
            problem.fields.function.x.scatter_forward()
    # Rounding of the energies, about 1e-11 J, over h.
    assert work == pytest.approx((energies[0] - energies[1]) / (2 * h), rel=1e-4)


@pytest.mark.mpi
def test_inner_facets_are_wound_wherever_the_mesh_is_cut(
    draw: Callable[..., Domain], laws: dict[str, Elastomer]
) -> None:
    """Ten slices with thread between them: where ranks meet, one of them knows both sides."""

    def slices(model: Any) -> dict[str, list[int]]:
        for i in range(10):
            model.occ.addBox(0, 0.2 * i, 0, 1.0, 0.2, 1.0)
        model.occ.fragment(model.occ.getEntities(3), [])
        model.occ.synchronize()
        model.mesh.setSize(model.getEntities(0), 0.5)
        shared = [f for _, f in model.getEntities(2) if len(model.getAdjacencies(2, f)[0]) == 2]
        return {"between": shared}

    domain = draw(slices)
    energies = []
    for windings in ([], [ThreadMembrane("between", 40.0)]):
        problem = Problem(domain, laws["neo_hooke"], supports=[], windings=windings)
        fields = problem.fields
        fields.function.x.array[fields.node_unknowns] = 0.3 * fields.node_positions
        fields.function.x.scatter_forward()
        energies.append(problem.strain_energy())
    # On nine unit squares; rounding of the rubber's energy, about 2e5 J.
    assert energies[1] - energies[0] == pytest.approx(9 * 40.0 / 2 * 0.3**2, rel=1e-9)
