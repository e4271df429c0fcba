"""The section problem against closed forms: nothing in these numbers comes from a mesh."""

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq

from loligo.cases.rubber.elastomer import MooneyRivlin, NeoHooke, Yeoh
from loligo.fem.cross_section.path import follow, free_targets, rest
from loligo.fem.cross_section.plane import domain_of
from loligo.fem.cross_section.problem import REST, SectionProblem, Thread
from loligo.fem.cross_section.solve import FREE, HELD, Target, solve
from loligo.meshes.bodies import Hole, Piece
from loligo.meshes.mesh import HEXAHEDRON, TETRAHEDRON
from loligo.meshes.plane import build_plane

MU, A = 0.1e6, 10e-3
NEO_HOOKE = NeoHooke(mu=MU, density=1000)
NONE = np.zeros(0)


def disc(element=HEXAHEDRON, elastomer=NEO_HOOKE, edges=4):
    plane = build_plane(Piece("body", 0.0, 1.0, A, A), A / edges, element)
    return SectionProblem(domain_of(plane), {"body": elastomer})


def tube(inner, outer, elastomer=NEO_HOOKE, edges=8, thread=None):
    piece = Piece("body", 0.0, 1.0, outer, outer, (Hole("cavity", 0.0, 0.0, inner),), outer)
    plane = build_plane(piece, outer / edges, HEXAHEDRON)
    threads = [Thread("winding", thread)] if thread else []
    return SectionProblem(
        domain_of(plane), {"body": elastomer}, chambers=["cavity"], threads=threads
    )


@pytest.mark.parametrize("element", [HEXAHEDRON, TETRAHEDRON])
@pytest.mark.parametrize(
    ("elastomer", "second"),
    [(NEO_HOOKE, 0.0), (MooneyRivlin(c10=4e4, c01=1e4, density=1000), 1e4)],
    ids=["neo_hooke", "mooney_rivlin"],
)
def test_torsion_is_rivlins(element, elastomer, second, check):
    """M = mu tau pi A^4/2, N = -(mu/4 + c01/2) tau^2 pi A^4 at the rest length (Rivlin 1949)."""
    tau = 5.0
    state = solve(disc(element, elastomer), Target(NONE, HELD, np.array([tau, 0, 0, 1, 0, 0])))
    polar = math.pi * A**4
    check("F7", "section: torque", state.wrench[0], MU * tau * polar / 2, 1e-4)
    check("F7", "section: force", state.wrench[3], -(MU / 4 + second / 2) * tau**2 * polar, 1e-4)
    assert state.unstable == 0


@pytest.mark.parametrize("stretch", [0.7, 1.5, 2.5])
def test_stretch_of_a_yeoh_bar(stretch):
    """N = 2 A (s - 1/s^2) (c10 + 2 c20 (I1 - 3)), I1 = s^2 + 2/s, of incompressible rubber."""
    law = Yeoh(c10=5e4, c20=4e3, density=1000)
    state = solve(disc(elastomer=law), Target(NONE, HELD, np.array([0, 0, 0, stretch, 0, 0])))
    strain = stretch**2 + 2 / stretch - 3
    force = 2 * math.pi * A**2 * (stretch - stretch**-2) * (5e4 + 2 * 4e3 * strain)
    # The area of the mesh, with curved edges of second order, is 2e-5 below that of the disc.
    assert state.wrench[3] == pytest.approx(force, rel=1e-4)


