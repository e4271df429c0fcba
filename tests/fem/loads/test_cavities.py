"""Rung 3: enclosed volumes, and pressure found from a prescribed volume."""

from collections.abc import Callable

from petsc4py import PETSc

import numpy as np
import pytest
import ufl
from dolfinx.fem import form

from loligo.cases.rubber.elastomer import Elastomer
from loligo.fem.core.domain import Domain
from loligo.fem.core.measure import global_sum
from loligo.fem.loads.cavities import Cavity
from loligo.fem.loads.supports import Fixed
from loligo.fem.march.standing import StepControl
from loligo.fem.march.static import march
from loligo.fem.problem.problem import Problem
from loligo.fem.solvers.newton import Newton

Box = Callable[..., Domain]
Octant = Callable[..., Domain]
Array = np.ndarray
SYMMETRY = (Fixed("x0", (0,)), Fixed("y0", (1,)), Fixed("z0", (2,)))


def _deform(problem: Problem, gradient: Array) -> None:
    fields = problem.fields
    motion = fields.node_positions @ (gradient - np.eye(3)).T
    fields.function.x.array[fields.node_unknowns] = motion
    fields.function.x.scatter_forward()


@pytest.fixture
def ball(octant: Octant, laws: dict[str, Elastomer]) -> Problem:
    """An octant of a thick spherical shell with radii 1 and 1.5 around a cavity."""
    return Problem(
        octant(1.0, 1.5, 0.5),
        laws["neo_hooke"],
        supports=SYMMETRY,
        cavities=[Cavity("inside", "inner")],
    )


@pytest.mark.mpi
@pytest.mark.mpi3
def test_sphere_becomes_an_ellipsoid(ball: Problem) -> None:
    exact = np.pi / 6
    assert ball.cavity_volume("inside") == pytest.approx(exact, rel=2e-4)
    _deform(ball, np.diag([1.1, 1.2, 0.9]))
    assert 8 * ball.cavity_volume("inside") == pytest.approx(4.97628, rel=2e-4)


@pytest.mark.mpi
def test_to_ask_whether_a_border_is_symmetric_makes_no_vector(ball: Problem) -> None:
    """On several ranks PETSc keeps a vector that nobody destroys."""
    made = []

    class Watched(PETSc.Vec):  # type: ignore[misc]
        def __init__(self) -> None:
            made.append(self)

    newton = Newton(ball, ("inside",))
    border = newton.linear.border
    border.assemble()
    column = Watched()
    column.createMPI(border._columns[0].sizes, comm=ball.comm)
    border._columns[0].copy(column)
    border._columns[0].destroy()
    border._columns[0] = column
    made.clear()
    assert border.symmetric
    assert made == []
    newton.destroy()


@pytest.mark.mpi
def test_plane_facets_are_measured_exactly(box: Box, laws: dict[str, Elastomer]) -> None:
    size = (2.0, 1.0, 0.5)
    faces = ("x0", "x1", "y0", "y1", "z0", "z1")
    problem = Problem(
        box(size=size, distort=0.3),
        laws["neo_hooke"],
        supports=[],
        cavities=[
            Cavity("closed", faces),
            Cavity("open", faces[2:], open_along_x=True),
        ],
    )
    gradient = np.array([[1.3, 0.4, -0.2], [0.1, 0.9, 0.3], [0.2, -0.3, 1.1]])
    _deform(problem, gradient)
    # The facets bound the solid, so the "cavity" outside them counts negative.
    assert problem.cavity_volume("closed") == pytest.approx(-np.linalg.det(gradient), rel=1e-12)
    gradient[0, 1:] = 0.0  # the ends stay planes x = const
    _deform(problem, gradient)
    assert problem.cavity_volume("open") == pytest.approx(-np.linalg.det(gradient), rel=1e-12)


@pytest.mark.mpi
def test_first_moments_are_volume_times_centroid(box: Box, laws: dict[str, Elastomer]) -> None:
    size = (2.0, 1.0, 0.5)
    faces = ("x0", "x1", "y0", "y1", "z0", "z1")
    cavities = [Cavity("closed", faces), Cavity("open", faces[2:], open_along_x=True)]
    problem = Problem(
        box(size=size, distort=0.3), laws["neo_hooke"], supports=[], cavities=cavities
    )
    gradient = np.array([[1.3, 0.0, 0.0], [0.1, 0.9, 0.3], [0.2, -0.3, 1.1]])
    _deform(problem, gradient)
    centroid = gradient @ np.array(size) / 2
    for cavity in cavities:
        for axis, direction in enumerate(np.eye(3)):
            moment = cavity.first_moment(problem.kinematics, ufl.as_vector(direction.tolist()))
            found = global_sum(form(moment)) / problem.cavity_volume(cavity.name)
            assert found == pytest.approx(centroid[axis], rel=1e-12), (cavity.name, axis)


def test_pressure_works_on_the_volume(ball: Problem) -> None:
    fields = ball.fields
    fields.function.x.array[: fields.owned] = fields.wave(1.0, 0.4)
    fields.function.x.array[ball.supports.held] = 0.0
    load, volume = ball.assemble_border("inside")
    total = load.copy()
    total.axpy(1.0, volume)
    assert total.norm() < 1e-12 * volume.norm()


@pytest.mark.mpi
def test_volume_and_pressure_control_find_the_same_states(ball: Problem) -> None:
    rest = ball.save()
    volume = ball.cavity_volume("inside")
    found = list(march(ball, [{"inside": 1.3 * volume}], volume_controlled=("inside",)))[-1]
    assert found.volumes["inside"] == pytest.approx(1.3 * volume, rel=1e-10)
    assert found.pressures["inside"] > 0.0
    assert found.stable
    assert found.inertia is not None
    assert found.inertia.expected == ball.fields.pressure_count + 1

    pressure = found.pressures["inside"]
    # Pressure control takes over where volume control ended.
    assert ball.values["inside"] == pressure
    first = next(march(ball, [{"inside": 0.8 * pressure}], control=StepControl(first=0.5)))
    assert first.values["inside"] == pytest.approx(0.9 * pressure, rel=1e-12)

    ball.restore(rest)
    back = list(march(ball, [{"inside": pressure}]))[-1]
    assert back.values["inside"] == pressure
    assert back.volumes["inside"] == pytest.approx(1.3 * volume, rel=1e-8)
    assert back.stable


def test_stored_energy_grows_by_pressure_times_volume(ball: Problem) -> None:
    volume = ball.cavity_volume("inside")
    shares = [1.25 - 1e-3, 1.25, 1.25 + 1e-3]
    energies, pressures = [], []
    for result in march(
        ball, [{"inside": s * volume} for s in shares], volume_controlled=("inside",)
    ):
        if result.target is not None:
            energies.append(ball.strain_energy())
            pressures.append(result.pressures["inside"])
    slope = (energies[2] - energies[0]) / (2e-3 * volume)
    # The curvature of p(V) over the small interval: (1e-3)^2 and a rounding of 1e-9 / 1e-3.
    assert slope == pytest.approx(pressures[1], rel=1e-5)
