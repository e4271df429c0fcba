"""The constant-curvature arc against the matrix exponential, exact series and the print."""

from decimal import Decimal, getcontext
from math import factorial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import solve_ivp
from scipy.linalg import expm
from scipy.optimize import brentq

from loligo.reduced.arcs import pcc
from loligo.reduced.lie import stumpff

getcontext().prec = 60
EPS = np.finfo(float).eps
OFFSET = 0.017
THREE = pcc.chamber_directions(3)

lengths = st.floats(0.01, 1.0)
bends = st.floats(-4.4, 4.4)  # theta below 6.23 < 2 pi
arcs = st.tuples(lengths, bends, bends).map(np.array)


def close(got, want, tolerance):
    np.testing.assert_allclose(got, want, rtol=0, atol=tolerance)


def hat(twist):
    (a, b, c), linear = twist[:3], twist[3:]
    matrix = np.zeros((4, 4))
    matrix[:3, :3] = [[0, -c, b], [c, 0, -a], [-b, a, 0]]
    matrix[:3, 3] = linear
    return matrix


def exact_stumpff(k, s):
    total = Decimal(0)
    for j in reversed(range(60)):
        total = 1 / Decimal(factorial(2 * j + k)) - Decimal(s) * total
    return total


def slope(function, x, direction, h=1e-3):
    """Fourth-order central difference along a direction."""
    d = np.asarray(direction)
    return (
        8 * (function(x + h * d) - function(x - h * d))
        - (function(x + 2 * h * d) - function(x - 2 * h * d))
    ) / (12 * h)


@pytest.mark.parametrize("k", range(7))
def test_stumpff_is_accurate_over_the_whole_range(k):
    # c_k <= 1/k!, which is the scale of an absolute error where c_k itself crosses zero.
    for s in np.concatenate([np.geomspace(1e-24, 4.0, 60), np.linspace(4.0, 39.0, 40)]):
        error = abs(Decimal(stumpff(float(s))[k]) - exact_stumpff(k, float(s)))
        assert error <= 4 * Decimal(EPS) / factorial(k)


@pytest.mark.parametrize("theta", [0.0, 1e-320, 1e-16, 1e-8, *np.geomspace(1e-12, 1e-2, 41)])
def test_small_bends_lose_no_digits(theta):
    length, phi = 0.3, 0.7
    u, v = theta * np.cos(phi), theta * np.sin(phi)
    tip = pcc.position([length, u, v])
    s = Decimal(u) ** 2 + Decimal(v) ** 2
    exact = [
        Decimal(length) * f
        for f in (
            exact_stumpff(1, s),
            exact_stumpff(2, s) * Decimal(u),
            exact_stumpff(2, s) * Decimal(v),
        )
    ]
    for got, want in zip(tip, exact, strict=True):
        assert abs(Decimal(float(got)) - want) <= 4 * Decimal(EPS) * abs(want) + Decimal("5e-324")
    back = pcc.from_tip(tip)
    close(back[0], length, 4 * EPS * length)
    # A denormal bend keeps as many digits as a denormal has.
    close(back[1:], [u, v], 8 * EPS * theta + 5e-323)


@given(arcs)
@settings(deadline=None)
def test_pose_is_the_exponential_of_the_twist(arc):
    close(pcc.pose(arc), expm(hat(pcc.twist(arc))), 1e-12)


def test_pose_is_the_exponential_at_tiny_bend():
    arc = np.array([0.2, 1e-9, 0.0])
    close(pcc.pose(arc), expm(hat(pcc.twist(arc))), 1e-15)


@given(arcs, st.floats(0.05, 0.95))
@settings(deadline=None)
def test_a_fraction_of_the_arc_composes_with_the_rest(arc, f):
    close(pcc.pose(f * arc) @ pcc.pose((1 - f) * arc), pcc.pose(arc), 1e-14)


def test_curvatures_are_the_bending_strains():
    arc = pcc.from_curvature(0.2, 3.0, -5.0)
    close(pcc.twist(arc) / 0.2, [0, 3.0, -5.0, 1, 0, 0], 1e-15)
    theta, phi = 0.2 * np.hypot(3, 5), np.arctan2(-3.0, -5.0)
    close(arc, pcc.from_polar(0.2, theta, phi), 1e-15)


def test_chain_multiplies_the_poses():
    arcs = np.random.default_rng(3).uniform([0.1, -2, -2], [0.2, 2, 2], (5, 3, 3))
    a, b, c = (pcc.pose(arcs[:, i]) for i in range(3))
    np.testing.assert_array_equal(pcc.chain(arcs), np.stack([a, a @ b, a @ b @ c], axis=1))


