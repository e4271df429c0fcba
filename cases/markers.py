"""What an experiment measures on a body: markers, turns of one section over another, distances.

A marker is a point that is carried by the body: it sits at a place of the body at rest, or is held
off that place by a stalk, glue or its own radius, and turns with the section there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import AfterValidator, Field, model_validator

from loligo.cases.core.frames import frames_between, log_so3
from loligo.cases.core.record import Record
from loligo.cases.core.units import Length, NonNegativeLength

Array = NDArray[np.float64]
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


class Turn(Record):
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


def carried(frame: Array, rest: Array, station: Array, X: Array, places: Array) -> Array:
    """Return where places are that sections carry, (..., place, 3) (m).

    Args:
        frame: section frames (..., station, 4, 4).
        rest: those at rest, (station, 4, 4).
        station: arc lengths (m).
        X: arc length of the section of each place.
        places: where they are at rest, (place, 3).
    """
    now, then = (frames_between(each, station, X) for each in (frame, rest))
    local = np.einsum("pji,pj->pi", then[:, :3, :3], places - then[:, :3, 3])
    return np.asarray(now[..., :3, 3] + np.einsum("...pij,pj->...pi", now[..., :3, :3], local))


def turns(angles: Mapping[str, Turn], frame: Array, rest: Array, station: Array) -> Array:
    """Return the angle (rad) of every turn, (..., tag), from 0 to pi."""
    found = []
    for one in angles.values():
        X = np.array([one.over, one.at])
        now, then = (frames_between(each, station, X)[..., :3, :3] for each in (frame, rest))
        relative = np.swapaxes(now[..., 0, :, :], -1, -2) @ now[..., 1, :, :]
        before = then[0].T @ then[1]
        found.append(np.linalg.norm(log_so3(relative @ before.T), axis=-1))
    return np.stack(found, axis=-1)


def spans(distances: Mapping[str, Distance], names: Sequence[str], places: Array) -> Array:
    """Return the distance (m) of the two markers of every span, (..., span)."""
    pairs = [[names.index(one) for one in span.between] for span in distances.values()]
    return np.stack(
        [np.linalg.norm(places[..., a, :] - places[..., b, :], axis=-1) for a, b in pairs], axis=-1
    )
