"""A data set file with what stands in its groups: its levels of refinement and its surface."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import xarray as xr

from loligo.cases import dataset
from loligo.cases.record import BadInput
from loligo.validation.shipped import verify

REFINEMENT = 1.4
"""Of the cell size from level to level."""


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
    groups = dataset.read_groups(file)
    data = groups[""]
    if bad := [finding for finding in dataset.check(data) if finding.verdict == "bad"]:
        raise BadInput("\n  ".join([f"{file}: cannot be used", *map(str, bad)]))
    meshes, times = _levels(groups, "levels", "size"), _levels(groups, "time_levels", "time_step")
    return Source(data, file, meshes, times, groups.get("surface"), groups.get("modes"))


def source_or_complaint(file: Path) -> Source | str:
    """Read a data set, or say why it cannot be used: one bad file need not stop the others."""
    try:
        return read_source(file)
    except BadInput as error:
        return str(error)


def read_levels(file: Path) -> tuple[dict[float, xr.Dataset], dict[float, xr.Dataset]]:
    """Read what a file holds on several meshes and with several time steps, by their sizes."""
    groups = dataset.read_groups(file)
    return _levels(groups, "levels", "size"), _levels(groups, "time_levels", "time_step")


def _levels(groups: Mapping[str, xr.Dataset], parent: str, size: str) -> dict[float, xr.Dataset]:
    found = {}
    for path, level in groups.items():
        above, _, number = path.rpartition("/")
        if above == parent and number.isdigit():
            found[float(level.attrs.get(size, REFINEMENT ** -int(number)))] = level
    return found
