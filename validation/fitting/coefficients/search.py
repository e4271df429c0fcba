r"""Coefficients of a reduced model, sought in data.

What is compared is said in `calibrate_study`, how it is weighted in `calibrate_weights`. Where the
scatter that a measurement states explains everything that a fit leaves, the variance of a weighted
residual is known, namely 1; else it is estimated. Coefficients that must be positive are sought by
their logarithms, within bounds, from several starts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from scipy.optimize import least_squares

from loligo.cases.coefficients import KNOWN, Coefficients, unit_of
from loligo.cases.core.record import BadInput
from loligo.cases.section_law.law import ArmLaws
from loligo.reduced.predict.predict import NothingPredicted, own_values
from loligo.validation.data.quantities import Array
from loligo.validation.fitting.coefficients.case_data import (
    KINDS,
    CaseData,
    difference,
    excited,
    predicted,
    scatter,
)
from loligo.validation.fitting.coefficients.slopes import Taught, differences
from loligo.validation.fitting.coefficients.weights import CONSISTENT, weights

REACH = 20.0
"""A positive coefficient is sought from 1/20 to 20 times where the search begins."""
_LOST = 10.0
"""Residual of a step that the model does not reach."""
_FINE, _ROUGH = 1e-7, 1e-4
"""Share of the sum of squares by which the last step of a search still improves."""
_ROUNDS = 5
_COARSE = 1.0 / 3.0
"""Refinement of a rough search: good to 2e-4 of the length, or of a mantle's meridian."""
_INSIDE = 0.02
"""Share of the way between its bounds that a search begins away from either."""
_SPREAD = 0.5
"""Standard deviation of the logarithms of further starts."""


@dataclass(frozen=True, eq=False)
class Search:
    """What is sought: by which model, from where, in which studies."""

    model: str
    base: Coefficients
    """Where to begin; what it holds beside the names sought stays as it is."""
    names: tuple[str, ...]
    studies: tuple[CaseData, ...]
    law: ArmLaws | None = None
    """The section law of the solid that `base` names, if loligo does not bring it along."""

    def __post_init__(self) -> None:
        """Refuse what cannot be sought."""
        for name in self.names:
            unit_of(name)
            if self.model not in KNOWN[name].models:
                raise BadInput(f"the model {self.model} does not read {name}")
        if not self.names:
            raise BadInput("nothing is to be fitted")
        if strangers := [name for name in self.names if name not in self._begin]:
            raise BadInput(f"{strangers[0]}: {self.studies[0].case.name} has no such property")

    @property
    def start(self) -> Array:
        """Unknowns where the search begins."""
        return self.unknowns([self._begin[name] for name in self.names])

    @property
    def _begin(self) -> dict[str, float]:
        """Where a coefficient begins: as given, as the body has it, or where it changes nothing."""
        neutral = {n: known.neutral for n, known in KNOWN.items() if known.neutral is not None}
        return neutral | own_values(self.studies[0].case, self.model) | self.base.values

    @property
    def bounds(self) -> tuple[Array, Array]:
        """Of the unknowns."""
        ends = np.log(REACH) * np.array([[-1.0], [1.0]]) + self.start
        for i, name in enumerate(self.names):
            if KNOWN[name].signed:
                ends[:, i] = KNOWN[name].physical
            elif KNOWN[name].physical[1] == 1.0:  # a share
                ends[1, i] = 0.0
        return ends[0], ends[1]

    def unknowns(self, values: Sequence[float]) -> Array:
        """Return what is sought: logarithms, of signed coefficients the values."""
        pairs = zip(self.names, values, strict=True)
        return np.array([v if KNOWN[name].signed else np.log(v) for name, v in pairs])

    def values(self, unknowns: Array) -> dict[str, float]:
        """Return the coefficients by name."""
        pairs = zip(self.names, unknowns, strict=True)
        return {name: float(u if KNOWN[name].signed else np.exp(u)) for name, u in pairs}

    def coefficients(self, unknowns: Array) -> Coefficients:
        """Return the file with the coefficients sought in their place."""
        return self.base.replaced(self.values(unknowns))


@dataclass(frozen=True, eq=False)
class Residuals:
    """Model less data: values, and to what each belongs."""

    value: Array
    kind: Array
    """Number of the quantity, of `KINDS`."""
    block: Array
    """Number of the step, over all studies: what one load has done to one body."""
    sigma: Array
    """Standard deviation that the data state; 0 where they state none."""


