"""Makes the section laws of the solid that loligo brings along: ``make laws``, with dolfinx.

One law serves all soft lengths with the same section, rubber and thread. Where a section bears
every pressure alone and beside the others, its chambers are independent. Where it does not (a wide
chamber bulges alone, thread slackens), a law is made for the pressures of each case. A law that is
there and belongs to today's case is not made again unless it is named.
"""

from __future__ import annotations

import logging
import resource
import shlex
import subprocess
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from loligo.cases.case_file import load
from loligo.cases.core import atomic as files
from loligo.cases.core.provenance import git_commit, versions
from loligo.cases.section_law.shipped import Entry, folder, identity, read_manifest, write_manifest
from loligo.validation.data.shipped import checksum

MADE = {
    "cylinder": ("cylinder", None),
    "gong_bending": ("gong_bending_one", "30 kPa"),
    "gong_elongation": ("gong_elongation", None),
    "liu_segment": ("liu_segment", None),
    "liu_segment_small": ("liu_segment", "20 kPa"),
    "renda_arm": ("renda_arm_tip_force", None),
    "zhang_actuator": ("zhang_actuator", None),
    "zhang_joint_one": ("zhang_joint_one", None),
    "zhang_joint_two": ("zhang_joint_two", None),
    "zhang_joint_three": ("zhang_joint_three", None),
}
"""Case and largest pressure of independent chambers, by the law's name; without a pressure the law
is for those of the case. A limb that tapers around a bore has none."""
_PACKAGES = ("loligo", "numpy", "scipy", "fenics-dolfinx")

log = logging.getLogger("loligo.laws")


def main(names: Sequence[str], workshop: Path) -> None:
    """Make the laws that are named; by default those that are not there, or of other sections."""
    for name in names or [name for name in MADE if not up_to_date(name)]:
        log.info("%s", name)
        made = workshop / f"{name}.nc"
        entry = make(name, made)
        folder().mkdir(exist_ok=True)
        files.replace(folder() / f"{name}.nc", made.read_bytes())
        write_manifest({**read_manifest(), name: entry})


def up_to_date(name: str) -> bool:
    """Whether the law is there and belongs to today's case."""
    entry = read_manifest().get(name)
    return entry is not None and entry.belongs_to == identity(load(MADE[name][0]))


def words(name: str, file: Path) -> list[str]:
    """Return the words of loligo that make a law."""
    case, pressure = MADE[name]
    span = [] if pressure is None else ["--pressure", pressure]
    return ["section", case, "--law", *span, "-o", str(file)]


def make(name: str, file: Path) -> Entry:
    """Solve the sections of a law, write it to a file, and return its entry."""
    file.parent.mkdir(parents=True, exist_ok=True)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "loligo.cli.main", *words(name, file), "--force"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Entry(
        command=f"loligo {shlex.join(words(name, Path(file.name)))}",
        sha256=checksum(file),
        size=file.stat().st_size,
        cpu_seconds=round(spent, 1),
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        git_commit=git_commit(),
        versions=versions(_PACKAGES),
        belongs_to=identity(load(MADE[name][0])),
    )


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    main(sys.argv[1:], Path("build") / "laws")
