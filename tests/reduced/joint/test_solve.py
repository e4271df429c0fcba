"""Statics and motion of Zhang's joint: the printed numbers, closed forms, energy."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import simpson

from loligo.cases.rubber.elastomer import NeoHooke, Yeoh
from loligo.reduced.arcs import pcc
from loligo.reduced.joint import model as joints
from loligo.reduced.joint import solve as joint_solve
from loligo.reduced.joint.material import Areas, Hooke, Newtonian, exact_areas
from loligo.reduced.joint.model import ZHANG_2022 as JOINT

LINEAR = replace(JOINT, law=Hooke(2.048e5))
SMOOTH = replace(JOINT, viscosity=Newtonian(5e3), submerged_mass=0.05)
FREE = replace(SMOOTH, viscosity=Newtonian(0.0))
EXACT = exact_areas(radius=0.045, bore=0.008, wall=0.006, sleeve=0.002)


def bend(q):
    return pcc.to_polar(joints.arc(JOINT, q))[1]


@pytest.mark.parametrize(
    ("joint", "q", "theta"),
    [
        (JOINT, 0.140, 3.9),  # self-contact
        (replace(JOINT, areas=EXACT), 0.127, None),
        (LINEAR, 0.0328, 0.912),
        (replace(LINEAR, pressure_area=np.pi * 0.014**2), 0.100, None),  # the hooped K
    ],
    ids=["yeoh", "yeoh, exact area", "E_m", "E_m, hooped K"],
)
def test_printed_pressure_of_0_3_mpa_on_one_actuator(joint, q, theta):
    got = joint_solve.equilibrium(joint, [0.3e6, 0, 0])
    assert got[0] == pytest.approx(q, rel=6e-3)
    np.testing.assert_allclose(got[1:], 0.0, atol=1e-15)
    if theta:
        assert bend(got) == pytest.approx(theta, rel=5e-3)


def test_linear_joint_in_closed_form():
    """q = K p L_0/(A E)."""
    pressures = np.array([0.1e6, 0.3e6, 0.2e6])
    q = JOINT.pressure_area * pressures * 0.2 / (sum(JOINT.areas) * 2.048e5)
    np.testing.assert_allclose(joint_solve.equilibrium(LINEAR, pressures), q, rtol=1e-12)


def test_only_the_ratio_of_k_and_modulus_shows():
    half = replace(LINEAR, law=Hooke(1.024e5), pressure_area=LINEAR.pressure_area / 2)
    pressures = [0.1e6, 0.3e6, 0.2e6]
    np.testing.assert_allclose(
        joint_solve.equilibrium(half, pressures), joint_solve.equilibrium(LINEAR, pressures)
    )


def test_sag_of_a_weak_load_in_closed_form():
    """Weight w on the parabola y = L f^2 u/2 pulls with w L/6; springs hold with 3/2 A E r^2/L."""
    joint = replace(LINEAR, submerged_mass=1e-4)
    q = joint_solve.equilibrium(joint, [0, 0, 0], gravity=[0, -9.81, 0])
    k = 1.5 * sum(JOINT.areas) * 2.048e5 * JOINT.actuator_offset**2 / 0.2
    sag = 1e-4 * 9.81 * 0.2 / 6 / k
    np.testing.assert_allclose(joints.arc(joint, q), [0.2, -sag, 0.0], rtol=0, atol=1e-4 * sag)


def test_equilibrium_makes_the_potential_stationary():
    heavy = replace(JOINT, submerged_mass=0.3)
    pressures, gravity = np.array([3e4, 1e4, 0.0]), [2.0, -7.0, 6.0]
    q = joint_solve.equilibrium(heavy, pressures, gravity=gravity)

    def potential(x):
        stored = joint_solve.total_energy(heavy, x, np.zeros(3), gravity)
        return stored - heavy.pressure_area * pressures @ x

    h = 1e-4
    for direction in np.eye(3):
        force = (potential(q + h * direction) - potential(q - h * direction)) / (2 * h)
        # h^2/6 of the third derivative, some 1e4 N/m^2 here, beside forces of 1 N
        assert abs(force) < 1e-4


def test_equal_pressures_keep_the_joint_straight():
    q = joint_solve.equilibrium(JOINT, [2e4] * 3)
    assert bend(q) < 1e-14
    rubber = Yeoh(c10=12563.0, c20=-67.784, c30=2.7385, density=1.0)
    assert rubber == JOINT.law.model_copy(update={"density": 1.0})


def test_a_joint_that_stands_gives_way_at_its_critical_weight():
    """Straight up, u gains -m g L/12 of potential per u^2/2 and costs 3/2 A E r^2/L_0."""
    stiffness = 1.5 * sum(JOINT.areas) * 2.048e5 * JOINT.actuator_offset**2 / 0.2
    critical = 12 * stiffness / (9.81 * 0.2)
    up = [-9.81, 0.0, 0.0]
    # The weight shortens the joint by 4 %, which makes it a little stiffer than this.
    light = replace(LINEAR, submerged_mass=0.85 * critical)
    assert bend(joint_solve.equilibrium(light, np.zeros(3), gravity=up)) < 1e-12
    heavy = replace(LINEAR, submerged_mass=1.15 * critical)
    with pytest.raises(RuntimeError, match="is unstable, the weight overcomes"):
        joint_solve.equilibrium(heavy, np.zeros(3), gravity=up)
    # It may lean to any side: a little weight across picks one.
    leaning = [-9.81, 0.2, 0.0]
    aside = joint_solve.equilibrium(heavy, np.zeros(3), gravity=leaning, start=[-0.05, 0.0, 0.0])
    assert joints.arc(heavy, aside)[1] > 0.5


WIDE = replace(LINEAR, pressure_area=30.0 * LINEAR.pressure_area)
"""Pulled by a vacuum that there can be as hard as the other one by 3 MPa."""


def test_no_equilibrium_is_said():
    with pytest.raises(RuntimeError, match="no equilibrium found for pressures"):
        joint_solve.equilibrium(WIDE, [-1e5, 0, 0])  # would take a strain of -1.6
    with pytest.raises(ValueError, match="above absolute vacuum"):
        joint_solve.equilibrium(LINEAR, [-2e6, 0, 0])  # the same force


def creep(law, viscosity, stress, times, tolerance):
    """Stretch of a bar under a dead nominal stress: three equal, all but massless actuators."""
    joint = replace(
        JOINT,
        law=law,
        viscosity=viscosity,
        areas=Areas(1e-4, 0.0),
        pressure_area=1e-4,
        mass=1e-6,
    )
    motion = joint_solve.simulate(joint, lambda _: [stress] * 3, times, tolerance=tolerance)
    return 1 + motion.q[:, 0] / joint.rest_length


def test_creep_at_finite_strain():
    """Yeoh (0.11, 0.02) MPa, Kirchhoff stress 2 eta d with eta = 0.05 MPa s, 0.2 MPa dead load."""
    rubber = Yeoh(c10=0.11e6, c20=0.02e6, density=1000.0)
    got = creep(rubber, Newtonian(0.05e6), 0.2e6, [0.0, 0.1, 0.5, 1.0, 2.0], 1e-7)
    expected = [1.0, 1.120622, 1.333568, 1.356863, 1.357731]
    np.testing.assert_allclose(got, expected, rtol=0, atol=2e-6)


def test_power_law_creep_ends_as_t_to_the_minus_3_7ths():
    """E e + eta |e'|^0.3 = s0: s^(-7/3) = s0^(-7/3) + (7/3) E t eta^(-10/3) for what is left, s."""
    young, eta, load = 2.048e5, 22263.8, 30e3
    damper = replace(JOINT.viscosity, smallest_rate=1e-8)
    times = np.array([0.0, 1.0, 10.0, 100.0])
    left = 1 - young * (creep(Hooke(young), damper, load, times, 1e-6) - 1) / load
    exact = (1 + 7 / 3 * young * times * load ** (7 / 3) / eta ** (10 / 3)) ** (-3 / 7)
    np.testing.assert_allclose(left, exact, rtol=0, atol=1e-4)
    np.testing.assert_allclose(exact[[1, 3]], [0.197, 0.028], rtol=0, atol=5e-4)


