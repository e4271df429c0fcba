"""The materials of Zhang's joint: energies, viscosities, fabric and areas."""

import numpy as np
import pytest
from scipy.integrate import quad

from loligo.cases.rubber.elastomer import Gent, Ogden, OgdenTerm, Yeoh
from loligo.reduced.joint import material as jm
from loligo.reduced.joint.model import ZHANG_2022

C1, C2, C3 = 12563.0, -67.784, 2.7385
SILICONE = ZHANG_2022.law
SECTION = {"radius": 0.045, "bore": 0.008, "wall": 0.006, "sleeve": 0.002}
STRETCH = np.linspace(0.5, 3.0, 26)


def test_yeoh_is_equations_22_and_23():
    i1 = STRETCH**2 + 2 / STRETCH - 3
    w = jm.uniaxial(SILICONE, STRETCH)
    np.testing.assert_allclose(w.energy, C1 * i1 + C2 * i1**2 + C3 * i1**3, rtol=1e-12)
    slope = C1 + 2 * C2 * i1 + 3 * C3 * i1**2
    np.testing.assert_allclose(w.stress, 2 * (STRETCH - STRETCH**-2) * slope, rtol=1e-12, atol=1e-9)


@pytest.mark.parametrize(
    "law",
    [
        SILICONE,
        jm.Hooke(2e5),
        Gent(mu=1e4, limit=30.0, density=1000.0),
        Ogden(terms=(OgdenTerm(mu=1e4, alpha=1.3), OgdenTerm(mu=-2e2, alpha=-2.0)), density=1e3),
    ],
    ids=["yeoh", "hooke", "gent", "ogden"],
)
def test_stress_and_tangent_are_derivatives_of_the_energy(law):
    h = 1e-4
    w, up, down = (jm.uniaxial(law, STRETCH + d) for d in (0.0, h, -h))
    # Central differences err by h^2/6 of a third derivative, here below 1e8 Pa.
    np.testing.assert_allclose(w.stress, (up.energy - down.energy) / (2 * h), rtol=0, atol=0.2)
    np.testing.assert_allclose(w.tangent, (up.stress - down.stress) / (2 * h), rtol=0, atol=2.0)


def test_small_strain_modulus_is_a_third_of_the_printed_one():
    """6 C10 = 75.4 kPa where Table 1 has E_m = 204.8 kPa: a ratio of 2.72."""
    assert jm.uniaxial(SILICONE, 1.0).tangent == pytest.approx(75.4e3, abs=50)
    assert 204.8e3 / jm.uniaxial(SILICONE, 1.0).tangent == pytest.approx(2.72, abs=5e-3)


def test_equation_19_is_not_the_energy_at_finite_strain():
    """At stretch 1.6 sigma epsilon/2 (Cauchy) is 14.5 kJ/m^3, the work done 10.1 kJ/m^3."""
    w = jm.uniaxial(SILICONE, 1.6)
    work, _ = quad(lambda stretch: float(jm.uniaxial(SILICONE, stretch).stress), 1.0, 1.6)
    assert w.energy == pytest.approx(work, rel=1e-10)
    assert w.energy == pytest.approx(10.1e3, abs=50)
    assert 0.5 * (1.6 * w.stress) * 0.6 == pytest.approx(14.5e3, abs=50)


def test_viscous_stress_exceeds_the_elastic_one_at_a_tenth_a_second():
    assert ZHANG_2022.viscosity.stress(1.0, 0.1) == pytest.approx(11.2e3, abs=50)
    assert jm.uniaxial(SILICONE, 1.1).stress == pytest.approx(6.9e3, abs=50)


def test_power_law_is_odd_smooth_and_right_above_its_smallest_rate():
    law = jm.PowerLaw(22263.8, 0.3, smallest_rate=1e-5)
    rate = np.geomspace(1e-3, 10.0, 30)
    # (1 + (1e-5/rate)^2)^-0.35 departs from one by 3.5e-5 at 1e-3/s.
    np.testing.assert_allclose(law.stress(1.0, rate), 22263.8 * rate**0.3, rtol=4e-5)
    np.testing.assert_array_equal(law.stress(1.0, -rate), -law.stress(1.0, rate))
    tiny = np.array([0.0, 1e-320, 1e-16, 1e-8])
    np.testing.assert_allclose(law.stress(1.0, tiny), 22263.8 * 1e-5**-0.7 * tiny, rtol=1e-6)


def test_newtonian_stress_is_kirchhoff_2_eta_d():
    """d = (1, -1/2, -1/2) rate/stretch; sigma = 2 eta d - p; nominal = sigma/stretch."""
    stretch, rate, eta = 1.7, 0.3, 50.0
    d = rate / stretch
    cauchy = 2 * eta * d - 2 * eta * (-0.5 * d)
    assert jm.Newtonian(eta).stress(stretch, rate) == pytest.approx(cauchy / stretch)


