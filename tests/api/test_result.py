"""The ten lines of the front door, and what results can do."""

import numpy as np
import pytest
from matplotlib.figure import Figure

import loligo as lo
from loligo.cases import coefficients


@pytest.fixture(scope="module")
def solid():
    return lo.reference("cylinder")


@pytest.fixture(scope="module")
def rod():
    return lo.predict("cylinder", model="rod")


def ten_lines(name, folder, solve):
    """The ten lines, but for where the 3D solution comes from and the folder."""
    case = lo.load_case(name)
    solid = solve(case)
    rod = lo.predict(case, model="rod")
    check = lo.compare(solid, rod)
    fit = lo.calibrate([solid], model="rod")
    fit.save(folder / "arm.toml")
    lo.predict(case, coefficients=fit).plot(beside=solid)
    lo.report([solid], folder / "report")
    return solid, check, fit


def test_the_ten_lines(tmp_path):
    _, check, fit = ten_lines("cylinder", tmp_path, lo.reference)
    assert "Comparison: cylinder, rod" in repr(check)
    table = check.table()
    row = check.inner.row("tip_position")
    assert table.loc["tip_position", "error"] == row.error[row.last]
    assert table.loc["tip_position", "bar"] == row.bar[row.last] > 0.0
    assert "<table" in check._repr_html_() and isinstance(check.plot(), Figure)
    assert check.save(tmp_path / "check.json").stat().st_size > 1000
    assert coefficients.read(tmp_path / "arm.toml") == fit.coefficients
    assert fit.values.keys() == fit.intervals.keys() == set(fit.table().index)
    assert all(low <= fit.values[name] <= high for name, (low, high) in fit.intervals.items())
    assert set(fit.errors()["fitted"]) == {True, False} and isinstance(fit.plot(), Figure)
    assert (tmp_path / "report" / "report.html").stat().st_size > 10_000


@pytest.mark.slow
def test_the_ten_lines_with_a_solution_of_ones_own(tmp_path):
    solid, check, fit = ten_lines(
        "gong_bending_one", tmp_path, lambda case: lo.solve(case, levels=(0, 1))
    )
    shipped = lo.reference("gong_bending_one")
    assert solid.complete and sorted(solid.levels) == [0, 1]
    for name in ("frame", "frame_uncertainty", "stored_energy", "wrench"):
        expected = shipped.data[name].values
        scale = float(np.nanmax(np.abs(expected)))
        np.testing.assert_allclose(solid.data[name], expected, rtol=0.0, atol=1e-6 * scale)
    assert check.verdict == "not met"
    assert fit.errors()["after"].max() < 0.1


def test_a_data_set_is_what_its_file_says(solid, tmp_path):
    assert repr(solid).startswith("<Solution of cylinder: levels 0, 1")
    assert sorted(solid.levels) == [0, 1, 2] and solid.time_levels == {}
    assert solid.complete and solid.case == lo.load_case("cylinder")
    assert list(solid.table().index) == [1, 2, 3, 4]
    assert set(solid.bars()["of"]) == {"mesh"}
    again = lo.read(solid.save(tmp_path / "copy.nc"))
    assert again.groups.keys() == solid.groups.keys()
    assert all(again.groups[name].identical(solid.groups[name]) for name in solid.groups)
    assert lo.check(tmp_path / "copy.nc") == lo.check(solid.file)
    with pytest.raises(lo.BadInput, match="a 3D solution"):
        lo.predict("cylinder").save(tmp_path / "copy.nc")


def test_a_prediction_says_what_it_is(rod, tmp_path):
    assert repr(rod) == "<Prediction of cylinder: rod, 4 steps, complete>"
    assert "<table" in rod._repr_html_() and isinstance(rod.plot(), Figure)
    assert isinstance(lo.read(rod.save(tmp_path / "rod.nc")), lo.Prediction)
    assert rod.data.attrs["git_commit"] and "numpy" in rod.data.attrs["versions"]


def test_what_cannot_be_used_is_refused_in_a_sentence(solid, rod):
    with pytest.raises(lo.BadInput, match="give one of them"):
        lo.compare(solid, rod, model="pcc")
    with pytest.raises(lo.BadInput, match="is of another case"):
        lo.compare(solid, case="liu_segment")
    with pytest.raises(lo.BadInput, match="no data of this case"):
        lo.calibrate([solid], hold_out=["gong_arm"])
    with pytest.raises(lo.BadInput, match="nothing is given"):
        lo.calibrate([])
    with pytest.raises(lo.BadInput, match="density is frozen, but it is also to be fitted"):
        lo.calibrate([solid], fit=["density"], freeze={"density": 1.0})


def test_numbers_that_no_soft_robot_has_are_a_warning_where_the_user_stands():
    case = lo.load_case("cylinder")
    with pytest.warns(lo.LoligoWarning, match="is it kPa written as Pa") as met:
        soft = case.material["body"].model_copy(update={"mu": 1.0})
        lo.predict(case.model_copy(update={"material": {"body": soft}}))
    assert {warning.filename for warning in met} == {__file__}
