"""Values at points: right, from one owner, and loud outside."""

from collections.abc import Callable

import numpy as np
import pytest
from dolfinx.fem import Function, functionspace
from dolfinx.mesh import CellType

from loligo.fem.core.domain import Domain
from loligo.fem.core.measure import Probe

Box = Callable[..., Domain]


def _quadratic(x: np.ndarray) -> np.ndarray:
    return np.stack([x[0] ** 2 + x[1] * x[2], 2 * x[1] - x[0] * x[2], 1 + x[2] ** 2])


@pytest.mark.mpi
@pytest.mark.parametrize("size", [1.0, 1e-3])
@pytest.mark.parametrize("cell", [CellType.tetrahedron, CellType.hexahedron])
def test_a_quadratic_field_is_read_exactly(box: Box, cell: CellType, size: float) -> None:
    mesh = box((3, 3, 3), (size, size, size), cell=cell).mesh
    field = Function(functionspace(mesh, ("Lagrange", 2, (3,))))
    field.interpolate(_quadratic)
    corners = np.array([[0, 0, 0], [1, 1, 1], [1 / 3, 2 / 3, 1], [0.5, 0.5, 0.5]])
    points = size * np.concatenate([corners, np.random.default_rng(0).uniform(0, 1, (20, 3))])
    found = Probe(mesh, points).read(field)
    assert found == pytest.approx(_quadratic(points.T).T, rel=1e-9)


@pytest.mark.mpi
def test_a_discontinuous_field_comes_from_one_cell(box: Box) -> None:
    mesh = box((3, 3, 3)).mesh
    field = Function(functionspace(mesh, ("DG", 0)))
    field.x.array[:] = 7.0
    assert Probe(mesh, [[1 / 3, 1 / 3, 1 / 3], [2 / 3, 0.5, 1.0]]).read(field).ravel().tolist() == [
        7.0,
        7.0,
    ]


@pytest.mark.mpi
def test_a_point_outside_is_named(box: Box) -> None:
    with pytest.raises(ValueError, match=r"1 of 2 points .* \(1\.001, 0\.5, 0\.5\)"):
        Probe(box().mesh, [[0.5, 0.5, 0.5], [1.001, 0.5, 0.5]])
