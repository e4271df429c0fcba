r"""A reference against a prediction: errors with their bars, where the errors come from, a verdict.

An error E of the prediction shows only where it exceeds what the two leave open,
:math:`U^2 = U_{mesh}^2 + U_{time}^2 + U_{reduced}^2 + U_{input}^2` (ASME V&V 20, half-widths that
cover 95 %; the last is of measured data alone, since a 3D solution has the model's own inputs);
then the error of the model lies within E - U and E + U. Of a reference without bars nothing can be
said but E itself.

The model's error has three parts. *Kinematic*: what the best member of a model class leaves, fitted
to the reference's own shape. *Constitutive*: what the prediction with printed or geometry-derived
coefficients leaves. *Calibrated*: what is left at held-out loads once coefficients are fitted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from loligo.cases.body import Mantle, Solid
from loligo.cases.case import Case
from loligo.cases.core.record import BadInput
from loligo.cases.dataset.levels import ORDER
from loligo.cases.identity import Relation, relate
from loligo.reduced.predict.predict import NothingPredicted, chosen_model, resolved
from loligo.reduced.predict.scope import models_of
from loligo.reduced.section.law_choice import Law
from loligo.validation.compare.bars import TIME_ORDER, ErrorBar, Levels, alike, level_bar, no_bar
from loligo.validation.compare.headline import HeadlineNumber, claims, spread_ends
from loligo.validation.compare.kinematic import CLASSES, best_member, soft_spans
from loligo.validation.compare.metric import Metric
from loligo.validation.compare.metrics import applicable, relative
from loligo.validation.compare.on_laws import OnLaw, on_laws
from loligo.validation.compare.row import MetricRow
from loligo.validation.compare.verdict import CaseVerdict, Verdict, answer, doubts
from loligo.validation.data.gaps import filled, gap_steps
from loligo.validation.data.matching import Pair, match
from loligo.validation.data.source import Source
from loligo.validation.fitting.coefficients.held_out import Calibrated, calibrate

ROUNDING = 1e-6
"""Of energy over size: forces below that are what an equilibrium leaves."""


@dataclass(frozen=True, eq=False)
class Comparison:
    """All that is found about one case."""

    case: Case
    reference: Source
    pair: Pair
    model: str
    rows: tuple[MetricRow, ...]
    claims: tuple[HeadlineNumber, ...]
    calibrated: Calibrated | None
    notes: tuple[str, ...]
    relations: dict[str, Relation]
    """How the reference, and a prediction that was given, belong to the case."""
    doubts: tuple[str, ...]
    """Why a small error would show nothing."""
    laws: tuple[OnLaw, ...] = ()
    """How far our model is off on each section law, by the metric of the headline."""

    @property
    def said(self) -> list[str]:
        """What a reader has to know of the data before the numbers."""
        return [line for what, each in self.relations.items() for line in each.said(what)]

    @property
    def answer(self) -> CaseVerdict | None:
        """Whether the prediction is accepted, and why; None if the case has no levels."""
        if not _levels(self.case):
            return None
        absent = _not_judged(self.case, [row.metric for row in self.rows])
        judged = [row.judged for row in self.rows if row.judged is not None]
        return answer(judged, absent, self.pair.missed, self.doubts)

    @property
    def accepted(self) -> Verdict | None:
        """The verdict of the answer."""
        return None if self.answer is None else self.answer.verdict

    def row(self, name: str) -> MetricRow | None:
        """Return the row of a metric."""
        return next((row for row in self.rows if row.metric.name == name), None)

    @property
    def headline(self) -> MetricRow | None:
        """The row that says most about the shape."""
        return headline(self.rows)


def compare(
    case: Case,
    reference: Source,
    prediction: Source | None = None,
    model: str | None = None,
    *,
    calibrating: bool = True,
    calibrated: Calibrated | None = None,
    law: Law = None,
) -> Comparison:
    """Compare a reference with a prediction, or with what our own model predicts.

    Args:
        case: what both are of.
        reference: the reference solution, or a measurement.
        prediction: somebody's prediction; None to predict with a reduced model.
        model: which reduced model; by default the first for the body.
        calibrating: whether to fit our model's coefficients to the smaller loads, and judge it at
            the larger ones.
        calibrated: our model with coefficients that were fitted already.
        law: the section law that our rod or arcs stand on; by default the best there is.

    Raises:
        BadInput: if they have no step or no quantity in common, or one is of another case.
        NothingPredicted: if the model finds no equilibrium at all.
    """
    notes: list[str] = []
    ends: list[xr.Dataset] = []
    fitted: Calibrated | None = None
    relations = {"reference": relate(case, reference.data, "reference")}
    if prediction is not None:
        relations["prediction"] = relate(case, prediction.data, "prediction")
    if prediction is None:
        model = chosen_model(case, model)
        ours = resolved(case, model, law=law)
        found, spaces, times = (
            ours.data,
            _by_size(ours.spaces, "size"),
            _by_size(ours.times, "time_step"),
        )
    else:
        found = prediction.data
        spaces, times = dict(prediction.meshes), dict(prediction.times)
        model = str(found.attrs.get("model", found.attrs["source"]))
    pair = match(filled(reference.data), found)
    notes += pair.notes
    notes += _unstable(pair)
    for name, data in (("reference", reference.data), ("prediction", found)):
        if data.attrs["status"] != "complete":
            notes.append(f"the {name} {data.attrs['status']}")
    if pair.missed:
        listed = ", ".join(map(str, pair.missed))
        notes.append(f"the prediction has no counterpart of step {listed} of the reference")
    if prediction is None:
        ends = spread_ends(case, model, pair.reference, law)
        fitted = calibrated
        if calibrating and fitted is None:
            fitted = _calibrated(case, pair, model, law, notes)
    middle = pair.prediction
    if reference.kind == "measurement" and found.attrs["kind"] == "reference":
        middle, ends = _by_reduced(case, pair, notes)
    both = pair.reference, pair.prediction
    metrics = [metric for metric in applicable(*both) if not idle(metric, *both)]
    if not metrics:
        raise BadInput("the prediction has nothing that the reference has: no quantity is compared")
    levels = _levels(case)
    if absent := _not_judged(case, metrics):
        notes.append(f"no {', '.join(absent)} in both: its acceptance level cannot be judged")
    beside = _Beside(
        meshes=alike(pair.reference, reference.meshes),
        times=alike(pair.reference, reference.times),
        static=not np.isfinite(pair.reference.get("time", xr.DataArray([np.nan])).values).all(),
        spaces=alike(pair.prediction, spaces),
        steps=alike(pair.prediction, times),
        order=ORDER if prediction is None else 1.0,
        members=_members(case, pair.reference),
        ends=ends,
        middle=middle,
        open_modulus=reference.kind == "measurement"
        and any(rubber.spread > 1.0 for rubber in case.material.values()),
        tuned=None if fitted is None else match(pair.reference, fitted.prediction),
        unseen=np.isin(pair.steps, () if fitted is None else fitted.held_out),
    )
    rows = tuple(_row(metric, pair, beside, levels.get(metric.name)) for metric in metrics)
    first = headline(rows)
    return Comparison(
        case=case,
        reference=reference,
        pair=pair,
        model=model,
        rows=rows,
        claims=tuple(claims(pair.reference, pair.prediction, ends)),
        calibrated=fitted,
        notes=tuple(notes),
        relations=relations,
        doubts=tuple(doubts(case, reference.data, pair, found)),
        laws=on_laws(case, model, pair.reference, first.metric)
        if prediction is None and first is not None
        else (),
    )


def headline(rows: Sequence[MetricRow]) -> MetricRow | None:
    """Return the row that says most about the shape; None if there is none."""
    by_name = {row.metric.name: row for row in rows}
    for name in ("centreline_max", "profile_max", "tip_position", "marker_max", "angle"):
        if name in by_name:
            return by_name[name]
    return rows[0] if rows else None


def _not_judged(case: Case, metrics: Sequence[Metric]) -> tuple[str, ...]:
    """Return the metrics for which a case has a level, and which are not among those compared."""
    return tuple(sorted(_levels(case).keys() - {metric.name for metric in metrics}))


def _levels(case: Case) -> dict[str, float]:
    return {} if case.acceptance is None else case.acceptance.levels


@dataclass(frozen=True, eq=False)
class _Beside:
    """What stands beside a pair, at its steps and places."""

    meshes: Levels
    """The reference on its meshes, and with its time steps."""
    times: Levels
    static: bool
    spaces: Levels
    """The prediction on grids of its own, and with time steps of its own."""
    steps: Levels
    order: float
    """Of its grids: those of somebody else may be of any kind."""
    members: dict[str, xr.Dataset]
    ends: list[xr.Dataset]
    """Our predictions with the modulus at both ends of its published spread."""
    middle: xr.Dataset
    """Our prediction between them."""
    open_modulus: bool
    """Whether that is what the prediction and the data may differ in."""
    tuned: Pair | None
    """With the calibrated prediction."""
    unseen: NDArray[np.bool_]
    """Steps that its fit has not seen."""


def _row(metric: Metric, pair: Pair, beside: _Beside, level: float | None) -> MetricRow:
    error = metric.error(pair.reference, pair.prediction)
    tuned = beside.tuned
    return MetricRow(
        metric=metric,
        error=error,
        relative=relative(metric, error, pair.reference),
        scale=None if metric.scale is None else metric.scale(pair.reference),
        mesh=level_bar(metric, pair.reference, beside.meshes, ORDER),
        time=no_bar(error.size)
        if beside.static
        else level_bar(metric, pair.reference, beside.times, TIME_ORDER),
        reduced=_reduced_bar(metric, pair, beside),
        inputs=_inputs_bar(metric, pair, beside),
        kinematic={
            name: metric.error(pair.reference, member)
            for name, member in beside.members.items()
            if metric.group in ("shape", "strain") and metric.serves(member)
        },
        calibrated=None
        if tuned is None or tuned.missed
        else np.where(beside.unseen, metric.error(tuned.reference, tuned.prediction), np.nan),
        level=level,
    )


def _reduced_bar(metric: Metric, pair: Pair, beside: _Beside) -> ErrorBar:
    """What the prediction's own grid and time steps leave open together."""
    if pair.prediction.attrs.get("error_in_space") == 0.0:  # a model in closed form
        return no_bar(pair.reference.sizes["step"], "none")
    space = level_bar(metric, pair.prediction, beside.spaces, beside.order)
    if len(beside.spaces) < 2 or len(beside.steps) < 2:
        return space
    time = level_bar(metric, pair.prediction, beside.steps, TIME_ORDER)
    return replace(space, half_width=space.half_width + time.half_width)


