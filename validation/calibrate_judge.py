r"""What calibrated coefficients are worth: what the data can tell, intervals, held-out loads.

With J the slopes of the weighted residuals by the unknowns and s^2 their variance, the Fisher
matrix is J^T J / s^2. Its columns scaled to unit length, its eigenvalues say which combinations the
data feel; their ratio is the condition number.

Intervals are at 95 %, three ways: Wald's, that of the tangent; the profile, of values at which the
best fit of the others has a sum of squares below S (1 + F(0.95; 1, n - p)/(n - p)); the bootstrap,
percentiles over loads drawn anew, each replicate one Gauss-Newton step from the best fit, at levels
that make up for the fewness of the loads: their percentiles are those of a normal law with a
variance over n, where Student's with one over n - p is due. Against a 3D solution residuals are the
model's own error, not scatter: then none of them is a probability, and a caution says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import xarray as xr
from scipy import stats

from loligo.cases import coefficients as files
from loligo.cases.case import Case
from loligo.cases.coefficients import KNOWN, Coefficient, Coefficients, Data, Reach
from loligo.cases.record import BadInput
from loligo.reduced.predict import NothingPredicted, predict
from loligo.validation.calibrate import (
    Found,
    Search,
    refit,
    slopes,
)
from loligo.validation.calibrate_study import Study, difference, predicted
from loligo.validation.metrics import Array, length, points

SINGULAR = 1e-10
"""Eigenvalue of the scaled Fisher matrix below which finite differences are all there is."""
TOGETHER = 0.99
"""Correlation from which two coefficients are told by their combination alone."""
ABSORBING = 1.1
"""A factor further from 1 than this absorbs what the model leaves out."""
SYSTEMATIC = 3.0
"""Standard errors by which neighbouring residuals must go together to be no scatter."""
NOT_RIGHT = 0.1
"""Error, as a share of the displacement, from which a model is said not to become right."""
KNOWN_WELL = 0.01
"""Standard error of a coefficient below which no further load case is asked for."""
REPLICATES = 1000
_FAR = 100.0
"""No coefficient lies so far off, by its logarithm or, if signed, by its physical range."""
FEWEST = 4
"""Loads per coefficient below which drawing them anew says nothing."""


class Interval(NamedTuple):
    """Ends of an interval; nan where there is none."""

    low: float
    high: float


@dataclass(frozen=True, eq=False)
class Known:
    """What the data can tell."""

    eigenvalues: Array
    """Of the Fisher matrix with unit columns, smallest first."""
    correlation: Array
    error: Array
    """Standard errors of the unknowns: relative, of signed coefficients absolute."""

    @property
    def condition(self) -> float:
        """Ratio of the largest eigenvalue to the smallest."""
        low, high = float(self.eigenvalues[0]), float(self.eigenvalues[-1])
        return high / low if low > SINGULAR else np.inf


@dataclass(frozen=True)
class Row:
    """How far a model is from the data of a case, before and after, over fitted or other steps.

    Errors are root mean squares over steps and places, as a share of those of the displacement.
    """

    case: str
    fitted: bool
    steps: tuple[int, ...]
    before: float
    after: float


@dataclass(frozen=True, eq=False)
class Judged:
    """A calibration and all that is known of it."""

    found: Found
    known: Known
    wald: tuple[Interval, ...]
    profile: tuple[Interval, ...]
    bootstrap: tuple[Interval, ...]
    helps: dict[str, float]
    """Largest standard error of an unknown if another case of the body were fitted too."""
    rows: tuple[Row, ...]
    cautions: tuple[str, ...]


def judge(
    found: Found, others: Sequence[Case] = (), seed: int = 0, profiles: bool = True
) -> Judged:
    """Judge a fit.

    Args:
        found: the fit.
        others: cases of the same body that were not fitted, of which the most helpful is sought.
        seed: of the bootstrap.
        profiles: whether to walk along profiles, which takes most of the time.
    """
    known = identify(found.jacobian, found.variance)
    count = range(found.unknowns.size)
    nothing = tuple(Interval(np.nan, np.nan) for _ in count)
    helps = {case.name: error for case in others if (error := _with(found, case)) is not None}
    rows = before_and_after(found)
    ends = tuple(_profile(found, known, i) for i in count) if profiles else nothing
    return Judged(
        found,
        known,
        tuple(wald(found, known)),
        ends,
        tuple(bootstrap(found, seed)),
        helps,
        rows,
        tuple(_cautions(found, known, helps, rows)),
    )


def identify(jacobian: Array, variance: float) -> Known:
    """Judge slopes of residuals, (n, p)."""
    norms = np.linalg.norm(jacobian, axis=0)
    scaled = jacobian / np.where(norms > 0.0, norms, 1.0)
    _, singular, rows = np.linalg.svd(scaled, full_matrices=False)
    eigenvalues, vectors = singular[::-1] ** 2, rows[::-1].T
    inverse = vectors / np.maximum(eigenvalues, SINGULAR) @ vectors.T
    spread = np.sqrt(np.diag(inverse))
    with np.errstate(divide="ignore"):
        error = np.sqrt(variance) * spread / norms
    return Known(eigenvalues, inverse / np.outer(spread, spread), error)


def wald(found: Found, known: Known) -> Iterator[Interval]:
    """Yield the tangent's intervals of the coefficients."""
    reach = stats.t.ppf(0.975, found.freedom) * known.error
    return _in_values(found, found.unknowns - reach, found.unknowns + reach)


