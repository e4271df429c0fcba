"""Held-out loads: what other loads tell of them, on data made up, and on the data shipped."""

import numpy as np
import pytest

from loligo.cases import coefficients as files
from loligo.cases.case_file import load
from loligo.reduced.predict.predict import predict
from loligo.validation.data.shipped import shipped
from loligo.validation.data.source import read_source
from loligo.validation.fitting.coefficients.case_data import CaseData
from loligo.validation.fitting.coefficients.held_out import judge_body, study_of
from loligo.validation.fitting.coefficients.search import Search, calibrate, without

FORCE, MOMENT = load("renda_arm_tip_force"), load("renda_arm_tip_moment")


def stiffer(case, factor):
    """Data of a case whose body is so many times as stiff in bending."""
    found = files.for_case(case, "made").replaced({"bending_stiffness": factor})
    return study_of(case, predict(case, refine=2, coefficients=found))


def body(*names):
    return [study_of(load(name), read_source(shipped()[name]).data) for name in names]


def test_what_one_load_tells_serves_another():
    found = judge_body([stiffer(FORCE, 1.3), stiffer(MOMENT, 1.3)], "rod")
    (factor,) = found.factors
    assert factor.name == "bending_stiffness" and factor.absorbs
    assert factor.value == pytest.approx(1.3, rel=1e-5)
    kinds = [(row.case, row.held_out, row.steps) for row in found.rows]
    assert kinds == [
        (case.name, what, steps)
        for case in (FORCE, MOMENT)
        for what, steps in (("larger loads", (3, 4)), ("another load", (1, 2, 3, 4)))
    ]
    for row in found.rows:
        assert row.before > 0.1 and row.after < 1e-3  # a rough search is good to 2e-4
    assert "at most" in found.verdict and "bending_stiffness 1.3" in found.verdict


def test_a_load_that_is_left_out_has_no_say():
    """Two loads that contradict each other: each alone tells the other's coefficient only."""
    studies = (stiffer(FORCE, 1.3), stiffer(MOMENT, 0.8))
    base = files.for_case(FORCE, "made")
    found = calibrate(Search("rod", base, ("bending_stiffness",), studies))
    told = [without(found, study).values["bending_stiffness"] for study in studies]
    assert told == pytest.approx([0.8, 1.3], rel=1e-3)


def test_nothing_of_a_load_that_is_left_out_reaches_the_others():
    """Whatever it says, the search is the same one to the last bit."""
    told = []
    for factor in (0.8, 1.6):
        studies = (stiffer(FORCE, 1.3), stiffer(MOMENT, factor))
        base = files.for_case(FORCE, "made")
        found = calibrate(Search("rod", base, ("bending_stiffness",), studies))
        told.append(without(found, studies[1]).values)
    assert told[0] == told[1]


def test_what_one_load_alone_tells_cannot_be_tried_without_it():
    """K/E is all that free tips tell; the blocked one tells K, and no other does."""
    studies = body("zhang_joint_blocked", "zhang_joint_one")
    found = judge_body(studies, "joint")
    assert {factor.name for factor in found.factors} == {"actuator_area", "modulus"}
    left_out = {row.case: row.held_out for row in found.rows if row.held_out == "another load"}
    assert left_out == {}
    blocked = found.rows[0]
    assert blocked.before > 0.1 and blocked.after < 1e-2
    # Threads smeared between a = 14 and b = 16 mm: displacements c/r, so that their tension falls
    # as 1/r^2, and the pressure with it from p at a to 0 at b; the rubber passes it on to the ends.
    a, b = 0.014, 0.016
    layer = (2.0 * np.log(b / a) - 1.0 + a**2 / b**2) / (a**-2 - b**-2)
    area = next(f for f in found.factors if f.name == "actuator_area")
    assert area.value == pytest.approx(np.pi * (a**2 + layer), rel=0.01)


def test_an_arc_for_a_tapered_limb_cannot_be_made_right():
    """Its curvature grows as r^-3 from base to tip, here by 27 and more."""
    studies = body("emet_limb_one_tendon", "emet_limb_weight")
    found = judge_body(studies, "pcc")
    worst = max(row.after for row in found.rows)
    assert worst > 0.2
    assert "No coefficients make the pcc right" in found.verdict
    assert f"{worst:.0%} of the displacement" in found.verdict
    rod = judge_body(studies, "rod")
    assert max(row.after for row in rod.rows) < 0.03
    assert "No coefficients" not in rod.verdict


def test_eq_7_cannot_be_made_right_near_its_limit_load():
    """15 N/m are 97.4 % of it, and of rubber far from any."""
    studies = body("renda_mantle_ring")
    eq7, rubber = (judge_body(studies, model) for model in ("shell_eq7", "shell"))
    assert "No coefficients make the shell_eq7 right" in eq7.verdict
    assert "limit load" in eq7.verdict and eq7.rows[0].after > 0.1
    assert rubber.rows[0].after < 0.03


def test_unstable_steps_are_neither_fitted_nor_held_out():
    study = stiffer(FORCE, 1.3)
    data = study.data.assign(stable=("step", np.array([1, 1, 0, 1])))
    assert (study_of(FORCE, data).fitted, study_of(FORCE, data).held_out) == ((1, 2), (4,))
    found = judge_body([study_of(FORCE, data)], "rod")
    assert [row.steps for row in found.rows] == [(4,)]


def test_nothing_to_judge():
    data = predict(FORCE)
    assert judge_body([CaseData(FORCE, data, ())], "rod") is None
    assert judge_body([study_of(FORCE, data.drop_vars("frame"))], "rod") is None
    assert judge_body(body("gong_elongation"), "joint") is None


def test_the_record_is_json_and_complete():
    import json

    found = judge_body([stiffer(FORCE, 1.3)], "rod")
    record = json.loads(json.dumps(found.record(), allow_nan=False))
    assert record["held_out"][0]["kind"] == "larger loads"
    assert record["coefficients"][0]["low"] < 1.3001 and record["coefficients"][0]["unit"] == "1"
