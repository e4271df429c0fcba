"""Where something sits on a robot."""

from __future__ import annotations

from typing import Self

import numpy as np
from pydantic import model_validator

from loligo.cases.core.record import Record
from loligo.cases.core.units import Length

_SQUARE = 0.1
"""By how much the two directions of a frame may miss a right angle: papers round to two digits."""


class Pose(Record):
    """Where something sits on the root."""

    origin: tuple[Length, Length, Length] = (0.0, 0.0, 0.0)
    along: tuple[float, float, float] = (1.0, 0.0, 0.0)
    """Direction of its first axis; of any length."""
    second: tuple[float, float, float] = (0.0, 1.0, 0.0)
    """Direction of its second axis, made square to the first."""

    @model_validator(mode="after")
    def _directions(self) -> Self:
        one, two = np.array(self.along), np.array(self.second)
        size = np.linalg.norm(one) * np.linalg.norm(two)
        if not size > 0.0 or abs(one @ two) > _SQUARE * size:
            raise ValueError("along and second must be two directions at a right angle")
        return self

    @property
    def frame(self) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
        """The frame as seen from the root, (4, 4)."""
        one = np.array(self.along) / np.linalg.norm(self.along)
        two = np.array(self.second) - one * (one @ np.array(self.second))
        two /= np.linalg.norm(two)
        frame = np.eye(4)
        frame[:3, :3] = np.stack([one, two, np.cross(one, two)], axis=-1)
        frame[:3, 3] = self.origin
        return frame
