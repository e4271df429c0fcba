"""Loads that would tell more: each does what it says, and the helpful one is named."""

import numpy as np
import pytest

from loligo.cases import coefficients as files
from loligo.cases.case_file import load
from loligo.reduced.predict.predict import predict
from loligo.validation.fitting.coefficients.case_data import CaseData
from loligo.validation.fitting.coefficients.judge import judge
from loligo.validation.fitting.coefficients.search import Search, calibrate
from loligo.validation.fitting.coefficients.trials import trials

CYLINDER = load("cylinder")
STRAIN = {
    "a force across the tip": 2,
    "a pull at the tip": 3,
    "a bending moment at the tip": 1,
    "a twisting moment at the tip": 0,
}


def test_a_trial_moves_a_cylinder_by_some_tenths():
    """Moments turn the tip by 0.3, a force across by as much, a pull stretches by a tenth."""
    found = {case.name: predict(case) for case in trials(CYLINDER)}
    assert set(found) == set(STRAIN)
    for name, data in found.items():
        excess = (data["strain"] - data["strain_rest"]).values[0]
        whole = excess.T @ np.diff(data["station"].values)
        assert int(np.abs(excess).max(axis=0).argmax()) == STRAIN[name] or "across" in name
        size = np.ptp(data["station"].values) * 0.1 if "pull" in name else 0.3
        assert abs(whole[STRAIN[name]]) == pytest.approx(size, rel=0.15), name


def test_only_what_has_a_tip_is_tried():
    assert list(trials(load("renda_mantle_ring"))) == []
    assert "the same with the tip held" in [case.name for case in trials(load("gong_elongation"))]


def test_the_load_that_parts_area_from_stiffness_is_named():
    """A pressure along the axis tells chamber area over stiffness alone; a pull tells stiffness."""
    case = load("gong_elongation")
    data = predict(case, refine=2)
    names = ("chamber_area", "stretch_stiffness")
    fit = calibrate(
        Search("rod", files.for_case(case, "made"), names, (CaseData(case, data, (1, 2)),))
    )
    judged = judge(fit, others=tuple(trials(case)), profiles=False)
    (said,) = (c for c in judged.cautions if "go together" in c)
    best = min(judged.helps, key=judged.helps.get)
    assert best in ("a pull at the tip", "the same with the tip held")
    assert f"{best} would help most" in said
    assert judged.helps["a twisting moment at the tip"] > 100.0 * judged.helps[best]
