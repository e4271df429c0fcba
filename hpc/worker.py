"""Works on one item of a study: runs its command, shows signs of life, writes how it ended."""

from __future__ import annotations

import os
import shlex
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from types import FrameType

from loligo.hpc.claim import lock_file
from loligo.hpc.items import (
    ENDS,
    HEARTBEAT,
    ItemFolder,
    Outcome,
    begin_log,
    claim,
    error,
    meshes_of,
    name_run,
    release,
    show_life,
)

SIGNALS = (signal.SIGTERM, signal.SIGUSR1, signal.SIGINT)
"""What a scheduler or a user sends to end a run; the run gets it, too."""
LAUNCHER = "mpirun --bind-to none -n {ranks}"
"""How ranks are started where nothing else is said. Bound, those of every item would share the
first cores, since no `mpirun` knows of the others."""
TIED = (sys.executable, "-I", "-S", str(Path(__file__).with_name("tied.py")))
"""Starts a command that ends with this process, however that ends."""
MOST_REQUEUES = 100
"""Times that a job goes on after its limit; an item that needs more makes no progress."""


def command(place: ItemFolder, launcher: str = LAUNCHER) -> list[str]:
    """Return the command line that computes an item."""
    return _command(
        place, launcher, (sys.executable, "-m", "loligo.cli.main"), place.case, place.result
    )


def entrance() -> list[str]:
    """Return the command that enters this environment from outside, where it is a clone's own."""
    clone = Path(os.environ.get("VIRTUAL_ENV", ".")).parent
    enter = clone / "hpc" / "env" / "enter"
    return [str(enter)] if "LOLIGO_ENVIRONMENT" in os.environ and enter.exists() else []


def reproduction(place: ItemFolder) -> list[str]:
    """Return a command line that computes an item anew, to a file in whatever folder it is given.

    A clone's own environment says what `loligo` is; elsewhere it is a command like any other.
    """
    output = Path(f"{place.folder.name}.nc")
    return [*entrance(), *_command(place, LAUNCHER, ("loligo",), place.case.resolve(), output)]


def _command(
    place: ItemFolder, launcher: str, loligo: tuple[str, ...], case: Path, output: Path
) -> list[str]:
    asked = place.asked
    start = shlex.split(launcher.format(ranks=asked.ranks)) if asked.ranks > 1 else []
    return [*start, *loligo, *asked.command, str(case), "--output", str(output)]


def work(
    place: ItemFolder, launcher: str = LAUNCHER, meshes: Path | None = None, *, trust: bool = False
) -> Outcome | None:
    """Run an item unless somebody else does; None if it was not run to its end.

    A signal that ends the run leaves the item waiting. If it is the one that a scheduler sends
    before the limit, the job is put back into the queue, where it goes on with the item.

    Args:
        place: the item.
        launcher: how its ranks are started.
        meshes: where its mesh lies, or will; by default in the study's folder.
        trust: run the case's own Python energies.

    Raises:
        BadInput: if the folder is none of an item, or lacks what it needs.
    """
    arguments = [*command(place, launcher), *_options(place, meshes, trust)]
    if not claim(place, job_number(), restarts()):
        return None
    ended, got = None, 0
    try:
        # Who took the item has its result, too, whatever was left of a machine that died.
        lock_file(place.result).unlink(missing_ok=True)
        ended, got = _run(place, arguments)
    finally:
        release(place, ended)
    if ended is None and got == signal.SIGUSR1 and job_number():
        if restarts() < MOST_REQUEUES:
            with suppress(FileNotFoundError):  # in a container without Slurm the next submit serves
                subprocess.run(["scontrol", "requeue", job_number()], check=False)
    return ended


def _options(place: ItemFolder, meshes: Path | None, trust: bool) -> list[str]:
    """What makes a 3D solution go on where it was interrupted, on a mesh that others share.

    The result is the item's own: a damaged one is replaced.
    """
    if place.asked.command[0] != "solve":
        return ["--force"]
    trusting = ["--trust"] if trust else []
    shared = str(meshes or meshes_of(place.folder.parent))
    return ["--force", "--restart", "--meshes", shared, *trusting]


def job_number() -> str:
    """Return the scheduler's number of the job that this process is part of; empty without one."""
    array = os.environ.get("SLURM_ARRAY_JOB_ID")
    task = os.environ.get("SLURM_ARRAY_TASK_ID")
    return f"{array}_{task}" if array else os.environ.get("SLURM_JOB_ID", "")


def restarts() -> int:
    """Return how often the scheduler has started the job again."""
    return int(os.environ.get("SLURM_RESTART_COUNT", "0"))


def _run(place: ItemFolder, arguments: list[str]) -> tuple[Outcome | None, int]:
    """Run a command; return how it ended, and the signal if that is why."""
    got: list[int] = []
    began = time.monotonic()
    with begin_log(place, job_number()) as log:
        process = subprocess.Popen(
            [*TIED, *arguments], stdout=log, stderr=subprocess.STDOUT, start_new_session=True
        )

        def forward(number: int, frame: FrameType | None) -> None:
            got.append(number)
            process.send_signal(number)

        before = {number: signal.signal(number, forward) for number in SIGNALS}
        try:
            name_run(place, process.pid)
            while process.poll() is None:
                try:
                    process.wait(HEARTBEAT)
                except subprocess.TimeoutExpired:
                    if not show_life(place):
                        forward(signal.SIGTERM, None)
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
    code = process.returncode
    if got and code not in (0, 4):  # 4: it ended by itself, and would again
        return None, got[-1]
    state = ENDS.get(code, "failed")
    if state in ENDS.values() and not place.result.exists():
        state = "failed"
    reason = "" if state == "done" else _reason(code, error(place))
    seconds = time.monotonic() - began
    return Outcome(state, code, reason, seconds, socket.gethostname(), job_number()), 0


def _reason(code: int, said: str) -> str:
    """Return why a run did not end well: what killed it, or else what it said last.

    Codes above 128 are what launchers and shells make of the signals that killed a rank.
    """
    number = -code if code < 0 else code - 128
    if number == signal.SIGKILL:
        return "killed by SIGKILL, as for lack of memory"
    if number in set(signal.Signals):
        return f"killed by {signal.Signals(number).name}"
    return said or f"ended with code {code}"
