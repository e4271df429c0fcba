"""`loligo calibrate material` on the table that comes along, on a CSV file, and on bad input."""

import json
import subprocess
import sys
import tomllib

import numpy as np
import pytest


def loligo(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "loligo.cli.main", "calibrate", "material", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def pulls(tmp_path):
    """A neo-Hooke rubber of mu = 1 kPa, rounded to 0.1 Pa, in two modes."""
    rows = ["stretch,stress [Pa],mode"]
    for mode, power in (("uniaxial", -2), ("pure_shear", -3)):
        rows += [f"{x},{1e3 * (x - x**power):.1f},{mode}" for x in (1.2, 1.4, 1.6, 1.8, 2.0)]
    file = tmp_path / "mine.csv"
    file.write_text("\n".join(rows))
    return file


def test_treloar_twice_gives_the_same_files(tmp_path):
    wanted = ("treloar", "--law", "mooney_rivlin", "--up-to", 4.1, "--hold-out", "equibiaxial")
    for folder in ("one", "two"):
        done = loligo(*wanted, "--replicates", 5, "-o", tmp_path / folder)
        assert (done.returncode, done.stderr) == (0, "")
    assert "equibiaxial, held out" in done.stdout
    names = ["treloar_mooney_rivlin.svg", "treloar_mooney_rivlin.toml"]
    assert sorted(path.name for path in (tmp_path / "one").iterdir()) == names
    for name in names:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    written = tomllib.loads((tmp_path / "one" / names[1]).read_text())
    assert written["material"]["body"]["energy"] == "mooney_rivlin"
    fitted = {curve["mode"]: curve["fitted"] for curve in written["calibration"]["curves"]}
    assert fitted == {"uniaxial": True, "equibiaxial": False, "pure_shear": True}


def test_a_file_with_every_option(pulls, tmp_path):
    done = loligo(
        *(pulls, "--law", "ogden", "--terms", 1, "--relative", "--weight", "uniaxial=2"),
        *("--replicates", 5, "--seed", 3, "--json", "-o", tmp_path),
    )
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    mu, alpha = (c["value"] for c in result["coefficients"])
    # Rounded by 0.05 Pa of 500 Pa and more.
    assert mu * alpha / 2.0 == pytest.approx(1e3, rel=1e-3)
    assert alpha == pytest.approx(2.0, rel=1e-3)
    assert (result["residual"], result["seed"]) == ("relative", 3)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--law", "gentt"], "known are neo_hooke"),
        (["--hold-out", "biaxial"], 'did you mean "equibiaxial"?'),
        (["--hold-out", "equibiaxial"], "the data have no such curve"),
        (["--hold-out", "uniaxial", "--hold-out", "pure_shear"], "no curve is left to fit"),
        (["--weight", "uniaxial"], "'' is no number; as in uniaxial=2"),
        (["--weight", "uniaxal=2"], 'did you mean "uniaxial"?'),
        (["--weight", "torsion=2"], "known are uniaxial"),
        (["--weight", "uniaxial=-1"], "must be positive"),
        (["--up-to", "1.3"], "needs two or more stretches"),
        (["--law", "ogden", "--terms", "9"], "1 to 4 terms"),
        (["--by-mode"], "too few to draw from"),
    ],
)
def test_bad_input_ends_with_code_2_and_writes_nothing(pulls, tmp_path, options, reason):
    done = loligo(pulls, *options, "-o", tmp_path / "out")
    assert done.returncode == 2
    assert reason in done.stderr
    assert not (tmp_path / "out").exists()


MISTAKES = {
    "negated": (lambda x, p: (x, -p), "is the sign of the stress turned?"),
    "swapped": (lambda x, p: (p / 1e3 + 0.02, x), "columns of stretch and stress [Pa] swapped?"),
    "zero": (lambda x, p: (x, 0.0), "every stress is zero"),
    "per cent": (lambda x, p: (100.0 * x - 100.0, p), "strains in per cent?"),
    "strain": (lambda x, p: (x - 1.0, p), "a stretch is 1 + strain"),
}


@pytest.mark.parametrize("law", ["neo_hooke", "yeoh", "gent"])
@pytest.mark.parametrize("mistake", MISTAKES)
def test_data_of_no_rubber_are_refused_with_the_likely_mistake(tmp_path, mistake, law):
    change, reason = MISTAKES[mistake]
    pairs = [change(x, 3e3 * (x - x**-2)) for x in (1.1, 1.2, 1.4, 1.6, 1.8, 2.0)]
    rows = ["stretch,stress [Pa],mode", *(f"{x:.6g},{p:.6g},uniaxial" for x, p in pairs)]
    file = tmp_path / "pulls.csv"
    file.write_text("\n".join(rows))
    done = loligo(file, "--law", law, "--replicates", 5, "-o", tmp_path / "out")
    assert done.returncode == 2, done.stdout + done.stderr
    assert reason in done.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(("kind", "other"), [("absolute", "relative"), ("relative", "absolute")])
def test_the_weighting_follows_the_scatter_and_is_said(tmp_path, kind, other):
    """A neo-Hooke rubber of 15 kPa, by turns too high and too low by the same part."""
    x = np.linspace(1.05, 4.0, 24)
    exact = 15e3 * (x - x**-2)
    scatter = 0.03 * (-1.0) ** np.arange(x.size)
    stress = exact * (1.0 + scatter) if kind == "relative" else exact + scatter * exact.max()
    rows = [f"{a!r},{p!r},uniaxial" for a, p in zip(x.tolist(), stress.tolist(), strict=True)]
    file = tmp_path / "pulls.csv"
    file.write_text("\n".join(["stretch,stress [Pa],mode", "1,0,uniaxial", *rows]))
    done = loligo(file, "--law", "neo_hooke", "--replicates", 5, "-o", tmp_path)
    assert done.returncode == 0, done.stderr
    assert f"{kind} residuals" in done.stdout
    assert f"--{other} leads to" in done.stdout
    written = tomllib.loads((tmp_path / "pulls_neo_hooke.toml").read_text())["calibration"]
    assert written["residual"] == kind
    assert written["weighting"]["log_likelihood_ahead"] > 1.0
    forced = loligo(file, "--law", "neo_hooke", "--replicates", 5, f"--{other}", "-o", tmp_path)
    assert f"{other} residuals" in forced.stdout
    written = tomllib.loads((tmp_path / "pulls_neo_hooke.toml").read_text())["calibration"]
    assert (written["residual"], "weighting" in written) == (other, False)
