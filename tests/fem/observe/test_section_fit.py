"""Section frames and residuals of motions that are known exactly, and on a mesh."""

from collections.abc import Callable

from mpi4py import MPI

import numpy as np
import pytest

from loligo.cases.body import ChamberedArm, Segment, TaperedArm
from loligo.cases.case import Case
from loligo.cases.core.frames import strain_between
from loligo.cases.load.kinds import TipForce
from loligo.cases.rubber.elastomer import Elastomer, NeoHooke
from loligo.fem.core.domain import distribute
from loligo.fem.from_case import set_up
from loligo.fem.march.static import march
from loligo.fem.observe.section_fit import fit, moments, plane, residuals
from loligo.fem.observe.sections import StationPlanes
from loligo.fem.problem.problem import Problem
from loligo.meshes.build import build_mesh

Array = np.ndarray
LENGTH = 0.1
STATIONS = np.linspace(0.0, LENGTH, 6)


def disc(radius: float, centre: tuple[float, float] = (0.0, 0.0)) -> tuple[Array, Array]:
    """Points in a disc and their areas, exact for polynomials up to degree 9."""
    node, weight = np.polynomial.legendre.leggauss(5)
    r, w = (node + 1) / 2, weight / 2
    phi = np.arange(12) * np.pi / 6
    points = radius * np.stack(
        [np.outer(r, np.cos(phi)).ravel(), np.outer(r, np.sin(phi)).ravel()], axis=1
    )
    return points + np.array(centre), np.repeat(w * r * radius**2 * np.pi / 6, 12)


def bored_disc() -> tuple[Array, Array]:
    """A section of radius 17 mm with one eccentric bore, as a disc less another one."""
    (whole, area), (hole, void) = disc(0.017), disc(0.005, (0.0, 0.01))
    return np.concatenate([whole, hole]), np.concatenate([area, -void])


def frames(motion: Callable[[Array], Array], section: tuple[Array, Array]) -> Array:
    """Frames of a straight body along x whose points move as given."""
    eta, weight = section
    found = []
    for x in STATIONS:
        rest = np.column_stack([np.full(len(eta), x), eta])
        found.append(fit(moments(eta, weight, motion(rest))).frame)
    return np.array(found)


SECTIONS = pytest.mark.parametrize("section", [disc(0.017), bored_disc()], ids=["full", "bored"])


@SECTIONS
def test_rigid_motion_is_the_frame_itself(section: tuple[Array, Array]) -> None:
    turn = np.linalg.qr(np.random.default_rng(1).normal(size=(3, 3)))[0]
    turn *= np.linalg.det(turn)
    shift = np.array([0.3, -0.2, 0.1])
    found = frames(lambda x: x @ turn.T + shift, section)
    for x, frame in zip(STATIONS, found, strict=True):
        np.testing.assert_allclose(frame[:3, :3], turn, atol=1e-12)
        np.testing.assert_allclose(frame[:3, 3], turn @ (x, 0, 0) + shift, atol=1e-12)


@SECTIONS
def test_homogeneous_deformation_keeps_the_image_of_the_axis(section: tuple[Array, Array]) -> None:
    """Also where the solid's centroid is off the axis; shear is relative to the plane's normal."""
    gradient = np.array([[1.3, 0.0, 0.0], [0.2, 0.9, 0.1], [0.0, 0.1, 0.8]])
    found = frames(lambda x: x @ gradient.T, section)
    np.testing.assert_allclose(found[:, :3, 3], np.outer(STATIONS, gradient[:, 0]), atol=1e-14)
    np.testing.assert_allclose(found[:, :3, :3], np.tile(np.eye(3), (6, 1, 1)), atol=1e-12)
    strain = strain_between(found, STATIONS)
    np.testing.assert_allclose(strain, np.tile([0, 0, 0, 1.3, 0.2, 0.0], (5, 1)), atol=1e-12)


@SECTIONS
def test_bending_to_a_circle_with_thinning(section: tuple[Array, Array]) -> None:
    """Plane sections turn by kappa X; within them points move as a plane strain bend moves them."""
    kappa, stretch = 20.0, 1.1

    def bend(x: Array) -> Array:
        radius = stretch / kappa + 0.8 * x[:, 2] + 9.0 * x[:, 2] ** 2 - 4.0 * x[:, 1] ** 2
        angle = kappa * x[:, 0]
        return np.column_stack([radius * np.sin(angle), x[:, 1], radius * np.cos(angle)])

    found = frames(bend, section)
    strain = strain_between(found, STATIONS)
    eta, weight = section
    # The origin is the value on the axis of the straight line that fits radius(z) best.
    radius = stretch / kappa + 0.8 * eta[:, 1] + 9.0 * eta[:, 1] ** 2 - 4.0 * eta[:, 0] ** 2
    basis = np.column_stack([np.ones(len(eta)), eta])
    line = np.linalg.solve(basis.T @ (weight[:, None] * basis), basis.T @ (weight * radius))
    expected = [0.0, kappa, 0.0, kappa * line[0], 0.0, 0.0]
    np.testing.assert_allclose(strain[:, 1], kappa, rtol=1e-8)
    np.testing.assert_allclose(strain[:, [0, 2]], 0.0, atol=1e-8 * kappa)
    np.testing.assert_allclose(strain[:, 3:], np.tile(expected[3:], (5, 1)), atol=1e-8)


