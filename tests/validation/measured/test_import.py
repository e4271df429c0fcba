"""Every kind of file becomes one data set in one command, and gives what was put in."""

import experiment as known
import numpy as np
import pytest
import tomli_w
import xarray as xr

from loligo.cases.dataset import io as schema
from loligo.cli.main import main

MARKERS = {name: {"at": [f"{1e3 * x!r} mm" for x in place]} for name, place in known.PLACES.items()}
SETUP = {"source": "a test", "marker": MARKERS, "shortest_hold": "1 s"}
LENGTH = {"units": {"length": "mm", "time": "s"}}
KINDS = {
    "wide.csv": (known.write_wide, {}),
    "semicolons.csv": (known.write_semicolons, {}),
    "values.csv": (known.write_long_values, {}),
    "markers.csv": (known.write_long_markers, {}),
    "points.c3d": (known.write_c3d, {}),
    "matrix.mat": (known.write_mat, {"columns": known.headings()}),
    "vectors.mat": (known.write_mat_vectors, LENGTH),
    "matrix73.mat": (known.write_mat_73, {"columns": known.headings()}),
}


def run(*words):
    try:
        main([str(word) for word in words])
    except SystemExit as stop:
        return stop.code or 0
    return 0


def imported(tmp_path, name, **more):
    write, needs = KINDS[name]
    write(tmp_path / name)
    setup = tmp_path / "setup.toml"
    setup.write_text(tomli_w.dumps({**SETUP, **needs, **more}))
    out = tmp_path / "data.nc"
    assert run("import", tmp_path / name, "--setup", setup, "-o", out) == 0
    return schema.read(out)


@pytest.mark.parametrize("name", KINDS)
def test_each_kind_of_file_gives_what_was_put_in(tmp_path, name):
    data = imported(tmp_path, name)
    assert [f for f in schema.check(data) if f.verdict == "bad"] == []
    assert data.attrs["kind"] == "measurement"
    assert data.sizes["step"] == 2
    close = 2e-7 if name.endswith("c3d") else 1e-9  # c3d holds single precision
    for step, way in known.WAYS.items():
        for marker, place in known.PLACES.items():
            here = data["marker_position"].sel(marker=marker)[step - 1]
            wanted = np.array(place) + np.array(way) * place[0] / 0.1
            np.testing.assert_allclose(here, wanted, rtol=0.0, atol=close)
            np.testing.assert_allclose(data["marker_rest"].sel(marker=marker), place)
    if "pressure" in data:
        np.testing.assert_allclose(data["pressure"][:, 0], known.PRESSURES[1:], rtol=1e-9)
        np.testing.assert_allclose(data["load_supply"], known.PRESSURES[1:], rtol=1e-9)
    assert (tmp_path / "data.svg").read_text().startswith("<svg")


def test_a_marker_of_unknown_place_is_found_by_registration(tmp_path):
    marker = {name: MARKERS[name] for name in ("left", "right", "top")}
    data = imported(tmp_path, "wide.csv", marker=marker)
    found = data["marker_rest"].sel(marker="foot")
    np.testing.assert_allclose(found, known.PLACES["foot"], atol=1e-12)


def test_given_axes_do_what_registration_does(tmp_path):
    """In a laboratory whose axes are the body's -z, x and -y."""
    turned = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, -1.0], [-1.0, 0.0, 0.0]])
    table = {"time [s]": known.TIME}
    for k, axis in enumerate("xyz"):
        table[f"left_{axis} [mm]"] = 1e3 * (known.on_body("left") @ turned)[:, k]
    known.write_csv(tmp_path / "run.csv", table)
    setup = tmp_path / "setup.toml"
    setup.write_text(
        tomli_w.dumps({**SETUP, "marker": {"left": MARKERS["left"]}, "axes": ["y", "-z", "-x"]})
    )
    out = tmp_path / "data.nc"
    assert run("import", tmp_path / "run.csv", "-s", setup, "-o", out) == 0
    way = schema.read(out)["marker_position"][:, 0] - np.array(known.PLACES["left"])
    np.testing.assert_allclose(way, [known.WAYS[1], known.WAYS[2]], atol=1e-9)


