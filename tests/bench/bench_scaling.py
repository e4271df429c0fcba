"""What a 3D solution takes, by unknowns and ranks: the measurements behind loligo.hpc.cost.

Run it by hand: python tests/bench/bench_scaling.py [LEVELS], by default 3 levels from 0. Gong's
segment takes one step from rest. CPU seconds are those of a rank, without meshing, set-up and
compilation; memory is the largest of a rank; the speed-up is over one rank on the same mesh.
Every line is a process of its own; nothing else should run meanwhile.
"""

import json
import os
import subprocess
import sys

import numpy as np

CASE = "gong_bending_one"


def measure(level: int, solver: str) -> None:
    """March one step; print unknowns, seconds, memory and iterations of linear solvers."""
    import resource
    import time

    from mpi4py import MPI

    from loligo.cases.read import load
    from loligo.fem.domain import distribute
    from loligo.fem.march import march
    from loligo.fem.setup import set_up
    from loligo.meshes.build import build_mesh

    case, comm = load(CASE), MPI.COMM_WORLD
    mesh = build_mesh(case.body, level) if comm.rank == 0 else None
    setup = set_up(case, distribute(mesh, comm))
    del mesh
    before = time.process_time()
    states = list(march(setup.problem, setup.targets[:1], solver=solver))
    here = time.process_time() - before, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    seconds, gigabytes = np.max(comm.allgather(here), axis=0)
    if comm.rank == 0:
        index_map = setup.problem.fields.space.dofmap.index_map
        iterations = sum(state.work.linear_iterations for state in states)
        print(json.dumps([index_map.size_global, seconds, gigabytes, iterations]))


def run(level: int, solver: str, ranks: int) -> list[float]:
    """Measure in a process of its own."""
    command = [sys.executable, __file__, str(level), solver]
    if ranks > 1:
        command = ["mpirun", "-n", str(ranks), "--oversubscribe", *command]
    environment = {**os.environ, "OMPI_MCA_mpi_yield_when_idle": "1"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    found: list[float] = json.loads(done.stdout.strip().splitlines()[-1])
    return found


def main(levels: int) -> None:
    """Measure all, fit the exponents, and print the table."""
    print("solver   level   unknowns  ranks  CPU s a rank  GB a rank  iterations  speed-up")
    for solver in ("direct", "krylov"):
        alone = []
        for level in range(levels):
            for ranks in (1, 2):
                unknowns, seconds, gigabytes, iterations = run(level, solver, ranks)
                if ranks == 1:
                    alone.append((unknowns, seconds))
                print(
                    f"{solver:8s} {level:5d} {unknowns:10.0f} {ranks:6d} {seconds:13.1f} "
                    f"{gigabytes:10.2f} {iterations:11.0f} {alone[-1][1] / seconds:9.2f}",
                    flush=True,
                )
        if len(alone) > 1:
            exponent, _ = np.polyfit(*np.log(np.array(alone)).T, 1)
            print(f"{solver}: CPU seconds grow like unknowns^{exponent:.2f}")


if __name__ == "__main__":
    match sys.argv[1:]:
        case [level, solver]:
            measure(int(level), solver)
        case arguments:
            main(int(arguments[0]) if arguments else 3)
