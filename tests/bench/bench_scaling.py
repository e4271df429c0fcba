"""What a 3D solution takes by unknowns and ranks: makes hpc/measured.py and docs/scaling-table.md.

Run as python tests/bench/bench_scaling.py [growth] [ranks] [BODY ...] [missing] [MOST]: what is not
measured yet with the word missing, else all anew; meshes of at most MOST unknowns (1e6; the largest
take hours). Rows are kept one by one, so that a run that is stopped loses one of them.

growth: whole loaded solves with the Krylov solver on one rank, of bodies with chambers and stiff
thread, with sleeves of fibres, and with a thin wall. Iterations and memory are no matter of what
else the machine does, CPU seconds suffer of it by some tens of per cent.

ranks: one step of the chambered segment with both solvers on one rank and on two, over meshes each
with twice the unknowns of the one before: along a row that is strong scaling, from a row to the
next one weak scaling. Nothing else should run meanwhile.

Every line is a process of its own. CPU seconds are those of the slowest rank, without meshing,
set-up, observation and compilation; memory is the largest of a rank.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import json
import math
import os
import subprocess
import sys
from importlib.metadata import version
from itertools import product
from pathlib import Path

import numpy as np

from loligo.hpc.measured import MEASURED
from loligo.hpc.measurement import Measured

ROOT = Path(__file__).resolve().parents[2]
GROWTH = {
    "gong_bending_one": [0.2, 0.4, 0.6, 0.8, 1.0],
    "zhang_joint_one": [0.5, 1.0],
    "renda_mantle_inflation": [0.5, 1.0],
}
"""A chambered segment, a joint with hoops of fibres, a thin wall; shares of the load by which a
step is not cut."""
LEVELS, WHOLE = range(5), 2
"""Levels of `growth`, and the last that is loaded to the end; beyond it the first step must do."""
TWICE = math.log(2.0) / (3.0 * math.log(1.4))
"""Levels between meshes of which one has twice the unknowns of the other."""
SCALED = "gong_bending_one"
FIRST, DOUBLINGS = 25_000, 3
"""The body of `ranks`; unknowns of a body at level 0, about; meshes of `ranks`."""
PAGE = """
from pathlib import Path
from loligo.hpc import measured, scaling
text = scaling.page(measured.MEASURED, measured.MACHINE)
Path("docs/scaling-table.md").write_text(text)
"""
"""In a process of its own, since the model is fitted when it is imported."""
HEAD = '''"""What 3D solutions took; tests/bench/bench_scaling.py wrote it for loligo.hpc.cost."""

from __future__ import annotations

from loligo.hpc.measurement import Measured

MACHINE = "{machine}"
# fmt: off
# ruff: noqa: E501
MEASURED: tuple[Measured, ...] = (
{rows}
)
# fmt: on
'''


def measure(body: str, level: float, solver: str, loads: list[float]) -> None:
    """March a body to shares of its load; print what it took to each."""
    import resource
    import time

    from mpi4py import MPI

    from loligo.cases.read import load
    from loligo.fem import tangent
    from loligo.fem.domain import distribute
    from loligo.fem.krylov import Krylov
    from loligo.fem.march import march
    from loligo.fem.setup import set_up
    from loligo.meshes.build import build_mesh

    solved: list[int] = []

    class Counted(Krylov):
        def solve(self, right, solution) -> None:
            before = self.iterations
            super().solve(right, solution)
            solved.append(self.iterations - before)

    tangent.Krylov = Counted  # type: ignore[misc]
    case, comm = load(body), MPI.COMM_WORLD
    mesh = build_mesh(case.body, level) if comm.rank == 0 else None  # type: ignore[arg-type]
    setup = set_up(case, distribute(mesh, comm))
    del mesh
    full = setup.targets[-1]
    targets = [{name: share * value for name, value in full.items()} for share in loads]
    rows, states, began = [], 0, time.process_time()
    for state in march(setup.problem, targets, solver=solver):  # type: ignore[arg-type]
        states += 1
        if solver == "direct":
            solved.append(state.work.linear_iterations)
        if state.target is None:
            continue
        now = time.process_time()
        here = now - began, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
        seconds, gigabytes = np.max(comm.allgather(here), axis=0)
        unknowns = setup.problem.fields.space.dofmap.index_map.size_global
        rows.append(
            [unknowns, states, len(solved), sum(solved), round(seconds, 1), round(gigabytes, 2)]
        )
        states, began = 0, now
        solved.clear()
    if comm.rank == 0:
        print(json.dumps(rows))


def run(
    body: str, level: float, solver: str, ranks: int, loads: list[float], quiet: bool
) -> list[Measured]:
    """Measure in a process of its own; nobody checks that the machine is quiet."""
    command = [sys.executable, __file__, "measure", body, str(level), solver, json.dumps(loads)]
    if ranks > 1:
        command = ["mpirun", "-n", str(ranks), "--oversubscribe", *command]
    environment = {**os.environ, "OMPI_MCA_mpi_yield_when_idle": "1"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    if done.returncode != 0:
        raise SystemExit(done.stderr)
    rows = json.loads(done.stdout.strip().splitlines()[-1])
    return [
        Measured(body, round(level, 2), solver, ranks, share, *row, quiet=quiet)  # type: ignore[arg-type]
        for share, row in zip(loads, rows, strict=True)
    ]


def keep(found: list[Measured], old: list[Measured]) -> list[Measured]:
    """Put rows in the place of older ones of the same runs, and write module and page."""

    def key(one: Measured) -> tuple[object, ...]:
        return (
            not one.quiet,
            list(GROWTH).index(one.body),
            one.solver,
            one.level,
            one.ranks,
            one.load,
        )

    new = {key(one): one for one in [*old, *found]}
    rows = [new[k] for k in sorted(new)]
    text = HEAD.format(machine=machine(), rows="\n".join(map(line, rows)))
    (ROOT / "hpc" / "measured.py").write_text(text)
    subprocess.run([sys.executable, "-c", PAGE], check=True, cwd=ROOT)
    return rows


def line(one: Measured) -> str:
    """Return a row as code."""
    values = ", ".join(map(repr, dataclasses.astuple(one))).replace("'", '"')
    return f"    Measured({values}),"


def machine() -> str:
    """Return what the numbers were measured on."""
    cpus = Path("/proc/cpuinfo").read_text().splitlines()
    name = next(line.partition(":")[2].strip() for line in cpus if line.startswith("model name"))
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    today = dt.datetime.now(dt.UTC).date()
    dolfinx = version("fenics-dolfinx")
    return f"{os.cpu_count()} cores of an {name}, {memory:.0f} GiB, dolfinx {dolfinx}, {today}"


def main(words: list[str]) -> None:
    """Measure, and keep every row as it comes."""
    kinds = {word for word in words if word in ("growth", "ranks")} or {"growth", "ranks"}
    bodies = [body for body in GROWTH if body in words] or list(GROWTH)
    most = next((float(word) for word in words if word[0].isdigit()), 1e6)
    jobs = []
    if "ranks" in kinds:
        for solver, doubling, ranks in product(("direct", "krylov"), range(DOUBLINGS), (1, 2)):
            jobs.append((SCALED, doubling * TWICE, solver, ranks, [0.2], True))
    if "growth" in kinds:
        jobs += [
            (body, float(n), "krylov", 1, GROWTH[body][: None if n <= WHOLE else 1], False)
            for n, body in product(LEVELS, bodies)
        ]
    rows = list(MEASURED)
    for body, level, solver, ranks, loads, quiet in jobs:
        known = any(
            (one.body, one.level, one.solver, one.ranks, one.load, one.quiet)
            == (body, round(level, 2), solver, ranks, loads[-1], quiet)
            for one in rows
        )
        if FIRST * 1.4 ** (3 * level) > most or (known and "missing" in words):
            continue
        found = run(body, level, solver, ranks, loads, quiet)
        rows = keep(found, rows)
        print(*found, sep="\n", flush=True)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["measure", body, level, solver, loads]:
            measure(body, float(level), solver, json.loads(loads))
        case words:
            main(words)
