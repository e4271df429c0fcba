"""What is known of a converged state, however the steps to it were chosen."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from loligo.fem.solvers.linear import Work
from loligo.fem.solvers.newton import Newton, Solve
from loligo.fem.solvers.stability import PivotSigns


@dataclass(frozen=True)
class StepResult:
    """One converged state."""

    number: int
    """Counts converged states from 1."""
    target: int | None
    """Which requested state this is, from 0; None on the way to one."""
    values: Mapping[str, float]
    """Every load, motion and cavity; of a volume-controlled cavity its volume."""
    pressures: Mapping[str, float]
    """Gauge pressure of every cavity (Pa)."""
    volumes: Mapping[str, float]
    """Enclosed volume of every cavity (m^3)."""
    iterations: int
    history: tuple[Mapping[str, float], ...]
    """Scaled residuals of every field over the iterations."""
    cutbacks: tuple[str, ...]
    """Why attempts failed before this state was reached."""
    inertia: PivotSigns | None
    """None if the factor does not know it."""
    solver: Mapping[str, str]
    """What solved it."""
    work: Work
    """What was done since the last converged state, failed attempts included."""
    seconds: float
    """Wall time since the last converged state, failed attempts included."""
    time: float | None = None
    """Of a state in motion (s)."""
    dissipated: float | None = None
    """By viscosity since the last state (J), if the steps say so themselves."""
    limit: Mapping[str, float] | None = None
    """Values at the limit point between the last state and this one, if arc length passed one."""
    bifurcation: Mapping[str, float] | None = None
    """Values at the bifurcation between the last state and this one, if the path passed one:
    :mod:`loligo.fem.march.critical_point`. The path goes on along the primary branch."""
    mode: npt.NDArray[np.float64] | None = None
    """Of a state whose stability is not that of the one before, the displacements in which it is
    closest to neutral, by unknown of this rank: :func:`loligo.fem.solvers.stability.neutral`."""

    @property
    def stable(self) -> bool | None:
        """Whether the state is stable under the control in force; None if that is not known.

        Where loads have no potential, whether it is shown to be:
        :mod:`loligo.fem.solvers.stability`.
        """
        return None if self.inertia is None else self.inertia.stable


class Teller:
    """Counts the converged states of a run, and the time and work that each has taken."""

    def __init__(self, newton: Newton) -> None:
        """Begin to count and to measure."""
        self.newton = newton
        """Whose work is told."""
        self.number = 0
        """Of the last state."""
        self._clock = time.perf_counter()

    def tell(
        self,
        solve: Solve,
        values: Mapping[str, float],
        target: int | None,
        cutbacks: Sequence[str],
    ) -> StepResult:
        """Return what is known of the problem's current state.

        Args:
            solve: what Newton's method did for it.
            values: see :class:`StepResult`.
            target: likewise.
            cutbacks: likewise.
        """
        self.number += 1
        problem = self.newton.problem
        clock = time.perf_counter()
        seconds, self._clock = clock - self._clock, clock
        work, self.newton.linear.work = self.newton.linear.work, Work()
        return StepResult(
            number=self.number,
            target=target,
            values=dict(values),
            pressures={c.name: problem.values[c.name] for c in problem.cavities},
            volumes={c.name: problem.cavity_volume(c.name) for c in problem.cavities},
            iterations=solve.iterations,
            history=solve.history,
            cutbacks=tuple(cutbacks),
            inertia=solve.inertia,
            solver=self.newton.options,
            work=work,
            seconds=seconds,
        )
