"""Error bars: published examples, power laws with known limits, levels that misbehave."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from loligo.cases.dataset.gci import (
    Verdict,
    bar_per_step,
    grid_convergence,
    observed_order,
)


def test_nasa_pressure_recovery():
    """NASA's tutorial on spatial convergence: ratio 2, theory 2; GCI relative to each level."""
    values = np.array([0.97050, 0.96854, 0.96178])
    bar = grid_convergence(values, [1.0, 2.0, 4.0], theory=2.0)
    assert bar.order == pytest.approx(1.7862, abs=5e-5)
    assert bar.extrapolated == pytest.approx(0.971300, abs=5e-7)
    assert bar.half_width / values[0] == pytest.approx(0.001031, abs=5e-7)
    # The coarser pair's index is the same estimate one level up.
    assert bar.half_width * 2.0**bar.order / values[1] == pytest.approx(0.003562, abs=5e-7)
    assert bar.verdict == Verdict.ORDER_OBSERVED


def test_celik_reattachment_length():
    """Celik et al. 2008: ratios 1.5 and 4/3, printed 1.333, which would make the order 1.537."""
    bar = grid_convergence([6.063, 5.972, 5.863], [1.0, 1.5, 2.0], theory=2.0)
    assert bar.order == pytest.approx(1.53, abs=0.005)
    assert bar.extrapolated == pytest.approx(6.1685, abs=5e-5)
    assert bar.half_width / 6.063 == pytest.approx(0.022, abs=5e-4)


@given(
    order=st.floats(0.5, 6.0),
    fine=st.floats(1.1, 3.0),
    coarse=st.floats(1.1, 3.0),
    error=st.floats(0.01, 10.0) | st.floats(-10.0, -0.01),
)
def test_power_laws_are_recovered(order, fine, coarse, error):
    sizes = np.array([1.0, fine, fine * coarse])
    values = 7.0 + error * sizes**order
    # Rounding of the differences, through the equation's slope by p, nowhere below ln 1.1.
    size = 7.0 + abs(error) * sizes[2] ** order
    rounding = 8.0 * np.finfo(float).eps * size / np.abs(np.diff(values)).min()
    off = rounding / np.log(1.1)
    assert observed_order(values, sizes) == pytest.approx(order, abs=off)
    bar = grid_convergence(values, sizes, theory=order)
    off_value = 4.0 * abs(error) * off + 1e-14 * size
    assert bar.extrapolated == pytest.approx(7.0, abs=off_value)
    assert bar.half_width == pytest.approx(1.25 * abs(error), abs=1.25 * off_value)
    assert bar.asymptotic_ratio == pytest.approx(1.0, abs=rounding)
    assert bar.verdict == Verdict.ORDER_OBSERVED


def test_every_number_of_an_array_has_its_own_order():
    """Orders 1.5 to 3 over (step, station); coarsest level first, and ignored for the finest 3."""
    order = np.linspace(1.5, 3.0, 6).reshape(2, 3)
    sizes = np.array([8.0, 1.7, 1.3, 1.0])
    values = 2.0 - 0.1 * sizes[:, None, None] ** order
    bar = grid_convergence(values, sizes, theory=3.0)
    np.testing.assert_allclose(bar.order, order, rtol=0.0, atol=1e-10)
    np.testing.assert_allclose(bar.extrapolated, 2.0, rtol=0.0, atol=1e-10)
    np.testing.assert_allclose(bar.half_width, 0.125, rtol=1e-9)


@pytest.mark.parametrize(
    ("order", "verdict", "half_width"),
    [
        (2.2, Verdict.ORDER_OBSERVED, 1.25 * 0.01 * (2.0**2.2 - 1.0) / 3.0),  # capped at theory
        (2.21, Verdict.ORDER_NOT_OBSERVED, 3.0 * 0.01 * 2**0.21 * (2.0**2.21 - 1.0) / 3.0),
        (1.001, Verdict.ORDER_OBSERVED, 1.25 * 0.01),
        (0.99, Verdict.ORDER_NOT_OBSERVED, 3.0 * 0.01 * (2.0**0.99 - 1.0) / 3.0),
    ],
)
def test_safety_is_three_where_the_order_is_not_observed(order, verdict, half_width):
    sizes = np.array([1.0, 2.0, 4.0])
    order -= 1e-9  # the ends of the range belong to it
    bar = grid_convergence(5.0 + 0.01 * sizes**order, sizes, theory=2.0)
    assert bar.verdict == verdict
    assert bar.half_width == pytest.approx(half_width, rel=1e-6)
    assert (bar.extrapolated == 5.01) == (verdict == Verdict.ORDER_NOT_OBSERVED)


