"""Why coefficients may not hold where a model uses them: in sentences, with the numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from loligo.cases.case import Case
from loligo.cases.coefficients import KNOWN, Coefficients, Reach
from loligo.cases.core.units import quantity_words
from loligo.cases.dataset.io import load_variables

_SLACK = 1.05
"""How far beyond its range a coefficient is used before that is said."""
_SIGNED = ("pressure", "outer_pressure", "supply", "hoop_tension", "tendon", "shortening")
"""Kinds of load whose magnitude has a sign; of the others it is the length of a vector."""


def load_reach(cases: Iterable[tuple[Case, Iterable[int]]]) -> dict[str, tuple[float, float]]:
    """Return the range of every kind of load over cases with steps, from 0, and rest.

    The sign counts where the magnitude is no length of a vector: of pressures and tensions.
    """
    reach: dict[str, tuple[float, float]] = {}
    for case, steps in cases:
        at = list(steps)
        magnitudes = load_variables(case)
        for name, load in case.load.items():
            values = magnitudes[f"load_{name}"][1][at]
            values = values if load.kind in _SIGNED else np.abs(values)
            low, high = reach.get(load.kind, (0.0, 0.0))
            reach[load.kind] = (
                min(low, float(values.min(initial=0.0))),
                max(high, float(values.max(initial=0.0))),
            )
    return reach


def _units(case: Case) -> dict[str, str]:
    """Units of the magnitudes of every kind of load of a case."""
    variables = load_variables(case)
    return {load.kind: variables[f"load_{n}"][2]["units"] for n, load in case.load.items()}


def doubtful(coefficients: Coefficients, model: str) -> list[str]:
    """Return in sentences what to know of the coefficients that a model reads, at any load."""
    return [*unphysical(coefficients, model), *_not_its_own(coefficients, model)]


def _not_its_own(coefficients: Coefficients, model: str) -> list[str]:
    """Which values ran to a bound, and whether another model was fitted."""
    read = coefficients.read_by(model)
    said = [
        f"{c.name} = {c.value:.4g} ran to its bound as it was fitted: the data do not determine it"
        for c in coefficients.coefficient
        if c.at_bound and c.name in read
    ]
    fitted = [c.name for c in coefficients.coefficient if not c.measured and c.name in read]
    if fitted and coefficients.model not in (None, model):
        said.append(
            f"{', '.join(fitted)} were fitted with the model {coefficients.model} and absorb its "
            f"errors, not those of {model}: calibrate {model} for itself"
        )
    return said


def unphysical(coefficients: Coefficients, model: str) -> list[str]:
    """Return in sentences which coefficients that a model reads are no property of a body."""
    said = []
    for name, value in coefficients.read_by(model).items():
        low, high = KNOWN[name].physical
        if not low <= value <= high:
            said.append(
                f"{name} = {value:.4g} is no property of a body, for which it lies between "
                f"{low:g} and {high:g}"
            )
    return said


def beyond(coefficients: Coefficients, case: Case, max_stretch: float, steps: int) -> list[str]:
    """Return in sentences where a prediction of so many steps leaves what its coefficients know."""
    loads = load_reach([(case, range(steps))])
    return beyond_reach(coefficients.reach, max_stretch, loads, _units(case))


def beyond_reach(
    reach: Reach,
    max_stretch: float,
    loads: Mapping[str, tuple[float, float]],
    units: Mapping[str, str],
) -> list[str]:
    """Return in sentences where a stretch or a load goes beyond a reach.

    Args:
        reach: how far coefficients hold.
        max_stretch: largest stretch in the body.
        loads: smallest and largest magnitude of every kind that acts.
        units: of these magnitudes.
    """
    said = []
    if max_stretch - 1.0 > _SLACK * (reach.max_stretch - 1.0):
        said.append(
            f"the coefficients hold up to a stretch of {reach.max_stretch:.4g}; here it reaches "
            f"{max_stretch:.4g}"
        )
    for kind, (lowest, highest) in loads.items():
        if reach.load is None:
            continue
        if kind not in reach.load:
            said.append(f"the coefficients were found without any {_spoken(kind)}")
            continue
        low, high = reach.load[kind]
        slack = (_SLACK - 1.0) * max(-low, high)
        for value, limit, word in ((highest, high, "up"), (lowest, low, "down")):
            past = value - limit if word == "up" else limit - value
            if past > slack:
                said.append(
                    f"the coefficients hold {word} to a {_spoken(kind)} of "
                    f"{quantity_words(limit, units[kind])}; here it reaches "
                    f"{quantity_words(value, units[kind])}"
                )
    return said


def _spoken(kind: str) -> str:
    return kind.replace("_", " ")
