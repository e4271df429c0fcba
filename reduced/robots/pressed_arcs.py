r"""Chambered segments as arcs that pressures make, and the pressures that make an arc.

A segment is one arc of constant curvature and stretch, eps = (bend_y, bend_z, stretch - 1), in
equilibrium with the pressures p_j of its chambers:

.. math:: \partial W/\partial\epsilon = \sum_j p_j\, a_j(p_j),

with the energy W per length and the arms a_j of `loligo.reduced.section.arm_law`, those of
calibrated coefficients where there are. Nothing but pressures acts: no weight, no water.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from loligo.cases.coefficients import Coefficients
from loligo.cases.rubber.elastomer import Elastomer
from loligo.meshes.bodies import Arm
from loligo.reduced.checks import finite, positive
from loligo.reduced.lie import Array
from loligo.reduced.section.arm_law import ArmLaw, arm_law, chambers, soft_pieces

_FREE = np.array([1, 2, 3])  # bend_y, bend_z, stretch
_RAMP = 8
"""Shares of a pressure on the way up to it: a law that softens has a largest load."""
_NEWTONS = 30
_SETTLED = 1e-12


@dataclass(frozen=True, eq=False)
class PressedSegment:
    """A soft length with chambers.

    Attributes:
        length: at rest (m).
        middle: where along the arm (m); the law is taken there.
        radius: of the section (m).
        cavities: its chambers.
        law: of the arm.
    """

    length: float
    middle: float
    radius: float
    cavities: tuple[str, ...]
    law: ArmLaw

    def __post_init__(self) -> None:
        """Refuse what is no segment."""
        for name in ("length", "middle", "radius"):
            positive(name, getattr(self, name))


def pressed_segments(
    body: Arm, material: Mapping[str, Elastomer], coefficients: Coefficients | None = None
) -> list[PressedSegment]:
    """Return the chambered lengths of an arm from its base on."""
    law = arm_law(body, material, coefficients=coefficients, model="pcc")
    found = []
    for piece in soft_pieces(body):
        mine = tuple(name for name, there, _ in chambers(body) if there == piece)
        middle = 0.5 * (piece.start + piece.end)
        radius = float(piece.radius(np.array([middle]))[0])
        found.append(PressedSegment(piece.length, middle, radius, mine, law))
    return found


def arcs(segment: PressedSegment, pressures: ArrayLike) -> Array:
    """Return the arcs (n, 3) that pressures (n, chambers) in Pa make; NaN where none balances."""
    return _arcs(segment, _strains(segment, pressures))


def largest_stretch(segment: PressedSegment, pressures: ArrayLike) -> float:
    """Return the largest stretch of a fibre on the surface; inf where no arc balances."""
    eps = _strains(segment, pressures)
    bend = segment.radius * np.hypot(eps[:, 0], eps[:, 1])
    least = 1.0 + eps[:, 2] - bend
    with np.errstate(invalid="ignore", divide="ignore"):
        widest = np.where(least > 0.0, least**-0.5, np.inf)
        largest = np.maximum(1.0 + eps[:, 2] + bend, widest)
    return float(np.where(np.isnan(largest), np.inf, largest).max())


def pressures(segment: PressedSegment, wanted: ArrayLike) -> Array:
    """Return the pressures (n, chambers) in Pa that make arcs (n, 3), of one or three chambers.

    What a segment of one chamber cannot do, to bend, is not asked of it. NaN where no pressures do.
    """
    wanted = finite("wanted", wanted, (3,))
    eps = (
        np.stack([-wanted[:, 2], wanted[:, 1], wanted[:, 0] - segment.length], axis=-1)
        / segment.length
    )
    drive, _ = _wrench(segment, eps)
    rows = np.array([2]) if len(segment.cavities) == 1 else np.arange(3)
    p: Array = np.zeros((len(wanted), len(segment.cavities)))
    scale = _scale(segment)
    for _ in range(_NEWTONS):
        pushed, slope = _push(segment, p)
        step = np.linalg.solve(slope[:, rows], (drive - pushed)[:, rows, None])[:, :, 0]
        p += step
        if np.nanmax(np.abs(step), initial=0.0) <= _SETTLED * scale:
            return p
    p[np.abs(step).max(axis=1) > _SETTLED * scale] = np.nan
    return p


def _strains(segment: PressedSegment, pressures: ArrayLike) -> Array:
    p = np.atleast_2d(finite("pressures", pressures, (len(segment.cavities),)))
    eps: Array = np.zeros((len(p), 3))
    for share in np.arange(1, _RAMP + 1) / _RAMP:
        pushed, _ = _push(segment, share * p)
        for _ in range(_NEWTONS):
            found, slope = _wrench(segment, eps)
            step = np.linalg.solve(slope, (pushed - found)[:, :, None])[:, :, 0]
            eps = eps + step
            if not np.nanmax(np.abs(step), initial=0.0) > _SETTLED:
                break
        else:
            eps[~(np.abs(step).max(axis=1) <= _SETTLED)] = np.nan
    return eps


def _arcs(segment: PressedSegment, eps: Array) -> Array:
    bent = segment.length * eps
    found: Array = np.stack([segment.length + bent[:, 2], bent[:, 1], -bent[:, 0]], axis=-1)
    return found


def _wrench(segment: PressedSegment, eps: Array) -> tuple[Array, Array]:
    """Moments and force of the section, and their slope by the strains."""
    excess = np.zeros((len(eps), 6))
    excess[:, _FREE] = eps
    wrench, tangent = segment.law.section_law()(excess, np.full(len(eps), segment.middle))
    slope = tangent[:, _FREE[:, None], _FREE]
    lost = ~np.isfinite(slope).all(axis=(1, 2)) | ~(np.linalg.det(np.nan_to_num(slope)) > 0.0)
    slope = np.where(lost[:, None, None], np.eye(3), slope)
    return np.where(lost[:, None], np.nan, wrench[:, _FREE]), slope


def _push(segment: PressedSegment, p: Array) -> tuple[Array, Array]:
    """What pressures push with, (n, 3), and its slope by them, (n, 3, chambers)."""
    arms = np.stack([segment.law.arms[name][_FREE] for name in segment.cavities], axis=-1)
    growth = segment.law.growth * np.array([1.0, 1.0, 0.0])[:, None] * p[:, None, :]
    return (arms * (1.0 + growth) * p[:, None, :]).sum(-1), arms * (1.0 + 2.0 * growth)


def _scale(segment: PressedSegment) -> float:
    """A pressure to measure by (Pa): that which would stretch the segment by its own length."""
    k = segment.law.stiffness(np.array([segment.middle]))[0, 3, 3]
    area: float = sum(segment.law.arms[name][3] for name in segment.cavities)
    return float(k / area)
