"""The data set: a good one round trips, each fault is named, a kill loses nothing."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import h5py
import numpy as np
import pytest
import xarray as xr

from loligo.cases.core.record import BadInput
from loligo.cases.dataset import io as ds
from loligo.cases.dataset import reading as dataset_read

STATIONS = np.linspace(0.0, 0.3, 4)


@pytest.fixture
def arc():
    """Write by hand the data set of an arc in the x-y plane, bent by 0.5 and 1 rad."""
    angles = np.array([0.5, 1.0])
    frame = np.zeros((2, 4, 4, 4))
    for i, total in enumerate(angles):
        kappa = total / STATIONS[-1]
        for j, x in enumerate(STATIONS):
            c, s = np.cos(kappa * x), np.sin(kappa * x)
            frame[i, j] = [
                [c, -s, 0, s / kappa],
                [s, c, 0, (1 - c) / kappa],
                [0, 0, 1, 0],
                [0, 0, 0, 1],
            ]
    strain = np.zeros((2, 3, 6))
    strain[:, :, 2] = angles[:, None] / STATIONS[-1]
    strain[:, :, 3] = 1.0
    variables = {"time": ("step", [np.nan, np.nan])}
    variables |= {"frame": (("step", "station", "row", "column"), frame)}
    variables |= {"strain": (("step", "station_mid", "strain_component"), strain)}
    coords = {
        "station": STATIONS,
        "station_mid": 0.5 * (STATIONS[1:] + STATIONS[:-1]),
        "strain_component": list(ds.STRAIN_COMPONENTS),
    }
    known = set(variables)
    missing = [
        name
        for name, quantity in ds.QUANTITIES.items()
        if name not in known and not {"cavity", "meridian", "mode"} & set(quantity.dims)
    ]
    attrs = {"kind": "prediction", "source": "by hand", "status": "complete"}
    return ds.describe(xr.Dataset(variables, coords, attrs | {"missing": ", ".join(missing)}))


def reasons(dataset):
    return {(finding.verdict, finding.where): finding.reason for finding in ds.check(dataset)}


def test_a_good_data_set_passes(arc):
    assert ds.check(arc) == []


def test_it_is_read_by_plain_xarray(arc, tmp_path):
    ds.write(arc, tmp_path / "a.nc", groups={"levels/0": arc[["strain"]]})
    with xr.open_dataset(tmp_path / "a.nc") as plain:
        xr.testing.assert_identical(plain.load(), arc)
    xr.testing.assert_equal(ds.read(tmp_path / "a.nc", group="levels/0"), arc[["strain"]])
    assert [path.name for path in tmp_path.iterdir()] == ["a.nc"]


def rotate_wrongly(data):
    data["frame"].values[0, 1, :3, :3] *= -1.0


def wrong_row(data):
    data["frame"].values[0, 0, 3, 0] = 1.0


def lose_column(data):
    frame = data["frame"].isel(row=slice(3), column=slice(3))
    del data["frame"]
    data["frame"] = frame


def without_coordinate(data):
    del data.coords["station_mid"]


FAULTS = [
    (lambda d: d.attrs.update(source=" "), "attribute source", "is missing: without it"),
    (lose_column, "row", "a frame has 4 of them, not 3"),
    (without_coordinate, "station_mid", "has no coordinate"),
    (
        lambda d: d.update({"station": ("station", list("abcd"))}),
        "station",
        "should be arc lengths at rest in m",
    ),
    (
        lambda d: d["station"].attrs.update(units="mm"),
        "station",
        "has units 'mm', should be 'm'",
    ),
    (
        lambda d: d.update({"time": ("step", [1.0, 0.5], {"units": "s"})}),
        "time",
        "must increase from step to step",
    ),
    (
        lambda d: d.update({"time": ("step", [1.0, np.nan], {"units": "s"})}),
        "time",
        "or be NaN in all of them",
    ),
    (
        lambda d: d.update({"stable": ("step", [1, 7], {"units": "1"})}),
        "stable",
        "other than 1, 0 and -1",
    ),
    (
        lambda d: d.update({"max_stretch": ("step", [1.0, -3.0], {"units": "1"})}),
        "max_stretch",
        "must be positive",
    ),
    (
        lambda d: d.update({"strain_uncertainty": ("step", ["a", "b"], {"units": "1"})}),
        "strain_uncertainty",
        "should be numbers",
    ),
    (
        lambda d: d.update({"stored_energy_uncertainty": ("step", [0.0, 0.0], {"units": "mJ"})}),
        "stored_energy_uncertainty",
        "has units 'mJ', should be 'J'",
    ),
    (
        lambda d: d.attrs.pop("status"),
        "attribute status",
        "a run that stopped early looks complete",
    ),
    (lambda d: d.attrs.update(status="banana"), "attribute status", 'or "stopped at'),
    (lambda d: d.attrs.update(kind=np.arange(3)), "attribute kind", "should be a text"),
    (lambda d: d.attrs.update(missing=np.arange(3)), "attribute missing", "should be a text"),
    (lambda d: d.attrs.update(status=1.5), "attribute status", "should be a text"),
    (lambda d: d.attrs.update(kind="truth"), "attribute kind", "should be one of reference"),
    (lambda d: d.attrs.update(schema_version="9.0"), "attribute schema_version", "is 9.0"),
    (lambda d: d.attrs.update(case="an arm"), "attribute case", "is not valid TOML"),
    (lambda d: d.attrs.update(case='title = "arm"'), "attribute case", "body: is missing"),
    (
        lambda d: d.update({"station": ("station", d["station"].values[::-1], {"units": "m"})}),
        "station",
        "must increase from base to tip",
    ),
    (
        lambda d: d.update(
            {"station_mid": ("station_mid", d["station_mid"].values + 0.01, {"units": "m"})}
        ),
        "station_mid",
        "should be the middles between the stations",
    ),
    (
        lambda d: d.update({"strain_component": list("abcdef")}),
        "strain_component",
        "its labels should be tx, ky",
    ),
    (lambda d: d["strain"].attrs.pop("units"), "strain", "has no attribute units"),
    (
        lambda d: d["strain"].attrs.update(units="1/mm"),
        "strain",
        "has units '1/mm', should be '1/m (angular), 1 (linear)': no unit is converted",
    ),
    (
        lambda d: d.update({"strain": d["strain"].transpose("station_mid", ...)}),
        "strain",
        "has dimensions (station_mid, step, strain_component), should be (step,",
    ),
    (
        lambda d: d["strain"].values.__setitem__((0, 0, 0), np.nan),
        "strain",
        "1 values are not finite",
    ),
    (
        lambda d: d.update({"pressure": ("step", ["a", "b"], {"units": "Pa"})}),
        "pressure",
        "should be numbers",
    ),
    (
        lambda d: d.update({"strain_uncertainty": ("step", [-1.0, 0.0], {"units": "1"})}),
        "strain_uncertainty",
        "an error bar cannot be negative",
    ),
    (
        lambda d: d.update({"volume_uncertainty": ("step", [0.0, 0.0], {"units": "m^3"})}),
        "volume_uncertainty",
        "is the error bar of volume, which is not here",
    ),
    (rotate_wrongly, "frame", "not orthogonal with determinant +1"),
    (wrong_row, "frame", "the last row of a frame should be 0 0 0 1"),
]


@pytest.mark.parametrize(("spoil", "where", "reason"), FAULTS)
def test_each_fault_is_named(arc, spoil, where, reason):
    spoiled = arc.copy(deep=True)
    spoil(spoiled)
    assert reason in reasons(spoiled)["bad", where]


def test_a_bad_data_set_is_not_written(arc, tmp_path):
    arc["strain"].attrs["units"] = "1/mm"
    with pytest.raises(BadInput, match="not written\n  bad: strain: has units '1/mm'"):
        ds.write(arc, tmp_path / "a.nc")
    assert not list(tmp_path.iterdir())


def test_frames_of_whole_numbers_are_frames_too(arc):
    arc["frame"] = arc["frame"].astype("int32")
    assert "not orthogonal" in reasons(arc)["bad", "frame"]


def test_a_case_that_never_ends_is_refused(arc):
    arc.attrs["case"] = "a = " + "[" * 100_000
    assert "is not valid TOML" in reasons(arc)["bad", "attribute case"]


def test_units_are_never_guessed(arc, tmp_path):
    del arc["strain"].attrs["units"]
    with pytest.raises(BadInput, match="strain: has no attribute units"):
        ds.write(arc, tmp_path / "a.nc")


def test_single_precision_and_lost_markers_are_no_fault(arc):
    single = arc.assign_coords(station=arc["station"].astype("f4"))
    assert ds.check(single) == []
    arc["frame"].values[0, 1] = np.nan
    assert "16 values are not finite" in reasons(arc)["bad", "frame"]
    arc.attrs["kind"] = "measurement"
    assert reasons(arc) == {("warning", "frame"): "16 values were not measured"}


def test_a_body_in_millimetres_is_noticed(arc):
    long = arc.assign_coords(station=1e3 * arc["station"], station_mid=1e3 * arc["station_mid"])
    for name in ("station", "station_mid"):
        long[name].attrs["units"] = "m"
    assert "is it in millimetres?" in reasons(long)["warning", "station"]


def test_absence_must_be_declared(arc):
    arc.attrs["missing"] = arc.attrs["missing"].replace("wrench,", "")
    assert "stiffness cannot be separated from load" in reasons(arc)["warning", "wrench"]
    arc.attrs["missing"] += ", strain"
    assert "is here although" in reasons(arc)["warning", "strain"]


def test_misspelt_variables_are_found(arc):
    spoiled = arc.assign(strian=arc["strain"])
    assert 'did you mean "strain"' in reasons(spoiled)["warning", "strian"]


def test_no_shape_is_no_data_set(arc):
    assert "there is no shape" in reasons(arc.drop_vars("frame"))["bad", "frame"]


def test_foreign_files_are_refused(tmp_path):
    (tmp_path / "a.nc").write_text("not netCDF")
    with pytest.raises(BadInput, match="cannot be read as netCDF-4"):
        ds.read(tmp_path / "a.nc")
    with pytest.raises(BadInput, match="there is no such file"):
        ds.read(tmp_path / "b.nc")


def test_a_damaged_file_is_refused(arc, tmp_path):
    """A variable whose data are lost: h5netcdf stumbles over what is not there."""
    ds.write(arc, tmp_path / "a.nc")
    with h5py.File(tmp_path / "a.nc", "a") as file:
        file["wrench"] = h5py.SoftLink("/nowhere")
    with pytest.raises(BadInput, match="or is damaged"):
        ds.read(tmp_path / "a.nc")


DAMAGE = """
import random, sys
from pathlib import Path
from loligo.cases.dataset import io as ds
from loligo.cases.core.record import BadInput

