"""Answers to steps and to loads that come round: oscillators and lags whose answers are known."""

import numpy as np
import pytest
import xarray as xr
from scipy.optimize import brentq

from loligo.validation.compare.metrics import BY_NAME
from loligo.validation.data.response import cycle, loop_area, step_response, strokes

ZETA, OMEGA = 0.15, 2.0 * np.pi * 1.3
DAMPED = OMEGA * np.sqrt(1.0 - ZETA**2)
LAG = 0.2
"""Time constant (s) of what creeps."""
ASIDE = np.array([0.0, 0.6, 0.8])
"""The line along which ends move."""


def oscillator(time):
    """From 0 to 1, without velocity at first."""
    phase = np.arccos(ZETA)
    decay = np.exp(-ZETA * OMEGA * time) / np.sqrt(1.0 - ZETA**2)
    return 1.0 - decay * np.sin(DAMPED * time + phase)


def moving(time, x, load, kind="tip_force", **more):
    """An arm of 0.2 m whose end moves by x along a line that is none of the axes."""
    tip = np.array([0.2, 0.01, 0.02]) + np.multiply.outer(x, ASIDE)
    line = np.stack([np.zeros_like(tip), tip], axis=1)
    data = {
        "centreline": (("step", "station", "axis"), line),
        "time": ("step", time),
        "load_push": ("step", load, {"long_name": f"magnitude of the load push, {kind}"}),
        "load_weight": ("step", np.full_like(time, 9.81), {"units": "m/s^2"}),
        **more,
    }
    return xr.Dataset(data, {"station": [0.0, 0.2]})


def stepped(answer, duration, every=0.01, size=0.03, before=0.0):
    """The load goes from `before` to 1 behind the first instant, the end by `size` then."""
    time = np.arange(0.0, duration, every)
    load = np.where(time > 0.0, 1.0, before)
    return moving(time, size * answer(time), load)


def test_an_oscillator_overshoots_and_settles_as_its_damping_says():
    found = step_response(stepped(oscillator, 3.0))
    assert found.overshoot == pytest.approx(np.exp(-np.pi * ZETA / np.sqrt(1 - ZETA**2)), rel=2e-3)
    peak = np.pi / DAMPED
    ends = [brentq(lambda t, x=x: oscillator(t) - x, 0.0, peak) for x in (0.1, 0.9)]
    assert found.rise == pytest.approx(ends[1] - ends[0], rel=5e-3)
    # exp(-zeta omega t) falls to a twentieth in 2.4 s
    late = np.linspace(0.0, 5.0, 500001)
    settled = late[np.flatnonzero(np.abs(oscillator(late) - 1.0) > 0.05)[-1]]
    assert found.settling == pytest.approx(settled, rel=5e-3)


def test_where_it_comes_to_rest_is_told_before_it_is_there():
    """Three turns are enough; what has not settled says so."""
    short = step_response(stepped(oscillator, 3.4 * np.pi / DAMPED, size=-0.03))
    long = step_response(stepped(oscillator, 4.0))
    assert short.overshoot == pytest.approx(long.overshoot, rel=3e-3)
    assert np.isnan(short.settling)
    assert step_response(stepped(oscillator, 2.5 * np.pi / DAMPED)) is None


def test_what_creeps_has_the_times_of_its_exponential():
    found = step_response(stepped(lambda t: 1.0 - np.exp(-t / LAG), 2.0))
    assert found.rise == pytest.approx(LAG * np.log(9.0), rel=2e-3)
    assert found.settling == pytest.approx(LAG * np.log(20.0), rel=2e-3)
    assert found.overshoot < 1e-4
    # 0.5 s are not enough, unless it goes back to where it was at first
    assert step_response(stepped(lambda t: 1.0 - np.exp(-t / LAG), 0.5)) is None
    time = np.arange(0.0, 1.0, 0.01)
    gone = np.where(time <= 0.3, time / 0.3, np.exp(-(time - 0.3) / LAG))
    there = moving(time, 0.03 * gone, np.where(time <= 0.3, time / 0.3, 0.0))
    assert step_response(there).rise == pytest.approx(LAG * np.log(9.0), rel=2e-3)


