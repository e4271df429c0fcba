"""Rods in motion against closed forms and against published benchmarks, re-solved elsewhere."""

import numpy as np
import pytest
from scipy.optimize import brentq

from loligo.reduced.rod.loads import PointLoad
from loligo.reduced.rod.model import Rod, circular_stiffness
from loligo.reduced.rod.motion.dynamics import simulate
from loligo.reduced.rod.motion.equations import FreeBase, MovingRod, RodWater, circular_inertia
from loligo.reduced.rod.motion.inertia import vibrations
from loligo.reduced.rod.statics import solve

UNIT = np.eye(6)
MASS = np.diag([0.0, 0, 0, 1, 1, 1])  # of a line
BEAM = {"degrees": {"bend_z": 4}, "segments": 2}


def roots(count):
    """Solutions of cos(x) cosh(x) = -1: the wave numbers of a cantilever."""
    guesses = [(k - 0.5) * np.pi for k in range(1, count + 1)]
    return [brentq(lambda x: np.cos(x) + 1 / np.cosh(x), g - 1, g + 1) for g in guesses]


def test_vibrations_of_a_cantilever():
    s = vibrations(solve(Rod(1.0, UNIT, **BEAM), []), MASS).s
    np.testing.assert_allclose(s.imag[:3], np.square(roots(3)), rtol=1e-4)
    np.testing.assert_allclose(s.real, 0, atol=1e-6 * np.abs(s).max())


def test_piecewise_constant_strain_converges_with_order_two_in_space():
    errors = []
    for segments in (4, 8, 16):
        rod = Rod(1.0, UNIT, degrees={"bend_z": 0}, segments=segments, cells=1)
        s = vibrations(solve(rod, []), MASS).s
        errors.append(abs(s.imag[0] - roots(1)[0] ** 2))
    np.testing.assert_allclose(np.log2(errors[0] / errors[1]), 2.0, atol=0.1)
    np.testing.assert_allclose(np.log2(errors[1] / errors[2]), 2.0, atol=0.05)


def test_r4_beck_column_flutters(check):
    """A follower force along the tip's axis, P L^2/EI = 20.0509: two frequencies merge."""
    rod = Rod(1.0, UNIT, **BEAM)

    def growth(load):
        s = vibrations(solve(rod, [PointLoad((-load, 0, 0), axes="body")]), MASS).s
        return s.real.max() / np.abs(s[0])

    low, high = 19.0, 21.0
    while high - low > 1e-3:
        middle = 0.5 * (low + high)
        low, high = (low, middle) if growth(middle) > 1e-4 else (middle, high)
    check("R4", "flutter load", low, 20.0509, 2e-3)
    assert growth(19.9) < 1e-6 and growth(20.2) > 0.01


@pytest.mark.parametrize("degree", [4, 6, 8])
def test_rounding_is_no_flutter(degree):
    """A rod under a dead force has a potential: where it is stable, nothing grows.

    The force is 0.28 of Euler's pi^2/4 EI/L^2; the fastest motion has |s| above 1e4 1/s.
    """
    rod = Rod(0.25, circular_stiffness(0.01, 0.3e6, 0.1e6), degrees=degree)
    euler = np.pi**2 / 4 * 0.3e6 * np.pi / 4 * 0.01**4 / 0.25**2
    pressed = solve(rod, [PointLoad((-0.28 * euler, 0, 0))])
    assert pressed.stable
    found = vibrations(pressed, circular_inertia(0.01, 1070.0))
    assert (found.s.real > 0.0).any()  # what was called flutter
    assert not found.growing.any()
    assert (found.error[:8] < 1e-2 * np.abs(found.s[:8])).all()  # it still tells something


def test_flutter_and_buckling_grow():
    """Beck's column beyond 20.05 EI/L^2, and a column beyond Euler's pi^2/4 EI/L^2, just so."""
    for load, axes, modes in ((20.2, "body", 1), (1.001 * np.pi**2 / 4, "world", 1)):
        state = solve(Rod(1.0, UNIT, **BEAM), [PointLoad((-load, 0, 0), axes=axes)])
        assert vibrations(state, MASS).growing.sum() == modes
    for load, axes in ((19.9, "body"), (0.999 * np.pi**2 / 4, "world")):
        state = solve(Rod(1.0, UNIT, **BEAM), [PointLoad((-load, 0, 0), axes=axes)])
        assert not vibrations(state, MASS).growing.any()


