"""Shells in motion against ordinary differential equations, balances and closed forms."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad, solve_ivp

from loligo.cases.body import Mantle
from loligo.cases.elastomer import NeoHooke, Yeoh
from loligo.reduced.fluid import Jet
from loligo.reduced.shell import Span, make_shell, mantle_shell
from loligo.reduced.shell_dynamics import MotionLost, simulate
from loligo.reduced.shell_inertia import mass_matrix, vibrations
from loligo.reduced.shell_laws import GreenLaw, LinearLaw, RubberLaw
from loligo.reduced.shell_loads import (
    Drive,
    edge_load,
    hoop_tension_load,
    pressure_load,
    sinusoidal,
    surface_load,
    triangular,
)
from loligo.reduced.shell_motion import FreeBase, State, Water
from loligo.reduced.shell_statics import solve

E, ETA, RHO, H, R, TUBE = 40e3, 500.0, 7415.0, 2e-3, 31e-3, 94e-3  # Table 1, full thickness
ADDED = 1.1
BODY = Mantle(radius=R, thickness=H, cylinder_length=TUBE)
JET = Jet(density=1022.0, outflow=491e-6, inflow=1400e-6)
RUBBER = RubberLaw(NeoHooke(mu=E / 3, density=1080.0))


def mantle(law=None, size=8e-3):
    return mantle_shell(BODY, law or GreenLaw(E, viscosity=ETA), size)


def ring(law, length=0.02, thickness=H, end="free"):
    """A tube held along x at one end alone: with nu = 0 it stays a tube."""
    return make_shell(
        [Span(length, 1)],
        law,
        thickness=thickness,
        radius=R,
        angle=0.0,
        start="supported",
        end=end,
        lids=False,
    )


def constant(time):
    return 1.0


def balance(motion):
    return motion.kinetic + motion.stored + motion.dissipated - motion.work


# --- ten lines -----------------------------------------------------------------------------------


def test_ten_lines_make_the_mantle_pulse():
    body = Mantle(radius=31e-3, thickness=2e-3, cylinder_length=94e-3)
    shell = mantle_shell(body, GreenLaw(young=40e3, viscosity=500.0), size=8e-3)
    mass = mass_matrix(shell, density=7415.0, added=1.1)
    pulses = Drive(hoop_tension_load(shell, 15.0), triangular(1.51))
    water = Water(Jet(density=1022.0, outflow=491e-6, inflow=1400e-6), drag=1.7)
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
    drive = Drive(hoop_tension_load(shell, 15.0), history)
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
    start = _squeezed(shell, 0.75)
    errors = []
    for step in (2e-3, 1e-3, 5e-4):
        motion = simulate(shell, mass_matrix(shell, RHO, ADDED), times, step, start=start)
        tau = 1 + motion.displacement[:, 0, 1] / R
        errors.append(np.abs(tau - exact).max())
    assert np.ptp(exact) > 0.3 and np.abs(rate).max() > 3.0
    orders = np.log2([a / b for a, b in pairwise(errors)])
    np.testing.assert_allclose(orders, 2.0, atol=0.1)


def _squeezed(shell, tau):
    still = np.zeros(shell.fixed.shape)
    return State(still + np.array([0.0, (tau - 1) * R, 0.0]), still)


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
        drives=[Drive(hoop_tension_load(shell, 10.0), history)],
        water=Water(JET),
    )
    # The thrust strains the tube by 1e-5; means over 5 ms against means of both ends.
    np.testing.assert_allclose(motion.volume_rate, flow, atol=1e-3 * np.abs(flow).max())
    means = 0.5 * (thrust[1:] + thrust[:-1])
    np.testing.assert_allclose(motion.thrust[1:], means, atol=2e-2 * np.abs(thrust).max())


# --- what a step conserves -----------------------------------------------------------------------


def release(shell, mass, load, base=None, step=1e-3, count=200):
    """From the equilibrium under a load that is gone at t = 0."""
    state = solve(shell, load)
    start = State(state.displacement, 0 * state.displacement)
    times = step * np.arange(count + 1)
    return simulate(shell, mass, times, step, base=base, start=start)


@pytest.mark.parametrize("law", [GreenLaw(E), GreenLaw(E, 0.3), LinearLaw(E, 0.3)])
def test_energy_of_an_inviscid_wall_stays(law):
    """Radius 31 to 26 mm and back: each step keeps the energy to rounding, however long."""
    shell = mantle(law)
    motion = release(shell, mass_matrix(shell, RHO, ADDED), hoop_tension_load(shell, 10.0))
    energy = motion.kinetic + motion.stored
    assert motion.kinetic.max() > 0.3 * energy[0]
    assert np.abs(np.diff(energy)).max() < 1e-12 * energy[0]
    assert np.abs(energy / energy[0] - 1).max() < 1e-11


def test_energy_of_rubber_drifts_by_a_high_power_of_the_step():
    """Each step misses the energy by the fifth power of its strain increment."""
    shell = mantle(RUBBER)
    mass = mass_matrix(shell, 1080.0)
    drifts = []
    for step, count in ((2e-3, 50), (1e-3, 100), (2.5e-4, 100)):
        motion = release(shell, mass, hoop_tension_load(shell, 4.0), None, step, count)
        energy = motion.kinetic + motion.stored
        drifts.append(np.abs(np.diff(energy)).max() / energy[0])
    assert np.log2(drifts[0] / drifts[1]) > 3.5
    assert drifts[2] < 1e-10


@pytest.mark.parametrize("law", [GreenLaw(E, viscosity=ETA), RUBBER])
def test_axial_momentum_of_a_free_mantle_stays(law):
    shell = mantle(law)
    mass = mass_matrix(shell, RHO, ADDED)
    motion = release(shell, mass, hoop_tension_load(shell, 10.0), FreeBase(0.2), 2e-3, 100)
    moving = np.abs(0.2 * motion.velocity[:, 0, 0]).max()
    assert moving > 1e-3
    assert np.abs(motion.momentum).max() < 1e-11 * moving
    wall = (motion.velocity.reshape(101, -1) @ mass)[:, ::3].sum(-1)
    np.testing.assert_allclose(wall, -0.2 * motion.velocity[:, 0, 0], atol=1e-11 * moving)
    # What the body gives the shell is what it loses itself.
    lost = -0.2 * np.diff(motion.velocity[:, 0, 0]) / 2e-3
    np.testing.assert_allclose(motion.reaction[1:], lost, atol=1e-9 * np.abs(lost).max())


def test_momentum_changes_by_the_impulse_of_supports_and_water():
    shell = mantle()
    mass = mass_matrix(shell, RHO, ADDED)
    motion = simulate(
        shell,
        mass,
        np.linspace(0.0, 0.5, 51),
        5e-3,
        drives=[
            Drive(hoop_tension_load(shell, 12.0), sinusoidal(1.89)),
            Drive(surface_load(shell, axial=3.0), triangular(1.26)),
        ],
        water=Water(JET, drag=1.7),
        base=lambda t: -0.2 * np.sin(3 * t),
    )
    # The dead load's own impulse, by the trapezoidal rule at the steps as the scheme has it.
    t = np.linspace(0.0, 0.5, 101)
    pull = np.array([triangular(1.26)(x) for x in t]) * 3.0 * shell.area.sum()
    pull = (0.5 * (pull[1:] + pull[:-1])).reshape(-1, 2).mean(1)
    force = motion.reaction[1:] - motion.thrust[1:] + motion.drag[1:] + pull
    np.testing.assert_allclose(np.diff(motion.momentum) / 0.01, force, atol=1e-9 * force.max())
    assert np.abs(balance(motion) - balance(motion)[0]).max() < 1e-12 * motion.kinetic.max()


@pytest.mark.parametrize("step", [0.05, 0.013])
def test_free_fall_is_exact(step):
    """F19: a uniform force per mass, x = g t^2/2 at any step."""
    shell = ring(LinearLaw(E, 0.3))
    mass = mass_matrix(shell, RHO)
    weight = Drive(surface_load(shell, axial=9.81 * RHO * H), constant)
    motion = simulate(shell, mass, [0.0, 0.3, 1.0], step, drives=[weight], base=FreeBase())
    fall = np.broadcast_to(
        [[0.0], [0.5 * 9.81 * 0.09], [0.5 * 9.81]], motion.displacement.shape[:2]
    )
    np.testing.assert_allclose(motion.displacement[:, :, 0], fall, atol=1e-10)


# --- damping -------------------------------------------------------------------------------------


@pytest.mark.parametrize("wall", ["renda", "rubber"])
def test_log_decrement_of_a_ring(wall):
    """A hoop of unit width rings as a rod: zeta = 3 eta omega/(2 E), 3 eta being Trouton's."""
    eta, times = 5.0, np.linspace(0.0, 0.1, 11)
    law = {
        "renda": GreenLaw(E, viscosity=eta),
        "rubber": RubberLaw(NeoHooke(mu=E / 3, density=RHO, viscosity=eta)),
    }[wall]
    shell = ring(law, length=0.5e-3, thickness=1e-4)
    mass = mass_matrix(shell, RHO)
    omega = np.sqrt(E / RHO) / R
    zeta = 3 * eta * omega / (2 * E)
    start = _squeezed(shell, 1 - 1e-6)
    # Rubber starts with its width already relaxed: a hoop in uniaxial stress.
    start.displacement[:, 0] = 0.5e-6 * shell.arc * (wall == "rubber")
    motion = simulate(shell, mass, times, 1e-4, start=start)
    slow = omega * np.sqrt(1 - zeta**2)
    exact = np.exp(-zeta * omega * times) * (
        np.cos(slow * times) + zeta / np.sqrt(1 - zeta**2) * np.sin(slow * times)
    )
    w = motion.displacement[:, 0, 1] / (-1e-6 * R)
    assert zeta * omega * times[-1] > 0.1
    # The period is longer by (omega dt)^2/12, 3e-5 rad in all, and by the inertia of the width.
    np.testing.assert_allclose(w, exact, atol=5e-4)


