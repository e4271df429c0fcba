r"""How a body answers what drives it: a step of its loads, and loads that come round.

*Step.* Loads set out for their last values and stay there. Along the line in which the free end
then moves most, x goes from 0 to 1, where it comes to rest. That is where the motion began, if its
loads go back to what they were there; else what three turning points :math:`x_1, x_2, x_3` of a
decaying swing tell, :math:`x_3 - (x_3 - x_2)^2/(x_3 - 2 x_2 + x_1)`; else the last place, if
nothing moves there. Rise time is that from 0.1 to 0.9, overshoot the largest x less 1, settling
time that until x stays within a twentieth of 1.

*Cycle.* The last whole period of a load that comes round, or all of a motion whose load comes back
once. The answer is the free end's path, to a base that is carried the force that carries it, along
the line in which the reference's goes most. A loop is the answer over the load: its area is the
work that the loads do in the cycle, all of which is lost once the motion repeats itself. A stroke
is the answer's first harmonic: amplitude, and phase behind the load.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import xarray as xr
from numpy.typing import NDArray
from scipy.interpolate import CubicSpline

from loligo.validation.data.ringing import LEAST, free_end, moves, turns

Array = NDArray[np.float64]

SAME = 1e-6
"""Share of its span by which a load may miss a value."""
BAND = 0.05
"""Share of the step within which a body has settled."""
STILL = 0.01
"""Share of the step by which what swings no more may still move in its last tenth."""
PLACES = 512
"""Instants at which a cycle is looked at."""


@dataclass(frozen=True)
class StepResponse:
    """How a free end answers a step of its loads."""

    rise: float
    """In s."""
    overshoot: float
    """A share of the step."""
    settling: float
    """In s from when the loads set out; not a number if it has not settled yet."""


@dataclass(frozen=True, eq=False)
class Cycle:
    """A load over its last period, and how a body answers it."""

    begin: float
    period: float
    """In s."""
    load: Array
    answer: Array
    """At `PLACES` instants, the last one short of the period's end: (instant, component)."""
    unit: str
    """Of the answer: m, or N where a base is carried."""

    @property
    def along(self) -> Array:
        """The line in which the answer goes most, towards the load."""
        off = self.answer - self.answer.mean(axis=0)
        line = np.linalg.svd(off, full_matrices=False)[2][0]
        towards = float(off @ line @ (self.load - self.load.mean()))
        return np.asarray(line if towards >= 0.0 else -line)

    def harmonic(self, along: Array) -> complex:
        """Return the answer's first harmonic along a line, the load's phase as its zero."""
        turn = np.exp(-2j * np.pi * np.arange(PLACES) / PLACES)
        load, answer = 2.0 / PLACES * (turn @ np.stack([self.load, self.answer @ along], axis=1))
        return complex(answer * np.abs(load) / load)


def step_response(data: xr.Dataset) -> StepResponse | None:
    """Return how the free end answers its loads' last step; None without one, or without an end."""
    if not moves(data):
        return None
    time, path = data["time"].values, free_end(data)
    away = _away(data)
    if away.max() <= SAME:
        return None
    last = int(np.flatnonzero(away > SAME)[-1])
    begin = last
    while begin > 0 and away[begin - 1] > away[begin] + SAME:
        begin -= 1
    if time[-1] - time[last] <= time[last] - time[begin] or time.size - last < 4:
        return None
    after = path[begin:] - path[begin]
    line = np.linalg.svd(after - after.mean(axis=0), full_matrices=False)[2][0]
    x, since = after @ line, time[begin:] - time[begin]
    back = away[0] <= SAME
    end = float((path[0] - path[begin]) @ line) if back else _rest(since, x)
    if end is None or abs(end) <= SAME * np.abs(x).max():
        return None
    x = x / end
    rise = _crossing(since, x - 0.9) - _crossing(since, x - 0.1)
    outside = int(np.flatnonzero(np.abs(x - 1.0) > BAND)[-1])
    settled = _crossing(since[outside:], BAND - np.abs(x[outside:] - 1.0))
    highest = float(np.append(turns(since, x)[1], x).max())
    return StepResponse(rise, max(highest - 1.0, 0.0), settled)


