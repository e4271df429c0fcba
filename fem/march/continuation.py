r"""States on the path of equilibria, one from the other: by arc length, or at a load factor.

All values lie on one line, start + factor x way. A step from the state (u_0, factor_0) goes a given
distance in displacements, whatever becomes of the factor (Riks 1979, Crisfield 1981):

    R(u, p, factor) = 0,    |u - u_0|^2 = length^2    (Euclidean norm over all nodes),

solved together by Newton's method; the factor and its equation border the tangent. The path's
direction t at the new state solves the same bordered system with dR = 0 and (u - u_0) . t = length:
it leads on the way it came, through limit points and turning points alike.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from loligo.fem.march.contact import Contact, ContactSurface
from loligo.fem.march.standing import MarchStopped, Point, Standing
from loligo.fem.solvers.load_line import Line, hermite, real_roots
from loligo.fem.solvers.newton import Newton, Slope, Solve
from loligo.fem.solvers.stability import PivotSigns

Array = npt.NDArray[np.float64]

_STRAY = 0.3
"""Largest difference between a step and the mean of the path's directions at its ends, over the
step."""


@dataclass(frozen=True)
class Request:
    """A load factor at which a state is requested, and all values there."""

    factor: float
    values: Mapping[str, float]


@dataclass(frozen=True)
class PathPoint:
    """A converged state, its load factor, and the direction of the path there."""

    point: Point
    factor: float
    direction: Slope
    """Per distance in displacements (m)."""
    inertia: PivotSigns | None
    stable: bool
    negative: int | None
    """Directions of negative second-order work, :attr:`fem.solvers.stability.Inertia.unstable`;
    None where the factor does not know them, or they are those of a symmetric part."""
    solve: Solve | None = None
    """How Newton's method came there; None where the path begins."""


