"""States that a case or a prediction should not be trusted in, in sentences: warnings, no errors.

Nothing here stops a computation. The sentences go to the screen and into the data set.
"""

from __future__ import annotations

import math

from loligo.cases.case import Case
from loligo.cases.load.kinds import CavityPressure, OuterPressure
from loligo.cases.rubber.stability import Mode, stable_range

ATMOSPHERE = 101_325.0
"""Standard pressure at the surface (Pa)."""


def vacuums(case: Case) -> list[str]:
    """Return which gauge pressures no pump can make: below absolute vacuum.

    The surroundings have the atmosphere's pressure and that of the case's outer pressures. Water
    adds its own with the depth, which a case does not state.
    """
    around = ATMOSPHERE + sum(
        max(0.0, *(f * load.pressure for f in load.path or case.steps))
        for load in case.load.values()
        if isinstance(load, OuterPressure)
    )
    said = []
    for name, load in case.load.items():
        if not isinstance(load, CavityPressure):
            continue
        lowest = load.pressure * min(load.path or case.steps, key=lambda f: f * load.pressure)
        if lowest < -around:
            said.append(
                f"load.{name}: a gauge pressure of {1e-3 * lowest:.4g} kPa is below absolute "
                f"vacuum, {-1e-3 * around:.4g} kPa at the surface"
            )
    return said


def overstretched(case: Case, max_stretch: float) -> list[str]:
    """Return which rubbers a stretch takes beyond the data of their law, or beyond its stability.

    Args:
        case: the case.
        max_stretch: largest stretch in the body; not finite where a model has none.
    """
    if not math.isfinite(max_stretch):
        return []
    modes: tuple[Mode, ...] = (
        ("uniaxial", "biaxial") if case.body.kind == "mantle" else ("uniaxial",)
    )
    said = []
    for name, rubber in case.material.items():
        if rubber.fitted_stretch is not None and max_stretch > rubber.fitted_stretch[1]:
            said.append(
                f"the law of {name} was fitted up to a stretch of {rubber.fitted_stretch[1]:.4g}; "
                f"here the body reaches {max_stretch:.4g}"
            )
        searched = (1.0 - 1e-3, max(1.0 + 1e-3, max_stretch))
        for mode in modes:
            stable = stable_range(rubber, mode, searched)
            if stable.above != "searched":
                said.append(
                    f"the law of {name} is stable up to a {mode} stretch of {stable.largest:.4g} "
                    f"({stable.above}); here the body reaches {max_stretch:.4g}"
                )
    return said
