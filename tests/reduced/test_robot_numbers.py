"""The page of robots tells what they do: its column "ours" against runs."""

import re
from pathlib import Path
from time import process_time

import numpy as np
import pytest

from loligo.cases.robot.swimmer import Robot, load_reacher, load_robot
from loligo.reduced.arcs import dh_chain, three_segment
from loligo.reduced.robots.reaching import data_set
from loligo.reduced.robots.swimmer import cycle_means, efficiency_at_mean_speed, screw, swim

PAGE = Path(__file__).parents[2] / "docs" / "robots.md"


def row_of(begins):
    """Return the row that begins so."""
    return next(line for line in PAGE.read_text().splitlines() if line.startswith(f"| {begins}"))


def ours(begins):
    """Return the number in the column "ours" of the row that begins so."""
    return float(row_of(begins).split("|")[3].split()[0])


@pytest.mark.slow
def test_turning_radius_of_the_monopus():
    robot = load_robot("monopus")
    short = robot.course.model_copy(update={"end": 1.5})
    motion, _ = swim(robot.model_copy(update={"course": short}))
    radius, _ = screw(motion, robot.length)
    for row, time in (
        ("Monopus 5 mN m, turning radius over", 0.3),
        ("Monopus 5 mN m, the same", 0.75),
        ("Monopus 5 mN m, radius as it", 1.5),
    ):
        # Rounded to two digits; where it straightens, a small rate is in the denominator.
        assert np.interp(time, motion.time, radius) == pytest.approx(ours(row), rel=0.03)
    for row, start, end in (
        ("Monopus 5 mN m, turning radius over", 0.2, 0.4),
        ("Monopus 5 mN m, the same", 0.6, 0.9),
    ):
        low, high = re.search(r"agrees: ([\d.]+) to ([\d.]+) from", row_of(row)).groups()
        between = radius[(motion.time >= start - 1e-9) & (motion.time <= end + 1e-9)]
        stated = float(low), float(high)  # rounded to two digits behind the point
        assert (between.min(), between.max()) == pytest.approx(stated, abs=6e-3)


@pytest.mark.slow
def test_efficiency_of_the_quadropus():
    data = load_robot("quadropus").model_dump()
    data["course"]["end"] = 6.0
    data["limb"]["arm"]["curl"] = ()  # the mean of a period at the end has forgotten them
    motion, _ = swim(Robot.model_validate(data))
    _, efficiency = cycle_means(motion, 1.0 / 1.51)
    assert efficiency == pytest.approx(ours("Quadropus, Eqs 26 and 27"), rel=0.01)
    terminal = efficiency_at_mean_speed(motion, 1.0 / 1.51)
    assert terminal == pytest.approx(ours("Quadropus, the same at its mean speed"), rel=0.01)
    # A speed that swings by the share s to either side as a sine costs 1 + 3 s^2/2 times that.
    v = motion.twist[motion.time > motion.time[-1] - 1.0 / 1.51, 3]
    assert efficiency / terminal == pytest.approx(1.0 + 3.0 * np.var(v) / np.mean(v) ** 2, rel=0.02)


def numbers(begins):
    """Return the numbers in the third column of the row that begins so."""
    return [float(word) for word in re.findall(r"\d+\.?\d*", row_of(begins).split("|")[3])]


@pytest.mark.slow
def test_zhangs_rows():
    snake = load_robot("snake")
    quick = snake.course.model_copy(update={"end": 15.0, "every": 15.0, "step": 0.1})
    found = {}
    for name in snake.motion:
        motion, _ = swim(snake.model_copy(update={"course": quick}).told(name))
        w, v = motion.twist[-1, :3], motion.twist[-1, 3:]
        rate = max(np.linalg.norm(w), 1e-12)
        found[name] = np.linalg.norm(np.cross(w, v)) / rate**2, np.linalg.norm(v), w @ v / rate**2
    radius, speed, advance = ({name: x[k] for name, x in found.items()} for k in range(3))
    for row, value in (
        ("Zhang, case 1", speed["straight_half"] / speed["straight"]),
        ("Zhang, case 2: radius", radius["yaw_wide"] / radius["yaw"]),
        ("Zhang, case 2: speed", speed["yaw_wide"] / speed["yaw"]),
        ("Zhang, case 4: rises", 2 * np.pi * advance["spiral"]),
        ("Zhang, appendix B", radius["turn_bent"] / radius["turn_straight"]),
    ):
        assert numbers(row)[0] == pytest.approx(value, rel=0.02), row


