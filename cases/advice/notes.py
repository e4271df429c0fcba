"""Notes on a case: valid, but perhaps not as meant."""

from __future__ import annotations

from loligo.cases.case import Case
from loligo.cases.load.kinds import Load, Water, Weight


def notes(case: Case) -> tuple[str, ...]:
    """Return what is worth a second look in a case, a paragraph each.

    Weight and water are ramped with the actuation unless a `path` says otherwise: at the first of
    four steps acts a quarter of each. The steps before the last one then differ from those of a
    body that hangs first and is pulled after.
    """
    around = {name: load for name, load in case.load.items() if isinstance(load, Weight | Water)}
    ramped = [name for name, load in around.items() if load.path is None]
    others = {name: load for name, load in case.load.items() if name not in around}
    if case.time is not None or not ramped or not others or len(case.steps) == 1:
        return ()
    together = (
        f"{_listed(ramped)} {'are' if len(ramped) > 1 else 'is'} ramped with {_listed(others)}"
    )
    if case.control is not None:
        return (f"{together} by one factor, as arc_length drives all loads",)
    paths = {**dict.fromkeys(around, (1.0,)), **_given(others)}
    first = case.steps[0] == 0.0
    before: tuple[float, ...] = () if first else (0.0,)
    lines = [] if first else [f"steps = {_list((*before, *case.steps))}"]
    for name, path in paths.items():
        ones = (1.0,) * len(case.steps)
        head = (1.0,) * len(before) if name in around else before
        lines.append(
            f"path = {_list((*head, *(ones if name in around else path)))}  # [load.{name}]"
        )
    return (
        f"{together}: at step 1 all act with the factor {case.steps[0]:g}. For gravity first, "
        "write\n" + "\n".join(f"    {line}" for line in lines),
    )


def attributes(case: Case) -> dict[str, str]:
    """Return the attribute `notes` of a data set; nothing where there is no note."""
    return {"notes": "\n".join(found)} if (found := notes(case)) else {}


def _given(loads: dict[str, Load]) -> dict[str, tuple[float, ...]]:
    """Return the paths of the loads that have one."""
    return {name: load.path for name, load in loads.items() if load.path is not None}


def _list(factors: tuple[float, ...]) -> str:
    return f"[{', '.join(map(str, factors))}]"


def _listed(names: list[str] | dict[str, Load]) -> str:
    return " and ".join(f"load.{name}" for name in names)
