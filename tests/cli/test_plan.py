"""`loligo plan` on a small case."""

import json

from typer.testing import CliRunner

from loligo.cases.read import load
from loligo.cli.main import app
from loligo.fem.tangent import LARGE
from loligo.hpc.cost import KRYLOV_FROM
from loligo.meshes.build import build_mesh
from loligo.meshes.mesh import unknowns


def plan(*arguments):
    done = CliRunner().invoke(app, ["plan", "renda_mantle_inflation", *arguments])
    assert done.exit_code == 0, done.output
    return done.stdout


def test_it_counts_the_mesh_of_level_0_and_goes_on_from_there():
    known = json.loads(plan("--json"))
    case = load("renda_mantle_inflation")
    assert known["unknowns"] == unknowns(build_mesh(case.body, 0, size=case.mesh.size))
    assert known["measured"]
    said = plan("--level", "9", "--ranks", "64")
    assert f"about {round(known['unknowns'] * 1.4**27)} unknowns, solver krylov, 64 ranks" in said
    assert "this is an estimate" in said


def test_its_solver_is_that_of_a_solve():
    assert KRYLOV_FROM == LARGE
