"""Drive a problem through requested values: predictor, cutback, growth, a reason at the end."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from loligo.fem.newton import Inertia, Newton, Solve, Tolerances
from loligo.fem.problem import Problem, State

_SLIVER = 1e-9
"""Share of the way to a requested state that is not worth a step of its own."""


@dataclass(frozen=True)
class StepControl:
    """How large the steps from one requested state to the next are."""

    first: float = 1.0
    """First step as a share of the way to the first requested state."""
    smallest: float = 2.0**-10
    """Share of the way below which the march gives up."""
    growth: float = 1.5
    easy: int = 6
    """A step that took at most this many iterations lets the next one grow."""
    locate: float = 2.0**-6
    """A larger step that changes the stability is repeated with half its size: either the change is
    located, or Newton's method had jumped to another branch of solutions."""
    cutbacks: int = 40
    """Failed attempts on the way to one requested state after which the march gives up."""

    def __post_init__(self) -> None:
        """Refuse to give up before a change of stability is located."""
        if not self.smallest < self.locate:
            raise ValueError(
                f"the smallest step ({self.smallest:.3g}) must be below locate ({self.locate:.3g})"
            )


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
    inertia: Inertia | None
    """None if the tangent is not symmetric."""
    solver: Mapping[str, str]
    """What solved it."""
    seconds: float
    """Wall time since the last converged state, failed attempts included."""

    @property
    def stable(self) -> bool | None:
        """Whether the state is stable under the control in force; None if that is not known."""
        return None if self.inertia is None else self.inertia.stable


class MarchStopped(RuntimeError):
    """The march cannot go on; the problem is in the last converged state."""

    def __init__(self, message: str, reached: Mapping[str, float]) -> None:
        """Keep what was reached beside the sentence that says why it ended."""
        super().__init__(message)
        self.reached = reached


def march(
    problem: Problem,
    targets: Iterable[Mapping[str, float]],
    *,
    volume_controlled: tuple[str, ...] = (),
    control: StepControl | None = None,
    tolerances: Tolerances | None = None,
) -> Iterator[StepResult]:
    """Yield converged states from the problem's current one through all requested ones.

    Between two requested states all values move together and linearly; each requested state is met
    exactly. After a failed attempt the state is restored and the step halved; easy steps grow. The
    first guess continues the last step (secant) where the values move on along the same line.

    Args:
        problem: in a converged state, for instance at rest.
        targets: values by name; names that are absent keep theirs.
        volume_controlled: cavities whose values are volumes (m^3) instead of pressures (Pa).
        control: step sizes.
        tolerances: of Newton's method.

    Raises:
        MarchStopped: when a step became too small; all states up to there have been yielded.
    """
    control = control or StepControl()
    newton = Newton(problem, volume_controlled, tolerances)
    try:
        yield from _Marcher(problem, newton, control).run(targets)
    finally:
        newton.destroy()


class _Marcher:
    def __init__(self, problem: Problem, newton: Newton, control: StepControl) -> None:
        self._problem, self._newton, self._control = problem, newton, control
        self._values = {**problem.values, **newton.volume_targets}
        self._now = problem.save()
        self._before: tuple[State, dict[str, float]] | None = None
        self._stable = True
        self._number = 0
        self._clock = time.perf_counter()

    def run(self, targets: Iterable[Mapping[str, float]]) -> Iterator[StepResult]:
        step = self._control.first
        for index, target in enumerate(targets):
            unknown = set(target) - set(self._values)
            if unknown:
                raise ValueError(
                    f"no load, motion or cavity is called {', '.join(sorted(unknown))}; "
                    f"there are {', '.join(self._values)}"
                )
            start, end = dict(self._values), {**self._values, **target}
            done, reasons = 0.0, []
            while done < 1.0:
                share = done + step if done + step < 1.0 - _SLIVER else 1.0
                values = {n: v + share * (end[n] - v) for n, v in start.items()}
                solve = self._attempt(end if share == 1.0 else values, share - done)
                if solve.failure is not None:
                    reasons.append(f"{solve.failure} (step of {share - done:.3g})")
                    step = (share - done) / 2.0
                    self._check(step, reasons, index, end)
                    continue
                done = share
                yield self._result(solve, index if done == 1.0 else None, tuple(reasons))
                reasons = []
                if solve.iterations <= self._control.easy:
                    step = min(1.0, step * self._control.growth)

    def _attempt(self, values: Mapping[str, float], step: float) -> Solve:
        """Solve at new values; restore the last converged state if that fails."""
        self._predict(values)
        self._apply(values)
        solve = self._newton.solve()
        stable = self._stable if solve.inertia is None else solve.inertia.stable
        if solve.failure is None and stable != self._stable and step > self._control.locate:
            solve = replace(solve, failure=f"the state became {'' if stable else 'un'}stable")
        if solve.failure is not None:
            self._problem.restore(self._now)
            self._apply(self._values)
            return solve
        self._stable = stable
        self._before = (self._now, self._values)
        self._now, self._values = self._problem.save(), dict(values)
        return solve

    def _apply(self, values: Mapping[str, float]) -> None:
        for name, value in values.items():
            if name in self._newton.volume_targets:
                self._newton.volume_targets[name] = value
            else:
                self._problem.set_value(name, value)

    def _predict(self, values: Mapping[str, float]) -> None:
        """Continue the last step as far as the values move on along its line."""
        if self._before is None:
            return
        state, last = self._before
        names = list(values)
        old = np.array([self._values[n] - last[n] for n in names])
        new = np.array([values[n] - self._values[n] for n in names])
        if not old.any():
            return
        ratio = float(new @ old / (old @ old))
        if np.any(np.abs(new - ratio * old) > 1e-9 * np.abs(new)) or ratio <= 0.0:
            return
        w = self._problem.fields.function.x.array
        w += ratio * (self._now.unknowns - state.unknowns)
        for name in self._newton.volume_targets:
            now, before = self._now.values[name], state.values[name]
            self._problem.set_value(name, now + ratio * (now - before))

    def _check(self, step: float, reasons: list[str], index: int, end: Mapping[str, float]) -> None:
        """Give up when the step has become too small."""
        control = self._control
        if step >= control.smallest and len(reasons) < control.cutbacks:
            return
        moving = ", ".join(
            f"{n} = {self._values[n]:.6g} on the way to {end[n]:.6g}"
            for n in end
            if self._values[n] != end[n]
        )
        raise MarchStopped(
            f"stopped before requested state {index} at {moving}, after {len(reasons)} failed "
            f"attempts; the last: {reasons[-1]}",
            dict(self._values),
        )

    def _result(self, solve: Solve, target: int | None, cutbacks: tuple[str, ...]) -> StepResult:
        self._number += 1
        problem = self._problem
        clock = time.perf_counter()
        seconds, self._clock = clock - self._clock, clock
        return StepResult(
            number=self._number,
            target=target,
            values=dict(self._values),
            pressures={c.name: problem.values[c.name] for c in problem.cavities},
            volumes={c.name: problem.cavity_volume(c.name) for c in problem.cavities},
            iterations=solve.iterations,
            history=solve.history,
            cutbacks=cutbacks,
            inertia=solve.inertia,
            solver=self._newton.options,
            seconds=seconds,
        )
