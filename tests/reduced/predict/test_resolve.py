"""The error that a prediction says of itself, against much finer ones."""

import numpy as np
import pytest
import xarray as xr

from loligo.cases.body import TaperedArm
from loligo.cases.case import Case, Motion
from loligo.cases.case_file import load
from loligo.cases.dataset import io as dataset
from loligo.cases.load.history import Step
from loligo.cases.load.kinds import TipForce, Weight
from loligo.cases.rubber.elastomer import NeoHooke
from loligo.reduced.predict.case_at import Steps
from loligo.reduced.predict.predict import answer, predict, resolved
from loligo.reduced.predict.resolve import LIMIT, resolve

LENGTH = 0.245
CASE = load("renda_arm_tip_force")


def swinging(duration=0.2):
    """Renda's tapered arm, held level by a tip force and let go, hardly damped."""
    return Case(
        name="swing",
        title="Swing",
        source="Test",
        gravity=(0.0, 0.0, -1.0),
        body=TaperedArm(
            length=LENGTH, base_radius=0.010, tip_radius=0.002, tip_disc=1e-3, stations=6
        ),
        material={"body": NeoHooke(mu=110e3 / 3, density=1080.0, viscosity=30.0)},
        load={
            "weight": Weight(),
            "hold": TipForce(force=(0.0, 0.0, 0.02), history=Step(before=1.0, after=0.0)),
        },
        time=Motion(duration=duration, every=0.02),
    )


def apart(one, other):
    gap = (one["frame"] - other["frame"]).values[..., :3, 3]
    return float(np.linalg.norm(gap, axis=-1).max() / LENGTH)


def test_a_motion_says_its_error_in_space_and_in_time():
    """Two intervals a length, and steps that are far too long: against six and short ones."""
    case = swinging()
    for refine, tolerance in ((1 / 3, 1e-5), (1 / 2, 1e-5)):
        found = predict(case, refine=refine)
        fine = answer(case, "rod", refine=1.0, time_steps=Steps(1e-6, 0.01))
        true = apart(found, fine)
        assert found.attrs["refinement"] == refine
        assert true > 1e-5
        assert true / 3.0 < found.attrs["error_in_space"] < 30.0 * true
        assert found.attrs["error_in_time"] < found.attrs["error_in_space"]
        width = found["frame_uncertainty"].values
        each = np.linalg.norm((found["frame"] - fine["frame"]).values[..., :3, 3], axis=-1)
        assert width.max() >= each.max() / 3.0
        assert dataset.check(found) == []


def test_the_error_in_time_is_that_of_the_tolerance(monkeypatch):
    case = swinging()
    monkeypatch.setattr("loligo.reduced.predict.rod_motion.TOLERANCE", 3e-2)
    found = predict(case, refine=0.5)
    fine = answer(case, "rod", refine=0.5, time_steps=Steps(1e-6, 0.01))
    true = apart(found, fine)
    assert true > 1e-6
    assert true / 3.0 < found.attrs["error_in_time"] < 10.0 * true


@pytest.mark.parametrize(
    ("name", "law", "refine"),
    [
        ("renda_arm_tip_force", "geometry", 0.4),
        ("renda_arm_tip_force", "solid", 1.0),
        ("renda_mantle_ring", None, 0.4),
        ("gong_bending_one", "geometry", 0.4),
    ],
)
def test_a_static_prediction_bounds_its_error(name, law, refine):
    case = load(name)
    found, fine = (predict(case, refine=each, law=law) for each in (refine, 2.0))
    assert "error_in_time" not in found.attrs
    assert found.attrs["error_in_space"] < LIMIT
    if "frame" in found:
        gap = np.linalg.norm((found["frame"] - fine["frame"]).values[..., :3, 3], axis=-1)
        assert np.all(gap.max(axis=1) <= 3.0 * found["frame_uncertainty"].values + 1e-12)
    else:
        gap = np.abs(found["volume"] - fine["volume"]).values[:, 0]
        assert gap.max() > 0.0
        assert gap.max() <= 3.0 * found["volume_uncertainty"].values.max()


def rough(error, stops_below=0.0):
    """A model whose tip is off by `error` of the length over the cube of its fineness."""

    def model(case, *, refine, time_steps, on_the_way):
        count = 1 if refine < stops_below else 2
        frame = np.tile(np.eye(4), (2, 2, 1, 1))
        frame[:, 1, 0, 3] = LENGTH * (1.0 + error / refine**3)
        asked.append(refine)
        return xr.Dataset(
            {
                "frame": (("step", "station", "row", "column"), frame[:count]),
                "time": ("step", np.full(count, np.nan)),
                "stable": ("step", np.ones(count)),
            },
            {"station": [0.0, LENGTH]},
            {"status": "complete", "reached": float(count), "size": 1.0 / refine},
        )

    asked: list[float] = []
    return model, asked


@pytest.mark.parametrize(
    ("error", "refined"), [(1e-4, 1.0), (0.01, 1.5**2), (0.06, 1.5**3), (1.0, 1.5**3)]
)
def test_intervals_are_added_until_the_error_is_small(error, refined):
    """Two levels that differ by d are given 3 d/(1.5^3 - 1); of order 3 that is thrice the error.

    Thrice 0.01 is 0.0089 on the second grid and 0.0026 on the third; 0.06 is 0.0047 on the fourth.
    """
    model, asked = rough(error)
    found = resolve(CASE.model_copy(update={"steps": (0.5, 1.0)}), model, None, on_the_way=False)
    assert found.data.attrs["refinement"] == pytest.approx(refined)
    left = 3.0 * error / refined**3
    assert found.data.attrs["error_in_space"] == pytest.approx(left, rel=1e-6)
    assert bool(found.cautions) == (left > LIMIT)
    assert asked[:2] == [1.0, pytest.approx(1 / 1.5)]
    assert len(asked) == len(set(asked))  # no grid twice


def test_what_the_user_asks_for_is_respected_and_its_error_said():
    model, asked = rough(0.5)
    case = CASE.model_copy(update={"steps": (0.5, 1.0)})
    found = resolve(case, model, 2.0, on_the_way=False)
    assert asked == [2.0, pytest.approx(2.0 / 1.5)]
    assert found.data.attrs["error_in_space"] == pytest.approx(3.0 * 0.5 / 8.0)
    assert found.cautions == [
        "under-resolved: the error in space is 0.19 of the length, more than 0.005"
    ]


def test_an_error_that_is_not_known_is_said():
    model, _ = rough(1e-4, stops_below=0.9)
    case = CASE.model_copy(update={"steps": (0.5, 1.0)})
    found = resolve(case, model, None, on_the_way=False)
    assert "error_in_space" not in found.data.attrs and "frame_uncertainty" not in found.data
    assert found.cautions == ["the error in space is not known: no coarser model goes as far"]


def test_levels_are_those_of_two_grids_and_two_steps():
    found = resolved(swinging(0.04))
    sizes = [level.attrs["size"] for level in found.spaces]
    assert sizes[1] == pytest.approx(1.5 * sizes[0])
    assert [level.attrs["time_step"] for level in found.times] == pytest.approx([0.5**0.5, 1.0])
    assert found.data.attrs["cautions"] == ""
    assert found.data.attrs["error_in_space"] < LIMIT


def test_a_model_in_closed_form_has_no_error_in_space():
    found = predict(load("zhang_joint_one"), "joint")
    assert found.attrs["error_in_space"] == 0.0
    assert found.attrs["cautions"] == "" and "frame_uncertainty" not in found
