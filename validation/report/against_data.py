"""Predictions beside measured data, step by step: error, uncertainties, and a verdict on each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import numpy as np

from loligo.validation.compare.comparison import Comparison
from loligo.validation.compare.headline import HeadlineNumber
from loligo.validation.compare.record import record
from loligo.validation.compare.row import MetricRow
from loligo.validation.data.quantities import Array
from loligo.validation.fitting.coefficients.held_out import Calibrated
from loligo.validation.words import range_words

_SAID = 3
"""Numbers that are shown of a comparison, the first ones that both have."""
Look = Literal["good", "bad", "open"]


def validation(found: Comparison) -> dict[str, Any]:
    """Return a comparison with measured data, with a row for every step and quantity."""
    attrs = found.reference.data.attrs
    return {
        "comparison": record(found),
        "source": str(attrs["source"]),
        "not_known": str(attrs.get("uncertainty_not_known", "")),
        "rows": [*_rows(found)],
    }


def who(found: Comparison) -> str:
    """Return what predicts: a model of ours, or the 3D solution."""
    return "3D" if found.pair.prediction.attrs.get("kind") == "reference" else found.model


def _rows(found: Comparison) -> Iterator[dict[str, Any]]:
    chosen = [(claim, row) for claim in found.claims if (row := found.row(claim.metric))]
    for claim, row in chosen[:_SAID]:
        yield from _steps(found, claim, row, claim.prediction, row.inputs.half_width, None)
        fitted = _fitted(found, claim)
        if fitted is not None and found.calibrated is not None:
            spread = np.abs(fitted) * _open(found.calibrated)
            yield from _steps(found, claim, row, fitted, spread, found.calibrated)


def _steps(
    found: Comparison,
    claim: HeadlineNumber,
    row: MetricRow,
    predicted: Array,
    inputs: Array,
    fit: Calibrated | None,
) -> Iterator[dict[str, Any]]:
    """Give a row for every step."""
    words = "nothing fitted" if fit is None else _coefficients(fit)
    for i, step in enumerate(found.pair.steps):
        error = float(predicted[i] - claim.reference[i])
        parts = (row.mesh.half_width[i], row.reduced.half_width[i], inputs[i])
        verdict, look = _verdict(error, parts, claim.unit)
        if fit is not None and step in fit.fitted:
            verdict, look = "fitted here", "open"
        u_data, u_mesh, u_input = (float(u) if np.isfinite(u) else None for u in parts)
        yield {
            "who": who(found),
            "fit": words,
            "what": claim.title,
            "unit": claim.unit,
            "step": step,
            "held_out": fit is None or step not in fit.fitted,
            "measured": float(claim.reference[i]),
            "predicted": float(predicted[i]),
            "error": error,
            "u_data": u_data,
            "u_mesh": u_mesh,
            "u_input": u_input,
            "verdict": verdict,
            "look": look,
        }


def _verdict(error: float, parts: tuple[float, ...], unit: str) -> tuple[str, Look]:
    if not np.isfinite(error):
        return "not measured", "open"
    if not np.isfinite(parts).all():
        return "not shown: a part of U is not known", "open"
    whole = float(np.sqrt(np.sum(np.square(parts))))
    if abs(error) <= whole:
        return "agrees within U", "good"
    return f"model error {range_words(abs(error) - whole, abs(error) + whole, unit)}", "bad"


def _fitted(found: Comparison, claim: HeadlineNumber) -> Array | None:
    """Return the fitted model's number at the steps of the comparison, if it has them all."""
    fit = found.calibrated
    if fit is None or claim.take is None:
        return None
    values = claim.take(fit.prediction)
    if max(found.pair.steps) > values.size:
        return None
    return np.asarray(values[[step - 1 for step in found.pair.steps]])


def _open(fit: Calibrated) -> float:
    """Return the share that the intervals of factors on a stiffness leave open, to first order."""
    shares = [
        max(abs(f.high / f.value - 1.0), abs(1.0 - f.low / f.value))
        for f in fit.factors
        if f.value != 0.0
    ]
    return float(np.sqrt(np.sum(np.square(shares))))


def _coefficients(fit: Calibrated) -> str:
    steps = ", ".join(map(str, fit.fitted))
    values = ", ".join(f"{f.name.replace('_', ' ')} {f.value:.3g}" for f in fit.factors)
    return f"fitted to step {steps}: {values}"
