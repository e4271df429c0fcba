"""Numbers of a motion as a whole, at every step the same, and which motions have them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from loligo.validation.data.response import cycle, loop_area, loop_gap, step_response, strokes
from loligo.validation.data.ringing import free_end, moves, path_gap, ringing

Array = NDArray[np.float64]


def _settles(data: xr.Dataset) -> bool:
    found = step_response(data)
    return found is not None and bool(np.isfinite(found.settling))


def _answers_in(unit: str) -> Callable[[xr.Dataset], bool]:
    return lambda data: (found := cycle(data)) is not None and found.unit == unit


KINDS_OF_MOTION: dict[str, Callable[[xr.Dataset], bool]] = {
    "motion": moves,
    "ringing": lambda data: ringing(data) is not None,
    "step response": lambda data: step_response(data) is not None,
    "settling": _settles,
    "cycle": lambda data: cycle(data) is not None,
    "path in a cycle": _answers_in("m"),
    "force in a cycle": _answers_in("N"),
}
"""Whether a data set is of a motion, of one whose free end rings, and so on."""


def frequency(data: xr.Dataset) -> Array:
    """Return the frequency (Hz) of the free end."""
    found = ringing(data)
    return _everywhere(data, np.nan if found is None else found.frequency)


def decrement(data: xr.Dataset) -> Array:
    """Return the logarithmic decrement of the free end."""
    found = ringing(data)
    return _everywhere(data, np.nan if found is None else found.decrement)


def stepping(which: str) -> Callable[[xr.Dataset], Array]:
    """Return what takes a number of a `loligo.validation.data.response.StepResponse`."""

    def take(data: xr.Dataset) -> Array:
        found = step_response(data)
        return _everywhere(data, np.nan if found is None else getattr(found, which))

    return take


def work_of_cycle(data: xr.Dataset) -> Array:
    """Return the work (J) of the last cycle."""
    return _everywhere(data, loop_area(data))


def amplitude(data: xr.Dataset) -> Array:
    """Return the amplitude of the answer to a cycle (m or N)."""
    return _everywhere(data, np.abs(strokes(data, data)[0]))


def amplitude_gap(reference: xr.Dataset, prediction: xr.Dataset) -> Array:
    """Return by how much the prediction's amplitude is larger."""
    one, other = strokes(reference, prediction)
    return _everywhere(reference, np.abs(other) - np.abs(one))


def phase_gap(reference: xr.Dataset, prediction: xr.Dataset) -> Array:
    """Return by how much (rad) the prediction is later."""
    one, other = strokes(reference, prediction)
    return _everywhere(reference, float(np.angle(one / other)))


def loop_shape(reference: xr.Dataset, prediction: xr.Dataset) -> Array:
    """Return how far two loops are apart, see `loligo.validation.data.response.loop_gap`."""
    return _everywhere(reference, loop_gap(reference, prediction))


def end_gap(reference: xr.Dataset, prediction: xr.Dataset) -> Array:
    """Return how far (m) the free end's path is from that of the prediction, at the most."""
    return _everywhere(reference, path_gap(free_end(reference), free_end(prediction)))


def _everywhere(data: xr.Dataset, value: float) -> Array:
    return np.full(data.sizes["step"], value)
