"""A data set file with what stands in its groups: its levels of refinement and its surface."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path

import xarray as xr

from loligo.cases import dataset
from loligo.cases.record import BadInput

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

    @property
    def case_name(self) -> str:
        """Name of the case that it is of; empty if it does not say."""
        return str(self.data.attrs.get("case_name", ""))

    @property
    def kind(self) -> str:
        """One of reference, prediction, measurement."""
        return str(self.data.attrs["kind"])


def read_source(file: Path) -> Source:
    """Read a data set with its groups; raises BadInput if `loligo check` would refuse it."""
    data = dataset.read(file)
    if bad := [finding for finding in dataset.check(data) if finding.verdict == "bad"]:
        raise BadInput("\n  ".join([f"{file}: cannot be used", *map(str, bad)]))
    opened = xr.open_groups(file, engine="h5netcdf")
    groups = {path.strip("/"): group.load() for path, group in opened.items()}
    for group in opened.values():
        group.close()
    return Source(
        data=data,
        file=file,
        meshes=_levels(groups, "levels"),
        times=_levels(groups, "time_levels"),
        surface=groups.get("surface"),
    )


def shipped() -> dict[str, Path]:
    """Return the files of the reference data sets that loligo brings along, by case."""
    folder = Path(str(resources.files("loligo.validation"))) / "reference"
    return {file.stem: file for file in sorted(folder.glob("*.nc"))}


def _levels(groups: Mapping[str, xr.Dataset], parent: str) -> dict[float, xr.Dataset]:
    found = {}
    for path, level in groups.items():
        above, _, number = path.rpartition("/")
        if above == parent and number.isdigit():
            found[float(level.attrs.get("size", REFINEMENT ** -int(number)))] = level
    return found
