"""Pictures of bodies from their data sets."""

import numpy as np
import pytest
import xarray as xr

from loligo.cases.core.drawing import draw_apart
from loligo.cases.core.record import BadInput
from loligo.cases.dataset.io import read
from loligo.cases.dataset.surface import surface_dataset

pytest.importorskip("pyvista")  # a laptop may do without pictures
from loligo.validation.plot import body as draw

LENGTH, OUTER, INNER, KAPPA = 0.1, 0.02, 0.008, 12.0


def tube(radius, start, end, number):
    """A closed cylinder along x: rings of 48 points, 30 of them, and the middles of both ends."""
    around = np.arange(48) * np.pi / 24
    x = np.linspace(start, end, 30)
    ring = np.column_stack([np.cos(around), np.sin(around)])
    points = [np.column_stack([np.full(48, s), radius * ring]) for s in x]
    points += [np.array([[start, 0, 0], [end, 0, 0]])]
    i, j = np.meshgrid(np.arange(29), np.arange(48), indexing="ij")
    a, b = 48 * i + j, 48 * i + (j + 1) % 48
    side = np.concatenate(
        [np.stack(t, -1).reshape(-1, 3) for t in ((a, a + 48, b), (b, a + 48, b + 48))]
    )
    one, two, j = 48 * 30, 48 * 30 + 1, np.arange(48)
    ends = [[one, k, (k + 1) % 48] for k in j] + [[two, 1392 + (k + 1) % 48, 1392 + k] for k in j]
    triangle = np.concatenate([side, np.array(ends)]) + number
    return np.concatenate(points), triangle


@pytest.fixture
def solved():
    """A bent tube with a closed chamber, as data set and group."""
    (outer, skin), (inner, wall) = tube(OUTER, 0.0, LENGTH, 0), tube(INNER, 0.01, 0.09, 1442)
    rest = np.concatenate([outer, inner])
    bent = np.column_stack(
        [
            (1 / KAPPA - rest[:, 2]) * np.sin(KAPPA * rest[:, 0]),
            rest[:, 1],
            1 / KAPPA - (1 / KAPPA - rest[:, 2]) * np.cos(KAPPA * rest[:, 0]),
        ]
    )
    surface = surface_dataset(
        rest,
        np.concatenate([skin, wall[:, ::-1]]),
        np.repeat([0, 1], [len(skin), len(wall)]),
        ("outer", "cavity_a"),
        [0, 1],
        np.stack([0 * rest, bent - rest]),
        np.stack([np.ones(len(rest)), 1.0 + KAPPA * np.abs(rest[:, 2])]),
    )
    frame = np.tile(np.eye(4), (2, 3, 1, 1))
    data = xr.Dataset(
        {
            "frame": (("step", "station", "row", "column"), frame),
            "load_push": ("step", np.array([0.0, 2.0]), {"units": "N"}),
        },
        attrs={"case_name": "tube"},
    )
    return data, surface


def test_the_cut_face_is_the_solid_between_its_edges(solved):
    """At rest its area is that of the wall; bent about y it keeps it, since z is straight."""
    _, surface = solved
    wall = 2 * OUTER * LENGTH - 2 * INNER * 0.08
    for shown in (0, 1):
        face = draw.cut_face(draw.skin(surface, shown))
        # Chords of 48ths of a circle at y = 1e-6, and of 29ths of the bend.
        assert face.area == pytest.approx(wall, rel=2e-3)
        assert np.abs(face.points[:, 1]).max() < 1e-5


def test_the_kept_half_is_behind_the_cut(solved):
    _, surface = solved
    half = draw.opened(draw.skin(surface, 1))
    assert half.points[:, 1].min() >= 0.0
    assert half.points[:, 1].max() == pytest.approx(OUTER, rel=1e-6)


@pytest.mark.parametrize(("largest", "decimals"), [(1.01, 3), (1.1, 2), (1.5, 2), (4.0, 2)])
def test_numbers_on_the_scale_differ(largest, decimals):
    form = draw.stretch_format(largest)
    assert form == f"%.{decimals}f"
    assert len({form % value for value in np.linspace(1.0, largest, 5)}) == 5


def test_a_picture_shows_cut_skin_and_frames(solved, tmp_path):
    data, surface = solved
    file, picture = tmp_path / "tube.nc", tmp_path / "tube.png"
    data.to_netcdf(file, engine="h5netcdf")
    surface.to_netcdf(file, mode="a", engine="h5netcdf", group="surface")
    assert draw_apart("loligo.validation.plot.body", file, picture) is None
    from matplotlib.image import imread

    pixels = imread(picture)[:, :, :3].reshape(-1, 3)
    cut = np.array([int("f0e4cf"[i : i + 2], 16) for i in (0, 2, 4)]) / 255
    assert (np.abs(pixels - cut).max(axis=1) < 0.02).mean() > 0.02
    red = (pixels[:, 0] > 0.5) & (pixels[:, 1] < 0.45) & (pixels[:, 2] < 0.2)
    assert red.sum() > 200  # normals of the frames
    assert (pixels.min(axis=1) > 0.99).mean() > 0.3
    assert read(file, "surface").attrs["parts"] == "outer, cavity_a"


def test_a_file_without_a_surface_says_so(solved, tmp_path):
    data, _ = solved
    data.to_netcdf(tmp_path / "plain.nc", engine="h5netcdf")
    with pytest.raises(BadInput, match="no group surface"):
        draw.read_surface(tmp_path / "plain.nc")


def test_a_broken_surface_is_named(solved, tmp_path):
    data, surface = solved
    data.to_netcdf(tmp_path / "tube.nc", engine="h5netcdf")
    surface["triangle"][0, 0] = surface.sizes["vertex"]
    surface.to_netcdf(tmp_path / "tube.nc", mode="a", engine="h5netcdf", group="surface")
    with pytest.raises(BadInput, match="surface/triangle: names a vertex that is not there"):
        draw.read_surface(tmp_path / "tube.nc")
