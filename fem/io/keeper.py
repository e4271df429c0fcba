"""When a run takes checkpoints, where they lie, and what it goes on from."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mpi4py import MPI

from loligo.cases import identity
from loligo.cases.case import Case
from loligo.cases.case_file import to_toml
from loligo.cases.core.record import BadInput
from loligo.cases.core.units import Unit
from loligo.fem.io import checkpoint as files
from loligo.fem.io.checkpoint import Array, Checkpoint
from loligo.fem.io.ranks import during, on_first_rank
from loligo.fem.levels import Resolution

if TYPE_CHECKING:
    from loligo.fem.run import Run

_TIME = Unit("s", "time", "10 min")


@dataclass(frozen=True)
class CheckpointInterval:
    """How often: every so many states, or so many seconds."""

    states: int | None
    seconds: float | None


def interval(text: str) -> CheckpointInterval:
    """Read "20" as states and "10 min" as a time; BadInput for anything else."""
    if text.strip().isdecimal() and int(text) > 0:
        return CheckpointInterval(int(text), None)
    try:
        seconds = _TIME.parse(text)
    except ValueError as error:
        raise BadInput(f"--checkpoint-every: {error}, or a number of states above 0") from None
    if seconds < 0.0:
        raise BadInput(f"--checkpoint-every {text}: is before the last one")
    return CheckpointInterval(None, seconds)


@dataclass
class Keeper:
    """Takes the checkpoints of one solution, beside its data set; every call is collective."""

    comm: MPI.Comm
    file: Path
    """The data set."""
    every: CheckpointInterval
    say: Callable[[str], None]
    """Is given a sentence on what is not gone on from, on rank 0."""
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
        with during("writing a checkpoint"):
            taken = run.checkpoint()
            on_first_rank(self.comm, lambda: files.write(taken, self.folder))
        self._last, self._states = time.monotonic(), 0

    def newest(
        self, case: Case, wanted: Sequence[Resolution], mesh_of: Callable[[int], str]
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
        arrays: dict[str, Array] = {}  # of all ranks' unknowns: they stay on rank 0

        def facts() -> tuple[dict[str, Any], list[str]] | None:
            nonlocal arrays
            last = files.newest(self.folder)
            if last is None:
                return None
            arrays = last[0].arrays
            return last[0].facts, last[1]

        last = on_first_rank(self.comm, facts)
        if last is None:
            self.say(f"{self.folder}: no checkpoint, the run begins at rest")
            return None
        checkpoint, damaged = Checkpoint(last[0], arrays), last[1]
        for line in damaged:
            self.say(f"warning: {line}")
        self._check(checkpoint, case, wanted)
        level = resolution_of(checkpoint).level
        # Now, not when its level comes: those before it may take hours.
        if checkpoint.facts.get("mesh_hash") != on_first_rank(self.comm, lambda: mesh_of(level)):
            self.say(
                f"{self.folder}: the checkpoint of level {level} is of another mesh; the level "
                "begins at rest"
            )
            return None
        return checkpoint

    def _check(self, checkpoint: Checkpoint, case: Case, wanted: Sequence[Resolution]) -> None:
        """Refuse a checkpoint of another case, or of a level that is not asked for."""
        text = str(checkpoint.facts.get("case", ""))
        if not identity.same_study(text, to_toml(case)):
            other = identity.differences(case, identity.parsed(text, case.name))
            values = identity.listed(other, "checkpoint")
            raise BadInput(
                f"{self.folder}: the checkpoint is of another case than {case.name} as it is now: "
                f"{values}; choose another --output, or delete the folder"
            )
        one = resolution_of(checkpoint)
        if one not in wanted:
            steps = f" and time level {one.time_level}" if one.time_level else ""
            raise BadInput(
                f"{self.folder}: the checkpoint is of level {one.level}{steps}, which is not "
                "asked for; ask for it, or delete the folder"
            )

    def remove(self) -> None:
        """Remove the checkpoints of a solution that is complete."""
        on_first_rank(self.comm, lambda: files.remove(self.folder))


def resolution_of(checkpoint: Checkpoint) -> Resolution:
    """Return what a checkpoint is of."""
    facts = checkpoint.facts
    return Resolution(int(facts["level"]), int(facts.get("time_level", 0)))
