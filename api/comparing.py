"""A reference against a prediction: errors, their bars, and a verdict."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from functools import cached_property
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from loligo.cases import outputs
from loligo.cases.case import Case
from loligo.cases.core import atomic
from loligo.cases.core.record import BadInput
from loligo.given import AnyCase, given
from loligo.result import Measurement, Prediction, Solution
from loligo.validation.compare import comparison
from loligo.validation.compare.record import record
from loligo.validation.compare.row import MetricRow
from loligo.validation.words import share_words, value_words

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """How wrong a prediction is, beyond what the reference leaves open."""

    inner: comparison.Comparison
    """All that was computed, step by step."""

    @property
    def case(self) -> Case:
        """What both are of."""
        return self.inner.case

    @property
    def model(self) -> str:
        """Which model was compared."""
        return self.inner.model

    @property
    def verdict(self) -> str | None:
        """Whether the case's acceptance is "met", "not met" or "not shown"; None without one."""
        return self.inner.accepted

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why the verdict is what it is."""
        return () if self.inner.answer is None else self.inner.answer.reasons

    @property
    def notes(self) -> tuple[str, ...]:
        """What to know before the numbers are used."""
        return (*self.inner.said, *self.inner.notes)

    @cached_property
    def record(self) -> dict[str, Any]:
        """Every number as plain data; what is not known is None."""
        return record(self.inner)

    def table(self) -> pd.DataFrame:
        """Return the metrics at the last step of each, in SI; a bar that is not known is nan."""
        import pandas as pd

        rows = {row.metric.name: _cells(row) for row in self.inner.rows}
        return pd.DataFrame.from_dict(rows, orient="index").rename_axis("metric")

    def plot(self) -> Figure:
        """Draw what is claimed against the load, the shape, and the strain along the body."""
        from loligo.plotting import new_figure
        from loligo.validation.report.figures import draw

        with new_figure(9.6, 3.1) as figure:
            draw(figure, self.inner)
        return figure

    def save(self, file: str | Path, *, force: bool = False) -> Path:
        """Write every number as JSON, and return the file."""
        path = Path(file)
        kind = outputs.record("a comparison", ("metrics", "prediction"), case=self.case.name)
        outputs.check(path, kind, force=force)
        atomic.replace(path, json.dumps(self.record, indent=2, allow_nan=False) + "\n")
        return path

    def __repr__(self) -> str:
        """Name it in a line."""
        words = [f"{self.case.name}, {self.model}"]
        if (row := self.inner.headline) is not None:
            error = value_words(row.error[row.last], row.metric.unit)
            share = share_words(None if row.relative is None else row.relative[row.last])
            words.append(f"{row.metric.title} off by {error} ({share})")
        if self.verdict is not None:
            words.append(f"acceptance {self.verdict}")
        return f"<Comparison: {'; '.join(words)}>"

    def _repr_html_(self) -> str:
        """Show it in a notebook: its line, and the table."""
        return f"<p>{escape(repr(self))}</p>{self.table().to_html()}"


def compare(
    reference: Solution | Measurement | Prediction,
    prediction: Prediction | None = None,
    *,
    case: AnyCase | None = None,
    model: str | None = None,
) -> Comparison:
    """Compare a prediction with a reference.

    Args:
        reference: a 3D solution or a measurement.
        prediction: yours or ours; without it ours is made, with the error bars of its own grid
            and with coefficients calibrated on the smaller loads beside it.
        case: what both are of; by default the case that is written in the reference.
        model: which model predicts, without a prediction.

    Raises:
        BadInput: if they have no step or no quantity in common, or one is of another case.
    """
    if prediction is not None and model is not None:
        raise BadInput("a prediction has its model: give one of them")
    of = reference.case if case is None else given(case).case
    if of is None:
        raise BadInput("the reference carries no case: say which it is, case=...")
    theirs = None if prediction is None else prediction.source
    return Comparison(comparison.compare(of, reference.source, theirs, model))


def _cells(row: MetricRow) -> dict[str, Any]:
    last, best = row.last, row.kinematic.get("arc")
    return {
        "what": row.metric.title,
        "unit": row.metric.unit,
        "error": float(row.error[last]),
        "of_scale": math.nan if row.relative is None else float(row.relative[last]),
        "bar": float(row.bar[last]) if row.bars_known else math.nan,
        "best_arc": math.nan if best is None else float(best[last]),
        "held_out": math.nan if row.calibrated is None else float(np.asarray(row.calibrated)[-1]),
        "limit": math.nan if row.level is None else row.level,
        "verdict": row.verdict or ("resolved" if row.bars_known and row.resolved[last] else ""),
    }
