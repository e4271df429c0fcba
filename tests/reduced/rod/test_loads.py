"""Loads and actuation of the rod: closed forms, work conjugacy, and the numbers of the robots."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.optimize import brentq

from loligo.reduced.rod.loads import (
    ActiveWrench,
    LineLoad,
    PointLoad,
    RodTendon,
    chamber_pressure,
    net_weight,
    recruited_torque,
)
from loligo.reduced.rod.loadset import load_set
from loligo.reduced.rod.model import Rod, circular_stiffness
from loligo.reduced.rod.statics import residual, solve

SECTION = np.diag([0.7, 1.0, 1.3, 40.0, 15.0, 12.0])


def bend(state):
    """Turn of the tip about e3, without wrapping: bend_z integrated by Gauss's rule."""
    grid = state.rod.grid
    return grid.gauss_weights @ state.rod.strain_at_gauss(state.q)[:, 2]


# Tendons


def test_straight_eccentric_tendon_gives_a_circular_arc():
    """At constant offset d the tendon stays parallel to the rod: N = -T, M_z = -T y, Q = 0.

    Hence curvature T y/EI and stretch 1 - T/EA, exactly: an arc of length L (1 - T/EA) turned
    by T y L/EI towards the tendon's side: at +y that is bend_z > 0, which turns e1 to e2.
    """
    length, tension, y = 2.0, 3.0, 0.2
    state = solve(Rod(length, SECTION, degrees=0), [RodTendon(tension, (y, 0.0))])
    turn = tension * y * length / SECTION[2, 2]
    arc = length * (1 - tension / SECTION[3, 3])
    radius = arc / turn
    expected = [radius * np.sin(turn), radius * (1 - np.cos(turn)), 0.0]
    np.testing.assert_allclose(state.tip_position, expected, rtol=0, atol=1e-12)


def test_tendon_wrench_is_conjugate_to_its_length():
    """The generalised force of a tendon is T dl/dq, l its length by points along the rod.

    The length comes from the frames alone, as a chord sum refined by Richardson's rule.
    """
    rng = np.random.default_rng(1)

    def path(X):
        return np.stack([0.2 - 0.05 * X, 0.1 + 0.08 * np.sin(X)], axis=-1)

    rod = Rod(2.0, SECTION, degrees=2, strain_rest=(0.2, 0.1, 0.3, 1, 0, 0), cells=30)
    q = 0.2 * rng.normal(size=rod.grid.unknowns)
    direction = rng.normal(size=q.size)

    def length(q):
        chords = []
        for n in (400, 800):
            X = np.linspace(0, 2.0, n + 1)
            g = rod.frames(q, X)
            offset = np.column_stack([np.zeros(n + 1), path(X)])
            points = g[:, :3, 3] + np.einsum("nij,nj->ni", g[:, :3, :3], offset)
            chords.append(np.linalg.norm(np.diff(points, axis=0), axis=1).sum())
        return (4 * chords[1] - chords[0]) / 3

    h = 1e-4
    expected = 1.7 * (length(q + h * direction) - length(q - h * direction)) / (2 * h)
    loaded, _ = residual(rod, load_set(rod, [RodTendon(1.7, path)]), q)
    free, _ = residual(rod, load_set(rod, []), q)
    assert (loaded - free) @ direction == pytest.approx(expected, rel=1e-6)


def test_tendon_that_ends_inside_the_rod_leaves_the_rest_straight():
    rod = Rod(2.0, SECTION, degrees=0, segments=[0, 0.5, 2.0])
    state = solve(rod, [RodTendon(3.0, (0.2, 0.0), span=(0, 0.5))])
    strain = state.strain(np.array([0.25, 1.0]))
    assert strain[0, 2] == pytest.approx(3.0 * 0.2 / 1.3, rel=1e-12)
    np.testing.assert_allclose(strain[1], [0, 0, 0, 1, 0, 0], atol=1e-12)


# Pressure and active wrenches


def test_chamber_lengthens_and_bends_away_from_its_side():
    p, area, y = 5.0, 0.3, 0.2
    rod = Rod(1.0, SECTION, degrees=0)
    state = solve(rod, [chamber_pressure(p, area, y, 0.0)])
    expected = [0, 0, -p * area * y / 1.3, 1 + p * area / 40.0, 0, 0]
    np.testing.assert_allclose(state.strain(np.array([0.5]))[0], expected, atol=1e-12)
    assert state.tip_position[1] < 0
    # a free end: what the solid carries balances the fluid, tension positive
    np.testing.assert_allclose(
        state.wrench(np.array([0.3]))[0], [0, 0, -p * area * y, p * area, 0, 0], atol=1e-12
    )


