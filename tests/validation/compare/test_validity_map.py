"""Validity maps: which error stands where, up to which load a model is trusted, the picture.

The references are rods of another stiffness: the errors that the maps must show are known.
"""

import json
import re

import numpy as np
import pytest
import xarray as xr

from loligo.cases.acceptance import Acceptance
from loligo.cases.case_file import load, to_toml
from loligo.cases.core.record import BadInput
from loligo.cases.dataset import io as dataset
from loligo.cli.main import main
from loligo.hpc.items import lay_out, write_index
from loligo.hpc.study import read_study
from loligo.reduced.predict.predict import predict
from loligo.validation.compare.comparison import compare
from loligo.validation.compare.metrics import BY_NAME
from loligo.validation.compare.validity_map import map_record, read_map, trusted, validity_map
from loligo.validation.data.source import Source
from loligo.validation.fitting.coefficients.held_out import softened
from loligo.validation.plot.validity_map import map_svg, map_words

CASE = load("renda_arm_tip_force")
STUDY = 'cases = ["renda_arm_tip_force"]\n[grid]\nbody.length = ["200 mm", "245 mm"]\n'


def solved(factor):
    """A reference on one mesh, without bars, whose rubber is stiffer by a factor."""
    stated = {"kind": "reference", "case": to_toml(CASE)}
    data = predict(softened(CASE, factor)).assign_attrs(stated)
    return data.drop_vars([name for name in data.data_vars if "_uncertainty" in str(name)])


def chart(error, accepted=0.02, bar=np.nan):
    """A map whose constitutive errors are given, (column, row)."""
    error = np.asarray(error, float)
    nothing = np.full(error.shape, np.nan)
    share = np.arange(1, error.shape[1] + 1) / error.shape[1]
    parts = {
        "kinematic": nothing,
        "constitutive": error,
        "calibrated": np.where(share > 0.5, error, np.nan),
        "bar": np.broadcast_to(bar, error.shape),
        "load": np.broadcast_to(share, error.shape),
        "stable": np.ones(error.shape),
    }
    return xr.Dataset(
        {name: (("column", "row"), values) for name, values in parts.items()},
        {
            "column": ("column", 1.0 + np.arange(len(error)), {"long_name": "a", "units": "mm"}),
            "row": share,
        },
        {
            "kind": "validity map",
            "case_name": CASE.name,
            "title": "T",
            "model": "rod",
            "metric": "centreline_l2",
            "metric_title": "Centreline, mean",
            "accepted": accepted,
            "load_name": "tip",
            "load_units": "N",
            "beside": "",
            "from_rest": 1,
        },
    )


def test_the_errors_are_those_of_the_comparisons():
    columns = {2.0: compare(CASE, Source(solved(1.5))), 1.0: compare(CASE, Source(solved(1.1)))}
    found = validity_map(columns, "material.body.mu", "kPa", metric="centreline_max")
    assert found["column"].values.tolist() == [1.0, 2.0]
    ours = predict(CASE)
    metric = BY_NAME["centreline_max"]
    for column, factor in enumerate((1.1, 1.5)):
        reference = solved(factor)
        expected = metric.error(reference, ours) / metric.scale(reference)
        assert found["constitutive"].values[column] == pytest.approx(expected, rel=1e-9)
    # A rod can learn a factor on the modulus, but for stretch and shear, which hardly show here.
    unseen = found["calibrated"].values
    half = (len(CASE.steps) + 1) // 2
    assert np.isnan(unseen[:, :half]).all()
    assert (unseen[:, half:] < 0.01 * found["constitutive"].values[:, half:]).all()
    assert np.isnan(found["kinematic"].values).all()  # a rod follows any axis
    assert np.isnan(found["bar"].values).all()  # one mesh
    assert found.attrs["accepted"] == CASE.acceptance.centreline_max


def test_of_arcs_the_best_one_is_nearer_than_any_prediction():
    case = CASE.model_copy(update={"acceptance": Acceptance(purpose="a test", centreline_l2=0.05)})
    columns = {
        float(k): compare(case, Source(solved(f)), model="pcc") for k, f in enumerate((1.0, 1.3))
    }
    found = validity_map(columns, "material.body.mu", "")
    best = found["kinematic"].values
    assert (0.0 < best).all()
    assert (best <= found["constitutive"].values * (1.0 + 1e-9)).all()


def test_trusted_up_to_where_error_and_bar_pass_the_level():
    found = chart([[0.01, 0.02, 0.03, 0.04], [0.001] * 4, [0.03, 0.001, 0.001, 0.001]])
    assert trusted(found, "constitutive") == pytest.approx([0.5, 1.0, 0.25 * 0.02 / 0.03])
    found = chart([[0.01, 0.02, 0.03, 0.04], [0.001] * 4], bar=0.01)
    assert trusted(found, "constitutive") == pytest.approx([0.25, 1.0])
    # What the fit has seen says nothing: trust begins at the first load that it has not.
    assert trusted(chart([[0.0, 0.0, 0.03, 0.04]]), "calibrated") == pytest.approx([0.0])
    assert np.isnan(trusted(found, "kinematic")).all()
    # A share of what the load itself makes does not begin at nothing.
    assert trusted(chart([[0.2] * 4]).assign_attrs(from_rest=0), "constitutive") == [0.0]


