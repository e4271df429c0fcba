"""When a run takes checkpoints, where they lie, and what it goes on from."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from loligo.cases.record import BadInput
from loligo.cases.units import Unit

if TYPE_CHECKING:
    from mpi4py import MPI

    import xarray as xr

    from loligo.cases.case import Case
    from loligo.fem.checkpoint import Checkpoint
    from loligo.fem.run import Run

_TIME = Unit("s", "time", "10 min")


@dataclass(frozen=True)
class Interval:
    """How often: every so many states, or so many seconds."""

    states: int | None
    seconds: float | None


def interval(text: str) -> Interval:
    """Read "20" as states and "10 min" as a time."""
    if text.strip().isdecimal() and int(text) > 0:
        return Interval(int(text), None)
    try:
        seconds = _TIME.parse(text)
    except ValueError as error:
        raise BadInput(f"--checkpoint-every: {error}, or a number of states above 0") from None
    if seconds < 0.0:
        raise BadInput(f"--checkpoint-every {text}: is before the last one")
    return Interval(None, seconds)


@dataclass
class Keeper:
    """Takes the checkpoints of one command, beside its data set; every call is collective."""

    comm: MPI.Comm
    file: Path
    """The data set."""
    every: Interval
    _last: float = field(default_factory=time.monotonic)
    _states: int = 0

    @property
    def folder(self) -> Path:
        """Where the checkpoints lie."""
        return self.file.with_suffix(".checkpoints")

    def take_when_due(self, run: Run) -> None:
        """Take a checkpoint after a converged state if the last one is long ago."""
        self._states += 1
        due = (
            self._states >= self.every.states
            if self.every.states is not None
            else time.monotonic() - self._last >= (self.every.seconds or 0.0)
        )
        if self.comm.bcast(due):
            self.take(run)

    def take(self, run: Run) -> None:
        """Take a checkpoint of the last converged state."""
        from loligo.fem.checkpoint import write
        from loligo.fem.ranks import on_first_rank

        taken = run.checkpoint()
        on_first_rank(self.comm, lambda: write(taken, self.folder))
        self._last, self._states = time.monotonic(), 0

    def newest(self, levels: list[int]) -> Checkpoint | None:
        """Return the checkpoint to go on from; None, and a word, if there is none.

        Raises:
            BadInput: if it is of a level that is not asked for, or none can be read.
        """
        from loligo.fem.checkpoint import newest
        from loligo.fem.ranks import on_first_rank

        found = on_first_rank(self.comm, lambda: newest(self.folder))
        if found is None:
            typer.secho(f"{self.folder}: no checkpoint, the run begins at rest", err=True)
            return None
        checkpoint, wrong = found
        for line in wrong:
            typer.secho(f"warning: {line}", err=True, fg="yellow")
        level = int(checkpoint.facts["level"])
        if level not in levels:
            raise BadInput(
                f"{self.folder}: the checkpoint is of level {level}, which is not asked for; ask "
                "for it, or delete the folder"
            )
        return checkpoint

    def remove(self) -> None:
        """Remove the checkpoints of a command that is complete."""
        from loligo.fem.checkpoint import remove
        from loligo.fem.ranks import on_first_rank

        on_first_rank(self.comm, lambda: remove(self.folder))


def complete_levels(file: Path, case: Case, levels: list[int]) -> dict[int, xr.Dataset]:
    """Return the levels that a data set holds complete already, with their data; rank 0 alone."""
    from loligo.cases.dataset import read
    from loligo.cases.read import to_toml

    found: dict[int, xr.Dataset] = {}
    for level in levels:
        try:
            data = read(file, f"levels/{level}" if len(levels) > 1 else None)
        except BadInput:  # no file yet, or no such level
            continue
        facts = (data.attrs.get(name) for name in ("case", "level", "status"))
        if tuple(facts) == (to_toml(case), level, "complete"):
            found[level] = data
    return found
