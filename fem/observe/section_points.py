"""Quadrature points of facets, with what it takes to follow them through a deformation.

On a facet the displacement and its derivatives along the facet follow from the nodes of that facet
alone: they are the same seen from either side, so that facets inside the body need no sides.
"""

from __future__ import annotations

from dataclasses import dataclass

import basix
import numpy as np
import numpy.typing as npt

from loligo.fem.core import compat
from loligo.fem.core.domain import Domain, Names
from loligo.fem.core.fields import Fields

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class FacetPoints:
    """Quadrature points on this rank's own facets of a group."""

    rest: Array
    """Reference positions, shape (points, 3) (m)."""
    weight: Array
    """Reference areas, shape (points,) (m^2)."""
    _tangents: Array
    """Derivatives of the reference position along the facet, shape (points, 2, 3)."""
    _scale: Array
    """Quadrature weights, negative where the tangents are left-handed about the normal."""
    _unknowns: npt.NDArray[np.int64]
    """Unknowns of the nodes of the point's cell, shape (points, nodes, 3)."""
    _values: Array
    """Shape functions of these nodes, shape (points, nodes)."""
    _slopes: Array
    """Their derivatives along the facet, shape (points, 2, nodes)."""

    def positions(self, unknowns: Array) -> Array:
        """Return deformed positions, shape (points, 3), at this rank's unknowns with its ghosts."""
        return np.asarray(
            self.rest + np.einsum("pa,pai->pi", self._values, unknowns[self._unknowns])
        )

    def areas(self, unknowns: Array) -> Array:
        """Return deformed area vectors, shape (points, 3) (m^2), along the normal's side."""
        moved = np.einsum("pta,pai->pti", self._slopes, unknowns[self._unknowns])
        first, second = np.moveaxis(self._tangents + moved, 1, 0)
        return np.asarray(self._scale[:, None] * np.cross(first, second))


def facet_points(
    domain: Domain, fields: Fields, group: Names, normal: Array, degree: int
) -> FacetPoints:
    """Return the quadrature points of a group of facets, every facet on one rank.

    Args:
        domain: the mesh with its groups.
        fields: the unknowns.
        group: names of facets.
        normal: direction to which area vectors point, shape (3,).
        degree: of the quadrature.
    """
    mesh, shape = domain.mesh, fields.nodal_space.ufl_element().basix_element
    topology = mesh.topology
    dim = topology.dim
    for d in (dim - 1, dim):
        topology.create_connectivity(d, 2 * dim - 1 - d)
    facets = domain.facets(group)
    facets = facets[facets < topology.index_map(dim - 1).size_local]
    to_cell, to_facet = topology.connectivity(dim - 1, dim), topology.connectivity(dim, dim - 1)
    cells = np.array([to_cell.links(f)[0] for f in facets], dtype=np.int32)
    local = np.array(
        [list(to_facet.links(c)).index(f) for c, f in zip(cells, facets, strict=True)], np.int32
    )
    geometry = mesh.ufl_domain().ufl_coordinate_element().basix_element
    nodes = mesh.geometry.x[compat.geometry_dofmap(mesh)[cells]]
    unknowns = fields.every_node_unknowns[fields.nodal_space.dofmap.list[cells]]
    cell = getattr(basix.CellType, topology.cell_name())
    corners, faces = basix.geometry(cell), basix.topology(cell)[dim - 1]
    triangle = topology.cell_name() == "tetrahedron"
    face_type = basix.CellType.triangle if triangle else basix.CellType.quadrilateral
    points, weights = basix.make_quadrature(face_type, degree)
    parts = []
    for number, face in enumerate(faces):
        here = local == number
        along = corners[face[1:3]] - corners[face[0]]  # the face's own two axes
        reference = corners[face[0]] + points @ along
        tables = geometry.tabulate(1, reference)[..., 0], shape.tabulate(1, reference)[..., 0]
        (place, *moves), (values, *slopes) = tables
        place_slopes = np.einsum("td,dqn->qtn", along, np.array(moves))
        slopes_along = np.einsum("td,dqn->qtn", along, np.array(slopes))
        count = int(here.sum())
        tangents = np.einsum("qtn,cni->cqti", place_slopes, nodes[here])
        normals = np.cross(tangents[:, :, 0], tangents[:, :, 1])
        parts.append(
            (
                np.einsum("qn,cni->cqi", place, nodes[here]),
                weights * np.linalg.norm(normals, axis=2),
                tangents,
                weights * np.sign(normals @ normal),
                np.repeat(unknowns[here][:, None], len(points), axis=1),
                np.repeat(values[None], count, axis=0),
                np.repeat(slopes_along[None], count, axis=0),
            )
        )
    joined = (np.concatenate(part) for part in zip(*parts, strict=True))
    return FacetPoints(*(array.reshape(-1, *array.shape[2:]) for array in joined))
