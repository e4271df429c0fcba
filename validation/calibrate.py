r"""Coefficients of a reduced model, sought in data: what is compared, and the search.

Of an arm the points of the axis over its length L and the turns of its sections (rad) are compared,
at a blocked tip the reaction too, of a mantle the meridian over its length M. Each kind of residual
has a standard deviation of its own: kinds are weighted by what a first fit leaves of them, and a
second fit follows. Coefficients that must be positive are sought by their logarithms, within
bounds, from several starts.

Steps that the data call unstable take no part.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import xarray as xr
from numpy.typing import NDArray
from scipy.optimize import least_squares
from scipy.spatial.transform import Rotation

from loligo.cases.case import Case
from loligo.cases.coefficients import KNOWN, Coefficients, unit_of
from loligo.cases.record import BadInput
from loligo.reduced.predict import NothingPredicted, predict
from loligo.validation.matching import match
from loligo.validation.metrics import Array, length, points

REACH = 20.0
"""A positive coefficient is sought from 1/20 to 20 times where the search begins."""
EXCITED = 0.05
"""Share of all strain that a strain must have for its coefficients to be sought."""
_LOST = 10.0
"""Residual of a step that the model does not reach."""
_SPREAD = 0.5
"""Standard deviation of the logarithms of further starts."""


@dataclass(frozen=True, eq=False)
class Study:
    """A case with data of it.

    Attributes:
        case: the case.
        data: a reference or a measurement.
        fitted: steps of the data that are fitted, from 1; the others are held out.
        file_hash: of the data's file, if it has one.
    """

    case: Case
    data: xr.Dataset
    fitted: tuple[int, ...]
    file_hash: str = ""

    @property
    def held_out(self) -> tuple[int, ...]:
        """Stable steps that are not fitted, from 1."""
        return tuple(s for s in stable_steps(self.data) if s not in self.fitted)


@dataclass(frozen=True, eq=False)
class Search:
    """What is sought: by which model, from where, in which studies."""

    model: str
    base: Coefficients
    """Where to begin; what it holds beside the names sought stays as it is."""
    names: tuple[str, ...]
    studies: tuple[Study, ...]

    def __post_init__(self) -> None:
        """Refuse what cannot be sought."""
        for name in self.names:
            unit_of(name)
            if self.model not in KNOWN[name].models:
                raise BadInput(f"the model {self.model} does not read {name}")
            if name not in self.base.values and KNOWN[name].neutral is None:
                raise BadInput(f"{name}: say where to begin, as in --start {name}=1.5e-3")
        if not self.names:
            raise BadInput("nothing is to be fitted")

    @property
    def start(self) -> Array:
        """Unknowns where the search begins."""
        neutral = {name: KNOWN[name].neutral or 0.0 for name in self.names}
        values = neutral | self.base.values
        return self.unknowns([values[name] for name in self.names])

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


KINDS = ("axis", "turn", "reaction", "meridian")


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
        """Of a weighted residual; of perfect data, what the search leaves."""
        return max(self.sum_of_squares, 1e-24 * self.residual.size) / self.freedom

    @property
    def at_bound(self) -> NDArray[np.bool_]:
        """Which coefficients ended at a bound."""
        low, high = self.search.bounds
        near = np.minimum(self.unknowns - low, high - self.unknowns) < 1e-6 * (high - low)
        return np.asarray(near)


def excited(model: str, studies: Sequence[Study]) -> tuple[str, ...]:
    """Return what a model is calibrated in unless asked otherwise: what the loads excite."""
    if model in ("shell", "shell_eq7", "joint"):
        return ("modulus",)
    strain = [
        (study.data["strain"].values - study.data["strain_rest"].values)
        * np.array([length(study.data)] * 3 + [1.0] * 3)
        for study in studies
        if study.fitted and {"strain", "strain_rest"} <= set(study.data.variables)
    ]
    if not strain:
        return ("bending_stiffness",)
    square = sum(np.sum(s**2, axis=(0, 1)) for s in strain)
    share = np.sqrt(square / max(float(np.sum(square)), 1e-300))
    bent, stretched = share[1:3].max() > EXCITED, share[3] > EXCITED
    pressed = any("pressure" == load.kind for s in studies for load in s.case.load.values())
    names = {
        "bending_stiffness": bent,
        "stretch_stiffness": stretched,
        "torsion_stiffness": share[0] > EXCITED,
        "softening": stretched and pressed,
        "chamber_growth": bent and pressed,
    }
    return tuple(name for name, sought in names.items() if sought and model in KNOWN[name].models)


def stable_steps(data: xr.Dataset) -> tuple[int, ...]:
    """Return the steps of a data set, from 1, that are not known to be unstable."""
    if "stable" not in data:
        return tuple(range(1, data.sizes["step"] + 1))
    return tuple(i for i, stable in enumerate(data["stable"].values, 1) if stable != 0)


def difference(study: Study, found: xr.Dataset, steps: Sequence[int]) -> dict[str, Array]:
    """Return model less data at steps of the data, from 1, by kind: (step, ...)."""
    seen = study.data.isel(step=[s - 1 for s in steps])
    pair = match(seen, found)
    if pair.missed:
        raise NothingPredicted(f"{study.case.name}: the model does not reach step {pair.missed[0]}")
    mine, theirs = pair.prediction, pair.reference
    if "profile_radius" in theirs:
        meridian = [
            (mine[f"profile_{way}"].values - theirs[f"profile_{way}"].values)
            for way in ("axial", "radius")
        ]
        whole = float(theirs["meridian"].values[-1])
        return {"meridian": np.asarray(np.stack(meridian, axis=-1) / whole)}
    parts: dict[str, Array] = {"axis": np.asarray((points(mine) - points(theirs)) / length(theirs))}
    if "frame" in theirs:
        turns = np.swapaxes(theirs["frame"].values[..., :3, :3], -1, -2)
        turns = turns @ mine["frame"].values[..., :3, :3]
        turned = Rotation.from_matrix(turns.reshape(-1, 3, 3)).as_rotvec()
        parts["turn"] = turned.reshape(*turns.shape[:2], 3)
    if study.case.support.tip == "blocked" and "reaction_tip" in theirs:
        scale = np.repeat([length(theirs), 1.0], 3)
        scale *= np.linalg.norm(study.data["reaction_tip"].values[:, 3:], axis=1).max()
        parts["reaction"] = (mine["reaction_tip"].values - theirs["reaction_tip"].values) / scale
    return parts


def predicted(study: Study, model: str, coefficients: Coefficients, steps: int = 0) -> xr.Dataset:
    """Return the model's prediction of a study, of its first steps or of all."""
    case = study.case if steps == 0 else first_steps(study.case, steps)
    return predict(case, model, coefficients=coefficients)


