"""Rigid intervals: connectors and end plates without unknowns."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import expm
from scipy.optimize import brentq

from loligo.reduced.lie import exp_se3, hat_se3
from loligo.reduced.rod.loads import (
    LineLoad,
    PointLoad,
    RodTendon,
    chamber_pressure,
    recruited_torque,
)
from loligo.reduced.rod.loadset import load_set
from loligo.reduced.rod.model import Rod
from loligo.reduced.rod.statics import residual, solve

SECTION = np.diag([0.7, 1.0, 1.3, 40.0, 15.0, 12.0])
BREAKS = [0.0, 0.1, 0.4, 0.6, 0.9, 1.0]
RIGID = [(0.0, 0.1), (0.4, 0.6), (0.9, 1.0)]
LOADS = [
    PointLoad((1, 2, 3), (2, -1, 0.5)),
    PointLoad((1, 2, 3), (2, -1, 0.5), axes="body", at=0.6),
    PointLoad((-1, 0, 1), axes="body", at=0.1),
    LineLoad(lambda X: np.stack([X, 1 - X, X**2], axis=-1), (1, 2, 3)),
    LineLoad((1, 2, 3), (0, 1, 2), axes="body", span=(0.4, 0.9)),
    RodTendon(3.0, lambda X: np.stack([0.1 + 0.1 * X, 0.2 - 0.1 * X**2], -1), span=(0, 0.9)),
    chamber_pressure(1, 0.1, 0.2, 0.3, span=(0.1, 0.4)),
]


def jointed(**options):
    rng = np.random.default_rng(0)
    m = rng.normal(size=(6, 6))
    rest = (0.3, 0.5, -0.8, 1, 0.1, 0)
    return Rod(
        1.0,
        m @ m.T + 6 * np.eye(6),
        degrees=2,
        segments=BREAKS,
        rigid=RIGID,
        strain_rest=rest,
        **options,
    )


def elastica_with_connector(force, soft):
    """Tip of an inextensible rod, EI = 1, rigid where `soft` is False, dead force across the tip.

    theta' = M/EI or 0, M' = -P cos(theta), M(1) = 0, shot from the base moment.
    """

    def end(moment):
        y = np.array([0.0, 0.0, 0.0, moment])
        for low, high, bends in soft:

            def slope(s, y, bends=bends):
                return [np.cos(y[2]), np.sin(y[2]), bends * y[3], -force * np.cos(y[2])]

            y = solve_ivp(slope, (low, high), y, "DOP853", rtol=1e-12, atol=1e-13).y[:, -1]
        return y

    moment = brentq(lambda m: end(m)[3], 0, force, xtol=1e-14)
    return end(moment)


def test_two_soft_lengths_and_a_connector_against_the_shot_elastica():
    """The error left is that of degree 5 on two halves each, below 1e-8 by halving once more."""
    soft = [(0.0, 0.1, False), (0.1, 0.4, True), (0.4, 0.6, False), (0.6, 1.0, True)]
    breaks = [0.0, 0.1, 0.25, 0.4, 0.6, 0.8, 1.0]
    rod = Rod(
        1.0,
        np.eye(6),
        degrees={"bend_z": 5},
        segments=breaks,
        rigid=[(0.0, 0.1), (0.4, 0.6)],
        cells=11,
    )
    state = solve(rod, [PointLoad(force=(0, 8.0, 0))])
    x, y, angle, _ = elastica_with_connector(8.0, soft)
    assert angle > 1.0
    np.testing.assert_allclose(state.tip_position[:2], [x, y], atol=1e-7)
    assert np.arctan2(state.tip[1, 0], state.tip[0, 0]) == pytest.approx(angle, abs=1e-7)


def test_rigid_is_the_limit_of_stiff():
    """An interval 1e5 times as stiff moves the tip by a hundred-thousandth of the whole or less."""

    def stiffness(X):
        inside = (X > 0.4) & (X < 0.6)
        return np.where(inside, 1e5, 1.0)[:, None, None] * SECTION

    loads = [PointLoad((0.4, 1, 0.3), (0.2, 0.1, 0.5)), LineLoad((0, 0, -1))]
    breaks = [0.0, 0.4, 0.6, 1.0]
    stiff = solve(Rod(1.0, stiffness, degrees=3, segments=breaks), loads)
    rigid = solve(Rod(1.0, SECTION, degrees=3, segments=breaks, rigid=[(0.4, 0.6)]), loads)
    np.testing.assert_allclose(rigid.tip, stiff.tip, atol=2e-5)
    X = np.array([0.2, 0.5, 0.7])
    np.testing.assert_allclose(rigid.wrench(X), stiff.wrench(X), atol=5e-5)


def test_there_are_no_unknowns_and_no_strain_where_it_is_rigid():
    rod = jointed()
    assert rod.grid.unknowns == 2 * 6 * 3
    strain = solve(rod, LOADS).strain([0.0, 0.05, 0.45, 0.6 - 1e-9, 0.95, 1.0])
    np.testing.assert_array_equal(strain, np.tile(rod.strain_rest, (6, 1)))


def test_a_curved_connector_turns_what_follows():
    quarter = (0.0, 0.0, 0.5 * np.pi, 1.0, 0.0, 0.0)
    rod = Rod(2.0, SECTION, degrees=0, segments=2, rigid=[(0, 1)], strain_rest=quarter)
    tip = rod.frames(np.zeros(6), [1.0, 2.0])
    np.testing.assert_allclose(tip[0], expm(hat_se3(np.array(quarter))), atol=1e-14)
    np.testing.assert_allclose(tip[1, :3, :3], np.diag([-1.0, -1.0, 1.0]), atol=1e-14)


def test_ends_shared_with_a_rigid_interval_belong_to_the_soft_one():
    """A chamber between plates acts at both its ends; the plates themselves carry all."""
    rod = Rod(1.0, SECTION, degrees=0, segments=[0, 0.2, 0.8, 1], rigid=[(0, 0.2), (0.8, 1)])
    state = solve(rod, [chamber_pressure(5.0, 0.3, 0.2, 0.0, span=(0.2, 0.8))])
    bent = [0, 0, -0.3 / 1.3, 1 + 1.5 / 40, 0, 0]
    np.testing.assert_allclose(state.strain([0.2, 0.8]), [bent, bent], atol=1e-12)
    wrench = state.wrench([0.1, 0.2, 0.8, 0.9])
    carried = [0, 0, -0.3, 1.5, 0, 0]
    np.testing.assert_allclose(wrench, [np.zeros(6), carried, carried, np.zeros(6)], atol=1e-12)


def test_a_load_on_a_disc_acts_at_either_face():
    """A dead force along y on the outer face is the same on the inner one with its moment."""
    breaks = [0.0, 0.8, 1.0]
    rod = Rod(1.0, SECTION, degrees=2, segments=breaks, rigid=[(0.8, 1.0)])
    outer = solve(rod, [PointLoad((0, 2.0, 0))])
    lever = outer.tip_position - outer.frames([0.8])[0, :3, 3]
    assert np.linalg.norm(lever) == pytest.approx(0.2, rel=1e-12)
    inner = solve(rod, [PointLoad((0, 2.0, 0), np.cross(lever, [0, 2.0, 0]), at=0.8)])
    np.testing.assert_allclose(inner.tip, outer.tip, atol=1e-9)
    np.testing.assert_allclose(inner.wrench([0.8]), outer.wrench([0.8]), atol=1e-9)


def test_recruited_length_counts_from_the_start_of_the_span():
    rod = Rod(1.0, SECTION, degrees={"bend_z": 1}, segments=[0, 0.2, 1], rigid=[(0, 0.2)])
    state = solve(rod, [recruited_torque(1.3, 0.8, span=(0.2, 1.0))])
    np.testing.assert_allclose(state.strain([0.2, 0.6, 1.0])[:, 2], [1, 0.5, 0], atol=1e-12)


def test_tangent_is_exact():
    """The Taylor remainder |R(q + h d) - R(q) - h K d| falls with slope two."""
    rod = jointed()
    acting = load_set(rod, LOADS)
    q, d = 0.3 * np.random.default_rng(1).normal(size=(2, rod.grid.unknowns))
    value, tangent = residual(rod, acting, q)
    steps = 0.1 / 4.0 ** np.arange(5)
    remainders = [
        np.linalg.norm(residual(rod, acting, q + h * d)[0] - value - h * tangent @ d) for h in steps
    ]
    slopes = np.diff(np.log(remainders)) / np.diff(np.log(steps))
    np.testing.assert_allclose(slopes, 2.0, atol=0.1)


def test_newton_converges_quadratically():
    (sizes,) = solve(jointed(), LOADS).corrections
    assert len(sizes) <= 7
    for before, after in pairwise(sizes[1:]):
        assert after < 2.0 * before**2 + 1e-13


def test_a_rigid_rotation_of_everything_rotates_the_answer():
    turn = exp_se3(np.array([0.7, -1.1, 2.0, 0.3, 0.2, -0.5]))
    force = np.array([1.0, 2, 3])
    followers = [load for load in LOADS if getattr(load, "axes", "body") == "body"]
    here = solve(jointed(), [PointLoad(force), *followers])
    there = solve(jointed(base=turn), [PointLoad(turn[:3, :3] @ force), *followers])
    X = np.linspace(0, 1, 11)
    np.testing.assert_allclose(there.frames(X), turn @ here.frames(X), atol=1e-12)
    np.testing.assert_allclose(there.wrench(X), here.wrench(X), atol=1e-11)


def test_solid_wrench_by_equilibrium_agrees_with_the_section_law():
    """To the error of degree 5, a thousandth of the largest wrench; not where a point load acts."""
    rod = Rod(1.0, SECTION, degrees=5, segments=BREAKS, rigid=RIGID)
    state = solve(rod, LOADS)
    X = np.array([0.12, 0.25, 0.4, 0.62, 0.7, 0.9])
    found = state.wrench(X)
    excess = state.strain(X) - rod.rest_strain(X)
    np.testing.assert_allclose(found, excess @ SECTION, atol=1e-3 * np.abs(found).max())


def test_stiffness_and_law_are_not_asked_for_where_it_is_rigid():
    asked = []

    def stiffness(X):
        asked.append(X)
        return np.tile(SECTION, (len(X), 1, 1))

    rod = Rod(1.0, stiffness, segments=BREAKS, rigid=RIGID, scaled_by="compliance")
    solve(rod, LOADS).strain(np.linspace(0, 1, 21))
    X = np.concatenate(asked)
    assert np.all(((X >= 0.1) & (X <= 0.4)) | ((X >= 0.6) & (X <= 0.9)))


@pytest.mark.parametrize(
    ("rigid", "message"),
    [
        ([(0, 0.3)], r"rigid span end = 0.3 m is not an end of an interval \(0, 0.5, 1\)"),
        ([(0.5, 0)], "a rigid span must run towards the tip"),
        ([(0, 0.5), (0.5, 1)], "the whole rod is rigid"),
    ],
)
def test_refusals_name_what_is_wrong(rigid, message):
    with pytest.raises(ValueError, match=message):
        Rod(1.0, SECTION, segments=2, rigid=rigid)
