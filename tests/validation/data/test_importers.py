"""Importers: points and frames of a known arc become valid data; bad files are refused."""

import numpy as np
import pytest

from loligo.cases.core.record import BadInput
from loligo.cases.dataset import io as schema
from loligo.validation.data.importers import centreline_from_csv, frames_from_folder

KAPPA, X = 4.0, np.linspace(0.0, 0.3, 4)  # the arc of conftest.py
POINTS = np.stack([np.sin(KAPPA * X) / KAPPA, (1 - np.cos(KAPPA * X)) / KAPPA, 0 * X], axis=-1)


def write_points(file, header="step,X [mm],x [mm],y [mm],z [mm]", steps=(1, 2)):
    rows = [
        ",".join([str(step), *(repr(1e3 * float(v)) for v in (x, *point))])
        for step in steps
        for x, point in zip(X, POINTS, strict=True)
    ]
    file.write_text("\n".join([header, *rows]))


def test_points_become_a_valid_measurement(tmp_path):
    write_points(tmp_path / "points.csv")
    data = centreline_from_csv(tmp_path / "points.csv", source="motion capture, test")
    assert schema.check(data) == []
    assert data.attrs["kind"] == "measurement"
    assert {"frame", "wrench"} <= set(data.attrs["missing"].split(", "))
    np.testing.assert_allclose(data["centreline"][1], POINTS, atol=1e-15)
    schema.write(data, tmp_path / "points.nc")


def test_frames_bring_their_strains(tmp_path, write_frames):
    for step in range(2):
        write_frames(tmp_path / f"{step}.csv")
    data = frames_from_folder(tmp_path, source="test")
    assert schema.check(data) == []
    # an arc of curvature kappa about z has the strain (0, 0, kappa, 1, 0, 0) everywhere
    expected = np.broadcast_to([0, 0, KAPPA, 1, 0, 0], (2, 3, 6))
    np.testing.assert_allclose(data["strain"], expected, atol=1e-13)


@pytest.mark.parametrize(
    ("header", "reason"),
    [
        ("step,X,x [mm],y [mm],z [mm]", 'column X: "1 " has no unit'),
        ("step,X [kPa],x [mm],y [mm],z [mm]", 'column X: "1 kPa" is not a length'),
        ("step,X [mm],x [mm],y [mm],w [mm]", "its header lacks z"),
    ],
)
def test_bad_headers_are_refused(tmp_path, header, reason):
    write_points(tmp_path / "points.csv", header)
    with pytest.raises(BadInput) as caught:
        centreline_from_csv(tmp_path / "points.csv", source="test")
    assert reason in str(caught.value)


def test_bad_contents_are_refused(tmp_path):
    file = tmp_path / "points.csv"
    with pytest.raises(BadInput, match="there is no such file"):
        centreline_from_csv(file, source="test")
    file.write_text("")
    with pytest.raises(BadInput, match="is empty; it needs a header"):
        centreline_from_csv(file, source="test")
    write_points(file)
    file.write_text(file.read_text() + "\n3,0,0,0,0")
    with pytest.raises(BadInput, match="step 3 has other stations X than step 1"):
        centreline_from_csv(file, source="test")
    file.write_text(file.read_text().replace("3,0,0,0,0", "3,0,0,zero,0"))
    with pytest.raises(BadInput, match='row 9: "zero" is no number for y'):
        centreline_from_csv(file, source="test")
    with pytest.raises(BadInput, match=r"there is no \.csv file in this folder"):
        frames_from_folder(tmp_path / "nothing", source="test")


def test_frames_that_are_no_rotations_are_refused(tmp_path, write_frames):
    write_frames(tmp_path / "0.csv", scale=1.01)
    with pytest.raises(BadInput, match="rotations are not orthogonal"):
        frames_from_folder(tmp_path, source="test")


def turned(points, kind):
    """Return the arc as other people's axes have it."""
    x, y, z = np.moveaxis(points, -1, 0)
    return np.stack({"-z": (y, z, -x), "swapped": (y, x, z), "-x": (-x, -y, z)}[kind], axis=-1)


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ("-z", "leaves its base along -z, at rest it lies along [+]x"),
        ("swapped", "leaves its base along [+]y"),
        ("-x", "leaves its base along -x"),
    ],
)
def test_other_axes_are_refused(tmp_path, monkeypatch, kind, reason):
    monkeypatch.setitem(write_points.__globals__, "POINTS", turned(POINTS, kind))
    write_points(tmp_path / "points.csv")
    with pytest.raises(BadInput, match=reason):
        centreline_from_csv(tmp_path / "points.csv", source="test")


@pytest.mark.parametrize(
    ("header", "reason"),
    [
        ("step,X [m],x [m],y [m],z [m]", r"X reaches to 300 m.*header is X \[mm\]"),
        ("step,X [mm],x [m],y [m],z [m]", "times as far apart as X says"),
        ("step,X [m],x [mm],y [mm],z [mm]", "X reaches to 300 m"),
        ("step,X [mm],x [mm],y [mm],z [mm]", None),
    ],
)
def test_other_units_are_refused(tmp_path, header, reason):
    file = tmp_path / "points.csv"
    write_points(file, header)
    if reason is None:
        centreline_from_csv(file, source="test")
        return
    with pytest.raises(BadInput, match=reason):
        centreline_from_csv(file, source="test")


@pytest.mark.parametrize(("offset", "refused"), [((0.0, 0.5, 0.0), True), ((0.01, 0, 0), False)])
def test_a_base_off_the_origin_is_refused(tmp_path, monkeypatch, offset, refused):
    """10 mm along x is a base disc."""
    monkeypatch.setitem(write_points.__globals__, "POINTS", POINTS + np.array(offset))
    write_points(tmp_path / "points.csv")
    if refused:
        with pytest.raises(BadInput, match="off the origin: subtract"):
            centreline_from_csv(tmp_path / "points.csv", source="test")
    else:
        centreline_from_csv(tmp_path / "points.csv", source="test")
