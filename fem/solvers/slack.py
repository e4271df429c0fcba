"""The path that Newton's method follows where thread goes slack and taut by turns.

The tangent of slack thread jumps, and full steps may try slack parts one after the other without
end. Then each correction is for forces whose kink is as soft as they are out of balance, and the
kink hardens as they balance. Where it hardens too fast the path goes back a piece and on by half.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from loligo.fem.problem.problem import Problem

Array = npt.NDArray[np.float64]

_SOFTEST, _HARDER, _HARD = 1e-2, 0.1, 1e-12
"""Softness of thread, a strain, from which the path may begin, what is left of it from one piece to
the next, and below which it is none."""
_DUE = 4.0
"""Imbalance of forces over what their softness makes of them, below which the kink hardens."""
_TURNS = 6
"""Forces go by turns when so many iterations have not halved the largest imbalance in them."""


class Slackening:
    """How soft slack thread is from one linear system of a solve to the next."""

    def __init__(self, problem: Problem, measure: Callable[[], Array]) -> None:
        """Begin with a sharp kink.

        Args:
            problem: its forces have the softness that is set here.
            measure: returns the residual of the problem as it is, and makes it the right-hand side
                of the next system.
        """
        self._problem, self._measure = problem, measure
        self._free = np.setdiff1d(problem.fields.by_name["displacement"], problem.supports.held)
        self._softness, self._left = 0.0, _HARDER
        self._imbalances: list[float] = []

    def soften(self, residual: Array, imbalance: float) -> None:
        """Set softness and right-hand side of the next system.

        Args:
            residual: with a sharp kink, as it was measured last.
            imbalance: the size of its forces over their scale.
        """
        self._imbalances.append(imbalance)
        sharp, before, by_turns = residual[self._free], self._softness, self._by_turns()
        if before and by_turns:
            self._softness = self._softened(before)
        elif before:
            self._softness = self._hardened(before, sharp)
        elif by_turns and (loads := self._loads()) > 0.0:
            most = min(self._problem.size(sharp), loads)
            self._softness = self._hardened(_SOFTEST, sharp, most)
        if self._softness != before:
            self._imbalances.clear()

    def _by_turns(self) -> bool:
        """Whether forces should balance better by now, since the softness changed."""
        *before, now = self._imbalances[-1 - _TURNS :]
        return len(before) == _TURNS and now > max(before) / 2.0

    def _softened(self, softness: float) -> float:
        """Go back one piece of the path, and let the pieces to come be half as long."""
        softness /= self._left
        self._left **= 0.5
        self._force(softness)
        return softness

    def _hardened(self, softness: float, sharp: Array, most: float | None = None) -> float:
        """Go on along the path until the softness makes no more of the forces than it may.

        Args:
            softness: where to begin.
            sharp: forces out of balance with a sharp kink (N).
            most: what may be made of them (N); if None, a share of what is out of balance.
        """
        while softness > _HARD:
            force = self._force(softness)
            made = self._problem.size(force - sharp)
            if 0.0 < made <= (self._problem.size(force) / _DUE if most is None else most):
                return softness
            softness *= self._left
        self._force(0.0)
        return 0.0

    def _force(self, softness: float) -> Array:
        """Measure what is out of balance at free nodes of this rank with a softness (N)."""
        self._problem.softness.value = softness
        return np.asarray(self._measure()[self._free])

    def _loads(self) -> float:
        """Size of all loads at free nodes (N).

        Supports alone have none, and the kink stays sharp.
        """
        internal, residual = self._problem.assemble_residual()
        return self._problem.size((internal.array_r - residual.array_r)[self._free])
