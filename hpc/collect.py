"""The results of a study as one data set, with a dimension for its items."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from loligo.cases.core.record import BadInput
from loligo.cases.dataset import io as dataset
from loligo.cases.dataset.schema import ARC_LENGTHS
from loligo.hpc.items import ItemFolder, outcome, settings, state
from loligo.hpc.study import in_one_unit


def collect(places: list[ItemFolder]) -> tuple[xr.Dataset, list[str]]:
    """Join the results that there are along the dimension `item`; say which cannot be read.

    Beside every item stand its hash, its state, the name of its case, the attributes that are not
    the same for all, such as the status and the commit, and what the study set: numbers in the
    first unit that the study gives, named in the attribute `units`, texts otherwise. Items with
    fewer steps, or without a quantity, hold NaN there. Arc lengths that differ between items become
    variables `<dimension>_arc`, and the dimension counts.

    Raises:
        BadInput: if there is no result yet.
    """
    found, damaged = [], []
    for place in places:
        if not place.result.exists():
            continue
        try:
            found.append((place, dataset.read(place.result)))
        except BadInput as error:
            damaged.append(f"{error}; `loligo study retry` with its hash computes it again")
    if not found:
        raise BadInput("\n  ".join(["no item of the study has a result yet", *damaged]))
    parts = _same_places([data for _, data in found])
    joined = xr.concat(parts, dim="item", join="outer", combine_attrs="drop_conflicts")
    places = [place for place, _ in found]
    attributes = [data.attrs for _, data in found]
    coords: dict[str, Any] = {
        **_differing(attributes),
        "case": ("item", [str(own.get("case_name", "")) for own in attributes]),
        "item": [place.folder.name for place in places],
        "state": ("item", [state(place) for place in places]),
        "seconds": ("item", [_seconds(place) for place in places], {"units": "s"}),
    }
    changed = [settings(place) for place in places]
    for key in dict.fromkeys(key for change in changed for key in change):
        coords[key] = _setting([change.get(key) for change in changed])
    joined.attrs = {name: value for name, value in joined.attrs.items() if name not in coords}
    return joined.assign_coords(coords), damaged


def write(joined: xr.Dataset, file: Path) -> None:
    """Write what was collected, so that a kill leaves the old file or the new."""
    file.parent.mkdir(parents=True, exist_ok=True)
    dataset.write_whole({"/": joined}, file)


def _same_places(parts: list[xr.Dataset]) -> list[xr.Dataset]:
    """Turn arc lengths that differ between the parts into variables; pad what only counts."""
    for dim in ARC_LENGTHS:
        arcs = [part[dim].values for part in parts if dim in part.coords]
        if all(np.array_equal(arc, arcs[0]) for arc in arcs):
            continue
        parts = [
            part.assign({f"{dim}_arc": (dim, part[dim].values, part[dim].attrs)}).drop_vars(dim)
            if dim in part.coords
            else part
            for part in parts
        ]
    for dim in dict.fromkeys(str(dim) for part in parts for dim in part.dims):
        if any(dim in part.coords for part in parts):
            continue
        longest = max(part.sizes.get(dim, 0) for part in parts)
        parts = [
            part.pad({dim: (0, longest - part.sizes[dim])}) if dim in part.dims else part
            for part in parts
        ]
    return parts


def _seconds(place: ItemFolder) -> float:
    ended = outcome(place)
    return np.nan if ended is None else ended.seconds


def _differing(attributes: list[dict[str, Any]]) -> dict[str, tuple[str, list[Any]]]:
    """Return the attributes that differ between the items, but for the case, which its file holds.

    Numbers stay numbers, NaN where an item has none.
    """
    found: dict[str, tuple[str, list[Any]]] = {}
    for name in dict.fromkeys(name for own in attributes for name in own):
        values = [np.asarray(own.get(name)).tolist() for own in attributes]
        if name in ("case", "case_name") or all(value == values[0] for value in values):
            continue
        if all(value is None or isinstance(value, int | float) for value in values):
            found[name] = "item", [np.nan if value is None else value for value in values]
        else:
            found[name] = "item", ["" if value is None else str(value) for value in values]
    return found


def _setting(values: list[Any]) -> tuple[str, list[Any], dict[str, str]]:
    """Return the values of one key over the items."""
    numbers = in_one_unit(values)
    if numbers is not None:
        return "item", numbers[0], {"units": numbers[1]}
    return "item", ["" if value is None else str(value) for value in values], {}
