"""Calibration: known coefficients are recovered with their intervals, and traps are said.

Synthetic data come from another formulation and discretisation of the rod, by shooting, or from a
finer one of ours, with noise of a seed fixed beforehand.
"""

from dataclasses import replace

import numpy as np
import pytest
import xarray as xr
from scipy.integrate import solve_ivp
from scipy.optimize import brentq
from scipy.spatial.transform import Rotation

from loligo.cases import coefficients as files
from loligo.cases.case import Motion
from loligo.cases.case_file import load
from loligo.cases.core.record import BadInput
from loligo.cases.load.history import Step
from loligo.cases.load.kinds import TipForce, TipMoment, Weight
from loligo.cases.rubber.elastomer import NeoHooke
from loligo.reduced.predict.predict import predict
from loligo.validation.fitting.coefficients.case_data import (
    CaseData,
    difference,
    excited,
    predicted,
)
from loligo.validation.fitting.coefficients.intervals import identify, wald
from loligo.validation.fitting.coefficients.judge import judge, result
from loligo.validation.fitting.coefficients.search import Search, calibrate
from loligo.validation.fitting.statistics import Interval

SEED = 20261118
ARM = load("cylinder").model_copy(update={"steps": (1.0,)})
NOISE = 1e-3  # of the length, and rad


def coefficients(case, **values):
    return files.for_case(case, "made").replaced(values)


def noisy(data, random):
    """The same with noise in points and turns of the sections."""
    frame = data["frame"].values.copy()
    reach = float(data["station"].values[-1] - data["station"].values[0])
    frame[..., :3, 3] += NOISE * reach * random.normal(size=(*frame.shape[:2], 3))
    turn = Rotation.from_rotvec(NOISE * random.normal(size=(frame[..., 0, 0].size, 3)))
    turned = frame[..., :3, :3] @ turn.as_matrix().reshape(*frame.shape[:2], 3, 3)
    frame[..., :3, :3] = turned
    return data.assign(frame=(data["frame"].dims, frame))


def shot(step=1.0, bending=1.0, taper=1.0):
    """ARM under its dead force in the plane, by shooting: no frames, no code of ours.

    Reissner's beam: EI t' = M, M' = -P x', EA e = P sin t, kGA g = P cos t, k = 0.9, and the axis
    goes along (1 + e, g) in the axes of its section; M vanishes at the tip. EI has the factor
    `bending` halfway along, `taper` from base to tip.
    """
    rest = predict(ARM)
    station = rest["station"].values
    length, radius, young = station[-1], ARM.body.base_radius, 3.0 * ARM.material["body"].mu
    force, area = step * ARM.load["push"].force[1], np.pi * radius**2

    def slopes(s, state):
        _, _, turn, moment = state
        e = force * np.sin(turn) / (young * area)
        g = force * np.cos(turn) / (0.9 * young / 3.0 * area)
        along = (1.0 + e) * np.cos(turn) - g * np.sin(turn)
        across = (1.0 + e) * np.sin(turn) + g * np.cos(turn)
        stiffness = young * area**2 / (4.0 * np.pi) * bending * taper ** (s / length - 0.5)
        return along, across, moment / stiffness, -force * along

    def path(moment):
        begin = (0.0, 0.0, 0.0, moment)
        return solve_ivp(slopes, (0.0, length), begin, t_eval=station, rtol=1e-8, atol=1e-12).y

    root = brentq(lambda m: path(m)[3, -1], 0.0, 2.0 * force * length, xtol=1e-14, rtol=1e-12)
    x, y, turn, _ = path(root)
    frame = np.tile(np.eye(4), (1, station.size, 1, 1))
    frame[0, :, :3, :3] = Rotation.from_rotvec(np.outer(turn, [0.0, 0.0, 1.0])).as_matrix()
    frame[0, :, 0, 3], frame[0, :, 1, 3] = x, y
    return rest.assign(frame=(rest["frame"].dims, frame))


def test_what_was_shot_is_what_the_rod_predicts():
    """Two formulations, two discretisations: so that recovery from one by the other is no crime."""
    true = {"bending_stiffness": 1.3, "bending_taper": 0.8}
    rod = predict(ARM, coefficients=coefficients(ARM, **true))
    gap = rod["frame"].values - shot(bending=1.3, taper=0.8)["frame"].values
    assert 0.0 < np.abs(gap[..., :3, 3]).max() < 1e-6 * 0.12
    assert np.abs(gap[..., :3, :3]).max() < 1e-5


