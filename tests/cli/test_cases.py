"""`loligo cases`: what it prints for people and for scripts, and its exit codes."""

import json
import re
import subprocess
import sys

import pytest

from loligo.cases.case_file import library_names


def loligo(*arguments, cwd=None):
    return subprocess.run(
        [sys.executable, "-m", "loligo.cli.main", *arguments],
        capture_output=True,
        text=True,
        cwd=cwd,
        check=False,
    )


def test_lists_the_library():
    done = loligo("cases")
    assert done.returncode == 0
    assert all(name in done.stdout for name in library_names())
    listed = json.loads(loligo("cases", "--json").stdout)
    assert [item["name"] for item in listed] == library_names()


def test_show_prints_a_case_that_checks(tmp_path):
    shown = loligo("cases", "show", "gong_arm")
    (tmp_path / "mine.toml").write_text(shown.stdout)
    done = loligo("cases", "check", "mine.toml", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "mine.toml: a valid case" in done.stdout
    assert json.loads(loligo("cases", "show", "gong_arm", "--json").stdout)["name"] == "gong_arm"


def test_bad_input_ends_with_code_2_and_all_reasons(tmp_path):
    (tmp_path / "bad.toml").write_text('title = "x"\ngravitty = 1\n')
    done = loligo("cases", "check", "bad.toml", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stdout == ""
    assert 'gravitty: unknown key; did you mean "gravity"?' in done.stderr
    assert "body: is missing" in done.stderr


@pytest.mark.parametrize("arguments", [("cases", "show", "gong_amr"), ("casse",), ("cases", "-x")])
def test_wrong_words_end_with_code_2(arguments):
    assert loligo(*arguments).returncode == 2


def test_schema_describes_the_library():
    schema = json.loads(loligo("cases", "schema").stdout)
    assert {"title", "body", "load"} <= set(schema["required"])
    assert "name" not in schema["properties"]
    length = schema["$defs"]["TaperedArm"]["properties"]["length"]
    assert length["type"] == "string"


def test_every_verb_has_help_with_an_example():
    from loligo.cli.main import VERBS

    for verb in VERBS:
        done = loligo(verb, "--help")
        assert done.returncode == 0
        example = rf"Example: (mpirun -n \d )?loligo {verb}\b"
        assert re.search(example, " ".join(done.stdout.split())), verb


def test_numbers_that_no_robot_has_are_warnings_on_screen_and_in_json(tmp_path):
    shown = loligo("cases", "show", "renda_arm_tip_force").stdout
    assert 'density = "1080.0 kg/m^3"' in shown
    text = shown.replace('density = "1080.0 kg/m^3"', 'density = "1.08 kg/m^3"')
    (tmp_path / "mine.toml").write_text(text)
    done = loligo("cases", "check", "mine.toml", cwd=tmp_path)
    assert done.returncode == 0
    assert done.stderr.startswith("warning: mine: material.body.density")
    assert "g/cm^3 written as kg/m^3" in done.stderr
    found = json.loads(loligo("cases", "check", "mine.toml", "--json", cwd=tmp_path).stdout)
    assert len(found["warnings"]) == 1
    done = loligo("reduce", "mine.toml", "--json", cwd=tmp_path)
    assert done.returncode == 0
    assert "g/cm^3 written as kg/m^3" in done.stderr
    assert json.loads(done.stdout)["warnings"] == found["warnings"]


def test_a_pressure_below_vacuum_is_warned_of_before_anything_is_solved(tmp_path):
    """-300 kPa gauge is below -101.3 kPa, which no pump goes below at the surface."""
    text = loligo("cases", "show", "gong_bending_one").stdout
    lines = [line for line in text.splitlines() if not line.startswith("pressure = ")]
    head = lines.index("[load.supply]")
    (tmp_path / "mine.toml").write_text(
        "\n".join([*lines[: head + 1], 'pressure = "-300 kPa"', *lines[head + 1 :]])
    )
    done = loligo("cases", "check", "mine.toml", cwd=tmp_path)
    assert done.returncode == 0
    assert done.stderr.count("below absolute vacuum") == 1, done.stderr
    predicted = loligo("reduce", "mine.toml", cwd=tmp_path)
    assert predicted.stderr.count("below absolute vacuum") == 1, predicted.stderr
