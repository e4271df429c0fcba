"""The length of a chamber at a pressure, against the energy that it comes from."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from loligo.reduced.arcs.length_law import pressure, stretch


@pytest.mark.parametrize("x", [-0.3, 0.05, 0.4, 1.2])
def test_it_is_where_the_energy_of_a_hooped_tube_is_least(x):
    """Work and stored energy of a tube within a hoop of area A_h, rubber A_r, per mu."""
    hooped, rubber = 1662.0, 1280.0

    def energy(s):
        return 0.5 * rubber * (s**2 + s**-2 - 2.0) - x * (hooped * s - rubber)

    least = minimize_scalar(energy, bounds=(0.3, 4.0), method="bounded", options={"xatol": 1e-10})
    # Half the digits: at its bottom the energy is flat.
    assert stretch(x, hooped / rubber) == pytest.approx(least.x, abs=1e-6)


@given(st.floats(-5.0, 50.0), st.floats(0.1, 10.0), st.floats(0.0, 2.0))
def test_it_solves_its_equation(x, gain, growth):
    s = stretch(x, gain, growth)
    drive = gain * x * (1.0 + growth * x)
    assert s - s**-3 == pytest.approx(drive, abs=1e-12 * (1.0 + abs(drive) + s**-3))


def test_at_small_pressures_a_quarter_of_the_gain():
    assert (stretch(1e-6, 0.8) - 1.0) / 1e-6 == pytest.approx(0.2, rel=1e-5)
    assert stretch(0.0, 0.8) == 1.0


@pytest.mark.parametrize("growth", [-0.2, 0.0, 0.7])
def test_the_pressure_of_a_stretch_is_the_one_that_made_it(growth):
    x = np.linspace(0.0, 1.2, 7)
    np.testing.assert_allclose(pressure(stretch(x, 0.9, growth), 0.9, growth), x, atol=1e-14)


def test_a_pull_with_a_largest_value_reaches_no_further():
    """c x (1 - 0.5 x) is c/2 at most, at x = 1."""
    most = stretch(1.0, 0.9, -0.5)
    assert pressure(most * (1.0 - 1e-12), 0.9, -0.5) == pytest.approx(1.0, abs=1e-4)
    with pytest.raises(ValueError, match="no pressure stretches a chamber by 1"):
        pressure(1.5, 0.9, -0.5)