def study(case, data, fitted=None):
    return CaseData(case, data, fitted or tuple(range(1, data.sizes["step"] + 1)))


def search(names, *studies, model="rod", **base):
    return Search(model, coefficients(studies[0].case, **base), tuple(names), studies)


def covered(trials, random):
    """How many of 2 x trials intervals hold the true value, and the mean estimates."""
    true = {"bending_stiffness": 1.3, "bending_taper": 0.8}
    exact = shot(bending=1.3, taper=0.8)
    hits, found = 0, []
    for _ in range(trials):
        fit = calibrate(search(true, study(ARM, noisy(exact, random))))
        judged = judge(fit, profiles=False)
        values = fit.search.values(fit.unknowns)
        found.append(list(values.values()))
        hits += sum(
            ends.low <= true[name] <= ends.high
            for name, ends in zip(values, judged.wald, strict=True)
        )
    return hits, np.array(found), np.array(list(true.values()))


def test_a_search_is_as_fine_as_a_prediction_and_says_what_error_is_left(monkeypatch):
    """With a limit that two intervals miss: the data's bending comes back, and none makes up."""
    data = predict(ARM, refine=2.0, coefficients=coefficients(ARM, bending_stiffness=1.3))
    monkeypatch.setattr("loligo.reduced.predict.arm_loads._INTERVALS", 2)
    usual = predicted(study(ARM, data), "rod", coefficients(ARM))
    monkeypatch.setattr("loligo.reduced.predict.resolve.LIMIT", 1e-7)
    fitted = study(ARM, data)
    mine, alone = predicted(fitted, "rod", coefficients(ARM)), predict(ARM)
    assert alone.attrs["refinement"] > 1.0
    np.testing.assert_array_equal(mine["frame"], alone["frame"])
    assert np.abs(mine["frame"] - usual["frame"]).max() > 1e-9
    for limit, said in ((1e-7, False), (1e-12, True)):
        monkeypatch.setattr("loligo.reduced.predict.resolve.LIMIT", limit)
        found = judge(calibrate(search(["bending_stiffness"], study(ARM, data))), profiles=False)
        words = "cylinder: under-resolved: the error in space is "
        assert any(caution.startswith(words) for caution in found.cautions) == said


def test_intervals_of_a_few_trials_cover():
    hits, found, true = covered(10, np.random.default_rng(SEED))
    assert hits >= 16  # of 20; at 95 % less would be one chance in 400
    error = found.std(axis=0, ddof=1) / np.sqrt(len(found))
    np.testing.assert_array_less(np.abs(found.mean(axis=0) - true), 4.0 * error)


@pytest.mark.slow
def test_intervals_cover_as_often_as_they_say():
    hits, _, _ = covered(100, np.random.default_rng(SEED + 1))
    assert 0.905 <= hits / 200 <= 0.985


@pytest.mark.slow
def test_all_three_intervals_of_a_stiffness_cover_in_200_trials():
    """Eight loads, so that they can be drawn anew."""
    true, random = 1.3, np.random.default_rng(SEED + 2)
    case = ARM.model_copy(update={"steps": tuple(np.linspace(0.3, 1.0, 8))})
    frames = [shot(step, bending=true)["frame"] for step in case.steps]
    exact = predict(case).assign(frame=xr.concat(frames, "step"))
    hits = dict.fromkeys(("wald", "profile", "bootstrap"), 0)
    for trial in range(200):
        fit = calibrate(search(["bending_stiffness"], study(case, noisy(exact, random))))
        judged = judge(fit, seed=trial)
        for way in hits:
            ends = getattr(judged, way)[0]
            hits[way] += ends.low <= true <= ends.high
    assert all(0.905 <= count / 200 <= 0.985 for count in hits.values()), hits


