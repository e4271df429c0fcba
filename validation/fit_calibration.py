"""What a fit is worth: coefficients with their intervals, predictions, stability, cautions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import numpy as np

from loligo.cases.record import Record
from loligo.validation.coupon import (
    MODES,
    Coupon,
    Mode,
    fingerprint,
    first_invariant,
    nominal_stress,
    stretch_range,
    stretch_reaching,
)
from loligo.validation.coupon_stability import stable_range
from loligo.validation.fit import Fit
from loligo.validation.fit_identify import Identifiability, identify, standard_error
from loligo.validation.fit_intervals import Interval, bootstrap, profile, wald

BAD_PREDICTION = (3.0, 0.1)
"""A held-out mode is predicted badly if its rms error is more than this many times that of the fit
and more than this fraction of the mode's rms stress."""


class Range(Record):
    """An interval; an end that is left out is open: the data set none within the bounds."""

    low: float | None = None
    high: float | None = None


class Coefficient(Record):
    """One coefficient with its 95 % intervals."""

    name: str
    value: float
    unit: str
    at_bound: bool
    standard_error: float | None = None
    wald: Range
    profile: Range
    bootstrap: Range


class Curve(Record):
    """How the law does on one curve."""

    mode: Mode
    fitted: bool
    """False if held out."""
    points: int
    smallest_stretch: float
    largest_stretch: float
    rms: float
    """Of model less data (Pa)."""
    relative_rms: float
    """Over the rms of the data."""


class Stability(Record):
    """Stretches between which the law is stable in a mode, against those that it is asked for."""

    mode: Mode
    smallest: float
    largest: float
    asked_smallest: float
    asked_largest: float
    """Of the mode's curve; without one, up to the largest I_1 of the data."""

    @property
    def enough(self) -> bool:
        """Whether the law is stable wherever it is asked for."""
        return self.smallest <= self.asked_smallest and self.asked_largest <= self.largest


class Caution(Record):
    """Something to know before the coefficients are used."""

    kind: Literal[
        "unidentifiable",
        "one_mode",
        "at_bound",
        "includes_zero",
        "held_out",
        "negative_c01",
        "unstable",
    ]
    text: str


class Calibration(Record):
    """A calibrated rubber; everything in SI."""

    energy: str
    coefficients: tuple[Coefficient, ...]
    fitted_stretch: tuple[float, float]
    """Smallest and largest principal stretch that was fitted."""
    residual: Literal["absolute", "relative"]
    points: int
    sum_of_squares: float
    """Of the weighted residuals (Pa^2, or 1 if relative)."""
    standard_deviation: float
    """Of a weighted residual (Pa, or 1)."""
    fisher_eigenvalues: tuple[float, ...]
    """Of the Fisher matrix with unit columns, smallest first."""
    condition: float
    correlation: tuple[tuple[float, ...], ...]
    """Of the estimates; a coefficient at its bound is taken as known."""
    worst_error: float | None = None
    """Largest relative standard error of a coefficient; left out if infinite."""
    worst_error_with: dict[Mode, float]
    """The same with one more curve in a mode that was not fitted."""
    curves: tuple[Curve, ...]
    stability: tuple[Stability, ...]
    cautions: tuple[Caution, ...]
    bootstrap_by: Literal["block", "mode"]
    bootstrap_replicates: int
    seed: int
    data_sha256: str

    def material(self) -> dict[str, Any]:
        """Return the table [material.NAME] of a case file, which still needs a density."""
        values: dict[str, Any] = {
            c.name: f"{c.value!r} Pa" if c.unit == "Pa" else c.value for c in self.coefficients
        }
        if self.energy == "ogden":
            count = len(values) // 2
            values = {
                "terms": [
                    {name: values[f"{name}_{p}"] for name in ("mu", "alpha")}
                    for p in range(1, count + 1)
                ]
            }
        return {"energy": self.energy, **values, "fitted_stretch": list(self.fitted_stretch)}

    def to_toml(self) -> str:
        """Return the whole result as TOML, the material's table first."""
        import tomli_w

        return tomli_w.dumps(
            {
                "material": {"body": self.material()},
                "calibration": self.model_dump(mode="json", exclude_none=True),
            }
        )


