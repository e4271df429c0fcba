"""What to know before fitted coefficients are used, in sentences."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from loligo.validation.fitting.rubber.coupon import Coupon, Mode
from loligo.validation.fitting.rubber.identify import Identifiability
from loligo.validation.fitting.rubber.record import Caution, Curve, FittedCoefficient, Stability
from loligo.validation.fitting.rubber.refusals import MUCH_BETTER, likely_mistake
from loligo.validation.fitting.rubber.search import RubberFit
from loligo.validation.words import range_words

BAD_PREDICTION = (3.0, 0.1)
"""A held-out mode is predicted badly if its rms error is more than this many times that of the fit
and more than this fraction of the mode's rms stress."""
TOGETHER, LOOSE = 0.99, 0.1
"""Two coefficients are told by their combination alone if their correlation is beyond the one, and
the relative standard error of one of them beyond the other."""
SYSTEMATIC = 3.0
"""Standard errors (1/sqrt(n) without correlation) by which the correlation of neighbouring
residuals must differ from zero to be no scatter: one chance in 700."""


def cautions(
    found: RubberFit,
    known: Identifiability,
    fitted: tuple[Coupon, ...],
    coefficients: tuple[FittedCoefficient, ...],
    curves: tuple[Curve, ...],
    stability: tuple[Stability, ...],
) -> tuple[Caution, ...]:
    """Return every caution that is due."""
    return (
        *_identifiability(found, known, fitted, coefficients),
        *_coefficients(coefficients),
        *_systematic(found, fitted),
        *_misread(fitted),
        *_predictions(curves),
        *_stable(stability),
    )


def _identifiability(
    found: RubberFit,
    known: Identifiability,
    fitted: tuple[Coupon, ...],
    coefficients: tuple[FittedCoefficient, ...],
) -> Iterator[Caution]:
    if known.unfelt:
        yield Caution(
            kind="unidentifiable",
            text=f"no point feels a certain change of {', '.join(known.unfelt)}: fit a smaller law",
        )
    else:
        yield from _together(known, coefficients)
    modes = {c.mode for c in fitted}
    if len(modes) == 1:
        best = min(known.worst_error_with, key=lambda mode: known.worst_error_with[mode])
        only = _spoken(next(iter(modes)))
        text = f"fitted in {only} only: a curve fit, not a law for other states"
        # What no point tells is left out of the errors: then they promise too much.
        if np.isfinite(known.worst_error_with[best]) and not found.at_bound.any():
            now = "not known at all" if np.isinf(known.worst_error) else f"{known.worst_error:.1%}"
            text += (
                f"; a curve in {_spoken(best)} helps most (worst relative standard error {now}, "
                f"then {known.worst_error_with[best]:.1%})"
            )
        yield Caution(kind="one_mode", text=text)


def _together(
    known: Identifiability, coefficients: tuple[FittedCoefficient, ...]
) -> Iterator[Caution]:
    """Sloppy directions: of two coefficients the data tell one combination, neither alone."""
    for i, j in itertools.combinations(range(len(coefficients)), 2):
        correlation = known.correlation[i, j]
        error, name = max(
            ((c.standard_error or 0.0) / abs(c.value), c.name)
            for c in (coefficients[i], coefficients[j])
        )
        if abs(correlation) > TOGETHER and error > LOOSE:
            yield Caution(
                kind="sloppy",
                text=f"{coefficients[i].name} and {coefficients[j].name} go together (correlation "
                f"{correlation:.4f}): the data tell one combination of them, {name} alone to "
                f"{error:.0%}; fit a smaller law, and quote the curve, not the coefficients",
            )


def _coefficients(coefficients: tuple[FittedCoefficient, ...]) -> Iterator[Caution]:
    for c in coefficients:
        likely = c.profile
        if c.at_bound:
            yield Caution(
                kind="at_bound",
                text=f"{c.name} ran to its bound: the data do not determine it"
                + (", pulls that go further may" if c.name == "limit" else ""),
            )
        elif likely.low is None or likely.high is None:
            side = " and ".join(
                name for name, end in (("lower", likely.low), ("upper", likely.high)) if end is None
            )
            yield Caution(kind="unidentifiable", text=f"the data set no {side} end to {c.name}")
        elif likely.low <= 0.0 <= likely.high:
            yield Caution(
                kind="includes_zero",
                text=f"{c.name} may be zero, its interval is "
                f"{range_words(likely.low, likely.high, c.unit)}: leave its term out",
            )
        if c.name == "c01" and c.value < 0.0:
            yield Caution(
                kind="negative_c01",
                text="c01 < 0: a Mooney-Rivlin rubber is then unstable in large enough stretches, "
                "in equibiaxial tension first",
            )


def _systematic(found: RubberFit, fitted: tuple[Coupon, ...]) -> Iterator[Caution]:
    """Compare each residual with its neighbour along the curve."""
    ends = np.cumsum([c.stretch.size for c in fitted])[:-1]
    products = [r[1:] @ r[:-1] for r in np.split(found.residual, ends)]
    together = float(sum(products))
    if together > SYSTEMATIC / np.sqrt(found.residual.size) * found.sum_of_squares:
        correlation = together / found.sum_of_squares
        yield Caution(
            kind="systematic",
            text=f"neighbouring residuals go together (correlation {correlation:.2f}): they are "
            "the law's own error more than scatter, and the coefficients absorb it; tangent and "
            "profile intervals are too narrow",
        )


def _misread(fitted: tuple[Coupon, ...]) -> Iterator[Caution]:
    if mistake := likely_mistake(*fitted):
        times = f"{MUCH_BETTER:g} times better"
        yield Caution(
            kind="misread", text=f"a neo-Hooke rubber would fit {times} after a change: {mistake}"
        )


def _predictions(curves: tuple[Curve, ...]) -> Iterator[Caution]:
    fitted = [c for c in curves if c.fitted]
    squares = sum(c.rms**2 * c.points for c in fitted if c.rms is not None)
    rms = float(np.sqrt(squares / sum(c.points for c in fitted)))
    times, fraction = BAD_PREDICTION
    for c in curves:
        if c.rms is None or c.relative_rms is None:
            yield Caution(
                kind="held_out",
                text=f"{_spoken(c.mode)}, which was held out, goes beyond the limit of the law",
            )
        elif not c.fitted and c.rms > times * rms and c.relative_rms > fraction:
            yield Caution(
                kind="held_out",
                text=f"{_spoken(c.mode)}, which was held out, is predicted with an rms error of "
                f"{c.relative_rms:.0%}, {c.rms / 1e3:.4g} kPa against {rms / 1e3:.4g} of the fit",
            )


def _stable(stability: tuple[Stability, ...]) -> Iterator[Caution]:
    for s in stability:
        if not s.enough:
            yield Caution(
                kind="unstable",
                text=f"{_spoken(s.mode)}: stable only from {s.smallest:.4g} to {s.largest:.4g}, "
                f"but asked for from {s.asked_smallest:.4g} to {s.asked_largest:.4g}",
            )


def _spoken(mode: Mode) -> str:
    return mode.replace("_", " ")