def test_a_motion_keeps_its_samples(tmp_path):
    data = imported(tmp_path, "wide.csv", motion=True, rest=["0.5 s", "2 s"], every="0.1 s")
    assert data.sizes["step"] == 90
    np.testing.assert_allclose(np.diff(data["time"]), 0.1)
    last = data["marker_position"].sel(marker="left")[-1]
    np.testing.assert_allclose(last, np.array([0.1, 0.02, 0.0]) + known.WAYS[2], atol=1e-9)


def test_single_angles_forces_volumes_and_distances(tmp_path):
    table = {
        "time [s]": known.TIME,
        "angle_tip [deg]": 30.0 * known.share(1) + 15.0 * known.share(2),
        "distance_ends [mm]": 60.0 + 5.0 * known.share(1),
        "volume_s1c1 [mL]": 2.0 + known.share(2),
        "tension_1 [N]": 4.0 * known.share(1),
        "force_z [N]": 100.0 + 2.0 * known.share(1) + known.share(2),
        "moment_y [N mm]": 7.0 * known.share(2),
    }
    known.write_csv(tmp_path / "run.csv", table)
    out = tmp_path / "data.nc"
    words = ("--source", "a test", "--tare", "force_z", "-o", out)
    assert run("import", tmp_path / "run.csv", *words) == 0
    data = schema.read(out)
    np.testing.assert_allclose(np.degrees(data["angle"].sel(tag="tip")), [30.0, 45.0], rtol=1e-9)
    np.testing.assert_allclose(data["distance"].sel(span="ends"), [0.065, 0.065], rtol=1e-9)
    np.testing.assert_allclose(data["volume"].sel(cavity="s1c1"), [2e-6, 3e-6], rtol=1e-9)
    np.testing.assert_allclose(data["tendon_tension"].sel(tendon=1), [4.0, 4.0], rtol=1e-9)
    cell = data["reaction"]
    np.testing.assert_allclose(cell.sel(wrench_component="fz"), [2.0, 3.0], atol=1e-9)
    np.testing.assert_allclose(cell.sel(wrench_component="my"), [0.0, 7e-3], atol=1e-12)


def test_gaps_stay_gaps_and_short_ones_are_averaged_over(tmp_path):
    table = known.columns()
    table["left_x [mm]"] = np.where(known.TIME > 6.0, np.nan, table["left_x [mm]"])
    table["top_z [mm]"] = np.where(np.arange(known.TIME.size) % 7 == 3, np.nan, table["top_z [mm]"])
    known.write_csv(tmp_path / "run.csv", table)
    setup = tmp_path / "setup.toml"
    setup.write_text(tomli_w.dumps({**SETUP}))
    out = tmp_path / "data.nc"
    assert run("import", tmp_path / "run.csv", "-s", setup, "-o", out) == 0
    place = schema.read(out)["marker_position"]
    assert np.isnan(place.sel(marker="left")[1]).any()
    wanted = np.array(known.PLACES["top"]) + np.array(known.WAYS[2]) * 0.8
    np.testing.assert_allclose(place.sel(marker="top")[1], wanted, atol=1e-9)


def test_a_table_of_points_is_still_read(tmp_path):
    file = tmp_path / "points.csv"
    rows = [f"{step},{x},{x},0,0" for step in (1, 2) for x in (0, 50, 100)]
    file.write_text("\n".join(["step,X [mm],x [mm],y [mm],z [mm]", *rows]))
    out = tmp_path / "points.nc"
    assert run("import", file, "--source", "a test", "-o", out) == 0
    with xr.open_dataset(out) as data:
        assert data["centreline"].shape == (2, 3, 3)
