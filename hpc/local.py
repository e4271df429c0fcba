"""Runs a study on this machine: several items at once, each by a worker of its own."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType

from loligo.hpc.items import ItemFolder, State, state
from loligo.hpc.worker import SIGNALS

POLL = 0.05
"""Seconds between two looks at the workers."""


def run(
    places: list[ItemFolder],
    at_once: int,
    changed: Callable[[ItemFolder, State], None],
    *,
    trust: bool = False,
) -> bool:
    """Work on the items that wait or were lost, in their order; False if a signal ended it.

    Args:
        places: the items.
        at_once: workers at the same time.
        changed: is told whenever an item begins or ends.
        trust: run the cases' own Python energies.
    """
    waiting = [place for place in places if state(place) in ("waiting", "lost")]
    workers: dict[ItemFolder, subprocess.Popen[bytes]] = {}
    stopped: list[int] = []

    def stop(number: int, frame: FrameType | None) -> None:
        stopped.append(number)
        for worker in workers.values():
            worker.send_signal(signal.SIGTERM)

    before = {number: signal.signal(number, stop) for number in SIGNALS}
    try:
        while workers or (waiting and not stopped):
            while waiting and not stopped and len(workers) < at_once:
                place = waiting.pop(0)
                workers[place] = _start(place.folder, trust)
                changed(place, "running")
            for place in [place for place, worker in workers.items() if worker.poll() is not None]:
                del workers[place]
                changed(place, state(place))
            time.sleep(POLL)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    return not stopped


def _start(folder: Path, trust: bool) -> subprocess.Popen[bytes]:
    """Start a worker that is not hit by the terminal's Ctrl-C itself."""
    arguments = [sys.executable, "-m", "loligo.cli.main", "study", "item", str(folder)]
    arguments += ["--trust"] if trust else []
    return subprocess.Popen(arguments, start_new_session=True)
