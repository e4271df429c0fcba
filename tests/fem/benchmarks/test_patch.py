"""Rung 4, patch test: an affine motion is exact at every node, on distorted and curved cells."""

from collections.abc import Callable

import numpy as np
import pytest
from dolfinx.mesh import CellType

from loligo.cases.rubber.elastomer import NeoHooke
from loligo.fem.core.domain import Domain
from loligo.fem.loads.base import Traction
from loligo.fem.loads.supports import Moved
from loligo.fem.march.static import march
from loligo.fem.problem.problem import Problem
from loligo.fem.solvers.newton import Tolerances

Build = Callable[..., Domain]
MU = 1e5
GRADIENT = np.array([[1.2, 0.3, -0.1], [0.1, 0.9, 0.2], [-0.2, 0.1, 1.1]])
ISOCHORIC = GRADIENT / np.linalg.det(GRADIENT) ** (1 / 3)
TIGHT = Tolerances(displacement=1e-11, pressure=1e-12)  # at rest, forces round at 3e-12


def _affine(gradient: np.ndarray) -> Callable[[np.ndarray, float], np.ndarray]:
    return lambda x, value: value * ((gradient - np.eye(3)) @ x)


def _worst_node(problem: Problem, gradient: np.ndarray) -> float:
    fields = problem.fields
    exact = fields.node_positions @ (gradient - np.eye(3)).T
    found = fields.function.x.array[fields.node_unknowns]
    return max(problem.comm.allgather(np.abs(found - exact).max(initial=0.0)))


@pytest.mark.mpi
@pytest.mark.mpi3
@pytest.mark.parametrize("method", ["mixed", "displacement"])
@pytest.mark.parametrize("cell", [CellType.tetrahedron, CellType.hexahedron])
def test_compressible(box: Build, method: str, cell: CellType) -> None:
    domain = box((2, 2, 2), cell=cell, distort=0.3)
    law = NeoHooke(mu=MU, density=1000, bulk_modulus=1e6)
    support = Moved("v", tuple(domain.facet_groups), _affine(GRADIENT))
    problem = Problem(domain, law, supports=[support], method=method)
    list(march(problem, [{"v": 1.0}], tolerances=TIGHT))
    assert _worst_node(problem, GRADIENT) < 1e-10


def test_compressible_on_curved_cells(octant: Build) -> None:
    domain = octant(1.0, 1.5, 0.5)
    law = NeoHooke(mu=MU, density=1000, bulk_modulus=1e6)
    support = Moved("v", tuple(domain.facet_groups), _affine(GRADIENT))
    # With second-order geometry grad v dV is a polynomial of degree 3: the quadrature is exact.
    problem = Problem(domain, law, supports=[support])
    list(march(problem, [{"v": 1.0}], tolerances=TIGHT))
    assert _worst_node(problem, GRADIENT) < 1e-10


@pytest.mark.mpi
def test_incompressible_with_a_loaded_face(box: Build) -> None:
    domain = box((2, 2, 2), distort=0.3)
    pressure = 2e4
    bar = ISOCHORIC
    inverse = np.linalg.inv(bar).T
    stress = MU * (bar - np.sum(bar**2) / 3 * inverse) - pressure * inverse
    loads = [Traction(f"t{i}", "x1", tuple(np.eye(3)[i])) for i in range(3)]
    held = tuple(n for n in domain.facet_groups if n != "x1")
    support = Moved("v", held, _affine(bar))
    problem = Problem(domain, NeoHooke(mu=MU, density=1000), supports=[support], loads=loads)
    wanted = {f"t{i}": stress[i, 0] for i in range(3)}
    list(march(problem, [{"v": 1.0, **wanted}], tolerances=TIGHT))
    assert _worst_node(problem, bar) < 1e-10
    found = problem.fields.function.x.array[problem.fields.by_name["pressure"]]
    assert found == pytest.approx(pressure, rel=1e-8)