@dataclass(frozen=True, eq=False)
class Found:
    """The best fit."""

    search: Search
    unknowns: Array
    residual: Array
    """Weighted."""
    jacobian: Array
    """Of the weighted residuals by the unknowns."""
    weight: Array
    """Of every residual."""
    block: Array
    kind: Array
    starts: tuple[float, ...]
    """Sum of squares at the end of every start, the best first, over the best."""
    stated: bool = False
    """Whether the scatter that the data state explains all that the fit leaves."""
    misfit_over_scatter: float | None = None
    """Root mean square of what is left over the stated scatter; None where none is stated."""

    @property
    def coefficients(self) -> Coefficients:
        """The file with the coefficients found, without intervals."""
        return self.search.coefficients(self.unknowns)

    @property
    def freedom(self) -> int:
        """Residuals less coefficients."""
        return self.residual.size - self.unknowns.size

    @property
    def sum_of_squares(self) -> float:
        """Of the weighted residuals."""
        return float(self.residual @ self.residual)

    @property
    def variance(self) -> float:
        """Of a weighted residual: known, or estimated; of perfect data, what the search leaves."""
        if self.stated:
            return 1.0
        return max(self.sum_of_squares, 1e-24 * self.residual.size) / self.freedom

    @property
    def variance_freedom(self) -> float:
        """Degrees of freedom of the variance: infinite if it is known."""
        return np.inf if self.stated else float(self.freedom)

    @property
    def at_bound(self) -> NDArray[np.bool_]:
        """Which coefficients ended at a bound."""
        low, high = self.search.bounds
        near = np.minimum(self.unknowns - low, high - self.unknowns) < 1e-6 * (high - low)
        return np.asarray(near)


def residuals(
    search: Search, unknowns: Array, last: Sequence[int], rough: bool = False
) -> Residuals:
    """Return the residuals of all fitted steps; large ones where the model gives no answer.

    Args:
        search: what is sought.
        unknowns: at which.
        last: steps of each case that are predicted, from its first on.
        rough: whether a coarse discretisation will do.
    """
    coefficients = search.coefficients(unknowns)
    value, kind, block, sigma = [], [], [], []
    before = 0
    for study, count in zip(search.studies, last, strict=True):
        if not study.fitted:
            continue
        try:
            refine = _COARSE if rough else 1.0
            found = predicted(study, search.model, coefficients, count, refine, search.law)
            parts = difference(study, found, study.fitted)
        except NothingPredicted:
            alike = difference(study, study.data, study.fitted)
            parts = {name: np.full_like(part, _LOST) for name, part in alike.items()}
        stated = scatter(study, study.fitted)
        for name, part in parts.items():
            there = study.seen[name]
            number = np.arange(len(part)).reshape(-1, *[1] * (part.ndim - 1))
            value.append(part[there])
            kind.append(np.full(value[-1].size, KINDS.index(name)))
            block.append(before + np.broadcast_to(number, part.shape)[there])
            spread = np.broadcast_to(stated.get(name, np.zeros(1)), part.shape)[there]
            sigma.append(np.nan_to_num(spread))
        before += len(study.fitted)
    return Residuals(*(np.concatenate(parts) for parts in (value, kind, block, sigma)))


def calibrate(search: Search, starts: int = 1, seed: int = 0) -> Found:
    """Return the best fit over several starts, the first where the search begins.

    Raises:
        BadInput: if there are fewer residuals than coefficients, or no start reaches the data.
    """
    last = last_steps(search)
    near = _nearly(search, last, starts, seed)
    unknowns, residual, jacobian = _descend(search, near.unknowns, near.weight, last)
    freedom = residual.size - unknowns.size
    there = near.first.sigma > 0.0
    left, sigma = residual / near.weight, np.where(there, near.first.sigma, 1.0)
    return Found(
        search,
        unknowns,
        residual,
        jacobian,
        near.weight,
        near.first.block,
        near.first.kind,
        near.starts,
        near.stated and float(residual @ residual) <= stats.chi2.ppf(CONSISTENT, freedom),
        None if not there.any() else float(np.sqrt(np.mean((left / sigma)[there] ** 2))),
    )


class _Nearly(NamedTuple):
    """Where a coarse discretisation sees the best fit."""

    unknowns: Array
    weight: Array
    """Of every residual."""
    first: Residuals
    """Where the search began."""
    starts: tuple[float, ...]
    """As in `Found`."""
    stated: bool
    """Whether the weights are those that the data state."""


