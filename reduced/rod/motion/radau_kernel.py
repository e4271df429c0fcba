"""Compiled inverse dynamics of a rod: which generalised forces a motion asks for.

Frames g, twists zeta and their rates run from base to tip over the cells of
`loligo.reduced.rod.kernel`: with dOmega and ddOmega the first two rates of Omega,

    zeta_(i+1) = A zeta_i + u,              u = T(Omega) dOmega,
    zeta'_(i+1) = A zeta'_i + u' - ad_u A zeta_i,

and the wrenches of loads, drag and inertia, M zeta' - ad_zeta^T M zeta on every lump, run back.
"""

from math import sqrt

import numpy as np

from loligo.reduced.lie import (
    Array,
    bracket,
    cobracket,
    compiled,
    exp_se3,
    tangent_apply,
    tangent_apply_transposed,
    tangent_rate,
)

_ROOT = sqrt(3.0) / 12.0


@compiled
def demanded(
    base: Array,
    steps: Array,
    joints: Array,
    strain: Array,
    rate: Array,
    acceleration: Array,
    shapes: Array,
    component: Array,
    first: Array,
    twist: Array,
    twist_rate: Array,
    inertia: Array,
    drag: Array,
    load: Array,
    residual: Array,
) -> tuple[Array, float, float]:
    """Subtract the generalised forces of loads, inertia and drag in place.

    Args:
        base: its frame.
        steps: lengths of the cells.
        joints: see `loligo.reduced.rod.kernel.frames_along`.
        strain: at the Gauss points, (2 cells, 6).
        rate: of the strain.
        acceleration: second rate of the strain.
        shapes: see `loligo.reduced.rod.kernel.jacobians_along`.
        component: see there.
        first: see there.
        twist: of the base, in its axes.
        twist_rate: its rate there.
        inertia: of the lumps, [[J, 0], [0, m I + B]], (nodes, 6, 6).
        drag: C, L and W of the lumps, see `loligo.reduced.rod.motion.inertia.Lumps`.
        load: see `loligo.reduced.rod.kernel.sweep_back`.
        residual: (unknowns,).

    Returns:
        The wrench that all this sends to the base, the power of the loads, and that lost by drag.
    """
    cells, local = len(steps), shapes.shape[1]
    along = np.empty((cells, 4, 4))
    omega = np.empty((cells, 6))
    wrench = np.empty((cells + 1, 6))
    frame, zeta, faster = base.copy(), twist.copy(), twist_rate.copy()
    power = 0.0
    drained = 0.0
    for i in range(cells + 1):
        if i > 0:
            k = i - 1
            one, two = 2 * k, 2 * k + 1
            half, root = 0.5 * steps[k], _ROOT * steps[k] ** 2
            omega[k] = half * (strain[one] + strain[two])
            omega[k] += root * bracket(strain[one], strain[two])
            along[k] = joints[k] @ exp_se3(omega[k])
            frame = frame @ along[k]
            zeta, faster = _seen(along[k], zeta), _seen(along[k], faster)
            if first[k] >= 0:
                first_rate = half * (rate[one] + rate[two])
                first_rate += root * bracket(strain[one], rate[two])
                first_rate += root * bracket(rate[one], strain[two])
                second_rate = half * (acceleration[one] + acceleration[two])
                second_rate += root * bracket(strain[one], acceleration[two])
                second_rate += root * bracket(acceleration[one], strain[two])
                second_rate += 2.0 * root * bracket(rate[one], rate[two])
                u, turning = tangent_rate(omega[k], first_rate)
                faster = faster + tangent_apply(omega[k], second_rate) + turning + bracket(zeta, u)
                zeta = zeta + u
        moved = inertia[i] @ zeta
        push = cobracket(zeta, moved) - inertia[i] @ faster
        acting = load[i, 2:4].copy().reshape(6)
        for r in range(3):
            for s in range(3):
                acting[r] += frame[s, r] * load[i, 0, s]
                acting[3 + r] += frame[s, r] * load[i, 1, s]
        if np.any(load[i, 4:]):
            tilted = load[i, 4:].copy() @ frame[:3, :3].copy()
            for r in range(3):
                s, t = (r + 1) % 3, (r + 2) % 3
                acting[r] += tilted[s, t] - tilted[t, s]
        w, v = zeta[:3].copy(), zeta[3:].copy()
        force = sqrt(v @ v) * (drag[i, 0] @ v) + drag[i, 1] @ v
        moment = drag[i, 2] @ w
        power += float(acting @ zeta)
        drained += float(moment @ w + force @ v)
        push[:3] -= moment
        push[3:] -= force
        wrench[i] = push + acting
    n = wrench[cells].copy()
    for k in range(cells - 1, -1, -1):
        start = first[k]
        if start >= 0:
            half, root = 0.5 * steps[k], _ROOT * steps[k] ** 2
            pulled = tangent_apply_transposed(omega[k], n)
            by_one = cobracket(strain[2 * k], pulled)
            by_two = cobracket(strain[2 * k + 1], pulled)
            for j in range(local):
                c = component[j]
                p1, p2 = shapes[2 * k, j], shapes[2 * k + 1, j]
                residual[start + j] -= half * (p1 + p2) * pulled[c]
                residual[start + j] -= root * (p2 * by_one[c] - p1 * by_two[c])
        n = _sent(along[k], n) + wrench[k]
    return n, power, drained


@compiled
def _seen(g: Array, x: Array) -> Array:
    """A twist as the frame g sees it, Ad_g^-1 x = (R^T w; R^T (v - p x w))."""
    y = np.zeros(6)
    for j in range(3):
        k, m = (j + 1) % 3, (j + 2) % 3
        linear = x[3 + j] - (g[k, 3] * x[m] - g[m, 3] * x[k])
        for i in range(3):
            y[i] += g[j, i] * x[j]
            y[3 + i] += g[j, i] * linear
    return y


@compiled
def _sent(g: Array, n: Array) -> Array:
    """A wrench on the frame g as it reaches the one before, Ad_g^-T n = (R m + p x R f; R f)."""
    y = np.zeros(6)
    for i in range(3):
        for j in range(3):
            y[i] += g[i, j] * n[j]
            y[3 + i] += g[i, j] * n[3 + j]
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        y[i] += g[j, 3] * y[3 + k] - g[k, 3] * y[3 + j]
    return y
