"""The rod against the elastica and its relatives: closed forms, and shooting on the equations.

The oracle `shoot` integrates p' = R v, R' = R w^, n' = -f, m' = -p' x n with the section law
(w; v) = rest + K^-1 (R^T m; R^T n), in world components and with scipy's Runge-Kutta method: it
shares neither the weak form, nor the strain basis, nor SE(3) exponentials with the code.
"""

import numpy as np
import pytest
from scipy.integrate import quad, solve_ivp
from scipy.linalg import expm
from scipy.optimize import brentq, root
from scipy.special import ellipe, ellipeinc, ellipk, ellipkinc, jv

from loligo.cases.frames import strain_between
from loligo.reduced.rod import Rod, circular_stiffness
from loligo.reduced.rod_loads import LineLoad, PointLoad, net_weight
from loligo.reduced.rod_solve import solve
from loligo.reduced.rod_state import RodState

STRAIGHT = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0])
UNIT = np.eye(6)  # with L = 1; only its bending is used
ANGULAR = {"torsion": 4, "bend_y": 4, "bend_z": 4}


def skew(w):
    return np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])


def integrate(base, length, compliance, rest, wrench, force=lambda s: np.zeros(3)):
    """Tip frame and tip wrench (world components) for a given base wrench."""

    def slope(s, y):
        r, n, m = y[3:12].reshape(3, 3), y[12:15], y[15:18]
        xi = rest(s) + compliance(s) @ np.concatenate([r.T @ m, r.T @ n])
        dp = r @ xi[3:]
        return np.concatenate([dp, (r @ skew(xi[:3])).ravel(), -force(s), -np.cross(dp, n)])

    start = np.concatenate([base[:3, 3], base[:3, :3].ravel(), wrench[3:], wrench[:3]])
    end = solve_ivp(slope, (0, length), start, method="DOP853", rtol=1e-10, atol=1e-12).y[:, -1]
    return end[:3], end[3:12].reshape(3, 3), np.concatenate([end[15:], end[12:15]])


def shoot(base, length, compliance, rest, tip_wrench, force=lambda s: np.zeros(3)):
    """Tip position and rotation under a dead tip wrench (moment; force) and a dead line force."""
    total = np.array([quad(lambda s, k=k: force(s)[k], 0, length)[0] for k in range(3)])
    moment = np.zeros(3)
    for factor in (0.25, 0.5, 0.75, 1.0):
        target = factor * np.asarray(tip_wrench, float)

        def mismatch(moment, factor=factor, target=target):
            wrench = np.concatenate([moment, target[3:] + factor * total])
            tip = integrate(base, length, compliance, rest, wrench, lambda s: factor * force(s))
            return tip[2][:3] - target[:3]

        found = root(mismatch, moment, tol=1e-11)
        assert np.abs(found.fun).max() < 1e-8 * (1 + np.abs(target).max())
        moment = found.x
    wrench = np.concatenate([moment, target[3:] + total])
    return integrate(base, length, compliance, rest, wrench, force)[:2]


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
def test_r1_dead_tip_force(alpha, printed):
    np.testing.assert_allclose(elastica(alpha), printed, atol=1e-6)
    for degree, segments, tolerance in ((4, 4, 1e-5), (7, 1, 1e-4)):
        rod = Rod(1.0, UNIT, degrees={"bend_z": degree}, segments=segments)
        tip = solve(rod, [PointLoad(force=(0, alpha, 0))]).tip
        np.testing.assert_allclose((*tip[:2, 3], angle(tip)), elastica(alpha), atol=tolerance)


