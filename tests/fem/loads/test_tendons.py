"""Tendons: work conjugate to their length, the same on all ranks, against bent blocks."""

from collections.abc import Callable
from itertools import pairwise

from mpi4py import MPI

import numpy as np
import pytest
from dolfinx.mesh import CellType

from loligo.cases.rubber.elastomer import Elastomer, NeoHooke
from loligo.fem.core.domain import Domain
from loligo.fem.core.measure import Probe
from loligo.fem.loads.base import Pressure
from loligo.fem.loads.supports import Fixed
from loligo.fem.loads.tendons import Tendon
from loligo.fem.march.static import march
from loligo.fem.problem.problem import Problem
from loligo.fem.solvers.newton import Newton

Array = np.ndarray
Box = Callable[..., Domain]
BENT = Tendon("bent", ((0.0, 0.3, 0.4), (0.6, 0.35, 0.7), (1.0, 0.5, 0.5)))


def _set_wave(problem: Problem) -> None:
    fields = problem.fields
    fields.function.x.array[: fields.owned] = fields.wave(1.0, 0.2)
    fields.function.x.scatter_forward()


def _power(problem: Problem, direction: Array) -> float:
    """Work of the residual along a direction."""
    return float(problem.comm.allreduce(problem.assemble_residual()[1].array_r @ direction))


@pytest.fixture
def loaded(box: Box, laws: dict[str, Elastomer]) -> Problem:
    """A distorted box that nothing holds, with a tendon that bends in it."""
    return Problem(box((3, 2, 2), distort=0.3), laws["neo_hooke"], supports=[], tendons=[BENT])


@pytest.mark.mpi
def test_length_is_that_of_the_deformed_line(loaded: Problem, deform: Callable[..., None]) -> None:
    corners = np.array(BENT.path)
    gradient = np.array([[1.1, 0.1, 0.2], [0.0, 0.9, 0.3], [0.1, -0.2, 1.2]])
    for f in (np.eye(3), gradient):
        deform(loaded, lambda x, f=f: x @ (f - np.eye(3)).T)
        pieces = np.diff(corners @ f.T, axis=0)
        expected = np.linalg.norm(pieces, axis=1).sum()
        assert loaded.tendon_length("bent") == pytest.approx(expected, rel=1e-12)


@pytest.mark.mpi
def test_length_of_a_curved_line(box: Box, laws: dict[str, Elastomer]) -> None:
    problem = Problem(box((4, 2, 2)), laws["neo_hooke"], supports=[], tendons=[BENT])
    _set_wave(problem)
    corners = np.array(BENT.path)
    line = np.concatenate(
        [a + np.linspace(0, 1, 3001)[:, None] * (b - a) for a, b in pairwise(corners)]
    )
    moved = line + Probe(problem.domain.mesh, line).read(problem.fields.displacement_field())
    chords = np.linalg.norm(np.diff(moved, axis=0), axis=1).sum()
    # Chords of a 6000th of a curve; those across a jump of its slope are too short.
    assert problem.tendon_length("bent") == pytest.approx(chords, rel=1e-6)


@pytest.mark.mpi
@pytest.mark.parametrize("cell", [CellType.tetrahedron, CellType.hexahedron])
def test_a_straight_tendon_at_rest_loads_its_ends_alone(
    box: Box, laws: dict[str, Elastomer], deform: Callable[..., None], cell: CellType
) -> None:
    path = ((0.0, 0.31, 0.42), (1.0, 0.57, 0.66))
    distort = 0.3 if cell == CellType.tetrahedron else 0.0  # faces are planes
    domain = box((6, 3, 3), distort=distort, cell=cell)
    problem = Problem(domain, laws["neo_hooke"], supports=[], tendons=[Tendon("t", path)])
    deform(problem, lambda x: 0 * x)
    problem.set_value("t", 40.0)
    fields = problem.fields
    force = problem.assemble_residual()[1].array_r[fields.node_unknowns]
    x = fields.node_positions[:, 0]
    inside = (x > 0.25) & (x < 0.75)  # the cells of both ends reach to 1/6 and somewhat further
    assert np.abs(force[inside]).max(initial=0.0) < 1e-12 * 40.0
    pull = problem.comm.allreduce(-force[x > 0.75].sum(0))
    direction = np.diff(path, axis=0)[0] / np.linalg.norm(np.diff(path, axis=0))
    assert pull == pytest.approx(-40.0 * direction, abs=1e-10)


