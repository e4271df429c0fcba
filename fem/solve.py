"""A case solved on several meshes and with several time steps: one data set with error bars.

Levels are solved one after the other, the coarsest first. Every reported step is written at once,
checkpoints lie beside the file, and a solution that was told to stop goes on from the last one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import Literal

from mpi4py import MPI

import xarray as xr

from loligo.cases.case import Case
from loligo.cases.dataset.io import read_groups, write
from loligo.cases.dataset.levels import with_bars
from loligo.fem import levels
from loligo.fem.io.checkpoint import Checkpoint
from loligo.fem.io.keeper import Keeper, resolution_of
from loligo.fem.io.mesh_file import MeshFolder, hash_now
from loligo.fem.io.ranks import BadInputOnAll, during, on_first_rank
from loligo.fem.io.vtx import FieldFiles
from loligo.fem.levels import Resolution
from loligo.fem.march.step import StepResult
from loligo.fem.run import Run
from loligo.fem.solvers.factor import Solver

Ending = Literal["complete", "asked", "stuck"]
"""Done; told to stop, so that a restart goes on; stuck, so that it would not."""
Groups = dict[str, xr.Dataset]
"""A data set and the groups below it by their paths; its own is empty."""


Watch = Callable[[Run], AbstractContextManager[Callable[[StepResult], None]]]
"""Sees one level: what it gives is called with every converged state, on all ranks."""


@dataclass(frozen=True, eq=False)
class Solved:
    """How a solution ended, and what there is of it on rank 0."""

    ending: Ending
    status: str
    """In words."""
    groups: Groups
    """Empty on the other ranks, and if there is no converged state."""


@dataclass(eq=False)
class Refinement:
    """One case on some meshes and with some time steps; every call is collective."""

    case: Case
    comm: MPI.Comm
    wanted: Sequence[Resolution]
    """The coarsest first."""
    asked: Callable[[], str]
    """Says on all ranks which signal came; empty for none."""
    watch: Watch
    folder: Path | None = None
    """Where a solid's file lies."""
    keeper: Keeper | None = None
    """Of the data set's file and its checkpoints; without it nothing is written."""
    fields: Path | None = None
    """Folder for ParaView's files."""
    meshes: MeshFolder | None = None
    """Where large ones go through."""
    solver: Solver = "auto"
    _solved: dict[Resolution, xr.Dataset] = field(default_factory=dict)
    _groups: Groups = field(default_factory=dict)

    def solve(self, *, restart: bool = False) -> Solved:
        """Solve what is wanted; a level that cannot go on ends it, and what was reached is kept.

        Args:
            restart: take complete levels from the file and go on from the last checkpoint.

        Raises:
            BadInput: on all ranks, if the case cannot be solved or the file cannot be written.
        """
        start = self._taken_up() if restart else None
        for one in [one for one in self.wanted if one not in self._solved]:
            run = self._run(one)
            if start is not None and resolution_of(start) == one:
                run.resume(start)
                start.arrays.clear()  # every rank has its part
            ending: Ending = "asked" if self._march(run) else "stuck"
            if not run.states:
                why = f"level {one.level} stopped before its first converged state: {run.stopped}"
                return self._ended(ending, f"{why}; nothing of it is written")
            on_first_rank(self.comm, partial(self._save, run))
            self._solved[one] = run.dataset()
            if run.stopped:
                return self._ended(ending, f"{one}: {run.status}")
        if self.keeper is not None:
            self.keeper.remove()
        return self._ended("complete", "complete")

    def _ended(self, ending: Ending, status: str) -> Solved:
        """Say how it ended; where nothing new was reached, with what the file had before."""
        before = self._solved and not self._groups and self.comm.rank == 0
        if before and self.keeper is not None:
            self._groups = read_groups(self.keeper.file)
        return Solved(ending, status, self._groups)

    def _taken_up(self) -> Checkpoint | None:
        """Take what is complete from the file; return the checkpoint to go on from."""
        keeper = self.keeper
        if keeper is None:
            return None

        @cache
        def mesh_of(level: int) -> str:  # to mesh a level may take minutes
            return hash_now(self.case, level, self.folder, self.meshes)

        self._solved = on_first_rank(
            self.comm,
            lambda: levels.complete(keeper.file, self.case, self.wanted, mesh_of, keeper.say),
        )
        # The newest may be of a level that is complete: then the next one begins at rest.
        left = any(one not in self._solved for one in self.wanted)
        return keeper.newest(self.case, self.wanted, mesh_of) if left else None

    def _run(self, one: Resolution) -> Run:
        return Run(
            self.case,
            self.comm,
            level=one.level,
            time_level=one.time_level,
            case_folder=self.folder,
            meshes=self.meshes,
            solver=self.solver,
        )

    @during("writing the data set")
    def _save(self, run: Run) -> None:
        """Put all levels together with their error bars, and write them; rank 0 alone."""
        here = {**self._solved, Resolution(run.level, run.time_level): run.dataset()}
        # A level that stopped early is no better than a coarser one that did not.
        best = max(here, key=lambda one: (here[one].sizes["step"], one))
        on = levels.on_meshes(here, self.wanted)
        by = levels.with_steps(here, self.wanted)
        groups = run.groups()
        groups |= {f"levels/{level}": data for level, data in on.items()}
        groups |= {f"time_levels/{level}": data for level, data in by.items()}
        top = with_bars(here[best], list(on.values()), list(by.values()))
        if self.keeper is not None:
            write(top, self.keeper.file, groups)
        self._groups = {"": top, **groups}

    def _march(self, run: Run) -> bool:
        """Solve one level and save every reported step; return whether it was told to stop.

        A signal that comes after a step that cannot be made did not stop it.
        """
        files, told = self._field_files(run), False
        try:
            with self.watch(run) as show, during("solving"):
                for result in run.march(partial(_check_asked, self.asked)):
                    show(result)
                    self._reached(run, result, files)
        except _Asked as signal:
            run.stopped, told = str(signal), True
            if run.states and self.keeper is not None:
                self.keeper.take(run)
        except BadInputOnAll:  # the file cannot be written; what it had so far stays
            if files:
                files.close()
            raise
        except Exception as error:
            if self.comm.rank == 0 and run.states:  # the others may not have failed, or elsewhere
                run.stopped = f"{type(error).__name__}: {error}"
                self._save(run)
            raise
        if files:
            files.close()
        return told

    def _reached(self, run: Run, result: StepResult, files: FieldFiles | None) -> None:
        """Write a converged state where it is due."""
        if result.target is not None:
            on_first_rank(self.comm, partial(self._save, run))
            if files:
                files.write(result.target + 1.0 if result.time is None else result.time)
        if run.stopped and self.keeper is not None:
            self.keeper.take_when_due(run)

    def _field_files(self, run: Run) -> FieldFiles | None:
        if self.fields is None:
            return None
        steps = f"_time{run.time_level}" if run.time_level else ""
        return FieldFiles(
            run.setup.problem, self.fields, f"{self.case.name}_level{run.level}{steps}"
        )


class _Asked(Exception):
    """A signal asked the run to stop."""


def _check_asked(asked: Callable[[], str]) -> None:
    if signal := asked():
        raise _Asked(f"{signal} asked it to")
