"""A controller's model: arcs in equilibrium, as one file of C or of NumPy without other needs.

Every soft length is an arc of three strains x = (bend_y, bend_z, stretch - 1), as in the model pcc.
With K the section's stiffness integrated over the arc, s its softening and b(p) what pressures do,

    d/dx [x K x/(2 (1 + s x_3))] = b(p) + (d tip/dx)^T F

is solved by Newton's method with the exact tangent; the Jacobian of the tip by pressures follows
from the same tangent. Numbers and equations are the same in both languages.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from loligo.cases.core.record import BadInput
from loligo.reduced.predict.arm_loads import arm_rod
from loligo.validation.export.arm import ExportedArm
from loligo.validation.export.filling import filled
from loligo.validation.export.held_out import HeldOut
from loligo.validation.export.losses import Loss, coupling

_STRAINS = [1, 2, 3]
"""Of the six, those that an arc has."""


def numbers(arm: ExportedArm) -> dict[str, Any]:
    """Return the numbers of the model by their names in the templates."""
    if not arm.chambers:
        raise BadInput(
            f"{arm.case.name}: a controller's model is driven by chambers, and this arm has none"
        )
    rod = arm_rod(arm.body, arm.law, arcs=True)
    soft = arm.soft
    X, weight = rod.grid.gauss, rod.grid.gauss_weights
    stiffness = []
    for piece in soft:
        here = (piece.start < X) & (piece.end > X)
        k = arm.law.stiffness(X[here])[:, _STRAINS][:, :, _STRAINS]
        stiffness.append(np.tensordot(weight[here], k, 1))
    starts = [piece.start for piece in soft]
    before = [0.0, *(piece.end for piece in soft[:-1])]
    return {
        "LENGTH": [piece.length for piece in soft],
        "GAP": [a - b for a, b in zip(starts, before, strict=True)],
        "RADIUS": [max(piece.start_radius, piece.end_radius) for piece in soft],
        "STIFFNESS": np.array(stiffness).tolist(),
        "AT": [starts.index(chamber.start) for chamber in arm.chambers],
        "WRENCH": [chamber.wrench[_STRAINS].tolist() for chamber in arm.chambers],
        "LOW": [chamber.allowed[0] for chamber in arm.chambers],
        "HIGH": [chamber.allowed[1] for chamber in arm.chambers],
        "MAX_STRETCH": arm.allowed_stretch,
        "SOFTENING": arm.law.softening,
        "GROWTH": arm.law.growth,
    }


def as_c(arm: ExportedArm, step: HeldOut | None) -> dict[str, str]:
    """Return the model in C: a source, its header, and a check."""
    name = module_name(arm)
    values = {key: _c(value) for key, value in numbers(arm).items()}
    values |= _words(arm, name) | {"NAMES": ", ".join(c.name for c in arm.chambers)}
    values |= {"ARCS": str(len(arm.soft)), "CHAMBERS": str(len(arm.chambers))}
    files = {
        f"{name}.h": filled("controller.h.txt", values),
        f"{name}.c": filled("controller.c.txt", values),
    }
    if step is not None and carried(step):
        values |= {
            "PRESSURE": _c([step.pressure[chamber.name] for chamber in arm.chambers]),
            "FORCE": _c(step.force.tolist()),
            "TIP_3D": _c(step.tip.tolist()),
            "TIP_LOLIGO": _c(step.repeated.tolist()),
            "MOVED": _c(step.moved),
        }
        files["check.c"] = filled("controller_check.c.txt", values)
    return files


def as_numpy(arm: ExportedArm, step: HeldOut | None) -> dict[str, str]:
    """Return the model as a module of NumPy, and a check."""
    name = module_name(arm)
    values = {key: repr(value) for key, value in numbers(arm).items()}
    values = {key: value.replace("inf", "np.inf") for key, value in values.items()}
    values |= _words(arm, name) | {"NAMES": repr([c.name for c in arm.chambers])}
    files = {f"{name}.py": filled("controller.py.txt", values)}
    if step is not None and carried(step):
        values |= {
            "PRESSURE": repr([step.pressure[chamber.name] for chamber in arm.chambers]),
            "FORCE": repr(step.force.tolist()),
            "TIP_3D": repr(step.tip.tolist()),
            "TIP_LOLIGO": repr(step.repeated.tolist()),
            "MOVED": repr(step.moved),
        }
        files["check.py"] = filled("controller_check.py.txt", values)
    return files


def carried(step: HeldOut) -> bool:
    """Return whether a step's loads are pressures and a force fixed in space alone."""
    along = step.line(np.linspace(0.0, step.rest[0], 50))
    return (
        not np.any(along) and not np.any(step.moment) and not (step.follower and step.force.any())
    )


def losses(arm: ExportedArm) -> list[Loss]:
    """Return what arcs do not have of the law."""
    pairs = [(i, j) for i in _STRAINS for j in (0, 4, 5)]
    return [
        Loss(
            "coupling to torsion and shear",
            coupling(arm, pairs),
            "largest such term of the stiffness over the roots of its diagonals",
        )
    ]


def module_name(arm: ExportedArm) -> str:
    """Return a name for files and functions from that of the case."""
    name = re.sub(r"\W", "_", arm.case.name).lower()
    return name if not name[:1].isdigit() else f"arm_{name}"


def _words(arm: ExportedArm, name: str) -> dict[str, str]:
    source = arm.source.replace("*/", "* /").replace('"', "'").replace("\\", "/")
    title = f"A controller's model of {arm.case.name}."
    return {"NAME": name, "UPPER": name.upper(), "TITLE": title, "SOURCE": source}


def _c(value: Any) -> str:
    """Return numbers as C writes them."""
    if isinstance(value, list):
        return "{" + ", ".join(_c(one) for one in value) + "}"
    if isinstance(value, int):
        return str(value)
    if np.isinf(value):
        return "HUGE_VAL" if value > 0.0 else "-HUGE_VAL"
    return f"{value:.17g}"


LINES = (
    "The model is arcs of constant curvature and stretch: no torsion, no shear, no weight.",
    "Loads are pressures and a force at the tip that is fixed in space.",
    "A softening or growing law of coefficients arrives as a function.",
)
