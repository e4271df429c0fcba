"""How the elements of a mesh hang together: groups, exterior, cavities, parts, seams."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

from loligo.cases.body import Mantle, Solid
from loligo.meshes import bodies
from loligo.meshes.bodies import AnyBody
from loligo.meshes.finding import Finding, near
from loligo.meshes.mesh import Index, Mesh, face_keys, faces

SOLID_FACETS = ("base", "tip", "outer", "bore", "rim", "winding")
"""Facet groups that a user's mesh may have beside cavities and sections."""
SEAM = 1e-7
"""Nodes closer than this share of the body's length count as one point."""


def check_elements(mesh: Mesh) -> Iterator[Finding]:
    """Only second-order cells and facets of one kind."""
    for kind, count in sorted(mesh.foreign.items()):
        yield Finding(
            f"{count} elements are of type {kind}; a mesh has ten-node tetrahedra with six-node "
            "triangles, or 27-node hexahedra with nine-node quadrilaterals, and nothing else: set "
            "the element order to 2 and remove other shapes"
        )


def check_groups(mesh: Mesh, body: AnyBody) -> Iterator[Finding]:
    """All groups of the body are there, and no others."""
    for kind, names, needed, allowed in (
        ("volume", _filled(mesh.cell_names, mesh.cell_tags), *_cell_groups(mesh, body)),
        ("facet", _filled(mesh.facet_names, mesh.facet_tags), *_facet_groups(body)),
    ):
        for name in sorted(needed - names):
            yield Finding(f'{kind} group "{name}" is missing; the mesh has {_list(names)}')
        for name in sorted(names - needed - allowed):
            yield Finding(
                f'{kind} group "{name}" is not known; this body has {_list(needed | allowed)}'
            )


def _cell_groups(mesh: Mesh, body: AnyBody) -> tuple[set[str], set[str]]:
    """Groups that the body needs, and those that it may have beside them."""
    if isinstance(body, Solid):
        # Soft parts may bear any name, to which the case gives a material.
        soft = {name for name in mesh.cell_names if not name.startswith("disc_")}
        return {f"disc_{name}" for name in body.discs}, soft
    return set(bodies.volumes(body)), set()


def _facet_groups(body: AnyBody) -> tuple[set[str], set[str]]:
    """Groups that the body needs, and those that it may have beside them."""
    if isinstance(body, Solid):
        cavities = (f"cavity_{name}" for name in body.cavities)
        return {*cavities, *bodies.station_groups(body)}, set(SOLID_FACETS)
    return set(bodies.areas(body)), set()


def _filled(names: tuple[str, ...], tags: Index) -> set[str]:
    return {name for tag, name in enumerate(names, 1) if (tags == tag).any()}


def _list(names: set[str]) -> str:
    return ", ".join(sorted(names)) or "none"


def check_membership(mesh: Mesh) -> Iterator[Finding]:
    """Every cell, and every facet on the exterior, is in exactly one group."""
    free = mesh.cell_tags == 0
    if free.any():
        yield Finding(
            f"{free.sum()} cells are in no volume group, {_where(mesh, mesh.cells[free])}"
        )
    corners = np.sort(mesh.cells[:, : mesh.element.corners], axis=1)
    _, cell, count = np.unique(corners, axis=0, return_index=True, return_counts=True)
    if (count > 1).any():
        twice = mesh.cells[cell[count > 1]]
        yield Finding(f"{len(twice)} cells are in two volume groups, {_where(mesh, twice)}")
    free = mesh.facet_tags == 0
    if free.any():
        yield Finding(f"{free.sum()} facets are in no group, {_where(mesh, mesh.facets[free])}")

    keys = face_keys(mesh.element, mesh.facets)
    _, first, count = np.unique(keys, return_index=True, return_counts=True)
    for at in first[count > 1][:1]:
        names = sorted({mesh.facet_names[t - 1] for t in mesh.facet_tags[keys == keys[at]] if t})
        yield Finding(
            f"{(count > 1).sum()} facets are in more than one group ({', '.join(names)}), "
            f"{_where(mesh, mesh.facets[[at]])}"
        )
    skin = faces(mesh.element, np.unique(mesh.cells, axis=0))
    cell_keys = face_keys(mesh.element, skin.nodes)
    for tag, name in enumerate(mesh.facet_names, 1):
        loose = (mesh.facet_tags == tag) & ~np.isin(keys, cell_keys)
        if loose.any():
            yield Finding(
                f'{loose.sum()} facets of "{name}" are not faces of cells, '
                f"{_where(mesh, mesh.facets[loose])}"
            )
    bare = (skin.count == 1) & ~np.isin(cell_keys, keys[mesh.facet_tags > 0])
    if bare.any():
        yield Finding(
            f"{bare.sum()} exterior faces are in no group, {_where(mesh, skin.nodes[bare])}: name "
            "them, or join the cells on both sides of them"
        )


