"""Two data sets brought to the same loads and the same places, so that they can be subtracted.

Steps belong together if all loads that both name agree; places are those of the reference. Nothing
is extrapolated.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from loligo.cases.core.frames import derived_strain, frames_between
from loligo.cases.core.record import BadInput

Array = NDArray[np.float64]

SAME_LOAD = 1e-6
"""Loads agree if they differ by less than this, relative to the largest of the history."""
SAME_PLACE = 1e-6
"""Places agree if they differ by less than this, relative to the length."""

LABELLED = {
    "cavity": ("cavity", "cavities"),
    "marker": ("marker", "markers"),
    "tag": ("angle", "angles"),
    "span": ("distance", "distances"),
}
"""Dimensions whose labels are names, and what is named, one and many."""


@dataclass(frozen=True, eq=False)
class Pair:
    """A reference and a prediction with the same steps, stations, meridian and cavities."""

    reference: xr.Dataset
    prediction: xr.Dataset
    steps: tuple[int, ...]
    """Steps of the reference, from 1."""
    missed: tuple[int, ...]
    """Steps of the reference that the prediction has no counterpart of."""
    notes: tuple[str, ...]
    """What had to be done to make them comparable."""


def match(reference: xr.Dataset, prediction: xr.Dataset) -> Pair:
    """Return the pair; raises BadInput if no step or place of one is in the other."""
    notes: list[str] = []
    of_reference, of_prediction = _common_steps(reference, prediction, notes)
    missed = sorted(set(range(reference.sizes["step"])) - set(of_reference))
    reference = reference.isel(step=of_reference)
    prediction = prediction.isel(step=of_prediction)
    for change in (_same_labels, _same_stations, _same_meridian):
        reference, prediction = change(reference, prediction, notes)
    return Pair(
        reference=reference,
        prediction=prediction,
        steps=tuple(i + 1 for i in of_reference),
        missed=tuple(i + 1 for i in missed),
        notes=tuple(notes),
    )


def _common_steps(
    reference: xr.Dataset, prediction: xr.Dataset, notes: list[str]
) -> tuple[list[int], list[int]]:
    """Walk through both histories in order; a load may come back."""
    names = sorted(
        str(name)
        for name in set(reference.data_vars) & set(prediction.data_vars)
        if str(name).startswith("load_") and not str(name).endswith("_uncertainty")
    )
    count = reference.sizes["step"], prediction.sizes["step"]
    if _is_dynamic(reference) and _is_dynamic(prediction):
        names.append("time")
    if not names:
        if count[0] != count[1]:
            raise BadInput(
                f"the reference has {count[0]} steps and the prediction {count[1]}, and they share "
                "no load to match them by: give the prediction the variables load_<name> of the "
                "reference"
            )
        notes.append("the steps are matched by their order: no load is given in both")
        return list(range(count[0])), list(range(count[0]))
    loads = [np.stack([data[n].values for n in names], axis=-1) for data in (reference, prediction)]
    # A load that was not measured agrees with none.
    scale = np.maximum(*(np.abs(np.nan_to_num(values)).max(axis=0) for values in loads))
    found: list[tuple[int, int]] = []
    after = 0
    for i, load in enumerate(loads[0]):
        same = (np.abs(loads[1][after:] - load) <= SAME_LOAD * scale).all(axis=-1)
        if same.any():
            after += int(same.argmax()) + 1
            found.append((i, after - 1))
    if not found:
        raise BadInput(
            f"no step of the prediction has the loads of a step of the reference ({_range(loads)} "
            f"for {', '.join(names)}): predict the steps of the case"
        )
    return [i for i, _ in found], [j for _, j in found]


def _is_dynamic(data: xr.Dataset) -> bool:
    return "time" in data and bool(np.isfinite(data["time"]).all())


def _range(loads: list[Array]) -> str:
    return " against ".join(f"{np.nanmin(v):.4g} to {np.nanmax(v):.4g}" for v in loads)


def _same_labels(
    reference: xr.Dataset, prediction: xr.Dataset, notes: list[str]
) -> tuple[xr.Dataset, xr.Dataset]:
    """Keep the cavities, markers, tags and spans whose names are in both."""
    for dim, words in LABELLED.items():
        if dim not in reference.dims or dim not in prediction.dims:
            continue
        there = {str(name) for name in prediction[dim].values}
        shared = [name for name in reference[dim].values if str(name) in there]
        if not shared:
            notes.append(f"no {words[0]} has the same name in both")
            reference, prediction = reference.drop_dims(dim), prediction.drop_dims(dim)
            continue
        if len(shared) < reference.sizes[dim]:
            notes.append(f"only the {words[1]} {', '.join(map(str, shared))} are in both")
        reference, prediction = reference.sel({dim: shared}), prediction.sel({dim: shared})
    return _same_rest(reference, prediction, notes)


def _same_rest(
    reference: xr.Dataset, prediction: xr.Dataset, notes: list[str]
) -> tuple[xr.Dataset, xr.Dataset]:
    """Move the reference's markers to where the prediction has them at rest, and say so."""
    if not all("marker_rest" in data for data in (reference, prediction)):
        return reference, prediction
    off = prediction["marker_rest"].values - reference["marker_rest"].values
    largest = float(np.abs(off).max(initial=0.0))
    if largest <= SAME_PLACE * float(np.abs(prediction["marker_rest"].values).max(initial=0.0)):
        return reference, prediction
    notes.append(
        f"markers rest up to {1e3 * largest:.3g} mm elsewhere in the prediction: their ways are "
        "compared"
    )
    moved = reference["marker_position"] + off
    return reference.assign(
        marker_position=moved, marker_rest=prediction["marker_rest"]
    ), prediction


