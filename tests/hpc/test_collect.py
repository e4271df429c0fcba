"""What is collected of a study whose results are there, differ, or were damaged."""

import json
import time

import numpy as np
import pytest
import xarray as xr

from loligo.cases.dataset import io as dataset
from loligo.cli.main import main
from loligo.hpc.collect import _differing, collect, write
from loligo.hpc.items import Outcome, claim, forget, lay_out, release, state, write_index
from loligo.hpc.study import read_study


def study_of(folder, text, **attrs):
    """Lay out a study in which every item is done, with a result of three numbers."""
    (folder / "mine.toml").write_text(f'run = "reduce"\n{text}')
    places = lay_out(folder / "items", read_study(folder / "mine.toml")[1])
    write_index(folder / "items", places)
    for number, place in enumerate(places):
        values = xr.Dataset({"stored_energy": ("step", np.full(3, float(number)))})
        own = {name: given[number] for name, given in attrs.items()}
        dataset.write_whole({"/": values.assign_attrs(own)}, place.result)
        claim(place, "")
        release(place, Outcome("done", 0, "", 2.0))
    return places


@pytest.fixture
def study(tmp_path, capsys):
    def call(verb, *arguments):
        with pytest.raises(SystemExit) as ended:
            main(["study", verb, str(tmp_path / "items"), *arguments])
        return ended.value.code or 0, *capsys.readouterr()

    return call


THREE = 'cases = ["cylinder"]\n[grid]\nbody.length = ["200 mm", "210 mm", "220 mm"]\n'


def test_a_result_that_was_deleted_or_cut_is_told_and_can_be_computed_again(tmp_path, study):
    gone, cut, good = study_of(tmp_path, THREE)
    gone.result.unlink()
    cut.result.write_bytes(cut.result.read_bytes()[:1000])
    assert (state(gone), state(cut), state(good)) == ("waiting", "done", "done")
    code, out, err = study("collect")
    assert code == 0 and out.endswith(": 1 of 3 items\n")
    first, second = err.splitlines()
    assert f"{cut.result}: cannot be read" in first and "retry" in first
    assert second == f"left out: {gone.folder.name}: no result yet"
    assert study("retry", cut.folder.name[:8])[:2] == (0, "1 items wait again\n")
    assert state(cut) == "waiting" and not cut.result.exists()


def test_an_item_that_runs_cannot_be_retried(tmp_path, study):
    place, *_ = study_of(tmp_path, THREE)
    by = {"host": "n1", "pid": 1, "job": "", "since": time.time()}
    place.claim_file.write_text(json.dumps(by))
    code, _, err = study("retry", place.folder.name)
    assert code == 2 and f"{place.folder.name}: still running" in err


def test_settings_in_several_units_are_one_coordinate(tmp_path):
    text = 'cases = ["cylinder"]\n[grid]\nbody.length = ["0.2 m", "210mm", "220 mm"]\n'
    joined, _ = collect(study_of(tmp_path, text))
    np.testing.assert_array_equal(joined["body.length"], [0.2, 0.21, 0.22])
    assert joined["body.length"].attrs["units"] == "m"


def test_what_differs_between_items_stands_beside_each(tmp_path):
    text = 'cases = ["cylinder", "renda_arm_tip_force"]\n[grid]\nbody.length = ["0.2 m", "0.3 m"]\n'
    joined, _ = collect(
        study_of(
            tmp_path,
            text,
            case_name=["cylinder", "cylinder", "renda_arm_tip_force", "renda_arm_tip_force"],
            case=["a", "b", "c", "d"],
            status=["complete", "complete", "stopped at step 2", "complete"],
            unknowns=[10, 20, 30, 40],
            source=["loligo rod"] * 4,
        )
    )
    write(joined, tmp_path / "collected.nc")
    with xr.open_dataset(tmp_path / "collected.nc", engine="h5netcdf") as read:
        assert list(read["case"].values) == ["cylinder"] * 2 + ["renda_arm_tip_force"] * 2
        assert read["status"].values[2] == "stopped at step 2"
        assert list(read["unknowns"].values) == [10, 20, 30, 40]
        assert read.attrs == {"source": "loligo rod"}


def test_an_attribute_that_some_items_lack_is_told_of_those_that_have_it():
    found = _differing([{"ranks": 2, "status": "complete"}, {}])
    np.testing.assert_array_equal(found["ranks"][1], [2, np.nan])
    assert found["status"][1] == ["complete", ""]


def test_status_says_what_a_failed_item_set(tmp_path, study):
    _, place, _ = study_of(tmp_path, THREE)
    forget(place, afresh=False)
    claim(place, "")
    release(place, Outcome("failed", 2, "why", 2.0))
    _, out, _ = study("status")
    first, *others = out.splitlines()
    assert first == "2 done, 1 failed"
    assert others == [f"{place.folder.name} failed: why", "    with body.length = 210 mm"]
