r"""SILVER2's leg (Liu 2020, Eqs 1a-1b): coxa yaw, femur and tibia pitch.

The frame stands on the coxa shaft, z along it. Eq 1a is misprinted (its last terms put the foot
:math:`\sqrt 2\,l_1` away from where Eq 1b expects it); the offset l_1 is at right angles to the
leg:

.. math:: x = R\cos q_1 - l_1\sin q_1, \quad y = R\sin q_1 + l_1\cos q_1, \quad
   z = l_2\sin q_2 + l_3\sin(q_2 - q_3), \quad R = l_0 + l_2\cos q_2 + l_3\cos(q_2 - q_3).

Eq 1b is right and inverts it for R > 0 and :math:`q_3 \in [0, \pi]` (knee up).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from loligo.reduced.arcs.workspace import require_reach
from loligo.reduced.checks import finite, non_negative, positive

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Leg:
    """Link lengths (m). Only the tibia, about 0.35 m, is printed."""

    coxa: float
    """l_0, from the coxa shaft to the femur shaft along the leg."""
    offset: float
    """l_1, of the leg's plane from the coxa shaft."""
    femur: float
    """l_2."""
    tibia: float
    """l_3."""

    def __post_init__(self) -> None:
        """Refuse links that are none."""
        for name in ("coxa", "offset"):
            non_negative(name, getattr(self, name))
        for name in ("femur", "tibia"):
            positive(name, getattr(self, name))


def forward(leg: Leg, angles: ArrayLike) -> Array:
    """Return the foot (..., 3) (m) of the angles q_1, q_2, q_3 (..., 3) (rad)."""
    q1, q2, q3 = np.moveaxis(finite("angles", angles, (3,)), -1, 0)
    reach = leg.coxa + leg.femur * np.cos(q2) + leg.tibia * np.cos(q2 - q3)
    return np.stack(
        [
            reach * np.cos(q1) - leg.offset * np.sin(q1),
            reach * np.sin(q1) + leg.offset * np.cos(q1),
            leg.femur * np.sin(q2) + leg.tibia * np.sin(q2 - q3),
        ],
        axis=-1,
    )


def inverse(leg: Leg, feet: ArrayLike) -> Array:
    """Return the angles (..., 3) (rad), knee up, that bring the foot to ``feet`` (..., 3) (m).

    Raises:
        ValueError: If a foot is out of reach, with its distance from the workspace.
    """
    feet = finite("feet", feet, (3,))
    require_reach(feet, distance_to_workspace(leg, feet))
    x, y, z = np.moveaxis(feet, -1, 0)
    along, r, m = _plane(leg, x, y, z)
    cosine = _ratio(leg.femur**2 + m**2 - leg.tibia**2, 2.0 * leg.femur * m)
    knee = (leg.femur**2 - m**2 + leg.tibia**2) / (2.0 * leg.femur * leg.tibia)
    return np.stack(
        [
            np.arctan2(y, x) - np.arctan2(leg.offset, along),
            np.arccos(np.clip(cosine, -1.0, 1.0)) + np.arctan2(z, r),
            np.pi - np.arccos(np.clip(knee, -1.0, 1.0)),
        ],
        axis=-1,
    )


def distance_to_workspace(leg: Leg, feet: ArrayLike) -> Array:
    """Return how far each foot (..., 3) must move within the leg's own plane to be in reach (m).

    A foot nearer to the coxa shaft than the offset has no such plane and is first moved out to it.
    """
    x, y, z = np.moveaxis(finite("feet", feet, (3,)), -1, 0)
    _, _, m = _plane(leg, x, y, z)
    inside = np.maximum(leg.offset - np.hypot(x, y), 0.0)
    gap = np.maximum(m - leg.femur - leg.tibia, abs(leg.femur - leg.tibia) - m)
    # Angles near the stretched knee go with the square root of the gap: let rounding pass.
    return np.asarray(np.hypot(inside, np.where(gap > 1e-12, gap, 0.0)))


def _plane(leg: Leg, x: Array, y: Array, z: Array) -> tuple[Array, Array, Array]:
    """Return the foot's distances along the leg from coxa and femur shaft, and from the latter."""
    along = np.sqrt(np.maximum(x * x + y * y - leg.offset**2, 0.0))
    r = along - leg.coxa
    return along, r, np.hypot(r, z)


def _ratio(numerator: Array, denominator: Array) -> Array:
    """Return the quotient, 0 where a folded leg of equal links puts the foot on the femur shaft."""
    return np.divide(numerator, denominator, out=np.zeros_like(denominator), where=denominator > 0)
