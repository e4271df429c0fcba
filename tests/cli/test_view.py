"""`loligo view`: the picture, and what it refuses."""

import os
import subprocess
import sys

import numpy as np
import pytest
import xarray as xr

from loligo.cases.dataset.surface import surface_dataset


def loligo(*arguments, cwd, env=None):
    return subprocess.run(
        [sys.executable, "-m", "loligo.cli.main", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        cwd=cwd,
        env=env,
    )


@pytest.fixture
def file(tmp_path):
    """A pyramid over a square, at two states."""
    pytest.importorskip("pyvista")
    rest = np.array([[0, -1, -1], [0, 1, -1], [0, 1, 1], [0, -1, 1], [3.0, 0, 0]]) * 0.01
    triangle = [[0, 2, 1], [0, 3, 2], [0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]]
    moved = np.stack([0 * rest, 0.2 * rest])
    surface = surface_dataset(
        rest, np.array(triangle), np.zeros(6, int), ["outer"], [0, 1], moved, np.ones((2, 5))
    )
    file = tmp_path / "pyramid.nc"
    xr.Dataset({"time": ("step", np.full(2, np.nan))}).to_netcdf(file, engine="h5netcdf")
    surface.to_netcdf(file, mode="a", engine="h5netcdf", group="surface")
    return file


def test_it_draws_into_a_file(file):
    done = loligo("view", file.name, "-o", "pictures/body.png", cwd=file.parent)
    assert (done.returncode, done.stdout.strip()) == (0, "pictures/body.png"), done.stderr
    assert (file.parent / "pictures" / "body.png").read_bytes().startswith(b"\x89PNG")


def test_it_refuses_what_is_not_there(file):
    done = loligo("view", file.name, "-o", "body.png", "--state", 3, cwd=file.parent)
    assert done.returncode == 2
    assert "there is no state 3; it has 2" in done.stderr
    done = loligo("view", file.name, "-o", "body.jpg", cwd=file.parent)
    assert done.returncode == 2
    assert "a picture ends with .png" in done.stderr


def test_without_a_screen_it_says_what_to_do(file):
    env = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY")}
    done = loligo("view", file.name, cwd=file.parent, env=env)
    assert done.returncode == 2
    assert "there is no screen here" in done.stderr and "-o body.png" in done.stderr
