"""The skin of a body as triangles, with its displacement: enough to draw it without a mesh."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import dolfinx.mesh
import numpy as np
import numpy.typing as npt
import xarray as xr
from scipy.spatial import cKDTree

from loligo.cases.dataset.surface import surface_dataset
from loligo.fem.core.domain import Domain
from loligo.fem.observe.stretch import Stretches
from loligo.fem.problem.problem import Problem

Array = npt.NDArray[np.float64]
Index = npt.NDArray[np.int64]

_MOST = 30_000
"""Triangles above which the middles of edges are left out."""
# Triangles over the nodes of a facet: corners, middles of edges, middle; by corners alone.
_FINE = {
    6: ((0, 5, 4), (5, 1, 3), (4, 3, 2), (5, 3, 4)),
    9: tuple(
        (8, a, b) for a, b in zip((0, 4, 1, 6, 3, 7, 2, 5), (4, 1, 6, 3, 7, 2, 5, 0), strict=True)
    ),
}
_COARSE = {6: ((0, 1, 2),), 9: ((0, 1, 3), (0, 3, 2))}


@dataclass(frozen=True)
class Snapshot:
    """The skin in one state; on rank 0 alone."""

    displacement: Array
    """Shape (vertices, 3) (m)."""
    stretch: Array
    """Mean over the facets around a vertex of the largest stretch in their cells."""


class Skin:
    """The exterior facets of a problem's mesh, gathered on rank 0."""

    def __init__(self, problem: Problem, stretches: Stretches) -> None:
        """Number the vertices; collective."""
        self._problem, self._stretches = problem, stretches
        domain, fields = problem.domain, problem.fields
        mesh = domain.mesh
        facets, self._cells, local = _exterior(domain)
        layout = fields.nodal_space.dofmap.dof_layout
        closure = [layout.entity_closure_dofs(2, i) for i in range(max(local, default=0) + 1)]
        dofs = fields.nodal_space.dofmap.list[self._cells]
        picked = np.array([closure[i] for i in local], dtype=np.int64)
        nodes = np.take_along_axis(dofs, picked, axis=1) if len(local) else dofs[:, :0]
        self._unknowns = fields.every_node_unknowns[nodes.ravel()]
        place = fields.nodal_space.tabulate_dof_coordinates()
        numbers = fields.nodal_space.dofmap.index_map.local_to_global(
            nodes.ravel().astype(np.int32)
        )
        middles = place[dofs[:, : mesh.ufl_cell().num_vertices()]].mean(axis=1)
        groups = {tag: i for i, tag in enumerate(sorted(domain.facet_groups.values()))}
        tags = dict(zip(domain.facet_tags.indices, domain.facet_tags.values, strict=True))
        part = np.array([groups[tags[f]] if f in tags else -1 for f in facets], dtype=np.int64)
        gathered = problem.comm.gather(
            (numbers.reshape(len(facets), -1), place[nodes.ravel()], middles, part)
        )
        self.parts = tuple(sorted(domain.facet_groups, key=domain.facet_groups.__getitem__))
        """Names of facet groups."""
        self.rest, self.triangle, self.part = np.empty((0, 3)), np.empty((0, 3), np.int64), part
        """Vertices at rest (m), corners of the triangles seen from outside, group of each."""
        if gathered is not None:
            self._join(gathered)

    def _join(self, gathered: list[Any]) -> None:
        """Make triangles of the facets of all ranks; vertices are nodes, numbered anew."""
        size = max(numbers.shape[1] for numbers, *_ in gathered)
        numbers = np.concatenate([n.reshape(-1, size) for n, *_ in gathered])
        place = np.concatenate([p for _, p, *_ in gathered]).reshape(len(numbers), size, 3)
        middles, part = (np.concatenate([g[i] for g in gathered]) for i in (2, 3))
        fine = len(numbers) * len(_FINE[size]) <= _MOST
        pattern = np.array(_FINE[size] if fine else _COARSE[size])
        used = np.unique(pattern)
        self._used = np.tile(np.isin(np.arange(size), used), len(numbers))
        _, first, which = np.unique(numbers[:, used], return_index=True, return_inverse=True)
        self.rest = place[:, used].reshape(-1, 3)[first]
        self._first, self._which = first, which.ravel()
        position = np.zeros(size, dtype=np.int64)
        position[used] = np.arange(len(used))
        triangle = which.reshape(len(numbers), -1)[:, position[pattern]]
        a, b, c = (place[:, pattern[0, i]] for i in range(3))
        inward = np.einsum("fi,fi->f", np.cross(b - a, c - a), place.mean(axis=1) - middles) < 0
        triangle[inward] = triangle[inward][:, :, [0, 2, 1]]
        self.triangle = triangle.reshape(-1, 3)
        self.part = np.repeat(part, len(pattern))
        self._facet_of = np.repeat(np.arange(len(numbers)), len(used))

    def snapshot(self, mode: Array | None = None) -> Snapshot | None:
        """Return the skin in the problem's current state; None on ranks other than 0.

        Args:
            mode: displacements by unknown of this rank, to be seen in place of the state's.
        """
        problem = self._problem
        function, state = problem.fields.function, problem.save()
        if mode is not None:
            function.x.array[: len(mode)] = mode
            function.x.scatter_forward()
        moved = function.x.array[self._unknowns]
        problem.restore(state)
        stretch = self._stretches.of_cells(self._cells)
        gathered = problem.comm.gather((moved, stretch))
        if gathered is None:
            return None
        displacement = np.concatenate([m for m, _ in gathered])[self._used][self._first]
        by_facet = np.concatenate([s for _, s in gathered])[self._facet_of]
        total, count = np.bincount(self._which, by_facet), np.bincount(self._which)
        return Snapshot(displacement, total / count)

    def adopt(self, rest: Array, snapshot: Snapshot) -> Snapshot:
        """Return a skin that was taken on other ranks, whose vertices at rest are given.

        Which vertex is which depends on the partition; where it is at rest does not.
        """
        same = cKDTree(rest).query(self.rest)[1]
        return Snapshot(snapshot.displacement[same], snapshot.stretch[same])

    def modes(self, states: Mapping[int, Snapshot]) -> xr.Dataset:
        """Return the data set's group of critical modes, by number of the converged state."""
        shapes = np.stack([states[number].displacement for number in sorted(states)])
        text = "critical mode on the vertices of `surface`; the largest displacement of a node is 1"
        attrs = {"units": "1", "long_name": text}
        state = ("mode", sorted(states), {"long_name": "converged state, from 0 as in `solver`"})
        shape = ("mode", "vertex", "axis"), shapes.astype(np.float32), attrs
        return xr.Dataset({"shape": shape, "state": state}, {"axis": ["x", "y", "z"]})

    def dataset(self, states: Mapping[int, Snapshot]) -> xr.Dataset:
        """Return the data set's group of the states that were kept, by reported step from 0."""
        kept = [states[step] for step in sorted(states)]
        return surface_dataset(
            self.rest,
            self.triangle,
            self.part,
            self.parts,
            sorted(states),
            np.stack([state.displacement for state in kept]),
            np.stack([state.stretch for state in kept]),
        )


def _exterior(domain: Domain) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], list[int]]:
    """This rank's exterior facets, the cell of each, and the facet's number in it."""
    topology = domain.mesh.topology
    dim = topology.dim
    topology.create_connectivity(dim, dim - 1)
    facets = dolfinx.mesh.exterior_facet_indices(topology)
    to_cell, to_facet = topology.connectivity(dim - 1, dim), topology.connectivity(dim, dim - 1)
    cells = np.array([to_cell.links(f)[0] for f in facets], dtype=np.int32)
    local = [
        int(np.flatnonzero(to_facet.links(c) == f)[0]) for c, f in zip(cells, facets, strict=True)
    ]
    return facets, cells, local
