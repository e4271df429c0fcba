"""Runs a command of loligo, or a function, in a forked child: a crash or a hang stays there.

The parent has everything imported and compiled, so that a child costs a fork in place of seconds.
It must not use MPI itself: a child that does begins MPI on its own.
"""

from __future__ import annotations

import faulthandler
import os
import resource
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

MEMORY = 8 << 30
"""Bytes that a child may map: an absurd size is to end in an error, not the machine."""
LARGEST_FILE = 1 << 30
WRONG = 99
"""Code of a child in which a number is wrong; standard error says which."""


class Ended(NamedTuple):
    """How a child ended."""

    code: int | None
    """The exit code, minus the number of a signal, or None if it did not end in time."""
    out: str
    err: str
    seconds: float

    @property
    def verdict(self) -> str:
        """One word for it."""
        if self.code is None:
            return "hang"
        if self.code < 0:
            return "abort"
        if "Traceback (most recent call last)" in self.err + self.out:
            return "traceback"
        if self.code == WRONG:
            return "wrong number"
        if self.code == 0:
            return "answered"
        if not (self.err + self.out).strip():
            return "no sentence"
        return "stopped" if self.code in (3, 4) else "refused"


class Wrong(Exception):
    """A number that is not what it should be."""


def command(arguments: list[str], folder: Path, limit: float) -> Ended:
    """Run `loligo` with arguments in a folder."""

    def run() -> None:
        from loligo.cli.main import main

        main(arguments)

    return call(run, folder, limit)


def call(function: Callable[[], object], folder: Path, limit: float) -> Ended:
    """Call a function in a child that works in a folder.

    It hangs if it takes more seconds of processors than the limit, or none for as many seconds of
    the clock: on a busy machine a child may be slow without a fault.
    """
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        began = time.monotonic()
        child = start(function, folder, out.fileno(), err.fileno())
        code = wait_while_busy(child, limit)
        texts = []
        for file in (out, err):
            file.seek(0)
            texts.append(file.read(1 << 20).decode(errors="replace"))
    return Ended(code, *texts, time.monotonic() - began)


def start(function: Callable[[], object], folder: Path, out: int, err: int) -> int:
    """Begin a child in a process group of its own; return its id."""
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child:
        return child
    code = 1
    try:  # no way out of here but _exit: what the parent has open is not the child's
        os.setpgid(0, 0)
        os.chdir(folder)
        faulthandler.disable()  # an abort is told by its signal
        _limits()
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(out, 1)
        os.dup2(err, 2)
        sys.stdout = open(1, "w", buffering=1, closefd=False)  # pytest may have others
        sys.stderr = open(2, "w", buffering=1, closefd=False)
        code = _code_of(function)
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(code)
    raise AssertionError


def kill_after(child: int, seconds: float) -> None:
    """End a child and its whole group after so many seconds, if it has not ended before."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if os.waitpid(child, os.WNOHANG)[0]:
            return
        time.sleep(1e-3)
    kill(child)


def wait_while_busy(child: int, limit: float) -> int | None:
    """Wait for a child as long as it works, but no longer than the limit; None if it hangs."""
    used, active = 0.0, time.monotonic()
    while True:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        now = time.monotonic()
        if now - active > 1.0:
            before, used = used, processor_seconds(child)
            if used > before:
                active = now
        if used > limit or now - active > limit:
            kill(child)
            return None
        time.sleep(0.005 if now - active < 1.0 else 0.05)


def processor_seconds(group: int) -> float:
    """Return the seconds of processors that the processes of a group have taken so far."""
    total = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:  # it has ended meanwhile
            continue
        if int(fields[2]) == group:
            total += sum(map(int, fields[11:15]))
    return total / os.sysconf("SC_CLK_TCK")


def kill(child: int) -> None:
    """End a child and all that it started, at once."""
    try:
        os.killpg(child, signal.SIGKILL)
    except ProcessLookupError:  # it has not made its group yet
        os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


def _limits() -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_FSIZE, (LARGEST_FILE, LARGEST_FILE))
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # an OSError then


def _code_of(function: Callable[[], object]) -> int:
    try:
        function()
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            return end.code or 0
        print(end.code, file=sys.stderr)
        return 1
    except Wrong as wrong:
        print(f"wrong: {wrong}", file=sys.stderr)
        return WRONG
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


def warm_up() -> None:
    """Import and compile what children need."""
    import loligo.cli.main as cli
    import loligo.validation.report.page  # noqa: F401
    from loligo.cases.case_file import load
    from loligo.reduced.predict.predict import predict

    for verb in cli.VERBS:
        __import__(f"loligo.cli.{verb}")
    for name, model in (
        ("cylinder", "rod"),
        ("cylinder", "pcc"),
        ("emet_limb_one_tendon", "rod"),
        ("gong_bending_one", "rod"),
        ("renda_mantle_ring", "shell"),
    ):
        predict(load(name), model)