def test_pressure_does_work_p_dv():
    """V is the volume swept by area elements along the chamber's centre line, from frames alone."""
    rng = np.random.default_rng(2)
    rod = Rod(1.0, SECTION, degrees=1, cells=30)
    q, direction = 0.3 * rng.normal(size=(2, rod.grid.unknowns))
    y, z, area, p = 0.1, -0.2, 0.3, 2.0

    def volume(q):
        X = np.linspace(0, 1, 2001)
        g = rod.frames(q, X)
        centre = g[:, :3, 3] + g[:, :3, :3] @ np.array([0, y, z])
        normal = 0.5 * (g[1:, :3, 0] + g[:-1, :3, 0])
        return area * np.einsum("ni,ni->", normal, np.diff(centre, axis=0))

    h = 1e-4
    expected = -p * (volume(q + h * direction) - volume(q - h * direction)) / (2 * h)
    loaded, _ = residual(rod, load_set(rod, [chamber_pressure(p, area, y, z)]), q)
    free, _ = residual(rod, load_set(rod, []), q)
    assert (loaded - free) @ direction == pytest.approx(expected, rel=1e-5)


@settings(max_examples=20)
@given(st.tuples(*[st.floats(-2e3, 2e3)] * 3))
def test_relabelled_chambers_turn_the_arm_by_120_degrees(pressures):
    """Chamber j at 90 deg + 120 deg (j - 1): one number further is a third of a turn about e1."""

    def tip(pressures):
        angles = np.deg2rad([90.0, 210.0, 330.0])
        chambers = [
            chamber_pressure(p, 1e-4, 0.01 * np.cos(a), 0.01 * np.sin(a))
            for p, a in zip(pressures, angles, strict=True)
        ]
        rod = Rod(0.12, circular_stiffness(0.017, 1e5, 1e5 / 3), degrees=1)
        return solve(rod, chambers).tip

    c, s = np.cos(2 * np.pi / 3), np.sin(2 * np.pi / 3)
    turn = np.eye(4)
    turn[1:3, 1:3] = [[c, -s], [s, c]]
    np.testing.assert_allclose(
        tip(np.roll(pressures, 1)), turn @ tip(pressures) @ turn.T, atol=1e-10
    )


def test_spans_must_end_where_intervals_end():
    rod = Rod(1.0, SECTION, degrees=0, segments=2)
    for load in (
        RodTendon(1.0, (0.1, 0), span=(0, 0.3)),
        ActiveWrench((0, 0, 1, 0, 0, 0), span=(0.2, 1)),
        PointLoad(force=(1, 0, 0), at=0.7),
    ):
        with pytest.raises(ValueError, match=r"not an end of an interval \(0, 0.5, 1\)"):
            solve(rod, [load])


def test_refusals_name_what_is_wrong():
    rod = Rod(1.0, SECTION, degrees=0, segments=2)
    with pytest.raises(ValueError, match=r"PointLoad.at = 3 m is not an end of an interval"):
        solve(rod, [PointLoad(force=(1, 0, 0), at=3.0)])
    with pytest.raises(ValueError, match="a span must run towards the tip"):
        solve(rod, [RodTendon(1.0, (0.1, 0), span=(0.5, 0))])
    with pytest.raises(ValueError, match="axes must be one of world, body, but is 'tip'"):
        solve(rod, [PointLoad(force=(1, 0, 0), axes="tip")])
    with pytest.raises(ValueError, match="loads are those of rod_loads"):
        solve(rod, [(1, 0, 0)])
    with pytest.raises(ValueError, match='drives one of torsion, bend_y, bend_z, not "stretch"'):
        recruited_torque(1.0, 1.0, "stretch")
    with pytest.raises(ValueError, match="recruited must be positive"):
        recruited_torque(1.0, 0.0)
    with pytest.raises(ValueError, match="tension must be finite and not negative"):
        solve(rod, [RodTendon(-1.0, (0.1, 0))])
    with pytest.raises(ValueError, match="force must be finite, but is nan"):
        solve(rod, [PointLoad(force=(np.nan, 0, 0))])
    with pytest.raises(ValueError, match=r"LineLoad.force must be .* shape \(6, 3\)"):
        solve(rod, [LineLoad(force=lambda X: X)])


# Wrenches by equilibrium


