"""What the loads have worked, summed over all converged steps.

A step adds the mean of a load's two values times the way that its generalised displacement went
(trapezoidal rule, second order in the step). The generalised displacement of a pressure on a closed
surface is the enclosed volume, that of water the moment of the depths, that of a tendon its
shortening. What has none does its work with that mean along the straight way between both states,
by two Gauss points: forces at the middle of large turns do not average.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import dolfinx.fem
import numpy as np
import numpy.typing as npt
import ufl
from dolfinx.fem import Constant, form

from loligo.fem.core.kinematics import GAUSS, Kinematics
from loligo.fem.core.measure import global_sum
from loligo.fem.loads.base import Load, Pressure, WaterPressure
from loligo.fem.loads.cavities import Cavity
from loligo.fem.problem.inertia import Inertia
from loligo.fem.problem.problem import Problem, State

Array = npt.NDArray[np.float64]

_CLOSED = 1e-9
"""Resultant area over area below which a surface is closed."""


@dataclass(frozen=True)
class _Snapshot:
    """What the next step's work needs of a state."""

    state: State
    displacement: dict[str, float]
    """Generalised, of every load that has one."""
    support: Array
    """Forces of the supports on this rank's held unknowns (N)."""


class Balance:
    """The work of every load since the state in which this was made."""

    def __init__(self, problem: Problem) -> None:
        """Compile what is needed and take the problem's current state as the beginning."""
        self._problem = problem
        mesh, k = problem.domain.mesh, problem.kinematics
        self._displacements: dict[str, dolfinx.fem.Form] = {}
        self._values: dict[str, Constant] = {}
        self._forces: dict[str, dolfinx.fem.Form] = {}
        for load in (*problem.loads, *problem.cavities):
            if isinstance(load, Inertia):  # it is no load of the case: its work is kinetic energy
                continue
            displacement = _displacement(load, k)
            if displacement is not None:
                self._displacements[load.name] = form(displacement)
            else:
                self._values[load.name] = value = Constant(mesh, 0.0)
                self._forces[load.name] = form(load.virtual_work(k, value))
        self._last = self._snapshot(problem.assemble_residual()[1].array_r)
        self.work = dict.fromkeys((*self._forces, *self._last.displacement, "supports"), 0.0)
        """Work of every load, cavity and tendon on the body by name, and of moved supports (J)."""

    def resume(self, work: Mapping[str, float]) -> None:
        """Go on from the problem's current state, which this much work has led to."""
        self._last = self._snapshot(self._problem.assemble_residual()[1].array_r)
        self.work = dict(work)

    def add(self, residual: Array) -> None:
        """Add the step from the last state to the problem's current one.

        Args:
            residual: of the current state, this rank's, supports ignored: the supports' forces.
        """
        before, now = self._last, self._snapshot(residual)
        for name, place in now.displacement.items():
            mean = (now.state.values[name] + before.state.values[name]) / 2
            self.work[name] += mean * (place - before.displacement[name])
        mine = self._along_the_way(before.state, now.state)
        moved = now.state.unknowns - before.state.unknowns
        way = moved[: self._problem.fields.owned][self._problem.supports.held]
        mine["supports"] = float((now.support + before.support) @ way) / 2
        total = self._problem.comm.allreduce(np.array(list(mine.values())))
        for name, work in zip(mine, total, strict=True):
            self.work[name] += float(work)
        self._last = now

    def _along_the_way(self, before: State, now: State) -> dict[str, float]:
        """This rank's share of the work of loads without a generalised displacement."""
        unknowns = self._problem.fields.function.x.array
        moved = now.unknowns - before.unknowns
        mine = dict.fromkeys(self._forces, 0.0)
        for share in GAUSS:
            unknowns[:] = before.unknowns + share * moved
            for name, load in self._forces.items():
                self._values[name].value = (now.values[name] + before.values[name]) / 2
                force = dolfinx.fem.assemble_vector(load).array
                mine[name] += float(force @ moved) / 2  # what acts on ghosts counts here
        unknowns[:] = now.unknowns
        return mine

    def _snapshot(self, residual: Array) -> _Snapshot:
        problem = self._problem
        displacement = {name: global_sum(of) for name, of in self._displacements.items()}
        for tendon in problem.tendons:
            displacement[tendon.name] = -problem.tendon_length(tendon.name)
        return _Snapshot(problem.save(), displacement, residual[problem.supports.held].copy())


def _displacement(load: Load | Cavity, k: Kinematics) -> Any:
    """Return the generalised displacement of a pressure on a closed surface, or None.

    By the divergence theorem, in the quadrature of the load itself, which is exact for both: minus
    the enclosed volume, int x . n/3 da, and minus int depth dv = int depth^2/2 down . n da.
    """
    if not isinstance(load, Pressure | WaterPressure | Cavity):
        return None
    ds, normal = k.facets(load.facets), ufl.FacetNormal(k.domain.mesh)
    area = global_sum(form(Constant(k.domain.mesh, 1.0) * ds))
    if any(abs(global_sum(form(normal[i] * ds))) > _CLOSED * area for i in range(3)):
        return None
    if isinstance(load, WaterPressure):
        down = ufl.as_vector(load.down)
        depth = ufl.max_value(load.depth + ufl.inner(down, k.position), 0.0)
        return -(depth**2) / 2 * ufl.inner(down, k.area_vector) * ds
    return -ufl.inner(k.position, k.area_vector) / 3 * ds
