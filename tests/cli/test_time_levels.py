"""One motion with steps of several sizes, from the command line: the bars of its time steps."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from loligo.cases.core.record import BadInput
from loligo.cases.dataset import io as dataset
from loligo.cases.dataset.levels import EXACT
from loligo.fem.levels import Resolution, check_levels, group, resolutions
from loligo.validation.data.source import read_source

CASE = """
title = "A short arm is let go"
source = "test"
gravity = [0.0, -1.0, 0.0]
mesh = { size = "20 mm" }

[time]
duration = "0.06 s"
every = "20 ms"
tolerance = 1e-2

[body]
kind = "tapered_arm"
length = "100 mm"
base_radius = "12 mm"
tip_radius = "12 mm"
stations = 3

[material.body]
energy = "neo_hooke"
mu = "30 kPa"
density = "1080 kg/m^3"
viscosity = "100 Pa s"

[load.weight]
kind = "weight"

[load.weight.history]
kind = "step"
before = 1.0
after = 0.0
"""


def solve(folder: Path, *more: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "loligo.cli.main", "solve", "let_go.toml", *more]
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("let_go")
    (made / "let_go.toml").write_text(CASE)
    return made


@pytest.mark.slow
def test_time_levels_give_bars_that_finer_steps_keep_to(folder: Path) -> None:
    done = solve(folder, "--time-levels", "2,0,1", "--json")
    assert done.returncode == 0, done.stderr
    source = read_source(folder / "let_go.nc")
    assert list(source.meshes) == []
    steps = sorted(source.times)
    assert [int(source.times[step].attrs["time_level"]) for step in steps] == [2, 1, 0]
    # Steps end at requested times, so that they are halved by and large.
    assert np.array(steps[1:]) / steps[:-1] == pytest.approx(2.0, abs=0.6)
    np.testing.assert_array_equal(source.data["frame"], source.times[steps[0]]["frame"])
    told = {row["quantity"]: row for row in json.loads(done.stdout)["bars"]}
    assert told["frame"]["of"] == "time step"

    done = solve(folder, "--time-levels", "4", "-o", "fine.nc")
    assert done.returncode == 0, done.stderr
    fine = dataset.read(folder / "fine.nc")
    for name in ("frame", "kinetic_energy", "stored_energy", "reaction"):
        assert name not in EXACT
        off = np.abs(source.data[name] - fine[name]).values[1:]
        off = off[..., :3, 3] if name == "frame" else off
        bar = source.data[f"{name}_uncertainty"].values[1:]
        assert (off.reshape(len(bar), -1).max(axis=1) <= bar).all(), name


def test_meshes_and_time_steps_meet_at_the_finest_steps_of_the_coarsest_mesh(folder: Path) -> None:
    done = solve(folder, "--levels", "0,1", "--time-levels", "0,1", "-o", "both.nc")
    assert done.returncode == 0, done.stderr
    source = read_source(folder / "both.nc")
    finest = source.data.attrs
    assert (int(finest["level"]), int(finest["time_level"])) == (1, 1)
    assert [int(one.attrs["time_level"]) for one in source.meshes.values()] == [1, 1]
    assert [int(one.attrs["level"]) for one in source.times.values()] == [0, 0]
    # Bars of both kinds add up: neither alone is that of the file.
    assert "time step" in done.stdout
    assert "mesh" in done.stdout
    again = solve(folder, "--levels", "0,1", "--time-levels", "0,1", "-o", "both.nc", "--restart")
    assert again.returncode == 0, again.stderr


def test_which_are_solved_and_where_they_stand() -> None:
    wanted = resolutions([0, 2], [0, 1])
    assert wanted == [Resolution(0, 0), Resolution(0, 1), Resolution(2, 1)]
    assert [group(one, wanted) for one in wanted] == [
        "time_levels/0",
        "time_levels/1",
        "levels/2",
    ]
    assert group(Resolution(3), [Resolution(3)]) is None
    assert check_levels("levels", (2, 0, 2)) == [0, 2]
    for wrong in ((), (7,), (-1, 0)):
        with pytest.raises(BadInput, match="choose levels from 0 to 6"):
            check_levels("levels", wrong)


def test_a_static_case_has_no_time_levels(folder: Path) -> None:
    still = (
        CASE.split("[time]")[0]
        + "[body]"
        + CASE.split("[body]")[1].split("[load.weight.history]")[0]
    )
    (folder / "let_go.toml").write_text(still)
    done = solve(folder, "--time-levels", "0,1")
    (folder / "let_go.toml").write_text(CASE)
    assert done.returncode == 2
    assert "let_go is no motion" in done.stderr
