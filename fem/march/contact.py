"""Whether the deformed surface of a body meets itself, and where.

A body that does not overlap can begin to only where two parts of its surface cross. The facets of
the whole surface, cavities and bores included, are cut into flat triangles between their displaced
nodes. A tree of boxes finds the pairs whose boxes overlap; of those that share no node at rest, two
triangles that cross are contact. Curved walls are known to the sagitta of half a facet: pairs
that cross at rest are left out for good. Contact with the image in a symmetry plane is not seen.
"""

from __future__ import annotations

from dataclasses import dataclass

import dolfinx.mesh
import numpy as np
import numpy.typing as npt
from scipy.spatial import Delaunay

from loligo.fem.problem.problem import Problem

Array = npt.NDArray[np.float64]
Index = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Contact:
    """Two facets of the surface that cross; their middles at rest and now (m)."""

    groups: tuple[str, str]
    """Names of their groups; "surface" if they have none."""
    rest: tuple[Array, Array]
    now: Array
    pairs: int
    """Number of pairs of facets that cross."""

    def __str__(self) -> str:
        """Say what touches what, and where."""
        (one, two), (a, b) = self.groups, self.rest
        return (
            f"the body touches itself at {_point(self.now)}: {one} from {_point(a)} at rest meets "
            f"{two} from {_point(b)} at rest, {self.pairs} pairs of facets; contact is not modelled"
        )


class ContactSurface:
    """All facets of a body's surface, known to rank 0."""

    def __init__(self, problem: Problem) -> None:
        """Gather the facets at rest; collective."""
        self._problem = problem
        self._comm = problem.comm
        unknowns, nodes, points, names, pattern = _facets(problem)
        self._unknowns = unknowns
        gathered = self._comm.gather((nodes, points, names))
        if gathered is None:
            return
        self._nodes, rest, names = (np.concatenate(part) for part in zip(*gathered, strict=True))
        self._rest, self._names = rest, [str(name) for name in names]
        self._pattern = pattern
        self._apart: Index = np.zeros((0, 2), dtype=np.int64)
        self._apart = self._crossing(rest)

    def contact(self) -> Contact | None:
        """Return a pair that crosses in the problem's current state; the same on all ranks."""
        moved = self._problem.fields.function.x.array[self._unknowns]
        gathered = self._comm.gather(moved)
        found: Contact | None = None
        if gathered is not None:
            points = self._rest + np.concatenate(gathered)
            pairs = self._crossing(points)
            if len(pairs):
                found = self._describe(points, pairs)
        found = self._comm.bcast(found)
        return found

    def _describe(self, points: Array, pairs: Index) -> Contact:
        middle, rest = points.mean(1), self._rest.mean(1)
        # The pair in the middle of all that cross.
        centres = middle[pairs].mean(1)
        one, two = pairs[np.argmin(np.linalg.norm(centres - centres.mean(0), axis=1))]
        return Contact(
            (self._names[one], self._names[two]),
            (rest[one], rest[two]),
            middle[[one, two]].mean(0),
            len(pairs),
        )

    def _crossing(self, points: Array) -> Index:
        """Return pairs of facets that share no node and cross, points (facets, nodes, 3)."""
        low, high = points.min(1), points.max(1)
        pairs = _overlapping(low, high)
        first, second = self._nodes[pairs[:, 0]], self._nodes[pairs[:, 1]]
        shared = (first[:, :, None] == second[:, None, :]).any((1, 2))
        pairs = pairs[~shared]
        triangles = points[:, self._pattern]  # facets, triangles of each, corners, 3
        low, high = triangles.min(2), triangles.max(2)
        first, second = pairs.T
        meet = (low[first, :, None] <= high[second, None]) & (
            low[second, None] <= high[first, :, None]
        )
        pair, one, two = np.nonzero(meet.all(3))
        hit = _cross(triangles[first[pair], one], triangles[second[pair], two])
        found = pairs[np.unique(pair[hit])]
        known = (found[:, None, :] == self._apart[None, :, :]).all(2).any(1)
        return np.asarray(found[~known])