def damage(data, kind, at):
    match kind:
        case "bits":
            for _ in range(50):
                data[at(len(data))] ^= 1 << at(8)
        case "bit of the head":
            data[at(min(len(data), 20_000))] ^= 1 << at(8)
        case "zeros":
            start = at(len(data) - 4096)
            data[start : start + 4096] = bytes(4096)
        case "end":
            del data[at(len(data)) :]

whole, spoilt = Path(sys.argv[1]).read_bytes(), Path(sys.argv[1]).with_name("spoilt.nc")
at = random.Random(int(sys.argv[2])).randrange
for number in range(int(sys.argv[3])):
    data = bytearray(whole)
    damage(data, ["bits", "bit of the head", "zeros", "end"][number % 4], at)
    spoilt.write_bytes(data)
    try:
        ds.read_groups(spoilt)
        print("read")
    except BadInput as error:
        print("refused" if "or is damaged" in str(error) else error)
    spoilt.unlink()
print("survived")
"""


def survives(file, seed, count):
    """Read a file with seeded damage in a process of its own, which HDF5 may end."""
    done = subprocess.run(
        [sys.executable, "-c", DAMAGE, str(file), str(seed), str(count)],
        capture_output=True,
        text=True,
        check=False,
    )
    said = done.stdout.split("\n")[:-1]
    assert (done.returncode, said[-1:], done.stderr) == (0, ["survived"], "")
    assert len(said) == count + 1 and set(said[:-1]) <= {"read", "refused"}
    return said.count("refused")


@pytest.mark.parametrize("count", [24, pytest.param(200, marks=pytest.mark.slow)])
def test_damage_never_ends_the_process(tmp_path, count):
    """HDF5 itself aborts on about every tenth of these; none is a traceback, and none hangs."""
    files = (Path(__file__).parents[3] / "validation" / "reference").glob("*.nc")
    file = shutil.copy(min(files, key=lambda file: file.stat().st_size), tmp_path)
    assert survives(Path(file), seed=2, count=count) >= count / 2


def abort(_):
    os.abort()


def loop(_):
    while True:
        pass


def stumble(_):
    raise AttributeError("'NoneType' object has no attribute 'x'")


@pytest.mark.parametrize(
    ("visit", "words"),
    [(abort, "HDF5 fails on it"), (loop, "reading it does not end"), (stumble, "'NoneType'")],
)
def test_whatever_a_child_comes_to_is_a_sentence(arc, tmp_path, monkeypatch, visit, words):
    ds.write(arc, tmp_path / "a.nc")
    shutil.copy(tmp_path / "a.nc", tmp_path / "foreign.nc")
    monkeypatch.delitem(sys.modules, "mpi4py.MPI", raising=False)  # the child is a fork
    monkeypatch.setattr(dataset_read, "_visit", visit)
    monkeypatch.setattr(dataset_read, "_SECONDS", 1)
    with pytest.raises(BadInput, match=f"foreign.nc: cannot be read .* or is damaged: .*{words}"):
        ds.read(tmp_path / "foreign.nc")
    assert ds.read(tmp_path / "a.nc").sizes["step"] == 2  # written by this process: no child


def test_where_mpi_runs_the_child_is_another_python(arc, tmp_path, monkeypatch):
    """Memory that a network's card reads must not be forked; nor is the child one of the ranks."""
    for name in ("good.nc", "bad.nc"):
        ds.write(arc, tmp_path / "a.nc")
        shutil.copy(tmp_path / "a.nc", tmp_path / name)
    with (tmp_path / "bad.nc").open("r+b") as file:
        file.truncate(5000)
    monkeypatch.setitem(sys.modules, "mpi4py.MPI", None)
    monkeypatch.setattr("os.fork", None)
    monkeypatch.setenv("OMPI_COMM_WORLD_SIZE", "2")
    assert ds.read(tmp_path / "good.nc").sizes["step"] == 2
    with pytest.raises(BadInput, match="or is damaged"):
        ds.read(tmp_path / "bad.nc")


