"""Print the test files that a change touches, a line each: those of today's changes by default.

Usage: ``python hpc/checks/touched.py [REVISION]``: changes since that commit; without it, those
that are not committed. A changed test file counts, and for a changed module ``room/name.py`` the
file ``tests/room/test_name.py``, or all tests of its room if there is none of that name. What
touches nothing is checked by the tests of `cases`, which take seconds.
"""

import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).parents[2]
QUICK = "tests/cases"


def changed(revision: str) -> list[str]:
    """Return the files that differ from a commit, new ones included."""
    new = ["ls-files", "--others", "--exclude-standard"]
    return [
        line
        for command in (["diff", "--name-only", revision], new)
        for line in subprocess.check_output(["git", *command], cwd=ROOT, text=True).splitlines()
    ]


def tests_of(files: Iterable[str], root: Path = ROOT) -> list[str]:
    """Return the test files and folders of some files; see above."""
    tests: set[str] = set()
    for name in files:
        path = Path(name)
        if path.suffix != ".py" or not (root / path).is_file():
            continue
        if path.parts[0] == "tests":
            if path.name.startswith("test_"):
                tests.add(name)
            continue
        beside = Path("tests") / path.parent / f"test_{path.name}"
        room = Path("tests") / path.parent
        if (root / beside).is_file():
            tests.add(str(beside))
        elif (root / room).is_dir() and (len(path.parts) > 2 or path.parts[0] == "api"):
            tests.add(str(room))
    return sorted(tests) or [QUICK]


if __name__ == "__main__":
    print("\n".join(tests_of(changed(sys.argv[1] if len(sys.argv) > 1 else "HEAD"))))
