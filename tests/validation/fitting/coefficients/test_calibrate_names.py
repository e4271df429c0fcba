"""Every named coefficient: data made with it give it back, by the model that reads it."""

import pytest

from loligo.cases import coefficients as files
from loligo.cases.case_file import load
from loligo.cases.coefficients import KNOWN
from loligo.cases.load.kinds import TipMoment
from loligo.reduced.predict.predict import own_values, predict
from loligo.validation.fitting.coefficients.case_data import CaseData
from loligo.validation.fitting.coefficients.search import Search, calibrate

MOTIONS = {"viscosity", "drag", "added_mass"}
"""Told by motions: in test_search.py and test_calibrate_motion.py."""
NAMES = {
    "bending_stiffness": ("rod", "cylinder", 1.3),
    "bending_taper": ("rod", "cylinder", 0.7),
    "stretch_stiffness": ("rod", "gong_elongation", 0.8),
    "stretch_taper": ("rod", "gong_elongation", 1.3),
    "torsion_stiffness": ("rod", "twisted", 1.2),
    "torsion_taper": ("rod", "twisted", 0.8),
    "shear_stiffness": ("rod", "cylinder", 0.8),
    "softening": ("rod", "gong_elongation", 1.2),
    "chamber_area": ("rod", "gong_bending_one", 1.3),
    "chamber_arm": ("rod", "gong_bending_one", 0.9),
    "chamber_growth": ("rod", "gong_bending_one", 1.1),
    "modulus": ("shell", "renda_mantle_ring", 1.2),
    "wall_bending": ("shell", "renda_mantle_band", 1.4),
    "density": ("rod", "renda_arm_self_weight", 1.05),
    "length_gain": ("pcc_lengths", "liu_arm", 0.9),
    "length_growth": ("pcc_lengths", "liu_arm", 0.6),
    "length_coupling": ("pcc_lengths", "liu_arm", 0.2),
    "length_at_rest": ("pcc_lengths", "liu_arm", 1.02),
    "offset_slope": ("pcc_lengths", "liu_arm", 1.02),
    "offset_pressure": ("pcc_lengths", "liu_arm", -890.0),
    "actuator_area": ("joint", "zhang_joint_one", 5e-4),
    "c10": ("joint", "zhang_joint_one", 15e3),
    "c20": ("joint", "zhang_joint_one", 2e3),
    "c30": ("joint", "zhang_joint_one", 300.0),
    "matrix_fraction": ("joint", "zhang_joint_one", 0.8),
    "matrix_to_fabric": ("joint", "zhang_joint_one", 0.3),
}
"""Model, case and the value that is to be found."""
BESIDE = {"matrix_to_fabric": {"matrix_fraction": 0.7}}
"""Without fabric its modulus does not matter."""
LOOSE = {"shear_stiffness": 0.05, "wall_bending": 0.05}
"""What moves the body by a hundredth of the whole is told to a few per cent by other meshes."""


def loaded(name):
    if name == "twisted":
        arm = load("cylinder")
        return arm.model_copy(
            update={"load": {"twist": TipMoment(moment=(2e-4, 0.0, 0.0))}, "steps": (0.5, 1.0)}
        )
    case = load(name)
    if any(item.path for item in case.load.values()):
        return case
    return case.model_copy(update={"steps": (0.3, 0.6)})


def test_there_is_a_case_of_every_name():
    assert set(NAMES) | MOTIONS == set(KNOWN)


@pytest.mark.parametrize("name", NAMES)
def test_it_comes_back(name):
    model, of, true = NAMES[name]
    case = loaded(of)
    base = files.for_case(case, "made").replaced(BESIDE.get(name, {}))
    # Of another discretisation, where there is one.
    data = predict(case, model, refine=2, coefficients=base.replaced({name: true}))
    study = CaseData(case, data, tuple(range(1, data.sizes["step"] + 1)))
    start = own_values(case, model).get(name, KNOWN[name].neutral)
    assert start is None or abs(start - true) > 0.01 * abs(true), "nothing would be sought"
    found = calibrate(Search(model, base, (name,), (study,)))
    assert found.coefficients.values[name] == pytest.approx(true, rel=LOOSE.get(name, 0.01))
