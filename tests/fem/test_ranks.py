"""A failure on one rank ends the run with one message."""

import subprocess
import sys

import pytest

SCRIPT = """
from mpi4py import MPI
from loligo.fem.ranks import end_together
comm = MPI.COMM_WORLD
comm.barrier()  # whoever imports last must not seem to be the one that did not fail
with end_together(comm, code=3):
    if comm.rank in {ranks}:
        raise ValueError("the mesh has no tip")
    comm.barrier()
"""


def _run(ranks: tuple[int, ...], size: int) -> subprocess.CompletedProcess[str]:
    launcher = ["mpirun", "-n", str(size)] if size > 1 else []
    command = [*launcher, sys.executable, "-c", SCRIPT.format(ranks=ranks)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def test_alone_the_message_and_the_code_are_all() -> None:
    run = _run((0,), 1)
    assert run.returncode == 3
    assert run.stderr == "loligo: the mesh has no tip\n"


@pytest.mark.parametrize(("ranks", "speaker"), [((1,), 1), ((0, 1), 0)])
def test_the_lowest_failed_rank_speaks_for_all(ranks: tuple[int, ...], speaker: int) -> None:
    run = _run(ranks, 2)
    assert run.returncode == 3
    assert run.stderr.count("loligo: ") == 1
    assert f"loligo: the mesh has no tip (rank {speaker} of 2)\n" in run.stderr
