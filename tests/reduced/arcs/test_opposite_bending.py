"""Gong 2018: inverse against forward kinematics, the printed equations and numbers, the bounds."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq

from loligo.reduced.arcs import opposite_bending as ob
from loligo.reduced.arcs import pcc
from loligo.reduced.arcs.tip_paths import HelicalPath

ARM = ob.GONG_2018
D = ARM.chamber_offset
FREE = replace(ARM, chamber_stroke=0.2, elongation_length=0.0, elongation_stroke=0.3)
"""Lengths that no stroke bounds: what a trajectory needs."""

LINE_START, LINE_END = (-0.110, -0.064, -0.270), (0.110, 0.064, -0.295)
ARC_START, ARC_END = (-0.055, -0.035, -0.285), (0.055, 0.035, -0.320)
DOWN = (0.0, 0.0, 1.0)

strokes = st.floats(0.0, 1.0)


@st.composite
def reachable_lengths(draw):
    """One chamber at rest, two anywhere in their stroke: what the arm's rule allows."""
    extra = np.array([0.0, draw(strokes), draw(strokes)]) * ARM.chamber_stroke
    bending = ARM.chamber_length + np.roll(extra, draw(st.integers(0, 2)))
    return np.append(bending, ARM.elongation_length + draw(strokes) * ARM.elongation_stroke)


def in_arm_frame(world):
    return np.asarray(world) @ pcc.HANGING_ARM.T


def bend_of(lengths):
    arcs = pcc.from_chambers(lengths[..., :3], D, pcc.chamber_directions(3))
    return pcc.to_polar(arcs)[1]


@given(reachable_lengths())
@settings(deadline=None)
def test_inverse_returns_the_lengths(lengths):
    tip = ob.forward(ARM, lengths)
    np.testing.assert_allclose(ob.inverse(ARM, tip), lengths, rtol=0, atol=1e-12)
    assert ob.distance_to_workspace(ARM, tip) == 0.0


def test_forward_of_inverse_over_the_whole_workspace():
    tips = ob.workspace(ARM, 21)
    back = ob.forward(ARM, ob.inverse(ARM, tips))
    assert np.max(np.linalg.norm(back - tips, axis=-1) / np.linalg.norm(tips, axis=-1)) < 1e-8


@given(reachable_lengths())
@settings(deadline=None)
def test_tip_is_the_end_of_the_chain_and_keeps_the_attitude(lengths):
    frame = pcc.chain(ob.segments(ARM, lengths))[-1]
    np.testing.assert_allclose(frame[:3, 3], ob.forward(ARM, lengths), rtol=0, atol=1e-15)
    np.testing.assert_allclose(frame[:3, :3], np.eye(3), rtol=0, atol=1e-15)


@given(reachable_lengths())
@settings(deadline=None)
def test_relabelled_chambers_turn_the_tip_by_120_degrees(lengths):
    turned = np.append(np.roll(lengths[:3], 1), lengths[3])
    c, s = -0.5, np.sqrt(0.75)
    turn = np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
    tip = turn @ ob.forward(ARM, lengths)
    np.testing.assert_allclose(ob.forward(ARM, turned), tip, rtol=0, atol=1e-14)
    np.testing.assert_allclose(ob.inverse(ARM, tip), turned, rtol=0, atol=1e-12)


@pytest.mark.parametrize("theta", [0.0, 1e-320, 1e-16, 1e-8, 1e-3])
def test_nearly_straight_arms(theta):
    tip = np.array([0.29, 2 * 0.1 * theta / 2 * np.cos(0.4), 2 * 0.1 * theta / 2 * np.sin(0.4)])
    lengths = ob.inverse(ARM, tip)
    # A length of 0.1 m rounds by 1e-17; divided by d and times l_0 that is 1e-16 at the tip.
    np.testing.assert_allclose(ob.forward(ARM, lengths), tip, rtol=0, atol=5e-16)


def test_printed_inverse_equations_hold_in_the_hanging_world():
    """Eqs 11-14 with atan2 and the distance from the axis, world = diag(1, -1, -1) arm."""
    world = np.random.default_rng(4).uniform([-0.1, -0.1, -0.29], [0.1, 0.1, -0.28], (200, 3))
    for (x, y, z), lengths in zip(world, ob.inverse(FREE, in_arm_frame(world)), strict=True):
        phi = np.arctan2(-y, x) % (2 * np.pi)
        theta = bend_of(lengths)
        r = np.mean(lengths[:3]) / theta
        assert 2 * r * (1 - np.cos(theta)) == pytest.approx(np.hypot(x, y), rel=1e-10)
        rest = theta * (
            r - D * np.sin(phi)
            if np.pi / 6 <= phi < 5 * np.pi / 6
            else r + D * np.cos(phi - np.pi / 6)
            if 5 * np.pi / 6 <= phi < 3 * np.pi / 2
            else r - D * np.cos(phi + np.pi / 6)
        )
        assert rest == pytest.approx(FREE.chamber_length, rel=1e-12)
        assert lengths[0] == pytest.approx(theta * (r - D * np.sin(phi)), rel=1e-10)
        assert lengths[3] == pytest.approx(-2 * r * np.sin(theta) - z, rel=1e-10)
        # The plain arctangent of Eq 11 answers with the opposite azimuth on half of the plane.
        plain = -np.arctan(y / x) % (2 * np.pi)
        assert np.isclose(plain, phi) == (x > 0)


