"""What the report says of a body, as plain data: every number of the page, and nothing else.

The parts stay apart (ASME V&V 10): verification (is the data set consistent with itself),
solution verification (error bars), model-form comparison (reduced against 3D), calibration
(coefficients from the smaller loads, judged at the larger), validation (measured data only).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from loligo.validation.compare.comparison import Comparison
from loligo.validation.compare.record import record
from loligo.validation.compare.row import MetricRow
from loligo.validation.fitting.coefficients.cautions import NOT_RIGHT
from loligo.validation.report.against_data import validation
from loligo.validation.report.bodies import Body, ReportedCase
from loligo.validation.report.checks import beyond_class, checks, solution, stretch
from loligo.validation.words import range_words, share_words, value_words


def body_numbers(body: Body) -> dict[str, Any]:
    """Return every number of a body."""
    failing, largest = body.ladder.first_failing, _held_out(body)
    return {
        "name": body.name,
        "verdict": _verdict(body),
        "trust": _trust(body),
        "held_out": largest,
        "not_right": [m for m, off in largest.items() if off is None or off > NOT_RIGHT],
        "factors": _factors(body),
        "validated": any(entry.measurements for entry in body.entries),
        "ladder": [
            {
                "rung": rung.name,
                "case": rung.case,
                "state": rung.state,
                "error": rung.error,
                "differs": list(rung.differs),
                "causes": list(rung.causes),
            }
            for rung in body.ladder.rungs
        ],
        "first_failing": None if failing is None else failing.name,
        "cases": [_entry_summary(entry) for entry in body.entries],
        "calibrations": [found.record() for found in body.calibrations],
    }


def _verdict(body: Body) -> str:
    """One sentence a body."""
    failing = body.ladder.first_failing
    compared = [e.comparison for e in body.entries if e.comparison is not None]
    if not compared:
        return "Nothing could be compared."
    model = compared[0].model
    if failing is None:
        worst = max(rung.error or 0.0 for rung in body.ladder.rungs)
        return (
            f"The {model} follows the reference to {share_words(worst)} of the length on every "
            f"rung there are data for."
        )
    causes = f": {failing.differs[0]}" if failing.differs else ""
    off = f", {share_words(failing.error)} of the length" if failing.error is not None else ""
    return f"The {model} first differs on the rung {failing.name} ({failing.case}){off}{causes}."


def _held_out(body: Body) -> dict[str, float | None]:
    """The largest error of every calibrated model at held-out loads; None without an answer."""
    largest = {
        found.model: float(np.max([row.after for row in found.rows]))
        for found in body.calibrations
        if found.rows
    }
    return {model: off if np.isfinite(off) else None for model, off in largest.items()}


def _trust(body: Body) -> list[dict[str, Any]]:
    """How far the model can be trusted, for which load, and which level it misses."""
    rows = []
    for entry in body.entries:
        found = entry.comparison
        if found is None or (row := found.headline) is None or row.relative is None:
            continue
        # Of a motion the last instant is no more than another one.
        at = -1 if entry.case.time is None else row.worst
        last = float(row.relative[at])
        tuned = None
        if row.calibrated is not None and row.scale is not None and row.scale[at] > 0.0:
            share = float(row.calibrated[at] / row.scale[at])
            tuned = share if np.isfinite(share) else None
        rows.append(
            {
                "case": entry.case.name,
                "title": entry.case.title,
                "metric": row.metric.title,
                "error": last,
                "bar": float(row.bar[at] / row.scale[at])
                if row.bars_known and row.scale is not None and row.scale[at] > 0.0
                else None,
                "resolved": bool(row.resolved[at]),
                "held_out": tuned,
                "acceptance": found.accepted,
                "missed": [_missed(row) for row in found.rows if row.verdict not in (None, "met")],
            }
        )
    return rows


def _factors(body: Body) -> dict[str, float]:
    """The coefficients that the compared model has when it is fitted to all cases."""
    models = {entry.comparison.model for entry in body.entries if entry.comparison is not None}
    fitted = [found for found in body.calibrations if found.model in models]
    return {factor.name: factor.value for found in fitted for factor in found.factors}


def _missed(row: MetricRow) -> str:
    """A level that is not met or not shown, in words, at the worst step."""
    off = float(row.error[row.worst])
    if row.relative is None:
        pair = (value_words(value, row.metric.unit) for value in (abs(off), row.level))
    else:
        pair = (share_words(value) for value in (abs(float(row.relative[row.worst])), row.level))
    return "{} {} (level {})".format(row.metric.title.lower(), *pair)


def _entry_summary(entry: ReportedCase) -> dict[str, Any]:
    found = entry.comparison
    return {
        "case": entry.case.name,
        "title": entry.case.title,
        "source": entry.case.source,
        "assumptions": list(entry.case.assumptions),
        "motion": entry.case.time is not None,
        "failure": entry.failure,
        "verification": list(checks(entry)),
        "solution": list(solution(entry)),
        "stretch": stretch(entry),
        "beyond_class": beyond_class(entry),
        "spread": max(rubber.spread for rubber in entry.case.material.values()),
        "comparison": None if found is None else record(found),
        "validation": [validation(found) for found in entry.measurements],
        "claims": [] if found is None else _claims(found),
    }


def _claims(found: Comparison) -> list[dict[str, Any]]:
    """The numbers at the last step, in words, with what the rubber's spread makes of them."""
    rows = []
    for claim in found.claims:
        last = float(claim.prediction[-1])
        words = open_range = None
        if claim.range is not None:
            low, high = float(claim.range[0][-1]), float(claim.range[1][-1])
            words = range_words(low, high, claim.unit)
            if last != 0.0:
                open_range = [low / last, high / last]
        row = found.row(claim.metric)
        bar = None if row is None or not row.bars_known else float(row.bar[-1])
        reference = float(claim.reference[-1])
        carried = None
        if open_range is not None:
            carried = range_words(reference * open_range[0], reference * open_range[1], claim.unit)
        rows.append(
            {
                "what": claim.title,
                "reference": value_words(reference, claim.unit),
                "bar": None if bar is None else value_words(bar, claim.unit),
                "prediction": value_words(last, claim.unit),
                "ratio": None if reference == 0.0 else last / reference,
                "prediction_range": words,
                "reference_range": carried,
            }
        )
    return rows