def first_steps(case: Case, count: int) -> Case:
    """Return a case with its first reported steps only."""
    loads = {
        name: load if load.path is None else load.model_copy(update={"path": load.path[:count]})
        for name, load in case.load.items()
    }
    return case.model_copy(update={"steps": case.steps[:count], "load": loads})


def residuals(search: Search, unknowns: Array, last: Sequence[int]) -> Residuals:
    """Return the residuals of all fitted steps; large ones where the model gives no answer.

    Args:
        search: what is sought.
        unknowns: at which.
        last: steps of each case that are predicted, from its first on.
    """
    coefficients = search.coefficients(unknowns)
    value, kind, block = [], [], []
    before = 0
    for study, count in zip(search.studies, last, strict=True):
        if not study.fitted:
            continue
        try:
            found = predicted(study, search.model, coefficients, count)
            parts = difference(study, found, study.fitted)
        except NothingPredicted:
            alike = difference(study, study.data, study.fitted)
            parts = {name: np.full_like(part, _LOST) for name, part in alike.items()}
        for name, part in parts.items():
            value.append(part.ravel())
            kind.append(np.full(part.size, KINDS.index(name)))
            number = before + np.arange(len(part))
            block.append(np.repeat(number, part.size // len(part)))
        before += len(study.fitted)
    return Residuals(*(np.concatenate(parts) for parts in (value, kind, block)))


def calibrate(search: Search, starts: int = 1, seed: int = 0) -> Found:
    """Return the best fit over several starts, the first where the search begins.

    Raises:
        BadInput: if there are fewer residuals than coefficients, or no start reaches the data.
    """
    last = _last_steps(search)
    first = residuals(search, search.start, last)
    if first.value.size <= len(search.names):
        raise BadInput(f"{first.value.size} residuals cannot tell {len(search.names)} coefficients")
    weight = np.ones(first.value.size)
    random = np.random.default_rng(seed)
    low, high = search.bounds
    begin = [search.start]
    for _ in range(starts - 1):
        begin.append(np.clip(search.start + _SPREAD * random.normal(size=low.size), low, high))
    ends = [_descend(search, at, weight, last) for at in begin]
    best = min(ends, key=lambda end: float(end[1] @ end[1]))
    if np.abs(best[1]).max() >= _LOST:
        raise BadInput("the model reaches the fitted loads from no start: begin elsewhere")
    sums = sorted(float(end[1] @ end[1]) for end in ends)
    for kind in np.unique(first.kind):
        here = first.kind == kind
        weight[here] = 1.0 / max(float(np.sqrt(np.mean(best[1][here] ** 2))), 1e-12)
    weight /= np.exp(np.mean(np.log(weight)))
    unknowns, residual, jacobian = _descend(search, best[0], weight, last)
    floor = max(sums[0], 1e-300)
    return Found(
        search,
        unknowns,
        residual,
        jacobian,
        weight,
        first.block,
        first.kind,
        tuple(s / floor for s in sums),
    )


def refit(found: Found, fixed: Mapping[int, float]) -> tuple[Array, float]:
    """Return unknowns and sum of squares of the best fit with some unknowns fixed."""
    unknowns, residual, _ = _descend(
        found.search, found.unknowns, found.weight, _last_steps(found.search), fixed
    )
    return unknowns, float(residual @ residual)


def slopes(search: Search, unknowns: Array, last: Sequence[int] | None = None) -> Array:
    """Return the derivatives of the residuals by the unknowns, by central differences."""
    last = last or _last_steps(search)
    columns = []
    for i in range(unknowns.size):
        move = 1e-4 * np.eye(unknowns.size)[i]
        there, back = (residuals(search, unknowns + way * move, last).value for way in (1, -1))
        columns.append((there - back) / 2e-4)
    return np.stack(columns, axis=-1)


def _descend(
    search: Search,
    start: Array,
    weight: Array,
    last: Sequence[int],
    fixed: Mapping[int, float] | None = None,
) -> tuple[Array, Array, Array]:
    """Unknowns, weighted residuals and slopes at the nearest minimum."""
    unknowns = start.copy()
    for i, value in (fixed or {}).items():
        unknowns[i] = value
    free = [i for i in range(start.size) if i not in (fixed or {})]

    def residual(part: Array) -> Array:
        trial = unknowns.copy()
        trial[free] = part
        return weight * residuals(search, trial, last).value

    if not free:
        at = residual(unknowns[free])
        return unknowns, at, np.empty((at.size, 0))
    low, high = (end[free] for end in search.bounds)
    done = least_squares(
        residual,
        np.clip(unknowns[free], low + 1e-9, high - 1e-9),
        bounds=(low, high),
        diff_step=1e-4,
        xtol=1e-8,
        ftol=1e-9,
        max_nfev=60,
    )
    unknowns[free] = done.x
    return unknowns, done.fun, done.jac


def _last_steps(search: Search) -> list[int]:
    """How many steps of every case reach beyond the last one fitted."""
    counts = []
    for study in search.studies:
        most = len(study.case.steps)
        if study.data.sizes["step"] == most and study.fitted:
            counts.append(max(study.fitted))  # the data have the steps of the case
        else:
            counts.append(most)
    return counts
