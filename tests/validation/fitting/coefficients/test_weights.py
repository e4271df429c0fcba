"""Generalised least squares: with the scatter that is stated the intervals cover, else they do not.

A straight line of known slopes stands in for a model, so that thousands of fits cost nothing; one
test has a rod with the noise of a camera.
"""

import numpy as np
import pytest
from scipy import stats

from loligo.cases import coefficients as files
from loligo.cases.case_file import load
from loligo.reduced.predict.predict import predict
from loligo.validation.fitting.coefficients import search as module
from loligo.validation.fitting.coefficients.case_data import CaseData
from loligo.validation.fitting.coefficients.intervals import identify, wald
from loligo.validation.fitting.coefficients.judge import judge
from loligo.validation.fitting.coefficients.search import Residuals, Search, calibrate
from loligo.validation.fitting.coefficients.weights import weights

CASE = load("cylinder")
ROD = predict(CASE)
SEED = 20261120
TRUE = 0.7
COUNT = 60
SLOPE = np.linspace(0.2, 1.0, COUNT)
UNEVEN = np.where(np.arange(COUNT) % 2, 0.3, 0.01)
"""Half of the values are thirty times as noisy as the others."""


def line(monkeypatch, random, truth, stated, extra=0.0):
    """Fit a line's one unknown, a signed one; returns estimate, standard error, interval, fit."""
    noise = truth * random.normal(size=COUNT) + extra * random.normal(size=COUNT)

    def residuals(search, unknowns, last, rough=False):
        value = SLOPE * (unknowns[0] - TRUE) - noise
        zero = np.zeros(COUNT, dtype=int)
        return Residuals(value, zero, zero, np.broadcast_to(stated, COUNT).astype(float))

    monkeypatch.setattr(module, "residuals", residuals)
    study = CaseData(CASE, ROD, (1,))
    found = calibrate(Search("rod", files.for_case(CASE, "made"), ("softening",), (study,)))
    known = identify(found.jacobian, found.variance)
    (ends,) = wald(found, known)
    return found.unknowns[0], known.error[0], ends, found


def trials(monkeypatch, count, truth, stated, extra=0.0):
    """Share of intervals that hold the truth, mean square of error over standard error, belief.

    The last is the share of fits in which the stated scatter is taken as it is.
    """
    random = np.random.default_rng(SEED)
    hits, square, believed = 0, 0.0, 0
    for _ in range(count):
        value, error, ends, found = line(monkeypatch, random, truth, stated, extra)
        hits += ends.low <= TRUE <= ends.high
        believed += found.stated
        square += ((value - TRUE) / error) ** 2 / count
    return hits / count, square, believed / count


def test_with_the_stated_scatter_an_interval_covers_as_often_as_it_says(monkeypatch):
    """Of 400 trials at 95 %: 0.95 +- 0.0109, and chi-squared over 400: 1 +- 0.071; four sigma."""
    cover, square, believed = trials(monkeypatch, 400, UNEVEN, UNEVEN)
    assert believed > 0.96  # of 99 %; four sigma
    assert abs(cover - 0.95) < 0.044
    assert abs(square - 1.0) < 0.29


@pytest.mark.parametrize("factor", [0.2, 5.0])
def test_wrong_weights_would_be_seen(monkeypatch, factor):
    """The even values are said to be noisier or better than they are: intervals fail the test.

    Too good a scatter is seen as a misfit and widens the interval; too bad a one is believed.
    """
    cover, square, _ = trials(monkeypatch, 400, UNEVEN, factor * UNEVEN)
    if factor > 1.0:
        assert cover > 0.995 and square < 0.1
    else:
        _, _, _, found = line(monkeypatch, np.random.default_rng(SEED), UNEVEN, factor * UNEVEN)
        assert not found.stated and found.misfit_over_scatter == pytest.approx(5.0, rel=0.3)
        assert abs(cover - 0.95) < 0.06


def test_the_stated_scatter_makes_the_estimate_as_good_as_it_can_be(monkeypatch):
    """Gauss and Markov: variance 1/sum(x^2/u^2) with the weights, and many times that without."""
    best = 1.0 / np.sqrt(np.sum(SLOPE**2 / UNEVEN**2))
    plain = np.sqrt(np.sum(SLOPE**2 * UNEVEN**2)) / np.sum(SLOPE**2)
    assert plain > 8.0 * best
    off = {}
    for name, stated in (("stated", UNEVEN), ("not", 0.0)):
        random = np.random.default_rng(SEED)
        found = [line(monkeypatch, random, UNEVEN, stated)[0] for _ in range(200)]
        off[name] = float(np.sqrt(np.mean((np.array(found) - TRUE) ** 2)))
    assert off["stated"] == pytest.approx(best, rel=0.2)
    assert off["not"] == pytest.approx(plain, rel=0.2)


