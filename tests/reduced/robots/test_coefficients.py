"""Robots with calibrated coefficients: what they change, how far that spreads, where from."""

import json

import numpy as np
import pytest

from loligo.cases.case_file import load
from loligo.cases.coefficients import Coefficient, Coefficients, StationLaw, fingerprint
from loligo.cases.core.record import BadInput
from loligo.cases.robot.swimmer import Robot, load_robot
from loligo.reduced.joint.solve import equilibrium
from loligo.reduced.predict.joint import joint_of
from loligo.reduced.robots import spread as robot_spread
from loligo.reduced.robots.coefficients import calibrated, merits
from loligo.reduced.robots.snake import bends as snake_bends
from loligo.reduced.robots.swimmer import star, swim
from loligo.reduced.section.arm_law import arm_law, soft_pieces
from loligo.reduced.star.dynamics import make_model

# Of the cases whose bodies the robots' arms and mantles are.
BODIES = {
    "tapered_arm": fingerprint(load("renda_arm_recruited_torque"))["body"],
    "mantle": fingerprint(load("renda_mantle_ring"))["body"],
}


def file(body, **values):
    """Coefficients of a body: (value, low, high) each."""
    units = {"actuator_area": "m^2", "c10": "Pa"}
    return Coefficients(
        source="test",
        belongs_to={"body": BODIES[body.kind]},
        coefficient=tuple(
            Coefficient(name=n, value=v, unit=units.get(n, "1"), low=low, high=high)
            for n, (v, low, high) in values.items()
        ),
    )


def short(name, **course):
    data = load_robot(name).model_dump()
    data["course"] |= {"end": 0.8, "every": 0.1, "step": 20e-3} | course
    for limb in data["limb"].values():
        limb["degree"] = 1
    for bell in data["bell"].values():
        bell["element"] = 30e-3
    return Robot.model_validate(data)


def test_factors_go_where_they_belong():
    """An arm's section against EI = factor E pi r^4/4 along it, a wall's modulus and rubber."""
    robot = short("monopus")
    arm, mantle = robot.limb["arm"], robot.bell["mantle"]
    given = {
        "arm": file(
            arm.body,
            bending_stiffness=(1.2, None, None),
            bending_taper=(0.8, None, None),
            torsion_stiffness=(1.1, None, None),
            modulus=(1.5, None, None),
        ),
        "mantle": file(mantle.body, modulus=(0.9, None, None), viscosity=(2.0, None, None)),
    }
    found = calibrated(robot, given)
    rod = make_model(star(found)).limbs[0].rod
    for share, radius in ((0.0, 0.010), (0.5, 0.006), (1.0, 0.002)):
        second = np.pi * radius**4 / 4
        bending = 1.2 * 0.8 ** (share - 0.5) * 1.5 * 110e3 * second
        stiffness = np.diag(rod.stiffness(np.array([share * 0.245]))[0])
        assert stiffness[1:3] == pytest.approx([bending, bending])
        assert stiffness[0] == pytest.approx(1.1 * 1.5 * 110e3 / 3 * 2 * second)
    wall = found.bell["mantle"]
    assert (wall.law, wall.young, wall.viscosity) == ("rubber", 0.9 * 40e3, 1000.0)
    assert robot.bell["mantle"].law == "eq7"


def joint_file(**values):
    """Coefficients of Zhang's joint: (value, low, high) each."""
    units = {"actuator_area": "m^2", "c10": "Pa", "c20": "Pa", "c30": "Pa"}
    return Coefficients(
        source="test",
        belongs_to=fingerprint(load("zhang_joint_one")),
        coefficient=tuple(
            Coefficient(name=n, value=v, unit=units.get(n, "1"), low=low, high=high)
            for n, (v, low, high) in values.items()
        ),
    )


