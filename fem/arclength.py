r"""Follow the path of equilibria past limit points: the load factor is one more unknown.

All requested values lie on one line, start + factor x way. A step from the state (u_0, factor_0)
goes a given distance in displacements, whatever becomes of the factor (Crisfield 1981):

    R(u, p, factor) = 0,    |u - u_0|^2 = length^2    (Euclidean norm over all nodes),

solved together by Newton's method; the factor and its equation border the tangent. The path's
direction t at the new state solves the same bordered system with dR = 0 and (u - u_0) . t = length:
it leads on the way it came, through limit points and turning points alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

import numpy as np
import numpy.typing as npt

from loligo.fem.contact import Contact, Surface
from loligo.fem.load_line import Line, hermite, line_through, meets, real_roots
from loligo.fem.march import MarchStopped, Point, Standing, StepControl
from loligo.fem.newton import Newton, Slope, Solve, Tolerances
from loligo.fem.problem import Problem
from loligo.fem.stability import Inertia, critical_mode
from loligo.fem.step_result import StepResult, Teller
from loligo.fem.tangent import Solver
from loligo.fem.value_text import value_text

Array = npt.NDArray[np.float64]

_STRAY = 0.3
"""Share of a step by which it may differ from the mean of the path's directions at its ends."""
_BESIDE = 0.1
"""Share of a step within which a limit point is next to one of its ends."""


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

    As :func:`loligo.fem.march.march`, whose arguments these are, but by arc length. The path is
    never retraced: after a limit point the factor falls, and values that are requested once more
    are those of the descending branch. Each is met exactly. The state behind a limit point says
    what the values there are, :attr:`StepResult.limit`.

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
        _Request(factor, {**start, **target})
        for factor, target in zip(factors, accumulate(wanted, _over), strict=True)
    ]
    newton = Newton(problem, volume_controlled, tolerances, solver, watch, line)
    yield from _Follower(problem, newton, line, control, keep).run(requests, resume)
    newton.destroy()  # collective, hence not where an exception leaves that is one rank's alone


@dataclass(frozen=True)
class _Request:
    factor: float
    values: Mapping[str, float]


@dataclass(frozen=True)
class _Place:
    """A converged state, its load factor, and the direction of the path there."""

    point: Point
    factor: float
    direction: Slope
    """Per distance in displacements (m)."""
    inertia: Inertia | None
    stable: bool


