"""`loligo section`: both ways side by side, as TOML that can be read back."""

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
    done = loligo("section", "cylinder", "-o", "new/section.toml", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "new/section.toml\n"), done.stderr
    found = tomllib.loads((tmp_path / "new/section.toml").read_text())
    geometry, cut = (np.array(found[way]["stiffness"]) for way in ("geometry", "slice"))
    np.testing.assert_allclose(np.diag(cut), np.diag(geometry), rtol=1e-3)
    assert found["slice"]["skew"] < 1e-3
    assert "arms" not in found["slice"]


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
        (("cylinder", "--size", "1 m"), "too coarse for a radius of 10 mm"),
    ],
)
def test_bad_input_ends_with_a_sentence(tmp_path, arguments, words):
    done = loligo("section", *arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert words in done.stderr and "Traceback" not in done.stderr