@given(arcs)
@settings(deadline=None)
def test_chord_and_orthogonality(arc):
    length, theta, _ = pcc.to_polar(arc)
    chord = length * abs(np.sinc(theta / 2 / np.pi))
    close(np.linalg.norm(pcc.position(arc)), chord, 4e-15)
    r = pcc.rotation(arc)
    close(r.T @ r, np.eye(3), 2e-15)


@given(arcs)
@settings(deadline=None)
def test_tip_gives_the_arc_back(arc):
    theta = pcc.to_polar(arc)[1]
    # Near 2 pi the arc closes and the tip forgets it: condition 1/(2 pi - theta).
    close(pcc.from_tip(pcc.position(arc)), arc, 1e-13 / (2 * np.pi - theta))


def test_tip_inverse_holds_beyond_pi_and_at_pi():
    for theta in (np.pi, 4.0, 6.0):
        arc = pcc.from_polar(0.1, theta, -np.pi)
        close(pcc.from_tip(pcc.position(arc)), arc, 1e-14)


def test_tip_that_no_arc_reaches_is_named():
    with pytest.raises(ValueError, match=r"tip \(-0\.1, 0, 0\) m lies on the base tangent"):
        pcc.from_tip([[0.1, 0.0, 0.0], [-0.1, 0.0, 0.0]])


def test_derivatives_of_the_chart_at_the_straight_arc():
    # Sideways d(tip)/d(theta) = L/2, along the arm d2(tip)/d(theta)2 = -L/3.
    length = 0.25
    gradient = pcc.position_gradient([length, 0.0, 0.0])
    hessian = pcc.position_hessian([length, 0.0, 0.0])
    close(gradient, np.diag([1.0, length / 2, length / 2]), 0)
    assert hessian[0, 1, 1] == hessian[0, 2, 2] == pytest.approx(-length / 3, rel=4 * EPS)


@given(arcs)
@settings(max_examples=40, deadline=None)
def test_derivatives_against_differences(arc):
    for column, direction in enumerate(np.eye(3)):
        close(
            pcc.position_gradient(arc)[:, column],
            slope(pcc.position, arc, direction),
            1e-10,
        )
        close(
            pcc.position_hessian(arc)[..., column],
            slope(pcc.position_gradient, arc, direction),
            1e-10,
        )
        rate = np.linalg.inv(pcc.pose(arc)) @ slope(pcc.pose, arc, direction)
        close(hat(pcc.jacobian(arc)[:, column]), rate, 1e-10)


@given(arcs, arcs)
@settings(max_examples=40, deadline=None)
def test_jacobian_rate_against_differences(arc, rate):
    expected = slope(pcc.jacobian, arc, rate, 1e-3 / 8) @ rate
    close(pcc.jacobian_rate(arc, rate), expected, 1e-8)


def test_derivatives_are_smooth_through_zero():
    for tiny in (0.0, 1e-320, 1e-16, 1e-8):
        arc, rate = np.array([0.2, tiny, 0.0]), np.array([0.1, 1.0, -2.0])
        for function in (pcc.jacobian, pcc.position_hessian, lambda a: pcc.jacobian_rate(a, rate)):
            close(function(arc), function(np.array([0.2, 0.0, 0.0])), 3e-8)


def test_batches_agree_with_single_arcs():
    batch = np.random.default_rng(1).uniform([0.1, -2, -2], [0.2, 2, 2], (4, 5, 3))
    for function in (
        pcc.pose,
        pcc.twist,
        pcc.from_tip,
        pcc.jacobian,
        pcc.position_hessian,
        lambda a: pcc.jacobian_rate(a, a[..., ::-1]),
    ):
        close(function(batch)[2, 3], function(batch[2, 3]), 1e-15)


def roomy(arc):
    """The same bend on a length with which no chamber is shorter than nothing."""
    return arc + np.array([OFFSET * np.hypot(arc[1], arc[2]), 0.0, 0.0])


@given(arcs.map(roomy), st.integers(3, 8), st.floats(-3, 3))
@settings(deadline=None)
def test_chambers_give_the_arc_back(arc, count, turn):
    directions = pcc.chamber_directions(count, turn)
    lengths = pcc.chamber_lengths(arc, OFFSET, directions)
    assert lengths.shape == (count,)
    close(pcc.from_chambers(lengths, OFFSET, directions), arc, 1e-13)


