"""The gate: a good mesh, broken on purpose in every way that it must notice."""

from dataclasses import replace

import numpy as np
import pytest

from loligo.cases.body import ChamberedArm, Segment, TaperedArm
from loligo.meshes import integrals
from loligo.meshes.build import build_mesh
from loligo.meshes.check import check
from loligo.meshes.mesh import faces

ARM = ChamberedArm(
    radius=0.012,
    segments=(Segment(length=0.03, chambers=2, chamber_radius=0.003, chamber_offset=0.006),),
    plates=(0.003, 0.003),
    stations=4,
)


@pytest.fixture(scope="module")
def good():
    mesh = build_mesh(ARM, 0, size=0.004)
    assert check(mesh, ARM) == ()
    return mesh


def texts(mesh, body=ARM):
    return "\n".join(f"{f.severity}: {f.text}" for f in check(mesh, body))


def tag(mesh, name):
    return mesh.facet_names.index(name) + 1


def members(mesh, name):
    return np.flatnonzero(mesh.facet_tags == tag(mesh, name))


def drop(mesh, rows):
    keep = np.delete(np.arange(len(mesh.facets)), rows)
    return replace(mesh, facets=mesh.facets[keep], facet_tags=mesh.facet_tags[keep])


def relabel(mesh, rows, name):
    tags = mesh.facet_tags.copy()
    tags[rows] = tag(mesh, name) if name else 0
    return replace(mesh, facet_tags=tags)


def moved(mesh, node, by):
    points = mesh.points.copy()
    points[node] += by
    return replace(mesh, points=points)


def place(mesh, row):
    x, y, z = 1e3 * mesh.points[mesh.facets[row]].mean(axis=0) + 0.0
    return f"({x:.4g}, {y:.4g}, {z:.4g}) mm"


def test_foreign_elements(good):
    assert "7 elements are of type Tetrahedron 4" in texts(
        replace(good, foreign={"Tetrahedron 4": 7})
    )


def test_groups_missing_and_unknown(good):
    names = tuple("top" if name == "tip" else name for name in good.facet_names)
    found = texts(replace(good, facet_names=names))
    assert 'facet group "tip" is missing; the mesh has base, cavity_s1c1' in found
    assert 'facet group "top" is not known; this body has base' in found
    names = tuple("rubber" if name == "body" else name for name in good.cell_names)
    assert 'volume group "body" is missing' in texts(replace(good, cell_names=names))


def test_an_empty_group_is_missing(good):
    found = texts(relabel(good, members(good, "tip"), "outer"))
    assert 'facet group "tip" is missing' in found


def test_cells_in_no_group_and_in_two(good):
    tags = good.cell_tags.copy()
    tags[:5] = 0
    assert "5 cells are in no volume group, for example at (" in texts(
        replace(good, cell_tags=tags)
    )
    twice = replace(
        good,
        cells=np.r_[good.cells, good.cells[:3]],
        cell_tags=np.r_[good.cell_tags, good.cell_tags[:3] % 3 + 1],
    )
    assert "3 cells are in two volume groups" in texts(twice)


def test_facets_in_no_group_and_in_two(good):
    row = members(good, "outer")[3]
    assert f"1 facets are in no group, for example at {place(good, row)}" in texts(
        relabel(good, row, None)
    )
    twice = replace(
        good,
        facets=np.r_[good.facets, good.facets[[row]]],
        facet_tags=np.r_[good.facet_tags, tag(good, "base")],
    )
    assert "1 facets are in more than one group (base, outer)" in texts(twice)


def test_an_exterior_face_without_a_facet(good):
    row = members(good, "outer")[3]
    assert f"1 exterior faces are in no group, for example at {place(good, row)}" in texts(
        drop(good, [row])
    )


def test_facets_that_are_no_faces(good):
    facets = good.facets.copy()
    row = members(good, "outer")[0]
    facets[row, 0] = good.facets[members(good, "tip")[0], 0]
    assert '1 facets of "outer" are not faces of cells' in texts(replace(good, facets=facets))


