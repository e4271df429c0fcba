"""Motion capture in c3d files, read by ezc3d: points in the unit that the file states."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from loligo.cases.core.record import BadInput
from loligo.validation.measured.channels import Column

_WORDS = {"meters": "m", "metres": "m", "millimeters": "mm", "millimetres": "mm"}


def columns_of_c3d(file: Path) -> list[Column]:
    """Return time and the three columns of every point; gaps where no camera saw it."""
    import ezc3d

    if not file.is_file():
        raise BadInput(f"{file}: there is no such file")
    try:
        content = ezc3d.c3d(str(file))
        points = np.asarray(content["data"]["points"], dtype=float)[:3]
        parameters = content["parameters"]["POINT"]
        labels = [str(label).strip() for label in _of(parameters, "LABELS")]
        rate = float(_of(parameters, "RATE")[0])
    except (RuntimeError, OSError, ValueError, KeyError, IndexError, MemoryError) as error:
        raise BadInput(f"{file}: cannot be read as c3d: {error}") from None
    if points.shape[1] == 0 or points.shape[2] == 0:
        raise BadInput(f"{file}: there are no points in it")
    if not rate > 0.0:
        raise BadInput(f"{file}: states a rate of {rate:g} Hz: no time follows from that")
    stated = [str(unit).strip() for unit in _of(parameters, "UNITS")]
    unit = _WORDS.get(stated[0].lower(), stated[0]) if stated and stated[0] else None
    time = Column("time", "s", np.arange(points.shape[2]) / rate)
    names = labels + [f"point{i + 1}" for i in range(len(labels), points.shape[1])]
    return [
        time,
        *(
            Column(f"{name}_{axis}", unit, points[k, i])
            for i, name in enumerate(names[: points.shape[1]])
            for k, axis in enumerate("xyz")
        ),
    ]


def _of(parameters: Any, name: str) -> list[Any]:
    """Return the values of a parameter; none of one that the file lacks."""
    return list(parameters[name]["value"]) if name in parameters else []
