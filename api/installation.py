"""What is installed, what is missing, and whether the numbers come out right.

The self-test has small problems with known answers, one for every part that is installed.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import math
import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from loligo.hpc.launcher import launched_ranks, serial_copies

DOLFINX_VERSIONS = ("0.9", "0.10", "0.11")
OPTIONAL = {
    "gmsh": "without it no mesh can be made: pip install gmsh",
    "pyvista": "without it there are no pictures: pip install pyvista",
}
"""Packages that loligo can do without, and the advice where they are not there."""
_USELESS = "what it tests cannot be used here: compare the versions with those that loligo names"


@dataclass(frozen=True)
class Diagnosis:
    """One thing that was looked at."""

    what: str
    value: str
    verdict: Literal["good", "warning", "bad"] = "good"
    advice: str = ""


def look() -> Iterator[Diagnosis]:
    """Look at this installation and run a short self-test; collective where there is MPI."""
    yield Diagnosis(
        "loligo", f"{importlib.metadata.version('loligo')}, Python {sys.version.split()[0]}"
    )
    yield Diagnosis("machine", f"{platform.machine()}, {os.cpu_count()} cores, {platform.system()}")
    for package in ("numpy", "scipy", "numba", "pydantic", "pint"):
        yield _package(package)
    for package, advice in OPTIONAL.items():
        yield _package(package, advice)
    if importlib.util.find_spec("dolfinx") is None:
        yield Diagnosis(
            "dolfinx",
            "not here",
            "warning",
            "3D solutions need it; `make env` brings it. Everything else works.",
        )
    else:
        yield from _parallel_findings()
    yield from _cache_findings()
    yield from _test_findings()


def _test_findings() -> Iterator[Diagnosis]:
    for name, (needs, compute) in SELF_TESTS.items():
        if not all(map(importlib.util.find_spec, needs)):
            continue
        try:
            test = compute()
        except Exception as error:  # whatever an installation lacks
            if launched_ranks().size > 1:  # the other ranks may not have failed
                raise
            yield Diagnosis(name, f"fails: {type(error).__name__}: {error}", "bad", _USELESS)
            continue
        good = abs(test.value - test.reference) <= test.tolerance
        yield Diagnosis(
            name,
            f"{test.value:.8g}, should be {test.reference:.8g} within {test.tolerance:.1g}",
            "good" if good else "bad",
            "" if good else "this installation computes wrong numbers",
        )


def _package(name: str, advice: str = "") -> Diagnosis:
    try:
        module = importlib.import_module(name)
    except (ImportError, OSError) as error:
        missing = isinstance(error, ModuleNotFoundError) and error.name == name
        value = "not here" if missing else f"does not load: {error}"
        return Diagnosis(name, value, "warning" if advice else "bad", advice)
    version = getattr(module, "__version__", None) or importlib.metadata.version(name)
    return Diagnosis(name, str(version))


def _parallel_findings() -> Iterator[Diagnosis]:
    from mpi4py import MPI
    from petsc4py import PETSc

    import dolfinx

    version = dolfinx.__version__
    known = ".".join(version.split(".")[:2]) in DOLFINX_VERSIONS
    yield Diagnosis(
        "dolfinx",
        version,
        "good" if known else "warning",
        "" if known else f"loligo was written for {', '.join(DOLFINX_VERSIONS)}",
    )
    size = MPI.COMM_WORLD.size
    vendor, numbers = MPI.get_vendor()
    yield Diagnosis("MPI", f"{vendor} {'.'.join(map(str, numbers))}, {size} rank(s)")
    if wrong := serial_copies(size):
        value, _, advice = wrong.partition(": ")
        yield Diagnosis("launcher", value, "bad", advice)
    packages = {
        name: PETSc.Sys.hasExternalPackage(name)
        for name in ("mumps", "hypre", "superlu_dist", "ptscotch", "scalapack")
    }
    numbers = PETSc.Sys.getVersion()
    yield Diagnosis(
        "PETSc",
        f"{'.'.join(map(str, numbers))} with {', '.join(n for n, has in packages.items() if has)}",
        "good" if packages["mumps"] else "bad",
        "" if packages["mumps"] else "loligo's direct solver is MUMPS: install a PETSc that has it",
    )
    yield _blas()


def _blas() -> Diagnosis:
    """Name the BLAS that PETSc has loaded; the one in a wheel of numpy does not count."""
    maps = Path("/proc/self/maps")
    lines = maps.read_text().splitlines() if maps.is_file() else []
    loaded = {line.split()[-1] for line in lines if "/" in line and ".libs/" not in line}
    for key, name in (("mkl", "MKL"), ("openblas", "OpenBLAS"), ("libblis", "BLIS")):
        if any(key in path for path in loaded):
            return Diagnosis("BLAS", name)
    if any("libblas.so" in path for path in loaded):
        return Diagnosis(
            "BLAS",
            "reference BLAS",
            "warning",
            "MUMPS is three times slower with it: install OpenBLAS (Debian: libopenblas0-serial)",
        )
    return Diagnosis("BLAS", "unknown", "warning", "expected OpenBLAS, BLIS or MKL")


def _cache_findings() -> Iterator[Diagnosis]:
    cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    existing = next(folder for folder in (cache, *cache.parents) if folder.exists())
    writable = os.access(existing, os.W_OK)
    free = shutil.disk_usage(existing).free / 2**30
    yield Diagnosis(
        "cache folder",
        f"{cache}, {free:.0f} GiB free",
        "good" if writable and free > 1.0 else "warning",
        "" if writable else "it cannot be written: set XDG_CACHE_HOME to a folder that can",
    )


@dataclass(frozen=True)
class SelfTest:
    """A number that this installation computed, and what it should be."""

    value: float
    reference: float
    tolerance: float


def _rod() -> SelfTest:
    """Roll a cantilever up to a circle by a moment 2 pi EI/L: its tip comes back to its base."""
    from loligo.reduced.rod.loads import PointLoad
    from loligo.reduced.rod.model import Rod, circular_stiffness
    from loligo.reduced.rod.statics import solve

    stiffness = circular_stiffness(0.01, young=1e5, shear=1e5 / 3)
    moment = 2.0 * math.pi * stiffness[2, 2]
    state = solve(Rod(1.0, stiffness), [PointLoad(moment=(0.0, 0.0, moment))])
    return SelfTest(float(state.tip_position[0]), 0.0, 1e-9)


def _mesh() -> SelfTest:
    """Mesh the library's cylinder: its volume in ml."""
    from loligo.cases.case_file import load
    from loligo.meshes.build import build_mesh
    from loligo.meshes.integrals import volumes

    mesh = build_mesh(load("cylinder").body, 0)
    volume = float(volumes(mesh.element, mesh.points, mesh.cells).sum())
    return SelfTest(1e6 * volume, math.pi * 12.2, 1e-3 * math.pi * 12.2)


