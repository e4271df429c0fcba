"""`loligo robot`: the library, a robot as it is understood, and a swim."""

import json

import pytest
import tomli_w
import xarray as xr
from typer.testing import CliRunner

from loligo.cases.case_file import load
from loligo.cases.coefficients import Coefficient, Coefficients, Reach, fingerprint, write
from loligo.cases.core.record import BadInput
from loligo.cases.robot.swimmer import load_robot
from loligo.cli.robot import app


def test_the_library_is_listed_and_shown(tmp_path):
    listed = CliRunner().invoke(app, ["list"])
    assert listed.exit_code == 0
    assert "quadropus: Renda's Quadropus" in listed.output
    shown = CliRunner().invoke(app, ["show", "monopus"])
    file = tmp_path / "monopus.toml"
    file.write_text(shown.output)
    assert load_robot(str(file)) == load_robot("monopus")


def test_a_robot_swims_into_a_file(tmp_path):
    shown = CliRunner().invoke(app, ["show", "monopus"]).output
    for old, new in (("5.0 s", "0.1 s"), ("0.02 s", "0.05 s"), ("0.012 m", "0.03 m")):
        assert old in shown
        shown = shown.replace(old, new)
    file, output = tmp_path / "short.toml", tmp_path / "out" / "short.nc"
    file.write_text(shown)
    result = CliRunner().invoke(app, ["run", str(file), "-o", str(output)])
    assert result.exit_code == 0, result.output
    assert "short: 0.05 of 0.1 s" in result.output
    data = xr.open_dataset(output)
    assert data.time.values == pytest.approx([0.0, 0.05, 0.1])
    assert data.attrs["status"] == "complete"
    assert data.root.attrs["units"]
    assert "efficiency" not in result.output  # shorter than a pulse
    picture = tmp_path / "short.png"
    drawn = CliRunner().invoke(app, ["draw", str(output), "-o", str(picture)])
    assert drawn.exit_code == 0, drawn.output
    assert picture.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(("content", "complaint"), [("hello", "cannot be read"), (None, "no such")])
def test_what_is_no_motion_is_refused(tmp_path, content, complaint):
    file = tmp_path / "motion.nc"
    if content is not None:
        file.write_text(content)
    with pytest.raises(BadInput, match=f"motion.nc: .*{complaint}"):
        CliRunner().invoke(app, ["draw", str(file)], catch_exceptions=False)


def test_a_snake_does_what_it_is_told(tmp_path):
    shown = CliRunner().invoke(app, ["show", "snake"]).output
    file, output = tmp_path / "short.toml", tmp_path / "short.nc"
    file.write_text(shown.replace('"20.0 s"', '"1.0 s"').replace('"0.1 s"', '"0.5 s"'))
    asked = ["run", str(file), "-o", str(output), "--motion", "yaw"]
    result = CliRunner().invoke(app, asked)
    assert result.exit_code == 0, result.output
    data = xr.open_dataset(output)
    assert data.attrs["motion"] == "yaw"
    assert data.bend[-1, :, 0].max() < -0.1
    drawn = CliRunner().invoke(app, ["draw", str(output)])
    assert drawn.exit_code == 0, drawn.output
    assert "limb_frame" not in data
    with pytest.raises(BadInput, match="no motion"):
        CliRunner().invoke(app, ["run", str(file), "--motion", "hop"], catch_exceptions=False)


def test_what_an_arm_reaches_with_coefficients_and_beyond_them(tmp_path):
    """Liu's segment at half of its stiffness in stretch, seen up to 30 kPa alone."""
    file, output = tmp_path / "liu.toml", tmp_path / "silver2.nc"
    found = Coefficients(
        source="test",
        belongs_to=fingerprint(load("liu_segment")),
        reach=Reach(max_stretch=1.1, load={"pressure": 3e4}),
        coefficient=(
            Coefficient(name="stretch_stiffness", value=0.5, unit="1", low=0.45, high=0.55),
        ),
    )
    write(found, file)
    run = ["run", "silver2", "-c", f"arm={file}", "-o", str(output)]
    result = CliRunner().invoke(app, run)
    assert result.exit_code == 0, result.output
    data = xr.open_dataset(output)
    for words in (
        "arm: the coefficients hold up to a stretch of 1.1; here it reaches",
        "arm: the coefficients hold up to a pressure of 30 kPa; here it reaches 60 kPa",
    ):
        assert words in result.output
        assert words in data.attrs["coefficients_beyond"]
    assert data.attrs["coefficients"] == "arm: test"
    assert data.pressures_reach.shape == (41, 6)
    record = tmp_path / "spread.json"
    vary = ["vary", "silver2", "-c", f"arm={file}", "--samples", "8", "-o", str(record)]
    result = CliRunner().invoke(app, vary)
    assert result.exit_code == 0, result.output
    spread = json.loads(record.read_text())
    assert spread["beyond"]
    assert "own  calibrated" in result.output and "printed" not in result.output
    assert spread["low"]["reach_arm_m"] < spread["high"]["reach_arm_m"]
    assert spread["shares"]["reach_arm_m"]["arm.stretch_stiffness"] > 0.9
    assert set(spread["hashes"]) == {"robot", "arm"}


def test_where_nothing_can_be_written_is_said_before_the_work(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setattr("loligo.reduced.robots.swimmer.swim", lambda *_: pytest.fail("it swam"))
    with pytest.raises(OSError) as caught:
        asked = ["run", "monopus", "-o", str(tmp_path / "file" / "motion.nc")]
        CliRunner().invoke(app, asked, catch_exceptions=False)
    assert "file" in caught.value.filename


def test_a_full_disk_names_the_picture(tmp_path, monkeypatch):
    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("loligo.validation.plot.robot.read", lambda _: None)
    drawn = type("Drawn", (), {"savefig": full})
    monkeypatch.setattr("loligo.validation.plot.robot.figure", lambda _: drawn)
    with pytest.raises(OSError) as caught:
        CliRunner().invoke(app, ["draw", str(tmp_path / "motion.nc")], catch_exceptions=False)
    assert caught.value.filename == str(tmp_path / "motion.png")


def test_a_robot_that_reaches_says_how_far(tmp_path):
    output = tmp_path / "silver2.nc"
    result = CliRunner().invoke(app, ["run", "silver2", "-o", str(output)])
    assert result.exit_code == 0, result.output
    assert "arm reaches 500 x 520 x 304 mm" in result.output
    drawn = CliRunner().invoke(app, ["draw", str(output)])
    assert drawn.exit_code == 0, drawn.output
    assert (tmp_path / "silver2.png").read_bytes().startswith(b"\x89PNG")


def test_an_efficiency_is_said_with_what_it_leaves_out(tmp_path):
    """Of a pulse of 1/1.51 s; and a column of own numbers, not of printed ones."""
    data = load_robot("poseidrone").model_dump(mode="json", exclude={"name"}, exclude_none=True)
    data["course"] |= {"end": "0.7 s", "every": "0.1 s", "step": "0.02 s"}
    data["bell"]["mantle"]["element"] = "0.03 m"
    data["limb"]["arm"]["degree"] = 1
    file = tmp_path / "short.toml"
    file.write_text(tomli_w.dumps(data))
    result = CliRunner().invoke(app, ["run", str(file), "-o", str(tmp_path / "short.nc")])
    assert result.exit_code == 0, result.output
    assert "efficiency: " in result.output
    assert "drag, jet and viscosity do not add up" in result.output