def _same_stations(
    reference: xr.Dataset, prediction: xr.Dataset, notes: list[str]
) -> tuple[xr.Dataset, xr.Dataset]:
    differing = _differing(reference, prediction, "station")
    if differing is None:
        return reference, prediction
    wanted, given, reach = differing
    if given[0] > wanted[0] + reach or given[-1] < wanted[-1] - reach:
        raise BadInput(
            f"the prediction's stations reach from {given[0]:.6g} to {given[-1]:.6g} m, those of "
            f"the reference from {wanted[0]:.6g} to {wanted[-1]:.6g} m: nothing is extrapolated; "
            "X is arc length at rest from the base face, rigid discs included"
        )
    notes.append(
        "the prediction's stations are others: its frames are interpolated with constant strain, "
        "its wrenches linearly"
    )
    variables: dict[str, tuple[tuple[Hashable, ...], Array, dict[str, object]]] = {}
    for name in prediction.data_vars:
        variable = prediction[name]
        dims = variable.dims
        if dims[:2] == ("step", "station") and name != "frame":
            values = _linear(variable.values, given, wanted)
            variables[str(name)] = (dims, values, variable.attrs)
    if "frame" in prediction:
        derived_strain(prediction["frame"].values, given)  # refuses frames too far apart
        frame = frames_between(prediction["frame"].values, given, wanted)
        variables["frame"] = (prediction["frame"].dims, frame, prediction["frame"].attrs)
        strain = derived_strain(frame, wanted)
        variables["strain"] = (("step", "station_mid", "strain_component"), strain, {})
    middle = 0.5 * (wanted[1:] + wanted[:-1])
    rest = prediction.drop_dims(["station", "station_mid"], errors="ignore")
    coords = {"station": wanted, "station_mid": middle}
    return reference, rest.assign_coords(coords).assign(variables)


def _same_meridian(
    reference: xr.Dataset, prediction: xr.Dataset, notes: list[str]
) -> tuple[xr.Dataset, xr.Dataset]:
    differing = _differing(reference, prediction, "meridian")
    if differing is None:
        return reference, prediction
    wanted, given, reach = differing
    inside = (wanted >= given[0] - reach) & (wanted <= given[-1] + reach)
    if inside.sum() < 2:
        raise BadInput("the meridians of reference and prediction do not overlap")
    if not inside.all():
        notes.append(f"{int((~inside).sum())} places of the meridian are not in the prediction")
    notes.append("the prediction's profile is interpolated linearly to the reference's meridian")
    wanted = wanted[inside]
    variables = {
        str(name): (
            prediction[name].dims,
            np.stack([np.interp(wanted, given, row) for row in prediction[name].values]),
            prediction[name].attrs,
        )
        for name in prediction.data_vars
        if prediction[name].dims == ("step", "meridian")
    }
    moved = prediction.drop_dims("meridian").assign_coords(meridian=wanted).assign(variables)
    return reference.isel(meridian=inside), moved


def _differing(
    reference: xr.Dataset, prediction: xr.Dataset, dim: str
) -> tuple[Array, Array, float] | None:
    """Arc lengths of both and what still counts as one place; None if there is nothing to do."""
    if dim not in reference.dims or dim not in prediction.dims:
        return None
    wanted, given = reference[dim].values, prediction[dim].values
    reach = SAME_PLACE * float(wanted[-1] - wanted[0])
    if wanted.size == given.size and np.allclose(wanted, given, rtol=0.0, atol=reach):
        return None
    return wanted, given, reach


def _linear(values: Array, given: Array, wanted: Array) -> Array:
    """Interpolate values (step, station, ...) linearly."""
    i, share = _places(given, wanted)
    share = share.reshape(-1, *[1] * (values.ndim - 2))
    return np.asarray((1.0 - share) * values[:, i] + share * values[:, i + 1])


def _places(given: Array, wanted: Array) -> tuple[NDArray[np.intp], Array]:
    """Interval of each place, and its share of the way through it."""
    i = np.clip(np.searchsorted(given, wanted, side="right") - 1, 0, given.size - 2)
    share = np.clip((wanted - given[i]) / (given[i + 1] - given[i]), 0.0, 1.0)
    return i, share
