"""Runs the slow tests, one test file at a time, and writes docs/verification-table.md.

What a file gave is kept under build/slow/<state of the tree>; another run on the same state repeats
only the files that did not pass, so an interrupted run continues where it stopped. Named files
alone are run and kept without a table: two shares can run side by side.
"""

import datetime as dt
import hashlib
import os
import platform
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree as ET

ROOT = Path(__file__).parents[2]
LIMIT = 600.0  # seconds for a test of a file, on average
PYTEST = [sys.executable, "-m", "pytest", "--quiet", "-m", "slow"]


class SlowResult(NamedTuple):
    """What one test gave."""

    test: str
    result: str
    seconds: float


def state() -> tuple[str, str]:
    """Return the commit, and a name for the tree: the commit, with a digest of local changes."""
    commit = _git("rev-parse", "HEAD").strip()
    changes = _git("diff", "HEAD") + _git("status", "--porcelain")
    if not changes:
        return commit, commit
    digest = hashlib.sha256(changes.encode()).hexdigest()[:12]
    return f"{commit} with local changes", f"{commit}-{digest}"


def slow_tests() -> dict[str, list[str]]:
    """Return the slow tests of every test file."""
    done = subprocess.run(
        [*PYTEST, "--collect-only"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if done.returncode not in (0, 5):  # 5: there are none
        sys.exit(done.stdout + done.stderr)
    tests: dict[str, list[str]] = {}
    for line in done.stdout.splitlines():
        file, found, name = line.partition("::")
        if found:
            tests.setdefault(file, []).append(name)
    return tests


def run(file: str, limit: float, record: Path) -> str:
    """Run the slow tests of one file and let pytest write the record; return why if it did not."""
    aside = record.with_suffix(".aside")
    process = subprocess.Popen(
        [*PYTEST, file, f"--junitxml={aside}"], cwd=ROOT, start_new_session=True
    )
    try:
        code = process.wait(limit)
    except subprocess.TimeoutExpired:
        return f"not finished in {limit:.0f} s"
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    if not aside.is_file():
        return f"pytest ended with {code}"
    aside.replace(record)
    return ""


def outcomes(file: str, record: Path) -> list[SlowResult]:
    """Read what pytest recorded of one file."""
    found = []
    for case in ET.parse(record).iter("testcase"):
        bad = {child.tag for child in case} & {"failure", "error", "skipped"}
        result = "passed" if not bad else "skipped" if bad == {"skipped"} else "**failed**"
        found.append(
            SlowResult(f"{file}::{case.get('name')}", result, float(case.get("time", "nan")))
        )
    return found


def table(commit: str, found: list[SlowResult]) -> str:
    """Return the verification table."""
    today = dt.datetime.now(dt.UTC).date()
    passed = sum(outcome.result == "passed" for outcome in found)
    lines = [
        "# Verification table",
        "",
        "Written by `make test-slow`. What a test compares, and how closely, stands in the test.",
        "",
        f"- Date: {today}",
        f"- Commit: {commit}",
        f"- Machine: {_machine()}",
        f"- Passed: {passed} of {len(found)}",
        "",
        "| test | result | seconds |",
        "|---|---|---|",
        *(f"| `{o.test}` | {o.result} | {o.seconds:.0f} |" for o in found),
    ]
    return "\n".join(lines) + "\n"


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout


def _machine() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return f"{os.cpu_count()} x {line.partition(':')[2].strip()}"
    return f"{os.cpu_count()} x {platform.machine()}"


def main() -> int:
    """Run what has not passed yet; return 1 if anything did not pass."""
    commit, name = state()
    tests = slow_tests()
    share = sys.argv[1:]
    if unknown := set(share) - set(tests):
        sys.exit(f"no slow test in {', '.join(sorted(unknown))}")
    if not tests:
        print("no test is marked slow")
        return 0
    records = ROOT / "build" / "slow" / name
    records.mkdir(parents=True, exist_ok=True)
    found = []
    for file, names in tests.items():
        if share and file not in share:
            continue
        record = records / (file.replace("/", ".") + ".xml")
        if record.is_file() and all(o.result == "passed" for o in outcomes(file, record)):
            print(f"{file}: passed before")
            why = ""
        else:
            print(f"{file}: {len(names)} slow tests", flush=True)
            record.unlink(missing_ok=True)
            start = time.monotonic()
            why = run(file, LIMIT * len(names), record)
        if why:
            print(f"{file}: {why}")
            seconds = (time.monotonic() - start) / len(names)
            found += [SlowResult(f"{file}::{name}", f"**{why}**", seconds) for name in names]
        else:
            found += outcomes(file, record)
    if not share:
        page = ROOT / "docs" / "verification-table.md"
        page.parent.mkdir(exist_ok=True)
        page.write_text(table(commit, found), encoding="utf-8")
        print(f"{page.relative_to(ROOT)} is written")
    return int(any(outcome.result != "passed" for outcome in found))


if __name__ == "__main__":
    sys.exit(main())