@SECTIONS
def test_torsion(section: tuple[Array, Array]) -> None:
    twist = 30.0

    def turn(x: Array) -> Array:
        c, s = np.cos(twist * x[:, 0]), np.sin(twist * x[:, 0])
        return np.column_stack([x[:, 0], c * x[:, 1] - s * x[:, 2], s * x[:, 1] + c * x[:, 2]])

    strain = strain_between(frames(turn, section), STATIONS)
    np.testing.assert_allclose(strain, np.tile([twist, 0, 0, 1, 0, 0], (5, 1)), atol=1e-8)


def test_frame_of_an_oblique_plane_follows_the_centreline() -> None:
    normal = np.array([1.0, 2.0, -0.5])
    normal /= np.linalg.norm(normal)
    axes = plane(np.zeros(3), normal).axes
    np.testing.assert_allclose(axes[:, 0], normal, atol=1e-14)
    np.testing.assert_allclose(axes @ axes.T, np.eye(3), atol=1e-14)
    assert np.linalg.det(axes) == pytest.approx(1.0)
    # The shortest turn leaves the direction across both normals alone.
    across = np.cross([1.0, 0.0, 0.0], normal)
    np.testing.assert_allclose(axes @ across, across, atol=1e-14)


def test_residuals_by_their_formulas() -> None:
    radius = 0.02
    eta, weight = disc(radius)
    a, b, c = 1.2, 0.9, 3.0  # ellipse, and the saddle c y z out of its plane
    x = np.column_stack([c * eta[:, 0] * eta[:, 1], a * eta[:, 0], b * eta[:, 1]])
    total = moments(eta, weight, x)
    fitted = fit(total)
    height = (x - fitted.origin) @ fitted.rotation[:, 0]
    found = residuals(total, fitted, np.array([a * b, 0, 0]) * weight.sum(), weight @ height**2)
    # int (y z)^2 dA = pi R^6/24; the radius of gyration squared is R^2/2.
    warping = c * np.sqrt(np.pi * radius**6 / 24 / (np.pi * radius**2) / (radius**2 / 2))
    np.testing.assert_allclose(found, [a * b - 1, (a - b) / (a + b), warping], rtol=1e-12)


def chambered() -> ChamberedArm:
    """A segment with one chamber, off its axis: the solid's centroid is not on the axis."""
    return ChamberedArm(
        radius=0.017,
        plates=(0.005, 0.005),
        segments=(Segment(length=0.03, chambers=1, chamber_radius=0.005, chamber_offset=0.01),),
        stations=4,
    )


def tapered() -> TaperedArm:
    """A cone whose first and last sections are faces of the body."""
    return TaperedArm(length=0.03, base_radius=0.01, tip_radius=0.006, stations=4)


def problem_of(body: ChamberedArm | TaperedArm, size: float, law: Elastomer, comm) -> Problem:
    """A problem at rest on a coarse mesh of a body."""
    mesh = build_mesh(body, 0, size=size) if comm.rank == 0 else None
    return Problem(distribute(mesh, comm), law, supports=[])


@pytest.mark.mpi
@pytest.mark.parametrize("body", [chambered(), tapered()], ids=["chambered", "tapered"])
def test_affine_motion_on_a_mesh(
    body, laws: dict[str, Elastomer], deform: Callable[..., None]
) -> None:
    """Chambers, inner planes and faces alike: exact for what the elements represent."""
    problem = problem_of(body, 0.012, laws["neo_hooke"], MPI.COMM_WORLD)
    sections = StationPlanes(problem, body)
    gradient = np.array([[1.3, 0.0, 0.0], [0.2, 0.9, 0.0], [0.0, 0.0, 0.8]])
    turn = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    deform(problem, lambda x: x @ (turn @ gradient).T - x)
    state = sections.measure()
    for frame, rest in zip(state.frame, sections.rest, strict=True):
        np.testing.assert_allclose(frame[:3, :3], turn, atol=1e-10)
        np.testing.assert_allclose(frame[:3, 3], turn @ gradient @ rest[:3, 3], atol=1e-12)
    expected = np.tile([0.9 * 0.8 - 1, 0.1 / 1.7, 0.0], (len(state.frame), 1))
    np.testing.assert_allclose(state.residual, expected, atol=1e-10)


