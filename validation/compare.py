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
from dataclasses import dataclass
from typing import Literal

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from loligo.cases.body import Mantle, Solid
from loligo.cases.case import Case
from loligo.cases.record import BadInput
from loligo.reduced.predict import NothingPredicted, chosen_model, predict
from loligo.validation.bars import TIME_ORDER, Bar, Levels, alike, level_bar, no_bar, stated_bar
from loligo.validation.claims import Claim, claims, spread_ends
from loligo.validation.held_out import Calibrated, calibrate
from loligo.validation.kinematic import CLASSES, best_member, soft_spans
from loligo.validation.levels import ORDER
from loligo.validation.matching import Pair, match
from loligo.validation.metric import Metric
from loligo.validation.metrics import applicable, relative
from loligo.validation.quantities import Array
from loligo.validation.source import Source
from loligo.validation.uncertainty import SAFETY_OTHERWISE

Verdict = Literal["met", "not met", "not shown"]
ROUNDING = 1e-6
"""Of energy over size: forces below that are what an equilibrium leaves."""


@dataclass(frozen=True, eq=False)
class Row:
    """One metric at every matched step."""

    metric: Metric
    error: Array
    relative: Array | None
    """Error over the metric's scale."""
    scale: Array | None
    mesh: Bar
    time: Bar
    reduced: Bar
    inputs: Bar
    """What the published moduli of the rubber leave open, if that is what the data were made of."""
    kinematic: dict[str, Array]
    """Error of the best member of every model class."""
    calibrated: Array | None
    """Error of the calibrated prediction where the fit has not looked, nan at the other steps."""
    level: float | None
    """Acceptance level: a share of the scale, or an angle."""

    @property
    def bar(self) -> Array:
        """Half-width U; parts that are not known are left out."""
        known = [np.nan_to_num(part.half_width) for part in self._parts]
        return np.asarray(np.sqrt(np.sum(np.square(known), axis=0)))

    @property
    def bars_known(self) -> bool:
        """Whether every part of the bar is known."""
        return all(part.known for part in self._parts)

    @property
    def _parts(self) -> tuple[Bar, ...]:
        return self.mesh, self.time, self.reduced, self.inputs

    @property
    def resolved(self) -> NDArray[np.bool_]:
        """Where the model's error shows; nowhere if a part of the bar is not known."""
        return (np.abs(self.error) > self.bar) & self.bars_known

    @property
    def worst(self) -> int:
        """Step (from 0) with the largest error, relative to its scale where there is one."""
        if self.relative is not None and np.isfinite(self.relative).any():
            return int(np.nanargmax(np.abs(self.relative)))
        return int(np.argmax(np.abs(self.error)))

    @property
    def verdict(self) -> Verdict | None:
        """Whether error and bar stay below the acceptance level at every step that has a scale."""
        if self.level is None:
            return None
        scale = np.ones(self.error.size) if self.scale is None else self.scale
        there = scale > 0.0
        error, bar, limit = np.abs(self.error)[there], self.bar[there], self.level * scale[there]
        if there.any() and np.all(error + bar <= limit):
            return "met"
        return "not met" if np.any(error - bar > limit) else "not shown"


@dataclass(frozen=True, eq=False)
class Comparison:
    """All that is found about one case."""

    case: Case
    reference: Source
    pair: Pair
    model: str
    rows: tuple[Row, ...]
    claims: tuple[Claim, ...]
    calibrated: Calibrated | None
    notes: tuple[str, ...]

    @property
    def accepted(self) -> Verdict | None:
        """The worst verdict; None if the case has no levels. What cannot be judged is not shown."""
        if not _levels(self.case):
            return None
        found = [row.verdict for row in self.rows]
        if self.pair.missed or "not met" in found:
            return "not met"
        absent = _not_judged(self.case, [row.metric for row in self.rows])
        return "not shown" if "not shown" in found or absent else "met"

    def row(self, name: str) -> Row | None:
        """Return the row of a metric."""
        return next((row for row in self.rows if row.metric.name == name), None)

    @property
    def headline(self) -> Row | None:
        """The row that says most about the shape."""
        for name in ("centreline_max", "profile_max", "tip_position"):
            if (row := self.row(name)) is not None:
                return row
        return self.rows[0] if self.rows else None


