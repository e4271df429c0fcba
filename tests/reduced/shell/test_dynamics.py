"""Shells in motion against ordinary differential equations, balances and closed forms."""

from itertools import pairwise

import numpy as np
import pytest
from mantles import (
    ADDED,
    ETA,
    JET,
    RHO,
    E,
    H,
    R,
    balance,
    constant,
    mantle,
    ring,
    squeezed,
)
from scipy.integrate import solve_ivp

from loligo.cases.body import Mantle
from loligo.cases.fluid import Jet
from loligo.reduced.shell.dynamics import simulate
from loligo.reduced.shell.inertia import mass_matrix
from loligo.reduced.shell.laws import GreenLaw
from loligo.reduced.shell.loads import (
    TimedLoads,
    hoop_tension_load,
    pressure_load,
    sinusoidal,
    triangular,
)
from loligo.reduced.shell.model import mantle_shell
from loligo.reduced.shell.motion import MantleWater, ShellState, SlidingBase
from loligo.reduced.shell.statics import solve
from loligo.reduced.stepping import MotionLost

# --- ten lines -----------------------------------------------------------------------------------


def test_ten_lines_make_the_mantle_pulse():
    body = Mantle(radius=31e-3, thickness=2e-3, cylinder_length=94e-3)
    shell = mantle_shell(body, GreenLaw(young=40e3, viscosity=500.0), size=8e-3)
    mass = mass_matrix(shell, density=7415.0, added=1.1)
    pulses = TimedLoads(hoop_tension_load(shell, 15.0), triangular(1.51))
    water = MantleWater(Jet(density=1022.0, outflow=491e-6, inflow=1400e-6), drag=1.7)
    times = np.linspace(0.0, 2.0, 101)
    motion = simulate(shell, mass, times, step=0.01, drives=[pulses], water=water)
    rim = shell.rest[-1, 1] + motion.displacement[:, -1, 1]

    assert 0.02 < rim.min() < 0.024 and rim.max() == rim[0] == pytest.approx(31e-3)
    assert motion.thrust.max() > 0.1 > -0.1 > motion.thrust.min()  # expels, then draws in
    # What enters has three times the area of what leaves: a pulse pushes forwards, along -x,
    # and the base must hold the mantle back.
    pulse = times <= 1 / 1.51
    assert motion.thrust[pulse].sum() > 0.0 < motion.reaction[pulse].sum()
    assert np.abs(balance(motion)).max() < 1e-12 * motion.work.max()
    finer = simulate(shell, mass, times, step=0.005, drives=[pulses], water=water)
    np.testing.assert_allclose(finer.volume, motion.volume, rtol=0.01)


# --- the ring: one ordinary differential equation ------------------------------------------------


def ring_motion(tension, times, start=1.0, eta=ETA, added=ADDED):
    """Eq 7 and 14 of a ring, nu = 0, from time to time by an explicit integrator: tau and rate.

    rho h (1 + B) R^2 tau'' + E h (tau (tau^2 - 1)/2 + j (tau - 1))
    + 3 eta h (tau^2 + j) tau' = -T(t), j = h^2/(12 R^2).
    """
    j = H**2 / (12 * R**2)

    def rates(t, y):
        tau, rate = y
        elastic = E * H * (tau * (tau**2 - 1) / 2 + j * (tau - 1))
        push = -tension(t) - elastic - 3 * eta * H * (tau**2 + j) * rate
        return [rate, push / (RHO * H * (1 + added) * R**2)]

    states = [np.array([start, 0.0])]
    for span in pairwise(times):
        out = solve_ivp(rates, span, states[-1], "DOP853", rtol=1e-11, atol=1e-13)
        assert out.success
        states.append(out.y[:, -1])
    return np.transpose(states)


@pytest.mark.parametrize("frequency", [1.26, 1.51, 1.89])
@pytest.mark.parametrize("shape", [triangular, sinusoidal])
def test_ring_pulses_as_its_equation_says(frequency, shape):
    shell = ring(GreenLaw(E, viscosity=ETA))
    times = np.arange(9) / (4 * frequency)  # two periods; kinks of the load are output times
    history = shape(frequency)
    exact, _ = ring_motion(lambda t: 15.0 * history(t), times)
    drive = TimedLoads(hoop_tension_load(shell, 15.0), history)
    errors = []
    for step in (8e-3, 4e-3):
        motion = simulate(shell, mass_matrix(shell, RHO, ADDED), times, step, drives=[drive])
        tau = 1 + motion.displacement[:, :, 1] / R
        np.testing.assert_allclose(tau, np.broadcast_to(tau[:, :1], tau.shape), rtol=1e-9)
        errors.append(np.abs(tau[:, 0] - exact).max())
    assert exact.min() < 0.85
    assert errors[1] < 3e-4
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.15)


def test_second_order_in_a_large_undamped_vibration():
    shell = ring(GreenLaw(E))
    times = np.linspace(0.0, 0.3, 4)
    exact, rate = ring_motion(lambda t: 0.0, times, start=0.75, eta=0.0)
    start = squeezed(shell, 0.75)
    errors = []
    for step in (2e-3, 1e-3, 5e-4):
        motion = simulate(shell, mass_matrix(shell, RHO, ADDED), times, step, start=start)
        tau = 1 + motion.displacement[:, 0, 1] / R
        errors.append(np.abs(tau - exact).max())
    assert np.ptp(exact) > 0.3 and np.abs(rate).max() > 3.0
    orders = np.log2([a / b for a, b in pairwise(errors)])
    np.testing.assert_allclose(orders, 2.0, atol=0.1)