def _inputs_bar(metric: Metric, pair: Pair, beside: _Beside) -> ErrorBar:
    """How far the prediction goes when the modulus is at either end of what is published of it."""
    steps = pair.reference.sizes["step"]
    if not beside.open_modulus:
        return no_bar(steps, "none")
    if not beside.ends:
        return ErrorBar(np.full(steps, np.nan), "not given")
    if not metric.serves(beside.middle, *beside.ends):
        return ErrorBar(np.full(steps, np.nan), "not given")
    gaps = [np.abs(metric.error(beside.middle, end)) for end in beside.ends]
    return ErrorBar(np.max(gaps, axis=0), "stated")


def _by_reduced(case: Case, pair: Pair, notes: list[str]) -> tuple[xr.Dataset, list[xr.Dataset]]:
    """Return our first model's prediction, and those at both ends of the published moduli.

    What a modulus leaves open of a 3D solution is taken from them: it is the same rubber.
    """
    if not models_of(case.body):
        return pair.prediction, []
    model = chosen_model(case)
    notes.append(f"what the rubber's modulus leaves open is that of the {model}")
    try:
        ours = match(pair.reference, resolved(case, model).data).prediction
    except (BadInput, NothingPredicted):
        return pair.prediction, []
    return ours, spread_ends(case, model, pair.reference)