def test_r13_frequencies_in_air_and_water(check):
    """E 0.3 MPa, d 20 mm, L 250 mm, nu 1/2, k 0.9; water moves with the section as much as B = 1.

    Timoshenko's frequencies in air from the determinant of his beam; in water those times
    1/sqrt(1 + 1000/1070), but for the rotary inertia, which the water does not add to.
    """
    rod = Rod(0.25, circular_stiffness(0.01, 0.3e6, 0.1e6), degrees=5)
    rest = solve(rod, [])
    inertia = circular_inertia(0.01, 1070.0)
    dry = vibrations(rest, inertia).s.imag / (2 * np.pi)
    # Bending twice, in both directions; torsion at 9.6674 Hz lies between
    check("R13", "first frequency in air (Timoshenko)", dry[:2], 0.74660, 1e-4)
    check("R13", "second frequency in air", dry[2:4], 4.57129, 1e-4)
    assert np.abs(dry - 9.6674).min() < 1e-3
    assert np.abs(dry - 12.3617).min() < 2e-3
    wet = vibrations(rest, inertia, water=RodWater(1000.0, 0.01)).s.imag / (2 * np.pi)
    check("R13", "first frequency in water", wet[:2], 0.53678, 1e-3)
    check("R13", "wet by dry", wet[:2] / dry[:2], 0.718963, 1e-3)


def test_log_decrement_of_a_viscous_cantilever():
    """Upsilon = tau K damps a mode of frequency w by zeta = w tau/2: M s^2 + tau K s + K = 0.

    Let go at rest from its own shape, the amplitude after n damped periods is exp(-n delta),
    delta = 2 pi zeta/sqrt(1 - zeta^2).
    """
    rod = Rod(1.0, UNIT, **BEAM)
    shapes = vibrations(solve(rod, []), MASS).shapes
    w = roots(1)[0] ** 2
    zeta = 0.05
    tau = 2 * zeta / w
    period = 2 * np.pi / (w * np.sqrt(1 - zeta**2))
    delta = 2 * np.pi * zeta / np.sqrt(1 - zeta**2)
    q = 1e-4 * (shapes[:, 0] / shapes[0, 0]).real
    start = MovingRod(q, 0 * q, np.eye(4), np.zeros(6))
    times = period * np.arange(4)
    motion = simulate(
        rod, MASS, times, damping=tau * UNIT, start=start, step=period / 100, tolerance=None
    )
    tip = motion.tip_position[:, 1]
    # The period is long by (w h)^2/12 = 3e-4, second order at the maxima; so is the decrement
    np.testing.assert_allclose(np.log(tip[:-1] / tip[1:]), delta, rtol=2e-3)


def test_hysteresis_of_a_slow_cycle():
    """A tip moment M sin(W t) on a light rod: loop area pi EI W tau k^2 L, k the curvature."""
    rod = Rod(1.0, UNIT, degrees={"bend_z": 0})
    W, tau, moment = 2.0, 0.2, 1.5
    cycle = 2 * np.pi / W
    motion = simulate(
        rod,
        1e-9 * UNIT,
        cycle * np.array([0.0, 1.0, 2.0]),
        loads=lambda t: [PointLoad(moment=(0, 0, moment * np.sin(W * t)))],
        damping=tau * UNIT,
        step=cycle / 200,
        tolerance=None,
    )
    k = moment / np.hypot(1.0, W * tau)
    area = np.pi * W * tau * k**2
    # What is left of the start-up after a cycle: exp(-cycle/tau) = 1.5e-7
    assert np.diff(motion.dissipated)[1] == pytest.approx(area, rel=1e-3)
    assert np.diff(motion.work)[1] == pytest.approx(area, rel=1e-3)


SPAGHETTI = np.diag([20.0, 10, 10, 1, 1, 1])


@pytest.mark.slow
def test_r11_right_angle_cantilever(check):
    """Simo and Vu-Quoc's elbow: the table is that of linear elements, extrapolated."""
    section = np.diag([1e3, 1e3, 1e3, 1e6, 1e6, 1e6])
    quarter = np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])
    rod = Rod(20.0, section, degrees=3, segments=2, joints={10.0: quarter})

    def pulse(t):
        return [PointLoad((0, 0, 50 * max(0.0, 1 - abs(t - 1))), at=10.0)]

    times = [0, 1, 2, 4, 6, 8, 10, 12]
    motion = simulate(rod, SPAGHETTI, times, loads=pulse, step=0.05, tolerance=None)
    elbow, tip = motion.frames([10.0, 20.0])[2:, :, 2, 3].T
    expected = [4.115, 4.642, 2.542, 1.633, -3.095, -2.138]
    check("R11", "elbow, t = 2 to 12", elbow, expected, 0.03)
    expected = [0.069, 3.509, 6.914, 7.961, 4.464, -3.378]
    check("R11", "tip", tip, expected, 0.03)
    energy = motion.kinetic + motion.stored
    check("R11", "energy after the pulse", energy[2:], 114.78, 1e-3)
    check("R11", "drift of the energy to t = 12", energy[-1], energy[2], 1e-7)


def inclined():
    along = np.array([-0.6, 0.8, 0.0])
    base = np.eye(4)
    base[:3, :3] = np.array([along, np.cross([0, 0, 1], along), [0, 0, 1]]).T
    base[:3, 3] = [6.0, 0, 0]
    return base