def _stretched_block() -> SelfTest:
    """Stretch a neo-Hooke cube to twice its length: nominal stress mu (2 - 1/4), in kPa."""
    from mpi4py import MPI

    import numpy as np
    from dolfinx.mesh import create_box

    from loligo.cases.rubber.elastomer import NeoHooke
    from loligo.fem.core.domain import from_mesh
    from loligo.fem.loads.supports import Fixed, Moved
    from loligo.fem.march.static import march
    from loligo.fem.problem.problem import Problem

    mesh = create_box(MPI.COMM_WORLD, [np.zeros(3), np.ones(3)], [2, 2, 2])
    domain = from_mesh(
        mesh,
        {
            "x0": lambda x: np.isclose(x[0], 0.0),
            "y0": lambda x: np.isclose(x[1], 0.0),
            "z0": lambda x: np.isclose(x[2], 0.0),
            "x1": lambda x: np.isclose(x[0], 1.0),
        },
    )
    pull = Moved("pull", "x1", lambda x, value: np.stack([value * x[0], 0 * x[0], 0 * x[0]]), (0,))
    supports = (Fixed("x0", (0,)), Fixed("y0", (1,)), Fixed("z0", (2,)), pull)
    problem = Problem(domain, NeoHooke(mu=1e5, density=1000.0), supports=supports)
    for _ in march(problem, [{"pull": 1.0}]):
        pass
    stress = problem.reaction("x1")[3] / 1e3
    return SelfTest(float(stress), 175.0, 1e-6)


def _solved_case() -> SelfTest:
    """Solve a case from its mesh to its data set, as `loligo solve` does: the force at its base.

    A weightless cylinder is pulled by 0.1 N at its tip, so that its base carries as much (N).
    """
    from mpi4py import MPI

    from loligo.cases.body import TaperedArm
    from loligo.cases.case import Case, MeshChoice
    from loligo.cases.dataset.io import read, write
    from loligo.cases.load.kinds import TipForce
    from loligo.cases.rubber.elastomer import NeoHooke
    from loligo.fem.io.ranks import on_first_rank
    from loligo.fem.run import Run

    case = Case(
        name="doctor",
        title="A cylinder that is pulled",
        source="loligo doctor",
        body=TaperedArm(length=0.03, base_radius=0.01, tip_radius=0.01, tip_disc=0.002, stations=3),
        material={"body": NeoHooke(mu=3e4, density=1000.0)},
        load={"pull": TipForce(force=(0.1, 0.0, 0.0))},
        steps=(1.0,),
        mesh=MeshChoice(size=0.012),
    )
    run = Run(case, MPI.COMM_WORLD)
    for _ in run.march():
        pass
    if run.stopped:
        raise RuntimeError(run.stopped)

    def base_force() -> float:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "doctor.nc"
            write(run.dataset(), file, run.groups())
            return abs(float(read(file)["reaction"].values[-1, 3]))

    return SelfTest(on_first_rank(run.comm, base_force), 0.1, 1e-6)


SELF_TESTS: Mapping[str, tuple[tuple[str, ...], Callable[[], SelfTest]]] = {
    "rod closes a circle": (("numba",), _rod),
    "volume of a mesh": (("gmsh",), _mesh),
    "stress of a block": (("dolfinx",), _stretched_block),
    "a case solves": (("dolfinx", "gmsh"), _solved_case),
}
"""By name: the packages without which there is no such test, and the test itself; collective where
there is MPI."""
