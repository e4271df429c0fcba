"""What a 3D solution takes by unknowns and ranks: makes hpc/measured.py and docs/scaling-table.md.

Run as python tests/bench/bench_scaling.py [growth] [ranks] [BODY ...] [missing] [[LEAST] MOST]:
what is not measured yet with the word missing, else all anew; meshes of at most MOST unknowns,
about (2e5, in less than an hour; 2e6 is all, and takes many), and of at least LEAST, so that growth
zhang_joint_one 9e5 2e6 is one mesh. Rows are kept one by one, so that a run that is stopped loses
one of them; each says when and by which commit it was made, since those of large meshes stay.

growth: cases of the library under their whole loads, with the Krylov solver on one rank (the joint
on two): chambers and stiff thread, sleeves of fibres, a thin wall. Iterations and memory are no
matter of what else the machine does, CPU seconds suffer of it by some tens of per cent.

ranks: the first step with both solvers on one rank and on two; of the chambered segment over meshes
each with twice the unknowns of the one before: along a row that is strong scaling, from a row to
the next one weak scaling. Nothing else should run meanwhile.

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
from collections.abc import Iterator
from importlib.metadata import version
from itertools import product
from pathlib import Path

import numpy as np

from loligo.cases.core.provenance import git_commit
from loligo.hpc.measured import MEASURED
from loligo.hpc.measurement import Element, Measured

ROOT = Path(__file__).resolve().parents[2]
SEGMENT, JOINT, MANTLE = "gong_bending_one", "zhang_joint_one", "renda_mantle_inflation"
GROWTH: dict[tuple[str, Element], tuple[float, ...]] = {
    (SEGMENT, "tetrahedron"): (0.0, 1.0, 1.37, 4.0),
    (SEGMENT, "hexahedron"): (0.0, 1.37),
    (JOINT, "hexahedron"): (0.0, 1.37, 2.4, 3.7),
    (MANTLE, "tetrahedron"): (0.0, 1.0, 2.0, 3.0, 4.0),
}
"""A chambered segment, a joint with hoops of fibres, a thin wall; levels of their meshes. Those of
the wall have 2, 3, 4, 5 and 8 layers."""
RANKS = {JOINT: 2}
"""Of a body in `growth`, if not one: the joint's systems are the most, and take longest."""
LOADS = [0.5, 1.0]
"""Shares of the load."""
FIRST_STEP = [0.2]
"""The same for `ranks`."""
TWICE = math.log(2.0) / (3.0 * math.log(1.4))
"""Levels between meshes of which one has twice the unknowns of the other."""
SCALED: dict[tuple[str, Element], tuple[float, ...]] = {
    (SEGMENT, "tetrahedron"): (0.0, TWICE, 2.0 * TWICE),
    (SEGMENT, "hexahedron"): (0.0, 2.0 * TWICE),
    (JOINT, "hexahedron"): (0.0,),
    (MANTLE, "tetrahedron"): (0.0,),
}
"""Levels of `ranks`."""
FIRST = 25_000
"""Unknowns of a body at level 0, about."""
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


def measure(body: str, element: str, level: float, solver: str, loads: list[float]) -> None:
    """March a body to shares of its load; print what it took to each."""
    import resource
    import time

    from mpi4py import MPI

    from loligo.cases.case_file import load
    from loligo.fem.core.domain import distribute
    from loligo.fem.from_case import set_up
    from loligo.fem.march import static as marching
    from loligo.fem.solvers import factor as tangent
    from loligo.fem.solvers.krylov import Krylov
    from loligo.fem.solvers.newton import Newton, Solve
    from loligo.meshes.build import build_mesh

    solved: list[int] = []  # iterations of every system of the attempts that led on
    refused: list[int] = []
    tried = 0

    class Counted(Krylov):
        def solve(self, right, solution) -> None:
            before = self.iterations
            super().solve(right, solution)
            solved.append(self.iterations - before)

    class Trying(Newton):
        def solve(self, *, settle: bool = True) -> Solve:
            nonlocal tried
            tried = len(solved)
            return super().solve(settle=settle)

    tangent.Krylov = Counted  # type: ignore[misc]
    marching.Newton = Trying  # type: ignore[misc]
    case, comm = load(body), MPI.COMM_WORLD
    mesh = build_mesh(case.body, level, element=element) if comm.rank == 0 else None  # type: ignore[arg-type]
    setup = set_up(case, distribute(mesh, comm))
    del mesh
    restore = setup.problem.restore

    def refuse(state) -> None:
        restore(state)
        refused.extend(solved[tried:])
        del solved[tried:]

    setup.problem.restore = refuse  # type: ignore[method-assign]
    full = setup.targets[-1]
    targets = [{name: share * value for name, value in full.items()} for share in loads]
    states, began = 0, time.process_time()
    unknowns = setup.problem.fields.space.dofmap.index_map.size_global
    for state in marching.march(setup.problem, targets, solver=solver):  # type: ignore[arg-type]
        states += 1
        if solver == "direct":
            solved.append(state.work.linear_iterations)
        if state.target is None:
            continue
        now = time.process_time()
        here = now - began, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
        seconds, gigabytes = np.max(comm.allgather(here), axis=0)
        counts = [len(solved), sum(solved), max(solved), (len(refused), sum(refused))]
        row = [unknowns, states, *counts, round(seconds, 1), round(gigabytes, 2)]
        if comm.rank == 0:
            print(json.dumps(row), flush=True)
        states, began, tried = 0, now, 0
        solved.clear()
        refused.clear()


