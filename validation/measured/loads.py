"""Under which load a body was held: as the setup states it, else as it was recorded."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from loligo.cases.core.record import BadInput
from loligo.validation.measured.channels import UNITS, Recording
from loligo.validation.measured.holds import mean_over
from loligo.validation.measured.setup import Span, Take

Loads = dict[str, tuple[float, str]]
_DIMENSIONS = ("force", "pressure", "moment", "length", "volume", "acceleration")


def loads_of(recorded: Recording, take: Take, holds: Sequence[Span], which: int) -> Loads:
    """Return value and SI unit of every load at a hold."""
    found: Loads = {}
    for name, values in recorded.signals.items():
        if name.startswith("load_"):
            mean = mean_over(values, recorded.time, holds[which])
            found[name] = float(mean.value), recorded.signal_units[name]
    for name, stated in take.load.items():
        texts = (stated,) * len(holds) if isinstance(stated, str) else stated
        if len(texts) != len(holds):
            raise BadInput(
                f"{take.file}: load {name} has {len(texts)} values and the recording "
                f"{len(holds)} holds: give one for each, or one for all"
            )
        found[f"load_{name}"] = quantity(texts[which], f"{take.file}: load {name}")
    return found


def quantity(text: str, where: str) -> tuple[float, str]:
    """Return SI value and unit of a load such as "0.51 N"."""
    reasons = []
    for dimension in _DIMENSIONS:
        unit = UNITS[dimension]
        try:
            return unit.parse(text), unit.si
        except ValueError as error:
            reasons.append(str(error))
    raise BadInput(f"{where}: {reasons[0]}")


def grouped(loads: Sequence[Loads], same: float) -> list[list[int]]:
    """Return which holds are repeats of one load, in the order in which loads come first.

    Without loads every hold is a step of its own.

    Raises:
        BadInput: if some holds have loads that others have not.
    """
    names = sorted({name for each in loads for name in each})
    if lacking := [i for i, each in enumerate(loads) if set(each) != set(names)]:
        absent = sorted(set(names) - set(loads[lacking[0]]))
        raise BadInput(f"hold {lacking[0] + 1} has no {', '.join(absent)}, which others have")
    if not names:
        return [[i] for i in range(len(loads))]
    values = np.array([[each[name][0] for name in names] for each in loads])
    scale = np.maximum(np.abs(values).max(axis=0), 1e-300)
    groups: list[list[int]] = []
    for i, row in enumerate(values / scale):
        for group in groups:
            if np.all(np.abs(row - values[group[0]] / scale) <= same):
                group.append(i)
                break
        else:
            groups.append([i])
    return groups
