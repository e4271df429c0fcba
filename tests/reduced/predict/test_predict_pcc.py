"""Predictions with one arc a soft length, and with Zhang's joint, against closed forms."""

import numpy as np
import pytest
from scipy.integrate import quad

from loligo.cases.case_file import load
from loligo.cases.load.kinds import TipMoment
from loligo.reduced.predict.joint import joint_of
from loligo.reduced.predict.predict import predict


def arc_of(found, body):
    """Length, bend and azimuth of the last step's soft part."""
    frame = np.linalg.inv(found["frame"].values[-1, 0]) @ found["frame"].values[-1, -1]
    turn = frame[:3, :3]
    bend = np.arccos(turn[0, 0])
    azimuth = np.arctan2(turn[2, 0], turn[1, 0])
    chord = np.linalg.norm(frame[:3, 3])
    return chord / np.sinc(bend / 2 / np.pi), bend, azimuth


def test_a_moment_bends_a_tapered_arm_as_its_mean_stiffness():
    """Virtual work on one curvature: kappa = M L / int EI dX, on the azimuth of m x e1."""
    case = load("renda_arm_tip_moment")
    found = predict(case, "pcc", law="geometry")
    moment = np.array(next(iter(case.load.values())).moment)
    body, young = case.body, 3.0 * case.material["body"].shear_modulus

    def stiffness(X):
        radius = body.base_radius + (body.tip_radius - body.base_radius) * X / body.length
        return young * np.pi / 4 * radius**4

    mean = quad(stiffness, 0.0, body.length, epsrel=1e-12)[0] / body.length
    length, bend, azimuth = arc_of(found, body)
    expected = np.hypot(moment[1], moment[2]) / mean * body.length
    # The energy's slope by the curvature is exact but for the quadrature; a dead moment follows
    # as a rigid one does in the plane.
    assert bend == pytest.approx(expected, rel=1e-5)
    assert length == pytest.approx(body.length, rel=1e-9)
    assert azimuth == pytest.approx(np.arctan2(-moment[1], moment[2]), abs=1e-9)


def test_on_a_uniform_segment_a_moment_makes_the_arc_of_the_rod():
    case = load("gong_bending_one")
    moment = TipMoment(moment=(0.0, 1e-3, -2e-3))
    case = case.model_copy(update={"load": {"tip": moment}})
    rod, arcs = (predict(case, model, law="geometry") for model in ("rod", "pcc"))
    # An end moment bends a uniform rod to a circle exactly.
    np.testing.assert_allclose(arcs["frame"], rod["frame"], atol=1e-7)
    np.testing.assert_allclose(arcs["strain"], rod["strain"], atol=1e-5)


@pytest.mark.parametrize("name", ["zhang_joint_one", "zhang_joint_two", "zhang_joint_three"])
def test_a_joint_lengthens_each_actuator_alone(name):
    """p K = A dU/dlambda for each: q_j depends on p_j only (hoops that do not stretch)."""
    case = load(name)
    found = predict(case, "joint")
    body, segment = case.body, case.body.segments[0]
    area = np.pi * (body.radius**2 / 3 - segment.chamber_radius**2)
    law = case.material["body"]
    q = found["chamber_length"].values[-1, :, 0] - segment.length
    pressure = found["pressure"].values[-1]
    stretch = 1.0 + q / segment.length
    i1 = stretch**2 + 2.0 / stretch - 3.0
    slope = law.c10 + 2.0 * law.c20 * i1 + 3.0 * law.c30 * i1**2
    sleeve = np.pi * (segment.sleeve.outer_radius**2 - segment.sleeve.inner_radius**2)
    # V_m0 = 1: the fabric counts as rubber.
    nominal = 2.0 * (stretch - stretch**-2) * slope
    np.testing.assert_allclose(
        pressure * np.pi * segment.sleeve.inner_radius**2, area * nominal, atol=1e-7
    )
    assert sum(joint_of(case).areas) == pytest.approx(area, rel=1e-12)
    assert sleeve == pytest.approx(joint_of(case).areas.fabric, rel=1e-12)
    volume = found["volume"].values[-1]
    grown = np.pi * (
        segment.chamber_radius**2 * segment.length + segment.sleeve.inner_radius**2 * q
    )
    np.testing.assert_allclose(volume, grown, rtol=1e-12)


def test_a_joint_bends_away_from_its_actuator():
    case = load("zhang_joint_one")
    found = predict(case, "joint")
    _, bend, azimuth = arc_of(found, case.body)
    assert bend > 0.1 and azimuth == pytest.approx(-np.pi / 2, abs=1e-9)  # actuator 1 is at +z
    rod = predict(case)
    assert np.sign(rod["frame"][-1, -1, 2, 3]) == np.sign(found["frame"][-1, -1, 2, 3]) == -1.0


def test_a_blocked_joint_pushes_with_k_p_along_its_actuators():
    """Actuator 1 is at +z: its push F turns the tip plate by z F about y, and the support back."""
    case = load("zhang_joint_blocked")
    found = predict(case, "joint")
    segment = case.body.segments[0]
    push = np.pi * segment.sleeve.inner_radius**2 * found["load_supply"].values
    moment = segment.chamber_offset * push
    none = np.zeros_like(push)
    held = np.stack([none, -moment, none, -push, none, none], axis=-1)
    np.testing.assert_allclose(found["reaction_tip"], held, atol=1e-12)
    np.testing.assert_allclose(found["reaction"], -held, atol=1e-12)
    assert np.all(found["strain"].values == found["strain_rest"].values)
