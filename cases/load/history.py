"""How a load runs in time: the factor on its magnitude as a function of the time.

Where a factor jumps, its value at that time is the one before: a motion begins in equilibrium with
it, and what comes after the jump acts behind it.
"""

from __future__ import annotations

import math
from typing import Annotated, Literal, Self

import numpy as np
from pydantic import Field, Strict, model_validator

from loligo.cases.core.record import Record
from loligo.cases.core.units import Angle, PositiveFrequency, Time

Factor = Annotated[float, Strict()]

_ROUNDING = 1e-12
"""Share of a period by which a time may be off."""


class Step(Record):
    """One factor up to a time, another one behind it: a release is from 1 to 0."""

    kind: Literal["step"] = "step"
    at: Time = 0.0
    before: Factor = 0.0
    after: Factor = 1.0

    def factor(self, time: float) -> float:
        """Return the factor."""
        return self.before if time <= self.at else self.after

    def slope(self, time: float) -> float:
        """Return its rate just before a time (1/s)."""
        return 0.0

    def jumps(self, end: float) -> tuple[float, ...]:
        """Return the times up to the end at which the factor jumps."""
        return (self.at,) if self.at <= end else ()

    def kinks(self, end: float) -> tuple[float, ...]:
        """Return the times up to the end at which its slope does."""
        return ()


class Table(Record):
    """Straight between given factors, constant before the first and behind the last."""

    kind: Literal["table"] = "table"
    times: tuple[Time, ...] = Field(min_length=2)
    factors: tuple[Factor, ...] = Field(min_length=2)

    @model_validator(mode="after")
    def _check(self) -> Self:
        if len(self.times) != len(self.factors):
            raise ValueError(f"has {len(self.times)} times for {len(self.factors)} factors")
        if any(b <= a for a, b in zip(self.times, self.times[1:], strict=False)):
            raise ValueError("its times must increase; a jump is a step")
        return self

    def factor(self, time: float) -> float:
        """Return the factor."""
        return float(np.interp(time, self.times, self.factors))

    def slope(self, time: float) -> float:
        """Return its rate just before a time (1/s)."""
        i = int(np.searchsorted(self.times, time))
        if not 0 < i < len(self.times):
            return 0.0
        return (self.factors[i] - self.factors[i - 1]) / (self.times[i] - self.times[i - 1])

    def jumps(self, end: float) -> tuple[float, ...]:
        """Return none: a table has no jump."""
        return ()

    def kinks(self, end: float) -> tuple[float, ...]:
        """Return the times up to the end at which its slope changes."""
        return tuple(t for t in self.times if t <= end)


class Triangle(Record):
    """Pulses from 0 to 1 and back, straight: 0 at the beginning, 1 in the middle of a period."""

    kind: Literal["triangle"] = "triangle"
    frequency: PositiveFrequency

    def factor(self, time: float) -> float:
        """Return the factor."""
        phase = time * self.frequency % 1.0
        return 1.0 - abs(2.0 * phase - 1.0)

    def slope(self, time: float) -> float:
        """Return its rate just before a time (1/s)."""
        rises = (time * self.frequency - _ROUNDING) % 1.0 < 0.5
        return 2.0 * self.frequency if rises else -2.0 * self.frequency

    def jumps(self, end: float) -> tuple[float, ...]:
        """Return none: pulses have no jump."""
        return ()

    def kinks(self, end: float) -> tuple[float, ...]:
        """Return the times up to the end at which its slope changes."""
        half = 0.5 / self.frequency
        return tuple(i * half for i in range(math.floor(end / half * (1.0 + 1e-12)) + 1))


class Sine(Record):
    """mean + amplitude sin(2 pi frequency t + phase); cos is a phase of 90 deg."""

    kind: Literal["sine"] = "sine"
    frequency: PositiveFrequency
    mean: Factor = 0.0
    amplitude: Factor = 1.0
    phase: Angle = 0.0

    def factor(self, time: float) -> float:
        """Return the factor."""
        turn = 2.0 * math.pi * self.frequency * time + self.phase
        return self.mean + self.amplitude * math.sin(turn)

    def slope(self, time: float) -> float:
        """Return its rate (1/s)."""
        pulsation = 2.0 * math.pi * self.frequency
        return pulsation * self.amplitude * math.cos(pulsation * time + self.phase)

    def jumps(self, end: float) -> tuple[float, ...]:
        """Return none: a sine has no jump."""
        return ()

    def kinks(self, end: float) -> tuple[float, ...]:
        """Return none: a sine has no kink."""
        return ()


History = Annotated[Step | Table | Triangle | Sine, Field(discriminator="kind")]
