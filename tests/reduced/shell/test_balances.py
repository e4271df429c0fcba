"""What shells in motion keep, lose and carry: energy, momentum, damping, bases that move."""

import numpy as np
import pytest
from mantles import ADDED, ETA, JET, RHO, RUBBER, E, H, R, balance, constant, mantle, ring, squeezed
from scipy.integrate import quad

from loligo.cases.rubber.elastomer import NeoHooke, Yeoh
from loligo.reduced.shell.dynamics import simulate
from loligo.reduced.shell.inertia import mass_matrix, vibrations
from loligo.reduced.shell.laws import GreenLaw, LinearLaw, RubberLaw
from loligo.reduced.shell.loads import (
    TimedLoads,
    edge_load,
    hoop_tension_load,
    pressure_load,
    sinusoidal,
    surface_load,
    triangular,
)
from loligo.reduced.shell.motion import MantleWater, ShellState, SlidingBase
from loligo.reduced.shell.statics import solve

# --- what a step conserves -----------------------------------------------------------------------


def release(shell, mass, load, base=None, step=1e-3, count=200):
    """From the equilibrium under a load that is gone at t = 0."""
    state = solve(shell, load)
    start = ShellState(state.displacement, 0 * state.displacement)
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
    motion = release(shell, mass, hoop_tension_load(shell, 10.0), SlidingBase(0.2), 2e-3, 100)
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
            TimedLoads(hoop_tension_load(shell, 12.0), sinusoidal(1.89)),
            TimedLoads(surface_load(shell, axial=3.0), triangular(1.26)),
        ],
        water=MantleWater(JET, drag=1.7),
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
    weight = TimedLoads(surface_load(shell, axial=9.81 * RHO * H), constant)
    motion = simulate(shell, mass, [0.0, 0.3, 1.0], step, drives=[weight], base=SlidingBase())
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
    start = squeezed(shell, 1 - 1e-6)
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
        start=ShellState(shape, 0 * shape),
    )
    share = (motion.displacement * shape).sum((1, 2)) / (shape**2).sum()
    late = (2 * np.pi / 400) ** 2 / 12 * 2 * np.pi  # rad after a period
    np.testing.assert_allclose(share, [1, 0, -1, 1], atol=2 * late)


def test_creep_of_a_yeoh_strip():
    """F15: a nominal stress of 0.2 MPa at once, Kirchhoff 2 eta d: stretch at 0.1, 0.5, 1, 2 s."""
    law = RubberLaw(Yeoh(c10=0.11e6, c20=0.02e6, c30=0.0, density=1.0, viscosity=0.05e6))
    h, length = 1e-5, 0.02
    shell = ring(law, length, h)
    pull = TimedLoads(edge_load(shell, "end", axial=0.2e6 * h), constant)
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
    drive = TimedLoads(load, lambda t: min(t / 0.2, 1.0))
    motion = simulate(shell, mass_matrix(shell, RHO, ADDED), [0.0, 0.2, 4.0], 0.02, drives=[drive])
    np.testing.assert_allclose(motion.displacement[-1], exact.displacement, atol=1e-8 * R)
    assert motion.volume[-1] == pytest.approx(exact.volume, rel=1e-8)
    assert motion.kinetic[-1] < 1e-10 * exact.energy
    # The load did more work than is stored: the rest went into the wall's viscosity.
    assert motion.dissipated[-1] == pytest.approx(motion.work[-1] - exact.energy, rel=1e-7)


def test_follower_pressure_ends_in_statics():
    shell = mantle()
    exact = solve(shell, pressure_load(shell, 40.0))
    drive = TimedLoads(pressure_load(shell, 40.0), lambda t: min(t / 0.2, 1.0))
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
        water=MantleWater(JET, drag=1.7),
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
        drives=[TimedLoads(hoop_tension_load(shell, 15.0), triangular(1.51))],
        water=MantleWater(JET, drag=1.7),
        base=SlidingBase(0.204),
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
    for size, step, base in (
        (8e-3, 5e-3, None),
        (4e-3, 2.5e-3, None),
        (8e-3, 5e-3, SlidingBase(0.2)),
    ):
        shell = mantle(size=size)
        motion = simulate(
            shell,
            mass_matrix(shell, RHO, ADDED),
            times,
            step,
            drives=[TimedLoads(hoop_tension_load(shell, 15.0), triangular(1.89))],
            water=MantleWater(JET, drag=1.7),
            base=base,
        )
        shortened.append(motion.displacement[-1, 0, 0] - motion.displacement[-1, -1, 0])
    assert shortened[0] > 20e-3 and shortened[1] == pytest.approx(shortened[0], rel=0.01)
    assert abs(shortened[2]) < 2e-3
