"""When a run takes checkpoints, where they lie, and what it goes on from."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from loligo.cases.core.record import BadInput
from loligo.cases.core.units import Unit
from loligo.cli.rungs import Rung, group

if TYPE_CHECKING:
    from mpi4py import MPI

    import xarray as xr

    from loligo.cases.case import Case
    from loligo.fem.io.checkpoint import Array, Checkpoint
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
        from loligo.fem.io.checkpoint import write
        from loligo.fem.io.ranks import during, on_first_rank

        with during("writing a checkpoint"):
            taken = run.checkpoint()
            on_first_rank(self.comm, lambda: write(taken, self.folder))
        self._last, self._states = time.monotonic(), 0

    def newest(
        self, case: Case, wanted: Sequence[Rung], mesh_of: Callable[[int], str]
    ) -> Checkpoint | None:
        """Return the checkpoint to go on from; None, and a word, if there is none for these meshes.

        Its arrays are on rank 0 alone.

        Args:
            case: what is to be solved.
            wanted: the levels asked for.
            mesh_of: the hash of a level's mesh as it would be made now; rank 0 alone asks.

        Raises:
            BadInput: if it is of another case or of a level that is not asked for, so that to begin
                at rest would overwrite work; or if none can be read.
        """
        from loligo.cases import identity
        from loligo.cases.case_file import to_toml
        from loligo.fem.io.checkpoint import Checkpoint, newest
        from loligo.fem.io.ranks import on_first_rank

        arrays: dict[str, Array] = {}  # of all ranks' unknowns: they stay on rank 0

        def facts() -> tuple[dict[str, Any], list[str]] | None:
            nonlocal arrays
            found = newest(self.folder)
            if found is None:
                return None
            arrays = found[0].arrays
            return found[0].facts, found[1]

        found = on_first_rank(self.comm, facts)
        if found is None:
            typer.secho(f"{self.folder}: no checkpoint, the run begins at rest", err=True)
            return None
        checkpoint, wrong = Checkpoint(found[0], arrays), found[1]
        for line in wrong:
            typer.secho(f"warning: {line}", err=True, fg="yellow")
        text = str(checkpoint.facts.get("case", ""))
        if not identity.same_study(text, to_toml(case)):
            other = identity.differences(case, identity.parsed(text, case.name))
            values = identity.listed(other, "checkpoint")
            raise BadInput(
                f"{self.folder}: the checkpoint is of another case than {case.name} as it is now: "
                f"{values}; choose another --output, or delete the folder"
            )
        rung = rung_of(checkpoint)
        if rung not in wanted:
            steps = f" and time level {rung.time_level}" if rung.time_level else ""
            raise BadInput(
                f"{self.folder}: the checkpoint is of level {rung.level}{steps}, which is not "
                "asked for; ask for it, or delete the folder"
            )
        # Now, not when its level comes: those before it may take hours.
        if checkpoint.facts.get("mesh_hash") != on_first_rank(
            self.comm, lambda: mesh_of(rung.level)
        ):
            typer.secho(
                f"{self.folder}: the checkpoint of level {rung.level} is of another mesh; the "
                "level begins at rest",
                err=True,
            )
            return None
        return checkpoint

    def remove(self) -> None:
        """Remove the checkpoints of a command that is complete."""
        from loligo.fem.io.checkpoint import remove
        from loligo.fem.io.ranks import on_first_rank

        on_first_rank(self.comm, lambda: remove(self.folder))


def rung_of(checkpoint: Checkpoint) -> Rung:
    """Return what a checkpoint is of."""
    facts = checkpoint.facts
    return Rung(int(facts["level"]), int(facts.get("time_level", 0)))


def complete_rungs(
    file: Path,
    case: Case,
    wanted: Sequence[Rung],
    mesh_of: Callable[[int], str],
) -> dict[Rung, xr.Dataset]:
    """Return what a data set holds complete already of what is wanted; rank 0 alone.

    Args:
        file: the data set.
        case: what must have been solved.
        wanted: the levels asked for.
        mesh_of: the hash of a level's mesh as it would be made now; bars from meshes of two
            versions of loligo would mean nothing.
    """
    from loligo.cases import identity
    from loligo.cases.case_file import to_toml
    from loligo.cases.dataset.io import read

    found: dict[Rung, xr.Dataset] = {}
    for rung in wanted:
        try:
            data = read(file, group(rung, wanted))
        except BadInput:  # no file yet, or no such level
            continue
        facts = data.attrs.get("level"), data.attrs.get("time_level", 0), data.attrs.get("status")
        text = str(data.attrs.get("case"))
        if facts != (*rung, "complete") or not identity.same_study(text, to_toml(case)):
            continue
        if data.attrs.get("mesh_hash") == mesh_of(rung.level):
            found[rung] = data
        else:
            typer.secho(
                f"{file}: level {rung.level} is of another mesh and is solved again", err=True
            )
    return found
