r"""Curves and fits that are no rubber are refused, and the likely mistake is named.

Stress and stretch of a stable elastic body go the same way: :math:`\sum(\lambda - 1)P > 0`. A
mistake in a file is one of a few, and each has an inverse. A mistake is likely if its inverse turns
the curve into one that the neo-Hooke law, with its one coefficient, follows several times better.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from loligo.cases.core.record import BadInput
from loligo.cases.rubber.elastomer import NeoHooke
from loligo.validation.fitting.rubber.coupon import Array, Coupon, Mode, nominal_stress
from loligo.validation.fitting.rubber.laws import Law
from loligo.validation.fitting.rubber.search import RubberFit

LONGEST_STRETCH = 20.0
"""The softest silicones break at a stretch of about 10; twice that is no rubber."""
POOR, NO_FIT = 0.1, 0.5
"""Rms residual over rms stress: beyond the one a fit is refused if a mistake explains it, beyond
the other in any case. At 0.5 a quarter of the sum of squares of the stress is not explained."""
MUCH_BETTER = 3.0
"""Factor on the misfit of the neo-Hooke law by which a mistake must explain a curve."""
NO_MODULUS = 1e-6
"""Part of all stress that the initial modulus makes, below which there is none."""
_UNITS = {"Pa": 1.0, "kPa": 1e3, "MPa": 1e6}


def check_curves(curves: tuple[Coupon, ...]) -> None:
    """Refuse curves that no elastic body has; raises BadInput with the likely mistake."""
    for c in curves:
        if not c.stress.any():
            raise BadInput(f"{c.mode}: every stress is zero: is the right column named stress?")
        if c.stretch[-1] > LONGEST_STRETCH:
            raise BadInput(
                f"{c.mode}: a stretch of {c.stretch[-1]:.4g} is beyond every rubber: "
                f"{likely_mistake(c) or 'stretch is 1 + strain, 1.5 for a strain of 50 %'}"
            )
        if float((c.stretch - 1.0) @ c.stress) <= 0.0:
            raise BadInput(
                f"{c.mode}: stress goes against stretch, which no elastic body does: "
                + (
                    likely_mistake(c)
                    or "a stretch is 1 + strain, and a tensile stress (stretch above 1) is positive"
                )
            )


def check_fit(found: RubberFit, curves: tuple[Coupon, ...]) -> None:
    """Refuse a fit that is no rubber; raises BadInput with the likely mistake.

    Args:
        found: The fit.
        curves: The curves it was fitted to.
    """
    law, points = found.law, found.points
    weighted = points.stress * points.weight
    mu = law.elastomer(found.values).shear_modulus
    unit = Law("neo_hooke").stress(np.ones(1), points) * points.weight
    if mu * np.linalg.norm(unit) <= NO_MODULUS * np.linalg.norm(weighted):
        raise BadInput(
            f"no rubber: the best fit of {law.energy} has an initial shear modulus of {mu:.3g} Pa, "
            "which must be positive: "
            + (likely_mistake(*curves) or "fit a smaller law, or add points at small stretch")
        )
    misfit = float(np.linalg.norm(found.residual) / np.linalg.norm(weighted))
    mistake = likely_mistake(*curves) if misfit > POOR else ""
    if misfit > NO_FIT or mistake:
        raise BadInput(
            f"no rubber: {law.energy} leaves an rms residual of {misfit:.0%} of the stress: "
            + (mistake or "look at the columns and units of the data, or choose another law")
        )


def likely_mistake(*curves: Coupon) -> str:
    """Return, as a question, the mistake behind the first curve that has one; empty if none has."""
    for c in curves:
        least = _misfit(c.mode, c.stretch, c.stress) / MUCH_BETTER
        best = ""
        for mistake, stretch, stress in _undone(c):
            misfit = _misfit(c.mode, stretch, stress)
            if misfit < least:
                least, best = misfit, mistake
        if best:
            return best
    return ""


def _undone(c: Coupon) -> Iterator[tuple[str, Array, Array]]:
    """Yield mistakes with stretch and stress as they would be without them."""
    yield "is the sign of the stress turned? tension is positive", c.stretch, -c.stress
    yield (
        "is the column of stretches one of strains? a stretch is 1 + strain",
        1.0 + c.stretch,
        c.stress,
    )
    yield (
        "are the stretches strains in per cent? a stretch is 1 + strain/100",
        1.0 + c.stretch / 100.0,
        c.stress,
    )
    for unit, size in _UNITS.items():
        stretch: Array = np.asarray(c.stress / size, dtype=np.float64)
        if stretch.min() > 0.0 and stretch.max() < LONGEST_STRETCH:
            yield f"are the columns of stretch and stress [{unit}] swapped?", stretch, c.stretch


def _misfit(mode: Mode, stretch: Array, stress: Array) -> float:
    """Return the rms residual of the best neo-Hooke law over the rms stress, 1 if mu = 0."""
    column = nominal_stress(NeoHooke.model_construct(mu=1.0), mode, stretch)
    mu = max(float(column @ stress / (column @ column)), 0.0) if column.any() else 0.0
    return float(np.linalg.norm(mu * column - stress) / np.linalg.norm(stress))
