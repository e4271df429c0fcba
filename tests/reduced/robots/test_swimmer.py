"""Renda's robots from their records: what is on board, and what the paper says of their motion."""

import numpy as np
import pytest

from loligo.cases.robot.swimmer import Robot, load_robot
from loligo.reduced.robots.coefficients import merits
from loligo.reduced.robots.swimmer import cycle_means, data_set, screw, star, swim, times
from loligo.reduced.shell.loads import cable_hoop_tension
from loligo.reduced.star.dynamics import at_rest, make_model
from loligo.reduced.star.dynamics import simulate as simulate_star
from loligo.reduced.star.model import measure

# Coarse, for speed: elements of 30 mm, arms of degree 1, steps of 10 ms.


def coarse(name, torque=None, **course):
    data = load_robot(name).model_dump()
    data["course"] |= {"step": 10e-3, "every": 50e-3} | course
    for limb in data["limb"].values():
        limb["degree"] = 1
        for curl in limb["curl"]:
            if torque is not None:
                curl["moment"] = tuple(torque * np.sign(m) for m in curl["moment"])
    for bell in data["bell"].values():
        bell["element"] = 30e-3
    return Robot.model_validate(data)


def test_the_mass_of_the_quadropus_is_that_of_its_parts():
    """Thrown, it has the momentum of 204 g, four cones of the arms and the wall with its water."""
    robot = star(coarse("quadropus"))
    model_mass = (
        0.204
        + 4.0 * 1080.0 * np.pi * 0.245 / 3.0 * (0.01**2 + 0.01 * 0.002 + 0.002**2)
        + 2.1 * 7415.0 * 2e-3 * 2.0 * np.pi * 31e-3 * (31e-3 * np.sin(np.pi / 4) + 94e-3)
    )
    thrown = at_rest(robot, None, np.array([0, 0, 0, 0.1, 0, 0]))
    momentum, energy = measure(make_model(robot), thrown)
    # A sphere's arc of 24 mm as one cubic is off by 1e-5.
    assert momentum[3] == pytest.approx(0.1 * model_mass, rel=3e-5)
    assert energy == pytest.approx(0.005 * model_mass, rel=3e-5)


def test_bars_of_poseidrone_have_the_inertia_of_bars():
    """Four bars: every one m (L^2 + h^2)/12 across and m h^2/6 along, m d^2 away."""
    parts = [part for part in star(coarse("poseidrone")).parts if part.mass]
    assert len(parts) == 4
    for part in parts:
        across = 0.051 * (0.141**2 + 0.005**2) / 12.0
        assert np.diag(part.rotary) == pytest.approx([0.051 * 0.005**2 / 6.0, across, across])
    centre = sum(part.frame[:3, 3] for part in parts) / 4.0
    assert centre == pytest.approx([0.0, 0.0, -0.045], abs=1e-15)


def test_times_hold_every_jump_of_a_torque():
    robot = coarse("monopus", every=0.4, end=4.0)
    clock = times(robot)
    assert {1.0, 2.5, 3.5} <= set(clock.tolist())
    assert (np.diff(clock) > 1e-6).all()


@pytest.mark.slow
def test_arms_that_open_hold_the_quadropus_back_and_push_it_as_they_close():
    """Section 7.1, Figure 14: a thrust peak when the arms close, a retarding phase before."""
    passive, active = (swim(coarse("quadropus", m, end=2.6))[0] for m in (0.0, 5e-3))
    pull, push = (
        (active.limb_wrench - passive.limb_wrench)[(passive.time > t0) & (passive.time <= t1), :, 3]
        for t0, t1 in ((1.2, 2.0), (2.0, 2.2))
    )
    assert pull.sum(1).mean() < -5e-3  # newtons, of all four arms along the way
    assert push.sum(1).mean() > 5e-3
    # By symmetry it goes straight.
    assert np.abs(active.root[:, 1:3, 3]).max() < 1e-6 * active.root[-1, 0, 3]
    account = active.kinetic + active.stored + active.dissipated + active.drained + active.lost
    assert np.ptp(account - active.work) < 1e-8 * active.driven.max()


