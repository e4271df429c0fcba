"""Comparisons: bars from levels, what shows, verdicts, matching. Nothing here is a 3D solution.

The references are rods of other stiffness, whose error is made known by construction.
"""

import json
from dataclasses import replace

import numpy as np
import pytest
import xarray as xr
from synthetic import STATION, arm

from loligo.cases.acceptance import Acceptance
from loligo.cases.case_file import load, to_toml
from loligo.cases.coefficients import for_case
from loligo.cases.core.record import BadInput
from loligo.cases.dataset.io import check
from loligo.reduced.predict.predict import predict
from loligo.validation.compare.bars import ErrorBar, alike, level_bar, stated_bar
from loligo.validation.compare.comparison import compare
from loligo.validation.compare.consistency import strain_findings
from loligo.validation.compare.metrics import BY_NAME
from loligo.validation.compare.record import record
from loligo.validation.compare.row import MetricRow
from loligo.validation.data.matching import match
from loligo.validation.data.source import Source
from loligo.validation.fitting.coefficients.held_out import calibrate, scaled, softened

L = STATION[-1]
CASE = load("renda_arm_tip_force")


def bent(kappa, load=(1.0,), **more):
    excess = np.zeros((len(load), 1, 6))
    excess[:, 0, 2] = kappa
    return arm(excess, load, **more)


def reference(factor, case=CASE, **attrs):
    """A rod whose bending stiffness is not the case's, for a reference without bars."""
    data = predict(case, stiffness=[1.0, factor, factor, 1.0, 1.0, 1.0])
    data = data.drop_vars([name for name in data.data_vars if "_uncertainty" in str(name)])
    return data.assign_attrs(kind="reference", source="a rod of another stiffness", **attrs)


def test_the_bar_of_a_metric_is_that_of_its_levels():
    # kappa = 5 + 0.4 h^2: the curvature's error on the finest level is 0.4 h1^2 exactly.
    sizes = (1.0, 1.4, 1.96)
    levels = {h: bent(5.0 + 0.4 * h**2) for h in sizes}
    bar = level_bar(BY_NAME["curvature"], levels[1.0], alike(levels[1.0], levels), 2.0)
    assert bar.origin == "three levels"
    assert bar.half_width == pytest.approx([1.25 * 0.4])
    assert bar.order == pytest.approx([2.0])
    del levels[1.96]
    bar = level_bar(BY_NAME["curvature"], levels[1.0], alike(levels[1.0], levels), 2.0)
    assert bar.origin == "two levels"
    assert bar.half_width == pytest.approx([3.0 * 0.4])


def test_a_bar_that_is_stated_bounds_the_metric():
    data = bent(5.0).assign(strain_uncertainty=("step", [0.02], {"units": "1/m"}))
    assert stated_bar(BY_NAME["bend_angle"], data).half_width >= 0.02 * L
    assert stated_bar(BY_NAME["curvature"], data).half_width >= 0.02
    nothing = stated_bar(BY_NAME["tip_position"], data)
    assert nothing.origin == "not given" and not nothing.known


def test_an_error_shows_only_beyond_the_bars():
    exact = reference(1.05)
    bars = [0.0, 1e-4, 1.0, 1.0]
    stated = exact.assign(frame_uncertainty=("step", bars, {"units": "m"}))
    row = compare(CASE, Source(stated), calibrating=False).row("tip_position")
    assert row.bars_known
    assert row.mesh.half_width == pytest.approx(np.sqrt(3.0) * np.array(bars))
    assert row.reduced.half_width == pytest.approx(np.zeros(4), abs=1e-5 * 0.245)
    assert list(row.resolved) == [True, True, False, False]
    assert not compare(CASE, Source(exact), calibrating=False).row("tip_position").resolved.any()


def test_a_rod_is_judged_on_every_law_that_there_is(with_laws):
    """A reference on the law of the solid: that law is right, and the linear ones are not."""
    case = load("gong_bending_one")
    exact = predict(case, law="solid").assign_attrs(kind="reference", source="a rod")
    found = compare(case, Source(exact), calibrating=False)
    assert [one.law for one in found.laws] == ["solid", "slice", "geometry"]
    solid, at_rest, geometry = (one.relative[-1] for one in found.laws)
    assert solid < 1e-6 < 0.05 < min(at_rest, geometry)
    assert found.pair.prediction.attrs["law_name"].startswith("solid ")
    by_geometry = compare(case, Source(exact), calibrating=False, law="geometry")
    assert by_geometry.headline.relative[-1] == pytest.approx(geometry, rel=1e-3)
    told = json.loads(json.dumps(record(found), allow_nan=False))
    assert told["laws"][0]["words"] == told["prediction"]["law"]


