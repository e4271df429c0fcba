"""Where the time of 3D solutions goes: by linear solver, on one rank and on two.

Run it by hand: python tests/bench/bench_fem.py. A chambered segment with stiff thread and a
cylinder are marched to their first reported steps at level 0. CPU seconds are those of a rank,
set-up, meshing and compilation left out; the parts are wall time, which means something only where
nothing else runs: `chrt -f 1` sees to that. Every line is a process of its own. What a solution
costs beside other programs: bench_peers.py.
"""

import os
import subprocess
import sys
import time

CASES = (("gong_bending_one", 2), ("cylinder", 4))
"""Cases, and how many of their steps."""


def march_case(name: str, steps: int, solver: str) -> None:
    """March a case; print what a step costs and where its time goes."""
    from mpi4py import MPI

    from loligo.cases.case_file import find, read
    from loligo.fem.core.domain import distribute
    from loligo.fem.from_case import set_up
    from loligo.fem.march.static import march
    from loligo.meshes.build import build_mesh

    study, comm = read(find(name)), MPI.COMM_WORLD
    mesh = build_mesh(study.body, 0) if comm.rank == 0 else None
    setup = set_up(study, distribute(mesh, comm))
    cpu, wall = time.process_time(), time.perf_counter()
    states = list(march(setup.problem, setup.targets[:steps], solver=solver))
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    work = [state.work for state in states]
    assembly, factors = (
        sum(getattr(w, part) for w in work) / len(states)
        for part in ("seconds_assembly", "seconds_factorisation")
    )
    rest = wall / len(states) - assembly - factors
    if comm.rank == 0:
        print(
            f"{name:18s} {setup.problem.fields.space.dofmap.index_map.size_global:6d} unknowns "
            f"{solver:7s} {comm.size} rank(s): {len(states)} steps of {cpu / len(states):5.2f} s "
            f"CPU, {sum(s.iterations for s in states) / len(states):.1f} iterations and "
            f"{sum(w.factorisations for w in work) / len(states):.1f} set-ups each; assembly "
            f"{assembly:.2f} s, set-ups {factors:.2f} s, rest {rest:.2f} s"
        )


def run(*arguments: object, ranks: int) -> str:
    """Run one line in a process of its own; return what it printed last."""
    command = [sys.executable, __file__, *map(str, arguments)]
    if ranks > 1:
        command = ["mpirun", "-n", str(ranks), "--oversubscribe", *command]
    # An idle rank must not eat what it waits for.
    environment = {**os.environ, "OMPI_MCA_mpi_yield_when_idle": "1"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    if done.returncode:
        return f"failed: {done.stderr.strip().splitlines()[-1]}"
    return done.stdout.strip().splitlines()[-1]


def main() -> None:
    """Run one line, or all."""
    match sys.argv[1:]:
        case [name, steps, solver]:
            march_case(name, int(steps), solver)
        case _:
            for name, steps in CASES:
                for solver, ranks in (("direct", 1), ("direct", 2), ("krylov", 1)):
                    print(run(name, steps, solver, ranks=ranks), flush=True)


if __name__ == "__main__":
    main()
