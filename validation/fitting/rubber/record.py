"""The record of a calibrated rubber: what is written beside the coefficients."""

from __future__ import annotations

from typing import Any, Literal

from loligo.cases.core.record import Record
from loligo.validation.fitting.rubber.coupon import Mode


class Range(Record):
    """An interval; an end that is left out is open: the data set none within the bounds."""

    low: float | None = None
    high: float | None = None


class FittedCoefficient(Record):
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
    rms: float | None = None
    """Of model less data (Pa); left out if the curve goes beyond Gent's limit."""
    relative_rms: float | None = None
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
        "sloppy",
        "one_mode",
        "at_bound",
        "includes_zero",
        "held_out",
        "negative_c01",
        "systematic",
        "misread",
        "unstable",
    ]
    text: str


class Weighting(Record):
    """What speaks for the kind of residual, where the data chose it."""

    log_likelihood_ahead: float | None = None
    """Of the chosen kind over the other; left out if the other is impossible."""
    other_shear_modulus: float
    """Initial shear modulus that the other kind leads to (Pa)."""


class Calibration(Record):
    """A calibrated rubber; everything in SI."""

    energy: str
    coefficients: tuple[FittedCoefficient, ...]
    fitted_stretch: tuple[float, float]
    """Smallest and largest principal stretch that was fitted."""
    residual: Literal["absolute", "relative"]
    """Absolute suits the same error everywhere, relative an error in proportion to the stress."""
    weighting: Weighting | None = None
    """Why this kind of residual; left out where it was asked for."""
    points: int
    sum_of_squares: float
    """Of the weighted residuals (Pa^2, or 1 if relative)."""
    standard_deviation: float
    """Of a weighted residual (Pa, or 1)."""
    fisher_eigenvalues: tuple[float, ...]
    """Of the Fisher matrix with unit columns, smallest first."""
    condition: float | None = None
    """Their ratio; left out if infinite."""
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
