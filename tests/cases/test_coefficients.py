"""Files of coefficients: what is read back, what is refused, where they stop to hold."""

import numpy as np
import pytest

from loligo.cases import coefficients as files
from loligo.cases import coefficients_reach as ranges
from loligo.cases.case import Case
from loligo.cases.case_file import load
from loligo.cases.coefficients import KNOWN, Coefficient, Coefficients, Reach, StationLaw
from loligo.cases.core.record import BadInput
from loligo.cases.dataset.io import load_variables
from loligo.reduced.predict.predict import predict

CASE = load("gong_bending_one")
ARM = (0.0, 1e-6, 0.0, 1e-4, 0.0, 0.0)


def stiffness(scale=1.0):
    return tuple(map(tuple, scale * np.diag([1.0, 2.0, 2.0, 100.0, 30.0, 30.0])))


def some(**more):
    bend = Coefficient(name="bending_stiffness", value=1.1, unit="1", low=1.0, high=1.2)
    section = StationLaw(x=0.055, stiffness=stiffness(), arms={"s1c1": ARM})
    return files.for_case(CASE, "test").model_copy(
        update={"coefficient": (bend,), "section": (section,), **more}
    )


def test_what_is_written_reads_back(tmp_path):
    file = tmp_path / "new" / "mine.toml"
    given = some(reach=Reach(max_stretch=1.3, load={"pressure": 3e4}))
    files.write(given, file)
    assert files.read(file) == given
    assert [path.name for path in file.parent.iterdir()] == ["mine.toml"]


def test_they_belong_to_a_body_whatever_acts_on_it():
    files.check_belongs(some(), load("gong_bending_two"))
    stiffer = CASE.material["body"].model_copy(update={"c10": 1e5})
    other = CASE.model_copy(update={"material": {"body": stiffer}})
    with pytest.raises(BadInput, match=r"belong to another rubber; make them anew"):
        files.check_belongs(some(), other)
    longer = CASE.body.model_copy(update={"radius": 0.018})
    with pytest.raises(BadInput, match="another body; make"):
        files.check_belongs(some(), CASE.model_copy(update={"body": longer}))


def test_stations_do_not_make_another_body():
    finer = CASE.body.model_copy(update={"stations": 9})
    files.check_belongs(some(), CASE.model_copy(update={"body": finer}))


@pytest.mark.parametrize(
    ("wrong", "right", "reason"),
    [
        ('"bending_stiffness"', '"bending_stifness"', 'did you mean "bending_stiffness"'),
        ("value = 1.1", "value = -1.1", "must be positive"),
        ('unit = "1"', 'unit = "Pa"', 'the unit of bending_stiffness is "1"'),
        ("[reach]", "[reech]", 'did you mean "reach"'),
        ("        100.0", "        -100.0", "symmetric and positive definite"),
    ],
)
def test_a_wrong_file_is_refused_by_key(tmp_path, wrong, right, reason):
    file = tmp_path / "mine.toml"
    files.write(some(), file)
    text = file.read_text()
    assert wrong in text
    file.write_text(text.replace(wrong, right))
    with pytest.raises(BadInput, match=reason):
        files.read(file)


def test_they_hold_as_far_as_their_source_has_seen():
    seen = some(reach=Reach(max_stretch=1.2, load={"pressure": 30e3}))  # the case reaches 30 kPa
    assert ranges.beyond(seen, CASE, max_stretch=1.19, steps=5) == []
    (said,) = ranges.beyond(seen, CASE, max_stretch=1.3, steps=5)
    assert "up to a stretch of 1.2; here it reaches 1.3" in said
    fewer = some(reach=Reach(load={"pressure": 15e3}))
    assert ranges.beyond(fewer, CASE, max_stretch=3.0, steps=2) == []  # 12 kPa
    (said,) = ranges.beyond(fewer, CASE, max_stretch=3.0, steps=3)  # 18 kPa
    assert "up to a pressure of 15 kPa; here it reaches 18 kPa" in said
    (said,) = ranges.beyond(some(reach=Reach(load={"weight": 9.81})), CASE, 1.0, steps=1)
    assert "without any pressure" in said


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("renda_arm_tip_moment", "up to a tip moment of 0.01 mN m; here it reaches"),
        ("renda_mantle_ring", "up to a hoop tension of 0.01 mN/m; here it reaches 15 N/m"),
        ("renda_arm_self_weight", "up to a weight of 1e-05 m/s^2; here it reaches 9.81 m/s^2"),
    ],
)
def test_a_limit_has_its_unit(name, words):
    case = load(name)
    kinds = {item.kind: 1e-5 for item in case.load.values()}
    found = files.for_case(case, "test").model_copy(update={"reach": Reach(load=kinds)})
    assert words in " ".join(ranges.beyond(found, case, 1.0, steps=len(case.steps)))


def test_what_is_no_property_of_a_body_is_said():
    given = some().replaced({"density": 3.0, "wall_bending": 9.0, "bending_stiffness": 1.9})
    (said,) = ranges.unphysical(given, "rod")
    assert said.startswith("density = 3 is no property of a body") and "0.9 and 1.1" in said
    found = predict(CASE, "rod", coefficients=given.model_copy(update={"section": ()}))
    assert said in found.attrs["coefficients_beyond"]


