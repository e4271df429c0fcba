"""Where legs can carry a body whose feet stay put: Liu 2020 Eq 1b for every leg at once."""

from __future__ import annotations

import numpy as np

from loligo.cases.reaching import Legs
from loligo.reduced.leg import Leg, distance_to_workspace
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


def foot_seen(legs: Legs, hip: tuple[float, float], places: Array) -> Array:
    """Return where the foot of the leg at a hip is in the leg's own axes, for places (n, 3)."""
    azimuth = np.arctan2(hip[1], hip[0])
    cosine, sine = np.cos(azimuth), np.sin(azimuth)
    turn = np.array([[cosine, -sine, 0.0], [sine, cosine, 0.0], [0.0, 0.0, 1.0]])
    seen: Array = np.array([legs.stance, 0.0, -legs.height]) - places @ turn
    return seen
