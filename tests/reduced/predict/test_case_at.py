"""Cases in motion, predicted: against formulas, against statics, and in the form of the schema."""

import numpy as np
import pytest
from scipy.optimize import curve_fit

from loligo.cases.body import Mantle, TaperedArm
from loligo.cases.case import Case, Motion, Support
from loligo.cases.case_file import load
from loligo.cases.core.record import BadInput
from loligo.cases.dataset import io as dataset
from loligo.cases.load.history import Sine, Step, Table
from loligo.cases.load.kinds import BaseMotion, Current, RecruitedTorque, Weight
from loligo.cases.rubber.elastomer import NeoHooke
from loligo.cases.water import Hull, Nozzle, Strip, Surroundings, Wall
from loligo.meshes.bodies import Hole, Piece
from loligo.reduced.predict.case_at import at
from loligo.reduced.predict.predict import answer, predict
from loligo.reduced.predict.resolve import LIMIT
from loligo.reduced.predict.rod_motion import section_inertia
from loligo.reduced.shell import dynamics as shell_dynamics

LENGTH, DENSITY = 0.1, 1000.0


def arm(radius, mu, viscosity, time, **loads):
    """A straight round arm, on its side in the gravity."""
    return Case(
        name="arm",
        title="Arm",
        source="Test",
        gravity=(0.0, 1.0, 0.0),
        body=TaperedArm(length=LENGTH, base_radius=radius, tip_radius=radius, stations=3),
        material={"body": NeoHooke(mu=mu, density=DENSITY, viscosity=viscosity)},
        load=loads,
        time=time,
    )


def first_pulsation(radius, mu):
    """Clamped and free, Euler and Bernoulli: 1.8751^2 sqrt(E I/(m L^4)), I/A = R^2/4."""
    return 1.8751**2 / LENGTH**2 * np.sqrt(3 * mu / DENSITY) * radius / 2


def test_a_released_cantilever_rings_at_its_frequency_and_decays():
    """Damped by zeta = eta omega/(2 mu), and slowed a little by rotation and shear.

    Their share of omega is (1 + E/(k G)) 4.648 (R/2L)^2/2 with k = 0.9: 4.648 is the integral of
    the mode's slope squared over that of the mode squared, and shear has the same. The second mode,
    6.27 times as fast, has died to exp(-0.03 6.27^2 2 pi 1.5) = 1e-5 of 3 % after 1.5 periods.
    """
    radius, mu, zeta = 0.002, 1e5, 0.03
    slender = (radius / LENGTH) ** 2
    omega = first_pulsation(radius, mu) * (1 - (1 + 3 / 0.9) * 4.648 * slender / 8)
    period = 2 * np.pi / omega
    case = arm(
        radius,
        mu,
        2 * mu * zeta / omega,
        Motion(duration=4 * period, every=4 * period / 160),
        weight=Weight(history=Step(before=1e-3, after=0.0)),
    )
    found = predict(case)
    time, tip = found["time"].values, found["frame"].values[:, -1, 1, 3]
    late = np.arange(60, 161)

    def ringing(t, a, b, rate, w):
        return np.exp(-rate * t) * (a * np.cos(w * t) + b * np.sin(w * t))

    (_, _, rate, w), _ = curve_fit(
        ringing, time[late], tip[late] / tip[0], p0=(1, 0, 0.02 * omega, 0.98 * omega)
    )
    assert w == pytest.approx(omega * np.sqrt(1 - zeta**2), rel=1e-4)
    assert rate == pytest.approx(zeta * omega, rel=1e-3)
    # It begins in equilibrium with its weight: m g L^4/(8 E I), and the shear q L^2/(2 k G A)
    sag = 1e-3 * 9.81 * DENSITY * LENGTH**4 / (8 * 3 * mu * radius**2 / 4)
    assert tip[0] == pytest.approx(sag * (1 + slender * 3 / 0.9), rel=1e-4)
    assert found["external_work"][0] == found["stored_energy"][0] > 0
    assert found["frame_velocity"].values[0] == pytest.approx(0.0, abs=1e-12)