@pytest.mark.slow
def test_the_monopus_turns_about_one_axis_and_then_about_the_other():
    motion, status = swim(coarse("monopus", end=3.6))
    assert status == "complete"
    first = motion.time <= 2.5
    assert np.abs(motion.twist[first, 1]).max() > 0.1  # about E2, the arm's local z
    assert np.abs(motion.twist[first, 2]).max() < 1e-6
    assert np.abs(motion.twist[~first, 2]).max() > 0.1
    radius, rate = screw(motion, 0.363)
    assert rate == pytest.approx(np.linalg.norm(motion.twist[:, :3], axis=1))
    assert np.isinf(radius[0])


def test_screw_of_a_circle():
    """A body on a circle of 0.2 m at 3 rad/s: Eq 29 gives 0.2/L and 3."""
    robot = star(coarse("poseidrone"))
    motion = simulate_star(
        type(robot)(parts=robot.parts[:1]),
        [0.0, 1e-3],
        1e-3,
    )
    turning = np.tile([0.0, 0.0, 3.0, 0.6, 0.0, 0.0], (2, 1))
    object.__setattr__(motion, "twist", turning)
    radius, rate = screw(motion, 0.4)
    assert radius == pytest.approx(0.5)
    assert rate == pytest.approx(3.0)


def test_a_guided_robot_swims_along_its_line_and_its_data_say_how():
    robot = coarse("poseidrone", end=0.8)
    motion, status = swim(robot)
    data = data_set(robot, motion, status)
    assert status == "complete"
    assert motion.root[-1, 0, 3] > 0.01
    assert np.abs(motion.twist[:, [0, 1, 2, 4, 5]]).max() == 0.0
    assert data.limb.values.tolist() == ["arm1", "arm2", "arm3", "arm4"]
    assert data.limb_frame.shape == (len(motion.time), 4, 11, 4, 4)
    assert data.limb_frame[0, 0, 0, :3, 3].values == pytest.approx([0.076, 0.076, -0.090])
    assert data.profile_mantle[0, -1, 1] == pytest.approx(31e-3)
    speed, efficiency = cycle_means(motion, 1.0 / 1.51)
    mean = motion.root[-1, 0, 3] - np.interp(0.8 - 1 / 1.51, motion.time, motion.root[:, 0, 3])
    assert speed == pytest.approx(mean * 1.51, rel=0.05)  # outputs 50 ms apart
    assert 0.0 < efficiency < 1.0
    with pytest.raises(ValueError, match="shorter"):
        cycle_means(motion, 2.0)


# --- what is not trimmed, and what was measured --------------------------------------------------

WATER = 1022.0


def begun(robot, h=1e-4):
    """Rates of the momentum of a robot that starts from rest: moment about the origin; force."""
    motion = simulate_star(star(robot), [0.0, h], h)
    return motion.momentum[-1] / h


def frustum(length, base, tip):
    """Volume of an arm, and where its middle is from the base."""
    both = base**2 + base * tip + tip**2
    return np.pi * length / 3 * both, length * (base**2 + 2 * base * tip + 3 * tip**2) / (4 * both)


def test_a_robot_that_is_not_trimmed_is_pulled_down_by_what_it_weighs_in_water():
    """Renda 2018 Eqs 10, 19 and 22: (1 - rho_w/rho) m g of cone, wall and arm, in the middle."""
    data = coarse("monopus").model_dump() | {"down": (0.0, 0.0, -2.0)}
    data["bell"]["mantle"]["pulse"] = None
    found = begun(Robot.model_validate(data))
    volume, middle = frustum(0.245, 0.010, 0.002)
    cap = 31e-3 * np.sin(np.pi / 4)  # of the zone of the sphere, evenly spread along the axis
    zone, tube = (2e-3 * 2 * np.pi * 31e-3 * length for length in (cap, 94e-3))
    cone = np.pi * 0.020**2 * 0.112 / 3
    parts = [
        (0.204 - WATER * cone, -0.084),
        ((7415 - WATER) * zone, -0.5 * cap),
        ((7415 - WATER) * tube, -cap - 47e-3),
        ((1080 - WATER) * volume, -0.110 - middle),
    ]
    pull = 9.81 * sum(mass for mass, _ in parts)
    turn = 9.81 * sum(mass * x for mass, x in parts)  # r x (0, 0, -W) is x W about y
    assert found == pytest.approx([0, turn, 0, 0, 0, -pull], rel=3e-4, abs=1e-6)


