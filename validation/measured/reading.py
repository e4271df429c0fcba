"""Files of experiments by their suffix: CSV, c3d, MATLAB."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from loligo.cases.core.record import BadInput
from loligo.validation.measured.c3d_file import columns_of_c3d
from loligo.validation.measured.channels import Column, Recording, recording
from loligo.validation.measured.csv_file import columns_of_csv
from loligo.validation.measured.doubts import check_values
from loligo.validation.measured.mat_file import columns_of_mat
from loligo.validation.measured.setup import Setup

_SUFFIXES = (".csv", ".txt", ".tsv", ".c3d", ".mat")
_HEADING = re.compile(r"\s*([\w-]+)\s*(?:\[\s*(.*?)\s*\])?\s*")


def read_recording(file: Path, setup: Setup) -> Recording:
    """Return what a file holds, in SI.

    Raises:
        BadInput: naming the file and the likely mistake, if it cannot be used.
    """
    columns = _columns(file, setup)
    recorded = recording(file, columns, setup.units, setup.rename)
    if absent := [n for n in setup.leave_out if n not in (*recorded.markers, *recorded.signals)]:
        have = ", ".join((*recorded.markers, *recorded.signals))
        raise BadInput(f"{file}: there is no {absent[0]} to be left out; it has {have}")
    recorded = Recording(
        file,
        recorded.time,
        {n: v for n, v in recorded.markers.items() if n not in setup.leave_out},
        {n: v for n, v in recorded.signals.items() if n not in setup.leave_out},
        recorded.signal_units,
        recorded.ignored,
    )
    check_values(recorded)
    return recorded


def _columns(file: Path, setup: Setup) -> list[Column]:
    match file.suffix.lower():
        case ".csv" | ".txt" | ".tsv":
            return columns_of_csv(file)
        case ".c3d":
            return columns_of_c3d(file)
        case ".mat":
            return columns_of_mat(file, headings(setup.columns))
    raise BadInput(
        f"{file}: nothing reads {file.suffix or 'a file without a suffix'} here; known are "
        f"{', '.join(_SUFFIXES)}"
    )


def headings(texts: Sequence[str]) -> list[tuple[str, str | None]]:
    """Return names and units of headings such as "time [s]"."""
    found = []
    for text in texts:
        if (match := _HEADING.fullmatch(text)) is None:
            raise BadInput(f'columns: "{text}" is no heading such as "time [s]"')
        found.append((match[1], match[2] or None))
    return found
