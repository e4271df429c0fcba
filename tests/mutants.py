"""Break the solvers in known ways, one at a time, and see a named test notice each.

Run as ``python tests/mutants.py WORLD [--new | MODULE ...]``, WORLD ``fem`` or ``reduced``; MODULE
narrows it to modules of that folder, --new to what the page does not list yet. The table of defects
is tests/WORLD/mutants.toml. What is broken is a copy of the packages and the tests; the working
tree is not touched. An outcome is kept under build/mutants for as long as module, test file and
defect are the same, so that a run that was interrupted continues where it stopped.

Writes the page of the world once every mutant is judged, now or in a row of the page, and ends with
code 1 if a mutant survives or is left because its test fails without it.
"""

import hashlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import NamedTuple

from loligo.cases.core.provenance import git_commit

ROOT = Path(__file__).resolve().parents[1]
PAGES = {
    "fem": ("the finite elements", "mutants.md", "verification.md"),
    "reduced": ("the reduced models", "mutants-reduced.md", "verification-reduced.md"),
}
KEPT = ROOT / "build" / "mutants"
PACKAGES = ("cases", "cli", "fem", "hpc", "meshes", "reduced", "validation")
LIMIT = 300
"""Seconds for one test."""

HEAD = """# Defects put in on purpose

`python tests/mutants.py {world}` breaks a copy of {what} in one way at a time, as
tests/{world}/mutants.toml says, and runs the test that is named for it, which passes without.
There are {count} mutants, {survivors}. Each row has the commit at which
its mutant was judged last. What the tests verify is in [{ladder}]({ladder}).

| module | what is broken | caught by | ranks | outcome | commit |
|---|---|---|---|---|---|
"""
OUTCOMES = {"failed": "caught", "passed": "**survives**"}
"""By how the test of a mutant ended."""


class Mutant(NamedTuple):
    """One defect, and the test that must fail of it."""

    module: str
    what: str
    old: str
    """What the module says, once."""
    new: str
    test: str
    ranks: int = 1
    """A defect of the exchange between ranks shows on two only."""


class World(NamedTuple):
    """A folder of packages and its tests."""

    name: str

    def module(self, mutant: Mutant) -> Path:
        """Return where the defect goes."""
        return ROOT / self.name / mutant.module

    def record(self, mutant: Mutant) -> Path:
        """Return where an outcome is kept."""
        digest = hashlib.sha256(repr(mutant).encode())
        tests = ROOT / "tests" / self.name
        for file in (self.module(mutant), tests / mutant.test.partition("::")[0]):
            digest.update(file.read_bytes())
        return KEPT / digest.hexdigest()[:16]

    def sound(self, mutant: Mutant) -> Path:
        """Return what is there once the test has passed without the defect."""
        return self.record(mutant).with_suffix(".sound")

    def outcome(self, mutant: Mutant) -> str:
        """Return what is known: passed, failed or nothing."""
        record = self.record(mutant)
        return record.read_text().partition(" ")[0] if record.exists() else ""

    def cells(self, mutant: Mutant) -> tuple[str, ...]:
        """Return what a row of the page says of a mutant before its outcome."""
        return f"`{self.name}/{mutant.module}`", mutant.what, f"`{mutant.test}`", str(mutant.ranks)

    @property
    def page(self) -> Path:
        """Where the page is."""
        return ROOT / "docs" / PAGES[self.name][1]

    def listed(self) -> dict[tuple[str, ...], tuple[str, str]]:
        """Return outcome and commit of the page's rows, by the cells before them."""
        lines = [line for line in self.page.read_text().splitlines() if line.startswith("| `")]
        rows = [tuple(line.strip("| ").split(" | ")) for line in lines]
        return {row[:-2]: (row[-2], row[-1]) for row in rows}

    def judged(self, mutant: Mutant) -> tuple[str, str] | None:
        """Return outcome and commit for the page: as known, else as the page has it."""
        record = self.record(mutant)
        if not record.exists():
            return self.listed().get(self.cells(mutant))
        outcome, _, commit = record.read_text().partition(" ")
        return OUTCOMES[outcome], commit


def table(world: World) -> list[Mutant]:
    """Read the defects; each has one place in its module."""
    given = tomllib.loads((ROOT / "tests" / world.name / "mutants.toml").read_text())
    mutants = [Mutant(module, **entry) for module, entries in given.items() for entry in entries]
    for mutant in mutants:
        count = world.module(mutant).read_text().count(mutant.old)
        if count != 1:
            raise SystemExit(
                f'{mutant.module} says "{mutant.old}" {count} times, not once: bring mutants.toml '
                "up to date"
            )
    return mutants


