"""How a free end rings: a damped oscillation whose frequency and decay are known."""

import numpy as np
import pytest
import xarray as xr

from loligo.validation.compare.metrics import BY_NAME
from loligo.validation.data.ringing import path_gap, ringing

ZETA, OMEGA = 0.05, 2.0 * np.pi * 1.3
DAMPED = OMEGA * np.sqrt(1.0 - ZETA**2)


def swinging(omega=OMEGA, zeta=ZETA, turn=0.0, every=0.02, duration=4.0):
    """A tip that swings about a place off its rest, along a line in the plane of y and z."""
    time = np.arange(0.0, duration, every)
    damped = omega * np.sqrt(1.0 - zeta**2)
    x = 0.03 + 0.02 * np.exp(-zeta * omega * time) * np.cos(damped * time)
    tip = x[:, None] * np.array([0.0, np.cos(turn), np.sin(turn)])
    line = np.stack([np.zeros_like(tip), tip + np.array([0.2, 0.0, 0.0])], axis=1)
    return xr.Dataset(
        {"centreline": (("step", "station", "axis"), line), "time": ("step", time)},
        {"station": [0.0, 0.2]},
    )


def test_frequency_and_decrement_are_those_of_the_oscillator():
    found = ringing(swinging(turn=0.7))
    assert found.frequency == pytest.approx(DAMPED / (2.0 * np.pi), rel=1e-3)
    exact = 2.0 * np.pi * ZETA / np.sqrt(1.0 - ZETA**2)
    assert found.decrement == pytest.approx(exact, rel=1e-2)


def test_what_does_not_turn_does_not_ring():
    assert ringing(swinging(duration=0.5)) is None  # a single period
    assert ringing(swinging().drop_vars("time")) is None
    resting = swinging()
    assert ringing(resting.assign(centreline=resting["centreline"] * 0.0)) is None


def test_the_metrics_of_a_motion():
    slow, fast = swinging(), swinging(omega=1.1 * OMEGA)
    error = BY_NAME["ring_frequency"].error(slow, fast)
    assert error == pytest.approx(0.1 * DAMPED / (2.0 * np.pi), rel=0.02)
    # On one line the paths are the same, but for how far they go; beside it they are not.
    assert BY_NAME["end_path"].error(slow, fast).max() < 1e-3
    aside = BY_NAME["end_path"].error(slow, swinging(turn=np.pi / 2.0))
    nearest = 0.03 - 0.02 * np.exp(-np.pi * ZETA / np.sqrt(1.0 - ZETA**2))
    assert aside.max() == pytest.approx(np.hypot(0.05, nearest), rel=1e-3)


def test_paths_are_compared_whenever_they_are_there():
    angle = np.linspace(0.0, np.pi, 200)
    half = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    assert path_gap(half, half[::-1]) < 1e-12
    assert path_gap(half, 1.1 * half) == pytest.approx(0.1, rel=1e-3)
