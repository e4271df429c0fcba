"""Wrenches through sections, by equilibrium of what lies beyond them.

Internal forces do no work in a rigid motion: tested with rigid modes, the residual of the cells
beyond a cut leaves their loads alone, each with its own virtual work and quadrature. So the wrench
through a cut is the sum of the loads on the cells beyond it, and of the supports there, exactly as
the discrete equations balance it. The equations are in docs/sections.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import basix.ufl
import dolfinx.fem
import numpy as np
import numpy.typing as npt
import ufl
from dolfinx.fem import Constant, form

from loligo.fem.core import compat
from loligo.fem.core.domain import Domain
from loligo.fem.loads.base import Load
from loligo.fem.loads.cavities import Cavity
from loligo.fem.problem.problem import Problem

Array = npt.NDArray[np.float64]


class Slabs:
    """The cells of a body between neighbouring section planes."""

    def __init__(
        self, domain: Domain, corners: Array, planes: Sequence[tuple[Array, Array]]
    ) -> None:
        """Find out between which planes every cell of this rank lies.

        Args:
            domain: the mesh.
            corners: of the centreline, shape (n, 3) (m).
            planes: origin and normal of the sections in order (m).
        """
        self.count = len(planes) + 1
        mesh = domain.mesh
        owned = mesh.topology.index_map(mesh.topology.dim).size_local
        nodes = mesh.geometry.x[compat.geometry_dofmap(mesh)[:owned]]
        self._corners, self._planes = corners, planes
        self.cells = self.find(nodes.mean(axis=1))
        """Slab of every cell of this rank, from 0 before the first section."""

    def find(self, points: Array) -> npt.NDArray[np.intp]:
        """Return in which slab points at rest lie; on a plane in the one before it."""
        arc = _arc_lengths(self._corners, points)
        stations = _arc_lengths(self._corners, np.array([origin for origin, _ in self._planes]))
        near = np.diff(stations).min(initial=np.inf) / 2
        close = 1e-9 * stations[-1]
        beyond = np.zeros(len(points), dtype=np.intp)
        for s, (origin, normal) in zip(stations, self._planes, strict=True):
            # Around a corner of the centreline its plane decides, elsewhere the arc length.
            height = np.where(np.abs(arc - s) < near, (points - origin) @ normal, arc - s)
            beyond += height > close
        return beyond


def _arc_lengths(corners: Array, points: Array) -> Array:
    """Return the arc length of the point of a polygon that is nearest to each point."""
    start, span = corners[:-1], np.diff(corners, axis=0)
    length = np.linalg.norm(span, axis=1)
    before = np.r_[0.0, np.cumsum(length)[:-1]]
    share = np.einsum("psi,si->ps", points[:, None] - start, span) / length**2
    share = np.clip(share, 0.0, 1.0)
    away = np.linalg.norm(start + share[:, :, None] * span - points[:, None], axis=2)
    nearest = np.argmin(away, axis=1)
    row = np.arange(len(points))
    return np.asarray(before[nearest] + share[row, nearest] * length[nearest])


class SlabLoads:
    """Resultants of loads on every slab, compiled once."""

    def __init__(self, problem: Problem, slabs: Slabs, loads: Sequence[Load | Cavity]) -> None:
        """Compile the virtual work of all loads in a rigid motion of every cell for itself."""
        self._problem, self._slabs = problem, slabs
        mesh = problem.domain.mesh
        element = basix.ufl.element("DG", mesh.basix_cell(), 0, shape=(6,))
        motion = ufl.TestFunction(dolfinx.fem.functionspace(mesh, element))
        k = problem.kinematics
        turn, shift = (ufl.as_vector([motion[i + j] for j in range(3)]) for i in (0, 3))
        rigid = replace(k, virtual=shift + ufl.cross(turn, k.position))
        self._values = {load.name: Constant(mesh, 0.0) for load in loads}
        works = [load.virtual_work(rigid, self._values[load.name]) for load in loads]
        self._form = form(sum(works)) if works else None

    def resultants(self) -> Array:
        """Return the wrench of the loads on every slab, fixed axes, about the origin.

        Shape (slabs, 6), the same on all ranks (N m, N).
        """
        total = np.zeros((self._slabs.count, 6))
        if self._form is not None:
            for name, value in self._values.items():
                value.value = self._problem.values[name]
            by_cell = dolfinx.fem.assemble_vector(self._form).array.reshape(-1, 6)
            np.add.at(total, self._slabs.cells, by_cell[: len(self._slabs.cells)])
        return np.asarray(self._problem.comm.allreduce(total))


def beyond(slabs: Array) -> Array:
    """Return the sum of what lies beyond every section, from a row for each slab."""
    return np.asarray(np.cumsum(slabs[:0:-1], axis=0)[::-1])


def in_section(wrench: Array, frame: Array) -> Array:
    """Return wrenches (n, 6), fixed axes about the origin, in frames (n, 4, 4) about theirs."""
    moment, force = wrench[:, :3], wrench[:, 3:]
    moment = moment - np.cross(frame[:, :3, 3], force)
    back = np.swapaxes(frame[:, :3, :3], 1, 2)
    return np.concatenate([(back @ v[:, :, None])[:, :, 0] for v in (moment, force)], axis=1)


def wrench_of(position: Array, force: Array) -> Array:
    """Return the wrench (moment; force) of forces (n, 3) at positions (n, 3) about the origin."""
    return np.concatenate([np.cross(position, force).sum(0), force.sum(0)])