def test_gongs_rows():
    data = data_set(load_reacher("gong"))
    for row, stroke in (
        ("Gong, 50 mm at 0.3 Hz", "a50_f03"),
        ("Gong, 50 mm at 0.5 Hz", "a50_f05"),
        ("Gong, 200 mm at 0.5 Hz", "a200_f05"),
    ):
        wrench = np.asarray(data[f"reaction_{stroke}"])
        peaks = [np.linalg.norm(wrench[:, k : k + 3], axis=1).max() for k in (3, 0)]
        assert numbers(row)[:2] == pytest.approx(peaks, rel=0.03), row


def test_why_gongs_forces_and_torques_are_not_of_one_motion():
    """The page's levers and ratios; a lever of half the length is the least of a growing sway."""
    data = data_set(load_reacher("gong"))
    force, torque = (
        {
            name: np.linalg.norm(data[f"reaction_{name}"].values[:, k : k + 3], axis=1).max()
            for name in ("a50_f05", "a100_f05", "a150_f05", "a200_f05", "a200_f03")
        }
        for k in (3, 0)
    )
    assert numbers("Gong, force at 100")[0] == pytest.approx(
        force["a100_f05"] / force["a50_f05"], rel=0.01
    )
    assert force["a150_f05"] / force["a50_f05"] == pytest.approx(4.70, rel=0.01)
    assert numbers("Gong, torque at 200")[0] == pytest.approx(
        torque["a200_f05"] / torque["a200_f03"], rel=0.01
    )
    for name, lever in (("a50_f05", 0.232), ("a200_f05", 0.261)):
        assert torque[name] / force[name] == pytest.approx(lever, rel=0.01)
        assert torque[name] / force[name] > 0.18
    for printed_force, printed_torque in ((0.178, 0.015), (0.409, 0.037), (0.960, 0.097)):
        assert printed_torque / printed_force < 0.105


@pytest.mark.slow
def test_arms_that_are_recruited_fast_make_the_quadropus_faster():
    """Section 7.1's "high acceleration": with 0.3 s of recruiting and 7 mN m, as the page says."""
    speeds = []
    for torque in (0.0, -7e-3):
        data = load_robot("quadropus").model_dump()
        data["course"]["end"] = 1.6
        curl = {"moment": (0.0, torque), "start": 1.0, "recruit": 0.3}
        data["limb"]["arm"]["curl"] = (curl,)
        motion, _ = swim(Robot.model_validate(data))
        speeds.append(np.interp([1.4, 1.5], motion.time, motion.twist[:, 3]).mean())
    assert speeds[1] > 1.05 * speeds[0]


def test_rendas_rows():
    """What follows from the printed sizes: shares and lengths, and how arms of rubber fill it."""
    robot = load_robot("poseidrone")
    arm, wall, bar = robot.limb["arm"], robot.bell["mantle"].body, robot.part["bar"]
    cones = 4 * np.pi * arm.body.length / 3 * (0.01**2 + 0.01 * 0.002 + 0.002**2)
    skin = wall.thickness * 2 * np.pi * wall.radius
    skin *= wall.radius * np.sin(np.pi / 4) + wall.cylinder_length
    rubber = (cones + skin) / (cones + skin + 4 * bar.volume)
    assert numbers("PoseiDRONE, rubber's share")[0] == pytest.approx(100 * rubber, abs=0.5)
    profile = wall.radius * np.pi / 4 + wall.cylinder_length
    assert numbers("Renda, length")[0] == pytest.approx(1e3 * profile, abs=0.01)
    pulses = np.array([5.0, 15.0]) / (2 * np.pi)
    assert numbers("PoseiDRONE, motor") == pytest.approx(pulses, abs=0.005)


