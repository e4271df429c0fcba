"""Liu 2020: closed inverse against forward kinematics, the workspace, the pressure relation."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loligo.reduced.arcs import pcc
from loligo.reduced.arcs import three_segment as ts

ARM = ts.LIU_2020
D = ARM.chamber_offset
THREE = pcc.chamber_directions(3)

stroke = st.floats(0.0, 1.0)


@st.composite
def reachable_lengths(draw):
    first = [draw(stroke) for _ in range(3)]
    last = np.roll([0.0, draw(stroke), draw(stroke)], draw(st.integers(0, 2)))
    return ARM.chamber_length + ARM.chamber_stroke * np.array([first, last])


@given(reachable_lengths())
@settings(deadline=None)
def test_inverse_returns_the_lengths(lengths):
    tip, bend = ts.forward(ARM, lengths)
    np.testing.assert_allclose(ts.inverse(ARM, tip, bend), lengths, rtol=0, atol=1e-13)
    assert ts.distance_to_workspace(ARM, tip, bend) == 0.0


@given(reachable_lengths())
@settings(deadline=None)
def test_tip_is_the_end_of_the_chain_with_the_attitude_of_segment_3(lengths):
    tip, bend = ts.forward(ARM, lengths)
    frames = pcc.chain(ts.segments(ARM, lengths))
    np.testing.assert_allclose(frames[-1, :3, 3], tip, rtol=0, atol=1e-15)
    np.testing.assert_allclose(frames[1, :3, :3], np.eye(3), rtol=0, atol=1e-15)
    attitude = pcc.rotation([0.1, *bend])
    np.testing.assert_allclose(frames[-1, :3, :3], attitude, rtol=0, atol=1e-15)


@given(reachable_lengths())
@settings(deadline=None)
def test_relabelled_chambers_turn_tip_and_attitude_by_120_degrees(lengths):
    tip, bend = ts.forward(ARM, lengths)
    c, s = -0.5, np.sqrt(0.75)
    turn = np.array([[c, -s], [s, c]])
    tip[1:], bend = turn @ tip[1:], turn @ bend
    np.testing.assert_allclose(
        ts.inverse(ARM, tip, bend), np.roll(lengths, 1, axis=-1), rtol=0, atol=1e-13
    )


def test_printed_equations():
    """Eqs 1d-1f in the paper's frame, arm along z."""
    rng = np.random.default_rng(6)
    for _ in range(50):
        lengths = ARM.chamber_length + ARM.chamber_stroke * rng.uniform(0.1, 0.9, (2, 3))
        lengths[1, rng.integers(3)] = ARM.chamber_length
        tip, bend = ts.forward(ARM, lengths)
        x3, y3, z3 = pcc.Z_ARM.T @ tip
        theta3, phi3 = np.hypot(*bend), np.arctan2(bend[1], bend[0]) % (2 * np.pi)
        nearest = np.cos(phi3 - np.radians([90, 210, 330])).max()
        r3 = ARM.chamber_length / theta3 + D * nearest
        x1 = (x3 - r3 * (1 - np.cos(theta3)) * np.cos(phi3)) / 2
        y1 = (y3 - r3 * (1 - np.cos(theta3)) * np.sin(phi3)) / 2
        z1 = (z3 - r3 * np.sin(theta3)) / 2
        rho = np.hypot(x1, y1)
        theta1, r1 = 2 * np.arctan2(rho, z1), (rho**2 + z1**2) / (2 * rho)
        solved = ts.inverse(ARM, tip, bend)
        for row, r, theta, phi in (
            (0, r1, theta1, np.arctan2(y1, x1)),
            (1, r3, theta3, phi3),
        ):
            printed = theta * np.array(
                [
                    r - D * np.sin(phi),
                    r + D * np.cos(phi - np.pi / 6),
                    r - D * np.cos(phi + np.pi / 6),
                ]
            )
            np.testing.assert_allclose(solved[row], printed, rtol=0, atol=1e-14)


def test_equal_lengths_in_segments_1_and_2_need_turned_labels():
    """Eq 1c says l_1j = l_2j; Eq 1f with phi_2 = phi_1 + pi does not unless the labels turn."""
    lengths = ARM.chamber_length + np.array([[0.0, 0.03, 0.01], [0.0, 0.0, 0.0]])
    second = ts.segments(ARM, lengths)[1]
    as_labelled = pcc.chamber_lengths(second, D, THREE)
    turned = pcc.chamber_lengths(second, D, pcc.chamber_directions(3, turn=np.pi))
    np.testing.assert_allclose(turned, lengths[0], rtol=0, atol=1e-15)
    assert np.abs(as_labelled - lengths[0]).max() > 0.01


@pytest.mark.parametrize("tiny", [0.0, 1e-320, 1e-16, 1e-8])
def test_straight_limits(tiny):
    """theta_3 = 0 and rho_1 = 0 are limits, not singularities."""
    tip = np.array([3 * ARM.chamber_length + 0.02, 0.0, 0.0])
    lengths = ts.inverse(ARM, tip, [tiny, 0.0])
    np.testing.assert_allclose(lengths[0], ARM.chamber_length + 0.01, rtol=0, atol=2e-9)
    np.testing.assert_allclose(lengths[1], ARM.chamber_length, rtol=0, atol=1e-9)


