"""Gong's arm carried through water by its base: the numbers of docs/water.md."""

from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from loligo.cases.case import Case
from loligo.cases.case_file import load
from loligo.reduced.predict.predict import predict

PAGE = Path(__file__).parents[2] / "docs" / "water.md"


def stroke(amplitude: float, frequency: float) -> Case:
    """Three periods."""
    case = load("gong_arm_stroke")
    carried = case.load["stroke"]
    history = carried.history.model_copy(update={"frequency": frequency})
    changes = {"displacement": (0.0, amplitude, 0.0), "history": history}
    time = {"duration": 3.0 / frequency, "every": 3.0 / frequency / 90}
    return case.model_copy(
        update={
            "load": {**case.load, "stroke": carried.model_copy(update=changes)},
            "time": case.time.model_copy(update=time),
        }
    )


def printed(amplitude: float, frequency: float) -> tuple[float, float]:
    """Force (N) and torque (N m) of a stroke in the page's table."""
    row = f"| {1e3 * amplitude:g} mm, {frequency:g} Hz |"
    line = next(line for line in PAGE.read_text().splitlines() if line.startswith(row))
    _, _, _, force, _, torque, _ = line.split("|")
    return float(force.split()[0]), float(torque.split()[0])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("amplitude", "frequency"), [(0.05, 0.3), (0.05, 0.5), (0.2, 0.3), (0.2, 0.5)]
)
def test_what_drives_the_base_is_as_printed(amplitude: float, frequency: float) -> None:
    found = predict(stroke(amplitude, frequency), "rod")
    late = found["time"].values > 2.0 / frequency
    reaction = found["reaction"].values[late]
    base = found["frame"].values[late, 0, 1, 3]
    torque = reaction[:, 2] + base * reaction[:, 3]  # about the base
    peaks = np.abs(reaction[:, 4]).max(), np.abs(torque).max()
    assert peaks == pytest.approx(printed(amplitude, frequency), abs=5.1e-4)


def slender_beam(amplitude: float, frequency: float) -> tuple[float, float]:
    """Largest force and torque on the base of Euler and Bernoulli's beam in Morison's water.

    Four modes of a cantilever on a base that goes to and fro. It floats, lighter by 15 kg/m^3:
    that compresses it by a tenth of what would buckle it, and has a moment as it hangs aside.
    """
    length, radius, density, water = 0.36, 0.017, 985.0, 1000.0
    area, second = np.pi * radius**2, np.pi * radius**4 / 4
    x, weight = 0.5 * length * (np.polynomial.legendre.leggauss(40) + np.array([[1.0], [0.0]]))
    k = np.array([1.8751040687, 4.6940911330, 7.8547574382, 10.9955407349])[:, None] / length
    kl = k * length
    share = (np.cosh(kl) + np.cos(kl)) / (np.sinh(kl) + np.sin(kl))
    mode = np.cosh(k * x) - np.cos(k * x) - share * (np.sinh(k * x) - np.sin(k * x))
    slope = k * (np.sinh(k * x) + np.sin(k * x) - share * (np.cosh(k * x) - np.cos(k * x)))
    size = mode**2 @ weight
    line, net = (density + water) * area, (density - water) * area * 9.81
    elastic = np.diag(3 * 43.18e3 * second * k[:, 0] ** 4 * size)
    stiff = elastic + (slope * (net * (length - x) * weight)) @ slope.T
    viscous = elastic * 300.0 / 43.18e3
    turn = 2 * np.pi * frequency

    def forces(t, q, v):
        """Rates of v, and what every place of the beam asks for, per length."""
        speed = v @ mode - amplitude * turn * np.sin(turn * t)
        base = -amplitude * turn**2 * np.cos(turn * t)
        drag = water * radius * 1.1 * np.abs(speed) * speed
        faster = -(mode @ (weight * (line * base + drag)) + stiff @ q + viscous @ v) / (line * size)
        return faster, line * (faster @ mode + base) + drag

    found = solve_ivp(
        lambda t, y: np.concatenate([y[4:], forces(t, y[:4], y[4:])[0]]),
        (0.0, 3.0 / frequency),
        np.zeros(8),
        method="LSODA",
        rtol=1e-6,
        atol=1e-9,
        t_eval=np.linspace(2.0, 3.0, 91) / frequency,
    )
    places = found.y[:4].T @ mode
    asked = [forces(t, y[:4], y[4:])[1] for t, y in zip(found.t, found.y.T, strict=True)]
    return (
        float(np.abs(asked @ weight).max()),
        float(np.abs((x * asked + net * places) @ weight).max()),
    )


@pytest.mark.parametrize("frequency", [0.3, 0.5])
def test_small_strokes_are_those_of_a_slender_beam(frequency: float) -> None:
    """Within what the beam leaves out: slopes of 0.3, shear and rotary inertia at R/L = 1/21."""
    force, torque = printed(0.05, frequency)
    assert (force, torque) == pytest.approx(slender_beam(0.05, frequency), rel=0.08)
