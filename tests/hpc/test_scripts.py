"""The scripts and recipes as texts: they parse, name no host, and follow the package list."""

import importlib.util
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FILES = [
    ROOT / name
    for name in subprocess.run(
        ["git", "ls-files", "hpc", "Makefile", "loligo", ".ci", ".pre-commit-config.yaml"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
]
# A template is no script yet; test_slurm.py looks at what it becomes.
SCRIPTS = [
    path for path in FILES if path.suffix != ".jinja" and path.read_text().startswith("#!/bin/bash")
]
ADDRESS = re.compile(r"\w+://|\b[\w-]+\.(?:org|com|net|io|edu|de|eu)\b")


def name(path):
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("script", SCRIPTS, ids=name)
def test_scripts_parse(script):
    subprocess.run(["bash", "-n", script], check=True)
    assert script.stat().st_mode & 0o111


@pytest.mark.parametrize("path", FILES, ids=name)
def test_no_host_is_named(path):
    assert not ADDRESS.search(path.read_text())


def test_recipes_are_fresh():
    path = ROOT / "hpc" / "env" / "recipes.py"
    spec = importlib.util.spec_from_file_location("recipes", path)
    recipes = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(recipes)
    for file, recipe in recipes.RECIPES.items():
        assert (path.parent / file).read_text() == recipe(), f"{file} is stale: run `make recipes`"
