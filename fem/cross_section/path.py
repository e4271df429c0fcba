"""Follow a cross-section from rest through requested targets, in steps that are cut back.

A step is rejected if Newton's method fails, if cells fold, if the number of unstable modes changes
within a large step, or if the solution is far from the tangent's prediction: then Newton's method
has jumped to another branch. The step is halved until it is accepted or too small.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from loligo.cases.core.record import LoligoError
from loligo.fem.cross_section.problem import REST, SectionProblem
from loligo.fem.cross_section.solve import (
    FREE,
    Array,
    Mask,
    SectionNotSolved,
    SectionState,
    Target,
    solve,
)

_SMALLEST = 2.0**-8
"""Step below which the path ends, as a fraction of the way to the requested target."""
_GROWTH = 1.6
"""Factor on the next step after one that took few iterations."""
_EASY = 6
"""Iterations."""
_LOCATE = 2.0**-5
"""Largest step within which the number of unstable modes may change."""
_STRAY = 0.5
"""Largest difference between a step's strain and the mean of the tangents' predictions at its ends,
as a fraction of the step."""
_STILL = 1e-7
"""Change of strain below which a section stands still."""


class PathEnded(LoligoError, RuntimeError):
    """The path does not lead to a requested target."""

    def __init__(self, reason: str, last: SectionState) -> None:
        """Keep the last state that was reached."""
        super().__init__(reason)
        self.last = last


def rest(problem: SectionProblem) -> SectionState:
    """Return the section at rest, free of wrench and pressure."""
    problem.unknowns.x.array[:] = 0.0
    problem.set_strain(np.array(REST))
    return solve(problem, Target(np.zeros(len(problem.chambers)), FREE, np.zeros(6)))


def follow(
    problem: SectionProblem, targets: Sequence[Target], start: SectionState | None = None
) -> Iterator[SectionState]:
    """Yield the state at every requested target, in their order.

    Between two targets pressures, wrench and held strains change linearly.

    Args:
        problem: the cross-section.
        targets: what is requested; which components are free may differ between targets.
        start: where the path begins; the section at rest if absent.

    Raises:
        PathEnded: if a step became too small.
    """
    state = start or rest(problem)
    for target in targets:
        now = Target(
            state.pressures, target.free, np.where(target.free, state.wrench, state.strain)
        )
        state = _to(problem, state, now, target)
        yield state


def _to(problem: SectionProblem, state: SectionState, begin: Target, end: Target) -> SectionState:
    done, step = 0.0, 1.0
    while done < 1.0:
        step = min(step, 1.0 - done)
        reason = None
        try:
            new = solve(problem, begin.between(end, done + step), state)
            reason = _doubt(state, new, end.free, step)
        except SectionNotSolved as failure:
            reason = str(failure)
        if reason is not None:
            step /= 2.0
            if step < _SMALLEST:
                raise PathEnded(
                    f"no equilibrium of the section was found beyond {done:.4g} of the way: "
                    f"{reason}",
                    state,
                )
            continue
        done = 1.0 if step == 1.0 - done else done + step
        if new.iterations <= _EASY:
            step *= _GROWTH
        state = new
    return state


def _doubt(old: SectionState, new: SectionState, free: Mask, step: float) -> str | None:
    """Say why a solution does not continue the path."""
    if new.unstable != old.unstable and step > _LOCATE:
        return f"the number of unstable modes became {new.unstable}"
    change = new.strain - old.strain
    slopes = [_slope(state, old, new, free) for state in (old, new)]
    # Strains times the section's radius of gyration, so that bending and stretch compare.
    scale = np.array([new.radius] * 3 + [1.0] * 3)
    length = float(np.linalg.norm(scale * change))
    if length < _STILL:
        return None
    stray = float(np.linalg.norm(scale * (change - (slopes[0] + slopes[1]) / 2.0))) / length
    return (
        f"the solution jumped: {stray:.2g} of the step is off the path" if stray > _STRAY else None
    )


def _slope(at: SectionState, old: SectionState, new: SectionState, free: Mask) -> Array:
    """Return the change of strain between two states as the tangent at one of them predicts it."""
    change = np.where(free, 0.0, new.strain - old.strain)
    force = new.wrench - old.wrench - at.tangent[:6, 6:] @ (new.pressures - old.pressures)
    force -= at.tangent[:6, :6] @ change
    if free.any():
        change[free] = np.linalg.solve(at.tangent[:6, :6][np.ix_(free, free)], force[free])
    return change


def free_targets(pressures: Sequence[Array]) -> list[Target]:
    """Return targets without any wrench at given pressures (Pa)."""
    return [Target(np.asarray(p, dtype=float), FREE, np.zeros(6)) for p in pressures]
