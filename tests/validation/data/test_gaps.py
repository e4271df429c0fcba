"""Measured data with gaps: what was seen is compared, nothing is made up, nothing crashes."""

import json

import numpy as np
import pytest
from synthetic import STATION, arm

from loligo.cases import coefficients as files
from loligo.cases.acceptance import Acceptance
from loligo.cases.case_file import load
from loligo.cases.dataset import io as dataset
from loligo.reduced.predict.predict import predict
from loligo.validation.compare.comparison import compare
from loligo.validation.compare.metrics import BY_NAME, METRICS
from loligo.validation.compare.record import record
from loligo.validation.data.source import Source
from loligo.validation.fitting.coefficients.case_data import CaseData
from loligo.validation.fitting.coefficients.errors import before_and_after
from loligo.validation.fitting.coefficients.search import Search, calibrate

CASE = load("cylinder")
L = STATION[-1]


def bent(*kappa):
    excess = np.zeros((len(kappa), 1, 6))
    excess[:, 0, 2] = kappa
    return arm(excess, load=tuple(range(1, len(kappa) + 1)))


def holed(data, *holes, names=("frame",)):
    """The same with gaps at (step, station), a station of None for all of them."""
    for name in names:
        values = data[name].values.copy()
        for step, station in holes:
            values[step, slice(None) if station is None else station] = np.nan
        data = data.assign({name: (data[name].dims, values, data[name].attrs)})
    return data.assign_attrs(kind="measurement")


def measured(*holes, bending=1.2):
    """The cylinder with another stiffness, as a camera sees it."""
    made = files.for_case(CASE, "made").replaced({"bending_stiffness": bending})
    data = predict(CASE, coefficients=made)
    unseen = [n for n in data if str(n).startswith(("wrench", "strain"))]
    bars = [n for n in data if str(n).endswith("_uncertainty")]
    return holed(data.drop_vars([*unseen, *bars]), *holes)


def test_places_that_were_not_seen_are_left_out_of_every_error():
    """Circular arcs: what a metric finds at the places left follows from the arcs alone."""
    whole, mine = bent(2.0, 5.0), bent(2.1, 5.3)
    data = holed(whole, (1, 3), (1, 4), (1, 8))
    left = [i for i in range(STATION.size) if i not in (3, 4, 8)]
    off = np.linalg.norm(
        mine["frame"].values[1, :, :3, 3] - whole["frame"].values[1, :, :3, 3], axis=-1
    )
    for name in ("tip_position", "tip_attitude", "bend_angle", "curvature", "centreline_max"):
        full = BY_NAME[name].error(whole, mine)
        found = BY_NAME[name].error(data, mine)
        # The tip, the bend and a constant curvature do not need the places between.
        assert found == pytest.approx(full, rel=1e-9), name
    found = BY_NAME["centreline_l2"].error(data, mine)
    x = STATION[left]
    assert found[1] == pytest.approx(np.sqrt(np.trapezoid(off[left] ** 2, x) / L), rel=1e-9)
    assert found[0] == BY_NAME["centreline_l2"].error(whole, mine)[0]
    assert BY_NAME["centreline_max"].scale(data) == pytest.approx([L, L])


def test_a_tip_that_was_not_seen_is_not_known():
    data, mine = holed(bent(2.0, 5.0), (1, -1)), bent(2.1, 5.3)
    for name in ("tip_position", "tip_attitude", "bend_angle"):
        assert list(np.isnan(BY_NAME[name].error(data, mine))) == [False, True], name
    assert BY_NAME["curvature"].error(data, mine) == pytest.approx([0.1, 0.3], rel=1e-9)
    lost = holed(bent(2.0, 5.0), (1, None))
    for metric in METRICS:
        if metric.serves(lost, mine) and metric.group in ("shape", "strain"):
            assert np.isnan(metric.error(lost, mine)[1]), metric.name
            assert np.isfinite(metric.error(lost, mine)[0]), metric.name


@pytest.mark.parametrize("holes", [((1, 3),), ((3, -1),), ((0, None), (2, 5), (2, 6))])
def test_a_comparison_with_gaps_says_what_it_knows(holes):
    case = CASE.model_copy(update={"acceptance": Acceptance(purpose="a test", tip_position=0.9)})
    bars = ("step", [1e-6] * 4, {"units": "m"})
    data = measured(*holes).assign(frame_uncertainty=bars)
    assert not [f for f in dataset.check(data) if f.verdict == "bad"]
    found = compare(case, Source(data))
    row = found.row("tip_position")
    unseen = [step for step, place in holes if place in (None, -1)]
    assert list(np.flatnonzero(np.isnan(row.error))) == unseen
    assert row.bars_known and row.last == max(set(range(4)) - set(unseen))
    assert found.accepted == ("not shown" if unseen else "met"), found.answer
    if unseen:
        assert f"not measured at step {unseen[0] + 1}" in row.judged.reason
    exact = compare(case, Source(measured())).row("tip_position").error
    seen = [step for step in range(4) if step not in unseen]
    assert row.error[seen] == pytest.approx(exact[seen], rel=1e-9)
    assert json.loads(json.dumps(record(found), allow_nan=False))["metrics"]


@pytest.mark.parametrize("names", [("frame",), ("centreline",)])
def test_a_calibration_with_gaps_finds_what_made_the_data(names):
    data = measured()
    if names == ("centreline",):
        points = data["frame"].values[..., :3, 3]
        data = data.assign(centreline=(("step", "station", "axis"), points)).drop_vars("frame")
    data = holed(data, (0, 4), (1, -1), (1, 2), (2, None), names=names)
    study = CaseData(CASE, data, (1, 2, 3))
    search = Search(
        "rod", files.for_case(CASE, "geometry and rubber"), ("bending_stiffness",), (study,)
    )
    found = calibrate(search)
    assert found.coefficients.values["bending_stiffness"] == pytest.approx(1.2, rel=1e-6)
    per_place = 3 if names == ("centreline",) else 6
    places = data.sizes["station"]
    assert found.residual.size == per_place * (2 * places - 3)
    assert np.isfinite(found.residual).all()
    assert set(np.unique(found.block)) == {0, 1}  # nothing of the third step was seen
    held = next(row for row in before_and_after(found) if not row.fitted)
    assert held.after < 1e-5 < held.before
