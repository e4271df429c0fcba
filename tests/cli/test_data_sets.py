"""`loligo check` and `loligo show` on a good data set, a bad one, and a file that is none."""

import json
import subprocess
import sys

import numpy as np
import pytest
import xarray as xr

from loligo.cases.core.record import BadInput
from loligo.cases.dataset import io as ds
from loligo.validation.data.source import read_source


def loligo(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "loligo.cli.main", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def file(tmp_path):
    """A centreline of two points, named as missing everything else that a rod has."""
    data = xr.Dataset(
        {
            "time": ("step", [np.nan]),
            "centreline": (("step", "station", "axis"), [[[0.0, 0.0, 0.0], [0.1, 0.0, 0.0]]]),
        },
        {"station": [0.0, 0.1], "axis": ["x", "y", "z"]},
        {"kind": "measurement", "source": "by hand", "status": "complete"},
    )
    ds.write(ds.describe(data), tmp_path / "points.nc")
    return tmp_path / "points.nc"


def test_check_says_what_the_gaps_cost(file):
    done = loligo("check", file)
    assert done.returncode == 0
    assert "without it stiffness cannot be separated from load" in done.stdout
    assert "points.nc: a valid data set" in done.stdout
    verdicts = {
        finding["verdict"] for finding in json.loads(loligo("check", file, "--json").stdout)
    }
    assert verdicts == {"warning"}


def test_check_refuses_with_code_2(file):
    spoiled = ds.read(file).drop_vars("centreline")
    spoiled.to_netcdf(file, engine="h5netcdf")
    done = loligo("check", file)
    assert done.returncode == 2
    assert "there is no shape" in done.stdout
    file.write_text("no netCDF")
    done = loligo("check", file)
    assert done.returncode == 2
    assert "cannot be read as netCDF-4" in done.stderr


def test_show_summarises(file):
    done = loligo("show", file)
    assert done.returncode == 0
    assert "by hand" in done.stdout
    assert "centreline" in done.stdout


def test_show_prints_what_stands_there(file):
    data = ds.read(file)
    data["centreline"].attrs["long_name"] = "points [/bold]"
    data.to_netcdf(file, engine="h5netcdf")
    assert "[/bold]" in loligo("show", file).stdout


def test_an_attribute_that_is_no_text_is_shown_and_named(file):
    data = ds.read(file)
    data.assign_attrs(kind=[1, 2]).to_netcdf(file, engine="h5netcdf")
    shown = loligo("show", file)
    assert (shown.returncode, shown.stderr) == (0, "")
    assert "[1 2]" in shown.stdout
    done = loligo("check", file)
    assert (done.returncode, done.stderr) == (2, "")
    assert "bad: attribute kind: should be a text" in done.stdout


def test_an_output_that_cannot_be_written_is_one_line(tmp_path):
    (tmp_path / "file").write_text("")
    done = loligo("reduce", "cylinder", "-o", tmp_path / "file" / "a.nc")
    assert done.returncode == 2
    assert done.stderr.startswith("error: ") and "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("group", "spoil", "complaint"),
    [
        ("levels/1", lambda d: d.drop_vars("centreline"), "levels/1/frame: no frames"),
        ("levels/1", lambda d: d.assign_attrs(size="coarse"), "levels/1/attribute size: should be"),
        ("time_levels/0", lambda d: d.assign_attrs(time_step=-1.0), "attribute time_step: should"),
        ("surface", lambda d: d[["time"]], "surface/rest: is missing"),
        ("modes", lambda d: d[["time"]], "modes/shape: is missing"),
    ],
)
def test_what_stands_below_is_checked_too(file, group, spoil, complaint):
    """By `check`, and by whoever reads the groups: what one refuses the other refuses."""
    spoil(ds.read(file)).to_netcdf(file, mode="a", engine="h5netcdf", group=group)
    done = loligo("check", file)
    assert done.returncode == 2 and complaint in done.stdout
    with pytest.raises(BadInput, match=complaint.split(":")[0]):
        read_source(file)


def test_good_levels_pass(file):
    level = ds.read(file).assign_attrs(size=1.0)
    level.to_netcdf(file, mode="a", engine="h5netcdf", group="levels/0")
    assert loligo("check", file).returncode == 0
    assert list(read_source(file).meshes) == [1.0]
