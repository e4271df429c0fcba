"""Checkpoints: all that a run needs to go on, on any number of ranks.

A checkpoint is one file, ``000012.npz``: facts as JSON, and arrays. Fields of unknowns are in the
order of the mesh's own nodes, which no partition changes. Rank 0 gathers and writes them: 8 bytes
an unknown and field where the solver takes a thousand and more, and one rank fails in one place,
where many that write one file leave each other waiting. The file is written aside and renamed. It
ends with its own check sum, so that damage is noticed before anything is parsed. The last two files
are kept. A restart reads the file on rank 0, which gives every rank its part of the unknowns.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import types
import typing
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from loligo.cases.core.atomic import aside, leftovers
from loligo.cases.core.record import BadInput
from loligo.fem.problem.problem import Problem

T = TypeVar("T")
Array = npt.NDArray[np.float64]

_KEPT = 2
_FACTS = "facts"
_SUM = 64
"""Length of the check sum, SHA-256 as hexadecimal digits: the comment at the end of the archive."""


@dataclass
class Checkpoint:
    """What a run was when it was taken."""

    facts: dict[str, Any] = field(default_factory=dict)
    """What JSON can say."""
    arrays: dict[str, Array] = field(default_factory=dict)

    def put(self, array: Array) -> str:
        """Add an array; return its name, by which facts speak of it."""
        name = f"array_{len(self.arrays)}"
        self.arrays[name] = array
        return name


class Order:
    """Where this rank's unknowns stand in the order of the mesh's own nodes."""

    def __init__(self, problem: Problem) -> None:
        """Number the unknowns: three a node, then the pressures at corners."""
        fields, mesh = problem.fields, problem.domain.mesh
        self._comm, self._owned = problem.comm, fields.owned
        nodes = fields.own_numbers()
        self._place = np.empty(fields.function.x.array.size, dtype=np.int64)
        self._place[fields.every_node_unknowns] = 3 * nodes[:, None] + np.arange(3)
        self._size = 3 * mesh.geometry.index_map().size_global
        if fields.pressure is not None:
            space, unknowns = fields.space.sub(1).collapse()
            corners = space.dofmap.list
            displaced = fields.nodal_space.dofmap.list[:, : corners.shape[1]]  # corners come first
            self._place[np.asarray(unknowns)[corners]] = self._size + nodes[displaced]
            self._size += mesh.geometry.index_map().size_global

    def gather(self, unknowns: Array) -> Array:
        """Return the unknowns of all ranks in that order on rank 0, nothing on the others."""
        mine = self._place[: self._owned], unknowns[: self._owned]
        gathered = self._comm.gather(mine)
        if gathered is None:
            return np.zeros(0)
        whole = np.zeros(self._size)  # where a node has no pressure there is a zero
        for place, values in gathered:
            whole[place] = values
        return whole

    def spread(self, whole: Array) -> Array:
        """Return this rank's unknowns and ghosts of what :meth:`gather` returned on rank 0.

        Collective; the argument of the other ranks is not read.
        """
        places = self._comm.gather(self._place)
        shares = None if places is None else [whole[place] for place in places]
        mine: Array = self._comm.scatter(shares)
        return mine


def plain(value: Any, put: Callable[[Array], str]) -> Any:
    """Return what JSON can say of a record of records; its arrays are put elsewhere."""
    if dataclasses.is_dataclass(value):
        return {f.name: plain(getattr(value, f.name), put) for f in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {key: plain(item, put) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [plain(item, put) for item in value]
    if isinstance(value, np.ndarray):
        return put(value)
    return value.item() if isinstance(value, np.generic) else value


def made(kind: type[T], value: Any, take: Callable[[str], Array]) -> T:
    """Return the record that :func:`plain` made plain, by the types of its fields.

    Raises:
        KeyError: if a record has other fields now.
    """
    return typing.cast(T, _made(kind, value, take))


def _made(kind: Any, value: Any, take: Callable[[str], Array]) -> Any:
    if dataclasses.is_dataclass(kind) and isinstance(kind, type):
        kinds = typing.get_type_hints(kind)
        if other := kinds.keys() ^ value.keys():
            raise KeyError(f"{kind.__name__}.{min(other)}")
        return kind(**{name: _made(kinds[name], item, take) for name, item in value.items()})
    parts = typing.get_args(kind)
    match typing.get_origin(kind):
        case types.UnionType:  # of something and None
            return None if value is None else _made(parts[0], value, take)
        case origin if origin is tuple:
            return tuple(_made(parts[0], item, take) for item in value)
        case origin if origin is np.ndarray:
            return take(value)
    return value


def write(checkpoint: Checkpoint, folder: Path) -> Path:
    """Write the next checkpoint of a folder and remove all but the last two; rank 0 alone.

    What a kill left of earlier writing goes, too.
    """
    folder.mkdir(parents=True, exist_ok=True)
    before = _files(folder)
    number = int(before[-1].stem) + 1 if before else 1
    file = folder / f"{number:06}.npz"
    with aside(file) as beside, beside.open("wb") as stream:
        facts = np.array(json.dumps(checkpoint.facts))
        np.savez(stream, allow_pickle=False, **{_FACTS: facts}, **checkpoint.arrays)
        stream.close()
        _seal(beside)
    for old in (*before[: 1 - _KEPT], *leftovers(folder, "*.npz")):
        old.unlink(missing_ok=True)
    return file


def newest(folder: Path) -> tuple[Checkpoint, list[str]] | None:
    """Return the last checkpoint that can be read, and what is wrong with later ones.

    None if there is none; rank 0 alone.

    Raises:
        BadInput: if there are some, but none can be read.
    """
    wrong: list[str] = []
    for file in reversed(_files(folder)):
        try:
            if not _sealed(file):
                raise ValueError("its check sum is another")
            with np.load(file, allow_pickle=False) as found:
                arrays = {name: found[name] for name in found.files}
            return Checkpoint(json.loads(str(arrays.pop(_FACTS))), arrays), wrong
        except Exception as error:  # of another version, whatever its parser says
            wrong.append(f"{file}: is damaged and is left out: {error}")
    if wrong:
        raise BadInput("\n".join([*wrong, f"{folder}: has no other checkpoint; delete it"]))
    return None


def remove(folder: Path) -> None:
    """Remove the checkpoints of a run that is complete; rank 0 alone."""
    for file in (*_files(folder), *leftovers(folder, "*.npz")):
        file.unlink(missing_ok=True)
    if folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()


def _seal(file: Path) -> None:
    """Write the check sum of all that is before it at the end of an archive."""
    with zipfile.ZipFile(file, "a") as archive:
        archive.comment = bytes(_SUM)
    with file.open("r+b") as stream:
        size = file.stat().st_size - _SUM
        digest = _digest(stream, size)
        stream.seek(size)
        stream.write(digest)


def _sealed(file: Path) -> bool:
    """Whether an archive is as it was written."""
    size = file.stat().st_size - _SUM
    with file.open("rb") as stream:
        return size > 0 and _digest(stream, size) == stream.read()


def _digest(stream: typing.BinaryIO, size: int) -> bytes:
    found = hashlib.sha256()
    while size > 0 and (block := stream.read(min(size, 2**20))):
        found.update(block)
        size -= len(block)
    return found.hexdigest().encode()


def _files(folder: Path) -> list[Path]:
    return sorted(file for file in folder.glob("*.npz") if file.stem.isdecimal())
