"""Case files: bad keys are named with reason and nearest valid key; good files round trip."""

import pytest
import tomli_w

from loligo.cases.case_file import CaseError, find, library_names, load, read, to_toml

GOOD = {
    "title": "test arm",
    "source": "none",
    "body": {
        "kind": "tapered_arm",
        "length": "120 mm",
        "base_radius": "10 mm",
        "tip_radius": "10 mm",
        "tip_disc": "2 mm",
    },
    "material": {"body": {"energy": "neo_hooke", "mu": "30 kPa", "density": "1080 kg/m^3"}},
    "load": {"tip": {"kind": "tip_force", "force": ["0 N", "1 N", "0 N"]}},
}
MANTLE = {"kind": "mantle", "radius": "31 mm", "thickness": "2 mm", "cylinder_length": "94 mm"}
WOUND = {
    "kind": "chambered_arm",
    "radius": "17 mm",
    "plates": ["5 mm", "5 mm"],
    "segments": [
        {
            "length": "100 mm",
            "chamber_radius": "5 mm",
            "chamber_offset": "10 mm",
            "winding_radius": "16 mm",
        }
    ],
}
PRESSURE = {"kind": "pressure", "cavities": ["s1c1"], "pressure": "1 kPa"}


@pytest.fixture
def complaints(tmp_path):
    """Read GOOD with changes, and return the complaints by key."""

    def read_changed(changes):
        file = tmp_path / "arm.toml"
        file.write_text(tomli_w.dumps(GOOD | changes))
        with pytest.raises(CaseError) as caught:
            read(file)
        assert str(file) in str(caught.value)
        return dict(caught.value.problems)

    return read_changed


