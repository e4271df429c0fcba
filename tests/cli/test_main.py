"""The command line itself: how it answers Ctrl-C."""

import subprocess
import sys

import pytest

from loligo.hpc import launcher

ITSELF = "os.kill(os.getpid(), signal.SIGINT)"
CODE = """
import os, signal
from loligo.cli.main import _interrupt
signal.signal(signal.SIGINT, _interrupt)
try:
    {}
except KeyboardInterrupt:
    print("came")
"""


@pytest.mark.parametrize(
    ("step", "returncode", "said"), [("import harmed", 130, ""), (ITSELF, 0, "came\n")]
)
def test_an_interrupt_ends_an_import_and_stops_all_else(tmp_path, step, returncode, said):
    """Within an import nobody sees the exception, which compiled code could turn into a crash."""
    (tmp_path / "harmed.py").write_text(f"import os, signal\n{ITSELF}\n")
    done = subprocess.run(
        [sys.executable, "-c", CODE.format(step)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (returncode, said, "")


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({}, (1, 0, True)),
        ({"OMPI_COMM_WORLD_SIZE": "3", "OMPI_COMM_WORLD_RANK": "2"}, (3, 2, True)),
        ({"PMI_RANK": "1"}, (1, 1, True)),
        ({"SLURM_STEP_NUM_TASKS": "4", "SLURM_PROCID": "3"}, (4, 3, False)),
        # mpirun's helpers are tasks of Slurm, one a node.
        ({"OMPI_COMM_WORLD_SIZE": "1", "SLURM_STEP_NUM_TASKS": "2"}, (1, 0, True)),
        ({"PMI_SIZE": "many"}, (1, 0, True)),
    ],
)
def test_the_innermost_launcher_counts(monkeypatch, environment, expected):
    for name in [name for pair in launcher._VARIABLES for name in pair]:
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    found = launcher.launched_ranks()
    assert (found.size, found.rank, found.by_mpi) == expected
