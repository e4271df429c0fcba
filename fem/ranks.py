"""How the ranks of one run fail, and stop, together."""

from __future__ import annotations

import os
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TypeVar

from mpi4py import MPI

from loligo.cases.record import BadInput

T = TypeVar("T")

STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGUSR1)
"""Signals that ask a run to stop; a second one ends it at once."""

_PATIENCE = 3.0
"""How long a rank that failed lets lower ones speak, at most (s)."""


@contextmanager
def end_together(comm: MPI.Comm, code: int = 1) -> Iterator[None]:
    """End all ranks with one message if an exception escapes on any of them; for entry points.

    A BadInput passes, for whoever calls to say: all ranks find out alike what a user gave. Of any
    other exception the rest may not know, and wait in a collective call that the failed rank never
    reaches: the lowest failed rank speaks and aborts. Higher ranks that fail, too, give it time to
    do so.

    Args:
        comm: the communicator of the run.
        code: the exit code of the run.
    """
    try:
        yield
    except BadInput:
        raise
    except Exception as error:
        time.sleep(min(0.5 * comm.rank, _PATIENCE))
        voice = sys.__stderr__ or sys.stderr  # the higher ranks of a command are silent otherwise
        if not isinstance(error, ValueError):  # a ValueError says all in its sentence
            traceback.print_exc(file=voice)
        where = f" (rank {comm.rank} of {comm.size})" if comm.size > 1 else ""
        voice.write(f"loligo: {error}{where}\n")
        voice.flush()
        if comm.size == 1:
            raise SystemExit(code) from None
        comm.Abort(code)


def on_first_rank(comm: MPI.Comm, action: Callable[[], T]) -> T:
    """Return on all ranks what rank 0 alone does; what it cannot do is a BadInput on all."""
    done: T | None = None
    complaint = ""
    if comm.rank == 0:
        try:
            done = action()
        except BadInput as error:
            complaint = str(error)
        except OSError as error:  # a folder that cannot be written, a full disk
            complaint = f"{error.filename or 'output'}: {error.strerror or error}"
    done, complaint = comm.bcast((done, complaint))
    if complaint:
        raise BadInput(complaint)
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
