"""Paths of a tip from one point to another: the straight line, the circular arc, the helix."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from loligo.reduced.checks import finite, vector

Array = NDArray[np.float64]


@dataclass(frozen=True)
class HelicalPath:
    """A helical arc: it turns by ``angle`` about ``axis`` while it advances evenly along it.

    Across the axis start and end are the ends of the chord 2 R sin(angle/2), which gives the
    radius. With the axis at right angles to start-end it is a planar circular arc, with angle 0
    the straight line.
    """

    start: tuple[float, float, float]
    """First point (m)."""
    end: tuple[float, float, float]
    """Last point (m)."""
    axis: tuple[float, float, float] = (1.0, 0.0, 0.0)
    """Direction of the axis; its length is of no matter."""
    angle: float = 0.0
    """Turn about the axis (rad, right-handed), between -2 pi and 2 pi."""

    def __post_init__(self) -> None:
        """Reject an axis without direction and a turn that closes the circle."""
        for name in ("start", "end", "axis"):
            vector(name, getattr(self, name), 3)
        if not np.linalg.norm(self.axis) > 0.0:
            raise ValueError("the axis of a path must not be the zero vector")
        if not abs(self.angle) < 2.0 * np.pi:
            raise ValueError(
                f"a path cannot turn by {np.degrees(self.angle):.4g} deg between two points; "
                "stay below 360 deg"
            )

    @property
    def radius(self) -> float:
        """Radius of the turn (m), infinite for the straight line."""
        _, across = self._parts()
        half = np.sin(abs(self.angle) / 2.0)
        return float(np.linalg.norm(across) / (2.0 * half)) if half > 0.0 else float("inf")

    @property
    def length(self) -> float:
        """Arc length (m)."""
        along, across = self._parts()
        arc = np.linalg.norm(across) / np.sinc(self.angle / (2.0 * np.pi))
        return float(np.hypot(np.linalg.norm(along), arc))

    def points(self, share: ArrayLike) -> Array:
        """Return the points (..., 3) (m) at shares (...) of the arc length, from 0 to 1."""
        share = finite("share", share)[..., None]
        along, across = self._parts()
        sideways = np.cross(np.asarray(self.axis) / np.linalg.norm(self.axis), across)
        # The chord of the first share of the arc, shorter and turned back from the whole chord
        shrink = np.sinc(self.angle * share / (2 * np.pi)) / np.sinc(self.angle / (2 * np.pi))
        turn = 0.5 * self.angle * (share - 1.0)
        chord = share * shrink * (np.cos(turn) * across + np.sin(turn) * sideways)
        return np.asarray(np.asarray(self.start) + share * along + chord)

    def _parts(self) -> tuple[Array, Array]:
        """Return start-end along and across the axis (m)."""
        axis = np.asarray(self.axis) / np.linalg.norm(self.axis)
        chord = np.subtract(self.end, self.start)
        along = axis * (axis @ chord)
        return along, chord - along
