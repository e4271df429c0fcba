"""Study files: what items they make, and what they refuse."""

import pytest

from loligo.cases.case_file import CaseError, library_names, read
from loligo.hpc.study import in_one_unit, item_toml, quantity, read_study, words


@pytest.fixture
def items_of(tmp_path):
    def make(text):
        file = tmp_path / "mine.toml"
        file.write_text(text)
        return read_study(file)[1]

    return make


def test_a_grid_makes_every_combination(items_of):
    items = items_of(
        'cases = ["renda_arm_tip_force"]\nlevel = 1\n'
        '[grid]\nbody.length = ["200 mm", "300 mm"]\n"load.tip.force" = '
        '[["0 N", "0 N", "1 mN"], ["0 N", "2 mN", "0 N"], ["0 N", "0 N", "3 mN"]]\n'
    )
    made = {(item.case.body.length, item.case.load["tip"].force) for item in items}
    forces = [(0.0, 0.0, 0.001), (0.0, 0.002, 0.0), (0.0, 0.0, 0.003)]
    assert made == {(length, force) for length in (0.2, 0.3) for force in forces}
    assert len({item.id for item in items}) == 6
    assert {item.command for item in items} == {("solve", "--level", "1")}


def test_several_levels_give_error_bars(items_of):
    (item,) = items_of('cases = ["cylinder"]\nlevel = [0, 1, 2]\n')
    assert item.command == ("solve", "--levels", "0,1,2")


@pytest.mark.parametrize(
    ("one", "same"), [("[0, 1]", "[1, 0]"), ("[0, 1]", "[0, 1, 1]"), ("0", "[0]")]
)
def test_levels_that_are_the_same_for_solve_are_the_same_item(items_of, one, same):
    item, other = (items_of(f'cases = ["cylinder"]\nlevel = {text}\n')[0] for text in (one, same))
    assert item.id == other.id and item.command == other.command


def test_a_long_setting_is_told_by_its_beginning():
    told = words({"steps": [0.25] * 99, "body.length": "1 m"})
    assert told.startswith("steps = [0.25, 0.25, ") and told.endswith(" ..., body.length = 1 m")
    assert len(told) < 100


def test_entries_of_lists_are_counted_from_0(items_of):
    (item,) = items_of('cases = ["renda_arm_tip_force"]\n[grid]\n"load.tip.force.1" = ["5 mN"]\n')
    assert item.case.load["tip"].force[1] == 0.005


def test_a_sample_covers_every_layer_once_and_is_the_same_again(items_of):
    text = (
        'cases = ["renda_arm_tip_force"]\n[sample]\ncount = 8\nseed = 5\n'
        '[sample.between]\nbody.length = ["200 mm", "280 mm"]\nmesh.size = ["2 mm", "10 mm"]\n'
    )
    items = items_of(text)
    for values, low, width in (
        ([item.case.body.length for item in items], 0.2, 0.01),
        ([item.case.mesh.size for item in items], 0.002, 0.001),
    ):
        assert sorted(int((value - low) / width) for value in values) == list(range(8))
    assert [item.id for item in items_of(text)] == [item.id for item in items]
    assert {item.id for item in items_of(text.replace("= 5", "= 6"))} != {i.id for i in items}


def test_a_table_makes_an_item_a_row(items_of, tmp_path):
    (tmp_path / "rows.csv").write_text(
        "# measured\nbody.length, body.stations,load.tip.follower\n200 mm, 5, true\n"
        "210 mm,7,false\n"
    )
    items = items_of('cases = ["renda_arm_tip_force"]\ntable = "rows.csv"\n')
    assert [
        (i.case.body.length, i.case.body.stations, i.case.load["tip"].follower) for i in items
    ] == [(0.2, 5, True), (0.21, 7, False)]


def test_the_hash_is_that_of_what_is_computed(items_of, tmp_path):
    (item,) = items_of('cases = ["cylinder"]\n')
    own = tmp_path / "other_name.toml"
    own.write_text(item_toml(item).replace("title = ", 'title = "Renamed" # '))
    (same,) = items_of('cases = ["other_name.toml"]\n')
    assert same.case.title == "Renamed" and same.id == item.id
    for change in ("level = 1\n", 'run = "reduce"\n', '[grid]\nbody.length = ["1 m"]\n'):
        (other,) = items_of(f'cases = ["cylinder"]\n{change}')
        assert other.id != item.id
    (ranks,) = items_of('cases = ["cylinder"]\nranks = 2\n')
    assert ranks.id == item.id  # the same numbers on any number of ranks


def test_a_mesh_belongs_to_the_hash(items_of, tmp_path):
    (tmp_path / "mine.msh").write_text("one")
    data = (
        'title = "t"\nsource = "s"\n[body]\nmesh = "mine.msh"\nfile_unit = "m"\n'
        'centreline = [["0 m", "0 m", "0 m"], ["1 m", "0 m", "0 m"]]\nstations = ["0 m", "1 m"]\n'
        '[material.body]\nenergy = "neo_hooke"\nmu = "1 kPa"\ndensity = "1000 kg/m^3"\n'
        '[load.own]\nkind = "weight"\n'
    )
    (tmp_path / "solid.toml").write_text(data)
    before = items_of('cases = ["solid.toml"]\n')[0].id
    (tmp_path / "mine.msh").write_text("two")
    assert items_of('cases = ["solid.toml"]\n')[0].id != before


