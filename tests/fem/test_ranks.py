"""A failure on one rank ends the run with one message."""

import subprocess
import sys
from types import SimpleNamespace
from typing import cast

from mpi4py import MPI

import pytest

from loligo.fem.ranks import end_together

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


def test_a_high_rank_does_not_wait_for_all_lower_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    """They may not have failed, and compute for nothing meanwhile."""
    waited, codes = list[float](), list[int]()
    monkeypatch.setattr("time.sleep", waited.append)
    comm = SimpleNamespace(rank=999, size=1000, Abort=codes.append)
    with end_together(cast(MPI.Comm, comm), code=3):
        raise ValueError("the mesh has no tip")
    assert codes == [3]
    assert 1.0 <= waited[0] <= 5.0


@pytest.mark.parametrize(("ranks", "speaker"), [((1,), 1), ((0, 1), 0)])
def test_the_lowest_failed_rank_speaks_for_all(ranks: tuple[int, ...], speaker: int) -> None:
    run = _run(ranks, 2)
    assert run.returncode == 3
    assert run.stderr.count("loligo: ") == 1
    assert f"loligo: the mesh has no tip (rank {speaker} of 2)\n" in run.stderr
