"""Where legs can carry a body whose feet stay put: Liu 2020 Eq 1b for every leg at once."""

from __future__ import annotations

import numpy as np

from loligo.cases.robot.reaching import Legs
from loligo.reduced.arcs.leg import Leg, distance_to_workspace, inverse
from loligo.reduced.lie import Array

_STEP = 0.02
"""Of the grid of places (m)."""


def displacements(legs: Legs) -> Array:
    """Return places (n, 3) of the body, off where it stands, that all feet reach (m).

    Every leg points away from the body's middle; its foot stands `stance` out from its coxa shaft
    and `height` below. The places are those of an even grid.
    """
    leg = Leg(legs.coxa, legs.offset, legs.femur, legs.tibia)
    longest = legs.coxa + legs.offset + legs.femur + legs.tibia
    side = np.arange(-np.ceil(longest / _STEP), np.ceil(longest / _STEP) + 1) * _STEP
    places: Array = np.stack(np.meshgrid(side, side, side, indexing="ij"), axis=-1).reshape(-1, 3)
    places = places[places[:, 2] > -legs.height]  # the body stays above the ground
    for hip in legs.hips:
        places = places[distance_to_workspace(leg, foot_seen(legs, hip, places)) == 0.0]
    return places


def links(legs: Legs) -> Array:
    """Return coxa shaft, femur shaft, knee and foot of every leg as the robot stands, (n, 4, 3)."""
    leg = Leg(legs.coxa, legs.offset, legs.femur, legs.tibia)
    q1, q2, _ = inverse(leg, np.array([legs.stance, 0.0, -legs.height]))
    along, aside = np.array([np.cos(q1), np.sin(q1), 0.0]), np.array([-np.sin(q1), np.cos(q1), 0.0])
    shaft = legs.coxa * along + legs.offset * aside
    knee = shaft + legs.femur * (np.cos(q2) * along + np.array([0.0, 0.0, np.sin(q2)]))
    own = np.array([np.zeros(3), shaft, knee, [legs.stance, 0.0, -legs.height]])
    placed = [np.array([*hip, 0.0]) + own @ _turn(hip).T for hip in legs.hips]
    return np.array(placed)


def foot_seen(legs: Legs, hip: tuple[float, float], places: Array) -> Array:
    """Return where the foot of the leg at a hip is in the leg's own axes, for places (n, 3)."""
    seen: Array = np.array([legs.stance, 0.0, -legs.height]) - places @ _turn(hip)
    return seen


def _turn(hip: tuple[float, float]) -> Array:
    """Rotation of a leg's own axes, which point away from the body's middle."""
    azimuth = np.arctan2(hip[1], hip[0])
    cosine, sine = np.cos(azimuth), np.sin(azimuth)
    return np.array([[cosine, -sine, 0.0], [sine, cosine, 0.0], [0.0, 0.0, 1.0]])
