"""`loligo compare`: the table, JSON, a prediction of one's own, and how it ends."""

import json
from importlib import resources

import pytest

from loligo.cases.case_file import load
from loligo.cases.dataset import io as dataset
from loligo.cli.main import main
from loligo.reduced.predict.predict import predict
from loligo.validation.compare.metrics import BY_NAME

LEVEL = """
[acceptance]
purpose = "a test"
tip_position = {level}
"""


@pytest.fixture
def loligo(place, monkeypatch, capsys):
    """Run the command line in the folder, in this process; returns code, output and complaints."""
    monkeypatch.chdir(place)

    def run(*arguments):
        try:
            code = main([str(word) for word in arguments])
        except SystemExit as stop:
            code = stop.code
        out = capsys.readouterr()
        return code or 0, out.out, out.err

    return run


@pytest.fixture
def place(tmp_path):
    """A rod twice as stiff stands in for a reference without bars; the case has its prediction."""
    case = load("cylinder")
    stiff = predict(case, stiffness=2.0)
    stiff = stiff.drop_vars([name for name in stiff.data_vars if "_uncertainty" in str(name)])
    dataset.write(stiff.assign_attrs(kind="reference"), tmp_path / "cylinder.nc")
    dataset.write(predict(case), tmp_path / "mine.nc")
    library = resources.files("loligo.cases") / "library" / "cylinder.toml"
    (tmp_path / "case").mkdir()
    (tmp_path / "case" / "cylinder.toml").write_text(library.read_text())
    return tmp_path


def test_the_table_and_the_file_in_this_folder(loligo, place):
    code, out, complaints = loligo("compare", "cylinder", "-o", "out/c.json")
    assert code == 0, complaints
    assert "Position of the tip" in out and "none" in out
    found = json.loads((place / "out" / "c.json").read_text())
    case = load("cylinder")
    error = BY_NAME["tip_position"].error(predict(case, stiffness=2.0), predict(case))
    assert found["metrics"]["tip_position"]["error"] == pytest.approx(error, abs=1e-12)


def test_a_prediction_of_ones_own_compares_as_ours(loligo):
    ours = json.loads(loligo("compare", "cylinder", "--json")[1])
    theirs = json.loads(loligo("compare", "cylinder", "-p", "mine.nc", "--json")[1])
    for name, row in ours["metrics"].items():
        assert theirs["metrics"][name]["error"] == pytest.approx(row["error"], abs=1e-12)
    assert theirs["calibration"] is None and ours["calibration"] is not None


@pytest.mark.parametrize(
    ("level", "bar", "code", "verdict"),
    [
        (0.9, 1e-6, 0, "met"),
        (0.001, 1e-6, 4, "not met: Position of the tip"),
        (0.9, None, 5, "not shown: Position of the tip: no error bar (reference)"),
        (0.9, 1.0, 5, "not shown: Position of the tip: the level lies within the error bar"),
        (0.001, None, 4, "not met: Position of the tip"),
    ],
)
def test_acceptance_decides_how_it_ends(loligo, place, level, bar, code, verdict):
    file = place / "case" / "cylinder.toml"
    file.write_text(file.read_text() + LEVEL.format(level=level))
    if bar is not None:
        data = dataset.read(place / "cylinder.nc")
        stated = data.assign(frame_uncertainty=("step", [bar] * 4, {"units": "m"}))
        dataset.write(stated, place / "cylinder.nc")
    found, out, complaints = loligo("compare", "case/cylinder.toml", "-o", "c.json")
    assert found == code, complaints
    assert f"acceptance: {verdict}" in " ".join(out.split())
    written = json.loads((place / "c.json").read_text())
    assert written["acceptance"] == verdict.partition(":")[0]
    assert bool(written["acceptance_reasons"]) == (code != 0)


def test_what_is_missing_is_said(loligo, place, monkeypatch):
    (place / "cylinder.nc").unlink()
    monkeypatch.setattr("loligo.validation.data.shipped.shipped", dict)  # nothing comes along
    code, _, complaints = loligo("compare", "cylinder")
    assert code == 2 and "loligo solve cylinder" in complaints
    code, _, complaints = loligo("compare", "cylinder", "mine.nc", "-m", "rod", "-p", "mine.nc")
    assert code == 2 and "give one of them" in complaints
