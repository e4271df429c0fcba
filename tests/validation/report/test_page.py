"""The report: every number also in JSON, nothing from the network, everything escaped.

The references are rods of another stiffness: nothing here is a 3D solution.
"""

import base64
import json
import re
import shutil
import subprocess
from html.parser import HTMLParser

import numpy as np
import pytest
import xarray as xr
from short import short_case

from loligo.cases.case_file import load, to_toml
from loligo.cases.dataset import io as dataset
from loligo.cases.dataset.surface import surface_dataset
from loligo.cli.main import main
from loligo.reduced.predict.predict import predict
from loligo.validation.data.shipped import shipped
from loligo.validation.data.source import Source, read_source
from loligo.validation.fitting.coefficients.held_out import softened
from loligo.validation.report.body_picture import TOWARDS_VIEWER, _visible, body_picture
from loligo.validation.report.page import write_report

VOID = {"meta", "link", "img", "br", "hr", "input"}
STAGES = ("verification", "solution", "model-form", "calibration", "validation")
NASTY = '<script>alert(1)</script> & "quotes" {{ 7 * 7 }}'


def reference(name, factor=1.2, **attrs):
    case = load(name)
    other = predict(softened(case, factor))
    other = other.drop_vars([name for name in other.data_vars if "_uncertainty" in str(name)])
    stated = {"kind": "reference", "source": "a stiffer model", "case": to_toml(case)}
    return other.assign_attrs(stated | attrs)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A report of three bodies, one of them with its levels, one with measured points."""
    place = tmp_path_factory.mktemp("report")
    names = ("renda_arm_tip_force", "renda_arm_tip_moment", "gong_bending_one", "renda_mantle_ring")
    for name in names:
        sizes = (1.0, 1.4, 1.96)
        groups = {}
        if name == "renda_arm_tip_force":
            levels = [reference(name, 1.2 + 0.001 * h**3) for h in sizes]
            groups = {
                f"levels/{2 - i}": level.assign_attrs(size=h)
                for i, (level, h) in enumerate(zip(levels, sizes, strict=True))
            }
            data = levels[0]
        else:
            data = reference(name)
        dataset.write(data, place / f"{name}.nc", groups)
    points = reference("renda_arm_tip_moment", 1.1)
    at = points["frame"].values[..., :3, 3]
    measured = dataset.describe(
        points[["time", "load_tip", "station"]]
        .assign(centreline=(("step", "station", "axis"), at))
        .assign_coords(axis=list("xyz"))
        .assign_attrs(
            kind="measurement",
            source=NASTY,
            status="complete",
            case_name="renda_arm_tip_moment",
        )
    )
    dataset.write(measured, place / "measured.nc")
    write_report([read_source(file) for file in sorted(place.glob("*.nc"))], place / "out")
    return place / "out"


@pytest.fixture(scope="module")
def page(folder):
    return (folder / "report.html").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def numbers(folder):
    return json.loads((folder / "report.json").read_text(encoding="utf-8"))


class Outline(HTMLParser):
    """Ids, links, and whether every tag is closed in order."""

    def __init__(self):
        super().__init__()
        self.stack, self.ids, self.anchors, self.sources = [], [], [], []
        self.headings, self.images = [], []

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.ids += [attrs["id"]] if "id" in attrs else []
        if tag == "a":
            self.anchors.append(attrs.get("href", ""))
        if tag in ("script", "link", "iframe") or "src" in attrs:
            self.sources.append((tag, attrs.get("src", attrs.get("href", ""))))
        if re.fullmatch(r"h\d", tag):
            self.headings.append(int(tag[1]))
        if attrs.get("role") == "img" or tag == "img":
            self.images.append(attrs.get("aria-label") or attrs.get("alt"))
        if tag not in VOID:
            self.stack.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.ids += [dict(attrs)["id"]] if "id" in dict(attrs) else []

    def handle_endtag(self, tag):
        assert self.stack.pop() == tag


@pytest.fixture(scope="module")
def outline(page):
    parser = Outline()
    parser.feed(page)
    assert parser.stack == []
    return parser


def test_the_page_is_whole_and_needs_no_network(page, outline):
    assert all(source.startswith("data:") for _, source in outline.sources)
    assert not re.search(r"url\((?!['\"]?#)", page) and "@import" not in page
    inside = [link[1:] for link in outline.anchors if link.startswith("#")]
    assert set(inside) <= set(outline.ids)
    assert [link for link in outline.anchors if not link.startswith("#")] == ["report.json"]


def test_the_parts_of_the_argument_are_apart_and_in_order(outline):
    places = [outline.ids.index(stage) for stage in ("verdicts", *STAGES)]
    assert places == sorted(places)


def test_it_can_be_read_without_eyes_or_mouse(page, outline):
    assert '<html lang="en">' in page and 'class="skip" href="#main"' in page
    steps = np.diff(outline.headings)
    assert outline.headings[0] == 1 and outline.headings.count(1) == 1 and steps.max() <= 1
    assert len(outline.images) >= 4 and all(outline.images)
    assert page.count("<th ") > 50 and "<th>" not in page
    assert "@media print" in page


def test_everything_from_a_data_set_is_escaped(page):
    assert NASTY not in page and "<script" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "{{ 7 * 7 }}" in page


def test_bodies_with_their_verdicts(numbers, page):
    robots = {robot["name"]: robot for robot in numbers["robots"]}
    assert set(robots) == {"renda_arm_tip", "gong_bending_one", "renda_mantle_ring"}
    assert robots["renda_arm_tip"]["validated"]
    assert page.count("Not validated.") == 2
    assert "trade name" in page and "factor of 2" in page


def test_a_verdict_says_which_level_is_missed_and_what_was_found(numbers, page):
    rows = [row for robot in numbers["robots"] for row in robot["trust"]]
    missed = [words for row in rows for words in row["missed"]]
    assert missed and all(words in page for words in missed)
    assert any(re.fullmatch(r"position of the tip [\d.]+ % \(level [\d.]+ %\)", w) for w in missed)
    for row in rows:
        assert bool(row["missed"]) == (row["acceptance"] in ("not met", "not shown"))
    (arm,) = (robot for robot in numbers["robots"] if robot["name"] == "renda_arm_tip")
    assert arm["factors"]["bending_stiffness"] == pytest.approx(1.2, rel=0.01)
    assert arm["not_right"] == ["pcc"] and "no coefficients make it right" in page


def test_a_law_beyond_its_range_is_said_beside_the_number(tmp_path):
    data = reference("gong_bending_one")
    far = data.assign(max_stretch=data["max_stretch"] * 0.0 + 3.4)
    page = write_report([Source(far)], tmp_path).read_text()
    assert re.search(r'Largest stretch 3\.4, <span class="bad">beyond</span> 3\.0', page)


def test_a_verdict_says_where_the_reference_is_unstable(tmp_path):
    data = reference("renda_arm_tip_force")
    spoiled = data.assign(stable=("step", np.array([1, 1, 1, 0])))
    page = write_report([Source(spoiled)], tmp_path).read_text()
    verdicts = page[: page.index('id="verification"')]
    assert "unstable at step 4: no body keeps the state" in verdicts


def test_bars_come_from_the_levels(numbers):
    (arm,) = (robot for robot in numbers["robots"] if robot["name"] == "renda_arm_tip")
    (case,) = (case for case in arm["cases"] if case["case"] == "renda_arm_tip_force")
    rows = {row["what"]: row for row in case["solution"]}
    tip = rows["Position of the tip"]
    assert tip["origin"] == "three levels" and tip["order"] == pytest.approx(3.0, abs=0.05)
    metric = case["comparison"]["metrics"]["tip_position"]
    assert metric["bars_known"] and all(metric["resolved"])
    (other,) = (case for case in arm["cases"] if case["case"] == "renda_arm_tip_moment")
    assert not any(other["comparison"]["metrics"]["tip_position"]["resolved"])


def test_calibration_carries_over_between_loads(numbers, page):
    """The references' modulus is 1.2 times the case's: that is found, and holds for any load."""
    (arm,) = (robot for robot in numbers["robots"] if robot["name"] == "renda_arm_tip")
    rod, arc = arm["calibrations"]
    (found,) = (row for row in rod["coefficients"] if row["name"] == "bending_stiffness")
    assert found["value"] == pytest.approx(1.2, rel=0.01) and found["absorbs_model_error"]
    apart = [row for row in rod["held_out"] if row["kind"] == "another load"]
    assert {row["case"] for row in apart} == {"renda_arm_tip_force", "renda_arm_tip_moment"}
    assert all(row["after"] < 0.1 * row["before"] for row in apart)
    # One arc cannot be made right for a tapered arm, and the page says so with the number.
    assert arc["model"] == "pcc" and arc["verdict"].startswith("No coefficients make the pcc right")
    worst = max(row["after"] for row in arc["held_out"])
    assert f"{worst:.0%}" in arc["verdict"] and arc["verdict"].split(":")[0] in page


def test_numbers_of_the_page_are_those_of_the_json(numbers, page):
    from loligo.validation.words import value_words

    for robot in numbers["robots"]:
        assert robot["verdict"] in page
        for case in robot["cases"]:
            for row in case["comparison"]["metrics"].values():
                assert value_words(row["error"][-1], row["unit"]) in page


def test_a_data_set_of_a_case_of_ones_own(tmp_path):
    case = load("cylinder")
    text = to_toml(case)
    own = predict(case).assign_attrs(kind="reference", case_name="my_cylinder", case=text)
    lost = own.assign_attrs(case_name="nobody", case="not = toml = at all")
    page = write_report([Source(own), Source(lost)], tmp_path).read_text()
    assert "my cylinder" in page and "is not valid TOML" in page


def test_what_could_not_be_compared_has_no_good_verdict(tmp_path):
    motion = predict(load("renda_arm_tip_force"))
    text = to_toml(load("renda_arm_motion"))
    motion = motion.assign_attrs(kind="reference", case_name="renda_arm_motion", case=text)
    page = write_report([Source(motion)], tmp_path).read_text()
    assert "Nothing could be compared." in page and "Not compared:" in page
    assert 'class="verdict good"' not in page and "No rung differs." not in page


LET_GO = """
[load.push.history]
kind = "table"
times = ["0 s", "1 ms"]
factors = [1.0, 0.0]

