"""Time and error of rods: statics and motion of the arm of Renda 2018, motion beside PyElastica.

Run it by hand: python tests/bench/bench_rod.py. Goals:

- static arm under weight and a tip force: below 2 ms a solve at an error below 1e-4 L against
  shooting on the field equations with scipy, which shares nothing with the rod; below 3 s for
  import and first solve when the compiled code is cached;
- one second of the arm's motion in water: faster than real time at an error below 1 % of its way;
- a cantilever's large motion: 20 times faster than PyElastica (brought by tests/bench/peers) at
  equal error, where this is 3 % of the length or less. Each is measured against its own limit,
  since PyElastica thins stretched sections.
"""

import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from scipy.integrate import quad, solve_ivp
from scipy.optimize import root

from loligo.reduced.rod.loads import PointLoad, net_weight
from loligo.reduced.rod.model import Rod, circular_stiffness
from loligo.reduced.rod.motion.dynamics import simulate
from loligo.reduced.rod.motion.equations import RodWater, circular_inertia
from loligo.reduced.rod.statics import solve

# Last, so that what is installed comes before what is in there
sys.path.append(str(Path(__file__).parents[2] / "build" / "peers" / "elastica"))

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


def move(rod, **options):
    """One second of Renda's arm in water, let go straight under weight and a tip force."""
    return simulate(
        rod,
        lambda X: circular_inertia(radius(X), 1080.0),
        np.linspace(0.0, 1.0, 11),
        loads=[net_weight(area, 1080.0, 1000.0, (0, 0, -9.81)), PointLoad(force=FORCE)],
        damping=lambda X: circular_stiffness(radius(X), 900.0, 300.0, 1.0),
        water=RodWater(1000.0, radius, drag=(0.01, 2.5, 2.5), added=(0.0, 1.5, 1.5)),
        **options,
    )


def moving_arm():
    """Time and error of `move`, by both schemes."""
    fine = move(arm(degrees=5, scaled_by="compliance"), tolerance=1e-6, scheme="radau").tip_position
    print("\none second of the arm in water      steps  error/way  wall s    cpu s   real/wall")
    for degree in (2, 3):
        rod = arm(degrees=degree, scaled_by="compliance")
        for scheme, tolerance in (("midpoint", 1e-3), ("radau", 1e-2), ("radau", 1e-3)):
            options = {"tolerance": tolerance, "step": 0.1, "scheme": scheme}
            move(rod, **options)
            motion, wall, cpu = timed(lambda rod=rod, options=options: move(rod, **options), 3)
            way = np.linalg.norm(fine - fine[0], axis=1).max()
            error = np.linalg.norm(motion.tip_position - fine, axis=1).max() / way
            name = f"degree {degree}, {scheme}, {tolerance:.0e}"
            print(
                f"{name:32s} {motion.steps:8d}   {error:.1e} {wall:8.3f} {cpu:8.3f} {1 / wall:8.1f}"
            )


BEAM = {"length": 0.2, "radius": 0.01, "young": 3e5, "density": 1070.0, "force": 0.12, "ramp": 0.1}


def beam_by_loligo(degree, segments, tolerance, scheme):
    """Tip of a cantilever at the end of a second: a dead force across, risen over a tenth of it."""
    stiffness = circular_stiffness(BEAM["radius"], BEAM["young"], BEAM["young"] / 3, 27 / 28)
    degrees = {"bend_z": degree, "stretch": degree, "shear_y": degree}
    rod = Rod(BEAM["length"], stiffness, degrees=degrees, segments=segments)

    def loads(t):
        return [PointLoad(force=(0, BEAM["force"] * min(1.0, t / BEAM["ramp"]), 0))]

    motion = simulate(
        rod,
        circular_inertia(BEAM["radius"], BEAM["density"]),
        [0.0, BEAM["ramp"], 1.0],
        loads=loads,
        tolerance=tolerance,
        scheme=scheme,
    )
    return motion.tip_position[-1, :2]


