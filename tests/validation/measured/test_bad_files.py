"""Files that cannot be right are refused, and the message names the likely mistake."""

import re

import experiment as known
import numpy as np
import pytest
import scipy.io

from loligo.cases.case_file import validated
from loligo.cases.core.record import BadInput
from loligo.validation.measured.dataset import measured
from loligo.validation.measured.gather import watch
from loligo.validation.measured.setup import Setup

AT = {name: {"at": [f"{1e3 * x!r} mm" for x in place]} for name, place in known.PLACES.items()}
SETUP = {"source": "a test", "marker": AT, "shortest_hold": "1 s"}
NO_MARKERS = {"marker": {}}


def text(content):
    return lambda file: file.write_text(content)


def raw(content):
    return lambda file: file.write_bytes(content)


def wide(change, **more):
    """Return a writer of the known experiment with its table changed."""

    def write(file):
        table = known.columns(**more)
        changed = change(table)
        known.write_csv(file, table if changed is None else changed)

    return write


def renamed(old, new):
    return lambda table: {new if name == old else name: v for name, v in table.items()}


def put(name, values):
    return lambda table: table.update({name: np.broadcast_to(values, known.TIME.shape)})


def dropped(*names):
    return lambda table: {k: v for k, v in table.items() if k not in names}


def swap_axes(table):
    for name in known.PLACES:
        x, y = f"{name}_x [mm]", f"{name}_y [mm]"
        table[x], table[y] = table[y], table[x]


def swap_names(table):
    for axis in "xyz":
        a, b = f"left_{axis} [mm]", f"top_{axis} [mm]"
        table[a], table[b] = table[b], table[a]


def swap_later(table):
    late = known.TIME > 4.0
    for axis in "xyz":
        a, b = f"left_{axis} [mm]", f"top_{axis} [mm]"
        table[a], table[b] = np.where(late, table[b], table[a]), np.where(late, table[a], table[b])


def moved(table):
    table["top_x [mm]"] = table["top_x [mm]"] + 12.0


def read_as(unit, length=1.0):
    """Return a change that states another unit; `length` makes it less than the longest body."""

    def change(table):
        return {
            name.replace("[mm]", f"[{unit}]"): v * (length if "mm" in name else 1.0)
            for name, v in table.items()
        }

    return change


def blank(name, at=slice(None)):
    def change(table):
        values = np.array(table[name], dtype=float)
        values[at] = np.nan
        table[name] = values

    return change


def shaken(table):
    for name in [n for n in table if n.endswith("[mm]")]:
        table[name] = table[name] + 20.0 * np.sin(3.0 * known.TIME)


def truncated(file):
    known.write_c3d(file)
    file.write_bytes(file.read_bytes()[:600])


def mat(**variables):
    return lambda file: scipy.io.savemat(file, variables)