def test_target_with_zero_x():
    """Eq 13 reads 0 = 0 there."""
    tip = in_arm_frame([0.0, 0.08, -0.285])
    np.testing.assert_allclose(ob.forward(FREE, ob.inverse(FREE, tip)), tip, atol=1e-15)


def test_peak_of_the_bend_equation():
    """l_0 = 100 mm: the peak lies at 144-151 deg, the tip at most 174.7-206.0 mm off the axis."""
    long = replace(FREE, chamber_stroke=10.0)
    for azimuth, c, degrees, farthest in (
        (90.0, 1.0, 150.5, 0.2060),
        (150.0, 0.5, 143.6, 0.1747),
    ):
        reach = ob.footprint(long, np.radians(azimuth))
        assert reach == pytest.approx(farthest, abs=5e-5)
        # The same peak by scanning the printed equation.
        theta = np.linspace(1e-3, 3.5, 200_001)
        rho = 2 * (0.1 / theta + D * c) * (1 - np.cos(theta))
        assert np.degrees(theta[np.argmax(rho)]) == pytest.approx(degrees, abs=0.05)
        assert reach == pytest.approx(rho.max(), rel=1e-9)


def test_the_second_branch_is_never_returned():
    """Beyond the peak the same distance has a second, larger bend."""
    rho = 0.17
    tip = np.array([0.3, 0.0, rho])
    below = bend_of(ob.inverse(FREE, tip))
    second = brentq(lambda t: 2 * (0.1 / t + D) * (1 - np.cos(t)) - rho, np.radians(151), 4.5)
    assert below < np.radians(150.5) < second
    with pytest.raises(ValueError, match="outside the workspace"):
        ob.inverse(replace(FREE, chamber_stroke=10.0), [0.1, 0.0, 0.2061])


def test_printed_line():
    """A(-110, -64, -270) to B(110, 64, -295) mm."""
    line = HelicalPath(LINE_START, LINE_END)
    assert line.length == pytest.approx(0.25575, abs=5e-6)
    assert line.length / 0.032 == pytest.approx(7.99, abs=5e-3)
    assert 6 * 0.032 / line.length == pytest.approx(0.75, abs=2e-3)  # "85 %" is printed
    assert 0.85 * line.length / 6 == pytest.approx(36.2e-3, abs=5e-5)
    lengths = ob.inverse(FREE, in_arm_frame(line.points(np.linspace(0, 1, 2001))))
    assert lengths[:, 3].min() == pytest.approx(77.1e-3, abs=5e-5)
    assert lengths[:, 3].max() == pytest.approx(107.6e-3, abs=5e-5)
    assert lengths[:, :3].max() == pytest.approx(133.9e-3, abs=5e-5)
    assert lengths[:, :3].max() / 0.1 - 1 == pytest.approx(0.34, abs=2e-3)
    assert np.degrees(bend_of(lengths).max()) == pytest.approx(76.0, abs=0.01)


@pytest.mark.parametrize("rest", np.linspace(0.080, 0.130, 6))
def test_the_line_leaves_no_more_than_277_mm_of_the_arm_soft(rest):
    line = HelicalPath(LINE_START, LINE_END).points(np.linspace(0, 1, 501))
    lengths = ob.inverse(replace(FREE, chamber_length=rest), in_arm_frame(line))
    assert 2 * rest + lengths[:, 3].min() == pytest.approx(277e-3, abs=0.4e-3)


def test_printed_arc_is_impossible_and_both_readings_are_reachable():
    """A(-55, -35, -285) to B(55, 35, -320) mm, "120 deg, R = 65 mm, 45 mm/s"."""
    chord = np.subtract(ARC_END, ARC_START)
    assert np.linalg.norm(chord) == pytest.approx(0.1350, abs=5e-6)
    assert np.linalg.norm(chord) > 2 * 0.065
    helix = HelicalPath(ARC_START, ARC_END, axis=DOWN, angle=np.pi)
    assert helix.radius == pytest.approx(65.19e-3, abs=5e-6)
    assert helix.length == pytest.approx(207.8e-3, abs=5e-5)
    assert helix.length / 0.045 == pytest.approx(4.62, abs=5e-3)
    lengths = ob.inverse(FREE, in_arm_frame(helix.points(np.linspace(0, 1, 2001))))
    assert lengths[:, 3].min() == pytest.approx(85.7e-3, abs=5e-5)
    assert lengths[:, 3].max() == pytest.approx(112.7e-3, abs=5e-5)
    assert lengths[:, :3].max() == pytest.approx(118.2e-3, abs=5e-5)
    level = np.cross(DOWN, chord)
    for side in (1.0, -1.0):
        planar = HelicalPath(
            ARC_START, ARC_END, axis=side * np.cross(chord, level), angle=2 * np.pi / 3
        )
        assert planar.radius == pytest.approx(77.94e-3, abs=5e-6)
        tips = in_arm_frame(planar.points(np.linspace(0, 1, 501)))
        np.testing.assert_allclose(ob.forward(FREE, ob.inverse(FREE, tips)), tips, atol=1e-14)


