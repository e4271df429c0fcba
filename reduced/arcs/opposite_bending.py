r"""Gong 2018: two equal segments that bend against each other, then a straight one that elongates.

Both bending segments have the same length and bend, at opposite azimuths, so that the tip keeps the
attitude of the base (Eqs 4-6) and stands at

.. math:: \rho = 2 L\,\theta c_2 = 2 r (1 - \cos\theta), \qquad x = 2 L c_1 + l_e

from the base tangent and along it. At most two chambers of a segment are pressurised: the one
nearest to the bend's azimuth keeps its rest length :math:`l_0`. With c the cosine of the angle to
it, :math:`L = l_0 + d\,c\,\theta`, and the inverse is one root (Eqs 12-14, with the distance
:math:`\rho` from the axis in place of the x of Eq 13, which says nothing for x = 0):

.. math:: 2\,(l_0/\theta + d\,c)(1 - \cos\theta) = \rho .

It is unique below the peak of the left side, :math:`\tan(\theta/2) = \theta (1 + d c\,\theta/l_0)`;
larger bends bring the tip back towards the axis and are not used.

Points are in our frame, arm along +x; ``HANGING_ARM`` turns the paper's world into it.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, hypot, nan, pi, sin
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
from loligo.reduced.checks import finite, non_negative, positive, sized
from loligo.reduced.lie import compiled

Array = NDArray[np.float64]

_LOWEST_PEAK = 2.331122370414423  # rad: tan(t/2) = t, the peak for k = 0; it grows with k


@dataclass(frozen=True)
class OppositeBendingArm:
    """Two segments of three chambers, the second turned by 180 deg, and an elongation segment."""

    chamber_length: float
    """Rest length l_0 of the bending chambers (m)."""
    elongation_length: float
    """Rest length of the elongation segment (m)."""
    chamber_offset: float
    """Distance d from the axis at which the chamber lengths are measured (m)."""
    chamber_stroke: float
    """Largest lengthening of a bending chamber (m)."""
    elongation_stroke: float
    """Largest lengthening of the elongation segment (m)."""

    def __post_init__(self) -> None:
        """Refuse what is no arm."""
        for name in ("chamber_length", "chamber_offset", "chamber_stroke"):
            positive(name, getattr(self, name))
        for name in ("elongation_length", "elongation_stroke"):
            non_negative(name, getattr(self, name))


GONG_2018: Final = OppositeBendingArm(
    chamber_length=0.100,
    elongation_length=0.075,
    chamber_offset=0.017,
    chamber_stroke=0.057,
    elongation_stroke=0.038,
)
"""Gong's arm: d is the radius of the 34 mm section (lengths are measured on the surface). The
paper gives 300 mm in all and no parts: these lengths and strokes are assumed, chosen so that both
printed trajectories are reachable and the footprint is 400 mm. 25 mm of the 300 mm are then
connectors, which do not count here."""

_CHAMBERS = pcc.chamber_directions(3)


def segments(arm: OppositeBendingArm, lengths: ArrayLike) -> Array:
    """Return the three arcs (..., 3, 3) of the lengths (..., 4) of :func:`inverse`."""
    lengths = sized("lengths", non_negative("lengths", lengths), (4,))
    first = pcc.from_chambers(lengths[..., :3], arm.chamber_offset, _CHAMBERS)
    last = lengths[..., 3:] * np.array([1.0, 0.0, 0.0])
    return np.stack([first, first * np.array([1.0, -1.0, -1.0]), last], axis=-2)


def forward(arm: OppositeBendingArm, lengths: ArrayLike) -> Array:
    """Return the tip (..., 3) (m) of the lengths l_1, l_2, l_3, l_e (..., 4) (m).

    Chamber j of the first segment sits at azimuth 90, 210, 330 deg; that of the second, opposite.
    """
    lengths = sized("lengths", non_negative("lengths", lengths), (4,))
    arc = pcc.from_chambers(lengths[..., :3], arm.chamber_offset, _CHAMBERS)
    tip = 2.0 * pcc.position(arc)
    tip[..., 0] += lengths[..., 3]
    return tip


def inverse(arm: OppositeBendingArm, tips: ArrayLike) -> Array:
    """Return the lengths l_1, l_2, l_3, l_e (..., 4) (m) that bring the tip to (..., 3) (m).

    Raises:
        ValueError: If a tip lies outside the workspace, with its distance from it.
    """
    tips = finite("tips", tips, (3,))
    lengths = _inverse(arm, tips)
    if np.isnan(lengths).any():
        require_reach(tips, distance_to_workspace(arm, tips))
    return lengths


def distance_to_workspace(arm: OppositeBendingArm, tips: ArrayLike) -> Array:
    """Return how far (m) each tip (..., 3) lies from what is reachable at its own azimuth.

    It is 0 exactly where :func:`inverse` has a solution within the strokes.
    """
    tips = finite("tips", tips, (3,))
    distance = np.zeros(tips.shape[:-1])
    outside = np.isnan(_inverse(arm, tips)[..., 0])
    across = tips[outside, 1:]
    cosine, bend = _largest_bend(arm, across)

    def fan(theta: Array) -> tuple[Array, Array]:
        length = arm.chamber_length + arm.chamber_offset * cosine[:, None] * theta
        start = 2.0 * pcc.position(np.stack([length, theta, np.zeros_like(theta)], axis=-1))
        start = start[..., :2] + np.array([arm.elongation_length, 0.0])
        return start, start + np.array([arm.elongation_stroke, 0.0])

    points = np.stack([tips[outside, 0], np.linalg.norm(across, axis=-1)], axis=-1)
    distance[outside] = distance_to_fan(points, fan, bend)
    return distance


def footprint(arm: OppositeBendingArm, azimuth: ArrayLike) -> Array:
    """Return the largest distance of the tip from the axis (m) at an azimuth (rad)."""
    azimuth = finite("azimuth", azimuth)
    cosine, bend = _largest_bend(arm, np.stack([np.cos(azimuth), np.sin(azimuth)], axis=-1))
    length = arm.chamber_length + arm.chamber_offset * cosine * bend
    return 2.0 * pcc.position(np.stack([length, bend, np.zeros_like(bend)], axis=-1))[..., 1]


def workspace(arm: OppositeBendingArm, count: int = 41) -> Array:
    """Return tips (n, 3) (m) all over the workspace, ``count`` lengths to a stroke."""
    bending = chamber_grid(arm.chamber_length, arm.chamber_stroke, count)
    bending = bending[(bending == arm.chamber_length).any(axis=-1)]
    straight = np.linspace(0.0, arm.elongation_stroke, count) + arm.elongation_length
    pairs = np.broadcast_arrays(bending[:, None, :], straight[None, :, None])
    return forward(arm, np.concatenate([pairs[0], pairs[1][..., :1]], axis=-1).reshape(-1, 4))


def _largest_bend(arm: OppositeBendingArm, across: Array) -> tuple[Array, Array]:
    """Return the cosine c to the nearest chamber and the bend at which the farthest one is full."""
    cosine, farthest = chamber_cosines(across, _CHAMBERS)
    full = arm.chamber_stroke / (arm.chamber_offset * (cosine + farthest))
    peak = _peaks(np.ravel(arm.chamber_offset / arm.chamber_length * cosine))
    return cosine, np.minimum(full, peak.reshape(np.shape(full)))


def _inverse(arm: OppositeBendingArm, tips: Array) -> Array:
    """Return the lengths (..., 4), NaN where a tip is out of reach."""
    lengths = _solve(
        np.ascontiguousarray(tips.reshape(-1, 3)),
        _CHAMBERS,
        arm.chamber_length,
        arm.elongation_length,
        arm.chamber_offset,
        arm.chamber_stroke,
        arm.elongation_stroke,
    )
    return lengths.reshape(*tips.shape[:-1], 4)


@compiled
def _solve(
    tips: Array,
    chambers: Array,
    rest: float,
    elongation: float,
    offset: float,
    stroke: float,
    elongation_stroke: float,
) -> Array:
    lengths = np.empty((len(tips), 4))
    for i in range(len(tips)):
        x, y, z = tips[i]
        rho = hypot(y, z)
        if rho == 0.0:
            y = 1.0  # straight: any azimuth will do
        side = hypot(y, z)
        cosine = 0.0
        for j in range(3):
            cosine = max(cosine, (chambers[j, 0] * y + chambers[j, 1] * z) / side)
        theta = _bend(rho / rest, offset / rest * cosine)
        mean = rest + offset * cosine * theta
        for j in range(3):
            lean = (chambers[j, 0] * y + chambers[j, 1] * z) / side
            lengths[i, j] = mean - offset * theta * lean
        lengths[i, 3] = x - 2.0 * mean * (sin(theta) / theta if theta > 0.0 else 1.0)
        longest = max(lengths[i, 0], lengths[i, 1], lengths[i, 2])
        extra = lengths[i, 3] - elongation
        # Written so that a NaN, from a bend that does not exist, fails it too.
        if not (longest <= rest + stroke + SLACK and -SLACK <= extra <= elongation_stroke + SLACK):
            lengths[i] = nan
    return lengths


@compiled
def _bend(reach: float, k: float) -> float:
    """Return the root t of 2 (1/t + k)(1 - cos t) = reach below the peak; NaN if there is none."""
    if reach < 1e-8:  # the left side is t + k t^2 to rounding
        return reach / (1.0 + k * reach)
    high = _LOWEST_PEAK
    if reach > 2.0 * (1.0 / high + k) * (1.0 - cos(high)):
        high = _peak(k)
        if not reach <= 2.0 * (1.0 / high + k) * (1.0 - cos(high)):
            return nan
    low = 0.0
    t = min(reach, high)
    for _ in range(60):
        half = sin(0.5 * t)
        versine = 2.0 * half * half
        excess = 2.0 * (1.0 / t + k) * versine - reach
        if excess > 0.0:
            high = t
        else:
            low = t
        slope = 2.0 * (1.0 / t + k) * sin(t) - 2.0 * versine / (t * t)
        step = excess / slope if slope > 0.0 else high
        if abs(step) <= 1e-9 * t:  # the next one would be of the order of its square
            return t - step
        t = t - step if low < t - step < high else 0.5 * (low + high)
    return t


@compiled
def _peak(k: float) -> float:
    """Return the bend of the peak, the root of (1 + k t) t sin t = 1 - cos t in [2.33, pi)."""
    t = pi  # from here Newton comes down monotonically
    for _ in range(60):
        s, c = sin(t), cos(t)
        step = ((1.0 + k * t) * t * s - 1.0 + c) / (t * (2.0 * k * s + (1.0 + k * t) * c))
        t -= step
        if abs(step) < 1e-15 * t:
            break
    return t


@compiled
def _peaks(k: Array) -> Array:
    t = np.empty(len(k))
    for i in range(len(k)):
        t[i] = _peak(k[i])
    return t
