"""Step sizes of a march, its converged states, and the error that ends it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from loligo.cases.core.record import LoligoError
from loligo.fem.march.contact import Contact
from loligo.fem.problem.problem import State


@dataclass(frozen=True)
class StepControl:
    """How large the steps from one requested state to the next are."""

    first: float = 1.0
    """First step as a share of the way to the first requested state."""
    smallest: float = 2.0**-10
    """Share of the way below which the march gives up."""
    growth: float = 1.5
    easy: int = 6
    """A step that took at most this many iterations lets the next one grow."""
    locate: float = 2.0**-6
    """A larger step that changes the stability is repeated with half its size: either the change is
    located, or Newton's method had jumped to another branch of solutions."""
    cutbacks: int = 40
    """Failed attempts on the way to one requested state after which the march gives up."""
    states: int = 200
    """States on the way to one requested state after which a path by arc length is left."""

    def __post_init__(self) -> None:
        """Refuse to give up before a change of stability is located."""
        if not self.smallest < self.locate:
            raise ValueError(
                f"the smallest step ({self.smallest:.3g}) must be below locate ({self.locate:.3g})"
            )


class MarchStopped(LoligoError, RuntimeError):
    """The march cannot go on; the problem is in the last converged state."""

    def __init__(
        self,
        message: str,
        reached: Mapping[str, float],
        contact: Contact | None = None,
        limit: Mapping[str, float] | None = None,
    ) -> None:
        """Keep the values that were reached, and the reason.

        Args:
            message: the reason in words.
            reached: values in the last converged state.
            contact: where the body touches itself, if that ended the march.
            limit: values at the limit point, if one ended the march and was located.
        """
        super().__init__(message)
        self.reached, self.contact, self.limit = reached, contact, limit


@dataclass(frozen=True)
class Point:
    """A converged state on the way."""

    state: State
    values: Mapping[str, float]
    """As :attr:`StepResult.values`."""


@dataclass(frozen=True)
class Standing:
    """All that a march needs to go on from a converged state, on these ranks or on others.

    The slope of the path there is not part of it: it follows from the state.
    """

    target: int
    """Which requested state it is on its way to, from 0, or has just reached."""
    done: float
    """Share of that way; 1 where it has been reached."""
    step: float
    """The next step's share; by arc length its length (m)."""
    start: Mapping[str, float]
    """Values where that way began."""
    now: Point
    before: Point | None
    """The converged state before, through which the next one is predicted."""
    stable: bool
    negative: int | None
    """Directions of negative second-order work, :attr:`fem.solvers.stability.Inertia.unstable`;
    None if not known."""
    number: int
    """Counts converged states from 1."""
    first: float = 1.0
    """By arc length, the length of the first step (m), which all limits of steps are shares of."""
    turned: Mapping[str, float] | None = None
    """By arc length, the values at the last limit point."""
    steep: tuple[float, float] | None = None
    """Where the step before began on the way, and how steep the path was there (m); not by arc
    length. From there it is seen whether the path turns back."""