def cycle(data: xr.Dataset) -> Cycle | None:
    """Return the last cycle of the load that comes round; None without one such load."""
    if not moves(data):
        return None
    time = data["time"].values
    driving = [name for name in _loads(data) if np.ptp(data[name].values) > 0.0]
    if len(driving) != 1:
        return None
    load = data[driving[0]]
    at = turns(time, load.values)[0]
    if at.size > 2:
        period = 2.0 * float(np.polyfit(np.arange(at.size), at, 1)[0])
    elif at.size and abs(load.values[-1] - load.values[0]) <= SAME * np.ptp(load.values):
        period = float(time[-1] - time[0])
    else:
        return None
    begin = float(time[-1]) - period
    # A tendon's shortening is a length, too; the kind of a load ends its name.
    carried = str(load.attrs.get("long_name")).endswith(" base_motion")
    if begin < time[0] - SAME * period or (carried and "reaction" not in data):
        return None
    answer = data["reaction"].values[:, 3:] if carried else free_end(data)
    instants = begin + period * np.arange(PLACES) / PLACES
    curves = CubicSpline(time, np.column_stack([load.values, answer]))(instants)
    return Cycle(begin, period, curves[:, 0], curves[:, 1:], "N" if carried else "m")


def loop_area(data: xr.Dataset) -> float:
    """Return the work (J) that the loads do in the last cycle."""
    found = cycle(data)
    if found is None:
        return np.nan
    time, work = data["time"].values, data["external_work"].values
    return float(work[-1] - CubicSpline(time, work)(found.begin))


def loop_gap(reference: xr.Dataset, prediction: xr.Dataset) -> float:
    """Return how far two loops are apart at one load, over how far the reference's answer goes."""
    one, other = cycle(reference), cycle(prediction)
    if one is None or other is None:
        return np.nan
    span = float(np.ptp(one.answer @ one.along))
    return float(np.linalg.norm(other.answer - one.answer, axis=1).max() / span)


def strokes(reference: xr.Dataset, prediction: xr.Dataset) -> tuple[complex, complex]:
    """Return the first harmonics of both answers, along the line in which the reference's goes."""
    one, other = cycle(reference), cycle(prediction)
    if one is None or other is None:
        return np.nan, np.nan
    return one.harmonic(one.along), other.harmonic(one.along)


def _loads(data: xr.Dataset) -> list[str]:
    names = (str(name) for name in data.data_vars if str(name).startswith("load_"))
    return [name for name in names if "_uncertainty" not in name]


def _away(data: xr.Dataset) -> Array:
    """How far loads are from their last values, the furthest, as a share of its span."""
    away = np.zeros(data.sizes["step"])
    for name in _loads(data):
        value = data[name].values
        if (span := float(np.ptp(value))) > 0.0:
            away = np.maximum(away, np.abs(value - value[-1]) / span)
    return away


def _rest(time: Array, x: Array) -> float | None:
    """Where x comes to rest; None if that cannot be told yet."""
    value = turns(time, x)[1]
    swing = np.abs(np.diff(value))
    if value.size > 2 and swing[0] > LEAST * np.ptp(x):
        kept = int(np.argmin(np.append(swing > LEAST * swing.max(), False)))
        if kept > 1:
            first, second, third = value[kept - 2 : kept + 1]
            return float(third - (third - second) ** 2 / (third - 2.0 * second + first))
    late = x[time >= 0.9 * time[-1]]
    return float(x[-1]) if np.ptp(late) <= STILL * np.ptp(x) else None


def _crossing(time: Array, x: Array) -> float:
    """The first time at which x becomes positive, between samples on a straight line."""
    if not np.any(x > 0.0):
        return np.nan
    i = int(np.argmax(x > 0.0))
    share = x[i - 1] / (x[i - 1] - x[i])
    return float(time[i - 1] + share * (time[i] - time[i - 1]))