def test_a_chains_joint_is_zhangs_with_yeohs_rubber():
    """The chain's bends under pressure against the joint model's own equilibrium, 3 to 20 mm."""
    snake = load_robot("snake").told("yaw_soft")
    given = {"joint": joint_file(actuator_area=(7e-4, None, None), c10=(2e4, None, None))}
    found = calibrated(snake, given)
    joint = found.chain.joint
    assert joint.yeoh == (2e4, -67.784, 2.7385)
    assert (joint.actuator_area, joint.young) == (7e-4, None)
    zhang = joint_of(load("zhang_joint_one"), {"actuator_area": 7e-4, "c10": 2e4})
    assert joint.spring_area == pytest.approx(sum(zhang.areas))
    off = found.motion["yaw_soft"][0].model_copy(
        update={"propel": (0.0,) * 6, "inflate": (4e4, 0.0, 0.0, 1e4, 4e4, 2e4)}
    )
    course = found.course.model_copy(update={"end": 10.0, "every": 10.0, "step": 0.1})
    still = found.model_copy(update={"motion": {"yaw_soft": (off,)}, "course": course})
    motion, status = swim(still)
    assert status == "complete"
    bent = snake_bends(still.chain, motion.star.limbs[0].rod, motion.limbs[0][0][-1])
    for at, pressure in zip(bent, ([4e4, 0.0, 0.0], [1e4, 4e4, 2e4]), strict=True):
        # It creeps there with eta/E = 0.93 s: after 9 s 6e-5 are left.
        q = equilibrium(zhang, np.array(pressure))
        r = zhang.actuator_offset
        eq3 = [(q[1] + q[2] - 2 * q[0]) / (3 * r), (q[2] - q[1]) / (np.sqrt(3) * r)]
        assert at == pytest.approx(eq3, abs=2e-3 * np.abs(eq3).max())
    account = motion.kinetic + motion.stored + motion.dissipated + motion.drained + motion.lost
    assert np.ptp(account - motion.work) < 1e-6 * motion.driven.max()


def test_a_joint_takes_a_factor_on_its_modulus():
    snake = load_robot("snake").told("yaw_soft")
    joint = calibrated(snake, {"joint": joint_file(modulus=(2.0, None, None))}).chain.joint
    assert joint.yeoh == pytest.approx((2 * 12563.0, -2 * 67.784, 2 * 2.7385))
    assert joint.modulus == pytest.approx(12 * 12563.0)


def test_what_belongs_to_another_is_refused():
    robot = short("monopus")
    arm, mantle = robot.limb["arm"].body, robot.bell["mantle"].body
    for given, complaint in (
        ({"arm": file(mantle)}, "another body"),
        ({"leg": file(arm)}, 'no part "leg" for coefficients; it has arm, mantle'),
        ({"arm": joint_file(modulus=(1.0, None, None))}, "another body"),
        ({"arm": file(arm, softening=(0.5, None, None))}, "cannot use softening"),
    ):
        with pytest.raises(BadInput, match=complaint):
            calibrated(robot, given)
    with pytest.raises(BadInput, match="none of the coefficients has an interval"):
        robot_spread.spread(robot, {"arm": file(arm, modulus=(1.0, None, None))}, 8)
    with pytest.raises(BadInput, match="too few"):
        robot_spread.spread(robot, {"arm": file(arm, modulus=(1.0, 0.9, 1.1))}, 4)


def test_draws_have_the_interval_of_the_file():
    """95 % of them inside, as many below as above; log-normal where positive."""
    body = load_robot("monopus").limb["arm"].body
    given = {"arm": file(body, modulus=(1.0, 0.8, 1.25), bending_stiffness=(1.0, 0.99, 1.01))}
    names, z = robot_spread.drawn(given, 2000, seed=1)
    values = np.array([robot_spread.value_at(given["arm"], "modulus", one) for one in z[:, 0]])
    assert names == [("arm", "modulus"), ("arm", "bending_stiffness")]
    # A Latin hypercube has one draw in each of 2000 equal shares: at most one off on either side.
    assert np.sum(values < 0.8) == pytest.approx(50, abs=1)
    assert np.sum(values > 1.25) == pytest.approx(50, abs=1)
    assert np.abs(np.corrcoef(z.T)[0, 1]) < 0.1


def test_shares_of_a_sum_are_those_of_its_terms():
    """y = 3 z_1 + 4 z_2 + z_1 z_2: 9/26, 16/26, and the product is the rest."""
    z = np.random.default_rng(2).standard_normal((20000, 3))
    found = robot_spread.shares_of(z, 3 * z[:, 0] + 4 * z[:, 1] + z[:, 0] * z[:, 1], "abc")
    # Sampling errors of a variance of n normal draws: sqrt(2/n) = 0.01 of each, five of these.
    assert found["a"] == pytest.approx(9 / 26, abs=0.02)
    assert found["b"] == pytest.approx(16 / 26, abs=0.03)
    assert found["c"] == pytest.approx(0.0, abs=1e-3)
    assert found["rest"] == pytest.approx(1 / 26, abs=0.01)


