"""The rod in its plane: the elastica and its relatives, by closed forms and by shooting."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq
from scipy.special import ellipe, ellipeinc, ellipk, ellipkinc, jv
from shooting import STRAIGHT, shoot

from loligo.reduced.rod.loads import LineLoad, PointLoad, net_weight
from loligo.reduced.rod.model import Rod, circular_stiffness
from loligo.reduced.rod.statics import solve

UNIT = np.eye(6)  # with L = 1; only its bending is used


def angle(frame):
    return np.arctan2(frame[1, 0], frame[0, 0])


def elastica(alpha):
    """Tip (x, y, angle) of a cantilever, L = 1, under a dead normal force alpha = P L^2/EI.

    EI theta'' = -P cos(theta) integrates once to theta'^2 = 2 alpha (sin t - sin theta), t the tip
    angle. With sin(theta) = 2 k^2 sin^2(phi) - 1, 2 k^2 = 1 + sin t, both integrals are elliptic.
    """

    def parts(t):
        m = 0.5 * (1 + np.sin(t))
        return m, np.arcsin(1 / np.sqrt(2 * m))

    def length(t):
        m, start = parts(t)
        return (ellipk(m) - ellipkinc(start, m)) / np.sqrt(alpha)

    t = brentq(lambda t: length(t) - 1, 1e-9, np.pi / 2 - 1e-12, xtol=1e-14)
    m, start = parts(t)
    y = 1 - 2 * (ellipe(m) - ellipeinc(start, m)) / np.sqrt(alpha)
    x = np.sqrt(2 * np.sin(t) / alpha)  # from theta' at the base: EI theta'(0) = P x
    return x, y, t


@pytest.mark.parametrize(
    ("alpha", "printed"),
    [
        (1, (0.943567, 0.301721, 0.461352)),
        (4, (0.671059, 0.669964, 1.121239)),
        (10, (0.445004, 0.810609, 1.430286)),
    ],
)
def test_r1_dead_tip_force(alpha, printed, check):
    np.testing.assert_allclose(elastica(alpha), printed, atol=1e-6)
    for degree, segments, tolerance in ((4, 4, 1e-5), (7, 1, 1e-4)):
        rod = Rod(1.0, UNIT, degrees={"bend_z": degree}, segments=segments)
        tip = solve(rod, [PointLoad(force=(0, alpha, 0))]).tip
        found = (*tip[:2, 3], angle(tip))
        what = f"alpha {alpha}, degree {degree} on {segments}"
        check("R1", what, found, elastica(alpha), tolerance, scale=1.0)


@pytest.mark.parametrize("turns", [1, 2])
def test_r2_roll_up_closes(turns, check):
    """Constant strain is exact: one interval of degree zero, one cell."""
    rod = Rod(1.0, UNIT, degrees={"bend_z": 0}, cells=1)
    state = solve(rod, [PointLoad(moment=(0, 0, 2 * np.pi * turns))])
    check("R2", f"{turns} turns, degree 0", state.tip_position, 0.0, 1e-10, scale=1.0)
    full = solve(Rod(1.0, UNIT, degrees=2), [PointLoad(moment=(0, 0, 2 * np.pi * turns))])
    check("R2", f"{turns} turns, all strains", full.tip_position, 0.0, 1e-10, scale=1.0)


def test_r3_follower_tip_force(check):
    """In the tip's axes the force is constant: integrate from the tip, then turn the base back."""
    alpha = 5.0
    # From the tip backwards: theta'' = -alpha cos(theta - t) with theta(1) = t, theta'(1) = 0
    back = solve_ivp(
        lambda s, y: [y[1], -alpha * np.cos(y[0]), np.cos(y[0]), np.sin(y[0])],
        (1, 0),
        [0, 0, 0, 0],
        rtol=1e-11,
        atol=1e-12,
    ).y[:, -1]
    base = back[0]  # the base angle seen from the tip
    x, y = -back[2], -back[3]
    turned = np.array([np.cos(base) * x + np.sin(base) * y, np.cos(base) * y - np.sin(base) * x])
    np.testing.assert_allclose((*turned, -base), (0.172278, 0.780691, 2.098157), atol=1e-6)

    rod = Rod(1.0, UNIT, degrees={"bend_z": 4}, segments=4)
    tip = solve(rod, [PointLoad(force=(0, alpha, 0), axes="body")]).tip
    found = (*tip[:2, 3], angle(tip))
    check("R3", "tip and angle", found, (*turned, -base), 1e-5, scale=1.0)


