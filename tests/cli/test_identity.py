"""Commands relate a case to its data by content: an edited case never meets the data of the old.

Predictions of the rod stand in for 3D solutions.
"""

import json

import numpy as np
import pytest

from loligo.cases.acceptance import Acceptance
from loligo.cases.case_file import load, to_toml
from loligo.cases.dataset import io as dataset
from loligo.cases.load.kinds import Weight
from loligo.cli.main import main
from loligo.reduced.predict.predict import predict
from loligo.validation.compare.metrics import BY_NAME
from loligo.validation.data.shipped import shipped

NAME = "renda_arm_tip_force"
CASE = load(NAME)
SOFT = CASE.material["body"]
STIFF = CASE.model_copy(update={"material": {"body": SOFT.model_copy(update={"mu": 2 * SOFT.mu})}})
BOTH = "material.body.mu: 73.33 kPa here, 36.67 kPa in the data set"


@pytest.fixture
def loligo(tmp_path, monkeypatch, capsys):
    """Run the command line in an empty folder; returns code, output and complaints."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / f"{NAME}.toml").write_text(to_toml(STIFF))

    def run(*arguments):
        try:
            code = main([str(word) for word in arguments])
        except SystemExit as stop:
            code = stop.code
        out = capsys.readouterr()
        return code or 0, out.out, " ".join(out.err.split())

    return run


def solved(case, file, **attrs):
    """Write a stand-in for a solution of a case, a little stiffer than our rod."""
    data = predict(case, stiffness=1.05)
    dataset.write(data.assign_attrs({"kind": "reference", **attrs}), file)


@pytest.mark.parametrize("verb", ["compare", "calibrate"])
def test_the_shipped_reference_does_not_serve_an_edited_case_of_its_name(loligo, verb, tmp_path):
    code, _, said = loligo(verb, f"mine/{NAME}.toml")
    assert code == 2
    assert BOTH in said and f"`loligo solve mine/{NAME}.toml`" in said
    code, _, said = loligo(
        verb, f"mine/{NAME}.toml", *(["--data"] if verb == "calibrate" else []), shipped()[NAME]
    )
    assert code == 2 and BOTH in said
    assert not list(tmp_path.glob("*.toml"))


def test_a_file_here_serves_the_case_that_it_is_of(loligo, tmp_path):
    solved(STIFF, tmp_path / f"{NAME}.nc")
    code, out, said = loligo("compare", f"mine/{NAME}.toml", "--json")
    assert code == 0, said
    mine = json.loads(out)
    code, out, said = loligo("compare", NAME, "--json")
    library = json.loads(out)
    assert "material.body.mu: 36.67 kPa here, 73.33 kPa in the data set" in said
    assert f"./{NAME}.nc is not used" in said
    assert any(f"./{NAME}.nc is not used" in note for note in library["notes"])
    # Against which file the library's case was judged, without a word of the command line.
    bend = BY_NAME["bend_angle"]
    right, wrong = (
        bend.error(dataset.read(file), predict(CASE))
        for file in (shipped()[NAME], tmp_path / f"{NAME}.nc")
    )
    np.testing.assert_allclose(library["metrics"]["bend_angle"]["error"], right, rtol=1e-9)
    assert abs(wrong[-1]) > 10.0 * abs(right[-1])
    assert mine["reference"]["source"] != library["reference"]["source"]


def test_a_prediction_of_another_rubber_is_refused(loligo, tmp_path):
    dataset.write(predict(STIFF), tmp_path / "theirs.nc")
    code, _, said = loligo("compare", NAME, "-p", "theirs.nc")
    assert code == 2
    assert "prediction is of another case" in said and "36.67 kPa here, 73.33 kPa" in said


def test_a_load_more_in_the_reference_is_noticed(loligo, tmp_path):
    heavy = CASE.model_copy(update={"load": {**CASE.load, "weight": Weight()}})
    solved(heavy, tmp_path / "heavy.nc")
    code, _, said = loligo("compare", NAME, "heavy.nc")
    assert code == 2 and "load.weight.kind: none here, weight in the data set" in said
    bare = dataset.read(tmp_path / "heavy.nc")
    del bare.attrs["case"]
    dataset.write(bare, tmp_path / "heavy.nc")
    code, _, said = loligo("compare", NAME, "heavy.nc")
    assert code == 2 and "load.weight: none here, up to 9.81 m/s^2 in the data set" in said


def test_other_steps_and_data_without_a_case_are_said_in_the_first_line(loligo, tmp_path):
    solved(CASE.model_copy(update={"steps": (0.5, 1.0)}), tmp_path / "half.nc")
    code, out, said = loligo("compare", NAME, "half.nc")
    assert code == 0, said
    assert "other steps" in out.partition("Position of the tip")[0].replace("\n", " ")
    assert out.startswith("the reference has other steps")
    bare = dataset.read(tmp_path / "half.nc")
    del bare.attrs["case"]
    dataset.write(bare, tmp_path / "bare.nc")
    _, out, _ = loligo("compare", NAME, "bare.nc")
    assert out.startswith("the reference carries no case: only its name relates it")
    _, out, _ = loligo("compare", NAME, "bare.nc", "--json")
    assert json.loads(out)["belongs"]["reference"] == {"by": "name", "differences": []}


def test_the_report_takes_the_case_in_the_data(loligo, tmp_path):
    """Its own rod differs from the data by 5 % of the stiffness, the library's by a factor 2."""
    solved(STIFF, tmp_path / f"{NAME}.nc")
    assert loligo("report", f"{NAME}.nc", "-o", "out")[0] == 0
    found = json.loads((tmp_path / "out" / "report.json").read_text())
    (row,) = found["robots"][0]["trust"]
    own = BY_NAME["centreline_max"].error(dataset.read(tmp_path / f"{NAME}.nc"), predict(STIFF))
    assert row["error"] == pytest.approx(own[-1] / CASE.body.length, rel=1e-6)
    assert found["maps"] == []