def test_a_profile_and_the_bootstrap_agree_with_the_tangent_where_all_is_nearly_linear():
    case = ARM.model_copy(update={"steps": tuple(np.linspace(0.1, 1.0, 10))})
    exact = predict(case, refine=2, coefficients=coefficients(case, bending_stiffness=1.3))
    data = noisy(exact, np.random.default_rng(SEED))
    judged = judge(calibrate(search(["bending_stiffness"], study(case, data))))
    tangent, likely, drawn = (ways[0] for ways in (judged.wald, judged.profile, judged.bootstrap))
    width = tangent.high - tangent.low
    assert width < 0.05
    np.testing.assert_allclose(likely, tangent, atol=0.03 * width)
    # Ten loads: the percentiles of a variance of ten blocks are good to a third or so.
    assert 0.4 * width < drawn.high - drawn.low < 1.8 * width
    assert not any("neighbouring" in caution for caution in judged.cautions)


def test_the_fisher_matrix_of_known_slopes():
    angle = 0.1
    jacobian = np.array([[2.0, 3.0 * np.cos(angle)], [0.0, 3.0 * np.sin(angle)]])
    known = identify(jacobian, variance=4.0)
    c = np.cos(angle)
    np.testing.assert_allclose(known.eigenvalues, [1.0 - c, 1.0 + c], rtol=1e-12)
    assert known.correlation[0, 1] == pytest.approx(-c, rel=1e-12)
    # (J^T J)^-1 of two columns at an angle: 1/(n_i sin)^2.
    error = 2.0 / np.array([2.0, 3.0]) / np.sin(angle)
    np.testing.assert_allclose(known.error, error, rtol=1e-12)


def weighed(case, **more):
    return case.model_copy(
        update={
            "gravity": (0.0, 1.0, 0.0),
            "load": {"weight": Weight(), **more},
            "steps": (1.0,),
        }
    )


def test_a_density_that_absorbs_an_error_of_the_area_is_said():
    push = TipForce(force=(0.0, 0.0, 0.02))
    right = weighed(ARM, push=push)
    thicker = right.body.model_copy(
        update={"base_radius": 0.012, "tip_radius": 0.012}  # 44 % more area than the 10 mm assumed
    )
    data = predict(right.model_copy(update={"body": thicker}))
    found = calibrate(search(["bending_stiffness", "density"], study(right, data)))
    values = found.search.values(found.unknowns)
    assert values["density"] == pytest.approx(1.44, rel=0.02)
    assert values["bending_stiffness"] == pytest.approx(1.2**4, rel=0.02)
    cautions = judge(found, profiles=False).cautions
    assert any("density = 1.4" in c and "absorbs an error" in c for c in cautions)
    assert any("bending_stiffness = 2.0" in c and "no property" in c for c in cautions)


def test_what_only_a_ratio_tells_is_said_with_the_load_that_would_help():
    case = weighed(ARM)
    data = noisy(predict(case, refine=2), np.random.default_rng(SEED))
    found = calibrate(search(["bending_stiffness", "density"], study(case, data)))
    pushed = ARM.model_copy(update={"name": "pushed"})
    judged = judge(found, others=(pushed,), profiles=False)
    assert judged.known.condition > 1e3
    (said,) = (c for c in judged.cautions if "go together" in c)
    assert "bending_stiffness and density go together" in said
    assert "pushed would help most" in said
    assert judged.helps["pushed"] < 0.1 * judged.known.error.max()


def test_a_load_that_no_coefficient_feels_is_said():
    data = noisy(predict(ARM, refine=2), np.random.default_rng(SEED))
    found = calibrate(search(["bending_stiffness", "density"], study(ARM, data)))
    cautions = judge(found, profiles=False).cautions
    assert any("no fitted load feels density" in c for c in cautions)


