"""Tubes with closed ends against numbers derived elsewhere and against virtual work."""

import numpy as np
import pytest
import tube
from scipy.integrate import quad
from scipy.optimize import brentq

from loligo.cases.rubber.elastomer import Gent, NeoHooke, Yeoh
from loligo.reduced.joint.model import ZHANG_2022

SILICONE = ZHANG_2022.law
INNER, OUTER = 0.008, 0.014
RUBBER = NeoHooke(mu=0.1e6, density=1000.0)


def yeoh_energy(i1):
    i = i1 - 3
    return 12563.0 * i - 67.784 * i**2 + 2.7385 * i**3


def hooped_work(stretch):
    """Energy per reference length of the wall held at its outer radius, by adaptive quadrature."""

    def integrand(radius):
        r2 = OUTER**2 - (OUTER**2 - radius**2) / stretch
        hoop2 = r2 / radius**2
        return 2 * np.pi * radius * yeoh_energy(stretch**2 + hoop2 + 1 / (hoop2 * stretch**2))

    return quad(integrand, INNER, OUTER, epsabs=0, epsrel=1e-13)[0]


def test_hooped_pressure_of_the_printed_silicone():
    """4.505, 8.048, 13.338, 22.857 kPa at stretch 1.05, 1.1, 1.2, 1.5."""
    pressure = tube.hooped_pressure(SILICONE, INNER, OUTER, [1.05, 1.1, 1.2, 1.5])
    np.testing.assert_allclose(pressure, [4505, 8048, 13338, 22857], rtol=0, atol=0.6)


@pytest.mark.parametrize("stretch", [0.8, 1.1, 1.5, 2.5])
def test_hooped_pressure_does_the_work_that_the_wall_stores(stretch):
    h = 1e-4
    slope = (hooped_work(stretch + h) - hooped_work(stretch - h)) / (2 * h)
    pressure = tube.hooped_pressure(SILICONE, INNER, OUTER, stretch)
    assert pressure == pytest.approx(slope / (np.pi * OUTER**2), rel=1e-6)


def test_swept_area_of_a_hooped_actuator_is_its_outer_circle():
    """K = pi 14^2 = 615.8 mm^2, 3.06 times the pi r_a^2 of the bore: cavity volume by stretch."""
    stretch, h = 1.3, 1e-5

    def cavity(value):
        return np.pi * (OUTER**2 - (OUTER**2 - INNER**2) / value) * value

    swept = (cavity(stretch + h) - cavity(stretch - h)) / (2 * h)
    assert swept == pytest.approx(615.8e-6, abs=5e-8)
    assert swept / (np.pi * INNER**2) == pytest.approx(3.06, abs=5e-3)


def test_printed_pressures_need_fabric_that_carries_axially():
    """With rubber alone 0.023 MPa already gives +50 %, at a fifth of the smallest printed input."""
    assert tube.hooped_pressure(SILICONE, INNER, OUTER, 1.5) < 0.1e6 / 4
    assert tube.hooped_pressure(SILICONE, INNER, OUTER, 1.5) == pytest.approx(23e3, abs=500)


def test_limit_pressure_of_the_bare_tube():
    """10.40 kPa at bore stretch 1.92, axial stretch 1.165; the top is flat."""
    limit = tube.tube_limit(SILICONE, INNER, OUTER)
    assert limit.pressure == pytest.approx(10.40e3, abs=5)
    assert limit.bore_stretch == pytest.approx(1.92, abs=0.01)
    assert limit.axial_stretch == pytest.approx(1.165, abs=0.003)
    for bore in (limit.bore_stretch - 0.05, limit.bore_stretch + 0.05):
        assert tube.tube_state(SILICONE, INNER, OUTER, bore).pressure < limit.pressure


def test_bare_tube_held_in_length_has_no_limit():
    """Plane strain, stretch 1 along: p = integral of d psi/d hoop / (r/R) dR/R... over the wall."""
    bore = np.linspace(1.05, 4.0, 60)
    pressure = []
    for value in bore:

        def work(stretch):
            def integrand(radius):
                hoop2 = ((stretch * INNER) ** 2 + radius**2 - INNER**2) / radius**2
                return 2 * np.pi * radius * yeoh_energy(1 + hoop2 + 1 / hoop2)

            return quad(integrand, INNER, OUTER)[0]

        h = 1e-4
        slope = (work(value + h) - work(value - h)) / (2 * h)
        pressure.append(slope / (2 * np.pi * value * INNER**2))
    assert (np.diff(pressure) > 0).all()


@pytest.mark.parametrize("bore", [1.2, 1.6, 2.2])
def test_bare_tube_is_stationary(bore):
    """Energy less p V is stationary by bore radius and stretch; the end force balances."""
    state = tube.tube_state(SILICONE, INNER, OUTER, bore)

    def potential(a, stretch):
        def integrand(radius):
            hoop2 = (a**2 + (radius**2 - INNER**2) / stretch) / radius**2
            i1 = stretch**2 + hoop2 + 1 / (hoop2 * stretch**2)
            return 2 * np.pi * radius * yeoh_energy(i1)

        energy = quad(integrand, INNER, OUTER, epsabs=0, epsrel=1e-13)[0]
        return energy - state.pressure * np.pi * a**2 * stretch

    a, stretch, h = bore * INNER, state.axial_stretch, 1e-4
    scale = state.pressure * np.pi * a**2 * stretch
    by_bore = (potential(a * (1 + h), stretch) - potential(a * (1 - h), stretch)) / (2 * h)
    by_stretch = (potential(a, stretch + h) - potential(a, stretch - h)) / (2 * h)
    assert abs(by_bore) < 1e-6 * scale
    assert abs(by_stretch) < 1e-6 * scale


def test_thin_tube_is_the_membrane():
    """Thin neo-Hookean tube, closed ends: 2 N_axial = N_hoop gives both stretches and p R."""
    radius, wall, hoop = 1.0, 1e-3, 1.3
    state = tube.tube_state(RUBBER, radius - wall / 2, radius + wall / 2, hoop)

    def unbalance(axial):
        third = 1 / (hoop * axial) ** 2
        return 2 * (axial**2 - third) - (hoop**2 - third)

    axial = brentq(unbalance, 0.8, 1.3)
    pressure = 0.1e6 * (hoop**2 - 1 / (hoop * axial) ** 2) * wall / (hoop**2 * axial * radius)
    assert state.axial_stretch == pytest.approx(axial, rel=2e-3)
    assert state.pressure == pytest.approx(pressure, rel=4e-3)


def test_a_rubber_that_stiffens_early_has_no_limit():
    stiff = Yeoh(c10=0.11e6, c20=0.02e6, density=1000.0)
    with pytest.raises(ValueError, match="no limit pressure below the bore stretch 3"):
        tube.tube_limit(stiff, INNER, OUTER, largest=3.0)
    ending = Gent(mu=0.1e6, limit=1.5, density=1000.0)
    with pytest.raises(ValueError, match="no equilibrium at the bore stretch 3: its law ends"):
        tube.tube_state(ending, INNER, OUTER, 3.0)


def test_yeoh_of_the_record_is_the_printed_one():
    assert Yeoh(c10=12563.0, c20=-67.784, c30=2.7385, density=1070.0) == SILICONE
