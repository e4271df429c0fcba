"""How the ranks of one run fail together."""

from __future__ import annotations

import sys
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager

from mpi4py import MPI


@contextmanager
def end_together(comm: MPI.Comm, code: int = 1) -> Iterator[None]:
    """End all ranks with one message if an exception escapes on any of them; for entry points.

    The others may wait in a collective call that the failed rank never reaches, so nothing can be
    agreed upon: the lowest failed rank speaks and aborts. Higher ranks that fail, too, give it time
    to do so.

    Args:
        comm: the communicator of the run.
        code: the exit code of the run.
    """
    try:
        yield
    except Exception as error:
        time.sleep(0.5 * comm.rank)
        if not isinstance(error, ValueError):  # a ValueError says all in its sentence
            traceback.print_exc()
        where = f" (rank {comm.rank} of {comm.size})" if comm.size > 1 else ""
        sys.stderr.write(f"loligo: {error}{where}\n")
        sys.stderr.flush()
        if comm.size == 1:
            raise SystemExit(code) from None
        comm.Abort(code)
