"""What is solved of a case: on which meshes, and with which steps in time.

Nothing here needs dolfinx.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from loligo.cases.core.record import BadInput

if TYPE_CHECKING:
    import xarray as xr

    from loligo.cases.case import Case

FINEST = 6


class Resolution(NamedTuple):
    """One mesh with one size of time steps; the finer one is the larger."""

    level: int = 0
    """Of the mesh."""
    time_level: int = 0

    def __str__(self) -> str:
        """Name it."""
        steps = f", time level {self.time_level}" if self.time_level else ""
        return f"level {self.level}{steps}"


def check_levels(name: str, levels: Sequence[int]) -> list[int]:
    """Return levels without repetition, the coarsest first; BadInput for one that does not exist.

    Args:
        name: what the user calls them.
        levels: in any order.
    """
    if not levels or not all(0 <= level <= FINEST for level in levels):
        listed = ", ".join(map(str, levels)) or "none"
        raise BadInput(f"{name} {listed}: choose levels from 0 to {FINEST}, for example 0 and 1")
    return sorted(set(levels))


def resolutions(meshes: Sequence[int], times: Sequence[int]) -> list[Resolution]:
    """Return what gives bars of both: steps on the coarsest mesh, and meshes at the finest steps.

    The last one is the finest of both kinds; what steps leave hardly depends on the mesh.
    """
    steps = [Resolution(meshes[0], time) for time in times]
    return steps + [Resolution(mesh, times[-1]) for mesh in meshes[1:]]


def on_meshes(
    solved: Mapping[Resolution, xr.Dataset], wanted: Sequence[Resolution]
) -> dict[int, xr.Dataset]:
    """Return what there is of several meshes, by level; nothing if one is wanted."""
    finest = max(wanted).time_level
    there = {one.level: data for one, data in solved.items() if one.time_level == finest}
    return there if len({one.level for one in wanted}) > 1 else {}


def with_steps(
    solved: Mapping[Resolution, xr.Dataset], wanted: Sequence[Resolution]
) -> dict[int, xr.Dataset]:
    """Return what there is of several time steps, by level; nothing if one is wanted."""
    coarsest = min(wanted).level
    there = {one.time_level: data for one, data in solved.items() if one.level == coarsest}
    return there if len({one.time_level for one in wanted}) > 1 else {}


def group(one: Resolution, wanted: Sequence[Resolution]) -> str | None:
    """Return the group of a data set that a solution stands in; None where it is all there is."""
    if len(wanted) == 1:
        return None
    if len({each.time_level for each in wanted}) > 1 and one.level == min(wanted).level:
        return f"time_levels/{one.time_level}"
    return f"levels/{one.level}"


def complete(
    file: Path,
    case: Case,
    wanted: Sequence[Resolution],
    mesh_of: Callable[[int], str],
    say: Callable[[str], None],
) -> dict[Resolution, xr.Dataset]:
    """Return what a data set holds complete already of what is wanted; one rank alone.

    Args:
        file: the data set.
        case: what must have been solved.
        wanted: the levels asked for.
        mesh_of: the hash of a level's mesh as it would be made now; bars from meshes of two
            versions of loligo would mean nothing.
        say: is given a sentence on every level that is solved again.
    """
    from loligo.cases import identity
    from loligo.cases.case_file import to_toml
    from loligo.cases.dataset.io import read

    there: dict[Resolution, xr.Dataset] = {}
    for one in wanted:
        try:
            data = read(file, group(one, wanted))
        except BadInput:  # no file yet, or no such level
            continue
        facts = data.attrs.get("level"), data.attrs.get("time_level", 0), data.attrs.get("status")
        text = str(data.attrs.get("case"))
        if facts != (*one, "complete") or not identity.same_study(text, to_toml(case)):
            continue
        if data.attrs.get("mesh_hash") == mesh_of(one.level):
            there[one] = data
        else:
            say(f"{file}: level {one.level} is of another mesh and is solved again")
    return there
