"""Coefficients of a motion: sought in how an arm decays in water, judged on how it strokes there.

Synthetic data come from a rod of another discretisation, whose coefficients are known.
"""

import numpy as np
import pytest
from slender import slender_arm

from loligo.cases import coefficients as files
from loligo.cases.core.record import BadInput
from loligo.reduced.predict.predict import predict
from loligo.validation.fitting.coefficients.case_data import CaseData, excited
from loligo.validation.fitting.coefficients.errors import before_and_after
from loligo.validation.fitting.coefficients.search import Search, calibrate

WATER = {
    "density": 1000.0,
    "base_depth": 0.3,
    "strip": {"drag": [0.0, 1.1, 1.1], "added": [0.0, 1.0, 1.0]},
}
RUBBER = {"mu": 3e4, "density": 1080.0, "viscosity": 500.0}
TRUE = {"viscosity": 1.3, "drag": 0.7, "added_mass": 1.2}


def arm(duration, water=WATER, **more):
    """An arm of 200 mm; every state of its motion is reported after 50 ms."""
    time = {"duration": duration, "every": 0.05, "tolerance": 1e-3}
    return slender_arm(0.2, 0.01, RUBBER, water=water, time=time, **more)


def let_go(duration=1.0, water=WATER):
    """It sags under its weight, which then is switched off."""
    history = {"kind": "step", "before": 1.0, "after": 0.0}
    load = {"weight": {"kind": "weight", "history": history}}
    return arm(duration, water, gravity=(0.0, -1.0, 0.0), load=load)


def stroked():
    """Its base is carried to and fro by 20 mm."""
    history = {"kind": "sine", "frequency": 1.0, "phase": np.pi / 2.0}
    stroke = {"kind": "base_motion", "displacement": [0.0, 0.02, 0.0], "history": history}
    return arm(1.5, load={"stroke": stroke})


def with_factors(case, **values):
    return files.for_case(case, "made").replaced(values)


def test_factors_of_the_water_are_those_of_its_numbers():
    case = let_go(0.1)
    strip = {"drag": [0.0, 0.77, 0.77], "added": [0.0, 1.2, 1.2]}
    other = let_go(0.1, {**WATER, "strip": strip})
    scaled = predict(case, coefficients=with_factors(case, drag=0.7, added_mass=1.2))
    np.testing.assert_allclose(scaled["frame"], predict(other)["frame"], rtol=0.0, atol=1e-12)
    moved = np.abs(scaled["frame"] - predict(case)["frame"]).max()
    assert moved > 1e-4  # 0.2 m long: it is no coincidence


def test_what_a_motion_tells():
    case = let_go(0.1)
    data = predict(case)
    assert set(TRUE) <= set(excited("rod", [CaseData(case, data, (1, 2))]))
    dry = case.model_copy(update={"water": None})
    named = excited("rod", [CaseData(dry, data, (1, 2))])
    assert "viscosity" in named
    assert not {"drag", "added_mass"} & set(named)
    with pytest.raises(BadInput, match="does not read drag"):
        Search("pcc", with_factors(case), ("drag",), (CaseData(case, data, (1,)),))


@pytest.mark.slow
def test_what_a_decay_tells_predicts_a_stroke():
    """They are found to 1 %, which is what a finer grid and smaller steps of the data change."""
    decay, stroke = let_go(), stroked()
    exact = [
        predict(case, refine=2, coefficients=with_factors(case, **TRUE)) for case in (decay, stroke)
    ]
    fitted = CaseData(decay, exact[0], tuple(range(1, exact[0].sizes["step"] + 1)))
    unseen = CaseData(stroke, exact[1], ())
    found = calibrate(Search("rod", with_factors(decay), tuple(TRUE), (fitted, unseen)))
    values = found.search.values(found.unknowns)
    assert values == pytest.approx(TRUE, rel=0.01)
    own, other = before_and_after(found)
    assert (own.fitted, other.fitted) == (True, False)
    assert own.before > 0.05
    assert other.before > 0.02
    assert other.after < 0.02 * other.before
