"""Cautions of cases: pressures below vacuum, rubbers beyond their data or their stability."""

from itertools import pairwise

import pytest

from loligo.cases.advice.plausible import overstretched, vacuums
from loligo.cases.case import Case
from loligo.cases.case_file import load
from loligo.reduced.predict.predict import predict


def with_pressure(value, **outer):
    data = load("gong_bending_one").model_dump()
    data["load"]["supply"]["pressure"] = value
    if outer:
        data["load"]["deep"] = {"kind": "outer_pressure", **outer}
    return Case.model_validate(data | {"steps": (0.5, 1.0)})


@pytest.mark.parametrize(
    ("case", "warns"),
    [
        (with_pressure(-300e3), True),
        (with_pressure(-100e3), False),  # of the 101.325 kPa around
        (with_pressure(30e3), False),
        (with_pressure(-300e3, pressure=250e3), False),
    ],
)
def test_a_gauge_pressure_below_absolute_vacuum_is_said(case, warns):
    said = vacuums(case)
    assert bool(said) == warns
    if warns:
        assert said[0].startswith("load.supply: a gauge pressure of -300 kPa is below absolute")


def rubber(**change):
    case = load("cylinder")
    body = case.material["body"].model_validate(case.material["body"].model_dump() | change)
    return case.model_copy(update={"material": {"body": body}})


def test_a_stretch_beyond_the_rubbers_data_is_said():
    case = rubber(fitted_stretch=(0.8, 1.5))
    assert overstretched(case, 1.49) == []
    assert overstretched(case, float("inf")) == []
    (said,) = overstretched(case, 1.6)
    assert said == "the law of body was fitted up to a stretch of 1.5; here the body reaches 1.6"


def test_a_law_that_is_not_stable_there_is_said():
    """Yeoh with C20 = -C10/20, uniaxial: its limit point from dN/dl = 0 of the closed form."""
    case = load("renda_arm_tip_force")
    data = {"energy": "yeoh", "c10": 1e4, "c20": -5e2, "c30": 0.0, "density": 1000.0}
    yeoh = Case.model_validate(case.model_dump() | {"material": {"body": data}})

    def kirchhoff(s):  # dW/dln(s)
        return 2 * (s**2 - 1 / s) * (1e4 - 1e3 * (s**2 + 2 / s - 3))

    steps = [1 + 1e-3 * k for k in range(1, 2000)]
    turns = next(a for a, b in pairwise(steps) if kirchhoff(b) <= kirchhoff(a))
    assert overstretched(yeoh, 0.97 * turns) == []
    (said,) = overstretched(yeoh, 1.1 * turns)
    assert "is stable up to a uniaxial stretch of" in said
    assert float(said.split("stretch of ")[1].split()[0]) == pytest.approx(turns, abs=3e-3)


def test_a_prediction_says_it_in_its_attributes():
    case = rubber(fitted_stretch=(0.999, 1.001))
    assert "was fitted up to a stretch of 1.001" in predict(case).attrs["cautions"]
    assert predict(load("cylinder")).attrs["cautions"] == ""