def heavy(gamma, thickness):
    """Tip frame of a horizontal cantilever under its weight: EI ~ thickness^4, w ~ thickness^2."""
    position, rotation = shoot(
        np.eye(4),
        1.0,
        lambda s: np.diag([1, 1, thickness(s) ** -4, 0, 0, 0]),
        lambda s: STRAIGHT,
        np.zeros(6),
        lambda s: np.array([0, gamma * thickness(s) ** 2, 0]),
    )
    return np.array([*position[:2], angle(rotation)])


def test_r5_heavy_elastica(check):
    expected = heavy(10.0, lambda s: 1.0)
    np.testing.assert_allclose(expected, (0.656354, 0.700200, 1.052643), atol=1e-6)
    rod = Rod(1.0, UNIT, degrees={"bend_z": 4}, segments=4)
    tip = solve(rod, [LineLoad(force=(0, 10, 0))]).tip
    check("R5", "uniform", (*tip[:2, 3], angle(tip)), expected, 1e-5, scale=1.0)


@pytest.mark.parametrize("scaled_by", ["strain", "compliance"])
def test_r5_tapered_and_wet(scaled_by, check):
    """Tip radius 0.3 of the base's; water takes 1 - rho_w/rho of the weight away."""

    def radius(X):
        return 1.0 - 0.7 * X

    def section(X):
        return radius(X)[:, None, None] ** 4 * UNIT

    expected = heavy(10.0, radius)
    np.testing.assert_allclose(expected[:2], (0.821103, 0.507805), atol=1e-6)
    rod = Rod(1.0, section, degrees={"bend_z": 4}, segments=4, scaled_by=scaled_by)
    wet = net_weight(lambda X: radius(X) ** 2, 1070.0, 1000.0, (0, 10.0 / 70.0, 0))
    tip = solve(rod, [wet]).tip
    found = (*tip[:2, 3], angle(tip))
    check("R5", f"tapered, wet, by {scaled_by}", found, expected, 2e-5, scale=1.0)


def test_r6_self_buckling_of_a_standing_column(check):
    """Greenhill: q L^3/EI = (9/4) j^2, j the first zero of the Bessel function J_(-1/3)."""
    zero = brentq(lambda x: jv(-1.0 / 3.0, x), 1.5, 2.2)
    rod = Rod(1.0, UNIT, degrees={"bend_z": 4}, segments=2)

    def stiffness(q):
        tangent = solve(rod, [LineLoad(force=(-q, 0, 0))]).tangent
        return np.linalg.eigvalsh(tangent)[0]

    critical = brentq(stiffness, 7.0, 9.0)
    check("R6", "Greenhill's weight", critical, 9 / 4 * zero**2, 1e-4)
    check("R6", "the same, printed", critical, 7.83735, 1e-4)
    assert solve(rod, [LineLoad(force=(-7.8, 0, 0))]).stable
    assert not solve(rod, [LineLoad(force=(-7.9, 0, 0))]).stable


@pytest.mark.parametrize("t", [0.5, 1.5, 2.5])
def test_r6_postbuckling(t, check):
    """Euler's elastica: P/P_cr = (2 K/pi)^2, x = 2 E/K - 1, y = 2 k/K, k = sin(t_tip/2)."""
    k = np.sin(t / 2)
    load = ellipk(k**2) ** 2
    expected = 2 * ellipe(k**2) / ellipk(k**2) - 1, 2 * k / ellipk(k**2), t
    rod = Rod(1.0, UNIT, degrees={"bend_z": 4}, segments=4)
    nudged = solve(rod, [PointLoad(force=(-load, 0.1 * load, 0))])
    state = solve(rod, [PointLoad(force=(-load, 0, 0))], start=nudged)
    found = (*state.tip_position[:2], angle(state.tip))
    check("R6", f"beyond, tip angle {t}", found, expected, 1e-4, scale=1.0)
    assert state.stable


def test_r14_timoshenko_and_euler_bernoulli(check):
    """A small tip force: P L^3/(3 EI) + P L/(k GA), and exactly the first term without shear."""
    section = circular_stiffness(0.01, 3e5, 1e5)
    length, load = 0.1, 1e-6
    bend, slide = section[1, 1], section[4, 4]
    rod = Rod(length, section, degrees={"bend_z": 1, "shear_y": 0})
    tip = solve(rod, [PointLoad(force=(0, load, 0))]).tip_position
    timoshenko = load * length**3 / 3 / bend + load * length / slide
    check("R14", "Timoshenko", tip[1], timoshenko, 1e-6)
    stiff = Rod(length, section, degrees={"bend_z": 1})
    tip = solve(stiff, [PointLoad(force=(0, load, 0))]).tip_position
    check("R14", "Euler and Bernoulli", tip[1], load * length**3 / 3 / bend, 1e-6)
