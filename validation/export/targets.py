"""The targets of an export, and the files that each is made of."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from loligo.cases.case import Case
from loligo.cases.coefficients import Coefficients
from loligo.cases.section_law.law import ArmLaws
from loligo.validation.export import controller, mujoco, pyelastica, record, soromox, sorosim
from loligo.validation.export.arm import ExportedArm, exported_arm
from loligo.validation.export.filling import filled
from loligo.validation.export.held_out import HeldOut, held_out
from loligo.validation.export.losses import Loss, report


@dataclass(frozen=True, eq=False)
class Export:
    """The files of an arm for a target."""

    arm: ExportedArm
    """As the target takes it."""
    files: dict[str, str]
    """Contents by name."""
    step: HeldOut | None
    """That the check repeats."""


@dataclass(frozen=True)
class ExportTarget:
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
    takes_solid: bool = False
    """Whether so does a law of the solid."""
    arcs: bool = False
    """Whether it is an arm of arcs, the model pcc, and no rod."""


def _python(
    module: str,
    arrays: Callable[[ExportedArm], Mapping[str, Any]],
    tolerance: Callable[[ExportedArm], float],
    more: Callable[[ExportedArm], dict[str, str]] = lambda arm: {},
) -> Callable[[ExportedArm, HeldOut | None], dict[str, str]]:
    """Return the writer of a target in Python: the record with its arrays, and a module."""

    def files(arm: ExportedArm, step: HeldOut | None) -> dict[str, str]:
        data = {**record.plain(arm, step), **arrays(arm)}
        written = {
            "law.json": json.dumps(data, indent=1) + "\n",
            f"{module}.py": filled(f"{module}.py.txt", {}),
            **more(arm),
        }
        if step is not None:
            words = {"MODULE": module, "TOLERANCE": f"{tolerance(arm):.3g}"}
            written["check.py"] = filled("check.py.txt", words)
        return written

    return files


_PLAIN = ("Every number of the linear law is here; a reader of the files loses nothing more.",)
TARGETS = {
    "c": ExportTarget(
        "C", controller.as_c, controller.losses, controller.LINES, takes_function=True, arcs=True
    ),
    "numpy": ExportTarget(
        "NumPy",
        controller.as_numpy,
        controller.losses,
        controller.LINES,
        takes_function=True,
        arcs=True,
    ),
    "csv": ExportTarget("CSV", record.as_csv, lambda arm: [record.interpolated(arm)], _PLAIN),
    "json": ExportTarget("JSON", record.as_json, lambda arm: [record.interpolated(arm)], _PLAIN),
    "matlab": ExportTarget(
        "MATLAB", record.as_matlab, lambda arm: [record.interpolated(arm)], _PLAIN
    ),
    "soromox": ExportTarget(
        "soromox",
        _python("soromox_arm", soromox.arrays, lambda arm: 0.002),
        soromox.losses,
        soromox.LINES,
        takes_function=True,
        takes_solid=True,
    ),
    "sorosim": ExportTarget("SoRoSim", sorosim.files, sorosim.losses, sorosim.LINES),
    "pyelastica": ExportTarget(
        "PyElastica",
        _python("pyelastica_arm", pyelastica.arrays, lambda arm: 0.01),
        pyelastica.losses,
        pyelastica.LINES,
        takes_function=True,
        takes_solid=True,
    ),
    "mujoco": ExportTarget(
        "MuJoCo",
        _python(
            "mujoco_arm",
            mujoco.arrays,
            lambda arm: 0.005 + mujoco.shear(arm),
            lambda arm: {"arm.xml": mujoco.as_xml(arm)},
        ),
        mujoco.losses,
        mujoco.LINES,
    ),
}
"""Every target by its name on the command line."""


def export(
    case: Case,
    target: str,
    coefficients: Coefficients | None = None,
    laws: ArmLaws | None = None,
    data: Path | None = None,
) -> Export:
    """Return an arm's section law as the files of a target.

    Args:
        case: the case.
        target: a key of `TARGETS`.
        coefficients: sections and factors in place of those from geometry and rubber.
        laws: section laws of the solid, in place of coefficients.
        data: 3D data of the case for the check; by default those that loligo finds.

    Raises:
        BadInput: if the body is no arm, or coefficients, laws or data belong to another.
    """
    to = TARGETS[target]
    arm = exported_arm(case, coefficients, laws, model="pcc" if to.arcs else "rod")
    arm = arm if to.takes_solid else arm.linear()
    if to.takes_function:
        arm = arm.as_itself()
    step = held_out(arm, data, arcs=to.arcs)
    files = to.files(arm, step)
    files["LOSSES.md"] = report(arm, to.name, to.losses(arm), (*to.lines, *_checked(step)))
    return Export(arm, files, step)


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
