"""How far a model is from data, over its displacement: before a fit, after, and where held out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import xarray as xr
from scipy import stats

from loligo.cases.body import ChamberedArm
from loligo.cases.coefficients import Coefficients
from loligo.meshes.bodies import length as body_length
from loligo.reduced.predict.predict import NothingPredicted
from loligo.validation.data.quantities import Array, length, points
from loligo.validation.fitting.coefficients.case_data import (
    CaseData,
    blocked_force,
    difference,
    longest,
    predicted,
    scatter,
)
from loligo.validation.fitting.coefficients.search import (
    Found,
    Search,
    last_steps,
    residuals,
    slopes,
)
from loligo.validation.fitting.coefficients.weights import CONSISTENT


@dataclass(frozen=True)
class ErrorRow:
    """How far a model is from the data of a case, before and after, over fitted or other steps.

    Errors are root mean squares over steps and places, as a share of those of the displacement.
    """

    case: str
    fitted: bool
    steps: tuple[int, ...]
    before: float
    after: float
    within: bool | None = None
    """Whether what is left is within the stated uncertainty of a measurement; None without one."""


def before_and_after(found: Found) -> tuple[ErrorRow, ...]:
    """Return the errors with the coefficients of the beginning and those found."""
    search, rows = found.search, []
    for study in search.studies:
        pair = [
            _prediction(study, search, coefficients)
            for coefficients in (search.base, found.coefficients)
        ]
        for fitted, steps in ((True, study.fitted), (False, study.held_out)):
            if steps:
                before, after = (
                    np.nan if data is None else share_off(study, data, steps) for data in pair
                )
                within = _within(found, study, steps, fitted)
                rows.append(ErrorRow(study.case.name, fitted, steps, before, after, within))
    return tuple(rows)


def _prediction(study: CaseData, search: Search, coefficients: Coefficients) -> xr.Dataset | None:
    try:
        return predicted(study, search.model, coefficients, law=search.law)
    except NothingPredicted:
        return None


def share_off(study: CaseData, data: xr.Dataset, steps: Sequence[int]) -> float:
    """Return the error at steps (from 1) over the displacement; of a blocked tip, the reaction."""
    try:
        parts = difference(study, data, steps)
    except NothingPredicted:
        return np.nan
    at = [s - 1 for s in steps]
    if "reaction" in parts:
        wrench = study.data["reaction_tip"].values
        return _share(parts["reaction"][:, 3:] * blocked_force(study), wrench[at, 3:])
    if "length" in parts:
        lengths = study.compared["chamber_length"].values[at]
        moved = lengths - _rest_lengths(study)
        return _share(parts["length"] * longest(study), moved)
    if "meridian" in parts:
        data = study.data
        whole = float(data["meridian"].values[-1])
        shape = np.stack([data["profile_axial"].values, data["profile_radius"].values], axis=-1)
        names = ["profile_axial_rest", "profile_radius_rest"]
        known = all(name in data for name in names)
        rest = np.stack([data[name].values for name in names], axis=-1) if known else shape[0]
        moved = shape[at] - rest
        return _share(parts["meridian"] * whole, moved)
    if "marker" in parts:
        moved = (study.data["marker_position"] - study.data["marker_rest"]).values[at]
        return _share(parts["marker"] * body_length(study.case.body), moved)
    if "angle" in parts:
        return _share(parts["angle"], study.data["angle"].values[at])
    station = study.data["station"].values
    rest_points = np.stack([station, 0.0 * station, 0.0 * station], axis=-1)
    moved = points(study.data)[at] - rest_points
    return _share(parts["axis"] * length(study.data), moved)


def _rest_lengths(study: CaseData) -> Array:
    """Lengths at rest of the chambers in the data (m)."""
    body = study.case.body
    assert isinstance(body, ChamberedArm)  # others have no chambers
    names = [str(name) for name in study.data["cavity"].values]
    return np.array([body.segments[int(name[1 : name.index("c")]) - 1].length for name in names])


def _share(off: Array, whole: Array) -> float:
    """Return the root mean square of errors over that of what was measured, gaps left out."""
    there = np.isfinite(whole)
    if not there.any():
        return np.nan
    return float(np.sqrt(np.mean(off[there] ** 2) / np.mean(whole[there] ** 2)))


def _within(found: Found, study: CaseData, steps: tuple[int, ...], fitted: bool) -> bool | None:
    r"""Whether a misfit is within the stated scatter of the data; None if none is stated.

    With z the residuals over their standard deviations, z.z is below the 99 % quantile of
    chi-squared if the model is right. At loads that were held out the coefficients' own scatter
    counts, too: cov z = 1 + A C A^T, A the slopes of z and C = s^2 (J^T J)^{-1}, whose inverse is
    1 - A (C^{-1} + A^T A)^{-1} A^T.
    """
    if not scatter(study, steps):
        return None
    search = replace(found.search, studies=(replace(study, fitted=steps),))
    last = last_steps(search)
    off = residuals(search, found.unknowns, last)
    there = off.sigma > 0.0
    z = off.value[there] / off.sigma[there]
    square = float(z @ z)
    if not fitted:
        slope = slopes(search, found.unknowns, last)[there] / off.sigma[there, None]
        known = found.jacobian.T @ found.jacobian / found.variance
        pull = slope.T @ z
        square -= float(pull @ np.linalg.pinv(known + slope.T @ slope, hermitian=True) @ pull)
    return square <= float(stats.chi2.ppf(CONSISTENT, z.size))
