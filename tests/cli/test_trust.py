"""A case with a Python energy of its own: refused, and solved when it is trusted."""

import json
import subprocess
import sys

import pytest

from loligo.cases.dataset import io as dataset

CASE = """
title = "An exponential rubber"
source = "test"
steps = [1.0]

[body]
kind = "tapered_arm"
length = "30 mm"
base_radius = "10 mm"
tip_radius = "10 mm"
tip_disc = "2 mm"
stations = 3

[material.body]
energy = "python"
entry = "mine:energy"
mu = "30 kPa"
density = "1000 kg/m^3"

[material.body.parameters]
a = "30 kPa"
b = 0.5

[load.pull]
kind = "tip_force"
force = ["1 N", "0 N", "0 N"]

[mesh]
size = "8 mm"
"""
ENERGY = """
def energy(i1, i2, math, *, a, b):
    return a / (2 * b) * (math.exp(b * (i1 - 3)) - 1)
"""


def run(verb, folder, *arguments):
    (folder / "own.toml").write_text(CASE)
    (folder / "mine.py").write_text(ENERGY)
    return subprocess.run(
        [sys.executable, "-m", "loligo.cli.main", verb, "own.toml", *arguments],
        capture_output=True,
        text=True,
        cwd=folder,
        check=False,
    )


@pytest.mark.slow
def test_it_is_refused_and_then_trusted(tmp_path):
    done = run("solve", tmp_path)
    assert done.returncode == 2
    assert "read it, then say --trust" in done.stderr
    assert not (tmp_path / "own.nc").exists()

    done = run("solve", tmp_path, "--trust")
    assert done.returncode == 0, done.stderr
    found = dataset.read(tmp_path / "own.nc")
    # 1 N on 314 mm^2 of E = 90 kPa: 3.5 %, less at the clamped end.
    stretch = found["strain"].values[-1, :, 3].mean()
    assert 1.02 < stretch < 1.036


def test_a_slice_is_refused_and_then_cut(tmp_path):
    done = run("section", tmp_path, "--size", "5 mm")
    assert done.returncode == 2
    assert "read it, then say --trust" in done.stderr
    assert run("section", tmp_path, "--size", "5 mm", "--trust").returncode == 0


def test_a_study_runs_code_only_if_the_command_line_says_so(tmp_path):
    """No file gives trust: neither that of the study, nor that of an item."""

    def study(*arguments):
        return subprocess.run(
            [sys.executable, "-m", "loligo.cli.main", "study", *arguments],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            check=False,
        )

    (tmp_path / "own.toml").write_text(CASE)
    ran = tmp_path / "ran"
    (tmp_path / "mine.py").write_text(f"open({str(ran)!r}, 'w').close()\n{ENERGY}")
    file = tmp_path / "study.toml"
    file.write_text('cases = ["own.toml"]\ntrust = true\n')
    done = study("run", "study.toml")
    assert done.returncode == 2 and "no file can give it; say --trust" in done.stderr
    file.write_text('cases = ["own.toml"]\n')
    for verb in ("run", "submit"):
        done = study(verb, "study.toml")
        assert done.returncode == 2 and "mine.py; read it, then say --trust" in done.stderr
    assert not ran.exists() and not (tmp_path / "study_items").exists()
    scripts = study("submit", "study.toml", "--dry-run", "--trust")
    assert scripts.returncode == 0 and " --trust" in scripts.stdout

    (item,) = (tmp_path / "study_items").glob("*/asked.json")
    asked = json.loads(item.read_text())
    item.write_text(json.dumps({**asked, "command": [*asked["command"], "--trust"]}))
    assert study("item", str(item.parent)).returncode == 2 and not ran.exists()
    item.write_text(json.dumps(asked))
    assert study("item", str(item.parent)).returncode == 3 and not ran.exists()
    assert "read it, then say --trust" in (item.parent / "log.txt").read_text()
    assert study("retry", "study_items").returncode == 0
    done = study("run", "study.toml", "--trust")
    assert (done.returncode, done.stdout) == (0, "1 done\n"), done.stderr
    assert ran.exists()
