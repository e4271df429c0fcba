"""A run: from a case to its reference data set, one converged state after the other."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from mpi4py import MPI

import numpy as np
import numpy.typing as npt
import xarray as xr

from loligo.cases.advice import notes
from loligo.cases.case import Case
from loligo.cases.case_file import to_toml
from loligo.cases.core.provenance import git_commit
from loligo.cases.core.record import BadInput
from loligo.cases.dataset.io import LABELS, QUANTITIES, describe, load_variables
from loligo.fem.core.provenance import versions
from loligo.fem.from_case import set_up
from loligo.fem.io.checkpoint import Checkpoint, Order, made, plain
from loligo.fem.io.mesh_file import MeshFolder, meshed
from loligo.fem.io.ranks import during
from loligo.fem.io.solver_history import vibration_table
from loligo.fem.io.states import Kept, Observed
from loligo.fem.march.arclength import follow
from loligo.fem.march.motion import TimeControl, Travel, move, restore
from loligo.fem.march.standing import MarchStopped, Standing, StepControl
from loligo.fem.march.static import march
from loligo.fem.march.step import StepResult
from loligo.fem.observe.fibre_push import pushed_share
from loligo.fem.observe.observer import Observer
from loligo.fem.observe.stretch import LargestStretch
from loligo.fem.solvers.factor import Solver
from loligo.fem.solvers.vibrations import vibrations

Array = npt.NDArray[np.float64]

_ROUNDING = 1e-6
"""Push of a tendon over mu L^2 that is taken for none: its length is met to 1e-10 alone."""

_VIBRATIONS, _LARGEST = 4, 300_000
"""How many of the slowest vibrations a motion tells, and of how many unknowns at most."""


class Run:
    """One case on one mesh; every rank has its part of the solid and all of the results."""

    def __init__(
        self,
        case: Case,
        comm: MPI.Comm,
        *,
        level: int = 0,
        time_level: int = 0,
        case_folder: Path | None = None,
        meshes: MeshFolder | None = None,
        control: StepControl | None = None,
        solver: Solver = "auto",
    ) -> None:
        """Mesh the case, distribute the mesh, and set up the problem at rest.

        Args:
            case: the case.
            comm: the ranks.
            level: of the mesh.
            time_level: of a motion's steps, half as long with each: a step's own error, of third
                order, has an eighth of the tolerance.
            case_folder: where a solid's file lies.
            meshes: where large ones go through; without it rank 0 hands out any mesh.
            control: step sizes of the march.
            solver: of linear systems, see :data:`loligo.fem.solvers.factor.Solver`.

        Raises:
            BadInput: on all ranks, if the case cannot be meshed or set up.
        """
        self._began = time.perf_counter(), time.process_time()
        self._before: tuple[float, ...] = 0.0, 0.0
        self.case, self.comm, self.level, self.time_level = case, comm, level, time_level
        self._control, self._solver = control, solver
        with during("meshing"):
            domain, self.mesh = meshed(case, comm, level, case_folder, meshes)
        with during("setting up"):
            try:
                self.setup = set_up(case, domain)
            except ValueError as error:  # the mesh of a user may lack what the case speaks of
                raise BadInput(f"{case.name}: {error}") from error
            self._observer = Observer(self.setup.problem, case)
        self._kept = Kept(self._observer.surface, len(self.setup.targets))
        self._standing: Standing | Travel | None = None
        self._vibrations: list[list[float]] = []
        self.stopped = "the run ended there"
        """Why the run is not complete; empty if it is."""

    def march(self, watch: Callable[[], None] | None = None) -> Iterator[StepResult]:
        """Yield every converged state through all reported steps, observed and kept.

        A march that stops leaves its reason in ``stopped``; nothing is raised.

        Args:
            watch: is called on all ranks at every iteration; what it raises ends the march.
        """
        try:
            for result in self._converged(watch):
                if self._pushing():
                    return
                self._keep(result)
                self._pass_jump(result)
                yield result
        except MarchStopped as stop:
            self.stopped = str(stop)

    def _converged(self, watch: Callable[[], None] | None) -> Iterator[StepResult]:
        """Yield the static states, in a motion those up to where it begins, then its own."""
        setup, drive = self.setup, self.setup.drive
        advance = follow if self.case.control == "arc_length" else march
        if not isinstance(self._standing, Travel):
            for result in advance(
                setup.problem,
                setup.targets[:1] if drive else setup.targets,
                volume_controlled=setup.volume_controlled,
                control=self._control,
                solver=self._solver,
                resume=self._standing,
                keep=self._stand,
                watch=watch,
            ):
                begins = drive is not None and result.target is not None
                yield replace(result, time=drive.times[0]) if drive and begins else result
        if drive is None or self.case.time is None:
            return
        if not isinstance(self._standing, Travel):
            self._vibrations = self._vibrate()
        for result in move(
            setup.problem,
            drive.times,
            drive.values,
            jumps=drive.jumps,
            kinks=drive.kinks,
            volume_controlled=setup.volume_controlled,
            control=TimeControl(
                self.case.time.rho_inf,
                self.case.time.tolerance / 8.0**self.time_level,
                solver=self._solver,
            ),
            resume=self._standing if isinstance(self._standing, Travel) else None,
            keep=self._stand,
            watch=watch,
        ):
            target = None if result.target is None else result.target + 1
            yield replace(result, target=target, number=len(self.states) + 1)

    def _vibrate(self) -> list[list[float]]:
        """Return frequency and damping of small vibrations about where a motion begins.

        Nothing if a load has no potential or a factor of its own would not fit.
        """
        if self._solver == "krylov" or self.mesh.unknowns > _LARGEST:
            return []
        try:
            found = vibrations(self.setup.problem, _VIBRATIONS)
        except ValueError:
            return []
        return [[one.frequency, one.damping] for one in found]

    def _pass_jump(self, result: StepResult) -> None:
        """Where values jump, count work from here on with those behind the jump."""
        setup, drive = self.setup, self.setup.drive
        if drive is None or result.time not in drive.jumps:
            return
        for name, value in drive.values(float(np.nextafter(result.time, np.inf))).items():
            if name not in setup.volume_controlled:
                setup.problem.set_value(name, value)
        self._observer.balance.resume(self._observer.balance.work)

    def _stand(self, standing: Standing | Travel) -> None:
        self._standing = standing

    def checkpoint(self) -> Checkpoint:
        """Return all that it takes to go on from the last converged state; collective.

        On rank 0; the arrays of the other ranks are empty.
        """
        assert self._standing is not None  # there is a converged state
        taken = Checkpoint()
        order = Order(self.setup.problem)
        taken.facts = {
            **self._identity(),
            **self._kept.facts(taken.put),
            "moving": isinstance(self._standing, Travel),
            "standing": plain(self._standing, lambda array: taken.put(order.gather(array))),
            "vibrations": self._vibrations,
            "work": dict(self._observer.balance.work),
            "spent": self._spent(),
        }
        return taken

    def resume(self, checkpoint: Checkpoint) -> None:
        """Go on from a checkpoint in place of rest; collective.

        Args:
            checkpoint: as rank 0 has it; that of the other ranks is not read.

        Raises:
            BadInput: on all ranks, if it is of another case, mesh or version of loligo.
        """
        try:
            self._adopt(checkpoint)
        except KeyError as error:
            raise BadInput(
                f"{self.case.name}: the checkpoint lacks {error}, as of another version of loligo; "
                "solve without --restart, or delete it"
            ) from None

    def _adopt(self, checkpoint: Checkpoint) -> None:
        facts, names = self.comm.bcast((checkpoint.facts, list(checkpoint.arrays)))
        for what, mine in self._identity().items():
            if facts.get(what) != mine:
                raise BadInput(
                    f"{self.case.name}: the checkpoint is of another {what.replace('_', ' ')}; "
                    "solve without --restart, or delete it"
                )
        order = Order(self.setup.problem)
        standing: Standing | Travel

        def first(name: str) -> Array:
            if name not in names:  # so that all ranks notice
                raise KeyError(name)
            return checkpoint.arrays[name] if self.comm.rank == 0 else np.zeros(0)

        def everywhere(name: str) -> Array:
            found: Array = self.comm.bcast(first(name))
            return found

        def spread(name: str) -> Array:
            return order.spread(first(name))

        if facts["moving"]:
            standing = made(Travel, facts["standing"], spread)
        else:
            standing = made(Standing, facts["standing"], spread)
        self._kept.adopt(facts, everywhere, first, load_variables(self.case), self.comm.rank == 0)
        self._before, self._vibrations = tuple(facts["spent"]), facts["vibrations"]
        problem = self.setup.problem
        at_rest = problem.save()
        if isinstance(standing, Travel):
            restore(problem, standing)
        else:
            problem.restore(standing.now.state)
        assert self._kept.latest is not None  # a checkpoint has at least one state
        last = self._kept.latest.variables
        self._observer.resume(facts["work"], float(last["time"]), float(last["dissipated_energy"]))
        self._pass_jump(self.states[-1])
        problem.restore(at_rest)
        self._standing = standing
        if self._kept.complete:
            self.stopped = ""

    def _identity(self) -> dict[str, Any]:
        """What a checkpoint and a run must share."""
        return {
            "case": to_toml(self.case),
            "level": self.level,
            "time_level": self.time_level,
            "mesh_hash": self.mesh.hash,
        }

    def _spent(self) -> tuple[float, float]:
        """Wall and CPU time of this rank, those before a restart included (s)."""
        (wall, cpu), before = self._began, self._before
        return (
            time.perf_counter() - wall + before[0],
            time.process_time() - cpu + before[1],
        )

    def _pushing(self) -> bool:
        """Whether a tendon that is wound up would have to push; says so in ``stopped``."""
        problem = self.setup.problem
        rounding = _ROUNDING * problem.modulus * problem.length**2
        for tendon in problem.tendons:
            tension = problem.values[tendon.name]
            if tension < -rounding:
                self.stopped = (
                    f"{tendon.name} is slack: at the length that is left of it, it would push with "
                    f"{-tension:.3g} N; wind up more, or leave it out"
                )
                return True
        return False

    @during("observing")
    def _keep(self, result: StepResult) -> None:
        place = self._place(result)
        observed = self._observer.observe(result) | self._loads(result, place)
        self._kept.add(result, Observed(place, observed), self._observer.most_stretched)
        if self._kept.complete:
            self.stopped = ""

    def _place(self, result: StepResult) -> float:
        done = len(self._kept.reported)
        if result.target is not None:
            return done + 1.0
        if result.time is not None and self.case.time is not None:
            return 1.0 + result.time / self.case.time.every
        start = self.setup.targets[done - 1] if done else self.setup.rest
        # By arc length the loads may be anywhere on the way from one step to the next.
        return done + min(max(_share(start, self.setup.targets[done], result.values), 0.0), 1.0)

    def _loads(self, result: StepResult, place: float) -> dict[str, Array]:
        """Return the magnitude of every load in a state."""
        found = {name: values for name, (_, values, _) in load_variables(self.case).items()}
        if self.case.control == "arc_length":
            largest = int(np.argmax(np.abs(self.case.steps)))
            factor = _share(self.setup.rest, self.setup.targets[largest], result.values)
            return {name: factor * values[largest] for name, values in found.items()}
        return {
            name: np.interp(place, np.arange(len(values) + 1), [0.0, *values])
            for name, values in found.items()
        }

    @property
    def place(self) -> float:
        """How far the run is along the case's steps."""
        return self._kept.latest.place if self._kept.latest else 0.0

    @property
    def status(self) -> str:
        """How the run ended, as the data set says it."""
        done = len(self._kept.reported)
        where = f"after reported step {done}" if done else "before the first reported step"
        return f"stopped {where}: {self.stopped}" if self.stopped else "complete"

    @property
    def states(self) -> tuple[StepResult, ...]:
        """Every converged state, reported or on the way to a reported one."""
        return tuple(self._kept.states)

    def pushed_share(self) -> float:
        """Return the share of hoops that push too hard in the last state; collective."""
        return pushed_share(self.setup.problem)

    @property
    def most_stretched(self) -> LargestStretch | None:
        """The largest stretch of any state so far."""
        return self._kept.most_stretched

    def dataset(self) -> xr.Dataset:
        """Return what has been reached as a reference data set; at least one state has been.

        Of a run that stopped, the last converged state on the way to the next step is the last one.
        """
        kept = self._kept.observed()
        loads = load_variables(self.case)
        values = {
            name: np.array([state.variables[name] for state in kept]) for name in kept[0].variables
        }
        variables: dict[str, Any] = {
            name: (QUANTITIES[name].dims, values[name]) for name in values if name not in loads
        }
        variables |= {name: (dim, values[name], attrs) for name, (dim, _, attrs) in loads.items()}
        for name, value in self._observer.at_rest().items():
            variables[name] = QUANTITIES[name].dims, value
        data = xr.Dataset(variables, self._observer.coordinates(), self._attributes())
        return describe(
            data.assign_coords({dim: list(of) for dim, of in LABELS.items() if dim in data.dims})
        )

    def groups(self) -> dict[str, xr.Dataset]:
        """Return what stands below the data set: ``solver`` and, on rank 0, ``surface``, ``modes``.

        The history of all states, the skin at some of the reported ones, and how the body is about
        to move where its stability changes; of a motion, ``vibrations`` about where it begins.
        """
        found = self._kept.groups()
        if self._vibrations:
            found["vibrations"] = vibration_table(self._vibrations)
        return found

    def _attributes(self) -> dict[str, Any]:
        wall, cpu = self._spent()
        return {
            **self._steps(),
            "kind": "reference",
            "source": "loligo fem",
            "case_name": self.case.name,
            "case": to_toml(self.case),
            **notes.attributes(self.case),
            "status": self.status,
            "missing": ", ".join(self._observer.missing),
            "level": self.level,
            "size": self.mesh.mean_size,
            "mesh_element": self.mesh.element,
            "mesh_hash": self.mesh.hash,
            "unknowns": self.mesh.unknowns,
            "ranks": self.comm.size,
            "wall_seconds": wall,
            "cpu_seconds": cpu,
            "created": datetime.now(UTC).isoformat(timespec="seconds"),
            "versions": json.dumps(versions()),
            "git_commit": git_commit(),
        }

    def _steps(self) -> dict[str, Any]:
        """What a motion says of its steps, once it has taken some."""
        moved = [state.time for state in self.states if state.time]
        if not moved:
            return {}
        return {"time_level": self.time_level, "time_step": moved[-1] / len(moved)}


def _share(start: Mapping[str, float], end: Mapping[str, float], now: Mapping[str, float]) -> float:
    """Return how far values are from a start to an end, all on one line; 0 if these are one."""
    # All move together: any that moves tells how far, the one that moves most best.
    way = {name: end[name] - start[name] for name in end}
    name = max(way, key=lambda name: abs(way[name]) / (abs(end[name]) + abs(start[name]) or 1))
    return (now[name] - start[name]) / way[name] if way[name] else 0.0
