r"""Volumes, areas, enclosed volumes and element quality of second-order meshes, in numpy alone.

Integrals use the element's own second-order geometry: :math:`dV = \det(\partial
x/\partial\xi)\,d\xi` and :math:`n\,dA = \partial x/\partial\xi \times \partial
x/\partial\eta\,d\xi\,d\eta`. The rules are exact for volumes and enclosed volumes, which are
integrals of polynomials.
"""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np

from loligo.meshes.mesh import TETRAHEDRON_EDGES, TRIANGLE_EDGES, Array, Element, Index

# Nodes of a hexahedron and a quadrilateral in Gmsh's order, in steps of half an edge.
_PLACES = (
    "000 200 220 020 002 202 222 022 100 010 001 210 201 120 221 021 102 012 212 122"
    " 110 101 011 211 121 112 111"
)
HEXAHEDRON_NODES = np.array([[int(step) for step in place] for place in _PLACES.split()])
QUADRILATERAL_NODES = np.array(
    [[0, 0], [2, 0], [2, 2], [0, 2], [1, 0], [2, 1], [1, 2], [0, 1], [1, 1]]
)


def volumes(element: Element, points: Array, cells: Index) -> Array:
    """Return the volume of every cell (m^3)."""
    at, weights = cell_rule(element, 4)
    volume: Array = weights @ determinants(element, points, cells, at)
    return volume


def determinants(element: Element, points: Array, cells: Index, at: Array) -> Array:
    """Return det(dx/dxi) of every cell at reference points, shape (points, cells)."""
    nodes = points[cells]
    result = np.empty((len(at), len(cells)))
    # One reference point at a time: the Jacobians of all points together would fill the memory.
    for row, gradient in zip(result, cell_gradients(element, at), strict=True):
        a, b, c = np.moveaxis(np.tensordot(nodes, gradient, axes=(1, 0)), 2, 0)
        row[:] = np.einsum("ni,ni->n", np.cross(a, b), c)
    return result


def normals(element: Element, points: Array, facets: Index, at: Array) -> tuple[Array, Array]:
    """Return places and normals of facets at points, weighted by area, (points, facets, 3)."""
    values, gradients = facet_basis(element, at)
    corners = points[facets]
    place = np.einsum("qb,nbi->qni", values, corners)
    along = np.einsum("qbk,nbi->kqni", gradients, corners)
    return place, np.cross(along[0], along[1])


def areas(element: Element, points: Array, facets: Index) -> Array:
    """Return the area of every facet (m^2), by a rule of degree 8 or higher."""
    at, weights = facet_rule(element, 5)
    _, normal = normals(element, points, facets, at)
    area: Array = weights @ np.linalg.norm(normal, axis=2)
    return area


def enclosed_volume(element: Element, points: Array, facets: Index) -> float:
    r"""Return the volume that facets enclose (m^3); their normals point out of the solid.

    :math:`V = -\frac12 \int (y n_y + z n_z)\,dA`. Flat faces normal to x contribute nothing, so
    that a cavity that is open there, such as a mantle's, counts as closed by discs.
    """
    at, weights = facet_rule(element, 5)
    place, normal = normals(element, points, facets, at)
    flux = place[:, :, 1] * normal[:, :, 1] + place[:, :, 2] * normal[:, :, 2]
    return float(-np.einsum("qn,q->", flux, weights) / 2)


def enclosed_moment(element: Element, points: Array, facets: Index) -> Array:
    r"""Return the first moments (y, z) of what facets enclose (m^4); normals out of the solid.

    :math:`\int y\,dV = -\frac12 \int y^2 n_y\,dA`, and alike for z.
    """
    at, weights = facet_rule(element, 5)
    place, normal = normals(element, points, facets, at)
    moment: Array = -np.einsum("qni,qni,q->i", place[..., 1:] ** 2, normal[..., 1:], weights) / 2
    return moment


def scaled_jacobians(element: Element, points: Array, cells: Index) -> Array:
    r"""Return the least scaled Jacobian of every cell: 1 for the ideal shape, below 0 if inverted.

    The least :math:`\det(\partial x/\partial\xi)` on a lattice of the element that contains its
    nodes, over the largest product of the lengths of three edges that meet in a corner (times
    :math:`\sqrt2` for tetrahedra).
    """
    least = determinants(element, points, cells, _lattice(element)).min(axis=0)
    corners = points[cells[:, : element.corners]]
    largest = np.zeros(len(cells))
    for corner, neighbours in enumerate(_neighbours(element)):
        spans = np.linalg.norm(corners[:, neighbours] - corners[:, [corner]], axis=2)
        largest = np.maximum(largest, spans.prod(axis=1))
    ideal = np.sqrt(2.0) if element.corners == 4 else 1.0
    scaled: Array = ideal * least / largest
    return scaled


