"""Section stiffness against closed forms, a perturbation, and a 2D finite-element torsion solve."""

import numpy as np
import pytest
from scipy.sparse import coo_matrix
from scipy.sparse.linalg import spsolve

from loligo.cases.body import ChamberedArm, Segment, TaperedArm
from loligo.cases.case_file import load
from loligo.cases.core.record import BadInput
from loligo.cases.rubber.elastomer import NeoHooke, Yeoh
from loligo.meshes.bodies import Hole, Piece, pieces, stations
from loligo.meshes.section import Circle, triangulate
from loligo.reduced.section.stiffness import section_stiffness, shear_factors, warping_loss

MU = 40e3
RUBBER = {"body": NeoHooke(mu=MU, density=1070.0)}


def test_a_bored_taper_has_the_textbook_stiffness():
    body = TaperedArm(length=0.6, base_radius=0.03, tip_radius=0.01, bore_radius=0.003)
    r = np.array([0.03, 0.02, 0.01])
    area = np.pi * (r**2 - 0.003**2)
    second = np.pi / 4 * (r**4 - 0.003**4)
    k = section_stiffness(body, RUBBER, np.array([0.0, 0.3, 0.6]))
    m = 0.003 / r  # Cowper 1966, hollow circle, nu = 1/2
    factor = 9 * (1 + m**2) ** 2 / (10 * (1 + m**2) ** 2 + 26 * m**2)
    diagonal = [2 * MU * second, 3 * MU * second, 3 * MU * second, 3 * MU * area]
    expected = np.stack([*diagonal, *2 * [factor * MU * area]], axis=-1)
    np.testing.assert_allclose(k, expected[:, :, None] * np.eye(6), rtol=1e-13, atol=0)


def test_rendas_arm_and_zhangs_joint():
    arm = load("renda_arm_tip_force")
    k = section_stiffness(arm.body, arm.material, stations(arm.body)[[0, -1]])
    # E I with E = 110 kPa and radii of 10 mm and 2 mm
    np.testing.assert_allclose(k[:, 1, 1], [8.6394e-4, 1.3823e-6], rtol=1e-4)
    joint = load("zhang_joint_one")
    k = section_stiffness(joint.body, joint.material, stations(joint.body)[:1])[0]
    # bonded: pi/4 (45^4 - 3 8^4) - 3/2 pi 8^2 24^2 = 3.037e6 mm^4
    assert k[1, 1] / joint.material["body"].young_modulus == pytest.approx(3.037e-6, rel=2e-4)


def test_one_eccentric_chamber_couples_bend_and_stretch():
    segment = Segment(length=0.1, chambers=1, chamber_radius=0.005, chamber_offset=0.01)
    body = ChamberedArm(radius=0.017, segments=(segment,), plates=(0.005, 0.005))
    k = section_stiffness(body, RUBBER, np.array([0.05]))[0]
    hole, e = np.pi * 0.005**2, 3 * MU
    # Chamber 1 sits at +z: material is missing there, so int z dA is negative.
    assert k[1, 3] == pytest.approx(-e * hole * 0.01)
    assert k[2, 3] == pytest.approx(0.0, abs=1e-12 * e * hole * 0.01)
    assert k[3, 3] == pytest.approx(e * (np.pi * 0.017**2 - hole))
    # Bending about the centroid must be softer than about the axis.
    assert k[1, 1] - k[1, 3] ** 2 / k[3, 3] < k[1, 1]


def test_shear_of_a_ring_by_the_series_is_cowpers_closed_form():
    inner, outer = 0.009, 0.017
    hole = Hole("cavity_a", 1e-13, 0.0, inner)  # off the axis: goes the way of all chambers
    m = inner / outer
    k = 9 * (1 + m**2) ** 2 / (10 * (1 + m**2) ** 2 + 26 * m**2)
    found = shear_factors(Piece("body", 0.0, 1.0, outer, outer, (hole,)), 0.5)
    assert found == pytest.approx((k, k), rel=1e-9)


def test_small_chambers_leave_the_shear_of_a_solid_and_three_are_isotropic():
    def three(radius):
        holes = tuple(
            Hole(f"cavity_{a}", 0.01 * np.cos(a), 0.01 * np.sin(a), radius)
            for a in 0.3 + 2 * np.pi / 3 * np.arange(3)
        )
        return shear_factors(Piece("body", 0.0, 1.0, 0.017, 0.017, holes), 0.5)

    small = three(1e-4)
    # What a hole takes is of the order of its share of the area, (1/170)^2 each, times a few.
    assert small == pytest.approx((0.9, 0.9), abs=20 * 3 / 170**2)
    large = three(5e-3)
    assert large[0] == pytest.approx(large[1], rel=1e-9)
    # A slice of the unwound solid: 0.65355 of G A, and 0.65340 with edges two thirds as long.
    assert large[0] == pytest.approx(0.65335, rel=2e-4)


def test_three_chambers_are_isotropic_in_bending():
    arm = load("gong_bending_one")
    k = section_stiffness(arm.body, arm.material, np.array([0.05]))[0]
    assert k[1, 1] == pytest.approx(k[2, 2])
    off = k - np.diag(np.diagonal(k))
    assert np.abs(off).max() < 1e-12 * k[1, 1]


