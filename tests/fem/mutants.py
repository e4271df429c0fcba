"""Break the finite elements in known ways, one at a time, and see a named test notice each.

Run as ``python tests/fem/mutants.py [MODULE ...]``; MODULE narrows it to modules of ``fem/``. The
table of defects is mutants.toml. What is broken is a copy of the packages and the tests; the
working tree is not touched. An outcome is kept under build/mutants for as long as module, test
file and defect are the same, so that a run that was interrupted continues where it stopped.

Writes docs/mutants.md once all outcomes are known, and ends with code 1 if a mutant survives or is
left because its test fails without it.
"""

import datetime as dt
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import NamedTuple

from loligo.fem.provenance import git_commit

ROOT = Path(__file__).resolve().parents[2]
TESTS = ROOT / "tests" / "fem"
PAGE = ROOT / "docs" / "mutants.md"
KEPT = ROOT / "build" / "mutants"
PACKAGES = ("cases", "cli", "fem", "hpc", "meshes", "reduced", "validation")
LIMIT = 300
"""Seconds for one test."""

HEAD = """# Defects put in on purpose

`python tests/fem/mutants.py` breaks a copy of the finite elements in one way at a time, as
tests/fem/mutants.toml says, and runs the test that is named for it, which passes without.
This page is what it wrote on {date}, at commit {commit}: {count} mutants, {survivors}. What the
tests verify is in [verification.md](verification.md).

| module | what is broken | caught by | ranks | outcome |
|---|---|---|---|---|
"""


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

    def record(self) -> Path:
        """Return where its outcome is kept."""
        digest = hashlib.sha256(repr(self).encode())
        for file in (ROOT / "fem" / self.module, TESTS / self.test.partition("::")[0]):
            digest.update(file.read_bytes())
        return KEPT / digest.hexdigest()[:16]

    def sound(self) -> Path:
        """Return what is there once its test has passed without it."""
        return self.record().with_suffix(".sound")

    def outcome(self) -> str:
        """Return what is known of it: passed, failed or nothing."""
        record = self.record()
        return record.read_text() if record.exists() else ""


def table() -> list[Mutant]:
    """Read the defects; each has one place in its module."""
    given = tomllib.loads((TESTS / "mutants.toml").read_text())
    mutants = [Mutant(module, **entry) for module, entries in given.items() for entry in entries]
    for mutant in mutants:
        count = (ROOT / "fem" / mutant.module).read_text().count(mutant.old)
        if count != 1:
            raise SystemExit(
                f'{mutant.module} says "{mutant.old}" {count} times, not once: bring mutants.toml '
                "up to date"
            )
    return mutants


def copy(scratch: Path) -> None:
    """Copy packages and tests, such that ``loligo`` is imported from the copy."""
    for name in PACKAGES:
        ignore = shutil.ignore_patterns("__pycache__", "*.nc")
        shutil.copytree(ROOT / name, scratch / "loligo" / name, ignore=ignore)
    shutil.copytree(ROOT / "tests", scratch / "tests", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", scratch)


def run(scratch: Path, ranks: int, *tests: str) -> tuple[str, str]:
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
    done = subprocess.run(
        [*launcher, *pytest, *(f"tests/fem/{test}" for test in tests)],
        cwd=scratch,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode not in (0, 1):  # 1: tests failed; others are no verdict
        raise SystemExit(f"{tests} could not be run:\n{done.stdout}{done.stderr}")
    return "failed" if done.returncode else "passed", done.stdout


def check(mutants: list[Mutant], scratch: Path) -> None:
    """Run the tests of mutants without them, and mark those that pass as sound."""
    tests = sorted({mutant.test for mutant in mutants})
    if not tests:
        return
    _, printed = run(scratch, mutants[0].ranks, *tests)
    failed = re.findall(r"^(?:FAILED|ERROR) tests/fem/(\S+)", printed, re.MULTILINE)
    for mutant in mutants:
        if any(test.startswith(mutant.test) for test in failed):
            print(f"{mutant.test} fails without a mutant; {mutant.module} waits: {mutant.what}")
        else:
            mutant.sound().touch()


def judge(mutant: Mutant, scratch: Path) -> None:
    """Put the defect into the copy, run its test, keep the outcome, and take the defect out."""
    original = ROOT / "fem" / mutant.module
    broken = scratch / "loligo" / "fem" / mutant.module
    broken.write_text(original.read_text().replace(mutant.old, mutant.new))
    outcome, _ = run(scratch, mutant.ranks, mutant.test)
    mutant.record().write_text(outcome)
    shutil.copy(original, broken)


def page(mutants: list[Mutant]) -> str:
    """Return the page; every outcome is known."""
    survivors = sum(mutant.outcome() == "passed" for mutant in mutants)
    head = HEAD.format(
        date=dt.datetime.now(dt.UTC).date(),
        commit=git_commit(),
        count=len(mutants),
        survivors=f"**{survivors} of which survive**" if survivors else "all of which are caught",
    )
    rows = (
        f"| `fem/{m.module}` | {m.what} | `{m.test}` | {m.ranks} | "
        f"{'**survives**' if m.outcome() == 'passed' else 'caught'} |\n"
        for m in mutants
    )
    return head + "".join(rows)


def main(modules: list[str]) -> int:
    """Judge what is not known yet; return 1 if a mutant survives."""
    mutants = table()
    chosen = [mutant for mutant in mutants if not modules or mutant.module in modules]
    open_ones = [mutant for mutant in chosen if not mutant.outcome()]
    print(f"{len(chosen) - len(open_ones)} of {len(chosen)} mutants are known", flush=True)
    KEPT.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        copy(scratch)
        for ranks in (1, 2):
            check([m for m in open_ones if m.ranks == ranks and not m.sound().exists()], scratch)
        for mutant in open_ones:
            if mutant.sound().exists():
                judge(mutant, scratch)
                print(f"{mutant.outcome()}: {mutant.module}, {mutant.what}", flush=True)
    survivors = [mutant for mutant in chosen if mutant.outcome() == "passed"]
    for mutant in survivors:
        print(f"{mutant.module}, {mutant.what}: {mutant.test} does not notice")
    if all(mutant.outcome() for mutant in mutants):
        PAGE.write_text(page(mutants))
        print(f"{PAGE.relative_to(ROOT)} is written")
    return int(bool(survivors) or not all(mutant.outcome() for mutant in chosen))


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
