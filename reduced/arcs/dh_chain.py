r"""Emet 2023: a constant-curvature arc as a chain of RRP links (Denavit-Hartenberg, Eqs 10-13).

The arc is cut into N equal pieces and each becomes a turn, a bend and a stroke. The nodes of the
chain lie on the arc exactly when the stroke is the chord (Eq 9),

.. math:: s = \frac{2 l}{\theta}\sin\frac{\theta}{2N},

and the bends are the *differences* of the polar angles of the chords, half a step first:
:math:`\theta/2N, \theta/N, \ldots, \theta/N`. The paper's Eq 7 yields the absolute angles. After N
bends the last link still points half a step short of the tangent: a closed chain bends by
:math:`\theta/2N` once more at its tip, and only then is the attitude (Eq 20) the arc's and do two
segments join smoothly.

theta is the bend of the whole arc, signed, as in Eqs 1-6 and Table I; the paper's numerical check
(4.5 deg, then steps of 9 deg) calls half of it, the polar angle of the tip, by the same letter.
phi is the azimuth. Eq 20 keeps the turn by phi in the tip's frame; constant curvature without
torsion takes it back (``untwist``). The choice changes what phi means for the next segment.

Frames are ours, links along x: the paper's z, x, y are our x, y, z, so a turn is about x, a bend
about z.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from loligo.cases.core.record import BadInput
from loligo.reduced.checks import finite, positive, whole

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class JointVariables:
    """The joint variables of one segment, or of a batch of them."""

    turns: Array
    """zeta_1, zeta_4, ...: rotation about the link before, (..., N), rad."""
    bends: Array
    """zeta_2, zeta_5, ...: rotation from the link before to this one, (..., N), rad."""
    stroke: Array
    """s_3 = s_6 = ...: length of every link, (...), m."""
    last_bend: Array
    """Bend after the last link, (...), rad."""
    last_turn: Array
    """Turn after the last bend, (...), rad."""

    def __post_init__(self) -> None:
        """Refuse what is no chain."""
        for name in ("turns", "bends", "stroke", "last_bend", "last_turn"):
            finite(name, getattr(self, name))


def chain(
    length: ArrayLike,
    theta: ArrayLike,
    phi: ArrayLike,
    *,
    sections: int = 10,
    closed: bool = True,
    untwist: bool = True,
) -> JointVariables:
    """Return the chain of an arc of a length (m), bend theta and azimuth phi (rad).

    Args:
        length: Arc length, l (m), (...).
        theta: Bend of the whole arc (rad), of either sign, (...).
        phi: Azimuth of the bend (rad), (...).
        sections: Number of links N.
        closed: Whether the chain bends by the missing half step at its tip.
        untwist: Whether the tip's frame is turned back by phi; Eq 20 does not.
    """
    whole("sections", sections, 1)
    length, theta, phi = np.broadcast_arrays(
        positive("length", length), finite("theta", theta), finite("phi", phi)
    )
    half = 0.5 * theta / sections
    turns, bends = np.zeros((2, *phi.shape, sections))
    turns[..., 0] = phi
    bends[...] = 2.0 * half[..., None]
    bends[..., 0] = half
    return JointVariables(
        turns=turns,
        bends=bends,
        stroke=length / sections * np.sinc(half / np.pi),
        last_bend=half * closed,
        last_turn=-phi * untwist,
    )


def frames(segment: JointVariables) -> Array:
    """Return the frames of the base and of the end of every link, (..., N + 1, 4, 4)."""
    *batch, count = segment.bends.shape
    result = np.empty((*batch, count + 1, 4, 4))
    result[..., 0, :, :] = np.eye(4)
    links = _links(segment.turns, segment.bends, segment.stroke[..., None])
    for i in range(count):
        result[..., i + 1, :, :] = result[..., i, :, :] @ links[..., i, :, :]
    zero = np.zeros_like(segment.stroke)
    result[..., -1, :, :] = (
        result[..., -1, :, :]
        @ _links(zero, segment.last_bend, zero)
        @ _links(segment.last_turn, zero, zero)
    )
    return result


def arm_frames(segments: Sequence[JointVariables]) -> Array:
    """Return the frames of the base and of the end of every link of segments in series."""
    if not segments:
        raise BadInput("an arm needs at least one of segments")
    result = frames(segments[0])
    for segment in segments[1:]:
        further = result[..., -1:, :, :] @ frames(segment)[..., 1:, :, :]
        result = np.concatenate([result, further], axis=-3)
    return result


def table(segment: JointVariables) -> Array:
    """Return Table I: rows of (zeta, s, gamma) of the 3 N joints, in rad, m, rad, unclosed.

    A joint rotates by zeta about the third axis, advances by s along it and tilts it by gamma
    about the first (Eq 11); the third axis is the paper's z, our x.
    """
    rows = np.zeros((*segment.bends.shape, 3, 3))
    rows[..., 0, 0], rows[..., 0, 2] = segment.turns, -np.pi / 2
    rows[..., 1, 0], rows[..., 1, 2] = segment.bends, np.pi / 2
    rows[..., 2, 1] = segment.stroke[..., None]
    return rows.reshape(*segment.stroke.shape, -1, 3)


def _links(turn: Array, bend: Array, stroke: Array) -> Array:
    """Return the frames of Rx(turn) Rz(bend) and a translation along the new x, (..., 4, 4)."""
    ct, st, cb, sb = np.cos(turn), np.sin(turn), np.cos(bend), np.sin(bend)
    frame = np.zeros((*np.shape(bend), 4, 4))
    frame[..., 0, 0], frame[..., 0, 1] = cb, -sb
    frame[..., 1, 0], frame[..., 1, 1], frame[..., 1, 2] = ct * sb, ct * cb, -st
    frame[..., 2, 0], frame[..., 2, 1], frame[..., 2, 2] = st * sb, st * cb, ct
    frame[..., :3, 3] = stroke[..., None] * frame[..., :3, 0]
    frame[..., 3, 3] = 1.0
    return frame
