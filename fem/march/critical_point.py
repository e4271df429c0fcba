r"""Where on a path of equilibria the tangent becomes singular, and whether the load turns there.

With K the tangent under the control in force, R_f the derivative of the residual by the load factor
f, and z the null vector of K, the path's direction (u', f') solves K u' + R_f f' = 0, so that

    f' (z . R_f) = 0.

Either f' = 0: at a *limit point* the load turns and the path goes on along z. Or z . R_f = 0, often
by symmetry: at a *bifurcation* another path crosses, and the primary path goes on with f' unchanged
(Riks 1979; Crisfield 1981; Seydel, Practical Bifurcation and Stability Analysis; Wriggers and Simo
1990). Hence along one path, between two states of it:

    f' changes its sign, and the number n of negative eigenvalues changes by one    a limit point
    f' keeps its sign, and n changes by one                                        a bifurcation
    f' changes its sign, and n does not change by one                              both
    f' keeps its sign, and n changes by more than one              several bifurcations, or one of
                                               several modes, as of a column with a square section

n comes from the inertia of the factor, which every state has anyway. The table needs both f' and n:
a step whose ends agree with none of its rows has left the path.

A limit point is at the extreme of the cubic of f over the distance. A bifurcation is where theta is
zero, the eigenvalue of K u = theta u next to zero: a regula falsi in the distance. Both shrink a
bracket of two solved states. The point is located when two successive estimates of its load agree.
The extended systems of Seydel and of Wriggers and Simo add K z = 0 to the unknowns. They take as
many factors, but converge to any of several points, and do not see a jump to another path.

An imperfect mesh or body turns a bifurcation into two paths that miss each other. If the load falls
along the crossing branch, the path from rest then has a limit point, and the other path begins
a gap away. A bracket with one end on each path fails as soon as it is shorter than the gap: its
ends are no neighbours. The path has then to be followed in smaller steps.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from loligo.fem.march.continuation import Continuation, PathPoint, change, turns
from loligo.fem.solvers.stability import neutral

Array = npt.NDArray[np.float64]

_AGREE = 1e-5
"""Relative difference of two successive estimates of a critical load at which it is located."""
_NARROW = 1e-4
"""Relative difference of loads within which several critical points count as one."""
_ESTIMATES = 30
"""States that are solved at most to locate one critical point."""
_FAILURES = 3
"""How many of them may fail."""
_SINGULAR = 1e-3
"""Eigenvalue next to zero, over the largest known beside the point, below which a state is no end
of a bracket: its tangent is so nearly singular that rounding decides where along the null vector
the state lies, and where the path leads from it."""
_EDGE = 0.03
"""Share of a bracket that a new state keeps from its ends, so that it always becomes shorter."""


@dataclass(frozen=True)
class Critical:
    """A critical point of a path."""

    limit: Mapping[str, float] | None
    """All values there if the load turns; None if it does not."""
    bifurcation: Mapping[str, float] | None
    """All values there if another path crosses; None if none does, or if that is not known because
    loads have no potential."""
    mode: Array | None
    """Displacements in which the body is neutral, as :attr:`fem.solvers.stability.Neutral.mode`."""


@dataclass(frozen=True)
class Located:
    """The bracket of a critical point."""

    before: PathPoint
    behind: PathPoint
    critical: Critical | None
    """None if the two ends are on different paths: then the one before is the last of its own."""


def locate(path: Continuation, place: PathPoint, new: PathPoint) -> Located:
    """Locate the first critical point between two places of which the second was solved last.

    The problem is then in any state.

    Args:
        path: of both places.
        place: before the point.
        new: behind it.
    """
    search = _Search(path, place, new)
    failures, last = 0, None
    for _ in range(_ESTIMATES):
        if not path.neighbours(search.lo, search.hi):
            break
        estimated = search.share()
        share = 0.5 if estimated is None else estimated
        value = float(path.curve(search.lo, search.hi)(share))
        error = search.width if last is None else min(search.width, abs(value - last))
        if error <= _AGREE * search.size(value):
            if search.simple:
                return Located(search.lo, search.hi, search.critical(value))
            share = search.squeeze(share, value)
        last = None if estimated is None else value
        share = min(max(share, _EDGE), 1.0 - _EDGE) / 2.0**failures
        middle, _ = path.between(search.lo, search.hi, share)
        if middle is None:
            failures, last = failures + 1, None
            if failures > _FAILURES:
                break
            continue
        failures = 0
        if search.shrink(middle):
            last = None
    return Located(search.lo, search.hi, None)


class _Search:
    """A bracket of two places, and the eigenvalues that are known in and around it."""

    def __init__(self, path: Continuation, lo: PathPoint, hi: PathPoint) -> None:
        self.path, self.lo, self.hi = path, lo, hi
        self._at = 0.0, path.distance(lo, hi)
        self._known: list[tuple[float, float]] = []
        self._mode: Array | None = None
        self._look(self._at[1], hi)

    @property
    def _kind(self) -> tuple[bool, bool]:
        """Whether the load turns in the bracket, and whether stability changes."""
        return turns(self.lo, self.hi), change(self.lo, self.hi) != 0

    @property
    def simple(self) -> bool:
        """Whether there is one point in the bracket, or several that count as one."""
        lo, hi = self.lo, self.hi
        if lo.negative is None or abs(change(lo, hi)) == 1:
            return True
        return abs(hi.factor - lo.factor) <= _NARROW * self.size(hi.factor) and (
            not turns(lo, hi) or self.path.distance(lo, hi) <= _NARROW * self._at[1]
        )

    @property
    def width(self) -> float:
        """Difference of the load factors of both ends, if the load does not turn between them.

        Where thread goes slack at once, stability changes without an eigenvalue at zero.
        """
        return np.inf if turns(self.lo, self.hi) else abs(self.hi.factor - self.lo.factor)

    def size(self, factor: float) -> float:
        """Return the change of the load factor that changes its values by as much as they are."""
        line = self.path.line
        values = line.values(factor)
        return max(abs(values[name] / way) for name, way in line.way.items() if way)

    def share(self) -> float | None:
        """Return the share of the bracket at which the point is estimated; None if it is not."""
        turn = self.path.turn(self.lo, self.hi)
        if turn is not None:
            return turn
        if len(self._known) < 2:
            return None
        (a, one), (b, two) = self._known[:2]
        if one == two:
            return None
        share = (a - one * (b - a) / (two - one) - self._at[0]) / (self._at[1] - self._at[0])
        return share if 0.0 <= share <= 1.0 else None

    def squeeze(self, share: float, value: float) -> float:
        """Return a share beside an estimate, so that the bracket's longer part is cut off."""
        if turns(self.lo, self.hi):
            return 0.5
        rise = abs(self.hi.factor - self.lo.factor)
        beside = min(0.25, 0.3 * _NARROW * self.size(value) / max(rise, 1e-300))
        return share + beside if share < 0.5 else share - beside

    def shrink(self, middle: PathPoint) -> bool:
        """Replace an end by a place between; return whether another critical point is now first.

        A place that is the point itself, nearly, tells its eigenvalue and is no end.
        """
        before, at = self._kind, self._at[0] + self.path.distance(self.lo, middle)
        first = turns(self.lo, middle) or change(self.lo, middle) != 0
        self._look(at, middle)
        if self._is_point(at):
            return False
        if first:
            self.hi, self._at = middle, (self._at[0], at)
        else:
            self.lo, self._at = middle, (at, max(self._at[1], at))
        if self._kind == before:
            return False
        self._known.clear()
        return True

    def _is_point(self, at: float) -> bool:
        """Whether the eigenvalue at a distance is nothing beside the others that are known."""
        if len(self._known) < 2 or self._known[0][0] != at:
            return False
        return abs(self._known[0][1]) < _SINGULAR * abs(self._known[-1][1])

    def critical(self, factor: float) -> Critical:
        """Return the point at a load factor."""
        path, turned, changed = self.path, turns(self.lo, self.hi), change(self.lo, self.hi)
        known = self.lo.negative is not None and self.hi.negative is not None
        crossed = known and (abs(changed) != 1 if turned else changed != 0)
        values = path.line.values(factor)
        if turned and self.hi.inertia is not None:
            self._mode = neutral(path.problem, path.newton.linear).mode
        return Critical(values if turned else None, values if crossed else None, self._mode)

    def _look(self, at: float, place: PathPoint) -> None:
        """Keep the eigenvalue next to zero where the tangent was factored last.

        Far from the point it may be another one than that which changes its sign. Then it is not
        kept, and the bracket is halved.
        """
        if place.inertia is None or turns(self.lo, self.hi):
            return
        found = neutral(self.path.problem, self.path.newton.linear)
        lost = not self.hi.stable if self.hi.negative is None else change(self.lo, self.hi) > 0
        behind = change(self.lo, place) != 0
        if (found.stiffness < 0.0) == (behind == lost):
            self._known.append((at, found.stiffness))
            self._known.sort(key=lambda one: abs(one[1]))
            if self._known[0][0] == at:
                self._mode = found.mode
        if self._mode is None:
            self._mode = found.mode