def test_regions_may_be_of_different_rubber():
    joint = load("zhang_joint_one")
    x = np.array([0.1])
    stiff = Yeoh(c10=20 * joint.material["body"].c10, density=1080.0)
    plain = section_stiffness(joint.body, joint.material, x)[0]
    wound = section_stiffness(joint.body, joint.material | {"winding": stiff}, x)[0]
    sleeves = 3 * np.pi * (0.016**2 - 0.014**2)
    extra = 3 * (stiff.shear_modulus - joint.material["body"].shear_modulus) * sleeves
    assert wound[3, 3] - plain[3, 3] == pytest.approx(extra)


def test_discs_have_no_stiffness():
    with pytest.raises(ValueError, match=r"x = 0\.002 m lies in a rigid disc or beyond the body"):
        section_stiffness(load("gong_bending_one").body, RUBBER, np.array([0.002]))


def ring(offset):
    """Three holes of radius 5 in a disc of radius 17."""
    azimuths = np.pi / 2 + 2 * np.pi / 3 * np.arange(3)
    holes = tuple(Hole("h", offset * np.cos(a), offset * np.sin(a), 5.0) for a in azimuths)
    return Piece("body", 0.0, 1.0, 17.0, 17.0, holes)


def test_thin_walls_get_the_terms_that_they_need():
    # A wall of 0.1 mm: with 24 terms the torsion constant was 9 % too large.
    holes = ring(11.9).holes
    polar = np.pi / 2 * 17.0**4 - sum(25 * np.pi * (h.y**2 + h.z**2 + 12.5) for h in holes)
    assert 1.0 - warping_loss(ring(11.9)) / polar == pytest.approx(0.422, abs=1e-3)
    with pytest.raises(BadInput, match="too thin for the torsion of a solid section"):
        warping_loss(ring(11.999))


def test_a_small_hole_costs_its_area_times_offset_squared():
    # A hole in uniform shear g = d (unit twist) releases the energy of 2 A g^2 in all, half of it
    # by warping.
    for r in (3e-3, 1e-3):
        piece = Piece("body", 0.0, 1.0, 1.0, 1.0, (Hole("h", 0.3, 0.4, r),))
        assert warping_loss(piece) == pytest.approx(np.pi * r**2 * 0.25, rel=6 * r**2)


def torsion_by_elements(piece, edges):
    """Return J of linear triangles: polar moment minus the energy of the warping function."""
    circles = [Circle(0.0, 0.0, piece.start_radius, edges)]
    circles += [
        Circle(h.y, h.z, h.radius, round(edges * h.radius / piece.start_radius * 1.5))
        for h in piece.holes
    ]
    mesh = triangulate(circles)
    corners = mesh.cells[~mesh.inside[:, 1:].any(axis=1), :3]
    used, corners = np.unique(corners, return_inverse=True)
    p = mesh.points[used]
    a = p[corners]
    edge = np.stack([a[:, 2] - a[:, 1], a[:, 0] - a[:, 2], a[:, 1] - a[:, 0]], axis=1)
    area2 = edge[:, 0, 0] * edge[:, 1, 1] - edge[:, 0, 1] * edge[:, 1, 0]
    area = np.abs(area2) / 2
    grad = np.stack([-edge[..., 1], edge[..., 0]], axis=-1) / area2[:, None, None]
    centre = a.mean(axis=1)
    local = np.einsum("tik,tjk,t->tij", grad, grad, area)
    turn = np.stack([-centre[:, 1], centre[:, 0]], axis=-1)
    load_vector = np.zeros(len(p))
    np.add.at(load_vector, corners, -np.einsum("tik,tk,t->ti", grad, turn, area))
    rows, cols = np.repeat(corners, 3, axis=1), np.tile(corners, (1, 3))
    matrix = coo_matrix((local.ravel(), (rows.ravel(), cols.ravel()))).tocsc()[1:, 1:]
    w = np.append(0.0, spsolve(matrix, load_vector[1:]))
    middles = (a + np.roll(a, 1, axis=1)) / 2
    polar = np.sum(np.sum(middles**2, axis=(1, 2)) / 3 * area)
    return polar - w @ load_vector


def test_torsion_of_three_chambers_agrees_with_finite_elements():
    piece = next(p for p in pieces(load("gong_bending_one").body) if p.region == "body")
    scaled = Piece(
        "body",
        0.0,
        1.0,
        1.0,
        1.0,
        tuple(Hole(h.name, h.y / 0.017, h.z / 0.017, h.radius / 0.017) for h in piece.holes),
    )
    holes = scaled.holes
    polar = np.pi / 2 - sum(
        np.pi * h.radius**2 * (h.y**2 + h.z**2 + h.radius**2 / 2) for h in holes
    )
    series = polar - warping_loss(scaled)
    coarse, fine = (torsion_by_elements(scaled, n) for n in (80, 160))
    # Linear triangles and straight edges both converge with h^2: Richardson leaves their next term.
    extrapolated = fine + (fine - coarse) / 3
    assert series == pytest.approx(extrapolated, rel=1e-3)
    assert abs(series - fine) < 0.4 * abs(series - coarse)
    assert series < 0.9 * polar