def test_the_parts_of_a_bar_add_in_squares():
    """V&V 20's sum: 0.8, 1.5 and 1.2 make 2.0809; 2.9 shows beyond one of them, not two."""
    parts = (ErrorBar(np.array([x]), "stated") for x in (1.2, 0.0, 0.8, 1.5))
    error = np.array([2.9])
    row = MetricRow(BY_NAME["tip_position"], error, None, None, *parts, {}, None, None)
    assert row.bar == pytest.approx([2.0809], abs=5e-5)
    assert row.resolved.all()
    double = [replace(part, half_width=2.0 * part.half_width) for part in row._parts]
    twice = replace(row, **dict(zip(("mesh", "time", "reduced", "inputs"), double, strict=True)))
    assert not twice.resolved.any()


def test_a_trade_name_counts_against_measured_data_alone():
    """A rod that is 10 % off lies within a factor 2 of the modulus; a 3D solution has its own."""
    case = load("gong_bending_one")
    stated = predict(softened(case, 1.1)).assign(
        frame_uncertainty=("step", np.zeros(len(case.steps)), {"units": "m"})
    )
    stated = stated.assign_attrs(case=to_toml(case))  # it stands in for a solution of the case
    shown = {}
    for kind in ("reference", "measurement"):
        found = compare(case, Source(stated.assign_attrs(kind=kind)), calibrating=False)
        shown[kind] = found.row("tip_position")
    assert shown["reference"].resolved.all()
    assert not shown["measurement"].resolved.any()
    assert np.all(shown["reference"].inputs.half_width == 0.0)
    # The softer end: tip of the modulus over root 2 against the tip of the modulus itself.
    tips = [predict(softened(case, f))["frame"].values[:, -1, :3, 3] for f in (2.0**-0.5, 1.0)]
    gap = np.linalg.norm(tips[0] - tips[1], axis=-1)
    assert shown["measurement"].inputs.half_width == pytest.approx(gap, rel=1e-6)
    own = compare(case, Source(stated.assign_attrs(kind="measurement")), Source(predict(case)))
    assert not own.row("tip_position").bars_known


@pytest.mark.parametrize(
    ("level", "bar", "verdict"),
    [(0.5, 0.0, "met"), (0.5, 0.2, "not shown"), (1e-4, 0.0, "not met"), (1e-4, 0.2, "not shown")],
)
def test_verdicts(level, bar, verdict):
    acceptance = Acceptance(purpose="a test", tip_position=level)
    case = CASE.model_copy(update={"acceptance": acceptance})
    stated = reference(1.05).assign(frame_uncertainty=("step", [bar] * 4, {"units": "m"}))
    found = compare(case, Source(stated), calibrating=False)
    assert found.row("tip_position").verdict == verdict
    assert found.accepted == verdict


def judged(level, excess, bar, **acceptance):
    """A row of bend angles that are off by a tenth, at loads of which the first bends nothing."""
    data = bent([1e-9, 1.0], load=(0.1, 1.0))
    data = data.assign(strain_uncertainty=("step", [bar, bar], {"units": "1/m"}))
    case = CASE.model_copy(
        update={"acceptance": Acceptance(purpose="a test", bend_angle=level, **acceptance)}
    )
    mine = bent([2e-9, 1.0 + excess], load=(0.1, 1.0), kind="prediction")
    mine = mine.assign(strain_uncertainty=("step", [0.0, 0.0], {"units": "1/m"}))
    named = {"case_name": case.name}
    return compare(case, Source(data.assign_attrs(named)), Source(mine.assign_attrs(named)))


def test_a_share_of_nothing_is_not_judged():
    """A bend below 0.01 rad is no scale: an error of 1e-10 rad there is no level missed."""
    found = judged(0.2, 0.1, 0.0)
    assert list(found.row("bend_angle").scale > 0.0) == [False, True]
    assert found.row("bend_angle").verdict == found.accepted == "met"
    assert judged(0.05, 0.1, 0.0).accepted == "not met"
    assert judged(0.2, 0.1, 1.0).accepted == "not shown"


def test_a_level_of_what_is_not_in_both_is_not_met_silently():
    found = judged(0.2, 0.1, 0.0, volume=0.1)
    assert found.row("bend_angle").verdict == "met"
    assert found.accepted == "not shown"
    assert any("no volume in both" in note for note in found.notes)


