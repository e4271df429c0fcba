"""A failure on one rank ends the run with one message."""

import subprocess
import sys
from types import SimpleNamespace
from typing import cast

from mpi4py import MPI

import pytest

from loligo.fem.io import ranks
from loligo.fem.io.ranks import end_together

SCRIPT = """
from mpi4py import MPI
from loligo.fem.io.ranks import end_together
comm = MPI.COMM_WORLD
comm.barrier()  # whoever imports last must not seem to be the one that did not fail
with end_together(comm, code=3):
    if comm.rank in {ranks}:
        raise ValueError("the mesh has no tip")
    comm.barrier()
"""


def _run(failed: tuple[int, ...], size: int) -> subprocess.CompletedProcess[str]:
    return _launch(SCRIPT.format(ranks=failed), size)


def _launch(script: str, size: int) -> subprocess.CompletedProcess[str]:
    launcher = ["mpirun", "--oversubscribe", "-n", str(size)] if size > 1 else []
    command = [*launcher, sys.executable, "-c", script]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def test_alone_the_message_and_the_code_are_all() -> None:
    run = _run((0,), 1)
    assert run.returncode == 3
    assert run.stderr == "loligo: the mesh has no tip\n"


@pytest.mark.parametrize(
    ("failed", "size", "speaker"), [((1,), 2, 1), ((0, 1), 2, 0), ((1, 2), 3, 1)]
)
def test_the_lowest_failed_rank_speaks_for_all(
    failed: tuple[int, ...], size: int, speaker: int
) -> None:
    run = _run(failed, size)
    assert run.returncode == 3
    assert run.stderr.count("loligo: ") == 1
    assert f"loligo: the mesh has no tip (rank {speaker} of {size})\n" in run.stderr


def test_a_high_rank_does_not_wait_for_lower_ones_that_have_not_failed(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """They wait for it in a collective call."""
    waited, codes = list[float](), list[int]()
    monkeypatch.setattr("time.sleep", waited.append)
    monkeypatch.setattr(ranks, "_GRACE", 0.05)
    comm = SimpleNamespace(
        rank=999, size=1000, Abort=codes.append, Isend=lambda *_: None, Iprobe=lambda *_: False
    )
    with pytest.raises(ValueError), end_together(cast(MPI.Comm, comm), code=3):
        raise ValueError("the mesh has no tip")
    assert codes == [3]
    assert max(waited) < 1.0
    assert capfd.readouterr().err == "loligo: the mesh has no tip (rank 999 of 1000)\n"


ALIKE = """
from mpi4py import MPI
from loligo.cases.core.record import BadInput
from loligo.fem.io.ranks import during, end_together
comm = MPI.COMM_WORLD
try:
    with end_together(comm), during("meshing"):
        raise BadInput({text})
except BadInput as error:
    comm.barrier()  # nobody was ended
    if comm.rank == 0:
        print("said once:", error)
"""


def test_what_a_user_gave_is_said_once_by_whoever_calls_if_all_ranks_found_out() -> None:
    run = _launch(ALIKE.format(text="'no such case'"), 2)
    assert (run.returncode, run.stdout) == (0, "said once: no such case\n"), run.stderr


def test_ranks_that_complain_of_different_things_are_ended_by_the_lowest() -> None:
    run = _launch(ALIKE.format(text="f'no case {comm.rank}'"), 2)
    assert run.returncode == 2
    assert run.stderr.count("loligo: ") == 1
    assert "loligo: no case 0 (rank 0 of 2, while meshing)\n" in run.stderr
