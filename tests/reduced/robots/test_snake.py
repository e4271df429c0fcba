"""Zhang's snake: joints against Eq 3, motions against Eqs 28 to 37 corrected and closed forms."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.linalg import expm

from loligo.cases.robot.chain import Stage, commands
from loligo.cases.robot.swimmer import Robot, load_robot
from loligo.reduced.lie import exp_se3
from loligo.reduced.robots import snake
from loligo.reduced.robots.swimmer import data_set, star, swim
from loligo.reduced.star.dynamics import at_rest, simulate
from loligo.reduced.star.system import Star

SNAKE = load_robot("snake")
OFF = (0.0,) * 6


def changed(changes=(), **course):
    """The snake with other entries: (path, value) each."""
    data = SNAKE.model_dump()
    data["course"] |= course
    for path, value in changes:
        *way, last = path
        table = data
        for key in way:
            table = table[key]
        table[last] = value
    return Robot.model_validate(data)


def told(propel=(1, 0, 1, 1, 0, 1), mpa=OFF, **others):
    stage = Stage(propel=propel, inflate=tuple(1e6 * p for p in mpa))
    return changed([(("motion",), {"one": [stage.model_dump()]})], **others)


def joints(robot, motion):
    return snake.bends(robot.chain, motion.star.limbs[0].rod, motion.limbs[0][0][-1])


def radius(motion):
    """Of the circle of the tail, from its last twist."""
    w, v = motion.twist[-1, :3], motion.twist[-1, 3:]
    return np.linalg.norm(np.cross(w, v)) / (w @ w)


def test_a_joint_bends_as_three_springs():
    """One actuator at p: q = K p L/(E A), theta = q/(3/2 r_s) = 0.91 rad at 0.3 MPa; Eq 3."""
    robot = told(OFF, (0.3, 0, 0, 0, 0.3, 0.1), end=8.0, every=8.0)
    joint = robot.chain.joint
    q = np.pi * 0.008**2 * 3e5 * 0.2 / (2.048e5 * 1793.8e-6)
    assert q == pytest.approx(32.8e-3, rel=2e-3)
    expected = [
        [(0 + 0 - 2 * q) / (3 * 0.024), 0],
        [(q + q / 3) / (3 * 0.024), (q / 3 - q) / (np.sqrt(3) * 0.024)],
    ]
    # It creeps there with eta/E = 0.55 s; after 7 s exp(-13) is left, and hardly any speed.
    found = joints(robot, swim(robot)[0])
    assert found == pytest.approx(np.array(expected), abs=2e-3)
    assert joint.actuator_offset == 0.024


@pytest.mark.parametrize(("name", "share"), [("straight", 1.0), ("back", -1.0)])
def test_straight_at_the_speed_of_equation_32(name, share):
    """4 N = 3 rho pi R L C_d V beta v; half of the propellers make half of the speed."""
    resistance = 3 * 1000 * np.pi * 0.045 * 0.2 * 1.0 * 0.5 * 0.2
    motion, status = swim(changed(end=15.0, every=15.0, step=0.1).told(name))
    assert status == "complete"
    # (m + B)/resistance = 0.6 s; after 14 s nothing is left of the start.
    assert motion.twist[-1, 3] == pytest.approx(share * 4 / resistance, rel=1e-6)
    assert np.abs(motion.root[-1, 1:3, 3]).max() < 1e-9
    if share > 0:
        half, _ = swim(changed(end=15.0, every=15.0, step=0.1).told("straight_half"))
        assert half.twist[-1, 3] == pytest.approx(2 / resistance, rel=1e-6)


def corrected_matrices():
    """M and D of the straight stiff chain: Eqs 28 to 32 corrected, linear velocity first."""
    rho, R, L, m_s = 1000.0, 0.045, 0.2, 0.158
    cylinder = rho * np.pi * R**2 * L
    strips = np.array([[0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 1], [0, 0, 0, 0, -1, 0]]) * 0.5 * L
    whole_m, whole_d = np.zeros((6, 6)), np.zeros((6, 6))
    for k in range(5):
        module = k % 2 == 0
        mass = cylinder if module else m_s
        arm = np.array([[0, 0, 0], [0, 0, -L / 2], [0, L / 2, 0]])  # from the end to the middle
        inertia = mass * np.diag([R**2 / 2] + 2 * [(3 * R**2 + L**2) / 12 + L**2 / 4])
        rigid = np.block([[mass * np.eye(3), mass * arm.T], [mass * arm, inertia]])
        shape = np.diag([0, 1, 1, 0, L**2 / 3, L**2 / 3]).astype(float)
        shape[:3] += strips
        shape[:, :3] = shape[:3].T
        added, drag = shape.copy(), shape.copy()
        added[0, 0], drag[0, 0], drag[3, 3] = 0.2, 0.2, 0.5 * R**2
        back = np.eye(6)  # velocity of the module's end by that of the tail, k L behind it
        back[1, 5], back[2, 4] = k * L, -k * L
        whole_m += back.T @ (rigid + cylinder * added * module) @ back
        whole_d += back.T @ (rho * np.pi * R * L * 0.5 * drag * module) @ back
    return whole_m, whole_d


@pytest.mark.parametrize("direction", range(6))
def test_a_straight_chain_drifts_out_as_the_corrected_matrices_say(direction):
    """M V' = -D V at so small a speed that all that is quadratic is below 1e-6 of it."""
    stiff = [
        (("chain", "joint", "young"), 1e12),
        (("chain", "joint", "viscosity"), 1e12),
        (("chain", "water", "cross_flow"), 0.0),
    ]
    robot = star(changed(stiff).told("straight"))
    limb = robot.limbs[0]
    quiet = type(robot)(limbs=[type(limb)(limb.rod, limb.inertia, limb.damping, limb.water)])
    start = 1e-6 * np.eye(6)[direction]
    begun = at_rest(quiet, None, np.concatenate([start[3:], start[:3]]))
    mass, drag = corrected_matrices()
    # The midpoint rule errs by rate t (rate h)^2/12; the fastest rate is 10.3/s, that of the roll.
    for step, tolerance in ((0.01, 1.2e-3), (0.005, 3e-4)):
        motion = simulate(quiet, [0.0, 0.1], step, start=begun)
        found = np.concatenate([motion.twist[-1, 3:], motion.twist[-1, :3]])
        expected = expm(-0.1 * np.linalg.solve(mass, drag)) @ start
        assert found == pytest.approx(expected, abs=tolerance * np.abs(expected).max())


