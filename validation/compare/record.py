"""A comparison as plain data: what is written as JSON, and what the report is made from."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from loligo.cases.dataset.gci import Verdict
from loligo.cases.dataset.io import RESIDUALS, STRAIN_COMPONENTS, WRENCH_COMPONENTS
from loligo.validation.compare.bars import ErrorBar, not_observed
from loligo.validation.compare.comparison import Comparison
from loligo.validation.compare.row import MetricRow


def record(comparison: Comparison) -> dict[str, Any]:
    """Return everything that a comparison found; numbers in SI, what is not known is None."""
    reference, prediction = comparison.pair.reference, comparison.pair.prediction
    case = comparison.case
    return {
        "case": case.name,
        "title": case.title,
        "model": comparison.model,
        "reference": _origin(comparison.reference.data.attrs),
        "prediction": _origin(prediction.attrs),
        "steps": list(comparison.pair.steps),
        "steps_missed": list(comparison.pair.missed),
        "loads": {
            str(name): {"unit": reference[name].attrs["units"], "values": listed(reference[name])}
            for name in reference.data_vars
            if str(name).startswith("load_") and "units" in reference[name].attrs
        },
        "belongs": {what: each.record() for what, each in comparison.relations.items()},
        "acceptance": comparison.accepted,
        "acceptance_reasons": [] if comparison.answer is None else list(comparison.answer.reasons),
        "purpose": case.acceptance.purpose if case.acceptance else None,
        "metrics": {row.metric.name: _row(row) for row in comparison.rows},
        "claims": {
            claim.name: {
                "title": claim.title,
                "unit": claim.unit,
                "reference": listed(claim.reference),
                "prediction": listed(claim.prediction),
                "low": None if claim.range is None else listed(claim.range[0]),
                "high": None if claim.range is None else listed(claim.range[1]),
            }
            for claim in comparison.claims
        },
        "laws_metric": None if comparison.headline is None else comparison.headline.metric.title,
        "laws": [
            {
                "law": one.law,
                "words": one.words,
                "error": listed(one.error),
                "relative": None if one.relative is None else listed(one.relative),
            }
            for one in comparison.laws
        ],
        "calibration": _calibration(comparison),
        "by_station": _by_station(comparison),
        "notes": [*comparison.said, *comparison.notes],
    }


def listed(values: ArrayLike) -> list[Any]:
    """Return an array as lists, what is not finite as None."""
    array = np.asarray(values, dtype=float)
    if array.ndim > 1:
        return [listed(row) for row in array]
    return [float(value) if np.isfinite(value) else None for value in array]


def _origin(attrs: dict[str, Any]) -> dict[str, Any]:
    kept = (
        "kind source model status assumptions missing level unknowns ranks mesh_hash git_commit "
        "created cpu_seconds wall_seconds versions law law_name law_beyond"
    )
    return {
        name: attrs[name].item() if hasattr(attrs[name], "item") else attrs[name]
        for name in kept.split()
        if name in attrs
    }


def _row(row: MetricRow) -> dict[str, Any]:
    return {
        "title": row.metric.title,
        "unit": row.metric.unit,
        "group": row.metric.group,
        "error": listed(row.error),
        "relative": None if row.relative is None else listed(row.relative),
        "bar": listed(row.bar),
        "bars_known": row.bars_known,
        "mesh": _bar(row.mesh),
        "time": _bar(row.time),
        "reduced": _bar(row.reduced),
        "inputs": _bar(row.inputs),
        "resolved": [bool(value) for value in row.resolved],
        "model_form": [
            [float(e - u), float(e + u)] if known else None
            for e, u, known in zip(row.error, row.bar, row.resolved, strict=True)
        ],
        "kinematic": {name: listed(values) for name, values in row.kinematic.items()},
        "calibrated": None if row.calibrated is None else listed(row.calibrated),
        "level": row.level,
        "verdict": row.verdict,
        "verdict_reason": None if row.judged is None else row.judged.reason,
        "worst_step": row.worst,
    }


def _bar(bar: ErrorBar) -> dict[str, Any]:
    return {
        "half_width": listed(bar.half_width),
        "origin": bar.origin,
        "order": None if bar.order is None else listed(bar.order),
        "verdict": None if bar.verdict is None else [Verdict(v).name for v in bar.verdict],
        "order_not_observed": not_observed(bar),
    }


def _calibration(comparison: Comparison) -> dict[str, Any] | None:
    found = comparison.calibrated
    if found is None:
        return None
    return {
        "factors": [
            {
                "name": factor.name,
                "value": factor.value,
                "standard_error": listed(np.atleast_1d(factor.standard_error))[0],
                "absorbs_model_error": factor.absorbs,
            }
            for factor in found.factors
        ],
        "fitted": list(found.fitted),
        "held_out": list(found.held_out),
    }


def _by_station(comparison: Comparison) -> dict[str, Any]:
    """Strain, wrench and section residual along the body, of both, at every step."""
    reference, prediction = comparison.pair.reference, comparison.pair.prediction
    found: dict[str, Any] = {}
    for name, place, labels in (
        ("strain", "station_mid", STRAIN_COMPONENTS),
        ("wrench", "station", WRENCH_COMPONENTS),
        ("wrench_fluid", "station", WRENCH_COMPONENTS),
        ("section_residual", "station", RESIDUALS),
    ):
        if name in reference:
            found[name] = {
                "X": listed(reference[place]),
                "components": list(labels),
                "reference": listed(reference[name]),
                "prediction": listed(prediction[name]) if name in prediction else None,
            }
    return found
