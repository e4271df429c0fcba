"""Section stiffness and pressure arms from a slice, against Saint-Venant, Lame and Cowper."""

import numpy as np
import pytest

from loligo.cases.body import ChamberedArm, TaperedArm
from loligo.cases.case import Winding
from loligo.cases.rubber.elastomer import NeoHooke
from loligo.fem import section_slice as slices
from loligo.fem.section_slice import SectionLaw, section_law
from loligo.reduced.section.stiffness import section_stiffness

MU, RADIUS = 1e4, 0.01
RUBBER = {"body": NeoHooke(mu=MU, density=1000.0)}
PLACE = 0.03
ELEMENTS = 1e-3
"""Curved quadratic cells of a sixth of the radius: fourth order in (1/6), and less at holes."""


def _chambered(radius: float, **segment: object) -> ChamberedArm:
    return ChamberedArm.model_validate(
        {
            "radius": radius,
            "plates": [0.005, 0.005],
            "segments": [{"length": 0.1, "chambers": 1, "chamber_offset": 0.0, **segment}],
            "stations": 2,
        }
    )


def _deviation(law: SectionLaw, exact: np.ndarray) -> np.ndarray:
    """Difference of stiffnesses, each entry over the roots of its two diagonal ones."""
    scale = np.sqrt(np.diag(exact))
    return (law.stiffness - exact) / np.outer(scale, scale)


def _tube(radius: float, bore: float) -> np.ndarray:
    """EA, EI, GJ, and Cowper's shear of a hollow circle at Poisson ratio 1/2."""
    area, second = (np.pi * (radius**n - bore**n) / d for n, d in ((2, 1), (4, 4)))
    m = (1 + (bore / radius) ** 2) ** 2
    shear = 9 * m / (10 * m + 26 * (bore / radius) ** 2) * MU * area
    return np.diag([2 * MU * second, 3 * MU * second, 3 * MU * second, 3 * MU * area, shear, shear])


@pytest.mark.parametrize("bore", [0.0, 0.5 * RADIUS])
def test_solid_and_hollow_cylinder(bore: float) -> None:
    body = TaperedArm(length=0.1, base_radius=RADIUS, tip_radius=RADIUS, bore_radius=bore)
    law = section_law(body, RUBBER, None, PLACE)
    assert np.abs(_deviation(law, _tube(RADIUS, bore))).max() < ELEMENTS
    assert law.skew < ELEMENTS
    assert law.arms.shape == (6, 0)


def test_a_taper_is_cut_where_it_is_asked() -> None:
    body = TaperedArm(length=0.1, base_radius=RADIUS, tip_radius=0.4 * RADIUS)
    law = section_law(body, RUBBER, None, 0.05)
    assert np.abs(_deviation(law, _tube(0.7 * RADIUS, 0.0))).max() < ELEMENTS


@pytest.mark.parametrize(("chambers", "offset"), [(3, 0.010), (1, 0.010)])
def test_geometry_and_slice_agree_on_chambered_sections(chambers: int, offset: float) -> None:
    body = _chambered(0.017, chambers=chambers, chamber_radius=0.005, chamber_offset=offset)
    law = section_law(body, RUBBER, None, PLACE)
    geometry = section_stiffness(body, RUBBER, np.array([PLACE]))[0]
    stretch_and_bend = slice(1, 4)
    inner = _deviation(law, geometry)[stretch_and_bend, stretch_and_bend]
    assert np.abs(inner).max() < ELEMENTS
    if chambers == 3:  # with one, torsion is about the shear centre, not about the axis
        assert law.stiffness[0, 0] == pytest.approx(geometry[0, 0], rel=ELEMENTS)
    else:
        twist = np.linalg.inv(law.stiffness)[0, 0]  # free shear: the section turns where it likes
        assert 1 / twist == pytest.approx(geometry[0, 0], rel=ELEMENTS)