@pytest.mark.slow
def test_poseidrone_is_fastest_where_it_pulses_fastest():
    """Section 6.1: "from the fastest (1.89 pps) to the slowest (1.26 pps)"."""
    speeds = []
    for frequency in (1.89, 1.51, 1.26):
        data = load_robot("poseidrone").model_dump()
        data["course"]["end"] = 5.0
        data["bell"]["mantle"]["pulse"]["frequency"] = frequency
        motion, _ = swim(Robot.model_validate(data))
        speeds.append(cycle_means(motion, 1 / frequency)[0])
    assert numbers("PoseiDRONE, its speed") == pytest.approx(speeds, abs=2e-4)
    assert speeds[0] > speeds[1] > speeds[2]


def test_zhangs_rows_of_the_printed_inputs():
    snake = load_robot("snake")
    mass = 3 * 0.563 + 2 * snake.chain.joint.mass
    displaced = snake.water * np.pi * snake.chain.module.radius**2 * snake.chain.length
    assert numbers("Zhang, density")[0] == pytest.approx(mass / displaced, abs=0.005)
    neutral = 2 * np.sqrt(mass / (snake.water * np.pi * snake.chain.length))
    assert neutral == pytest.approx(0.051, abs=5e-4)
    first, second, spiral = (
        snake.motion[name][0].inflate for name in ("pitch_first", "pitch_second", "spiral")
    )
    for row, bends in (
        ("Zhang, case 3: orient", (first[:3], second[:3])),
        ("Zhang, case 4: orient", (spiral[:3], spiral[3:])),
    ):
        found = []
        for one, two, three in bends:
            angle = np.arctan2(np.sqrt(3) * (three - two), two + three - 2 * one)
            found.append(np.degrees(angle))
        signed = re.findall(r"-?\d+", row_of(row).split("|")[3])
        assert [float(word) for word in signed] == pytest.approx(found, abs=0.5), row


@pytest.mark.slow
def test_arms_that_have_closed_hold_the_quadropus_back_with_every_pulse():
    """Section 7.1: "projected on the root-body dynamics as a periodic retarding effect"."""
    data = load_robot("quadropus").model_dump()
    data["course"]["end"] = 4.0
    motion, _ = swim(Robot.model_validate(data))
    last = motion.time > 4.0 - 1 / 1.51
    force = motion.limb_wrench[last, :, 3].sum(1)
    row = row_of("Quadropus, arms after they").split("|")[3]
    found = [float(word) for word in re.findall(r"-?\d+\.?\d*", row)]
    assert found == pytest.approx([force.mean(), force.min(), force.max()], rel=0.1)
    assert force.mean() < 0.0


@pytest.mark.slow
def test_a_spiral_rises_or_sinks_by_the_sense_in_which_actuators_are_counted():
    """Case 4: in a mirror, where the second actuator stands towards -z, what sank rises."""
    snake = load_robot("snake")
    quick = snake.course.model_copy(update={"end": 15.0, "every": 15.0, "step": 0.1})
    ways = []
    for order in ((0, 1, 2), (0, 2, 1)):
        stage = snake.motion["spiral"][0]
        swapped = tuple(stage.inflate[3 * k + j] for k in (0, 1) for j in order)
        motion = {"spiral": (stage.model_copy(update={"inflate": swapped}),)}
        swum, _ = swim(snake.model_copy(update={"course": quick, "motion": motion}))
        w, v = swum.twist[-1, :3], swum.twist[-1, 3:]
        ways.append(swum.root[-1, :3, :3] @ w * (w @ v) / (w @ w))
    assert ways[1] == pytest.approx(ways[0] * [1, 1, -1], rel=1e-6)
    steep = np.degrees(np.arcsin(ways[0][2] / np.linalg.norm(ways[0])))
    assert steep == pytest.approx(-numbers("Zhang, case 4: rises")[1], abs=1.0)


