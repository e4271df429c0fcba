"""Files that cannot be read to their end, or hold what nobody expects: a sentence and code 2."""

import os
import shutil
import subprocess
import sys

import h5py
import pytest

from loligo.validation.data.shipped import shipped

ARM = "renda_arm_tip_force"


def loligo(*arguments, cwd):
    return subprocess.run(
        [sys.executable, "-m", "loligo.cli.main", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        cwd=cwd,
        timeout=100,
    )


@pytest.mark.parametrize(
    "command",
    [
        ("cases", "check", "{}.toml"),
        ("reduce", "{}.toml"),
        ("reduce", ARM, "-c", "{}.toml"),
        ("check", "{}.nc"),
        ("show", "{}.nc"),
        ("compare", ARM, "{}.nc"),
        ("report", "{}.nc"),
        ("report", "{}.json"),
        ("report", "folder"),
        ("calibrate", "material", "{}.csv"),
        ("study", "run", "{}.toml"),
        ("study", "status", "study"),
        ("robot", "show", "{}.toml"),
    ],
    ids=lambda command: " ".join(command[:2]),
)
@pytest.mark.parametrize("odd", ["pipe", "zero"])
def test_no_reader_waits_for_a_pipe_or_reads_a_device(tmp_path, command, odd):
    (tmp_path / "folder").mkdir()
    (tmp_path / "study").mkdir()
    names = [f"{odd}.{suffix}" for suffix in ("toml", "nc", "json", "csv")]
    for name in (*names, "folder/a.nc", "study/index.json"):
        if odd == "pipe":
            os.mkfifo(tmp_path / name)
        else:
            (tmp_path / name).symlink_to("/dev/zero")
    done = loligo(*(word.format(odd) for word in command), cwd=tmp_path)
    assert done.returncode == 2 and "Traceback" not in done.stderr
    assert ("a named pipe" if odd == "pipe" else "a device") in done.stderr


def test_a_data_set_that_is_taken_for_a_case_is_called_one(tmp_path):
    shutil.copy(shipped()[ARM], tmp_path / "a.toml")
    done = loligo("cases", "check", "a.toml", cwd=tmp_path)
    assert done.returncode == 2
    assert "is a netCDF data set" in done.stderr and "`loligo show`" in done.stderr


def test_bytes_that_are_no_text_are_shown_as_such(tmp_path):
    file = tmp_path / "a.nc"
    shutil.copyfile(shipped()[ARM], file)
    with h5py.File(file, "a") as opened:
        opened.attrs["source"] = b"caf\xe9"
    done = loligo("show", file, cwd=tmp_path)
    assert "Traceback" not in done.stderr
    assert done.returncode == 0, done.stderr
    assert "caf\\" in done.stdout


def test_pulls_without_a_stress_are_refused(tmp_path):
    (tmp_path / "a.csv").write_text(
        "stretch,stress [MPa],mode\n" + "".join(f"{1 + i / 5},0,uniaxial\n" for i in range(6))
    )
    done = loligo("calibrate", "material", "a.csv", "--replicates", 2, cwd=tmp_path)
    assert done.returncode == 2 and "Traceback" not in done.stderr
    assert "every stress is zero" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["a.csv"]


def test_a_folder_that_is_no_item_is_refused(tmp_path):
    (tmp_path / "empty").mkdir()
    for name in ("empty", "nowhere"):
        done = loligo("study", "item", name, cwd=tmp_path)
        assert done.returncode == 2 and "Traceback" not in done.stderr
        assert f"{name}: has no case file" in done.stderr
    assert list((tmp_path / "empty").iterdir()) == []
