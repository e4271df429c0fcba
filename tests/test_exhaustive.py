"""A load, body, energy or history that a piece of code does not know is a type error there."""

import ast
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = ("cases", "cli", "fem", "hpc", "meshes", "reduced", "validation")
SUBJECTS = {
    "load": {"load"},
    "body": {"body", "case.body"},
    "energy": {"elastomer", "rubber"},
    "history": {"history"},
}
"""What a `match` over each union is about, by the names that the code has for it."""
SOME_ONLY = {"pieces", "nominal_size", "_slopes", "acting_on", "acting_on_wall"}
"""Functions for some members of a union: others are refused there, or their callers are named."""
MODELS = {"reduced/predict/arm_loads.py", "reduced/predict/shell.py"}
"""Files that carry a load in a reduced model: `of_load` says of every kind which of them do."""
NEW = {
    "cases/load/kinds.py": (
        "Load = Annotated[\n    Weight\n",
        'class Tickle(_Load):\n    kind: Literal["tickle"] = "tickle"\n',
        "Load = Annotated[\n    Tickle\n    | Weight\n",
    ),
    "cases/body.py": (
        'Body = Annotated[\n    Annotated[TaperedArm, Tag("tapered_arm")]\n',
        'class Blob(_Body):\n    kind: Literal["blob"] = "blob"\n'
        "    cavities: tuple[str, ...] = ()\n    discs: tuple[str, ...] = ()\n",
        'Body = Annotated[\n    Annotated[Blob, Tag("blob")]\n'
        '    | Annotated[TaperedArm, Tag("tapered_arm")]\n',
    ),
    "cases/rubber/elastomer.py": (
        "Elastomer = Annotated[\n    NeoHooke ",
        'class Jelly(_Elastomer):\n    energy: Literal["jelly"] = "jelly"\n',
        "Elastomer = Annotated[\n    Jelly | NeoHooke ",
    ),
    "cases/load/history.py": (
        "History = Annotated[Step ",
        "class Ramp(Record):\n    slow: bool = True\n",
        "History = Annotated[Ramp | Step ",
    ),
}
"""By file: how its union begins, a new member, and how the union begins with it."""


def matches(root, names):
    """Yield file, function and node of every match about one of some names."""
    for folder in FOLDERS:
        for file in sorted((root / folder).rglob("*.py")):
            for function in ast.walk(ast.parse(file.read_text())):
                if not isinstance(function, ast.FunctionDef):
                    continue
                for node in ast.walk(function):
                    if isinstance(node, ast.Match) and ast.unparse(node.subject) in names:
                        yield file.relative_to(root), function.name, node


@pytest.mark.parametrize("union", SUBJECTS)
def test_every_match_over_a_union_ends_in_assert_never(union):
    found = list(matches(ROOT, SUBJECTS[union]))
    assert found, union
    for file, _, node in found:
        *known, last = node.cases
        ends = ast.unparse(last.body[-1]).startswith("assert_never(")
        assert ends, f"{file}:{node.lineno} swallows what it does not know"
        wild = [one for one in known if isinstance(one.pattern, ast.MatchAs)]
        assert not any(one.pattern.pattern is None for one in wild), f"{file}:{node.lineno}"


def test_a_new_load_touches_at_most_five_files():
    """Its record, what is wrong with it, the solid, what models make of it, and one model."""
    touched = {str(file) for file, _, _ in matches(ROOT, SUBJECTS["load"])}
    assert touched >= MODELS
    assert len(touched - MODELS) + 1 <= 5, touched


@pytest.mark.slow
def test_mypy_names_every_place_that_a_new_member_reaches(tmp_path):
    """One run for all four: in a copy of the tree, errors lie in every match about them."""
    copy = tmp_path / "loligo"
    shutil.copytree(ROOT / "api", copy)  # the package itself
    for folder in FOLDERS:
        shutil.copytree(ROOT / folder, copy / folder, ignore=shutil.ignore_patterns("*.nc"))
    for file, (first, member, with_it) in NEW.items():
        text = (copy / file).read_text()
        assert text.count(first) == 1, f"{file} does not begin its union like this any more"
        (copy / file).write_text(text.replace(first, f"{member}\n\n{with_it}"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    command = [sys.executable, "-m", "mypy", "--package", "loligo"]
    done = subprocess.run(
        [*command, "--cache-dir", tmp_path / "cache"],
        cwd=tmp_path,
        env={**os.environ, "MYPYPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    lines = re.findall(r"^loligo/(\S+\.py):(\d+): error", done.stdout, re.MULTILINE)
    errors = {(Path(path), int(line)) for path, line in lines}
    silent = [
        f"{union}: {file}:{node.lineno} {function}"
        for union, about in SUBJECTS.items()
        for file, function, node in matches(copy, about)
        if function not in SOME_ONLY
        and not any((file, line) in errors for line in range(node.lineno, node.end_lineno + 1))
    ]
    assert not silent, f"{silent}\n{done.stdout}{done.stderr}"
    assert any(path == Path("cases/rubber/stability.py") for path, _ in errors)
