"""The page of robots tells what they do: its column "ours" against runs."""

from pathlib import Path

import numpy as np
import pytest

from loligo.cases.robot import Robot, load_robot
from loligo.reduced.vehicle import cycle_means, screw, swim

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
    assert efficiency == pytest.approx(ours("Quadropus, quasi-propulsive"), rel=0.01)
