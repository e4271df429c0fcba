"""Records of whole robots: of today's robots, coefficients and data, and shown as they are."""

import json
import re
from pathlib import Path

import pytest

from loligo.cases import coefficients
from loligo.cases.core.record import BadInput
from loligo.validation.report.page import render
from loligo.validation.report.robots import machine_numbers
from loligo.validation.shipping import robots as robot_records
from loligo.validation.shipping.robots import COEFFICIENTS, ROBOTS, folder, read, shipped

NASTY = '<script>alert(1)</script> & "quotes" {{ 7 * 7 }}'
RECORD = {
    "format": "loligo robot spread 1",
    "robot": "eel",
    "title": NASTY,
    "motion": "yaw_wide",
    "sources": {"arm": NASTY},
    "hashes": {"robot": "1", "arm": "2"},
    "coefficients": {"arm.modulus": [1.034, 1.031, 1.037], "arm.density": [1.02, None, None]},
    "printed": {"speed_m_per_s": 0.1, "turning_radius_m": 0.0},
    "calibrated": {"speed_m_per_s": 0.04, "turning_radius_m": 0.25, "path_a_pressure_Pa": 5e4},
    "low": {"speed_m_per_s": 0.0391, "turning_radius_m": 0.24, "path_a_pressure_Pa": 4.5e4},
    "high": {"speed_m_per_s": 0.0412, "turning_radius_m": 0.26, "path_a_pressure_Pa": 5.5e4},
    "shares": {
        "speed_m_per_s": {"arm.modulus": 0.9, "arm.density": 0.001, "rest": 0.099},
        "turning_radius_m": {},
        "path_a_pressure_Pa": {"arm.modulus": 1.0, "rest": 0.0},
    },
    "samples": 31,
    "failed": 1,
    "beyond": [f"arm: {NASTY}"],
    "notes": [f"arm: {NASTY}", f"arm: {NASTY}"],
}


def page(*machines):
    numbers = {"robots": [], "machines": list(machines), "maps": [], "not_used": [], "agreed": 0.01}
    return render(numbers, {}, [], "title")


BROUGHT = [file.stem for file in shipped()]


def test_records_and_coefficients_come_along():
    assert BROUGHT
    used = {file for made in ROBOTS.values() for file in made.parts.values()}
    assert used == set(COEFFICIENTS) == {file.stem for file in folder().glob("*.toml")}
    assert sum(file.stat().st_size for file in folder().iterdir()) < 2e5


@pytest.mark.parametrize("name", sorted(COEFFICIENTS))
def test_coefficients_are_those_of_the_data_that_come_along(name):
    found = coefficients.read(folder() / f"{name}.toml")
    assert found.data
    assert robot_records.stale_coefficients(found) == [], "make robots"


@pytest.mark.parametrize("name", BROUGHT)
def test_a_record_is_of_todays_robot_and_coefficients(name):
    found = read(folder() / f"{name}.json")
    assert robot_records.stale_record(name, found) == [], "make robots"
    assert (found["robot"], found["motion"]) == (name, ROBOTS[name].motion)
    assert found["samples"] + found["failed"] == ROBOTS[name].samples
    assert found["failed"] == 0
    assert set(found["sources"]) == set(ROBOTS[name].parts)
    for merit, low in found["low"].items():
        assert low <= found["high"][merit]


def test_the_page_of_robots_has_the_numbers_of_the_records():
    page = (Path(__file__).parents[3] / "docs" / "robots.md").read_text()
    table = page.split("| robot, number |")[1].split("\n\n")[0].splitlines()[2:]
    assert {line.split(",")[0].strip("| ") for line in table} == set(BROUGHT)
    for line in table:
        _, label, printed, calibrated, interval, *_ = (cell.strip() for cell in line.split("|"))
        name, what = label.split(", ")
        rows = machine_numbers(read(folder() / f"{name}.json"))["rows"]
        row = next(row for row in rows if row["what"] == what.split(" (")[0])
        assert calibrated == f"{row['calibrated']:.4g}", line
        assert printed == ("none" if row["printed"] is None else f"{row['printed']:.4g}"), line
        assert interval == f"{row['low']:.4g} to {row['high']:.4g}", line


def test_what_is_of_another_robot_or_other_data_is_found():
    name = "silver2"
    found = read(folder() / f"{name}.json")
    other = found | {"hashes": found["hashes"] | {"arm": "0" * 64}}
    assert robot_records.stale_record(name, other) == ["arm"]
    file = coefficients.read(folder() / "liu_segment.toml")
    (data,) = file.data
    other_data = file.model_copy(update={"data": (data.model_copy(update={"sha256": "0" * 64}),)})
    assert robot_records.stale_coefficients(other_data) == ["liu_segment"]


def test_numbers_are_those_of_the_record():
    found = machine_numbers(RECORD)
    speed, radius, pressure = found["rows"]
    assert (speed["what"], speed["unit"], speed["printed"]) == ("speed", "m/s", 0.1)
    assert speed["ratio"] == pytest.approx(0.4)
    assert [part["coefficient"] for part in speed["from"]] == ["arm.modulus", "rest"]
    assert (radius["what"], radius["ratio"]) == ("turning radius", None)
    assert (pressure["what"], pressure["unit"]) == ("path a pressure", "Pa")
    assert (pressure["printed"], pressure["words"]["printed"]) == (None, "none")
    assert pressure["words"]["interval"] == "45 to 55 kPa"
    assert speed["words"]["interval"] == "0.0391 to 0.0412 m/s"
    assert json.loads(json.dumps(found)) == found


def test_the_page_shows_them_escaped():
    text = page(machine_numbers(RECORD))
    assert "Whole robots" in text
    assert "<script>" not in text
    assert "49" not in re.findall(r"quotes&#34; (.{2})", text)
    for words in ("31 draws; 1 more", "45 to 55 kPa", "arm.modulus 90 %", "motion yaw wide"):
        assert words in text
    assert text.count("7 * 7") >= 4
    assert "no coefficient" in text  # of the radius
    assert "not known" in text  # the interval of the density
    assert "Whole robots" not in page()


@pytest.mark.parametrize("content", ["hello", "[]", '{"format": "another"}'])
def test_what_is_no_record_is_refused(tmp_path, content):
    file = tmp_path / "x.json"
    file.write_text(content)
    with pytest.raises(BadInput, match=r"x\.json"):
        read(file)


def test_a_record_that_lacks_something_is_refused(tmp_path):
    whole = json.loads((folder() / "monopus.json").read_text())
    merit = next(iter(whole["low"]))
    lost = {**whole, "high": {k: v for k, v in whole["high"].items() if k != merit}}
    file = tmp_path / "x.json"
    for content, reason in [
        (json.dumps({k: v for k, v in whole.items() if k != "samples"}), "samples: Field required"),
        (json.dumps({**whole, "low": 3}), "low: Input should be a valid dictionary"),
        (json.dumps(lost), "not of the same numbers"),
        (json.dumps({**whole, "low": {merit: float("nan")}}), "NaN is no number"),
        ("[" * 100_000, "cannot be read"),
    ]:
        file.write_text(content)
        with pytest.raises(BadInput, match=reason):
            read(file)