def test_solid_wrench_by_equilibrium_agrees_with_the_section_law():
    """All kinds of loads at once on a curved, coupled, jumping rod."""
    rng = np.random.default_rng(0)
    m = rng.normal(size=(6, 6))
    section = m @ m.T + 6 * np.eye(6)
    rod = Rod(
        1.0, section, degrees=5, segments=[0, 0.3, 1.0], strain_rest=(0.3, 0.5, -0.8, 1, 0.1, 0)
    )
    loads = [
        PointLoad((1, 2, 3), (2, -1, 0.5)),
        PointLoad((1, -2, 3), (2, 1, 0.5), axes="body", at=0.3, lever=(0.1, 0.2, -0.1)),
        PointLoad((-1, 1, 0.5), at=0.3, lever=(0.2, -0.1, 0.3)),
        LineLoad(lambda X: np.stack([X, 1 - X, X**2], axis=-1), (1, 2, 3)),
        LineLoad((1, 2, 3), (0, 1, 2), axes="body", span=(0, 0.3)),
        RodTendon(3.0, lambda X: np.stack([0.1 + 0.1 * X, 0.2 - 0.1 * X**2], -1), span=(0, 0.3)),
        RodTendon(2.0, (0.1, 0.05)),
        chamber_pressure(1, 0.1, 0.2, 0.3),
    ]
    state = solve(rod, loads)
    X = np.array([0.0, 0.13, 0.3, 0.31, 0.8, 1.0])
    excess = state.strain(X) - rod.rest_strain(X)
    np.testing.assert_allclose(state.wrench(X), excess @ section, atol=2e-3 * 7)


def test_a_force_off_the_axis_is_one_on_it_and_its_moment_there():
    """r x R^T F with the turn R that is found; it has a potential, so that the tangent is even."""
    rod = Rod(1.0, SECTION, degrees=4)
    force, lever = np.array([0.5, 1.0, -0.8]), np.array([0.1, 0.3, -0.2])
    dead = solve(rod, [PointLoad(force, lever=lever)])
    moment = np.cross(dead.tip[:3, :3] @ lever, force)
    assert np.linalg.norm(dead.tip[:3, :3] - np.eye(3)) > 0.3
    other = solve(rod, [PointLoad(force, moment)])
    assert dead.q == pytest.approx(other.q, abs=1e-8)
    tangent = residual(rod, load_set(rod, [PointLoad(force, lever=lever)]), dead.q)[1]
    assert tangent == pytest.approx(tangent.T, abs=1e-9 * np.abs(tangent).max())
    follower = solve(rod, [PointLoad(force, axes="body", lever=lever)])
    twin = solve(rod, [PointLoad(force, np.cross(lever, force), "body")])
    assert follower.q == pytest.approx(twin.q, abs=1e-10)


def test_wrench_of_strains_that_are_not_free():
    """A dead tip force on an inextensible, unshearable rod: the force is the same everywhere."""
    force = np.array([0.5, 1.0, -0.7])
    rod = Rod(1.0, SECTION, degrees=dict.fromkeys(["torsion", "bend_y", "bend_z"], 5))
    state = solve(rod, [PointLoad(force=force)])
    X = np.linspace(0, 1, 5)
    rotated = np.einsum("nij,nj->ni", state.frames(X)[:, :3, :3], state.wrench(X)[:, 3:])
    np.testing.assert_allclose(rotated, np.tile(force, (5, 1)), atol=1e-12)


# Renda 2018: the tapered arm

LENGTH, YOUNG = 0.245, 110e3


def renda_radius(X):
    return 0.010 - 0.008 * X / LENGTH


def renda_area(X):
    return np.pi * renda_radius(X) ** 2


def renda_flexibility(X):
    return 4 / (np.pi * YOUNG * renda_radius(X) ** 4)


def renda_arm(degrees, **options):
    def section(X):
        return circular_stiffness(renda_radius(X), YOUNG, YOUNG / 2)

    return Rod(LENGTH, section, degrees=degrees, scaled_by="compliance", cells=16, **options)


def test_renda_bending_stiffness_from_base_to_tip():
    ends = circular_stiffness(np.array([0.010, 0.002]), YOUNG, YOUNG / 2)
    assert ends[:, 2, 2] == pytest.approx([8.64e-4, 1.38e-6], rel=2e-3)
    np.testing.assert_allclose(ends[:, 0, 0], ends[:, 2, 2])  # nu = 0: GJ = EI


def test_renda_small_tip_force():
    """Linear theory: P int (L - X)^2/EI dX = 28.4 mm for 1 mN; the rod meets it as P -> 0."""
    linear = quad(lambda X: (LENGTH - X) ** 2 * renda_flexibility(X), 0, LENGTH)[0]
    assert linear * 1e-3 == pytest.approx(28.4e-3, rel=2e-3)
    rod = renda_arm({"bend_y": 2, "bend_z": 2})
    tip = solve(rod, [PointLoad(force=(0, 0, 1e-6))]).tip_position
    assert tip[2] == pytest.approx(1e-6 * linear, rel=1e-4)