def test_a_motion_that_settles_is_the_static_prediction():
    """With eta omega = sqrt(2) mu all modes die like exp(-0.7 omega t), to 3e-9 at the end.

    The first has zeta = sqrt(1/2), faster ones creep with mu/eta. What remains is the tolerance of
    the steps, and in the wrenches the section law's for equilibrium's.
    """
    radius, mu = 0.01, 3e4
    omega = first_pulsation(radius, mu)
    rise = Table(times=(0.0, 2 / omega), factors=(0.0, 1.0))
    case = arm(
        radius,
        mu,
        np.sqrt(2) * mu / omega,
        Motion(duration=30 / omega, every=3 / omega),
        weight=Weight(history=rise),
        muscle=RecruitedTorque(moment=(2e-3, 0.0), history=rise, spreads=True),
    )
    moving = predict(case)
    still = predict(at(case, 1e9), law="geometry")  # as the motion
    assert moving.attrs["status"] == still.attrs["status"] == "complete"
    assert dataset.check(moving) == []
    end = moving.isel(step=-1)
    for name, within in (
        ("frame", 1e-5),
        ("wrench", 1e-4 * np.abs(still["reaction"]).max().item()),
        ("reaction", 1e-4 * np.abs(still["reaction"]).max().item()),
        ("frame_velocity", 1e-4),
    ):
        expected = still[name].values[0] if name in still else 0.0
        np.testing.assert_allclose(end[name].values, expected, atol=within, rtol=0, err_msg=name)
    assert end["stored_energy"].item() == pytest.approx(still["stored_energy"].item(), rel=1e-4)
    energies = ("stored_energy", "kinetic_energy", "dissipated_energy")
    lost = moving["external_work"] - sum(moving[name] for name in energies)
    assert np.abs(lost).max() < 1e-4 * moving["external_work"].max()
    assert (moving["stable"] == -1).all()


def test_the_base_goes_where_it_is_carried():
    """A stiff arm follows: its base pushes with m a, to (2 Hz/first frequency)^2 = 1e-3 or so."""
    radius, mu = 0.01, 3e6
    omega = first_pulsation(radius, mu)
    stroke = BaseMotion(
        displacement=(0.0, 3e-3, 4e-3), history=Sine(frequency=2.0, phase=np.pi / 2)
    )
    case = arm(radius, mu, mu / omega, Motion(duration=0.5, every=0.02), stroke=stroke)
    found = predict(case)
    assert dataset.check(found) == []
    time, turn = found["time"].values, 4 * np.pi
    way = np.outer(np.cos(turn * time), stroke.displacement)
    base = found["frame"].values[:, 0]
    np.testing.assert_allclose(base[:, :3, 3], way, atol=1e-12)
    np.testing.assert_allclose(base[:, :3, :3], np.broadcast_to(np.eye(3), (26, 3, 3)), atol=1e-12)
    speed = -turn * np.outer(np.sin(turn * time), stroke.displacement)
    np.testing.assert_allclose(
        found["frame_velocity"].values[:, 0, 3:], speed, atol=1e-4 * turn * 5e-3
    )
    mass = DENSITY * np.pi * radius**2 * LENGTH
    late = time > 0.2  # the jolt of the beginning has died
    push = -(turn**2) * mass * way[late]
    np.testing.assert_allclose(
        found["reaction"].values[late, 3:], push, atol=1e-2 * turn**2 * mass * 5e-3
    )


def test_a_stiff_arm_carried_through_water_by_its_plate():
    """Morison's equation by hand: force and moment of the base are those of plate and arm."""
    radius, mu, plate, depth = 0.01, 3e6, 0.02, 0.5
    omega, water = first_pulsation(radius, mu), 1000.0
    stroke = BaseMotion(displacement=(0.0, 0.02, 0.0), history=Sine(frequency=1.0, phase=np.pi / 2))
    case = arm(radius, mu, mu / omega, Motion(duration=1.0, every=0.02), stroke=stroke)
    more = {
        "body": case.body.model_copy(update={"base_disc": plate}),
        "water": Surroundings(
            density=water,
            base_depth=depth,
            strip=Strip(drag=(0.0, 1.2, 1.2), added=(0.0, 1.0, 1.0)),
        ),
    }
    found = predict(case.model_copy(update=more))
    assert dataset.check(found) == []
    time, turn, length = found["time"].values, 2 * np.pi, LENGTH + plate
    speed, faster = -turn * 0.02 * np.sin(turn * time), -(turn**2) * 0.02 * np.cos(turn * time)
    line = (DENSITY + water) * np.pi * radius**2 * faster + water * radius * 1.2 * abs(
        speed
    ) * speed
    late, force = time > 0.4, np.abs(line).max() * length
    reaction = found["reaction"].values[late]
    # The arm bends a little: (1 Hz/first frequency)^2 with twice the mass, of the force.
    np.testing.assert_allclose(reaction[:, 4], line[late] * length, atol=1e-2 * force)
    np.testing.assert_allclose(
        reaction[:, 2], line[late] * length**2 / 2, atol=1e-2 * force * length
    )
    drained = 1.2 * water * radius * length * (turn * 0.02) ** 3 * 8.0 / (3.0 * turn)
    took = found["dissipated_energy"].values
    assert took[-1] - took[25] == pytest.approx(drained / 2, rel=2e-2)  # half a period


