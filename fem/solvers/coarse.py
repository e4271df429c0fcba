"""The lower level of `fem.solvers.krylov`: functions of degree 1, and of degree 2 along thread.

Functions of degree 1 cannot bend thread without stretching it. A cell with fibres along one of its
axes has functions of degree 2 along that axis and of degree 1 across, one with fibres askew and the
nodes of wound facets have all of degree 2.
"""

from __future__ import annotations

from petsc4py import PETSc

import basix
import numpy as np
import numpy.typing as npt
import scipy.sparse
from dolfinx.fem import locate_dofs_topological

from loligo.fem.core.numbering import Flags, marked, numbered
from loligo.fem.materials.fibres import Fibres
from loligo.fem.problem.problem import Problem
from loligo.fem.solvers.fibre_cells import ASKEW, PLAIN, element

Array = npt.NDArray[np.float64]


def interpolation(problem: Problem, kind: npt.NDArray[np.int64]) -> PETSc.Mat:
    """Return the matrix that makes displacements of degree 2 from those of the lower level.

    Args:
        problem: whose displacements they are.
        kind: of every cell that this rank knows, of :func:`fibre_cells.kinds`.
    """
    space, comm = problem.fields.nodal_space, problem.comm
    index_map, cells = space.dofmap.index_map, np.asarray(space.dofmap.list)
    owned = index_map.size_local
    shares = _shares(problem.domain.mesh.basix_cell())
    kept = _kept(problem, cells[shares[kind].any(axis=1)])
    held = problem.supports.held_here[problem.fields.every_node_unknowns]
    taken = kept[:, None] & ~held
    column = numbered(index_map, taken).astype(np.int32)
    count = int(taken[:owned].sum())
    # Nodes that are not kept follow those of one of their cells, if possible one with fibres.
    threaded = np.argsort(-kind, kind="stable")
    nodes, where = np.unique(cells[threaded], return_index=True)
    cell, place = np.divmod(where, cells.shape[1])
    follows = (nodes < owned) & ~kept[nodes]
    cell, place = threaded[cell[follows]], place[follows]
    share = shares[kind[cell], place]
    i, j = np.nonzero(share > 1e-12)
    own = np.flatnonzero(kept[:owned])
    target = np.concatenate([own, nodes[follows][i]])
    source = np.concatenate([own, cells[cell[i], j]])
    value = np.concatenate([np.ones(len(own)), share[i, j]])
    rows, columns, values = [], [], []
    for axis in range(3):
        here = taken[source, axis] & ~held[target, axis]
        rows.append((3 * target + axis)[here])
        columns.append(column[source, axis][here])
        values.append(value[here])
    coarse = comm.allreduce(count)
    entries = (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns)))
    table = scipy.sparse.csr_matrix(entries, shape=(3 * owned, coarse))
    csr = (table.indptr.astype(np.int32), table.indices.astype(np.int32), table.data)
    matrix = PETSc.Mat().createAIJ(((3 * owned, None), (count, None)), csr=csr, comm=comm)
    matrix.assemble()
    return matrix


def _shares(cell: basix.CellType) -> Array:
    """Return the shares that a node has in those kept, shape (kinds, nodes, nodes kept)."""
    fine, plain = element(cell, 2), element(cell, 1)
    result = np.tile(np.eye(fine.dim), (ASKEW + 1, 1, 1))
    corners = [nodes[0] for nodes in fine.entity_dofs[0]]
    result[PLAIN] = 0.0
    result[PLAIN][:, corners] = plain.tabulate(0, fine.points)[0, :, :, 0]
    if cell == basix.CellType.hexahedron:
        to, by = fine.points[:, None], fine.points[None, :]
        distance = abs(to - by)
        hat = np.where(abs(by - 0.5) > 0.25, 1.0 - distance, 0.0)
        for axis in range(3):
            factors = hat.copy()
            factors[:, :, axis] = distance[:, :, axis] < 0.25
            result[1 + axis] = factors.prod(axis=2)
    return result


def _kept(problem: Problem, nodes: npt.NDArray[np.int32]) -> Flags:
    """Whether a node of this rank or a ghost is one of these or of wound facets on any rank."""
    space, domain = problem.fields.nodal_space, problem.domain
    here = [nodes.ravel()]
    for thread in problem.threads:
        if not isinstance(thread, Fibres):
            dim, facets = domain.mesh.topology.dim - 1, domain.facets(thread.facets)
            here.append(locate_dofs_topological(space, dim, facets, remote=False))
    return marked(space.dofmap.index_map, np.concatenate(here))