def test_a_file_that_was_replaced_is_visited_again(arc, tmp_path):
    file = tmp_path / "a.nc"
    ds.write(arc, file)
    file.write_bytes(file.read_bytes()[:5000])
    with pytest.raises(BadInput, match="or is damaged"):
        ds.read(file)


def test_bytes_that_are_no_text_can_be_written_on(arc, tmp_path):
    """A bit flipped in texts, as h5py gives them: a page that repeats them is text again."""
    file = tmp_path / "a.nc"
    arc["frame"].attrs["long_name"] = "cafe_1"
    ds.write(arc.assign_attrs(source="cafe_1"), file)
    file.write_bytes(file.read_bytes().replace(b"cafe_1", b"caf\xe5_1"))
    (group,) = ds.read_groups(file).values()
    for found in (ds.read(file), group):
        assert found.attrs["source"] == found["frame"].attrs["long_name"] == "caf\\xe5_1"


def test_a_pipe_is_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe.nc")
    with pytest.raises(BadInput, match=r"pipe\.nc: cannot be read"):
        ds.read(tmp_path / "pipe.nc")


FULL = """
import resource, sys
from pathlib import Path
from loligo.cases.dataset import io as ds
data = ds.read(Path(sys.argv[1]))
resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))
try:
    ds.write(data, Path(sys.argv[1]))
except OSError as error:
    print("refused by the system", error.filename)
"""


