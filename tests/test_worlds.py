"""Data flows one way: what may import what; the light parts live without dolfinx and gmsh."""

import ast
import json
import subprocess
import sys
import tomllib
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FRONT = {f"loligo.{file.stem}" for file in (ROOT / "api").glob("*.py")}
"""Modules of the package loligo itself."""
HEAVY = {"dolfinx", "ufl", "basix", "petsc4py", "slepc4py", "mpi4py", "adios4dolfinx", "gmsh"}
MAY_IMPORT = {
    "cases": {"loligo.cases"},
    "meshes": {"loligo.cases", "loligo.meshes", "gmsh"},
    "fem": {"loligo.cases", "loligo.meshes", "loligo.fem", *HEAVY},
    "reduced": {"loligo.cases", "loligo.meshes.bodies", "loligo.reduced"},
    "validation": {"loligo.cases", "loligo.meshes.bodies", "loligo.reduced", "loligo.validation"},
    "hpc": {"loligo.cases", "loligo.hpc"},
    "api": {
        *FRONT,
        "loligo.cases",
        "loligo.fem",
        "loligo.hpc",
        "loligo.meshes",
        "loligo.reduced",
        "loligo.validation",
        *HEAVY,
    },
    "cli": {
        *FRONT,
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
    """Yield the modules that a file imports, inside functions too, but not for types alone."""
    tree = ast.parse(file.read_text())
    guards = [n for n in ast.walk(tree) if isinstance(n, ast.If) and isinstance(n.test, ast.Name)]
    typing = [n for n in guards if n.test.id == "TYPE_CHECKING"]
    unused = {id(inner) for node in typing for inner in ast.walk(node)}
    for node in ast.walk(tree):
        if id(node) in unused:
            continue
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


def room_of(module):
    """Return the sub-package of a module, or the module itself at the top of a world."""
    name = module.split(".")
    while not ((path := ROOT.joinpath(*name)).is_dir() or path.with_suffix(".py").is_file()):
        name.pop()  # a name that a module defines
    if path.is_dir() or len(name) <= 2:
        return "/".join(name)
    return "/".join(name[:-1])


def rooms(world):
    """Return the rooms of a world, each with the other rooms of that world that it imports."""
    graph = {}
    for file in (ROOT / world).rglob("*.py"):
        if file.name == "__init__.py":
            continue
        parts = file.relative_to(ROOT).with_suffix("").parts
        mine = room_of(".".join(parts))
        found = graph.setdefault(mine, set())
        for name in imports(file):
            if name.startswith(f"loligo.{world}."):
                found.add(room_of(name.removeprefix("loligo.")))
        found.discard(mine)
    return graph


@pytest.mark.parametrize("world", ["cases", "fem", "reduced", "validation"])
def test_rooms_have_an_order(world):
    """No two rooms import each other, over whatever detours."""
    order = TopologicalSorter({room: there - {world} for room, there in rooms(world).items()})
    list(order.static_order())


@pytest.mark.parametrize("world", ["cases", "fem", "reduced", "validation"])
def test_rooms_are_small_and_say_what_they_are_for(world):
    for folder in (ROOT / world).rglob("__init__.py"):
        modules = [file for file in folder.parent.glob("*.py") if file.name != "__init__.py"]
        assert len(modules) <= 15, f"{folder.parent}: {len(modules)} modules"
        if folder.parent == ROOT / world:
            continue
        tree = ast.parse(folder.read_text())
        assert ast.get_docstring(tree).count("\n") >= 2, folder
        listed = next(n.value for n in tree.body if isinstance(n, ast.Assign))
        packages = [file.parent for file in folder.parent.glob("*/__init__.py")]
        there = {file.stem for file in modules} | {package.name for package in packages}
        assert set(ast.literal_eval(listed)) == there, folder


def test_every_room_is_installed():
    said = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"]
    there = {
        "loligo" if world == "api" else ".".join(["loligo", *file.parent.relative_to(ROOT).parts])
        for world in MAY_IMPORT
        for file in (ROOT / world).rglob("__init__.py")
    }
    assert set(said) == there


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
import loligo as lo
needy = "Fixed Moved Pressure Problem Traction displacement from_mesh march mesh plan section solve"
for name in set(lo.__all__) - set(needy.split()):
    getattr(lo, name)
import loligo.cases, loligo.reduced, loligo.validation
for package in (loligo.cases, loligo.reduced, loligo.validation):
    for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        importlib.import_module(module.name)

from loligo.cases.case_file import library_names, load
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