def test_loads_that_do_not_stay_are_no_step():
    time = np.arange(0.0, 2.0, 0.01)
    assert step_response(moving(time, np.sin(time), np.sin(5.0 * time))) is None
    assert step_response(moving(time, np.sin(time), np.ones_like(time))) is None


FORCE, SIZE, BEHIND, PERIOD = 3.0, 0.02, 0.7, 0.8
TURN = 2.0 * np.pi / PERIOD


def driven(size=SIZE, behind=BEHIND, kind="tip_force", periods=2.3, every=0.0171):
    """F sin(w t), answered by x sin(w t - phase): work of the force in closed form.

    Where the base is carried, the reaction answers and the end stays.
    """
    time = np.arange(0.0, periods * PERIOD, every)
    load, answer = FORCE * np.sin(TURN * time), size * np.sin(TURN * time - behind)
    work = (
        0.5
        * FORCE
        * size
        * (TURN * np.sin(behind) * time - 0.5 * np.cos(2.0 * TURN * time - behind))
    )
    wrench = np.zeros((time.size, 6))
    wrench[:, 3:] = np.multiply.outer(answer, ASIDE)
    more = {
        "external_work": ("step", work),
        "reaction": (("step", "wrench_component"), wrench),
    }
    return moving(time, 0.0 * time if kind == "base_motion" else answer, load, kind, **more)


@pytest.mark.parametrize(
    ("kind", "unit"), [("tip_force", "m"), ("shortening", "m"), ("base_motion", "N")]
)
def test_a_stroke_has_the_amplitude_and_phase_of_its_answer(kind, unit):
    """The period from turns of samples that miss it is good to 1e-3."""
    data = driven(kind=kind)
    found = cycle(data)
    assert found.period == pytest.approx(PERIOD, rel=1e-3)
    assert found.unit == unit
    harmonic = found.harmonic(found.along)
    assert abs(harmonic) == pytest.approx(SIZE, rel=5e-3)
    assert np.angle(harmonic) == pytest.approx(-BEHIND, abs=5e-3)
    assert loop_area(data) == pytest.approx(np.pi * FORCE * SIZE * np.sin(BEHIND), rel=5e-3)


def test_two_strokes_are_compared_along_one_line():
    """More than a quarter of a period late the answer goes against its load; the line stays."""
    one, other = driven(behind=1.4), driven(size=1.1 * SIZE, behind=1.4 + 0.5)
    assert BY_NAME["stroke_amplitude"].serves(one, other)
    assert not BY_NAME["force_amplitude"].serves(one)
    amplitude, phase, area, gap = (
        BY_NAME[name].error(one, other)
        for name in ("stroke_amplitude", "stroke_phase", "loop_area", "loop_shape")
    )
    assert amplitude == pytest.approx(0.1 * SIZE, rel=0.02)
    assert phase == pytest.approx(0.5, abs=5e-3)
    exact = np.pi * FORCE * SIZE * (1.1 * np.sin(1.9) - np.sin(1.4))
    assert area == pytest.approx(exact, rel=0.05)
    # The difference of two sines is a sine of this amplitude; the span is twice the first one's
    apart = abs(1.0 - 1.1 * np.exp(-0.5j))
    assert gap == pytest.approx(0.5 * apart, rel=5e-3)
    back = strokes(other, one)
    assert np.abs(back) == pytest.approx([1.1 * SIZE, SIZE], rel=5e-3)


def test_what_comes_back_once_is_one_cycle():
    time = np.linspace(0.0, 1.0, 41)
    pulse = 1.0 - np.abs(2.0 * time - 1.0)
    found = cycle(moving(time, 0.01 * pulse, pulse))
    assert (found.begin, found.period) == (0.0, 1.0)
    assert cycle(moving(time, 0.01 * pulse, time)) is None
    both = moving(time, 0.01 * pulse, pulse).assign(load_other=("step", pulse))
    assert cycle(both) is None
