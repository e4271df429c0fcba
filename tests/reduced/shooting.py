"""An oracle of rods: shooting on their equations.

`shoot` integrates p' = R v, R' = R w^, n' = -f, m' = -p' x n with the section law
(w; v) = rest + K^-1 (R^T m; R^T n), in world components and with scipy's Runge-Kutta method: it
shares neither the weak form, nor the strain basis, nor SE(3) exponentials with the code.
"""

import numpy as np
from scipy.integrate import quad, solve_ivp
from scipy.optimize import root

STRAIGHT = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0])


def skew(w):
    return np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])


def integrate(base, length, compliance, rest, wrench, force=lambda s: np.zeros(3)):
    """Tip frame and tip wrench (world components) for a given base wrench."""

    def slope(s, y):
        r, n, m = y[3:12].reshape(3, 3), y[12:15], y[15:18]
        xi = rest(s) + compliance(s) @ np.concatenate([r.T @ m, r.T @ n])
        dp = r @ xi[3:]
        return np.concatenate([dp, (r @ skew(xi[:3])).ravel(), -force(s), -np.cross(dp, n)])

    start = np.concatenate([base[:3, 3], base[:3, :3].ravel(), wrench[3:], wrench[:3]])
    end = solve_ivp(slope, (0, length), start, method="DOP853", rtol=1e-10, atol=1e-12).y[:, -1]
    return end[:3], end[3:12].reshape(3, 3), np.concatenate([end[15:], end[12:15]])


def shoot(base, length, compliance, rest, tip_wrench, force=lambda s: np.zeros(3)):
    """Tip position and rotation under a dead tip wrench (moment; force) and a dead line force."""
    total = np.array([quad(lambda s, k=k: force(s)[k], 0, length)[0] for k in range(3)])
    moment = np.zeros(3)
    for factor in (0.25, 0.5, 0.75, 1.0):
        target = factor * np.asarray(tip_wrench, float)

        def mismatch(moment, factor=factor, target=target):
            wrench = np.concatenate([moment, target[3:] + factor * total])
            tip = integrate(base, length, compliance, rest, wrench, lambda s: factor * force(s))
            return tip[2][:3] - target[:3]

        found = root(mismatch, moment, tol=1e-11)
        assert np.abs(found.fun).max() < 1e-8 * (1 + np.abs(target).max())
        moment = found.x
    wrench = np.concatenate([moment, target[3:] + total])
    return integrate(base, length, compliance, rest, wrench, force)[:2]
