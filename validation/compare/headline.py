"""The numbers that people quote of a body under load, and how far its rubber leaves them open."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import xarray as xr

from loligo.cases.case import Case
from loligo.cases.coefficients import for_case
from loligo.cases.core.record import BadInput
from loligo.reduced.lie import exp_se3
from loligo.reduced.predict.predict import NothingPredicted, answer
from loligo.reduced.section.law_choice import ON_SECTIONS, Law
from loligo.validation.data.gaps import end_seen, largest_of
from loligo.validation.data.matching import match
from loligo.validation.data.motion_numbers import amplitude, decrement, frequency, stepping
from loligo.validation.data.quantities import NEXT_TO_NOTHING, Array, bend, has, mean_way, points
from loligo.validation.fitting.coefficients.held_out import softened


@dataclass(frozen=True, eq=False)
class HeadlineNumber:
    """One number at every step, of both; with the range that the published moduli allow."""

    name: str
    title: str
    unit: str
    metric: str
    """The metric whose error bar is that of the reference's number."""
    reference: Array
    prediction: Array
    range: tuple[Array, Array] | None = None
    """Of the prediction, with the modulus at both ends of the rubber's published spread."""
    take: Callable[[xr.Dataset], Array] | None = None
    """Takes the number from a data set."""


def claims(
    reference: xr.Dataset, prediction: xr.Dataset, ends: list[xr.Dataset]
) -> list[HeadlineNumber]:
    """Return what both tell; `ends` are the predictions at both ends of the modulus."""
    found = []
    for name, title, unit, metric, needs, take in _NUMBERS:
        if not all(has(data, need) for data in (reference, prediction) for need in needs):
            continue
        least = NEXT_TO_NOTHING if unit == "rad" else 0.0
        if all(np.abs(take(data)).max() <= least for data in (reference, prediction)):
            continue
        spread = [take(data) for data in ends]
        found.append(
            HeadlineNumber(
                name,
                title,
                unit,
                metric,
                take(reference),
                take(prediction),
                (np.min(spread, axis=0), np.max(spread, axis=0)) if len(spread) == 2 else None,
                take,
            )
        )
    return found


def spread_ends(case: Case, model: str, reference: xr.Dataset, law: Law = None) -> list[xr.Dataset]:
    """Return the predictions with the modulus over and times the root of its published spread.

    A section law of the solid is scaled: thread becomes as much stiffer as the rubber.

    Empty if the modulus was measured on the rubber itself, or if one of the two finds no state at
    some step: then the range is open and no number stands for it.
    """
    spread = max(rubber.spread for rubber in case.material.values())
    ends = []
    for factor in (spread**-0.5, spread**0.5) if spread > 1.0 else ():
        try:
            pair = match(reference, _with_modulus(case, model, factor, law))
        except (NothingPredicted, BadInput):
            return []
        if pair.missed:
            return []
        ends.append(pair.prediction)
    return ends


def _with_modulus(case: Case, model: str, factor: float, law: Law) -> xr.Dataset:
    if model not in ON_SECTIONS:
        return answer(softened(case, factor), model)
    scaled = for_case(case, "published spread of the modulus").replaced({"modulus": factor})
    return answer(case, model, coefficients=scaled, law=law)


def tip_displacement(data: xr.Dataset) -> Array:
    """Return the distance (m) of the tip from where it rests, from `strain_rest`."""
    station = data["station"].values
    g = np.eye(4)
    g[0, 3] = station[0]
    if "strain_rest" in data:
        for strain, dx in zip(data["strain_rest"].values, np.diff(station), strict=True):
            g = g @ exp_se3(np.asarray(dx * strain, dtype=np.float64))
    else:
        g[0, 3] = station[-1]
    return np.asarray(np.linalg.norm(points(data)[:, -1] - g[:3, 3], axis=-1))


def _bend_angle(data: xr.Dataset) -> Array:
    return np.asarray(np.linalg.norm(bend(data), axis=-1))


_Take = Callable[[xr.Dataset], Array]
_NUMBERS: tuple[tuple[str, str, str, str, tuple[str, ...], _Take], ...] = (
    (
        "tip_displacement",
        "Displacement of the tip",
        "m",
        "tip_position",
        ("points",),
        tip_displacement,
    ),
    (
        "marker_way",
        "Way of the markers, mean",
        "m",
        "marker_way",
        ("marker_position", "marker_rest"),
        lambda data: mean_way(data, data),
    ),
    (
        "angle",
        "Largest measured angle",
        "rad",
        "angle",
        ("angle",),
        lambda data: largest_of(np.abs(data["angle"].values)),
    ),
    ("bend_angle", "Bend angle", "rad", "bend_angle", ("strain", "station"), _bend_angle),
    (
        "rim_radius",
        "Radius at the rim",
        "m",
        "rim_radius",
        ("profile_radius",),
        lambda data: np.asarray(data["profile_radius"].values[:, -1]),
    ),
    (
        "volume",
        "Volume of the cavities together",
        "m^3",
        "volume",
        ("volume",),
        lambda data: np.asarray(data["volume"].values.sum(axis=1)),
    ),
    (
        "blocked_force",
        "Force on the blocked tip",
        "N",
        "blocked_force",
        ("reaction_tip",),
        lambda data: np.asarray(np.linalg.norm(data["reaction_tip"].values[:, 3:], axis=1)),
    ),
    (
        "ring_frequency",
        "Frequency of the free end",
        "Hz",
        "ring_frequency",
        ("ringing",),
        end_seen(frequency),
    ),
    (
        "log_decrement",
        "Logarithmic decrement",
        "1",
        "log_decrement",
        ("ringing",),
        end_seen(decrement),
    ),
    ("rise_time", "Rise time", "s", "rise_time", ("step response",), end_seen(stepping("rise"))),
    (
        "overshoot",
        "Overshoot",
        "1",
        "overshoot",
        ("step response",),
        end_seen(stepping("overshoot")),
    ),
    (
        "stroke_amplitude",
        "Amplitude of the free end",
        "m",
        "stroke_amplitude",
        ("path in a cycle",),
        end_seen(amplitude),
    ),
    (
        "force_amplitude",
        "Amplitude of the base's force",
        "N",
        "force_amplitude",
        ("force in a cycle",),
        end_seen(amplitude),
    ),
)
