"""Works on one item of a study: runs its command, shows signs of life, writes how it ended."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import time
from types import FrameType

from loligo.hpc.items import ENDS, HEARTBEAT, Outcome, Place, claim, last_lines, release

SIGNALS = (signal.SIGTERM, signal.SIGUSR1, signal.SIGINT)
"""What a scheduler or a user sends to end a run; the run gets it, too."""
LAUNCHER = "mpirun -n {ranks}"
"""How ranks are started where nothing else is said."""


def command(place: Place, launcher: str = LAUNCHER) -> list[str]:
    """Return the command line that computes an item."""
    asked = place.asked
    start = shlex.split(launcher.format(ranks=asked.ranks)) if asked.ranks > 1 else []
    loligo = [sys.executable, "-m", "loligo.cli.main", *asked.command]
    return [*start, *loligo, str(place.case), "--output", str(place.result)]


def work(place: Place, launcher: str = LAUNCHER) -> Outcome | None:
    """Run an item unless somebody else does; None if it was not run to its end.

    A signal that ends the run leaves the item waiting.
    """
    if not claim(place, job_number()):
        return None
    ended = None
    try:
        ended = _run(place, [*command(place, launcher), *_restart(place)])
    finally:
        release(place, ended)
    return ended


def _restart(place: Place) -> list[str]:
    """What makes a run that was interrupted go on where it was."""
    return ["--restart"] if place.asked.command[0] == "solve" else []


def job_number() -> str:
    """Return the scheduler's number of the job that this process is part of; empty without one."""
    array = os.environ.get("SLURM_ARRAY_JOB_ID")
    task = os.environ.get("SLURM_ARRAY_TASK_ID")
    return f"{array}_{task}" if array else os.environ.get("SLURM_JOB_ID", "")


def _run(place: Place, arguments: list[str]) -> Outcome | None:
    got: list[int] = []
    began = time.monotonic()
    with place.log.open("wb") as log:
        process = subprocess.Popen(
            arguments, stdout=log, stderr=subprocess.STDOUT, start_new_session=True
        )

        def forward(number: int, frame: FrameType | None) -> None:
            got.append(number)
            process.send_signal(number)

        before = {number: signal.signal(number, forward) for number in SIGNALS}
        try:
            while process.poll() is None:
                try:
                    process.wait(HEARTBEAT)
                except subprocess.TimeoutExpired:
                    os.utime(place.claim_file)
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
    code = process.returncode
    if got and code != 0:
        return None
    state = ENDS.get(code, "failed")
    if state in ENDS.values() and not place.result.exists():
        state = "failed"
    lines = last_lines(place, 1)
    reason = "" if state == "done" else (lines[0] if lines else f"ended with code {code}")
    return Outcome(state, code, reason, time.monotonic() - began)
