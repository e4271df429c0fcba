"""Rods on given sections: stiffness, pressure arms and softening against what energy says."""

import numpy as np
import pytest

from loligo.cases import coefficients as files
from loligo.cases.case_file import load
from loligo.cases.coefficients import StationLaw
from loligo.cases.core.record import BadInput
from loligo.cases.load.kinds import TipMoment
from loligo.meshes.bodies import pieces
from loligo.reduced.predict.predict import predict
from loligo.reduced.section.arm_law import ArmLaw, arm_law
from loligo.reduced.section.stiffness import section_stiffness

GONG = load("gong_bending_one")
STIFFNESS = np.diag([3.6e-3, 8.9e-3, 8.9e-3, 175.0, 19.0, 19.0])
ARM = np.array([0.0, 6.8e-7, 0.0, 2.6e-4, 0.0, 0.0])


def given(case=GONG, places=(0.055,), stiffness=STIFFNESS, **values):
    """Coefficients with the same section at every place."""
    rows = tuple(map(tuple, stiffness.tolist()))
    arms = {name: tuple(ARM) for name in case.body.cavities}
    sections = tuple(StationLaw(x=x, stiffness=rows, arms=arms) for x in places)
    return files.for_case(case, "test").replaced(values).model_copy(update={"section": sections})


def test_a_free_arm_takes_the_free_strain_of_its_section():
    found = predict(GONG, coefficients=given())
    free = np.linalg.solve(STIFFNESS, ARM)
    excess = found["strain"].values - found["strain_rest"].values
    pressure = np.multiply.outer(found["load_supply"].values, free)
    expected = np.broadcast_to(pressure[:, None], excess.shape)
    np.testing.assert_allclose(excess, expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    "values", [{}, {"softening": 1.5, "chamber_area": 1.2, "chamber_growth": 0.7}]
)
def test_solid_and_fluid_balance_and_pressure_does_the_work(values):
    case = GONG.model_copy(update={"steps": tuple(np.linspace(0.0, 1.0, 21))})
    found = predict(case, coefficients=given(**values))
    solid, fluid = found["wrench"].values, found["wrench_fluid"].values
    np.testing.assert_allclose(solid + fluid, 0.0, atol=1e-9 * np.abs(fluid).max())
    bore = np.pi * 0.005**2  # the fluid pushes on no more than the bore
    np.testing.assert_allclose(fluid[-1, 0, 3], -30e3 * bore, rtol=1e-12)
    pressure, volume = found["pressure"].values[:, 0], found["volume"].values[:, 0]
    work = np.sum(0.5 * (pressure[1:] + pressure[:-1]) * np.diff(volume))
    # Trapezoids of 20 steps: exact where the volume is linear, else to 1/(12 * 20^2).
    assert found["stored_energy"].values[-1] == pytest.approx(
        work, rel=1e-8 if not values else 1e-3
    )


def test_a_softening_law_is_the_derivative_of_its_energy():
    law = ArmLaw(lambda X: np.tile(STIFFNESS, (len(X), 1, 1)), {}, softening=0.8)
    section = law.section_law()
    X = np.array([0.1])
    excess = np.array([[3.0, -2.0, 1.0, 0.2, 0.02, -0.01]])
    step = 1e-6 * np.sqrt(1.0 / np.diag(STIFFNESS))
    wrench, tangent = section(excess, X)
    for i, h in enumerate(step):
        move = h * np.eye(6)[i]
        there, back = law.energy(excess + move, X), law.energy(excess - move, X)
        # Rounding of the energy over the step; the steps are of one size in energy.
        assert ((there - back) / (2 * h))[0] == pytest.approx(
            wrench[0, i], abs=1e-9 * float(law.energy(excess, X)[0]) / h * 1e1
        )
        slope = (section(excess + move, X)[0] - section(excess - move, X)[0]) / (2 * h)
        np.testing.assert_allclose(slope[0], tangent[0, :, i], rtol=1e-6, atol=1e-6)


def test_a_section_pulled_by_an_arm_softens_as_the_formula_says():
    # N = p arm with EA e (1 + s e/2)/(1 + s e)^2, the derivative of EA e^2/(2 (1 + s e)).
    case = load("zhang_actuator")
    arm, area, s = np.array([0.0, 0.0, 0.0, 6.16e-4, 0.0, 0.0]), 63.0, 1.3
    stiffness = np.diag([0.01, 0.01, 0.01, area, 20.0, 20.0])
    rows = tuple(map(tuple, stiffness.tolist()))
    section = StationLaw(x=0.11, stiffness=rows, arms={"s1c1": tuple(arm)})
    soft = files.for_case(case, "test").replaced({"softening": s})
    found = predict(case, coefficients=soft.model_copy(update={"section": (section,)}))
    e = found["strain"].values[:, 0, 3] - 1.0
    pulled = area * e * (1.0 + 0.5 * s * e) / (1.0 + s * e) ** 2
    np.testing.assert_allclose(pulled, found["load_supply"].values * arm[3], rtol=1e-7)
    assert e[-1] > 0.2


