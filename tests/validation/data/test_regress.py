"""Section stiffness by regression: known laws are found again, within their own error bars."""

import numpy as np
import pytest
import xarray as xr

from loligo.cases.case import Case
from loligo.cases.core.record import BadInput
from loligo.cases.dataset.io import STRAIN_COMPONENTS, WRENCH_COMPONENTS
from loligo.reduced.predict.predict import predict
from loligo.validation.data.regress import regress

RUBBER = {"energy": "neo_hooke", "mu": 3e4, "density": 1080.0}
LENGTH, RADIUS = 0.2, 0.01


def _case(load: dict[str, object], tip_radius: float = RADIUS) -> Case:
    body = {
        "kind": "tapered_arm",
        "length": LENGTH,
        "base_radius": RADIUS,
        "tip_radius": tip_radius,
        "tip_disc": 0.002,
        "stations": 11,
    }
    given = {"name": "arm", "title": "t", "source": "s", "body": body, "load": {"tip": load}}
    return Case.model_validate({**given, "material": {"body": RUBBER}})


BENT = _case({"kind": "tip_moment", "moment": [0.0, 0.0, 1e-4]})
THEORY = 3 * 3e4 * np.pi * RADIUS**4 / 4  # E I
POLAR = 2 * 3e4 * np.pi * RADIUS**4 / 4  # G J of a circle


def _synthetic(
    stiffness: np.ndarray, wrenches: np.ndarray, noise: float, seed: int = 1
) -> xr.Dataset:
    """Wrenches that are the same all along, and the strains of a law in three components."""
    rng = np.random.default_rng(seed)
    station = np.linspace(0.0, LENGTH, 11)
    chosen = [STRAIN_COMPONENTS.index(name) for name in ("tx", "kz", "ex")]
    wrench = np.zeros((len(wrenches), 11, 6))
    wrench[:, :, chosen] = wrenches[:, None, :]
    exact = np.linalg.solve(stiffness, wrenches.T).T
    strain = np.zeros((len(wrenches), 10, 6))
    scatter = noise * np.abs(exact).max(axis=0) * rng.normal(size=(len(wrenches), 10, 3))
    strain[:, :, chosen] = exact[:, None, :] + scatter
    rest = np.zeros((10, 6))
    rest[:, 3] = 1.0
    return xr.Dataset(
        {
            "strain": (("step", "station_mid", "strain_component"), strain + rest),
            "strain_rest": (("station_mid", "strain_component"), rest),
            "wrench": (("step", "station", "wrench_component"), wrench),
            "wrench_fluid": (("step", "station", "wrench_component"), 0 * wrench),
            "stable": ("step", np.ones(len(wrenches))),
        },
        {
            "station": station,
            "station_mid": (station[1:] + station[:-1]) / 2,
            "strain_component": list(STRAIN_COMPONENTS),
            "wrench_component": list(WRENCH_COMPONENTS),
        },
    )


COUPLED = np.array([[4e-4, 1e-5, 0.0], [1e-5, 6e-4, 2e-3], [0.0, 2e-3, 25.0]])
PULLS = np.array([[1e-4, 0, 0], [0, 1e-4, 0], [0, 0, 0.1], [1e-4, 1e-4, 0.1], [1e-4, -1e-4, 0.1]])


def test_a_coupled_stiffness_is_found_exactly_without_noise() -> None:
    found = regress(BENT, [_synthetic(COUPLED, PULLS, 0.0)], ("tx", "kz", "ex"))
    stiffness, bars = found.stiffness(BENT, 0.1)
    scale = np.sqrt(np.outer(np.diag(COUPLED), np.diag(COUPLED)))
    assert stiffness / scale == pytest.approx(COUPLED / scale, abs=1e-10)
    assert np.abs(bars / scale).max() < 1e-10
    assert found.skew < 1e-10
    # Torsion keeps two diameters, 40 mm, from both ends: of ten intervals of 20 mm six are left.
    assert found.samples == 5 * 6


def test_error_bars_hold_what_they_promise() -> None:
    scale = np.sqrt(np.outer(np.diag(COUPLED), np.diag(COUPLED)))
    held = []
    for seed in range(100):
        sample = _synthetic(COUPLED, PULLS, 0.02, seed)
        stiffness, bars = regress(BENT, [sample], ("tx", "kz", "ex")).stiffness(BENT, 0.1)
        held.append(np.diag(np.abs(stiffness - COUPLED) / scale < bars / scale))
    # 95 % of 300, three standard deviations of that binomial below.
    assert np.mean(held) > 0.95 - 3 * np.sqrt(0.95 * 0.05 / 300)
    assert np.mean(held) < 1.0


def test_unstable_steps_are_left_out() -> None:
    sample = _synthetic(COUPLED, PULLS, 0.0)
    sample["strain"][1] = 7.0
    sample["stable"][1] = 0.0
    found = regress(BENT, [sample], ("tx", "kz", "ex"))
    assert found.samples == 4 * 6
    assert found.stiffness(BENT, 0.1)[0][1, 1] == pytest.approx(COUPLED[1, 1], rel=1e-9)


def test_a_taper_is_one_law() -> None:
    case = _case({"kind": "tip_moment", "moment": [0.0, 0.0, 2e-6]}, tip_radius=0.4 * RADIUS)
    found = regress(case, [predict(case)], ("kz",))
    # The rod's own stiffness is that of the geometry; its moment is constant for so small a bend.
    assert found.ratio[0, 0] == pytest.approx(1.0, abs=1e-3)
    second = np.pi / 4 * (0.7 * RADIUS) ** 4
    assert found.stiffness(case, LENGTH / 2)[0][0, 0] == pytest.approx(9e4 * second, rel=1e-3)


def test_loads_that_are_alike_are_refused() -> None:
    with pytest.raises(BadInput, match="one by one"):
        regress(BENT, [predict(BENT)], ("kz", "ex"))


def test_an_arm_that_is_all_ends_is_refused() -> None:
    stubby = BENT.model_copy(
        update={"body": BENT.body.model_copy(update={"length": 0.03, "stations": 3})}
    )
    with pytest.raises(BadInput, match="longer arm"):
        regress(stubby, [predict(stubby)], ("kz",))


def test_a_chamber_drives_with_its_area_and_lever() -> None:
    body = {
        "kind": "chambered_arm",
        "radius": 0.017,
        "plates": [0.005, 0.005],
        "stations": 11,
        "segments": [
            {"length": 0.15, "chambers": 3, "chamber_radius": 0.005, "chamber_offset": 0.010}
        ],
    }
    given = {"name": "c", "title": "t", "source": "s", "body": body}
    rubber = {"material": {"body": RUBBER}}
    # Bending about y and stretch, by a moment, a force, and the first chamber, which is at +z.
    loads = [
        {"kind": "tip_moment", "moment": [0.0, 2e-4, 0.0]},
        {"kind": "tip_force", "force": [0.02, 0.0, 0.0]},
        {"kind": "pressure", "cavities": ["s1c1"], "pressure": 200.0},
    ]
    cases = [Case.model_validate({**given, **rubber, "load": {"a": load}}) for load in loads]
    found = regress(cases[0], [predict(case) for case in cases], ("ky", "ex"), ["s1c1"])
    area = np.pi * 0.005**2
    # Rod solutions of bends below 0.05 rad: averages of wrenches in turned frames, to its square.
    assert found.arms(cases[0], 0.08)[:, 0] == pytest.approx([0.010 * area, area], rel=3e-3)
    assert np.diag(found.ratio) == pytest.approx([1.0, 1.0], rel=3e-3)
