"""Which environment `enter` takes, and what it makes on top; no Debian tree is made or entered."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MODULES = [
    line.split()[0]
    for line in (ROOT / "hpc" / "env" / "packages.txt").read_text().splitlines()
    if line and line[0] not in "#-"
]
PROJECT = """
[build-system]
requires = ["setuptools"]
build-backend = "setuptools.build_meta"

[project]
name = "loligo"
version = "0"

[tool.setuptools]
packages = []
"""


@pytest.fixture
def clone(tmp_path):
    """A clone with nothing but the environment's scripts, whose `build` only notes its tree."""
    clone = tmp_path / "clone"
    shutil.copytree(ROOT / "hpc" / "env", clone / "hpc" / "env")
    shutil.copy(ROOT / "loligo", clone / "loligo")
    (clone / "pyproject.toml").write_text(PROJECT)
    (clone / "hpc" / "env" / "build").write_text('#!/bin/bash\necho "$1" >>"$HOME/built"\nexit 9\n')
    return clone


@pytest.fixture
def outside(tmp_path):
    """The variables of a shell outside any environment, with the Python under this one's venv."""
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "python3").symlink_to(Path(sys.executable).resolve())
    return {"PATH": f"{programs}:/usr/bin:/bin", "HOME": str(tmp_path)}


@pytest.fixture
def with_dolfinx(outside, tmp_path):
    """The same, where Python finds empty modules for all that the package list names."""
    modules = tmp_path / "modules"
    modules.mkdir()
    for name in set(MODULES) - {"pip", "setuptools"}:
        (modules / f"{name}.py").touch()
    (modules / "dolfinx.py").write_text('__version__ = "0.11.0.post1"')
    return outside | {"PYTHONPATH": str(modules)}


@pytest.fixture
def without_dolfinx(outside, tmp_path):
    """The same, where Python looks for no installed package."""
    python = tmp_path / "programs" / "python3"
    python.unlink()
    python.write_text(f'#!/bin/sh\nexec {Path(sys.executable).resolve()} -S "$@"\n')
    python.chmod(0o755)
    return outside


def run(environment, *command, **kwargs):
    return subprocess.run(
        command, env=environment, capture_output=True, text=True, check=False, **kwargs
    )


def built(tmp_path):
    log = tmp_path / "built"
    return log.read_text().splitlines() if log.exists() else []


def test_a_python_with_dolfinx_is_used_as_it_is(clone, with_dolfinx, tmp_path):
    show = "import dolfinx, sys; print(sys.prefix, dolfinx.__file__)"
    done = run(with_dolfinx, clone / "hpc" / "env" / "enter", "python3", "-c", show)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [str(clone / ".venv"), str(tmp_path / "modules" / "dolfinx.py")]
    assert not built(tmp_path)


@pytest.mark.parametrize(
    ("file", "text", "reason"),
    [
        ("dolfinx.py", '__version__ = "0.8.0"', "its dolfinx is 0.8.0"),
        ("gmsh.py", 'raise OSError("libGLU.so.1")', "cannot import gmsh: libGLU.so.1"),
    ],
)
def test_a_python_that_does_not_serve_is_not_used(
    clone, with_dolfinx, tmp_path, file, text, reason
):
    (tmp_path / "modules" / file).write_text(text)
    done = run(with_dolfinx, clone / "hpc" / "env" / "enter", "true")
    assert (done.returncode, len(built(tmp_path))) == (9, 1)
    assert reason in done.stderr


def test_what_a_python_with_dolfinx_lacks_is_named(clone, with_dolfinx, without_dolfinx):
    done = run(with_dolfinx, clone / "hpc" / "env" / "enter", "true")
    assert done.returncode == 9
    assert "it lacks pip, setuptools" in done.stderr