def copy(scratch: Path) -> None:
    """Copy packages and tests, such that ``loligo`` is imported from the copy."""
    ignore = shutil.ignore_patterns("__pycache__", "*.nc")
    shutil.copytree(ROOT / "api", scratch / "loligo", ignore=ignore)  # the package itself
    for name in PACKAGES:
        shutil.copytree(ROOT / name, scratch / "loligo" / name, ignore=ignore)
    shutil.copytree(ROOT / "tests", scratch / "tests", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", scratch)


def run(world: World, scratch: Path, ranks: int, *tests: str) -> tuple[str, str]:
    """Run tests on the copy: passed or failed, and what was printed; one that hangs fails."""
    launcher = ["mpirun", "-n", str(ranks)] if ranks > 1 else []
    pytest = [sys.executable, "-m", "pytest", "-q", "--color=no", "-m", "slow or not slow"]
    pytest += [f"--timeout={LIMIT}", "--timeout-method=thread", "-p", "no:cacheprovider"]
    environment = {
        **os.environ,
        "PYTHONPATH": str(scratch),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
        "PRTE_MCA_hwloc_default_binding_policy": "none",
        "OMPI_MCA_mpi_yield_when_idle": "1",
    }
    command = [*launcher, *pytest, *(f"tests/{world.name}/{test}" for test in tests)]
    with subprocess.Popen(
        command,
        cwd=scratch,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            printed, _ = process.communicate(timeout=2 * LIMIT * len(tests))
        except subprocess.TimeoutExpired:  # a rank waits for another after the tests
            os.killpg(process.pid, signal.SIGKILL)
            return "failed", process.communicate()[0]
    if process.returncode not in (0, 1):  # 1: tests failed; others are no verdict
        raise SystemExit(f"{tests} could not be run:\n{printed}")
    return "failed" if process.returncode else "passed", printed


def check(world: World, mutants: list[Mutant], scratch: Path) -> None:
    """Run the tests of mutants without them, and mark those that pass as sound."""
    tests = sorted({mutant.test for mutant in mutants})
    if not tests:
        return
    _, printed = run(world, scratch, mutants[0].ranks, *tests)
    failed = re.findall(rf"^(?:FAILED|ERROR) tests/{world.name}/(\S+)", printed, re.MULTILINE)
    for mutant in mutants:
        if any(test.startswith(mutant.test) for test in failed):
            print(f"{mutant.test} fails without a mutant; {mutant.module} waits: {mutant.what}")
        else:
            world.sound(mutant).touch()


def judge(world: World, mutant: Mutant, scratch: Path) -> None:
    """Put the defect into the copy, run its test, keep the outcome, and take the defect out."""
    original = world.module(mutant)
    broken = scratch / "loligo" / world.name / mutant.module
    text = original.read_text()
    broken.write_text(text.replace(mutant.old, mutant.new))
    forget(scratch, text)
    outcome, _ = run(world, scratch, mutant.ranks, mutant.test)
    world.record(mutant).write_text(f"{outcome} {git_commit()[:7]}")
    shutil.copy(original, broken)
    forget(scratch, text)


def forget(scratch: Path, module: str) -> None:
    """Remove what numba has kept if a module is compiled: it does not see what callers inlined."""
    if "@compiled" in module:
        for kept in scratch.rglob("*.nb[ic]"):
            kept.unlink()


def page(world: World, judged: dict[Mutant, tuple[str, str]]) -> str:
    """Return the page of what was judged: outcomes with their commits."""
    survivors = sum(outcome == OUTCOMES["passed"] for outcome, _ in judged.values())
    what, _, ladder = PAGES[world.name]
    head = HEAD.format(
        world=world.name,
        what=what,
        ladder=ladder,
        count=len(judged),
        survivors=f"**{survivors} of which survive**" if survivors else "all of which are caught",
    )
    rows = ((*world.cells(mutant), *found) for mutant, found in judged.items())
    return head + "".join(f"| {' | '.join(row)} |\n" for row in rows)


def main(name: str, modules: list[str]) -> int:
    """Judge what is not known yet; return 1 if a mutant survives."""
    if name not in PAGES:
        raise SystemExit(f"{name} is none of {', '.join(PAGES)}")
    world = World(name)
    mutants = table(world)
    if modules == ["--new"]:
        listed = world.listed()
        chosen = [mutant for mutant in mutants if world.cells(mutant) not in listed]
    else:
        chosen = [mutant for mutant in mutants if not modules or mutant.module in modules]
    open_ones = [mutant for mutant in chosen if not world.outcome(mutant)]
    print(f"{len(chosen) - len(open_ones)} of {len(chosen)} mutants are known", flush=True)
    KEPT.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        copy(scratch)
        for ranks in (1, 2):
            new = [m for m in open_ones if m.ranks == ranks and not world.sound(m).exists()]
            check(world, new, scratch)
        for mutant in open_ones:
            if world.sound(mutant).exists():
                judge(world, mutant, scratch)
                print(f"{world.outcome(mutant)}: {mutant.module}, {mutant.what}", flush=True)
    survivors = [mutant for mutant in chosen if world.outcome(mutant) == "passed"]
    for mutant in survivors:
        print(f"{mutant.module}, {mutant.what}: {mutant.test} does not notice")
    judged = {mutant: found for mutant in mutants if (found := world.judged(mutant))}
    if len(judged) == len(mutants):
        world.page.write_text(page(world, judged))
        print(f"{world.page.relative_to(ROOT)} is written")
    return int(bool(survivors) or not all(world.outcome(mutant) for mutant in chosen))


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1], sys.argv[2:]))
