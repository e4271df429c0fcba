"""An arm cut into elements for codes that have bodies or nodes, and its slowest motion.

A rigid piece is one element. The first is held: the base disc, or one before the arm, so that the
arm bends from its very first section on.
"""

from __future__ import annotations

import numpy as np

from loligo.reduced.lie import Array
from loligo.reduced.predict.arm_loads import arm_rod
from loligo.reduced.rod.motion.inertia import vibrations
from loligo.reduced.rod.statics import solve
from loligo.validation.export.arm import ExportedArm
from loligo.validation.export.losses import damped

ELEMENTS = 40
"""Of all soft lengths together."""
_FEWEST = 6
"""Of a soft length."""


def ends_of(arm: ExportedArm) -> tuple[Array, list[bool]]:
    """Return the ends of all elements (m), and which of them are soft."""
    total = sum(piece.length for piece in arm.soft)
    first = total / ELEMENTS
    ends, soft = [], []
    if arm.pieces[0].region == "body":
        ends, soft = [arm.pieces[0].start - first], [False]
    for piece in arm.pieces:
        is_soft = piece.region == "body"
        count = max(_FEWEST, round(ELEMENTS * piece.length / total)) if is_soft else 1
        ends += [float(x) for x in np.linspace(piece.start, piece.end, count + 1)[:-1]]
        soft += [is_soft] * count
    return np.array([*ends, arm.pieces[-1].end]), soft


def slowest(arm: ExportedArm) -> tuple[float, float]:
    """Return frequency (rad/s) and decay (1/s) of the slowest motion about rest.

    PyElastica's damper lets velocities fall as exp(-c t) beside all else, so that a slow motion
    falls as exp(-c t/2): c is the decay here, twice that of the motion.
    """
    state = solve(arm_rod(arm.body, arm.law), [])
    free = np.abs(vibrations(state, arm.inertia).s).min()
    if not damped(arm):
        return float(free), 0.0
    found = vibrations(state, arm.inertia, damping=arm.damping)
    first = found.s[np.argmin(np.abs(np.abs(found.s) - free))]
    return float(free), float(-2.0 * first.real)
