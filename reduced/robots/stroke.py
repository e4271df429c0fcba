r"""What the base of Gong's arm feels while its tip goes to and fro through still water.

The arm moves as told: two arcs of one length that bend against each other, the elongation at rest,
the gripper straight on. A slice of it moves with v; with the mass m and the water
:math:`\rho\pi R^2 C_a` per length that moves along across the arm (P takes the part of v across),
and strip drag over the diameter,

.. math:: F = -\int \left[\frac{d}{dt}\left(m v + \rho\pi R^2 C_a P v\right)
   + \rho R C_d |P v| P v\right] ds .

The motion is periodic, so that its derivatives in time are those of its Fourier series, exact for
what the instants resolve.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import brentq

from loligo.cases.robot.reaching import Stroke
from loligo.reduced.arcs import pcc
from loligo.reduced.arcs.opposite_bending import OppositeBendingArm
from loligo.reduced.arcs.workspace import chamber_cosines
from loligo.reduced.checks import positive
from loligo.reduced.lie import Array

_INSTANTS = 64
_SHARES, _WEIGHTS = 0.5 * np.array(np.polynomial.legendre.leggauss(12)) + [[0.5], [0.0]]


def reaction(arm: OppositeBendingArm, radius: float, stroke: Stroke) -> tuple[Array, Array]:
    """Return times over a period (s) and the wrench (moment; force) on the base, (n, 6).

    Args:
        arm: the arm.
        radius: of its section (m).
        stroke: what it does, and the water.

    Raises:
        ValueError: if the amplitude is beyond the arm's reach.
    """
    positive("radius", radius)
    time = np.arange(_INSTANTS) / (_INSTANTS * stroke.frequency)
    sway = stroke.amplitude * np.sin(2.0 * np.pi * stroke.frequency * time)
    arcs = _arcs(arm, stroke, sway)
    places, tangents, weights = _slices(arm, arcs, stroke.passive)

    velocity = _rate(places, stroke.frequency)
    across = velocity - tangents * (tangents * velocity).sum(-1, keepdims=True)
    rest = 2.0 * arm.chamber_length + arm.elongation_length + stroke.passive
    mass = stroke.mass / rest * _rest_weights(arm, stroke.passive)
    wet = stroke.water * np.pi * radius**2 * stroke.added * weights
    carried = mass[None, :, None] * velocity + wet[..., None] * across
    speed = np.linalg.norm(across, axis=-1, keepdims=True)
    drag = stroke.water * radius * stroke.drag * weights[..., None] * speed * across
    force = -_rate(carried, stroke.frequency) - drag
    # The water's momentum across a slice that moves along itself turns it, too (Munk).
    moment = np.cross(places, force) - np.cross(velocity, wet[..., None] * across)
    return time, np.concatenate([moment.sum(1), force.sum(1)], axis=-1)


def _arcs(arm: OppositeBendingArm, stroke: Stroke, sway: Array) -> Array:
    """The first segment's arcs, of one length all along: the one that the farthest bend needs.

    (Were the chamber nearest to the bend never pressurised, the length would go with |theta|, and
    the arm would be jerked each time that it hangs straight.)
    """
    way = np.array([np.cos(stroke.azimuth), np.sin(stroke.azimuth)])
    sides = np.stack([way, -way])
    nearest, farthest = (c.max() for c in chamber_cosines(sides, pcc.chamber_directions(3)))

    def tip(theta: float, length: float) -> float:
        return 2.0 * float(pcc.position(np.array([length, theta, 0.0]))[1])

    def stretched(theta: float) -> float:
        return arm.chamber_length + arm.chamber_offset * float(nearest) * theta

    full = arm.chamber_stroke / (arm.chamber_offset * float(nearest + farthest))
    reach = tip(full, stretched(full))
    if reach < stroke.amplitude:
        raise ValueError(
            f"a stroke of {stroke.amplitude:.4g} m is beyond the arm's reach of {reach:.4g} m"
        )
    largest = brentq(lambda t: tip(t, stretched(t)) - stroke.amplitude, 0.0, full, xtol=1e-13)
    length = stretched(largest)
    bends = [brentq(lambda t, y=y: tip(t, length) - y, -largest, largest) for y in 0.999999 * sway]
    return np.column_stack([np.full(len(sway), length), np.outer(bends, way)])


def _slices(arm: OppositeBendingArm, arcs: Array, passive: float) -> tuple[Array, Array, Array]:
    """Places (n, s, 3), tangents (n, s, 3) and lengths (n, s) of the slices."""
    first = pcc.pose(_SHARES[:, None] * arcs[:, None])
    joint = pcc.pose(arcs)[:, None]
    second = joint @ pcc.pose(_SHARES[:, None] * (arcs * [1.0, -1.0, -1.0])[:, None])
    straight = np.tile(np.eye(4), (len(_SHARES), 1, 1))
    straight[:, 0, 3] = (arm.elongation_length + passive) * _SHARES
    third = joint @ pcc.pose(arcs * [1.0, -1.0, -1.0])[:, None] @ straight
    frames = np.concatenate([first, second, third], axis=1)
    end = np.full(len(arcs), arm.elongation_length + passive)
    lengths = np.stack([arcs[:, 0], arcs[:, 0], end], axis=1)
    weights = (lengths[:, :, None] * _WEIGHTS).reshape(len(arcs), -1)
    return frames[..., :3, 3], frames[..., :3, 0], weights


def _rest_weights(arm: OppositeBendingArm, passive: float) -> Array:
    parts = (arm.chamber_length, arm.chamber_length, arm.elongation_length + passive)
    return np.concatenate([part * _WEIGHTS for part in parts])


def _rate(values: Array, frequency: float) -> Array:
    """Rate of what is periodic, by its Fourier series along the first axis."""
    count = len(values)
    spectrum = np.fft.rfft(values, axis=0)
    turns = np.arange(len(spectrum))
    turns[-1] = 0  # the highest has no sine
    factor = (2j * np.pi * frequency * turns).reshape(-1, *[1] * (values.ndim - 1))
    rate: Array = np.fft.irfft(factor * spectrum, count, axis=0)
    return rate
