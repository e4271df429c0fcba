"""Closed forms against quadrature over discs with holes and surfaces of revolution."""

import math

import numpy as np
import pytest

from loligo.cases.body import ChamberedArm, Mantle, Segment, Sleeve, Solid, TaperedArm
from loligo.cases.case_file import load
from loligo.meshes import bodies


def polar_moments(radius, material):
    """Area and moments of {material(y, z)} within a radius, with an error of half a cell."""
    n_r, n_phi = 1500, 2000
    r = (np.arange(n_r) + 0.5) / n_r * radius
    phi = (np.arange(n_phi) + 0.5) / n_phi * 2 * np.pi
    y, z = r[:, None] * np.cos(phi), r[:, None] * np.sin(phi)
    weight = material(y, z) * r[:, None] * (radius / n_r) * (2 * np.pi / n_phi)
    first = np.array([(weight * y).sum(), (weight * z).sum()])
    second = np.array([[(weight * a * b).sum() for b in (y, z)] for a in (y, z)])
    return weight.sum(), first, second


def assert_moments(sections, expected, radius):
    # A cell on a circle counts whole or not: a relative error of about 1/n_r of the circle's disc.
    area, first, second = expected
    disc = np.pi * radius**2
    np.testing.assert_allclose(sections.area[0], area, atol=1e-3 * disc)
    np.testing.assert_allclose(sections.first[0], first, atol=1e-3 * disc * radius)
    np.testing.assert_allclose(sections.second[0], second, atol=1e-3 * disc * radius**2)


@pytest.mark.parametrize("chambers", [1, 2, 3])
def test_sections_of_a_chambered_arm_with_sleeves(chambers):
    segment = Segment(
        length=0.1,
        chambers=chambers,
        chamber_radius=0.005,
        chamber_offset=0.012,
        turn=0.3,
        sleeve=Sleeve(inner_radius=0.006, outer_radius=0.008),
    )
    arm = ChamberedArm(radius=0.025, segments=(segment,), plates=(0.004, 0.006))
    angles = [np.pi / 2 + 0.3 + 2 * np.pi * j / chambers for j in range(chambers)]

    def distance(y, z):
        axes = [(0.012 * np.cos(a), 0.012 * np.sin(a)) for a in angles]
        return np.min([np.hypot(y - a, z - b) for a, b in axes], axis=0)

    def sleeve(y, z):
        return (distance(y, z) > 0.006) & (distance(y, z) < 0.008)

    found = bodies.sections(arm, 0.05)
    assert_moments(found["winding"], polar_moments(0.025, sleeve), 0.025)
    assert_moments(
        found["body"],
        polar_moments(0.025, lambda y, z: (distance(y, z) > 0.005) & ~sleeve(y, z)),
        0.025,
    )
    assert_moments(
        bodies.solid_sections(arm, 0.05),
        polar_moments(0.025, lambda y, z: distance(y, z) > 0.005),
        0.025,
    )
    # In the base plate the section is full.
    assert bodies.solid_sections(arm, 0.002).area[0] == pytest.approx(np.pi * 0.025**2)
    assert found["disc_base"].area[0] == 0.0


def test_sections_of_a_bored_taper():
    limb = load("emet_limb_one_tendon").body
    x = limb.base_disc + 0.25 * limb.length
    radius = 0.03 - 0.25 * 0.02

    def material(y, z):
        return np.hypot(y, z) > limb.bore_radius

    assert_moments(bodies.sections(limb, x)["body"], polar_moments(radius, material), radius)


def test_sections_of_a_mantle_through_its_held_edge():
    mantle = Mantle(radius=0.031, thickness=0.002, truncation=0.9, cylinder_length=0.05)
    centre = 0.031 * math.sin(0.9)
    x = np.linspace(-0.002, 0.08, 83)
    area = []
    for plane in x:
        r = (np.arange(40000) + 0.5) / 40000 * 0.035
        # Distance to the mid-surface, and the angle of the meridian that ends at the cap.
        rho = np.hypot(r, np.minimum(plane - centre, 0.0))
        lean = np.arctan2(np.maximum(centre - plane, 0.0), r)
        wall = (abs(rho - 0.031) < 0.001) & (lean < 0.9) & (plane < centre + 0.05)
        area.append((2 * np.pi * r * wall).sum() * 0.035 / 40000)
    found = bodies.sections(mantle, x)["body"].area
    # Two edges may miss half a ring each.
    np.testing.assert_allclose(found, area, atol=4 * np.pi * 0.035 * 0.035 / 40000)
    # The sections add up to the volume, of which the wall's ends cut corners.
    fine = np.linspace(-0.001, 0.08, 40001)
    total = np.trapezoid(bodies.sections(mantle, fine)["body"].area, fine)
    assert total == pytest.approx(bodies.volumes(mantle)["body"], rel=1e-4)


