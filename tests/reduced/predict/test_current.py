"""A rod in a current: the stream by itself, Morison's equation, an equilibrium that stays."""

import numpy as np
import pytest
from scipy.integrate import quad

from loligo.cases.body import TaperedArm
from loligo.cases.case import Case, Motion
from loligo.cases.dataset import io as dataset
from loligo.cases.load.history import Sine, Table, Triangle
from loligo.cases.load.kinds import BaseMotion, Current
from loligo.cases.rubber.elastomer import NeoHooke
from loligo.cases.water import Strip, Surroundings
from loligo.reduced.predict.current import CurrentHistory
from loligo.reduced.predict.predict import predict

LENGTH, RADIUS, DENSITY, WATER = 0.1, 0.01, 1300.0, 1000.0
ADDED, DRAG = 1.2, 1.1


def arm(mu, viscosity, time, plate=0.0, **loads):
    body = TaperedArm(
        length=LENGTH, base_radius=RADIUS, tip_radius=RADIUS, base_disc=plate, stations=3
    )
    return Case(
        name="arm",
        title="Arm",
        source="Test",
        body=body,
        material={"body": NeoHooke(mu=mu, density=DENSITY, viscosity=viscosity)},
        water=Surroundings(
            density=WATER,
            base_depth=1.0,
            strip=Strip(drag=(0.3, DRAG, DRAG), added=(0.2, ADDED, ADDED)),
        ),
        load=loads,
        time=time,
    )


@pytest.mark.parametrize(
    "history",
    [
        None,
        Sine(frequency=0.7, mean=0.2, amplitude=1.5, phase=0.4),
        Table(times=(0.1, 0.5, 0.8), factors=(0.5, 2.0, -1.0)),
        Triangle(frequency=1.3),
    ],
)
def test_the_way_of_a_stream_is_the_integral_of_its_velocity(history):
    stream = CurrentHistory(Current(velocity=(0.0, 2.0, -1.0), history=history))
    kinks = history.kinks(1.1) if history else ()
    for time in (0.05, 0.3, 1.1):
        inside = [t for t in kinks if 0.0 < t < time] or None
        way = quad(lambda t: stream.velocity(t)[1], 0.0, time, points=inside)[0]
        np.testing.assert_allclose(stream.way(time), [0.0, way, -way / 2], atol=1e-10)
        rate = (stream.velocity(time) - stream.velocity(time - 1e-7)) / 1e-7
        np.testing.assert_allclose(stream.acceleration(time), rate, atol=1e-5)
    # Until 0 s it flows steadily, and at a kink its acceleration is the one before.
    np.testing.assert_allclose(stream.way(-0.2), -0.2 * stream.velocity(0.0), rtol=1e-15)
    assert not stream.acceleration(0.0).any()
    for kink in kinks[1:]:
        before = stream.acceleration(kink - 1e-6)
        np.testing.assert_allclose(stream.acceleration(kink), before, rtol=1e-12)


def test_a_stiff_arm_on_its_plate_in_waves_to_and_fro():
    """Morison: (C_a + 1) rho_w A dU/dt and drag on plate and arm, force, moment and power."""
    mu, plate, speed, frequency = 3e6, 0.02, 0.2, 1.0
    flow = Current(velocity=(0.0, 0.0, speed), history=Sine(frequency=frequency))
    found = predict(arm(mu, mu / 100.0, Motion(duration=1.0, every=0.02), plate, waves=flow))
    assert dataset.check(found) == []
    time, turn, length = found["time"].values, 2 * np.pi * frequency, LENGTH + plate
    u, du = speed * np.sin(turn * time), speed * turn * np.cos(turn * time)
    line = (ADDED + 1.0) * WATER * np.pi * RADIUS**2 * du + WATER * RADIUS * DRAG * abs(u) * u
    late, force = time > 0.3, np.abs(line).max() * length
    reaction = found["reaction"].values[late]
    # It bends a little: by (1 Hz/first frequency)^2 with twice the mass, of the force.
    np.testing.assert_allclose(reaction[:, 5], -line[late] * length, atol=1e-2 * force)
    np.testing.assert_allclose(
        reaction[:, 1], line[late] * length**2 / 2, atol=1e-2 * force * length
    )
    energies = ("stored_energy", "kinetic_energy", "dissipated_energy")
    lost = found["external_work"] - sum(found[name] for name in energies)
    assert np.abs(lost).max() < 1e-4 * found["external_work"].max()
    drained = DRAG * WATER * RADIUS * length * speed**3 * 8.0 / (3.0 * turn) / 2  # half a period
    took = found["dissipated_energy"].values
    assert took[-1] - took[25] == pytest.approx(drained, rel=2e-2)
    # What moves is the water: the arm's own share of the energy is as small as its motion.
    moved = 0.5 * ADDED * WATER * np.pi * RADIUS**2 * length * u**2
    np.testing.assert_allclose(found["kinetic_energy"], moved, atol=1e-2 * moved.max())
    # Seen from the ground, all that is worked is what the drag took and what the water has now.
    taken = DRAG * WATER * RADIUS * length * speed**3 / turn
    half = np.floor(2.0 * frequency * time + 1e-9)
    c = np.cos(turn * time) * (-1.0) ** half
    work = moved + taken * (4.0 / 3.0 * half + 2.0 / 3.0 - c + c**3 / 3.0)
    np.testing.assert_allclose(found["external_work"], work, atol=2e-2 * work.max())


