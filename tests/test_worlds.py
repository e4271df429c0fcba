"""Data flows one way: what may import what; the light parts live without dolfinx and gmsh."""

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
HEAVY = {"dolfinx", "ufl", "basix", "petsc4py", "slepc4py", "mpi4py", "adios4dolfinx", "gmsh"}
MAY_IMPORT = {
    "cases": {"loligo.cases"},
    "meshes": {"loligo.cases", "loligo.meshes", "gmsh"},
    "fem": {"loligo.cases", "loligo.meshes", "loligo.fem", *HEAVY},
    "reduced": {"loligo.cases", "loligo.meshes.bodies", "loligo.reduced"},
    "validation": {"loligo.cases", "loligo.meshes.bodies", "loligo.reduced", "loligo.validation"},
    "hpc": {"loligo.cases", "loligo.hpc"},
    "cli": {
        "loligo.cases",
        "loligo.cli",
        "loligo.fem",
        "loligo.hpc",
        "loligo.meshes",
        "loligo.reduced",
        "loligo.validation",
        *HEAVY,  # `doctor` looks at them; nothing is imported before its verb is called
    },
}


def imports(file):
    """Yield the modules that a file imports, inside functions too."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: imports are absolute"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@pytest.mark.parametrize("world", MAY_IMPORT)
def test_imports_flow_one_way(world):
    for file in (ROOT / world).rglob("*.py"):
        for name in imports(file):
            guarded = name.startswith("loligo.") or name.split(".")[0] in HEAVY
            assert not guarded or any(
                name == allowed or name.startswith(f"{allowed}.") for allowed in MAY_IMPORT[world]
            ), f"{file.relative_to(ROOT)} imports {name}"


LIGHT = """
import sys

class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {heavy!r}:
            raise ImportError(f"{{name}} is blocked")

sys.meta_path.insert(0, Blocker())
"""


def run_light(code):
    return subprocess.run(
        [sys.executable, "-c", LIGHT.format(heavy=HEAVY) + code],
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_blocker_blocks():
    for name in HEAVY:
        assert f"{name} is blocked" in run_light(f"import {name}").stderr


def test_light_parts_work_without_dolfinx_and_gmsh():
    done = run_light(
        """
import importlib, pkgutil
import loligo.cases, loligo.reduced, loligo.validation
for package in (loligo.cases, loligo.reduced, loligo.validation):
    for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        importlib.import_module(module.name)

from loligo.cases.read import library_names, load
import loligo.meshes.bodies
from loligo.cli.main import main
assert all(load(name).body.kind for name in library_names())
try:
    main(["cases"])
except SystemExit as stop:
    assert not stop.code
print("light")
"""
    )
    assert done.stdout.endswith("light\n"), done.stderr


def test_the_command_line_starts_without_the_heavy_parts():
    done = run_light(
        """
from loligo.cli.main import main
try:
    main(["--help"])
except SystemExit as stop:
    pass
heavy = {"numba", "scipy", "matplotlib", "pyvista", "pint", "xarray"} & set(sys.modules)
print(sorted(heavy))
"""
    )
    assert done.stdout.endswith("[]\n"), done.stdout + done.stderr


@pytest.mark.slow
def test_the_shipped_data_are_reported_without_dolfinx_and_gmsh(tmp_path):
    done = run_light(
        f"""
from loligo.cli.main import main
try:
    main(["report", "-o", {str(tmp_path)!r}])
except SystemExit as stop:
    assert not stop.code
"""
    )
    assert done.returncode == 0, done.stderr
    robots = json.loads((tmp_path / "report.json").read_text())["robots"]
    reported = {case["case"] for robot in robots for case in robot["cases"]}
    brought = {file.stem for file in (ROOT / "validation" / "reference").glob("*.nc")}
    assert brought and brought <= reported
