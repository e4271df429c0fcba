"""When a body stood still in a recording, and what it was then."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import stats

from loligo.cases.core.record import BadInput
from loligo.validation.measured.channels import Array, Recording, mean_known

BLOCKS = 5
"""Parts of a hold whose means tell its noise, slow drift included."""
_SILENT = 6.0
"""Range over noise below which a column only has noise."""
_SCATTER = 4.0
"""Standard deviations by which noise may let two means differ."""


@dataclass(frozen=True, eq=False)
class Mean:
    """The mean of a column over a hold."""

    value: Array
    half_width: Array
    """95 %, from the scatter of the means of its parts."""


def find_holds(
    recorded: Recording, shortest: float, steadiness: float
) -> tuple[tuple[float, float], ...]:
    """Return when nothing moved: of every time of standing still the second half.

    At each sample the means over half a `shortest` before and after it are compared; still is what
    differs by less than `steadiness` of its range in every column, beside what its noise makes of
    such means. Columns with noise alone say nothing.

    Raises:
        BadInput: if nothing ever stood still, or the recording is too short to tell.
    """
    time, columns = recorded.time, _moving(recorded)
    if time[-1] - time[0] < 2.0 * shortest:
        raise BadInput(
            f"{recorded.file}: lasts {time[-1] - time[0]:.3g} s, too short to find holds of "
            f"{shortest:g} s in it: say when they are"
        )
    still = np.ones(time.size, dtype=bool)
    half = 0.5 * shortest
    begin, end = (np.searchsorted(time, time + d) for d in (-half, half))
    end = np.minimum(end, time.size - 1)
    samples = np.minimum(np.arange(time.size) - begin, end - np.arange(time.size)) + 1
    for values, noise in columns:
        total = np.concatenate([[0.0], np.cumsum(values)])
        here = np.arange(time.size)
        before = (total[here + 1] - total[begin]) / (here + 1 - begin)
        after = (total[end + 1] - total[here]) / (end + 1 - here)
        scatter = _SCATTER * noise * np.sqrt(2.0 / samples)
        still &= np.abs(after - before) <= steadiness * np.ptp(values) + scatter
    edges = np.flatnonzero(np.diff(np.concatenate([[False], still, [False]]).astype(int)))
    spans = [(time[i], time[j - 1]) for i, j in zip(edges[::2], edges[1::2], strict=True)]
    holds = [(0.5 * (a + b), b) for a, b in spans if b - a >= shortest]
    if not holds:
        raise BadInput(
            f"{recorded.file}: nothing stands still for {shortest:g} s to {100 * steadiness:g} % "
            "of its range: say when the holds are, or keep it as a motion"
        )
    return tuple((float(a), float(b)) for a, b in holds)


def mean_over(values: Array, time: Array, span: tuple[float, float]) -> Mean:
    """Return the mean of a column (samples, ...) over a span of time; nan if all of it is a gap."""
    here = values[(time >= span[0]) & (time <= span[1])].reshape(-1, *values.shape[1:])
    value, parts = mean_known(here), [mean_known(part) for part in _blocks(here)]
    if len(parts) < 2:
        return Mean(value, np.full(value.shape, np.nan))
    scatter = np.std(parts, axis=0, ddof=1) / np.sqrt(len(parts))
    return Mean(value, np.asarray(stats.t.ppf(0.975, len(parts) - 1) * scatter))


def _blocks(values: Array) -> list[Array]:
    """Parts of equal size, all of which have something of every column that has anything."""
    count = min(BLOCKS, len(values) // 2)
    if count < 2:
        return []
    return [part for part in np.array_split(values, count) if np.isfinite(part).any(axis=0).all()]


def _moving(recorded: Recording) -> list[tuple[Array, float]]:
    """Columns that do more than scatter, gaps filled linearly, and their noise."""
    columns = [places[:, k] for places in recorded.markers.values() for k in range(3)]
    columns += list(recorded.signals.values())
    found = []
    for values in columns:
        known = np.isfinite(values)
        whole = np.interp(recorded.time, recorded.time[known], values[known])
        noise = 1.4826 * float(np.median(np.abs(np.diff(whole)))) / np.sqrt(2.0)
        if np.ptp(whole) > _SILENT * noise and np.ptp(whole) > 0.0:
            found.append((whole, noise))
    return found
