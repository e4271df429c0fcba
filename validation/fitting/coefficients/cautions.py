"""What to know before calibrated coefficients are used, in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from loligo.cases.coefficients import KNOWN
from loligo.validation.fitting.coefficients.case_data import KINDS, PER_PLACE
from loligo.validation.fitting.coefficients.errors import ErrorRow
from loligo.validation.fitting.coefficients.intervals import FisherInformation
from loligo.validation.fitting.coefficients.search import Found

TOGETHER = 0.99
"""Correlation from which two coefficients are told by their combination alone."""
ABSORBING = 1.1
"""A factor further from 1 than this absorbs what the model leaves out."""
SYSTEMATIC = 3.0
"""Standard errors by which neighbouring residuals must go together to be no scatter."""
NOT_RIGHT = 0.1
"""Error, as a share of the displacement, from which a model is said not to become right."""
KNOWN_WELL = 0.01
"""Standard error of a coefficient below which no further load case is asked for."""


def cautions(
    found: Found, known: FisherInformation, helps: dict[str, float], rows: Sequence[ErrorRow]
) -> Iterator[str]:
    """Yield what a fit calls for.

    Args:
        found: the fit.
        known: what its data tell.
        helps: largest standard error of an unknown with another case of the body, by its name.
        rows: errors of fitted and held-out steps.
    """
    search = found.search
    yield from _unidentified(found, known, helps)
    given = "the sections given" if search.base.section else "geometry and rubber"
    for name, value, bound in zip(
        search.names, search.values(found.unknowns).values(), found.at_bound, strict=True
    ):
        low, high = KNOWN[name].physical
        neutral = KNOWN[name].neutral
        if bound:
            yield f"{name} ran to its bound, {value:.4g}: the data do not determine it"
        elif not low <= value <= high:
            why = " (an area, say, that is not the one assumed)" if name == "density" else ""
            yield (
                f"{name} = {value:.4g} is no property of the body, for which it lies between "
                f"{low:g} and {high:g}: it absorbs an error that lies elsewhere{why}; freeze it at "
                "what was measured"
            )
        elif neutral == 1.0 and max(value, 1.0 / value) > ABSORBING:
            yield f"{name} = {value:.4g} of what {given} say: it absorbs what the model leaves out"
    if (correlation := _neighbours(found)) is not None:
        yield (
            f"neighbouring residuals go together (correlation {correlation:.2f}): they are the "
            "model's own error, not scatter, and intervals are too narrow"
        )
    if found.starts[-1] > 1.01:
        away = sum(s > 1.01 for s in found.starts)
        yield f"{away} of {len(found.starts)} starts ended in another, worse minimum"
    if (scatter := found.misfit_over_scatter) is not None and not found.stated:
        yield (
            f"what the fit leaves is {scatter:.2g} times the stated uncertainty of the data: the "
            "model's own error is in it, and widens the intervals"
        )
    for row in rows:
        what = f"{row.case}, {'fitted' if row.fitted else 'held out'},"
        if row.within and not row.after <= NOT_RIGHT:
            yield (
                f"{what} stays {row.after:.0%} of its displacement off, which is within the stated "
                "uncertainty of the data: they do not tell whether the model is right there"
            )
        elif not row.after <= NOT_RIGHT:
            yield (
                f"these coefficients cannot make the {search.model} right: {what} stays "
                f"{row.after:.0%} of its displacement off"
            )
        if not row.fitted and row.after > row.before + 1e-3:
            yield f"{what} became worse: {row.after:.1%} of its displacement, not {row.before:.1%}"


def _unidentified(found: Found, known: FisherInformation, helps: dict[str, float]) -> Iterator[str]:
    names = found.search.names
    best = min(helps, key=lambda name: helps[name], default=None)
    now = float(known.error.max())
    hint = ""
    if best is not None and helps[best] < 0.5 * now:
        known_now = f"{now:.2g}" if np.isfinite(now) else "not known"
        hint = f"; {best} would help most (largest error {known_now}, then {helps[best]:.2g})"
    apart = True
    for i, name in enumerate(names):
        if not np.isfinite(known.error[i]):
            apart = False
            yield f"no fitted load feels {name}: freeze it{hint}"
        for j in range(i):
            if abs(known.correlation[i, j]) > TOGETHER:
                apart = False
                yield (
                    f"{names[j]} and {name} go together (correlation "
                    f"{known.correlation[i, j]:.3f}): the data tell one combination of them; "
                    f"freeze one{hint}"
                )
    if apart and hint and now > KNOWN_WELL:
        yield f"one more load case would halve the largest standard error{hint}"


def _neighbours(found: Found) -> float | None:
    """Correlation of residuals with their neighbours along the body, if it is no scatter."""
    together = count = 0.0
    for block in np.unique(found.block):
        for kind in np.unique(found.kind):
            part = found.residual[(found.block == block) & (found.kind == kind)]
            width = PER_PLACE.get(KINDS[int(kind)])
            if width is None or part.size < 2 * width:
                continue
            rows = part.reshape(-1, width)
            together += float(np.sum(rows[1:] * rows[:-1]))
            count += float(np.count_nonzero(rows[1:] * rows[:-1]))
    if count == 0 or together <= SYSTEMATIC / np.sqrt(count) * found.sum_of_squares:
        return None
    return together / found.sum_of_squares
