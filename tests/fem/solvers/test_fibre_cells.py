"""Cells with fibres along an axis, and the lower level that thread leaves of degree 2 there."""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import scipy.sparse
import scipy.sparse.linalg
from dolfinx.mesh import CellType, compute_midpoints, meshtags

from loligo.cases.rubber.elastomer import NeoHooke
from loligo.fem.core.domain import Domain
from loligo.fem.materials.fibres import Fibres
from loligo.fem.materials.thread import ThreadMembrane
from loligo.fem.problem.problem import Problem
from loligo.fem.solvers.coarse import interpolation
from loligo.fem.solvers.fibre_cells import ASKEW, PLAIN, kinds, planes
from loligo.fem.solvers.newton import Newton

HEXAHEDRON = CellType.hexahedron
RUBBER = NeoHooke(mu=1e5, density=1000.0)


def around(x: Any) -> Any:
    return 0.0, -x[2], x[1]


def problem(domain: Domain, *threads: Fibres | ThreadMembrane) -> Problem:
    return Problem(domain, RUBBER, supports=[], windings=threads)


@pytest.mark.mpi
@pytest.mark.parametrize(
    ("direction", "hexahedra", "expected"),
    [
        (around, True, {2}),
        (lambda _: (1.0, 0.0, 0.0), True, {3}),
        (lambda _: (0.3, 1.0, 0.2), True, {ASKEW}),
        (around, False, {ASKEW}),
    ],
)
def test_kinds_of_cells_in_a_tube(
    tube: Callable[..., Domain],
    direction: Callable[[Any], Any],
    hexahedra: bool,
    expected: set[int],
) -> None:
    domain = tube(1.0, 1.2, 1.0, (2, 3, 2), hexahedra=hexahedra)
    kind = kinds(problem(domain, Fibres("body", direction, 1e9)))
    found = set().union(*domain.mesh.comm.allgather(set(kind.tolist())))
    assert found == expected
    assert set(kinds(problem(domain)).tolist()) <= {PLAIN}


@pytest.mark.mpi
def test_planes_along_hoops_lie_across_the_longest_axis(tube: Callable[..., Domain]) -> None:
    for length in (1.0, 0.01):  # cells 10 times as long as thick, and as thick as long
        domain = tube(1.0, 1.1, length, (2, 3, 1), hexahedra=True)
        wound = problem(domain, Fibres("body", around, 1e9))
        found, space = planes(wound, kinds(wound)), wound.fields.nodal_space
        assert len(found) == 3 * len(space.dofmap.list)
        x, y, z = space.tabulate_dof_coordinates()[found].T
        spread = {"x": np.ptp(x, axis=0), "radius": np.ptp(np.hypot(y, z), axis=0)}
        angle = np.degrees(np.ptp(np.arctan2(z, y), axis=0))
        assert angle == pytest.approx(30.0)
        one, other = ("x", "radius") if length == 1.0 else ("radius", "x")
        assert spread[one].max() < 0.04 * (one == "radius") + 1e-9  # edges amid it are chords
        assert spread[other].min() > 0.009


def table_of(problem: Problem) -> scipy.sparse.csr_matrix:
    matrix = interpolation(problem, kinds(problem))
    starts, columns, values = matrix.getValuesCSR()
    return scipy.sparse.csr_matrix((values, columns, starts), shape=matrix.getSize())


def polynomial(problem: Problem, powers: tuple[int, int, int]) -> npt.NDArray[np.float64]:
    """A displacement that is as steep along an axis as its power, at all nodes."""
    shape = np.prod((problem.fields.node_positions + 1.0) ** np.array(powers), axis=1)
    return (shape[:, None] * [1.0, -2.0, 0.5]).ravel()


@pytest.mark.parametrize(
    ("threads", "powers", "kept"),
    [
        ((), (1, 1, 1), 3 * 4 * 5),
        ((Fibres("body", lambda _: (0.0, 2.0, 0.0), 1e9),), (1, 2, 1), 3 * 7 * 5),
        ((Fibres("body", lambda _: (1.0, 1.0, 0.0), 1e9),), (2, 2, 2), 5 * 7 * 9),
        ((ThreadMembrane("x1", 1e9),), (1, 1, 1), 2 * 4 * 5 + 7 * 9),
    ],
    ids=["bare", "along", "askew", "wound"],
)
def test_the_lower_level_has_degree_2_along_thread(
    box: Callable[..., Domain],
    threads: tuple[Fibres | ThreadMembrane, ...],
    powers: tuple[int, int, int],
    kept: int,
) -> None:
    """It is as large as it must be, and holds that degree along every axis."""
    bare = problem(box((2, 3, 4), (2.0, 3.0, 4.0), cell=HEXAHEDRON), *threads)
    table, field = table_of(bare), polynomial(bare, powers)
    assert table.shape[1] == 3 * kept
    best, *_ = scipy.sparse.linalg.lsqr(table, field, atol=1e-14, btol=1e-14)
    assert table @ best == pytest.approx(field, rel=1e-9)


def layered(whole: Domain) -> Problem:
    """Fibres along y where x < 1 alone."""
    tags = whole.cell_tags
    beyond = compute_midpoints(whole.mesh, 3, tags.indices)[:, 0] > 1.0
    cells = meshtags(whole.mesh, 3, tags.indices, beyond.astype(np.int32) + 1)
    groups = {"layer": 1, "rubber": 2}
    domain = Domain(whole.mesh, cells, whole.facet_tags, groups, whole.facet_groups)
    return problem(domain, Fibres("layer", lambda _: (0.0, 1.0, 0.0), 1e9))


def test_nodes_between_rubber_and_fibres_follow_the_fibres(box: Callable[..., Domain]) -> None:
    """All nodes of the layer, those that are the rubber's, too, have degree 2 along them."""
    half = layered(box((2, 3, 4), (2.0, 3.0, 4.0), cell=HEXAHEDRON))
    here = np.repeat(half.fields.node_positions[:, 0] < 1.0 + 1e-9, 3)
    table, field = table_of(half)[here], polynomial(half, (1, 2, 1))[here]
    best, *_ = scipy.sparse.linalg.lsqr(table, field, atol=1e-14, btol=1e-14)
    assert table @ best == pytest.approx(field, rel=1e-9)


@pytest.mark.mpi
@pytest.mark.mpi3
def test_fibres_that_a_rank_has_not(box: Callable[..., Domain]) -> None:
    """A layer of one cell in twelve: its blocks and lower level are there on every rank."""
    bar = layered(box((12, 1, 1), (12.0, 1.0, 1.0), cell=HEXAHEDRON))
    mine = bar.domain.mesh.topology.index_map(3).size_local
    assert bar.comm.allreduce(int(np.sum(kinds(bar)[:mine] == 2))) == 1
    assert interpolation(bar, kinds(bar)).getSize()[1] == 3 * (13 * 4 + 4)
    newton = Newton(bar, solver="krylov")
    newton.linear.assemble()
    newton.linear.compute()
    assert newton.linear.factor.failure == ""
    newton.destroy()
