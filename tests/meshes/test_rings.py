"""Arms in hexahedra: quadrilaterals in rings around the holes of a section, swept along it."""

import numpy as np
import pytest

from loligo.cases.body import ChamberedArm, Segment, Sleeve, TaperedArm
from loligo.cases.case_file import load
from loligo.meshes import bodies
from loligo.meshes.build import REFINEMENT, build_mesh, checked_mesh
from loligo.meshes.finding import MeshError
from loligo.meshes.mesh import unknowns
from loligo.meshes.shape import compare_volumes


def wound(**segment):
    """An arm of two segments that differ in length alone."""
    parts = tuple(Segment(length=length, **segment) for length in (0.05, 0.08))
    return ChamberedArm(radius=0.02, segments=parts, plates=(0.003, 0.004, 0.003), stations=4)


BODIES = {
    "solid": TaperedArm(length=0.1, base_radius=0.01, tip_radius=0.004, tip_disc=0.002),
    "bored": TaperedArm(length=0.1, base_radius=0.01, tip_radius=0.006, bore_radius=0.002),
    "one": wound(chambers=1, chamber_radius=0.006, chamber_offset=0.0, winding_radius=0.015),
    "one beside the axis": wound(chambers=1, chamber_radius=0.006, chamber_offset=0.008),
    "one that holds the axis": wound(
        chambers=1, chamber_radius=0.007, chamber_offset=0.002, winding_radius=0.016
    ),
    "one filled by its sleeve": wound(
        chambers=1,
        chamber_radius=0.006,
        chamber_offset=0.0,
        sleeve=Sleeve(inner_radius=0.01, outer_radius=0.02),
    ),
    "two": wound(chambers=2, chamber_radius=0.004, chamber_offset=0.01, turn=0.3),
    "three with sleeves": wound(
        chambers=3,
        chamber_radius=0.003,
        chamber_offset=0.01,
        sleeve=Sleeve(inner_radius=0.005, outer_radius=0.006),
    ),
    "four close to the axis": wound(
        chambers=4, chamber_radius=0.001, chamber_offset=0.003, winding_radius=0.019
    ),
    "eight in a wound skin": wound(
        chambers=8, chamber_radius=0.003, chamber_offset=0.013, winding_radius=0.02
    ),
}
LIBRARY = (
    "cylinder",
    "renda_arm_tip_force",
    "emet_limb_one_tendon",
    "gong_bending_one",
    "gong_elongation",
    "liu_segment",
    "zhang_actuator",
    "zhang_joint_one",
)


@pytest.mark.parametrize("name", [*BODIES, *LIBRARY])
def test_every_section_has_rings(name):
    body = BODIES[name] if name in BODIES else load(name).body
    for level in (0, 1):
        mesh, report = checked_mesh("arm", body, level, element="hexahedron")
        assert report.findings == ()
        assert set(mesh.cell_names) == set(bodies.volumes(body))
        assert set(mesh.facet_names) == set(bodies.areas(body))
        # The worst are corners of squares in coarse discs: 135 deg of three cells.
        assert report.quality.least > 0.1
    assert unknowns(build_mesh(body, 0, element="hexahedron")) < 85_000


@pytest.mark.parametrize("name", ["bored", "two", "three with sleeves", "eight in a wound skin"])
def test_volumes_converge_and_levels_are_similar(name):
    """Theory: order 4 for parabolas through three points of an arc."""
    body = BODIES[name]
    coarse, fine = (build_mesh(body, level, element="hexahedron") for level in (0, 2))
    # 1.96^3 = 7.5 for cells.
    assert 5.5 < len(fine.cells) / len(coarse.cells) < 9.5
    sizes = compare_volumes(coarse, body), compare_volumes(fine, body)
    total = [abs(sum(n - exact for n, exact, _ in size.values())) for size in sizes]
    assert 3.3 < np.log(total[0] / total[1]) / np.log(REFINEMENT**2) < 4.7


def test_chambers_sit_at_their_azimuths():
    mesh = build_mesh(BODIES["three with sleeves"], 0, element="hexahedron")
    for cavity, azimuth in (("s1c1", 90), ("s1c2", 210), ("s2c3", 330)):
        nodes = mesh.points[np.unique(mesh.facets_of(f"cavity_{cavity}"))]
        expected = 0.010 * np.array([np.cos(np.radians(azimuth)), np.sin(np.radians(azimuth))])
        off = np.hypot(*(nodes[:, 1:] - expected).T)
        assert off.max() == pytest.approx(0.003, rel=1e-9)


def test_cells_shrink_towards_rigid_ends():
    mesh = build_mesh(BODIES["solid"], 0, element="hexahedron")
    ends = np.unique(np.round(mesh.points[mesh.facets_of("outer")][:, :4, 0], 9))
    steps = np.diff(ends[ends <= 0.1 + 1e-9])
    assert steps[0] < 0.5 * steps.max() > 2 * steps[-1]


def test_segments_that_differ_are_refused():
    parts = (
        Segment(length=0.05, chambers=3, chamber_radius=0.003, chamber_offset=0.01),
        Segment(length=0.05, chambers=3, chamber_radius=0.003, chamber_offset=0.01, turn=1.0),
    )
    arm = ChamberedArm(radius=0.02, segments=parts, plates=(0.003, 0.004, 0.003), stations=4)
    with pytest.raises(MeshError, match=r"segments that differ .* are joined by tetrahedra"):
        build_mesh(arm, 0, element="hexahedron", size=0.01)


@pytest.mark.parametrize("element", ["tetrahedron", "hexahedron"])
def test_sleeves_have_two_layers_and_more(element):
    body = BODIES["three with sleeves"]
    for level, layers in ((0, 2), (1, 3), (2, 4)):
        mesh = build_mesh(body, level, element=element)
        corners = np.unique(mesh.cells_of("winding")[:, : mesh.element.corners])
        y, z = mesh.points[corners, 1:].T
        radii = np.unique(np.round(np.hypot(y, z - 0.01)[np.hypot(y, z - 0.01) < 0.0065], 8))
        np.testing.assert_allclose(radii, np.linspace(0.005, 0.006, layers + 1), rtol=1e-6)
