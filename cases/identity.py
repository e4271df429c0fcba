"""Whether two cases are the same by content, and whether a data set is of a case.

The case that is written in a data set (attribute `case`) is the case of that data set; names and
places of files relate nothing. Two cases are compared value by value. A difference in what is
loaded, or in which loads act and where, makes every comparison of the two meaningless. Other steps
or other magnitudes of the same loads do not: states are compared where the loads agree.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import xarray as xr

from loligo.cases.case import Case
from loligo.cases.case_file import CaseError, validated
from loligo.cases.core.record import BadInput
from loligo.cases.core.units import quantity_words, split

Part = Literal["body", "rubber", "thread", "support", "loads", "stations", "steps", "mesh"]
ANOTHER: tuple[Part, ...] = ("body", "rubber", "thread", "support", "loads")
"""Parts in which no difference leaves the case the same problem of mechanics."""
WORDS = ("name", "title", "source", "assumptions", "acceptance")
"""Of a case: they change no number of a solution."""
_RUBBER_WORDS = ("fitted_stretch", "spread")
"""Of a rubber: how far its numbers are known."""
_MAGNITUDES = ("force", "moment", "pressure", "volume", "tension", "shortening", "path")
"""Keys of loads that say how large they are; a vector has a direction, too."""
_ABSENT = "none"
_SAME = 1e-12
"""Relative difference of one number that was read, written and read again."""
_MOST = 4
"""Differences that a message lists."""


@dataclass(frozen=True)
class Difference:
    """One value that two cases do not share."""

    part: Part
    key: str
    """As in a case file."""
    here: str
    """In the case that the user names."""
    there: str
    """In the case of the data."""


@dataclass(frozen=True)
class Relation:
    """How a data set belongs to a case."""

    by: Literal["content", "name", "nothing"]
    """What relates them: the case in the data set, else its name, else only the user's word."""
    differences: tuple[Difference, ...] = ()

    @property
    def another(self) -> tuple[Difference, ...]:
        """Differences that make it another problem."""
        return tuple(d for d in self.differences if d.part in ANOTHER)

    def said(self, what: str) -> list[str]:
        """Return in sentences what a reader has to know of a data set that is used."""
        if self.by == "name":
            return [f"the {what} carries no case: only its name relates it to this one"]
        if self.by == "nothing":
            return [f"the {what} carries no case and no name of one: nothing relates it to this"]
        said = [d for d in self.differences if d.part in ("stations", "steps")]
        return [f"the {what} has other {_parts(said)}: {listed(said)}"] if said else []

    def record(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {"by": self.by, "differences": [asdict(d) for d in self.differences]}


def written(data: xr.Dataset) -> Case | None:
    """Return the case that is written in a data set; None if it carries none.

    Raises:
        BadInput: if what is written there is no case of this version.
    """
    text = data.attrs.get("case")
    if text is None:
        return None
    return parsed(str(text), str(data.attrs.get("case_name", "")) or "unnamed")


def parsed(text: str, name: str) -> Case:
    """Return a case that was written into a file of results; raises BadInput if it is none."""
    try:
        return validated(Case, {"name": name, **tomllib.loads(text)}, Path(f"{name}.toml"))
    except CaseError as error:
        raise BadInput(f"the case written in it cannot be used: {error}") from None
    except (ValueError, RecursionError) as error:
        raise BadInput(f"the case written in it is not valid TOML: {error}") from None


def relation(case: Case, data: xr.Dataset) -> Relation:
    """Return how a data set belongs to a case.

    Raises:
        BadInput: if the data set names another case and carries none, or its own is none.
    """
    theirs = written(data)
    if theirs is not None:
        found = differences(case, theirs)
        if data.attrs.get("kind") == "measurement":  # what its rubber is, it does not say
            found = tuple(one for one in found if one.part != "rubber")
        return Relation("content", (*found, *_unexplained(theirs, data)))
    name = str(data.attrs.get("case_name", ""))
    if name and name != case.name:
        raise BadInput(f"the data set is of the case {name}, not of {case.name}")
    return Relation("name" if name else "nothing", tuple(_unexplained(case, data)))


def relate(case: Case, data: xr.Dataset, what: str) -> Relation:
    """Return how a data set belongs to a case; refuse one that is of another.

    Args:
        case: what the user names.
        data: what is to be compared with it, or fitted.
        what: the data set in messages, "reference" for example.
    """
    try:
        found = relation(case, data)
    except BadInput as error:
        raise BadInput(f"{case.name}: the {what} cannot be used: {error}") from None
    if found.another:
        raise BadInput(
            f"{case.name}: the {what} is of another case, which differs in "
            f"{_parts(found.another)}: {listed(found.another)}"
        )
    return found


def differences(mine: Case, theirs: Case) -> tuple[Difference, ...]:
    """Return every value in which two cases differ, words aside; empty for the same study."""
    pair = [_leaves(case.model_dump(mode="json", exclude=set(WORDS))) for case in (mine, theirs)]
    weighs = any(x.kind in ("weight", "water") for c in (mine, theirs) for x in c.load.values())
    found: list[Difference] = []
    for key in dict.fromkeys([*pair[0], *pair[1]]):
        one, other = (leaves.get(key) for leaves in pair)
        part = _part(key, one, other, mine.time is not None)
        if part is None or _alike(one, other) or (key == "gravity" and not weighs):
            continue
        found.append(Difference(part, key, _words(one), _words(other)))
    # What is of another kind has other keys: they say no more.
    kinds = tuple(d.key.removesuffix("kind") for d in found if d.key.endswith(".kind"))
    return tuple(d for d in found if d.key.endswith(".kind") or not d.key.startswith(kinds))


def same_problem(mine: Case, theirs: Case) -> bool:
    """Whether two cases are one body with its rubber and thread, held and loaded alike."""
    return not any(d.part in ANOTHER for d in differences(mine, theirs))


def same_study(one: str, other: str) -> bool:
    """Whether two cases, as resolved TOML, differ in words alone; no if one of them is no case."""
    if one == other:
        return True
    try:
        return not differences(parsed(one, "one"), parsed(other, "other"))
    except BadInput:
        return False


def listed(found: Sequence[Difference], where: str = "data set") -> str:
    """Return differences in one line, the first few in full."""
    more = f"; and {len(found) - _MOST} more" if len(found) > _MOST else ""
    lines = (f"{d.key}: {d.here} here, {d.there} in the {where}" for d in found[:_MOST])
    return "; ".join(lines) + more


def _unexplained(case: Case, data: xr.Dataset) -> Iterator[Difference]:
    """Loads that act in a data set and not in its case.

    Data that share no load with the case name theirs otherwise: their steps count by order.
    """
    there = {
        str(name).removeprefix("load_"): data[name]
        for name in data.data_vars
        if str(name).startswith("load_") and "_uncertainty" not in str(name)
    }
    if not there.keys() & case.load.keys():
        return
    for name in sorted(there.keys() - case.load.keys()):
        largest = float(np.abs(np.nan_to_num(there[name].values)).max(initial=0.0))
        if largest > 0.0:
            size = quantity_words(largest, str(there[name].attrs.get("units", "1")))
            yield Difference("loads", f"load.{name}", _ABSENT, f"up to {size}")


def _leaves(tables: Mapping[str, Any], above: str = "") -> dict[str, Any]:
    """Return the values of nested tables by their dotted keys."""
    found: dict[str, Any] = {}
    for name, value in tables.items():
        key = f"{above}{name}"
        if isinstance(value, Mapping):
            found |= _leaves(value, f"{key}.")
        elif isinstance(value, list) and value and isinstance(value[0], Mapping):
            for i, row in enumerate(value):
                found |= _leaves(row, f"{key}[{i}].")
        elif value is not None:
            found[key] = value
    return found


def _part(key: str, one: Any, other: Any, moving: bool) -> Part | None:
    """Return the part of a case that a key belongs to; None for what changes no solution."""
    top, _, rest = key.partition(".")
    name = key.rpartition(".")[2]
    match top:
        case "body":
            return "stations" if rest == "stations" else "body"
        case "material":
            return None if name in _RUBBER_WORDS else "rubber"
        case "winding":
            return "thread"
        case "load":
            sized = name in _MAGNITUDES and not moving and _parallel(one, other)
            return "steps" if sized else "loads"
        case "marker" | "angle" | "distance":
            return None  # where somebody looks
        case "steps" | "control" | "time":
            # A motion is another problem than a state at rest.
            return "loads" if top == "time" and (one is None or other is None) else "steps"
        case "mesh":
            return "mesh"
    return "support"  # how it is held, gravity, the water around


def _parallel(one: Any, other: Any) -> bool:
    """Whether two magnitudes are of one direction; lists of factors have none."""
    if not (isinstance(one, list) and isinstance(other, list)) or isinstance(one[0], float):
        return True
    pair = [np.array([_number(value)[0] for value in values]) for values in (one, other)]
    sizes = [float(np.linalg.norm(v)) for v in pair]
    return bool(pair[0] @ pair[1] >= (1.0 - _SAME) * sizes[0] * sizes[1])


def _alike(one: Any, other: Any) -> bool:
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_alike, one, other))
    if one is None or other is None or isinstance(one, bool) or isinstance(other, bool):
        return one is other
    (a, unit), (b, other_unit) = _number(one), _number(other)
    if unit is None or other_unit is None:
        return bool(one == other)
    return unit == other_unit and math.isclose(a, b, rel_tol=_SAME, abs_tol=0.0)


def _number(value: Any) -> tuple[float, str | None]:
    """Return number and unit of a value as it stands in a case file; no unit for a text."""
    if isinstance(value, int | float):
        return float(value), "1"
    quantity = split(value) if isinstance(value, str) else None
    return (math.nan, None) if quantity is None else quantity


def _words(value: Any) -> str:
    """Return a value as a person writes it."""
    if value is None:
        return _ABSENT
    if isinstance(value, list):
        return f"[{', '.join(map(_words, value))}]"
    if isinstance(value, bool):
        return str(value)
    number, unit = _number(value)
    return str(value) if unit is None else quantity_words(number, unit)


def _parts(found: Sequence[Difference]) -> str:
    return " and ".join(dict.fromkeys(d.part for d in found))
