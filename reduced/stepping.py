"""The times at which somebody who steps a motion wants to see it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]


def output_times(times: Sequence[float] | Array) -> Array:
    """Return output times (s) as an array; ValueError if they are no way through time."""
    clock = np.asarray(times, float)
    if (
        clock.ndim != 1
        or len(clock) < 2
        or not np.isfinite(clock).all()
        or not (np.diff(clock) > 0.0).all()
    ):
        raise ValueError(f"times must be two or more, finite and increasing, not {times!r}")
    return clock
