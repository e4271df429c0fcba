"""The pages about verification name tests and files that exist."""

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import mutants
import pytest

ROOT = Path(__file__).parents[1]
TEST = re.compile(r"((?:\.\./)?(?:\w+/)*test_\w+\.py)::(?:\"\s*\")?(test_\w+)")
SOURCES = (
    ("docs/verification.md", "fem"),
    ("docs/mutants.md", "fem"),
    ("tests/fem/rungs.py", "fem"),
    ("tests/fem/mutants.toml", "fem"),
    ("docs/verification-reduced.md", "reduced"),
    ("docs/mutants-reduced.md", "reduced"),
    ("tests/reduced/rungs.py", "reduced"),
    ("tests/reduced/mutants.toml", "reduced"),
)


def functions_of(file: Path) -> set[str]:
    """Return the names of a file's test functions."""
    tree = ast.parse(file.read_text())
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize(("source", "world"), SOURCES)
def test_every_named_test_exists(source: str, world: str) -> None:
    named = set(TEST.findall((ROOT / source).read_text()))
    assert named
    for file, test in sorted(named):
        assert test in functions_of(ROOT / "tests" / world / file), f"{source} names {file}::{test}"


@pytest.mark.parametrize("world", ["fem", "reduced"])
def test_every_mutant_still_has_a_place(world: str) -> None:
    table = tomllib.loads((ROOT / "tests" / world / "mutants.toml").read_text())
    assert len(table) >= 15
    for file, defects in table.items():
        for mutant in defects:
            count = (ROOT / world / file).read_text().count(mutant["old"])
            assert count == 1, f"{world}/{file} has {count} places for {mutant}: update the mutant"


@pytest.mark.parametrize("world", ["fem", "reduced"])
def test_the_page_of_mutants_lists_those_of_the_table(world: str) -> None:
    """`python tests/mutants.py WORLD --new` judges what the page lacks."""
    table = mutants.table(mutants.World(world))
    found = mutants.World(world).listed()
    assert list(found) == [mutants.World(world).cells(mutant) for mutant in table]
    text = mutants.World(world).page.read_text()
    assert f"There are {len(table)} mutants, all of which are caught." in text
    assert {outcome for outcome, _ in found.values()} == {"caught"}


def test_every_benchmark_of_the_solid_has_a_line() -> None:
    page = (ROOT / "docs" / "verification.md").read_text()
    for row in (*range(1, 22), 24):
        assert f"## F{row}: " in page


def test_every_benchmark_of_rods_and_shells_has_a_line() -> None:
    page = (ROOT / "docs" / "verification-reduced.md").read_text()
    for row in (*(f"R{n}" for n in range(1, 15)), *(f"S{n}" for n in range(1, 11))):
        assert f"## {row}: " in page


@pytest.mark.parametrize("tool", ["verification.py", "mutants.py"])
def test_a_world_that_is_none_is_refused_before_anything_runs(tool: str) -> None:
    command = [sys.executable, str(ROOT / "tests" / tool), "nowhere"]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "nowhere is none of fem, reduced\n"