@pytest.mark.parametrize("poisson", [0.5, 0.3])
def test_chambers_without_thread_push_with_what_compressibility_leaves(poisson: float) -> None:
    # Betti with the strain states (1, y, z) of the plane: int (s_yy + s_zz)(1, y, z) dA over the
    # solid is 2 p int (1, y, z) dA over the chamber. Blocked, s_xx is nu times that, and the ends
    # push with p: what drives is (1 - 2 nu) of the pressure on the chamber, nothing in rubber.
    bulk = "incompressible" if poisson == 0.5 else 2 * MU * (1 + poisson) / (3 * (1 - 2 * poisson))
    rubber = {"body": NeoHooke(mu=MU, density=1000.0, bulk_modulus=bulk)}
    body = _chambered(0.017, chambers=3, chamber_radius=0.005, chamber_offset=0.010)
    law = section_law(body, rubber, None, PLACE)
    assert law.cavities == ("s1c1", "s1c2", "s1c3")
    area = np.pi * 0.005**2
    for angle, arm in zip(np.pi / 2 + 2 * np.pi / 3 * np.arange(3), law.arms.T, strict=True):
        y, z = 0.010 * np.cos(angle), 0.010 * np.sin(angle)
        expected = (1 - 2 * poisson) * area * np.array([0, z, -y, 1, 0, 0])
        assert arm[3:] == pytest.approx(expected[3:], abs=ELEMENTS * area)
        assert arm[:3] == pytest.approx(expected[:3], abs=ELEMENTS * area * 0.010)


def _hooped() -> SectionLaw:
    """Zhang's actuator: bore 8 mm, thread at 14 mm."""
    body = _chambered(0.014, chamber_radius=0.008, winding_radius=0.014)
    rubber = {"body": NeoHooke(mu=25126.0, density=1000.0)}
    return section_law(body, rubber, Winding(stiffness=1e6), PLACE)


def test_a_hooped_actuator_starts_as_in_closed_form() -> None:
    # Inextensible at R: the radial displacement (R^2/r - r)/2 per axial strain gives
    # EA = pi mu (R^2 - a^2)(3 + R^2/a^2), 4/3 of E A for a thin wall. Blocked, nothing moves: the
    # rubber passes the pressure on, and pi R^2 drives.
    bore, hoop, mu = 0.008, 0.014, 25126.0
    law = _hooped()
    axial = np.pi * mu * (hoop**2 - bore**2) * (3 + hoop**2 / bore**2)
    # The thread's k/(mu R) = 2.8e3 leaves 1/2.8e3.
    assert law.stiffness[3, 3] == pytest.approx(axial, rel=2 * ELEMENTS)
    assert law.arms[:, 0] == pytest.approx(
        np.array([0, 0, 0, np.pi * hoop**2, 0, 0]), abs=2 * ELEMENTS * np.pi * hoop**2
    )


def test_it_stretches_under_small_pressure_as_the_finite_law_says() -> None:
    # Zhang 2022's actuator in closed form, neo-Hooke part: p/(stretch - 1) towards stretch 1.
    strain = np.array([0.05, 0.1, 0.2])
    slope = np.array([4505.0, 8048.0, 13338.0]) / strain
    initial = np.polynomial.Polynomial.fit(strain, slope, 2)(0.0)
    # A parabola through three points, extrapolated by the width of their first interval.
    assert 1 / _hooped().free_strain[3, 0] == pytest.approx(initial, rel=2e-2)


def test_crossed_threads_lengthen_up_to_the_magic_angle() -> None:
    # Blocked, nothing moves: threads at an angle a to the hoop balance p R around and pull along
    # with tan(a)^2 of it, 2 pi R (p R) tan(a)^2, against the p pi R^2 on the ends: no drive at
    # 35.26 degrees, a muscle beyond.
    rubber = {"body": NeoHooke(mu=25126.0, density=1000.0)}
    body = _chambered(0.014, chamber_radius=0.008, winding_radius=0.014)
    for degrees in (20.0, 35.264, 50.0):
        angle = np.radians(degrees)
        law = section_law(body, rubber, Winding(stiffness=1e7, angle=angle), PLACE)
        expected = np.pi * 0.014**2 * (1 - 2 * np.tan(angle) ** 2)
        # k/(mu R) = 2.8e4, over the cos(a)^4 of it that works against the pressure.
        assert law.arms[3, 0] == pytest.approx(expected, abs=3e-3 * np.pi * 0.014**2)
        assert abs(law.arms[0, 0]) < 1e-6 * np.pi * 0.014**3  # the two senses balance


