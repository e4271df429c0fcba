"""What an experiment measures on a body: markers, turns of one section over another, distances.

A marker is a point that is carried by the body: it sits at a place of the body at rest, or is held
off that place by a stalk, glue or its own radius, and turns with the section there.
"""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import AfterValidator, Field, model_validator

from loligo.cases.core.record import Record
from loligo.cases.core.units import Length, NonNegativeLength

Place = tuple[Length, Length, Length]
_LONGEST_NAME = 60


def _name(value: str) -> str:
    if value[-2:] in ("_x", "_y", "_z"):
        raise ValueError(f'"{value}" ends like a column of a recording, {value[:-2]} has {value}')
    return value


MarkerName = Annotated[
    str, Field(pattern=r"^\w[\w-]*$", max_length=_LONGEST_NAME), AfterValidator(_name)
]


class Marker(Record):
    """A point whose way is measured."""

    at: Place
    """Where on the body it sits at rest, in the body's axes."""
    offset: Place = (0.0, 0.0, 0.0)
    """From there to the marker itself at rest; turns with the section."""

    @property
    def rest(self) -> tuple[float, float, float]:
        """Where the marker is at rest (m)."""
        (x, y, z), (a, b, c) = self.at, self.offset
        return x + a, y + b, z + c


class Angle(Record):
    """The angle by which one section has turned over another since rest."""

    at: NonNegativeLength
    """Arc length at rest of the section whose turn is measured."""
    over: NonNegativeLength = 0.0
    """Arc length of the section over which it turns; by default the base."""

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.at == self.over:
            raise ValueError("at and over are one section, which does not turn over itself")
        return self


class Distance(Record):
    """The distance of two markers."""

    between: tuple[MarkerName, MarkerName]

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.between[0] == self.between[1]:
            raise ValueError("between names one marker twice")
        return self
