"""The compiled loops of a rod in motion: section velocities, inertia and drag, and their slopes.

At the middle of a time step of length h the frames are those of the mean coordinates, and their
twists zeta = J dq/h follow from base to tip with the strain rates:

    zeta_(i+1) = A_i zeta_i + T(Omega_i) G_i dq/h.

On every node sits a lump of the rod, whose twist was zeta_0 = (w_0; v_0) at the start of the step
and is 2 zeta - zeta_0 at its end. What it does to the rod, in its own axes, is with mass m, rotary
inertia J, added mass B and drags C, L and W

    moment  -J (w_1 - w_0)/h - w x J w - v x B v - W w,
    force   -R^T m (V_1 - V_0)/h - B (v_1 - v_0)/h - w x B v - (|v| C + L) v,

V = R v in the world, V_1 = 2 V - V_0. With the motion zeta of the step the inertial part does
exactly the work by which the lump's kinetic energy falls, for any h; and the momentum m V of a rod
in vacuum changes by the impulse of the loads, exactly.
"""

from math import sqrt

import numpy as np

from loligo.reduced.lie import Array, ad, compiled, hat_so3, tangent_se3, tangent_twist_se3
from loligo.reduced.rod.kernel import Chain, frames_along, jacobians_along, sweep_back

_ROOT = sqrt(3.0) / 12.0


@compiled
def twists_along(
    chain: Chain,
    steps: Array,
    shapes: Array,
    component: Array,
    first: Array,
    speed: Array,
    twist: Array,
    by_base: Array,
    duration: float,
) -> tuple[Array, Array]:
    """Return the twists of all nodes and their derivatives by the unknowns of a step.

    Args:
        chain: from `jacobians_along`, at the middle of the step.
        steps: lengths of the cells.
        shapes: see `jacobians_along`.
        component: see `jacobians_along`.
        first: see `jacobians_along`.
        speed: dq/h, numbered as the unknowns.
        twist: of the base.
        by_base: its derivative by the unknowns, (6, unknowns).
        duration: h.
    """
    _, omega, g, tg, a = chain
    cells, local = len(steps), shapes.shape[1]
    zeta = np.empty((cells + 1, 6))
    slope = np.empty((cells + 1, 6, len(speed)))
    zeta[0] = twist
    slope[0] = by_base
    turned = np.empty((6, local))
    for i in range(cells):
        zeta[i + 1] = a[i] @ zeta[i]
        slope[i + 1] = a[i] @ slope[i]
        start = first[i]
        if start < 0:
            continue
        v = speed[start : start + local]
        one, two = np.zeros(6), np.zeros(6)  # strain rates at the Gauss points
        for k in range(local):
            one[component[k]] += shapes[2 * i, k] * v[k]
            two[component[k]] += shapes[2 * i + 1, k] * v[k]
        ad_one, ad_two = ad(one), ad(two)
        for k in range(local):  # of the derivative of G v by q, as G itself with rates for strains
            c = component[k]
            p1, p2 = shapes[2 * i, k], shapes[2 * i + 1, k]
            for r in range(6):
                turned[r, k] = _ROOT * steps[i] ** 2 * (p2 * ad_one[r, c] - p1 * ad_two[r, c])
        added, by_omega = tangent_twist_se3(omega[i], g[i] @ v)
        by_q = ad(zeta[i + 1]) @ tg[i] + by_omega @ g[i] + tangent_se3(omega[i]) @ turned
        slope[i + 1, :, start : start + local] += 0.5 * by_q + tg[i] / duration
        zeta[i + 1] += added
    return zeta, slope


@compiled
def lump_wrench(
    duration: float,
    mass: float,
    rotary: Array,
    added: Array,
    drag: Array,
    twist: Array,
    before: Array,
) -> tuple[Array, Array]:
    """Return what a lump does to the rod, but for R^T m V_0/h, and its derivative by the twist.

    Args:
        duration: h.
        mass: m.
        rotary: J, (3, 3).
        added: B, (3, 3).
        drag: C, L and W, (3, 3, 3).
        twist: zeta at the middle of the step.
        before: zeta_0.
    """
    w, v = twist[:3].copy(), twist[3:].copy()
    per = 2.0 / duration
    hat_w, hat_v = hat_so3(w), hat_so3(v)
    spin, water = rotary @ w, added @ v
    speed = sqrt(v @ v)
    pushed, resisted = drag[0] @ v, speed * drag[0] + drag[1]
    wrench, slope = np.empty(6), np.zeros((6, 6))
    wrench[:3] = -per * (spin - rotary @ before[:3]) - hat_w @ spin - hat_v @ water - drag[2] @ w
    wrench[3:] = -per * (mass * v + water - added @ before[3:]) - hat_w @ water - resisted @ v
    slope[:3, :3] = hat_so3(spin) - per * rotary - hat_w @ rotary - drag[2]
    slope[:3, 3:] = hat_so3(water) - hat_v @ added
    slope[3:, :3] = hat_so3(water)
    slope[3:, 3:] = -per * (mass * np.eye(3) + added) - hat_w @ added - resisted
    if speed > 0.0:
        slope[3:, 3:] -= np.outer(pushed, v / speed)
    return wrench, slope


@compiled
def subtract_motion(
    base: Array,
    steps: Array,
    joints: Array,
    strain: Array,
    shapes: Array,
    component: Array,
    first: Array,
    start: Array,
    speed: Array,
    twist: Array,
    by_base: Array,
    duration: float,
    mass: Array,
    rotary: Array,
    added: Array,
    drag: Array,
    before: Array,
    carried: Array,
    load: Array,
    residual: Array,
    tangent: Array,
) -> tuple[Array, Array, Array, Array]:
    """Subtract the generalised forces of loads, inertia and drag, and their derivative, in place.

    Args:
        base: its frame at the middle of the step.
        steps: see `jacobians_along`.
        joints: see `frames_along`.
        strain: at the middle of the step.
        shapes: see `jacobians_along`.
        component: see `jacobians_along`.
        first: see `jacobians_along`.
        start: see `jacobians_along`.
        speed: see `twists_along`.
        twist: see `twists_along`.
        by_base: see `twists_along`.
        duration: h.
        mass: of the lumps on the nodes, (nodes,).
        rotary: of the lumps, (nodes, 3, 3).
        added: of the lumps, (nodes, 3, 3).
        drag: of the lumps, (nodes, 3, 3, 3).
        before: twists at the start of the step, (nodes, 6).
        carried: velocities in the world at the start of the step, (nodes, 3).
        load: see `sweep_back`, dead forces at levers with it.
        residual: (unknowns,).
        tangent: (unknowns, unknowns).

    Returns:
        Frames of the nodes, their twists and the derivative of these by the unknowns, and the
        wrench that all this sends to the base.
    """
    frames = frames_along(base, steps, joints, strain)
    chain = jacobians_along(steps, joints, strain, shapes, component, first, start)
    zeta, by_unknowns = twists_along(
        chain, steps, shapes, component, first, speed, twist, by_base, duration
    )
    total, slope = load.copy(), np.empty_like(by_unknowns)
    for i in range(len(frames)):
        wrench, by_twist = lump_wrench(
            duration, mass[i], rotary[i], added[i], drag[i], zeta[i], before[i]
        )
        total[i, 1] += 2.0 * mass[i] / duration * carried[i]
        total[i, 2] += wrench[:3]
        total[i, 3] += wrench[3:]
        slope[i] = by_twist @ by_unknowns[i]
    sent = sweep_back(
        frames, chain, steps, shapes, component, first, total, slope, 0.5, residual, tangent
    )
    return frames, zeta, by_unknowns, sent
