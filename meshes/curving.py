"""Curved interior edges, so that flat simplices beside a curved boundary do not tangle."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
from scipy.sparse import csc_matrix
from scipy.sparse.linalg import splu

from loligo.meshes.mesh import TETRAHEDRON_EDGES, TRIANGLE_EDGES, Array, Index


def spread(corners: Array, which: Index, shift: Array, curved: npt.NDArray[np.bool_]) -> Array:
    r"""Extend the shift of the middles of curved edges to the middles of all edges.

    The field :math:`\sum_e 4 \lambda_a \lambda_b\, s_e` over the edges e = ab, zero at corners, has
    the least Dirichlet energy :math:`\int |\nabla s|^2 dx` for the given shifts.

    Args:
        corners: Corners of triangles or tetrahedra, shape (cells, d + 1, d).
        which: Number of each edge of each cell, in Gmsh's order.
        shift: Shift of each edge's middle from the straight edge; read where ``curved``.
        curved: Whether the shift of an edge is given.
    """
    dim = corners.shape[2]
    pairs = TRIANGLE_EDGES if dim == 2 else TETRAHEDRON_EDGES
    jacobian = np.swapaxes(corners[:, 1:] - corners[:, :1], 1, 2)
    slopes = np.linalg.inv(jacobian)
    slopes = np.concatenate([-slopes.sum(axis=1, keepdims=True), slopes], axis=1)
    g = np.einsum("nai,nbi->nab", slopes, slopes)
    size = np.abs(np.linalg.det(jacobian)) / math.factorial(dim)
    # Integrals of products of barycentric coordinates.
    mass = (np.ones(2 * (dim + 1,)) + np.eye(dim + 1)) / ((dim + 1) * (dim + 2))
    stiffness = np.empty((len(corners), len(pairs), len(pairs)))
    for i, (a, b) in enumerate(pairs):
        for j, (c, d) in enumerate(pairs):
            stiffness[:, i, j] = (
                mass[a, c] * g[:, b, d]
                + mass[a, d] * g[:, b, c]
                + mass[b, c] * g[:, a, d]
                + mass[b, d] * g[:, a, c]
            ) * size
    rows = np.repeat(which, len(pairs), axis=1).ravel()
    columns = np.tile(which, (1, len(pairs))).ravel()
    matrix = csc_matrix((stiffness.ravel(), (rows, columns)))
    free = ~curved
    result = shift.copy()
    result[free] = -splu(matrix[free][:, free]).solve(matrix[free][:, curved] @ shift[curved])
    return result


def curve_interior(points: Array, cells: Index, skin: Index) -> Array:
    """Return the nodes of ten-node tetrahedra with edges inside curved along with the skin's.

    ``skin`` are six-node triangles whose nodes stay where they are.
    """
    fixed = np.zeros(len(points), dtype=bool)
    fixed[skin[:, 3:]] = True
    ends = cells[:, TETRAHEDRON_EDGES].reshape(-1, 2)
    middles, first, which = np.unique(cells[:, 4:], return_index=True, return_inverse=True)
    straight = points[ends[first]].mean(axis=1)
    shift = spread(
        points[cells[:, :4]], which.reshape(-1, 6), points[middles] - straight, fixed[middles]
    )
    result = points.copy()
    result[middles] = straight + shift
    return result
