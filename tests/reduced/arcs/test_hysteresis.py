"""The hysteresis of a chamber: fits of known loops, histories, and the exact inverse."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from loligo.reduced.arcs.hysteresis import fit_loop, lengths_along, pressures_along

PRESSURE = np.linspace(0.0, 60e3, 241)


def rising(p):
    return 0.091 + 0.068 * (p / 60e3) ** 2


def falling(p):
    return 0.091 + 0.068 * (p / 60e3)


LOOP = fit_loop((PRESSURE, rising(PRESSURE)), (PRESSURE[::-1], falling(PRESSURE[::-1])), knots=61)

histories = st.lists(st.floats(0.0, 60e3), min_size=2, max_size=20)


def test_a_loop_of_known_shape_is_recovered():
    """Linear interpolation of the parabola at 1 kPa knots errs by h^2 f''/8 = 4.7 um at most."""
    bound = (1e3) ** 2 * 2 * 0.068 / 60e3**2 / 8
    np.testing.assert_allclose(LOOP.loading, rising(np.array(LOOP.pressure)), rtol=0, atol=bound)
    np.testing.assert_allclose(LOOP.unloading, falling(np.array(LOOP.pressure)), rtol=0, atol=1e-12)
    assert LOOP.misfit < bound


def test_noise_is_averaged_and_stays_monotone():
    rng = np.random.default_rng(10)
    noise = 2e-4
    data = [
        (PRESSURE, curve(PRESSURE) + rng.normal(0, noise, PRESSURE.size))
        for curve in (rising, falling)
    ]
    loop = fit_loop(*data, knots=13)
    assert (np.diff(loop.loading) >= 0).all()
    assert (np.diff(loop.unloading) >= 0).all()
    assert (np.array(loop.loading) <= loop.unloading).all()
    # 2 * 13 coefficients for 482 points take 5 % of the variance; chi of 456 spreads by 3.3 %.
    assert loop.misfit == pytest.approx(noise, rel=0.13)
    # 18 points a knot leave 1/4 of the noise, 5 kPa between knots h^2 f''/8 = 0.12 mm of bias.
    bound = 3 * noise / 4 + 1.2e-4
    np.testing.assert_allclose(loop.loading, rising(np.array(loop.pressure)), rtol=0, atol=bound)


def test_branches_that_noise_makes_cross_where_the_loop_closes_meet():
    for seed in range(8):
        rng = np.random.default_rng(seed)
        data = [
            (PRESSURE, curve(PRESSURE) + rng.normal(0, 2e-4, PRESSURE.size))
            for curve in (rising, falling)
        ]
        loop = fit_loop(*data)
        assert (np.array(loop.loading) <= loop.unloading).all()


def test_major_loop_is_reproduced():
    up, down = np.linspace(0, 60e3, 50), np.linspace(60e3, 0, 50)
    lengths = lengths_along(LOOP, np.concatenate([up, down]), start=0.091)
    np.testing.assert_allclose(lengths[:50], rising(up), rtol=0, atol=5e-6)
    np.testing.assert_allclose(lengths[50:], falling(down), rtol=0, atol=5e-6)


def test_a_reversal_inside_the_loop_holds_the_length():
    lengths = lengths_along(LOOP, [30e3, 20e3, 30e3, 40e3, 10e3], start=0.091)
    np.testing.assert_allclose(
        lengths, [rising(30e3)] * 3 + [rising(40e3), falling(10e3)], rtol=0, atol=5e-6
    )


@given(histories)
def test_lengths_stay_inside_the_loop_and_follow_the_pressure(pressures):
    lengths = lengths_along(LOOP, pressures, start=0.1)
    lower = np.interp(pressures, LOOP.pressure, LOOP.loading)
    upper = np.interp(pressures, LOOP.pressure, LOOP.unloading)
    assert ((lower <= lengths) & (lengths <= upper)).all()
    assert (np.diff(lengths) * np.diff(pressures) >= 0).all()


@given(histories)
def test_pressures_drive_the_chamber_along_wanted_lengths(pressures):
    wanted = lengths_along(LOOP, pressures, start=0.1)
    driven = pressures_along(LOOP, wanted, start=pressures[0])
    np.testing.assert_allclose(
        lengths_along(LOOP, driven, start=wanted[0]), wanted, rtol=0, atol=1e-12
    )


def test_what_cannot_be_a_loop():
    up, down = (PRESSURE, rising(PRESSURE)), (PRESSURE, falling(PRESSURE))
    with pytest.raises(ValueError, match="exchange the two"):
        fit_loop(down, up)
    with pytest.raises(ValueError, match="share no range"):
        fit_loop((PRESSURE, rising(PRESSURE)), (PRESSURE + 1e5, falling(PRESSURE)))
    with pytest.raises(ValueError, match="pressures from 7e"):
        lengths_along(LOOP, [7e4], start=0.1)
    with pytest.raises(ValueError, match=r"lengths from 0\.2"):
        pressures_along(LOOP, [0.2, 0.2], start=0.0)
