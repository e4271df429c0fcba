r"""A reduced model calibrated on small loads, judged on the large ones that it has not seen.

Of a rod the factors on its stiffness in bending, stretch and torsion are sought, of those that the
load excites; of a shell one factor on its rubber's modulus. They minimise the difference of strains
from the reference's (bends and torsion times L, so that all are numbers without unit), of profiles,
or, where a model has arcs whose strains are not those of any section, of points of the axis, over
the steps that are fitted. A factor far from 1 is no property of the rubber: it
absorbs what the model leaves out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import xarray as xr
from scipy.optimize import least_squares

from loligo.cases.body import Mantle
from loligo.cases.case import Case
from loligo.cases.elastomer import scaled
from loligo.cases.record import BadInput
from loligo.reduced.predict import NothingPredicted, predict
from loligo.validation.matching import match
from loligo.validation.metrics import Array, length, points

MODES = {"bending": (1, 2), "stretch": (3,), "torsion": (0,)}
"""Strains that share a factor. Shear is left alone: arms are slender."""
EXCITED = 0.05
"""Share of all strain that a mode must have for its stiffness to be sought."""
REACH = 20.0
"""Factors are sought from 1/20 to 20."""
ABSORBING = 1.1
"""A factor further from 1 than this absorbs model error."""


@dataclass(frozen=True)
class Factor:
    """A factor on a coefficient, with its standard error."""

    name: str
    value: float
    standard_error: float

    @property
    def absorbs(self) -> bool:
        """Whether it is further from 1 than the geometry's own uncertainty."""
        return max(self.value, 1.0 / self.value) > ABSORBING


@dataclass(frozen=True, eq=False)
class Calibrated:
    """A calibrated prediction, and which steps it has seen."""

    factors: tuple[Factor, ...]
    prediction: xr.Dataset
    """At all steps of the case."""
    fitted: tuple[int, ...]
    held_out: tuple[int, ...]
    """Steps of the case, from 1."""


def calibrate(case: Case, reference: xr.Dataset, model: str) -> Calibrated | None:
    """Fit to the first half of the steps; None if there are less than two, or nothing to fit."""
    count = reference.sizes["step"]
    names = _free(case, reference)
    if count < 2 or not names:
        return None
    fitted, held_out = range((count + 1) // 2), range((count + 1) // 2, count)
    seen = reference.isel(step=list(fitted))
    small = _first_steps(case, len(fitted))

    take = _profile if "profile_radius" in seen else _axis if model == "pcc" else _strain

    def residual(logarithms: Array) -> Array:
        try:
            found = _predict(small, model, names, np.exp(logarithms))
        except (NothingPredicted, BadInput):
            return np.full(size, 1e3)
        pair = match(seen, found)
        if pair.missed:
            return np.full(size, 1e3)
        return (take(pair.prediction) - take(pair.reference)).ravel()

    size = take(seen).size
    bound = np.log(REACH)
    found = least_squares(
        residual, np.zeros(len(names)), bounds=(-bound, bound), diff_step=1e-4, xtol=1e-8, ftol=1e-8
    )
    freedom = max(size - len(names), 1)
    covariance = np.linalg.pinv(found.jac.T @ found.jac) * 2.0 * found.cost / freedom
    values = np.exp(found.x)
    factors = zip(names, values, values * np.sqrt(np.diag(covariance)), strict=True)
    return Calibrated(
        factors=tuple(Factor(name, float(v), float(error)) for name, v, error in factors),
        prediction=_predict(case, model, names, values),
        fitted=tuple(i + 1 for i in fitted),
        held_out=tuple(i + 1 for i in held_out),
    )


def with_factors(case: Case, model: str, factors: Sequence[Factor]) -> xr.Dataset:
    """Return what a model predicts of any case with factors found elsewhere."""
    return _predict(case, model, [f.name for f in factors], np.array([f.value for f in factors]))


def softened(case: Case, factor: float) -> Case:
    """Return the case with every rubber's modulus times a factor."""
    material = {name: scaled(rubber, factor) for name, rubber in case.material.items()}
    return case.model_copy(update={"material": material})


def _first_steps(case: Case, count: int) -> Case:
    loads = {
        name: load if load.path is None else load.model_copy(update={"path": load.path[:count]})
        for name, load in case.load.items()
    }
    return case.model_copy(update={"steps": case.steps[:count], "load": loads})


def _predict(case: Case, model: str, names: Sequence[str], values: Array) -> xr.Dataset:
    by_name: Mapping[str, float] = dict(zip(names, values, strict=True))
    if "modulus" in by_name:
        return predict(softened(case, by_name["modulus"]), model)
    stiffness = np.ones(6)
    for name, value in by_name.items():
        stiffness[list(MODES[name])] = value
    return predict(case, model, stiffness=stiffness)


def _free(case: Case, reference: xr.Dataset) -> list[str]:
    """Coefficients that the loads of the reference tell something about."""
    if isinstance(case.body, Mantle):
        return ["modulus"] if "profile_radius" in reference else []
    if not {"strain", "strain_rest", "station"} <= set(reference.variables):
        return []
    strain = _strain(reference)
    whole = float(np.linalg.norm(strain))
    share = {name: np.linalg.norm(strain[..., list(at)]) / whole for name, at in MODES.items()}
    return [name for name in MODES if share[name] > EXCITED] if whole > 0.0 else []


def _strain(data: xr.Dataset) -> Array:
    """Strain less that at rest, angular parts times L."""
    unit = np.array([length(data)] * 3 + [1.0] * 3)
    return np.asarray((data["strain"].values - data["strain_rest"].values) * unit)


def _axis(data: xr.Dataset) -> Array:
    return np.asarray(points(data) / length(data))


def _profile(data: xr.Dataset) -> Array:
    shape = np.stack([data["profile_axial"].values, data["profile_radius"].values])
    return np.asarray(shape / float(data["meridian"].values[-1]))