def test_modes_ring_at_their_frequency():
    """The first mode of the clamped mantle, excited alone, comes back after its period."""
    shell = mantle(GreenLaw(E))
    mass = mass_matrix(shell, RHO, ADDED)
    modes = vibrations(shell, mass, 1)
    shape = 1e-7 * modes.shape[0] / np.abs(modes.shape[0, :, 1]).max()
    period = 2 * np.pi / modes.frequency[0]
    motion = simulate(
        shell,
        mass,
        period * np.array([0, 0.25, 0.5, 1]),
        period / 400,
        start=State(shape, 0 * shape),
    )
    share = (motion.displacement * shape).sum((1, 2)) / (shape**2).sum()
    late = (2 * np.pi / 400) ** 2 / 12 * 2 * np.pi  # rad after a period
    np.testing.assert_allclose(share, [1, 0, -1, 1], atol=2 * late)


def test_creep_of_a_yeoh_strip():
    """F15: a nominal stress of 0.2 MPa at once, Kirchhoff 2 eta d: stretch at 0.1, 0.5, 1, 2 s."""
    law = RubberLaw(Yeoh(c10=0.11e6, c20=0.02e6, c30=0.0, density=1.0, viscosity=0.05e6))
    h, length = 1e-5, 0.02
    shell = ring(law, length, h)
    pull = Drive(edge_load(shell, "end", axial=0.2e6 * h), constant)
    times = [0.0, 0.1, 0.5, 1.0, 2.0]
    motion = simulate(shell, mass_matrix(shell, 1.0), times, 5e-3, drives=[pull])
    stretch = 1 + motion.displacement[1:, -1, 0] / length
    np.testing.assert_allclose(stretch, [1.120622, 1.333568, 1.356863, 1.357731], rtol=5e-4)