SHORT = "time [s],left_x [mm],left_y [mm],left_z [mm]\n"
BAD = {
    "nothing there": ("run.csv", lambda file: None, {}, "there is no such file"),
    "empty": ("run.csv", text(""), {}, "is empty"),
    "header alone": ("run.csv", text(SHORT), {}, "no rows"),
    "bytes": ("run.csv", raw(bytes(range(256))), {}, "cannot be read as CSV"),
    "a word": ("run.csv", text(SHORT + "0,1,two,3\n1,1,2,3"), {}, '"two" is no number for left_y'),
    "short row": ("run.csv", text(SHORT + "0,1,2,3\n1,1,2"), {}, "row 2 has no left_z"),
    "infinite": ("run.csv", text(SHORT + "0,1,inf,3\n1,1,2,3"), {}, "which nothing can be"),
    "two columns": (
        "run.csv",
        text("time [s],left_x [mm],left_x [mm]\n0,1,2"),
        {},
        "two columns left_x",
    ),
    "nothing known": ("run.csv", text("a,b\n1,2\n3,4"), {}, "no column has a name that means"),
    "no unit": (
        "run.csv",
        wide(renamed("left_x [mm]", "left_x")),
        {},
        "column left_x has no unit.*--unit length=mm",
    ),
    "unit of another kind": (
        "run.csv",
        wide(renamed("left_x [mm]", "left_x [kPa]")),
        {},
        "is not a length",
    ),
    "unknown unit": (
        "run.csv",
        wide(renamed("left_x [mm]", "left_x [quux]")),
        {},
        '"quux" .* is not a unit',
    ),
    "an axis missing": ("run.csv", wide(dropped("left_y [mm]")), {}, "marker left lacks left_y"),
    "no time": ("run.csv", wide(dropped("time [s]")), {}, "no column time"),
    "time stands": ("run.csv", wide(put("time [s]", 0.0)), {}, "time does not increase at row 2"),
    "time is a gap": ("run.csv", wide(blank("time [s]", 5)), {}, "row 6 has no time"),
    "a column of gaps": ("run.csv", wide(blank("left_x [mm]")), {}, "has no value at all"),
    "a row twice": (
        "run.csv",
        text("time [s],marker,x [mm],y [mm],z [mm]\n0,a,1,2,3\n0,a,1,2,3"),
        {},
        "row 2: marker a is there twice",
    ),
    "a long table without y": (
        "run.csv",
        text("time [s],marker,x [mm],z [mm]\n0,a,1,3"),
        {},
        "column marker lacks y",
    ),
    "two units": (
        "run.csv",
        text("time [s],name,value,unit\n0,angle_a,1,deg\n1,angle_a,1,rad"),
        {},
        "angle_a is in rad, before it was in deg",
    ),
    "unknown suffix": ("run.xlsx", text("x"), {}, r"nothing reads \.xlsx"),
    "mm read as m": ("run.csv", wide(read_as("m")), {}, "columns in millimetres"),
    "mm read as cm": ("run.csv", wide(read_as("cm")), {}, "in millimetres and read as centimetres"),
    "m read as mm": (
        "run.csv",
        wide(read_as("mm", 1e-3)),
        {},
        "in metres and read as millimetres",
    ),
    "inches": ("run.csv", wide(read_as("inch")), {}, "are its columns in millimetres"),
    "swapped axes": ("run.csv", wide(swap_axes), {}, "a mirror image fits: two axes are swapped"),
    "swapped names": (
        "run.csv",
        wide(swap_names),
        {},
        "if left and top were each other's names",
    ),
    "names swap later": ("run.csv", wide(swap_later), {}, "left and top swap their places"),
    "a marker came off": ("run.csv", wide(moved), {}, "most at top"),
    "two markers": (
        "run.csv",
        wide(lambda t: None, names=("left", "top")),
        {"marker": {k: AT[k] for k in ("left", "top")}},
        "it takes three",
    ),
    "three on a line": (
        "run.csv",
        wide(
            lambda t: {
                **t,
                **{f"m_{a} [mm]": 0.5 * (t[f"left_{a} [mm]"] + t[f"top_{a} [mm]"]) for a in "xyz"},
            },
            names=("left", "top"),
        ),
        {
            "marker": {
                **{k: AT[k] for k in ("left", "top")},
                "m": {"at": ["90 mm", "10 mm", "15 mm"]},
            }
        },
        "lie on one line",
    ),
    "a marker of the setup": (
        "run.csv",
        wide(lambda t: None, names=("left", "top", "right")),
        {},
        "setup has a marker foot and the file none",
    ),
    "leaves out what is not there": (
        "run.csv",
        wide(lambda t: None),
        {"leave_out": ["nose"]},
        "no nose to be left out",
    ),
    "mirrored axes": (
        "run.csv",
        wide(lambda t: None),
        {"axes": ["x", "z", "y"]},
        "axes of .*mirror|mirror image, in which",
    ),
    "degrees": (
        "run.csv",
        wide(put("angle_tip [rad]", 45.0)),
        {},
        "turns: are they degrees",
    ),
    "absolute pressure": (
        "run.csv",
        wide(lambda t: t.update({"pressure_s1c1 [kPa]": 101.3 + known.pressure() / 1e3})),
        {},
        "it is absolute.*tare it",
    ),
    "MPa for kPa": (
        "run.csv",
        wide(lambda t: t.update({"pressure_s1c2 [MPa]": known.pressure()})),
        {},
        "no soft body stands: is its unit right",
    ),
    "below vacuum": (
        "run.csv",
        wide(put("pressure_s1c2 [kPa]", -300.0)),
        {},
        "below absolute vacuum",
    ),
    "no volume": ("run.csv", wide(put("volume_s1c1 [mL]", 0.0)), {}, "volume_s1c1 is 0.*positive"),
    "a long distance": (
        "run.csv",
        wide(put("distance_d [m]", 60.0)),
        {},
        "is the column in millimetres",
    ),
    "a tendon pushes": (
        "run.csv",
        wide(put("tension_1 [N]", -5.0)),
        {},
        "a tendon cannot push",
    ),
    "never still": ("run.csv", wide(shaken), {}, "nothing stands still"),
    "too short": (
        "run.csv",
        text(SHORT + "0,1,2,3\n0.1,1,2,3"),
        NO_MARKERS,
        "too short to find holds",
    ),
    "rest beside the recording": (
        "run.csv",
        wide(lambda t: None),
        {"rest": ["20 s", "30 s"]},
        "no sample between 20 s and 30 s",
    ),
    "rest in motion": (
        "run.csv",
        wide(lambda t: None),
        {"rest": ["2.6 s", "3.4 s"]},
        "at rest, 2.6 s to 3.4 s, marker left moves",
    ),
    "a marker unseen at rest": (
        "run.csv",
        wide(blank("left_x [mm]", slice(0, 300))),
        {"rest": ["0.5 s", "2 s"]},
        "left was not seen at rest",
    ),
    "loads for other holds": (
        "run.csv",
        wide(lambda t: None),
        {"take": [{"file": "run.csv", "load": {"tip": ["1 N", "2 N", "3 N"]}}]},
        "load tip has 3 values and the recording 2 holds",
    ),
    "a load without a unit": (
        "run.csv",
        wide(lambda t: None),
        {"take": [{"file": "run.csv", "load": {"tip": "1"}}]},
        '"1" has no unit',
    ),
    "tare of nothing": (
        "run.csv",
        wide(lambda t: None),
        {"tare": ["force_x"]},
        "no column force_x to be tared",
    ),
    "a distance to nothing": (
        "run.csv",
        wide(lambda t: None),
        {"distance": {"d": {"between": ["left", "nose"]}}},
        "there is no marker nose",
    ),
    "no c3d": ("run.c3d", text("time,x\n0,1"), {}, "cannot be read as c3d"),
    "half a c3d": ("run.c3d", truncated, {}, "run.c3d: "),
    "no mat": ("run.mat", raw(b"not a matrix" * 40), {}, "cannot be read as a MATLAB file"),
    "a mat of words": ("run.mat", mat(run="words"), {}, "no numeric matrix"),
    "a mat unnamed": ("run.mat", mat(run=np.ones((9, 5))), {}, "name them with --columns"),
    "a mat of other width": (
        "run.mat",
        mat(run=np.ones((9, 5))),
        {"columns": ["time [s]", "-"]},
        "has 5 columns, --columns names 2",
    ),
    "a mat of two lengths": (
        "run.mat",
        mat(time=np.arange(9.0), angle_a=np.ones(8)),
        {"units": {"time": "s", "angle": "deg"}},
        "different numbers of samples",
    ),
    "a mat without units": (
        "run.mat",
        mat(time=np.arange(9.0), angle_a=np.ones(9)),
        {"units": {"time": "s"}},
        "column angle_a has no unit",
    ),
    "damaged 7.3": (
        "run.mat",
        raw(b"MATLAB 7.3 MAT-file".ljust(600, b" ")),
        {},
        "cannot be read as a MATLAB file",
    ),
}


def test_there_are_enough():
    assert len(BAD) >= 40


@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_is_refused_with_its_reason(tmp_path, name):
    file, write, change, reason = BAD[name]
    write(tmp_path / file)
    content = {**SETUP, **change}
    for take in content.get("take", ()):
        take["file"] = str(tmp_path / file)
    setup = validated(Setup, content, tmp_path / "setup.toml")
    with pytest.raises(BadInput) as refused:
        measured(watch([tmp_path / file], setup, None), setup, None)
    assert re.search(reason, str(refused.value)), str(refused.value)
    if "distance" not in change and "axes" not in change:
        assert file in str(refused.value)