def test_a_prediction_that_stops_is_not_accepted():
    acceptance = Acceptance(purpose="a test", tip_position=0.5)
    case = CASE.model_copy(update={"acceptance": acceptance})
    short = predict(CASE).isel(step=[0, 1]).assign_attrs(status="stopped at step 3: test")
    found = compare(case, Source(reference(1.05)), Source(short))
    assert found.pair.missed == (3, 4)
    assert found.accepted == "not met"
    assert any("stopped at step 3" in note for note in found.notes)


def test_unstable_steps_are_named():
    data = reference(1.1).assign(stable=("step", np.array([1, -1, 0, 0])))
    found = compare(CASE, Source(data), calibrating=False)
    assert "the reference is unstable at step 3, 4: no body keeps that state" in found.notes
    assert not any("prediction is unstable" in note for note in found.notes)


def test_calibration_finds_the_stiffness_and_predicts_what_it_has_not_seen():
    found = compare(CASE, Source(reference(1.3)))
    (factor,) = found.calibrated.factors
    assert factor.name == "bending_stiffness"
    assert factor.value == pytest.approx(1.3, rel=1e-6)
    assert factor.absorbs
    assert found.calibrated.fitted == (1, 2) and found.calibrated.held_out == (3, 4)
    row = found.row("tip_position")
    assert np.all(row.error > 1e-3)
    assert np.isnan(row.calibrated[:2]).all()  # what was fitted is no test
    assert row.calibrated[2:] == pytest.approx(np.zeros(2), abs=1e-6)


def test_a_mantle_is_calibrated_by_its_modulus():
    case = load("renda_mantle_ring")
    other = predict(softened(case, 1.2)).assign_attrs(kind="reference")
    found = calibrate(case, other, "shell")
    assert [factor.name for factor in found.factors] == ["modulus"]
    assert found.factors[0].value == pytest.approx(1.2, rel=1e-6)


def test_factors_carry_over_to_another_load():
    moment = load("renda_arm_tip_moment")
    expected = reference(1.3, moment)["frame"].values
    stiffer = for_case(moment, "another load").replaced({"bending_stiffness": 1.3})
    found = predict(moment, "rod", coefficients=stiffer)
    np.testing.assert_allclose(found["frame"].values, expected, atol=1e-12)


def test_another_modulus_scales_all_that_is_in_pascal():
    rubber = load("gong_bending_one").material["body"]
    twice = scaled(rubber, 2.0)
    assert (twice.c10, twice.c20, twice.c30) == (2 * rubber.c10, 2 * rubber.c20, 2 * rubber.c30)
    assert twice.density == rubber.density and twice.young_modulus == 2 * rubber.young_modulus


def test_the_published_spread_is_carried_into_what_is_claimed():
    case = load("gong_bending_one")
    found = compare(case, Source(predict(case)), calibrating=False)
    claim = next(claim for claim in found.claims if claim.name == "bend_angle")
    low, high = claim.range
    assert np.all(low < claim.prediction) and np.all(claim.prediction < high)
    # A rod's state depends on pressure over modulus alone: pressures a factor 2 apart, the spread.
    double = case.model_copy(update={"steps": tuple(2.0 * f for f in case.steps)})
    other = compare(double, Source(predict(double)), calibrating=False)
    other_low = next(claim for claim in other.claims if claim.name == "bend_angle").range[0]
    np.testing.assert_allclose(other_low, high, rtol=1e-6)
    measured = compare(CASE, Source(reference(1.1)), calibrating=False)
    assert all(claim.range is None for claim in measured.claims)


def test_the_record_is_json_with_every_part_of_the_error():
    text = json.dumps(record(compare(CASE, Source(reference(1.3)))), allow_nan=False)
    found = json.loads(text)
    row = found["metrics"]["tip_position"]
    assert set(row["kinematic"]) == {"arc", "two_arcs", "constant_strain", "two_strains"}
    assert row["mesh"]["origin"] == "not given" and row["mesh"]["half_width"] == [None] * 4
    assert row["time"]["origin"] == "static"
    assert len(row["calibrated"]) == len(row["error"]) == 4
    assert found["calibration"]["factors"][0]["absorbs_model_error"]


def test_steps_are_matched_by_their_loads():
    kappa = np.array([1.0, 2.0, 3.0])
    full = bent(kappa, load=(0.1, 0.2, 0.3))
    pair = match(full, bent(kappa[[0, 2]], load=(0.1, 0.3)))
    assert pair.steps == (1, 3) and pair.missed == (2,)
    assert BY_NAME["curvature"].error(pair.reference, pair.prediction) == pytest.approx([0, 0])
    back = bent(kappa, load=(0.1, 0.2, 0.1))
    assert match(back, back).steps == (1, 2, 3)
    with pytest.raises(BadInput, match="no step of the prediction"):
        match(full, bent([1.0], load=(0.15,)))


