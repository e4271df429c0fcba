"""Robots that reach: the papers' workspaces, paths and poses; a stroke against closed forms."""

import numpy as np
import pytest
from scipy.integrate import simpson
from scipy.optimize import brentq

from loligo.cases.robot.reaching import Reacher
from loligo.cases.robot.swimmer import load_reacher
from loligo.reduced.arcs import stance as legs_stance
from loligo.reduced.arcs.leg import Leg, forward, inverse
from loligo.reduced.robots import reaching, reaching_arms, stroke

LIU = {"radius": 0.02, "chamber_length": 0.1, "chamber_stroke": 0.05, "chamber_offset": 0.02}


@pytest.fixture(scope="module")
def found():
    return {name: reaching.data_set(load_reacher(name)) for name in ("gong", "silver2", "ursula")}


def test_lius_arm_has_the_printed_workspace_and_the_legs_add_to_it(found):
    data = found["silver2"]
    assert 1e3 * data.extents_arm.values == pytest.approx([500, 520, 304], abs=1)
    assert (np.diff([data.extents_arm, data.combined_arm], axis=0) > 0.2).all()
    # The printed lift of 20 cm is possible straight above where it stands.
    above = data.body.values[(np.abs(data.body.values[:, :2]) < 1e-9).all(1), 2]
    assert above.max() >= 0.2


def test_the_body_is_where_feet_reach():
    """By the forward kinematics: every foot is where it was, on both sides of the body."""
    legs = load_reacher("silver2").legs
    leg = Leg(legs.coxa, legs.offset, legs.femur, legs.tibia)
    place = np.array([0.1, -0.06, 0.08])
    assert (np.abs(legs_stance.displacements(legs) - place) < 1e-9).all(1).any()
    for hip in legs.hips:
        out = np.array([*hip, 0.0]) / np.hypot(*hip)
        across = np.array([-out[1], out[0], 0.0])
        foot = np.array([*hip, 0.0]) + legs.stance * out - [0, 0, legs.height]
        reached = forward(leg, inverse(leg, legs_stance.foot_seen(legs, hip, place[None])))[0]
        here = place + np.array([*hip, reached[2]]) + reached[0] * out + reached[1] * across
        assert here == pytest.approx(foot, abs=1e-12)


def test_gongs_paths_are_followed_at_the_printed_speeds(found):
    """Targets of the corrected inverse: durations by length over speed, lengths of the chambers."""
    data = found["gong"]
    for name, start, end, seconds, longest in (
        ("line", (-110, -64, -270), (110, 64, -295), 7.992, 133.9),
        ("helix", (-55, -35, -285), (55, 35, -320), 4.617, 118.2),
        ("arc", (-55, -35, -285), (55, 35, -320), 2 * np.pi / 3 * 77.94 / 45, 118.2),
    ):
        tips = 1e3 * data[f"path_{name}"].values[:, -1, :3, 3]
        assert tips[[0, -1]] == pytest.approx(np.array([start, end], float), abs=1e-9)
        # As HANGING_ARM has it: no turn of the gripper.
        turns = data[f"path_{name}"].values[:, -1, :3, :3]
        assert turns == pytest.approx(np.broadcast_to(turns[0], turns.shape), abs=1e-12)
        assert data[f"time_{name}"].values[-1] == pytest.approx(seconds, rel=2e-4)
        assert 1e3 * data[f"lengths_{name}"][:, :3].max() == pytest.approx(longest, rel=0.02)


def test_ursulas_limbs_and_their_chains(found):
    """Fig 10: the printed chain, a half step short, misses by 7.0 and 15.5 mm; one arc by none."""
    data = found["ursula"]
    assert 1e3 * data.chain_gap_figure_10_grasper == pytest.approx(7.1, abs=0.1)
    assert 1e3 * data.chain_gap_figure_10_palpation == pytest.approx(15.5, abs=0.05)
    assert data.chain_gap_figure_10_camera == pytest.approx(0.0, abs=1e-12)
    for name, length in (("grasper", 0.58), ("palpation", 0.6), ("camera", 0.6), ("light", 0.6)):
        frames = data[f"pose_figure_10_{name}"].values
        along = np.linalg.norm(np.diff(frames[:, :3, 3], axis=0), axis=1).sum()
        # Chords of arcs below 15 deg: shorter by 15 deg^2/24.
        assert along == pytest.approx(length, rel=3e-3)
        assert along < length
    # A quarter of a circle of 600 mm: 382 mm to the side and ahead.
    camera = data.pose_figure_10_camera.values
    assert np.linalg.norm(camera[-1, :3, 3] - camera[0, :3, 3]) == pytest.approx(0.6 * 0.9003, 1e-3)