def test_an_error_of_the_model_is_added_to_the_scatter(monkeypatch):
    """Scatter 0.01 stated, 0.1 there: tau is what lacks, and Student's interval covers."""
    cover, square, believed = trials(monkeypatch, 400, 0.01, 0.01, extra=0.1)
    assert believed == 0.0
    assert abs(cover - 0.95) < 0.044 and abs(square - 1.0) < 0.35
    random = np.random.default_rng(SEED)
    left, u = 0.1 * random.normal(size=5000), np.full(5000, 0.02)
    weight = weights(np.zeros(5000, dtype=int), u, left)
    assert 1.0 / weight[0] ** 2 == pytest.approx(np.mean(left**2), rel=1e-9)
    within = weights(np.zeros(5000, dtype=int), u, 0.02 * random.normal(size=5000))
    np.testing.assert_allclose(within * u, 1.0)


def camera(random, noise=2e-3, bending=1.2):
    """Points of the cylinder's axis as a camera sees them, later steps ever more sharply."""
    made = files.for_case(CASE, "made").replaced({"bending_stiffness": bending})
    exact = predict(CASE, coefficients=made)
    points = exact["frame"].values[..., :3, 3]
    sigma = noise * np.array([4.0, 1.0, 0.5, 4.0])
    points = points + sigma[:, None, None] * random.normal(size=points.shape)
    data = exact[["time", "load_push"]].assign_coords(station=exact["station"], axis=list("xyz"))
    return data.assign(
        centreline=(("step", "station", "axis"), points),
        centreline_uncertainty=("step", 1.96 * sigma, {"units": "m"}),
    ).assign_attrs(kind="measurement", source="a camera", status="complete", case_name="cylinder")


def fitted(data, steps=(1, 2, 3)):
    study = CaseData(CASE, data, steps)
    search = Search("rod", files.for_case(CASE, "made"), ("bending_stiffness",), (study,))
    return calibrate(search)


def test_a_camera_that_states_its_noise_is_believed():
    data = camera(np.random.default_rng(SEED))
    found = fitted(data)
    assert found.stated and found.variance == 1.0
    assert found.misfit_over_scatter == pytest.approx(1.0, abs=0.3)
    judged = judge(found, profiles=False)
    assert judged.wald[0].low <= 1.2 <= judged.wald[0].high
    # The error follows from the noise alone: the same data said to be twice as noisy double it.
    doubled = data.assign(centreline_uncertainty=2.0 * data["centreline_uncertainty"])
    doubled["centreline_uncertainty"].attrs["units"] = "m"
    twice = fitted(doubled)
    ratio = identify(twice.jacobian, 1.0).error / identify(found.jacobian, 1.0).error
    assert ratio == pytest.approx([2.0], rel=1e-3)
    without = fitted(data.drop_vars("centreline_uncertainty"))
    assert not without.stated and without.unknowns[0] != pytest.approx(found.unknowns[0], rel=1e-6)


def test_a_misfit_within_the_noise_is_not_held_against_the_model():
    """Noise of a fifth of the displacement: no coefficients fit it, and none has to."""
    data = camera(np.random.default_rng(SEED + 1), noise=1e-2)
    judged = judge(fitted(data), profiles=False)
    off = {row.fitted: row for row in judged.rows}
    assert off[True].after > 0.1 and off[True].within and off[False].within
    said = " ".join(judged.cautions)
    assert "cannot make" not in said and "within the stated uncertainty" in said
    blind = judge(fitted(data.drop_vars("centreline_uncertainty")), profiles=False)
    assert "cannot make" in " ".join(blind.cautions)


def test_a_misfit_beyond_the_noise_is_said():
    """The arc of constant curvature is no cylinder under a force, however sharp the camera."""
    data = camera(np.random.default_rng(SEED + 2), noise=1e-5)
    study = CaseData(CASE, data, (1, 2, 3))
    base = files.for_case(CASE, "made")
    found = calibrate(Search("pcc", base, ("bending_stiffness",), (study,)))
    assert not found.stated and found.misfit_over_scatter > 10.0
    judged = judge(found, profiles=False)
    assert not any(row.within for row in judged.rows)
    assert any("times the stated uncertainty" in caution for caution in judged.cautions)
    assert stats.chi2.sf(found.misfit_over_scatter**2 * found.residual.size, 100) == 0.0
