"""The compiled loops of the rod: frames, Jacobians, residual and exact tangent of one state.

A rod is a chain of cells between nodes. Over a cell of length h the strain is known at the two
Gauss points, and the frame advances by the fourth-order Magnus step (g' = g xi^ acts from the
right, hence the sign of the bracket)

    g_(i+1) = g_i K_i exp(Omega_i),   Omega = h/2 (xi_1 + xi_2) + sqrt(3)/12 h^2 ad_(xi_1) xi_2,

K the turn of a rigid joint between two cells, the identity elsewhere.

With d(xi) = sum_a phi_a e_c(a) dq_a the body Jacobian zeta = J dq of the frames is

    J_(i+1) = A_i J_i + T(Omega_i) G_i,   A = Ad_(K exp(Omega))^-1,   G = dOmega/dq,

and the wrench N that the loads send through the rod towards its base runs the other way,

    N_i = F_i + A_i^T N_(i+1),   residual = sum_gauss w B^T Lambda - sum_cells G^T T^T N_(i+1).

Differentiating this discrete residual term by term gives the tangent, so that Newton's method
converges quadratically whatever the loads are.
"""

from math import sqrt

import numpy as np

from loligo.reduced.lie import (
    Array,
    ad,
    adjoint,
    coadjoint,
    compiled,
    exp_se3,
    inverse,
    tangent_se3,
    tangent_wrench_se3,
)

_ROOT = sqrt(3.0) / 12.0
Chain = tuple[Array, Array, Array, Array, Array]


@compiled
def magnus(h: float, first: Array, second: Array) -> Array:
    """Return Omega of a cell of length h from the strains at its two Gauss points."""
    return 0.5 * h * (first + second) + _ROOT * h * h * (ad(first) @ second)


@compiled
def frames_along(base: Array, steps: Array, joints: Array, strain: Array) -> Array:
    """Return the frames of all nodes, shape (cells + 1, 4, 4).

    Args:
        base: frame of the first node, (4, 4).
        steps: lengths of the cells, (cells,).
        joints: K, the frame in which a cell starts as seen from its node, (cells, 4, 4).
        strain: at the Gauss points, two a cell, (2 cells, 6).
    """
    frames = np.empty((len(steps) + 1, 4, 4))
    frames[0] = base
    for i in range(len(steps)):
        along = exp_se3(magnus(steps[i], strain[2 * i], strain[2 * i + 1]))
        frames[i + 1] = frames[i] @ joints[i] @ along
    return frames


@compiled
def jacobians_along(
    steps: Array,
    joints: Array,
    strain: Array,
    shapes: Array,
    component: Array,
    first: Array,
    start: Array,
) -> Chain:
    """Return J at all nodes, (nodes, 6, unknowns), and Omega, G, T G and A of all cells.

    Args:
        steps: lengths of the cells, (cells,).
        joints: see `frames_along`.
        strain: at the Gauss points, (2 cells, 6).
        shapes: phi_a at the Gauss points, (2 cells, local); the local unknowns of a cell are
            those of its interval, a contiguous block.
        component: the strain component c(a) of each local unknown, (local,).
        first: where the block of every cell begins, -1 if the cell is rigid, (cells,).
        start: J at the first node, (6, unknowns): zero if the base is held.
    """
    cells, local = len(steps), shapes.shape[1]
    omega = np.empty((cells, 6))
    g = np.empty((cells, 6, local))  # not filled where rigid, nor is T G
    tg = np.empty((cells, 6, local))
    a = np.empty((cells, 6, 6))
    jacobian = np.empty((cells + 1, 6, start.shape[1]))
    jacobian[0] = start
    for i in range(cells):
        h, one, two = steps[i], strain[2 * i], strain[2 * i + 1]
        omega[i] = magnus(h, one, two)
        a[i] = adjoint(exp_se3(-omega[i]) @ inverse(joints[i]))
        jacobian[i + 1] = a[i] @ jacobian[i]
        start = first[i]
        if start < 0:
            continue
        ad_one, ad_two = ad(one), ad(two)
        for k in range(local):
            c = component[k]
            p1, p2 = shapes[2 * i, k], shapes[2 * i + 1, k]
            for r in range(6):
                g[i, r, k] = _ROOT * h * h * (p2 * ad_one[r, c] - p1 * ad_two[r, c])
            g[i, c, k] += 0.5 * h * (p1 + p2)
        tg[i] = tangent_se3(omega[i]) @ g[i]
        jacobian[i + 1, :, start : start + local] += tg[i]
    return jacobian, omega, g, tg, a