@pytest.mark.parametrize(
    ("changes", "key", "reason"),
    [
        ({"gravitty": [1, 0, 0]}, "gravitty", 'unknown key; did you mean "gravity"?'),
        (
            {"body": GOOD["body"] | {"lenght": "1 m"}},
            "body.lenght",
            'unknown key; did you mean "length"?',
        ),
        (
            {"body": GOOD["body"] | {"kind": "tapred_arm"}},
            "body.kind",
            '"tapred_arm" is unknown; did you mean "tapered_arm"?',
        ),
        ({"body": {"length": "1 m"}}, "body.kind", "is missing"),
        (
            {"body": GOOD["body"] | {"length": 120}},
            "body.length",
            '120 has no unit; write for example "245 mm"',
        ),
        (
            {"body": GOOD["body"] | {"length": "120 kPa"}},
            "body.length",
            '"120 kPa" is not a length; write for example "245 mm"',
        ),
        ({"body": GOOD["body"] | {"length": "0 mm"}}, "body.length", "should be greater than 0"),
        (
            {"body": GOOD["body"] | {"stations": 1}},
            "body.stations",
            "should be greater than or equal to 2",
        ),
        ({"title": 3}, "title", "should be a text in quotes"),
        ({"steps": 0.5}, "steps", "should be a list in [ ]"),
        ({"load": 3}, "load", "should be a table"),
        ({"material": {"body": 3}}, "material.body", "should be a table"),
        ({"name": "x"}, "name", "unknown key; a case is named after its file"),
        (
            {"gravity": [1.0, 1.0, 0.0]},
            "gravity",
            "must be a unit vector; its length is 1.414",
        ),
        ({"steps": []}, "steps", "needs at least 1 entries; it has 0"),
        ({"steps": [True]}, "steps[0]", "should be a valid number"),
        ({"body": "arm"}, "body", "should be a table"),
        (
            {"load": {"a/b": GOOD["load"]["tip"]}},
            "load.a/b",
            "a name may hold letters, digits, _ and - only",
        ),
        (
            {"material": {"body": {"energy": "neohooke"}}},
            "material.body.energy",
            '"neohooke" is unknown; did you mean "neo_hooke"?',
        ),
        (
            {"material": {"body": GOOD["material"]["body"] | {"bulk_modulus": "soft"}}},
            "material.body.bulk_modulus",
            'should be "incompressible"; or '
            '"soft" is not a number with a unit; write for example "20 kPa"',
        ),
        ({"material": {}}, "material", "there is no [material.body]"),
        (
            {"material": GOOD["material"] | {"skin": GOOD["material"]["body"]}},
            "material.skin",
            "the body has no volume of this name; it has body",
        ),
        ({"winding": {"stiffness": "1 N/m"}}, "winding", "the body has no winding"),
        (
            {"body": WOUND, "load": {"p": PRESSURE}},
            "winding",
            'the body is wound: give the thread, for example stiffness = "1e5 N/m"',
        ),
        (
            {"support": {"tip": "fixed"}},
            "support.tip",
            'should be "free" or "blocked"',
        ),
        (
            {"support": {"tip": "blocked"}},
            "load.tip",
            "the tip is blocked: the load would go straight into the support",
        ),
        (
            {"body": GOOD["body"] | {"tip_disc": "0 mm"}, "support": {"tip": "blocked"}},
            "support.tip",
            'only a rigid disc can be blocked; give the body one with tip_disc = "2 mm"',
        ),
        (
            {"body": GOOD["body"] | {"tip_disc": "0 mm"}},
            "load.tip",
            'a tip_force acts on a rigid disc; give the body one with tip_disc = "2 mm"',
        ),
        (
            {"load": {"tip": GOOD["load"]["tip"] | {"path": [1.0]}}},
            "load.tip.path",
            "has 1 factors for 4 steps",
        ),
        (
            {"load": {"tip": {"kind": "tip_force", "force": ["0 N", "1 N"]}}},
            "load.tip.force[2]",
            "is missing",
        ),
        (
            {
                "body": WOUND
                | {
                    "plates": ["5 mm"] * 3,
                    "segments": [WOUND["segments"][0], WOUND["segments"][0] | {"turn": "60 deg"}],
                },
                "mesh": {"element": "hexahedron"},
            },
            "mesh.element",
            "segments that differ in more than their length are joined by tetrahedra",
        ),
        (
            {"load": {"p": PRESSURE}},
            "load.p.cavities",
            'the body has no cavity "s1c1"; it has none',
        ),
        (
            {"body": MANTLE, "load": {"p": PRESSURE}},
            "load.p.cavities",
            'the body has no cavity "s1c1"; it has mantle',
        ),
        (
            {
                "body": WOUND,
                "winding": {"stiffness": "1 kN/m"},
                "load": {"p": PRESSURE, "q": PRESSURE},
            },
            "load.q.cavities",
            'cavity "s1c1" is also driven by load.p',
        ),
        (
            {"load": {"t": {"kind": "tendon", "tendons": [1], "tension": "1 N"}}},
            "load.t.tendons",
            "there is no tendon 1; the body has 0",
        ),
        (
            {
                "body": GOOD["body"]
                | {
                    "tip_disc": "0 mm",
                    "tendons": {"count": 1, "base_offset": "5 mm", "tip_offset": "5 mm"},
                },
                "load": {"t": {"kind": "tendon", "tendons": [1], "tension": "1 N"}},
            },
            "load.t",
            'tendons are anchored in the tip disc; give the body one with tip_disc = "2 mm"',
        ),
        (
            {"load": {"h": {"kind": "hoop_tension", "tension": "15 N/m"}}},
            "load.h",
            "hoop_tension acts in the wall of a mantle, not of a tapered_arm",
        ),
        (
            {
                "body": MANTLE,
                "load": {
                    "h": {
                        "kind": "hoop_tension",
                        "tension": "15 N/m",
                        "band": ["25 mm", "130 mm"],
                    }
                },
            },
            "load.h.band",
            "ends at 130 mm, beyond the meridian's end at 118.3 mm",
        ),
        (
            {
                "body": MANTLE,
                "load": {
                    "h": {"kind": "hoop_tension", "tension": "1 N/m", "band": ["9 mm", "8 mm"]}
                },
            },
            "load.h",
            "band must be [from, to] with from < to",
        ),
        (
            {
                "body": MANTLE,
                "load": {"m": {"kind": "recruited_torque", "moment": ["0 N m", "1 N m"]}},
            },
            "load.m",
            "recruited_torque acts in a tapered arm, not in a mantle",
        ),
        (
            {"load": {"w": {"kind": "water"}}},
            "load.w",
            'needs the water: add [water] with density = "1000 kg/m^3"',
        ),
        (
            {
                "water": {"base_depth": "1 m"},
                "load": {
                    "w": {"kind": "water"},
                    "o": {"kind": "outer_pressure", "pressure": "1 Pa"},
                },
            },
            "load.o",
            "outer_pressure and water both press on the outside; choose one",
        ),
        (
            {
                "body": {
                    "mesh": "none.msh",
                    "file_unit": "mm",
                    "centreline": [["0 m"] * 3, ["1 m", "0 m", "0 m"]],
                    "stations": ["0 m", "1 m"],
                    "discs": ["tip"],
                }
            },
            "body.mesh",
            'there is no file "none.msh" beside the case',
        ),
    ],
)
def test_complaints_name_key_and_reason(complaints, changes, key, reason):
    assert complaints(changes)[key] == reason


