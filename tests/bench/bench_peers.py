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
hexahedra of 27 nodes with pressure and volume, its systems solved by MKL's PARDISO; CalculiX has
C3D10 and C3D20R, with SPOOLES. All take the same meshes, and the hexahedra are thinner towards both
ends, where the solution is singular along rims. The reference is our finest hexahedra.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
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
# Edges on the outer surface (mm), coarse to fine, of every solver and cell. Coarser hexahedra of
# the segment fold over between its chambers and its skin; finer tetrahedra take CalculiX more than
# ten minutes.
SIZES = {
    "arm": {
        ("ours", "tetrahedron"): (6.0, 4.5, 3.5, 2.8),
        ("ours", "hexahedron"): (6.0, 4.0, 3.0),
        ("FElupe", "hexahedron"): (6.0, 4.0, 3.0),
        ("CalculiX", "tetrahedron"): (6.0, 4.5, 3.5),
        ("CalculiX", "hexahedron"): (6.0, 4.0, 3.0),
    },
    "segment": {
        ("ours", "tetrahedron"): (7.0, 5.0, 4.0),
        ("ours", "hexahedron"): (5.0,),
        ("FElupe", "hexahedron"): (5.0,),
        ("CalculiX", "tetrahedron"): (7.0,),
    },
}
FINEST = {"arm": 2.5, "segment": 5.0}
"""Of our hexahedra: the reference."""


def ours(body: str, cell: str, size: float) -> tuple[int, float, float, float]:
    """Solve with ours; return unknowns, what counts, CPU and wall seconds."""
    from mpi4py import MPI

    from loligo.cases.elastomer import NeoHooke
    from loligo.fem.cavities import Cavity
    from loligo.fem.domain import distribute
    from loligo.fem.march import march
    from loligo.fem.measure import Probe
    from loligo.fem.problem import Problem
    from loligo.fem.supports import Fixed, Moved

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


def felupe(body: str, cell: str, size: float) -> tuple[int, float, float, float]:
    """Solve with FElupe; return the same."""
    import felupe as fe
    from pypardiso import spsolve

    assert cell == "hexahedron"
    given = mesh_of(body, cell, size)
    vtk = [*range(8), 8, 11, 13, 9, 16, 18, 19, 17, 10, 12, 14, 15, 22, 23, 21, 24, 20, 25, 26]
    mesh = fe.Mesh(given.points, given.cells[:, vtk], cell_type="hexahedron27")
    field = fe.FieldsMixed(fe.RegionTriQuadraticHexahedron(mesh), n=3)
    rubber = fe.SolidBody(fe.ThreeFieldVariation(fe.NeoHooke(mu=MU, bulk=BULK)), field)
    tip = np.unique(given.facets_of("tip"))
    bounds = fe.BoundaryDict(base=fe.Boundary(field[0], fx=0))
    items: list[object] = [rubber]
    if body == "segment":
        wall = np.zeros(len(given.points), dtype=bool)
        wall[given.facets_of(PRESSED)] = True
        region = fe.RegionTriQuadraticHexahedronBoundary(mesh, mask=wall)
        load = fe.SolidBodyPressure(fe.FieldContainer([fe.Field(region, dim=3)]))
        items.append(load)
    else:
        bounds["tip"] = fe.Boundary(field[0], fx=ARM.length, skip=(1, 1, 0))
    cpu, start = time.process_time(), time.perf_counter()
    for i in range(1, STEPS + 1):
        if body == "segment":
            load.update(PRESSURE * i / STEPS)
        else:
            bounds["tip"].update(WAY * i / STEPS)
        free = fe.dof.partition(field, bounds)
        ext = fe.dof.apply(field, bounds, free[0])
        found = fe.newtonraphson(
            x0=field,
            items=items,
            dof0=free[0],
            dof1=free[1],
            ext0=ext,
            solver=spsolve,
            verbose=0,
            tol=1e-8,
        )
    cpu, wall_time = time.process_time() - cpu, time.perf_counter() - start
    if body == "segment":
        value = np.linalg.norm(at_axis(given.points[tip], field[0].values[tip]))
    else:
        value = abs(fe.tools.force(field, found.fun, bounds["tip"])[2])
    return sum(f.values.size for f in field.fields), float(value), cpu, wall_time


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
    python = FELUPE if solver == "FElupe" else sys.executable
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
        if solver == "FElupe" and not FELUPE.exists():
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
                f"{solver:9s} {cell:11s} {size:4.1f} mm {unknowns:7.0f} unknowns, error "
                f"{100 * error:+6.2f} %, {cpu:7.1f} s CPU {wall:7.1f} s wall",
                flush=True,
            )
        print(f"{solver:9s} {cell:11s} at an error of 1 %: {cost(points)}\n", flush=True)


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
        case [("ours" | "FElupe" | "CalculiX") as solver, body, cell, size]:
            run = {"ours": ours, "FElupe": felupe, "CalculiX": by_calculix}[solver]
            print(*run(body, cell, float(size) * 1e-3))
        case bodies:
            for body in bodies or SIZES:
                compare(body)


if __name__ == "__main__":
    main()
