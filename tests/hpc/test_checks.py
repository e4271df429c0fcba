"""What runs the tests: a small project whose tests pass, fail, crash or do not exist."""

import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

CHECKS = Path(__file__).parents[2] / "hpc" / "checks"


@pytest.fixture
def project(tmp_path):
    """A committed project with one passing test, and the checks."""
    shutil.copytree(CHECKS, tmp_path / "hpc" / "checks")
    markers = "\n".join(f"    {name}: {name}" for name in ("mpi", "slow"))
    (tmp_path / "pytest.ini").write_text(f"[pytest]\nmarkers =\n{markers}\n")
    (tmp_path / ".gitignore").write_text("build/\n__pycache__/\n.pytest_cache/\ndocs/\ncount\n")
    write(tmp_path, "test_plain", "def test_plain(): pass")
    return tmp_path


def write(project, name, text):
    folder = project / "tests"
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.py").write_text(f"import os, pytest\nfrom pathlib import Path\n{text}\n")


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=False)


def mpi(project):
    return run(project / "hpc" / "checks" / "mpi", "mpi", "2")


def test_no_test_for_several_ranks_is_said_and_is_no_failure(project):
    done = mpi(project)
    assert (done.returncode, done.stdout) == (0, "no test is marked mpi\n")


def test_a_test_file_that_cannot_be_read_is_a_failure(project):
    write(project, "test_broken", "import nothing_of_this_name")
    done = mpi(project)
    assert done.returncode != 0
    assert "nothing_of_this_name" in done.stdout


MPI = """
from mpi4py import MPI
@pytest.mark.mpi
def test_ranks():
    assert MPI.COMM_WORLD.allreduce(1) == 2
    {more}
"""


def test_tests_for_several_ranks_run_on_them(project):
    write(project, "test_mpi", MPI.format(more=""))
    done = mpi(project)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("1 passed") == 1


def test_a_failure_on_one_rank_alone_fails_and_is_shown(project):
    write(project, "test_mpi", MPI.format(more="assert MPI.COMM_WORLD.rank == 0, 'on rank one'"))
    done = mpi(project)
    assert done.returncode != 0
    assert "on rank one" in done.stdout


def slow(project, *share):
    return run(sys.executable, project / "hpc" / "checks" / "slow.py", *share)


def commit(project):
    git = ["git", "-C", project, "-c", "user.name=a", "-c", "user.email=a"]
    subprocess.run([*git, "init", "--quiet"], check=True)
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "--quiet", "--message", "a"], check=True)


COUNTED = """
@pytest.mark.slow
@pytest.mark.parametrize("case", ["a", "b"])
def test_counted(case):
    with open(Path(__file__).parents[1] / "count", "a") as file:
        file.write("1")
"""
FLAWED = """
@pytest.mark.slow
def test_flawed():
    assert (Path(__file__).parents[1] / "build" / "mended").exists()
"""


def test_slow_tests_are_repeated_until_they_pass_and_no_longer(project):
    write(project, "test_counted", COUNTED)
    write(project, "test_flawed", FLAWED)
    commit(project)
    page = project / "docs" / "verification-table.md"
    count = project / "count"

    assert slow(project).returncode == 1
    assert "| `tests/test_counted.py::test_counted[b]` | passed |" in page.read_text()
    assert "| `tests/test_flawed.py::test_flawed` | **failed** |" in page.read_text()
    assert "- Passed: 2 of 3" in page.read_text()
    assert count.read_text() == "11"

    (project / "build" / "mended").touch()
    assert slow(project).returncode == 0
    assert "- Passed: 3 of 3" in page.read_text()
    assert count.read_text() == "11"

    write(project, "test_plain", "def test_changed(): pass")
    assert slow(project).returncode == 0
    assert "with local changes" in page.read_text()
    assert count.read_text() == "1111"


def test_shares_of_the_slow_tests_are_kept_for_the_table(project):
    write(project, "test_counted", COUNTED)
    write(project, "test_flawed", FLAWED)
    commit(project)
    assert slow(project, "tests/test_counted.py").returncode == 0
    assert slow(project, "tests/test_flawed.py").returncode == 1
    assert not (project / "docs").exists()
    assert slow(project).returncode == 1
    assert (project / "count").read_text() == "11"

    done = slow(project, "tests/test_other.py")
    assert (done.returncode, done.stderr) == (1, "no slow test in tests/test_other.py\n")


def test_a_crash_is_a_row_of_the_table(project):
    write(project, "test_crash", "@pytest.mark.slow\ndef test_crash(): os._exit(3)")
    commit(project)
    assert slow(project).returncode == 1
    page = (project / "docs" / "verification-table.md").read_text()
    assert "| `tests/test_crash.py::test_crash` | **pytest ended with 3** |" in page


def test_no_slow_test_is_said_and_is_no_failure(project):
    commit(project)
    done = slow(project)
    assert (done.returncode, done.stdout) == (0, "no test is marked slow\n")


def test_the_tests_that_a_change_touches(tmp_path):
    """A module's own test, else those of its room; a test itself; else the quick ones."""
    spec = importlib.util.spec_from_file_location("touched", CHECKS / "touched.py")
    touched = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(touched)
    for name in (
        "fem/march/static.py",
        "fem/march/step.py",
        "fem/run.py",
        "tests/fem/march/test_static.py",
        "tests/fem/test_restart.py",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    for files, tests in (
        (["fem/march/static.py"], ["tests/fem/march/test_static.py"]),
        (["fem/march/step.py"], ["tests/fem/march"]),
        (["tests/fem/test_restart.py", "README.md"], ["tests/fem/test_restart.py"]),
        (["fem/gone.py", "docs/rods.md"], ["tests/cases"]),
        (["fem/run.py"], ["tests/cases"]),
    ):
        assert touched.tests_of(files, tmp_path) == tests
