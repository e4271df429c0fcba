"""A data set file with what stands in its groups: its levels of refinement and its surface."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import xarray as xr

from loligo.cases.core.record import BadInput
from loligo.cases.dataset import io as dataset
from loligo.cases.dataset.surface import check_modes, check_surface
from loligo.validation.data.shipped import verify

REFINEMENT = 1.4
"""Of the cell size from level to level."""
LEVELS = {"levels": "size", "time_levels": "time_step"}
"""Parents of the groups of levels, and the attribute that has a level's size."""


@dataclass(frozen=True, eq=False)
class Source:
    """A data set, judged usable, and what is written below it."""

    data: xr.Dataset
    file: Path | None = None
    meshes: Mapping[float, xr.Dataset] = field(default_factory=dict)
    """The same on every mesh, by cell size relative to level 0."""
    times: Mapping[float, xr.Dataset] = field(default_factory=dict)
    """The same with every time step, by its size relative to level 0."""
    surface: xr.Dataset | None = None
    modes: xr.Dataset | None = None
    """Shapes on the surface's vertices in which stability was lost."""

    @property
    def case_name(self) -> str:
        """Name of the case that it is of; empty if it does not say."""
        return str(self.data.attrs.get("case_name", ""))

    @property
    def kind(self) -> str:
        """One of reference, prediction, measurement."""
        return str(self.data.attrs["kind"])


def read_source(file: Path) -> Source:
    """Read a data set with its groups; raises BadInput if `loligo check` would refuse it.

    So it does if a file that loligo brought along has been changed.
    """
    verify(file)
    return source_of(dataset.read_groups(file), file)


def source_of(groups: Mapping[str, xr.Dataset], file: Path | None = None) -> Source:
    """Return a data set with its groups; raises BadInput if `loligo check` would refuse it.

    Args:
        groups: by their paths, the data set's own is empty.
        file: that they lie in, if they do.
    """
    if bad := [finding for finding in check_groups(groups) if finding.verdict == "bad"]:
        what = "the data set" if file is None else str(file)
        raise BadInput("\n  ".join([f"{what}: cannot be used", *map(str, bad)]))
    meshes, times = (_levels(groups, parent) for parent in LEVELS)
    surface, modes = groups.get("surface"), groups.get("modes")
    return Source(groups[""], file, meshes, times, surface, modes)


def check_groups(groups: Mapping[str, xr.Dataset]) -> list[dataset.DataFinding]:
    """Return everything that is wrong with the form of a data set and of the groups below it.

    Levels are held to what the data set is held to; what they leave out is its affair.
    """
    findings = dataset.check(groups[""])
    for path, group in groups.items():
        parent, _, number = path.rpartition("/")
        if parent not in LEVELS or not number.isdigit():
            continue
        level = group.assign_attrs({**groups[""].attrs, **group.attrs})
        findings += [
            replace(finding, where=f"{path}/{finding.where}")
            for finding in dataset.check(level)
            if finding.verdict == "bad"
        ]
        size = group.attrs.get(LEVELS[parent], 1.0)
        if not (isinstance(size, (float, int, np.number)) and 0.0 < size < np.inf):
            where = f"{path}/attribute {LEVELS[parent]}"
            findings.append(dataset.DataFinding("bad", where, "should be a positive number"))
    surface = groups.get("surface")
    if surface is not None:
        findings += check_surface(surface)
    if "modes" in groups:
        findings += check_modes(groups["modes"], surface)
    return findings


def source_or_complaint(file: Path) -> Source | str:
    """Read a data set, or say why it cannot be used: one bad file need not stop the others."""
    try:
        return read_source(file)
    except BadInput as error:
        return str(error)


def read_levels(file: Path) -> tuple[dict[float, xr.Dataset], dict[float, xr.Dataset]]:
    """Read what a file holds on several meshes and with several time steps, by their sizes."""
    groups = dataset.read_groups(file)
    meshes, times = (_levels(groups, parent) for parent in LEVELS)
    return meshes, times


def _levels(groups: Mapping[str, xr.Dataset], parent: str) -> dict[float, xr.Dataset]:
    found, size = {}, LEVELS[parent]
    for path, level in groups.items():
        above, _, number = path.rpartition("/")
        if above == parent and number.isdigit():
            found[float(level.attrs.get(size, REFINEMENT ** -int(number)))] = level
    return found
