"""The compiled loops of the rod: frames, Jacobians, residual and exact tangent of one state.

A rod is a chain of cells between nodes. Over a cell of length h the strain is known at the two
Gauss points, and the frame advances by the fourth-order Magnus step (g' = g xi^ acts from the
right, hence the sign of the bracket)

    g_(i+1) = g_i exp(Omega_i),   Omega = h/2 (xi_1 + xi_2) + sqrt(3)/12 h^2 ad_(xi_1) xi_2.

With d(xi) = sum_a phi_a e_c(a) dq_a the body Jacobian zeta = J dq of the frames is

    J_(i+1) = A_i J_i + T(Omega_i) G_i,   A = Ad_exp(-Omega),   G = dOmega/dq,

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
    tangent_se3,
    tangent_wrench_se3,
)

_ROOT = sqrt(3.0) / 12.0


@compiled
def magnus(h: float, first: Array, second: Array) -> Array:
    """Return Omega of a cell of length h from the strains at its two Gauss points."""
    return 0.5 * h * (first + second) + _ROOT * h * h * (ad(first) @ second)


@compiled
def frames_along(base: Array, steps: Array, strain: Array) -> Array:
    """Return the frames of all nodes, shape (cells + 1, 4, 4).

    Args:
        base: frame of the first node, (4, 4).
        steps: lengths of the cells, (cells,).
        strain: at the Gauss points, two a cell, (2 cells, 6).
    """
    frames = np.empty((len(steps) + 1, 4, 4))
    frames[0] = base
    for i in range(len(steps)):
        frames[i + 1] = frames[i] @ exp_se3(magnus(steps[i], strain[2 * i], strain[2 * i + 1]))
    return frames


@compiled
def jacobians_along(
    steps: Array, strain: Array, shapes: Array, component: Array, unknowns: int
) -> tuple[Array, Array, Array, Array, Array]:
    """Return J at all nodes, (nodes, 6, unknowns), and Omega, G, T G and A of all cells.

    Args:
        steps: lengths of the cells, (cells,).
        strain: at the Gauss points, (2 cells, 6).
        shapes: phi_a at the Gauss points, (2 cells, local); the local unknowns of a cell are
            those of its interval, a contiguous block.
        component: the strain component c(a) of each local unknown, (local,).
        unknowns: number of all unknowns.
    """
    cells, local = len(steps), shapes.shape[1]
    per_interval = cells * local // unknowns
    omega = np.empty((cells, 6))
    g = np.empty((cells, 6, local))
    tg = np.empty((cells, 6, local))
    a = np.empty((cells, 6, 6))
    jacobian = np.zeros((cells + 1, 6, unknowns))
    for i in range(cells):
        h, first, second = steps[i], strain[2 * i], strain[2 * i + 1]
        omega[i] = magnus(h, first, second)
        ad_first, ad_second = ad(first), ad(second)
        for k in range(local):
            c = component[k]
            p1, p2 = shapes[2 * i, k], shapes[2 * i + 1, k]
            for r in range(6):
                g[i, r, k] = _ROOT * h * h * (p2 * ad_first[r, c] - p1 * ad_second[r, c])
            g[i, c, k] += 0.5 * h * (p1 + p2)
        tg[i] = tangent_se3(omega[i]) @ g[i]
        a[i] = adjoint(exp_se3(-omega[i]))
        start = (i // per_interval) * local
        end = start + local
        for r in range(6):
            for s in range(max(r - r % 3 - 3, 0), 6 if r > 2 else 3):
                for k in range(end):
                    jacobian[i + 1, r, k] += a[i, r, s] * jacobian[i, s, k]
            for k in range(local):
                jacobian[i + 1, r, start + k] += tg[i, r, k]
    return jacobian, omega, g, tg, a


@compiled
def statics(
    base: Array,
    steps: Array,
    strain: Array,
    shapes: Array,
    component: Array,
    unknowns: int,
    weights: Array,
    wrench: Array,
    stiffness: Array,
    load: Array,
) -> tuple[Array, Array, Array, Array]:
    """Return residual, tangent, frames and the wrench that the loads send to the base.

    Args:
        base: frame of the first node.
        steps: lengths of the cells.
        strain: at the Gauss points, (2 cells, 6).
        shapes: see `jacobians_along`.
        component: see `jacobians_along`.
        unknowns: number of all unknowns.
        weights: of the Gauss points, (2 cells,).
        wrench: internal wrench at the Gauss points, material and actuation, (2 cells, 6).
        stiffness: its derivative with respect to the strain, (2 cells, 6, 6).
        load: on the nodes, (nodes, 4, 3): dead moment and force (world components), follower
            moment and force (body components).
    """
    cells, local = len(steps), shapes.shape[1]
    per_interval = cells * local // unknowns
    frames = frames_along(base, steps, strain)
    jacobian, omega, g, tg, a = jacobians_along(steps, strain, shapes, component, unknowns)
    residual = np.zeros(unknowns)
    tangent = np.zeros((unknowns, unknowns))
    n = np.zeros(6)
    dn = np.zeros((6, unknowns))
    carried = np.zeros((6, unknowns))
    for i in range(cells, -1, -1):
        if i < cells:
            h = steps[i]
            start = (i // per_interval) * local
            end = start + local
            pulled, pulled_slope = tangent_wrench_se3(omega[i], n)  # T^T N and its slope
            bracket = coadjoint(pulled)  # pulled . ad_b a = bracket[a, b]
            block = g[i].T @ (pulled_slope @ g[i])
            for j in range(local):
                cj = component[j]
                p1, p2 = shapes[2 * i, j], shapes[2 * i + 1, j]
                w1, w2 = weights[2 * i], weights[2 * i + 1]
                external = 0.0
                for r in range(6):
                    external += g[i, r, j] * pulled[r]
                residual[start + j] += (
                    w1 * p1 * wrench[2 * i, cj] + w2 * p2 * wrench[2 * i + 1, cj] - external
                )
                for k in range(local):
                    ck = component[k]
                    q1, q2 = shapes[2 * i, k], shapes[2 * i + 1, k]
                    tangent[start + j, start + k] += (
                        w1 * p1 * q1 * stiffness[2 * i, cj, ck]
                        + w2 * p2 * q2 * stiffness[2 * i + 1, cj, ck]
                        - block[j, k]
                        - _ROOT * h * h * (p2 * q1 - p1 * q2) * bracket[cj, ck]
                    )
                for r in range(6):
                    for k in range(unknowns):
                        tangent[start + j, k] -= tg[i, r, j] * dn[r, k]
            dn[:, start:end] -= coadjoint(n) @ tg[i]
            n = a[i].T @ n
            carried[:] = 0.0
            for r in range(6):
                for s in range(6):
                    for k in range(unknowns):
                        carried[r, k] += a[i, s, r] * dn[s, k]
            dn, carried = carried, dn
        transposed = frames[i, :3, :3].T.copy()
        for half in range(2):
            dead = transposed @ load[i, half]
            n[3 * half : 3 * half + 3] += dead + load[i, 2 + half]
            # d(R^T f) = (R^T f) x w
            for r in range(3):
                s, t = (r + 1) % 3, (r + 2) % 3
                for k in range(unknowns):
                    dn[3 * half + r, k] += dead[s] * jacobian[i, t, k] - dead[t] * jacobian[i, s, k]
    return residual, tangent, frames, n


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
def frames_at(nodes: Array, frames: Array, cell: Array, positions: Array, strain: Array) -> Array:
    """Return the frames at positions inside cells, by a Magnus step from the node before.

    Args:
        nodes: arc lengths of the nodes.
        frames: of the nodes.
        cell: the cell of every position.
        positions: arc lengths.
        strain: at the two Gauss points between node and position, (2 positions, 6).
    """
    out = np.empty((len(positions), 4, 4))
    for i in range(len(positions)):
        h = positions[i] - nodes[cell[i]]
        out[i] = frames[cell[i]] @ exp_se3(magnus(h, strain[2 * i], strain[2 * i + 1]))
    return out