def test_motion_settles_at_the_statics():
    pressures, gravity = [3e4, 1e4, 0.0], [0.0, -9.81, 0.0]
    motion = joint_solve.simulate(SMOOTH, lambda _: pressures, [0.0, 1.0, 10.0], gravity=gravity)
    rest = joint_solve.equilibrium(SMOOTH, pressures, gravity=gravity)
    # 3 eta/E = 0.2 s: fifty time constants; what remains is the integrator's tolerance.
    np.testing.assert_allclose(motion.q[-1], rest, rtol=0, atol=1e-6 * SMOOTH.rest_length)
    assert np.abs(motion.rate[-1]).max() < 1e-6


def test_free_swing_conserves_energy():
    """Without dissipation the drift follows the tolerance of the steps, order by order."""
    gravity, q = np.array([2.0, -7.0, 6.0]), np.array([0.06, -0.02, 0.03])
    times = np.linspace(0, 0.1, 51)
    drift = []
    for tolerance in (1e-4, 1e-5, 1e-6):
        motion = joint_solve.simulate(
            FREE, lambda _: np.zeros(3), times, gravity=gravity, q=q, tolerance=tolerance
        )
        energy = [
            joint_solve.total_energy(FREE, *state, gravity)
            for state in zip(motion.q, motion.rate, strict=True)
        ]
        drift.append(np.abs(np.array(energy) - energy[0]).max() / np.ptp(stored(motion.q)))
    assert (np.ptp(motion.q, axis=0) > 0.02).all()
    for tolerance, got in zip((1e-4, 1e-5, 1e-6), drift, strict=True):
        assert got < tolerance
    assert drift[2] < drift[0] / 20