@pytest.mark.parametrize("turns", [1, 2])
def test_r2_roll_up_closes(turns):
    """Constant strain is exact: one interval of degree zero, one cell."""
    rod = Rod(1.0, UNIT, degrees={"bend_z": 0}, cells=1)
    state = solve(rod, [PointLoad(moment=(0, 0, 2 * np.pi * turns))])
    np.testing.assert_allclose(state.tip_position, 0, atol=1e-10)
    full = solve(Rod(1.0, UNIT, degrees=2), [PointLoad(moment=(0, 0, 2 * np.pi * turns))])
    np.testing.assert_allclose(full.tip_position, 0, atol=1e-10)


def test_r3_follower_tip_force():
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
    np.testing.assert_allclose((*tip[:2, 3], angle(tip)), (*turned, -base), atol=1e-5)


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


def test_r5_heavy_elastica():
    expected = heavy(10.0, lambda s: 1.0)
    np.testing.assert_allclose(expected, (0.656354, 0.700200, 1.052643), atol=1e-6)
    rod = Rod(1.0, UNIT, degrees={"bend_z": 4}, segments=4)
    tip = solve(rod, [LineLoad(force=(0, 10, 0))]).tip
    np.testing.assert_allclose((*tip[:2, 3], angle(tip)), expected, atol=1e-5)


@pytest.mark.parametrize("scaled_by", ["strain", "compliance"])
def test_r5_tapered_and_wet(scaled_by):
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
    np.testing.assert_allclose((*tip[:2, 3], angle(tip)), expected, atol=2e-5)


def test_r6_self_buckling_of_a_standing_column():
    """Greenhill: q L^3/EI = (9/4) j^2, j the first zero of the Bessel function J_(-1/3)."""
    zero = brentq(lambda x: jv(-1.0 / 3.0, x), 1.5, 2.2)
    rod = Rod(1.0, UNIT, degrees={"bend_z": 4}, segments=2)

    def stiffness(q):
        tangent = solve(rod, [LineLoad(force=(-q, 0, 0))]).tangent
        return np.linalg.eigvalsh(tangent)[0]

    critical = brentq(stiffness, 7.0, 9.0)
    assert critical == pytest.approx(9 / 4 * zero**2, rel=1e-4)
    assert critical == pytest.approx(7.83735, rel=1e-4)
    assert solve(rod, [LineLoad(force=(-7.8, 0, 0))]).stable
    assert not solve(rod, [LineLoad(force=(-7.9, 0, 0))]).stable


@pytest.mark.parametrize("t", [0.5, 1.5, 2.5])
def test_r6_postbuckling(t):
    """Euler's elastica: P/P_cr = (2 K/pi)^2, x = 2 E/K - 1, y = 2 k/K, k = sin(t_tip/2)."""
    k = np.sin(t / 2)
    load = ellipk(k**2) ** 2
    expected = 2 * ellipe(k**2) / ellipk(k**2) - 1, 2 * k / ellipk(k**2), t
    rod = Rod(1.0, UNIT, degrees={"bend_z": 4}, segments=4)
    nudged = solve(rod, [PointLoad(force=(-load, 0.1 * load, 0))])
    state = solve(rod, [PointLoad(force=(-load, 0, 0))], start=nudged)
    np.testing.assert_allclose((*state.tip_position[:2], angle(state.tip)), expected, atol=1e-4)
    assert state.stable


BATHE = {  # P: tip for GJ = E/2/6, and for the torsion constant 0.1406 of a square
    300: ((22.2448, 40.1919, 58.7791), (22.1128, 40.4800, 58.5362)),
    450: ((18.5082, 48.5029, 52.2386), (18.3694, 48.7046, 51.9700)),
    600: ((15.6848, 53.4749, 47.1504), (15.5579, 53.6072, 46.8922)),
}