@compiled
def add_internal(
    shapes: Array,
    component: Array,
    first: Array,
    weights: Array,
    wrench: Array,
    stiffness: Array,
    residual: Array,
    tangent: Array,
) -> None:
    """Add the integral of B^T Lambda to a residual and that of B^T C B to its tangent, in place.

    Args:
        shapes: see `jacobians_along`.
        component: see `jacobians_along`.
        first: see `jacobians_along`.
        weights: of the Gauss points, (points,).
        wrench: Lambda, of material and actuation, (points, 6).
        stiffness: C, its derivative with respect to the strain, (points, 6, 6).
        residual: (unknowns,).
        tangent: (unknowns, unknowns).
    """
    points, local = shapes.shape
    for i in range(points):
        start = first[i // 2]
        if start < 0:
            continue
        for j in range(local):
            test = weights[i] * shapes[i, j]
            residual[start + j] += test * wrench[i, component[j]]
            for k in range(local):
                c = stiffness[i, component[j], component[k]]
                tangent[start + j, start + k] += test * c * shapes[i, k]


@compiled
def subtract_loads(
    base: Array,
    steps: Array,
    joints: Array,
    strain: Array,
    shapes: Array,
    component: Array,
    first: Array,
    load: Array,
    residual: Array,
    tangent: Array,
) -> None:
    """Subtract the generalised forces of loads on the nodes, and their derivative, in place.

    Args:
        base: frame of the first node, held.
        steps: see `jacobians_along`.
        joints: see `frames_along`.
        strain: see `jacobians_along`.
        shapes: see `jacobians_along`.
        component: see `jacobians_along`.
        first: see `jacobians_along`.
        load: see `sweep_back`.
        residual: (unknowns,).
        tangent: (unknowns, unknowns).
    """
    frames = frames_along(base, steps, joints, strain)
    start = np.zeros((6, len(residual)))
    chain = jacobians_along(steps, joints, strain, shapes, component, first, start)
    slope = np.zeros((len(frames), 6, len(residual)))
    sweep_back(frames, chain, steps, shapes, component, first, load, slope, 1.0, residual, tangent)


@compiled
def sweep_back(
    frames: Array,
    chain: Chain,
    steps: Array,
    shapes: Array,
    component: Array,
    first: Array,
    load: Array,
    slope: Array,
    share: float,
    residual: Array,
    tangent: Array,
) -> Array:
    """Subtract generalised forces and their derivative in place; return the wrench at the base.

    The tangent is with respect to unknowns of which the coordinates at hand follow a share: all in
    statics, half of the increment at the middle of a time step.

    Args:
        frames: of the nodes.
        chain: from `jacobians_along`.
        steps: see `jacobians_along`.
        shapes: see `jacobians_along`.
        component: see `jacobians_along`.
        first: see `jacobians_along`.
        load: on the nodes, (nodes, 7, 3): dead moment and force (world components), follower
            moment and force (body components), and T, see `loligo.reduced.rod.loadset.LoadSet`.
        slope: derivative of the follower loads by the unknowns, (nodes, 6, unknowns).
        share: see above.
        residual: (unknowns,).
        tangent: (unknowns, unknowns).
    """
    jacobian, omega, g, tg, a = chain
    cells, local, unknowns = len(steps), shapes.shape[1], len(residual)
    n = np.zeros(6)
    dn = np.zeros((6, unknowns))
    for i in range(cells, -1, -1):
        if i < cells:
            start = first[i]
            if start >= 0:
                pulled, pulled_slope = tangent_wrench_se3(omega[i], n)  # T^T N
                block = g[i].T @ (pulled_slope @ g[i])
                # of the second derivative of Omega
                bracket = _ROOT * steps[i] ** 2 * coadjoint(pulled)
                residual[start : start + local] -= g[i].T @ pulled
                tangent[start : start + local] -= tg[i].T @ dn
                for j in range(local):
                    for k in range(local):
                        crossed = (
                            shapes[2 * i + 1, j] * shapes[2 * i, k]
                            - shapes[2 * i, j] * shapes[2 * i + 1, k]
                        )
                        tangent[start + j, start + k] -= share * (
                            block[j, k] + crossed * bracket[component[j], component[k]]
                        )
                dn[:, start : start + local] -= share * (coadjoint(n) @ tg[i])
            n = a[i].T @ n
            dn = a[i].T @ dn
        dn += slope[i]
        transposed = frames[i, :3, :3].T.copy()
        for half in range(2):
            dead = transposed @ load[i, half]
            n[3 * half : 3 * half + 3] += dead + load[i, 2 + half]
            for r in range(3):  # d(R^T f) = (R^T f) x w
                s, t = (r + 1) % 3, (r + 2) % 3
                for k in range(unknowns):
                    turned = dead[s] * jacobian[i, t, k] - dead[t] * jacobian[i, s, k]
                    dn[3 * half + r, k] += share * turned
        if not np.any(load[i, 4:]):
            continue
        tilted = load[i, 4:].copy() @ frames[i, :3, :3].copy()  # sum of r (R^T F)^T
        trace = tilted[0, 0] + tilted[1, 1] + tilted[2, 2]
        for r in range(3):  # d(r x R^T F) = r x (R^T F x w)
            s, t = (r + 1) % 3, (r + 2) % 3
            n[r] += tilted[s, t] - tilted[t, s]
            for k in range(unknowns):
                turned = -trace * jacobian[i, r, k]
                for m in range(3):
                    turned += tilted[m, r] * jacobian[i, m, k]
                dn[r, k] += share * turned
    residual -= jacobian[0].T @ n
    tangent -= jacobian[0].T @ dn
    return n


@compiled
def add_tendons(
    strain: Array, offset: Array, slope: Array, tension: Array, wrench: Array, stiffness: Array
) -> None:
    """Add the internal wrench of frictionless tendons, and its derivative, at every point.

    A tendon at (0, y, z) = d in the section runs along u = v + w x d + d', |u| per reference
    length. Its virtual work T d|u| is that of the wrench T (d x t; t), t = u/|u|, whose derivative
    is T P^T (I - t t^T) P / |u| with P = (-d^, I).

    Args:
        strain: total strain, (points, 6).
        offset: d, (tendons, points, 3).
        slope: d' = dd/dX, (tendons, points, 3).
        tension: T, (tendons, points).
        wrench: added to in place, (points, 6).
        stiffness: added to in place, (points, 6, 6).
    """
    for k in range(len(tension)):
        for i in range(len(strain)):
            pull = tension[k, i]
            if pull == 0.0:
                continue
            w, v, d = strain[i, :3], strain[i, 3:], offset[k, i]
            u = v + np.cross(w, d) + slope[k, i]
            stretch = sqrt(u @ u)
            t = u / stretch
            wrench[i, :3] += pull * np.cross(d, t)
            wrench[i, 3:] += pull * t
            projector = pull / stretch * (np.eye(3) - np.outer(t, t))
            p = np.zeros((3, 6))
            p[0, 1], p[0, 2], p[0, 3] = d[2], -d[1], 1.0
            p[1, 0], p[1, 2], p[1, 4] = -d[2], d[0], 1.0
            p[2, 0], p[2, 1], p[2, 5] = d[1], -d[0], 1.0
            stiffness[i] += p.T @ projector @ p


@compiled
def frames_at(
    nodes: Array, joints: Array, frames: Array, cell: Array, positions: Array, strain: Array
) -> Array:
    """Return the frames at positions inside cells, by a Magnus step from the node before.

    Args:
        nodes: arc lengths of the nodes.
        joints: see `frames_along`.
        frames: of the nodes.
        cell: the cell of every position.
        positions: arc lengths.
        strain: at the two Gauss points between node and position, (2 positions, 6).
    """
    out = np.empty((len(positions), 4, 4))
    for i in range(len(positions)):
        h = positions[i] - nodes[cell[i]]
        along = exp_se3(magnus(h, strain[2 * i], strain[2 * i + 1]))
        out[i] = frames[cell[i]] @ joints[cell[i]] @ along
    return out
