"""The published scheme of Renda's Quadropus in surge, written anew from its description.

Shell of revolution on collocated nodes: central differences, one-sided and of first order at both
ends, applied to velocities, strains and once more to the rates of strain; products differentiated
by the product rule; classical Runge-Kutta steps. Of the robot only the surge is free, and its arms
are rigid: at rest they lie along the way. Numbers are those of the authors' code. It is an oracle
of what was published, not of what is right: its volume rate has the stretch of the meridian twice.
"""

import numpy as np

from loligo.reduced.lie import compiled

R, HALF, YOUNG, ETA = 31e-3, 1e-3, 40e3, 500.0
ADDED, DRAG, ROOT_DRAG = 1.1, 1.7, 0.021
WATER, WALL = 1022.0, 7380.0
OUT, INTO = np.pi * 12.5e-3**2, np.pi * (12.5e-3**2 + 3 * 10e-3**2)
ROOT = 0.204 + 4 * 0.03436  # kg, arms with it
ARMS = 4 * 0.0236  # kg/m, drag along the arms
TENSION, FREQUENCY = 15.0, 1.51


@compiled
def differences(field, dx):
    out = np.empty_like(field)
    out[1:-1] = (field[2:] - field[:-2]) / (2 * dx)
    out[0], out[-1] = (field[1] - field[0]) / dx, (field[-1] - field[-2]) / dx
    return out


@compiled
def rates(time, y, surge, dx, radius, angle, bend, area):
    """Rates of (Vx, Vy, W, lambda, beta, mu, r, z, theta) and of the surge; powers in and out."""
    vx, vy, w, lam, beta, mu, r, _, theta = y
    c, s = np.cos(theta), np.sin(theta)
    lam_x, beta_x, mu_x = differences(lam, dx), differences(beta, dx), differences(mu, dx)
    lam_t = differences(vx, dx) + beta * w - mu * vy
    beta_t = differences(vy, dx) - lam * w + mu * vx
    mu_t = differences(w, dx)
    lam_t[-1] = beta_t[-1] = mu_t[-1] = 0.0  # the free end keeps the strain without stress
    lam_tx, beta_tx, mu_tx = differences(lam_t, dx), differences(beta_t, dx), differences(mu_t, dx)
    r_t = c * vx - s * vy

    phase = time * FREQUENCY % 1.0
    tension = -TENSION * (1.0 - abs(2.0 * phase - 1.0))
    weight = np.full(len(r), dx)
    weight[0] = weight[-1] = 0.5 * dx
    e, e_t = 0.5 * (lam**2 + beta**2 - 1.0), lam * lam_t + beta * beta_t
    g = 2.0 * e + 1.0
    volume_t = np.pi * np.sum(weight * (2.0 * r * r_t + 2.0 * r**2 * e_t / g) * np.sqrt(g))
    thrust = -WATER * volume_t * abs(volume_t) / (OUT if volume_t < 0.0 else INTO)
    shell_drag = 0.5 * WATER * DRAG * np.pi * r.max() ** 2 * surge * abs(surge)
    push = (thrust - shell_drag) / area

    stiff, viscous, js = 2.0 * YOUNG * HALF, 6.0 * ETA * HALF, HALF**2 / 3.0
    n = stiff * e + viscous * e_t
    n_x = stiff * (lam * lam_x + beta * beta_x)
    n_x += viscous * (lam_x * lam_t + lam * lam_tx + beta_x * beta_t + beta * beta_tx)
    m = js * (stiff * (bend - mu * lam) - viscous * (mu_t * lam + mu * lam_t))
    m_x = -js * stiff * (mu_x * lam + mu * lam_x)
    m_x -= js * viscous * (mu_tx * lam + mu_t * lam_x + mu_x * lam_t + mu * lam_tx)
    along, along_x = lam * n - mu * m, lam_x * n + lam * n_x - mu_x * m - mu * m_x
    across = 2.0 * HALF * (0.5 * YOUNG * beta + ETA * beta_t) + beta * n
    across_x = 2.0 * HALF * (0.5 * YOUNG * beta_x + ETA * beta_tx) + beta_x * n + beta * n_x
    tau, tau_t, turn = r / radius, r_t / radius, s / radius
    n2 = stiff * 0.5 * (tau**2 - 1.0) + viscous * tau * tau_t
    m2 = js * stiff * (np.sin(angle) / radius - tau * turn)
    m2 -= js * viscous * (tau_t * turn + tau * c * w / radius)
    hoop, hoop_moment, grown = tau * n2 - turn * m2 - tension, -tau * m2, np.cos(angle) / radius

    mass = 2.0 * HALF * WALL
    fx = grown * along + along_x - across * mu - hoop * c / radius + push * s
    fy = grown * across + across_x + along * mu + hoop * s / radius + push * c
    fx, fy = fx + mass * (vy + surge * c) * w, fy - mass * (vx + surge * s) * w
    moment = -grown * lam * m - lam_x * m - lam * m_x
    moment += across * lam - along * beta - hoop_moment * c / radius

    root_drag = (0.5 * WATER * ROOT_DRAG + ARMS) * surge * abs(surge)
    edge = 2.0 * np.pi * radius[0] * (s[0] * along[0] + c[0] * across[0])
    surge_t = (edge - root_drag) / ROOT
    out = np.zeros_like(y)
    out[0] = fx / (mass * (1.0 + ADDED)) - surge_t * s - w * surge * c
    out[1] = fy / (mass * (1.0 + ADDED)) - surge_t * c + w * surge * s
    out[2] = moment / (WALL * js)
    out[3], out[4], out[5] = lam_t, beta_t, mu_t
    out[6], out[7], out[8] = r_t, c * vy + s * vx, w
    out[:3, 0] = 0.0
    out[6:, 0] = 0.0
    given = 2.0 * np.pi * tension * np.sum(weight * r_t)
    return out, surge_t, given, (shell_drag + root_drag) * surge


