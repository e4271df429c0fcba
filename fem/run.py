"""A run: from a case to its reference data set, one converged state after the other."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from mpi4py import MPI

import numpy as np
import xarray as xr

from loligo.cases.case import Case
from loligo.cases.dataset import LABELS, QUANTITIES, describe, load_variables
from loligo.cases.read import to_toml
from loligo.cases.record import BadInput
from loligo.fem.domain import Domain, distribute
from loligo.fem.march import MarchStopped, StepControl, StepResult, march
from loligo.fem.observe import Observer
from loligo.fem.provenance import git_commit, versions
from loligo.fem.setup import set_up
from loligo.meshes.build import checked_mesh
from loligo.meshes.report import MeshReport


class Run:
    """One case on one mesh; every rank holds its part, rank 0 and all others the results."""

    def __init__(
        self,
        case: Case,
        comm: MPI.Comm,
        *,
        level: int = 0,
        case_folder: Path | None = None,
        control: StepControl | None = None,
    ) -> None:
        """Mesh the case on rank 0, distribute it, and set up its problem at rest.

        Args:
            case: the case.
            comm: the ranks.
            level: of the mesh.
            case_folder: where a solid's file lies.
            control: step sizes of the march.

        Raises:
            BadInput: on all ranks, if the case cannot be meshed or set up.
        """
        self._began = time.perf_counter(), time.process_time()
        self.case, self.comm, self.level = case, comm, level
        self._control = control
        domain, self.mesh = _meshed(case, comm, level, case_folder)
        self.setup = set_up(case, domain)
        self.observer = Observer(self.setup.problem, case)
        self._reported: list[dict[str, Any]] = []
        self._history: list[StepResult] = []
        self.stopped = f"{_place(0)}: the run ended there"
        """Why the run is not complete; empty if it is."""

    def march(self) -> Iterator[StepResult]:
        """Yield every converged state through all reported steps, observed and kept.

        A march that stops leaves its reason in ``stopped``; nothing is raised.
        """
        setup = self.setup
        try:
            for result in march(
                setup.problem,
                setup.targets,
                volume_controlled=setup.volume_controlled,
                control=self._control,
            ):
                observed = self.observer.observe(result)
                self._history.append(result)
                if result.target is not None:
                    self._reported.append(observed)
                    self.stopped = f"{_place(len(self._reported))}: the run ended there"
                yield result
        except MarchStopped as stop:
            self.stopped = f"{_place(len(self._reported))}: {stop}"
        else:
            self.stopped = ""

    @property
    def steps(self) -> int:
        """Number of reported steps so far."""
        return len(self._reported)

    def dataset(self) -> xr.Dataset:
        """Return what has been reached as a reference data set; there must be a reported step."""
        variables: dict[str, Any] = {
            name: (QUANTITIES[name].dims, np.array([state[name] for state in self._reported]))
            for name in self._reported[0]
        }
        variables["time"] = "step", np.full(self.steps, np.nan)
        for name, values in self.observer.at_rest().items():
            variables[name] = QUANTITIES[name].dims, values
        for name, (dim, values, attrs) in load_variables(self.case).items():
            variables[name] = dim, values[: self.steps], attrs
        data = xr.Dataset(variables, self.observer.coordinates())
        labels = {dim: list(names) for dim, names in LABELS.items() if dim in data.dims}
        data = data.assign_coords(labels)
        return describe(data.assign_attrs(self._attributes()))

    def _attributes(self) -> dict[str, Any]:
        wall, cpu = (
            now - start
            for now, start in zip(
                (time.perf_counter(), time.process_time()), self._began, strict=True
            )
        )
        return {
            "kind": "reference",
            "source": "loligo fem",
            "case_name": self.case.name,
            "case": to_toml(self.case),
            "status": f"stopped {self.stopped}" if self.stopped else "complete",
            "missing": ", ".join(self.observer.missing),
            "mesh_hash": self.mesh.hash,
            "mesh_element": self.mesh.element,
            "level": self.level,
            "size": self.mesh.mean_size,
            "unknowns": self.mesh.unknowns,
            "ranks": self.comm.size,
            "wall_seconds": wall,
            "cpu_seconds": cpu,
            "created": datetime.now(UTC).isoformat(timespec="seconds"),
            "versions": json.dumps(versions()),
            "git_commit": git_commit(),
        }

    def solver_history(self) -> xr.Dataset:
        """Return what the solver did for every converged state, reported or on the way to one."""
        fields = sorted({name for one in self._history for norms in one.history for name in norms})
        longest = max((len(one.history) for one in self._history), default=0)
        residual = np.full((len(self._history), longest, len(fields)), np.nan)
        for i, one in enumerate(self._history):
            for j, norms in enumerate(one.history):
                residual[i, j] = [norms.get(name, np.nan) for name in fields]
        driven = list(self._history[0].values) if self._history else []
        steps = [-1 if one.target is None else one.target for one in self._history]
        values = [[one.values[name] for name in driven] for one in self._history]
        per_state = {
            "step": (np.array(steps), "reported step, from 0; -1 on the way to one"),
            "iterations": (np.array([one.iterations for one in self._history]), "Newton's"),
            "cutbacks": (
                np.array([len(one.cutbacks) for one in self._history]),
                "failed attempts before this state",
            ),
            "why": (
                np.array(["; ".join(one.cutbacks) for one in self._history], dtype=object),
                "why they failed",
            ),
            "seconds": (np.array([one.seconds for one in self._history]), "wall time, s"),
        }
        return xr.Dataset(
            {
                **{
                    name: ("state", array, {"long_name": long_name})
                    for name, (array, long_name) in per_state.items()
                },
                "value": (("state", "driven"), values, {"long_name": "in SI units"}),
                "residual": (
                    ("state", "iteration", "field"),
                    residual,
                    {"long_name": "over the scale of its field, before the first iteration on"},
                ),
            },
            {"driven": driven, "field": fields},
            dict(self._history[-1].solver) if self._history else {},
        )


def _meshed(
    case: Case, comm: MPI.Comm, level: int, case_folder: Path | None
) -> tuple[Domain, MeshReport]:
    """Mesh on rank 0 alone; what is wrong with the case is raised on all ranks."""
    mesh, report, error = None, None, None
    if comm.rank == 0:
        try:
            mesh, report = checked_mesh(
                case.name,
                case.body,
                level,
                element=case.mesh.element,
                size=case.mesh.size,
                case_folder=case_folder,
            )
        except BadInput as bad:
            error = str(bad)
    report, error = comm.bcast((report, error))
    if error is not None:
        raise BadInput(error)
    assert report is not None
    return distribute(mesh, comm), report


def _place(steps: int) -> str:
    return f"after reported step {steps}" if steps else "before the first reported step"
