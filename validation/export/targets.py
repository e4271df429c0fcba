"""The targets of an export, and the files that each is made of."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any

from loligo.validation.export import pyelastica, record, soromox
from loligo.validation.export.arm import ExportedArm
from loligo.validation.export.held_out import HeldOut
from loligo.validation.export.losses import Loss, report


@dataclass(frozen=True)
class Target:
    """A code that takes an arm."""

    name: str
    """As it calls itself."""
    files: Callable[[ExportedArm, HeldOut | None], dict[str, str]]
    """Names and contents of what is written, but for the loss report."""
    losses: Callable[[ExportedArm], list[Loss]]
    lines: tuple[str, ...]
    """What else to know, in sentences."""
    takes_function: bool = False
    """Whether a softening or growing law arrives as itself."""


def _python(
    module: str,
    arrays: Callable[[ExportedArm], Mapping[str, Any]],
    tolerance: float,
) -> Callable[[ExportedArm, HeldOut | None], dict[str, str]]:
    """Return the writer of a target in Python: the record with its arrays, and a module."""

    def files(arm: ExportedArm, step: HeldOut | None) -> dict[str, str]:
        data = {**record.plain(arm, step), **arrays(arm)}
        written = {
            "law.json": json.dumps(data, indent=1) + "\n",
            f"{module}.py": _template(f"{module}.py.txt"),
        }
        if step is not None:
            check = _template("check.py.txt").replace("@MODULE@", module)
            written["check.py"] = check.replace("@TOLERANCE@", repr(tolerance))
        return written

    return files


def _template(name: str) -> str:
    file = resources.files("loligo.validation") / "export" / "templates" / name
    return file.read_text(encoding="utf-8")


_PLAIN = ("Every number of the linear law is here; a reader of the files loses nothing more.",)
TARGETS = {
    "csv": Target("CSV", record.as_csv, lambda arm: [record.interpolated(arm)], _PLAIN),
    "json": Target("JSON", record.as_json, lambda arm: [record.interpolated(arm)], _PLAIN),
    "matlab": Target("MATLAB", record.as_matlab, lambda arm: [record.interpolated(arm)], _PLAIN),
    "soromox": Target(
        "soromox",
        _python("soromox_arm", soromox.arrays, 0.002),
        soromox.losses,
        soromox.LINES,
        takes_function=True,
    ),
    "pyelastica": Target(
        "PyElastica",
        _python("pyelastica_arm", pyelastica.arrays, 0.01),
        pyelastica.losses,
        pyelastica.LINES,
        takes_function=True,
    ),
}
"""Every target by its name on the command line."""


def export(
    arm: ExportedArm, target: str, held_out: Callable[[ExportedArm], HeldOut | None]
) -> tuple[dict[str, str], HeldOut | None]:
    """Return the files of an export by name, and the step that its check repeats.

    Args:
        arm: what is exported.
        target: a key of `TARGETS`.
        held_out: finds the step, see `loligo.validation.export.held_out`.
    """
    to = TARGETS[target]
    as_taken = arm.as_itself() if to.takes_function else arm
    step = held_out(as_taken)
    files = to.files(as_taken, step)
    lines = (*to.lines, *_checked(step))
    files["LOSSES.md"] = report(as_taken, to.name, to.losses(as_taken), lines)
    return files, step


def _checked(step: HeldOut | None) -> list[str]:
    if step is None:
        return [
            "There is no check: no 3D data of this case, or none with loads that other codes take."
        ]
    kind = "fitted: no other step is in the range" if step.fitted else "held out"
    where = " and outside the law's range, as every step of the data is" if step.beyond else ""
    return [
        f"Against 3D: step {step.step}, {kind}{where}. loligo's rod with this law puts the tip "
        f"{step.error:.1%} of how far it moves from the 3D solution; check.py repeats it."
    ]