def run(
    body: str,
    element: Element,
    level: float,
    solver: str,
    ranks: int,
    loads: list[float],
    quiet: bool,
    made: str,
) -> Iterator[Measured]:
    """Measure in a process of its own, and yield what each load took as soon as it is there."""
    command = [
        sys.executable,
        __file__,
        "measure",
        body,
        element,
        str(level),
        solver,
        json.dumps(loads),
    ]
    if ranks > 1:
        command = ["mpirun", "-n", str(ranks), "--oversubscribe", *command]
    environment = {**os.environ, "OMPI_MCA_mpi_yield_when_idle": "1"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None
        for share, row in zip(loads, map(json.loads, process.stdout), strict=False):
            row[5] = tuple(row[5])
            asked = body, element, round(level, 2), solver, ranks, share
            yield Measured(*asked, *row, quiet=quiet, made=made)  # type: ignore[arg-type]
    if process.returncode != 0:
        raise SystemExit(
            f"{body}, {element}, level {level:g}: ended with code {process.returncode}"
        )


def keep(found: Measured, old: list[Measured]) -> list[Measured]:
    """Put a row in the place of an older one of the same run, and write module and page."""

    def key(one: Measured) -> tuple[object, ...]:
        return (
            not one.quiet,
            list(GROWTH).index((one.body, one.element)),
            one.solver,
            one.level,
            one.ranks,
            one.load,
        )

    new = {key(one): one for one in [*old, found]}
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
    dolfinx = version("fenics-dolfinx")
    return f"{os.cpu_count()} cores of an {name}, {memory:.0f} GiB, dolfinx {dolfinx}"


def main(words: list[str]) -> None:
    """Measure, and keep every row as it comes."""
    kinds = {word for word in words if word in ("growth", "ranks")} or {"growth", "ranks"}
    bodies = {body for body, _ in GROWTH}
    wanted = [mesh for mesh in GROWTH if mesh[0] in words or not bodies & set(words)]
    *least, most = [float(word) for word in words if word[0].isdigit()] or [2e5]
    # Asked for once: rows that are kept change the clone.
    commit = git_commit()
    changes = commit[40:]  # " with changes", if there are any
    made = f"{dt.datetime.now(dt.UTC).date()} {commit[:7]}{changes}"
    jobs: list[tuple[str, Element, float, str, int, list[float], bool]] = []
    if "ranks" in kinds:
        jobs += [
            (*mesh, level, solver, ranks, FIRST_STEP, True)
            for mesh in wanted
            for level, solver, ranks in product(SCALED[mesh], ("direct", "krylov"), (1, 2))
        ]
    if "growth" in kinds:
        jobs += [
            (*mesh, level, "krylov", RANKS.get(mesh[0], 1), LOADS, False)
            for mesh in wanted
            for level in GROWTH[mesh]
        ]
    rows = list(MEASURED)
    for body, element, level, solver, ranks, loads, quiet in sorted(jobs, key=lambda job: job[2]):
        known = {
            one.load
            for one in rows
            if (one.body, one.element, one.level, one.solver, one.ranks, one.quiet)
            == (body, element, round(level, 2), solver, ranks, quiet)
        }
        size = FIRST * 1.4 ** (3 * level)
        here = max(least, default=0.0) <= size <= most
        if not here or ("missing" in words and known >= set(loads)):
            continue
        for found in run(body, element, level, solver, ranks, loads, quiet, made):
            rows = keep(found, rows)
            print(found, flush=True)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["measure", body, element, level, solver, loads]:
            measure(body, element, float(level), solver, json.loads(loads))
        case words:
            main(words)
