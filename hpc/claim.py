"""Who works on a result: a claim is a small file beside it, which one process alone can make.

It is made by a link, which the file systems of clusters, NFS among them, make for one of many. The
claim of a process that has ended is removed by the next one that wants it.
"""

from __future__ import annotations

import fcntl
import json
import os
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path

from loligo.cases.core import atomic as files
from loligo.cases.core.record import BadInput

_TURNS = 100
"""Tries to be the only process of this machine that looks at a claim, 10 ms apart."""


def began(process: int) -> int:
    """Return when a process of this machine began, in ticks since it booted; 0 if it has ended.

    A number is given to another process later; with this one it belongs to one process alone.
    """
    if process <= 0:
        return 0
    if not Path("/proc/self/stat").exists():  # not Linux: only whether it lives can be known
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return 0
        except PermissionError:  # of another user
            pass
        return 1
    try:
        stat = Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return 0
    state, *fields = stat.rpartition(")")[2].split()
    return 0 if state in ("Z", "X") else int(fields[18])  # of those that ended some leave an entry


@dataclass(frozen=True)
class Claim:
    """Who works on a result."""

    host: str = field(default_factory=socket.gethostname)
    pid: int = field(default_factory=os.getpid)
    job: str = ""
    """Number of the scheduler's job, empty without one."""
    since: float = field(default_factory=time.time)
    """Seconds of the epoch."""
    restarts: int = 0
    """Times that the scheduler has started the job again."""
    run: int = 0
    """The process that computes, which may outlive a worker that was killed; 0 before it starts."""
    began: int = field(default_factory=lambda: began(os.getpid()))
    """When the process began, see :func:`began`; 0 if that is not known."""

    @property
    def here(self) -> bool:
        """Whether it was made on this machine."""
        return self.host == socket.gethostname()

    @property
    def mine(self) -> bool:
        """Whether this process made it."""
        return self.here and self.pid == os.getpid()

    @property
    def lives(self) -> bool:
        """Whether a process of this machine that it names has not ended."""
        now = began(self.pid)
        return bool(now and self.began in (0, now)) or bool(began(self.run))


def read(file: Path) -> Claim | None:
    """Return the claim that a file holds; None if there is no file, or it was damaged."""
    try:
        stated = Claim(**{"began": 0, **json.loads(files.read_text(file))})
        time.localtime(stated.since)
    except (OSError, ValueError, TypeError, OverflowError):
        return None
    words = (stated.host, stated.job)
    numbers = (stated.pid, stated.restarts, stated.run, stated.began)
    whole = all(isinstance(w, str) for w in words) and all(isinstance(n, int) for n in numbers)
    return stated if whole else None


def take(file: Path, mine: Claim, dead: Callable[[Claim | None], bool]) -> bool:
    """Make a claim; False if somebody else has.

    Args:
        file: where it lies.
        mine: the claim of this process.
        dead: whether the claim that lies there may be removed; None is a damaged one.
    """
    aside = file.with_name(f".{file.name}.{mine.host}.{mine.pid}")
    with _alone(file.parent):
        aside.write_text(json.dumps(asdict(mine)))
        try:
            _remove_dead(file, dead)
            return _made(file, aside)
        finally:
            aside.unlink()


def _made(file: Path, aside: Path) -> bool:
    """Make a claim of a file that was written aside; only one of many can."""
    try:
        os.link(aside, file)
    except FileExistsError:
        return aside.stat().st_nlink > 1  # NFS may repeat an order that was carried out
    except OSError:  # a file system without links
        try:
            handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        except FileExistsError:
            return False
        with os.fdopen(handle, "wb") as made:
            made.write(aside.read_bytes())
    return True


def _remove_dead(file: Path, dead: Callable[[Claim | None], bool]) -> None:
    before = read(file)
    if not file.exists() or not dead(before):
        return
    removed = file.with_name(f".dead.{socket.gethostname()}.{os.getpid()}")
    try:
        file.rename(removed)
    except FileNotFoundError:  # somebody else removed it
        return
    try:
        if read(removed) != before:  # and made a claim: give it back
            os.link(removed, file)
    finally:
        removed.unlink()


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Keep other processes of this machine from looking at claims in a folder meanwhile.

    Two that find the same claim dead would else follow each other so closely that the second one
    removes the claim of the first. Across machines nothing keeps them; NFS cannot lock folders.
    """
    handle = os.open(folder, os.O_RDONLY)
    try:
        for _ in range(_TURNS):
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:  # perhaps whoever started this command holds it: no deadlock
                time.sleep(0.01)
            except OSError:
                break
        yield
    finally:
        os.close(handle)


@contextmanager
def sole_writer(output: Path, say: Callable[[str], None]) -> Iterator[None]:
    """Hold the claim on an output while a run writes it and what lies beside it.

    Args:
        output: the file.
        say: is given a sentence if the claim of a dead process is removed.

    Raises:
        BadInput: if another process writes it, or may do so on another machine.
    """
    file, mine = lock_file(output), Claim()

    def dead(by: Claim | None) -> bool:
        if by is not None and (by.lives if by.here else True):
            return False
        say(f"{output}: {_whose(by)} died before its end; this run takes over")
        return True

    if not take(file, mine, dead):
        raise BadInput(_refusal(output, file))
    try:
        yield
    finally:
        if read(file) == mine:
            with suppress(FileNotFoundError):
                file.unlink()


def lock_file(output: Path) -> Path:
    """Return where the claim on an output lies."""
    return output.with_name(f".{output.name}.lock")


def _refusal(output: Path, file: Path) -> str:
    by = read(file)
    if by is None or by.here:
        advice = "wait for its end, stop it, or give another --output"
    else:
        advice = (
            "wait for its end, stop it, or give another --output. From here nobody sees whether it "
            f"still lives: if it does not, as after a crash of {by.host}, delete {file}"
        )
    return f"{output}: {_whose(by)} writes it; {advice}"


def _whose(by: Claim | None) -> str:
    if by is None:
        return "another run"
    since = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(by.since))
    job = f", job {by.job}" if by.job else ""
    return f"the run of process {by.pid} on {by.host}{job} (since {since})"