def test_oscillating_and_diverging_levels():
    values = np.array([[1.00, 1.00, 1.00, 1.0], [1.01, 1.02, 1.01, 1.0], [0.98, 1.03, 1.02, 1.1]])
    bar = grid_convergence(values, [1.0, 2.0, 4.0], theory=2.0)
    np.testing.assert_array_equal(
        bar.verdict,
        [Verdict.OSCILLATORY, Verdict.DIVERGENT, Verdict.DIVERGENT, Verdict.OSCILLATORY],
    )
    assert np.isnan(bar.order).all()
    np.testing.assert_array_equal(bar.extrapolated, 1.0)
    # In theory a fine difference d is an error d/3, a coarse one d/12; the larger, three times.
    np.testing.assert_allclose(bar.half_width, [0.01, 0.02, 0.01, 0.025], rtol=1e-9)


def test_two_fine_levels_that_agree_by_accident_do_not_make_a_small_bar():
    bar = grid_convergence([1.0, 1.0 + 1e-6, 1.1], [1.0, 2.0, 4.0], theory=2.0)
    assert bar.verdict == Verdict.ORDER_NOT_OBSERVED
    assert bar.half_width == pytest.approx(3.0 * 0.1 / 3.0 / 4.0, rel=1e-4)


def test_identical_levels_are_exact():
    bar = grid_convergence([[2.0, 1e-15], [2.0, -3e-16], [2.0, 2e-16]], [1.0, 1.4, 2.0], theory=2.0)
    np.testing.assert_array_equal(bar.verdict, Verdict.EXACT)
    np.testing.assert_array_equal(bar.half_width, 2e-12)  # the resolution; 0 cannot be known
    np.testing.assert_array_equal(bar.asymptotic_ratio, 1.0)
    np.testing.assert_array_equal(
        grid_convergence(np.zeros((3, 2)), [1, 2, 3], 2.0).half_width, 0.0
    )


def test_a_coarse_solver_shows_no_order():
    """Differences must be 100 times what the solver leaves."""
    sizes = np.array([1.0, 2.0, 4.0])
    values = 1.0 + 1e-4 * sizes**2
    sharp = grid_convergence(values, sizes, theory=2.0, resolution=1e-7)
    dull = grid_convergence(values, sizes, theory=2.0, resolution=1e-5)
    assert sharp.verdict == Verdict.ORDER_OBSERVED
    assert dull.verdict == Verdict.ORDER_NOT_OBSERVED


def test_the_bar_of_a_time_integrator_holds_its_error():
    """The trapezoidal rule on x' = -x, x(1) = 1/e, with steps 1/10, 1/15, 1/20."""
    steps = np.array([10, 15, 20])
    values = ((1.0 - 0.5 / steps) / (1.0 + 0.5 / steps)) ** steps
    bar = grid_convergence(values, 1.0 / steps, theory=2.0)
    error = abs(values[2] - np.exp(-1.0))
    assert bar.order == pytest.approx(2.0, abs=0.01)
    assert error < bar.half_width < 1.3 * error


def test_one_bar_per_step_is_the_largest_and_names_its_verdict():
    sizes = np.array([1.0, 2.0, 4.0])
    amplitude = np.array([[[0.001, 0.02], [0.03, 0.01]], [[0.0, 0.0], [0.0, 0.0]]])
    values = 1.0 + amplitude * sizes[:, None, None, None] ** 2
    values[1, 0, 0, 0] = 0.9999  # oscillates, but little
    bars = bar_per_step(grid_convergence(values, sizes, theory=2.0))
    assert bars.half_width[0] == pytest.approx(1.25 * 0.03, rel=1e-9)
    np.testing.assert_array_equal(bars.verdict, [Verdict.ORDER_OBSERVED, Verdict.EXACT])
    per_step = bar_per_step(grid_convergence(values[:, :, 0, 1], sizes, theory=2.0))
    assert per_step.half_width[0] == pytest.approx(1.25 * 0.02, rel=1e-9)


@pytest.mark.parametrize(
    ("values", "sizes", "theory", "reason"),
    [
        ([1.0, 2.0], [1.0, 2.0], 2.0, "at least 3 levels"),
        ([1.0, 2.0], [1.0, 2.0, 3.0], 2.0, "3 sizes, but values of shape"),
        ([1.0, 2.0, 3.0], [1.0, 2.0, 2.0], 2.0, "all different"),
        ([1.0, 2.0, np.nan], [1.0, 2.0, 3.0], 2.0, "not finite"),
        ([1.0, 2.0, 3.0], [1.0, 2.0, 3.0], 0.0, "order must be positive"),
    ],
)
def test_impossible_levels_are_refused(values, sizes, theory, reason):
    with pytest.raises(ValueError, match=reason):
        grid_convergence(values, sizes, theory)