def _by_size(levels: Sequence[xr.Dataset], size: str) -> dict[float, xr.Dataset]:
    return {float(level.attrs[size]): level for level in levels}


def _calibrated(
    case: Case, pair: Pair, model: str, law: Law, notes: list[str]
) -> Calibrated | None:
    if case.time is not None:
        notes.append("nothing is calibrated here: `loligo calibrate` fits coefficients to a motion")
        return None
    if pair.missed or pair.reference.sizes["step"] != len(case.steps):
        notes.append("nothing is calibrated: not every step of the case is in both")
        return None
    return calibrate(case, pair.reference, model, law)


def _members(case: Case, reference: xr.Dataset) -> dict[str, xr.Dataset]:
    """Return the best members of the classes that a body of this kind has."""
    if isinstance(case.body, Mantle) or "frame" not in reference:
        return {}
    if isinstance(case.body, Solid) and reference.sizes["station"] < 3:
        return {}
    lost = gap_steps(reference)
    whole = reference.drop_isel(step=lost)
    if whole.sizes["step"] == 0:
        return {}
    spans = soft_spans(case, reference)
    at = np.setdiff1d(np.arange(reference.sizes["step"]), lost)
    members = {}
    for kind in CLASSES:
        member = best_member(whole, spans, kind).assign_coords(step=at)
        members[kind.name] = member.reindex(step=range(reference.sizes["step"])).drop_vars("step")
    return members


def _unstable(pair: Pair) -> Iterator[str]:
    """Say which steps either calls unstable."""
    for name, data in (("reference", pair.reference), ("prediction", pair.prediction)):
        stable = data["stable"].values if "stable" in data else np.ones(len(pair.steps))
        if at := [str(step) for step, kept in zip(pair.steps, stable, strict=True) if kept == 0]:
            yield f"the {name} is unstable at step {', '.join(at)}: no body keeps that state"


def idle(metric: Metric, *data: xr.Dataset) -> bool:
    """Whether there is none of this in any (no fluid, no blocked tip), or it is prescribed.

    A reaction that is nothing beside the first one's energy over the body's size is rounding.
    """
    if metric.group not in ("wrench", "cavity", "support"):
        return False
    name, first = metric.needs[0], data[0]
    values = [each[name].values for each in data]
    if metric.name == "pressure" and len(values) > 1:
        return bool(np.allclose(values[0], values[1], rtol=1e-9, atol=0.0))
    least = 0.0
    if metric.group == "support" and "stored_energy" in first:
        arc = first["station" if "station" in first.dims else "meridian"].values
        size = float(arc[-1] - arc[0]) if metric.unit == "N" else 1.0
        least = ROUNDING * float(first["stored_energy"].max()) / size
        which = slice(3, 6) if metric.unit == "N" else slice(0, 3)
        values = [each[:, which] for each in values]
    return all(float(np.nan_to_num(np.abs(each)).max()) <= least for each in values)