class Continuation:
    """One path of equilibria of a problem; the problem is where its last method left it."""

    def __init__(self, newton: Newton, line: Line, surface: ContactSurface) -> None:
        """Prepare for a path along a line of values; nothing is solved yet.

        Args:
            newton: whose unknown load factor is that of the line.
            line: the line.
            surface: of the body, which must not meet itself.
        """
        self.newton, self.line, self.problem = newton, line, newton.problem
        self._surface = surface
        self.contact: Contact | None = None
        """Where the body touches itself in the state that was refused last, if it does."""

    def begin(self, towards: float, resume: Standing | None = None) -> PathPoint:
        """Solve for the state where the path begins, and its direction towards a load factor.

        Args:
            towards: the load factor; where the path is taken up again it goes on as it came.
            resume: where it is taken up again.
        """
        line, newton = self.line, self.newton
        if resume is not None:
            self.problem.restore(resume.now.state)
            name = max(line.way, key=lambda name: abs(line.way[name]))
            line.factor = (resume.now.values[name] - line.start[name]) / line.way[name]
        line.wanted, line.origin = line.factor, None
        newton.apply(line.values(line.factor))
        solve = newton.solve(settle=False)
        if resume is not None and resume.before is not None:
            line.origin = resume.before.state.unknowns[: self.problem.fields.owned]
            line.length = newton.norm(self._unknowns() - line.origin)
        place, failure = self._settled()
        if place is None or solve.failure is not None:
            raise MarchStopped(
                f"the path began in a state that is no equilibrium: {solve.failure or failure}",
                dict(self.problem.values),
            )
        if resume is not None:
            return replace(place, stable=resume.stable, negative=resume.negative)
        if towards < line.factor:
            direction = place.direction
            back = replace(
                direction,
                unknowns=-direction.unknowns,
                pressures={name: -p for name, p in direction.pressures.items()},
                factor=-direction.factor,
            )
            place = replace(place, direction=back)
        return place

    def step(self, place: PathPoint, length: float) -> tuple[PathPoint | None, Solve]:
        """Go a distance (m) along the path; the problem stays in the place if that fails."""
        direction = place.direction
        self._set(
            place.point.state.unknowns[: len(direction.unknowns)] + length * direction.unknowns,
            {
                name: place.point.state.values[name] + length * slope
                for name, slope in direction.pressures.items()
            },
            place.factor + length * direction.factor,
        )
        return self._solved(place, length)

    def between(
        self, one: PathPoint, two: PathPoint, share: float, request: Request | None = None
    ) -> tuple[PathPoint | None, Solve]:
        """Solve for a state between two places, guessed by the cubic through both.

        Args:
            one: the first place, from which the direction is counted.
            two: the second one.
            share: of the way.
            request: which is met exactly; without one the share of the distance is.
        """
        a, b, c, d = hermite(share)
        length, own = self.distance(one, two), len(one.direction.unknowns)
        c, d = c * length, d * length
        old, end = one.point.state, two.point.state
        self._set(
            a * old.unknowns[:own]
            + b * end.unknowns[:own]
            + c * one.direction.unknowns
            + d * two.direction.unknowns,
            {
                name: a * old.values[name]
                + b * end.values[name]
                + c * slope
                + d * two.direction.pressures[name]
                for name, slope in one.direction.pressures.items()
            },
            request.factor if request else float(self.curve(one, two)(share)),
        )
        return self._solved(one, request or share * length)

    def stand(self, place: PathPoint) -> None:
        """Put the problem into the state of a place."""
        self.problem.restore(place.point.state)
        self.line.factor = place.factor
        self.newton.apply(self.line.values(place.factor))

    def distance(self, one: PathPoint, two: PathPoint) -> float:
        """Return how far apart the displacements of two places are (m)."""
        return self.newton.norm(self._way(one, two))

    def stray(self, one: PathPoint, two: PathPoint) -> float:
        """Return by how much two places differ from neighbours on a path, over their distance.

        It is the distance between their difference and the mean of both directions.
        """
        mean = (one.direction.unknowns + two.direction.unknowns) / 2.0
        way, length = self._way(one, two), self.distance(one, two)
        return self.newton.norm(way - length * mean) / length

    def neighbours(self, one: PathPoint, two: PathPoint) -> bool:
        """Whether two places may be neighbours on one path."""
        return self.stray(one, two) <= _STRAY

    def curve(self, one: PathPoint, two: PathPoint) -> np.polynomial.Polynomial:
        """The cubic of the load factor between two places, over the share of the way."""
        length = self.distance(one, two)
        slopes = length * one.direction.factor, length * two.direction.factor
        rise = two.factor - one.factor
        return np.polynomial.Polynomial(
            [
                one.factor,
                slopes[0],
                3.0 * rise - 2.0 * slopes[0] - slopes[1],
                slopes[0] + slopes[1] - 2.0 * rise,
            ]
        )

    def turn(self, one: PathPoint, two: PathPoint) -> float | None:
        """Return where on the way between two places the load turns; None if it does not."""
        if not turns(one, two):
            return None
        roots = real_roots(self.curve(one, two).deriv())
        return min(share for share in roots if 0.0 <= share <= 1.0)

    def _solved(self, place: PathPoint, where: float | Request) -> tuple[PathPoint | None, Solve]:
        """Solve from the present guess at a distance or for a request; settle, judge."""
        line, newton = self.line, self.newton
        origin = place.point.state.unknowns[: len(self._unknowns())]
        if isinstance(where, Request):
            line.origin, line.wanted = None, where.factor
        else:
            line.origin, line.length = origin, where
        solve, new = newton.solve(settle=False), None
        if solve.failure is None:
            if isinstance(where, Request):  # met exactly, not to rounding
                line.factor = where.factor
                newton.apply(where.values)
            line.origin, line.length = origin, newton.norm(self._unknowns() - origin)
            new, failure = self._settled()
            if new is not None:
                new = replace(new, stable=place.stable if new.inertia is None else new.stable)
                failure = self._doubt(place, new)
            solve = replace(solve, failure=failure, inertia=new.inertia if new else None)
        if solve.failure is not None:
            self.stand(place)
            return None, solve
        assert new is not None
        return replace(new, solve=solve), solve

    def _settled(self) -> tuple[PathPoint | None, str | None]:
        """Return the present state with its direction, or why there is none."""
        newton, line = self.newton, self.line
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
        values = {**self.problem.values, **newton.volume_targets}
        point = Point(self.problem.save(), {name: values[name] for name in line.way})
        stable = inertia is not None and inertia.stable
        negative = inertia.unstable if inertia is not None and inertia.symmetric else None
        return PathPoint(point, line.factor, direction, inertia, stable, negative), None

    def _doubt(self, place: PathPoint, new: PathPoint) -> str | None:
        """Say why a solution is not taken: it is off the path, or the body touches itself."""
        stray = self.stray(place, new)
        self.contact = None
        if stray > _STRAY:
            return f"the solution jumped: {stray:.2g} of its way is off the path"
        self.contact = self._surface.contact()
        return str(self.contact) if self.contact else None

    def _unknowns(self) -> Array:
        fields = self.problem.fields
        return np.asarray(fields.function.x.array[: fields.owned])

    def _way(self, one: PathPoint, two: PathPoint) -> Array:
        """Unknowns of this rank from one place to another."""
        own = len(one.direction.unknowns)
        return np.asarray(two.point.state.unknowns[:own] - one.point.state.unknowns[:own])

    def _set(self, unknowns: Array, pressures: Mapping[str, float], factor: float) -> None:
        function = self.problem.fields.function
        function.x.array[: len(unknowns)] = unknowns
        function.x.scatter_forward()
        for name, value in pressures.items():
            self.problem.set_value(name, value)
        self.line.factor = factor
        self.newton.apply(self.line.values(factor))


def turns(one: PathPoint, two: PathPoint) -> bool:
    """Whether the load factor turns between two places."""
    return one.direction.factor * two.direction.factor < 0.0


def change(one: PathPoint, two: PathPoint) -> int:
    """Return how many more directions have negative second-order work in the second place.

    Where their numbers are not known: 1 if the stability changes, else 0.
    """
    if one.negative is None or two.negative is None:
        return int(one.stable != two.stable)
    return two.negative - one.negative
