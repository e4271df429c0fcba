"""A case solved from Python is the case solved by the command line."""

import subprocess
import sys

from mpi4py import MPI

import numpy as np
import pytest
from short import short_case

import loligo as lo
from loligo.fem.run import Run

MADE = ("created", "wall_seconds", "cpu_seconds")


@pytest.fixture
def short(tmp_path):
    file = tmp_path / "short.toml"
    file.write_text(short_case(steps="1.0"))
    return file


def test_python_and_the_command_line_write_the_same_data_set(short, tmp_path):
    command = ["solve", "short.toml", "--levels", "0,1", "-o", "cli.nc"]
    subprocess.run(
        [sys.executable, "-m", "loligo.cli.main", *command],
        cwd=tmp_path,
        check=True,
        capture_output=True,
    )
    ours = lo.solve(short, levels=(0, 1), file=tmp_path / "python.nc")
    theirs = lo.read(tmp_path / "cli.nc")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cli.nc", "python.nc", "short.toml"]
    written = lo.read(tmp_path / "python.nc")
    assert repr(ours) == repr(theirs) and ours.complete
    assert ours.groups.keys() == written.groups.keys() == theirs.groups.keys()
    assert "frame_uncertainty" in ours.data
    for path, group in theirs.groups.items():
        for mine in (ours.groups[path], written.groups[path]):
            assert mine.attrs.keys() == group.attrs.keys()
            for name in group.variables:
                if "seconds" not in name:
                    np.testing.assert_array_equal(mine[name].values, group[name].values)
    differing = {k for k, v in theirs.data.attrs.items() if ours.data.attrs[k] != v}
    assert differing <= set(MADE)


def test_a_solution_goes_on_where_it_was_stopped(short, tmp_path, monkeypatch):
    """Level 1 stops; a restart takes level 0 from the file and solves level 1 alone."""
    march, solved = Run.march, []

    def counted(run, watch=None):
        solved.append(run.level)
        if solved == [0, 1]:
            run.stopped = "a power cut"
            return
        yield from march(run, watch)

    monkeypatch.setattr(Run, "march", counted)
    file = tmp_path / "short.nc"
    with pytest.warns(lo.LoligoWarning, match=r"short: level 1 stopped before .* a power cut"):
        half = lo.solve(short, levels=(0, 1), file=file)
    assert not half.complete and half.ending == "stuck" and sorted(half.levels) == [0]
    with pytest.warns(lo.LoligoWarning, match="no checkpoint, the run begins at rest"):
        whole = lo.solve(short, levels=(0, 1), file=file, restart=True)
    assert whole.complete and sorted(whole.levels) == [0, 1] and solved == [0, 1, 1]
    assert whole.levels[0].identical(half.levels[0])
    again = lo.solve(short, levels=(0, 1), file=file, restart=True)
    assert solved == [0, 1, 1] and again.data.identical(lo.read(file).data)


def test_without_a_single_state_there_is_an_error(short, monkeypatch, tmp_path):
    def stuck(run, watch=None):
        run.stopped = "no step is small enough"
        yield from ()

    monkeypatch.setattr(Run, "march", stuck)
    with pytest.raises(lo.NotSolved, match=r"short: level 0 stopped .*no step is small") as no:
        lo.solve(short)
    assert no.value.ending == "stuck" and isinstance(no.value, lo.LoligoError)
    assert [path.name for path in tmp_path.iterdir()] == ["short.toml"]
    for wrong in ({"levels": (9,)}, {"levels": ()}, {"solver": "magic"}, {"time_levels": (0, 1)}):
        with pytest.raises(lo.BadInput):
            lo.solve(short, **wrong)


@pytest.mark.mpi
def test_every_rank_has_the_whole_solution(short):
    solution = lo.solve(short)
    tips = MPI.COMM_WORLD.allgather(solution.data["frame"].values[-1, -1, :3, 3].tolist())
    assert len(tips) == solution.data.attrs["ranks"] and all(tip == tips[0] for tip in tips)
    assert {"", "solver", "surface"} <= set(solution.groups) and solution.file is None
