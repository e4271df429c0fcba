r"""Liu 2020 Eq 1g, p1 = a p2 + b: by what pressure segment 1 makes up for what hangs below it.

Segments 1 and 2 bend against each other; with equal pressures the tip would be upright if segment 1
did not carry the rest. Pairs of pressures that keep it upright are measured, or found by a rod
(`upright`); a and b are their regression line (`fit_offset`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats
from scipy.optimize import root_scalar

from loligo.cases.case import Case
from loligo.cases.coefficients import Coefficients
from loligo.cases.core.record import BadInput
from loligo.cases.load.kinds import CavityPressure
from loligo.reduced.predict.predict import NothingPredicted, answer
from loligo.validation.data.quantities import Array


@dataclass(frozen=True)
class Offset:
    """p1 = a p2 + b with 95 % intervals."""

    slope: float
    """a."""
    slope_interval: tuple[float, float]
    offset: float
    """b (Pa)."""
    offset_interval: tuple[float, float]
    determination: float
    """R^2."""


def fit_offset(second: ArrayLike, first: ArrayLike) -> Offset:
    """Return the line through pressures of segment 1 (Pa) over those of segment 2 (Pa)."""
    second, first = np.asarray(second, float), np.asarray(first, float)
    if second.size < 3 or second.shape != first.shape or np.ptp(second) == 0.0:
        raise BadInput("a line and its uncertainty take three pairs of pressures or more")
    found = stats.linregress(second, first)
    reach = stats.t.ppf(0.975, second.size - 2)
    return Offset(
        float(found.slope),
        _around(found.slope, reach * found.stderr),
        float(found.intercept),
        _around(found.intercept, reach * found.intercept_stderr),
        float(found.rvalue**2),
    )


def upright(
    case: Case,
    cavities: tuple[str, str],
    pressures: Sequence[float],
    coefficients: Coefficients | None = None,
) -> Array:
    """Return the pressures (Pa) of a cavity that keep the tip upright, as a rod has it.

    Args:
        case: the arm; its loads other than pressures stay at their full magnitude.
        cavities: that of segment 1, whose pressure is sought, and that of segment 2.
        pressures: of the cavity of segment 2 (Pa).
        coefficients: of the rod.

    Raises:
        NothingPredicted: if the rod finds no such state.
    """
    kept = {name: load for name, load in case.load.items() if not isinstance(load, CavityPressure)}
    kept = {name: load.model_copy(update={"path": (1.0,)}) for name, load in kept.items()}

    def tilt(first: float, second: float) -> Array:
        """Where the tip points to across the axis (y, z)."""
        both = {
            f"pressure_{cavity}": CavityPressure(cavities=(cavity,), pressure=pressure)
            for cavity, pressure in zip(cavities, (first, second), strict=True)
        }
        loaded = case.model_copy(update={"load": kept | both, "steps": (1.0,)})
        found = answer(loaded, "rod", coefficients=coefficients, shape_only=True)
        return np.asarray(found["frame"].values[0, -1, 1:3, 0])

    found = []
    for second in pressures:
        way = tilt(2.0 * second, second) - tilt(second, second)
        way /= np.linalg.norm(way)
        root = root_scalar(
            lambda first, second=second, way=way: float(way @ tilt(first, second)),
            x0=second,
            x1=1.02 * second,
            xtol=1e-6 * second,
        )
        if not root.converged:
            raise NothingPredicted(f"{case.name}: no pressure keeps the tip upright ({root.flag})")
        found.append(root.root)
    return np.array(found)


def _around(value: float, reach: float) -> tuple[float, float]:
    return float(value - reach), float(value + reach)
