"""Pictures of robots: what they must show is among their lines and words."""

import numpy as np
import pytest
import xarray as xr

from loligo.cases.robot.swimmer import Robot, load_reacher, load_robot
from loligo.reduced.arcs.stance import links
from loligo.reduced.robots.reaching import data_set
from loligo.reduced.robots.swimmer import data_set as motion_set
from loligo.reduced.robots.swimmer import swim
from loligo.validation.plot.robot import figure


def test_the_picture_of_silver2_has_its_legs():
    robot = load_reacher("silver2")
    drawn = figure(data_set(robot))
    for panel, across in zip(drawn.axes[:2], (2, 1), strict=True):
        shown = [line.get_xydata() for line in panel.lines]
        for leg in links(robot.legs):
            wanted = leg[:, [0, across]]
            assert any(xy.shape == wanted.shape and np.allclose(xy, wanted) for xy in shown)


@pytest.fixture(scope="module")
def straight() -> xr.Dataset:
    data = load_robot("poseidrone").model_dump()
    data["course"] = {"end": 0.1, "every": 0.05, "step": 0.02}
    data["limb"]["arm"]["degree"] = 1
    data["bell"]["mantle"]["element"] = 30e-3
    robot = Robot.model_validate(data)
    return motion_set(robot, *swim(robot))


def test_a_rate_of_zero_is_a_line_within_its_panel_and_said(straight):
    speed, rate = figure(straight).axes[1], figure(straight).axes[3]
    assert rate.get_ylabel() == "angular rate (rad/s)"
    low, high = rate.get_ylim()
    assert low < 0.0 < high
    assert [text.get_text() for text in rate.texts] == ["stays below 0.001"]
    assert not speed.texts