def beam_by_elastica(elastica, elements):
    """Give the same of PyElastica, with steps of a third of a wave's way through an element."""

    class Simulator(elastica.BaseSystemCollection, elastica.Constraints, elastica.Forcing):
        pass

    simulator = Simulator()
    across = np.array([0.0, 1.0, 0.0])
    rod = elastica.CosseratRod.straight_rod(
        elements,
        np.zeros(3),
        np.array([1.0, 0.0, 0.0]),
        across,
        BEAM["length"],
        BEAM["radius"],
        BEAM["density"],
        youngs_modulus=BEAM["young"],
        shear_modulus=BEAM["young"] / 3,
    )
    simulator.append(rod)
    simulator.constrain(rod).using(
        elastica.OneEndFixedBC, constrained_position_idx=(0,), constrained_director_idx=(0,)
    )
    simulator.add_forcing_to(rod).using(
        elastica.EndpointForces, np.zeros(3), BEAM["force"] * across, ramp_up_time=BEAM["ramp"]
    )
    simulator.finalize()
    wave = np.sqrt(BEAM["young"] / BEAM["density"])
    steps = int(np.ceil(3 * wave * elements / BEAM["length"]))
    elastica.integrate(elastica.PositionVerlet(), simulator, 1.0, steps, progress_bar=False)
    return rod.position_collection[:2, -1]


def beside_elastica():
    try:
        import elastica
    except ImportError:
        print("\nPyElastica is not there (tests/bench/peers brings it from PyPI): not compared")
        return
    beam_by_elastica(elastica, 10)  # compiles
    runs = {n: timed(lambda n=n: beam_by_elastica(elastica, n), 1) for n in (40, 80, 160, 320)}
    limit = 2 * runs[320][0] - runs[160][0]  # its error is of first order
    own = beam_by_loligo(5, 2, 1e-6, "radau")
    print(f"\ntip of a cantilever: PyElastica tends to {limit}, loligo to {own}")
    print("one second of it                    error/L   wall s    cpu s")
    theirs = []
    for elements, (tip, wall, cpu) in runs.items():
        error = np.linalg.norm(tip - limit) / BEAM["length"]
        theirs.append((error, cpu))
        name = f"PyElastica, {elements} elements"
        print(f"{name:34s}  {error:.1e} {wall:8.3f} {cpu:8.3f}")
    ours = []
    for settings in (
        (1, 1, 3e-2, "radau"),
        (2, 1, 3e-2, "radau"),
        (2, 1, 1e-2, "radau"),
        (2, 1, 3e-3, "radau"),
        (3, 1, 1e-3, "radau"),
        (3, 2, 1e-4, "radau"),
        (2, 1, 1e-3, "midpoint"),
        (3, 2, 1e-4, "midpoint"),
    ):
        beam_by_loligo(*settings)
        tip, wall, cpu = timed(lambda one=settings: beam_by_loligo(*one), 3)
        error = np.linalg.norm(tip - own) / BEAM["length"]
        ours.append((error, cpu))
        degree, segments, tolerance, scheme = settings
        name = f"{scheme}, degree {degree} on {segments}, {tolerance:.0e}"
        print(f"{name:34s}  {error:.1e} {wall:8.3f} {cpu:8.3f}")
    for error, cost in theirs:
        cheapest = min((cpu for off, cpu in ours if off <= error), default=np.inf)
        print(f"at an error of {error:.1e}: PyElastica/loligo {cost / cheapest:.0f}, cpu (goal 20)")
    # Its error falls with the elements, its cost grows with their square or faster
    for error, cpu in ours[4:6]:
        cost = theirs[-1][1] * (theirs[-1][0] / error) ** 2
        print(f"at an error of {error:.1e}: about {cost / cpu:.0f}, from PyElastica's trend")


def main():
    static_arm()
    moving_arm()
    beside_elastica()


def static_arm():
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
