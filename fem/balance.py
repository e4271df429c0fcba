"""What the loads have worked, summed over all converged steps.

A step from n to n + 1 adds (f_n + f_n+1)/2 . (q_n+1 - q_n) for every load: generalised force times
displacement, by the trapezoidal rule, second order in the step. Of a cavity that is pressure times
volume, of a tendon tension times shortening, of everything else nodal forces times displacements.
"""

from __future__ import annotations

from collections.abc import Mapping

import dolfinx.fem
import numpy as np
import numpy.typing as npt
from dolfinx.fem import Constant, form

from loligo.fem.problem import Problem

Array = npt.NDArray[np.float64]


class Balance:
    """The work of every load since the state in which this was made."""

    def __init__(self, problem: Problem) -> None:
        """Compile the forces and take the problem's current state as the beginning."""
        self._problem = problem
        mesh, k = problem.domain.mesh, problem.kinematics
        self._values = {load.name: Constant(mesh, 0.0) for load in problem.loads}
        self._forms = {
            load.name: form(load.virtual_work(k, self._values[load.name])) for load in problem.loads
        }
        self.work: dict[str, float] = dict.fromkeys(
            (*self._forms, *self._conjugates(), "supports"), 0.0
        )
        """Work of every load, cavity and tendon on the body by name, and of moved supports (J)."""
        self._last = self._state(problem.assemble_residual()[1].array_r)

    def add(self, residual: Array) -> Mapping[str, float]:
        """Add the step from the last state to the problem's current one; return the work so far.

        Args:
            residual: of the current state, this rank's, supports ignored: the supports' forces.
        """
        force, place, conjugate = now = self._state(residual)
        last_force, last_place, last_conjugate = self._last
        moved = place - last_place
        mine = np.array([(force[n] + last_force[n]) @ moved / 2 for n in force])
        for name, work in zip(force, self._problem.comm.allreduce(mine), strict=True):
            self.work[name] += float(work)
        for name, (value, q) in conjugate.items():
            value_before, q_before = last_conjugate[name]
            self.work[name] += (value + value_before) / 2 * (q - q_before)
        self._last = now
        return self.work

    def _state(
        self, residual: Array
    ) -> tuple[dict[str, Array], Array, dict[str, tuple[float, float]]]:
        """Nodal forces by load, unknowns, and conjugate pairs of the current state."""
        problem = self._problem
        owned = problem.fields.owned
        force = {}
        for name, load in self._forms.items():
            self._values[name].value = problem.values[name]
            vector = dolfinx.fem.assemble_vector(load)
            vector.scatter_reverse(dolfinx.la.InsertMode.add)
            force[name] = vector.array[:owned].copy()
        force["supports"] = np.zeros(owned)
        force["supports"][problem.supports.held] = residual[problem.supports.held]
        return force, problem.fields.function.x.array[:owned].copy(), self._conjugates()

    def _conjugates(self) -> dict[str, tuple[float, float]]:
        """Value and generalised displacement of what has one."""
        problem = self._problem
        pairs = {
            c.name: (problem.values[c.name], problem.cavity_volume(c.name))
            for c in problem.cavities
        }
        for tendon in problem.tendons:
            pairs[tendon.name] = problem.values[tendon.name], -problem.tendon_length(tendon.name)
        return pairs