def test_an_open_cavity(good):
    row = members(good, "cavity_s1c2")[0]
    found = texts(relabel(good, row, "outer"))
    assert 'the cavity "s1c2" is not closed: 3 edges of its facets' in found
    # Only this cavity, and at an edge of the facet that is missing.
    assert '"s1c1" is not closed' not in found
    corners = good.points[good.facets[row, :3]]
    middles = [1e3 * (corners[i] + corners[j]) / 2 + 0.0 for i, j in ((0, 1), (1, 2), (0, 2))]
    assert any("({:.4g}, {:.4g}, {:.4g}) mm".format(*m) in found for m in middles)


def test_a_cavity_that_is_the_outside(good):
    skin = np.concatenate([members(good, name) for name in ("base", "tip", "outer")])
    inside = members(good, "cavity_s1c1")
    swapped = relabel(relabel(good, skin, "cavity_s1c1"), inside, "outer")
    found = texts(swapped)
    assert 'group "cavity_s1c1" encloses -' in found
    assert "it is the outside of the body" in found


def test_a_shape_that_is_slightly_off(good):
    found = texts(replace(good, points=good.points * [1, 1.01, 1]))
    assert 'the volume of "body" is' in found
    assert 'the area of "section_01" is' in found
    assert 'the area of "outer" is' in found
    assert 'the enclosed volume of "s1c1" is' in found


def test_curved_faces_that_were_left_straight(good):
    points = good.points.copy()
    for a, b, middle in ((0, 1, 3), (1, 2, 4), (2, 0, 5)):
        points[good.facets[:, middle]] = (points[good.facets[:, a]] + points[good.facets[:, b]]) / 2
    assert 'the volume of "body" is' in texts(replace(good, points=points))


def test_inverted_and_flat_cells(good):
    # The middle of an interior edge, moved across the cell.
    skin = faces(good.element, good.cells)
    inner = np.setdiff1d(good.cells[:, 4:], skin.nodes[skin.count == 1])
    inner = np.setdiff1d(inner, good.facets)
    cell = np.flatnonzero(np.isin(good.cells[:, 4], inner))[0]
    a, b, c, d = good.points[good.cells[cell, :4]]
    middle = good.cells[cell, 4]
    assert "cells are inverted, the worst (scaled Jacobian -" in texts(
        moved(good, middle, 2 * ((c + d) / 2 - (a + b) / 2))
    )

    def least(share):
        broken = moved(good, middle, share * ((c + d) / 2 - (a + b) / 2))
        return integrals.scaled_jacobians(broken.element, broken.points, broken.cells).min(), broken

    low, high = 0.0, 2.0
    while not 0.0 < least((low + high) / 2)[0] < 1e-3:
        low, high = (
            ((low + high) / 2, high)
            if least((low + high) / 2)[0] > 0.0
            else (low, (low + high) / 2)
        )
    assert "cells are nearly flat" in texts(least((low + high) / 2)[1])


def test_stations_that_are_no_planes(good):
    name = "section_01"
    rows = members(good, name)
    assert "station 13 mm is not a plane of facets" in texts(drop(good, rows))
    half = rows[good.points[good.facets[rows, :3], 1].mean(axis=1) > 0]
    assert f'facets of "{name}" do not cut the whole body: they end inside it' in texts(
        drop(good, half)
    )
    skin = faces(good.element, good.cells)
    inner = np.setdiff1d(good.facets[rows, 3:], skin.nodes[skin.count == 1])
    found = texts(moved(good, inner[0], [1e-4, 0, 0]))
    assert f'facets of "{name}" leave the plane of station 13 mm, by 0.1 mm at (13.1,' in found


def test_a_base_that_is_not_at_the_origin(good):
    found = texts(replace(good, points=good.points + np.array([1e-3, 0, 0])))
    assert "the base must lie in the plane x = 0, but has a node at (1," in found


