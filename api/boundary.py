"""A boundary value problem of one's own: driven through its steps, and read at points."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from loligo.fem.core.measure import Probe
from loligo.fem.march import static
from loligo.fem.march.step import StepResult
from loligo.fem.problem.problem import Problem
from loligo.fem.solvers.factor import Solver


def march(
    problem: Problem,
    *steps: Mapping[str, float],
    volume_controlled: tuple[str, ...] = (),
    solver: Solver = "auto",
) -> tuple[StepResult, ...]:
    """Bring a problem from its present state through all steps; collective.

    Args:
        problem: at rest, or where an earlier call has left it.
        steps: the values of loads, motions and cavities by name, in SI; those not named stay.
            Between two steps all values move together, in as many increments as it takes.
        volume_controlled: cavities whose values are volumes (m^3) instead of pressures (Pa).
        solver: "direct", "krylov", or "auto" for krylov where a factor would not fit.

    Returns:
        Every converged state: its values, its stability, how it was reached. The problem is in the
        last one.

    Raises:
        LoligoError: when an increment became too small; the problem is in the last state reached.
    """
    controlled = volume_controlled
    return tuple(static.march(problem, steps, volume_controlled=controlled, solver=solver))


def displacement(problem: Problem, points: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Return the displacement at points of the body at rest (m), on every rank; collective.

    Args:
        problem: in any state.
        points: where, shape (points, 3) (m).

    Raises:
        ValueError: if a point lies outside the body.
    """
    fields = problem.fields
    field = fields.function if fields.pressure is None else fields.function.sub(0).collapse()
    return Probe(problem.domain.mesh, points).read(field)