@pytest.mark.parametrize("load", BATHE)
@pytest.mark.parametrize("column", [0, 1])
def test_r7_bathe_45_degree_bend(load, column):
    """Root tangent z, centre of curvature +x, load +y; a 1x1 section, radius 100, E = 1e7.

    The table's shear stiffness is GA: with 5/6 of it the tip is 6e-4 away, with infinite 6e-3.
    """
    young, shear = 1e7, 0.5e7
    torsion = shear * (1 / 6, 0.1406)[column]
    section = np.diag([torsion, young / 12, young / 12, young, shear, shear])
    base = np.eye(4)
    base[:3, :3] = np.array([[0, 0, 1], [1, 0, 0], [0, 1, 0]]).T
    rest = np.array([0, 0, 0.01, 1, 0, 0])
    rod = Rod(25 * np.pi, section, degrees=4, segments=4, strain_rest=rest, base=base)
    state = solve(rod, [PointLoad(force=(0, load, 0))])
    np.testing.assert_allclose(state.tip_position, BATHE[load][column], atol=2e-4)
    if column == 0:
        compliance = np.linalg.inv(section)
        p, r = shoot(base, rod.length, lambda s: compliance, lambda s: rest, [0, 0, 0, 0, load, 0])
        np.testing.assert_allclose(state.tip_position, p, atol=2e-6 * rod.length)
        np.testing.assert_allclose(state.tip[:3, :3], r, atol=1e-5)


def test_r8_dead_end_moment_makes_a_helix_whatever_gj():
    """With equal bending stiffnesses t' = (M/EI) x t: the tangent turns about the moment M."""
    moment = np.array([1.5, 2.0, -3.0])
    steps = np.zeros((4, 4))
    steps[:3, :3] = skew(moment)
    steps[:3, 3] = [1, 0, 0]  # p = integral of exp(s M^) e1, by the exponential of a block matrix
    expected = expm(steps)[:3, 3]
    for gj in (0.3, 1.0, 5.0):
        section = np.diag([gj, 1, 1, 1, 1, 1])
        rod = Rod(1.0, section, degrees=ANGULAR, segments=6)
        state = solve(rod, [PointLoad(moment=moment)])
        np.testing.assert_allclose(state.tip_position, expected, atol=1e-5)


def helix_frame(radius, pitch):
    """Section frame where a helix about x crosses the (x, y) plane: e2 towards the axis."""
    t = np.array([np.sin(pitch), 0, np.cos(pitch)])
    inward = np.array([0, -1.0, 0])
    frame = np.eye(4)
    frame[:3, :3] = np.array([t, inward, np.cross(t, inward)]).T
    frame[:3, 3] = [0, radius, 0]
    return frame


def helix_strain(radius, pitch):
    return np.array(
        [np.sin(pitch) * np.cos(pitch) / radius, 0, np.cos(pitch) ** 2 / radius, 1, 0, 0]
    )


def test_r9_pulled_helix():
    """Love: a helix (r, a) goes over into another under the wrench (K, F) along its axis."""
    bend, torsion, length = 100.0, 80.0, 30.0
    rest, final = helix_strain(10, 0.2), helix_strain(9, 0.5)
    dk, dt = bend * (final - rest)[2], torsion * (final - rest)[0]
    force = (dt * np.cos(0.5) - dk * np.sin(0.5)) / 9
    moment = dt * np.sin(0.5) + dk * np.cos(0.5)
    assert force == pytest.approx(0.268614, abs=1e-6)
    assert moment == pytest.approx(0.126433, abs=1e-6)

    rod = Rod(
        length,
        np.diag([torsion, bend, bend, 1, 1, 1]),
        strain_rest=rest,
        degrees=ANGULAR,
        segments=2,
        base=helix_frame(9, 0.5),
    )
    turn = np.zeros((4, 4))
    turn[:3, :3] = skew([length * np.cos(0.5) / 9, 0, 0])
    expected = expm(turn) @ helix_frame(9, 0.5)
    expected[0, 3] = length * np.sin(0.5)
    axis = np.array([1.0, 0, 0])
    arm = axis * expected[:3, 3] - expected[:3, 3]  # from the tip to the axis of the wrench
    state = solve(rod, [PointLoad(force * axis, moment * axis + np.cross(arm, force * axis))])
    np.testing.assert_allclose(state.tip, expected, atol=1e-3)
    strain = state.strain(np.linspace(0, length, 7))
    np.testing.assert_allclose(strain, np.tile(final, (7, 1)), atol=1e-6)