def test_a_section_is_carried_along_a_taper_with_the_geometry():
    case = load("renda_arm_tip_force")
    (soft,) = (piece for piece in pieces(case.body) if piece.region == "body")
    X = np.linspace(soft.start, soft.end, 7)
    geometry = section_stiffness(case.body, case.material, X)
    rows = [tuple(map(tuple, (1.3 * k).tolist())) for k in geometry[[0, 3]]]
    sections = tuple(
        StationLaw(x=float(x), stiffness=k) for x, k in zip(X[[0, 3]], rows, strict=True)
    )
    coefficients = files.for_case(case, "test").model_copy(update={"section": sections})
    law = arm_law(case.body, case.material, coefficients=coefficients)
    np.testing.assert_allclose(law.stiffness(X), 1.3 * geometry, rtol=1e-9, atol=1e-12)


def test_factors_act_on_what_they_name():
    case = load("cylinder")
    turn = TipMoment(moment=(0.0, 0.0, 1e-4))
    case = case.model_copy(update={"load": {"turn": turn}, "steps": (1.0,)})
    values = {"bending_stiffness": 2.0, "bending_taper": 0.25, "density": 3.0, "softening": 0.0}
    base = predict(case)["strain"].values[0, :, 2]
    found = predict(case, coefficients=files.for_case(case, "test").replaced(values))
    X = found["station_mid"].values
    first, last = found["station"].values[[0, -1]]
    factor = 2.0 * 0.25 ** ((X - first) / (last - first) - 0.5)
    # Strains of a data set are means over a spacing; the curvature varies by 3 % within one.
    np.testing.assert_allclose(base / found["strain"].values[0, :, 2], factor, rtol=2e-3)


def test_sections_that_are_not_there_are_named():
    arm = load("gong_arm")
    one = given(arm, places=(0.055,))
    with pytest.raises(BadInput, match=r"no section between x = 1.* mm and"):
        predict(arm, coefficients=one)
    bare = StationLaw(x=0.055, stiffness=tuple(map(tuple, STIFFNESS.tolist())))
    none = files.for_case(GONG, "test").model_copy(update={"section": (bare,)})
    with pytest.raises(BadInput, match="no pressure arm of the cavity s1c1"):
        predict(GONG, coefficients=none)


def test_a_data_set_says_what_became_of_the_coefficients():
    found = predict(GONG, "pcc", coefficients=given(wall_bending=2.0, bending_stiffness=1.0))
    assert found.attrs["coefficients_used"] == "section law at x = 55 mm, bending_stiffness = 1"
    assert found.attrs["coefficients_ignored"] == "wall_bending"
    assert found.attrs["coefficients_beyond"] == ""
    assert "from coefficients" in found.attrs["assumptions"]


def test_modulus_and_wall_of_a_shell():
    case = load("renda_mantle_inflation")
    soft = predict(case)
    twice = predict(case, coefficients=files.for_case(case, "test").replaced({"modulus": 2.0}))
    halved = case.model_copy(update={"steps": tuple(0.5 * s for s in case.steps)})
    # Twice the modulus under a load is the modulus under half of it.
    np.testing.assert_allclose(
        twice["profile_radius"].values, predict(halved)["profile_radius"].values, rtol=1e-7
    )
    for model in ("shell", "shell_eq7"):
        soft = predict(case, model)
        stiff = files.for_case(case, "test").replaced({"wall_bending": 10.0})
        found = predict(case, model, coefficients=stiff)
        # Far from the edge a wall that bends little does not feel it; at the edge it does.
        rest = case.body.radius
        change = (found["profile_radius"].values - soft["profile_radius"].values)[-1]
        most = np.abs(soft["profile_radius"].values[-1] - rest).max()
        assert np.abs(change).max() > 0.02 * most
        assert np.median(np.abs(change)) < 0.01 * most


def test_a_joint_takes_its_own():
    case = load("zhang_joint_one")
    k = np.pi * 0.014**2
    base = predict(case, "joint")
    half = files.for_case(case, "test").replaced({"actuator_area": k / 2})
    found = predict(case, "joint", coefficients=half)
    lower = predict(case.model_copy(update={"steps": tuple(s / 2 for s in case.steps)}), "joint")
    np.testing.assert_allclose(found["frame"], lower["frame"], atol=1e-9)
    assert found["volume"].values[-1, 0] < base["volume"].values[-1, 0]
    alike = files.for_case(case, "test").replaced({"c10": 12563.0, "c20": -67.784, "c30": 2.7385})
    np.testing.assert_allclose(predict(case, "joint", coefficients=alike)["frame"], base["frame"])
    gong = load("zhang_joint_one").model_copy(
        update={"material": {"body": load("liu_segment").material["body"]}}
    )
    with pytest.raises(BadInput, match="belong to Yeoh, not to neo_hooke"):
        predict(gong, "joint", coefficients=files.for_case(gong, "test").replaced({"c10": 1e4}))