def test_an_error_relative_to_the_step_does_not_begin_at_nothing():
    case = CASE.model_copy(update={"acceptance": Acceptance(purpose="a test", bend_angle=0.1)})
    columns = {float(k): compare(case, Source(solved(1.3)), calibrating=False) for k in range(2)}
    found = validity_map(columns, "k", "mm", metric="bend_angle")
    assert not found.attrs["from_rest"]
    assert (trusted(found, "constitutive") == 0.0).all()


def test_what_makes_no_map_is_refused():
    one = compare(CASE, Source(solved(1.1)), calibrating=False)
    other = compare(CASE, Source(solved(1.1)), model="pcc", calibrating=False)
    for columns, metric, words in (
        ({1.0: one}, "centreline_l2", "two columns"),
        ({1.0: one, 2.0: other}, "centreline_l2", "one model"),
        ({1.0: one, 2.0: one}, "no_such", "is no metric"),
        ({1.0: one, 2.0: one}, "rim_radius", "--accept"),
    ):
        with pytest.raises(BadInput, match=words):
            validity_map(columns, "k", "mm", metric=metric)
    with pytest.raises(BadInput, match="is not in both"):
        validity_map({1.0: one, 2.0: one}, "k", "mm", metric="rim_radius", accepted=0.1)


def test_the_picture_has_a_panel_for_each_known_part_and_the_words_say_the_reach():
    found = chart([[0.01, 0.02, 0.03, 0.04], [0.001] * 4])
    svg = map_svg(found)
    assert svg.startswith("<svg") and "constitutive" in svg and "kinematic" not in svg
    words = map_words(found)
    assert "50 % at 1 mm, 100 % at 2 mm" in words[0]
    # The fit has seen the lower half: whether it would hold there, nobody has looked.
    assert "calibrated" in words[1] and "less than 75 % at 1 mm, 100 % at 2 mm" in words[1]
    assert words[-1].startswith("The references have no error bars")
    assert map_record(found)["trusted"]["kinematic"] == [None, None]


def test_a_study_of_one_case_makes_no_map(tmp_path, capsys):
    (tmp_path / "s.toml").write_text('cases = ["cylinder"]\n')
    (place,) = places = lay_out(tmp_path / "items", read_study(tmp_path / "s.toml")[1])
    write_index(tmp_path / "items", places)
    place.result.touch()
    with pytest.raises(SystemExit) as stop:
        main(["map", str(tmp_path / "items")])
    assert stop.value.code == 2
    assert "nothing varies in this study" in capsys.readouterr().err


def test_from_a_study_to_a_map(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s.toml").write_text(STUDY)
    places = lay_out(tmp_path / "items", read_study(tmp_path / "s.toml")[1])
    write_index(tmp_path / "items", places)

    def complaint(*words):
        with pytest.raises(SystemExit) as stop:
            main(["map", "items", *words])
        assert stop.value.code == 2
        return capsys.readouterr().err

    assert "no item has a result" in complaint()
    stopped = "stopped after reported step 5: no convergence"
    for place in places:
        case = load(str(place.case))
        dataset.write(predict(case), place.result)
        # Compared with itself a model is never wrong.
        assert "is a prediction; a map needs 3D solutions" in complaint()
        stated = {"kind": "reference", "status": stopped, "case": to_toml(case)}
        dataset.write(predict(softened(case, 1.1)).assign_attrs(stated), place.result)
    said = complaint()
    assert all(f"left out {place.folder.name}: {stopped}" in said for place in places)
    assert "no item is complete" in said
    for place in places:
        found = dataset.read(place.result).assign_attrs(status="complete")
        dataset.write(found, place.result)
    assert "does not vary" in complaint("-x", "body.base_radius")
    with pytest.raises(SystemExit) as stop:
        main(["map", "items", "-o", "out/length.nc"])
    assert not stop.value.code
    found = read_map(tmp_path / "out" / "length.nc")
    assert found["column"].values.tolist() == [200.0, 245.0]
    assert found["column"].attrs["units"] == "mm"
    assert (tmp_path / "out" / "length.svg").read_text() == map_svg(found)
    said = re.sub(r"\s+", " ", capsys.readouterr().out)
    assert "Over body.length" in said and "length.svg" in said
    with pytest.raises(BadInput, match="no validity map"):
        read_map(places[0].result)
    assert json.dumps(map_record(found), allow_nan=False)
