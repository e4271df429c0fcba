"""What is solved of a case: on which meshes, and with which steps in time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from loligo.cases.core.record import BadInput

if TYPE_CHECKING:
    import xarray as xr

FINEST = 6


class Rung(NamedTuple):
    """One solution; the finer one is the larger."""

    level: int = 0
    """Of the mesh."""
    time_level: int = 0


def levels(option: str, text: str) -> list[int]:
    """Read "0,1,2", the coarsest first."""
    parts = text.split(",")
    if not all(part.strip().isdecimal() and int(part) <= FINEST for part in parts):
        raise BadInput(f'{option} {text}: write levels from 0 to {FINEST}, for example "0,1,2"')
    return sorted({int(part) for part in parts})


def rungs(meshes: Sequence[int], times: Sequence[int]) -> list[Rung]:
    """Return what gives bars of both: steps on the coarsest mesh, and meshes at the finest steps.

    The last one is the finest of both kinds; what steps leave hardly depends on the mesh.
    """
    return [Rung(meshes[0], t) for t in times] + [Rung(m, times[-1]) for m in meshes[1:]]


def on_meshes(solved: Mapping[Rung, xr.Dataset], wanted: Sequence[Rung]) -> dict[int, xr.Dataset]:
    """Return what there is of several meshes, by level; nothing if one is wanted."""
    finest = max(wanted).time_level
    found = {rung.level: data for rung, data in solved.items() if rung.time_level == finest}
    return found if len({rung.level for rung in wanted}) > 1 else {}


def with_steps(solved: Mapping[Rung, xr.Dataset], wanted: Sequence[Rung]) -> dict[int, xr.Dataset]:
    """Return what there is of several time steps, by level; nothing if one is wanted."""
    coarsest = min(wanted).level
    found = {rung.time_level: data for rung, data in solved.items() if rung.level == coarsest}
    return found if len({rung.time_level for rung in wanted}) > 1 else {}


def group(rung: Rung, wanted: Sequence[Rung]) -> str | None:
    """Return the group of a data set that a solution stands in; None where it is all there is."""
    if len(wanted) == 1:
        return None
    if len({one.time_level for one in wanted}) > 1 and rung.level == min(wanted).level:
        return f"time_levels/{rung.time_level}"
    return f"levels/{rung.level}"
