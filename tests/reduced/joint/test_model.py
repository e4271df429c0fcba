"""Zhang's joint: kinematics, inertia and forces against the exponential, points and differences."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import expm

from loligo.reduced.arcs import pcc
from loligo.reduced.joint import model as joints
from loligo.reduced.joint.material import Hooke
from loligo.reduced.joint.model import ZHANG_2022 as JOINT

FABRIC = replace(JOINT, matrix_fraction=0.4, matrix_to_fabric=0.01, submerged_mass=0.05)
HANGING = replace(JOINT, submerged_mass=0.05)
GRAVITY = np.array([3.0, -7.0, 6.0])

lengthening = st.floats(-0.03, 0.1)
states = st.tuples(lengthening, lengthening, lengthening).map(np.array)


def slope(function, x, direction, h=1e-4):
    d = np.asarray(direction)
    return (
        8 * (function(x + h * d) - function(x - h * d))
        - (function(x + 2 * h * d) - function(x - 2 * h * d))
    ) / (12 * h)


def gradient(function, x, h=1e-4):
    return np.stack([slope(function, x, e, h) for e in np.eye(3)], axis=-1)


def printed_arc(q):
    """Eq 3: length, bend and azimuth of the three lengths."""
    l1, l2, l3 = JOINT.rest_length + np.asarray(q)
    root = np.sqrt(max(l1**2 + l2**2 + l3**2 - l1 * l2 - l1 * l3 - l3 * l2, 0.0))
    phi = np.arctan2(np.sqrt(3) * (l3 - l2), l2 + l3 - 2 * l1)
    return (l1 + l2 + l3) / 3, 2 * root / (3 * JOINT.actuator_offset), phi


@given(states)
@settings(deadline=None)
def test_arc_is_equation_3(q):
    arc = joints.arc(JOINT, q)
    # The root of a difference of squares knows the bend to sqrt(1e-16) l/d.
    np.testing.assert_allclose(arc, pcc.from_polar(*printed_arc(q)), rtol=0, atol=2e-7)
    rs = JOINT.actuator_offset
    u, v = (q[1] + q[2] - 2 * q[0]) / (3 * rs), (q[2] - q[1]) / (np.sqrt(3) * rs)
    np.testing.assert_allclose(arc[1:], [u, v], rtol=0, atol=1e-14)


@given(states)
@settings(deadline=None)
def test_pose_is_equation_5_permuted(q):
    """The tangent-x matrix; the print has the tangent-z one, which contradicts its own Eq 4."""
    length, theta, phi = printed_arc(q)
    c, s, ct, st_ = np.cos(phi), np.sin(phi), np.cos(theta), np.sin(theta)
    corrected = np.array(
        [
            [ct, -c * st_, -s * st_],
            [c * st_, c**2 * (ct - 1) + 1, c * s * (ct - 1)],
            [s * st_, c * s * (ct - 1), c**2 * (1 - ct) + ct],
        ]
    )
    frame = pcc.pose(joints.arc(JOINT, q))
    np.testing.assert_allclose(frame[:3, :3], corrected, rtol=0, atol=2e-7)
    if theta > 0.01:
        p = length / theta * np.array([st_, c * (1 - ct), s * (1 - ct)])
        np.testing.assert_allclose(frame[:3, 3], p, rtol=0, atol=1e-8)
        printed = length / theta * np.array([c * (1 - ct), s * (1 - ct), st_])
        np.testing.assert_allclose(pcc.Z_ARM @ printed, p, rtol=0, atol=1e-15)
    u, v = joints.arc(JOINT, q)[1:]
    twist = np.array([[0, -u, -v, length], [u, 0, 0, 0], [v, 0, 0, 0], [0, 0, 0, 0]])
    np.testing.assert_allclose(frame, expm(twist), rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("inputs", "phi"),
    [
        ((0.3, 0, 0), 180.0),  # case 2
        ((0.2, 0.3, 0), -100.9),  # case 3; the text has about 90
        ((0.2, 0, 0.1), 150.0),
        ((0.2, 0.2, 0.3), 60.0),  # case 4, first joint; the text has within +-90
        ((0.3, 0, 0), 180.0),  # and second
        ((0.1, 0.2, 0), -90.0),  # what pitch alone takes
    ],
)
def test_azimuths_of_the_printed_inputs(inputs, phi):
    got = np.degrees(pcc.to_polar(joints.arc(JOINT, np.array(inputs) * 0.1))[2])
    assert (got - phi + 180) % 360 - 180 == pytest.approx(0.0, abs=0.05)


@given(states)
@settings(deadline=None)
def test_relabelled_actuators_turn_the_joint_by_120_degrees(q):
    c, s = -0.5, np.sqrt(0.75)
    turn = np.eye(4)
    turn[1:3, 1:3] = [[c, -s], [s, c]]
    turned = pcc.pose(joints.arc(JOINT, np.roll(q, 1)))
    expected = turn @ pcc.pose(joints.arc(JOINT, q)) @ turn.T
    np.testing.assert_allclose(turned, expected, rtol=0, atol=1e-13)
    rolled = joints.mass_matrix(JOINT, np.roll(q, 1))
    mass = joints.mass_matrix(JOINT, q)
    np.testing.assert_allclose(rolled, np.roll(mass, (1, 1), (0, 1)), rtol=0, atol=1e-14)


def test_tip_jacobian_against_differences():
    q = np.array([0.02, 0.05, -0.01])
    frame = pcc.pose(joints.arc(JOINT, q))
    for column, direction in enumerate(np.eye(3)):
        rate = np.linalg.inv(frame) @ slope(lambda x: pcc.pose(joints.arc(JOINT, x)), q, direction)
        twist = [rate[2, 1], rate[0, 2], rate[1, 0], *rate[:3, 3]]
        np.testing.assert_allclose(joints.jacobian(JOINT, q)[:, column], twist, atol=1e-8)


def moving_points_energy(q, rate):
    """Kinetic energy of points spread over discs along the arc, moved by differences of the pose.

    Nine discs at Gauss points, each as four points at R/sqrt(2), which have its inertia.
    """
    nodes, weights = np.polynomial.legendre.leggauss(9)
    r = JOINT.radius / np.sqrt(2)
    disc = np.array([[0, r, 0, 1], [0, -r, 0, 1], [0, 0, r, 1], [0, 0, -r, 1]]).T
    energy = 0.0
    for f, w in zip(0.5 * (1 + nodes), 0.5 * weights, strict=True):
        velocity = slope(lambda x, f=f: pcc.pose(f * joints.arc(JOINT, x)) @ disc, q, rate)
        energy += w * JOINT.mass / 4 * 0.5 * np.sum(velocity[:3] ** 2)
    return energy


@pytest.mark.parametrize("q", [(0.0, 0.0, 0.0), (0.08, 0.0, 0.01), (-0.02, 0.09, 0.1)])
def test_mass_matrix_is_the_kinetic_energy_of_points(q):
    q = np.array(q)
    for rate in np.random.default_rng(11).uniform(-1, 1, (4, 3)):
        kinetic = 0.5 * rate @ joints.mass_matrix(JOINT, q) @ rate
        assert kinetic == pytest.approx(moving_points_energy(q, rate), rel=1e-8)


def test_printed_slice_inertia_belongs_to_an_arm_along_z():
    """Eq 16 has R^2/2 last: with the tangent along x it is the axial inertia that comes first."""
    q, rate = np.array([0.08, 0.0, 0.01]), np.array([1.0, 0.2, -0.5])
    nodes, weights = np.polynomial.legendre.leggauss(12)
    kinetic = {"printed": 0.0, "corrected": 0.0}
    for f, w in zip(0.5 * (1 + nodes), 0.5 * weights, strict=True):
        twist = f * pcc.jacobian(f * joints.arc(JOINT, q)) @ joints.arc_map(JOINT) @ rate
        square = JOINT.radius**2
        for name, spin in (("printed", (1, 1, 2)), ("corrected", (2, 1, 1))):
            inertia = JOINT.mass * np.array([*(square / 4 * np.array(spin)), 1, 1, 1])
            kinetic[name] += 0.5 * w * twist @ (inertia * twist)
    exact = moving_points_energy(q, rate)
    assert kinetic["corrected"] == pytest.approx(exact, rel=1e-8)
    assert abs(kinetic["printed"] / exact - 1) > 0.01


def test_quadrature_suffices_for_any_bend():
    q = np.array([-0.02, 0.16, 0.05])
    assert pcc.to_polar(joints.arc(JOINT, q))[1] > 4.0
    nodes, weights = np.polynomial.legendre.leggauss(40)
    square = JOINT.radius**2
    inertia = JOINT.mass * np.array([square / 2, square / 4, square / 4, 1, 1, 1])
    exact = np.zeros((3, 3))
    for f, w in zip(0.5 * (1 + nodes), 0.5 * weights, strict=True):
        twist = f * pcc.jacobian(f * joints.arc(JOINT, q)) @ joints.arc_map(JOINT)
        exact += w * twist.T @ (inertia[:, None] * twist)
    np.testing.assert_allclose(joints.mass_matrix(JOINT, q), exact, rtol=0, atol=1e-11)


def test_mass_of_the_straight_joint():
    """Axially a rod of mass m that stretches evenly: m/3; sideways the parabola f^2/2: m L^2/20."""
    mass = joints.mass_matrix(JOINT, np.zeros(3))
    together = np.ones(3)
    assert together @ mass @ together == pytest.approx(JOINT.mass / 3, rel=1e-12)
    lean = np.array([-2.0, 1.0, 1.0]) * JOINT.actuator_offset / 2  # u = 1
    expected = JOINT.mass * (JOINT.rest_length**2 / 20 + JOINT.radius**2 / 4 / 3)
    assert lean @ mass @ lean == pytest.approx(expected, rel=1e-12)


@given(states, st.tuples(*[st.floats(-1, 1)] * 3).map(np.array))
@settings(deadline=None, max_examples=25)
def test_inertial_force_is_lagranges(q, rate):
    """c = M' q' - d(q' M q'/2)/dq."""
    change = slope(lambda x: joints.mass_matrix(JOINT, x), q, rate) @ rate
    by_q = gradient(lambda x: np.array(0.5 * rate @ joints.mass_matrix(JOINT, x) @ rate), q)
    force = joints.inertial_force(JOINT, q, rate)
    np.testing.assert_allclose(force, change - by_q, rtol=0, atol=1e-9)


@pytest.mark.parametrize("joint", [JOINT, FABRIC, replace(FABRIC, law=Hooke(2.048e5))])
def test_elastic_force_and_stiffness_are_derivatives(joint):
    q = np.array([0.05, -0.02, 0.11])
    state = joints.elastic(joint, q)
    for j, direction in enumerate(np.eye(3)):
        force = slope(lambda x: joints.elastic(joint, x).energy.sum(), q, direction)
        stiffness = slope(lambda x, j=j: joints.elastic(joint, x).force[j], q, direction)
        assert state.force[j] == pytest.approx(force, rel=1e-8)
        assert state.stiffness[j] == pytest.approx(stiffness, rel=1e-8)


def test_elastic_energy_is_volume_times_u():
    q, area = 0.12, 1793.8494e-6
    i1 = 1.6**2 + 2 / 1.6 - 3
    u = 12563 * i1 - 67.784 * i1**2 + 2.7385 * i1**3
    assert joints.elastic(JOINT, q).energy == pytest.approx(area * 0.2 * u, rel=1e-7)


def test_inextensible_fabric_divides_its_area_by_the_matrix_fraction():
    """Eq 21 at strain 0.1 with V_m0 = 0.5: V_m = 0.6/1.1."""
    joint = replace(JOINT, matrix_fraction=0.5, law=Hooke(1e5))
    matrix, fabric = joint.areas
    area = joints.elastic(joint, 0.02).energy / (0.2 * 0.5 * 1e5 * 0.01)
    assert area == pytest.approx(matrix + fabric / (0.6 / 1.1), rel=1e-12)


@given(states)
@settings(deadline=None, max_examples=25)
def test_gravity_force_and_stiffness_are_derivatives(q):
    def energy(x):
        return np.array(joints.gravity_energy(HANGING, x, GRAVITY))

    force = joints.gravity_force(HANGING, q, GRAVITY)
    np.testing.assert_allclose(force, -gradient(energy, q), rtol=0, atol=1e-9)
    stiffness = gradient(lambda x: joints.gravity_force(HANGING, x, GRAVITY), q)
    np.testing.assert_allclose(
        joints.gravity_stiffness(HANGING, q, GRAVITY), stiffness, rtol=0, atol=1e-7
    )


def test_gravity_energy_of_the_straight_joint():
    energy = joints.gravity_energy(HANGING, np.zeros(3), [9.81, 0, 0])
    assert energy == pytest.approx(-0.05 * 9.81 * 0.1)


@given(states, st.tuples(*[st.floats(-1, 1)] * 3).map(np.array))
@settings(deadline=None)
def test_viscosity_dissipates_and_is_odd(q, rate):
    force = joints.viscous_force(FABRIC, q, rate)
    assert (force * rate >= 0).all()
    np.testing.assert_array_equal(joints.viscous_force(FABRIC, q, -rate), -force)
