"""How far a point lies from a workspace, in the plane that holds the point and the base tangent.

At a given azimuth the tip of an arm of constant-curvature segments has two freedoms left: the bend,
and a length that moves the tip along a straight line. So the workspace, cut by that plane, is a fan
of straight rays, one for each bend.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from loligo.reduced.checks import non_negative, whole

Array = NDArray[np.float64]
Fan = Callable[[Array], tuple[Array, Array]]

SLACK = 1e-9
"""A nanometre (m): what a length may exceed its stroke by, so that rounding is not out of reach."""

_RAYS = 17
_ROUNDS = 9  # each narrows the bend by 8: from 2 pi to below 1e-7 rad


def chamber_grid(shortest: float, stroke: float, count: int) -> Array:
    """Return the count^3 combinations (..., 3) of three chamber lengths (m) on an even grid."""
    non_negative("shortest", shortest)
    non_negative("stroke", stroke)
    lengths = np.linspace(shortest, shortest + stroke, whole("count", count, 1))
    return np.stack(np.meshgrid(lengths, lengths, lengths, indexing="ij"), axis=-1).reshape(-1, 3)


def chamber_cosines(points: Array, directions: Array) -> tuple[Array, Array]:
    """Return the cosine to the nearest chamber, and minus the cosine to the farthest one.

    Args:
        points: Points (..., 2) across the base tangent; one on it counts as at azimuth 0.
        directions: (cos, sin) of the chambers' azimuths, (n, 2).
    """
    azimuth = np.arctan2(points[..., 1], points[..., 0])
    cosines = np.stack([np.cos(azimuth), np.sin(azimuth)], axis=-1) @ directions.T
    return cosines.max(axis=-1), -cosines.min(axis=-1)


def distance_to_fan(points: Array, fan: Fan, largest_bend: Array) -> Array:
    """Return the distance (m, at least SLACK) of points (n, 2) outside from the rays of ``fan``.

    Args:
        points: Coordinates along the base tangent and away from it (m).
        fan: Takes bends (n, k) to the two ends (n, k, 2) of each ray.
        largest_bend: Bend at which each fan ends, (n,); it starts at 0.
    """
    low, high = np.zeros_like(largest_bend), largest_bend
    rows = np.arange(len(points))
    for _ in range(_ROUNDS):
        bends: Array = np.linspace(low, high, _RAYS, axis=-1, dtype=np.float64)
        distance = _to_segments(points[:, None, :], *fan(bends))
        best = np.argmin(distance, axis=-1)
        low = bends[rows, np.maximum(best - 1, 0)]
        high = bends[rows, np.minimum(best + 1, _RAYS - 1)]
    return np.asarray(np.maximum(np.min(distance, axis=-1), SLACK))


def _to_segments(point: Array, start: Array, end: Array) -> Array:
    along, offset = end - start, point - start
    square = np.sum(along * along, axis=-1)
    share = np.sum(along * offset, axis=-1) / np.where(square > 0.0, square, 1.0)
    nearest = np.clip(share, 0.0, 1.0)[..., None] * along
    return np.asarray(np.linalg.norm(offset - nearest, axis=-1))


def require_reach(points: Array, distance: Array) -> None:
    """Raise a ValueError that names the first point, if any, with a positive distance (m)."""
    bad = np.flatnonzero(distance)
    if bad.size:
        point = ", ".join(f"{value:.6g}" for value in points.reshape(-1, points.shape[-1])[bad[0]])
        raise ValueError(
            f"target {bad[0]} at ({point}) m lies {distance.ravel()[bad[0]]:.4g} m outside the "
            f"workspace ({bad.size} of {distance.size} targets do); move it, or leave out those "
            "whose distance_to_workspace is not zero"
        )