def test_matrix_fraction_keeps_the_volume_of_the_fabric():
    """A sleeve of unit section and length holds 1 - V_m0 of fabric, at every strain."""
    strain = np.linspace(-0.2, 1.0, 13)
    fraction = jm.matrix_fraction(strain, 0.6)
    np.testing.assert_allclose((1 - fraction) * (1 + strain), 0.4, rtol=1e-14)


def test_inverse_rule_of_mixtures_is_two_bars_in_series():
    fraction, matrix, fabric = 0.6, 2.048e5, 5e7
    compliance = fraction / matrix + (1 - fraction) / fabric
    ratio = jm.transverse_modulus(fraction, matrix / fabric)
    assert ratio * matrix == pytest.approx(1 / compliance, rel=1e-14)
    # Fibres that do not stretch: the 1/V_m of Eq 21.
    assert jm.transverse_modulus(fraction, 0.0) == pytest.approx(1 / fraction)


def test_equivalent_area_and_its_derivatives():
    strain, h, areas = np.linspace(-0.3, 1.0, 14), 1e-4, jm.Areas(3.0, 2.0)
    got, up, down = (jm.equivalent_area(areas, strain + d, 0.4, 0.01) for d in (0.0, h, -h))
    fraction = (strain + 0.4) / (strain + 1.0)
    np.testing.assert_allclose(got.area, 3 + 2 / (fraction + (1 - fraction) * 0.01), rtol=1e-13)
    # h^2/6 of the third derivative: 1e-8/6 * 6/(strain + 0.4)^2 relative, 1e-6 at -0.3
    np.testing.assert_allclose(got.slope, (up.area - down.area) / (2 * h), rtol=2e-6)
    np.testing.assert_allclose(got.curvature, (up.slope - down.slope) / (2 * h), rtol=4e-6)
    plain = jm.equivalent_area(areas, strain, 1.0, 0.01)
    np.testing.assert_allclose(plain, [np.full(14, 5.0), np.zeros(14), np.zeros(14)], atol=1e-15)


def test_areas_of_equation_21():
    """Printed 2698.6 mm^2; with 2 pi r_a h_c for 2 pi r_a r_s 1793.8; exactly 1919.5."""
    thin, exact = jm.thin_wall_areas(**SECTION), jm.exact_areas(**SECTION)
    assert sum(thin) == pytest.approx(1793.8e-6, abs=5e-8)
    assert sum(exact) == pytest.approx(1919.5e-6, abs=5e-8)
    offset = 0.024
    printed = sum(thin) + 2 * np.pi * SECTION["bore"] * (offset - SECTION["wall"])
    assert printed == pytest.approx(2698.6e-6, abs=1e-7)
    # The exact ones by counting: the section less its bores, a third each.
    section = np.pi * (0.045**2 - 3 * 0.008**2) / 3
    assert sum(exact) == pytest.approx(section, rel=1e-14)
    assert exact.fabric == pytest.approx(np.pi * (0.016**2 - 0.014**2), rel=1e-14)


def test_bonded_section_is_1_83_times_as_stiff_as_the_springs():
    """I of the section with three bores, 3.037e6 mm^4; of Eq 19's axial springs 1.658e6."""
    bore, offset = 8.0, 24.0
    holes = 3 * np.pi / 4 * bore**4 + np.pi * bore**2 * 1.5 * offset**2
    bonded = np.pi / 4 * 45.0**4 - holes
    springs = 1e6 * sum(jm.exact_areas(**SECTION)) * 1.5 * offset**2
    assert bonded == pytest.approx(3.037e6, abs=500)
    assert springs == pytest.approx(1.658e6, abs=500)
    assert bonded / springs == pytest.approx(1.83, abs=5e-3)


def test_printed_mass_cannot_hold():
    """158 g: the three 8/16 mm actuators alone weigh 387 g, the joint of 45 mm radius 1.23 kg."""
    density = SILICONE.density
    actuator = density * np.pi * (0.016**2 - 0.008**2) * ZHANG_2022.rest_length
    solid = density * 3 * sum(jm.exact_areas(**SECTION)) * ZHANG_2022.rest_length
    assert actuator == pytest.approx(0.129, abs=5e-4)
    assert 3 * actuator == pytest.approx(0.387, abs=5e-4)
    assert solid == pytest.approx(1.23, abs=5e-3)
    assert ZHANG_2022.mass == 0.158


def test_printed_radius_is_the_diameter():
    """The actuators reach out to 40 mm; a radius of 90 mm would displace 5.09 kg a module."""
    reach = ZHANG_2022.actuator_offset + SECTION["bore"] + SECTION["wall"] + SECTION["sleeve"]
    assert reach == pytest.approx(0.040)
    assert reach < ZHANG_2022.radius == 0.045
    assert 1000 * np.pi * 0.09**2 * 0.2 == pytest.approx(5.09, abs=5e-3)


def test_other_elastomers_of_the_record_fit_in():
    neo = Yeoh(c10=1e4, density=1000.0)
    assert jm.uniaxial(neo, 2.0).stress == pytest.approx(2e4 * (2 - 0.25))
