"""Cross a change of stability in a march: by arc length from its last state to the next one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from loligo.fem.march.arclength import Follower
from loligo.fem.march.contact import ContactSurface
from loligo.fem.march.continuation import Continuation, Request
from loligo.fem.march.standing import MarchStopped, StepControl
from loligo.fem.march.step import StepResult
from loligo.fem.problem.problem import State
from loligo.fem.solvers.linear import Work
from loligo.fem.solvers.load_line import Line, line_through
from loligo.fem.solvers.newton import Newton

_STATES, _ATTEMPTS = 60, 40
"""States and failed attempts after which the path is left: it bends away to another branch."""
_SMALLEST = 2.0**-14
"""Smallest step over the first."""


@dataclass(frozen=True)
class Crossing:
    """Where the path of equilibria leads that begins in a state of a march."""

    reached: State | None
    """The state at the requested values; None if the path does not lead there."""
    limit: Mapping[str, float] | None
    """Values where the load turns on the way; the path is not followed further."""
    passed: StepResult | None
    """The state behind the first bifurcation, if there is one on the way."""
    work: Work


def cross(
    make: Callable[[Line], Newton],
    start: Mapping[str, float],
    end: Mapping[str, float],
    surface: ContactSurface,
    first: float = 1.0,
) -> Crossing:
    """Follow the path from the problem's current state to other values, up to where the load turns.

    Args:
        make: gives the solver of the problem on a line of values. The problem is in a converged
            state, which this leaves.
        start: values there, of volume-controlled cavities their volumes.
        end: the requested values.
        surface: of the body.
        first: share of the way to the requested values to which linear theory leads in the first
            step.
    """
    line, (factor,) = line_through(start, [end])
    newton = make(line)
    control = StepControl(
        first=first, smallest=_SMALLEST, locate=1.0, cutbacks=_ATTEMPTS, states=_STATES
    )
    follower = Follower(Continuation(newton, line, surface), control)
    reached = limit = passed = None
    work = Work()
    try:
        for state in follower.run([Request(factor, end)], None):
            limit, work = state.limit, work.plus(state.work)
            if limit is not None:
                break
            passed = passed or (state if state.bifurcation else None)
            reached = newton.problem.save() if state.target is not None else None
    except MarchStopped:
        reached = None
    work = work.plus(newton.linear.work)
    newton.destroy()
    return Crossing(reached, limit, passed, work)
