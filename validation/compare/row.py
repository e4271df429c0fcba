"""One metric of a comparison: its error with the bar, where the error comes from, the verdict."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from loligo.validation.compare.bars import ErrorBar
from loligo.validation.compare.metric import Metric
from loligo.validation.compare.verdict import LimitVerdict, Verdict
from loligo.validation.data.quantities import Array


@dataclass(frozen=True, eq=False)
class MetricRow:
    """One metric at every matched step."""

    metric: Metric
    error: Array
    relative: Array | None
    """Error over the metric's scale."""
    scale: Array | None
    mesh: ErrorBar
    time: ErrorBar
    reduced: ErrorBar
    inputs: ErrorBar
    """What the published moduli of the rubber leave open, if that is what the data were made of."""
    kinematic: dict[str, Array]
    """Error of the best member of every model class."""
    calibrated: Array | None
    """Error of the calibrated prediction where the fit has not looked, nan at the other steps."""
    level: float | None
    """Acceptance level: a share of the scale, or an angle."""

    @property
    def bar(self) -> Array:
        """Half-width U; parts that are not known are left out."""
        known = [np.nan_to_num(part.half_width) for part in self._parts]
        return np.asarray(np.sqrt(np.sum(np.square(known), axis=0)))

    @property
    def bars_known(self) -> bool:
        """Whether every part of the bar is known wherever the error is."""
        there = np.isfinite(self.error)
        return bool(there.any()) and all(
            np.isfinite(part.half_width[there]).all() for part in self._parts
        )

    @property
    def _parts(self) -> tuple[ErrorBar, ...]:
        return self.mesh, self.time, self.reduced, self.inputs

    @property
    def _named(self) -> tuple[tuple[str, ErrorBar], ...]:
        names = ("reference", "time steps", "prediction", "rubber")
        return tuple(zip(names, self._parts, strict=True))

    @property
    def resolved(self) -> NDArray[np.bool_]:
        """Where the model's error shows; nowhere if a part of the bar is not known."""
        return (np.abs(self.error) > self.bar) & self.bars_known

    @property
    def worst(self) -> int:
        """Step (from 0) with the largest error, relative to its scale where there is one."""
        if self.relative is not None and np.isfinite(self.relative).any():
            return int(np.nanargmax(np.abs(self.relative)))
        return int(np.argmax(np.nan_to_num(np.abs(self.error))))

    @property
    def last(self) -> int:
        """The last step (from 0) at which the error is known."""
        there = np.flatnonzero(np.isfinite(self.error))
        return int(there[-1]) if there.size else self.error.size - 1

    @property
    def judged(self) -> LimitVerdict | None:
        """Whether error and bar stay below the acceptance level at every step that has a scale."""
        if self.level is None:
            return None
        scale = np.ones(self.error.size) if self.scale is None else self.scale
        there = np.nan_to_num(scale, nan=1.0) > 0.0
        error, bar, limit = np.abs(self.error)[there], self.bar[there], (self.level * scale)[there]
        unseen = [str(step + 1) for step in np.flatnonzero(there & ~np.isfinite(self.error))]
        verdict: Verdict = "not shown"
        if np.any(error - bar > limit):
            verdict, reason = "not met", "the error exceeds the level by more than its bar"
            if not self.bars_known:
                reason = "the error exceeds the level, and has no known bar"
        elif not there.any():
            reason = "the reference has none of it to measure the error against"
        elif unseen:
            reason = f"not measured at step {', '.join(unseen)} of those compared"
        elif not self.bars_known:
            absent = [name for name, part in self._named if not part.known]
            reason = f"no error bar ({', '.join(absent)})"
        elif np.all(error + bar <= limit):
            verdict, reason = "met", ""
        else:
            reason = "the level lies within the error bar"
        return LimitVerdict(self.metric.title, verdict, reason)

    @property
    def verdict(self) -> Verdict | None:
        """The verdict alone; None without a level."""
        return None if self.judged is None else self.judged.verdict
