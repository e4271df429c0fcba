"""Newton's method, load steps, and what the solver owes its user."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq

from loligo.reduced.lie import exp_se3
from loligo.reduced.rod.loads import (
    LineLoad,
    PointLoad,
    RodTendon,
    chamber_pressure,
    net_weight,
    recruited_torque,
)
from loligo.reduced.rod.loadset import load_set
from loligo.reduced.rod.model import Rod, circular_stiffness
from loligo.reduced.rod.statics import NotConvergedError, residual, solve

UNIT = np.eye(6)  # with L = 1; only its bending is used
ANGULAR = {"torsion": 4, "bend_y": 4, "bend_z": 4}

LOADS = {
    "dead tip wrench": [PointLoad((1, 2, 3), (2, -1, 0.5))],
    "follower tip wrench": [PointLoad((1, 2, 3), (2, -1, 0.5), axes="body")],
    "wrench inside": [PointLoad((1, 2, 3), (2, -1, 0.5), axes="body", at=0.3)],
    "dead line load": [LineLoad(lambda X: np.stack([X, 1 - X, X**2], axis=-1), (1, 2, 3))],
    "follower line load": [LineLoad((1, 2, 3), (0, 1, 2), axes="body", span=(0, 0.3))],
    "actuation": [
        RodTendon(3.0, lambda X: np.stack([0.1 + 0.1 * X, 0.2 - 0.1 * X**2], -1), span=(0, 0.3)),
        RodTendon(2.0, (0.1, 0.05)),
        recruited_torque(1.0, 0.5, "bend_y"),
        chamber_pressure(1, 0.1, 0.2, 0.3),
    ],
}


def coupled_rod(**options):
    rng = np.random.default_rng(0)
    m = rng.normal(size=(6, 6))
    options = {"degrees": 2, "segments": [0, 0.3, 1.0]} | options
    return Rod(1.0, m @ m.T + 6 * np.eye(6), strain_rest=(0.3, 0.5, -0.8, 1, 0.1, 0), **options)


def test_ten_lines_are_enough():
    def radius(X):
        return 0.010 - 0.008 * X / 0.245

    arm = Rod(0.245, lambda X: circular_stiffness(radius(X), 110e3, 37e3), scaled_by="compliance")
    weight = net_weight(lambda X: np.pi * radius(X) ** 2, 1080.0, 1000.0, gravity=(0, 0, -9.81))
    bent = solve(arm, [weight, PointLoad(force=(0, 1e-3, 0))])
    x, y, z = bent.tip_position

    assert np.linalg.norm([x, y, z]) < 0.245 and y > 0.01 and z < -0.03
    assert bent.stable
    volume = np.pi / 3 * 0.245 * (10**2 + 10 * 2 + 2**2) * 1e-6  # of the cone
    reaction = bent.wrench([0.0])[0]  # at the base the section axes are the world's
    np.testing.assert_allclose(reaction[3:], [0, 1e-3, -80 * 9.81 * volume], rtol=1e-9, atol=1e-15)


@pytest.mark.parametrize("loads", LOADS.values(), ids=LOADS)
def test_tangent_is_exact(loads):
    """The Taylor remainder |R(q + h d) - R(q) - h K d| falls with slope two."""
    rod = coupled_rod()
    rng = np.random.default_rng(1)
    q, d = 0.3 * rng.normal(size=(2, rod.grid.unknowns))
    acting = load_set(rod, loads)
    value, tangent = residual(rod, acting, q)
    steps = 0.1 / 4.0 ** np.arange(5)
    remainders = [
        np.linalg.norm(residual(rod, acting, q + h * d)[0] - value - h * tangent @ d) for h in steps
    ]
    slopes = np.diff(np.log(remainders)) / np.diff(np.log(steps))
    np.testing.assert_allclose(slopes, 2.0, atol=0.1)


def test_tangent_is_symmetric_for_conservative_loads_and_not_for_followers():
    rod = coupled_rod()
    q = 0.3 * np.random.default_rng(1).normal(size=rod.grid.unknowns)

    def skewness(loads):
        tangent = residual(rod, load_set(rod, loads), q)[1]
        return np.abs(tangent - tangent.T).max() / np.abs(tangent).max()

    dead = [PointLoad((1, 2, 3)), *LOADS["actuation"], LineLoad((1, 2, 3))]
    assert skewness(dead) < 1e-13
    assert skewness(LOADS["follower tip wrench"]) > 1e-3
    assert skewness([PointLoad(moment=(1, 2, 3))]) > 1e-3  # a dead moment has no potential


def test_newton_converges_quadratically():
    rod = coupled_rod()
    loads = [load for group in LOADS.values() for load in group]
    (sizes,) = solve(rod, loads).corrections
    assert len(sizes) <= 7
    for before, after in pairwise(sizes[1:]):
        assert after < 2.0 * before**2 + 1e-13


def test_a_rigid_rotation_of_everything_rotates_the_answer():
    turn = exp_se3(np.array([0.7, -1.1, 2.0, 0.3, 0.2, -0.5]))
    r = turn[:3, :3]
    force, moment, line = np.array([[1.0, 2, 3], [2, -1, 0.5], [0.3, 1, -1]])
    followers = [*LOADS["follower tip wrench"], *LOADS["actuation"]]
    here = solve(coupled_rod(), [PointLoad(force, moment), LineLoad(line), *followers])
    there = solve(
        coupled_rod(base=turn), [PointLoad(r @ force, r @ moment), LineLoad(r @ line), *followers]
    )
    X = np.linspace(0, 1, 5)
    np.testing.assert_allclose(there.frames(X), turn @ here.frames(X), atol=1e-12)
    np.testing.assert_allclose(there.wrench(X), here.wrench(X), atol=1e-11)


def elastica(segments, degree, cells=None):
    rod = Rod(1.0, UNIT, degrees={"bend_z": degree}, segments=segments, cells=cells)
    return solve(rod, [PointLoad(force=(0, 4.0, 0))]).tip_position[:2]


@pytest.mark.parametrize(("degree", "cells", "order"), [(0, 1, 2), (1, 2, 4), (2, 3, 4)])
def test_order_of_the_discretisation(degree, cells, order):
    """Tip of the elastica (P L^2/EI = 4): the strain's order is p + 1, the tip's 2 p + 2 to 4."""
    exact = elastica(24, 4, 8)  # itself within 1e-9, see the next test
    errors = [np.linalg.norm(elastica(n, degree, cells) - exact) for n in (4, 8, 16)]
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    np.testing.assert_allclose(orders, order, atol=0.25)


def test_finest_elastica_against_its_first_integral():
    """theta'(0)^2 = 2 P sin(theta_tip)/EI and theta'(0) = P x_tip/EI."""
    rod = Rod(1.0, UNIT, degrees={"bend_z": 4}, segments=24, cells=8)
    state = solve(rod, [PointLoad(force=(0, 4.0, 0))])
    x, sine = state.tip_position[0], state.tip[1, 0]
    assert (4 * x) ** 2 == pytest.approx(8 * sine, rel=1e-9)


# Section laws


def test_neo_hookean_stretch():
    """N = EA/3 (lambda - lambda^-2) of an incompressible neo-Hookean bar, by the section law."""

    def law(excess, X):
        stretch = 1 + excess[:, 3]
        wrench, tangent = np.zeros((len(X), 6)), np.zeros((len(X), 6, 6))
        wrench[:, 3] = 2.0 * (stretch - stretch**-2)
        tangent[:, 3, 3] = 2.0 * (1 + 2 * stretch**-3)
        return wrench, tangent

    rod = Rod(1.0, law=law, degrees={"stretch": 0})
    stretch = brentq(lambda s: 2.0 * (s - s**-2) - 3.0, 1, 5)
    assert solve(rod, [PointLoad((3, 0, 0))]).tip_position[0] == pytest.approx(stretch, rel=1e-12)


def test_stiffening_bend_on_a_curved_rod():
    """M = k + k^3 of the excess curvature k, at constant M."""

    def law(excess, X):
        wrench, tangent = np.zeros((len(X), 6)), np.zeros((len(X), 6, 6))
        wrench[:, 2] = excess[:, 2] + excess[:, 2] ** 3
        tangent[:, 2, 2] = 1 + 3 * excess[:, 2] ** 2
        return wrench, tangent

    rod = Rod(1.0, law=law, degrees={"bend_z": 0}, strain_rest=(0, 0, 0.5, 1, 0, 0))
    state = solve(rod, [PointLoad(moment=(0, 0, 2.0))])  # k = 1
    assert state.strain([0.5])[0, 2] == pytest.approx(1.5, rel=1e-12)
    np.testing.assert_allclose(state.wrench([0.5])[0], [0, 0, 2, 0, 0, 0], atol=1e-12)


def test_a_law_of_the_wrong_shape_is_refused():
    rod = Rod(1.0, law=lambda excess, X: (excess[:, :3], excess), degrees=0)
    with pytest.raises(ValueError, match=r"must return a wrench and a tangent of shapes \(4, 6\)"):
        solve(rod, [])


# Load steps


@settings(max_examples=40, deadline=None)
@given(
    st.tuples(*[st.floats(-50, 50)] * 3),
    st.tuples(*[st.floats(-20, 20)] * 3),
    st.sampled_from(["world", "body"]),
)
def test_any_tip_wrench_is_balanced_or_refused_but_never_nan(force, moment, axes):
    rod = Rod(1.0, UNIT, degrees=ANGULAR, segments=2)
    load = PointLoad(force, moment, axes)
    try:
        state = solve(rod, [load])
    except NotConvergedError as error:
        assert 0 <= error.fraction < 1 and np.isfinite(error.last).all()
    else:
        value, _ = residual(rod, load_set(rod, [load]), state.q)
        assert np.abs(value).max() <= 1e-7


def test_a_long_way_is_cut_into_steps_and_ends_exactly_at_the_request():
    rod = Rod(1.0, UNIT, degrees={"bend_z": 6}, segments=4)
    force = PointLoad(force=(0, 60.0, 0), axes="body")
    state = solve(rod, [force])
    assert state.cutbacks > 0 and len(state.corrections) > 1
    value, _ = residual(rod, load_set(rod, [force]), state.q)
    assert np.abs(value).max() < 1e-9 * 60


def test_a_start_is_gone_on_from():
    rod = Rod(1.0, UNIT, degrees={"bend_z": 6}, segments=2)
    first = solve(rod, [PointLoad(force=(0, 2.0, 0))])
    second = solve(rod, [PointLoad(force=(0, 2.1, 0))], start=first)
    direct = solve(rod, [PointLoad(force=(0, 2.1, 0))])
    assert len(second.corrections[0]) < len(direct.corrections[0])
    np.testing.assert_allclose(second.q, direct.q, atol=1e-12)
    with pytest.raises(ValueError, match="the start has 14 coordinates and the rod 7"):
        solve(Rod(1.0, UNIT, degrees={"bend_z": 6}), [], start=first)


def test_where_there_is_no_equilibrium_the_error_says_how_far_it_got():
    """A linear bar of EA = 2 under 5 N: it is compressed to nothing at 2 N, 40 % of the way."""
    rod = Rod(1.0, np.diag([1.0, 1, 1, 2, 1, 1]), degrees={"stretch": 0})
    with pytest.raises(NotConvergedError, match="compressed to nothing at X = ") as caught:
        solve(rod, [PointLoad((-5.0, 0, 0))])
    assert caught.value.fraction == pytest.approx(0.4, abs=1e-3)
    assert np.isfinite(caught.value.last).all()


def test_a_law_that_returns_nan_is_named():
    def law(excess, X):
        return np.full((len(X), 6), np.nan), np.zeros((len(X), 6, 6))

    with pytest.raises(NotConvergedError, match=r"section law .* is not finite"):
        solve(Rod(1.0, law=law, degrees=0), [])


def test_a_nudged_column_stays_on_the_stable_branch():
    """Above Euler's load a full Newton step would land on the straight, unstable column."""
    rod = Rod(1.0, UNIT, degrees={"bend_z": 4}, segments=2)
    for side in (1.0, -1.0):
        nudge = PointLoad(force=(0, 0.01 * side, 0))
        below = solve(rod, [PointLoad(force=(-2.0, 0, 0)), nudge])
        for start in (None, below):
            state = solve(rod, [PointLoad(force=(-4.0, 0, 0)), nudge], start)
            assert state.stable and state.tip_position[1] * side > 0.5
    straight = solve(rod, [PointLoad(force=(-4.0, 0, 0))])
    assert not straight.stable and straight.tip_position[1] == 0
    further = solve(rod, [PointLoad(force=(-4.1, 0, 0))], start=straight)
    assert further.cutbacks == 0 and not further.stable  # what is unstable already needs no caution
