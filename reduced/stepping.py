"""The loop that steps a motion through its output times: one for shells, rods and robots.

A model gives one attempt at a step. The loop lets every output time be the end of a step, sums what
the steps account for, shortens steps that fail, and keeps what was reached when none is short
enough.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Generic, NamedTuple, Protocol, Self, TypeVar

import numpy as np
import numpy.typing as npt

from loligo.cases.core.record import LoligoError

Array = npt.NDArray[np.float64]


class Sums(Protocol):
    """What steps account for: impulses, energies."""

    def plus(self, other: Self, /) -> Self:
        """Return the sum of two accounts."""
        ...


Carry = TypeVar("Carry")
Account = TypeVar("Account", bound=Sums)


class StepFailed(LoligoError, ArithmeticError):
    """A step that has no solution, or none that Newton's method finds; it says why."""


class MotionLost(LoligoError, RuntimeError):
    """Steps kept failing; `reached` holds the model's motion up to the last output time before."""

    def __init__(self, message: str, reached: Any) -> None:
        """Keep what was reached."""
        super().__init__(message)
        self.reached = reached


class Trial(NamedTuple, Generic[Carry, Account]):
    """What an attempt at a step gives."""

    carry: Carry
    """The state at the end, with whatever the next step needs."""
    accounts: Sequence[Account]
    """One for every part that the step was divided into."""
    error: float = 0.0
    """Over the tolerance: a step above 1 is refused."""


@dataclass
class Walk(Generic[Carry, Account]):
    """A motion that is stepped: what it carried at the output times, and the sums in between."""

    carries: list[Carry]
    accounts: list[Account]
    """The first is empty."""
    taken: int = 0
    refused: int = 0
    size: float = field(default=0.0, repr=False)
    """Of the next step, at most (s)."""


class Pace(NamedTuple):
    """How long steps are.

    Attributes:
        longest: step (s).
        shortest: step before the motion is given up (s).
        next_size: of the next step, from the length of the one attempted, the size allowed to it,
            and its error over the tolerance (infinite if it failed).
    """

    longest: float
    shortest: float
    next_size: Callable[[float, float, float], float]


def halving(longest: float, shortest: float) -> Pace:
    """Return the pace of a scheme without an error estimate: failure halves, success doubles."""

    def next_size(length: float, size: float, error: float) -> float:
        return min(2.0 * size, longest) if error <= 1.0 else 0.5 * length

    return Pace(longest, shortest, next_size)


def walk(
    clock: Array,
    start: Carry,
    nothing: Account,
    attempt: Callable[[Carry, float, float], Trial[Carry, Account]],
    pace: Pace,
    report: Callable[[float], None] | None = None,
) -> tuple[Walk[Carry, Account], str]:
    """Step a motion through its output times.

    Args:
        clock: output times (s); the motion begins at the first.
        start: what is carried there.
        nothing: an empty account.
        attempt: from what is carried, the start and the end of a step (s), to its trial; raises
            `StepFailed`.
        pace: how long steps are.
        report: called with the time at every output.

    Returns:
        What was reached, and why it ends before the last output time: "" if it does not.
    """
    path = Walk([start], [nothing], size=pace.longest)
    carry = start
    for now, end in pairwise(map(float, clock)):
        account = nothing
        while now < end:
            steps_left = int(np.ceil((end - now) / path.size - 1e-9))
            after = end if steps_left == 1 else now + (end - now) / steps_left
            why = "the error stays too large"
            try:
                trial = attempt(carry, now, after)
            except StepFailed as failure:
                trial, why = Trial(carry, (), np.inf), str(failure)
            path.size = pace.next_size(after - now, path.size, trial.error)
            if trial.error <= 1.0:
                carry, now, path.taken = trial.carry, after, path.taken + len(trial.accounts)
                for entry in trial.accounts:
                    account = account.plus(entry)
                continue
            path.refused += 1
            if path.size < pace.shortest:
                reason = f"no step of {path.size:.3g} s or more goes on from t = {now:.6g} s: {why}"
                return path, reason
        path.carries.append(carry)
        path.accounts.append(account)
        if report is not None:
            report(end)
    return path, ""


def output_times(times: Sequence[float] | Array) -> Array:
    """Return output times (s) as an array; ValueError if they are no way through time."""
    clock = np.asarray(times, float)
    if (
        clock.ndim != 1
        or len(clock) < 2
        or not np.isfinite(clock).all()
        or not (np.diff(clock) > 0.0).all()
    ):
        raise ValueError(f"times must be two or more, finite and increasing, not {times!r}")
    return clock
