"""The reported steps of a static case, one after the other, as far as a model has an answer.

A state counts as reached if all that is reported of it is finite, and positive where it must be.
Where a step is not reached, the last state on the way to it is searched for by halving the way, all
loads moving together; the data set ends with that state, as that of a 3D solution does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import xarray as xr

from loligo.cases.case import Case
from loligo.cases.core.record import LoligoError
from loligo.cases.dataset.schema import POSITIVE
from loligo.reduced.lie import Array

_HALVINGS = 8
"""Of the way to a step that is not reached."""
State = TypeVar("State")
Report = Mapping[str, Array]
Advance = Callable[[Case, int, State | None], tuple[State, Report]]
"""From a case, a step (from 0) and the state before to the state there, and what is reported."""


class NothingPredicted(LoligoError, RuntimeError):
    """The model found no equilibrium at the first reported step already."""


class NoAnswer(LoligoError, RuntimeError):
    """A model has no valid state at some loads; the message is the reason."""


@dataclass(frozen=True)
class Marched:
    """How far a model got.

    Attributes:
        reports: of every step that was reached, and of the last state on the way to the next.
        place: of the last state along the steps: 1.5 is halfway from step 1 to step 2.
        status: "complete", or "stopped at step ...: why".
    """

    reports: list[Report]
    place: float
    status: str = "complete"


def march(case: Case, advance: Advance[State], *, on_the_way: bool) -> Marched:
    """Return the answers of a model to the steps of a case, up to the step that is not reached.

    Args:
        case: the case.
        advance: the model; raises `NoAnswer`.
        on_the_way: whether to look for the last state before a step that is not reached.
    """
    state: State | None = None
    reports: list[Report] = []
    for step in range(len(case.steps)):
        try:
            trial, report = advance(case, step, state)
            check_state(report)
        except NoAnswer as failure:
            return _stopped(case, advance, state, reports, failure, on_the_way)
        state = trial
        reports.append(report)
    return Marched(reports, float(len(reports)))


def check_state(report: Report) -> None:
    """Refuse a state of which something is not finite, or negative that cannot be."""
    for name, values in report.items():
        if not np.isfinite(values).all():
            raise NoAnswer(f"{name} is not finite")
        if name in POSITIVE and (values <= 0.0).any():
            raise NoAnswer(f"{name} is {float(values.min()):.4g}, not positive")


def at_places(case: Case, places: Sequence[float]) -> Case:
    """Return a static case whose steps lie at places along its own: 1.5 is halfway from 1 to 2."""

    def between(values: Sequence[float]) -> tuple[float, ...]:
        known = np.interp(places, np.arange(len(values) + 1.0), [0.0, *values])
        return tuple(float(value) for value in known)

    loads = {
        name: load if load.path is None else load.model_copy(update={"path": between(load.path)})
        for name, load in case.load.items()
    }
    return case.model_copy(update={"steps": between(case.steps), "load": loads})


def states_reported(
    report: Callable[[int], Report], kept: Iterable[int], status: str
) -> tuple[list[Report], str]:
    """Return the reports of a motion up to the first state that is none, and its status.

    Args:
        report: of a state by its number; raises `NoAnswer`.
        kept: numbers of the reported states.
        status: of the motion itself.
    """
    reports: list[Report] = []
    for i in kept:
        try:
            found = report(int(i))
            check_state(found)
        except NoAnswer as failure:
            return reports, f"stopped at step {len(reports) + 1}: {failure}"
        reports.append(found)
    return reports, status


def as_reached(case: Case, found: xr.Dataset) -> Case:
    """Return a case that ends where an answer to it ends, the last state on the way included.

    A motion has two states at least.
    """
    count = found.sizes["step"]
    if case.time is not None:
        if count == len(case.time.times):
            return case
        end = case.time.times[max(count, 2) - 1]
        return case.model_copy(update={"time": case.time.model_copy(update={"duration": end})})
    place = float(found.attrs["reached"])
    if place == len(case.steps):
        return case
    return at_places(case, [*range(1, int(place) + 1), *([place] if place % 1.0 else [])])


def _stopped(
    case: Case,
    advance: Advance[State],
    state: State | None,
    reports: list[Report],
    failure: NoAnswer,
    on_the_way: bool,
) -> Marched:
    """How far a model gets on the way to a step that it does not reach."""
    step = len(reports)
    status = f"stopped at step {step + 1}: {failure}"
    low, high, last = 0.0, 1.0, None
    for _ in range(_HALVINGS if on_the_way else 0):
        middle = 0.5 * (low + high)
        there = at_places(case, [*range(1, step + 1), step + middle])
        try:
            trial, report = advance(there, step, state)
            check_state(report)
        except NoAnswer as nearer:
            high, failure = middle, nearer
        else:
            low, state, last = middle, trial, report
    if last is None:
        return Marched(reports, float(step), status)
    status = f"stopped at step {step + 1}: {failure}; the last state is {low:.1%} of the way to it"
    return Marched([*reports, last], step + low, status)