[time]
duration = "0.5 s"
every = "5 ms"
"""


def test_a_motion_is_compared_in_time(tmp_path):
    """A cylinder that is let go; the reference is stiffer, and so rings faster."""
    text = short_case().replace("steps = [0.5, 1.0]", "") + LET_GO
    text = text.replace("density = ", 'viscosity = "100 Pa s"\ndensity = ')
    (tmp_path / "let_go.toml").write_text(text)
    case = load(str(tmp_path / "let_go.toml"))
    stiff = predict(softened(case, 1.5)).assign_attrs(kind="reference", case=to_toml(case))
    page = write_report([Source(stiff)], tmp_path).read_text()
    (robot,) = json.loads((tmp_path / "report.json").read_text())["robots"]
    assert robot["first_failing"] == "step response" and "At the last instant" in page
    (entry,) = robot["cases"]
    assert entry["motion"] and entry["comparison"]["metrics"]["end_path"]["error"][0] > 0.0
    # Of a slender body the frequency goes with the root of the modulus, light damping aside; the
    # damping ratio is eta omega / 2 E (per unit of either), so that it goes with one over the root.
    claims = entry["comparison"]["claims"]
    for name in ("ring_frequency", "log_decrement"):
        ratio = claims[name]["prediction"][-1] / claims[name]["reference"][-1]
        power = -0.5 if name == "ring_frequency" else 0.5
        assert ratio == pytest.approx(1.5**power, rel=0.02)
    (rung,) = (rung for rung in robot["ladder"] if rung["rung"] == "step response")
    assert rung["differs"][0].startswith("the frequency is 0.8")


def test_the_command(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    dataset.write(reference("renda_arm_tip_force"), tmp_path / "a.nc")
    with pytest.raises(SystemExit) as stop:
        main(["report", "a.nc", "-o", "out"])
    assert not stop.value.code
    assert capsys.readouterr().out.splitlines() == ["out/report.html", "out/report.json"]
    with pytest.raises(SystemExit) as stop:
        main(["report", "nothing"])
    assert stop.value.code == 2 and "is no data set" in capsys.readouterr().err


BROWSER = next(filter(shutil.which, ("chromium-headless-shell", "chromium", "google-chrome")), None)


def test_a_broken_file_does_not_cost_the_others(tmp_path, capsys):
    (tmp_path / "broken.nc").write_text("no netCDF")
    with pytest.raises(SystemExit) as stop:
        main(["report", str(tmp_path), "-o", str(tmp_path / "out")])
    assert stop.value.code == 2 and "broken.nc" in capsys.readouterr().err
    dataset.write(reference("cylinder"), tmp_path / "cylinder.nc")
    with pytest.raises(SystemExit) as stop:
        main(["report", str(tmp_path), "-o", str(tmp_path / "out")])
    assert not stop.value.code and "broken.nc" in capsys.readouterr().err
    numbers = json.loads((tmp_path / "out" / "report.json").read_text())
    assert [robot["name"] for robot in numbers["robots"]] == ["cylinder"]
    assert "broken.nc" in numbers["not_used"][0]


def test_a_browser_lays_the_page_out(folder, tmp_path):
    """Where there is a browser: the page as it is after layout, no error, nothing too wide."""
    if BROWSER is None:
        return
    probe = tmp_path / "probe.html"
    text = (folder / "report.html").read_text()
    script = (
        "<script>document.title = [document.querySelectorAll('figure svg').length,"
        "document.documentElement.scrollWidth <= window.innerWidth,"
        "[...document.querySelectorAll('figure svg')].every(s => s.clientHeight > 100)"
        "].join(' ')</script></body>"
    )
    probe.write_text(text.replace("</body>", script))
    done = subprocess.run(
        [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom", probe.as_uri()],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert "<title>4 true true</title>" in done.stdout, done.stdout[:300] + done.stderr[-500:]


WIDTHS = """<script>
const page = document.documentElement.clientWidth;
const wide = [...document.querySelectorAll("table, img, svg, p, li")]
  .filter(e => e.getBoundingClientRect().right > page + 1 && !(SCROLLS && e.closest(".scroll")));
