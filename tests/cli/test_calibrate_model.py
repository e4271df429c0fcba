"""`loligo calibrate CASE...`: from data to a file that `loligo reduce` reads, and bad input."""

import json
import subprocess
import sys

import pytest

from loligo.cases import coefficients as files
from loligo.cases.case_file import load
from loligo.cases.dataset import io as dataset
from loligo.reduced.predict.predict import predict


def loligo(*arguments, cwd):
    return subprocess.run(
        [sys.executable, "-m", "loligo.cli.main", *map(str, arguments)],
        capture_output=True,
        text=True,
        cwd=cwd,
        check=False,
    )


@pytest.fixture
def data(tmp_path):
    """A cylinder that is 1.3 times as stiff in bending as its geometry says."""
    case = load("cylinder")
    stiff = files.for_case(case, "made").replaced({"bending_stiffness": 1.3})
    found = predict(case, coefficients=stiff)
    file = tmp_path / "mine.nc"
    dataset.write(found.assign_attrs(kind="measurement"), file)
    return file


def test_a_calibrated_file_is_what_reduce_reads(data, tmp_path):
    done = loligo(
        *("calibrate", "cylinder", "--data", data, "--starts", 1, "--freeze", "density=1.1"),
        *("--law", "geometry"),
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    rows = [line.split()[:4] for line in done.stdout.splitlines()]
    assert ["cylinder", "3-4", "held", "out"] in rows
    assert "caution: bending_stiffness = 1.3 of what geometry and rubber say" in done.stdout
    assert max(map(len, done.stdout.split("caution")[0].splitlines())) <= 80
    file = tmp_path / "cylinder_rod_coefficients.toml"
    found = files.read(file)
    assert done.stdout.startswith("law: geometry\n") and found.law == "geometry"
    by_name = {c.name: c for c in found.coefficient}
    assert by_name["bending_stiffness"].value == pytest.approx(1.3, rel=1e-4)
    assert by_name["density"].measured and not by_name["bending_stiffness"].measured
    assert [(d.case, d.steps, len(d.sha256)) for d in found.data] == [("cylinder", (1, 2), 64)]
    assert "cylinder, beginning from geometry and rubber" in found.source
    done = loligo("reduce", "cylinder", "-c", file, "-o", "again.nc", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "warning: the coefficients hold up to" in done.stderr  # fitted to half the force
    again, meant = (dataset.read(f)["frame"].values for f in (tmp_path / "again.nc", data))
    assert abs(again - meant).max() < 1e-6


def test_json_has_every_number(data, tmp_path):
    done = loligo(
        *("calibrate", "model", "cylinder", "--data", data, "--steps", "2-3", "--starts", 1),
        *("--fit", "bending_stiffness", "--fit", "bending_taper", "--no-profiles", "--json"),
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert [c["name"] for c in found["coefficients"]] == ["bending_stiffness", "bending_taper"]
    assert found["coefficients"][0]["profile"] == [None, None]
    assert [row["steps"] for row in found["errors"]] == [[2, 3], [1, 4]]
    assert len(found["fisher_eigenvalues"]) == 2 and found["condition"] >= 1.0


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("--fit", "stiffness"), 'no model knows a coefficient "stiffness"'),
        (("--freeze", "density"), "write it as in density=1.05"),
        (("--freeze", "density=1", "--fit", "density"), "it is also to be fitted"),
        (("--freeze", "density=-1"), "no value that density can have"),
        (("--start", "softening=nan"), "no value that softening can have"),
        (("--hold-out", "cylinder"), "cylinder: give a case once"),
        (("--steps", "7-9"), "the data have the steps 1-4"),
        (("--steps", "0-3"), "the data have the steps 1-4"),
        (("--steps", "2-9"), "the data have the steps 1-4"),
        (("--hold-out", "liu_segment"), "cylinder and liu_segment differ in body"),
    ],
)
def test_bad_input_ends_with_a_sentence(data, tmp_path, options, reason):
    done = loligo("calibrate", "cylinder", "--data", data, *options, cwd=tmp_path)
    assert done.returncode == 2
    assert reason in done.stderr and "Traceback" not in done.stderr
    assert not (tmp_path / "cylinder_rod_coefficients.toml").exists()


def test_a_broken_file_in_the_library_stops_no_calibration(monkeypatch):
    from loligo.cases import case_file as read
    from loligo.cases.core.record import BadInput
    from loligo.validation.data import references

    whole = read.load

    def broken(name):
        if name == "liu_segment":
            raise BadInput("liu_segment: not a case")
        return whole(name)

    monkeypatch.setattr(references, "load", broken)
    found = references.relatives([whole("gong_bending_one"), whole("gong_bending_two")])
    assert [case.name for case in found] == ["gong_bending_three"]


def test_steps_that_are_unstable_are_left_out_and_that_is_said():
    from loligo.validation.fitting.coefficients.calibration import chosen_steps

    said = []
    assert chosen_steps((1, 4), (1, 2, 4), 4, said) == (1, 2, 4)
    assert said == ["step 3 is unstable, and left out"]