def bootstrap(found: Found, seed: int) -> Iterator[Interval]:
    """Yield percentile intervals over loads drawn anew; nan with too few of them."""
    blocks = np.unique(found.block)
    none = np.full(found.unknowns.size, np.nan)
    if blocks.size < FEWEST * found.unknowns.size:
        return _in_values(found, none, none)
    random = np.random.default_rng(seed)
    outer = np.array(
        [found.jacobian[found.block == b].T @ found.jacobian[found.block == b] for b in blocks]
    )
    pull = np.array(
        [found.jacobian[found.block == b].T @ found.residual[found.block == b] for b in blocks]
    )
    drawn = random.multinomial(blocks.size, np.full(blocks.size, 1 / blocks.size), REPLICATES)
    moved = [
        found.unknowns - np.linalg.pinv(np.tensordot(n, outer, 1), hermitian=True) @ (n @ pull)
        for n in drawn
    ]
    freedom = blocks.size - found.unknowns.size
    reach = np.sqrt(blocks.size / freedom) * stats.t.ppf(0.975, freedom)
    tail = stats.norm.sf(reach)
    return _in_values(found, *np.quantile(moved, [tail, 1.0 - tail], axis=0))


def before_and_after(found: Found) -> tuple[Row, ...]:
    """Return the errors with the coefficients of the beginning and those found."""
    search, rows = found.search, []
    for study in search.studies:
        pair = [
            _prediction(study, search.model, coefficients)
            for coefficients in (search.base, found.coefficients)
        ]
        for fitted, steps in ((True, study.fitted), (False, study.held_out)):
            if steps:
                errors = [
                    np.nan if data is None else share_off(study, data, steps) for data in pair
                ]
                rows.append(Row(study.case.name, fitted, steps, *errors))
    return tuple(rows)


def result(judged: Judged, source: str) -> Coefficients:
    """Return the file of coefficients: those that were sought with intervals, the others kept.

    The interval is the profile's where there is one, else Wald's.
    """
    found = judged.found
    search = found.search
    values = search.values(found.unknowns)
    sought = []
    for i, (name, value) in enumerate(values.items()):
        ends = [
            likely if np.isfinite(likely) else tangent
            for likely, tangent in zip(judged.profile[i], judged.wald[i], strict=True)
        ]
        low, high = (float(end) if np.isfinite(end) else None for end in ends)
        unit = KNOWN[name].unit
        sought.append(Coefficient(name=name, value=value, unit=unit, low=low, high=high))
    kept = tuple(c for c in search.base.coefficient if c.name not in values)
    fitted = [study for study in search.studies if study.fitted]
    last = [predict(study.case, search.model, coefficients=found.coefficients) for study in fitted]
    stretch = max(
        float(data["max_stretch"].values[: max(study.fitted)].max())
        for study, data in zip(fitted, last, strict=True)
    )
    load = files.load_reach((study.case, [s - 1 for s in study.fitted]) for study in fitted)
    return search.base.model_copy(
        update={
            "source": source,
            "coefficient": (*kept, *sought),
            "reach": Reach(max_stretch=stretch, load=load),
            "data": tuple(
                Data(case=study.case.name, sha256=study.file_hash, steps=study.fitted)
                for study in fitted
            ),
            "notes": judged.cautions,
        }
    )


