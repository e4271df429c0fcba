"""Whole fields for ParaView: displacement, pressure and largest stretch, at reported steps.

ADIOS2 files of the VTX schema, which hold one element each: `<stem>_displacement.bp` has the
quadratic displacement, `<stem>_pressure.bp` the linear pressure of the mixed method, and
`<stem>_stretch.bp` the largest principal stretch, linear in every cell and free to jump. ParaView
opens them as ADIOS2VTXReader; "Warp By Vector" moves the body.

Where ADIOS2 cannot write it ends the process (code 134, with all ranks), so that before every state
its room is taken on the disk and given back.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import numpy as np
import numpy.typing as npt
from dolfinx.fem import Expression, Function, functionspace
from dolfinx.io import VTXWriter

from loligo.fem.core import compat
from loligo.fem.io.ranks import on_first_rank
from loligo.fem.observe.stretch import largest_stretch
from loligo.fem.problem.problem import Problem

Array = npt.NDArray[np.float64]

_MARGIN = 1.2, 2_000_000
"""Room over that of the arrays, and beside it (bytes): indices of the files."""


class FieldFiles:
    """Open files of one run; every method is collective."""

    def __init__(self, problem: Problem, folder: Path, stem: str) -> None:
        """Begin the files, in place of older ones; the folder must be there on all ranks.

        Raises:
            BadInput: on all ranks, here and in :meth:`write`, if the disk has no room.
        """
        fields, mesh = problem.fields, problem.domain.mesh
        self._problem = problem
        self._displacement = Function(fields.nodal_space, name="displacement")
        jumping = functionspace(mesh, ("DG", 1))
        self._stretch = Function(jumping, name="largest_stretch")
        points = compat.interpolation_points(jumping)
        self._gradient = Expression(problem.kinematics.gradient, points)
        kept = {"displacement": self._displacement, "stretch": self._stretch}
        self._pressure = None
        if fields.pressure is not None:
            space, self._pressures = fields.space.sub(1).collapse()
            self._pressure = Function(space, name="pressure")
            kept["pressure"] = self._pressure
        self._room = int(_MARGIN[0] * sum(map(_size, kept.values()))) + _MARGIN[1]
        self._take_room(folder)
        self.files = tuple(folder / f"{stem}_{name}.bp" for name in kept)
        self._writers = [
            VTXWriter(problem.comm, file, [function], engine="BP4")
            for file, function in zip(self.files, kept.values(), strict=True)
        ]

    def write(self, time: float) -> None:
        """Add the problem's current state, under a time (s) or a step's number."""
        unknowns = self._problem.fields.function.x.array
        self._displacement.x.array[:] = unknowns[self._problem.fields.every_node_unknowns].ravel()
        if self._pressure is not None:
            self._pressure.x.array[:] = unknowns[self._pressures]
        dofs = self._stretch.function_space.dofmap.list
        cells = np.arange(len(dofs), dtype=np.int32)
        gradient = self._gradient.eval(self._problem.domain.mesh, cells)
        stretch = largest_stretch(gradient.reshape(*dofs.shape, 3, 3))
        self._stretch.x.array[dofs.ravel()] = stretch.ravel()
        self._take_room(self.files[0].parent)
        for writer in self._writers:
            writer.write(time)

    def close(self) -> None:
        """End the files."""
        for writer in self._writers:
            writer.close()

    def _take_room(self, folder: Path) -> None:
        """Find out whether there is room for a state."""

        def take() -> None:
            try:
                with tempfile.TemporaryFile(dir=folder, prefix=".room.") as probe:
                    os.posix_fallocate(probe.fileno(), 0, self._room)
            except OSError as error:
                raise OSError(error.errno, error.strerror, str(folder)) from None

        on_first_rank(self._problem.comm, take)


def _size(function: Function) -> int:
    """Return what one state of a function takes: points, cells and values, 8 bytes each (bytes)."""
    space = function.function_space
    cells = space.mesh.topology.index_map(space.mesh.topology.dim).size_global
    nodes = space.dofmap.index_map.size_global
    of_cell = space.dofmap.list.shape[1]
    # A point is three coordinates, its number and whether it is a ghost.
    return int(8 * (nodes * (5 + space.dofmap.index_map_bs) + cells * (of_cell + 1)))