@pytest.mark.parametrize(
    "law",
    [
        GreenLaw(E, viscosity=ETA),
        RubberLaw(NeoHooke(mu=E / 3, density=1080.0, viscosity=ETA)),
    ],
)
def test_heavily_damped_motion_ends_in_statics(law):
    shell = mantle(law)
    load = hoop_tension_load(shell, 10.0)
    exact = solve(shell, load)
    drive = Drive(load, lambda t: min(t / 0.2, 1.0))
    motion = simulate(shell, mass_matrix(shell, RHO, ADDED), [0.0, 0.2, 4.0], 0.02, drives=[drive])
    np.testing.assert_allclose(motion.displacement[-1], exact.displacement, atol=1e-8 * R)
    assert motion.volume[-1] == pytest.approx(exact.volume, rel=1e-8)
    assert motion.kinetic[-1] < 1e-10 * exact.energy
    # The load did more work than is stored: the rest went into the wall's viscosity.
    assert motion.dissipated[-1] == pytest.approx(motion.work[-1] - exact.energy, rel=1e-7)


def test_follower_pressure_ends_in_statics():
    shell = mantle()
    exact = solve(shell, pressure_load(shell, 40.0))
    drive = Drive(pressure_load(shell, 40.0), lambda t: min(t / 0.2, 1.0))
    motion = simulate(shell, mass_matrix(shell, RHO), [0.0, 0.2, 4.0], 0.02, drives=[drive])
    assert motion.volume[-1] == pytest.approx(exact.volume, rel=1e-8)
    assert motion.reaction[-1] == pytest.approx(exact.reaction[:, 0].sum(), rel=0.1)