def test_a_seam_of_double_nodes(good):
    beyond = good.points[good.cells[:, :4]].mean(axis=1)[:, 0] > 0.013
    cells = good.cells.copy()
    cells[beyond] += len(good.points)
    points = np.r_[good.points, good.points]
    used, cells_new = np.unique(cells, return_inverse=True)
    renumbered = np.full(len(points), -1)
    renumbered[used] = np.arange(len(used))
    facets = renumbered[
        np.where(renumbered[good.facets] < 0, good.facets + len(good.points), good.facets)
    ]
    cut = replace(good, points=points[used], cells=cells_new.reshape(cells.shape), facets=facets)
    found = texts(cut)
    assert "the body falls into 2 parts; the smallest has" in found
    assert "pairs of nodes lie in the same place, for example at (13," in found
    assert "the mesh does not conform there" in found


def test_a_mesh_in_millimetres(good):
    found = texts(replace(good, points=1e3 * good.points))
    assert "the mesh is 36 m long but the body 0.036 m; is the unit of the file right?" in found


def test_an_arm_of_24_metres_is_a_warning_only():
    giant = TaperedArm(length=24.0, base_radius=1.0, tip_radius=1.0, stations=2)
    assert texts(build_mesh(giant, 0), giant) == (
        "warning: the body is 24 m long; is the unit right?"
    )


def test_a_warning_does_not_hide_an_error():
    giant = TaperedArm(length=24.0, base_radius=1.0, tip_radius=1.0, stations=2)
    mesh = build_mesh(giant, 0)
    found = texts(replace(mesh, points=mesh.points * [1, 1.05, 1]), giant)
    assert "warning: the body is 24 m long" in found
    assert 'error: the volume of "body" is' in found


def test_a_mesh_without_second_order_cells(good):
    empty = replace(
        good, cells=good.cells[:0], cell_tags=good.cell_tags[:0], foreign={"Tetrahedron 4": 9}
    )
    found = texts(empty)
    assert "9 elements are of type Tetrahedron 4" in found
    assert "the mesh has no second-order tetrahedra or hexahedra" in found


def test_all_findings_come_at_once(good):
    broken = replace(good, points=good.points + np.array([1e-3, 0, 0]), foreign={"Pyramid 5": 1})
    broken = relabel(broken, members(good, "cavity_s1c2")[0], "outer")
    assert len(check(broken, ARM)) >= 3


def test_swapped_names_of_cavities(good):
    a, b = members(good, "cavity_s1c1"), members(good, "cavity_s1c2")
    found = texts(relabel(relabel(good, a, "cavity_s1c2"), b, "cavity_s1c1"))
    assert 'the axis of "cavity_s1c1" is at (y, z) = (' in found
    assert "are names swapped?" in found


def test_a_turned_or_shifted_mesh(good):
    c, s = np.cos(0.7), np.sin(0.7)
    turned = good.points @ np.array([[1, 0, 0], [0, c, s], [0, -s, c]])
    assert "is the mesh turned or shifted" in texts(replace(good, points=turned))
    shifted = good.points + np.array((0.0, 0.0005, 0.0))
    assert 'the axis of "outer" is at (y, z) = (0.5' in texts(replace(good, points=shifted))


def test_a_cavity_inside_the_material(good):
    """The skin of a lump of cells is closed, but no pressure acts there."""
    around = np.isin(good.cells, good.cells[np.flatnonzero(good.cell_tags == 1)[:1]]).any(axis=1)
    lump = faces(good.element, good.cells[around])
    skin = lump.nodes[lump.count == 1]
    mesh = drop(good, members(good, "cavity_s1c1"))
    mesh = replace(
        mesh,
        facets=np.vstack([mesh.facets, skin]),
        facet_tags=np.append(mesh.facet_tags, np.full(len(skin), tag(good, "cavity_s1c1"))),
    )
    assert 'facets of "cavity_s1c1" lie inside the material' in texts(mesh)