def test_a_value_lies_within_its_own_interval():
    with pytest.raises(ValueError, match=r"= 50 is outside its interval, 1 to 1\.2"):
        Coefficient(name="bending_stiffness", value=50.0, unit="1", low=1.0, high=1.2)
    Coefficient(name="bending_stiffness", value=50.0, unit="1", low=1.0)


def test_two_bodies_are_told_apart_by_what_differs():
    files.check_same(load("gong_bending_one"), load("gong_bending_two"))
    with pytest.raises(BadInput, match="liu_segment differ in body and rubber and thread"):
        files.check_same(load("gong_bending_one"), load("liu_segment"))


def test_every_model_is_told_what_it_uses_and_ignores():
    both = some().replaced({"modulus": 1.2, "wall_bending": 0.9})
    used, ignored = both.report("rod")
    assert used == ["section law at x = 55 mm", "bending_stiffness = 1.1", "modulus = 1.2"]
    assert ignored == ["wall_bending"]
    used, ignored = both.report("shell")
    assert used == ["modulus = 1.2", "wall_bending = 0.9"]
    assert ignored == ["section law at x = 55 mm", "bending_stiffness"]


def test_a_coefficient_that_changes_nothing_lies_within_its_physical_range():
    for name, known in KNOWN.items():
        low, high = known.physical
        assert known.neutral is None or low <= known.neutral <= high, name


def test_no_file_is_left_half_written(tmp_path, monkeypatch):
    file = tmp_path / "mine.toml"
    files.write(some(), file)
    before = file.read_bytes()

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.replace", full)
    with pytest.raises(OSError, match="No space"):
        files.write(Coefficients(source="new", belongs_to={}), file)
    assert file.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["mine.toml"]


def test_a_load_of_the_other_sign_is_beyond_what_was_fitted():
    """Fitted at 0 to 18 kPa, used at -15 kPa: said, with both; -15 to 18 kPa: nothing."""
    data = CASE.model_dump()
    data["load"]["supply"]["pressure"] = -15e3
    sucked = Case.model_validate(data | {"steps": (1.0,)})
    one_sided = some(reach=Reach(load={"pressure": (0.0, 18e3)}))
    (said,) = ranges.beyond(one_sided, sucked, 1.0, steps=1)
    assert "down to a pressure of 0 Pa; here it reaches -15 kPa" in said
    assert ranges.beyond(some(reach=Reach(load={"pressure": (-15e3, 0.0)})), sucked, 1.0, 1) == []
    assert ranges.load_reach([(sucked, [0]), (CASE, [0])])["pressure"] == pytest.approx(
        (-15e3, 6e3)
    )


def test_a_moment_of_the_other_sign_is_as_long():
    data = load("renda_arm_tip_moment")
    back = data.model_copy(update={"steps": (-1.0, 0.5)})
    (low, high) = ranges.load_reach([(back, [0, 1])])["tip_moment"]
    assert (low, high) == (0.0, pytest.approx(load_variables(data)["load_tip"][1][-1]))


VERSION_1 = """
format = "loligo coefficients 1"
source = "calibrated by loligo: rod on gong_bending_one, beginning from geometry and rubber"
belongs_to = {}
notes = ["softening ran to its bound, 3: the data do not determine it"]
[reach.load]
pressure = 18000.0
[[coefficient]]
name = "softening"
value = 3.0
unit = "1"
"""


def test_the_older_version_is_read_with_what_it_says_in_words(tmp_path):
    """No signs there: its magnitude is the range from 0, so that the other sign is said."""
    file = tmp_path / "old.toml"
    file.write_text(VERSION_1)
    found = files.read(file)
    assert found.model == "rod"
    assert found.reach.load == {"pressure": (0.0, 18e3)}
    assert found.coefficient[0].at_bound
    files.write(found, file)
    assert "loligo coefficients 3" in file.read_text() and found.stands_on == "geometry"
    assert files.read(file) == found


def test_coefficients_of_another_model_and_at_a_bound_are_said():
    """Whoever reads them: the rod's by pcc, and the note of the fit again."""
    stuck = Coefficient(name="softening", value=3.0, unit="1", at_bound=True)
    given = some(model="rod", coefficient=(*some().coefficient, stuck), section=())
    assert ranges.doubtful(given, "pcc_lengths") == []  # reads none of them
    (bound,) = ranges.doubtful(given, "rod")
    assert bound.startswith("softening = 3 ran to its bound")
    found = predict(CASE, "pcc", coefficients=given).attrs["coefficients_beyond"]
    assert bound in found
    assert "bending_stiffness, softening were fitted with the model rod" in found


@pytest.mark.parametrize("wrong", [(1.0, 0.0), (0.0, float("inf")), (0.0, float("nan"))])
def test_a_range_of_loads_is_one(wrong):
    with pytest.raises(ValueError, match=r"smallest, largest|finite"):
        Reach(load={"pressure": wrong})


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("notes = [", "notes = 3 #", "notes"),
        ('name = "softening"', 'name = ["softening"]', "name"),
        ("pressure = 18000.0", "pressure = -18000.0", r"load\.pressure must be \[smallest"),
        ("[[coefficient]]", "[coefficient]", "coefficient"),
    ],
)
def test_a_damaged_file_of_the_older_version_is_refused_in_words(tmp_path, old, new, reason):
    file = tmp_path / "old.toml"
    assert old in VERSION_1
    file.write_text(VERSION_1.replace(old, new))
    with pytest.raises(BadInput, match=reason):
        files.read(file)
