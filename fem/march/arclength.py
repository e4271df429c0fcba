"""Follow the path of equilibria past limit points: the load factor is one more unknown.

The equations of a step are in :mod:`loligo.fem.march.continuation`. Those of the points at which
the load turns or another path crosses are in :mod:`loligo.fem.march.critical_point`. A long step
that passes more than one limit point is repeated with half its size. A short one is located.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise

import numpy as np

from loligo.fem.core.value_text import value_text
from loligo.fem.march.contact import ContactSurface
from loligo.fem.march.continuation import Continuation, PathPoint, Request, change, turns
from loligo.fem.march.critical_point import Critical, locate
from loligo.fem.march.standing import MarchStopped, Standing, StepControl
from loligo.fem.march.step import StepResult, Teller
from loligo.fem.problem.problem import Problem
from loligo.fem.solvers.factor import Solver
from loligo.fem.solvers.load_line import line_through, meets, real_roots
from loligo.fem.solvers.newton import Newton, Solve, Tolerances

_BACK = 1e-3
"""Share of the change of the load in a step by which it may go back and forth within."""


def follow(
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
    """Yield converged states along the path through all requested ones, in their order.

    As :func:`loligo.fem.march.static.march`, whose arguments these are, but by arc length. The path
    is never retraced: after a limit point the factor falls, and values that are requested once more
    are those of the descending branch. Each is met exactly. The state behind a limit point or a
    bifurcation has the values there, :attr:`StepResult.limit` and :attr:`StepResult.bifurcation`.
    At a bifurcation the path goes on along the primary branch.

    In `control`, steps are lengths over that of the first, which is tried so that linear theory
    leads to the share `first` of the first request.

    Raises:
        ValueError: if the requested values are not on one line through the present ones, or the
            first are these themselves.
        MarchStopped: when a step became too small, or the path does not lead to what is requested.
    """
    control = control or StepControl()
    wanted = list(targets)
    now = {**problem.values, **{name: problem.delivered(name) for name in volume_controlled}}
    start = dict(now if resume is None else resume.start)
    line, factors = line_through(start, wanted)
    if factors[0] == 0.0:
        raise ValueError("the first requested state is the present one; begin with another")
    requests = [
        Request(factor, {**start, **target})
        for factor, target in zip(factors, accumulate(wanted, _over), strict=True)
    ]
    newton = Newton(problem, volume_controlled, tolerances, solver, watch, line)
    path = Continuation(newton, line, ContactSurface(problem))
    yield from Follower(path, control, keep).run(requests, resume)
    newton.destroy()  # collective, hence not where an exception leaves that is one rank's alone


@dataclass(frozen=True)
class _Advance:
    """A step along the path that was taken."""

    origin: PathPoint
    """The place next to its end, from which the direction there is counted."""
    end: PathPoint
    critical: Critical | None = None
    """The point that it has passed."""
    step: float | None = None
    """Length of the next step (m), if it must not be the same."""


class Follower:
    """Steps along one path from request to request."""

    def __init__(
        self,
        path: Continuation,
        control: StepControl,
        keep: Callable[[Standing], None] | None = None,
    ) -> None:
        """Prepare to follow a path; nothing is solved yet."""
        self._path, self._control, self._keep = path, control, keep
        self._turned: Mapping[str, float] | None = None
        self._teller = Teller(path.newton)

    def run(self, requests: Sequence[Request], resume: Standing | None) -> Iterator[StepResult]:
        """Yield converged states through all requests, see :func:`follow`."""
        control = self._control
        place = self._path.begin(requests[0].factor, resume)
        first = control.first * abs((requests[0].factor - place.factor) / place.direction.factor)
        step, begin = first, 0
        if resume is not None:
            self._teller.number = resume.number
            step, first, self._turned = resume.step, resume.first, resume.turned
            begin = resume.target + (resume.done == 1.0)
        for index, wanted in enumerate(requests[begin:], begin):
            reasons: list[str] = []
            states = 0
            while True:
                went, failure = self._attempt(place, step, wanted, first)
                if went is None:
                    reasons.append(f"{failure} (step of {step / first:.3g})")
                    step /= 2.0
                    self._check(step / first, reasons, wanted, place)
                    continue
                place, solve = went.end, went.end.solve
                assert solve is not None
                if went.step is not None:
                    step = min(step, max(went.step, 4.0 * control.smallest * first))
                elif solve.iterations <= control.easy and not reasons:
                    step *= control.growth
                met = place.factor == wanted.factor
                states += 1
                result = self._result(went, solve, index if met else None, reasons)
                if self._keep is not None:
                    done = 1.0 if met else 0.0
                    self._keep(self._standing(went, index, done, step, first))
                yield result
                reasons = []
                if met:
                    break
                if states == control.states:
                    raise MarchStopped(
                        f"the path was left at {self._where(place.point.values)}: in {states} "
                        f"states it has not led to {self._where(wanted.values)}{self._last_turn()}",
                        dict(place.point.values),
                    )

    def _result(
        self, went: _Advance, solve: Solve, target: int | None, reasons: Sequence[str]
    ) -> StepResult:
        """Return what is known of the state in which the problem is."""
        result = self._teller.tell(solve, went.end.point.values, target, reasons)
        result = replace(result, solver={**result.solver, "control": "arc length"})
        if went.critical is None:
            return result
        self._turned = went.critical.limit or self._turned
        return replace(
            result,
            limit=went.critical.limit,
            bifurcation=went.critical.bifurcation,
            mode=went.critical.mode,
        )

    def _standing(
        self, went: _Advance, index: int, done: float, step: float, first: float
    ) -> Standing:
        """Return where the path stands behind a step."""
        return Standing(
            target=index,
            done=done,
            step=step,
            start=self._path.line.start,
            now=went.end.point,
            before=went.origin.point,
            stable=went.end.stable,
            negative=went.end.negative,
            number=self._teller.number,
            first=first,
            turned=self._turned,
        )

    def _attempt(
        self, place: PathPoint, step: float, wanted: Request, first: float
    ) -> tuple[_Advance | None, str]:
        """Go one step along the path, or less if a requested state lies on it."""
        path = self._path
        new, solve = path.step(place, step)
        if new is None:
            return None, solve.failure or ""
        if step > self._control.locate * first and (failure := _missed(path, place, new)):
            path.stand(place)
            return None, failure
        places, critical, rest = [place, new], None, None
        if turns(place, new) or change(place, new):
            found = locate(path, place, new)
            critical = found.critical
            if critical is not None:
                onward = critical.limit is None and _alike(path, found.behind, new)
                places = [place, found.before, found.behind, *([new] if onward else [])]
            elif found.before is place:
                path.stand(place)
                return None, "the solution jumped: it is on another path"
            else:
                places, rest = [place, found.before], path.distance(found.before, found.behind) / 2
        places = [place, *(two for one, two in pairwise(places) if two is not one)]
        for one, two in pairwise(places):
            share = meets(path.curve(one, two), wanted.factor)
            if share is not None:
                return self._arrive(place, one, two, share, wanted, critical)
        path.stand(places[-1])
        return _Advance(places[-2], places[-1], critical, rest), ""

    def _arrive(
        self,
        place: PathPoint,
        one: PathPoint,
        two: PathPoint,
        share: float,
        wanted: Request,
        critical: Critical | None,
    ) -> tuple[_Advance | None, str]:
        """Meet a request between two places; a critical point is on the way or not."""
        met, solve = self._path.between(one, two, share, wanted)
        if met is None:
            self._path.stand(place)
            return None, solve.failure or ""
        passed = turns(place, met) or change(place, met) != 0
        return _Advance(one, met, critical if passed else None), ""

    def _check(
        self, step: float, reasons: Sequence[str], wanted: Request, place: PathPoint
    ) -> None:
        """Give up when the step has become too small, or small enough to say where contact is."""
        control, contact = self._control, self._path.contact
        touched = contact is not None and 2.0 * step <= control.locate
        if step >= control.smallest and len(reasons) < control.cutbacks and not touched:
            return
        raise MarchStopped(
            f"no equilibrium was found beyond {self._where(place.point.values)} on the way to "
            f"{self._where(wanted.values)}{self._last_turn()}; {len(reasons)} attempts failed, the "
            f"last: {reasons[-1]}",
            dict(place.point.values),
            contact,
        )

    def _where(self, values: Mapping[str, float]) -> str:
        way = self._path.line.way
        units = self._path.problem.units
        return ", ".join(
            f"{name} = {value_text(units, name, values[name])}" for name in way if way[name] != 0.0
        )

    def _last_turn(self) -> str:
        return f" (it last turned at {self._where(self._turned)})" if self._turned else ""


def _missed(path: Continuation, one: PathPoint, two: PathPoint) -> str | None:
    """Say why a long step may have passed more than one critical point, or left the path."""
    turned, changed = turns(one, two), change(one, two)
    known = one.negative is not None and two.negative is not None
    if turned and (not known or abs(changed) == 1):
        return None
    if one.stable != two.stable:
        return f"the state became {'' if two.stable else 'un'}stable"
    if turned or changed:
        went = f"{one.negative} to {two.negative} unstable directions"
        return f"from {went}{' where the load turned' if turned else ''}"
    curve = path.curve(one, two)
    extremes = [curve(share) for share in real_roots(curve.deriv()) if 0.0 < share < 1.0]
    if len(extremes) == 2 and abs(np.ptp(extremes)) > _BACK * abs(two.factor - one.factor):
        return "the load turned twice"
    return None


def _alike(path: Continuation, one: PathPoint, two: PathPoint) -> bool:
    """Whether nothing happens between two places behind a critical point."""
    if one is two:
        return True
    return not turns(one, two) and change(one, two) == 0 and path.neighbours(one, two)


def _over(before: Mapping[str, float], now: Mapping[str, float]) -> Mapping[str, float]:
    return {**before, **now}
