"""`loligo section`: both ways side by side; a file of slices that reduced models read."""

import json
import os
import subprocess
import sys
import tomllib

import numpy as np
import pytest


def loligo(*arguments, cwd):
    return subprocess.run(
        [sys.executable, "-m", "loligo.cli.main", *map(str, arguments)],
        capture_output=True,
        text=True,
        cwd=cwd,
        check=False,
    )


def test_geometry_and_slice_of_a_cylinder(tmp_path):
    done = loligo("section", "cylinder", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    found = tomllib.loads(done.stdout)
    geometry, cut = (np.array(found[way]["stiffness"]) for way in ("geometry", "slice"))
    np.testing.assert_allclose(np.diag(cut), np.diag(geometry), rtol=1e-3)
    assert found["slice"]["skew"] < 1e-3
    assert "arms" not in found["slice"]


def test_a_file_of_sections_is_what_reduce_reads(tmp_path):
    done = loligo("section", "gong_elongation", "-o", "new/section.toml", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "new/section.toml\n"), done.stderr
    (section,) = tomllib.loads((tmp_path / "new/section.toml").read_text())["section"]
    assert section["x"] == pytest.approx(0.0425)  # the middle between plates of 5 mm
    # Whatever the bore, thread at 16 mm takes in pi r^2 a length, and rubber outside does not move
    # along with it: 1 mm of it, incompressible, leaves the arm a little below.
    assert section["arms"]["s1c1"][3] == pytest.approx(np.pi * 0.016**2, rel=0.05)
    done = loligo("reduce", "gong_elongation", "-c", "new/section.toml", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "coefficients used: section law at x = 42.5 mm" in done.stderr
    assert "warning: the coefficients hold up to a stretch of 1.05; here it" in done.stderr
    done = loligo("reduce", "gong_bending_one", "-c", "new/section.toml", cwd=tmp_path)
    assert done.returncode == 2
    assert "belong to another body; make them anew" in done.stderr


def test_geometry_alone_with_the_arms_of_chambers(tmp_path):
    done = loligo("section", "gong_bending_one", "--at", "60 mm", "--no-slice", cwd=tmp_path)
    found = tomllib.loads(done.stdout)
    assert found["x"] == 0.06 and "slice" not in found
    area, lever = np.pi * 0.005**2, 0.010  # Gong's chambers, the first at +z
    assert found["geometry"]["arms"]["s1c1"] == pytest.approx(
        [0, lever * area, 0, area, 0, 0], rel=1e-5, abs=1e-12
    )
    bend = found["geometry"]["free_strain"]["s1c1"][1]
    assert bend == pytest.approx(lever * area / found["geometry"]["stiffness"][1][1], rel=1e-5)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("renda_mantle_ring",), "only an arm has sections"),
        (("gong_bending_one", "--at", "1 mm"), "lies in a rigid disc"),
        (("gong_bending_one", "--at", "60"), "has no unit"),
        (("gong_bending_one", "--size", "-1 mm"), "must be above zero"),
        (("cylinder", "--no-slice", "-o", "out.toml"), "leaves no sections to write"),
        (("cylinder", "--size", "1 m"), "too coarse for a radius of 10 mm"),
    ],
)
def test_bad_input_ends_with_a_sentence(tmp_path, arguments, words):
    done = loligo("section", *arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert words in done.stderr and "Traceback" not in done.stderr


def test_a_slice_under_mpirun_ends():
    """MPI starts on all ranks or none: one rank of two that stays away keeps the other waiting."""
    environment = os.environ | {"PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe"}
    done = subprocess.run(
        ["mpirun", "-n", "2", sys.executable, "-m", "loligo.cli.main", "section", "cylinder"],
        capture_output=True,
        text=True,
        env=environment,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("[slice]") == 1


def test_crossed_threads_give_sections_that_reduce_reads(tmp_path):
    """Beyond 35.26 deg to the hoop a chamber shortens, and the segment bends away from it."""
    shown = loligo("cases", "show", "gong_bending_one", cwd=tmp_path).stdout
    lines = [line for line in shown.splitlines() if not line.startswith("angle")]
    crossed = "\n".join(lines).replace("[winding]\n", '[winding]\nangle = "54.7 deg"\n')
    (tmp_path / "crossed.toml").write_text(crossed)
    done = loligo("section", "crossed.toml", "-o", "sections.toml", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "shear stiffness by energy" in done.stderr
    written = tomllib.loads((tmp_path / "sections.toml").read_text())
    assert any("shear stiffness by energy" in note for note in written["notes"])
    assert np.linalg.eigvalsh(written["section"][0]["stiffness"])[0] > 0.0
    tip = {}
    for name, given in (("gong_bending_one", ()), ("crossed.toml", ("-c", "sections.toml"))):
        done = loligo("reduce", name, *given, "--json", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        tip[name] = json.loads(done.stdout)["steps"][-1]["tip_z [m]"]
    assert tip["gong_bending_one"] < -0.005 < 0.005 < tip["crossed.toml"]


def test_a_law_of_the_solid_is_what_reduce_reads(tmp_path):
    done = loligo("section", "renda_arm_tip_force", "--law", "-o", "new/law.nc", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "new/law.nc\n"), done.stderr
    assert "x = 122.5 mm" in done.stderr and "largest error" in done.stderr
    done = loligo("reduce", "renda_arm_tip_force", "--law", "new/law.nc", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "law: section law of the solid at x = 122.5 mm, given, error" in done.stderr
    assert json.loads(done.stdout)["law_beyond"] == ""
    done = loligo("reduce", "gong_bending_one", "--law", "new/law.nc", cwd=tmp_path)
    assert done.returncode == 2
    assert "this section law belongs to other sections and other rubber" in done.stderr
    done = loligo("section", "cylinder", "--law", "-o", "new/law.nc", cwd=tmp_path)
    assert done.returncode == 2
    assert "a section law of another body, rubber or thread" in done.stderr


def test_options_of_a_law_that_do_not_go_together(tmp_path):
    for options, said in (
        (["--law"], "give --output and neither"),
        (["--law", "-o", "l.nc", "--at", "60 mm"], "neither --at nor --no-slice"),
        (["--law", "-o", "l.toml"], "ends with .nc"),
        (["--pressure", "20 kPa"], "give it with --law"),
        (["--law", "-o", "l.nc", "--pressure", "-2 kPa"], "must be above zero"),
        (["--law", "-o", "l.nc", "--pressure", "2 mm"], "--pressure"),
    ):
        done = loligo("section", "gong_bending_one", *options, cwd=tmp_path)
        assert done.returncode == 2 and said in done.stderr, done.stderr