@pytest.mark.slow
def test_zhangs_base_and_end_of_a_spiral():
    """Case 4: "the states of the base and the end are inconsistent"; case 1 backwards."""
    snake = load_robot("snake")
    quick = snake.course.model_copy(update={"end": 15.0, "every": 15.0, "step": 0.1})
    motion, _ = swim(snake.model_copy(update={"course": quick}).told("spiral"))
    ends = motion.frames(0, [0.0, snake.chain.length])[-1]
    turn = np.degrees(np.arccos(ends[0, :3, 0] @ ends[1, :3, 0]))
    assert numbers("Zhang, case 4: base")[0] == pytest.approx(turn, abs=1.0)
    speeds = []
    for name in ("straight", "back"):
        motion, _ = swim(snake.model_copy(update={"course": quick}).told(name))
        speeds.append(motion.twist[-1, 3])
    assert speeds[1] == pytest.approx(-speeds[0], rel=1e-9)
    assert numbers("Zhang, case 1: backwards")[0] == pytest.approx(speeds[0], abs=5e-4)


def test_rows_of_the_reaching_arms():
    gong = data_set(load_reacher("gong"))
    height = 1e3 * gong.extents_arm.values[2]
    assert numbers("Gong, workspace, height")[0] == pytest.approx(height, abs=1)
    displaced = 1000.0 * np.pi * 0.017**2 * 0.36
    wet = re.search(r"-?\d\.\d+", row_of("Gong, weight in water").split("|")[3])
    assert float(wet[0]) == pytest.approx((0.322 - displaced) / 0.322, abs=5e-4)
    wrench = gong.reaction_a200_f05.values
    peaks = [np.linalg.norm(wrench[:, k : k + 3], axis=1).max() for k in (3, 0)]
    assert numbers("Gong, all strokes")[:2] == pytest.approx(peaks, rel=0.01)
    torques = [
        np.linalg.norm(gong[f"reaction_{name}"].values[:, :3], axis=1).max()
        for name in ("a50_f05", "a100_f05")
    ]
    assert torques[0] < 0.1 < torques[1]
    cylinder = 1000.0 * np.pi * 0.024**2 * 0.435
    assert numbers("Liu, weight of the arm")[0] == pytest.approx(2.05 - cylinder, abs=0.005)
    assert numbers("Liu, measured over")[0] == pytest.approx(44 / (6 * 3.8 / 0.35), abs=0.005)
    assert numbers("Liu, energy")[0] == (36 - 30) * 6
    chain = dh_chain.chain(0.6, np.pi / 2, np.pi / 6, closed=False)
    assert numbers("Emet, bends") == pytest.approx(np.degrees(chain.bends[:2]), abs=1e-9)
    end = dh_chain.frames(chain)[-1, :3, 0]
    assert numbers("Emet, attitude")[0] == pytest.approx(np.degrees(np.arccos(end[0])), abs=0.05)
    assert numbers("Emet, largest step")[0] == pytest.approx(
        np.degrees(chain.bends.max()), abs=0.05
    )


def fastest(function, repeats=20):
    """Return the least CPU time of a call (s)."""
    taken = []
    for _ in range(repeats):
        start = process_time()
        function()
        taken.append(process_time() - start)
    return min(taken)


def test_models_that_reach_are_as_fast_as_printed():
    """Liu's 11 us a pose, in batches; Emet's 1 kHz for four limbs, two of them of two segments."""
    liu, rng = three_segment.LIU_2020, np.random.default_rng(0)
    lengths = liu.chamber_length + liu.chamber_stroke * rng.uniform(size=(10_000, 2, 3))
    lengths[:, 1, 0] = liu.chamber_length
    tips, bends = three_segment.forward(liu, lengths)
    assert fastest(lambda: three_segment.inverse(liu, tips, bends)) / 1e4 < 11e-6

    def limbs():
        for segments in (2, 2, 1, 1):
            dh_chain.arm_frames([dh_chain.chain(0.6 / segments, 0.5, 0.2)] * segments)

    assert fastest(limbs) < 1e-3