def test_renda_net_weight():
    """Linear theory by the unit-load theorem: int M(X) (L - X)/EI dX = 60 mm; less in truth."""

    def moment(X):
        return quad(lambda s: 80 * 9.81 * renda_area(s) * (s - X), X, LENGTH)[0]

    linear = quad(lambda X: moment(X) * (LENGTH - X) * renda_flexibility(X), 0, LENGTH)[0]
    assert linear == pytest.approx(60e-3, rel=5e-3)

    def sag(gravity):
        weight = net_weight(renda_area, 1080, 1000, (0, 0, -gravity))
        return -solve(renda_arm({"bend_y": 3}), [weight]).tip_position[2]

    assert sag(9.81e-3) == pytest.approx(1e-3 * linear, rel=1e-3)
    assert 0.9 * linear < sag(9.81) < linear


@pytest.mark.parametrize(("amplitude", "turn"), [(5e-3, 8.27), (7e-3, 11.58)])
def test_renda_eq_25_turns_the_tip(amplitude, turn):
    """theta = int m (1 - X/L)/EI dX: with no other load the section law decides alone."""
    exact = quad(lambda X: amplitude * (1 - X / LENGTH) * renda_flexibility(X), 0, LENGTH)[0]
    assert exact == pytest.approx(turn, abs=5e-3)
    state = solve(renda_arm({"bend_z": 1}), [recruited_torque(amplitude, LENGTH)])
    assert bend(state) == pytest.approx(exact, rel=1e-4)
    half = solve(renda_arm({"bend_z": 1}, segments=2), [recruited_torque(amplitude, LENGTH / 2)])
    np.testing.assert_allclose(half.strain(np.array([0.7, 0.9]) * LENGTH)[:, 2], 0, atol=1e-9)


# Emet 2023: the tendon-driven limb


def emet_radius(X):
    return 0.030 - 0.020 * X / 0.6


def emet_limb(degrees, **options):
    def section(X):
        return circular_stiffness(emet_radius(X), 69e3, 23e3)

    return Rod(0.6, section, degrees=degrees, scaled_by="compliance", segments=3, **options)


def converging(X):
    return np.stack([0.7 * emet_radius(X), 0 * X], axis=-1)


def test_emet_linear_theory_of_the_converging_tendon():
    """Per newton: turn int d/EI = 1.72 rad, shortening int 1/EA = 9.2 mm, in the limit T -> 0."""
    turn = quad(lambda X: 0.7 * emet_radius(X) * 4 / (69e3 * np.pi * emet_radius(X) ** 4), 0, 0.6)[
        0
    ]
    short = quad(lambda X: 1 / (69e3 * np.pi * emet_radius(X) ** 2), 0, 0.6)[0]
    assert turn == pytest.approx(1.72, abs=5e-3)
    assert short == pytest.approx(9.2e-3, abs=5e-5)
    tension = 1e-4
    state = solve(emet_limb(4), [RodTendon(tension, converging)])
    slope = 0.7 * 0.02 / 0.6  # the tendon leans by this angle, so that T cos acts along the rod
    assert bend(state) == pytest.approx(turn * tension / np.hypot(1, slope), rel=1e-3)
    stretch = state.rod.strain_at_gauss(state.q)[:, 3]
    shortening = state.rod.grid.gauss_weights @ (1 - stretch)
    assert shortening == pytest.approx(short * tension / np.hypot(1, slope), rel=1e-3)


def turn_at(tension, path):
    return bend(solve(emet_limb(4), [RodTendon(tension, path)]))


def test_emet_constant_offset_needs_1_26_newton_for_90_degrees():
    """At a constant offset the moment is T d whatever the shape: linear theory is exact here."""
    tension = brentq(lambda t: turn_at(t, (0.007, 0)) - np.pi / 2, 0.5, 2, xtol=1e-6)
    flexibility = quad(lambda X: 4 / (69e3 * np.pi * emet_radius(X) ** 4), 0, 0.6)[0]
    assert tension == pytest.approx(np.pi / 2 / 0.007 / flexibility, rel=1e-4)
    assert tension == pytest.approx(1.26, abs=5e-3)


def test_emet_converging_tendon_for_90_degrees():
    tension = brentq(lambda t: turn_at(t, converging) - np.pi / 2, 0.5, 2, xtol=1e-6)
    assert tension == pytest.approx(0.91, abs=5e-3)