def test_other_stations_are_reached_by_constant_strain():
    coarse = np.array([0.0, 0.07, L])
    pair = match(bent(5.0), bent(5.0, station=coarse))
    for name in ("tip_position", "centreline_max", "curvature", "tip_attitude"):
        error = BY_NAME[name].error(pair.reference, pair.prediction)
        assert error == pytest.approx([0.0], abs=1e-12), name
    assert any("interpolated" in note for note in pair.notes)
    with pytest.raises(BadInput, match="nothing is extrapolated"):
        match(bent(5.0), bent(5.0, station=0.9 * STATION))


def test_cavities_are_matched_by_name():
    def data(names, volumes):
        return bent(5.0).assign(volume=(("step", "cavity"), [volumes])).assign_coords(cavity=names)

    pair = match(data(["a", "b"], [1e-6, 2e-6]), data(["b", "a"], [2e-6, 1e-6]))
    assert BY_NAME["volume"].error(pair.reference, pair.prediction) == pytest.approx([0.0])
    pair = match(data(["a", "b"], [1e-6, 2e-6]), data(["b"], [3e-6]))
    assert BY_NAME["volume"].error(pair.reference, pair.prediction) == pytest.approx([1e-6])


def test_a_profile_on_other_places():
    def mantle(arc):
        return xr.Dataset(
            {
                "load_p": ("step", [1.0]),
                "profile_radius": (("step", "meridian"), [0.03 + 0.1 * arc]),
                "profile_axial": (("step", "meridian"), [arc]),
            },
            {"meridian": arc},
        )

    pair = match(mantle(np.linspace(0.0, 0.1, 7)), mantle(np.linspace(0.0, 0.1, 23)))
    error = BY_NAME["profile_max"].error(pair.reference, pair.prediction)
    assert error == pytest.approx([0.0], abs=1e-15)


def test_the_other_case_is_refused():
    with pytest.raises(BadInput, match="differs in body and rubber and loads"):
        compare(CASE, Source(predict(load("cylinder"))))


def test_states_at_rest_do_not_follow_to_other_stations():
    """They have no steps; frames are brought to the reference's stations."""
    station = np.linspace(0.0, L, 2 * STATION.size - 1)
    rest = np.tile(np.eye(4), (station.size, 1, 1))
    fine = bent(5.0, station=station, frame_rest=(("station", "row", "column"), rest))
    pair = match(bent(5.0), fine)
    assert "frame_rest" not in pair.prediction
    np.testing.assert_allclose(pair.prediction["frame"], pair.reference["frame"], atol=1e-12)


def test_a_prediction_that_may_have_lost_a_turn_is_not_interpolated():
    whole = bent(np.radians(200.0) / L)
    ends = whole.drop_dims("station_mid").isel(station=[0, -1])
    with pytest.raises(BadInput, match="between the stations X = 0 and"):
        match(whole, ends)


def test_a_last_state_that_may_have_lost_a_turn_costs_no_comparison():
    """Of a prediction that stopped on the way to a step: no step of the reference has its load."""
    places = np.array([0.0, 0.5, 1.0]) * L
    turns = np.radians([120.0, 500.0]) / L
    there = bent(turns[:1], station=STATION)
    stopped = bent(turns, load=(1.0, 1.4), station=places).assign_attrs(kind="prediction")
    assert ("warning", "frame") in {(one.verdict, one.where) for one in check(stopped)}
    pair = match(there, stopped)
    assert pair.steps == (1,)
    np.testing.assert_allclose(pair.prediction["frame"], pair.reference["frame"], atol=1e-12)
    assert list(strain_findings(stopped)) == []


def test_the_bar_holds_what_the_predictions_own_grid_leaves(monkeypatch):
    """A rod of two intervals a length: its error against twelve is within the reduced bar."""
    case = load("gong_bending_one")
    coarse = predict(case, refine=1 / 3)
    fine = predict(case, refine=2.0).assign_attrs(kind="reference")
    found = compare(case, Source(fine), Source(coarse)).row("tip_position")
    assert found.reduced.origin == "stated"
    assert np.all(found.error <= 3.0 * found.reduced.half_width + 1e-9)
    monkeypatch.setattr("loligo.reduced.predict.arm_loads._INTERVALS", 2)
    ours = compare(case, Source(fine), calibrating=False).row("tip_position")
    assert ours.reduced.origin == "two levels"
    np.testing.assert_allclose(ours.error, found.error, atol=1e-9)
