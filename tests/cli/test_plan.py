"""`loligo plan` on a small case."""

import json

from short import short_case
from typer.testing import CliRunner

from loligo.cases.read import read
from loligo.cases.record import BadInput
from loligo.cli.main import app
from loligo.fem.tangent import LARGE
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


def test_it_counts_the_mesh_of_level_0_and_goes_on_from_there(tmp_path):
    file = tmp_path / "short.toml"
    file.write_text(CASE)
    known = json.loads(plan(file, "--json"))
    body = read(file).body
    assert known["unknowns"] == unknowns(build_mesh(body, 0, size=0.012))
    assert (known["states"], known["measured"]) == (2, True)
    said = plan(file, "--level", 9, "--ranks", 64)
    assert f"about {round(known['unknowns'] * 1.4**27)} unknowns, solver krylov, 64 ranks" in said
    assert "steps that are cut cost more" in said
    assert "this is an estimate" in said and "a motion" not in said
    moving = tmp_path / "moving.toml"
    moving.write_text(CASE.replace("steps = [0.5, 1.0]\n", "") + TIME)
    assert "a motion takes as many states between two reported ones" in plan(moving)


def test_a_level_that_no_mesh_is_made_of_is_refused(tmp_path):
    file = tmp_path / "short.toml"
    file.write_text(CASE)
    done = CliRunner().invoke(app, ["plan", str(file), "--level", "12"])
    assert isinstance(done.exception, BadInput)
    assert "meshes of more than 5e+07 are refused, take a lower level" in str(done.exception)


def test_its_solver_is_that_of_a_solve():
    assert KRYLOV_FROM == LARGE