def check_skin(mesh: Mesh) -> Iterator[Finding]:
    """Groups that loads and supports act on are skin: inside the material they do nothing."""
    inside = face_keys(mesh.element, mesh.skin.nodes[mesh.skin.count > 1])
    for name in mesh.facet_names:
        if name in ("base", "tip", "rim", "outer", "bore") or name.startswith("cavity_"):
            facets = mesh.facets_of(name)
            within = np.isin(face_keys(mesh.element, facets), inside)
            if within.any():
                yield Finding(
                    f'{within.sum()} facets of "{name}" lie inside the material, '
                    f"{_where(mesh, facets[within])}: the group must be skin of the body"
                )


def check_cavities(mesh: Mesh, body: AnyBody) -> Iterator[Finding]:
    """Cavities are closed: every edge of their facets belongs to two of them."""
    # A mantle is open at its cap and at its rim.
    for name in () if isinstance(body, Mantle) else body.cavities:
        rims = open_edges(mesh, mesh.facets_of(f"cavity_{name}"))
        if len(rims):
            yield Finding(
                f'the cavity "{name}" is not closed: {len(rims)} edges of its facets do not belong '
                f"to exactly two of them, {_where(mesh, rims)}; the group must be the whole inner "
                "skin"
            )


def open_edges(mesh: Mesh, facets: Index) -> Index:
    """Return the edges, by their end nodes, that do not belong to exactly two of the facets."""
    corners = facets[:, : mesh.element.facet_corners]
    edges = np.stack([corners, np.roll(corners, -1, axis=1)], axis=2).reshape(-1, 2)
    unique, count = np.unique(np.sort(edges, axis=1), axis=0, return_counts=True)
    result: Index = unique[count != 2]
    return result


def check_parts(mesh: Mesh) -> Iterator[Finding]:
    """The body is in one piece, without seams of double nodes."""
    nodes = mesh.cells[:, : mesh.element.corners]
    cells = np.repeat(np.arange(len(nodes)), nodes.shape[1])
    links = coo_matrix(
        (np.ones(nodes.size), (cells, len(nodes) + nodes.ravel())),
        shape=(len(nodes) + len(mesh.points),) * 2,
    )
    _, part = connected_components(links, directed=False)
    parts, first, count = np.unique(part[: len(nodes)], return_index=True, return_counts=True)
    if len(parts) > 1:
        least = first[count.argmin()]
        yield Finding(
            f"the body falls into {len(parts)} parts; the smallest has {count.min()} cells, "
            f"{_where(mesh, mesh.cells[[least]])}: parts that touch must share their nodes"
        )
    extent = np.ptp(mesh.points, axis=0).max()
    pairs = cKDTree(mesh.points).query_pairs(SEAM * extent, output_type="ndarray")
    if len(pairs):
        yield Finding(
            f"{len(pairs)} pairs of nodes lie in the same place, {_where(mesh, pairs[:1])}: the "
            "mesh does not conform there; merge double nodes"
        )


def _where(mesh: Mesh, elements: npt.NDArray[np.int64]) -> str:
    return f"for example at {near(mesh.points[elements[0]].mean(axis=0))}"