def test_two_data_sets_of_one_name_are_two_cases_in_a_report(loligo, tmp_path):
    solved(STIFF, tmp_path / "a.nc")
    solved(CASE, tmp_path / "b.nc")
    assert loligo("report", "a.nc", "b.nc", "-o", "out")[0] == 0
    found = json.loads((tmp_path / "out" / "report.json").read_text())
    rows = {row["case"]: row["error"] for robot in found["robots"] for row in robot["trust"]}
    assert set(rows) == {NAME, f"{NAME}-2"}
    assert max(rows.values()) < 0.05  # of the length; with the other's rubber 0.2 and more


def test_data_find_their_case_among_several_by_content(loligo, tmp_path):
    """The names of the data sets are of no account."""
    moment = load("renda_arm_tip_moment")
    solved(CASE, tmp_path / "one.nc", case_name="renda_arm_tip_moment")
    solved(moment, tmp_path / "two.nc", case_name=NAME)
    words = ("calibrate", NAME, moment.name, "--starts", 1, "--no-profiles", "--json")
    code, out, said = loligo(*words, "--data", "one.nc", "--data", "two.nc")
    assert code == 0, said
    taken = {name: row["file"] for name, row in json.loads(out)["data"].items()}
    assert taken == {NAME: "one.nc", moment.name: "two.nc"}
    code, _, said = loligo(*words, "--data", "one.nc", "--data", "one.nc")
    assert code == 2 and "second data set of" in said


def test_acceptance_of_data_against_themselves_is_not_shown(loligo, tmp_path):
    dataset.write(predict(CASE), tmp_path / "mine.nc")
    copy = dataset.read(shipped()[NAME]).assign_attrs(kind="prediction", source="a copy")
    dataset.write(copy, tmp_path / "copy.nc")
    code, out, _ = loligo("compare", NAME, "-p", shipped()[NAME])
    assert code == 5 and "prediction and reference are the same data" in " ".join(out.split())
    code, out, _ = loligo("compare", NAME, "-p", "copy.nc")
    assert code == 5 and "prediction and reference are the same data" in " ".join(out.split())
    code, out, _ = loligo("compare", NAME, "mine.nc")
    assert code == 5 and "the reference is a prediction itself" in " ".join(out.split())


@pytest.mark.parametrize(("factor", "code"), [(1.0, 0), (1.1, 5)])
def test_acceptance_of_a_faulty_prediction_is_not_shown(loligo, tmp_path, factor, code):
    """Frames and strains that contradict each other: `check` refuses them, and so does this."""
    level = Acceptance(purpose="a test", tip_position=0.9)
    case = CASE.model_copy(update={"acceptance": level})
    (tmp_path / "mine" / f"{NAME}.toml").write_text(to_toml(case))
    data = predict(CASE)
    strain = data["strain"].copy(data=factor * data["strain"].values)
    bars = ("step", np.zeros(len(CASE.steps)), {"units": "m"})
    dataset.write(data.assign(strain=strain, frame_uncertainty=bars), tmp_path / "theirs.nc")
    assert loligo("check", "theirs.nc")[0] == (0 if code == 0 else 2)
    found, out, said = loligo("compare", f"mine/{NAME}.toml", "-p", "theirs.nc", "--json")
    assert found == code, said
    reasons = json.loads(out)["acceptance_reasons"]
    assert (code == 0) == (reasons == [])
    assert all("fails `loligo check`: strain" in why for why in reasons)


def test_a_reference_that_stopped_halfway_shows_nothing(loligo, tmp_path):
    whole = dataset.read(shipped()[NAME])
    status = {"status": "stopped after reported step 2: no convergence"}
    dataset.write(whole.isel(step=[0, 1]).assign_attrs(status), tmp_path / "half.nc")
    code, out, _ = loligo("compare", NAME, "half.nc", "--json")
    found = json.loads(out)
    assert (code, found["acceptance"]) == (5, "not shown")
    assert any("stopped after reported step 2" in why for why in found["acceptance_reasons"])
    assert any("ends at 50% of load.tip" in why for why in found["acceptance_reasons"])
    assert loligo("compare", NAME)[0] == 0