def test_jet_of_a_pulsing_ring():
    """Thrust is rho_w U' |U'|/A_n of U = pi r^2 L, from the ring's own equation."""
    length = 2e-3
    shell = ring(GreenLaw(E, viscosity=ETA), length)
    times = np.linspace(0.0, 1 / 1.51, 133)
    history = triangular(1.51)
    tau, rate = ring_motion(lambda t: 10.0 * history(t), times)
    flow = 2 * np.pi * R**2 * tau * rate * length
    thrust = -JET.density * flow * np.abs(flow) / np.where(flow < 0, JET.outflow, JET.inflow)
    motion = simulate(
        shell,
        mass_matrix(shell, RHO, ADDED),
        times,
        2.5e-3,
        drives=[TimedLoads(hoop_tension_load(shell, 10.0), history)],
        water=MantleWater(JET),
    )
    # The thrust strains the tube by 1e-5; means over 5 ms against means of both ends.
    np.testing.assert_allclose(motion.volume_rate, flow, atol=1e-3 * np.abs(flow).max())
    means = 0.5 * (thrust[1:] + thrust[:-1])
    np.testing.assert_allclose(motion.thrust[1:], means, atol=2e-2 * np.abs(thrust).max())


# --- steps ---------------------------------------------------------------------------------------


def test_output_times_are_exact_whatever_the_step():
    shell = ring(GreenLaw(E, viscosity=ETA))
    mass = mass_matrix(shell, RHO)
    times = [0.1, 0.103, 0.25, 0.4]
    drive = TimedLoads(hoop_tension_load(shell, 5.0), sinusoidal(1.0))
    motion = simulate(shell, mass, times, 0.01, drives=[drive])
    np.testing.assert_array_equal(motion.time, times)
    assert motion.steps == 1 + 15 + 15 and motion.halved == 0
    # Going on from an output is the same motion.
    first = simulate(shell, mass, times[:3], 0.01, drives=[drive])
    second = simulate(shell, mass, times[2:], 0.01, drives=[drive], start=first.state())
    np.testing.assert_allclose(second.displacement[-1], motion.displacement[-1], atol=1e-13)
    # A state of equilibrium stays.
    state = solve(shell, hoop_tension_load(shell, 5.0))
    kept = simulate(
        shell,
        mass,
        [0.0, 1.0],
        0.1,
        drives=[TimedLoads(hoop_tension_load(shell, 5.0), constant)],
        start=ShellState(state.displacement, 0 * state.displacement),
    )
    np.testing.assert_allclose(kept.displacement[1], state.displacement, atol=1e-9 * R)


def test_a_failed_step_is_halved_and_grows_back():
    """14 N/m at once and steps of 0.25 s: some shorter steps, then long ones to the end."""
    shell = mantle()
    load = hoop_tension_load(shell, 14.0)
    drives = [TimedLoads(load, constant)]
    mass = mass_matrix(shell, RHO, ADDED)
    motion = simulate(shell, mass, [0.0, 4.0], 0.25, drives=drives)
    assert motion.halved > 1
    assert 16 < motion.steps < 32  # two halvings kept to the end would make it 64
    assert motion.volume[-1] == pytest.approx(solve(shell, load).volume, rel=1e-3)
    assert np.abs(balance(motion)).max() < 1e-12 * motion.work.max()


def test_a_collapsing_ring_stops_with_what_was_reached():
    shell = ring(GreenLaw(E, viscosity=5.0))
    drive = TimedLoads(hoop_tension_load(shell, 60.0), triangular(1.0))
    with pytest.raises(MotionLost, match=r"goes on from t = .* s: .*inside out") as failure:
        simulate(shell, mass_matrix(shell, RHO), np.linspace(0, 0.5, 51), 5e-3, drives=[drive])
    reached = failure.value.reached
    assert 5 < len(reached.time) < 51
    assert len(reached.volume) == len(reached.displacement) == len(reached.time)
    assert np.isfinite(reached.displacement).all() and np.isfinite(reached.velocity).all()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"times": [0.0]}, "times must be two or more"),
        ({"times": [0.0, 0.0]}, "increasing"),
        ({"times": [0.0, np.nan]}, "increasing"),
        ({"times": [0.0, np.inf]}, "finite"),
        ({"step": 0.0}, "the step is 0.0 s"),
        ({"drives": "nan"}, "a load is not finite"),
        ({"mass": 3}, "mass matrix is of another shell"),
        ({"start": "short"}, "the displacement at the start must be finite, of shape"),
        ({"base": lambda t: np.nan}, "the base's velocity is nan m/s at t = 0 s"),
    ],
)
def test_no_motion(change, message):
    shell = ring(GreenLaw(E))
    given = {"times": [0.0, 0.1], "step": 0.01, "mass": mass_matrix(shell, RHO), **change}
    if "drives" in change:
        given["drives"] = [TimedLoads(pressure_load(shell, 1.0), lambda t: np.nan)]
    if "mass" in change:
        given["mass"] = mass_matrix(mantle(), RHO)
    if "start" in change:
        given["start"] = ShellState(np.zeros((1, 3)), np.zeros((1, 3)))
    with pytest.raises(ValueError, match=message):
        simulate(shell, given.pop("mass"), given.pop("times"), given.pop("step"), **given)


def test_no_water_no_base():
    with pytest.raises(ValueError, match="drag coefficient is -1"):
        MantleWater(JET, drag=-1.0)
    with pytest.raises(ValueError, match=r"base's mass is -1.0 kg"):
        SlidingBase(-1.0)
    shell = ring(GreenLaw(E), end="supported")
    with pytest.raises(ValueError, match="both ends hold the shell along x"):
        simulate(shell, mass_matrix(shell, RHO), [0.0, 1.0], 0.1, base=SlidingBase(1.0))