def test_held_out_loads_and_the_file():
    case = load("gong_elongation")
    true = coefficients(case, softening=1.2, chamber_area=1.5)
    data = predict(case, coefficients=true)
    seen = study(case, data, fitted=(1, 2, 3))
    found = calibrate(search(["softening", "chamber_area"], seen), starts=2)
    values = found.search.values(found.unknowns)
    assert values == pytest.approx({"softening": 1.2, "chamber_area": 1.5}, rel=1e-4)
    judged = judge(found, profiles=False)
    fitted, held_out = judged.rows
    assert (fitted.steps, held_out.steps) == ((1, 2, 3), (4, 5))
    assert held_out.before > 0.2 and held_out.after < 1e-4
    # By hand: a share of the displacement of all points of the axis.
    moved = data["frame"].values[3:, :, 0, 3] - data["station"].values
    plain = predict(case)["frame"].values[3:, :, 0, 3] - data["station"].values
    expected = np.sqrt(np.mean((plain - moved) ** 2) / np.mean(moved**2))
    assert held_out.before == pytest.approx(expected, rel=1e-6)
    file = result(judged, "test")
    assert file.reach.load == {"pressure": pytest.approx((0.0, 18e3))}
    assert file.model == "rod"
    assert file.reach.max_stretch == pytest.approx(float(data["max_stretch"][2]), rel=1e-4)
    assert [c.name for c in file.coefficient] == ["softening", "chamber_area"]
    again = predict(case, coefficients=file)
    assert (
        "up to a pressure of 18 kPa; here it reaches 30 kPa" in again.attrs["coefficients_beyond"]
    )


def test_what_cannot_be_made_right_is_said():
    turn = TipMoment(moment=(0.0, 1e-3, 0.0))
    stiff = ARM.model_copy(update={"load": {"turn": turn}, "steps": (0.5, 1.0)})
    data = predict(stiff)
    found = calibrate(search(["density"], study(stiff, data, fitted=(1,)), bending_stiffness=2.0))
    cautions = judge(found, profiles=False).cautions
    assert any("cannot make the rod right: cylinder, held out" in c for c in cautions)


def test_the_error_of_a_mantle_is_a_share_of_its_way_from_rest():
    mantle = load("renda_mantle_inflation").model_copy(update={"steps": (0.2, 0.4)})
    data = predict(mantle, coefficients=coefficients(mantle, modulus=1.3))
    ways = "axial", "radius"
    seen = data.assign(  # as if it had gone 1 mm both ways to the first step
        {f"profile_{way}_rest": data[f"profile_{way}"][0] - 1e-3 for way in ways}
    )
    fit = calibrate(search(["modulus"], study(mantle, seen, (1,)), model="shell"))
    row = next(row for row in judge(fit, profiles=False).rows if row.fitted)
    softer = predict(mantle, coefficients=coefficients(mantle))
    off = [softer[f"profile_{way}"].values[0] - data[f"profile_{way}"].values[0] for way in ways]
    assert row.before == pytest.approx(np.sqrt(np.mean(np.square(off))) / 1e-3, rel=1e-6)


def test_shells_and_joints_too():
    mantle = load("renda_mantle_inflation")
    data = predict(mantle, refine=2, coefficients=coefficients(mantle, modulus=1.3))
    found = calibrate(search(["modulus"], study(mantle, data), model="shell"))
    assert found.search.values(found.unknowns)["modulus"] == pytest.approx(1.3, rel=1e-3)
    joint = load("zhang_joint_one")
    k = np.pi * 0.014**2
    data = predict(joint, "joint", coefficients=coefficients(joint, actuator_area=0.8 * k))
    begin = search(["actuator_area"], study(joint, data), model="joint", actuator_area=k)
    found = calibrate(begin)
    assert found.search.values(found.unknowns)["actuator_area"] == pytest.approx(0.8 * k, rel=1e-5)
    both = search(["actuator_area", "modulus"], study(joint, data), model="joint", actuator_area=k)
    cautions = judge(calibrate(both), profiles=False).cautions
    assert any("actuator_area and modulus go together" in c for c in cautions)  # only K/E is told


@pytest.mark.slow
def test_a_motion_tells_the_viscosity():
    """A rod let go of its weight: how it decays is told by viscosity alone, statics tell none."""
    body = ARM.body.model_copy(update={"stations": 2})
    rubber = ARM.material["body"].model_copy(update={"viscosity": 200.0})
    case = ARM.model_copy(
        update={
            "body": body,
            "material": {"body": rubber},
            "gravity": (0.0, 1.0, 0.0),
            "load": {"weight": Weight(history=Step(before=0.1, after=0.0))},
            "time": Motion(duration=0.2, every=0.05),
            "steps": (1.0,),
        }
    )
    data = predict(case, refine=2, coefficients=coefficients(case, viscosity=1.4))
    seen = study(case, data)
    assert excited("rod", [seen]) == ("bending_stiffness", "viscosity")
    found = calibrate(search(["viscosity"], seen))
    assert found.search.values(found.unknowns)["viscosity"] == pytest.approx(1.4, rel=5e-3)
    row = judge(found, profiles=False).rows[0]
    assert row.before > 5.0 * row.after
    assert study(case, data, fitted=(1, 2, 3)).held_out == (4, 5)