def test_what_acts_at_a_time():
    case = load("renda_arm_motion")
    half = at(case, 0.25).load["muscle"]
    assert half.recruited == pytest.approx(0.5) and half.path == (1.0,)
    assert at(case, 0.6).load == {}


def test_a_section_with_holes_weighs_what_is_there():
    """Against points on a grid, which is right to about its spacing over the smallest radius."""
    hole = Hole("cavity_a", 0.004, 0.003, 0.002, sleeve=(0.0025, 0.003))
    piece = Piece("body", 0.0, 0.1, 0.012, 0.008, (hole,))
    y, z = np.meshgrid(*[np.linspace(-0.01, 0.01, 1601)] * 2)
    away = np.hypot(y - 0.004, z - 0.003)
    density = np.where(np.hypot(y, z) < 0.01, 1000.0, 0.0)
    density[(away > 0.0025) & (away < 0.003)] = 1400.0
    density[away < 0.002] = 0.0
    density *= (0.02 / 1600) ** 2
    found = section_inertia(piece, 0.05, 1000.0, 1400.0)
    mass = density.sum()
    np.testing.assert_allclose(found[3:, 3:], mass * np.eye(3), atol=1e-3 * mass)
    yy, zz, yz = ((density * a * b).sum() for a, b in ((y, y), (z, z), (y, z)))
    expected = np.array([[yy + zz, 0, 0], [0, zz, -yz], [0, -yz, yy]])
    np.testing.assert_allclose(found[:3, :3], expected, atol=1e-3 * (yy + zz))


def test_a_wall_is_let_go():
    """A jump at 0 s lies behind the equilibrium: the first state is loaded, the last is at rest."""
    case = load("renda_mantle_pulse")
    ring = case.load["ring"].model_copy(update={"history": Step(before=1.0, after=0.0)})
    case = case.model_copy(
        update={"load": {"ring": ring}, "time": Motion(duration=0.8, every=0.2, tolerance=1e-3)}
    )
    moving, still = predict(case), predict(at(case, 0.0))
    np.testing.assert_allclose(moving["volume"][0], still["volume"][0], rtol=1e-9)
    assert moving["stored_energy"][-1] < 1e-6 * moving["stored_energy"][0]
    # Nothing acts behind the jump, but for its millionth of the duration
    assert moving["dissipated_energy"][-1] == pytest.approx(
        moving["stored_energy"][0].item(), rel=1e-3
    )
    assert moving["external_work"][0] == moving["stored_energy"][0]


def test_gong_answers():
    """On its way back from the first overshoot it passes where it will rest."""
    case = load("gong_bending_rise")
    assert predict(case).attrs["law_name"] == "slice"
    found = predict(case, law="geometry")
    assert found.attrs["status"] == "complete"
    assert dataset.check(found) == []
    assert found.attrs["missing"] == "section_residual"
    np.testing.assert_allclose(found["time"], case.time.times)
    still = predict(at(case, 0.2), law="geometry")
    passing = int(np.flatnonzero(found["time"] == 0.2)[0])
    pushed = np.abs(found["wrench_fluid"].values).max()
    held = found["reaction"].values[passing]
    np.testing.assert_allclose(held, still["reaction"].values[0], atol=0.05 * pushed)
    shift = found["frame"].values[:, -1, :3, 3] - still["frame"].values[0, -1, :3, 3]
    assert np.linalg.norm(shift[passing]) < 0.1 * np.linalg.norm(shift[0])


