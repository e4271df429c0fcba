"""The whole of a calibration: which steps of which data are fitted, the fit, and what it is worth.

Unless asked otherwise the first half of each case's stable steps is fitted, the other half is held
out, and those coefficients are sought that the fitted loads excite.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from loligo.cases import coefficients as files
from loligo.cases.case import Case
from loligo.cases.coefficients import KNOWN, Coefficients, unit_of
from loligo.cases.core.record import BadInput
from loligo.reduced.predict.predict import chosen_model
from loligo.reduced.section.law_choice import Law
from loligo.validation.data.gaps import filled
from loligo.validation.data.references import Reference, relatives
from loligo.validation.fitting.coefficients.base import base_on
from loligo.validation.fitting.coefficients.case_data import CaseData, excited, stable_steps
from loligo.validation.fitting.coefficients.further import More, further
from loligo.validation.fitting.coefficients.judge import Judged, judge, result
from loligo.validation.fitting.coefficients.search import Search, calibrate
from loligo.validation.fitting.coefficients.trials import trials
from loligo.validation.fitting.statistics import Interval


@dataclass(frozen=True, eq=False)
class FitPlan:
    """What is to be fitted, checked before the work begins."""

    search: Search
    measured: tuple[str, ...]
    """Coefficients that were measured and stay."""
    widening: bool
    """Whether to look for further coefficients that the fitted loads determine."""
    said: tuple[str, ...]
    """What a reader has to know of the data before the numbers."""

    @property
    def cases(self) -> tuple[Case, ...]:
        """The cases, those held out included."""
        return tuple(study.case for study in self.search.studies)


@dataclass(frozen=True, eq=False)
class Calibration:
    """A calibration with its judgement, and the further coefficients that the loads determine."""

    plan: FitPlan
    judged: Judged
    more: More | None

    @cached_property
    def coefficients(self) -> Coefficients:
        """What every reduced model reads: a file of coefficients."""
        search = self.plan.search
        on = ", ".join(study.case.name for study in search.studies if study.fitted)
        words = f"calibrated by loligo: {search.model} on {on}, beginning from {search.base.source}"
        return result(self.judged, words)


def plan(
    references: Sequence[Reference],
    held_out: Collection[str] = (),
    *,
    model: str | None = None,
    fit: Sequence[str] = (),
    freeze: Mapping[str, float] | None = None,
    start: Mapping[str, float] | None = None,
    base: Coefficients | None = None,
    law: Law = None,
    steps: tuple[int, int] | None = None,
) -> FitPlan:
    """Return what is to be fitted.

    Args:
        references: data of one body, one data set for each case.
        held_out: names of the cases that are predicted only.
        model: which reduced model; by default the first for the body.
        fit: coefficients to seek; by default those that the fitted loads excite.
        freeze: coefficients that were measured, in SI; they stay.
        start: where the search begins, in SI.
        base: what to begin from; by default geometry and rubber.
        law: section law under a rod or arcs; by default the best that serves all cases.
        steps: first and last step to fit, from 1; by default the first half of the stable ones.

    Raises:
        BadInput: if the cases are of several bodies, or nothing of this can be fitted.
    """
    check_cases([each.case for each in references])
    first = references[0].case
    chosen = chosen_model(first, model)
    measured = dict(freeze or {})
    given = measured | dict(start or {})
    for name, value in given.items():
        check_value(name, value)
    if base is not None:
        files.check_belongs(base, first)
    origin, given_law = base_on([each.case for each in references], chosen, law, base, fit)
    origin = _marked(origin.replaced(given), measured)
    said = [line for each in references for line in each.said]
    studies = tuple(_studies(references, held_out, steps, said))
    names = tuple(fit) or tuple(n for n in excited(chosen, studies, origin) if n not in measured)
    if both := sorted(set(names) & set(measured)):
        raise BadInput(f"{both[0]} is frozen, but it is also to be fitted: give it once")
    search = Search(chosen, origin, names, studies, given_law)
    return FitPlan(search, tuple(measured), not fit, tuple(said))


def calibrated(
    plan: FitPlan, *, starts: int = 3, profiles: bool = True, seed: int = 0
) -> Calibration:
    """Fit and judge.

    Args:
        plan: what is to be fitted.
        starts: from how many places the search begins.
        profiles: whether to walk along profiles for intervals, which takes most of the time.
        seed: of further starts and of the bootstrap.
    """
    found = calibrate(plan.search, starts, seed)
    others = [*relatives(plan.cases), *trials(plan.cases[0])]
    judged = judge(found, others, seed, profiles)
    return Calibration(plan, judged, further(found, plan.measured) if plan.widening else None)


def check_cases(cases: Sequence[Case]) -> None:
    """Refuse cases of several bodies, and one case given twice."""
    names = [case.name for case in cases]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise BadInput(f"{twice[0]}: give a case once, either to fit it or to hold it out")
    for case in cases:
        files.check_same(cases[0], case)


def check_value(name: str, value: float) -> None:
    """Refuse a value that a coefficient cannot have."""
    unit_of(name)
    if not math.isfinite(value) or (value <= 0.0 and not KNOWN[name].signed):
        raise BadInput(f"{name}={value:g}: no value that {name} can have")


def record(judged: Judged) -> dict[str, Any]:
    """Return every number of a calibration; what is not known is None."""
    found, known = judged.found, judged.known

    def ends(interval: Interval) -> list[float | None]:
        return [float(end) if math.isfinite(end) else None for end in interval]

    def number(value: float) -> float | None:
        return float(value) if math.isfinite(value) else None

    values = found.search.values(found.unknowns)
    return {
        "schema": "loligo calibration 1",
        "model": found.search.model,
        "law": found.search.base.law,
        "coefficients": [
            {
                "name": name,
                "value": value,
                "wald": ends(judged.wald[i]),
                "profile": ends(judged.profile[i]),
                "bootstrap": ends(judged.bootstrap[i]),
            }
            for i, (name, value) in enumerate(values.items())
        ],
        "residuals": found.residual.size,
        "fisher_eigenvalues": [float(e) for e in known.eigenvalues],
        "condition": number(known.condition),
        "correlation": [[number(c) for c in row] for row in known.correlation],
        "worst_error": number(float(known.error.max())),
        "worst_error_with": {name: number(error) for name, error in judged.helps.items()},
        "starts": list(found.starts),
        "errors": [
            {
                "case": row.case,
                "fitted": row.fitted,
                "steps": list(row.steps),
                "before": number(row.before),
                "after": number(row.after),
            }
            for row in judged.rows
        ],
        "cautions": list(judged.cautions),
    }


def _marked(base: Coefficients, measured: Mapping[str, float]) -> Coefficients:
    marked = tuple(
        c.model_copy(update={"measured": True}) if c.name in measured else c
        for c in base.coefficient
    )
    return base.model_copy(update={"coefficient": marked})


def _studies(
    references: Sequence[Reference],
    held_out: Collection[str],
    steps: tuple[int, int] | None,
    said: list[str],
) -> Iterator[CaseData]:
    for each in references:
        data = filled(each.source.data)
        usable = stable_steps(data)
        if steps is None:
            asked = usable[: (len(usable) + 1) // 2]
        else:
            asked = chosen_steps(steps, usable, data.sizes["step"], said)
        chosen = () if each.case.name in held_out else asked
        yield CaseData(each.case, data, chosen, each.file_hash)


def chosen_steps(
    steps: tuple[int, int], usable: tuple[int, ...], count: int, said: list[str]
) -> tuple[int, ...]:
    """Return the stable steps of those asked for; all must be there.

    Args:
        steps: first and last, from 1.
        usable: the stable ones.
        count: how many steps the data have.
        said: takes a line on those that are left out.
    """
    (low, high), text = steps, "-".join(map(str, dict.fromkeys(steps)))
    if not 1 <= low <= high <= count:
        raise BadInput(f"steps {text}: the data have the steps 1-{count}")
    chosen = tuple(step for step in usable if low <= step <= high)
    if len(chosen) <= high - low:
        unstable = [str(step) for step in range(low, high + 1) if step not in chosen]
        said.append(f"step {', '.join(unstable)} is unstable, and left out")
    if not chosen:
        raise BadInput(f"steps {text}: none of them is stable")
    return chosen
