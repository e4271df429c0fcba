"""The collocation step against its stability function and against exact motions."""

import numpy as np
import pytest

from loligo.reduced.radau import NODES, NoStages, collocate, extrapolated

ONE = np.eye(1)


def oscillator(frequency, damping, rate, duration):
    """One step of y'' + 2 d y' + w^2 y = w^2 from y = 0."""
    square = frequency**2
    return collocate(
        lambda i, y, v, a: a + 2 * damping * v + square * (y - 1.0),
        (ONE, 2 * damping * ONE, square * ONE),
        np.array([rate]),
        np.array([square - 2 * damping * rate]),
        np.zeros((3, 1)),
        duration,
        lambda y: float(np.abs(y).max()),
        1e-14,
    )


@pytest.mark.parametrize("frequency", [0.1, 1.0, 30.0, 1e5])
@pytest.mark.parametrize("damping", [0.0, 2.0])
def test_step_is_the_stability_function(frequency, damping):
    """y_1 - 1 = R(h J)(y_0 - 1), R = (1 + 2z/5 + z^2/20)/(1 - 3z/5 + 3z^2/20 - z^3/60)."""
    stages = oscillator(frequency, damping, 0.3, 1.0)
    z = np.array([[0.0, 1.0], [-(frequency**2), -2 * damping]])
    two = np.eye(2)
    above = two + 0.4 * z + 0.05 * z @ z
    below = two - 0.6 * z + 0.15 * z @ z - z @ z @ z / 60
    expected = np.linalg.solve(below, above @ [-1.0, 0.3])
    assert stages.place[-1, 0] - 1.0 == pytest.approx(expected[0], rel=1e-8, abs=1e-12)
    assert stages.rate[-1, 0] == pytest.approx(expected[1], rel=1e-8, abs=1e-11 * frequency)


def test_what_is_too_fast_dies():
    """R(z) tends to -3/z: of a motion 1e6 times faster than the step a part in 3e-6 is left."""
    stages = oscillator(1e6, 0.0, 0.0, 1.0)
    assert abs(stages.place[-1, 0] - 1.0) < 4e-6


def test_error_estimate_is_of_order_three_and_on_the_safe_side():
    estimates = []
    for h in (0.2, 0.1):
        stages = oscillator(1.0, 0.0, 0.0, h)
        true = abs(stages.place[-1, 0] - (1 - np.cos(h)))
        estimates.append(abs(stages.error[0]))
        assert true < 0.1 * estimates[-1]
    assert np.log2(estimates[0] / estimates[1]) == pytest.approx(4.0, abs=0.3)


def test_a_linear_problem_takes_one_correction():
    asked = []

    def residual(i, y, v, a):
        asked.append(i)
        return a + 4.0 * y

    options = np.ones(1), np.zeros(1), np.zeros((3, 1)), 0.3
    collocate(residual, (ONE, 0 * ONE, 4 * ONE), *options, lambda y: float(np.abs(y).max()), 1e-12)
    assert asked == [0, 1, 2] * 2


def test_extrapolation_goes_on_with_the_parabola():
    def parabola(t):
        return np.stack([1 - 2 * t + 3 * t**2, t**2], axis=-1)

    np.testing.assert_allclose(
        extrapolated(parabola(2.0 * NODES), 1.5), parabola(2.0 + 3.0 * NODES), atol=1e-12
    )


def test_corrections_that_do_not_shrink_are_said():
    with pytest.raises(NoStages, match="Newton's corrections shrink"):
        collocate(
            lambda i, y, v, a: a - 5.0 * np.sin(20.0 * a) - 3.0,
            (ONE, 0 * ONE, 0 * ONE),
            np.zeros(1),
            np.zeros(1),
            np.zeros((3, 1)),
            1.0,
            lambda y: float(np.abs(y).max()),
            1e-12,
        )
    with pytest.raises(NoStages, match="singular"):
        collocate(
            lambda i, y, v, a: a,
            (0 * ONE, 0 * ONE, 0 * ONE),
            np.zeros(1),
            np.zeros(1),
            np.zeros((3, 1)),
            1.0,
            lambda y: float(np.abs(y).max()),
            1e-12,
        )