def test_pressurised_tube_with_closed_ends_is_rivlins():
    """Stretch and bore of a neo-Hooke tube with closed ends, from the universal solution.

    At axial stretch s, r^2 = r_i^2 + (R^2 - R_i^2)/s and the hoop stretch is a = r/R. Radial
    equilibrium gives p = int mu (a^2 - 1/(a s)^2)/(s a^2 R) dR; the ends are free if
    int sigma_x dA = p pi r_i^2 with sigma_x = sigma_r + mu (s^2 - 1/(a s)^2).
    """
    inner, outer = 10e-3, 15e-3

    def state_of(p):
        def unknown(stretch):
            ri = brentq(lambda r: pressure(r, stretch) - p, inner * 0.5, inner * 2.5)
            return axial(ri, stretch, p)

        stretch = brentq(unknown, 0.7, 1.6)
        return stretch, brentq(lambda r: pressure(r, stretch) - p, inner * 0.5, inner * 2.5)

    def hoop(ri, stretch, R):
        return math.sqrt(ri**2 + (R**2 - inner**2) / stretch) / R

    def pressure(ri, s):
        # p = int_{R_i}^{R_o} (sigma_hoop - sigma_rr)/r dr, dr/r = R dR/(s r^2)
        def rate(R):
            a = hoop(ri, s, R)
            return MU * (a**2 - 1 / (a * s) ** 2) / (s * a**2 * R)

        return quad(rate, inner, outer)[0]

    def axial(ri, s, p):
        # sigma_rr(R) = -p + int_{R_i}^R, sigma_x = sigma_rr + mu (s^2 - 1/(a s)^2)
        def rate(R):
            a = hoop(ri, s, R)
            return MU * (a**2 - 1 / (a * s) ** 2) / (s * a**2 * R)

        def stress(R):
            a = hoop(ri, s, R)
            radial = -p + quad(rate, inner, R)[0]
            return (radial + MU * (s**2 - 1 / (a * s) ** 2)) * 2 * math.pi * R / s

        return quad(stress, inner, outer)[0] - p * math.pi * ri**2

    problem = tube(inner, outer)
    (state,) = follow(problem, free_targets([[0.2 * MU]]))
    stretch, ri = state_of(0.2 * MU)
    assert state.strain[3] == pytest.approx(stretch, abs=1e-5)
    assert state.volumes[0] == pytest.approx(math.pi * ri**2 * stretch, rel=2e-4)
    assert state.unstable == 0


def test_hooped_tube_only_lengthens():
    """Stiff hoops on the skin keep the outer radius; the wall thins between bore and hoops.

    With r_o = R_o, r_i^2 = R_o^2 - (R_o^2 - R_i^2)/s. Neo-Hooke, per 2 pi:
    dW/ds = p d(r_i^2 s / 2)/ds, where W = int mu/2 (s^2 + a^2 + 1/(a s)^2 - 3) R dR.
    """
    inner, outer = 6e-3, 10e-3

    def energy(s):
        ri2 = outer**2 - (outer**2 - inner**2) / s

        def density(R):
            a2 = (ri2 + (R**2 - inner**2) / s) / R**2
            return MU / 2 * (s**2 + a2 + 1 / (a2 * s**2) - 3) * R

        return quad(density, inner, outer, epsabs=1e-14)[0]

    pressure, h = 0.3 * MU, 1e-4

    def balance(s):
        force = (energy(s + h) - energy(s - h)) / (2 * h)
        return force - pressure * outer**2 / 2  # r_i^2 s = R_o^2 s - (R_o^2 - R_i^2)

    stretch = brentq(balance, 1.0 + 2 * h, 2.0)
    problem = tube(inner, outer, thread=1e5 * MU * outer)
    (state,) = follow(problem, free_targets([[pressure]]))
    assert state.strain[3] - 1 == pytest.approx(stretch - 1, rel=2e-4)


def test_volume_at_rest_is_the_bore():
    inner = 4e-3
    state = rest(tube(inner, A))
    assert state.volumes[0] == pytest.approx(math.pi * inner**2, rel=1e-4)
    assert np.abs(state.strain - REST).max() < 1e-12


@pytest.fixture(scope="module")
def chambered():
    """Two chambers on one side, thread outside: bends and stretches."""
    holes = tuple(
        Hole(f"c{j}", 5e-3 * math.cos(turn), 5e-3 * math.sin(turn), 2e-3)
        for j, turn in enumerate(np.deg2rad([90.0, 210.0, 330.0]))
    )
    piece = Piece("body", 0.0, 1.0, A, A, holes, A)
    plane = build_plane(piece, A / 6, HEXAHEDRON)
    threads = [Thread("winding", 1e3 * MU * A)]
    return SectionProblem(
        domain_of(plane), {"body": NEO_HOOKE}, chambers=[h.name for h in holes], threads=threads
    )


def test_tangent_is_the_derivative_of_wrench_and_volumes(chambered):
    """Central differences in every strain and pressure about a loaded state, to 1e-6."""
    pressures = np.array([0.3, 0.1, 0.0]) * MU
    (state,) = follow(chambered, free_targets([pressures]))
    for i in range(9):
        ends = []
        for sign in (1.0, -1.0):
            strain, p = state.strain.copy(), pressures.copy()
            if i < 6:
                strain[i] += sign * (1e-2 if i < 3 else 1e-4)
            else:
                p[i - 6] += sign * 1e-3 * MU
            at = solve(chambered, Target(p, HELD, strain), state)
            ends.append(np.concatenate([at.wrench, -at.volumes]))
        step = 2e-2 if i < 3 else 2e-4 if i < 6 else 2e-3 * MU
        column = (ends[0] - ends[1]) / step
        scale = np.abs(np.diag(state.tangent)) ** 0.5 * abs(state.tangent[i, i]) ** 0.5
        assert np.abs((column - state.tangent[:, i]) / scale).max() < 1e-5


