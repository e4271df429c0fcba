"""What is exported: effective areas, the best linear law, and the step that is repeated."""

import math
from pathlib import Path

import numpy as np
import pytest

from loligo.cases.case_file import load
from loligo.cases.coefficients import read
from loligo.cases.core.record import BadInput
from loligo.reduced.predict.predict import predict
from loligo.validation.data.shipped import shipped
from loligo.validation.export.arm import exported_arm
from loligo.validation.export.held_out import held_out
from loligo.validation.export.linear import FreeState, best_linear

GONG = load("gong_bending_one")
SLICE = read(Path(__file__).parent / "gong_slice.toml")
K = np.diag([3.6e-3, 8.9e-3, 8.9e-3, 175.0, 19.0, 19.0])


def test_the_effective_area_and_place_of_a_chamber_are_those_of_the_wall_too():
    """2.57e-4 m^2, 3.3 times pi r^2, and 2.64 mm from the axis, not 10."""
    first = exported_arm(GONG, SLICE).chambers[0]
    assert first.area == pytest.approx(2.574e-4, rel=1e-3)
    assert first.offset == pytest.approx(2.64e-3, rel=1e-3)
    assert first.area / first.drawn_area == pytest.approx(3.28, abs=0.01)
    assert first.place[0] == pytest.approx(0.0, abs=1e-6) and first.place[1] > 0.0  # at 90 deg


def test_a_linear_law_is_its_own_best():
    wrenches = np.random.default_rng(1).normal(size=(2, 6)) * np.diag(K) * 1e-6
    states = [
        FreeState(p, np.linalg.solve(K, p @ wrenches), K)
        for p in np.array([[0.0, 0.0], [1e4, 0.0], [0.0, 1e4], [2e4, 1e4]])
    ]
    fit = best_linear(states, 0.017)
    np.testing.assert_allclose(fit.arms, wrenches.T, rtol=1e-10, atol=1e-18)
    assert fit.error < 1e-10 and fit.softest == 0.0


def test_the_error_of_a_curved_law_is_that_of_the_best_line():
    """e = p^2 at 0, 1/2 and 1 has the slope 0.9 in least squares and misses by 0.2 at 1/2."""
    states = [FreeState(np.array([p]), p**2 * np.eye(6)[3], np.eye(6)) for p in (0.0, 0.5, 1.0)]
    fit = best_linear(states, 1.0)
    assert fit.arms[3, 0] == pytest.approx(0.9)
    assert fit.error == pytest.approx(0.2)


def test_a_law_of_the_solid_becomes_its_best_linear_law(bent_law):
    bends = np.array([[2.0, 0.0], [-1.0, 1.5], [-1.0, -1.5]])
    arm = exported_arm(GONG, laws=bent_law(bends))
    assert arm.error < 1e-12 and arm.solid is not None
    for chamber, (y, z) in zip(arm.chambers, bends, strict=True):
        expected = K @ [0.0, y, z, 0.0, 0.0, 0.0] / 2e4
        np.testing.assert_allclose(chamber.wrench, expected, rtol=1e-9, atol=1e-18)
        assert chamber.pressure == (0.0, 2e4)
    # The outermost fibre at the largest free bend, and the reach beside it
    assert arm.max_stretch == pytest.approx(1.0 + 0.017 * math.hypot(2.0, 0.0) + 0.2, rel=0.1)


def test_another_body_s_law_is_refused():
    with pytest.raises(BadInput, match="another body"):
        exported_arm(load("zhang_actuator"), SLICE)
    with pytest.raises(BadInput, match="only an arm"):
        exported_arm(load("renda_mantle_ring"))


def test_the_step_to_repeat_is_held_out_and_in_the_range():
    arm = exported_arm(GONG, SLICE)
    step = held_out(arm)
    found = predict(GONG, coefficients=SLICE)
    inside = (found["max_stretch"].values <= SLICE.reach.max_stretch).nonzero()[0]
    assert step.step == inside[-1] + 1 and not step.fitted and not step.beyond
    # loligo's own prediction, to its discretisation
    tip = found["frame"].values[step.step - 1, -1, :3, 3]
    assert np.linalg.norm(step.repeated - tip) < 1e-5 * step.moved
    assert step.pressure == {"s1c1": GONG.steps[step.step - 1] * 30e3, "s1c2": 0.0, "s1c3": 0.0}


def test_a_step_that_was_fitted_is_said_to_be():
    fitted = read(Path(str(shipped()["gong_arm"].parent)) / "robots" / "gong_arm.toml")
    arm = exported_arm(load("gong_arm"), fitted)
    assert arm.own is not None and arm.error > 0.01
    assert arm.as_itself().error == 0.0
    assert held_out(arm).fitted
