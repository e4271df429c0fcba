"""Meshes of arms are their own images in the mirror planes of their sections."""

import math

import numpy as np
import pytest
from scipy.spatial import cKDTree

from loligo.cases.body import ChamberedArm, Segment
from loligo.meshes import bodies
from loligo.meshes.mirror import mirrors_of

# Planes through the x axis in which each body is its own image, by azimuth in degrees.
PLANES = {
    "cylinder": (0, 90),
    "renda_arm_tip_force": (0, 90),
    "emet_limb_one_tendon": (90,),
    "gong_elongation": (90,),
    "gong_bending_one": (30, 90, 150),
    "liu_segment": (30, 90, 150),
    "zhang_joint_one": (30, 90, 150),
}


@pytest.mark.parametrize("element", ["tetrahedron", "hexahedron"])
@pytest.mark.parametrize("case", PLANES)
def test_nodes_cells_and_groups_are_their_own_images(case, element, mesh_of):
    mesh = mesh_of(case, 0, element)
    for degrees in PLANES[case]:
        normal = np.array([0.0, -math.sin(math.radians(degrees)), math.cos(math.radians(degrees))])
        image = mesh.points - 2 * (mesh.points @ normal)[:, None] * normal
        distance, node = cKDTree(mesh.points).query(image)
        assert distance.max() < 1e-12 * np.ptp(mesh.points)
        for cells, tags in ((mesh.cells, mesh.cell_tags), (mesh.facets, mesh.facet_tags)):
            names = mesh.cell_names if cells is mesh.cells else mesh.facet_names
            # A chamber's wall is the image of another one's.
            kind = np.array(["", *(name.split("_s1c")[0] for name in names)])[tags]
            own = np.sort(cells, axis=1)
            images = np.sort(node[cells], axis=1)
            assert set(zip(map(tuple, own), kind, strict=True)) == set(
                zip(map(tuple, images), kind, strict=True)
            )


def planes_of(*segments):
    arm = ChamberedArm(radius=0.02, segments=segments, plates=(0.002,) * (len(segments) + 1))
    mirrors = mirrors_of([piece for piece in bodies.pieces(arm) if piece.region == "body"])
    return mirrors.number, mirrors.azimuth % math.pi


def segment(chambers, turn=0.0, radius=0.003):
    return Segment(
        length=0.03, chambers=chambers, chamber_radius=radius, chamber_offset=0.012, turn=turn
    )


@pytest.mark.parametrize(("chambers", "number"), [(1, 1), (2, 2), (3, 3), (4, 2), (5, 1), (6, 3)])
def test_chambers_lie_in_mirror_planes(chambers, number):
    # No more than three planes, evenly spaced: 4 and 6 chambers have a half, 5 one of theirs.
    assert planes_of(segment(chambers, turn=0.3)) == (number, pytest.approx(math.pi / 2 + 0.3))


def test_segments_share_the_planes_of_all():
    half = math.pi / 2
    assert planes_of(segment(3), segment(3, turn=math.pi)) == (3, pytest.approx(half))
    assert planes_of(segment(3), segment(2)) == (1, pytest.approx(half))
    assert planes_of(segment(2), segment(2, turn=half)) == (2, pytest.approx(half))
    assert planes_of(segment(3), segment(3, turn=0.2))[0] == 0
