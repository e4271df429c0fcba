"""Makes the reference data that loligo brings along: ``make data``, in a clone with dolfinx.

Cases are solved one after the other, cheap ones first, on two mesh levels; then on a third those
that are expected to be done within ten minutes of one core. A case whose file is of the same study
and levels and passes the check of today's schema is not solved again, and an interrupted run goes
on where it was. Beside each stands its picture. A motion takes many times what a static case does:
it is made if it is named, with two levels of time steps beside those of meshes.
"""

from __future__ import annotations

import json
import logging
import math
import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import xarray as xr

from loligo.cases import identity
from loligo.cases.case import Case
from loligo.cases.case_file import library_names, load
from loligo.cases.core import atomic as files
from loligo.cases.core.drawing import draw_apart
from loligo.cases.core.record import BadInput
from loligo.cases.dataset import io as dataset
from loligo.validation.data.shipped import (
    ManifestEntry,
    checksum,
    folder,
    read_manifest,
    shipped,
    write_manifest,
)
from loligo.validation.data.source import read_levels
from loligo.validation.plot.picture import beside

FIRST, THIRD = (0, 1), (0, 1, 2)
"""Mesh levels of every case, and of the cheap ones."""
TIMES = "0,1"
"""Levels of time steps of a motion."""
BUDGET = 600.0
"""CPU seconds that the third level may take."""
PICTURE_WIDTH = 800
"""Pixels."""

log = logging.getLogger("loligo.data")


def main(cases: Sequence[str], workshop: Path) -> None:
    """Make what is not there, or of another study, of some cases; by default of the library's."""
    cost = {case: entry.cpu_seconds for case, entry in read_manifest().items()}
    chosen = sorted(cases or static_cases(), key=lambda case: cost.get(case, math.inf))
    workshop.mkdir(parents=True, exist_ok=True)
    for levels in (FIRST, THIRD):
        for case in chosen:
            if levels == FIRST or third_level_seconds(case) < BUDGET:
                _make(case, levels, workshop)
    for case in chosen:
        _draw(case)
    lacking = sorted(set(chosen) - set(shipped()))
    log.info("without data: %s", ", ".join(lacking) or "none")


def static_cases() -> list[str]:
    """Return the cases of the library that one static solution answers."""
    return [name for name in library_names() if load(name).time is None]


def up_to_date(case: str, levels: Sequence[int]) -> bool:
    """Whether the file of a case is there, of today's study, on these levels, without findings."""
    file, entry = shipped().get(case), read_manifest().get(case)
    if file is None or entry is None or not set(levels) <= set(entry.levels):
        return False
    data = dataset.read(file)
    return dataset.check(data) == [] and same_study(data, load(case))


def same_study(data: xr.Dataset, case: Case) -> bool:
    """Whether a data set is of this case, words aside."""
    try:
        theirs = identity.written(data)
    except BadInput:  # of another schema of cases
        return False
    return theirs is not None and not identity.differences(case, theirs)


def third_level_seconds(case: str) -> float:
    """What level 2 may take: as much more than level 1 as that took more than level 0."""
    file = shipped().get(case)
    spent = [float(level.attrs["cpu_seconds"]) for level in _by_level(file)] if file else []
    return spent[1] * spent[1] / spent[0] if len(spent) > 1 else math.inf


def _by_level(file: Path) -> list[xr.Dataset]:
    meshes, _ = read_levels(file)
    return [meshes[size] for size in sorted(meshes, reverse=True)]


def _make(case: str, levels: Sequence[int], workshop: Path) -> None:
    if up_to_date(case, levels):
        log.info("%s: there on levels %s", case, levels)
        return
    made = workshop / f"{case}.nc"
    if made.exists() and not same_study(dataset.read(made), load(case)):
        made.unlink()
    words = asked(load(case), levels)
    log.info("%s: loligo %s", case, shlex.join(words))
    command = [
        sys.executable,
        "-m",
        "loligo.cli.main",
        *words,
        "--restart",
        "--force",
        "-o",
        str(made),
    ]
    done = subprocess.run(command, stdout=subprocess.DEVNULL, check=False)
    if done.returncode not in (0, 3, 4):
        log.error("%s: ended with code %d", case, done.returncode)
        return
    publish(case, made)


def asked(case: Case, levels: Sequence[int]) -> list[str]:
    """Return the words of loligo that solve a case on these levels of meshes."""
    steps = [] if case.time is None else ["--time-levels", TIMES]
    return ["solve", case.name, "--levels", ",".join(map(str, levels)), *steps]


def publish(case: str, made: Path) -> None:
    """Copy a data set among the shipped ones, with its entry in the manifest and its picture.

    The command there is that for the levels that it has: a run may have been stopped before others.
    """
    target = folder() / f"{case}.nc"
    target.parent.mkdir(exist_ok=True)
    files.replace(target, made.read_bytes())
    meshes = _by_level(target)
    levels = tuple(int(mesh.attrs["level"]) for mesh in meshes)
    attrs: dict[str, Any] = dict(dataset.read(target).attrs)
    entry = ManifestEntry(
        command=f"loligo {shlex.join(asked(load(case), levels))}",
        sha256=checksum(target),
        size=target.stat().st_size,
        levels=levels,
        unknowns=int(attrs["unknowns"]),
        cpu_seconds=round(sum(float(mesh.attrs["cpu_seconds"]) for mesh in meshes), 1),
        created=str(attrs["created"]),
        git_commit=str(attrs["git_commit"]),
        versions=json.loads(attrs["versions"]),
    )
    write_manifest({**read_manifest(), case: entry})
    _draw(case)


def _draw(case: str) -> None:
    """Draw the picture that stands beside a shipped data set, where it is not there or of others.

    What cannot be drawn here, the report draws plainly.
    """
    file = shipped().get(case)
    if file is None or beside(file) is not None:
        return
    module, picture = "loligo.validation.plot.body", file.with_suffix(".png")
    if trouble := draw_apart(module, file, picture, "-1", str(PICTURE_WIDTH)):
        log.warning("%s: not drawn: %s", case, trouble)


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    main(sys.argv[1:], Path("build") / "data")
