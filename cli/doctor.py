"""`loligo doctor`: what is installed, what is missing, whether the numbers come out right."""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import json
import os
import platform
import shutil
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Literal

import typer

from loligo.hpc.launcher import launched_ranks, serial_copies

app = typer.Typer(add_completion=False, rich_markup_mode="rich")

DOLFINX_VERSIONS = ("0.9", "0.10", "0.11")
OPTIONAL = {
    "gmsh": "without it no mesh can be made: pip install gmsh",
    "pyvista": "without it there are no pictures: pip install pyvista",
}
"""Packages that loligo can do without, and the advice where they are not there."""
_USELESS = "what it tests cannot be used here: compare the versions with those that loligo names"


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at."""

    what: str
    value: str
    verdict: Literal["good", "warning", "bad"] = "good"
    advice: str = ""


@app.callback(invoke_without_command=True)
def doctor(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")] = False,
) -> None:
    """Look at this installation and run a short self-test; code 1 if something is wrong.

    Example: [bold]loligo doctor[/], on a cluster [bold]srun loligo doctor[/]
    """
    rank = _rank()
    findings = []
    for finding in _findings():
        findings.append(finding)
        if rank == 0 and not as_json:
            _print(finding)
    if rank == 0 and as_json:
        typer.echo(json.dumps([asdict(finding) for finding in findings], indent=2))
    if any(finding.verdict == "bad" for finding in findings):
        raise typer.Exit(1)


def _print(finding: Finding) -> None:
    colour = {"good": typer.colors.GREEN, "warning": typer.colors.YELLOW, "bad": typer.colors.RED}
    mark = typer.style(f"{finding.verdict:8}", fg=colour[finding.verdict])
    typer.echo(f"{mark} {finding.what:20} {finding.value}")
    if finding.advice:
        typer.echo(f"{'':30}{finding.advice}")


def _findings() -> Iterator[Finding]:
    yield Finding(
        "loligo", f"{importlib.metadata.version('loligo')}, Python {sys.version.split()[0]}"
    )
    yield Finding("machine", f"{platform.machine()}, {os.cpu_count()} cores, {platform.system()}")
    for package in ("numpy", "scipy", "numba", "pydantic", "pint"):
        yield _package(package)
    for package, advice in OPTIONAL.items():
        yield _package(package, advice)
    if importlib.util.find_spec("dolfinx") is None:
        yield Finding(
            "dolfinx",
            "not here",
            "warning",
            "3D solutions need it; `make env` brings it. Everything else works.",
        )
    else:
        yield from _parallel_findings()
    yield from _cache_findings()
    yield from _test_findings()


def _test_findings() -> Iterator[Finding]:
    from loligo.cli.selftest import SELF_TESTS

    for name, (needs, compute) in SELF_TESTS.items():
        if not all(map(importlib.util.find_spec, needs)):
            continue
        try:
            test = compute()
        except Exception as error:  # whatever an installation lacks
            if launched_ranks().size > 1:  # the other ranks may not have failed
                raise
            yield Finding(name, f"fails: {type(error).__name__}: {error}", "bad", _USELESS)
            continue
        good = abs(test.value - test.reference) <= test.tolerance
        yield Finding(
            name,
            f"{test.value:.8g}, should be {test.reference:.8g} within {test.tolerance:.1g}",
            "good" if good else "bad",
            "" if good else "this installation computes wrong numbers",
        )


def _package(name: str, advice: str = "") -> Finding:
    try:
        module = importlib.import_module(name)
    except (ImportError, OSError) as error:
        missing = isinstance(error, ModuleNotFoundError) and error.name == name
        value = "not here" if missing else f"does not load: {error}"
        return Finding(name, value, "warning" if advice else "bad", advice)
    version = getattr(module, "__version__", None) or importlib.metadata.version(name)
    return Finding(name, str(version))


def _parallel_findings() -> Iterator[Finding]:
    from mpi4py import MPI
    from petsc4py import PETSc

    import dolfinx

    version = dolfinx.__version__
    known = ".".join(version.split(".")[:2]) in DOLFINX_VERSIONS
    yield Finding(
        "dolfinx",
        version,
        "good" if known else "warning",
        "" if known else f"loligo was written for {', '.join(DOLFINX_VERSIONS)}",
    )
    size = MPI.COMM_WORLD.size
    vendor, numbers = MPI.get_vendor()
    yield Finding("MPI", f"{vendor} {'.'.join(map(str, numbers))}, {size} rank(s)")
    if wrong := serial_copies(size):
        value, _, advice = wrong.partition(": ")
        yield Finding("launcher", value, "bad", advice)
    packages = {
        name: PETSc.Sys.hasExternalPackage(name)
        for name in ("mumps", "hypre", "superlu_dist", "ptscotch", "scalapack")
    }
    numbers = PETSc.Sys.getVersion()
    yield Finding(
        "PETSc",
        f"{'.'.join(map(str, numbers))} with {', '.join(n for n, has in packages.items() if has)}",
        "good" if packages["mumps"] else "bad",
        "" if packages["mumps"] else "loligo's direct solver is MUMPS: install a PETSc that has it",
    )
    yield _blas()


def _blas() -> Finding:
    """Name the BLAS that PETSc has loaded; the one in a wheel of numpy does not count."""
    maps = Path("/proc/self/maps")
    lines = maps.read_text().splitlines() if maps.is_file() else []
    loaded = {line.split()[-1] for line in lines if "/" in line and ".libs/" not in line}
    for key, name in (("mkl", "MKL"), ("openblas", "OpenBLAS"), ("libblis", "BLIS")):
        if any(key in path for path in loaded):
            return Finding("BLAS", name)
    if any("libblas.so" in path for path in loaded):
        return Finding(
            "BLAS",
            "reference BLAS",
            "warning",
            "MUMPS is three times slower with it: install OpenBLAS (Debian: libopenblas0-serial)",
        )
    return Finding("BLAS", "unknown", "warning", "expected OpenBLAS, BLIS or MKL")


def _cache_findings() -> Iterator[Finding]:
    cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    existing = next(folder for folder in (cache, *cache.parents) if folder.exists())
    writable = os.access(existing, os.W_OK)
    free = shutil.disk_usage(existing).free / 2**30
    yield Finding(
        "cache folder",
        f"{cache}, {free:.0f} GiB free",
        "good" if writable and free > 1.0 else "warning",
        "" if writable else "it cannot be written: set XDG_CACHE_HOME to a folder that can",
    )


def _rank() -> int:
    """Rank of this process, without starting MPI where there is none."""
    if importlib.util.find_spec("mpi4py") is None:
        return 0
    from mpi4py import MPI

    return int(MPI.COMM_WORLD.rank)
