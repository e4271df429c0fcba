"""The profile of a mantle under motions that are known, and lines along chambers."""

from collections.abc import Callable

from mpi4py import MPI

import numpy as np
import pytest

from loligo.cases.body import ChamberedArm, Mantle, Segment
from loligo.cases.rubber.elastomer import Elastomer
from loligo.fem.core.domain import distribute
from loligo.fem.observe.chamber_lines import ChamberLines, curve_length
from loligo.fem.observe.mantle_profile import MODES, WallPoints, lobe_amplitudes, wall_points
from loligo.fem.problem.problem import Problem
from loligo.meshes.build import build_mesh
from loligo.meshes.mesh import ELEMENTS

Array = np.ndarray
MANTLE = Mantle(radius=0.03, thickness=0.002, truncation=0.8, cylinder_length=0.05)


def problem_of(body, laws: dict[str, Elastomer], size: float, element="tetrahedron") -> Problem:
    comm = MPI.COMM_WORLD
    mesh = build_mesh(body, 0, size=size, element=element) if comm.rank == 0 else None
    return Problem(distribute(mesh, comm), laws["neo_hooke"], supports=[])


@pytest.mark.mpi
@pytest.mark.parametrize("element", ELEMENTS)
def test_mantle_at_rest_and_stretched(
    laws: dict[str, Elastomer], deform: Callable[..., None], element: str
) -> None:
    problem = problem_of(MANTLE, laws, 0.012, element)
    wall = WallPoints(problem, MANTLE)
    s = wall.meridian
    lean = np.maximum(MANTLE.truncation - s / MANTLE.radius, 0.0)
    radius = MANTLE.radius * np.cos(lean)
    x = MANTLE.radius * (np.sin(MANTLE.truncation) - np.sin(lean))
    x += np.maximum(s - MANTLE.radius * MANTLE.truncation, 0.0)
    rest = wall.measure()
    np.testing.assert_allclose(rest.radius, radius, rtol=1e-12)
    np.testing.assert_allclose(rest.axial, x, atol=1e-14)
    np.testing.assert_allclose(rest.thickness, MANTLE.thickness, rtol=1e-12)
    np.testing.assert_allclose(rest.lobes, 0.0, atol=1e-14)
    # Wider by 1.2 and shorter by 0.7: linear motions are exact, on curved elements too.
    deform(problem, lambda x: x * np.array([0.7, 1.2, 1.2]) - x)
    found = wall.measure()
    np.testing.assert_allclose(found.radius, 1.2 * radius, rtol=1e-10)
    np.testing.assert_allclose(found.axial, 0.7 * x, atol=1e-13)
    fibre = MANTLE.thickness * np.hypot(1.2 * np.cos(lean), 0.7 * np.sin(lean))
    np.testing.assert_allclose(found.thickness, fibre, rtol=1e-9)


@pytest.mark.mpi
def test_lobes_are_told_apart(laws: dict[str, Elastomer], deform: Callable[..., None]) -> None:
    """Three lobes that grow towards the rim, and an ellipse; the elements follow within 1 %."""
    problem = problem_of(MANTLE, laws, 0.006)

    def lobes(x: Array) -> Array:
        phi, end = np.arctan2(x[:, 2], x[:, 1]), x[:, 0].max(initial=0.0)
        end = MPI.COMM_WORLD.allreduce(end, MPI.MAX)
        push = 2e-3 * np.cos(3 * phi + 0.4) * x[:, 0] / end + 5e-4 * np.cos(2 * phi)
        return np.column_stack([0 * phi, push * np.cos(phi), push * np.sin(phi)])

    deform(problem, lobes)
    found = WallPoints(problem, MANTLE).measure().lobes
    expected = np.zeros(len(MODES))
    expected[[0, 1]] = 5e-4, 2e-3
    np.testing.assert_allclose(found, expected, atol=2e-5)


def test_amplitudes_have_no_phase() -> None:
    phi = np.arange(32) * np.pi / 16
    radius = 1.0 + sum(a * np.cos(n * phi + n) for n, a in zip(MODES, range(1, 8), strict=True))
    np.testing.assert_allclose(lobe_amplitudes(radius), np.arange(1.0, 8.0), rtol=1e-12)


def test_points_of_the_wall_keep_their_distance() -> None:
    sphere = np.array([0.3 * MANTLE.radius]), np.array([1.0])
    middle, outer = (wall_points(MANTLE, *sphere, np.array([t])) for t in (0.0, 1e-3))
    centre = [MANTLE.radius * np.sin(MANTLE.truncation), 0.0, 0.0]
    assert np.linalg.norm(outer - middle) == pytest.approx(1e-3)
    assert np.linalg.norm(outer - centre) == pytest.approx(MANTLE.radius + 1e-3)


@pytest.mark.mpi
def test_chamber_lines_of_a_circular_bend(
    laws: dict[str, Elastomer], deform: Callable[..., None]
) -> None:
    """A bend about y by 8/m stretches the fibre at z by 1 + 8 z; that of a central bore is 1."""
    segments = (
        Segment(length=0.06, chambers=3, chamber_radius=0.004, chamber_offset=0.01),
        Segment(length=0.04, chambers=1, chamber_radius=0.006, chamber_offset=0.0),
    )
    body = ChamberedArm(radius=0.017, plates=(0.005, 0.005, 0.005), segments=segments, stations=3)
    problem = problem_of(body, laws, 0.012)
    kappa = 8.0

    def bend(x: Array) -> Array:
        radius, angle = 1 / kappa + x[:, 2], kappa * x[:, 0]
        moved = [radius * np.sin(angle), x[:, 1], radius * np.cos(angle) - 1 / kappa]
        return np.column_stack(moved) - x

    lines = ChamberLines(problem, body)
    np.testing.assert_allclose(lines.lengths(), [[0.06, 0.06]] * 3 + [[0.04, 0.04]], rtol=1e-9)
    deform(problem, bend)
    z = np.array([[0.01, 0.017], [-0.005, -0.0085], [-0.005, -0.0085], [0.0, 0.017]])
    expected = np.array([[0.06]] * 3 + [[0.04]]) * (1 + kappa * z)
    # Elements of 10 mm follow an arc of radius 1/8 m to 1e-5 of its length.
    np.testing.assert_allclose(lines.lengths(), expected, rtol=2e-5)


def test_length_of_a_helix() -> None:
    t = np.linspace(0.0, 1.0, 25)
    helix = np.column_stack([0.3 * t, np.cos(2 * t), np.sin(2 * t)])
    assert curve_length(t, helix) == pytest.approx(np.hypot(0.3, 2.0), rel=1e-6)
