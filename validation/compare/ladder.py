"""The parity ladder: from rest to all loads, one rung a case; the first that differs is named.

A difference on a low rung explains those above it, so that nothing above the first rung that
differs says anything about its own load. A rung differs if its case's acceptance levels are not
met, or, where a case has none, if the shape is off by more than `AGREED` of the length.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
import xarray as xr

from loligo.cases.body import Bar, TaperedArm
from loligo.cases.case import Case
from loligo.cases.load.kinds import Load, Water, Weight, nature
from loligo.validation.compare.comparison import Comparison
from loligo.validation.data.quantities import Array, excess, length
from loligo.validation.data.ringing import ringing

RUNGS = (
    "rest",
    "self weight",
    "tip force",
    "tip moment",
    "active muscle",
    "outer pressure",
    "one chamber or tendon",
    "some chambers or tendons",
    "all chambers or tendons",
    "several kinds of load",
    "step response",
)
"""From the bottom."""
AGREED = 0.05
"""Largest error of the shape, of the length, with which a rung without levels agrees."""
REST = 1e-6
"""Largest difference at rest, of the length: both are the same drawing."""
SLIGHT = 1e-3
"""Strains that turn or stretch a body by less than this share of 1 over its length say nothing."""
TELLING = 0.02
"""A ratio of prediction to reference this far from 1 is named as what differs."""
State = Literal["agrees", "differs", "stands on one that differs", "not shown", "no data"]


@dataclass(frozen=True)
class Rung:
    """One rung: what is compared, how it went, and what differs."""

    name: str
    case: str
    state: State
    error: float | None = None
    """Largest error of the shape at any step, of the length."""
    differs: tuple[str, ...] = ()
    causes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Ladder:
    """All rungs of a body, from the bottom."""

    rungs: tuple[Rung, ...]

    @property
    def first_failing(self) -> Rung | None:
        """The lowest rung that differs."""
        return next((rung for rung in self.rungs if rung.state == "differs"), None)


def rung_of(case: Case) -> str:
    """Return the rung that a case stands on, by its loads; weight and water come with any.

    A motion stands above all that is at rest.
    """
    if case.time is not None:
        return "step response"
    acting = [load for load in case.load.values() if _acts(case, load)]
    driven = {type(load) for load in acting} - {Weight, Water}
    if not driven:
        return "self weight" if acting else "rest"
    if len(driven) > 1:
        return "several kinds of load"
    used: set[str | int] = set()
    available = 0
    for load in acting:
        kind = nature(load)
        if kind.rung == "motion":
            raise ValueError(f"{case.name}: a {load.kind} belongs to a motion")
        if kind.rung not in ("", "driven"):
            return kind.rung
        used |= {*kind.cavities, *kind.tendons}
        available = max(
            available,
            len(case.body.cavities) if kind.cavities else 0,
            case.body.tendon_count if kind.tendons else 0,
        )
    if len(used) == available:
        return "all chambers or tendons" if available > 1 else "one chamber or tendon"
    return "one chamber or tendon" if len(used) == 1 else "some chambers or tendons"


def same_body(one: Case, other: Case) -> bool:
    """Whether two cases are of one body; discs of an arm and how its tip is held may differ."""
    return _bare(one) == _bare(other)


def _bare(case: Case) -> tuple[object, ...]:
    body = case.body
    if isinstance(body, TaperedArm | Bar):
        body = body.model_copy(update={"base_disc": 0.0, "tip_disc": 0.0})
    return body, case.material, case.winding


def climb(comparisons: Iterable[Comparison]) -> Ladder:
    """Return the ladder of the comparisons of one body."""
    ordered = sorted(
        comparisons, key=lambda found: (RUNGS.index(rung_of(found.case)), found.case.name)
    )
    rungs = [_rest(ordered[0])] if ordered else []
    for found in ordered:
        rungs.append(_rung(found, any(rung.state == "differs" for rung in rungs)))
    present = {rung.name for rung in rungs}
    rungs += [Rung(name, "", "no data") for name in RUNGS[1:4] if name not in present]
    return Ladder(tuple(sorted(rungs, key=lambda rung: RUNGS.index(rung.name))))


def what_differs(found: Comparison) -> Iterator[tuple[str, str]]:
    """Yield what differs at the last step, each with its likely cause.

    Prediction over reference in the sense of least squares, of wrenches (the load that arrives at a
    section) and of strains (what the section makes of it). Of a motion, whose last instant tells
    little, how the free end rings.
    """
    reference, prediction = found.pair.reference, found.pair.prediction
    if found.case.time is not None:
        yield from _motion_differs(reference, prediction)
        return
    both = set(reference.data_vars) & set(prediction.data_vars)
    for name, columns, what, cause in (
        (
            "wrench_fluid",
            slice(3, 4),
            "the axial force p A of the fluid",
            "the pressure acts on another area: bores that widen, or a winding that makes the "
            "whole section inside it the effective area",
        ),
        (
            "wrench_fluid",
            slice(1, 3),
            "the bending moment of the fluid",
            "the pressure has another arm: where the bores are, which line it is taken about",
        ),
        (
            "strain",
            slice(1, 3),
            "the curvature",
            "the bending stiffness (modulus, fourth power of the radius, bores, winding), or the "
            "moment that bends",
        ),
        (
            "strain",
            slice(3, 4),
            "the stretch",
            "the axial stiffness (modulus, area, winding), or the axial force",
        ),
        ("strain", slice(0, 1), "the torsion", "the torsional stiffness, or a moment's axis"),
    ):
        if name not in both:
            continue
        last = (
            (excess(d) if name == "strain" else d[name].values)[-1] for d in (reference, prediction)
        )
        values = [v[:, columns] for v in last]
        if name == "strain":
            reach = 1.0 if columns.start == 3 else length(reference)
            if reach * max(np.abs(v).max() for v in values) < SLIGHT:
                continue
        if not np.any(np.abs(values[0]) > 1e-9) or _within_bars(found, name, columns):
            continue
        ratio = _ratio(*values)
        if abs(ratio - 1.0) > TELLING:
            words = f"{what} is {ratio:.3g} times that of the reference"
            if name == "strain" and columns.start > 0:
                cause = _section_or_load(found, ratio, columns) or cause
            yield words, cause
    for name, what in (("volume", "the enclosed volume"), ("profile_radius", "the radius")):
        if name in both:
            ratio = _ratio(*(d[name].values[-1] for d in (reference, prediction)))
            if abs(ratio - 1.0) > TELLING:
                yield f"{what} is {ratio:.3g} times that of the reference", _SHELL_CAUSE


def _motion_differs(reference: xr.Dataset, prediction: xr.Dataset) -> Iterator[tuple[str, str]]:
    """Yield what differs in how two free ends ring."""
    one, other = ringing(reference), ringing(prediction)
    if one is None or other is None:
        return
    for what, ratio, cause in (
        (
            "the frequency",
            other.frequency / one.frequency,
            "the stiffness, which the rungs below show, or the mass: discs, water that moves along",
        ),
        (
            "the logarithmic decrement",
            other.decrement / one.decrement,
            "the rubber's viscosity, the water's drag, or a time step that damps by itself",
        ),
    ):
        if abs(ratio - 1.0) > TELLING:
            yield f"{what} is {ratio:.3g} times that of the reference", cause


_SHELL_CAUSE = (
    "the wall's law at large strain, its modulus, or bores that widen where the model keeps them"
)


def _rung(found: Comparison, above_one_that_differs: bool) -> Rung:
    row = found.headline
    error = None
    if row is not None and row.relative is not None:
        error = float(np.nanmax(np.abs(row.relative)))
    accepted = found.accepted
    agrees = accepted == "met" if accepted is not None else error is not None and error <= AGREED
    state: State = "agrees" if agrees else "differs"
    if accepted == "not shown":
        state = "not shown"
    elif not agrees and above_one_that_differs:
        state = "stands on one that differs"
    differences = list(what_differs(found)) if not agrees else []
    return Rung(
        name=rung_of(found.case),
        case=found.case.name,
        state=state,
        error=error,
        differs=tuple(words for words, _ in differences)
        or (() if agrees else tuple(_rows_missed(found))),
        causes=tuple(dict.fromkeys(cause for _, cause in differences)),
    )


def _section_or_load(found: Comparison, ratio: float, columns: slice) -> str | None:
    """Tell a section that strains otherwise from a section that carries another load."""
    data = found.pair.reference, found.pair.prediction
    row = found.row("solid_moment" if columns.stop == 3 else "solid_force")
    if row is None or row.scale is None or float(row.scale[-1]) == 0.0:
        return None
    what, stiffness = ("moment", "bending") if columns.stop == 3 else ("force", "axial")
    carried = _ratio(*(each["wrench"].values[-1][:, columns] for each in data))
    if abs(carried - 1.0) <= TELLING:
        return (
            f"the {what} that the section carries agrees, so that it is the {stiffness} stiffness: "
            f"{1.0 / ratio:.3g} times the reference's"
        )
    share = ratio / carried
    words = f"the {what} that the section carries is {carried:.3g} times that of the reference"
    if abs(share - 1.0) <= TELLING:
        return f"{words}, and explains it"
    return (
        f"{words}; per {what} the section strains {share:.3g} times as much: its {stiffness} "
        "stiffness, or what acts across it (pressure that squeezes a wound wall lengthens it)"
    )


def _rest(found: Comparison) -> Rung:
    """The lowest rung stands on any data set of the body: both say how it rests."""
    reference, prediction = found.pair.reference, found.pair.prediction
    differs, causes = [], []
    error = 0.0
    for name, what, cause in (
        ("station", "the stations", "other lengths or units; X counts from the base face"),
        ("strain_rest", "the strain at rest", "a precurved axis, or another sign of a strain"),
        ("meridian", "the meridian", "other lengths or units"),
    ):
        if name in reference.variables and name in prediction.variables:
            values = [np.asarray(d[name].values, float) for d in (reference, prediction)]
            size = max(float(np.abs(values[0]).max()), 1e-12)
            gap = float(np.abs(values[1] - values[0]).max()) / size
            error = max(error, gap)
            if gap > REST:
                differs.append(f"{what} differ by {gap:.2g} of the largest")
                causes.append(cause)
    return Rung(
        "rest",
        found.case.name,
        "differs" if differs else "agrees",
        error,
        tuple(differs),
        tuple(causes),
    )


def _within_bars(found: Comparison, name: str, columns: slice) -> bool:
    """Whether nothing of this part is to compare, or its error is within its bar."""
    metric = {
        ("strain", 1): "curvature",
        ("strain", 3): "stretch",
        ("strain", 0): "torsion",
        ("wrench_fluid", 3): "fluid_force",
        ("wrench_fluid", 1): "fluid_moment",
    }[name, columns.start]
    row = found.row(metric)
    if row is None or row.scale is None or float(row.scale[-1]) == 0.0:
        return True
    return row.bars_known and not bool(row.resolved[-1])


def _rows_missed(found: Comparison) -> Iterator[str]:
    """Yield what misses its acceptance level, in words, the worst step of each."""
    for row in found.rows:
        if row.verdict == "not met" and row.relative is not None:
            off = 100.0 * abs(float(row.relative[row.worst]))
            yield f"{row.metric.title} is off by {off:.2g} %"


def _ratio(reference: Array, prediction: Array) -> float:
    """Prediction over reference, least squares."""
    square = float(np.sum(reference**2))
    return float(np.sum(reference * prediction)) / square if square > 0.0 else 1.0


def _acts(case: Case, load: Load) -> bool:
    """Whether a load is anything but zero at some step."""
    return any(load.path or case.steps)
