"""A rubber calibrated: which curves are fitted, the fit, and what it is worth."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Literal

from loligo.cases.core.record import BadInput
from loligo.validation.fitting.rubber.assess import assess
from loligo.validation.fitting.rubber.coupon import Coupon, Mode, loaded, points
from loligo.validation.fitting.rubber.laws import Law
from loligo.validation.fitting.rubber.record import Calibration
from loligo.validation.fitting.rubber.refusals import check_curves, check_fit
from loligo.validation.fitting.rubber.search import RubberFit, fit
from loligo.validation.fitting.rubber.weighting import fit_likely


@dataclass(frozen=True)
class Curves:
    """Pulls of one rubber: those to fit, and those to predict."""

    fitted: tuple[Coupon, ...]
    held_out: tuple[Coupon, ...] = ()


def parted(
    curves: tuple[Coupon, ...], held_out: Collection[Mode] = (), up_to: float | None = None
) -> Curves:
    """Return the curves to fit and those to predict, as far as they load the rubber.

    Args:
        curves: of one rubber.
        held_out: modes to predict.
        up_to: stretch beyond which data are left out.

    Raises:
        BadInput: for curves that are no rubber's, a mode without a curve, or nothing left to fit.
    """
    check_curves(curves)
    if up_to is not None:
        curves = tuple(c.up_to(up_to) for c in curves)
    curves = tuple(loaded(c) for c in curves)
    if absent := sorted(set(held_out) - {c.mode for c in curves}):
        raise BadInput(f"--hold-out {absent[0]}: the data have no such curve")
    fitted = tuple(c for c in curves if c.mode not in held_out)
    if not fitted:
        raise BadInput("--hold-out: no curve is left to fit")
    return Curves(fitted, tuple(c for c in curves if c.mode in held_out))


def calibrated(
    law: Law,
    curves: Curves,
    *,
    weights: Mapping[Mode, float] | None = None,
    relative: bool | None = None,
    by: Literal["block", "mode"] = "block",
    replicates: int = 400,
    seed: int = 0,
) -> tuple[RubberFit, Calibration]:
    """Fit a law to curves and judge the fit.

    Args:
        law: which law.
        curves: see `parted`.
        weights: factors on the residuals of modes.
        relative: whether residuals are divided by the measured stress; by default whichever is
            more likely by the residuals.
        by: what the bootstrap draws: blocks of points, or whole curves.
        replicates: refits of the bootstrap.
        seed: of the bootstrap.

    Raises:
        BadInput: if no rubber follows the law that fits best.
    """
    factors, weighting = dict(weights or {}), None
    if relative is None:
        found, weighting = fit_likely(law, curves.fitted, factors)
    else:
        kind: Literal["relative", "absolute"] = "relative" if relative else "absolute"
        found = fit(law, points(curves.fitted, kind, factors))
    check_fit(found, curves.fitted)
    result = assess(
        found,
        curves.fitted,
        curves.held_out,
        seed=seed,
        replicates=replicates,
        by=by,
        weighting=weighting,
    )
    return found, result
