"""What the verbs write: never over an input, nor over a file of another kind or another case."""

import json
import os
import shutil
import subprocess
import sys

import pytest
from short import short_case
from typer.testing import CliRunner

from loligo.cases.case_file import find
from loligo.cases.dataset import io as dataset
from loligo.cli.main import app, main
from loligo.hpc.claim import Claim, lock_file
from loligo.validation.data.shipped import shipped

ARM = "renda_arm_tip_force"


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder with an arm, its 3D solution, a rubber's pulls, coefficients and a robot."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(find(ARM), "arm.toml")
    shutil.copy(shipped()[ARM], f"{ARM}.nc")
    shutil.copy(shipped()[ARM], "r.nc")
    (tmp_path / "precious.txt").write_text("my diary")
    for suffix in ("nc", "toml", "json", "png"):
        (tmp_path / f"precious.{suffix}").write_text("my diary")
    (tmp_path / "folder.nc").mkdir()
    return tmp_path


def run(capsys, *arguments):
    """Run the command in this process; return its code and what it said on stderr."""
    with pytest.raises(SystemExit) as ended:
        main([str(argument) for argument in arguments])
    return ended.value.code or 0, capsys.readouterr().err


def contents(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        (("reduce", "arm.toml", "-o", "arm.toml"), "is an input"),
        (("reduce", "arm.toml", "-o", "precious.txt"), "ends with .nc"),
        (("reduce", "arm.toml", "-o", "precious.nc"), "no netCDF-4 data set"),
        (("reduce", ARM, "-o", "r.nc"), f'a 3D solution of "{ARM}"'),
        (("reduce", "arm.toml", "-o", "folder.nc"), "folder"),
        (("compare", ARM, "r.nc", "-o", "r.nc"), "is an input"),
        (("compare", ARM, "r.nc", "-o", "precious.json"), "no JSON"),
        (("calibrate", ARM, "--data", "r.nc", "-o", "r.nc"), "is an input"),
        (("calibrate", ARM, "--data", "r.nc", "-o", "precious.toml"), "no file of coefficients"),
        (("section", "arm.toml", "-o", "arm.toml"), "is an input"),
        (("section", "arm.toml", "-o", "precious.toml"), "no file of coefficients"),
        (("view", "r.nc", "-o", "r.nc"), "is an input"),
        (("view", "r.nc", "-o", "precious.png"), "another file than a picture"),
        (("robot", "run", "monopus", "-o", "r.nc"), "a 3D solution"),
        (("robot", "draw", "r.nc", "-o", "r.nc"), "is an input"),
        (("robot", "vary", "monopus", "-c", "arm=a.toml", "-o", "precious.json"), "no JSON"),
    ],
    ids=lambda value: " ".join(value[:3]) if isinstance(value, tuple) else None,
)
def test_a_verb_refuses_and_leaves_everything(here, capsys, command, reason):
    before = contents(here)
    code, said = run(capsys, *command)
    assert (code, contents(here)) == (2, before)
    assert reason in said and "Traceback" not in said
    if reason == "is an input":
        assert run(capsys, *command, "--force")[0] == 2
        assert contents(here) == before


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("treloar_yeoh.toml", ("calibrate", "material", "treloar")),
        ("treloar_yeoh.svg", ("calibrate", "material", "treloar")),
        ("report.html", ("report", "r.nc", "-o", ".")),
        ("report.json", ("report", "r.nc", "-o", ".")),
        ("arm_level0.msh", ("mesh", "arm.toml")),
        ("arm_level0.json", ("mesh", "arm.toml")),
        ("arm_level0.html", ("mesh", "arm.toml")),
    ],
)
def test_files_whose_names_are_given_are_looked_at_too(here, capsys, name, command):
    (here / name).write_text('{"precious": "diary"}')
    before = contents(here)
    code, said = run(capsys, *command)
    assert (code, contents(here)) == (2, before)
    assert name in said and "--force" in said


def test_a_case_that_was_edited_does_not_replace_the_prediction_of_the_old_one(here, capsys):
    assert run(capsys, "reduce", "arm.toml", "-o", "p.nc")[0] == 0
    assert run(capsys, "reduce", "arm.toml", "-o", "p.nc")[0] == 0
    text = (here / "arm.toml").read_text()
    edited = text.replace('length = "245 mm"', 'length = "246 mm"')
    assert edited != text
    (here / "arm.toml").write_text(edited)
    before = contents(here)
    code, said = run(capsys, "reduce", "arm.toml", "-o", "p.nc")
    assert (code, contents(here)) == (2, before) and "another case" in said
    assert run(capsys, "reduce", "arm.toml", "-o", "p.nc", "--force")[0] == 0
    assert dataset.read(here / "p.nc").attrs["case"] != dataset.read(here / "r.nc").attrs["case"]


def test_solve_refuses_before_it_begins(here, capsys):
    (here / "short.toml").write_text(short_case())
    (here / "short.nc").write_text("my diary")
    for arguments, reason in (
        ((), "no netCDF-4 data set"),
        (("-o", "short.toml"), "is an input"),
        (("-o", "precious.txt"), "ends with .nc"),
        (("-o", "precious.txt/a.nc"), "precious.txt"),
        (("-o", "a.nc", "--fields", "precious.txt/f"), "precious.txt"),
    ):
        before = contents(here)
        code, said = run(capsys, "solve", "short.toml", *arguments)
        assert (code, contents(here)) == (2, before)
        assert reason in said and "unknowns" not in said


@pytest.mark.parametrize("ranks", [1, 3])
def test_a_file_that_another_run_writes_is_refused_once_and_kept(here, ranks):
    (here / "short.toml").write_text(short_case())
    lock_file(here / "short.nc").write_text(json.dumps(vars(Claim(pid=os.getpid()))))
    before = contents(here)
    launcher = ["mpirun", "--oversubscribe", "--bind-to", "none", "-n", str(ranks)]
    done = subprocess.run(
        [
            *launcher[: 6 * (ranks > 1)],
            sys.executable,
            "-m",
            "loligo.cli.main",
            "solve",
            "short.toml",
        ],
        capture_output=True,
        text=True,
        check=False,
        timeout=200,
    )
    assert done.returncode == 2 and contents(here) == before
    assert done.stderr.count(f"short.nc: the run of process {os.getpid()} on") == 1


def test_collect_leaves_what_it_did_not_make(here):
    (here / "mine.toml").write_text('cases = ["cylinder"]\nrun = "reduce"\n')
    invoke = CliRunner().invoke
    assert invoke(app, ["study", "run", "mine.toml"]).exit_code == 0
    assert invoke(app, ["study", "collect", "mine_items"]).exit_code == 0
    assert invoke(app, ["study", "collect", "mine_items"]).exit_code == 0
    before = contents(here)
    refused = invoke(app, ["study", "collect", "mine_items", "-o", "r.nc"])
    assert "a 3D solution" in str(refused.exception) and contents(here) == before
    (result,) = here.glob("mine_items/*/result.nc")
    refused = invoke(app, ["study", "collect", "mine_items", "-o", str(result)])
    assert "is an input" in str(refused.exception) and contents(here) == before
