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

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Chain:
    """The joint variables of one segment."""

    turns: tuple[float, ...]
    """zeta_1, zeta_4, ...: rotation about the link before, rad."""
    bends: tuple[float, ...]
    """zeta_2, zeta_5, ...: rotation from the link before to this one, rad."""
    stroke: float
    """s_3 = s_6 = ...: length of every link, m."""
    last_bend: float = 0.0
    """Bend after the last link, rad."""
    last_turn: float = 0.0
    """Turn after the last bend, rad."""


def chain(
    length: float,
    theta: float,
    phi: float,
    *,
    sections: int = 10,
    closed: bool = True,
    untwist: bool = True,
) -> Chain:
    """Return the chain of an arc of a length (m), bend theta and azimuth phi (rad).

    Args:
        length: Arc length, l (m).
        theta: Bend of the whole arc (rad), of either sign.
        phi: Azimuth of the bend (rad).
        sections: Number of links N.
        closed: Whether the chain bends by the missing half step at its tip.
        untwist: Whether the tip's frame is turned back by phi; Eq 20 does not.
    """
    if sections < 1:
        raise ValueError(f"a chain needs at least one section; {sections} were asked for")
    half = 0.5 * theta / sections
    return Chain(
        turns=(phi,) + (0.0,) * (sections - 1),
        bends=(half,) + (2.0 * half,) * (sections - 1),
        stroke=length / sections * float(np.sinc(half / np.pi)),
        last_bend=half if closed else 0.0,
        last_turn=-phi if untwist else 0.0,
    )


def frames(segment: Chain) -> Array:
    """Return the frames of the base and of the end of every link, (N + 1, 4, 4)."""
    result = np.empty((len(segment.bends) + 1, 4, 4))
    result[0] = np.eye(4)
    for i, (turn, bend) in enumerate(zip(segment.turns, segment.bends, strict=True)):
        result[i + 1] = result[i] @ _link(turn, bend, segment.stroke)
    result[-1] = (
        result[-1] @ _link(0.0, segment.last_bend, 0.0) @ _link(segment.last_turn, 0.0, 0.0)
    )
    return result


def arm_frames(segments: tuple[Chain, ...]) -> Array:
    """Return the frames of the base and of the end of every link of segments in series."""
    result = np.eye(4)[None]
    for segment in segments:
        result = np.concatenate([result, result[-1] @ frames(segment)[1:]])
    return result


def table(segment: Chain) -> Array:
    """Return Table I: rows of (zeta, s, gamma) of the 3 N joints, in rad, m, rad, unclosed.

    A joint rotates by zeta about the third axis, advances by s along it and tilts it by gamma
    about the first (Eq 11); the third axis is the paper's z, our x.
    """
    rows = [
        ((turn, 0.0, -np.pi / 2), (bend, 0.0, np.pi / 2), (0.0, segment.stroke, 0.0))
        for turn, bend in zip(segment.turns, segment.bends, strict=True)
    ]
    return np.array(rows).reshape(-1, 3)


def _link(turn: float, bend: float, stroke: float) -> Array:
    """Return the frame of Rx(turn) Rz(bend) and a translation along the new x."""
    (ct, st), (cb, sb) = (np.cos(turn), np.sin(turn)), (np.cos(bend), np.sin(bend))
    frame = np.eye(4)
    frame[:3, :3] = [[cb, -sb, 0.0], [ct * sb, ct * cb, -st], [st * sb, st * cb, ct]]
    frame[:3, 3] = stroke * frame[:3, 0]
    return frame
