"""`loligo reduce`: the data set, the summary, and what it does when a model stops."""

import json
import re
import subprocess
import sys

import numpy as np
import pytest

from loligo.cases import coefficients
from loligo.cases.case_file import load, to_toml
from loligo.cases.coefficients import Coefficient, Reach
from loligo.cases.core.provenance import git_commit
from loligo.cases.dataset import io as dataset
from loligo.reduced.predict.predict import predict

STOPS = """
title = "A cylinder pressed shorter than nothing"
source = "test"
steps = [{steps}]

[body]
kind = "tapered_arm"
length = "120 mm"
base_radius = "10 mm"
tip_radius = "10 mm"
tip_disc = "2 mm"

[material.body]
energy = "neo_hooke"
mu = "30 kPa"
density = "1080 kg/m^3"

[load.push]
kind = "tip_force"
force = ["-40 N", "0 N", "0 N"]
"""


def loligo(*arguments, cwd):
    return subprocess.run(
        [sys.executable, "-m", "loligo.cli.main", *map(str, arguments)],
        capture_output=True,
        text=True,
        cwd=cwd,
        check=False,
    )


def test_it_writes_what_predict_returns_and_says_where_the_tip_is(tmp_path):
    done = loligo("reduce", "cylinder", cwd=tmp_path)
    assert done.returncode == 0
    law = "law: section law of the solid at x = 60 mm, shipped as cylinder, error 0.0e+00\n"
    assert done.stderr == law
    found = dataset.read(tmp_path / "cylinder_rod.nc")
    assert found.attrs["law_name"].startswith("solid ")
    expected = predict(load("cylinder"))
    np.testing.assert_allclose(found["frame"], expected["frame"], atol=1e-12)
    assert f"{1e3 * expected['frame'].values[-1, -1, 1, 3]:.3f}" in done.stdout
    assert done.stdout.endswith("cylinder_rod.nc\n")
    assert found.attrs["git_commit"] == git_commit()
    assert json.loads(found.attrs["versions"])["numpy"] == np.__version__
    assert [path.name for path in tmp_path.iterdir()] == ["cylinder_rod.nc"]
    checked = loligo("check", "cylinder_rod.nc", cwd=tmp_path)
    assert checked.stdout == "cylinder_rod.nc: a valid data set\n"


def test_json_for_scripts_of_a_mantle_and_its_other_model(tmp_path):
    arguments = ("reduce", "renda_mantle_ring", "--model", "shell_eq7", "-o", "new/ring.nc")
    done = loligo(*arguments, "--json", cwd=tmp_path)
    summary = json.loads(done.stdout)
    assert summary["file"] == "new/ring.nc" and summary["status"] == "complete"
    assert [row["load_ring [N/m]"] for row in summary["steps"]] == pytest.approx([3, 6, 9, 12, 15])
    found = dataset.read(tmp_path / "new" / "ring.nc")
    rim = [row["rim_radius [m]"] for row in summary["steps"]]
    np.testing.assert_allclose(rim, found["profile_radius"][:, -1])


def test_an_earlier_file_is_replaced(tmp_path):
    file = tmp_path / "cylinder_rod.nc"
    dataset.write(predict(load("cylinder")).assign_attrs(title="earlier"), file)
    assert loligo("reduce", "cylinder", cwd=tmp_path).returncode == 0
    assert "title" not in dataset.read(file).attrs


def test_stopping_early_is_code_3_with_what_was_reached(tmp_path):
    (tmp_path / "short.toml").write_text(STOPS.format(steps="0.001, 1.0"))
    done = loligo("reduce", "short.toml", "--law", "geometry", cwd=tmp_path)
    assert done.returncode == 3
    assert "short: the rod stopped at step 2: " in done.stderr
    assert "; the last state is " in done.stderr and " of the way to it" in done.stderr
    found = dataset.read(tmp_path / "short_rod.nc")
    assert found.sizes["step"] == 2 and 1.0 < found.attrs["reached"] < 2.0
    assert loligo("check", "short_rod.nc", cwd=tmp_path).returncode == 0


def test_a_single_step_that_is_not_reached_is_kept_as_far_as_it_goes(tmp_path):
    (tmp_path / "none.toml").write_text(STOPS.format(steps="1.0"))
    done = loligo("reduce", "none.toml", "--law", "geometry", "--json", cwd=tmp_path)
    assert done.returncode == 3
    facts = json.loads(done.stdout)
    assert facts["status"].startswith("stopped at step 1: ")
    assert facts["steps"][0]["load_push [N]"] == pytest.approx(40.0 * facts["reached"])
    assert (tmp_path / "none_rod.nc").exists()


def test_nothing_at_all_is_code_3_without_a_file(tmp_path):
    """A force so large that not a two hundredth part of it is reached."""
    text = STOPS.format(steps="1.0").replace("-40 N", "-40 MN")
    (tmp_path / "none.toml").write_text(text)
    done = loligo("reduce", "none.toml", cwd=tmp_path)
    assert done.returncode == 3
    assert "stopped at step 1" in done.stderr and "nothing is written" in done.stderr
    assert not (tmp_path / "none_rod.nc").exists()