def test_chambers_follow_the_printed_equations():
    """Gong Eq 14 (Liu Eq 1f) gives the lengths, Gong Eqs 1-3 with atan2 give the arc."""
    rng = np.random.default_rng(2)
    d = OFFSET
    for _ in range(50):
        length, theta, phi = rng.uniform([0.05, 0.01, 0.0], [0.2, 3.0, 2 * np.pi])
        r = length / theta
        l1, l2, l3 = printed = theta * np.array(
            [r - d * np.sin(phi), r + d * np.cos(phi - np.pi / 6), r - d * np.cos(phi + np.pi / 6)]
        )
        close(pcc.chamber_lengths(pcc.from_polar(length, theta, phi), d, THREE), printed, 1e-15)
        root = np.sqrt(l1**2 + l2**2 + l3**2 - l1 * l2 - l1 * l3 - l2 * l3)
        phi_atan2 = np.arctan2(l2 + l3 - 2 * l1, np.sqrt(3) * (l2 - l3))
        arc = pcc.from_chambers(printed, d, THREE)
        close(arc, pcc.from_polar((l1 + l2 + l3) / 3, 2 * root / (3 * d), phi_atan2), 1e-12)
        assert 2 * root / ((l1 + l2 + l3) * d) == pytest.approx(pcc.to_polar(arc)[1] / arc[0])


def test_plain_arctangent_of_gong_2_is_half_wrong():
    """The print's tan^-1 folds every azimuth beyond +-90 deg onto the opposite direction."""
    phi = np.radians(150.0)
    l1, l2, l3 = pcc.chamber_lengths(pcc.from_polar(0.1, 1.0, phi), OFFSET, THREE)
    printed = np.arctan((l2 + l3 - 2 * l1) / (np.sqrt(3) * (l2 - l3)))
    assert np.degrees(printed) == pytest.approx(-30.0)


@given(arcs.map(roomy))
@settings(deadline=None)
def test_relabelled_chambers_turn_the_pose_by_120_degrees(arc):
    lengths = pcc.chamber_lengths(arc, OFFSET, THREE)
    turned = pcc.pose(pcc.from_chambers(np.roll(lengths, 1), OFFSET, THREE))
    c, s = -0.5, np.sqrt(0.75)
    turn = np.array([[1, 0, 0, 0], [0, c, -s, 0], [0, s, c, 0], [0, 0, 0, 1.0]])
    close(turned, turn @ pcc.pose(arc) @ turn.T, 1e-12)


def test_printed_frames_enter_through_one_constant_rotation():
    """Gong Eq 8 as Rz(phi) Ry(theta) Rz(-phi) with p_z = r sin(theta), seen from our frame."""

    def rz(a):
        return np.array([[np.cos(a), -np.sin(a), 0], [np.sin(a), np.cos(a), 0], [0, 0, 1]])

    def ry(a):
        return np.array([[np.cos(a), 0, np.sin(a)], [0, 1, 0], [-np.sin(a), 0, np.cos(a)]])

    for theta, phi in ((0.4, 0.3), (2.0, -2.5), (3.0, 1.7)):
        r = 0.1 / theta
        arc = pcc.from_polar(0.1, theta, phi)
        side = r * (1 - np.cos(theta))
        p = np.array([side * np.cos(phi), side * np.sin(phi), r * np.sin(theta)])
        close(pcc.Z_ARM @ p, pcc.position(arc), 1e-15)
        printed = rz(phi) @ ry(theta) @ rz(-phi)
        close(pcc.Z_ARM @ printed @ pcc.Z_ARM.T, pcc.rotation(arc), 1e-15)
        assert abs(side * np.sin(phi) - p[2]) > 1e-3  # the p_z that is printed
    close(pcc.HANGING_ARM @ [0, 0, -0.3], [0.3, 0, 0], 0)
    for matrix in (pcc.Z_ARM, pcc.HANGING_ARM):
        assert np.linalg.det(matrix) == pytest.approx(1.0)


@pytest.mark.parametrize(("load", "miss"), [(0.25, 0.020737), (1.0, 0.078079), (4.0, 0.211949)])
def test_model_error_against_the_elastica(load, miss):
    """What the arc misses of a cantilever under a tip force P L^2/EI, at equal tip angle."""

    def shape(curvature):
        """Integrate (angle, curvature, x, y) of the elastica: angle'' = -load cos(angle)."""

        def slope(_, state):
            angle, bend = state[:2]
            return [bend, -load * np.cos(angle), np.cos(angle), np.sin(angle)]

        return solve_ivp(slope, (0, 1), [0, curvature, 0, 0], rtol=1e-10, atol=1e-12).y[:, -1]

    root = brentq(lambda curvature: shape(curvature)[1], 0.0, load)
    angle, _, x, y = shape(root)
    tip = pcc.position(pcc.from_polar(1.0, angle, 0.0))
    assert np.hypot(tip[0] - x, tip[1] - y) == pytest.approx(miss, abs=1e-6)


def test_wrong_shapes_are_named():
    with pytest.raises(ValueError, match="2 chamber lengths for 3 chambers"):
        pcc.from_chambers([0.1, 0.1], OFFSET, THREE)
    with pytest.raises(ValueError, match=r"shape \(2,\)"):
        pcc.pose([0.1, 0.2])
