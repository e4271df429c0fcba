"""SILVER2's leg: corrected forward kinematics against the printed inverse, and the misprint."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from loligo.cases.robot.swimmer import load_reacher
from loligo.reduced.arcs import leg as legs
from loligo.reduced.arcs.stance import links

LEG = legs.Leg(coxa=0.06, offset=0.045, femur=0.2, tibia=0.35)
angles = st.tuples(
    st.floats(-np.pi + 0.01, np.pi - 0.01), st.floats(-1.5, 1.5), st.floats(0.01, np.pi - 0.01)
).map(np.array)


def reach(q, leg=LEG):
    return leg.coxa + leg.femur * np.cos(q[1]) + leg.tibia * np.cos(q[1] - q[2])


def wrapped(angle):
    return (angle + np.pi) % (2 * np.pi) - np.pi


@given(angles)
def test_inverse_returns_the_angles(q):
    assume(reach(q) > 1e-3)
    back = legs.inverse(LEG, legs.forward(LEG, q))
    # arccos near a stretched or folded knee loses digits as 1/sin(q3).
    np.testing.assert_allclose(wrapped(back - q), 0.0, atol=1e-11 / np.sin(q[2]))


@given(angles)
def test_forward_of_inverse(q):
    assume(reach(q) > 1e-3)
    foot = legs.forward(LEG, q)
    np.testing.assert_allclose(
        legs.forward(LEG, legs.inverse(LEG, foot)), foot, rtol=0, atol=1e-8 * np.linalg.norm(foot)
    )


@given(angles)
def test_forward_is_the_product_of_the_joints(q):
    """Turn by q1, go l0 out and l1 aside, pitch up by q2, go l2, pitch down by q3, go l3."""

    def frame(axis, angle, shift):
        c, s = np.cos(angle), np.sin(angle)
        turn = {"z": [[c, -s, 0], [s, c, 0], [0, 0, 1]], "up": [[c, 0, -s], [0, 1, 0], [s, 0, c]]}
        g = np.eye(4)
        g[:3, :3] = turn[axis]
        g[:3, 3] = g[:3, :3] @ shift
        return g

    tip = (
        frame("z", q[0], [LEG.coxa, LEG.offset, 0])
        @ frame("up", q[1], [LEG.femur, 0, 0])
        @ frame("up", -q[2], [LEG.tibia, 0, 0])
    )[:3, 3]
    np.testing.assert_allclose(legs.forward(LEG, q), tip, rtol=0, atol=1e-15)


def test_printed_forward_is_off_by_sqrt_2_times_the_offset():
    """Eq 1a subtracts l1 cos(q1), l1 sin(q1): every foot is sqrt(2) l1 = 63.6 mm off for 45 mm."""
    rng = np.random.default_rng(8)
    for q in rng.uniform([-3, -1, 0.1], [3, 1, 3], (50, 3)):
        printed = np.array([np.cos(q[0]), np.sin(q[0])]) * (reach(q) - LEG.offset)
        gap = np.linalg.norm(printed - legs.forward(LEG, q)[:2])
        assert gap == pytest.approx(np.sqrt(2) * LEG.offset, rel=1e-12)
        assert gap == pytest.approx(63.6e-3, abs=5e-5)


def test_2306_random_poses():
    q = np.random.default_rng(9).uniform([-3.1, -1.5, 0.05], [3.1, 1.5, 3.09], (6000, 3))
    q = q[np.array([reach(row) for row in q]) > 0][:2306]
    back = legs.inverse(LEG, legs.forward(LEG, q))
    np.testing.assert_allclose(wrapped(back - q), 0.0, atol=1e-9)


def test_out_of_reach_tells_the_distance():
    feet = np.array([[0.3, 0.1, -0.3], [2.0, LEG.offset, 0.0], [0.03, 0.0, -0.3]])
    distance = legs.distance_to_workspace(LEG, feet)
    np.testing.assert_allclose(distance, [0.0, 2.0 - 0.06 - 0.55, 0.015], rtol=0, atol=1e-12)
    with pytest.raises(ValueError, match=r"target 1 .* lies 1\.39 m outside .*\(2 of 3"):
        legs.inverse(LEG, feet)
    with pytest.raises(ValueError, match="outside the workspace"):
        legs.inverse(LEG, [0.06, LEG.offset, 0.1])  # nearer to the femur shaft than |l2 - l3|


def test_folded_leg_of_equal_links():
    equal = legs.Leg(coxa=0.06, offset=0.045, femur=0.3, tibia=0.3)
    foot = legs.forward(equal, [0.4, 0.7, np.pi])
    np.testing.assert_allclose(legs.forward(equal, legs.inverse(equal, foot)), foot, atol=1e-8)


def test_the_links_of_a_standing_robot_have_their_lengths_and_end_at_its_feet():
    """Liu 2020 Eq 1b by its own geometry: link lengths, right angles of the offset, feet below."""
    six = load_reacher("silver2").legs
    for hip, (shaft, femur, knee, foot) in zip(six.hips, links(six), strict=True):
        assert shaft == pytest.approx([*hip, 0.0])
        assert np.linalg.norm(femur - shaft) == pytest.approx(np.hypot(six.coxa, six.offset))
        assert np.linalg.norm(knee - femur) == pytest.approx(six.femur)
        assert np.linalg.norm(foot - knee) == pytest.approx(six.tibia)
        assert foot[2] == pytest.approx(-six.height)
        away = np.array(hip) / np.hypot(*hip)  # every leg points away from the middle
        assert foot[:2] == pytest.approx(np.array(hip) + six.stance * away)