def test_own_energies_come_along_and_belong_to_the_hash(items_of, tmp_path):
    (tmp_path / "laws").mkdir()
    code = tmp_path / "laws" / "rubber.py"
    code.write_text("def energy(i1, i2, math, mu): return mu / 2 * (i1 - 3)\n")
    (tmp_path / "own.toml").write_text(
        'title = "t"\nsource = "s"\n[body]\nkind = "tapered_arm"\nlength = "60 mm"\n'
        'base_radius = "10 mm"\ntip_radius = "10 mm"\ntip_disc = "2 mm"\nstations = 3\n'
        '[material.body]\nenergy = "python"\nentry = "laws.rubber:energy"\nmu = "1 kPa"\n'
        'density = "1000 kg/m^3"\n[load.own]\nkind = "weight"\n'
    )
    (item,) = items_of('cases = ["own.toml"]\n')
    assert item.command == ("solve", "--level", "0")
    assert item.files == item.code == (code,)
    before = item.id
    code.write_text("def energy(i1, i2, math, mu): return mu / 3 * (i1 - 3)\n")
    assert items_of('cases = ["own.toml"]\n')[0].id != before


def test_equal_items_are_made_once(items_of):
    text = 'cases = ["cylinder", "cylinder"]\n[grid]\nbody.length = ["1 m", "1000 mm"]\n'
    assert len(items_of(text)) == 1


def test_the_whole_library_can_be_a_study(items_of, tmp_path):
    items = items_of(f"cases = {library_names()!r}\n")
    assert len(items) == len(library_names())
    for item in items:
        file = tmp_path / f"{item.case.name}.toml"
        file.write_text(item_toml(item))
        assert read(file) == item.case


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "cases: is missing"),
        ('cases = ["cylindr"]', "cylindr"),
        ('cases = ["../mine.toml"]', "leaves the folder"),
        ('cases = ["cylinder"]\ntable = "../t.csv"', "leaves the folder"),
        ('cases = ["cylinder"]\ntable = "no.csv"', "cannot be read as CSV"),
        ('cases = ["cylinder"]\nlevels = 1', 'did you mean "level"'),
        ('cases = ["cylinder"]\ntrust = true', "no file can give it; say --trust"),
        ('cases = ["cylinder"]\nlevel = [0, 9]', "less than or equal to 6"),
        ('cases = ["cylinder"]\nlevel = []', "needs at least 1 entries"),
        ('cases = ["renda_arm_tip_force"]\n[grid]\n"load.tip.force.²" = ["1 N"]', "² should be"),
        (f'cases = ["cylinder"]\n[grid]\nstep = [[{"0.25, " * 99}]]', "with step = [0.25, 0.25, "),
        ('cases = ["cylinder"]\nrun = "reduce"\nranks = 2', "reduce has neither"),
        ('cases = ["cylinder"]\n[grid]\nbody.length = ["1 kPa"]', "with body.length = 1 kPa"),
        ('cases = ["cylinder"]\n[grid]\nbody.lenght = ["1 m"]', 'did you mean "length"'),
        ('cases = ["cylinder"]\n[grid]\nbody.length.x = ["1 m"]', "nothing lies below"),
        ('cases = ["cylinder"]\n[grid]\nbody.length = "1 m"', "should be a list"),
        (
            'cases = ["renda_arm_tip_force"]\n[grid]\n"load.tip.force.3" = ["1 N"]',
            "with load.tip.force.3 = 1 N\n  renda_arm_tip_force load.tip.force.3: 3 should be the "
            "place in a list, from 0 to 2",
        ),
        (
            'cases = ["cylinder"]\n[sample]\ncount = 2\n[sample.between]\n'
            'body.length = ["1 m", "2 mm"]',
            "same unit",
        ),
        (
            'cases = ["cylinder"]\ntable = "t.csv"\n[grid]\nbody.length = ["1 m"]',
            "one of grid, sample and table",
        ),
        ('cases = ["cylinder"]\n[grid]\nbody.length = []', "makes no item"),
        (
            'cases = ["cylinder"]\n[grid]\n' + "".join(f"k{i} = [1, 2, 3]\n" for i in range(60)),
            "makes more than 100000 items",
        ),
    ],
)
def test_what_is_refused(items_of, text, reason):
    with pytest.raises(CaseError) as caught:
        items_of(text)
    assert reason in str(caught.value)


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        ("", "makes no item"),
        ("body.length\n", "makes no item"),
        ("body.length, body.length\n3 mm,4 mm\n", "body.length: heads more than one column"),
        ("body.length\n3 mm,4 mm\n", "row 1: has not as many cells as the header"),
        ("body.length\n" + "[" * 9999, "is not a number with a unit"),
        ("body.length\n" + "9" * 9999, "is not a number with a unit"),
    ],
)
def test_tables_that_are_refused(items_of, tmp_path, table, reason):
    (tmp_path / "t.csv").write_text(table)
    with pytest.raises(CaseError, match=reason):
        items_of('cases = ["cylinder"]\ntable = "t.csv"')


@pytest.mark.parametrize(
    ("value", "pair"),
    [
        (2, (2.0, "")),
        ("3 kPa", (3.0, "kPa")),
        ("200mm", (200.0, "mm")),
        ("5 mN m", (5.0, "mN m")),
        ("word", None),
        ("5", None),
        ("1e400 m", None),
        (True, None),
        ([1, 2], None),
    ],
)
def test_quantities_are_told_from_words(value, pair):
    assert quantity(value) == pair


@pytest.mark.parametrize(
    ("values", "numbers"),
    [
        (["200mm", "0.21 m", 3], None),
        (["0.2 m", "210mm", "9 mm"], ([0.2, 0.21, 0.009], "m")),
        (["9 mm", "9 kPa"], None),
        (["9 mm", "9 bogus"], None),
        ([1, 2.5], ([1.0, 2.5], "")),
        (["a", "b"], None),
    ],
)
def test_values_in_several_units_are_brought_to_the_first(values, numbers):
    assert in_one_unit(values) == numbers