def test_a_snakes_speed_of_turning_spreads_with_its_actuators():
    """The yaw radius goes as 1/K: its interval is that of K, and all of it is K's."""
    data = load_robot("snake").model_dump()
    data["course"] = {"end": 12.0, "every": 1.0, "step": 0.1}
    snake = Robot.model_validate(data).told("yaw_wide")
    best, low, high = (np.pi * 0.008**2 * f for f in (1.0, 0.9, 1.0 / 0.9))
    stiff = (2.048e5 / 6, None, None)  # the printed modulus
    given = {"joint": joint_file(actuator_area=(best, low, high), c10=stiff)}
    found = robot_spread.spread(snake, given, 8, seed=3)
    assert found.samples == 8
    wide = found.high["turning_radius_m"] / found.low["turning_radius_m"]
    # Eight stratified draws reach from the 6th to the 94th percentile: 0.8 of the interval.
    assert 1.1 < wide < 1.25
    assert found.shares["turning_radius_m"]["joint.actuator_area"] > 0.95
    # The speed hangs on the bend by its second order only, as in the paper.
    assert found.high["speed_m_per_s"] / found.low["speed_m_per_s"] < 1.005
    record = json.loads(json.dumps(robot_spread.record(found)))
    assert record["format"] == "loligo robot spread 1"
    assert record["motion"] == "yaw_wide"


@pytest.mark.slow
def test_rubber_contracts_less_than_equation_7_and_swims_slower():
    """At 15 N/m Eq 7 is close to its limit load; r/r* is 0.65 by Eq 7 and 0.84 neo-Hookean."""
    printed = short("monopus", end=2.0)
    given = {"mantle": file(printed.bell["mantle"].body, modulus=(1.0, None, None))}
    slow = calibrated(printed, given)
    (one, _), (two, _) = swim(printed), swim(slow)
    before, after = merits(printed, one), merits(slow, two)
    assert after["speed_m_per_s"] < 0.7 * before["speed_m_per_s"]
    assert two.volume.min() / two.volume[0] > one.volume.min() / one.volume[0] + 0.1


def test_a_robots_arm_has_the_section_of_its_case():
    """One coefficient file, all factors at once: K of the case's rod, of base, middle and tip."""
    robot, case = short("monopus"), load("renda_arm_recruited_torque")
    names = ("bending", "stretch", "torsion")
    factors = {f"{name}_stiffness": (1.1 + 0.1 * i, None, None) for i, name in enumerate(names)}
    factors |= {f"{name}_taper": (0.9 - 0.1 * i, None, None) for i, name in enumerate(names)}
    factors |= {"shear_stiffness": (1.3, None, None), "modulus": (1.2, None, None)}
    given = file(robot.limb["arm"].body, **factors)
    of_case = given.model_copy(update={"belongs_to": fingerprint(case)})
    law = arm_law(case.body, case.material, coefficients=of_case)
    start = soft_pieces(case.body)[0].start
    rod = make_model(star(calibrated(robot, {"arm": given}))).limbs[0].rod
    X = np.linspace(0.0, 0.245, 5)
    young = case.material["body"].young_modulus
    assert rod.stiffness(X) * young / 110e3 == pytest.approx(law.stiffness(start + X), rel=1e-12)
    area = np.pi * 0.006**2
    assert rod.stiffness(X)[2, 4, 4] == pytest.approx(0.9 * 1.3 * 1.2 * 110e3 / 3 * area)


def test_a_robots_shear_factor_is_that_of_its_paper_or_cowpers():
    """G A in Renda 2018, 6 (1 + nu)/(7 + 6 nu) of it where nothing is stated; of viscosity, too."""
    data = load_robot("monopus").model_dump()
    for k, nu, expected in ((1.0, 0.0, 1.0), (None, 0.0, 6 / 7), (None, 0.5, 0.9)):
        data["limb"]["arm"] |= {"shear_factor": k, "poisson": nu}
        limb = star(Robot.model_validate(data)).limbs[0]
        shear = 110e3 / (2 * (1 + nu)) * np.pi * 0.01**2
        assert limb.rod.stiffness(np.zeros(1))[0, 5, 5] == pytest.approx(expected * shear)
        viscous = 300.0 * np.pi * 0.01**2 * (expected if k else 0.9)
        assert limb.damping(np.zeros(1))[0, 4, 4] == pytest.approx(viscous)
    data["limb"]["arm"]["viscosity"] = 0.0
    assert star(Robot.model_validate(data)).limbs[0].damping is None


def test_an_arm_of_a_robot_is_solid_and_takes_no_sections():
    data = load_robot("monopus").model_dump()
    data["limb"]["arm"]["body"]["bore_radius"] = 1e-3
    with pytest.raises(ValueError, match="bore_radius: a robot's arm is solid"):
        Robot.model_validate(data)
    robot = short("monopus")
    section = StationLaw(x=0.1, stiffness=tuple(map(tuple, np.eye(6).tolist())))
    given = file(robot.limb["arm"].body).model_copy(update={"section": (section,)})
    with pytest.raises(BadInput, match="no sections"):
        calibrated(robot, {"arm": given})