def test_sleeves_are_wound_around_their_chambers() -> None:
    # One sleeved chamber on the axis, of thin fabric: the same as thread on its surface.
    sleeve = {"inner_radius": 0.0139, "outer_radius": 0.014}
    body = _chambered(0.014, chamber_radius=0.008, sleeve=sleeve)
    rubber = {"body": NeoHooke(mu=25126.0, density=1000.0)}
    law = section_law(body, rubber, Winding(stiffness=1e5), PLACE)
    # 0.7 % of the radius, which the arm feels twice and the axial stiffness four times.
    assert law.arms[3, 0] == pytest.approx(_hooped().arms[3, 0], rel=2e-2)
    assert law.stiffness[3, 3] == pytest.approx(_hooped().stiffness[3, 3], rel=4e-2)


def test_a_place_in_a_plate_is_refused() -> None:
    body = _chambered(0.014, chamber_radius=0.008)
    with pytest.raises(ValueError, match="lies in a rigid disc"):
        section_law(body, RUBBER, None, 0.002)


def test_the_energy_of_a_flexed_cylinder_is_that_of_saint_venants_stresses() -> None:
    # Shear stresses over a circle under a force along z, Poisson ratio 1/2 (Timoshenko and
    # Goodier, Theory of Elasticity, flexure of a circular bar): energy F^2/(2 k G A), k = 27/32.
    nu = 0.5
    r, turn = np.meshgrid(*(np.polynomial.legendre.leggauss(12)[0],) * 2)
    weight = np.outer(*(np.polynomial.legendre.leggauss(12)[1],) * 2)
    r, turn = (r + 1) / 2, np.pi * (turn + 1)
    y, z = r * np.cos(turn), r * np.sin(turn)
    along = (3 + 2 * nu) / (8 * (1 + nu)) * (1 - z**2 - (1 - 2 * nu) / (3 + 2 * nu) * y**2)
    across = -(1 + 2 * nu) / (4 * (1 + nu)) * y * z
    over = weight * r * np.pi / 2
    assert (along * over).sum() == pytest.approx(np.pi / 4, rel=1e-4)  # F = 1: tau I/F
    k = np.pi / 16 / ((along**2 + across**2) * over).sum()
    cut, _ = slices._cut(
        TaperedArm(length=0.1, base_radius=RADIUS, tip_radius=RADIUS), RUBBER, None, PLACE
    )
    stiffness = np.linalg.inv(slices._by_energy(cut, slices._solutions(cut)))
    exact = _tube(RADIUS, 0.0)
    exact[4, 4] = exact[5, 5] = k * MU * np.pi * RADIUS**2
    scale = np.sqrt(np.diag(exact))
    assert np.abs((stiffness - exact) / np.outer(scale, scale)).max() < ELEMENTS


@pytest.mark.parametrize("degrees", [30.0, 54.7])
def test_a_section_in_crossed_threads_is_one_that_a_rod_can_have(degrees: float) -> None:
    # Gong's: the mean rotation turns against the force. The other stiffnesses are as before.
    body = _chambered(
        0.017, chambers=3, chamber_radius=0.005, chamber_offset=0.010, winding_radius=0.016
    )
    rubber = {"body": NeoHooke(mu=43.18e3, density=1070.0)}
    thread = Winding(stiffness=1e6, angle=np.radians(degrees))
    law = section_law(body, rubber, thread, PLACE)
    assert law.mean_shear is not None and max(law.mean_shear) < 0.0
    assert f"{law.mean_shear[0]:.4g}" in law.note
    scale = np.sqrt(np.diag(law.stiffness))
    assert np.linalg.eigvalsh(law.stiffness / np.outer(scale, scale))[0] > 0.5
    # Threads as stiff as these let the wall shear no more than bare rubber does.
    assert law.stiffness[4, 4] > section_law(body, rubber, None, PLACE).stiffness[4, 4]
    finer = section_law(body, rubber, thread, PLACE, 0.7 * 0.017 / 6)
    assert finer.stiffness[4, 4] == pytest.approx(law.stiffness[4, 4], rel=0.1)