def compare(
    case: Case,
    reference: Source,
    prediction: Source | None = None,
    model: str | None = None,
    *,
    calibrating: bool = True,
    calibrated: Calibrated | None = None,
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

    Raises:
        BadInput: if they have no step or no quantity in common.
        NothingPredicted: if the model finds no equilibrium at all.
    """
    notes: list[str] = []
    finer: xr.Dataset | None = None
    ends: list[xr.Dataset] = []
    fitted: Calibrated | None = None
    if prediction is None:
        model = chosen_model(case, model)
        found = predict(case, model)
        finer = _finer(case, model, found)
    else:
        found = prediction.data
        model = str(found.attrs.get("model", found.attrs["source"]))
    _check_case(case, reference.data, "reference")
    _check_case(case, found, "prediction")
    pair = match(reference.data, found)
    notes += pair.notes
    notes += _unstable(pair)
    for name, data in (("reference", reference.data), ("prediction", found)):
        if data.attrs["status"] != "complete":
            notes.append(f"the {name} {data.attrs['status']}")
    if pair.missed:
        listed = ", ".join(map(str, pair.missed))
        notes.append(f"the prediction has no counterpart of step {listed} of the reference")
    if prediction is None:
        ends = spread_ends(case, model, pair.reference)
        fitted = calibrated
        if calibrating and fitted is None:
            fitted = _calibrated(case, pair, model, notes)
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
        finer=None if finer is None else match(pair.reference, finer),
        own=() if prediction is None else alike(pair.prediction, prediction.meshes),
        members=_members(case, pair.reference),
        ends=ends,
        open_modulus=reference.kind == "measurement"
        and any(rubber.spread > 1.0 for rubber in case.material.values()),
        tuned=None if fitted is None else match(pair.reference, fitted.prediction),
        unseen=np.isin(pair.steps, () if fitted is None else fitted.held_out),
    )
    rows = tuple(_row(metric, pair, beside, levels.get(metric.name)) for metric in metrics)
    return Comparison(
        case=case,
        reference=reference,
        pair=pair,
        model=model,
        rows=rows,
        claims=tuple(claims(pair.reference, pair.prediction, ends)),
        calibrated=fitted,
        notes=tuple(notes),
    )


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
    finer: Pair | None
    """With our own prediction on a finer grid."""
    own: Levels
    """Somebody's prediction on grids of its own."""
    members: dict[str, xr.Dataset]
    ends: list[xr.Dataset]
    """Our predictions with the modulus at both ends of its published spread."""
    open_modulus: bool
    """Whether that is what the prediction and the data may differ in."""
    tuned: Pair | None
    """With the calibrated prediction."""
    unseen: NDArray[np.bool_]
    """Steps that its fit has not seen."""


def _row(metric: Metric, pair: Pair, beside: _Beside, level: float | None) -> Row:
    error = metric.error(pair.reference, pair.prediction)
    tuned = beside.tuned
    return Row(
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


def _reduced_bar(metric: Metric, pair: Pair, beside: _Beside) -> Bar:
    """What the prediction's own grid leaves open.

    The gap to half the size is the error times 1 - 2^-p: a third of it or more for orders from 0.6.
    """
    if beside.finer is not None:
        there = not beside.finer.missed
        gap = np.abs(metric.error(beside.finer.prediction, pair.prediction)) if there else np.nan
        half = np.broadcast_to(SAFETY_OTHERWISE * gap, pair.reference.sizes["step"])
        return Bar(half, "two levels")
    if len(beside.own) > 1:
        return level_bar(metric, pair.prediction, beside.own, 1.0)
    return stated_bar(metric, pair.prediction)


def _inputs_bar(metric: Metric, pair: Pair, beside: _Beside) -> Bar:
    """How far the prediction goes when the modulus is at either end of what is published of it."""
    steps = pair.reference.sizes["step"]
    if not beside.open_modulus:
        return no_bar(steps, "none")
    if not beside.ends:
        return Bar(np.full(steps, np.nan), "not given")
    gaps = [np.abs(metric.error(pair.prediction, end)) for end in beside.ends]
    return Bar(np.max(gaps, axis=0), "stated")


def _finer(case: Case, model: str, found: xr.Dataset) -> xr.Dataset | None:
    """Return the same prediction twice as fine; None if that stops elsewhere."""
    try:
        finer = predict(case, model, refine=2)
    except NothingPredicted:
        return None
    return finer if finer.sizes["step"] == found.sizes["step"] else None


def _calibrated(case: Case, pair: Pair, model: str, notes: list[str]) -> Calibrated | None:
    if case.time is not None:
        notes.append("nothing is calibrated here: `loligo calibrate` fits coefficients to a motion")
        return None
    if pair.missed or pair.reference.sizes["step"] != len(case.steps):
        notes.append("nothing is calibrated: not every step of the case is in both")
        return None
    return calibrate(case, pair.reference, model)


def _members(case: Case, reference: xr.Dataset) -> dict[str, xr.Dataset]:
    """Return the best members of the classes that a body of this kind has."""
    if isinstance(case.body, Mantle) or "frame" not in reference:
        return {}
    if isinstance(case.body, Solid) and reference.sizes["station"] < 3:
        return {}
    spans = soft_spans(case, reference)
    return {kind.name: best_member(reference, spans, kind) for kind in CLASSES}


def _unstable(pair: Pair) -> Iterator[str]:
    """Say which steps either calls unstable."""
    for name, data in (("reference", pair.reference), ("prediction", pair.prediction)):
        stable = data["stable"].values if "stable" in data else np.ones(len(pair.steps))
        if at := [str(step) for step, kept in zip(pair.steps, stable, strict=True) if kept == 0]:
            yield f"the {name} is unstable at step {', '.join(at)}: no body keeps that state"


def _check_case(case: Case, data: xr.Dataset, what: str) -> None:
    name = str(data.attrs.get("case_name", case.name))
    if name != case.name:
        raise BadInput(f"the {what} is of the case {name}, not of {case.name}")


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
    return all(float(np.abs(each).max()) <= least for each in values)
