"""One way to compare two data sets, and the kinds of errors with the scales that go with them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import xarray as xr

from loligo.validation.data.gaps import end_seen, largest_of, over_seen
from loligo.validation.data.quantities import (
    Array,
    body_length,
    excess,
    has,
    if_there,
    length,
    meridian_length,
    over_intervals,
    over_stations,
    unit_length,
)

Compare = Callable[[xr.Dataset, xr.Dataset], Array]
Scale = Callable[[xr.Dataset], Array]


@dataclass(frozen=True)
class Metric:
    """One way to compare, what it needs, and what its error is measured against."""

    name: str
    title: str
    unit: str
    group: Literal[
        "shape", "strain", "wrench", "cavity", "shell", "support", "energy", "motion", "marker"
    ]
    needs: tuple[str, ...]
    error: Compare
    """Error at every step: signed where a number is compared, a norm where a field is."""
    scale: Scale | None = None
    """What a relative error is relative to, at every step; None for an angle."""
    signed: bool = False

    def serves(self, *data: xr.Dataset) -> bool:
        """Whether every data set has what it takes."""
        return all(has(each, name) for each in data for name in self.needs)

    def despite_gaps(self) -> Metric:
        """Return the same metric over what was measured, see `loligo.validation.data.gaps`."""
        if self.group in (
            "cavity",
            "marker",
        ):  # their largest entry is already that of the known ones
            return self
        if self.group == "motion":
            scale = None if self.scale is None else end_seen(self.scale)
            return replace(self, error=end_seen(self.error), scale=scale)
        scale = self.scale
        if scale is not None and scale not in (body_length, meridian_length):
            # Of the reference alone; the lengths are those of the whole body.
            of = over_seen(self.name, self.needs, lambda data, _, scale=scale: scale(data))  # type: ignore[misc]
            scale = lambda data: of(data, data)  # noqa: E731
        return replace(self, error=over_seen(self.name, self.needs, self.error), scale=scale)


def strain_norm(which: slice) -> tuple[Compare, Scale]:
    """Return the norm of the difference of some strains."""

    def error(reference: xr.Dataset, prediction: xr.Dataset) -> Array:
        difference = excess(prediction)[..., which] - excess(reference)[..., which]
        return over_intervals(difference, reference)

    def scale(data: xr.Dataset) -> Array:
        strain = excess(data) * unit_length(length(data))
        part = over_intervals(strain[..., which], data)
        full = over_intervals(strain, data)
        return np.asarray(if_there(part, full) / (length(data) if which.start < 3 else 1.0))

    return error, scale


def wrench_norm(name: str, which: slice) -> tuple[Compare, Scale]:
    """Return the norm of the difference of some wrenches."""

    def error(reference: xr.Dataset, prediction: xr.Dataset) -> Array:
        difference = prediction[name].values[..., which] - reference[name].values[..., which]
        return over_stations(difference, reference)

    def scale(data: xr.Dataset) -> Array:
        wrench = data[name].values / unit_length(length(data))
        part = over_stations(wrench[..., which], data)
        full = over_stations(wrench, data)
        return if_there(part, full) * (length(data) if which.start < 3 else 1.0)

    return error, scale


def largest(name: str) -> tuple[Compare, Scale]:
    """Return the largest difference over all entries of a step, against the largest entry."""

    def error(reference: xr.Dataset, prediction: xr.Dataset) -> Array:
        difference = np.abs(prediction[name].values - reference[name].values)
        return largest_of(difference.reshape(len(difference), -1))

    def scale(data: xr.Dataset) -> Array:
        values = np.abs(data[name].values)
        return largest_of(values.reshape(len(values), -1))

    return error, scale


def number(of: Callable[[xr.Dataset], Array]) -> tuple[Compare, Scale]:
    """Return the signed difference of a number, against its magnitude in the reference."""
    return (
        lambda reference, prediction: of(prediction) - of(reference),
        lambda data: np.abs(of(data)),
    )


def vector(name: str, which: slice) -> tuple[Compare, Scale]:
    """Return the length of the difference of one vector a step."""

    def take(data: xr.Dataset) -> Array:
        return np.asarray(data[name].values[:, which])

    def scale(data: xr.Dataset) -> Array:
        size = length(data) if "station" in data.dims else float(meridian_length(data)[0])
        whole = np.linalg.norm(data[name].values / unit_length(size), axis=-1)
        part = np.linalg.norm(take(data), axis=-1) / (size if which.start < 3 else 1.0)
        return if_there(part, whole) * (size if which.start < 3 else 1.0)

    return (
        lambda reference, prediction: np.linalg.norm(take(prediction) - take(reference), axis=-1),
        scale,
    )
