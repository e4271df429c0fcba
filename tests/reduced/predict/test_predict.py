"""Every case of the library is predicted, completely and in the form of the schema."""

import tomllib

import numpy as np
import pytest

from loligo.cases.body import Solid
from loligo.cases.case import Case
from loligo.cases.case_file import library_names, load
from loligo.cases.core.record import BadInput
from loligo.cases.dataset import io as dataset
from loligo.cases.load.kinds import TipForce
from loligo.reduced.predict.predict import NothingPredicted, predict
from loligo.reduced.predict.resolve import LIMIT
from loligo.reduced.predict.scope import models_of
from loligo.validation.compare.consistency import strain_findings

REFUSED = {
    ("pcc", "blocked"): "three strains of an arc",
    ("pcc_lengths", "blocked"): "lengths cannot hold a blocked tip",
    ("pcc_lengths", "load"): "lengths follow pressures, and none acts",
    ("joint", "body"): "three chambers in sleeves",
    ("joint", "load"): "carries pressures only",
}


def why_refused(case, model):
    """What this model cannot take of this case, as a key of REFUSED; None if nothing."""
    segments = getattr(case.body, "segments", ())
    others = {"weight", "water", "tip_force", "tip_moment"}
    if model == "joint":
        if len(segments) != 1 or segments[0].sleeve is None or segments[0].chambers != 3:
            return "joint", "body"
        if {item.kind for item in case.load.values()} & others:
            return "joint", "load"
    pressed = any(item.kind == "pressure" for item in case.load.values())
    if model == "pcc_lengths" and not pressed:
        return model, "load"
    blocked = case.support.tip == "blocked" and model in ("pcc", "pcc_lengths")
    return (model, "blocked") if blocked else None


CHOICES = [
    (name, model)
    for name in library_names()
    if load(name).time is None
    for model in models_of(load(name).body)
]
ALL = [pair for pair in CHOICES if why_refused(load(pair[0]), pair[1]) is None]


@pytest.mark.parametrize(("name", "model"), ALL)
def test_every_case_of_the_library(name, model):
    case = load(name)
    found = predict(case, model)
    assert found.attrs["status"] == "complete"
    assert found.attrs["error_in_space"] < LIMIT and found.attrs.get("refinement", 1.0) == 1.0
    assert dataset.check(found) == []
    assert list(strain_findings(found)) == []
    assert found.sizes["step"] == len(case.steps) and np.isnan(found["time"]).all()
    for key, item in case.load.items():
        factors = found[f"load_{key}"] / found[f"load_{key}"][-1]
        path = np.array(item.path or case.steps)
        np.testing.assert_allclose(factors, path / path[-1], rtol=1e-12)
    assert found.attrs["kind"] == "prediction" and found.attrs["source"] == f"loligo {model}"
    # An axisymmetric shell cannot show lobes, and lengths have no energy.
    unseen = name == "renda_mantle_buckling" or model == "pcc_lengths"
    assert (found["stable"] == (-1 if unseen else 1)).all()


@pytest.mark.parametrize(("name", "model"), [pair for pair in CHOICES if pair not in ALL])
def test_what_a_model_cannot_take_is_refused(name, model):
    case = load(name)
    with pytest.raises(BadInput, match=REFUSED[why_refused(case, model)]):
        predict(case, model)


def test_first_named_model_is_the_default():
    assert predict(load("renda_mantle_ring")).attrs["model"] == "shell"
    assert predict(load("cylinder")).attrs["model"] == "rod"


def test_it_is_written_and_carries_its_case(tmp_path):
    case = load("gong_bending_one")
    found = predict(case)
    dataset.write(found, tmp_path / "a.nc")
    again = dataset.read(tmp_path / "a.nc")
    assert again.equals(found)
    text = again.attrs["case"]
    context = {"units_required": True}
    resolved = {"name": again.attrs["case_name"], **tomllib.loads(text)}
    assert Case.model_validate(resolved, context=context) == case


@pytest.mark.parametrize(
    ("name", "key", "magnitude", "unit"),
    [
        ("emet_limb_one_tendon", "weight", 9.81, "m/s^2"),
        ("emet_limb_one_tendon", "buoyancy", 9810.0, "Pa/m"),
        ("emet_limb_one_tendon", "pull", 0.9, "N"),
        ("renda_arm_tip_force", "tip", 1e-3, "N"),
        ("renda_arm_recruited_torque", "muscle", 5e-3, "N m"),
        ("renda_mantle_buckling", "outside", 12.0, "Pa"),
        ("renda_mantle_ring", "ring", 15.0, "N/m"),
    ],
)
def test_magnitudes_of_loads(name, key, magnitude, unit):
    recorded = predict(load(name))[f"load_{key}"]
    assert recorded.values[-1] == pytest.approx(magnitude)
    assert recorded.attrs["units"] == unit


def pushed(force, steps):
    """The cylinder under a dead axial force; EA = 90 kPa pi (10 mm)^2 = 28.3 N."""
    load_ = {"push": TipForce(force=(force, 0.0, 0.0))}
    return load("cylinder").model_copy(update={"load": load_, "steps": steps})


def test_what_was_reached_is_kept():
    """A linear bar is compressed to nothing at -EA, 28.3 N."""
    found = predict(pushed(-40.0, (0.001, 0.002, 1.0)), law="geometry")
    assert found.attrs["status"].startswith("stopped at step 3: ")
    assert "compressed to nothing" in found.attrs["status"]
    assert found.sizes["step"] == found["load_push"].size == 2
    assert dataset.check(found) == []


def test_nothing_is_no_prediction():
    with pytest.raises(NothingPredicted, match="cylinder: the rod stopped at step 1: "):
        predict(pushed(-40.0, (1.0,)), law="geometry")


def test_a_column_beyond_euler_is_reported_as_unstable():
    """pi^2/4 EI/L^2 = 0.121 N with EI = 7.07e-4 N m^2 and L = 120 mm."""
    critical = np.pi**2 / 4 * 90e3 * np.pi / 4 * 0.01**4 / 0.12**2
    found = predict(pushed(-critical, (0.97, 1.03)))
    assert found["stable"].values.tolist() == [1, 0]


def test_stability_under_a_force_without_potential_is_not_guessed():
    """Beck's column is stable up to 20.05 EI/L^2 = 0.98 N; its tangent is indefinite before."""
    push = {"push": TipForce(force=(-0.5, 0.0, 0.0), follower=True)}
    case = load("cylinder").model_copy(update={"load": push, "steps": (0.1, 1.0)})
    assert predict(case)["stable"].values.tolist() == [1, -1]


def test_refusals_name_what_is_there():
    with pytest.raises(BadInput, match='no model "arc" of a tapered_arm; there is rod, pcc'):
        predict(load("cylinder"), "arc")
    with pytest.raises(BadInput, match='no model "rod" of a mantle; there is shell, shell_eq7'):
        predict(load("renda_mantle_ring"), "rod")
    behind = {"control": "arc_length", "steps": (0.5, 1.0, 0.9)}
    with pytest.raises(BadInput, match="some of its steps lie behind a limit point"):
        predict(load("cylinder").model_copy(update=behind))
    body = Solid(
        mesh="a.msh", file_unit="m", centreline=((0, 0, 0), (0.1, 0, 0)), stations=(0.0, 0.1)
    )
    solid = load("cylinder").model_copy(update={"body": body})
    with pytest.raises(BadInput, match=r"its section law is not known\. Measure its 6x6"):
        predict(solid)
