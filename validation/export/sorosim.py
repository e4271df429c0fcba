"""An arm for SoRoSim (MATLAB): functions that fill a loaded linkage with the law.

SoRoSim has stiffness, damping and inertia of a division as matrices (6 nip, 6), one 6x6 below the
other at its quadrature points. Order and frames are loligo's. The functions write them for the
points that the linkage has, and make its K and D again. Setting a property of a link afterwards
lets SoRoSim overwrite them: fill last.
"""

from __future__ import annotations

from loligo.validation.export import record
from loligo.validation.export.arm import ExportedArm
from loligo.validation.export.filling import filled
from loligo.validation.export.held_out import HeldOut
from loligo.validation.export.losses import Loss

_FUNCTIONS = ("loligo_sorosim", "loligo_actuation", "loligo_at")


def files(arm: ExportedArm, step: HeldOut | None) -> dict[str, str]:
    """Return the law as MATLAB's function, and those that fill a linkage with it."""
    functions = {f"{name}.m": filled(f"{name}.m.txt", {}) for name in _FUNCTIONS}
    return {**record.as_matlab(arm, step), **functions}


def losses(arm: ExportedArm) -> list[Loss]:
    """Return what SoRoSim cannot hold."""
    return [record.interpolated(arm)]


LINES = (
    "The whole 6x6 stiffness, damping and inertia arrive. Between its rows a taper is interpolated "
    "by cubics, much better than the linear number above.",
    "Call `S = loligo_sorosim(S)` last: a property that is set on a link overwrites the law.",
    "Chambers act through SoRoSim's CustomActuation: `Fact = loligo_actuation(S, pressure)`.",
    "There is no check script: SoRoSim's linkages are made in dialogs.",
)