@cache
def cell_rule(element: Element, order: int) -> tuple[Array, Array]:
    """Return points and weights of a product rule with ``order`` Gauss points a direction."""
    x, w = _gauss(order)
    at = np.array(list(product(x, repeat=3)))
    weights = np.array([a * b * c for a, b, c in product(w, repeat=3)])
    if element.corners == 8:
        return at, weights
    # Duffy's map of the cube to the tetrahedron.
    u, v, t = at.T
    return (
        np.stack([u, v * (1 - u), t * (1 - u) * (1 - v)], axis=1),
        weights * (1 - u) ** 2 * (1 - v),
    )


@cache
def facet_rule(element: Element, order: int) -> tuple[Array, Array]:
    """Return points and weights of a product rule with ``order`` Gauss points a direction."""
    x, w = _gauss(order)
    at = np.array(list(product(x, repeat=2)))
    weights = np.array([a * b for a, b in product(w, repeat=2)])
    if element.facet_corners == 4:
        return at, weights
    u, v = at.T
    return np.stack([u, v * (1 - u)], axis=1), weights * (1 - u)


def cell_gradients(element: Element, at: Array) -> Array:
    """Return the gradients of the cell's basis at reference points, shape (points, nodes, 3)."""
    return (
        _simplex(at, TETRAHEDRON_EDGES) if element.corners == 4 else _tensor(at, HEXAHEDRON_NODES)
    )[1]


def facet_basis(element: Element, at: Array) -> tuple[Array, Array]:
    """Return the facet's basis and its gradients, shapes (points, nodes) and (points, nodes, 2)."""
    if element.facet_corners == 3:
        return _simplex(at, TRIANGLE_EDGES)
    return _tensor(at, QUADRILATERAL_NODES)


def _simplex(at: Array, edges: tuple[tuple[int, int], ...]) -> tuple[Array, Array]:
    """Quadratic basis of a simplex in barycentric coordinates l: l (2 l - 1) and 4 l_a l_b."""
    dim = at.shape[1]
    l = np.c_[1 - at.sum(axis=1), at]  # noqa: E741
    slope = np.vstack([-np.ones(dim), np.eye(dim)])
    a, b = np.array(edges).T
    values = np.hstack([l * (2 * l - 1), 4 * l[:, a] * l[:, b]])
    corner = (4 * l - 1)[:, :, None] * slope
    edge = 4 * (l[:, a, None] * slope[b] + l[:, b, None] * slope[a])
    return values, np.concatenate([corner, edge], axis=1)


def _tensor(at: Array, index: Index) -> tuple[Array, Array]:
    """Quadratic basis of a square or cube as a product of the three functions of a line."""
    x = at[:, :, None]
    line = np.concatenate([(1 - x) * (1 - 2 * x), 4 * x * (1 - x), x * (2 * x - 1)], axis=2)
    slope = np.concatenate([4 * x - 3, 4 - 8 * x, 4 * x - 1], axis=2)
    factors = np.stack([line[:, d, index[:, d]] for d in range(at.shape[1])], axis=2)
    gradients = np.empty_like(factors)
    for d in range(at.shape[1]):
        changed = factors.copy()
        changed[:, :, d] = slope[:, d, index[:, d]]
        gradients[:, :, d] = changed.prod(axis=2)
    return factors.prod(axis=2), gradients


def _gauss(order: int) -> tuple[Array, Array]:
    """Gauss-Legendre points and weights on the unit interval."""
    x, w = np.polynomial.legendre.leggauss(order)
    return (x + 1) / 2, w / 2


@cache
def _lattice(element: Element) -> Array:
    """Reference points in steps of a quarter, the element's nodes among them."""
    steps = np.array(list(product(range(5), repeat=3))) / 4
    return steps if element.corners == 8 else steps[steps.sum(axis=1) <= 1.0]


def _neighbours(element: Element) -> tuple[tuple[int, int, int], ...]:
    """The three corners that share an edge with each corner."""
    if element.corners == 4:
        return ((1, 2, 3), (0, 2, 3), (0, 1, 3), (0, 1, 2))
    return ((1, 3, 4), (0, 2, 5), (1, 3, 6), (0, 2, 7), (0, 5, 7), (1, 4, 6), (2, 5, 7), (3, 4, 6))