@pytest.mark.mpi
def test_it_does_so_through_curved_cells(
    cone: Callable[..., Domain], laws: dict[str, Elastomer], deform: Callable[..., None]
) -> None:
    # At 0.9 of the radius nearly every cell of the path has a curved face.
    path = ((0.0, 0.63, 0.643), (6.0, 0.45, 0.459))
    domain = cone(1.0, 0.7, 6.0, 0.5)
    problem = Problem(domain, laws["neo_hooke"], supports=[], tendons=[Tendon("t", path)])
    deform(problem, lambda x: 0 * x)
    problem.set_value("t", 40.0)
    fields = problem.fields
    force = problem.assemble_residual()[1].array_r[fields.node_unknowns]
    x = fields.node_positions[:, 0]
    inside = (x > 2.0) & (x < 4.0)
    # Four Gauss points in cells whose map is quadratic; crossings of flat faces leave 0.2 T.
    assert np.abs(force[inside]).max(initial=0.0) < 1e-6 * 40.0


@pytest.mark.mpi
def test_forces_are_conjugate_to_the_length(loaded: Problem) -> None:
    _set_wave(loaded)
    fields, h, tension = loaded.fields, 1e-6, 40.0
    direction = fields.wave(1.0, 1.1)
    without = _power(loaded, direction)
    loaded.set_value("bent", tension)
    power = _power(loaded, direction) - without
    lengths = []
    for step in (h, -2 * h):
        fields.function.x.array[: fields.owned] += step * direction
        fields.function.x.scatter_forward()
        lengths.append(loaded.tendon_length("bent"))
    # Residual is internal minus external: + T dL. Rounding of L over h is 1e-10.
    assert power == pytest.approx(tension * (lengths[0] - lengths[1]) / (2 * h), rel=1e-6)


def test_tangent_is_the_derivative_of_the_residual(
    loaded: Problem, tangent_error: Callable[[Problem], float]
) -> None:
    loaded.set_value("bent", 1e6)
    assert tangent_error(loaded) < 1e-7


@pytest.mark.mpi
def test_a_product_with_the_tangent_is_that_of_its_matrix(
    box: Box, laws: dict[str, Elastomer]
) -> None:
    """Also in the rows and columns of supports, where the way is not zero."""
    problem = Problem(
        box((3, 2, 2), distort=0.3),
        laws["yeoh"],
        supports=[Fixed("x0"), Fixed("y1", (1,))],
        loads=[Pressure("p", "x1")],
        tendons=[BENT],
    )
    _set_wave(problem)
    for name in ("bent", "p"):
        problem.set_value(name, 1e6)
    matrix = Newton(problem).linear.matrix
    problem.assemble_tangent(matrix)
    way, one, other = (matrix.createVecRight() for _ in range(3))
    way.array_w[:] = problem.fields.wave(1.0, 1.1)
    assert np.abs(way.array_r[problem.supports.held]).max(initial=0.0) > 1e-3
    matrix.mult(way, one)
    problem.multiply(way, other)
    size = one.norm()
    other.axpy(-1.0, one)
    assert other.norm() < 1e-13 * size


