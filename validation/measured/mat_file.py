"""MATLAB files: named vectors, or one matrix whose columns the user names.

A variable NAME of three columns is a marker. Files of version 7.3 are HDF5, in which a matrix lies
transposed.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import h5py  # type: ignore[import-untyped]
import numpy as np
import scipy.io

from loligo.cases.core.record import BadInput
from loligo.validation.measured.channels import Array, Column

_HDF5 = b"MATLAB 7.3"


def columns_of_mat(file: Path, headings: Sequence[tuple[str, str | None]] = ()) -> list[Column]:
    """Return the columns of a MATLAB file.

    Args:
        file: of any version.
        headings: names and units of the columns of its one matrix; "-" for one that is left out.
    """
    arrays = _arrays(file)
    if not arrays:
        raise BadInput(f"{file}: there is no numeric matrix in it")
    if headings:
        return _of_matrix(file, arrays, headings)
    found: list[Column] = []
    for name, values in arrays.items():
        columns = values.T if 1 in values.shape and values.shape[0] == 1 else values
        if columns.shape[1] == 1:
            found.append(Column(name, None, columns[:, 0]))
        elif columns.shape[1] == 3:
            found += [Column(f"{name}_{a}", None, columns[:, k]) for k, a in enumerate("xyz")]
        else:
            raise BadInput(
                f"{file}: the matrix {name} has {columns.shape[1]} columns, and nothing says what "
                "they are: name them with --columns"
            )
    if len({column.values.size for column in found}) > 1:
        sizes = ", ".join(f"{column.name} {column.values.size}" for column in found)
        raise BadInput(f"{file}: its variables have different numbers of samples: {sizes}")
    return found


def _of_matrix(
    file: Path, arrays: dict[str, Array], headings: Sequence[tuple[str, str | None]]
) -> list[Column]:
    wide = {name: v for name, v in arrays.items() if min(v.shape) > 1}
    if len(wide) != 1:
        raise BadInput(
            f"{file}: --columns names those of one matrix, and there are {len(wide)}: "
            f"{', '.join(wide) or 'vectors alone'}"
        )
    name, matrix = next(iter(wide.items()))
    if matrix.shape[1] != len(headings):
        raise BadInput(
            f"{file}: the matrix {name} has {matrix.shape[1]} columns, --columns names "
            f"{len(headings)}; write - for one that is to be left out"
        )
    return [
        Column(title, unit, matrix[:, k])
        for k, (title, unit) in enumerate(headings)
        if title != "-"
    ]


def _arrays(file: Path) -> dict[str, Array]:
    if not file.is_file():
        raise BadInput(f"{file}: there is no such file")
    try:
        with file.open("rb") as opened:
            new = opened.read(len(_HDF5)) == _HDF5
        return _new(file) if new else _old(file)
    except (OSError, ValueError, TypeError, NotImplementedError, KeyError) as error:
        raise BadInput(f"{file}: cannot be read as a MATLAB file: {error}") from None
    except scipy.io.matlab.MatReadError as error:
        raise BadInput(f"{file}: cannot be read as a MATLAB file: {error}") from None


def _old(file: Path) -> dict[str, Array]:
    content = scipy.io.loadmat(file)
    return {
        name: np.asarray(values, dtype=float)
        for name, values in content.items()
        if not name.startswith("__") and _numeric(values)
    }


def _new(file: Path) -> dict[str, Array]:
    with h5py.File(file, "r") as content:
        return {
            str(name): np.asarray(values[()], dtype=float).T
            for name, values in content.items()
            if isinstance(values, h5py.Dataset) and _numeric(values)
        }


def _numeric(values: np.ndarray | h5py.Dataset) -> bool:  # type: ignore[type-arg]
    return values.dtype.kind in "fiu" and len(values.shape) == 2 and 0 not in values.shape
