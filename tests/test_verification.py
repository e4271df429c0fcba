"""The pages about verification name tests and files that exist."""

import ast
import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TEST = re.compile(r"(test_\w+\.py)::(?:\"\s*\")?(test_\w+)")
SOURCES = (
    ("docs/verification.md", "fem"),
    ("docs/mutants.md", "fem"),
    ("tests/fem/rungs.py", "fem"),
    ("tests/fem/mutants.toml", "fem"),
    ("docs/verification-reduced.md", "reduced"),
    ("tests/reduced/rungs.py", "reduced"),
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


def test_every_mutant_still_has_a_place() -> None:
    table = tomllib.loads((ROOT / "tests" / "fem" / "mutants.toml").read_text())
    assert len(table) >= 20
    for file, mutants in table.items():
        for mutant in mutants:
            count = (ROOT / "fem" / file).read_text().count(mutant["old"])
            assert count == 1, f"fem/{file} has {count} places for {mutant}: update the mutant"


def test_every_static_benchmark_has_a_line() -> None:
    page = (ROOT / "docs" / "verification.md").read_text()
    for row in (*range(1, 15), 21, 24):
        assert f"## F{row}: " in page


def test_every_benchmark_of_rods_and_shells_has_a_line() -> None:
    page = (ROOT / "docs" / "verification-reduced.md").read_text()
    for row in (*(f"R{n}" for n in range(1, 15)), *(f"S{n}" for n in range(1, 11))):
        assert f"## {row}: " in page