def test_a_small_stroke_is_a_rigid_sway_in_closed_form():
    """At a small amplitude y(X, t) = s(X) sin: parabolas; force w^2 A int (m + B) s, no drag.

    The S of two arcs of length c is y = A (X/c)^2/2 and A (1 - (2 - X/c)^2/2); then y = A.
    """
    robot = load_reacher("gong")
    arm = reaching_arms.opposite(robot.arm["long"])
    wave = robot.stroke["a50_f05"].model_copy(update={"amplitude": 1e-5, "drag": 0.0})
    _, wrench = stroke.reaction(arm, 0.017, wave)
    c, e = arm.chamber_length, arm.elongation_length + wave.passive
    per_length = wave.mass / (2 * c + e) + 1000 * np.pi * 0.017**2
    force = (2 * np.pi * 0.5) ** 2 * 1e-5 * per_length * (c / 6 + 5 * c / 6 + e)
    assert np.abs(wrench[:, 4]).max() == pytest.approx(force, rel=1e-3)
    assert np.abs(wrench[:, 5]).max() < 1e-12
    assert np.abs(wrench[:, 3]).max() < 1e-3 * force
    first, second = c**2 / 8, c**2 * (5 / 6 + 11 / 24)
    moment = force * (first + second + e * (2 * c + e / 2)) / (c + e)
    assert np.abs(wrench[:, 2]).max() == pytest.approx(moment, rel=1e-3)


def test_drag_of_a_small_stroke_in_closed_form():
    """Without inertia rho R C_d (w A)^2 int s^2 of the same parabolas as it hangs straight."""
    robot = load_reacher("gong")
    arm = reaching_arms.opposite(robot.arm["long"])
    quiet = robot.stroke["a50_f05"].model_copy(update={"mass": 1e-12, "added": 0.0})
    slow, fast = (
        stroke.reaction(arm, 0.017, quiet.model_copy(update={"frequency": f}))[1]
        for f in (0.25, 0.5)
    )
    assert fast == pytest.approx(4.0 * slow, rel=1e-6, abs=1e-9)
    small = quiet.model_copy(update={"amplitude": 1e-5, "mass": 1e-30})
    force = stroke.reaction(arm, 0.017, small)[1][:, 4]
    c, e = arm.chamber_length, arm.elongation_length + quiet.passive
    swept = c * (1 / 20 + 43 / 60) + e
    expected = 1000 * 0.017 * 1.1 * (2 * np.pi * 0.5 * 1e-5) ** 2 * swept
    assert force[0] == pytest.approx(-expected, rel=1e-3)  # against the motion, which begins ahead
    assert force[32] == pytest.approx(expected, rel=1e-3)
    assert np.abs(slow[:, 4]).argmax() in (0, 32)  # fastest as it hangs straight


def test_moments_of_a_wide_stroke_sum_to_the_spin_that_they_stop():
    """From a turn, where all rests, until the arm hangs straight: minus the spin that it has there.

    There it moves as in a small stroke, the lengths of its arcs those of the farthest bend, at
    which the chamber nearest to it, 30 deg aside, is as long as at rest.
    """
    robot = load_reacher("gong")
    arm = reaching_arms.opposite(robot.arm["long"])
    wave = robot.stroke["a50_f05"].model_copy(update={"amplitude": 0.1, "drag": 0.0})
    time, wrench = stroke.reaction(arm, 0.017, wave)
    side = arm.chamber_offset * np.sqrt(0.75)
    bend = brentq(
        lambda t: 2.0 * (arm.chamber_length + side * t) * (1.0 - np.cos(t)) / t - 0.1, 0.1, 2.0
    )
    c, e = arm.chamber_length + side * bend, arm.elongation_length + wave.passive
    mass = wave.mass / (2 * arm.chamber_length + e)
    thinned, wet = mass * arm.chamber_length / c, 1000 * np.pi * 0.017**2
    speed = 2 * np.pi * 0.5 * 0.1
    spin = (thinned + wet) * c**2 * (1 / 8 + 5 / 6 + 11 / 24)
    spin += (mass + wet) * e * (2 * c + e / 2)
    quarter = slice(len(time) // 4, len(time) // 2 + 1)
    # Simpson's rule on 16 intervals of a quarter
    assert simpson(wrench[quarter, 2], x=time[quarter]) == pytest.approx(speed * spin, rel=1e-3)


@pytest.mark.parametrize(
    ("path", "value", "complaint"),
    [
        (("stroke", "a50_f05", "amplitude"), 0.5, "beyond the arm's reach"),
        (("path", "line", "end"), (0.9, 0.0, -0.3), "outside the workspace"),
    ],
)
def test_what_is_out_of_reach_is_said(path, value, complaint):
    data = load_reacher("gong").model_dump()
    data[path[0]][path[1]][path[2]] = value
    with pytest.raises(ValueError, match=complaint):
        reaching.data_set(Reacher.model_validate(data))


@pytest.mark.parametrize(
    ("name", "change", "complaint"),
    [
        ("ursula", {"pose": {"p": {"tail": []}}}, "no such arm"),
        ("ursula", {"pose": {"p": {"camera": [{"theta": 2.0}]}}}, "so far"),
        ("ursula", {"pose": {"p": {"grasper": [{"theta": 1.0}]}}}, "1 bends for 2"),
        (
            "gong",
            {"path": {"p": {"arm": "x", "start": (0, 0, 0), "end": (0, 0, 1), "speed": 1}}},
            "none that can do it",
        ),
        (
            "gong",
            {"path": {"p": {"arm": "arm", "start": (0, 0, -0.3), "end": (0, 0, -0.28)}}},
            r"path\.p\.speed",
        ),
        ("silver2", {"arm": {"arm": {"kind": "three_segments", **LIU, "made_of": "x"}}}, "largest"),
    ],
)
def test_what_no_robot_can_do_is_refused(name, change, complaint):
    with pytest.raises(ValueError, match=complaint):
        Reacher.model_validate(load_reacher(name).model_dump() | change)