def test_sections_add_up_to_volumes_and_cavities(body):
    x = np.linspace(-0.05, 1.05, 200001) * bodies.length(body)
    parts = bodies.sections(body, x)
    # The trapezium rule cuts every step of a section by up to one of 1e5 intervals.
    for group, volume in bodies.volumes(body).items():
        assert np.trapezoid(parts[group].area, x) == pytest.approx(volume, rel=2e-3)
    for cavity, volume in bodies.cavity_volumes(body).items():
        total = np.trapezoid(parts[f"cavity_{cavity}"].area, x)
        assert total == pytest.approx(volume, rel=2e-3)


def test_areas_of_a_mantle_are_those_of_revolved_curves():
    mantle = Mantle(radius=0.031, thickness=0.002, truncation=0.9, cylinder_length=0.05)

    def revolved(x, r):
        x, r = np.asarray(x), np.asarray(r)
        return (np.pi * (r[1:] + r[:-1]) * np.hypot(np.diff(x), np.diff(r))).sum()

    angle = np.linspace(0.9, 0.0, 20001)
    found = bodies.areas(mantle)
    for name, radius in (("outer", 0.032), ("cavity_mantle", 0.030)):
        dome = revolved(-radius * np.sin(angle), radius * np.cos(angle))
        wall = revolved([0.0, 0.05], [radius, radius])
        assert found[name] == pytest.approx(dome + wall, rel=1e-8)
    at = np.array([0.030, 0.032])
    assert found["base"] == pytest.approx(revolved(-at * np.sin(0.9), at * np.cos(0.9)), rel=1e-8)
    assert found["rim"] == pytest.approx(np.pi * (0.032**2 - 0.030**2))


def test_numbers_of_the_papers():
    # Emet 2023: a frustum of 60 to 20 mm diameter and 600 mm is 816.8 cm^3.
    limb = TaperedArm(length=0.6, base_radius=0.03, tip_radius=0.01)
    assert bodies.volumes(limb)["body"] == pytest.approx(816.8e-6, rel=1e-4)
    # Renda 2018: arm of 34.36 g at 1080 kg/m^3, EI 8.64e-4 N m^2 at the base with 110 kPa.
    arm = load("renda_arm_tip_force").body
    assert 1080 * bodies.volumes(arm)["body"] == pytest.approx(34.36e-3, rel=1e-3)
    assert 110e3 * bodies.sections(arm, 0.0)["body"].second[0, 1, 1] == pytest.approx(
        8.64e-4, rel=1e-3
    )
    # A mantle whose inner wall is Renda's mid-surface encloses 338.9 cm^3.
    mantle = Mantle(radius=0.032, thickness=0.002, cylinder_length=0.094)
    assert bodies.cavity_volumes(mantle)["mantle"] == pytest.approx(338.9e-6, rel=1e-3)
    # Zhang 2022: the bonded joint has I = 3.037e6 mm^4, the same about both axes.
    joint = load("zhang_joint_one").body
    second = bodies.solid_sections(joint, bodies.length(joint) / 2).second[0]
    np.testing.assert_allclose(second, 3.037e-6 * np.eye(2), atol=1e-3 * 3.037e-6)
    # Liu 2020: bores take 0.293 of the section.
    segment = load("liu_segment").body
    area = bodies.solid_sections(segment, bodies.length(segment) / 2).area[0]
    assert 1 - area / (np.pi * 0.024**2) == pytest.approx(0.293, abs=5e-4)


def test_stations_of_an_arm_with_plates():
    arm = load("gong_arm").body
    x = bodies.stations(arm)
    assert len(x) == 3 * arm.stations
    first = arm.plates[0] + np.linspace(0, arm.segments[0].length, arm.stations)
    np.testing.assert_allclose(x[: arm.stations], first)
    # Both faces of a connector are stations, of neighbouring segments.
    assert x[arm.stations] - x[arm.stations - 1] == pytest.approx(arm.plates[1])
    assert bodies.station_groups(arm) == tuple(f"section_{i:02d}" for i in range(len(x)))
    assert bodies.length(arm) == pytest.approx(0.3)


def test_stations_at_free_ends_are_base_and_tip():
    bare = TaperedArm(length=0.2, base_radius=0.01, tip_radius=0.005, stations=3)
    assert bodies.station_groups(bare) == ("base", "section_01", "tip")
    held = bare.model_copy(update={"base_disc": 0.004})
    assert bodies.station_groups(held) == ("section_00", "section_01", "tip")
    np.testing.assert_allclose(bodies.stations(held), [0.004, 0.104, 0.204])


def test_planes_of_a_bent_centreline():
    bent = Solid(
        mesh="hook.msh",
        file_unit="mm",
        centreline=((0, 0, 0), (0.1, 0, 0), (0.1, 0.1, 0)),
        stations=(0.0, 0.1, 0.15, 0.2),
    )
    planes = bodies.station_planes(bent)
    np.testing.assert_allclose([p for p, _ in planes][2], [0.1, 0.05, 0])
    half = math.sqrt(0.5)
    normals = [[1, 0, 0], [half, half, 0], [0, 1, 0], [0, 1, 0]]
    np.testing.assert_allclose([n for _, n in planes], normals, atol=1e-12)
    assert bodies.volumes(bent) == bodies.areas(bent) == bodies.sections(bent, 0.05) == {}
