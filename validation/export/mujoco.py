"""An arm for MuJoCo: a chain of bodies with a slide and three hinges between them.

MuJoCo's joints have springs and dampers of their own, so that no plugin is needed. With D the
length between the middles of two elements, a joint has the stiffness

    k = 1/(integral of 1/K over the soft part of D)

of the diagonal of the law, and its damping likewise; a pressure p pushes on each of its four
coordinates by p w, w the chamber's wrench: what the active wrench works on the strain. The share of
the soft part within a chamber's length counts. Elements are those of PyElastica; a last one without
length holds the tip.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from loligo.reduced.lie import Array
from loligo.validation.export.arm import ExportedArm, between
from loligo.validation.export.elements import ends_of, slowest
from loligo.validation.export.losses import Loss, coupling

_JOINTS = (3, 0, 1, 2)
"""Strains of a joint's coordinates: slide along x, hinges about x, y, z."""
_AXES = ("1 0 0", "1 0 0", "0 1 0", "0 0 1")
_MASSLESS = 1e-6
"""Mass of a body that the arm does not have, over that of an element."""


def arrays(arm: ExportedArm) -> dict[str, Any]:
    """Return the record's arrays of MuJoCo: how pressures push on the joints."""
    ends, soft = _ends(arm)
    push = []
    for chamber in arm.chambers:
        rows = []
        for a, b, inside in _spans(ends, soft):
            part = (
                max(0.0, min(b, chamber.end) - max(a, chamber.start)) / (b - a) if inside else 0.0
            )
            rows.append((part * chamber.wrench[list(_JOINTS)]).tolist())
        push.append(rows)
    return {
        "mujoco": {
            "push": push,
            "joints": [bool(inside) for _, _, inside in _spans(ends, soft)],
            "ends": ends.tolist(),
            "tip": int(np.argmin(np.abs(ends - arm.soft[-1].end))),
            "frequency": slowest(arm)[0],
        }
    }


def _ends(arm: ExportedArm) -> tuple[Array, list[bool]]:
    ends, soft = ends_of(arm)
    if soft[-1]:
        return np.append(ends, ends[-1] + 1e-3 * (ends[-1] - ends[-2])), [*soft, False]
    return ends, soft


def _spans(ends: Array, soft: list[bool]) -> list[tuple[float, float, bool]]:
    """Return the soft part of every length between middles, and whether there is one."""
    found = []
    for (a, b, c), (one, other) in zip(
        zip(ends, ends[1:], ends[2:], strict=False), pairwise(soft), strict=True
    ):
        start, end = (0.5 * (a + b) if one else b), (0.5 * (b + c) if other else b)
        found.append((float(start), float(end), bool(end > start)))
    return found


def as_xml(arm: ExportedArm) -> str:
    """Return the model as MJCF; the base is the world's."""
    ends, soft = _ends(arm)
    spans = _spans(ends, soft)
    start, last = arm.pieces[0].start, arm.pieces[-1].end
    rows = [
        f'<mujoco model="{arm.case.name}">',
        f"  <!-- {arm.source.replace('--', '-')}; written by loligo export -->",
        '  <option integrator="implicitfast" gravity="0 0 0" timestep="1e-4">',
        '    <flag contact="disable"/>',
        "  </option>",
        "  <worldbody>",
    ]
    for i, (a, b) in enumerate(pairwise(ends)):
        indent = "  " * (2 + min(i, 20))
        inner = indent + "  "
        at = "0" if i == 0 else f"{ends[i] - max(ends[i - 1], start):.17g}"
        rows.append(f'{indent}<body name="b{i}" pos="{at} 0 0">')
        if i > 0:
            rows += [inner + row for row in _joints(arm, i - 1, spans[i - 1])]
        if b > start:  # else it is the place of the base alone
            rows += [inner + row for row in _element(arm, max(a, start), b, last)]
    rows += ["  " * (2 + min(i, 20)) + "</body>" for i in reversed(range(len(ends) - 1))]
    rows += ["  </worldbody>", "</mujoco>"]
    return "\n".join(rows) + "\n"


def _joints(arm: ExportedArm, number: int, span: tuple[float, float, bool]) -> list[str]:
    a, b, inside = span
    if not inside:
        return []
    soft = _over(arm.law.stiffness, a, b)
    viscous = between(lambda X: np.diagonal(arm.damping(X), axis1=1, axis2=2), a, b) / (b - a)
    return [
        f'<joint name="j{number}_{"sxyz"[k]}" type="{"slide" if k == 0 else "hinge"}" '
        f'axis="{_AXES[k]}" stiffness="{soft[strain]:.17g}" damping="{viscous[strain]:.17g}"/>'
        for k, strain in enumerate(_JOINTS)
    ]


def _over(field: Any, a: float, b: float) -> Array:
    """Return 1 over the compliance of a soft span, of the diagonal."""
    mean = between(lambda X: 1.0 / np.diagonal(field(X), axis1=1, axis2=2), a, b)
    stiff: Array = 1.0 / (mean * (b - a))
    return stiff


def _element(arm: ExportedArm, a: float, b: float, last: float) -> list[str]:
    """Return mass and inertia of an element about its middle, and its picture."""
    there = b <= last + 1e-9 * last
    width = b - a
    inertia = between(arm.inertia, a, b) if there else between(arm.inertia, last - width, last)
    share = 1.0 if there else _MASSLESS
    mass = share * inertia[3, 3] * width
    across = mass * width**2 / 12.0 * np.array([0.0, 1.0, 1.0])
    moments = " ".join(f"{m:.17g}" for m in share * np.diag(inertia)[:3] * width + across)
    return [
        f'<inertial pos="{0.5 * width:.17g} 0 0" mass="{mass:.17g}" diaginertia="{moments}"/>',
        f'<geom type="cylinder" size="{_radius(arm, a, b):.6g}" fromto="0 0 0 {width:.17g} 0 0" '
        'mass="0"/>',
    ]


def _radius(arm: ExportedArm, a: float, b: float) -> float:
    x = 0.5 * (a + b)
    return float(min(arm.pieces, key=lambda p: abs(0.5 * (p.start + p.end) - x)).radius(x))


def shear(arm: ExportedArm) -> float:
    """Return what part of the tip's way under a force across it is shear, about."""
    k = arm.law.stiffness(np.array([0.5 * (p.start + p.end) for p in arm.soft]))
    length = sum(piece.length for piece in arm.soft)
    return float(3.0 * (k[:, 1, 1] / k[:, 4, 4]).max() / length**2)


def losses(arm: ExportedArm) -> list[Loss]:
    """Return what the chain cannot hold."""
    pairs = [(i, j) for i in range(4) for j in range(i)]
    return [
        Loss(
            "coupling of strains",
            coupling(arm, pairs),
            "largest term beside the diagonal over the roots of its diagonals",
        ),
        Loss(
            "shear",
            shear(arm),
            "part of the tip's way under a force across it that is shear: 3 EI/(kGA L^2)",
        ),
    ]


LINES = (
    "Bends, torsion and stretch are springs of joints, with the rubber's viscosity: no plugin.",
    "`push` sets the joints' forces for pressures; MuJoCo's own actuators stay free.",
    "Water is left out.",
)