def test_a_wall_settles_to_the_static_prediction():
    """eta/mu = 37 ms: after 20 times that the wall is at rest, to exp(-20)."""
    case = load("renda_mantle_pulse")
    rise = Table(times=(0.0, 0.05), factors=(0.0, 1.0))
    ring = case.load["ring"].model_copy(update={"history": rise})
    case = case.model_copy(
        update={"load": {"ring": ring}, "time": Motion(duration=0.8, every=0.2, tolerance=1e-3)}
    )
    moving, still = predict(case), predict(at(case, 1.0))
    assert dataset.check(moving) == []
    end = moving.isel(step=-1)
    for name in ("profile_radius", "profile_axial", "profile_thickness", "volume", "max_stretch"):
        np.testing.assert_allclose(end[name], still[name][0], rtol=2e-5, atol=1e-8, err_msg=name)
    assert end["stored_energy"].item() == pytest.approx(still["stored_energy"].item(), rel=1e-4)


def test_what_holds_a_mantle_in_water(monkeypatch):
    """Reaction by the wall's forces beside the impulses of the same motion: jet, inertia and all.

    The trapezoidal rule over 10 ms of a pulse of 0.2 s is off by (pi/20)^2/3, or 1 %.
    """
    moved = []

    def simulate(shell, mass, *args, **more):
        moved.append((shell, mass, shell_dynamics_simulate(shell, mass, *args, **more)))
        return moved[-1][2]

    shell_dynamics_simulate = shell_dynamics.simulate
    monkeypatch.setattr(shell_dynamics, "simulate", simulate)
    case = load("renda_mantle_pulse")
    pulse = Sine(frequency=5.0, mean=0.3, amplitude=0.3, phase=-np.pi / 2)
    ring = case.load["ring"].model_copy(update={"history": pulse})
    water = Surroundings(
        density=1022.0,
        base_depth=1.0,
        nozzle=Nozzle(outflow=491e-6, inflow=1400e-6),
        wall=Wall(added=1.1),
    )
    time = Motion(duration=0.1, every=0.01, tolerance=0.05)
    pulsing = case.model_copy(update={"load": {"ring": ring}, "water": water, "time": time})
    found = answer(pulsing, "shell")
    assert found.attrs["status"] == "complete"
    shell, mass, motion = moved[-1]
    wall = case.material["body"].density * (shell.thickness * shell.area).sum()
    assert mass[::3, ::3].sum() == pytest.approx(2.1 * wall, rel=1e-9)
    held = found["reaction"].values
    assert not np.delete(held, 3, axis=1).any()
    means = motion.reaction[1:]
    assert np.abs(means).max() > 2.0 * np.abs(np.diff(motion.momentum) / 0.01).max()
    between = 0.5 * (held[1:, 3] + held[:-1, 3])
    np.testing.assert_allclose(between, means, atol=0.02 * np.abs(means).max())


WATER, DRAG, ADDED, SPEED = 1022.0, 1.7, 1.1, 0.3


def mantle(mu, density, time, **loads):
    """A short thick mantle in water that flows or through which it is towed."""
    return Case(
        name="mantle",
        title="Mantle",
        source="Test",
        body=Mantle(radius=0.031, thickness=0.004, truncation=np.pi / 4, cylinder_length=0.03),
        material={"body": NeoHooke(mu=mu, density=density, viscosity=0.01 * mu)},
        water=Surroundings(
            density=WATER,
            base_depth=1.0,
            nozzle=Nozzle(outflow=491e-6, inflow=1400e-6),
            wall=Wall(added=ADDED),
            hull=Hull(drag=DRAG),
        ),
        load=loads,
        time=time,
    )


def test_a_mantle_in_a_steady_current():
    """It begins in equilibrium and stays; its base bears the drag of its widest ring."""
    flow = Current(velocity=(SPEED, 0.0, 0.0))
    found = predict(mantle(1.3e4, 1080.0, Motion(duration=0.2, every=0.1), flow=flow))
    assert dataset.check(found) == []
    radius, axial = found["profile_radius"].values, found["profile_axial"].values
    still = predict(mantle(1.3e4, 1080.0, Motion(duration=0.1, every=0.1)))
    assert (axial[:, -1] - still["profile_axial"].values[0, -1] > 1e-4).all()
    np.testing.assert_allclose(radius, np.broadcast_to(radius[0], radius.shape), atol=1e-9)
    drag = 0.5 * WATER * DRAG * np.pi * radius.max(axis=1) ** 2 * SPEED**2
    np.testing.assert_allclose(found["reaction"].values[:, 3], -drag, rtol=1e-6)


