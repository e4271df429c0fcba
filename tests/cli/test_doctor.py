"""`loligo doctor`: healthy here, and it notices what makes an installation useless."""

import json
import os
import subprocess
import sys

import pytest

from loligo import installation


def run_doctor(**environment):
    done = subprocess.run(
        [sys.executable, "-m", "loligo.cli.main", "doctor", "--json"],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        check=False,
    )
    return done.returncode, {finding["what"]: finding for finding in json.loads(done.stdout)}


def test_this_environment_is_healthy():
    code, findings = run_doctor()
    assert code == 0
    assert {finding["verdict"] for finding in findings.values()} == {"good"}
    assert findings["BLAS"]["value"] in ("OpenBLAS", "BLIS", "MKL")
    assert "1 rank" in findings["MPI"]["value"]
    tests = {"rod closes a circle", "volume of a mesh", "stress of a block", "a case solves"}
    assert tests <= set(findings)


NO_CASE = """
import sys
from loligo.fem import run

def none(*_):
    raise TypeError("create_cell_partitioner() missing 1 required positional argument")

run.set_up = none
from loligo.cli.main import main
main(["doctor"])
"""


def test_an_installation_that_solves_no_case_is_useless():
    done = subprocess.run(
        [sys.executable, "-c", NO_CASE], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "a case solves        fails: TypeError: create_cell_partitioner()" in done.stdout
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("version", "verdict"),
    [("0.9.0", "good"), ("0.11.0", "good"), ("0.11.0.post0", "good"), ("0.8.0", "warning")],
)
def test_versions_of_dolfinx_count_by_their_first_two_numbers(monkeypatch, version, verdict):
    monkeypatch.setattr("dolfinx.__version__", version)
    assert next(installation._parallel_findings()).verdict == verdict


def test_only_what_can_be_had_is_recommended():
    """loligo is on no index, so that its extras are not either."""
    advice = installation.OPTIONAL.values()
    assert all("loligo[" not in line and "pip install" in line for line in advice)


@pytest.mark.parametrize("launcher", ["PMI_SIZE", "SLURM_STEP_NUM_TASKS"])
def test_serial_copies_are_noticed(launcher):
    code, findings = run_doctor(**{launcher: "4"})
    assert code == 1
    assert findings["launcher"]["verdict"] == "bad"
    assert f"{launcher} is 4, but this process sees 1 rank" in findings["launcher"]["value"]


def test_missing_packages_are_told_apart_from_broken_ones(tmp_path, monkeypatch):
    (tmp_path / "broken_package.py").write_text("raise OSError('libX is not there')")
    monkeypatch.syspath_prepend(tmp_path)
    assert installation._package("no_such_package").verdict == "bad"
    finding = installation._package("no_such_package", "pip install it")
    assert (finding.verdict, finding.value) == ("warning", "not here")
    assert installation._package("broken_package").value == "does not load: libX is not there"


def test_an_unwritable_cache_is_a_warning(monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", "/proc/loligo")
    (finding,) = installation._cache_findings()
    assert finding.verdict == "warning"