def _facets(problem: Problem) -> tuple[Index, Index, Array, npt.NDArray[np.str_], Index]:
    """Return this rank's part of the surface.

    Of every facet the unknowns of its nodes, shape (facets, nodes, 3), their numbers in the whole
    body, their positions at rest and its group; and the triangles of one facet.
    """
    domain, space = problem.domain, problem.fields.nodal_space
    topology = domain.mesh.topology
    dim = topology.dim - 1
    topology.create_connectivity(topology.dim, dim)
    owned = topology.index_map(dim).size_local
    facets = dolfinx.mesh.exterior_facet_indices(topology)
    facets = facets[facets < owned]
    to_cell, to_facets = topology.connectivity(dim, dim + 1), topology.connectivity(dim + 1, dim)
    layout = space.dofmap.dof_layout
    element = space.ufl_element().basix_element
    pick = []
    for facet in facets:
        cell = to_cell.links(facet)[0]
        local = int(np.flatnonzero(to_facets.links(cell) == facet)[0])
        pick.append(space.dofmap.cell_dofs(cell)[layout.entity_closure_dofs(dim, local)])
    reference = element.points[layout.entity_closure_dofs(dim, 0)]
    flat = reference[:, np.ptp(reference, axis=0) > 0][:, :2]
    pattern = Delaunay(flat).simplices.astype(np.int64)
    nodes = np.array(pick, dtype=np.int64).reshape(len(facets), len(reference))
    tags = np.zeros(owned + topology.index_map(dim).num_ghosts, dtype=np.int64)
    tags[domain.facet_tags.indices] = domain.facet_tags.values
    names = {tag: name for name, tag in domain.facet_groups.items()}
    groups = np.array([names.get(tag, "surface") for tag in tags[facets].tolist()], dtype=np.str_)
    numbers = space.dofmap.index_map.local_to_global(nodes.ravel().astype(np.int32))
    return (
        problem.fields.every_node_unknowns[nodes],
        np.asarray(numbers, dtype=np.int64).reshape(nodes.shape),
        space.tabulate_dof_coordinates()[nodes],
        groups,
        pattern,
    )


def _overlapping(low: Array, high: Array) -> Index:
    """Return all pairs i < j of boxes that overlap, by a tree that is cut at medians."""
    count = len(low)
    depth = max(0, int(np.ceil(np.log2(max(count, 1) / 4))))
    order: Index = np.arange(count, dtype=np.int64)
    middle = (low + high) / 2
    leaves: list[Index] = [order]
    for _ in range(depth):
        split: list[Index] = []
        for part in leaves:
            axis = int(np.argmax(np.ptp(middle[part], axis=0))) if len(part) else 0
            part = part[np.argsort(middle[part, axis], kind="stable")]
            half = (len(part) + 1) // 2
            split += [part[:half], part[half:]]
        leaves = split
    boxes = [
        (np.array([low[p].min(0) for p in leaves]), np.array([high[p].max(0) for p in leaves]))
    ]
    for _ in range(depth):
        below, above = boxes[0]
        pair = below.reshape(-1, 2, 3).min(1), above.reshape(-1, 2, 3).max(1)
        boxes.insert(0, pair)
    pairs: Index = np.zeros((1, 2), dtype=np.int64)
    for level in range(1, depth + 1):
        below, above = boxes[level]
        children = 2 * pairs[:, None, :] + np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
        pairs = children.reshape(-1, 2)
        pairs = pairs[pairs[:, 0] <= pairs[:, 1]]
        meet = (below[pairs[:, 0]] <= above[pairs[:, 1]]) & (
            below[pairs[:, 1]] <= above[pairs[:, 0]]
        )
        pairs = pairs[meet.all(1)]
    return _in_leaves(leaves, pairs, low, high)


def _in_leaves(leaves: list[Index], pairs: Index, low: Array, high: Array) -> Index:
    size = max(len(leaf) for leaf in leaves)
    table = np.full((len(leaves), size), -1, dtype=np.int64)
    for row, leaf in zip(table, leaves, strict=True):
        row[: len(leaf)] = leaf
    one = np.repeat(table[pairs[:, 0]], size, axis=1).ravel()
    two = np.tile(table[pairs[:, 1]], (1, size)).ravel()
    real = (one >= 0) & (two >= 0) & (one != two)
    one, two = np.minimum(one, two)[real], np.maximum(one, two)[real]
    meet = ((low[one] <= high[two]) & (low[two] <= high[one])).all(1)
    return np.asarray(np.unique(np.stack([one[meet], two[meet]], axis=1), axis=0))


def _cross(a: Array, b: Array) -> npt.NDArray[np.bool_]:
    """Tell which triangles cross, shape (pairs, 3, 3): an edge of one goes through the other."""
    hit = np.zeros(len(a), dtype=np.bool_)
    for one, two in ((a, b), (b, a)):
        for i in range(3):
            hit |= _pierces(one[:, i], one[:, (i + 1) % 3], two)
    return hit


def _pierces(start: Array, end: Array, triangle: Array) -> npt.NDArray[np.bool_]:
    """Tell which segments go through which triangles; a segment in the plane does not."""
    corner = triangle[:, 0]
    along, across = triangle[:, 1] - corner, triangle[:, 2] - corner
    normal = np.cross(along, across)
    before = np.einsum("ij,ij->i", start - corner, normal)
    after = np.einsum("ij,ij->i", end - corner, normal)
    through = before * after < 0.0
    share = np.where(through, before, 0.0) / np.where(through, before - after, 1.0)
    point = start + share[:, None] * (end - start) - corner
    square = np.einsum("ij,ij->i", normal, normal)
    u = np.einsum("ij,ij->i", np.cross(point, across), normal)
    v = np.einsum("ij,ij->i", np.cross(along, point), normal)
    return np.asarray(through & (u >= 0.0) & (v >= 0.0) & (u + v <= square))


def _point(x: Array) -> str:
    return "({}) mm".format(", ".join(f"{1e3 * c:.4g}" for c in x))
