"""Time and error of the static rod: the tapered arm of Renda 2018 under weight and a tip force.

Run it by hand: python tests/bench/bench_rod.py. The reference is shooting on the field equations
with scipy, which shares nothing with the rod; the goal is a solve below 2 ms at an error below
1e-4 L, and below 3 s for import and first solve when the compiled code is cached.
"""

import subprocess
import sys
import time

import numpy as np
from scipy.integrate import quad, solve_ivp
from scipy.optimize import root

from loligo.reduced.rod import Rod, circular_stiffness
from loligo.reduced.rod_loads import PointLoad, net_weight
from loligo.reduced.rod_solve import solve

LENGTH, YOUNG, SHEAR = 0.245, 110e3, 110e3 / 3
GOAL = 2e-3
FORCE = np.array([0.0, 2e-3, -1e-3])
WEIGHT = (1080.0 - 1000.0) * np.array([0.0, 0.0, -9.81])  # per volume


def radius(X):
    return 0.010 - 0.008 * X / LENGTH


def area(X):
    return np.pi * radius(X) ** 2


def arm(**options):
    return Rod(LENGTH, lambda X: circular_stiffness(radius(X), YOUNG, SHEAR), **options)


def by_shooting():
    """Tip position from p' = R v, R' = R w^, n' = -f, m' = -p' x n."""
    total = FORCE + WEIGHT * quad(area, 0, LENGTH)[0]

    def slope(s, y):
        r, n, m = y[3:12].reshape(3, 3), y[12:15], y[15:]
        k = circular_stiffness(radius(s), YOUNG, SHEAR).diagonal()
        w, v = r.T @ m / k[:3], r.T @ n / k[3:] + [1, 0, 0]
        dr = r @ np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])
        return np.concatenate([r @ v, dr.ravel(), -WEIGHT * area(s), -np.cross(r @ v, n)])

    def end(moment):
        start = np.concatenate([np.zeros(3), np.eye(3).ravel(), total, moment])
        return solve_ivp(slope, (0, LENGTH), start, "DOP853", rtol=1e-10, atol=1e-13).y[:, -1]

    found = root(lambda scaled: end(1e-4 * scaled)[15:] * 1e4, np.zeros(3), tol=1e-10)
    return end(1e-4 * found.x)[:3]


def timed(function, repeats):
    wall, cpu = time.perf_counter(), time.process_time()
    for _ in range(repeats):
        result = function()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    return result, wall / repeats, cpu / repeats


def main():
    reference, slow_wall, slow_cpu = timed(by_shooting, 1)
    loads = [net_weight(area, 1080.0, 1000.0, (0, 0, -9.81)), PointLoad(force=FORCE)]
    print(f"tip moves to {reference} m; shooting takes {slow_wall:.3f} s (cpu {slow_cpu:.3f} s)")
    print(
        "rod                                  unknowns  error/L  wall ms   cpu ms   goal/wall  "
        "shooting/wall  shooting/cpu"
    )
    settings = {
        "degree 3, by compliance": {"degrees": 3, "scaled_by": "compliance"},
        "degree 3, by compliance, 8 cells": {"degrees": 3, "scaled_by": "compliance", "cells": 8},
        "degree 2 on 2, by compliance": {"degrees": 2, "segments": 2, "scaled_by": "compliance"},
        "degree 4 on 2, strain": {"degrees": 4, "segments": 2},
        "degree 4 on 4, strain": {"degrees": 4, "segments": 4},
        "piecewise constant on 16": {"degrees": 0, "segments": 16},
        "piecewise constant on 64": {"degrees": 0, "segments": 64},
    }
    for name, options in settings.items():
        rod = arm(**options)
        solve(rod, loads)
        state, wall, cpu = timed(lambda rod=rod: solve(rod, loads), 50)
        error = np.linalg.norm(state.tip_position - reference) / LENGTH
        print(
            f"{name:36s} {rod.grid.unknowns:8d}  {error:.1e} {1e3 * wall:8.2f} {1e3 * cpu:8.2f} "
            f"{GOAL / wall:10.2f} {slow_wall / wall:14.0f} {slow_cpu / cpu:13.0f}"
        )
    first = (
        "import sys; sys.path.insert(0, sys.argv[1]); import bench_rod as b;"
        "b.solve(b.arm(), [b.PointLoad(force=b.FORCE)])"
    )
    _, wall, _ = timed(
        lambda: subprocess.run([sys.executable, "-c", first, sys.path[0]], check=True), 1
    )
    print(f"a new process, import and first solve: {wall:.2f} s (goal 3 s)")


if __name__ == "__main__":
    main()