def test_a_snake_of_the_printed_masses_floats_up():
    """Zhang 2022 Eq 34 with 563 g, where a module displaces 1.27 kg; joints likewise."""
    snake = load_robot("snake").model_dump() | {"down": (0.0, 0.0, -1.0)}
    snake["chain"]["module"]["mass"] = 0.563
    found = begun(Robot.model_validate(snake))
    displaced = 1000 * np.pi * 0.045**2 * 0.2
    lift = 9.81 * (5 * displaced - 3 * 0.563 - 2 * 0.158)
    assert found[[1, 5]] == pytest.approx([-0.5 * lift, lift], rel=1e-3)


def test_a_cone_falls_with_the_water_that_it_drags_along():
    """a = (m - rho V) g/(m (1 + B)); with a volume of m/rho it stays."""
    course = {"end": 0.2, "every": 0.1, "step": 0.01}
    cone = {"kind": "cone", "mass": 0.3, "length": 0.1, "radius": 0.02, "added": 0.5}
    robot = {"name": "a", "title": "t", "source": "s", "length": 1.0, "water": 1000.0}
    robot |= {"course": course, "part": {"cone": cone}, "down": (0, 0, -1)}
    volume = np.pi * 0.02**2 * 0.1 / 3
    fallen = swim(Robot.model_validate(robot))[0].root[-1, :3, 3]
    assert fallen[2] == pytest.approx(-0.02 * 9.81 * (0.3 - 1000 * volume) / 0.45, rel=1e-9)
    cone["displaced"] = 3e-4
    assert swim(Robot.model_validate(robot))[0].root[-1, 2, 3] == pytest.approx(0.0, abs=1e-12)


def test_cables_on_a_cylinder_are_its_hoop_tension():
    """Section 6.1: F over the area is T/r*, T = F/(2 pi 85 mm); 8.01 N are 15 N/m."""
    data = coarse("poseidrone").model_dump()
    pulse = data["bell"]["mantle"]["pulse"]
    hoop = star(Robot.model_validate(data)).bells[0].drives[0].loads.dead
    cable = 15.0 * 2 * np.pi * 85e-3
    data["bell"]["mantle"]["pulse"] = pulse | {"tension": None, "cable": cable}
    pulled = star(Robot.model_validate(data)).bells[0]
    assert cable == pytest.approx(8.01, abs=5e-3)
    assert pulled.drives[0].loads.dead == pytest.approx(hoop, abs=1e-12 * cable)
    assert cable_hoop_tension(pulled.shell, cable, pulse["band"]) == pytest.approx(15.0)
    data["bell"]["mantle"]["pulse"]["band"] = None
    whole = star(Robot.model_validate(data)).bells[0].drives[0].loads.dead
    assert whole[:, 1].sum() == pytest.approx(-cable)


def test_a_measured_tension_squeezes_as_it_was_measured():
    data = coarse("poseidrone", end=0.6).model_dump()
    half = 0.5 / 1.51
    pulse = data["bell"]["mantle"]["pulse"]
    measured = {"times": (0.0, half, 2 * half), "factors": (0.0, 1.0, 0.0)}
    data["bell"]["mantle"]["pulse"] = pulse | {"frequency": None, "history": measured}
    told = Robot.model_validate(data)
    assert half in times(told).tolist()
    history = star(told).bells[0].drives[0].history
    even = star(coarse("poseidrone")).bells[0].drives[0].history
    for time in (0.0, 0.1, half, 0.5, 0.6):
        assert history(time) == pytest.approx(even(time), abs=1e-12)
    assert "efficiency" not in merits(told, swim(told)[0])  # no period to take it over


def test_what_sinks_has_no_efficiency_of_its_pulses():
    robot = coarse("poseidrone", end=0.8)
    motion, _ = swim(robot)
    assert merits(robot, motion).keys() >= {"speed_m_per_s", "efficiency"}
    assert "efficiency" not in merits(robot.model_copy(update={"down": (0, 0, -1)}), motion)