def _nearly(
    search: Search, last: Sequence[int], starts: int = 1, seed: int = 0, rounds: int = _ROUNDS
) -> _Nearly:
    """Choose the best of several starts, weigh the kinds by what it leaves of them, and go on."""
    first = residuals(search, search.start, last, rough=True)
    if first.value.size <= len(search.names):
        raise BadInput(f"{first.value.size} residuals cannot tell {len(search.names)} coefficients")
    weight: Array = np.ones(first.value.size)
    random = np.random.default_rng(seed)
    low, high = search.bounds
    # From a bound itself a search gets nowhere: its steps are shares of the way to it.
    inside = np.clip(search.start, low + _INSIDE * (high - low), high - _INSIDE * (high - low))
    begin = [inside]
    for _ in range(starts - 1):
        begin.append(np.clip(inside + _SPREAD * random.normal(size=low.size), low, high))
    ends = [_descend(search, at, weight, last, rough=True, rounds=rounds) for at in begin]
    best = min(ends, key=lambda end: float(end[1] @ end[1]))
    if np.abs(best[1]).max() >= _LOST:
        raise BadInput("the model reaches the fitted loads from no start: begin elsewhere")
    sums = sorted(float(end[1] @ end[1]) for end in ends)
    left, at = best[1], best[0]
    if first.sigma.any():
        # Against stated scatter a coarse discretisation is too rough, and so is a fit without it.
        weight = weights(first.kind, first.sigma, residuals(search, at, last).value, exact=True)
        at = _descend(search, at, weight, last, rough=True, rounds=rounds)[0]
        left = residuals(search, at, last).value
    weight = weights(first.kind, first.sigma, left)
    # Near the end before the fine discretisation is asked: it takes most of the time.
    near = _descend(search, at, weight, last, rough=True, rounds=rounds)[0]
    floor = max(sums[0], 1e-300)
    stated = bool(np.all(first.sigma > 0.0)) and np.allclose(weight * first.sigma, 1.0)
    return _Nearly(near, weight, first, tuple(s / floor for s in sums), stated)


def refit(found: Found, fixed: Mapping[int, float]) -> tuple[Array, float]:
    """Return unknowns and sum of squares of the best fit with some unknowns fixed."""
    unknowns, residual, _ = _descend(
        found.search, found.unknowns, found.weight, last_steps(found.search), fixed
    )
    return unknowns, float(residual @ residual)


def without(found: Found, study: CaseData) -> Coefficients | None:
    """Return the coefficients that all studies but one give; None if those cannot tell them all.

    That search begins where the one for all began, and weighs anew: it knows nothing of what the
    study has told.
    """
    search = found.search
    others = tuple(s for s in search.studies if s is not study)
    if set(search.names) - set(excited(search.model, others, search.base)):
        return None
    left = replace(search, studies=others)
    try:
        # Further rounds change what is left by less than a tenth of itself, and cost as much again.
        return left.coefficients(_nearly(left, last_steps(left), rounds=1).unknowns)
    except BadInput:  # they reach their loads from no start
        return None


def slopes(search: Search, unknowns: Array, last: Sequence[int] | None = None) -> Array:
    """Return the derivatives of the residuals by the unknowns, by differences."""
    last = last or last_steps(search)

    def value(at: Array) -> Array:
        return residuals(search, at, last).value

    return differences(value, unknowns, value(unknowns), search.bounds[1])


def _descend(
    search: Search,
    start: Array,
    weight: Array,
    last: Sequence[int],
    fixed: Mapping[int, float] | None = None,
    rough: bool = False,
    rounds: int = _ROUNDS,
) -> tuple[Array, Array, Array]:
    """Unknowns, weighted residuals and slopes at the nearest minimum, roughly to a hundredth.

    A search that improves the sum of squares by no more than a share d has come to within the root
    of d (n - p) standard errors or so. Slopes are taken by differences where it begins and taught
    by its steps (Broyden's rule), and it begins again until that gains nothing: predictions are
    what takes time.
    """
    unknowns = start.copy()
    for i, value in (fixed or {}).items():
        unknowns[i] = value
    free = [i for i in range(start.size) if i not in (fixed or {})]

    def residual(part: Array) -> Array:
        trial = unknowns.copy()
        trial[free] = part
        return weight * residuals(search, trial, last, rough).value

    if not free:
        at = residual(unknowns[free])
        return unknowns, at, np.empty((at.size, 0))
    low, high = (end[free] for end in search.bounds)
    part = np.clip(unknowns[free], low + 1e-9, high - 1e-9)
    gain = _ROUGH if rough else _FINE
    for _ in range(rounds):
        taught = Taught(residual, high)
        done = least_squares(
            taught.value,
            part,
            taught.slopes,
            (low, high),
            x_scale="jac",
            xtol=1e-8,
            ftol=gain,
            gtol=1e-15,
            max_nfev=30,
        )
        part = done.x
        if 2.0 * done.cost >= (1.0 - 10.0 * gain) * taught.first:
            break
    unknowns[free] = part
    return unknowns, done.fun, taught.by_differences


def last_steps(search: Search) -> list[int]:
    """How many steps of every case reach beyond the last one fitted."""
    counts = []
    for study in search.studies:
        case = study.case
        most = len(case.steps if case.time is None else case.time.times)
        if study.data.sizes["step"] == most and study.fitted:
            counts.append(max(study.fitted))  # the data have the steps of the case
        else:
            counts.append(most)
    return counts
