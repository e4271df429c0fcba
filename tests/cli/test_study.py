"""`loligo study` from a file to the collected data set: resumed, retried, reproduced."""

import json
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import time

import numpy as np
import pytest
import xarray as xr

from loligo.cases.dataset import io as dataset

STUDY = """
cases = ["renda_arm_tip_force", "cylinder"]
run = "reduce"
[grid]
body.length = ["200 mm", "240 mm"]
"""


def loligo(*arguments, folder):
    return subprocess.run(
        [sys.executable, "-m", "loligo.cli.main", "study", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
    )


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    folder = tmp_path_factory.mktemp("study")
    (folder / "mine.toml").write_text(STUDY)
    ran = loligo("run", "mine.toml", "--at-once", 2, folder=folder)
    assert (ran.returncode, ran.stdout) == (0, "4 done\n"), ran.stderr
    return folder


def test_what_is_done_is_not_done_again(done):
    results = sorted(done.glob("mine_items/*/result.nc"))
    before = [file.stat().st_mtime_ns for file in results]
    again = loligo("run", "mine.toml", folder=done)
    assert again.returncode == 0 and "4 done before" in again.stderr
    assert [file.stat().st_mtime_ns for file in results] == before
    assert len(results) == 4


def test_a_wider_study_computes_the_rest_only(done):
    (done / "mine.toml").write_text(STUDY.replace('"240 mm"', '"240 mm", "260 mm"'))
    ran = loligo("run", "mine.toml", "--at-once", 2, folder=done)
    assert "6 items, 4 done before" in ran.stderr and ran.stdout == "6 done\n"
    (done / "mine.toml").write_text(STUDY)
    assert "4 items, 4 done before" in loligo("run", "mine.toml", folder=done).stderr


def test_the_collected_data_are_those_of_the_items(done):
    said = loligo("collect", "mine_items", folder=done)
    assert said.stdout == "mine_items/collected.nc: 4 of 4 items\n"
    with xr.open_dataset(done / "mine_items" / "collected.nc", engine="h5netcdf") as joined:
        joined.load()
    assert joined["body.length"].attrs["units"] == "mm"
    np.testing.assert_array_equal(joined["body.length"], [200.0, 240.0, 200.0, 240.0])
    for i, name in enumerate(joined["item"].values):
        with xr.open_dataset(done / "mine_items" / name / "result.nc", engine="h5netcdf") as one:
            count = one.sizes["station"]
            np.testing.assert_array_equal(
                joined["frame"][i, : one.sizes["step"], :count], one["frame"]
            )
            np.testing.assert_array_equal(joined["station_arc"][i, :count], one["station"])


def test_an_item_that_ended_early_is_collected_with_gaps(done, tmp_path):
    root = shutil.copytree(done / "mine_items", tmp_path / "mine_items")
    known = json.loads(loligo("status", "mine_items", "--json", folder=tmp_path).stdout)
    name = next(iter(known["items"]))  # results of a wider study lie there, too
    file = root / name / "result.nc"
    whole = dataset.read(file)
    dataset.write(whole.isel(step=slice(1)), file)
    assert loligo("collect", "mine_items", folder=tmp_path).returncode == 0
    with xr.open_dataset(root / "collected.nc", engine="h5netcdf") as joined:
        tip = joined["frame"].sel(item=name)[:, : whole.sizes["station"]]
        assert joined.sizes["step"] == whole.sizes["step"] > 1
        np.testing.assert_array_equal(tip[0], whole["frame"][0])
        assert np.isnan(tip[1:]).all()


def test_status_and_the_line_that_computes_an_item_again(done, tmp_path):
    known = json.loads(loligo("status", "mine_items", "--json", folder=done).stdout)
    assert known["counts"] == {"done": 4} and set(known["items"].values()) == {"done"}
    name = next(iter(known["items"]))
    line = loligo("reproduce", "mine_items", name[:8], folder=done).stdout
    subprocess.run(shlex.split(line), check=True, cwd=tmp_path, capture_output=True)
    before = dataset.read(done / "mine_items" / name / "result.nc")
    xr.testing.assert_equal(dataset.read(tmp_path / f"{name}.nc")["frame"], before["frame"])


def test_a_failure_is_told_with_its_reason_and_retried(tmp_path):
    (tmp_path / "mine.toml").write_text('cases = ["cylinder"]\nrun = "reduce"\n')
    loligo("submit", "mine.toml", "--dry-run", folder=tmp_path)  # lays it out
    (case,) = tmp_path.glob("mine_items/*/cylinder.toml")
    right = case.read_text()
    case.write_text(right.replace("length = ", "lenght = ", 1))
    ran = loligo("run", "mine.toml", folder=tmp_path)
    assert ran.returncode == 3 and "failed" in ran.stderr
    told = loligo("status", "mine_items", folder=tmp_path).stdout
    assert "1 failed" in told and "lenght" in told
    assert f" failed on {socket.gethostname()}: " in told
    case.write_text(right)
    assert loligo("run", "mine.toml", folder=tmp_path).returncode == 3  # a failure waits for retry
    assert loligo("retry", "mine_items", folder=tmp_path).stdout == "1 items wait again\n"
    assert loligo("run", "mine.toml", folder=tmp_path).returncode == 0


def test_status_says_where_an_item_runs_and_how_far_it_is(tmp_path):
    (tmp_path / "mine.toml").write_text('cases = ["cylinder"]\nrun = "reduce"\n')
    assert loligo("submit", "mine.toml", "--slurm", "--dry-run", folder=tmp_path).returncode == 0
    (folder,) = (path.parent for path in tmp_path.glob("mine_items/*/asked.json"))
    claim = {"host": "n1", "pid": 1, "job": "7_3", "since": time.time()}
    (folder / "running.json").write_text(json.dumps(claim))
    (folder / "log.txt").write_text("a word\nstep 1 of 4\n")
    told = loligo("status", "mine_items", folder=tmp_path).stdout
    assert told == f"1 running\n{folder.name} running on n1, job 7_3: step 1 of 4\n"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGUSR1])
def test_an_interrupted_study_goes_on(number, tmp_path):
    (tmp_path / "mine.toml").write_text(
        'cases = ["cylinder"]\nrun = "reduce"\n[sample]\ncount = 6\n[sample.between]\n'
        'body.length = ["200 mm", "240 mm"]\n'
    )
    running = subprocess.Popen(
        [sys.executable, "-m", "loligo.cli.main", "study", "run", "mine.toml"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        text=True,
    )
    while not list(tmp_path.glob("mine_items/*/outcome.json")):
        time.sleep(0.02)
        assert running.poll() is None
    running.send_signal(number)
    said, _ = running.communicate(timeout=60)
    assert running.returncode == 3 and "waiting" in said and "running" not in said
    ran = loligo("run", "mine.toml", "--at-once", 2, folder=tmp_path)
    assert (ran.returncode, ran.stdout) == (0, "6 done\n")
    assert " 0 done before" not in ran.stderr


def test_what_is_no_study_is_refused(tmp_path):
    for verb in ("status", "collect", "retry"):
        said = loligo(verb, ".", folder=tmp_path)
        assert said.returncode == 2 and "is not the folder of a study" in said.stderr
    (tmp_path / "index.json").write_text("{cut")
    said = loligo("status", ".", folder=tmp_path)
    assert said.returncode == 2 and "is damaged" in said.stderr