def _in_values(found: Found, low: Array, high: Array) -> Iterator[Interval]:
    """Intervals of the coefficients; nan for an end that the data do not set."""
    spans = [
        np.ptp(KNOWN[name].physical) if KNOWN[name].signed else 1.0 for name in found.search.names
    ]
    known = [np.where(np.abs(end) < _FAR * np.array(spans), end, np.nan) for end in (low, high)]
    ends = [found.search.values(end) for end in known]
    return (Interval(ends[0][name], ends[1][name]) for name in found.search.names)


def _profile(found: Found, known: Known, i: int) -> Interval:
    """Ends of the profile of an unknown, as values; infinite where the bounds come first."""
    limit = found.sum_of_squares + found.variance * stats.f.ppf(0.95, 1, found.freedom)
    low, high = found.search.bounds
    ends = []
    for way, bound in ((-1.0, low[i]), (1.0, high[i])):
        step = way * min(2.0 * known.error[i], abs(bound - found.unknowns[i]))
        inside, at, past = 0.0, 1.0, None
        for _ in range(8):
            total = refit(found, {i: found.unknowns[i] + at * step})[1]
            # Along a parabola through the best fit; halved where the profile is steeper.
            share = np.sqrt(
                (limit - found.sum_of_squares) / max(total - found.sum_of_squares, 1e-300)
            )
            if abs(share - 1.0) < 0.01:
                break
            if total > limit:
                past = at
            else:
                inside = at
            at = float(np.clip(share * at, inside, past if past is not None else 4.0 * at))
        u = found.unknowns[i] + at * step
        ends.append(way * np.inf if (bound - u) * way <= 0.0 else u)
    name = found.search.names[i]
    signed = KNOWN[name].signed
    return Interval(*(end if signed else float(np.exp(end)) for end in ends))


def _with(found: Found, case: Case) -> float | None:
    """Largest standard error with another case fitted too, its residuals weighted as the mean."""
    search = found.search
    try:
        data = predicted(Study(case, xr.Dataset(), ()), search.model, found.coefficients)
        study = Study(case, data, tuple(range(1, data.sizes["step"] + 1)))
        more = slopes(Search(search.model, search.base, search.names, (study,)), found.unknowns)
    except (BadInput, NothingPredicted):
        return None
    both = np.concatenate([found.jacobian, more])
    return float(identify(both, found.variance).error.max())


def _prediction(study: Study, model: str, coefficients: Coefficients) -> xr.Dataset | None:
    try:
        return predicted(study, model, coefficients)
    except NothingPredicted:
        return None


def share_off(study: Study, data: xr.Dataset, steps: Sequence[int]) -> float:
    """Return the error at steps (from 1) over the displacement; of a blocked tip, the reaction."""
    try:
        parts = difference(study, data, steps)
    except NothingPredicted:
        return np.nan
    at = [s - 1 for s in steps]
    if "reaction" in parts:
        wrench = study.data["reaction_tip"].values
        force = np.linalg.norm(wrench[:, 3:], axis=1)
        return _rms(parts["reaction"][:, 3:]) * float(force.max()) / _rms(wrench[at, 3:])
    if "meridian" in parts:
        data = study.data
        whole = float(data["meridian"].values[-1])
        shape = np.stack([data["profile_axial"].values, data["profile_radius"].values], axis=-1)
        names = ["profile_axial_rest", "profile_radius_rest"]
        known = all(name in data for name in names)
        rest = np.stack([data[name].values for name in names], axis=-1) if known else shape[0]
        moved = shape[at] - rest
        return _rms(parts["meridian"]) * whole / _rms(moved)
    station = study.data["station"].values
    rest_points = np.stack([station, 0.0 * station, 0.0 * station], axis=-1)
    moved = points(study.data)[at] - rest_points
    return _rms(parts["axis"]) * length(study.data) / _rms(moved)