def test_yaw_turns_in_the_plane_and_the_radius_is_inverse_to_the_bend():
    robots = [changed(end=15.0, every=15.0, step=0.1).told(name) for name in ("yaw", "yaw_wide")]
    motions = [swim(robot)[0] for robot in robots]
    bent = [np.abs(joints(r, m)[:, 0]).mean() for r, m in zip(robots, motions, strict=True)]
    for motion in motions:
        assert np.abs(motion.root[:, 2, 3]).max() < 1e-9  # stays in XOY
        assert motion.twist[-1, 5] == pytest.approx(0.0, abs=1e-9)
    # Case 2: "the radius of gyration increases" as the bend decreases. The chord of an arc makes
    # the product of both only nearly constant.
    assert radius(motions[1]) > 2 * radius(motions[0])
    products = [radius(m) * b for m, b in zip(motions, bent, strict=True)]
    assert products[1] == pytest.approx(products[0], rel=0.1)
    # And "the forward speed does not change".
    speeds = [np.linalg.norm(motion.twist[-1, 3:]) for motion in motions]
    assert speeds[0] == pytest.approx(speeds[1], rel=0.03)


def test_pitch_stays_in_the_vertical_plane_and_a_spiral_advances():
    pitch, _ = swim(changed(end=10.0, every=10.0, step=0.1).told("pitch"))
    assert np.abs(pitch.root[-1, 1, 3]) < 1e-9
    assert np.abs(pitch.root[-1, 2, 3]) > 0.5
    spiral, _ = swim(changed(end=15.0, every=15.0, step=0.1).told("spiral"))
    w, v = spiral.twist[-1, :3], spiral.twist[-1, 3:]
    assert abs(w @ v) > 0.1 * np.linalg.norm(w) * np.linalg.norm(v)


def test_bent_it_turns_in_less_room_than_straight():
    """Appendix B: the propellers of one side alone."""
    straight, bent = (
        swim(changed(end=15.0, every=15.0, step=0.1).told(name))[0]
        for name in ("turn_straight", "turn_bent")
    )
    assert radius(bent) < 0.1 * radius(straight)


