"""Emet 2023: the chain of RRP links against the arc it stands for, and each misprint."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import expm

from loligo.reduced.arcs import dh_chain, pcc

RAD = np.pi / 180
U1, U2, U3 = (
    np.array(m, dtype=float)
    for m in (
        [[0, 0, 0], [0, 0, -1], [0, 1, 0]],
        [[0, 0, 1], [0, 0, 0], [-1, 0, 0]],
        [[0, -1, 0], [1, 0, 0], [0, 0, 0]],
    )
)

arc = st.tuples(st.floats(0.29, 0.6), st.floats(-1.5, 1.5), st.floats(-3, 3))


def segment_tip(*arcs):
    return pcc.chain([pcc.from_polar(length, t * RAD, p * RAD) for length, t, p in arcs])[-1]


def turn_about_tangent(angle):
    g = np.eye(4)
    g[:3, :3] = [[1, 0, 0], [0, np.cos(angle), -np.sin(angle)], [0, np.sin(angle), np.cos(angle)]]
    return g


@given(arc, st.integers(1, 20))
@settings(deadline=None)
def test_nodes_lie_on_the_arc(arc, sections):
    frames = dh_chain.frames(dh_chain.chain(*arc, sections=sections))
    shares = np.linspace(0, 1, sections + 1)[:, None]
    exact = pcc.position(shares * pcc.from_polar(*arc))
    np.testing.assert_allclose(frames[:, :3, 3], exact, rtol=0, atol=1e-14)


@given(arc)
@settings(deadline=None)
def test_closed_chain_ends_in_the_frame_of_the_arc(arc):
    frames = dh_chain.frames(dh_chain.chain(*arc))
    np.testing.assert_allclose(frames[-1], pcc.pose(pcc.from_polar(*arc)), rtol=0, atol=1e-9)


@given(arc)
@settings(deadline=None)
def test_twisted_frame_is_equation_20(arc):
    _, theta, phi = arc
    frames = dh_chain.frames(dh_chain.chain(*arc, untwist=False))
    c, s, ct, st_ = np.cos(phi), np.sin(phi), np.cos(theta), np.sin(theta)
    eq20 = np.array([[ct * c, -s, st_ * c], [ct * s, c, st_ * s], [-st_, 0, ct]])
    np.testing.assert_allclose(frames[-1, :3, :3], pcc.Z_ARM @ eq20 @ pcc.Z_ARM.T, atol=1e-14)
    untwisted = pcc.pose(pcc.from_polar(*arc)) @ turn_about_tangent(phi)
    np.testing.assert_allclose(frames[-1], untwisted, rtol=0, atol=1e-14)


@given(arc)
@settings(deadline=None)
def test_table_multiplies_to_the_frames(arc):
    """Eqs 10 and 11: exponentials of the table, in the paper's axes."""
    chain = dh_chain.chain(*arc, closed=False, untwist=False)
    rotation, position = np.eye(3), np.zeros(3)
    for zeta, s, gamma in dh_chain.table(chain):
        rotation = rotation @ expm(zeta * U3)
        position = position + s * rotation[:, 2]
        rotation = rotation @ expm(gamma * U1)
    tip = dh_chain.frames(chain)[-1]
    np.testing.assert_allclose(tip[:3, 3], pcc.Z_ARM @ position, rtol=0, atol=1e-14)
    np.testing.assert_allclose(tip[:3, :3], pcc.Z_ARM @ rotation @ pcc.Z_ARM.T, rtol=0, atol=1e-14)


def test_straight_segment():
    chain = dh_chain.chain(0.6, 0.0, 0.3)
    assert chain.stroke == pytest.approx(0.06)
    tip = dh_chain.frames(chain)[-1]
    np.testing.assert_allclose(tip, [[1, 0, 0, 0.6], *np.eye(4)[1:]], rtol=0, atol=1e-15)


def test_printed_validation_is_an_arc_of_90_degrees():
    """The print calls 45 deg what is half of the bend: 4.5 deg, then nine steps of 9 deg."""
    chain = dh_chain.chain(0.6, 90 * RAD, 30 * RAD, closed=False, untwist=False)
    zeta = dh_chain.table(chain)[:, 0] / RAD
    np.testing.assert_allclose(zeta, [30, 4.5, 0, *[0, 9, 0] * 9], atol=1e-12)
    tip = dh_chain.frames(chain)[-1, :3, 3]
    assert np.arccos(tip[0] / np.linalg.norm(tip)) / RAD == pytest.approx(45.0)


def test_stroke_is_the_chord_not_the_printed_60_mm():
    """The chord is 59.938 mm; with 60 mm the tip stands 0.556 mm (0.10 %) too far out."""
    chain = dh_chain.chain(0.6, 90 * RAD, 30 * RAD)
    assert chain.stroke == pytest.approx(59.938e-3, abs=5e-7)
    tip = dh_chain.frames(chain)[-1, :3, 3]
    gap = np.linalg.norm(tip) * (0.06 / chain.stroke - 1)
    assert gap == pytest.approx(0.556e-3, abs=5e-7)
    assert gap / np.linalg.norm(tip) == pytest.approx(0.0010, abs=5e-5)


def test_between_nodes_the_arc_bulges_by_1_18_mm():
    nodes = dh_chain.frames(dh_chain.chain(0.6, 90 * RAD, 0.0))[:, :3, 3]
    middle = pcc.position(0.05 * pcc.from_polar(0.6, 90 * RAD, 0.0))
    sagitta = np.linalg.norm(middle - 0.5 * (nodes[0] + nodes[1]))
    assert sagitta == pytest.approx(1.18e-3, abs=5e-6)


