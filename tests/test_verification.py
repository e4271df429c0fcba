"""The pages about verification name tests and files that exist."""

import ast
import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TEST = re.compile(r"(test_\w+\.py)::(?:\"\s*\")?(test_\w+)")
SOURCES = ("docs/verification.md", "docs/mutants.md", "tests/fem/verification.py")


def functions_of(file: Path) -> set[str]:
    """Return the names of a file's test functions."""
    tree = ast.parse(file.read_text())
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize("source", [*SOURCES, "tests/fem/mutants.toml"])
def test_every_named_test_exists(source: str) -> None:
    named = set(TEST.findall((ROOT / source).read_text()))
    assert named
    for file, test in sorted(named):
        assert test in functions_of(ROOT / "tests" / "fem" / file), f"{source} names {file}::{test}"


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