# --- the base ------------------------------------------------------------------------------------


def test_accelerated_base_carries_the_mass():
    """With the transients gone, reaction = (1 + B) m a; F = m a needs no elasticity.

    Forwards, that is along -x: the other way its inertia would fold this soft wall above 0.8 m/s^2.
    """
    shell = mantle()
    mass = mass_matrix(shell, RHO, ADDED)
    motion = simulate(shell, mass, [0.0, 3.0, 3.1], 0.01, base=lambda t: -0.3 * t * _ramp(t))
    total = mass.toarray()[::3, ::3].sum()
    assert total == pytest.approx(2.1 * RHO * H * shell.area.sum(), rel=1e-4)
    assert motion.reaction[-1] == pytest.approx(-0.3 * total, rel=1e-6)
    way = quad(lambda t: -0.3 * t * _ramp(t), 0.0, 3.1, points=[1.0])[0]
    assert motion.displacement[-1, 0, 0] == pytest.approx(way, rel=1e-4)  # trapezoidal rule


def _ramp(t):
    """From 0 to 1 within a second, without a jump in velocity or acceleration."""
    s = min(t, 1.0)
    return s**3 * (10 - 15 * s + 6 * s**2)


def test_towed_mantle_feels_its_drag():
    """rho_w C_d pi r^2 V^2/2, against the way; the base pulls as much."""
    shell = mantle()
    motion = simulate(
        shell,
        mass_matrix(shell, RHO, ADDED),
        [0.0, 3.0, 3.1],
        0.01,
        water=Water(JET, drag=1.7),
        base=lambda t: -0.3 * _ramp(t),
    )
    drag = 0.5 * 1022.0 * 1.7 * np.pi * R**2 * 0.09
    assert motion.drag[-1] == pytest.approx(drag, rel=0.01)  # bent by the load, r grows a little
    assert motion.reaction[-1] == pytest.approx(-motion.drag[-1], rel=1e-6)


