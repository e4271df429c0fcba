"""How the ranks of one run fail, and stop, together.

A rank that raises an exception alone leaves the others waiting in a collective call, in which
nobody can reach them. The guard on that rank (:func:`end_all`) therefore sends its reason to all
others and listens for theirs. If all ranks arrive within some seconds with the same reason, each
goes its own way and rank 0 speaks. Otherwise the lowest rank that failed speaks and aborts all.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from types import FrameType
from typing import TypeVar

from mpi4py import MPI

from loligo.cases.core.record import BadInput

T = TypeVar("T")

STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGUSR1)
"""Signals that ask a run to stop; a second one ends it at once."""

BAD_INPUT, INTERRUPTED = 2, 130
"""Exit codes, as those of the command line."""

_GRACE = 5.0
"""Time in which ranks that fail for the same reason arrive at the guard (s)."""
_PATIENCE = 20.0
"""Time after which a rank that failed speaks even if a lower one should have done so (s)."""
_TAG = 32_767
"""Of the guard's messages: the largest that every MPI has, and used by nobody else."""
_WHILE = "while "


class BadInputOnAll(BadInput):
    """A BadInput that all ranks raise at the same place: what is collective can be ended."""


@dataclass(frozen=True)
class Failure:
    """Why a rank leaves."""

    reason: str
    """One sentence, or empty if it has been said."""
    code: int
    """Exit code of the run."""
    expected: bool
    """Whether the reason says all; otherwise a traceback goes with it."""
    phase: str = ""
    """For example "meshing"."""


@contextmanager
def during(phase: str) -> Iterator[None]:
    """Note on an exception in which phase of a run it was raised; the innermost counts."""
    try:
        yield
    except BaseException as error:
        error.add_note(_WHILE + phase)
        raise


@contextmanager
def end_together(comm: MPI.Comm, code: int = 1) -> Iterator[None]:
    """End all ranks with one message if an exception escapes on any of them; for entry points.

    See :func:`end_all`, which may return: then the exception is raised.
    """
    try:
        yield
    except BaseException as error:
        end_all(comm, error, code)
        raise


def end_all(comm: MPI.Comm, error: BaseException, code: int = 1) -> None:
    """End all ranks with one message, or return if every rank can leave with its own exception.

    It returns if all ranks fail alike, with a BadInput, an OSError, a KeyboardInterrupt or a
    SystemExit, which rank 0 reports. No call in here is collective: other ranks may be anywhere.

    Args:
        comm: the communicator of the run.
        error: what escaped on this rank.
        code: the exit code for an unexpected exception.
    """
    failure = failure_of(error, code)
    heard: dict[int, Failure] = {}
    with suppress(BaseException):  # MPI itself has failed, or a signal came: speak and abort
        heard = _exchange(comm, failure)
    alike = len(heard) == comm.size - 1 and all(other == failure for other in heard.values())
    if alike and failure.expected:
        return
    if any(rank < comm.rank for rank in heard):
        with suppress(BaseException):  # a lower rank speaks, and ends this one meanwhile
            time.sleep(_PATIENCE)
    _speak(failure, error, comm)
    if comm.size == 1:
        raise SystemExit(failure.code) from None
    comm.Abort(failure.code)


def failure_of(error: BaseException, code: int = 1) -> Failure:
    """Return what is to be said of an exception, and the exit code that it stands for.

    Args:
        error: the exception.
        code: for an unexpected exception.
    """
    notes = getattr(error, "__notes__", [])
    phase = next((str(n).removeprefix(_WHILE) for n in notes if str(n).startswith(_WHILE)), "")
    match error:
        case BadInput():
            return Failure(str(error), BAD_INPUT, True, phase)
        case OSError():  # a folder that cannot be written, a full disk
            reason = f"{error.filename or 'output'}: {error.strerror or error}"
            return Failure(reason, BAD_INPUT, True, phase)
        case ImportError():  # of a package that is not installed, for whoever calls to say
            return Failure(str(error), code, True, phase)
        case KeyboardInterrupt():
            return Failure("interrupted", INTERRUPTED, True, phase)
        case SystemExit():
            asked = error.code if isinstance(error.code, int) else code
            said = f": {error.code}" if isinstance(error.code, str) else f" ({asked})"
            return Failure(f"the process was told to exit{said}", asked or code, True, phase)
    left = getattr(error, "exit_code", None)  # of typer, which has spoken
    if isinstance(left, int):
        return Failure(f"left with code {left}", left or code, True, phase)
    # A ValueError says all in its sentence.
    name = "" if isinstance(error, ValueError) else f"{type(error).__name__}: "
    return Failure(f"{name}{error}", code, False, phase)


def _exchange(comm: MPI.Comm, mine: Failure) -> dict[int, Failure]:
    """Send a failure to all other ranks, and return those of the ones that fail, too, by rank."""
    heard: dict[int, Failure] = {}
    content = json.dumps(asdict(mine)).encode()
    others = [rank for rank in range(comm.size) if rank != comm.rank]
    sent = [comm.Isend([content, MPI.BYTE], rank, _TAG) for rank in others]
    status = MPI.Status()
    end = time.monotonic() + _GRACE
    while len(heard) < len(others) and time.monotonic() < end:
        if not comm.Iprobe(MPI.ANY_SOURCE, _TAG, status):
            time.sleep(0.01)
            continue
        buffer = bytearray(status.Get_count(MPI.BYTE))
        comm.Recv([buffer, MPI.BYTE], status.Get_source(), _TAG)
        heard[status.Get_source()] = Failure(**json.loads(buffer))
    while len(heard) == len(others) and not MPI.Request.Testall(sent):
        time.sleep(0.01)  # all others are in here and receive it
    return heard


def _speak(failure: Failure, error: BaseException, comm: MPI.Comm) -> None:
    voice = sys.__stderr__ or sys.stderr  # the higher ranks of a command are silent otherwise
    if not failure.expected and not isinstance(error, ValueError):
        traceback.print_exception(error, file=voice)
    rank = f"rank {comm.rank} of {comm.size}" if comm.size > 1 else ""
    phase = f"{_WHILE}{failure.phase}" if failure.phase else ""
    where = ", ".join(filter(None, (rank, phase)))
    voice.write(f"loligo: {failure.reason}{f' ({where})' if where else ''}\n")
    voice.flush()


def on_first_rank(comm: MPI.Comm, action: Callable[[], T]) -> T:
    """Return on all ranks what rank 0 alone does; what it cannot do is a BadInput on all."""
    done: T | None = None
    complaint = ""
    if comm.rank == 0:
        try:
            done = action()
        except (BadInput, OSError) as error:
            complaint = failure_of(error).reason
    done, complaint = comm.bcast((done, complaint))
    if complaint:
        raise BadInputOnAll(complaint)
    return done  # type: ignore[return-value]


@contextmanager
def stop_signals(comm: MPI.Comm) -> Iterator[Callable[[], str]]:
    """Give a function that says on all ranks which signal any of them got; empty for none.

    The function is collective. Signals are caught meanwhile, so that what was reached is kept.
    """
    caught = [0]

    def catch(number: int, _: FrameType | None) -> None:
        if caught[0]:
            raise KeyboardInterrupt
        caught[0] = number
        if comm.rank == 0:
            os.write(2, b"stopping after the state under way; a second signal stops at once\n")

    before = {number: signal.signal(number, catch) for number in STOPPING}

    def asked() -> str:
        number = comm.allreduce(caught[0], MPI.MAX)
        return signal.Signals(number).name if number else ""

    try:
        yield asked
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
