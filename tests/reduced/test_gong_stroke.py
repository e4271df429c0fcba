"""Gong's arm carried through water by its base: the numbers of docs/water.md."""

from pathlib import Path

import numpy as np
import pytest

from loligo.cases.case import Case
from loligo.cases.read import load
from loligo.reduced.predict import predict

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
