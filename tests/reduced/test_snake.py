"""Zhang's snake: joints against the corrected Eq 3, drag in closed form, the four motions."""

import numpy as np
import pytest

from loligo.reduced.snake import Snake, bends, star
from loligo.reduced.star_dynamics import simulate

SNAKE = Snake()
AHEAD = {(k, side): (1.0, 0.0, 0.0) for k in (0, 2) for side in (-1.0, 1.0)}  # 1 N a thruster
STILL = [[0.0] * 3] * 2


def swim(joints, thrust=AHEAD, end=15.0, step=0.1, snake=SNAKE):
    """Thrust and pressures (MPa) that stay on, ramped in over the first second."""
    inputs = 1e6 * np.asarray(joints, float)
    robot = star(snake, lambda t: thrust, lambda t: min(t, 1.0) * inputs)
    return robot, simulate(robot, np.linspace(0.0, end, 6), step)


def yaw_radius(motion):
    """Radius of the tail module's circle, from its last twist: speed over rate."""
    w, v = motion.twist[-1, :3], motion.twist[-1, 3:]
    return np.linalg.norm(v) / np.linalg.norm(w)


def test_a_joint_bends_and_stretches_as_three_springs():
    """One actuator at p: q = K p L/(E A), theta = q/(3/2 r_s) = 0.91 rad at 0.3 MPa."""
    robot, motion = swim([[0.3, 0, 0], [0, 0.3, 0.1]], {}, end=8.0)
    q = SNAKE.actuator_area * 3e5 * SNAKE.joint_length / (SNAKE.young * SNAKE.spring_area)
    assert q == pytest.approx(32.8e-3, rel=2e-3)
    one = np.array([-2.0 * q, 0.0]) / (3.0 * SNAKE.actuator_radius)
    two = np.array(
        [
            (q + q / 3.0) / (3.0 * SNAKE.actuator_radius),
            (q / 3.0 - q) / (np.sqrt(3.0) * SNAKE.actuator_radius),
        ]
    )
    # It creeps there with eta/E = 0.55 s; after 7 s exp(-13) is left, and hardly any speed.
    bent = bends(SNAKE, robot, motion.limbs[0][0][-1])
    assert bent == pytest.approx(np.array([one, two]), abs=2e-3)
    assert np.linalg.norm(bent[0]) == pytest.approx(0.912, abs=2e-3)


def test_straight_ahead_and_back_at_the_closed_form_speed():
    """Thrust = rho R (pi/2) C_x L v^2 on three modules; half the thrust, 0.71 of the speed."""
    coefficient = 1000.0 * 0.045 * 0.5 * np.pi * 0.2 * 3 * 0.2
    speeds = []
    for share, sides in ((1.0, (0, 2)), (-1.0, (0, 2)), (1.0, (0,))):
        thrust = {key: (share, 0.0, 0.0) for key in AHEAD if key[0] in sides}
        _, motion = swim(STILL, thrust, end=12.0)
        exact = share * np.sqrt(len(thrust) / coefficient)
        assert motion.twist[-1, 3] == pytest.approx(exact, rel=1e-3)
        assert np.abs(motion.root[-1, 1:3, 3]).max() < 1e-9
        speeds.append(motion.twist[-1, 3])
    assert speeds[2] / speeds[0] == pytest.approx(np.sqrt(0.5), rel=1e-3)


@pytest.mark.slow
def test_yaw_turns_in_the_plane_wider_with_less_bend():
    motions = [swim([[p, 0, 0], [p, 0, 0]])[1] for p in (0.3, 0.1)]
    radii = [yaw_radius(motion) for motion in motions]
    for motion in motions:
        assert np.abs(motion.root[:, 2, 3]).max() < 1e-9  # stays in XOY
    # Conditions 1 and 2 of case 2 bend in the ratio 3 to 1.
    assert 2.0 < radii[1] / radii[0] < 4.0
    # Bent or not, it swims about as fast: the paper says that the speed does not change.
    speeds = [np.linalg.norm(motion.twist[-1, 3:]) for motion in motions]
    assert speeds[0] == pytest.approx(speeds[1], rel=0.35)


@pytest.mark.slow
def test_pitch_stays_in_the_vertical_plane_and_a_spiral_does_not():
    robot, pitch = swim([[0.1, 0.2, 0.0], [0.1, 0.2, 0.0]], end=6.0)
    # Exactly vertical is u_1 = (u_2 + u_3)/2, as in (0.1, 0.2, 0): targets of Eq 3.
    assert np.abs(bends(SNAKE, robot, pitch.limbs[0][0][-1])[:, 0]).max() < 2e-2
    assert np.abs(pitch.root[-1, 2, 3]) > 10.0 * np.abs(pitch.root[-1, 1, 3])
    _, spiral = swim([[0.2, 0.2, 0.3], [0.3, 0.0, 0.0]], end=12.0)
    w, v = spiral.twist[-1, :3], spiral.twist[-1, 3:]
    assert np.abs(w @ v) > 1e-3 * np.linalg.norm(w) * np.linalg.norm(v)  # it advances as it turns


def test_any_number_of_modules_and_an_account_that_closes():
    snake = Snake(modules=4)
    assert snake.length == pytest.approx(1.4)
    joints = [[0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.1]]
    thrust = {(3, 1.0): (1.0, 0.0, 0.2)}
    _, motion = swim(joints, thrust, end=2.0, snake=snake)
    account = motion.kinetic + motion.stored + motion.dissipated + motion.drained + motion.lost
    assert np.ptp(account - motion.work) < 1e-8 * motion.driven.max()
    with pytest.raises(ValueError, match="2 modules"):
        Snake(modules=1)
