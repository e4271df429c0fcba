"""Drive a problem through requested values: predictor, cutback, growth, a reason at the end."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from loligo.fem.core.value_text import value_text
from loligo.fem.march.contact import Contact, ContactSurface
from loligo.fem.march.crossing import Crossing, cross
from loligo.fem.march.standing import MarchStopped, Point, Standing, StepControl
from loligo.fem.march.step import StepResult, Teller
from loligo.fem.problem.problem import Problem
from loligo.fem.solvers.factor import Solver
from loligo.fem.solvers.load_line import Line
from loligo.fem.solvers.newton import Newton, Slope, Solve, Tolerances
from loligo.fem.solvers.stability import neutral

_SLIVER = 1e-9
"""Share of the way to a requested state that is not worth a step of its own."""
_STRAY = 0.5
"""Share of an increment by which it may differ from the mean slope of the path at its two ends.

On a smooth path the difference falls with the square of the step: 0.1 on an arc of 60 degrees. A
jump over a limit point to another branch has nothing to do with either slope."""
_GROWTH = 4.0
"""Largest increment over what the slope at its beginning predicts."""
_SHRINKS = 0.55
"""Share of an increment that is left when its step is halved, at most, on a path that has a kink: a
half or less where the body softens. Of a jump there remains more, of a branch that begins ahead
0.7 or nothing: two halvings in turn tell a kink, as where thread goes slack at once, from both."""
_STILL = 1e-9
"""Increment over L below which a body stands still."""
_TURN = 0.05
"""Share of the way ahead within which a path that steepens without bound is said to turn back."""


def march(
    problem: Problem,
    targets: Iterable[Mapping[str, float]],
    *,
    volume_controlled: tuple[str, ...] = (),
    control: StepControl | None = None,
    tolerances: Tolerances | None = None,
    solver: Solver = "auto",
    resume: Standing | None = None,
    keep: Callable[[Standing], None] | None = None,
    watch: Callable[[], None] | None = None,
) -> Iterator[StepResult]:
    """Yield converged states from the problem's current one through all requested ones.

    Between two requested states all values move together and linearly; each requested state is met
    exactly. After a failed attempt the state is restored and the step halved; easy steps grow. The
    first guess follows the slope of the path, and its curvature where the values move on along the
    same line. A solution that does not continue the path is refused: under pressure control,
    Newton's method would jump over a limit point to another branch. So is one whose surface meets
    itself, see :mod:`loligo.fem.march.contact`. A change of stability is crossed by arc length, see
    :mod:`loligo.fem.march.crossing`: at a bifurcation the march goes on, at a limit point it ends.

    Args:
        problem: in a converged state, for instance at rest.
        targets: values by name; names that are absent keep theirs.
        volume_controlled: cavities whose values are volumes (m^3) instead of pressures (Pa).
        control: step sizes.
        tolerances: of Newton's method.
        solver: of its linear systems, see :data:`loligo.fem.solvers.factor.Solver`.
        resume: where a march to the same targets stood; the problem is at rest then.
        keep: is given where the march stands, before each state is yielded.
        watch: is called on all ranks at every iteration; what it raises ends the march.

    Raises:
        MarchStopped: when a step became too small; all states up to there have been yielded.
    """
    control = control or StepControl()

    def newton(line: Line | None = None) -> Newton:
        return Newton(problem, volume_controlled, tolerances, solver, watch, line)

    marcher = _Marcher(problem, newton, control, keep)
    yield from marcher.run(targets, resume)
    marcher.newton.destroy()  # collective, hence not where one rank's exception leaves


class _Marcher:
    def __init__(
        self,
        problem: Problem,
        make: Callable[[Line | None], Newton],
        control: StepControl,
        keep: Callable[[Standing], None] | None,
    ) -> None:
        self._problem, self._make, self._control = problem, make, control
        self._keep = keep
        self.newton = make(None)
        self._now = Point(problem.save(), {**problem.values, **self.newton.volume_targets})
        self._before: Point | None = None
        self._steep: list[tuple[float, float]] = []
        self._refused: list[tuple[float, float]] = []
        self._stable = True
        self._mode: npt.NDArray[np.float64] | None = None
        self._bifurcation: Mapping[str, float] | None = None
        self._surface = ContactSurface(problem)
        self._contact: Contact | None = None
        self._teller = Teller(self.newton)
        self._fresh = True

    def run(
        self, targets: Iterable[Mapping[str, float]], resume: Standing | None
    ) -> Iterator[StepResult]:
        step = self._control.first
        slope, way = None, dict[str, float]()
        if resume is not None:
            step = resume.step
            self._return_to(resume)
        for index, target in enumerate(targets):
            done, start = 0.0, self._now.values
            if resume is not None and index <= resume.target:
                done, start = resume.done if index == resume.target else 1.0, resume.start
            if done == 1.0:
                continue
            unknown = set(target) - set(start)
            if unknown:
                raise ValueError(
                    f"no load, motion or cavity is called {', '.join(sorted(unknown))}; "
                    f"there are {', '.join(start)}"
                )
            end = {**start, **target}
            last, way = way, {name: end[name] - value for name, value in start.items()}
            ratio = _ratio(last, way)
            slope = slope.times(1.0 / ratio) if slope and ratio else self._first_slope(way)
            self._steep = [(done, self.newton.norm(slope.unknowns))]
            if resume is not None and index == resume.target and resume.steep is not None:
                self._steep.insert(0, resume.steep)
            reasons: list[str] = []
            while done < 1.0:
                share = done + step if done + step < 1.0 - _SLIVER else 1.0
                size = share - done
                values = {n: v + share * way[n] for n, v in start.items()}
                solve, after = self._attempt(end if share == 1.0 else values, size, way, slope)
                if solve.failure is not None:
                    reasons.append(f"{solve.failure} (step of {size:.3g})")
                    step = size / 2.0
                    self._check(step, reasons, end, done)
                    continue
                done, slope = share, after
                self._steep = [*self._steep[-1:], (done, self.newton.norm(slope.unknowns))]
                result = self._teller.tell(
                    solve, self._now.values, index if done == 1.0 else None, reasons
                )
                result = replace(result, mode=self._mode, bifurcation=self._bifurcation)
                if solve.iterations <= self._control.easy and not reasons:
                    step = min(1.0, step * self._control.growth)
                if self._keep is not None:
                    now, before = self._now, self._before
                    stands = Standing(
                        index,
                        done,
                        step,
                        start,
                        now,
                        before,
                        self._stable,
                        None,
                        self._teller.number,
                        steep=self._steep[0],
                    )
                    self._keep(stands)
                yield result
                reasons = []

    def _return_to(self, resume: Standing) -> None:
        self._now, self._before = resume.now, resume.before
        self._stable, self._teller.number = resume.stable, resume.number
        self._go_back()

    def _first_slope(self, way: Mapping[str, float]) -> Slope:
        """Return the slope where a new line begins."""
        if self._fresh:  # there is no factor yet, and who calls may have been mistaken
            self._fresh = False
            solve = self.newton.solve()
            if solve.failure is not None:
                raise MarchStopped(
                    f"the march began in a state that is no equilibrium: {solve.failure}",
                    dict(self._now.values),
                )
            self._now = replace(self._now, state=self._problem.save())
        slope = self.newton.slope(way)
        if slope.failure is not None:
            raise MarchStopped(f"the march cannot go on: {slope.failure}", dict(self._now.values))
        return slope

    def _attempt(
        self, values: Mapping[str, float], size: float, way: Mapping[str, float], slope: Slope
    ) -> tuple[Solve, Slope]:
        """Solve at new values; restore the last converged state if that fails."""
        self._predict(size, way, slope)
        self.newton.apply(values)
        solve, after, self._contact = self.newton.solve(), slope, None
        crossing: Crossing | None = None
        if solve.failure is None and self._changed(solve):
            if size > self._control.locate:
                stable = solve.inertia is not None and solve.inertia.stable
                solve = replace(solve, failure=f"the state became {'' if stable else 'un'}stable")
            elif solve.inertia is not None and solve.inertia.symmetric:
                solve, crossing = self._crossed(values, solve)
        if solve.failure is None:
            after = self.newton.slope(way)
            solve = replace(solve, failure=after.failure or self._jumped(size, slope, after))
        if solve.failure is None:
            self._contact = self._surface.contact()
            solve = replace(solve, failure=str(self._contact) if self._contact else None)
        if solve.failure is not None:
            self._go_back()
            return solve, slope
        self._tell_change(solve, crossing)
        self._refused = []
        self._before, self._now = self._now, Point(self._problem.save(), dict(values))
        return solve, after

    def _go_back(self) -> None:
        """Return to the last converged state."""
        self._problem.restore(self._now.state)
        self.newton.apply(self._now.values)

    def _changed(self, solve: Solve) -> bool:
        """Whether the stability of a solution is not that of the last converged state."""
        return solve.inertia is not None and solve.inertia.stable != self._stable

    def _tell_change(self, solve: Solve, crossing: Crossing | None) -> None:
        """Keep what a result says of a change of stability; none if there was none."""
        passed = crossing.passed if crossing else None
        self._bifurcation = passed.bifurcation if passed else None
        self._mode = passed.mode if passed else None
        if self._changed(solve):
            if self._mode is None:
                self._mode = neutral(self._problem, self.newton.linear).mode
            self._stable = not self._stable

    def _crossed(self, values: Mapping[str, float], solve: Solve) -> tuple[Solve, Crossing]:
        """Return the solution on the path that leads from the last state to new values.

        Newton's method may have found another one, beyond a gap or a limit point. Where the path
        bends away and does not lead to these values at all, the solution that was found stays.

        Raises:
            MarchStopped: if the load turns on the way.
        """
        found = self._problem.save()
        crossing = self._cross(values)
        if crossing.limit is not None:
            self._go_back()
            moving = self._moving(values)
            raise MarchStopped(
                f"no equilibrium was found beyond {moving}{self._said(crossing.limit, values)}",
                dict(self._now.values),
                limit=crossing.limit,
            )
        self._problem.restore(crossing.reached or found)
        self.newton.apply(values)
        again = self.newton.solve()
        return (again if again.failure else replace(solve, inertia=again.inertia)), crossing

    def _cross(self, values: Mapping[str, float], first: float = 1.0) -> Crossing:
        """Follow the path from the last converged state to values, with a factor of its own.

        Two factors at a time would not fit where one is large.
        """
        work = self.newton.linear.work
        self.newton.destroy()
        self._problem.restore(self._now.state)
        crossing = cross(self._make, self._now.values, values, self._surface, first)
        self.newton = self._teller.newton = self._make(None)
        self.newton.linear.work = work.plus(crossing.work)
        return crossing

    def _predict(self, size: float, way: Mapping[str, float], slope: Slope) -> None:
        """Continue the path by its slope, and through the state before on the same line."""
        fields = self._problem.fields
        w, owned = fields.function.x.array, fields.owned
        w[:owned] += size * slope.unknowns
        change = {name: size * value for name, value in slope.pressures.items()}
        last = self._last_size(way)
        if last is not None:
            assert self._before is not None
            now, before = self._now.state, self._before.state
            curve = (size / last) ** 2
            back = before.unknowns[:owned] - now.unknowns[:owned] + last * slope.unknowns
            w[:owned] += curve * back
            for name, value in slope.pressures.items():
                change[name] += curve * (before.values[name] - now.values[name] + last * value)
        fields.function.x.scatter_forward()
        for name, value in change.items():
            self._problem.set_value(name, self._now.state.values[name] + value)

    def _last_size(self, way: Mapping[str, float]) -> float | None:
        """Return the last step as a share of the present way; None if it went another one."""
        if self._before is None:
            return None
        now, before = self._now.values, self._before.values
        return _ratio({name: now[name] - before[name] for name in way}, way)

    def _jumped(self, size: float, slope: Slope, after: Slope) -> str | None:
        """Say so if a solution does not continue the path."""
        problem = self._problem
        now = self._now.state.unknowns[: problem.fields.owned]
        increment = problem.fields.function.x.array[: problem.fields.owned] - now
        length = self.newton.norm(increment)
        if length < _STILL * problem.length:
            return None
        norm = self.newton.norm
        stray = norm(increment - size / 2.0 * (slope.unknowns + after.unknowns)) / length
        growth = length / max(size * norm(slope.unknowns), 1e-300)
        if stray <= _STRAY and growth <= _GROWTH:
            return None
        self._refused = [*self._refused[-2:], (size, length)]
        if len(self._refused) == 3 and all(
            1.99 < last[0] / now[0] < 2.01 and now[1] <= _SHRINKS * last[1]
            for last, now in pairwise(self._refused)
        ):
            return None
        if stray > _STRAY:
            return f"the solution jumped: {stray:.2g} of its way is off the path"
        return f"the solution jumped: {growth:.2g} times as far as the path's slope leads"

    def _check(
        self, step: float, reasons: list[str], end: Mapping[str, float], done: float
    ) -> None:
        """Give up when the step has become too small, or small enough to say where contact is."""
        control, values = self._control, self._now.values
        touched = self._contact is not None and 2.0 * step <= control.locate
        if step >= control.smallest and len(reasons) < control.cutbacks and not touched:
            return
        limit = self._limit_ahead(done, end)
        raise MarchStopped(
            f"no equilibrium was found beyond {self._moving(end)}; {len(reasons)} attempts failed, "
            f"the last: {reasons[-1]}{self._said(limit, end) if limit else ''}",
            dict(values),
            self._contact,
            limit,
        )

    def _moving(self, end: Mapping[str, float]) -> str:
        values, units = self._now.values, self._problem.units
        return ", ".join(
            f"{n} = {value_text(units, n, values[n])} on the way to {value_text(units, n, end[n])}"
            for n in end
            if values[n] != end[n]
        )

    def _limit_ahead(self, done: float, end: Mapping[str, float]) -> Mapping[str, float] | None:
        """Return the values at a limit point close ahead, located by arc length; None without one.

        Before it the path's slope grows so that the way ahead is proportional to 1/slope^2, which
        two states extrapolate to zero. To the limit point linear theory leads with twice that way.
        """
        if len(self._steep) < 2 or self._contact is not None:
            return None
        (at, first), (_, second) = self._steep
        if not second > first > 0.0:
            return None
        ahead = (done - at) / ((second / first) ** 2 - 1.0)
        if ahead > _TURN:
            return None
        limit = self._cross(end, min(1.0, 3.0 * ahead / (1.0 - done))).limit
        self._go_back()
        return limit

    def _said(self, limit: Mapping[str, float], end: Mapping[str, float]) -> str:
        """Say where the path turns back, and what to do."""
        values, units = self._now.values, self._problem.units
        turn = ", ".join(
            f"{n} = {value_text(units, n, limit[n])}" for n in end if values[n] != end[n]
        )
        return (
            f". The path turns back: a limit point lies near {turn}, beyond which there is no "
            'equilibrium nearby; follow the path with control = "arc_length". A prescribed volume '
            "or displacement may pass the limit point of a load, but can have one of its own"
        )


def _ratio(old: Mapping[str, float], new: Mapping[str, float]) -> float | None:
    """Return how many times as long one way is as another; None if they do not point alike."""
    if not any(old.values()) or not any(new.values()):
        return None
    was, now = (np.array([way[name] for name in new]) for way in (old, new))
    ratio = float(was @ now / (now @ now))
    if ratio <= 0.0 or np.any(np.abs(was - ratio * now) > 1e-9 * np.abs(was)):
        return None
    return ratio