def test_what_the_loads_excite_is_sought():
    data = predict(ARM)
    assert excited("rod", [study(ARM, data)]) == ("bending_stiffness",)
    gong = load("gong_bending_one")
    names = excited("rod", [study(gong, predict(gong))])
    assert set(names) == {"bending_stiffness", "stretch_stiffness", "softening", "chamber_growth"}
    assert excited("shell", []) == ("modulus",)


def test_what_is_held_out_has_no_say_in_what_is_sought():
    """The load turns from bending to twisting in the half that is held out."""
    moments = [(0.0, 1e-3, 0.0), (3e-3, 0.0, 0.0)]
    parts = [
        predict(ARM.model_copy(update={"load": {"turn": TipMoment(moment=m)}})) for m in moments
    ]
    data = xr.concat(parts, "step", data_vars="minimal", compat="override", coords="minimal")
    assert excited("rod", [study(ARM, data, fitted=(1,))]) == ("bending_stiffness",)
    assert "torsion_stiffness" in excited("rod", [study(ARM, data)])


def test_an_end_that_a_profile_leaves_open_is_not_closed_by_the_tangent():
    data = predict(ARM)
    judged = judge(calibrate(search(["bending_stiffness"], study(ARM, data))), profiles=False)
    for likely, ends in (
        (Interval(np.nan, np.nan), judged.wald[0]),
        (Interval(0.9, np.inf), (0.9, None)),
    ):
        (written,) = result(replace(judged, profile=(likely,)), "test").coefficient
        assert (written.low, written.high) == ends


def test_a_coefficient_at_its_bound_has_no_interval_of_the_tangent():
    found = calibrate(search(["bending_stiffness"], study(ARM, shot())))
    known = identify(found.jacobian, found.variance)
    (inside,) = wald(found, known)
    assert inside.low < 1.0 < inside.high
    (there,) = wald(replace(found, unknowns=found.search.bounds[1]), known)
    assert np.isnan(there).all()


def test_unstable_steps_and_steps_that_are_not_reached():
    case = ARM.model_copy(update={"steps": (0.5, 1.0)})
    data = predict(case)
    unstable = data.assign(stable=("step", np.array([1, 0])))
    assert CaseData(case, unstable, (1,)).held_out == ()
    assert CaseData(case, data, (1,)).held_out == (2,)
    same = difference(study(case, data), data, (2,))
    assert {name: float(np.abs(part).max()) for name, part in same.items()} == pytest.approx(
        {"axis": 0.0, "turn": 0.0}, abs=1e-12
    )


@pytest.mark.parametrize(
    ("names", "model", "reason"),
    [
        (["bending_stifness"], "rod", 'did you mean "bending_stiffness"'),
        (["modulus", "wall_bending"], "rod", "the model rod does not read wall_bending"),
        ([], "rod", "nothing is to be fitted"),
    ],
)
def test_what_cannot_be_sought_is_refused(names, model, reason):
    with pytest.raises(BadInput, match=reason):
        search(names, study(ARM, predict(ARM)), model=model)


def test_a_coefficient_without_a_neutral_value_begins_at_the_bodys_own():
    joint = load("zhang_joint_one")
    data = predict(joint, "joint")
    begin = search(["actuator_area", "c10", "c20"], study(joint, data), model="joint")
    own = begin.values(begin.start)
    rubber = joint.material["body"]
    assert own == pytest.approx(
        {"actuator_area": np.pi * 0.014**2, "c10": rubber.c10, "c20": rubber.c20}
    )
    soft = joint.model_copy(
        update={"material": {"body": NeoHooke(mu=3e4, density=1e3, viscosity=0.0)}}
    )
    with pytest.raises(BadInput, match="c10: zhang_joint_one has no such property"):
        search(["c10"], study(soft, data), model="joint")
