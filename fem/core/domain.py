"""A mesh whose cells and facets have names."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mpi4py import MPI

import dolfinx.mesh
import numpy as np
import numpy.typing as npt
import ufl
from dolfinx.mesh import Mesh, MeshTags

from loligo.fem.core import compat
from loligo.meshes import mesh as meshes

Names = str | Sequence[str]
Indices = npt.NDArray[np.int32]


@dataclass(frozen=True)
class Domain:
    """A distributed 3D mesh with tags and the tag of every named group; the same maps on all ranks.

    Volumes and facets may share a name, so there are two maps.
    """

    mesh: Mesh
    cell_tags: MeshTags
    facet_tags: MeshTags
    cell_groups: Mapping[str, int]
    facet_groups: Mapping[str, int]

    def __post_init__(self) -> None:
        """Connect facets and cells to cells, which everything that locates them needs."""
        topology = self.mesh.topology
        for dim in (topology.dim - 1, topology.dim):
            topology.create_connectivity(dim, topology.dim)

    def cell_tag(self, names: Names) -> tuple[int, ...]:
        """Return the tags of cell groups; ValueError for a name that the mesh lacks."""
        return _tags(self.cell_groups, names, "cells")

    def facet_tag(self, names: Names) -> tuple[int, ...]:
        """Return the tags of facet groups; ValueError for a name that the mesh lacks."""
        return _tags(self.facet_groups, names, "facets")

    def cells(self, names: Names) -> Indices:
        """Return the cells of groups that this rank knows."""
        return _members(self.cell_tags, self.cell_tag(names))

    def facets(self, names: Names) -> Indices:
        """Return the facets of groups that this rank knows."""
        return _members(self.facet_tags, self.facet_tag(names))

    def measures(self, cell_degree: int, facet_degree: int) -> tuple[Any, Any, Any]:
        """Return dx, ds and dS (inner facets) of these quadrature degrees; dx(tags) restricts.

        In tetrahedra by Xiao and Gimbutas (2010). The usual rule of degree 3 has a negative weight
        in the middle: energies that vary within a cell, like that of thread, would lose their
        minimum.
        """
        rule = cell_rule(self.mesh)
        dx, ds, inner = (
            ufl.Measure(
                kind,
                self.mesh,
                subdomain_data=tags,
                metadata={"quadrature_degree": degree, "quadrature_rule": rule},
            )
            for kind, tags, degree, rule in (
                ("dx", self.cell_tags, cell_degree, rule),
                ("ds", self.facet_tags, facet_degree, "default"),
                ("dS", self.facet_tags, facet_degree, "default"),
            )
        )
        return dx, ds, inner


def cell_rule(mesh: Mesh) -> str:
    """Return the name of the quadrature rule in the cells of a mesh, all of positive weights."""
    return "xiao_gimbutas" if mesh.topology.cell_name() == "tetrahedron" else "default"


def _tags(groups: Mapping[str, int], names: Names, what: str) -> tuple[int, ...]:
    names = (names,) if isinstance(names, str) else names
    for name in names:
        if name not in groups:
            near = difflib.get_close_matches(name, groups, 1)
            hint = f'; did you mean "{near[0]}"?' if near else "."
            known = ", ".join(sorted(groups))
            raise ValueError(f'the mesh has no group of {what} "{name}"{hint} It has: {known}')
    return tuple(groups[name] for name in names)


def _members(tags: MeshTags, wanted: tuple[int, ...]) -> Indices:
    return np.asarray(tags.indices[np.isin(tags.values, wanted)], dtype=np.int32)


def distribute(mesh: meshes.Mesh | None, comm: MPI.Comm) -> Domain:
    """Distribute a mesh of :mod:`loligo.meshes` that rank 0 holds; the others give None."""
    if mesh is None:
        return from_gmsh(None, comm)
    from loligo.meshes.session import model_of

    with model_of(mesh) as model:
        return from_gmsh(model, comm)


def from_gmsh(model: Any, comm: MPI.Comm) -> Domain:
    """Distribute the model that gmsh holds on rank 0, with its physical groups by name.

    Raises:
        ValueError: on all ranks, if a group of volumes or facets has no name.
    """
    groups: tuple[dict[str, int], dict[str, int]] | None = None
    if comm.rank == 0:
        groups = ({}, {})
        for dim, names in zip((3, 2), groups, strict=True):
            for _, tag in model.getPhysicalGroups(dim):
                names[model.getPhysicalName(dim, tag)] = tag
    groups = comm.bcast(groups)
    assert groups is not None
    if "" in groups[0] or "" in groups[1]:
        raise ValueError("every physical group of volumes and facets needs a name")
    return Domain(*compat.mesh_from_gmsh(model, comm), *groups)


def from_mesh(mesh: Mesh, facets: Mapping[str, Callable[[Any], Any]]) -> Domain:
    """Name the exterior facets of a mesh by position; all cells are ``body``.

    Args:
        mesh: any 3D mesh.
        facets: for each name a predicate of coordinates, shape (3, points), true for all vertices
            of its facets.

    Raises:
        ValueError: if a facet would belong to two groups.
    """
    dim = mesh.topology.dim
    for d in (dim - 1, dim):
        mesh.topology.create_connectivity(d, dim)
    exterior = dolfinx.mesh.exterior_facet_indices(mesh.topology)
    found = [
        np.intersect1d(dolfinx.mesh.locate_entities_boundary(mesh, dim - 1, where), exterior)
        for where in facets.values()
    ]
    index = np.concatenate([np.zeros(0, np.int32), *found]).astype(np.int32)
    twice = len(index) - len(np.unique(index))
    if mesh.comm.allreduce(twice) > 0:
        raise ValueError("a facet lies in two of the groups; a facet belongs to exactly one")
    value = np.repeat(np.arange(1, len(found) + 1, dtype=np.int32), [len(f) for f in found])
    order = np.argsort(index)
    facet_tags = dolfinx.mesh.meshtags(mesh, dim - 1, index[order], value[order])
    cells = mesh.topology.index_map(dim)
    every = np.arange(cells.size_local + cells.num_ghosts, dtype=np.int32)
    cell_tags = dolfinx.mesh.meshtags(mesh, dim, every, np.ones_like(every))
    return Domain(mesh, cell_tags, facet_tags, {"body": 1}, {n: i for i, n in enumerate(facets, 1)})