def _rms(values: Array) -> float:
    return float(np.sqrt(np.mean(values**2)))


def _cautions(
    found: Found, known: Known, helps: dict[str, float], rows: Sequence[Row]
) -> Iterator[str]:
    search = found.search
    yield from _unidentified(found, known, helps)
    given = "the sections given" if search.base.section else "geometry and rubber"
    for name, value, bound in zip(
        search.names, search.values(found.unknowns).values(), found.at_bound, strict=True
    ):
        low, high = KNOWN[name].physical
        neutral = KNOWN[name].neutral
        if bound:
            yield f"{name} ran to its bound, {value:.4g}: the data do not determine it"
        elif not low <= value <= high:
            why = " (an area, say, that is not the one assumed)" if name == "density" else ""
            yield (
                f"{name} = {value:.4g} is no property of the body, for which it lies between "
                f"{low:g} and {high:g}: it absorbs an error that lies elsewhere{why}; freeze it at "
                "what was measured"
            )
        elif neutral == 1.0 and max(value, 1.0 / value) > ABSORBING:
            yield f"{name} = {value:.4g} of what {given} say: it absorbs what the model leaves out"
    if (correlation := _neighbours(found)) is not None:
        yield (
            f"neighbouring residuals go together (correlation {correlation:.2f}): they are the "
            "model's own error, not scatter, and intervals are too narrow"
        )
    if found.starts[-1] > 1.01:
        away = sum(s > 1.01 for s in found.starts)
        yield f"{away} of {len(found.starts)} starts ended in another, worse minimum"
    for row in rows:
        what = f"{row.case}, {'fitted' if row.fitted else 'held out'},"
        if not row.after <= NOT_RIGHT:
            yield (
                f"these coefficients cannot make the {search.model} right: {what} stays "
                f"{row.after:.0%} of its displacement off"
            )
        if not row.fitted and row.after > row.before + 1e-3:
            yield f"{what} became worse: {row.after:.1%} of its displacement, not {row.before:.1%}"


def _unidentified(found: Found, known: Known, helps: dict[str, float]) -> Iterator[str]:
    names = found.search.names
    best = min(helps, key=lambda name: helps[name], default=None)
    now = float(known.error.max())
    hint = ""
    if best is not None and now > KNOWN_WELL and helps[best] < 0.5 * now:
        hint = f"; {best} would help most (largest error {now:.1%}, then {helps[best]:.1%})"
    apart = True
    for i, name in enumerate(names):
        if not np.isfinite(known.error[i]):
            apart = False
            yield f"no fitted load feels {name}: freeze it{hint}"
        for j in range(i):
            if abs(known.correlation[i, j]) > TOGETHER:
                apart = False
                yield (
                    f"{names[j]} and {name} go together (correlation "
                    f"{known.correlation[i, j]:.3f}): the data tell one combination of them; "
                    f"freeze one{hint}"
                )
    if apart and hint:
        yield f"one more load case would halve the largest standard error{hint}"


def _neighbours(found: Found) -> float | None:
    """Correlation of residuals with their neighbours along the body, if it is no scatter."""
    together = count = 0.0
    for block in np.unique(found.block):
        for kind in np.unique(found.kind):
            part = found.residual[(found.block == block) & (found.kind == kind)]
            width = {0: 3, 1: 3, 3: 2}.get(int(kind))
            if width is None or part.size < 2 * width:
                continue
            rows = part.reshape(-1, width)
            together += float(np.sum(rows[1:] * rows[:-1]))
            count += float(np.count_nonzero(rows[1:] * rows[:-1]))
    if count == 0 or together <= SYSTEMATIC / np.sqrt(count) * found.sum_of_squares:
        return None
    return together / found.sum_of_squares
