"""`loligo plan` on a small case."""

import json

from short import short_case
from typer.testing import CliRunner

from loligo.cases.case_file import read
from loligo.cases.core.record import BadInput
from loligo.cli.main import app
from loligo.fem.solvers.factor import LARGE
from loligo.hpc.cost import KRYLOV_FROM
from loligo.meshes.build import build_mesh
from loligo.meshes.mesh import unknowns

CASE = short_case()
TIME = """
[time]
duration = "0.1 s"
every = "50 ms"
"""


def plan(*arguments):
    done = CliRunner().invoke(app, ["plan", *map(str, arguments)])
    assert done.exit_code == 0, done.output
    return done.stdout


def test_it_counts_meshes_that_are_quickly_made_and_goes_on_from_there(tmp_path, monkeypatch):
    file = tmp_path / "short.toml"
    file.write_text(CASE)
    coarse, fine = (unknowns(build_mesh(read(file).body, k, size=0.012)) for k in (0, 2))
    known = json.loads(plan(file, "--json", "--level", 2))
    assert (known["unknowns"], known["counted_level"]) == (fine, 2)
    assert (known["states"], known["measured"]) == (2, True)
    assert f"{fine} unknowns, solver direct" in plan(file, "--level", 2)
    assert " 0 s" not in plan(file)
    monkeypatch.setattr("loligo.meshing.COUNTED", coarse * 1.4**7)  # between level 2 and 3
    said = plan(file, "--level", 6, "--ranks", 64)
    expected = float(f"{fine * 1.4**12:.2g}")
    assert f"about {expected:.0f} unknowns, from those of level 2, solver" in said
    assert "64 ranks" in said and "steps that are cut cost more" in said
    assert "this is an estimate" in said and "a motion" not in said
    moving = tmp_path / "moving.toml"
    moving.write_text(CASE.replace("steps = [0.5, 1.0]\n", "") + TIME)
    assert "a motion takes as many states between two reported ones" in plan(moving)


def test_a_level_that_no_mesh_is_made_of_is_refused(tmp_path, monkeypatch):
    file = tmp_path / "short.toml"
    file.write_text(CASE)
    monkeypatch.setattr("loligo.meshing.COUNTED", 1.0)
    monkeypatch.setattr("loligo.meshing.MOST", 1e5)
    done = CliRunner().invoke(app, ["plan", str(file), "--level", "6"])
    assert isinstance(done.exception, BadInput)
    assert "meshes of more than 1e+05 are refused, take a lower level" in str(done.exception)


def test_its_solver_is_that_of_a_solve():
    assert KRYLOV_FROM == LARGE