def test_a_stiff_mantle_in_a_current_that_comes_and_goes():
    """Morison: (rho_w + B_s rho_s) V dU/dt and the drag, U = S (1 - cos(2 pi f t))/2."""
    heavy, turn = 1300.0, 2 * np.pi * 2.0
    waves = Sine(frequency=2.0, mean=0.5, amplitude=0.5, phase=-np.pi / 2)
    flow = Current(velocity=(SPEED, 0.0, 0.0), history=waves)
    case = mantle(1e6, heavy, Motion(duration=0.5, every=0.05), flow=flow)
    found, body = predict(case), case.body
    area = 2 * np.pi * body.radius**2 * np.sin(body.truncation)
    area += 2 * np.pi * body.radius * body.cylinder_length
    time = found["time"].values
    fast = SPEED * 0.5 * (1 - np.cos(turn * time))
    inertia = (WATER + ADDED * heavy) * area * body.thickness
    expected = inertia * SPEED * 0.5 * turn * np.sin(turn * time)
    expected += 0.5 * WATER * DRAG * np.pi * body.radius**2 * fast**2
    # The wall gives by a thousandth.
    force = found["reaction"].values[:, 3]
    np.testing.assert_allclose(force, -expected, atol=5e-3 * np.abs(expected).max())


def test_a_mantle_in_a_current_to_and_fro_is_one_that_is_towed():
    """Galilei: of a wall as heavy as water, which a stream carries along as it does water."""
    turn = 2 * np.pi * 2.0
    time = Motion(duration=0.25, every=0.05, tolerance=1e-5)
    flow = Current(velocity=(SPEED, 0.0, 0.0), history=Sine(frequency=2.0))
    tow = BaseMotion(
        displacement=(SPEED / turn, 0.0, 0.0), history=Sine(frequency=2.0, phase=np.pi / 2)
    )
    held, towed = (
        predict(mantle(1.3e4, WATER, time, **{name: by}))
        for name, by in (("flow", flow), ("tow", tow))
    )
    way = SPEED / turn * np.cos(turn * held["time"].values)
    stretched = held["profile_axial"].values
    assert np.ptp(stretched[:, -1]) > 5e-4
    relative, most = towed["profile_axial"].values - way[:, None], np.ptp(stretched[:, -1])
    np.testing.assert_allclose(relative, stretched, atol=1e-3 * most)
    force = held["reaction"].values[1:, 3]
    np.testing.assert_allclose(
        towed["reaction"].values[1:, 3], force, atol=3e-3 * np.abs(force).max()
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", ["renda_arm_motion", "renda_mantle_pulse"])
def test_motions_of_the_library(name):
    found = predict(load(name))
    assert found.attrs["status"] == "complete"
    assert max(found.attrs["error_in_space"], found.attrs["error_in_time"]) < LIMIT
    assert dataset.check(found) == []
    energies = ("stored_energy", "kinetic_energy", "dissipated_energy")
    lost = found["external_work"] - sum(found[name] for name in energies)
    assert np.abs(lost).max() < 1e-4 * found["external_work"].max()


def test_refusals():
    time = Motion(duration=0.1, every=0.05)
    case = arm(0.01, 3e4, 100.0, time, weight=Weight())
    with pytest.raises(BadInput, match=r"the model pcc refuses time \(a motion\): it is static"):
        predict(case, "pcc")
    blocked = case.model_copy(update={"support": Support(tip="blocked")})
    with pytest.raises(BadInput, match="its support blocks it"):
        predict(blocked)
    ramp = BaseMotion(
        displacement=(0.0, 1e-3, 0.0), history=Table(times=(0.0, 0.1), factors=(0.0, 1.0))
    )
    with pytest.raises(BadInput, match="the velocity of the base jumps"):
        predict(case.model_copy(update={"load": {"stroke": ramp}}))
    mantle = load("renda_mantle_pulse")
    with pytest.raises(BadInput, match="the velocity of the base jumps"):
        predict(mantle.model_copy(update={"load": {"stroke": ramp}}))
    across = ramp.model_copy(update={"history": None})
    with pytest.raises(BadInput, match="a base that moves across the axis bends a mantle"):
        predict(mantle.model_copy(update={"load": {"stroke": across}}))