document.title = [page, wide.length, document.querySelectorAll("img").length].join(" ");
</script></body>"""


@pytest.mark.parametrize(("width", "paper"), [(400, False), (673, True)])
def test_pictures_and_tables_fit_a_phone_and_paper(tmp_path, width, paper):
    """Paper is A4 within its margins; there nothing scrolls, so that all must fit."""
    if BROWSER is None:
        return
    source = read_source(shipped()["cylinder"])
    text = write_report([source], tmp_path).read_text()
    if paper:
        text = text.replace("@media print", "@media screen")
    script = WIDTHS.replace("SCROLLS", "false" if paper else "true")
    probe = tmp_path / "probe.html"
    probe.write_text(text.replace("</body>", script))
    size = f"--window-size={width},900"
    done = subprocess.run(
        [BROWSER, "--headless", "--no-sandbox", "--hide-scrollbars", size, "--dump-dom", probe],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert f"<title>{width} 0 1</title>" in done.stdout, done.stdout[:300] + done.stderr[-500:]


def cube_surface():
    """The skin of a unit cube, seen from outside, that one step stretches to twice its length."""
    corner = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=float)
    faces = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
    triangle = [t for a, b, c, d in faces for t in ((a, b, d), (b, c, d))]
    outward = []
    for a, b, c in triangle:
        normal = np.cross(corner[b] - corner[a], corner[c] - corner[a])
        good = normal @ (corner[[a, b, c]].mean(axis=0) - 0.5) > 0
        outward.append((a, b, c) if good else (a, c, b))
    pulled = corner * [1.0, 0.0, 0.0]
    return surface_dataset(
        corner,
        np.array(outward),
        np.zeros(12, int),
        ["outer"],
        [3],
        pulled[None],
        np.full((1, 8), 2.0),
    )


def test_a_body_is_drawn_by_the_faces_that_are_seen():
    cube = cube_surface()
    vertex, triangle = cube["rest"].values.astype(float), cube["triangle"].values
    corners, order, shade = _visible(vertex, triangle)
    assert len(order) == 6  # three faces of six, two triangles each
    depth = vertex[triangle[order]].mean(axis=1) @ TOWARDS_VIEWER
    assert np.all(np.diff(depth) >= -1e-12)
    seen = {tuple(np.round(n, 9)) for n in _normals(vertex, triangle[order])}
    assert seen == {(1, 0, 0), (0, -1, 0), (0, 0, 1)}  # the viewer stands at +x, -y, +z
    assert corners.shape == (6, 3, 2) and np.all(shade >= 0.0)


def _normals(vertex, triangle):
    a, b, c = (vertex[triangle[:, i]] for i in range(3))
    return np.cross(b - a, c - a) + 0.0


def test_pictures_stand_in_the_page(tmp_path):
    shape = cube_surface()["displacement"].values
    modes = xr.Dataset({"shape": (("mode", "vertex", "axis"), shape)})
    source = Source(reference("cylinder"), surface=cube_surface(), modes=modes)
    page = write_report([source], tmp_path).read_text()
    contents = re.findall(r'src="data:image/png;base64,([^"]+)"', page)
    assert len(contents) == 2 and "in which it loses stability" in page
    assert all(base64.b64decode(content).startswith(b"\x89PNG") for content in contents)
    assert body_picture(cube_surface().drop_vars("displacement")) is None
