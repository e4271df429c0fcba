"""Time and error of 3D solutions: beside FElupe, by linear solver, on one rank and on two.

Run it by hand: python tests/bench/bench_fem.py. CPU seconds are those of a rank, set-up, meshing
and compilation left out. Every line is a process of its own.

Beside FElupe it is a square cantilever, 10 long, whose end face moves sideways by 2 in five steps;
mu/2 (J^(-2/3) I1 - 3) + kappa/2 (J - 1)^2 with kappa/mu = 100. The error is that of the end's
force against our finest mesh. FElupe has hexahedra with 27 nodes, pressure and volume. It is not
part of the environment: unpack it with

    hpc/env/enter python3 -m pip install --no-deps --target FOLDER felupe tensortrax

and run the script with FOLDER in PYTHONPATH.

The others are a chambered segment with stiff thread and a cylinder, at a share of their loads.
"""

import importlib.util
import os
import subprocess
import sys
import time
from typing import Any

import numpy as np

MU, BULK, LENGTH, SWAY, STEPS = 1e5, 1e7, 10.0, 2.0, 5
FELUPE = ((5, 1), (10, 1), (10, 2), (20, 2), (20, 4))
OURS = ((5, 1), (10, 1), (10, 2), (20, 2), (20, 4))
FINEST = ("hexahedron", 40, 6)
CASES = (("gong_bending_one", 0.1), ("cylinder", 1.0))


class Clock:
    """CPU and wall seconds since it was made."""

    def __init__(self) -> None:
        """Start."""
        self._cpu, self._wall = time.process_time(), time.perf_counter()

    def read(self) -> tuple[float, float]:
        """Return CPU and wall seconds."""
        return time.process_time() - self._cpu, time.perf_counter() - self._wall


def beam(cell: str, along: int, across: int) -> None:
    """Solve the cantilever with ours; print unknowns, force, CPU and wall seconds."""
    from mpi4py import MPI

    from dolfinx.mesh import CellType, create_box

    from loligo.cases.elastomer import NeoHooke
    from loligo.fem.domain import from_mesh
    from loligo.fem.march import march
    from loligo.fem.problem import Problem
    from loligo.fem.supports import Fixed, Moved

    corners = [np.zeros(3), np.array([LENGTH, 1.0, 1.0])]
    cells = [along, across, across]
    mesh = create_box(MPI.COMM_SELF, corners, cells, CellType[cell])
    ends = {"base": lambda x: np.isclose(x[0], 0.0), "end": lambda x: np.isclose(x[0], LENGTH)}
    sway = Moved("sway", "end", lambda x, v: np.stack([0 * x[0], 0 * x[1], 0 * x[2] + v]), (2,))
    law = NeoHooke(mu=MU, bulk_modulus=BULK, density=1000.0)
    problem = Problem(from_mesh(mesh, ends), law, supports=[Fixed("base"), sway])
    clock = Clock()
    for _ in march(problem, [{"sway": SWAY * i / STEPS} for i in range(1, STEPS + 1)]):
        pass
    force = problem.reaction("end")[5]
    print(problem.fields.owned, force, *clock.read())


def felupe_beam(along: int, across: int) -> None:
    """Solve the cantilever with FElupe; print the same."""
    import felupe

    mesh = felupe.Cube(b=(LENGTH, 1, 1), n=(along + 1, across + 1, across + 1))
    mesh = felupe.mesh.convert(
        mesh, order=2, calc_points=True, calc_midfaces=True, calc_midvolumes=True
    )
    field = felupe.FieldsMixed(felupe.RegionTriQuadraticHexahedron(mesh), n=3)
    law = felupe.ThreeFieldVariation(felupe.NeoHooke(mu=MU, bulk=BULK))
    body = felupe.SolidBody(law, field)
    bounds = felupe.BoundaryDict(
        base=felupe.Boundary(field[0], fx=0),
        end=felupe.Boundary(field[0], fx=LENGTH, skip=(1, 1, 0)),
    )
    clock = Clock()
    for i in range(1, STEPS + 1):
        bounds["end"].update(SWAY * i / STEPS)
        free = felupe.dof.partition(field, bounds)
        given = felupe.dof.apply(field, bounds, free[0])
        found = felupe.newtonraphson(
            items=[body], dof0=free[0], dof1=free[1], ext0=given, verbose=0, tol=1e-9
        )
    force = felupe.tools.force(field, found.fun, bounds["end"])[2]
    print(sum(f.values.size for f in field.fields), abs(force), *clock.read())


