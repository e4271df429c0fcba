"""The ladder: which rung a case stands on, the first that differs, and what is said of it."""

import pytest

from loligo.cases.acceptance import Acceptance
from loligo.cases.case_file import load
from loligo.reduced.predict.predict import predict
from loligo.validation.compare.comparison import compare
from loligo.validation.compare.ladder import RUNGS, climb, rung_of, same_body, what_differs
from loligo.validation.data import shipped
from loligo.validation.data.source import Source, read_source
from loligo.validation.fitting.coefficients.held_out import softened

RUNG = {
    "emet_limb_weight": "self weight",
    "renda_arm_self_weight": "self weight",
    "renda_arm_tip_force": "tip force",
    "renda_arm_tip_moment": "tip moment",
    "renda_mantle_ring": "active muscle",
    "renda_mantle_buckling": "outer pressure",
    "gong_bending_one": "one chamber or tendon",
    "gong_bending_two": "some chambers or tendons",
    "gong_bending_three": "all chambers or tendons",
    "emet_limb_one_tendon": "one chamber or tendon",
    "gong_elongation": "one chamber or tendon",
}


def against(case, prediction):
    """Compare a case's own rod, in the place of a reference, with another rod as a prediction."""
    reference = predict(case).assign_attrs(kind="reference")
    return compare(case, Source(reference), Source(prediction))


def stiffer(case, **factors):
    names = ("torsion", "bend_y", "bend_z", "stretch", "shear_y", "shear_z")
    return predict(case, stiffness=[factors.get(name.split("_")[0], 1.0) for name in names])


@pytest.mark.parametrize(("name", "rung"), RUNG.items())
def test_rungs(name, rung):
    assert rung_of(load(name)) == rung


def test_a_case_without_loads_rests():
    case = load("renda_arm_tip_force")
    assert rung_of(case.model_copy(update={"load": {}})) == "rest"
    assert rung_of(case.model_copy(update={"steps": (0.0,)})) == "rest"


def test_bodies():
    assert same_body(load("renda_arm_tip_force"), load("renda_arm_self_weight"))
    assert not same_body(load("gong_bending_one"), load("gong_elongation"))
    soft = softened(load("gong_bending_one"), 0.5)
    assert not same_body(load("gong_bending_one"), soft)


def test_the_first_rung_that_differs_is_named_and_those_above_stand_on_it():
    cases = [load(f"renda_arm_{name}") for name in ("tip_moment", "self_weight", "tip_force")]
    good = [against(case, predict(case, refine=2)) for case in cases]
    ladder = climb(good)
    assert ladder.first_failing is None
    assert [rung.name for rung in ladder.rungs] == list(RUNGS[:4])
    assert {rung.state for rung in ladder.rungs} == {"agrees"}
    soft = [against(case, stiffer(case, bend=0.3)) for case in cases]
    ladder = climb(soft)
    assert ladder.first_failing.name == "self weight"
    assert [rung.state for rung in ladder.rungs] == [
        "agrees",
        "differs",
        "stands on one that differs",
        "stands on one that differs",
    ]
    mixed = climb([good[0], good[1], soft[2]])
    assert mixed.first_failing.name == "tip force"


def test_the_bending_stiffness_is_named_where_the_moment_agrees():
    case = load("renda_arm_tip_moment")
    found = dict(what_differs(against(case, stiffer(case, bend=2.0))))
    (words,) = found
    assert words.startswith("the curvature is 0.5 times")
    assert "it is the bending stiffness: 2 times" in found[words]


def test_strains_of_a_blocked_joint_are_not_named():
    """It stays straight but for what its ends do to it: a thousandth of a radian a metre."""
    case = load("zhang_joint_blocked")
    reference = read_source(shipped.folder() / f"{case.name}.nc")
    failing = climb([compare(case, reference, calibrating=False)]).first_failing
    assert failing.differs == ("Force on the blocked tip is off by 71 %",)


def test_a_strain_within_its_error_bar_is_not_named():
    """Half of the curvature is missing, which says nothing where the bars are larger than that."""
    case = load("renda_arm_tip_moment")
    found = against(case, stiffer(case, bend=2.0))
    error = found.row("curvature").error
    named = []
    for share in (0.1, 1.0):
        bar = ("step", share * error, {"units": "1/m"})
        one, other = (
            Source(data.assign(strain_uncertainty=bar))
            for data in (found.pair.reference, found.pair.prediction)
        )
        named.append([words for words, _ in what_differs(compare(case, one, other))])
    assert named == [["the curvature is 0.5 times that of the reference"], []]


def test_the_pressure_area_is_named_where_the_fluid_differs():
    case = load("gong_bending_one")
    prediction = predict(case)
    prediction["wrench_fluid"] = 0.5 * prediction["wrench_fluid"]
    found = list(what_differs(against(case, prediction)))
    assert found[0][0] == "the axial force p A of the fluid is 0.5 times that of the reference"
    assert "area" in found[0][1]


def test_rest_tells_lengths_in_another_unit():
    case = load("renda_arm_tip_force")
    prediction = predict(case)
    found = against(case, prediction)
    shifted = found.pair.prediction.assign_coords(station=found.pair.prediction["station"] * 1.01)
    object.__setattr__(found.pair, "prediction", shifted)
    assert climb([found]).first_failing.name == "rest"


def test_acceptance_levels_of_the_case_decide():
    case = load("renda_arm_tip_force")
    strict = Acceptance(purpose="a test", tip_position=1e-6)
    case = case.model_copy(update={"acceptance": strict})
    failing = climb([against(case, stiffer(case, bend=1.01))]).first_failing
    assert failing.name == "tip force"
    (words,) = failing.differs  # no ratio is telling: what misses its level is named
    assert words.startswith("Position of the tip is off by ")
    assert climb([against(case, predict(case, refine=2))]).first_failing is None


def test_rungs_of_the_bottom_without_data_are_listed():
    case = load("gong_bending_one")
    states = {rung.name: rung.state for rung in climb([against(case, predict(case))]).rungs}
    assert states["self weight"] == states["tip force"] == states["tip moment"] == "no data"