def test_energy_error_of_a_fourth_order_method_is_of_fourth_order():
    """Classical Runge-Kutta on the equation of motion: only if its forces are consistent."""
    gravity = np.array([2.0, -7.0, 6.0])

    def slope(state):
        pull = joint_solve.acceleration(FREE, state[:3], state[3:], np.zeros(3), gravity)
        return np.concatenate([state[3:], pull])

    def drift(steps):
        h = 0.02 / steps
        state = np.array([0.06, -0.02, 0.03, 1.0, -2.0, 0.5])
        start = joint_solve.total_energy(FREE, state[:3], state[3:], gravity)
        for _ in range(steps):
            k1 = slope(state)
            k2 = slope(state + h / 2 * k1)
            k3 = slope(state + h / 2 * k2)
            k4 = slope(state + h * k3)
            state = state + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        return abs(joint_solve.total_energy(FREE, state[:3], state[3:], gravity) - start)

    order = np.log2(drift(40) / drift(80))
    assert order > 3.8


def stored(q):
    return joints.elastic(FREE, q).energy.sum(axis=-1)


def test_frequency_of_the_small_axial_swing():
    """omega^2 = 3 k/(m/3), k = A E/L_0: equal actuators, a rod that stretches evenly."""
    joint = replace(FREE, law=NeoHooke(mu=2e4, density=1000.0), submerged_mass=0.0)
    k = sum(joint.areas) * 6e4 / joint.rest_length
    omega = np.sqrt(3 * k / (joint.mass / 3))
    quarter = 0.5 * np.pi / omega
    motion = joint_solve.simulate(
        joint, lambda _: np.zeros(3), [0.0, quarter, 2 * quarter], q=[1e-5] * 3, tolerance=1e-9
    )
    # A strain of 5e-5 changes the stiffness by as much: neo-Hooke, 3 mu (1 - 2 e).
    np.testing.assert_allclose(motion.q[:, 0] / 1e-5, [1, 0, -1], rtol=0, atol=5e-4)


def test_work_of_pressure_is_stored_or_dissipated():
    def pressures(time):
        return np.array([3e4, 1e4, 0.0]) * np.sin(2 * np.pi * time) ** 2

    times = np.linspace(0, 1, 801)
    motion = joint_solve.simulate(SMOOTH, pressures, times, tolerance=1e-9)
    push = SMOOTH.pressure_area * np.array([pressures(time) for time in times])
    work = simpson(np.sum(push * motion.rate, axis=1), x=times)
    damping = joints.viscous_force(SMOOTH, motion.q, motion.rate)
    lost = simpson(np.sum(damping * motion.rate, axis=1), x=times)
    gained = joint_solve.total_energy(SMOOTH, motion.q[-1], motion.rate[-1])
    assert work == pytest.approx(gained + lost, rel=1e-6)
    assert 0 < lost < work


def test_hysteresis_of_a_small_harmonic_strain():
    """Area pi (3 eta) omega e0^2 a volume."""
    eta, omega, e0 = 5e3, 3.0, 1e-4
    times = np.linspace(0, 2 * np.pi / omega, 2001)
    q = SMOOTH.rest_length * e0 * np.sin(omega * times)
    rate = SMOOTH.rest_length * e0 * omega * np.cos(omega * times)
    force = joints.elastic(SMOOTH, q).force + joints.viscous_force(SMOOTH, q, rate)
    area = simpson(force * rate, x=times)
    volume = sum(SMOOTH.areas) * SMOOTH.rest_length
    assert area == pytest.approx(np.pi * 3 * eta * omega * e0**2 * volume, rel=1e-6)


def test_motion_that_cannot_go_on_is_said():
    """Suction that takes a linear spring to a strain of -1.6."""
    joint = replace(WIDE, viscosity=Newtonian(1.0))
    with pytest.raises(RuntimeError, match=r"stopped at 0\.0\d* s: an actuator is squeezed"):
        joint_solve.simulate(joint, lambda _: [-1e5] * 3, [0.0, 10.0], tolerance=1e-4)
