"""Which further coefficients the fitted loads determine, and whether held-out loads gain by them.

Chosen by the fitted loads alone, forwards: the coefficient that would lower the sum of squares
most, by the slopes where the fit ended, as long as it is determined. All that were chosen are then
fitted together, and judged at the loads that were held out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from loligo.cases.coefficients import KNOWN
from loligo.cases.core.record import BadInput
from loligo.validation.data.quantities import Array
from loligo.validation.fitting.coefficients.errors import before_and_after
from loligo.validation.fitting.coefficients.intervals import identify
from loligo.validation.fitting.coefficients.search import Found, calibrate, slopes

_GAIN = 0.9
"""Share of the sum of squares that a further coefficient leaves at most."""
_DETERMINED = 0.1
"""Standard error of a coefficient that counts as determined: relative, or of its physical range."""
_APART = 0.99
"""Correlation of a further coefficient with any other up to which they are told apart."""
_MOST = 3
_RIGHT = 1e-4
"""Error over the displacement from which on a fit cannot become better: the search's own."""
_KEPT = ("density", "modulus")
"""Known better from elsewhere, or the same as the stiffnesses together."""


@dataclass(frozen=True)
class More:
    """Further coefficients that the fitted loads determine."""

    names: tuple[str, ...]
    values: dict[str, float]
    before: float
    """Largest error at held-out loads without them, over the displacement; nan without any."""
    after: float

    @property
    def helps(self) -> bool:
        """Whether held-out loads come out better with them."""
        return self.after < self.before

    def record(self) -> dict[str, Any]:
        """Return it as plain data."""
        pair = (float(x) if np.isfinite(x) else None for x in (self.before, self.after))
        errors = dict(zip(("held_out_without", "held_out_with"), pair, strict=True))
        return {"names": list(self.names), "values": self.values, **errors}


def further(found: Found, kept: tuple[str, ...] = ()) -> More | None:
    """Return what the fitted loads determine beyond a fit; None if nothing.

    Args:
        found: the fit.
        kept: coefficients that were measured.
    """
    if all(row.after < _RIGHT for row in before_and_after(found) if row.fitted):
        return None
    names = _chosen(found, {*found.search.names, *kept, *_KEPT})
    while names:
        search = replace(found.search, names=(*found.search.names, *names))
        try:
            wider = calibrate(search)
        except BadInput:
            return None
        values = search.values(wider.unknowns)
        bad = [
            name
            for name, bound in zip(search.names, wider.at_bound, strict=True)
            if name in names and (bound or not _physical(name, values[name]))
        ]
        if not bad:
            pair = [_worst(fit) for fit in (found, wider)]
            return More(names, {name: values[name] for name in names}, *pair)
        names = tuple(name for name in names if name not in bad)
    return None


def _chosen(found: Found, known: set[str]) -> tuple[str, ...]:
    """Choose forwards, by slopes."""
    columns: dict[str, Array] = {}
    for name, what in KNOWN.items():
        if found.search.model in what.models and name not in known:
            column = _column(found, name)
            if column is not None and np.linalg.norm(column) > 0.0:
                columns[name] = column
    chosen: list[str] = []
    slope, left = found.jacobian, found.residual
    total = float(left @ left)
    while len(chosen) < _MOST:
        best: tuple[float, str, Array] | None = None
        for name in columns.keys() - set(chosen):
            wider = np.column_stack([slope, columns[name]])
            rest = left - wider @ np.linalg.lstsq(wider, left, rcond=None)[0]
            square = float(rest @ rest)
            if square < _GAIN * total and _determined(name, wider, square):
                best = min(best or (np.inf, "", wider), (square, name, wider), key=lambda b: b[0])
        if best is None:
            break
        total, name, slope = best
        chosen.append(name)
    return tuple(chosen)


def _column(found: Found, name: str) -> Array | None:
    """Return the slope of the weighted residuals by a coefficient that is not sought yet."""
    search = found.search
    try:
        alone = replace(search, base=found.coefficients, names=(name,))
        return np.asarray(found.weight * slopes(alone, alone.start)[:, 0])
    except BadInput:  # the body has no such property
        return None


def _determined(name: str, slope: Array, square: float) -> bool:
    known = identify(slope, square / (slope.shape[0] - slope.shape[1]))
    span = float(np.ptp(KNOWN[name].physical)) if KNOWN[name].signed else 1.0
    apart = np.abs(known.correlation[-1, :-1]).max(initial=0.0) <= _APART
    return bool(apart and known.error[-1] <= _DETERMINED * span)


def _physical(name: str, value: float) -> bool:
    low, high = KNOWN[name].physical
    return low <= value <= high


def _worst(found: Found) -> float:
    """Largest error at held-out loads, without an answer infinite; nan if none are held out."""
    errors = [row.after for row in before_and_after(found) if not row.fitted]
    return max((np.inf if np.isnan(e) else e for e in errors), default=np.nan)
