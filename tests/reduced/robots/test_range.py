"""Where a robot leaves what its coefficients know: said by part, with the number."""

import math

import numpy as np
import pytest

from loligo.cases.case_file import load
from loligo.cases.coefficients import Coefficients, Reach, fingerprint
from loligo.cases.robot.swimmer import Robot, load_reacher, load_robot
from loligo.reduced.robots.range import beyond, beyond_reaching
from loligo.reduced.robots.reaching import drives
from loligo.reduced.robots.swimmer import swim

ARM, MANTLE = (
    fingerprint(load(case)) for case in ("renda_arm_recruited_torque", "renda_mantle_ring")
)


def of(belongs_to, stretch=math.inf, **load):
    reach = Reach(max_stretch=stretch, load=load or None)
    return Coefficients(source="test", belongs_to=belongs_to, reach=reach)


@pytest.fixture(scope="module")
def swum():
    data = load_robot("monopus").model_dump()
    data["course"] = {"end": 0.3, "every": 0.1, "step": 20e-3}
    data["limb"]["arm"]["degree"] = 1
    data["bell"]["mantle"]["element"] = 30e-3
    robot = Robot.model_validate(data)
    return robot, swim(robot)[0]


def test_an_arm_and_a_mantle_by_stretch_and_by_what_drives_them(swum):
    robot, motion = swum
    wide = {
        "arm": of(ARM, recruited_torque=5e-3),
        "mantle": of(MANTLE, hoop_tension=15.0),
    }
    assert beyond(robot, wide, motion) == []
    narrow = {
        "arm": of(ARM, 1.0001, recruited_torque=2e-3),
        "mantle": of(MANTLE, 1.0001, pressure=10.0),
    }
    said = beyond(robot, narrow, motion)
    assert len(said) == 4
    # The farthest fibre of the arm: curvature times radius, from its strains.
    rod, shapes = motion.star.limbs[0].rod, motion.limbs[0][0]
    X = np.linspace(0.0, 0.245, 200)
    strain = np.array([rod.strain(q, X) for q in shapes])
    bend = (10e-3 - 8e-3 * X / 0.245) * np.hypot(strain[..., 1], strain[..., 2])
    least, most = (strain[..., 3] - bend).min(), (strain[..., 3] + bend).max()
    assert said[0].startswith("arm: the coefficients hold up to a stretch of 1; here it reaches")
    assert float(said[0].split()[-1]) == pytest.approx(max(most, least**-0.5), rel=2e-3)
    assert said[1] == (
        "arm: the coefficients hold up to a recruited torque of 2 mN m; here it reaches 5 mN m"
    )
    assert said[2].startswith("mantle: the coefficients hold up to a stretch of 1; here it")
    assert said[3] == "mantle: the coefficients were found without any hoop tension"


def test_a_chains_joints():
    """Actuator 1 of both joints at 0.1 MPa: 10.9 mm of 200 mm by K p L/(E A)."""
    snake = load_robot("snake").told("yaw_wide")
    short = snake.course.model_copy(update={"end": 6.0, "every": 6.0, "step": 0.1})
    snake = snake.model_copy(update={"course": short})
    motion, _ = swim(snake)
    zhang = fingerprint(load("zhang_joint_one"))
    assert beyond(snake, {"joint": of(zhang, 1.06, pressure=1e5)}, motion) == []
    said = beyond(snake, {"joint": of(zhang, 1.04, pressure=4e4)}, motion)
    assert float(said[0].split()[-1]) == pytest.approx(1 + 10.94 / 200, abs=2e-3)
    assert said[1].endswith("a pressure of 40 kPa; here it reaches 100 kPa")


def test_arms_that_reach():
    """The camera's quarter turn by tendons, and Liu's path with Liu's segment."""
    ursula = load_reacher("ursula")
    limb = fingerprint(load("emet_limb_one_tendon"))
    assert beyond_reaching(ursula, {"camera": of(limb)}) == []
    (said,) = beyond_reaching(ursula, {"camera": of(limb, 1.05)})
    assert said.startswith("camera: the coefficients hold up to a stretch of 1.05")
    silver2 = load_reacher("silver2")
    (said,) = beyond_reaching(silver2, {"arm": of(fingerprint(load("liu_segment")))})
    assert "the path reach needs up to" in said
    assert said.endswith("more than the 60 kPa of the arm")


@pytest.mark.parametrize(
    ("robot", "name", "case", "complaint"),
    [
        ("ursula", "tail", "emet_limb_one_tendon", 'no part "tail"'),
        ("ursula", "camera", "liu_segment", "another body"),
        ("gong", "long", "gong_arm", "made_of"),
    ],
)
def test_coefficients_of_another_are_refused(robot, name, case, complaint):
    with pytest.raises(ValueError, match=complaint):
        drives(load_reacher(robot), {name: of(fingerprint(load(case)))})