def test_the_error_is_said_on_screen_and_in_json(tmp_path):
    done = loligo("reduce", "renda_arm_tip_force", cwd=tmp_path)
    assert done.returncode == 0
    assert "error in space " in done.stdout and " of the length" in done.stdout
    facts = json.loads(loligo("reduce", "renda_arm_tip_force", "--json", cwd=tmp_path).stdout)
    assert 0.0 < facts["error_in_space"] < 0.005 and "error_in_time" not in facts
    assert facts["reached"] == 4.0 and facts["cautions"] == ""
    found = dataset.read(tmp_path / "renda_arm_tip_force_rod.nc")
    width = float(found["frame_uncertainty"].max()) / float(found["station"][-1])
    assert width == pytest.approx(facts["error_in_space"], rel=1e-9)


def test_a_model_that_does_not_fit_is_bad_input(tmp_path):
    done = loligo("reduce", "cylinder", "--model", "shell", cwd=tmp_path)
    assert done.returncode == 2
    assert 'no model "shell" of a tapered_arm; there is rod' in done.stderr


def test_what_is_doubtful_is_on_the_screen_in_the_file_and_in_the_json(tmp_path):
    """Coefficients of a rod up to 18 kPa, at a bound, for pcc at -300 kPa with a fitted rubber."""
    text = to_toml(load("gong_bending_one").model_copy(update={"name": "sucked"}))
    text = text.replace('pressure = "30000.0 Pa"', 'pressure = "-300000.0 Pa"')
    text = re.sub(r"(?m)^steps = \[[^\]]*\]", "steps = [0.01, 1.0]", text)
    (tmp_path / "sucked.toml").write_text(text)
    case = load(str(tmp_path / "sucked.toml"))
    assert case.load["supply"].pressure == -3e5
    stuck = Coefficient(name="bending_stiffness", value=2.0, unit="1", at_bound=True)
    given = coefficients.for_case(case, "test").model_copy(
        update={
            "model": "rod",
            "coefficient": (stuck,),
            "reach": Reach(load={"pressure": (0.0, 18e3)}),
        }
    )
    coefficients.write(given, tmp_path / "rod.toml")
    asked = ("reduce", "sucked.toml", "-m", "pcc", "-c", "rod.toml", "-o", "out.nc", "--json")
    done = loligo(*asked, cwd=tmp_path)
    found, summary = dataset.read(tmp_path / "out.nc"), json.loads(done.stdout)
    for name, words in (
        ("coefficients_beyond", "down to a pressure of 0 Pa; here it reaches -"),
        ("coefficients_beyond", "bending_stiffness = 2 ran to its bound"),
        ("coefficients_beyond", "were fitted with the model rod"),
        ("cautions", "load.supply: a gauge pressure of -300 kPa is below absolute vacuum"),
    ):
        assert words in found.attrs[name]
        assert words in summary[name]
        assert words in done.stderr


def test_what_the_model_leaves_out_is_said_on_screen_in_the_file_and_as_json(tmp_path):
    done = loligo("reduce", "gong_bending_one", "--law", "geometry", "--json", cwd=tmp_path)
    assert done.returncode == 0
    facts = json.loads(done.stdout)
    assert facts["law_name"] == "geometry"
    said = [line.removeprefix("warning: ") for line in done.stderr.splitlines()[1:]]
    assert facts["left_out"] == said
    assert any(line.startswith("winding.stiffness: rod leaves out") for line in said)
    found = dataset.read(tmp_path / "gong_bending_one_rod.nc")
    assert found.attrs["left_out"] == "; ".join(said)


def test_thread_at_an_angle_is_refused_with_the_command_that_helps(tmp_path):
    text = loligo("cases", "show", "gong_bending_one", cwd=tmp_path).stdout
    assert text.count("[winding]\n") == 1
    angle = '[winding]\nangle = "54.7 deg"\n'
    lines = [line for line in text.splitlines() if not line.startswith("angle")]
    mine = "\n".join(lines).replace("[winding]\n", angle)
    (tmp_path / "mine.toml").write_text(mine)
    done = loligo("reduce", "mine.toml", cwd=tmp_path)
    assert done.returncode == 2 and not list(tmp_path.glob("*.nc"))
    assert "the model rod refuses winding.angle" in done.stderr
    # A case is named on the command line by its file; "mine" alone is no case of the library.
    assert "loligo section CASE -o sections.toml" in done.stderr


HANGS = STOPS.replace("-40 N", "0.01 N") + '\n[load.weight]\nkind = "weight"\n'


def test_gravity_that_is_ramped_with_the_pull_is_noted(tmp_path):
    (tmp_path / "hangs.toml").write_text(HANGS.format(steps="0.5, 1.0"))
    checked = loligo("cases", "check", "hangs.toml", cwd=tmp_path)
    assert checked.returncode == 0
    assert "note: load.weight is ramped with load.push" in checked.stderr
    assert "    steps = [0.0, 0.5, 1.0]\n    path = [1.0, 1.0, 1.0]" in checked.stderr
    done = loligo("reduce", "hangs.toml", "--json", cwd=tmp_path)
    assert done.returncode == 0 and "note: load.weight is ramped" in done.stderr
    assert "load.weight is ramped" in json.loads(done.stdout)["notes"]
    noted = dataset.read(tmp_path / "hangs_rod.nc").attrs["notes"]
    assert noted in checked.stderr
