"""Write docs/verification*.md: which benchmark is asserted where, how closely, and what was found.

Run as ``python tests/verification.py WORLD [REPORT ...]``, WORLD ``fem`` or ``reduced``: runs the
tests of ``tests/WORLD`` that record a number (the fixture ``check``), the slow ones too, and writes
what they recorded; with reports (``--junitxml``) of earlier runs, it reads these instead. The
``RUNGS`` of a world say of every line of its ladder which tests assert it without recording
numbers; tests/test_verification.py sees that all tests which are named exist.
"""

import datetime as dt
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from xml.etree import ElementTree as ET

from fem.rungs import RUNGS as FEM
from reduced.rungs import RUNGS as REDUCED

ROOT = Path(__file__).resolve().parents[1]
WORLDS = {
    "fem": (FEM, "verification.md", "mutants.md", "Verification of the 3D solutions"),
    "reduced": (
        REDUCED,
        "verification-reduced.md",
        "mutants-reduced.md",
        "Verification of the reduced models",
    ),
}
HEAD = """# {title}

Which benchmark is asserted where, how closely, and what was found: error and tolerance are relative
unless the line says otherwise. Written by `python tests/verification.py {world}` on {today},
{source}.
Defects put in on purpose, and the tests that notice them, are in [{mutants}]({mutants}).
"""


def recorded(reports: list[Path]) -> dict[str, list[tuple[str, str, str, str]]]:
    """Return for every row what was compared, error, tolerance and test; fails if a test failed."""
    rows: dict[str, list[tuple[str, str, str, str]]] = {}
    for case in (case for report in reports for case in ET.parse(report).iter("testcase")):
        if {child.tag for child in case} & {"failure", "error", "skipped"}:
            raise SystemExit(f"{case.get('name')} did not pass; the page is left as it is")
        _, _, *room = str(case.get("classname")).split(".")
        file = "/".join(room) + ".py"
        test = f"{file}::{str(case.get('name')).partition('[')[0]}"
        for entry in case.iter("property"):
            what, found, tolerance = str(entry.get("value")).split("|")
            rows.setdefault(str(entry.get("name")), []).append((what, found, tolerance, test))
    return rows


def page(world: str, rows: dict[str, list[tuple[str, str, str, str]]], source: str) -> str:
    """Return the page."""
    rungs, _, mutants, title = WORLDS[world]
    unknown = set(rows) - set(rungs)
    if unknown:
        raise SystemExit(f"RUNGS has no line for {', '.join(sorted(unknown))}")
    today = dt.datetime.now(dt.UTC).date()
    head = {"title": title, "world": world, "mutants": mutants}
    lines = [HEAD.format(**head, today=today, source=source)]
    for rung, (what, tests) in rungs.items():
        lines += [f"## {rung}: {what}" if re.fullmatch(r"[FRS]\d+", rung) else f"## {what}", ""]
        lines += [f"- `{test}`" for test in tests] + ([""] if tests else [])
        if rung in rows:
            lines += ["| compared | found | accepted | test |", "|---|---|---|---|"]
            lines += [f"| {w} | {f} | {t} | `{test}` |" for w, f, t, test in rows[rung]]
            lines += [""]
    return "\n".join(lines)


def recording(world: str) -> list[str]:
    """Return the test files that use the fixture ``check``."""
    files = sorted((ROOT / "tests" / world).rglob("test_*.py"))
    uses = re.compile(r"^def test_[^)]*\bcheck\b", re.MULTILINE)
    return [str(f.relative_to(ROOT)) for f in files if uses.search(f.read_text())]


def main(world: str, reports: list[Path]) -> int:
    """Run the tests if there are no reports, and write the page."""
    if world not in WORLDS:
        raise SystemExit(f"{world} is none of {', '.join(WORLDS)}")
    commit = subprocess.check_output(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, text=True)
    source = f"from reports of runs up to commit {commit.strip()}"
    with tempfile.TemporaryDirectory() as folder:
        if not reports:
            source = f"at commit {commit.strip()}"
            reports = [Path(folder) / "report.xml"]
            pytest = [sys.executable, "-m", "pytest", "-q", "-m", "slow or not slow"]
            command = [*pytest, f"--junitxml={reports[0]}", *recording(world)]
            subprocess.run(command, cwd=ROOT, check=False)
        target = ROOT / "docs" / WORLDS[world][1]
        target.write_text(page(world, recorded(reports), source), encoding="utf-8")
    print(f"{target.relative_to(ROOT)} is written")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1], [Path(argument) for argument in sys.argv[2:]]))