def test_open_chain_misses_half_a_step_of_attitude():
    """The bends of the print add up to 85.5 deg where the tangent stands at 90 deg."""
    tangent = dh_chain.frames(dh_chain.chain(0.6, 90 * RAD, 0.3, closed=False))[-1, :3, 0]
    assert np.arccos(tangent[0]) / RAD == pytest.approx(85.5)


@pytest.mark.parametrize(
    ("first", "second", "length", "error"),
    [((30, 10), (60, 30), 0.290, 7.02), ((60, 20), (-30, 15), 0.300, 15.49)],
)
def test_missing_half_step_at_the_junction_of_two_segments(first, second, length, error):
    """Fig 10, grasper (shortened by 10 mm) and palpation: tip error against the two exact arcs."""
    pairs = [(t * RAD, p * RAD) for t, p in (first, second)]
    tips = {
        closed: dh_chain.arm_frames(
            tuple(dh_chain.chain(length, *pair, closed=closed, untwist=False) for pair in pairs)
        )[-1]
        for closed in (True, False)
    }
    exact = (
        segment_tip((length, *first))
        @ turn_about_tangent(first[1] * RAD)
        @ segment_tip((length, *second))
        @ turn_about_tangent(second[1] * RAD)
    )
    np.testing.assert_allclose(tips[True], exact, rtol=0, atol=1e-9)
    gap = np.linalg.norm(tips[False][:3, 3] - exact[:3, 3])
    assert gap == pytest.approx(error * 1e-3, abs=5e-6)


def test_meaning_of_the_second_azimuth_depends_on_the_twist():
    arcs = ((0.3, 60, 20), (0.3, 30, 15))
    untwisted = dh_chain.arm_frames(
        tuple(dh_chain.chain(length, t * RAD, p * RAD) for length, t, p in arcs)
    )
    np.testing.assert_allclose(untwisted[-1], segment_tip(*arcs), rtol=0, atol=1e-9)
    assert untwisted.shape == (21, 4, 4)
    # Keeping the twist by phi_1 = 20 deg asks for phi_2 = 15 - 20 deg in the second segment.
    twisted = dh_chain.arm_frames(
        (
            dh_chain.chain(0.3, 60 * RAD, 20 * RAD, untwist=False),
            dh_chain.chain(0.3, 30 * RAD, -5 * RAD),
        )
    )
    np.testing.assert_allclose(twisted[-1, :3, 3], untwisted[-1, :3, 3], rtol=0, atol=1e-14)


def test_equation_7_gives_absolute_angles_and_loses_the_sign():
    """Eqs 7 and 8 on the nodes of the arc: polar angles grow by 9 deg, theta = -30 turns about."""
    nodes = pcc.position(np.linspace(0, 1, 11)[:, None] * pcc.from_polar(0.6, 90 * RAD, 30 * RAD))
    x, y, z = (pcc.Z_ARM.T @ np.diff(nodes, axis=0).T) / RAD * RAD
    polar = np.arctan2(np.hypot(x, y), z) / RAD
    np.testing.assert_allclose(polar, 4.5 + 9 * np.arange(10), atol=1e-10)
    bends = dh_chain.chain(0.6, 90 * RAD, 30 * RAD).bends
    np.testing.assert_allclose(np.diff(polar, prepend=0), np.array(bends) / RAD, atol=1e-10)

    nodes = pcc.position(np.linspace(0, 1, 11)[:, None] * pcc.from_polar(0.3, -30 * RAD, 15 * RAD))
    x, y, z = pcc.Z_ARM.T @ np.diff(nodes, axis=0).T
    assert (np.arctan2(np.hypot(x, y), z) > 0).all()
    np.testing.assert_allclose(np.arctan2(y, x) / RAD % 360, 195.0)
    chain = dh_chain.chain(0.3, -30 * RAD, 15 * RAD)
    assert chain.turns[0] == 15 * RAD
    assert max(chain.bends) < 0


def test_table_1_limits_follow_from_a_bend_of_90_degrees():
    bends = dh_chain.chain(0.6, np.pi / 2, 0.0).bends
    assert max(bends) == pytest.approx(np.pi / 20)


def test_batches_agree_with_single_chains():
    rng = np.random.default_rng(11)
    arcs = rng.uniform([0.2, -1.5, -3.0], [0.6, 1.5, 3.0], (2, 3, 4, 3))
    batch = tuple(dh_chain.chain(*np.moveaxis(segment, -1, 0)) for segment in arcs)
    frames = dh_chain.arm_frames(batch)
    assert frames.shape == (3, 4, 21, 4, 4)
    alone = tuple(dh_chain.chain(*segment[2, 1]) for segment in arcs)
    np.testing.assert_array_equal(frames[2, 1], dh_chain.arm_frames(alone))
    np.testing.assert_array_equal(dh_chain.table(batch[1])[2, 1], dh_chain.table(alone[1]))
    lower, upper = (pcc.pose(pcc.from_polar(*np.moveaxis(segment, -1, 0))) for segment in arcs)
    np.testing.assert_allclose(frames[..., -1, :, :], lower @ upper, rtol=0, atol=1e-14)


def test_no_sections():
    with pytest.raises(ValueError, match="sections must be a whole number of at least 1"):
        dh_chain.chain(0.6, 1.0, 0.0, sections=0)