def test_a_soft_arm_in_a_steady_current_begins_bent_and_stays():
    case = arm(1e4, 100.0, Motion(duration=0.4, every=0.1), flow=Current(velocity=(0.0, 0.4, 0.0)))
    found = predict(case)
    assert found.attrs["status"] == "complete"
    frame = found["frame"].values
    assert frame[0, -1, 1, 3] > 0.3 * LENGTH
    np.testing.assert_allclose(frame, np.broadcast_to(frame[0], frame.shape), atol=1e-6)
    np.testing.assert_allclose(found["frame_velocity"], 0.0, atol=1e-6)
    energies = ("stored_energy", "kinetic_energy", "dissipated_energy")
    lost = found["external_work"] - sum(found[name] for name in energies)
    assert np.abs(lost).max() < 1e-6 * found["external_work"].max()


def test_base_and_water_that_move_alike_know_nothing_of_each_other():
    """A base that goes with the water to and fro, and a body as heavy as water: nothing bends."""
    sine = Sine(frequency=1.0, phase=np.pi / 2)
    there = Sine(frequency=1.0, phase=np.pi)
    stroke = BaseMotion(displacement=(0.0, 0.02, 0.0), history=sine)
    flow = Current(velocity=(0.0, 0.04 * np.pi, 0.0), history=there)
    case = arm(1e4, 100.0, Motion(duration=0.5, every=0.1), stroke=stroke, flow=flow)
    rubber = case.material["body"].model_copy(update={"density": WATER})
    found = predict(case.model_copy(update={"material": {"body": rubber}}))
    tip = found["frame"].values[:, -1, :3, 3]
    way = 0.02 * np.cos(2 * np.pi * found["time"].values)
    np.testing.assert_allclose(tip[:, 1], way, atol=1e-7)
    np.testing.assert_allclose(tip[:, 0], LENGTH, atol=1e-7)
    weight = WATER * np.pi * RADIUS**2 * LENGTH * 0.02 * (2 * np.pi) ** 2
    # At 0 s the base is at rest with the water that is about to move: after it, the two agree
    held = found["reaction"].values[1:, 4]
    np.testing.assert_allclose(held, 0.0, atol=1e-5 * weight)


@pytest.mark.parametrize("plate", [0.0, 0.05])
def test_munk_moment_of_a_current_that_passes_askew(plate):
    """On plate and arm alike: (B_y - B_x) rho_w A U_x U_z of their length, about the base."""
    mu, flow = 1e8, np.array([0.3, 0.0, 0.4])
    case = arm(
        mu, 0.0, Motion(duration=0.02, every=0.01), plate, flow=Current(velocity=tuple(flow))
    )
    assert case.water is not None
    strip = Strip(drag=(0.0, 0.0, 0.0), added=(0.2, ADDED, ADDED))
    still = case.water.model_copy(update={"strip": strip})
    reaction = predict(case.model_copy(update={"water": still}))["reaction"].values[0]
    line = WATER * np.pi * RADIUS**2
    moment = line * (LENGTH + plate) * np.cross(flow, np.array([0.2, ADDED, ADDED]) * flow)
    # What holds it bears v x p with v = -U; it bends by a share of 1e-4 or so.
    np.testing.assert_allclose(reaction[:3], moment, atol=1e-3 * np.abs(moment).max())
    np.testing.assert_allclose(reaction[3:], 0.0, atol=1e-3 * np.abs(moment).max() / LENGTH)