def test_all_complaints_come_at_once(complaints):
    found = complaints(
        {
            "gravitty": 1,
            "title": 3,
            "body": GOOD["body"] | {"length": 1},
            "load": {"tip": {"kind": "tip_forse"}},
        }
    )
    assert set(found) == {"gravitty", "title", "body.length", "load.tip.kind"}


def test_good_file_reads(tmp_path):
    file = tmp_path / "arm.toml"
    file.write_text(tomli_w.dumps(GOOD))
    case = read(file)
    assert case.name == "arm"
    assert case.body.length == 0.12


def test_broken_toml_and_missing_files_are_explained(tmp_path):
    (tmp_path / "a.toml").write_text("title = ")
    with pytest.raises(CaseError, match="is not valid TOML: Invalid value"):
        read(tmp_path / "a.toml")
    (tmp_path / "b.toml").write_bytes(b"title = '\xff'")
    with pytest.raises(CaseError, match="cannot be read"):
        read(tmp_path / "b.toml")
    (tmp_path / "my arm.toml").write_text("")
    with pytest.raises(CaseError, match="its name may hold letters, digits, _ and - only"):
        read(tmp_path / "my arm.toml")
    with pytest.raises(CaseError, match=r"cannot be read: .*No such file"):
        read(find(str(tmp_path / "c.toml")))


def test_notepads_byte_order_mark_is_no_fault(tmp_path):
    (tmp_path / "arm.toml").write_text(tomli_w.dumps(GOOD), encoding="utf-8-sig")
    assert read(tmp_path / "arm.toml").title == "test arm"


@pytest.mark.parametrize("text", ["a = " + "[" * 5000, "a = " + "9" * 5000])
def test_monsters_are_refused(tmp_path, text):
    (tmp_path / "a.toml").write_text(text)
    with pytest.raises(CaseError, match="is not valid TOML"):
        read(tmp_path / "a.toml")


def test_one_bad_entry_is_not_called_too_few(complaints):
    assert set(complaints({"steps": ["one"]})) == {"steps[0]"}


def test_unknown_names_suggest_the_nearest_case():
    with pytest.raises(CaseError, match='did you mean "gong_arm"'):
        find("gong_amr")


def test_a_link_out_of_the_folder_is_refused(tmp_path):
    (tmp_path / "secret.msh").write_text("")
    folder = tmp_path / "case"
    folder.mkdir()
    (folder / "link.msh").symlink_to(tmp_path / "secret.msh")
    solid = {
        "mesh": "link.msh",
        "file_unit": "mm",
        "centreline": [["0 m"] * 3, ["1 m", "0 m", "0 m"]],
        "stations": ["0 m", "1 m"],
        "discs": ["tip"],
    }
    (folder / "arm.toml").write_text(tomli_w.dumps(GOOD | {"body": solid}))
    with pytest.raises(CaseError, match="leaves the folder of the case"):
        read(folder / "arm.toml")


@pytest.mark.parametrize("name", library_names())
def test_library_cases_round_trip(name, tmp_path):
    case = load(name)
    file = tmp_path / f"{name}.toml"
    file.write_text(to_toml(case))
    assert read(file) == case


@pytest.mark.parametrize("name", library_names())
def test_thread_of_the_library_is_nearly_inextensible(name):
    """k/(mu R) >= 1e3 of the rubber inside the thread is the stiff limit of the conventions."""
    case = load(name)
    if case.winding is None:
        return
    radii = [s.winding_radius or s.sleeve.inner_radius for s in case.body.segments]
    assert case.winding.stiffness >= 1e3 * 0.99 * case.material["body"].shear_modulus * max(radii)


def test_library_holds_what_the_papers_need():
    assert {
        "renda_arm_tip_force",
        "renda_arm_tip_moment",
        "renda_arm_self_weight",
        "renda_arm_recruited_torque",
        "renda_mantle_band",
        "renda_mantle_ring",
        "renda_mantle_inflation",
        "emet_limb_weight",
        "emet_limb_one_tendon",
        "emet_limb_two_tendons",
        "gong_bending_one",
        "gong_bending_two",
        "gong_bending_three",
        "gong_elongation",
        "gong_arm",
        "liu_segment",
        "liu_arm",
        "zhang_actuator",
        "zhang_joint_one",
        "zhang_joint_two",
        "zhang_joint_three",
        "zhang_joint_tip_moment",
        "zhang_joint_blocked",
        "cylinder",
    } <= set(library_names())
