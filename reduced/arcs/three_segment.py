r"""Liu 2020: two segments that bend against each other, and a third that sets the tip's attitude.

Segments 1 and 2 have equal length and bend at opposite azimuths (Eq 1c), so that the tip has the
attitude of segment 3 alone and stands at :math:`p = 2 p_1 + p_3` (Eq 1e). The inverse is closed:

- segment 3 bends by the wanted :math:`\theta_3` at the wanted azimuth; its chamber nearest to that
  azimuth keeps its rest length, :math:`L_3 = l_0 + d\,c\,\theta_3` (Eq 1d, smooth for a straight
  one);
- segment 1 is the one arc that ends at :math:`p_1 = (p - p_3)/2`; its three chambers are all free.

Chamber j of segment 2 sits opposite to chamber j of segment 1: only then is :math:`l_{1j} =
l_{2j}` as Eq 1c has it, while Eq 1f with :math:`\varphi_2 = \varphi_1 + \pi` counts the chambers
of segment 2 as those of segment 1 stand. Points are in our frame, arm along +x; ``Z_ARM`` turns
the paper's into it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from loligo.reduced.arcs import pcc
from loligo.reduced.arcs.workspace import (
    SLACK,
    chamber_cosines,
    chamber_grid,
    distance_to_fan,
    require_reach,
)
from loligo.reduced.checks import finite, positive, sized

Array = NDArray[np.float64]


@dataclass(frozen=True)
class ThreeSegmentArm:
    """Three equal bending segments of three chambers each, the second turned by 180 deg."""

    chamber_length: float
    """Rest length of a chamber (m)."""
    chamber_stroke: float
    """Largest lengthening of a chamber (m)."""
    chamber_offset: float
    """Distance d from the axis at which the chamber lengths are measured (m)."""

    def __post_init__(self) -> None:
        """Refuse what is no arm."""
        for name in ("chamber_length", "chamber_stroke", "chamber_offset"):
            positive(name, getattr(self, name))


LIU_2020: Final = ThreeSegmentArm(
    chamber_length=91.06e-3, chamber_stroke=67.77e-3, chamber_offset=24e-3
)
"""Liu's arm: d is the radius of the 48 mm section; the lengths are those for which the workspace
is the printed 500 x 520 x 304 mm (two fitted numbers, three extents). With three connectors of
12.3 mm, which do not count here, the arm at rest is the printed 310 mm."""

_CHAMBERS = pcc.chamber_directions(3)
_OUT_OF_REACH = np.array([1e6, 0.0, 0.0])


def segments(arm: ThreeSegmentArm, lengths: ArrayLike) -> Array:
    """Return the three arcs (..., 3, 3) of the lengths (..., 2, 3) of :func:`inverse`."""
    lengths = sized("lengths", positive("lengths", lengths), (2, 3))
    arcs = pcc.from_chambers(lengths, arm.chamber_offset, _CHAMBERS)
    first, last = arcs[..., 0, :], arcs[..., 1, :]
    return np.stack([first, first * np.array([1.0, -1.0, -1.0]), last], axis=-2)


def forward(arm: ThreeSegmentArm, lengths: ArrayLike) -> tuple[Array, Array]:
    """Return the tip (..., 3) (m) and its bend vector (..., 2) (rad), theta_3 (cos, sin) of phi_3.

    Args:
        arm: The arm.
        lengths: Chamber lengths (..., 2, 3) (m): those that segments 1 and 2 share, those of
            segment 3.
    """
    lengths = sized("lengths", positive("lengths", lengths), (2, 3))
    arcs = pcc.from_chambers(lengths, arm.chamber_offset, _CHAMBERS)
    tips = pcc.position(arcs)
    return 2.0 * tips[..., 0, :] + tips[..., 1, :], arcs[..., 1, 1:]


def inverse(arm: ThreeSegmentArm, tips: ArrayLike, bends: ArrayLike) -> Array:
    """Return the chamber lengths (..., 2, 3) (m) for tips (m) and bend vectors of segment 3 (rad).

    Args:
        arm: The arm.
        tips: Where the tip shall be (..., 3) (m).
        bends: The tip's attitude as theta_3 (cos, sin) of phi_3 (..., 2) (rad).

    Raises:
        ValueError: If the strokes do not suffice, with the distance to what they reach.
    """
    lengths, reached = _solve(arm, tips, bends)
    if not reached.all():
        distance = distance_to_workspace(arm, tips, bends)
        if np.isinf(distance).any():
            most = lengths[..., 1, :].max()
            raise ValueError(
                f"segment 3 needs a chamber of {most:.4g} m for the steepest bend; its chambers "
                f"reach {arm.chamber_length + arm.chamber_stroke:.4g} m"
            )
        require_reach(np.broadcast_to(tips, (*distance.shape, 3)), distance)
    return lengths


def distance_to_workspace(arm: ThreeSegmentArm, tips: ArrayLike, bends: ArrayLike) -> Array:
    """Return how far each tip lies from what the arm reaches with that bend of segment 3 (m).

    The nearest point is sought at the azimuth of segment 1. The distance is 0 exactly where
    :func:`inverse` has a solution within the strokes, and infinite where segment 3 cannot bend so
    far.
    """
    lengths, reached = _solve(arm, tips, bends)
    middle = np.broadcast_to(_middle(arm, tips, bends), (*reached.shape, 3))
    distance = np.zeros(reached.shape)
    distance[~reached] = 2.0 * _distance_of_segment(arm, middle[~reached])
    distance[~_fits(arm, lengths[..., 1, :])] = np.inf
    return distance


def workspace_size(arm: ThreeSegmentArm, count: int = 41) -> Array:
    """Return the extents (m) along x, y, z of what the tip reaches with every chamber free.

    The tip is the sum of two equal vectors and a third of the same kind, so the box is three times
    that of one segment.
    """
    grid = chamber_grid(arm.chamber_length, arm.chamber_stroke, count)
    tips = pcc.position(pcc.from_chambers(grid, arm.chamber_offset, _CHAMBERS))
    return np.asarray(3.0 * np.ptp(tips, axis=0))


def proximal_pressure(distal: ArrayLike, gain: float = 1.02, offset: float = -0.89e3) -> Array:
    """Return the pressure (Pa) of a chamber of segment 1 from that of segment 2, max(a p_2 + b, 0).

    Eq 1g, fitted so that the S shape survives connectors and buoyancy; b is printed without a unit
    and read as kPa. Below p_2 = 0.873 kPa the line falls under zero: no vacuum is claimed for
    segment 1.
    """
    distal = finite("distal", distal)
    positive("gain", gain)
    finite("offset", offset)
    return np.maximum(gain * distal + offset, 0.0)


def _solve(
    arm: ThreeSegmentArm, tips: ArrayLike, bends: ArrayLike
) -> tuple[Array, NDArray[np.bool_]]:
    """Return the chamber lengths and whether they lie within the strokes."""
    tips, bends = finite("tips", tips, (3,)), finite("bends", bends, (2,))
    middle = _middle(arm, tips, bends)
    behind = (middle[..., 0] <= 0.0) & ~middle[..., 1:].any(axis=-1)
    first = pcc.from_tip(np.where(behind[..., None], _OUT_OF_REACH, middle))
    arcs = np.stack(np.broadcast_arrays(first, _attitude_arc(arm, bends)), axis=-2)
    lengths = pcc.chamber_lengths(arcs, arm.chamber_offset, _CHAMBERS)
    return lengths, np.asarray(_fits(arm, lengths).all(axis=-1))


def _middle(arm: ThreeSegmentArm, tips: ArrayLike, bends: ArrayLike) -> Array:
    """Return where segment 1 must end (m), Eq 1e."""
    return 0.5 * (np.asarray(tips, dtype=np.float64) - pcc.position(_attitude_arc(arm, bends)))


def _attitude_arc(arm: ThreeSegmentArm, bends: ArrayLike) -> Array:
    """Return the arc of segment 3: the chamber nearest to its azimuth keeps its rest length."""
    bends = np.asarray(bends, dtype=np.float64)
    nearest = np.max(bends @ _CHAMBERS.T, axis=-1, keepdims=True)
    return np.concatenate([arm.chamber_length + arm.chamber_offset * nearest, bends], axis=-1)


def _fits(arm: ThreeSegmentArm, lengths: Array) -> NDArray[np.bool_]:
    extra = lengths - arm.chamber_length
    inside = (extra >= -SLACK) & (extra <= arm.chamber_stroke + SLACK)
    return np.asarray(inside.all(axis=-1))


def _distance_of_segment(arm: ThreeSegmentArm, tips: Array) -> Array:
    """Return how far tips (n, 3) lie from those of one segment with three free chambers (m)."""
    nearest, farthest = chamber_cosines(tips[:, 1:], _CHAMBERS)
    shortest, longest = arm.chamber_length, arm.chamber_length + arm.chamber_stroke
    largest = np.asarray(arm.chamber_stroke / (arm.chamber_offset * (nearest + farthest)))

    def fan(theta: Array) -> tuple[Array, Array]:
        ends = (
            shortest + arm.chamber_offset * nearest[:, None] * theta,
            longest - arm.chamber_offset * farthest[:, None] * theta,
        )
        start, end = (
            pcc.position(np.stack([length, theta, np.zeros_like(theta)], axis=-1))[..., :2]
            for length in ends
        )
        return start, end

    points = np.stack([tips[:, 0], np.linalg.norm(tips[:, 1:], axis=-1)], axis=-1)
    return distance_to_fan(points, fan, largest)
