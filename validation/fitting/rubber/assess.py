"""What a fit is worth: coefficients with their intervals, predictions, stability, cautions."""

from __future__ import annotations

from typing import Literal

import numpy as np

from loligo.cases.rubber import stability as stable
from loligo.cases.rubber.elastomer import Elastomer
from loligo.validation.fitting.rubber.cautions import cautions
from loligo.validation.fitting.rubber.coupon import (
    MODES,
    Coupon,
    Mode,
    fingerprint,
    first_invariant,
    nominal_stress,
    stretch_range,
    stretch_reaching,
)
from loligo.validation.fitting.rubber.identify import identify, standard_error
from loligo.validation.fitting.rubber.intervals import bootstrap, profile, wald
from loligo.validation.fitting.rubber.record import (
    Calibration,
    Curve,
    FittedCoefficient,
    Range,
    Stability,
    Weighting,
)
from loligo.validation.fitting.rubber.search import RubberFit
from loligo.validation.fitting.statistics import Interval

STABLE_MODES: dict[Mode, stable.Mode] = {
    "uniaxial": "uniaxial",
    "equibiaxial": "biaxial",
    "pure_shear": "planar",
}
"""The modes as `loligo.cases.rubber.stability` calls them."""


def assess(
    found: RubberFit,
    fitted: tuple[Coupon, ...],
    held_out: tuple[Coupon, ...] = (),
    *,
    seed: int,
    replicates: int = 400,
    by: Literal["block", "mode"] = "block",
    weighting: Weighting | None = None,
) -> Calibration:
    """Judge a fit.

    Args:
        found: The fit.
        fitted: The curves it was fitted to.
        held_out: Curves it was not, to be predicted.
        seed: Of the bootstrap.
        replicates: Refits of the bootstrap.
        by: What the bootstrap draws: "block" or "mode".
        weighting: What speaks for the kind of residual, where the data chose it.
    """
    law = found.law.elastomer(found.values)
    known = identify(found, fitted)
    errors = standard_error(found)
    intervals = zip(
        wald(found),
        [profile(found, i) for i in range(found.values.size)],
        bootstrap(found, fitted, seed=seed, replicates=replicates, by=by),
        strict=True,
    )
    coefficients = tuple(
        FittedCoefficient(
            name=name,
            value=float(value),
            unit=unit,
            at_bound=bool(bound),
            standard_error=_finite(error),
            wald=_range(tangent),
            profile=_range(likely),
            bootstrap=_range(resampled),
        )
        for name, unit, value, bound, error, (tangent, likely, resampled) in zip(
            found.law.names,
            found.law.units,
            found.values,
            found.at_bound,
            errors,
            intervals,
            strict=True,
        )
    )
    curves = tuple(
        [_curve(found, c, True) for c in fitted] + [_curve(found, c, False) for c in held_out]
    )
    reach = float(first_invariant(found.points.first, found.points.second).max())
    asked = {
        c.mode: (min(1.0, float(c.stretch[0])), float(c.stretch[-1])) for c in (*fitted, *held_out)
    }
    stability = tuple(
        _stability(law, mode, asked.get(mode, (1.0, stretch_reaching(mode, reach))))
        for mode in MODES
    )
    correlation = np.where(np.isfinite(known.correlation), known.correlation, np.eye(errors.size))
    return Calibration(
        energy=found.law.energy,
        coefficients=coefficients,
        fitted_stretch=stretch_range(fitted),
        residual="relative" if found.points.relative else "absolute",
        weighting=weighting,
        points=found.residual.size,
        sum_of_squares=found.sum_of_squares,
        standard_deviation=float(np.sqrt(found.variance)),
        fisher_eigenvalues=tuple(map(float, known.eigenvalues)),
        condition=_finite(known.condition),
        correlation=tuple(tuple(map(float, row)) for row in correlation),
        worst_error=_finite(known.worst_error),
        worst_error_with={m: e for m, e in known.worst_error_with.items() if np.isfinite(e)},
        curves=curves,
        stability=stability,
        cautions=cautions(found, known, fitted, coefficients, curves, stability),
        bootstrap_by=by,
        bootstrap_replicates=replicates,
        seed=seed,
        data_sha256=fingerprint((*fitted, *held_out)),
    )


def _stability(law: Elastomer, mode: Mode, asked: tuple[float, float]) -> Stability:
    low, high = asked
    found = stable.stable_range(law, STABLE_MODES[mode], (min(0.1, low), max(10.0, high)))
    return Stability(
        mode=mode,
        smallest=found.smallest,
        largest=found.largest,
        asked_smallest=low,
        asked_largest=high,
    )


def _finite(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def _range(interval: Interval) -> Range:
    return Range(low=_finite(interval.low), high=_finite(interval.high))


def _curve(found: RubberFit, coupon: Coupon, fitted: bool) -> Curve:
    model = nominal_stress(found.law.elastomer(found.values), coupon.mode, coupon.stretch)
    rms = float(np.sqrt(np.mean((model - coupon.stress) ** 2)))
    return Curve(
        mode=coupon.mode,
        fitted=fitted,
        points=coupon.stretch.size,
        smallest_stretch=float(coupon.stretch[0]),
        largest_stretch=float(coupon.stretch[-1]),
        rms=_finite(rms),
        relative_rms=_finite(rms / float(np.sqrt(np.mean(coupon.stress**2)))),
    )