def centre(motion):
    grid = motion.rod.grid
    points = motion.frames(grid.nodes[grid.nodes_by_interval].ravel())[:, :, :3, 3]
    return grid.lobatto_weights.ravel() @ points / motion.rod.length


def test_r12_free_flight_in_the_plane(check):
    """8 N and -80 N m on the lower end for 2.5 s, then nothing; mass 10 kg.

    The centre of mass goes as Newton says, by x = 3 + 0.4 t^2 and then with 2 m/s.
    """
    section = np.diag([100.0, 100, 100, 1e4, 1e4, 1e4])
    rod = Rod(
        10.0,
        section,
        degrees={"bend_z": 2, "stretch": 2, "shear_y": 2},
        segments=3,
        base=inclined(),
    )

    def pushed(t):
        return [PointLoad((8, 0, 0), (0, 0, -80), at=0.0)] if t < 2.5 else []

    times = np.array([0, 1.25, 2.5, 5.0, 7.5])
    motion = simulate(
        rod, SPAGHETTI, times, loads=pushed, base=FreeBase(), step=0.05, tolerance=None
    )
    check("R12", "plane: linear momentum", motion.momentum[:, 3], 8 * np.minimum(times, 2.5), 1e-10)
    x = np.where(times < 2.5, 3 + 0.4 * times**2, 5.5 + 2 * (times - 2.5))
    place = np.stack([x, np.full(5, 4.0)], axis=1)
    check("R12", "plane: centre of mass", centre(motion)[:, :2], place, 1e-6, scale=1.0)
    ends = motion.frames([0.0, 10.0])[3, :, :2, 3]
    expected = [(9.784, 8.202), (8.073, 1.763)]
    check("R12", "plane: ends at t = 5 (length 10)", ends, expected, 0.05, scale=1.0)
    # The load jumps on: between fine meshes and steps the energy varies from 376.5 to 382.4
    energy = motion.kinetic + motion.stored
    check("R12", "plane: energy", energy[2:], 379.204, 1e-2)
    check("R12", "plane: drift of the energy", energy[-1], energy[2], 1e-4)
    check("R12", "plane: angular momentum", motion.momentum[-1, 2], -229.52, 2e-3)
    np.testing.assert_allclose(motion.momentum[3:, 2], motion.momentum[2, 2], rtol=5e-4)
    np.testing.assert_array_equal(motion.reaction, 0.0)


def test_r12_free_flight_in_space(check):
    """Triangular loads for 5 s, at most 20 N along x, -100 N m about y and -200 N m about z."""
    section = np.diag([500.0, 500, 500, 1e4, 1e4, 1e4])
    line = np.diag([10.0, 10, 10, 1, 1, 1])
    rod = Rod(10.0, section, degrees=3, segments=1, base=inclined())

    def pushed(t):
        peak = 200 * max(0.0, 1 - abs(t / 2.5 - 1))
        return [PointLoad((peak / 10, 0, 0), (0, -peak / 2, -peak), at=0.0)]

    times = [0.0, 2.5, 5.0, 6.0]
    motion = simulate(rod, line, times, loads=pushed, base=FreeBase(), step=0.05, tolerance=None)
    check("R12", "space: linear momentum", motion.momentum[2:, 3:], [[50, 0, 0]] * 2, 1e-9)
    # A load that is linear in time moves it by the third power: h^2 is left here, h^5 of Radau's.
    x = np.array([3, 3 + 125 / 60, 3 + 12.5, 3 + 17.5])
    np.testing.assert_allclose(centre(motion)[:, 0], x, atol=1e-3)
    fine = simulate(
        rod, line, times, loads=pushed, base=FreeBase(), step=0.05, tolerance=None, scheme="radau"
    )
    place = np.stack([x, np.full(4, 4.0), np.zeros(4)], axis=1)
    check("R12", "space: centre of mass, radau", centre(fine), place, 1e-6, scale=1.0)
    end = motion.frames([0.0])[2, 0, :3, 3]
    place = (19.563, 1.521, -1.508)
    check("R12", "space: loaded end at t = 5 (length 10)", end, place, 0.07, scale=1.0)
    energy = motion.kinetic + motion.stored
    check("R12", "space: energy", energy[2:], 884.13, 1e-3)
    # The angular momentum is kept to second order: 0.8 of 600 at this step, 0.12 at 0.02
    turning = motion.momentum[2:, :3]
    check("R12", "space: angular momentum", turning, [(0, -295.70, -553.00)] * 2, 2e-3)
    turning, energy = fine.momentum[2:, :3], fine.kinetic + fine.stored
    expected = [(0, -295.70, -553.00)] * 2
    check("R12", "space: angular momentum, radau", turning, expected, 2e-4)
    check("R12", "space: drift of the energy, radau", energy[3], energy[2], 1e-6)
