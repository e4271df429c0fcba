"""The current of a case, in whose frame its water is at rest.

Seen from a stream of the velocity U(t) everywhere, the base of a body is carried by -U and gravity
is g - dU/dt: on the body by its inertia, in the water by the pressure that accelerates it. Nothing
else differs from still water, so that whatever moves through that can move in a stream.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import assert_never

import numpy as np

from loligo.cases.case import Case
from loligo.cases.dataset.io import factor, slope
from loligo.cases.load.history import Sine, Step, Table, Triangle
from loligo.cases.load.kinds import Current
from loligo.reduced.lie import Array


@dataclass(frozen=True)
class CurrentHistory:
    """Where the water of a current is and how it moves, by the time; until 0 s it flows steadily.

    Attributes:
        current: of the case.
    """

    current: Current

    def velocity(self, time: float) -> Array:
        """Return U (m/s)."""
        return factor(self.current, max(time, 0.0)) * np.array(self.current.velocity)

    def acceleration(self, time: float) -> Array:
        """Return dU/dt just before a time (m/s^2)."""
        return slope(self.current, time) * np.array(self.current.velocity)

    def way(self, time: float) -> Array:
        """Return where the water is that was at the origin at 0 s, the integral of U (m)."""
        history = self.current.history
        if time <= 0.0 or history is None:
            return time * factor(self.current, 0.0) * np.array(self.current.velocity)
        match history:
            case Sine():
                turn = 2.0 * np.pi * history.frequency
                cosines = np.cos(history.phase) - np.cos(turn * time + history.phase)
                share = history.mean * time + history.amplitude * cosines / turn
            case Table() | Triangle():
                share = sum(
                    0.5 * (end - start) * (history.factor(start) + history.factor(end))
                    for start, end in pairwise(sorted({0.0, *history.kinks(time), time}))
                )
            case Step():
                raise ValueError("a current has no step: water cannot jump")
            case unknown:
                assert_never(unknown)
        return float(share) * np.array(self.current.velocity)


def stream(case: Case) -> CurrentHistory | None:
    """Return the stream of a case, if its water flows."""
    found = [load for load in case.load.values() if isinstance(load, Current)]
    return CurrentHistory(found[0]) if found else None
