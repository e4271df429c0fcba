"""Whether a prediction is accepted: met, not met, or not shown, and why.

A level is met if error and bar together stay below it at every step of the case, and not met if the
error less its bar exceeds it at some step. All else is not shown: no error bar, a step that nobody
measured, a reference that ends early, data that fail their own check, a prediction that is the
reference.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import xarray as xr

from loligo.cases.case import Case
from loligo.cases.dataset.io import load_variables
from loligo.validation.compare.consistency import strain_findings
from loligo.validation.data.matching import SAME_LOAD, Pair

Verdict = Literal["met", "not met", "not shown"]
CODES: dict[Verdict | None, int] = {None: 0, "met": 0, "not met": 4, "not shown": 5}
"""How `loligo compare` ends."""
_SAME = 1e-12
"""Of the largest value: two solutions that agree so well are one."""
_UNCOMPARED = ("load_", "time", "stable")


@dataclass(frozen=True)
class CaseVerdict:
    """The verdict over all levels of a case, with what it rests on."""

    verdict: Verdict
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True)
class LimitVerdict:
    """The verdict on one level."""

    title: str
    verdict: Verdict
    reason: str
    """Empty if it is met."""


def answer(
    judged: Sequence[LimitVerdict],
    absent: Sequence[str],
    missed: Sequence[int],
    doubts: Sequence[str],
) -> CaseVerdict:
    """Return the worst verdict: what cannot be judged is not shown, and neither what is in doubt.

    Args:
        judged: levels that were judged.
        absent: metrics with a level that are not in both data sets.
        missed: steps of the reference that the prediction does not reach.
        doubts: why nothing that is met is shown by these data.
    """
    failed = [f"{each.title}: {each.reason}" for each in judged if each.verdict == "not met"]
    if missed:
        failed.append(f"the prediction has no step {', '.join(map(str, missed))}")
    if failed:
        return CaseVerdict("not met", tuple(failed))
    open_ones = [f"{each.title}: {each.reason}" for each in judged if each.verdict == "not shown"]
    open_ones += [f"{name} is not in both" for name in absent]
    open_ones += doubts
    return CaseVerdict("not shown", tuple(open_ones)) if open_ones else CaseVerdict("met")


def doubts(case: Case, reference: xr.Dataset, pair: Pair, prediction: xr.Dataset) -> Iterator[str]:
    """Yield why a small error would show nothing.

    Args:
        case: what both are of.
        reference: the whole reference.
        pair: the two at common steps and places.
        prediction: the whole prediction.
    """
    if reference.attrs["kind"] == "prediction":
        yield "the reference is a prediction itself"
    if reference.attrs["status"] != "complete":
        yield f"the reference {reference.attrs['status']}"
    yield from _short(case, pair.reference)
    for name, data in (("reference", reference), ("prediction", prediction)):
        for finding in strain_findings(data):
            yield f"the {name} fails `loligo check`: {finding.where} {finding.reason}"
    if _same(pair.reference, pair.prediction):
        yield "prediction and reference are the same data"


def _short(case: Case, data: xr.Dataset) -> Iterator[str]:
    """Where matched data end before the case does."""
    if case.time is not None:
        last = float(data["time"].values[-1]) if "time" in data else np.nan
        if not last >= (1.0 - SAME_LOAD) * case.time.times[-1]:
            yield f"the reference ends at {last:.4g} s of {case.time.times[-1]:.4g} s"
        return
    for name, (_, wanted, _) in load_variables(case).items():
        if name not in data:
            continue
        most, there = (float(np.nanmax(np.abs(v), initial=0.0)) for v in (wanted, data[name]))
        if there < (1.0 - SAME_LOAD) * most:
            load = name.replace("_", ".", 1)
            yield f"the reference ends at {there / most:.0%} of {load}"


def _same(one: xr.Dataset, other: xr.Dataset) -> bool:
    """Whether two matched data sets agree in everything that both hold."""
    names = [
        name
        for name in map(str, one.data_vars)
        if name in other and not name.startswith(_UNCOMPARED) and not name.endswith("_rest")
    ]
    pairs = [(one[name].values, other[name].values) for name in names]
    return bool(pairs) and all(
        a.shape == b.shape
        and np.allclose(a, b, rtol=0.0, atol=_SAME * np.nanmax(np.abs(a), initial=0.0))
        for a, b in ((np.nan_to_num(a), np.nan_to_num(b)) for a, b in pairs)
    )