def assess(
    found: Fit,
    fitted: tuple[Coupon, ...],
    held_out: tuple[Coupon, ...] = (),
    *,
    seed: int,
    replicates: int = 400,
    by: Literal["block", "mode"] = "block",
) -> Calibration:
    """Judge a fit.

    Args:
        found: The fit.
        fitted: The curves it was fitted to.
        held_out: Curves it was not, to be predicted.
        seed: Of the bootstrap.
        replicates: Refits of the bootstrap.
        by: What the bootstrap draws: "block" or "mode".
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
        Coefficient(
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
    asked = {c.mode: (min(1.0, c.stretch[0]), c.stretch[-1]) for c in (*fitted, *held_out)}
    stability = []
    for mode in MODES:
        low, high = asked.get(mode, (1.0, stretch_reaching(mode, reach)))
        smallest, largest = stable_range(law, mode)
        stability.append(
            Stability(
                mode=mode,
                smallest=smallest,
                largest=largest,
                asked_smallest=float(low),
                asked_largest=float(high),
            )
        )
    correlation = np.where(np.isfinite(known.correlation), known.correlation, np.eye(errors.size))
    return Calibration(
        energy=found.law.energy,
        coefficients=coefficients,
        fitted_stretch=stretch_range(fitted),
        residual="relative" if found.points.relative else "absolute",
        points=found.residual.size,
        sum_of_squares=found.sum_of_squares,
        standard_deviation=float(np.sqrt(found.variance)),
        fisher_eigenvalues=tuple(map(float, known.eigenvalues)),
        condition=known.condition,
        correlation=tuple(tuple(map(float, row)) for row in correlation),
        worst_error=_finite(known.worst_error),
        worst_error_with={m: e for m, e in known.worst_error_with.items() if np.isfinite(e)},
        curves=curves,
        stability=tuple(stability),
        cautions=(
            *_identifiability_cautions(found, known, fitted),
            *_coefficient_cautions(coefficients),
            *_curve_cautions(curves),
            *_stability_cautions(stability),
        ),
        bootstrap_by=by,
        bootstrap_replicates=replicates,
        seed=seed,
        data_sha256=fingerprint((*fitted, *held_out)),
    )


def _finite(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def _range(interval: Interval) -> Range:
    return Range(low=_finite(interval.low), high=_finite(interval.high))


def _curve(found: Fit, coupon: Coupon, fitted: bool) -> Curve:
    model = nominal_stress(found.law.elastomer(found.values), coupon.mode, coupon.stretch)
    rms = float(np.sqrt(np.mean((model - coupon.stress) ** 2)))
    return Curve(
        mode=coupon.mode,
        fitted=fitted,
        points=coupon.stretch.size,
        smallest_stretch=float(coupon.stretch[0]),
        largest_stretch=float(coupon.stretch[-1]),
        rms=rms,
        relative_rms=rms / float(np.sqrt(np.mean(coupon.stress**2))),
    )


def _identifiability_cautions(
    found: Fit, known: Identifiability, fitted: tuple[Coupon, ...]
) -> Iterator[Caution]:
    if known.unfelt:
        yield Caution(
            kind="unidentifiable",
            text=f"no point feels a certain change of {', '.join(known.unfelt)}: fit a smaller law",
        )
    modes = {c.mode for c in fitted}
    if len(modes) == 1:
        best = min(known.worst_error_with, key=lambda mode: known.worst_error_with[mode])
        text = f"fitted in {next(iter(modes))} only: a curve fit, not a law for other states"
        if np.isfinite(known.worst_error_with[best]):
            now = "not known at all" if np.isinf(known.worst_error) else f"{known.worst_error:.1%}"
            text += (
                f"; a curve in {best} helps most (worst relative standard error {now}, then "
                f"{known.worst_error_with[best]:.1%})"
            )
        yield Caution(kind="one_mode", text=text)


def _coefficient_cautions(coefficients: tuple[Coefficient, ...]) -> Iterator[Caution]:
    for c in coefficients:
        likely = c.profile
        if c.at_bound:
            yield Caution(
                kind="at_bound",
                text=f"{c.name} ran to its bound: the data do not determine it",
            )
        elif likely.low is None or likely.high is None:
            side = " and ".join(
                name for name, end in (("lower", likely.low), ("upper", likely.high)) if end is None
            )
            yield Caution(kind="unidentifiable", text=f"the data set no {side} end to {c.name}")
        elif likely.low <= 0.0 <= likely.high:
            yield Caution(
                kind="includes_zero",
                text=f"{c.name} may be zero, its interval is {likely.low:.4g} to "
                f"{likely.high:.4g} {c.unit}: leave its term out",
            )
        if c.name == "c01" and c.value < 0.0:
            yield Caution(
                kind="negative_c01",
                text="c01 < 0: a Mooney-Rivlin rubber is then unstable in large enough stretches, "
                "in equibiaxial tension first",
            )


def _curve_cautions(curves: tuple[Curve, ...]) -> Iterator[Caution]:
    fitted = [c for c in curves if c.fitted]
    rms = np.sqrt(sum(c.rms**2 * c.points for c in fitted) / sum(c.points for c in fitted))
    times, fraction = BAD_PREDICTION
    for c in curves:
        if not c.fitted and c.rms > times * rms and c.relative_rms > fraction:
            yield Caution(
                kind="held_out",
                text=f"{c.mode}, which was held out, is predicted with an rms error of "
                f"{c.relative_rms:.0%}, {c.rms / rms:.0f} times that of the fit",
            )


def _stability_cautions(stability: list[Stability]) -> Iterator[Caution]:
    for s in stability:
        if not s.enough:
            yield Caution(
                kind="unstable",
                text=f"{s.mode}: stable (Drucker) only from {s.smallest:.4g} to {s.largest:.4g}, "
                f"but asked for from {s.asked_smallest:.4g} to {s.asked_largest:.4g}",
            )
