"""The skin of a body as triangles."""

from collections.abc import Callable

from mpi4py import MPI

import numpy as np
import pytest
from dolfinx.mesh import CellType

from loligo.cases.body import ChamberedArm, Segment
from loligo.cases.dataset.surface import check_surface, shown_steps, surface_dataset
from loligo.cases.rubber.elastomer import Elastomer
from loligo.fem.core.domain import Domain, distribute
from loligo.fem.observe import skin as module
from loligo.fem.observe.skin import Skin
from loligo.fem.observe.stretch import Stretches
from loligo.fem.problem.problem import Problem
from loligo.meshes import bodies
from loligo.meshes.build import build_mesh

Array = np.ndarray
BODY = ChamberedArm(
    radius=0.017,
    plates=(0.005, 0.005),
    segments=(Segment(length=0.04, chambers=2, chamber_radius=0.005, chamber_offset=0.009),),
    stations=3,
)


def enclosed(points: Array, triangle: Array) -> float:
    """Volume by the divergence theorem: it wants every triangle the right way round."""
    a, b, c = (points[triangle[:, i]] for i in range(3))
    return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6)


@pytest.mark.mpi
@pytest.mark.parametrize("most", [10**9, 0], ids=["fine", "coarse"])
@pytest.mark.parametrize("cell", [CellType.tetrahedron, CellType.hexahedron])
def test_of_a_box(
    box: Callable[..., Domain],
    laws: dict[str, Elastomer],
    deform: Callable[..., None],
    monkeypatch: pytest.MonkeyPatch,
    cell: CellType,
    most: int,
) -> None:
    monkeypatch.setattr(module, "_MOST", most)
    problem = Problem(box((3, 2, 2), (3.0, 2.0, 1.0), cell=cell), laws["neo_hooke"], supports=[])
    gradient = np.array([[1.2, 0.1, 0.0], [0.0, 0.9, 0.0], [0.3, 0.0, 1.1]])
    skin = Skin(problem, Stretches(problem))
    deform(problem, lambda x: x @ (gradient - np.eye(3)).T)
    found = skin.snapshot()
    assert (found is None) == (problem.comm.rank > 0)
    if found is None:
        return
    assert enclosed(skin.rest, skin.triangle) == pytest.approx(6.0)
    moved = skin.rest + found.displacement
    assert enclosed(moved, skin.triangle) == pytest.approx(6.0 * np.linalg.det(gradient))
    largest = np.linalg.svd(gradient, compute_uv=False)[0]
    np.testing.assert_allclose(found.stretch, largest, rtol=1e-12)
    for i, name in enumerate(skin.parts):
        axis, end = "xyz".index(name[0]), float(name[1]) * (3.0, 2.0, 1.0)["xyz".index(name[0])]
        place = skin.rest[skin.triangle[skin.part == i]][..., axis]
        np.testing.assert_allclose(place, end, atol=1e-14)


@pytest.mark.mpi
def test_of_a_body_with_chambers(laws: dict[str, Elastomer]) -> None:
    """The skin is closed, and its parts enclose the chambers; the data set keeps it."""
    comm = MPI.COMM_WORLD
    mesh = build_mesh(BODY, 0, size=0.012) if comm.rank == 0 else None
    problem = Problem(distribute(mesh, comm), laws["neo_hooke"], supports=[])
    skin = Skin(problem, Stretches(problem))
    found = skin.snapshot()
    if found is None:
        return
    edges = np.sort(skin.triangle[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
    assert set(np.unique(edges, axis=0, return_counts=True)[1]) == {2}
    volume = sum(bodies.volumes(BODY).values())
    # Flat triangles over arcs of a sixteenth of a circle are 2.5 % inside it.
    assert enclosed(skin.rest, skin.triangle) == pytest.approx(volume, rel=0.03)
    for name, chamber in bodies.cavity_volumes(BODY).items():
        here = skin.triangle[skin.part == skin.parts.index(f"cavity_{name}")]
        assert enclosed(skin.rest, here) == pytest.approx(-chamber, rel=0.1)
    states = np.stack([found.displacement] * 2), np.stack([found.stretch] * 2)
    made = surface_dataset(skin.rest, skin.triangle, skin.part, skin.parts, [1, 3], *states)
    assert not list(check_surface(made))


def test_shown_steps_are_spread_and_end_at_the_last() -> None:
    assert shown_steps(1) == [0]
    assert shown_steps(4) == [0, 1, 2, 3]
    assert shown_steps(12)[-1] == 11
    assert len(shown_steps(12)) == 5