def bend_and_twist(x: Array) -> tuple[Array, Array]:
    """Points of a rod with torsion 9/m inside a bend of 12/m, and its frames there."""
    kappa, twist = 12.0, 9.0
    a, b, zero, one = kappa * x[:, 0], twist * x[:, 0], 0.0 * x[:, 0], 0.0 * x[:, 0] + 1.0
    bend = np.array(
        [[np.cos(a), zero, np.sin(a)], [zero, one, zero], [-np.sin(a), zero, np.cos(a)]]
    )
    turn = np.array(
        [[one, zero, zero], [zero, np.cos(b), -np.sin(b)], [zero, np.sin(b), np.cos(b)]]
    )
    frame = np.zeros((len(x), 4, 4))
    frame[:, :3, :3] = np.einsum("ijp,jkp->pik", bend, turn)
    frame[:, :3, 3] = np.column_stack([np.sin(a) / kappa, zero, (np.cos(a) - 1) / kappa])
    frame[:, 3, 3] = 1.0
    across = np.column_stack([zero, x[:, 1:]])
    return frame[:, :3, 3] + np.einsum("pij,pj->pi", frame[:, :3, :3], across), frame


@pytest.mark.mpi
def test_bending_and_torsion_on_a_mesh(
    laws: dict[str, Elastomer], deform: Callable[..., None]
) -> None:
    """Exact whatever the mesh: within a section the motion is affine, and elements keep that."""
    body = tapered()
    problem = problem_of(body, 0.012, laws["neo_hooke"], MPI.COMM_WORLD)
    deform(problem, lambda x: bend_and_twist(x)[0] - x)
    sections = StationPlanes(problem, body)
    expected = bend_and_twist(sections.rest[:, :3, 3])[1]
    np.testing.assert_allclose(sections.measure().frame, expected, atol=1e-12)


@pytest.mark.mpi
def test_warped_sections_on_a_mesh_converge(
    laws: dict[str, Elastomer], deform: Callable[..., None]
) -> None:
    """Waves across the section, which elements interpolate, against points in a true disc."""
    body = TaperedArm(length=0.03, base_radius=0.01, tip_radius=0.01, stations=3)

    def motion(x: Array) -> Array:
        wave = 0.002 * np.sin(150.0 * x[:, 1] + 90.0 * x[:, 2] + 0.4)
        return bend_and_twist(x)[0] + wave[:, None] * np.array([1.0, 0.5, -0.3])

    eta, weight = disc(body.base_radius)
    x = np.linspace(0.0, body.length, body.stations)
    exact = [np.column_stack([np.full(len(eta), s), eta]) for s in x]
    expected = np.array([fit(moments(eta, weight, motion(at))).frame for at in exact])
    errors = []
    for size in (0.008, 0.004):
        problem = problem_of(body, size, laws["neo_hooke"], MPI.COMM_WORLD)
        deform(problem, lambda x: motion(x) - x)
        errors.append(np.abs(StationPlanes(problem, body).measure().frame - expected).max())
    assert errors[1] < errors[0] / 4  # second order or better
    assert errors[0] < 1e-2


@pytest.mark.slow
def test_shear_of_a_long_cylinder_is_cowpers() -> None:
    """Under a transverse force F: F/(k G A), k = 6 (1 + nu)/(7 + 6 nu) = 0.9 (Cowper 1966).

    The strain between frames is that of a helix. Where the curvature varies as kappa' = F/(E I), a
    chord of length h leans by h^2 kappa'/12 more, which shows as shear.
    """
    force, mu, radius = 0.002, 20e3, 0.01
    body = TaperedArm(length=0.1, base_radius=radius, tip_radius=radius, tip_disc=0.003, stations=5)
    case = Case(
        name="shear",
        title="a test",
        source="none",
        body=body,
        material={"body": NeoHooke(mu=mu, density=1000.0)},
        load={"push": TipForce(force=(0.0, force, 0.0))},
        steps=(1.0,),
    )
    setup = set_up(case, distribute(build_mesh(body, 0, size=0.0045), MPI.COMM_SELF))
    list(march(setup.problem, setup.targets))
    x = np.linspace(0.0, body.length, body.stations)
    strain = strain_between(StationPlanes(setup.problem, body).measure().frame, x)
    area, second = np.pi * radius**2, np.pi * radius**4 / 4
    shear = force / (0.9 * mu * area) + (x[1] - x[0]) ** 2 * force / (3 * mu * second) / 12
    # Away from the clamp and the disc; the mesh is 3 % off.
    np.testing.assert_allclose(strain[1:3, 4], shear, rtol=0.05)