class _Follower:
    def __init__(
        self,
        problem: Problem,
        newton: Newton,
        line: Line,
        control: StepControl,
        keep: Callable[[Standing], None] | None,
    ) -> None:
        self._problem, self._newton, self._line, self._control = problem, newton, line, control
        self._keep = keep
        self._surface = Surface(problem)
        self._contact: Contact | None = None
        self._turned: Mapping[str, float] | None = None
        self._teller = Teller(newton)

    def run(self, requests: Sequence[_Request], resume: Standing | None) -> Iterator[StepResult]:
        control = self._control
        place = self._begin(requests[0].factor, resume)
        before = resume.before if resume else None
        first = control.first * abs((requests[0].factor - place.factor) / place.direction.factor)
        step = first
        if resume is not None:
            step, first, self._turned = resume.step, resume.first, resume.turned
        begin = 0 if resume is None else resume.target + (resume.done == 1.0)
        for index, wanted in enumerate(requests[begin:], begin):
            reasons: list[str] = []
            states = 0
            while True:
                new, solve = self._attempt(place, step, wanted, first)
                if new is None:
                    reasons.append(f"{solve.failure} (step of {step / first:.3g})")
                    step /= 2.0
                    self._check(step / first, reasons, wanted, place)
                    continue
                met = new.factor == wanted.factor
                limit, changed = self._limit(place, new), new.stable != place.stable
                mode = critical_mode(self._problem, self._newton.linear) if changed else None
                self._turned = limit or self._turned
                before, place = place.point, new
                if solve.iterations <= control.easy and not reasons:
                    step *= control.growth
                states += 1
                result = self._teller.tell(
                    solve, place.point.values, index if met else None, reasons
                )
                solver = {**result.solver, "control": "arc length"}
                result = replace(result, solver=solver, limit=limit, mode=mode)
                if self._keep is not None:
                    done = 1.0 if met else 0.0
                    self._keep(
                        Standing(
                            index,
                            done,
                            step,
                            self._line.start,
                            place.point,
                            before,
                            place.stable,
                            self._teller.number,
                            first,
                            self._turned,
                        )
                    )
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

    def _begin(self, towards: float, resume: Standing | None) -> _Place:
        """Solve for the state where the path begins, and its direction."""
        line, newton = self._line, self._newton
        if resume is not None:
            self._problem.restore(resume.now.state)
            self._teller.number = resume.number
            name = max(line.way, key=lambda name: abs(line.way[name]))
            line.factor = (resume.now.values[name] - line.start[name]) / line.way[name]
        line.wanted, line.origin = line.factor, None
        newton.apply(line.values(line.factor))
        solve = newton.solve(settle=False)
        if resume is not None and resume.before is not None:
            line.origin = resume.before.state.unknowns[: self._problem.fields.owned]
            line.length = newton.norm(self._unknowns() - line.origin)
        place, failure = self._settled()
        if place is None or solve.failure is not None:
            raise MarchStopped(
                f"the path began in a state that is no equilibrium: {solve.failure or failure}",
                dict(self._problem.values),
            )
        if resume is None and towards < line.factor:
            direction = place.direction
            back = replace(
                direction,
                unknowns=-direction.unknowns,
                pressures={name: -p for name, p in direction.pressures.items()},
                factor=-direction.factor,
            )
            place = replace(place, direction=back)
        return replace(place, stable=True if resume is None else resume.stable)

    def _attempt(
        self, place: _Place, step: float, wanted: _Request, first: float
    ) -> tuple[_Place | None, Solve]:
        """Go one step along the path, or less if a requested state lies on it."""
        self._go(place, step)
        new, solve = self._solved(place, step, first)
        if new is None:
            return None, solve
        share = meets(self._factor_curve(place, new), wanted.factor)
        turn = self._turn(place, new)
        if share is None and turn is not None and _BESIDE < turn < 1.0 - _BESIDE:
            # Stop at the limit point, beside which the cubic is next to exact.
            self._go(place, turn * step)
            return self._solved(place, turn * step, first)
        if share is None:
            return new, solve
        self._return_to(place, new, share, wanted.factor)
        return self._solved(place, wanted, first)

    def _solved(
        self, place: _Place, where: float | _Request, first: float
    ) -> tuple[_Place | None, Solve]:
        """Solve from the present guess at a distance or for a request; settle, judge."""
        line, newton = self._line, self._newton
        origin = place.point.state.unknowns[: len(self._unknowns())]
        if isinstance(where, _Request):
            line.origin, line.wanted = None, where.factor
        else:
            line.origin, line.length = origin, where
        solve, new = newton.solve(settle=False), None
        if solve.failure is None:
            if isinstance(where, _Request):  # met exactly, not to rounding
                line.factor = where.factor
                newton.apply(where.values)
            line.origin, line.length = origin, newton.norm(self._unknowns() - origin)
            new, failure = self._settled()
            if new is not None:
                new = replace(new, stable=place.stable if new.inertia is None else new.stable)
                failure = self._doubt(place, new, line.length, first)
            solve = replace(solve, failure=failure, inertia=new.inertia if new else None)
        if solve.failure is not None:
            self._problem.restore(place.point.state)
            line.factor = place.factor
            newton.apply(line.values(line.factor))
            return None, solve
        return new, solve

    def _settled(self) -> tuple[_Place | None, str | None]:
        """Return the present state with its direction, or why there is none."""
        newton, line = self._newton, self._line
        failure, inertia = newton.settle()
        if failure is not None:
            return None, failure
        slope = newton.tangent()
        if slope.failure is not None:
            return None, slope.failure
        length = newton.norm(slope.unknowns)
        if length == 0.0:
            return None, "the loads move nothing"
        direction = Slope(
            np.asarray(slope.unknowns / length),
            {name: p / length for name, p in slope.pressures.items()},
            slope.factor / length,
        )
        values = {**self._problem.values, **newton.volume_targets}
        point = Point(self._problem.save(), {name: values[name] for name in line.way})
        stable = inertia is not None and inertia.stable
        return _Place(point, line.factor, direction, inertia, stable), None

    def _doubt(self, place: _Place, new: _Place, length: float, first: float) -> str | None:
        """Say why a solution is not taken: it is off the path, beside a branch, or in contact."""
        turned = place.direction.factor * new.direction.factor < 0.0
        if new.stable != place.stable and not turned and length > self._control.locate * first:
            return f"the state became {'' if new.stable else 'un'}stable"
        mean = (place.direction.unknowns + new.direction.unknowns) / 2.0
        way = self._unknowns() - place.point.state.unknowns[: len(mean)]
        stray = self._newton.norm(way - length * mean) / length
        if stray > _STRAY:
            return f"the solution jumped: {stray:.2g} of its way is off the path"
        self._contact = self._surface.contact()
        return str(self._contact) if self._contact else None

    def _unknowns(self) -> Array:
        fields = self._problem.fields
        return np.asarray(fields.function.x.array[: fields.owned])

    def _go(self, place: _Place, step: float) -> None:
        """Guess the state at a distance along the path's direction."""
        direction = place.direction
        self._set(
            place.point.state.unknowns[: len(direction.unknowns)] + step * direction.unknowns,
            {
                name: place.point.state.values[name] + step * slope
                for name, slope in direction.pressures.items()
            },
            place.factor + step * direction.factor,
        )

    def _return_to(self, place: _Place, new: _Place, share: float, wanted: float) -> None:
        """Guess the state at a requested factor between two states: a cubic through both."""
        a, b, c, d = hermite(share)
        length, own = self._line.length, len(place.direction.unknowns)
        c, d = c * length, d * length
        old, end = place.point.state, new.point.state
        self._set(
            a * old.unknowns[:own]
            + b * end.unknowns[:own]
            + c * place.direction.unknowns
            + d * new.direction.unknowns,
            {
                name: a * old.values[name]
                + b * end.values[name]
                + c * slope
                + d * new.direction.pressures[name]
                for name, slope in place.direction.pressures.items()
            },
            wanted,
        )

    def _set(self, unknowns: Array, pressures: Mapping[str, float], factor: float) -> None:
        function = self._problem.fields.function
        function.x.array[: len(unknowns)] = unknowns
        function.x.scatter_forward()
        for name, value in pressures.items():
            self._problem.set_value(name, value)
        self._line.factor = factor
        self._newton.apply(self._line.values(factor))

    def _factor_curve(self, place: _Place, new: _Place) -> Array:
        """The cubic of the load factor between two states over the share of the way."""
        origin = place.point.state.unknowns[: len(new.direction.unknowns)]
        length = self._newton.norm(new.point.state.unknowns[: len(origin)] - origin)
        slopes = length * place.direction.factor, length * new.direction.factor
        rise = new.factor - place.factor
        return np.array(
            [
                place.factor,
                slopes[0],
                3.0 * rise - 2.0 * slopes[0] - slopes[1],
                slopes[0] + slopes[1] - 2.0 * rise,
            ]
        )

    def _turn(self, place: _Place, new: _Place) -> float | None:
        """Return where on the way between two states the load factor turns; None if it does not."""
        if place.direction.factor * new.direction.factor >= 0.0:
            return None
        turns = real_roots(np.polynomial.Polynomial(self._factor_curve(place, new)).deriv())
        return min(share for share in turns if 0.0 <= share <= 1.0)

    def _limit(self, place: _Place, new: _Place) -> dict[str, float] | None:
        """Return all values where the load factor turned between two states; None if it did not."""
        turn = self._turn(place, new)
        if turn is None:
            return None
        curve = np.polynomial.Polynomial(self._factor_curve(place, new))
        return self._line.values(float(curve(turn)))

    def _check(self, step: float, reasons: Sequence[str], wanted: _Request, place: _Place) -> None:
        """Give up when the step has become too small, or small enough to say where contact is."""
        control = self._control
        touched = self._contact is not None and 2.0 * step <= control.locate
        if step >= control.smallest and len(reasons) < control.cutbacks and not touched:
            return
        raise MarchStopped(
            f"no equilibrium was found beyond {self._where(place.point.values)} on the way to "
            f"{self._where(wanted.values)}{self._last_turn()}; {len(reasons)} attempts failed, the "
            f"last: {reasons[-1]}",
            dict(place.point.values),
            self._contact,
        )

    def _where(self, values: Mapping[str, float]) -> str:
        way = self._line.way
        units = self._problem.units
        return ", ".join(
            f"{name} = {value_text(units, name, values[name])}" for name in way if way[name] != 0.0
        )

    def _last_turn(self) -> str:
        return f" (it last turned at {self._where(self._turned)})" if self._turned else ""


def _over(before: Mapping[str, float], now: Mapping[str, float]) -> Mapping[str, float]:
    return {**before, **now}