def test_free_mantle_swims_away_from_its_nozzle():
    shell = mantle()
    motion = simulate(
        shell,
        mass_matrix(shell, RHO, ADDED),
        np.linspace(0.0, 2 / 1.51, 101),
        5e-3,
        drives=[Drive(hoop_tension_load(shell, 15.0), triangular(1.51))],
        water=Water(JET, drag=1.7),
        base=FreeBase(0.204),
    )
    assert motion.displacement[-1, 0, 0] < -0.05
    np.testing.assert_allclose(
        np.diff(motion.momentum),
        (motion.drag - motion.thrust)[1:] * np.diff(motion.time),
        atol=1e-12,
    )


def test_held_mantle_folds_under_its_own_thrust_where_a_free_one_swims():
    """1.89 pulses a second: the same with half the step and half the element."""
    times = np.linspace(0.0, 3 / 1.89, 7)
    shortened = []
    for size, step, base in ((8e-3, 5e-3, None), (4e-3, 2.5e-3, None), (8e-3, 5e-3, FreeBase(0.2))):
        shell = mantle(size=size)
        motion = simulate(
            shell,
            mass_matrix(shell, RHO, ADDED),
            times,
            step,
            drives=[Drive(hoop_tension_load(shell, 15.0), triangular(1.89))],
            water=Water(JET, drag=1.7),
            base=base,
        )
        shortened.append(motion.displacement[-1, 0, 0] - motion.displacement[-1, -1, 0])
    assert shortened[0] > 20e-3 and shortened[1] == pytest.approx(shortened[0], rel=0.01)
    assert abs(shortened[2]) < 2e-3


# --- steps ---------------------------------------------------------------------------------------


def test_output_times_are_exact_whatever_the_step():
    shell = ring(GreenLaw(E, viscosity=ETA))
    mass = mass_matrix(shell, RHO)
    times = [0.1, 0.103, 0.25, 0.4]
    drive = Drive(hoop_tension_load(shell, 5.0), sinusoidal(1.0))
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
        drives=[Drive(hoop_tension_load(shell, 5.0), constant)],
        start=State(state.displacement, 0 * state.displacement),
    )
    np.testing.assert_allclose(kept.displacement[1], state.displacement, atol=1e-9 * R)


def test_a_failed_step_is_halved_and_grows_back():
    """14 N/m at once and steps of 0.25 s: some shorter steps, then long ones to the end."""
    shell = mantle()
    load = hoop_tension_load(shell, 14.0)
    drives = [Drive(load, constant)]
    mass = mass_matrix(shell, RHO, ADDED)
    motion = simulate(shell, mass, [0.0, 4.0], 0.25, drives=drives)
    assert motion.halved > 1
    assert 16 < motion.steps < 32  # two halvings kept to the end would make it 64
    assert motion.volume[-1] == pytest.approx(solve(shell, load).volume, rel=1e-3)
    assert np.abs(balance(motion)).max() < 1e-12 * motion.work.max()


def test_a_collapsing_ring_stops_with_what_was_reached():
    shell = ring(GreenLaw(E, viscosity=5.0))
    drive = Drive(hoop_tension_load(shell, 60.0), triangular(1.0))
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
        given["drives"] = [Drive(pressure_load(shell, 1.0), lambda t: np.nan)]
    if "mass" in change:
        given["mass"] = mass_matrix(mantle(), RHO)
    if "start" in change:
        given["start"] = State(np.zeros((1, 3)), np.zeros((1, 3)))
    with pytest.raises(ValueError, match=message):
        simulate(shell, given.pop("mass"), given.pop("times"), given.pop("step"), **given)


def test_no_water_no_base():
    with pytest.raises(ValueError, match="drag coefficient is -1"):
        Water(JET, drag=-1.0)
    with pytest.raises(ValueError, match=r"base's mass is -1.0 kg"):
        FreeBase(-1.0)
    shell = ring(GreenLaw(E), end="supported")
    with pytest.raises(ValueError, match="both ends hold the shell along x"):
        simulate(shell, mass_matrix(shell, RHO), [0.0, 1.0], 0.1, base=FreeBase(1.0))