def test_a_file_that_cannot_be_written_leaves_the_old_one(arc, tmp_path):
    file = tmp_path / "a.nc"
    ds.write(arc, file)
    before = file.read_bytes()
    assert len(before) > 10_000
    done = subprocess.run(
        [sys.executable, "-c", FULL, str(file)], capture_output=True, text=True, check=False
    )
    assert done.stdout == f"refused by the system {file}\n"
    assert file.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["a.nc"]


WRITER = """
import sys
from pathlib import Path
import numpy as np, xarray as xr
from loligo.cases.dataset import io as ds
old = ds.read(Path(sys.argv[1]))
for number in range(1, 10_000):
    new = old.assign(time=("step", [number, number + 1.0], {"units": "s"}))
    filler = xr.Dataset({"x": ("i", np.random.default_rng(0).random(300_000))})
    ds.write(new, Path(sys.argv[1]), groups={"surface": filler})
    print(number, flush=True)
"""


def test_a_kill_at_any_instant_leaves_a_whole_file(arc, tmp_path):
    file = tmp_path / "a.nc"
    ds.write(arc.assign(time=("step", [0.0, 1.0], {"units": "s"})), file)
    for delay in np.random.default_rng(7).uniform(0.0, 0.15, size=8):
        process = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(file)], stdout=subprocess.PIPE, text=True
        )
        first = process.stdout.readline()
        time.sleep(delay)
        process.send_signal(signal.SIGKILL)
        rest = process.communicate()[0]
        last = int((first + rest).split()[-1])
        # the file holds the last number that was reported, or the one that was under way
        assert ds.read(file)["time"].values[0] in (last, last + 1)
        assert ds.check(ds.read(file)) == []
