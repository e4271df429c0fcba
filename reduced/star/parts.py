"""The compiled loop over the rigid parts of a root in a time step: inertia, drag and weight."""

import numpy as np

from loligo.reduced.lie import Array, compiled, hat_so3
from loligo.reduced.rod.motion.kernel import lump_wrench


@compiled
def subtract_parts(
    root: Array,
    frame: Array,
    to: Array,
    twist: Array,
    by_base: Array,
    h: float,
    mass: Array,
    rotary: Array,
    added: Array,
    drag: Array,
    weight: Array,
    before: Array,
    carried: Array,
) -> tuple[Array, Array]:
    """Return the wrench that the root's parts lack in the middle of a step, and its derivative.

    Args:
        root: its frame.
        frame: of the parts, as seen from the root, (parts, 4, 4).
        to: twists of the root to those of the parts, (parts, 6, 6).
        twist: of the root.
        by_base: its derivative by the unknowns.
        h: duration of the step.
        mass: see `loligo.reduced.star.system.Part`.
        rotary: likewise.
        added: likewise.
        drag: likewise.
        weight: likewise.
        before: twists of the parts at the start of the step.
        carried: their velocities in the world then.
    """
    values, tangent = np.zeros(6), np.zeros((6, 6))
    resisting = np.zeros((3, 3, 3))  # C alone, see `loligo.reduced.rod.motion.kernel`
    for i in range(len(mass)):
        zeta = to[i] @ twist
        resisting[0] = drag[i]
        wrench, slope = lump_wrench(h, mass[i], rotary[i], added[i], resisting, zeta, before[i])
        rotation = root[:3, :3].copy() @ frame[i, :3, :3].copy()
        force = rotation.T.copy() @ (2.0 * mass[i] / h * carried[i] + weight[i])
        wrench[3:] += force
        by_unknowns = slope @ to[i] @ by_base
        by_unknowns[3:] += 0.5 * hat_so3(force) @ to[i, :3].copy()
        values -= to[i].T.copy() @ wrench
        tangent -= to[i].T.copy() @ by_unknowns
    return values, tangent
