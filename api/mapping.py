"""Where a reduced model can be trusted: a study of 3D solutions, compared one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import xarray as xr

from loligo.cases.body import Mantle
from loligo.cases.case_file import load
from loligo.cases.core.record import BadInput
from loligo.hpc.items import ItemFolder, read_index
from loligo.hpc.study import in_one_unit
from loligo.validation.compare import validity_map as maps
from loligo.validation.compare.comparison import Comparison, compare
from loligo.validation.data.source import read_source

Track = Callable[[Sequence[Any]], Iterable[Any]]
"""Goes through a sequence, and may show how far it is."""


def with_results(root: Path) -> list[ItemFolder]:
    """Return the items of a study that have a result; BadInput if none has."""
    places = [place for place in read_index(root) if place.result.exists()]
    if not places:
        raise BadInput(f"{root}: no item has a result yet; `loligo study status {root}` says why")
    return places


def validity_map(
    root: Path,
    key: str | None = None,
    *,
    model: str | None = None,
    metric: str | None = None,
    accept: float | None = None,
    say: Callable[[str], None] = lambda _: None,
    track: Track = iter,
) -> xr.Dataset:
    """Return the errors of a reduced model over the load and what a study varies.

    Args:
        root: the folder of a study that was run.
        key: what to draw over; by default the first key that the study varies.
        model: which reduced model; by default the first for the body.
        metric: whose error; by default `centreline_l2`, of mantles `profile_max`.
        accept: accepted error, as a fraction; by default the case's acceptance.
        say: takes a line on items that are left out.
        track: goes through the items.

    Raises:
        BadInput: if nothing varies, or no item is complete.
    """
    places = with_results(root)
    over, values, unit, varied = _varied(root, places, key)
    columns: dict[float, Comparison] = {}
    for place, number in track(list(zip(places, values, strict=True))):
        source = read_source(place.result)
        if source.kind == "prediction":
            raise BadInput(
                f'{place.result}: is a prediction; a map needs 3D solutions, of run = "solve"'
            )
        if source.data.attrs["status"] != "complete":
            say(f"left out {place.folder.name}: {source.data.attrs['status']}")
            continue
        if number in columns:
            raise BadInput(f"{over} is {number:g} {unit} more than once: a map varies one thing")
        case = load(str(place.case))
        chosen = metric or ("profile_max" if isinstance(case.body, Mantle) else "centreline_l2")
        columns[number] = compare(case, source, model=model)
    if not columns:
        raise BadInput(f"{root}: no item is complete; `loligo study status {root}` says why")
    beside = [name for name in varied if name != over]
    return maps.validity_map(columns, over, unit, metric=chosen, accepted=accept, beside=beside)


def _varied(
    root: Path, places: Sequence[ItemFolder], key: str | None
) -> tuple[str, list[float], str, list[str]]:
    """Return the key that is drawn over, its values and their unit, and all keys that vary."""
    varied = list(dict.fromkeys(name for place in places for name in place.asked.settings))
    if not varied:
        raise BadInput(f"{root}: nothing varies in this study; a map is drawn over what does")
    over = key or varied[0]
    if over not in varied:
        raise BadInput(f'"{over}" does not vary in this study; {", ".join(varied)} do')
    stated = [place.asked.settings.get(over) for place in places]
    if None in stated or (numbers := in_one_unit(stated)) is None:
        texts = ", ".join(dict.fromkeys(map(str, stated)))
        raise BadInput(f"{over}: a map needs numbers, with units of one kind; here are {texts}")
    values, unit = numbers
    return over, values, unit, varied
