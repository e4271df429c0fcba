"""An arm for PyElastica: lengths, stiffness and mass of its elements.

PyElastica has bends between elements and stretches on them, in blocks of 3 by 3, directors d1, d2,
d3 with d3 the tangent: (x, y, z) of a section become (z, x, y) of its columns. A rigid piece is one
element; where half of a Voronoi length is rigid, its bend is that of the soft half:

    B = D / integral of K^-1 over the soft part of D.

Two laws are written. The rod alone has the blocks of the linear law, and PyElastica's own change
with dilatation, B/eps^3 and S/eps. With the forcing `Section` it has the whole law: what is missing
is added to its internal forces.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from loligo.reduced.lie import Array
from loligo.validation.export.arm import ExportedArm, between
from loligo.validation.export.elements import ends_of, slowest
from loligo.validation.export.losses import Loss, between_blocks, damped

RIGID = 20.0
"""Stiffness of a rigid piece over that of the soft length beside it: explicit steps ask for it."""


def arrays(arm: ExportedArm) -> dict[str, Any]:
    """Return the arrays of PyElastica, elements from the held one on."""
    ends, soft = ends_of(arm)
    spans = list(pairwise(ends))
    stiff = [_element(arm, a, b, flag) for (a, b), flag in zip(spans, soft, strict=True)]
    joints = [
        _joint(arm, (spans[i], soft[i]), (spans[i + 1], soft[i + 1])) for i in range(len(spans) - 1)
    ]
    frequency, decay = slowest(arm)
    start = arm.pieces[0].start
    mass = [
        between(arm.inertia, max(a, start), b)
        if b > start
        else between(arm.inertia, start, b + b - a)
        for a, b in spans
    ]
    return {
        "pyelastica": {
            "ends": ends.tolist(),
            "soft": soft,
            "stiffness": np.array(stiff).tolist(),
            "joint_stiffness": np.array(joints).tolist(),
            "inertia": np.array(mass).tolist(),
            **_soft_parts(arm, spans, soft),
            "frequency": frequency,
            "decay": decay,
            "tip_node": int(np.argmin(np.abs(ends - arm.soft[-1].end))),
        },
    }


def _soft_parts(
    arm: ExportedArm, spans: Sequence[tuple[float, float]], soft: Sequence[bool]
) -> dict[str, Any]:
    """Return how elements and joints belong to soft lengths, and what part of a joint is soft."""
    solid = arm.solid.lengths if arm.solid else ()

    def at(x: float) -> tuple[int, float]:
        number = next((i for i, p in enumerate(arm.soft) if p.start <= x <= p.end), -1)
        return number, float(solid[number].scale(np.array(x))) if solid and number >= 0 else 1.0

    rigid = (-1, 1.0)
    elements = [at(0.5 * (a + b)) if s else rigid for (a, b), s in zip(spans, soft, strict=True)]
    joints, spread, side = [], [], []
    for ((a, b), (_, c)), (one, other) in zip(pairwise(spans), pairwise(soft), strict=True):
        parts = 0.5 * np.array([(b - a) * one, (c - b) * other])
        inside = parts.sum() > 0.0
        joints.append(at(b + 0.5 * (parts[1] - parts[0])) if inside else rigid)
        spread.append(float(0.5 * (c - a) / parts.sum()) if inside else 1.0)
        side.append((parts / parts.sum()).tolist() if inside else [0.5, 0.5])
    return {
        "piece": [number for number, _ in elements],
        "scale": [scale for _, scale in elements],
        "joint_piece": [number for number, _ in joints],
        "joint_scale": [scale for _, scale in joints],
        "spread": spread,
        "side": side,
    }


def _element(arm: ExportedArm, start: float, end: float, soft: bool) -> Array:
    """Return the stiffness of an element (6, 6); of a rigid one, that beside it many times over."""
    if soft:
        return _over(arm, start, end)
    close = 1e-9 * (end - start)
    factor = RIGID if end < arm.pieces[-1].end - close else 1.0  # nothing pulls at the tip's disc
    faces = [x for p in arm.soft for x in (p.start, p.end) if start - close <= x <= end + close]
    beside = arm.law.stiffness(np.array(faces))
    stiff: Array = factor * beside[np.argmax(beside[:, 3, 3])]
    return stiff


def _joint(
    arm: ExportedArm,
    one: tuple[tuple[float, float], bool],
    other: tuple[tuple[float, float], bool],
) -> Array:
    """Return the stiffness of the Voronoi length between two elements (6, 6)."""
    (a, b), first = one
    (_, c), second = other
    whole = 0.5 * (c - a)
    parts = [(0.5 * (a + b), b, first), (b, 0.5 * (b + c), second)]
    yields = sum(
        ((y - x) * np.linalg.inv(_over(arm, x, y)) for x, y, soft in parts if soft),
        start=np.zeros((6, 6)),
    )
    if not first and not second:
        return _element(arm, a, b, False)
    stiffness: Array = whole * np.linalg.inv(yields)
    return stiffness


def _over(arm: ExportedArm, start: float, end: float) -> Array:
    """Return the stiffness of a soft span: its length over its compliance."""
    mean: Array = np.linalg.inv(between(lambda X: np.linalg.inv(arm.law.stiffness(X)), start, end))
    return mean


def losses(arm: ExportedArm) -> list[Loss]:
    """Return what PyElastica cannot hold."""
    stretch = max((_free_stretch(arm, name) for name in arm.law.arms), default=0.0)
    stretch = max(stretch, 0.0)
    rigid = sum(p.length for p in arm.pieces[1:-1] if p.region != "body")
    soft = sum(p.length for p in arm.soft)
    found = [
        between_blocks(arm),
        Loss(
            "bends when stretched (the rod alone)",
            1.0 - (1.0 + stretch) ** -3,
            f"by how much B/eps^3 is too soft at the stretch {1.0 + stretch:.3f} of one chamber",
        ),
        Loss(
            "rigid pieces",
            rigid / soft / RIGID,
            f"length that yields more than it should, over the soft length: {RIGID:.0f} times as "
            "stiff as what is beside",
        ),
    ]
    if damped(arm):
        found.append(
            Loss(
                "viscosity", 1.0, "the first bend's decay alone is kept, by a damper on velocities"
            )
        )
    return found


def _free_stretch(arm: ExportedArm, name: str) -> float:
    chamber = next(one for one in arm.chambers if one.name == name)
    if np.isinf(chamber.most):
        return 0.0
    x = np.array([0.5 * (chamber.start + chamber.end)])
    return float(np.linalg.solve(arm.law.stiffness(x)[0], chamber.most * chamber.wrench)[3])


LINES = (
    "With the forcing `Section` the whole 6x6 law arrives; a softening or growing one, and that "
    "of the solid, do so as functions.",
    "The rod alone loses the coupling and has PyElastica's change with dilatation.",
    "Water is left out.",
)