def test_any_number_of_modules_and_an_account_that_closes():
    chain = [(("chain", "modules"), 4), (("motion",), {})]
    stage = {"propel": (0, 0, 0, 1, 1, 0), "inflate": (1e5, 0, 0, 0, 1e5, 0, 0, 0, 1e5)}
    robot = changed([*chain, (("motion",), {"a": [stage]})], end=2.0)
    assert robot.chain.length == pytest.approx(1.4)
    motion, status = swim(robot)
    account = motion.kinetic + motion.stored + motion.dissipated + motion.drained + motion.lost
    assert np.ptp(account - motion.work) < 1e-8 * motion.driven.max()
    data = data_set(robot.told(None), motion, status)
    assert data.chain_frame.shape == (len(motion.time), 15, 4, 4)
    assert data.chain_frame[0, :, 0, 3].values == pytest.approx(np.linspace(0, 1.4, 15))
    assert data.bend.shape == (len(motion.time), 3, 2)


def test_propellers_push_where_they_are():
    """The vertical ones of both ends lift, one of a side turns."""
    robot = told((0, 1, 0, 0, 1, 0), end=1.0, every=1.0)
    lifted, _ = swim(robot)
    assert lifted.momentum[-1, 5] > 0.1
    assert np.abs(lifted.momentum[-1, [3, 4]]).max() < 1e-9
    turned, _ = swim(told((0, 0, 1, 0, 0, 0), end=1.0, every=1.0))
    assert turned.twist[-1, 2] > 0.0  # ahead at -y: to the left


def test_modules_that_float_above_their_mass_roll_like_a_pendulum():
    """The whole snake, dry and trimmed: I roll'' = -3 rho V g b sin(roll), I = m R^2/2."""
    lean, b, volume = 0.05, 0.01, np.pi * 0.045**2 * 0.2
    robot = changed(
        [
            (("down",), (0, 0, -1)),
            (("chain", "module", "mass"), 1000 * volume),
            (("chain", "module", "buoyancy_above"), b),
            (("chain", "joint", "mass"), 1000 * volume),
            (("chain", "water"), {}),
        ]
    )
    off = Stage(propel=OFF, inflate=OFF)
    limb = snake.limb(robot.chain, 1000.0, [off], np.array([0, 0, -9.81]))
    dry = Star(limbs=[replace(limb, water=None)])
    rate = np.sqrt(3 * 9.81 * b / (5 * 0.5 * 0.045**2))
    times = np.linspace(0.0, 2 * np.pi / rate, 9)
    leant = exp_se3(np.array([lean, 0, 0, 0, 0, 0]))
    motion = simulate(dry, times, times[1] / 20, start=at_rest(dry, leant))
    roll = np.arctan2(motion.root[:, 2, 1], motion.root[:, 2, 2])
    # The step is 1/160 of a period: (rate step)^2/12 of the angle that it has turned by.
    assert roll == pytest.approx(lean * np.cos(rate * times), abs=0.002 * lean)
    turned = motion.kinetic - motion.kinetic[0] + motion.lost - motion.work
    assert np.ptp(turned) < 1e-8 * motion.kinetic.max()


def test_commands_are_reached_in_straight_lines():
    stages = (
        Stage(start=1.0, ramp=1.0, propel=(2.0,), inflate=(0.0, 0.0, 3.0)),
        Stage(start=4.0, ramp=2.0, propel=(0.0,), inflate=(4.0, 0.0, 3.0)),
    )
    for time, propel, inflate in (
        (0.5, 0.0, (0.0, 0.0, 0.0)),
        (1.5, 1.0, (0.0, 0.0, 1.5)),
        (3.0, 2.0, (0.0, 0.0, 3.0)),
        (5.0, 1.0, (2.0, 0.0, 3.0)),
        (9.0, 0.0, (4.0, 0.0, 3.0)),
    ):
        found = commands(stages, time)
        assert found[0] == pytest.approx([propel])
        assert found[1] == pytest.approx(inflate)


@pytest.mark.parametrize(
    ("path", "value", "complaint"),
    [
        (("chain", "modules"), 1, "greater than or equal to 2"),
        (("chain", "propeller", 0, "module"), 3, "the last is 2"),
        (("chain", "propeller", 0, "at"), (0.11, 0, 0), "beyond the end"),
        (("motion", "yaw", 0, "propel"), (1, 0), "propel has 2 commands for 6"),
        (("motion", "yaw", 0, "inflate"), (1, 0), "inflate has 2 commands for 6"),
        (("motion",), {}, "a chain needs a motion"),
        (("chain",), None, "a mass, a limb, a bell or a chain"),
    ],
)
def test_what_no_snake_can_do_is_refused(path, value, complaint):
    with pytest.raises(ValueError, match=complaint):
        changed([(path, value)])