def test_the_tree_is_named_after_the_list(clone, without_dolfinx, tmp_path):
    enter = clone / "hpc" / "env" / "enter"
    assert "no dolfinx" in run(without_dolfinx, enter, "true").stderr
    run(without_dolfinx, enter, "true")
    for name in ("packages.txt", "dpkg.conf"):
        with (clone / "hpc" / "env" / name).open("a") as file:
            file.write("# changed\n")
        run(without_dolfinx, enter, "true")
    first, again, *changed = built(tmp_path)
    assert first == again
    assert first.startswith(f"{tmp_path}/.cache/loligo/env-")
    assert len({first, *changed}) == 3

    run(without_dolfinx | {"XDG_CACHE_HOME": str(tmp_path / "elsewhere")}, enter, "true")
    assert built(tmp_path)[-1].startswith(f"{tmp_path}/elsewhere/loligo/env-")

    kept = {"XDG_CACHE_HOME": "/a node", "LOLIGO_TREES": f"{tmp_path}/.cache/loligo"}
    run(without_dolfinx | kept, enter, "true")
    assert built(tmp_path)[-1] in built(tmp_path)[:-2]  # a cache on a node moves no tree


def test_the_venv_is_made_again_when_it_does_not_fit(clone, with_dolfinx, tmp_path):
    enter = clone / "hpc" / "env" / "enter"
    made_for = clone / ".venv" / ".made-for"
    assert "installing" in run(with_dolfinx, enter, "true").stderr
    assert run(with_dolfinx, enter, "true").stderr == ""

    (clone / "pyproject.toml").write_text(PROJECT + "# changed\n")
    assert "installing" in run(with_dolfinx, enter, "true").stderr

    made_for.write_text(made_for.read_text().replace("/", "env-", 1))
    assert "installing" in run(with_dolfinx, enter, "true").stderr

    other = tmp_path / "other"
    (tmp_path / "programs").rename(other)
    moved = with_dolfinx | {"PATH": f"{other}:/usr/bin:/bin"}
    assert "installing" in run(moved, enter, "true").stderr
    other.rename(tmp_path / "programs")
    assert "installing" in run(with_dolfinx, enter, "true").stderr

    made_for.unlink()  # as an interruption leaves it
    shutil.rmtree(clone / ".venv" / "lib")
    assert "installing" in run(with_dolfinx, enter, "python3", "-c", "import dolfinx").stderr
    assert run(with_dolfinx, enter, "python3", "-c", "import dolfinx").stderr == ""


def test_a_venv_that_somebody_else_made_is_left_alone(clone, with_dolfinx):
    (clone / ".venv").mkdir()
    (clone / ".venv" / "theirs").touch()
    done = run(with_dolfinx, clone / "hpc" / "env" / "enter", "true")
    assert done.returncode == 2
    assert "move it away" in done.stderr
    assert (clone / ".venv" / "theirs").exists()


def test_inside_an_environment_nothing_is_asked(clone, with_dolfinx, tmp_path):
    enter = clone / "hpc" / "env" / "enter"
    os.truncate(tmp_path / "modules" / "dolfinx.py", 0)  # no version: asked, it would not serve
    environment = with_dolfinx | {"LOLIGO_ENVIRONMENT": "env-0123456789ab"}
    done = run(environment, enter, "sh", "-c", "exit 7")
    assert done.returncode == 7, done.stderr
    assert not built(tmp_path)


def test_the_launcher_works_from_anywhere(clone, with_dolfinx, tmp_path):
    run(with_dolfinx, clone / "hpc" / "env" / "enter", "true")
    command = clone / ".venv" / "bin" / "loligo"
    command.write_text('#!/bin/sh\necho "$PWD" "$@"\n')
    command.chmod(0o755)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "link").symlink_to(clone / "loligo")
    done = run(with_dolfinx, tmp_path / "link", "mesh", "a b", cwd=tmp_path / "elsewhere")
    assert done.stdout == f"{tmp_path / 'elsewhere'} mesh a b\n"


def test_no_tree_is_made_where_the_home_folder_is_not(clone, without_dolfinx, tmp_path):
    """Root could make it, at the root of the disk."""
    enter = clone / "hpc" / "env" / "enter"
    done = run(without_dolfinx | {"HOME": str(tmp_path / "nowhere")}, enter, "true")
    assert done.returncode == 2 and "set LOLIGO_TREES to a folder" in done.stderr
    assert not (tmp_path / "nowhere").exists()
    (tmp_path / "file").touch()
    beside = {"LOLIGO_TREES": str(tmp_path / "file" / "trees")}
    done = run(without_dolfinx | beside, enter, "true")
    assert done.returncode == 2 and "set LOLIGO_TREES to a folder" in done.stderr