@compiled
def steps(y, surge, start, h, count, dx, radius, angle, bend, area):
    """State after classical Runge-Kutta steps, with the work given and drained in them."""
    given, drained = 0.0, 0.0
    for j in range(count):
        t = start + j * h
        a, va, p, d = rates(t, y, surge, dx, radius, angle, bend, area)
        given, drained = given + h * p, drained + h * d
        half = t + 0.5 * h
        b, vb, _, _ = rates(
            half, y + 0.5 * h * a, surge + 0.5 * h * va, dx, radius, angle, bend, area
        )
        e, ve, _, _ = rates(
            half, y + 0.5 * h * b, surge + 0.5 * h * vb, dx, radius, angle, bend, area
        )
        f, vf, _, _ = rates(t + h, y + h * e, surge + h * ve, dx, radius, angle, bend, area)
        y = y + h / 6.0 * (a + 2.0 * b + 2.0 * e + f)
        surge += h / 6.0 * (va + 2.0 * vb + 2.0 * ve + vf)
    return y, surge, given, drained


def swim(end, every=10e-3, h=8e-6, nodes=99):
    """Return times, surge, and the sums of work given and drained."""
    length = R * np.pi / 4 + 94e-3
    x = np.linspace(0.0, length, nodes)
    angle = -np.minimum(np.pi / 4 + x / R, np.pi / 2)
    radius, bend = -R * np.sin(angle), np.where(x < R * np.pi / 4 - 1e-9, -1.0 / R, 0.0)
    area = 2 * np.pi * np.trapezoid(radius, x)
    y = np.zeros((9, nodes))
    y[3], y[5], y[6], y[8] = 1.0, bend, radius, angle
    count, surge = round(every / h), 0.0
    rows = [(0.0, 0.0, 0.0, 0.0)]
    for k in range(round(end / every)):
        y, surge, given, drained = steps(
            y, surge, k * every, every / count, count, x[1], radius, angle, bend, area
        )
        rows.append(((k + 1) * every, surge, rows[-1][2] + given, rows[-1][3] + drained))
    return np.array(rows).T
