"""Error bars of a data set from its levels: three, two, and those of time steps."""

import numpy as np
import pytest
import xarray as xr

from loligo.cases.dataset.gci import Verdict
from loligo.cases.dataset.levels import (
    mesh_convergence,
    time_convergence,
    with_bars,
)

LIMIT = np.array([1.0, 2.0])
SIZES = [1.4**-n for n in range(3)]


def level(size: float, order: float, attribute: str = "size", error: float = 0.1) -> xr.Dataset:
    """Stored energies that converge to 1 and 2 J with an order."""
    values = LIMIT + np.array([error, 2 * error]) * size**order
    stretch = LIMIT + error * size**2
    return xr.Dataset(
        {
            "stored_energy": ("step", values, {"units": "J"}),
            "max_stretch": ("step", stretch, {"units": "1"}),
            "load_pull": ("step", [0.5, 1.0], {"units": "N"}),
        },
        attrs={attribute: size},
    )


def test_three_levels_show_their_order() -> None:
    levels = [level(size, 3.0) for size in SIZES]
    data = with_bars(levels[-1], levels)
    # f - f1 = 0.1 h^3: Richardson's estimate is exact for a pure power, times 1.25.
    expected = 1.25 * np.array([0.1, 0.2]) * SIZES[2] ** 3
    assert data["stored_energy_uncertainty"].values == pytest.approx(expected, rel=1e-6)
    assert data["stored_energy_uncertainty_flag"].values.tolist() == [Verdict.ORDER_OBSERVED] * 2
    (_, last) = mesh_convergence(levels[-1], levels)["stored_energy"]
    assert last.order == pytest.approx(3.0, abs=1e-6)
    assert last.value == pytest.approx(2.0 + 0.2 * SIZES[2] ** 3)


@pytest.mark.parametrize("order", [1.5, 2.0, 3.0, 4.0])
def test_two_levels_hold_the_error_down_to_half_the_order_and_say_what_they_are(
    order: float,
) -> None:
    levels = [level(size, order) for size in SIZES[:2]]
    data = with_bars(levels[1], levels)
    error = np.abs(levels[1]["stored_energy"].values - LIMIT)
    assert np.all(data["stored_energy_uncertainty"].values > error)
    assert data["stored_energy_uncertainty_flag"].values.tolist() == [Verdict.TWO_LEVELS] * 2
    assert "two_levels" in data["stored_energy_uncertainty_flag"].attrs["flag_meanings"].split()
    # Three times Richardson's estimate with the order of theory: 3, and 2 for a stretch.
    difference = np.abs(np.diff([one["max_stretch"].values for one in levels], axis=0)[0])
    assert data["max_stretch_uncertainty"].values == pytest.approx(3 * difference / (1.4**2 - 1))


def test_one_level_or_other_loads_give_no_bar() -> None:
    one, other = level(1.0, 3.0), level(0.7, 3.0)
    assert "stored_energy_uncertainty" not in with_bars(one, [one])
    other["load_pull"] = ("step", [0.5, 0.9], {"units": "N"})
    assert "stored_energy_uncertainty" not in with_bars(one, [one, other])


def test_time_steps_add_to_meshes_and_the_worse_flag_counts() -> None:
    meshes = [level(size, 3.0) for size in SIZES]
    steps = [level(size, 2.0, "time_step", error=0.01) for size in (1e-3, 2e-3, 4e-3)]
    steps = [one.assign_attrs(size=SIZES[2]) for one in steps]
    for one, time_step in zip(steps, (1.0, 2.0, 4.0), strict=True):
        one["stored_energy"] = ("step", meshes[-1]["stored_energy"].values + 0.01 * time_step**2)
    data = with_bars(meshes[-1], meshes, steps)
    of_mesh = with_bars(meshes[-1], meshes)["stored_energy_uncertainty"].values
    # Time steps 1, 2, 4 with 0.01 dt^2: an error of 0.01, times 1.25.
    assert data["stored_energy_uncertainty"].values == pytest.approx(of_mesh + 1.25 * 0.01)
    (first, _) = time_convergence(meshes[-1], steps)["stored_energy"]
    assert first.verdict == Verdict.ORDER_OBSERVED and first.order == pytest.approx(2.0, abs=1e-6)
    halves = with_bars(meshes[-1], meshes, steps[:2])
    assert halves["stored_energy_uncertainty_flag"].values.tolist() == [Verdict.TWO_LEVELS] * 2


def test_the_worse_flag_is_not_the_one_with_the_larger_number() -> None:
    """Three meshes that diverge are worse than two time steps."""
    meshes = [level(size, -1.0) for size in SIZES]
    times = [level(size, 2.0, attribute="time_step") for size in SIZES[:2]]
    data = with_bars(meshes[-1], meshes, times)
    assert data["stored_energy_uncertainty_flag"].values.tolist() == [Verdict.DIVERGENT] * 2