def test_one_chamber_bends_away_from_itself_and_stretches(chambered):
    (state,) = follow(chambered, free_targets([[0.2 * MU, 0.0, 0.0]]))
    # The first chamber lies at +z: its pressure lengthens that side, which bends about +y.
    assert state.strain[1] > 0.1
    assert abs(state.strain[2]) < 1e-6 and abs(state.strain[0]) < 1e-6
    assert state.strain[3] > 1.0
    assert np.abs(state.wrench).max() < 1e-9


def test_chambers_that_are_alike_permute(chambered):
    """A turn of the pressures by one chamber turns the bend by 120 deg."""
    first, second = (
        next(follow(chambered, free_targets([0.2 * MU * np.roll([1.0, 0.0, 0.0], i)])))
        for i in (0, 1)
    )
    turn = 2 * math.pi / 3
    turned = np.array([[math.cos(turn), -math.sin(turn)], [math.sin(turn), math.cos(turn)]])
    assert second.strain[1:3] == pytest.approx(turned @ first.strain[1:3], rel=1e-4, abs=1e-5)
    assert second.strain[3] == pytest.approx(first.strain[3], rel=1e-6)


def test_a_tube_of_fixed_length_near_its_limit_pressure():
    """A tube of fixed length: its pressure grows towards a limit that no bore stretch reaches."""
    problem = tube(6e-3, 10e-3)
    start = rest(problem)
    held = np.array([0, 0, 0, 1.0, 0, 0])

    def pressure(a):
        def rate(R):
            b2 = ((6e-3 * a) ** 2 + R**2 - 6e-3**2) / R**2
            return MU * (b2 - 1 / b2) / (b2 * R)

        return quad(rate, 6e-3, 10e-3)[0]

    limit = pressure(1e3)  # grows towards mu ln(R_o/R_i) for neo-Hooke in plane strain
    below = 0.8 * limit
    (state,) = follow(problem, [Target(np.array([below]), HELD, held)], start)
    a = brentq(lambda a: pressure(a) - below, 1.0, 50.0)
    assert state.volumes[0] == pytest.approx(math.pi * (6e-3 * a) ** 2, rel=2e-3)
    assert state.unstable == 0


def test_pure_bending_at_third_order_needs_extension():
    """A free neo-Hooke disc under a moment lengthens with the square of the bend.

    By reciprocity of the potential's third derivatives: at second order in the bend k the axial
    force at rest length is N = (1/2) d3Pi/dv dk2 k^2, so that v - 1 = -N/EA. The same third
    derivative is the change of the bending stiffness with stretch, d(EI)/dv, which follows from a
    homogeneous stretch s of the bar: the tangent modulus of mu (s^2 + 2/s) is mu (1 + 2/s^3), and
    lengths across shrink by s^(-1/2): a bend per reference length strains by k y s^(-1/2).
    """
    problem = disc(edges=8)
    k = 0.02 / A
    free = np.array([True, False, False, True, True, True])
    (state,) = follow(problem, [Target(NONE, free, np.array([0.0, k, 0.0, 0.0, 0.0, 0.0]))])
    second = math.pi * A**4 / 4

    def stiffness(s):
        # Small bend k on a stretch s: axial stretch s + k z s^(-1/2), others follow by J = 1.
        return MU * (1 + 2 / s**3) * second / s

    h = 1e-4
    rate = (stiffness(1 + h) - stiffness(1 - h)) / (2 * h)
    expected = -rate * k**2 / 2 / (3 * MU * math.pi * A**2)
    assert state.strain[3] - 1 == pytest.approx(expected, rel=2e-2)


def test_a_prescribed_wrench_is_met():
    """A wrench prescribed on all components is met; strains come back when they are prescribed."""
    problem = disc()
    wrench = np.array([1e-3, 2e-3, -1e-3, 0.5, 0.1, -0.2])
    (state,) = follow(problem, [Target(NONE, FREE, wrench)])
    assert state.wrench == pytest.approx(wrench, abs=1e-9)
    again = solve(problem, Target(NONE, HELD, state.strain), state)
    assert again.wrench == pytest.approx(wrench, abs=1e-8)