@pytest.mark.mpi
@pytest.mark.mpi3  # one rank has no part of the tendon
def test_forces_balance_and_do_not_depend_on_the_ranks(
    loaded: Problem,
    box: Box,
    laws: dict[str, Elastomer],
    external: Callable[[Problem], tuple[Array, float]],
) -> None:
    alone = Problem(
        box((3, 2, 2), distort=0.3, comm=MPI.COMM_SELF),
        laws["neo_hooke"],
        supports=[],
        tendons=[BENT],
    )
    found = []
    for problem in (loaded, alone):
        _set_wave(problem)
        problem.set_value("bent", 1e6)
        wrench, size = external(problem)
        assert np.abs(wrench).max() < 1e-12 * size
        matrix = Newton(problem).linear.matrix
        problem.assemble_tangent(matrix)
        v, product = matrix.createVecRight(), matrix.createVecRight()
        v.array_w[:] = problem.fields.wave(1.0, 1.1)
        matrix.mult(v, product)
        length = problem.tendon_length("bent")
        found.append([length, size, _power(problem, v.array_r), v.dot(product)])
    assert found[0] == pytest.approx(found[1], rel=1e-11)


@pytest.mark.mpi
@pytest.mark.parametrize(("first", "last"), [(0.3, 0.3), (0.4, 0.1)])
def test_an_eccentric_tendon_bends_a_block(box: Box, first: float, last: float) -> None:
    length, modulus, tension = 20.0, 3e5, 600.0
    domain = box((40, 2, 2), (length, 1.0, 1.0))
    path = ((0.0, 0.5, 0.5 + first), (length, 0.5, 0.5 + last))
    problem = Problem(
        domain, NeoHooke(mu=1e5, density=1000), supports=[Fixed("x0")], tendons=[Tendon("t", path)]
    )
    result = list(march(problem, [{"t": tension}]))[-1]
    assert result.stable  # a symmetric tangent
    stations, half = (5.0, 15.0), 0.3
    points = [(x, 0.5, 0.5 + z) for x in stations for z in (-half, 0.0, half)]
    moved = points + Probe(domain.mesh, points).read(problem.fields.displacement_field())
    (low, mid, high), (far_low, far_mid, far_high) = moved.reshape(2, 3, 3)
    angles = [np.arctan2(-d[0], d[2]) for d in (high - low, far_high - far_low)]
    # A rod between the stations: EI kappa = T e and EA strain = -T, exact for any bend of a
    # straight tendon; towards the tendon's side, +z. The section is 2e-3 shorter than at rest, and
    # twice that stiffer in bending.
    arm = np.interp(10.0, [0.0, length], [first, last])
    turn = tension * arm / (modulus / 12) * 10.0
    assert angles[1] - angles[0] == pytest.approx(turn, rel=5e-3)
    arc = np.linalg.norm(far_mid - mid) * (turn / 2) / np.sin(turn / 2)
    assert arc / 10.0 - 1 == pytest.approx(-tension / modulus, rel=2e-2)
    assert far_mid[2] > mid[2] + 0.1
    reaction = problem.reaction("x0")
    assert np.abs(reaction).max() < 1e-6 * tension


@pytest.mark.mpi
def test_a_blocked_tip_takes_the_tension_with_its_moment(
    box: Box, laws: dict[str, Elastomer]
) -> None:
    domain = box((4, 2, 2), (2.0, 1.0, 1.0))
    tendon = Tendon("t", ((0.0, 0.5, 0.8), (2.0, 0.5, 0.8)))
    held = [Fixed("x0"), Fixed("x1")]
    problem = Problem(domain, laws["neo_hooke"], supports=held, tendons=[tendon])
    list(march(problem, [{"t": 50.0}]))
    # Nothing moves: the support alone holds the anchor, 0.3 beside the centre of the face.
    expected = [0.0, 0.3 * 50.0, 0.0, 50.0, 0.0, 0.0]
    assert problem.reaction("x1", (2.0, 0.5, 0.5)) == pytest.approx(expected, abs=1e-9)


def test_a_path_out_of_the_body_or_without_length_is_refused(
    box: Box, laws: dict[str, Elastomer]
) -> None:
    outside = Tendon("t", ((0.0, 0.5, 0.5), (1.2, 0.5, 0.5)))
    with pytest.raises(ValueError, match="lie outside the mesh"):
        Problem(box(), laws["neo_hooke"], supports=[], tendons=[outside])
    with pytest.raises(ValueError, match="tendon t needs two corners"):
        Tendon("t", ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0)))
