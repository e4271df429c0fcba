"""The rod in space: bends that twist, helices, buckling into one, by closed forms and shooting."""

import numpy as np
import pytest
from scipy.linalg import expm
from shooting import STRAIGHT, shoot, skew

from loligo.cases.core.frames import strain_between
from loligo.reduced.rod.loads import LineLoad, PointLoad
from loligo.reduced.rod.model import Rod
from loligo.reduced.rod.state import RodState
from loligo.reduced.rod.statics import solve

ANGULAR = {"torsion": 4, "bend_y": 4, "bend_z": 4}


BATHE = {  # P: tip for GJ = E/2/6, and for the torsion constant 0.1406 of a square
    300: ((22.2448, 40.1919, 58.7791), (22.1128, 40.4800, 58.5362)),
    450: ((18.5082, 48.5029, 52.2386), (18.3694, 48.7046, 51.9700)),
    600: ((15.6848, 53.4749, 47.1504), (15.5579, 53.6072, 46.8922)),
}


@pytest.mark.parametrize("load", BATHE)
@pytest.mark.parametrize("column", [0, 1])
def test_r7_bathe_45_degree_bend(load, column, check):
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
    name = f"P = {load}, {('polar', 'square')[column]} torsion"
    check("R7", name, state.tip_position, BATHE[load][column], 2e-4, scale=1.0)
    if column == 0:
        compliance = np.linalg.inv(section)
        p, r = shoot(base, rod.length, lambda s: compliance, lambda s: rest, [0, 0, 0, 0, load, 0])
        check("R7", f"P = {load}, shooting", state.tip_position, p, 2e-6, scale=rod.length)
        np.testing.assert_allclose(state.tip[:3, :3], r, atol=1e-5)


def test_r8_dead_end_moment_makes_a_helix_whatever_gj(check):
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
        check("R8", f"tip, GJ = {gj} EI", state.tip_position, expected, 1e-5, scale=1.0)


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


def test_r9_pulled_helix(check):
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
    check("R9", "tip of the pulled helix (length 30)", state.tip, expected, 1e-3, scale=1.0)
    strain = state.strain(np.linspace(0, length, 7))
    np.testing.assert_allclose(strain, np.tile(final, (7, 1)), atol=1e-6)


def test_r9_close_coiled_spring(check):
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
    check("R9", "close-coiled spring", force / pulled, torsion / (10**2 * length), 1e-3)


@pytest.mark.slow
def test_tapered_arm_in_space_within_1e_4_of_its_length(check):
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
        what = f"Renda's arm in space, degree 3 on {segments}"
        check("arm", what, state.tip_position, position, tolerance, scale=1.0)
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


def test_r10_localised_helical_buckling(check):
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
    check("R10", "force", force, [t * bend / length**2, 0, 0], 1e-3)
    check("R10", "moment", moment, [m * bend / length, 0, 0], 1e-3)
    k = np.sqrt(t - m * m / 4) / length
    s = np.linspace(0, length / 2, 201)
    along = state.frames(s)[:, 0, 0]
    envelope = (along - along.min()) / (1 - along.min())
    check("R10", "envelope, half the rod", envelope, np.tanh(k * s) ** 2, 0.02)
