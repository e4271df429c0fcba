"""Without a package that not every installation has, a verb says so in a sentence."""

import subprocess
import sys

import pytest

from loligo.cli.main import PACKAGES

BLOCK = """
import sys

class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {packages!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Blocker())
from loligo.cli.main import main
main({arguments!r})
"""
DOLFINX = ("dolfinx", "ufl", "basix", "ffcx", "petsc4py", "slepc4py", "mpi4py")
CAPTURE = ("ezc3d",)
PICTURES = ("gmsh", "meshio", "pyvista", "vtk", "vtkmodules")


def without(packages, *arguments, cwd):
    code = BLOCK.format(packages=packages, arguments=list(arguments))
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=cwd
    )


@pytest.mark.parametrize(
    ("packages", "arguments"),
    [
        (DOLFINX, ("solve", "cylinder")),
        (DOLFINX[:1], ("solve", "cylinder")),
        (DOLFINX, ("section", "cylinder", "-o", "a.toml")),
        (CAPTURE, ("import", "a.c3d", "--source", "nobody", "-o", "a.nc")),
        (PICTURES, ("mesh", "cylinder")),
        (PICTURES, ("plan", "cylinder")),
        (PICTURES, ("view", "a.nc", "-o", "a.png")),
    ],
    ids=lambda value: value[0],
)
def test_the_package_is_named_with_what_to_do(tmp_path, packages, arguments):
    done = without(packages, *arguments, cwd=tmp_path)
    assert done.returncode == 2, done.stderr
    said = done.stderr.splitlines()[-1]
    assert said.startswith("error: this needs the package ")
    assert said.split()[5].strip(",") in packages and "Without it cases" in said
    assert "Traceback" not in done.stderr and list(tmp_path.iterdir()) == []


def test_all_of_them_are_known():
    assert set(PACKAGES) == {*DOLFINX, *CAPTURE, *PICTURES}
