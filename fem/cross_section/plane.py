"""The dolfinx mesh of a cross-section, with its groups of cells and edges."""

from __future__ import annotations

from mpi4py import MPI

import basix.ufl
import dolfinx.mesh
import numpy as np
import ufl
from dolfinx.mesh import Mesh, MeshTags
from scipy.spatial import KDTree

from loligo.fem.core import compat
from loligo.fem.core.domain import Domain
from loligo.meshes.plane import PlaneMesh


def domain_of(plane: PlaneMesh) -> Domain:
    """Return the mesh of a cross-section on this rank alone; its coordinates are (y, z)."""
    cell = "triangle" if plane.cells.shape[1] == 6 else "quadrilateral"
    order = compat.gmsh_permutation(cell, plane.cells.shape[1])
    coordinates = ufl.Mesh(basix.ufl.element("Lagrange", cell, 2, shape=(2,)))
    mesh = compat.create_mesh(MPI.COMM_SELF, plane.cells[:, order], coordinates, plane.points)
    original = mesh.topology.original_cell_index
    groups = plane.cell_groups[original].astype(np.int32)
    cells = np.arange(len(original), dtype=np.int32)
    return Domain(
        mesh,
        dolfinx.mesh.meshtags(mesh, 2, cells, groups),
        _edge_tags(mesh, plane),
        {name: i for i, name in enumerate(plane.cell_names, 1)},
        {name: i for i, name in enumerate(plane.edge_names, 1)},
    )


def _edge_tags(mesh: Mesh, plane: PlaneMesh) -> MeshTags:
    """Find the edges of the groups by the middles between their corners."""
    topology = mesh.topology
    topology.create_entities(1)
    for dims in ((1, 0), (1, 2), (2, 0)):
        topology.create_connectivity(*dims)
    corners = topology.connectivity(2, 0).array.reshape(len(plane.cells), -1)
    nodes = compat.geometry_dofmap(mesh)[:, : corners.shape[1]]
    places = np.empty((topology.index_map(0).size_local, 2))
    places[corners] = mesh.geometry.x[nodes, :2]
    middles = places[topology.connectivity(1, 0).array.reshape(-1, 2)].mean(axis=1)
    distance, index = KDTree(middles).query(plane.points[plane.edges].mean(axis=1))
    assert distance.max(initial=0.0) < 1e-9 * np.abs(plane.points).max()
    order = np.argsort(index)
    return dolfinx.mesh.meshtags(
        mesh, 1, index[order].astype(np.int32), plane.edge_groups[order].astype(np.int32)
    )
