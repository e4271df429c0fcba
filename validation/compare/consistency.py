"""Do the parts of a data set agree with each other? Most data from elsewhere fails here first."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import xarray as xr

from loligo.cases.core.frames import in_doubt, strain_between
from loligo.cases.dataset.io import STRAIN_COMPONENTS, DataFinding


def strain_findings(dataset: xr.Dataset, tolerance: float = 1e-3) -> Iterator[DataFinding]:
    """Compare the strains with those of the frames, component by component.

    The tolerance is relative to the largest strain of the same sort over the body: angular
    components are made dimensionless with the body's length. A constant factor is named, since a
    wrong length or a wrong convention is the usual cause.
    """
    if not {"frame", "strain", "station"} <= set(dataset.variables):
        return
    if dataset["frame"].shape[-2:] != (4, 4):
        return
    station = dataset["station"].values
    frame = dataset["frame"].values
    expected = strain_between(frame, station)
    found = dataset["strain"].values
    if found.shape != expected.shape:
        return
    if (doubt := in_doubt(frame, station)).any():  # the strains may know the number of turns
        near = np.where(doubt[..., None] & np.isfinite(found), found, expected)
        expected = strain_between(frame, station, near)
    # What was not measured is off nothing.
    seen = np.isfinite(expected) & np.isfinite(found)
    if not seen.any():
        return
    expected, found = np.where(seen, expected, 0.0), np.where(seen, found, 0.0)
    size = np.array([station[-1] - station[0]] * 3 + [1.0] * 3)
    scale = max(float(np.max(np.abs(expected * size))), 1e-12)
    for i, component in enumerate(STRAIN_COMPONENTS):
        error = float(np.max(np.abs(found[..., i] - expected[..., i]))) * size[i]
        if error <= tolerance * scale:
            continue
        square = float(np.sum(expected[..., i] ** 2))
        factor = float(np.sum(found[..., i] * expected[..., i])) / square if square else np.nan
        fits = np.allclose(
            found[..., i], factor * expected[..., i], atol=tolerance * scale / size[i]
        )
        hint = f"; they are {factor:.4g} times them" if square and fits else ""
        yield DataFinding(
            "bad",
            f"strain, {component}",
            f"is off the strain of the frames by up to {error / scale:.2g} of the largest{hint}",
        )
