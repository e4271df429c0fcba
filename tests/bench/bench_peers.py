"""Cost of 3D solutions at equal accuracy, beside FElupe and CalculiX: a segment and an arm.

Run it by hand: python tests/bench/bench_peers.py [BODY ...]. tests/bench/peers brings the peers;
what is not there is left out. Every line is a process of its own, on one core; CPU seconds are
those of the solution, without meshing, compilation and start.

- The segment, 34 mm thick and 120 mm long between plates of its own rubber, has three chambers; one
  is under pressure, in five steps. What counts is how far the tip moves.
- The end of the arm, a cylinder 20 mm thick and 120 mm long, moves sideways by a quarter of its
  length, in five steps. What counts is the force.

The energy is mu/2 (J^(-2/3) I1 - 3) + kappa/2 (J - 1)^2 with kappa/mu = 100, which CalculiX can
take, that knows no pressure unknowns. Ours are P2/P1 tetrahedra and Q2/Q1 hexahedra; FElupe has
tetrahedra of 10 nodes and hexahedra of 27, in the ways of by_felupe, its systems solved by MKL's
PARDISO; CalculiX has C3D10 and C3D20R, with SPOOLES. All take the same meshes, those that a case
has by element = "tetrahedron" and "hexahedron". The reference is our finest hexahedra.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from functools import partial
from itertools import pairwise
from pathlib import Path

import calculix
import numpy as np
from peer_bodies import ARM, PRESSED, at_axis, mesh_of

MU, BULK, STEPS = 3e4, 3e6, 5
PRESSURE = 8e3
WAY = 0.25 * ARM.length
FELUPE = Path(__file__).parents[2] / "build" / "peers" / "felupe" / "bin" / "python3"
EQUAL = 0.01
"""Error at which costs are compared."""
# Edges on the outer surface (mm), coarse to fine, of every solver and cell. Finer tetrahedra take
# CalculiX more than ten minutes.
SIZES = {
    "arm": {
        ("ours", "tetrahedron"): (6.0, 4.5, 3.5, 2.8),
        ("ours", "hexahedron"): (8.0, 6.0, 4.0),
        ("FElupe u", "tetrahedron"): (4.5,),
        ("FElupe u-p0", "tetrahedron"): (6.0, 4.5, 3.5, 2.8),
        ("FElupe u-p-J", "tetrahedron"): (6.0, 4.5),
        ("FElupe u-p0", "hexahedron"): (6.0,),
        ("FElupe u-p-J", "hexahedron"): (8.0, 6.0, 4.0, 3.0),
        ("CalculiX", "tetrahedron"): (6.0, 4.5, 3.5),
        ("CalculiX", "hexahedron"): (6.0, 4.0, 3.0),
    },
    "segment": {
        ("ours", "tetrahedron"): (7.0, 5.0, 4.0),
        ("ours", "hexahedron"): (8.0, 7.0, 6.0, 5.0),
        ("FElupe u", "tetrahedron"): (7.0,),
        ("FElupe u-p0", "tetrahedron"): (9.0, 7.0, 5.0, 4.0),
        ("FElupe u-p-J", "tetrahedron"): (7.0, 5.0),
        ("FElupe u-p-J", "hexahedron"): (8.0, 7.0, 6.0, 5.0),
        ("CalculiX", "tetrahedron"): (7.0,),
        ("CalculiX", "hexahedron"): (8.0, 7.0, 6.0),
    },
}
FINEST = {"arm": 2.0, "segment": 3.0}
"""Of our hexahedra: the reference."""


def ours(body: str, cell: str, size: float) -> tuple[int, float, float, float]:
    """Solve with ours; return unknowns, what counts, CPU and wall seconds."""
    from mpi4py import MPI

    from loligo.cases.rubber.elastomer import NeoHooke
    from loligo.fem.core.domain import distribute
    from loligo.fem.core.measure import Probe
    from loligo.fem.loads.cavities import Cavity
    from loligo.fem.loads.supports import Fixed, Moved
    from loligo.fem.march.static import march
    from loligo.fem.problem.problem import Problem

    mesh = mesh_of(body, cell, size)
    law = NeoHooke(mu=MU, bulk_modulus=BULK, density=1000.0)
    domain = distribute(mesh, MPI.COMM_WORLD)
    sway = Moved("load", "tip", lambda x, v: np.stack([0 * x[0], 0 * x[1], 0 * x[2] + v]), (2,))
    if body == "segment":
        problem = Problem(domain, law, supports=[Fixed("base")], cavities=[Cavity("load", PRESSED)])
    else:
        problem = Problem(domain, law, supports=[Fixed("base"), sway])
    end = PRESSURE if body == "segment" else WAY
    cpu, wall = time.process_time(), time.perf_counter()
    states = list(march(problem, [{"load": end * i / STEPS} for i in range(1, STEPS + 1)]))
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    work = [state.work for state in states]
    print(
        f"{sum(s.iterations for s in states)} iterations, {sum(w.factorisations for w in work)} "
        f"factorisations of {sum(w.seconds_factorisation for w in work):.1f} s wall, assembly "
        f"{sum(w.seconds_assembly for w in work):.1f} s, of {wall:.1f} s",
        file=sys.stderr,
    )
    if body == "segment":
        tip = mesh.points[np.unique(mesh.facets_of("tip"))]
        moved = Probe(domain.mesh, tip).read(problem.fields.displacement_field())
        found = np.linalg.norm(at_axis(tip, moved))
    else:
        found = abs(problem.reaction("tip")[5])
    return problem.fields.owned, float(found), cpu, wall


def felupe(way: str, body: str, cell: str, size: float) -> tuple[int, float, float, float]:
    """Solve with FElupe; return the same."""
    import by_felupe

    mesh = mesh_of(body, cell, size)
    load = (PRESSED, PRESSURE) if body == "segment" else WAY
    found = by_felupe.solve(mesh, way, MU, BULK, STEPS, load)
    at = found.nodes
    value = np.linalg.norm(at_axis(at, found.moved)) if body == "segment" else abs(found.force[2])
    return found.unknowns, float(value), found.cpu, found.wall


def by_calculix(body: str, cell: str, size: float) -> tuple[int, float, float, float]:
    """Solve with CalculiX; return the same."""
    mesh = mesh_of(body, cell, size)
    load = (PRESSED, PRESSURE) if body == "segment" else WAY
    found = calculix.solve(mesh, MU, BULK, STEPS, load)
    at = mesh.points[found.nodes]
    value = np.linalg.norm(at_axis(at, found.moved)) if body == "segment" else abs(found.force[2])
    return found.unknowns, float(value), found.cpu, found.wall


def line(solver: str, body: str, cell: str, size: float) -> tuple[float, ...] | None:
    """Run one line in a process of its own; say so if it failed."""
    python = FELUPE if solver.startswith("FElupe") else sys.executable
    command = [python, __file__, solver, body, cell, size]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    done = subprocess.run(
        [*map(str, command)], capture_output=True, text=True, env=environment, check=False
    )
    if done.returncode:
        print(f"{solver} {body} {cell} {size}: {done.stderr.strip().splitlines()[-1:]}")
        return None
    return tuple(map(float, done.stdout.strip().splitlines()[-1].split()))


def compare(body: str) -> None:
    """Print the errors and costs of every solver, and the cost at an equal error."""
    finest = line("ours", body, "hexahedron", FINEST[body])
    if finest is None:
        return
    exact = finest[1]
    print(f"{body}: {exact:.6g}\n", flush=True)
    for (solver, cell), sizes in SIZES[body].items():
        if solver.startswith("FElupe") and not FELUPE.exists():
            continue
        if solver == "CalculiX" and calculix.program() is None:
            continue
        points = []
        for size in sizes:
            found = line(solver, body, cell, size)
            if found is None:
                continue
            unknowns, value, cpu, wall = found
            error = value / exact - 1.0
            points.append((abs(error), cpu))
            print(
                f"{solver:12s} {cell:11s} {size:4.1f} mm {unknowns:7.0f} unknowns, error "
                f"{100 * error:+6.2f} %, {cpu:7.1f} s CPU {wall:7.1f} s wall",
                flush=True,
            )
        print(f"{solver:12s} {cell:11s} at an error of 1 %: {cost(points)}\n", flush=True)


def cost(points: list[tuple[float, float]]) -> str:
    """Return the CPU seconds at the error that is compared, between two meshes by powers."""
    if not points:
        return "not known"
    for (e1, c1), (e2, c2) in pairwise(points):
        if e1 > EQUAL >= e2:
            share = np.log(e1 / EQUAL) / np.log(e1 / e2)
            return f"{c1 * (c2 / c1) ** share:.1f} s CPU"
    return f"less than {points[0][1]:.1f} s CPU" if points[0][0] <= EQUAL else "not reached"


def main() -> None:
    """Run one line, or compare."""
    match sys.argv[1:]:
        case [solver, body, cell, size]:
            runs = {"ours": ours, "CalculiX": by_calculix}
            run = runs.get(solver) or partial(felupe, solver.removeprefix("FElupe "))
            print(*run(body, cell, float(size) * 1e-3))
        case bodies:
            for body in bodies or SIZES:
                compare(body)


if __name__ == "__main__":
    main()
