"""Installed as a wheel or editable, loligo imports from any folder and claims no other name."""

import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PIP = ["-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "--no-index"]
USE = """
import importlib.metadata, pathlib
from importlib import resources
import loligo as lo
assert lo.load_case("cylinder").body.length == 0.12 and lo.__version__
import loligo.cases, loligo.cli.main, loligo.meshes, loligo.reduced, loligo.validation
from loligo.cases.case_file import load
assert load("cylinder").body.length == 0.12
assert resources.files("loligo.cases").joinpath("py.typed").is_file()
assert resources.files("loligo.validation").joinpath("templates/report.html.j2").is_file()
print(importlib.metadata.version("loligo"))
"""


@pytest.fixture
def source(tmp_path):
    """Copy what git tracks or would track, so that building leaves the working tree alone."""
    files = subprocess.run(
        ["git", "-C", ROOT, "ls-files", "--cached", "--others", "--exclude-standard"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    for name in files:
        if (ROOT / name).is_file():
            (tmp_path / "source" / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, tmp_path / "source" / name)
    return tmp_path / "source"


@pytest.mark.parametrize("how", ["wheel", "editable"])
def test_installs_and_imports_from_elsewhere(how, source, tmp_path):
    environment = tmp_path / "venv"
    venv.create(environment, with_pip=False, system_site_packages=True)
    python = environment / "bin" / "python"
    what = [str(source)] if how == "wheel" else ["-e", str(source)]
    subprocess.run([python, *PIP, *what], check=True, cwd=tmp_path)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    version = subprocess.run(
        [python, "-I", "-c", USE], check=True, cwd=elsewhere, capture_output=True, text=True
    ).stdout
    assert version.startswith("0.")
    command = [environment / "bin" / "loligo", "cases", "show", "cylinder"]
    assert subprocess.run(command, check=True, cwd=elsewhere, capture_output=True).stdout
    site = next((environment / "lib").glob("python*/site-packages"))
    unwanted = {"cases", "cli", "fem", "meshes", "reduced", "validation", "tests", "hpc", "docs"}
    assert not unwanted & {path.name for path in site.iterdir()}
    if how == "wheel":
        shipped = {p.relative_to(site / "loligo").as_posix() for p in site.glob("loligo/**/*.py")}
        tracked = {p.name for p in source.glob("api/*.py")} | {
            p.relative_to(source).as_posix()
            for p in source.glob("**/*.py")
            if p.relative_to(source).parts[0] in unwanted - {"tests", "docs"}
            and p.relative_to(source).parts[:2] not in (("hpc", "env"), ("hpc", "checks"))
        }
        assert shipped == tracked


def test_this_python_runs_the_tests_of_this_tree():
    import loligo.cases

    assert Path(loligo.cases.__file__).resolve() == (ROOT / "cases" / "__init__.py").resolve()
    assert sys.version_info >= (3, 11)