def test_r9_close_coiled_spring():
    """Axial stiffness GJ/(r^2 l) of a spring of flat coils, for a small force on its axis."""
    torsion, coils = 80.0, 5
    length = 2 * np.pi * coils * 10.0
    rod = Rod(
        length,
        np.diag([torsion, 100.0, 100.0, 1, 1, 1]),
        strain_rest=helix_strain(10, 0),
        degrees=ANGULAR,
        segments=4 * coils,
        base=helix_frame(10, 0),
    )
    force = 1e-6
    load = PointLoad((force, 0, 0), np.cross([0, -10.0, 0], [force, 0, 0]))
    pulled = solve(rod, [load]).tip_position[0]
    assert force / pulled == pytest.approx(torsion / (10**2 * length), rel=1e-3)


def test_r14_timoshenko_and_euler_bernoulli():
    """A small tip force: P L^3/(3 EI) + P L/(k GA), and exactly the first term without shear."""
    section = circular_stiffness(0.01, 3e5, 1e5)
    length, load = 0.1, 1e-6
    bend, slide = section[1, 1], section[4, 4]
    rod = Rod(length, section, degrees={"bend_z": 1, "shear_y": 0})
    tip = solve(rod, [PointLoad(force=(0, load, 0))]).tip_position
    assert tip[1] == pytest.approx(load * length**3 / 3 / bend + load * length / slide, rel=1e-6)
    stiff = Rod(length, section, degrees={"bend_z": 1})
    tip = solve(stiff, [PointLoad(force=(0, load, 0))]).tip_position
    assert tip[1] == pytest.approx(load * length**3 / 3 / bend, rel=1e-6)


def test_tapered_arm_in_space_within_1e_4_of_its_length():
    """Renda's arm, incompressible, in units of L and EI at the base: weight and a tip force."""

    def diagonal(X):
        t = 1.0 - 0.8 * np.asarray(X)
        slide = 0.3 * 4 * 24.5**2 * t**2  # k G/E 4 (L/r)^2
        return np.stack([2 / 3 * t**4, t**4, t**4, 4 * 24.5**2 * t**2, slide, slide], axis=-1)

    def weight(X):
        return np.array([0, 0, -4.2]) * (1 - 0.8 * np.asarray(X))[..., None] ** 2

    force = np.array([0, 0.14, -0.07])
    position, rotation = shoot(
        np.eye(4),
        1.0,
        lambda s: np.diag(1 / diagonal(s)),
        lambda s: STRAIGHT,
        np.append(np.zeros(3), force),
        weight,
    )
    for segments, tolerance in ((1, 1e-4), (4, 1e-5)):
        rod = Rod(
            1.0,
            lambda X: diagonal(X)[:, None] * np.eye(6),
            segments=segments,
            scaled_by="compliance",
        )
        state = solve(rod, [LineLoad(force=weight), PointLoad(force=force)])
        np.testing.assert_allclose(state.tip_position, position, atol=tolerance)
    np.testing.assert_allclose(state.tip[:3, :3], rotation, atol=1e-4)


def localised(X, moment, tension):
    """Frames of an infinite rod, B = 1, twisted and slack, buckled around X = 0 (van der Heijden).

    With w = M/2 and k^2 = T - w^2 the axis is x = s - a tanh(ks), y = a sin(ws)/cosh(ks) and
    z = -a cos(ws)/cosh(ks), a = 2 k/T. The sections turn about it with the twist M/C beside the
    parallel transport. What it bends is x' = 1 - a k/cosh(ks)^2.
    """
    w = moment / 2
    k = np.sqrt(tension - w**2)
    a = 2 * k / tension
    decay, fall = 1 / np.cosh(k * X), np.tanh(k * X)
    s, c = np.sin(w * X), np.cos(w * X)
    place = np.stack([X - a * fall, a * s * decay, -a * c * decay], axis=-1)
    tangent = np.stack(
        [
            1 - a * k * decay**2,
            a * decay * (w * c - k * s * fall),
            a * decay * (w * s + k * c * fall),
        ],
        axis=-1,
    )
    return place, tangent