def test_recommended_dimensions_reach_all_printed_trajectories():
    shares = np.linspace(0, 1, 501)
    for path in (
        HelicalPath(LINE_START, LINE_END),
        HelicalPath(ARC_START, ARC_END, axis=DOWN, angle=np.pi),
        HelicalPath(ARC_START, ARC_END, axis=DOWN, angle=-np.pi),
    ):
        assert not ob.distance_to_workspace(ARM, in_arm_frame(path.points(shares))).any()
    needed = [
        ob.inverse(FREE, in_arm_frame(path.points(shares)))[:, 3]
        for path in (
            HelicalPath(LINE_START, LINE_END),
            HelicalPath(ARC_START, ARC_END, axis=DOWN, angle=np.pi),
        )
    ]
    assert np.ptp(np.concatenate(needed)) == pytest.approx(36e-3, abs=0.5e-3)


@pytest.mark.parametrize(
    ("rest", "stroke", "strain", "height"),
    [(0.100, 57, 0.57, 125), (0.115, 46, 0.40, 98), (0.130, 40, 0.31, 84)],
)
def test_footprint_of_400_mm(rest, stroke, strain, height):
    """The stroke that a 400 mm diameter takes, and the height that comes with it."""

    def diameter(value):
        return 2 * ob.footprint(sized(value), azimuths).max()

    def sized(value):
        return replace(
            ARM, chamber_length=rest, chamber_stroke=value, elongation_length=0, elongation_stroke=0
        )

    azimuths = np.radians(np.arange(0.0, 120.0, 0.5))
    needed = brentq(lambda value: diameter(value) - 0.4, 0.02, 0.08)
    assert needed == pytest.approx(stroke * 1e-3, abs=0.5e-3)
    assert needed / rest == pytest.approx(strain, abs=0.006)
    tips = ob.workspace(sized(needed), 81)
    assert np.ptp(tips[:, 0]) == pytest.approx(height * 1e-3, abs=1e-3)
    # Hexagonal: the corners point to the chambers and between them, the flats lie in between.
    assert 2 * ob.footprint(sized(needed), azimuths).min() == pytest.approx(0.3475, abs=3e-3)


def test_distance_is_that_to_the_nearest_point_of_the_same_azimuth():
    rng = np.random.default_rng(5)
    tips = rng.uniform([0.0, -0.4, -0.4], [0.6, 0.4, 0.4], (40, 3))
    distance = ob.distance_to_workspace(ARM, tips)
    assert (distance > 0).sum() > 20
    for (x, y, z), got in zip(tips, distance, strict=True):
        phi = np.arctan2(z, y)
        cosines = np.cos(phi - np.radians([90, 210, 330]))
        theta = np.linspace(1e-9, 2.3, 20_001)
        mean = ARM.chamber_length + D * cosines.max() * theta
        fits = mean - D * theta * cosines.min() <= ARM.chamber_length + ARM.chamber_stroke
        theta, mean = theta[fits], mean[fits]
        rho = 2 * mean / theta * (1 - np.cos(theta))
        low = 2 * mean / theta * np.sin(theta) + ARM.elongation_length
        gap = x - np.clip(x, low, low + ARM.elongation_stroke)
        assert got == pytest.approx(np.hypot(rho - np.hypot(y, z), gap).min(), abs=3e-5)


def test_out_of_reach_is_named_with_its_distance():
    tips = np.array([[0.29, 0.0, 0.0], [0.9, 0.0, 0.0], [0.29, 0.5, 0.0]])
    mask = ob.distance_to_workspace(ARM, tips) == 0
    assert mask.tolist() == [True, False, False]
    with pytest.raises(ValueError, match=r"target 1 at \(0\.9, 0, 0\) m lies 0\.5.* \(2 of 3"):
        ob.inverse(ARM, tips)
    assert ob.inverse(ARM, tips[mask]).shape == (1, 4)


def test_strokes_bound_the_inverse_to_a_nanometre():
    full = np.array([0.1, 0.157, 0.1, 0.113])
    for index, sign in ((1, 1), (3, 1)):
        beyond = full.copy()
        beyond[index] += sign * 1e-8
        assert ob.distance_to_workspace(ARM, ob.forward(ARM, full)) == 0
        assert 0 < ob.distance_to_workspace(ARM, ob.forward(ARM, beyond)) < 5e-8
