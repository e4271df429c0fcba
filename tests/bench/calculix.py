"""CalculiX as a process: a mesh and one load become a deck, the printed numbers come back.

Lengths are in mm and stresses in Pa, hence forces in uN: numbers of CalculiX's liking, which in SI
accepts increments that have not converged. Its defaults accept 5 per mille of the forces as well.
"""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np

from loligo.meshes.mesh import TETRAHEDRON, Mesh

UNPACKED = Path(__file__).parents[2] / "build" / "peers" / "calculix" / "usr"
MILLIMETRES = 1e3
# Of our second-order cells: type, nodes in CalculiX's order, corners of its faces in theirs.
_TETRAHEDRON = (
    "C3D10",
    [0, 1, 2, 3, 4, 5, 6, 7, 9, 8],
    ((0, 1, 2), (0, 3, 1), (1, 3, 2), (2, 3, 0)),
)
_HEXAHEDRON = (
    "C3D20R",
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 11, 13, 9, 16, 18, 19, 17, 10, 12, 14, 15],
    ((0, 1, 2, 3), (4, 7, 6, 5), (0, 4, 5, 1), (1, 5, 6, 2), (2, 6, 7, 3), (3, 7, 4, 0)),
)


def program() -> Path | None:
    """Return CalculiX, from PATH or unpacked by tests/bench/peers; None where there is none."""
    found = shutil.which("ccx") or shutil.which("ccx", path=UNPACKED / "bin")
    return Path(found) if found else None


Load = tuple[str, float] | float
"""A facet group and its pressure (Pa), or the way of the tip's face along z (m)."""


class Found(NamedTuple):
    """What CalculiX printed of the last state, and what it cost."""

    nodes: np.ndarray
    """Those of the tip's face."""
    moved: np.ndarray
    """Their displacements (m)."""
    force: np.ndarray
    """What holds the tip's face (N)."""
    unknowns: int
    cpu: float
    """Seconds."""
    wall: float
    """Seconds."""


def solve(mesh: Mesh, mu: float, bulk: float, steps: int, load: Load) -> Found:
    """Solve for a body that is held at its base.

    Args:
        mesh: with facets ``base`` and ``tip``; hexahedra lose the nodes of their faces and middles.
        mu: of mu/2 (J^(-2/3) I1 - 3) + bulk/2 (J - 1)^2 (Pa).
        bulk: see there (Pa).
        steps: equal increments.
        load: what acts; the tip's face is free beside its way.
    """
    executable = program()
    assert executable is not None
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        nodes, unknowns = _write(folder / "deck.inp", mesh, mu, bulk, steps, load)
        libraries = UNPACKED / "lib"
        environment = {
            **os.environ,
            "LD_LIBRARY_PATH": ":".join(map(str, (libraries, *libraries.glob("*-linux-gnu")))),
        }
        before, start = _cpu(), time.perf_counter()
        run = subprocess.run(
            [executable, "deck"], cwd=folder, env=environment, capture_output=True, text=True
        )
        cpu, wall = _cpu() - before, time.perf_counter() - start
        if run.returncode or "*ERROR" in run.stdout:
            raise SystemExit(f"CalculiX failed: {run.stdout[-1000:]}")
        moved, force = _read(folder / "deck.dat", nodes)
    return Found(nodes - 1, moved / MILLIMETRES, force / 1e6, unknowns, cpu, wall)


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _write(
    file: Path, mesh: Mesh, mu: float, bulk: float, steps: int, load: Load
) -> tuple[np.ndarray, int]:
    """Write the deck; return the numbers of the tip's nodes and how many unknowns there are."""
    kind, order, faces = _TETRAHEDRON if mesh.element is TETRAHEDRON else _HEXAHEDRON
    cells = mesh.cells[:, order] + 1
    used = np.unique(cells)
    sets = {name: np.intersect1d(mesh.facets_of(name) + 1, used) for name in ("base", "tip")}
    lines = ["*NODE"]
    lines += [
        f"{n}," + ",".join(f"{x:.12e}" for x in MILLIMETRES * mesh.points[n - 1]) for n in used
    ]
    lines.append(f"*ELEMENT, TYPE={kind}, ELSET=BODY")
    for number, nodes in enumerate(cells, 1):
        text = [str(n) for n in (number, *nodes)]
        lines += [",".join(text[:15]) + ("," if len(text) > 15 else "")]
        lines += [",".join(text[15:])] if len(text) > 15 else []
    for name, nodes in sets.items():
        lines += [f"*NSET, NSET={name.upper()}", *(f"{n}," for n in nodes)]
    lines += [
        "*MATERIAL, NAME=RUBBER",
        "*HYPERELASTIC, NEO HOOKE",
        f"{mu / 2:.12g},{2 / bulk:.12g}",
    ]
    lines += ["*SOLID SECTION, ELSET=BODY, MATERIAL=RUBBER", "*BOUNDARY", "BASE,1,3"]
    lines += [f"*STEP, NLGEOM, INC={100 * steps}", "*STATIC", f"{1 / steps},1.,1e-5,{1 / steps}"]
    lines += ["*CONTROLS, PARAMETERS=FIELD", "1e-5,1e-4,,,1e-5,1e-5,1e-3,1e-8"]
    if isinstance(load, tuple):
        lines.append("*DLOAD")
        lines += [f"{c},P{f},{load[1]:.12g}" for c, f in _sides(mesh, load[0], faces)]
    else:
        lines += ["*BOUNDARY", f"TIP,3,3,{MILLIMETRES * load:.12g}"]
    lines += [
        "*NODE PRINT, NSET=TIP, FREQUENCY=1000",
        "U",
        "*NODE PRINT, NSET=TIP, TOTALS=ONLY",
        "RF",
    ]
    lines += ["*END STEP"]
    file.write_text("\n".join(lines) + "\n")
    return sets["tip"], 3 * len(used)


def _sides(mesh: Mesh, group: str, faces: tuple[tuple[int, ...], ...]) -> list[tuple[int, int]]:
    """Cell and face number, from 1, of every facet of a group."""
    wanted = {frozenset(f[: mesh.element.facet_corners]) for f in mesh.facets_of(group).tolist()}
    return [
        (cell, face)
        for cell, nodes in enumerate(mesh.cells.tolist(), 1)
        for face, corners in enumerate(faces, 1)
        if frozenset(nodes[i] for i in corners) in wanted
    ]


def _read(file: Path, tip: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Displacements of the tip's nodes in the order of ``tip``, and the total reaction there."""
    displacement: dict[int, list[float]] = {}
    reaction = np.zeros(3)
    into = ""
    for line in file.read_text().splitlines():
        words = line.split()
        if "displacements" in line:
            into, displacement = "u", {}
        elif "total force" in line:
            into = "f"
        elif into == "u" and len(words) == 4:
            displacement[int(words[0])] = [float(w) for w in words[1:]]
        elif into == "f" and len(words) == 3:
            reaction = np.array([float(w) for w in words])
    return np.array([displacement[n] for n in tip]), reaction
