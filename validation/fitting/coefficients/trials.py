"""Loads that a bench could put on an arm: what each would tell is asked before anybody does it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from loligo.cases.body import ChamberedArm, TaperedArm
from loligo.cases.case import Case, Support
from loligo.cases.load.kinds import CavityPressure, TipForce, TipMoment
from loligo.meshes.bodies import length, pieces

_TURN = 0.3
"""How far each load bends or twists a solid cylinder of the arm's mean radius (rad): some tenths of
its length at the tip."""


def trials(case: Case) -> Iterator[Case]:
    """Yield the body of a case under a force or a moment at its tip; pressed ones, with it held.

    Magnitudes are those that a slender solid cylinder answers as `_TURN` says, a pull by a tenth of
    its length. Only arms have such loads.
    """
    if not isinstance(case.body, TaperedArm | ChamberedArm):
        return
    soft = [p for p in pieces(case.body) if p.region == "body"]
    radius = float(np.mean([(p.start_radius + p.end_radius) / 2.0 for p in soft]))
    along, young = length(case.body), case.material["body"].young_modulus
    bending = young * np.pi * radius**4 / 4.0
    force, moment = 2.0 * _TURN * bending / along**2, _TURN * bending / along
    pull = 0.1 * young * np.pi * radius**2
    plain = case.model_copy(
        update={"support": Support(), "steps": (1.0,), "time": None, "water": None}
    )
    for name, load in (
        ("a force across the tip", TipForce(force=(0.0, force, 0.0))),
        ("a pull at the tip", TipForce(force=(pull, 0.0, 0.0))),
        ("a bending moment at the tip", TipMoment(moment=(0.0, moment, 0.0))),
        # G J = 2/3 E I of a solid incompressible cylinder.
        ("a twisting moment at the tip", TipMoment(moment=(2.0 / 3.0 * moment, 0.0, 0.0))),
    ):
        yield plain.model_copy(update={"name": name, "load": {"trial": load}})
    pressed = any(isinstance(load, CavityPressure) for load in case.load.values())
    if pressed and case.support.tip == "free" and "tip" in case.body.discs and case.time is None:
        held = {"name": "the same with the tip held", "support": Support(tip="blocked")}
        yield case.model_copy(update=held)