def test_r10_localised_helical_buckling():
    """B = 1.345, C = 0.789, L = 100, slack 3, 27 turns; M L/B = 98.541496, T L^2/B = 2900.99321.

    Half the rod, from its middle section on, with the far end held: its wrench must come out as
    published, and the envelope (x' - x'_min)/(1 - x'_min) as tanh(k s)^2. Newton's method begins
    at the curve, and at nine tenths of the wrench.
    """
    bend, torsion, length = 1.345, 0.789, 100.0
    m, t = 98.541496171, 2900.993205792
    # The two conditions that these numbers solve: slack, and turns with the writhe
    assert np.sqrt(16 / t * (1 - m * m / (4 * t))) == pytest.approx(0.03, rel=1e-9)
    turns = m * bend / torsion + 4 * np.arccos(m / (2 * np.sqrt(t)))
    assert turns == pytest.approx(54 * np.pi, rel=1e-9)

    X = np.linspace(0, length / 2, 4001)
    place, tangent = localised(X, m / length, t / length**2)
    across = np.cross(tangent[0], [0.0, 1.0, 0.0])
    frames = np.tile(np.eye(4), (len(X), 1, 1))
    frames[:, :3, 3] = place
    frames[:, :3, 0] = tangent
    for i in range(len(X)):
        across = across - (across @ tangent[i]) * tangent[i]  # parallel, to second order
        across /= np.linalg.norm(across)
        twist = m * bend / (length * torsion) * X[i]
        normal = np.cos(twist) * across + np.sin(twist) * np.cross(tangent[i], across)
        frames[i, :3, 1], frames[i, :3, 2] = normal, np.cross(tangent[i], normal)
    strain = strain_between(frames, X)
    rod = Rod(
        length / 2,
        np.diag([torsion, bend, bend, 1, 1, 1]),
        degrees={"torsion": 2, "bend_y": 3, "bend_z": 3},
        segments=25,
        base=frames[0],
    )
    gauss = rod.grid.gauss
    wanted = np.transpose([np.interp(gauss, 0.5 * (X[1:] + X[:-1]), row) for row in strain.T])
    unit = np.eye(rod.grid.unknowns)
    basis = np.array([(rod.strain_at_gauss(e) - rod.rest_at_gauss).ravel() for e in unit]).T
    q = np.linalg.lstsq(basis, (wanted - rod.rest_at_gauss).ravel(), rcond=None)[0]
    pull = np.concatenate([[m * bend / length, 0, 0], [t * bend / length**2, 0, 0]]).reshape(2, 3)
    reaction = 0.9 * (pull @ frames[-1, :3, :3]).ravel()
    guess = RodState(rod, (), q, np.eye(len(q)), (), 0, reaction)
    state = solve(rod, [], guess, frames[-1])

    moment, force = (frames[-1, :3, :3] @ part for part in state.tip_reaction.reshape(2, 3))
    np.testing.assert_allclose(force, [t * bend / length**2, 0, 0], atol=1e-3 * 0.39)
    np.testing.assert_allclose(moment, [m * bend / length, 0, 0], atol=1e-3 * 1.33)
    k = np.sqrt(t - m * m / 4) / length
    s = np.linspace(0, length / 2, 201)
    along = state.frames(s)[:, 0, 0]
    envelope = (along - along.min()) / (1 - along.min())
    np.testing.assert_allclose(envelope, np.tanh(k * s) ** 2, atol=0.02)