def march_case(name: str, share: float, solver: Any) -> None:
    """March a case to a share of its loads at level 0; print where the time goes."""
    from mpi4py import MPI

    from loligo.cases.read import find, read
    from loligo.fem.domain import distribute
    from loligo.fem.march import march
    from loligo.fem.setup import set_up
    from loligo.meshes.build import build_mesh

    study, comm = read(find(name)), MPI.COMM_WORLD
    mesh = build_mesh(study.body, 0) if comm.rank == 0 else None
    setup = set_up(study, distribute(mesh, comm))
    target = {key: share * value for key, value in setup.targets[-1].items()}
    clock = Clock()
    states = list(march(setup.problem, [target], solver=solver))
    cpu, wall = clock.read()
    work = [state.work for state in states]
    parts = [sum(w.seconds_assembly for w in work), sum(w.seconds_factorisation for w in work)]
    if comm.rank == 0:
        size = setup.problem.fields.space.dofmap.index_map.size_global
        print(
            f"{name:18s} {size:7d} unknowns {solver:7s} {comm.size} rank(s) "
            f"{sum(s.iterations for s in states):3d} iterations "
            f"{sum(w.factorisations for w in work):3d} set-ups {cpu:7.1f} s CPU {wall:7.1f} s wall,"
            f" of it assembly {parts[0]:.1f} s, set-ups {parts[1]:.1f} s"
        )


def run(*arguments: object, ranks: int = 1) -> str:
    """Run one line in a process of its own; return what it printed last."""
    command = [sys.executable, __file__, *map(str, arguments)]
    if ranks > 1:
        # An idle rank must not eat what it waits for.
        command = ["mpirun", "-n", str(ranks), "--oversubscribe", *command]
    environment = {**os.environ, "OMPI_MCA_mpi_yield_when_idle": "1"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    if done.returncode:
        return f"failed: {done.stderr.strip().splitlines()[-1]}"
    return done.stdout.strip().splitlines()[-1]


def beside_felupe() -> None:
    """Compare cost at an error of 1 % in the force."""
    exact = abs(float(run("beam", *FINEST).split()[1]))
    plan = [("tetrahedron", OURS), ("hexahedron", OURS)]
    if importlib.util.find_spec("felupe"):
        plan.append(("FElupe", FELUPE))
    else:
        print("FElupe is not here, so that it is not compared; how to get it: this script's head")
    print("CalculiX is not compared: its deck is not written yet")
    cheapest: dict[str, float] = {}
    for kind, meshes in plan:
        for size in meshes:
            line = run("felupe", *size) if kind == "FElupe" else run("beam", kind, *size)
            if line.startswith("failed"):
                print(f"{kind} {size}: {line}")
                continue
            unknowns, force, cpu, wall = map(float, line.split())
            error = abs(abs(force) / exact - 1.0)
            print(
                f"{kind:12s} {size[0]:3d} x {size[1]} x {size[1]} {unknowns:8.0f} unknowns, error "
                f"{100 * error:6.2f} % {cpu:7.2f} s CPU {wall:7.2f} s wall"
            )
            # A mesh counts if all finer ones are as good: errors change their sign on the way.
            if error >= 0.01:
                cheapest.pop(kind, None)
            else:
                cheapest.setdefault(kind, cpu)
    for kind, _ in plan:
        cost = f"{cheapest[kind]:.2f} s CPU" if kind in cheapest else "on none of these meshes"
        print(f"within 1 % from here on: {kind} {cost}")


def main() -> None:
    """Run one line, or all."""
    match sys.argv[1:]:
        case ["beam", cell, along, across]:
            beam(cell, int(along), int(across))
        case ["felupe", along, across]:
            felupe_beam(int(along), int(across))
        case ["case", name, share, solver]:
            march_case(name, float(share), solver)
        case _:
            beside_felupe()
            for name, share in CASES:
                for solver, ranks in (("direct", 1), ("direct", 2), ("krylov", 1)):
                    print(run("case", name, share, solver, ranks=ranks))


if __name__ == "__main__":
    main()
