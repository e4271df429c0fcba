"""The page of robots tells what they do: its column "ours" against runs."""

import re
from pathlib import Path

import numpy as np
import pytest

from loligo.cases.robot import Robot, load_reacher, load_robot
from loligo.reduced.reaching import data_set
from loligo.reduced.vehicle import cycle_means, efficiency_at_mean_speed, screw, swim

PAGE = Path(__file__).parents[2] / "docs" / "robots.md"


def ours(begins):
    """Return the number in the column "ours" of the row that begins so."""
    row = next(line for line in PAGE.read_text().splitlines() if line.startswith(f"| {begins}"))
    return float(row.split("|")[3].split()[0])


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
    row = next(line for line in PAGE.read_text().splitlines() if line.startswith(f"| {begins}"))
    return [float(word) for word in re.findall(r"\d+\.?\d*", row.split("|")[3])]


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
        ("Zhang, case 4", 2 * np.pi * advance["spiral"]),
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
