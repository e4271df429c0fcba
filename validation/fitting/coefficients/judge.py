"""A calibration judged: what the data can tell, intervals, held-out loads, cautions; its file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np
import xarray as xr

from loligo.cases.case import Case
from loligo.cases.coefficients import KNOWN, Coefficient, Coefficients, Data, Reach
from loligo.cases.coefficients_reach import load_reach
from loligo.cases.core.record import BadInput
from loligo.reduced.predict.predict import NothingPredicted, answer, resolved
from loligo.validation.fitting.coefficients.case_data import CaseData, predicted
from loligo.validation.fitting.coefficients.cautions import cautions
from loligo.validation.fitting.coefficients.errors import ErrorRow, before_and_after
from loligo.validation.fitting.coefficients.intervals import (
    FisherInformation,
    bootstrap,
    identify,
    profile,
    wald,
)
from loligo.validation.fitting.coefficients.search import Found, slopes
from loligo.validation.fitting.statistics import Interval


@dataclass(frozen=True, eq=False)
class Judged:
    """A calibration and all that is known of it."""

    found: Found
    known: FisherInformation
    wald: tuple[Interval, ...]
    profile: tuple[Interval, ...]
    bootstrap: tuple[Interval, ...]
    helps: dict[str, float]
    """Largest standard error of an unknown if another case of the body were fitted too."""
    rows: tuple[ErrorRow, ...]
    cautions: tuple[str, ...]


def judge(
    found: Found, others: Sequence[Case] = (), seed: int = 0, profiles: bool = True
) -> Judged:
    """Judge a fit.

    Args:
        found: the fit.
        others: cases of the same body that were not fitted, data of them or not: the one that
            would tell most is named.
        seed: of the bootstrap.
        profiles: whether to walk along profiles, which takes most of the time.
    """
    known = identify(found.jacobian, found.variance)
    count = range(found.unknowns.size)
    nothing = tuple(Interval(np.nan, np.nan) for _ in count)
    helps = {case.name: error for case in others if (error := _with(found, case)) is not None}
    rows = before_and_after(found)
    ends = tuple(profile(found, known, i) for i in count) if profiles else nothing
    return Judged(
        found,
        known,
        tuple(wald(found, known)),
        ends,
        tuple(bootstrap(found, seed)),
        helps,
        rows,
        (*cautions(found, known, helps, rows), *_numerical(found)),
    )


def result(judged: Judged, source: str) -> Coefficients:
    """Return the file of coefficients: those that were sought with intervals, the others kept.

    The interval is the profile's where it was walked along, its open ends left out, else Wald's.
    """
    found = judged.found
    search = found.search
    values = search.values(found.unknowns)
    sought = []
    for i, (name, value) in enumerate(values.items()):
        stuck = bool(found.at_bound[i])
        ends = [
            tangent if np.isnan(likely) else likely
            for likely, tangent in zip(judged.profile[i], judged.wald[i], strict=True)
        ]
        low, high = (float(end) if np.isfinite(end) else None for end in ends)
        unit = KNOWN[name].unit
        sought.append(
            Coefficient(name=name, value=value, unit=unit, low=low, high=high, at_bound=stuck)
        )
    kept = tuple(c for c in search.base.coefficient if c.name not in values)
    fitted = [study for study in search.studies if study.fitted]
    last = [
        answer(study.case, search.model, coefficients=found.coefficients, law=search.law)
        for study in fitted
    ]
    stretch = max(
        float(data["max_stretch"].values[: max(study.fitted)].max())
        for study, data in zip(fitted, last, strict=True)
    )
    load = load_reach((study.case, [s - 1 for s in study.fitted]) for study in fitted)
    return search.base.model_copy(
        update={
            "source": source,
            "model": search.model,
            "coefficient": (*kept, *sought),
            "reach": Reach(max_stretch=stretch, load=load),
            "data": tuple(
                Data(case=study.case.name, sha256=study.file_hash, steps=study.fitted)
                for study in fitted
            ),
            "notes": judged.cautions,
        }
    )


def _numerical(found: Found) -> Iterator[str]:
    """Say where the model's own error in space or time is large, or not known, with the fit."""
    for study in found.search.studies:
        if study.fitted:
            with suppress(NothingPredicted):
                model = found.search.model
                fine = resolved(study.case, model, coefficients=found.coefficients)
                yield from (f"{study.case.name}: {caution}" for caution in fine.cautions)


def _with(found: Found, case: Case) -> float | None:
    """Largest standard error with another case fitted too, its residuals weighted as the mean."""
    search = found.search
    try:
        alone = CaseData(case, xr.Dataset(), ())
        data = predicted(alone, search.model, found.coefficients, law=search.law)
        study = CaseData(case, data, tuple(range(1, data.sizes["step"] + 1)))
        more = slopes(replace(search, studies=(study,)), found.unknowns)
    except (BadInput, NothingPredicted):
        return None
    both = np.concatenate([found.jacobian, more])
    return float(identify(both, found.variance).error.max())
