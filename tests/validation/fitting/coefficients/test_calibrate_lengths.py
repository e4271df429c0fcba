"""Lengths of chambers and Liu's a and b, sought in shapes, in lengths, and in 3D solutions."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from loligo.cases import coefficients as files
from loligo.cases.case_file import load
from loligo.cases.core.record import BadInput
from loligo.cases.dataset import io as dataset
from loligo.cases.load.kinds import CavityPressure
from loligo.cli.main import app
from loligo.reduced.predict.predict import predict
from loligo.validation.data.shipped import shipped
from loligo.validation.fitting.coefficients.case_data import CaseData, difference, excited
from loligo.validation.fitting.coefficients.errors import share_off
from loligo.validation.fitting.coefficients.judge import judge
from loligo.validation.fitting.coefficients.search import Search, calibrate

SEGMENT, ARM = load("liu_segment"), load("liu_arm")
TRUE = {
    "length_gain": 0.62,
    "length_growth": 0.8,
    "length_coupling": 0.2,
    "length_at_rest": 1.01,
    "offset_slope": 1.02,
    "offset_pressure": -890.0,
}
NOISE = 1e-4  # m


def made(case, values):
    return predict(case, "pcc_lengths", coefficients=given(case, values))


def given(case, values):
    return files.for_case(case, "made").replaced(values)


def s_shapes():
    """The arm of Liu with unlike pressures in segments 1 and 2 on the way."""
    bend = ARM.load["bend"]
    weight = ARM.load["wet_weight"].model_copy(update={"path": (1.0,) * 8})
    paths = {"s1c1": np.linspace(0.3, 1.3, 8), "s2c1": np.linspace(0.25, 1.2, 8)}
    loads = {
        name: CavityPressure(cavities=(name,), pressure=bend.pressure, path=tuple(path))
        for name, path in paths.items()
    }
    steps = tuple(np.linspace(0.125, 1.0, 8))
    return ARM.model_copy(update={"load": {"wet_weight": weight, **loads}, "steps": steps})


def noisy(data, random):
    frame = data["frame"].values.copy()
    frame[..., :3, 3] += NOISE * random.normal(size=(*frame.shape[:2], 3))
    return data.assign(frame=(data["frame"].dims, frame))


def test_a_and_b_come_back_within_their_intervals():
    case = s_shapes()
    data = noisy(made(case, TRUE), np.random.default_rng(20261118))
    study = CaseData(case, data, tuple(range(1, 9)))
    assert excited("pcc_lengths", [study]) == tuple(TRUE)
    found = calibrate(Search("pcc_lengths", given(case, {}), tuple(TRUE), (study,)))
    judged = judge(found, profiles=False)
    values = found.search.values(found.unknowns)
    for (name, value), ends in zip(values.items(), judged.wald, strict=True):
        # Six intervals of 95 %: twice as wide, one of them misses once in 2000.
        assert abs(value - TRUE[name]) < ends.high - ends.low, name
        assert ends.high - ends.low < 0.1 * max(abs(TRUE[name]), 1e3 * name.endswith("pressure"))


def test_what_was_measured_stays():
    case = s_shapes()
    data = made(case, TRUE)
    names = tuple(name for name in TRUE if not name.startswith("offset"))
    kept = {name: TRUE[name] for name in TRUE if name.startswith("offset")}
    study = CaseData(case, data, tuple(range(1, 9)))
    found = calibrate(Search("pcc_lengths", given(case, kept), names, (study,)))
    assert found.coefficients.values == pytest.approx(TRUE, rel=1e-4)


def test_lengths_measured_without_a_shape_tell_the_map():
    """As Liu's Fig 3g: a chamber's length at its pressure."""
    full = made(SEGMENT, {"length_gain": 0.9, "length_growth": 0.3})
    data = full[["load_supply", "chamber_length"]]
    study = CaseData(SEGMENT, data, tuple(range(1, 6)))
    names = ("length_gain", "length_growth")
    found = calibrate(Search("pcc_lengths", given(SEGMENT, {}), names, (study,)))
    expected = {"length_gain": 0.9, "length_growth": 0.3}
    assert found.coefficients.values == pytest.approx(expected, rel=1e-5)
    assert share_off(study, made(SEGMENT, found.coefficients.values), range(6, 11)) < 1e-5
    one_percent = made(SEGMENT, found.coefficients.values)
    one_percent["chamber_length"] = 1.01 * one_percent["chamber_length"] - 0.01 * 91e-3
    assert share_off(study, one_percent, range(6, 11)) == pytest.approx(0.01, rel=1e-4)
    with pytest.raises(BadInput, match="coefficients of pcc_lengths alone"):
        difference(study, predict(SEGMENT, "rod").drop_vars("chamber_length"), (1,))


@pytest.mark.parametrize(
    ("name", "before", "after"), [("liu_segment", 0.3, 0.03), ("liu_arm", 1.0, 0.05)]
)
def test_a_solid_at_twice_the_pressure_that_was_fitted(name, before, after):
    """Shipped 3D solutions: half of the pressures fitted, the others held out."""
    case = load(name)
    data = dataset.read(shipped()[name])
    count = data.sizes["step"]
    study = CaseData(case, data, tuple(range(1, count // 2 + 1)))
    names = excited("pcc_lengths", [study])
    judged = judge(
        calibrate(Search("pcc_lengths", given(case, {}), names, (study,))), profiles=False
    )
    held_out = next(row for row in judged.rows if not row.fitted)
    assert held_out.before > before and held_out.after < after


def test_from_calibrate_to_reduce(tmp_path, monkeypatch):
    """The arm's a and b are written with intervals, read by the model, and said to end."""
    monkeypatch.chdir(tmp_path)
    run = CliRunner()
    asked = [
        "calibrate",
        "liu_arm",
        "-m",
        "pcc_lengths",
        "--no-profiles",
        "--starts",
        "1",
        "--json",
    ]
    told = run.invoke(app, asked, catch_exceptions=False)
    assert told.exit_code == 0, told.output
    found = {c["name"]: c for c in json.loads(told.stdout)["coefficients"]}
    low, high = found["offset_slope"]["wald"]
    assert 1.1 < low < found["offset_slope"]["value"] < high < 1.2
    file = "liu_arm_pcc_lengths_coefficients.toml"
    written = files.read(tmp_path / file)
    assert {"offset_slope", "offset_pressure"} <= set(written.values)
    assert written.reach.load["pressure"] == pytest.approx((0.0, 10e3))
    again = run.invoke(
        app, ["reduce", "liu_arm", "-m", "pcc_lengths", "-c", file], catch_exceptions=False
    )
    assert again.exit_code == 0
    assert "offset_slope = 1.15" in again.output
    assert "hold up to a pressure of 10 kPa; here it reaches 20 kPa" in again.output