def test_two_chamber_rule_is_for_segment_3_alone():
    """The S shape asks for all three chambers of segments 1 and 2: none is at rest here."""
    lengths = ts.inverse(ARM, [0.36, 0.05, 0.03], [0.2, 0.1])
    assert lengths[0].min() > ARM.chamber_length + 1e-3
    assert lengths[1].min() == pytest.approx(ARM.chamber_length, abs=1e-15)


def test_workspace_is_the_printed_500_by_520_by_304():
    """Long axis y (paper) = our z, towards a chamber; the paper's z is our x."""
    x, y, z = 1e3 * ts.workspace_size(ARM, 81)
    assert (y, z, x) == pytest.approx((499.5, 520.4, 304.1), abs=0.1)
    assert (round(y, -1), round(z, -1), round(x)) == (500, 520, 304)
    assert ARM.chamber_stroke / ARM.chamber_length == pytest.approx(0.74, abs=5e-3)
    assert 3 * ARM.chamber_length + 3 * 12.3e-3 == pytest.approx(0.310, abs=0.5e-3)


def test_the_printed_workspace_does_not_identify_the_offset():
    """Three extents for three lengths: d = 22.05 mm fits as well as the radius of the section."""
    other = ts.ThreeSegmentArm(
        chamber_length=91.5e-3, chamber_stroke=64.15e-3, chamber_offset=22.05e-3
    )
    x, y, z = 1e3 * ts.workspace_size(other, 81)
    assert (y, z, x) == pytest.approx((500, 520, 304), abs=0.5)


def test_workspace_with_the_two_chamber_rule_is_much_lower():
    lengths = np.linspace(0, ARM.chamber_stroke, 61) + ARM.chamber_length
    a, b = np.meshgrid(lengths, lengths)
    rest = np.full_like(a, ARM.chamber_length)
    tips = [
        pcc.position(pcc.from_chambers(np.roll(grid, k, axis=-1), D, THREE)).reshape(-1, 3)
        for grid in [np.stack([rest, a, b], axis=-1)]
        for k in range(3)
    ]
    ruled = 1e3 * np.ptp(np.concatenate(tips), axis=0)
    free = 1e3 * ts.workspace_size(ARM, 61) / 3
    assert 3 * ruled[0] == pytest.approx(125.5, abs=0.1)
    assert 2 * free[0] + ruled[0] == pytest.approx(244.6, abs=0.1)
    np.testing.assert_allclose(ruled[1:], free[1:], rtol=1e-4)


def test_distance_outside_the_workspace():
    """Straight ahead the arm reaches l_0 + two full segments when segment 3 stays straight."""
    longest = 2 * (ARM.chamber_length + ARM.chamber_stroke) + ARM.chamber_length
    tips = np.array([[longest + 0.05, 0, 0], [longest - 1e-6, 0, 0], [-0.3, 0, 0]])
    distance = ts.distance_to_workspace(ARM, tips, [0.0, 0.0])
    assert distance[0] == pytest.approx(0.05, abs=1e-9)
    assert distance[1] == 0.0
    assert distance[2] > 0.4
    with pytest.raises(ValueError, match=r"target 0 .* lies 0\.05 m outside .*2 of 3"):
        ts.inverse(ARM, tips, [0.0, 0.0])
    assert np.isinf(ts.distance_to_workspace(ARM, tips[0], [3.0, 0.0]))
    with pytest.raises(ValueError, match=r"segment 3 needs a chamber of 0\.2158 m"):
        ts.inverse(ARM, tips[1], [3.0, 0.0])


def test_distance_against_a_dense_cloud_of_the_same_azimuth():
    rng = np.random.default_rng(7)
    tips = rng.uniform([0.0, -0.3, -0.3], [0.5, 0.3, 0.3], (30, 3))
    distance = ts.distance_to_workspace(ARM, tips, [0.0, 0.0])
    assert (distance > 0).sum() > 10
    low, high = ARM.chamber_length, ARM.chamber_length + ARM.chamber_stroke
    theta, mean = np.meshgrid(np.linspace(1e-6, 2.0, 801), np.linspace(low, high, 801))
    for tip, got in zip(tips, distance, strict=True):
        target = (tip - [low, 0, 0]) / 2
        cosines = np.cos(np.arctan2(target[2], target[1]) - np.radians([90, 210, 330]))
        fits = (mean - D * theta * cosines.max() >= low) & (
            mean - D * theta * cosines.min() <= high
        )
        x, rho = mean * np.sin(theta) / theta, mean * (1 - np.cos(theta)) / theta
        gap = np.hypot(x - target[0], rho - np.hypot(target[1], target[2]))[fits]
        # The cloud has cells of 0.1 mm by 2.5 mrad (0.4 mm at the tip) and cannot be nearer.
        assert -1e-9 < 2 * gap.min() - got < 1e-3


def test_pressure_offset_is_clamped():
    """Eq 1g with a = 1.02, b = -0.89 kPa is negative below 0.873 kPa."""
    np.testing.assert_allclose(
        ts.proximal_pressure([0.0, 872.0, 873.0, 60e3]), [0.0, 0.0, 0.46, 60310.0], atol=1e-9
    )
    assert 0.89 / 1.02 == pytest.approx(0.873, abs=5e-4)
