"""Numbers that no soft robot has are named with the mistake; the library has none."""

import pytest

from loligo.cases.advice.magnitudes import implausible
from loligo.cases.case_file import find, library_names, load, resolve, tables

ARM = "renda_arm_tip_force"  # a cone of 245 mm, 10 to 2 mm; mu = 36.7 kPa


def changed(name, path, value):
    """Return the case with one value written anew."""
    data = tables(find(name))
    table = data
    for key in path[:-1]:
        table = table.setdefault(key, {})
    table[path[-1]] = value
    return resolve(data, find(name))


@pytest.mark.parametrize("name", library_names())
def test_the_library_is_plausible(name):
    assert implausible(load(name)) == ()


@pytest.mark.parametrize(
    ("path", "value", "where", "mistake"),
    [
        (("body", "length"), "245 Mm", "body", "mm written as Mm"),
        (("body", "length"), "245 m", "body", "mm written as m"),
        (("material", "body", "density"), "1.08 kg/m^3", "material.body.density", "g/cm^3"),
        (("material", "body", "mu"), "36.7 mPa", "material.body", "kPa as mPa"),
        (("material", "body", "mu"), "36.7 Pa", "material.body", "kPa written as Pa"),
        (("load", "pull", "force"), ["0 N", "50 N", "0 N"], "load.pull", "is it in mN"),
        (("load", "pull", "force"), ["0 N", "1e-9 N", "0 N"], "load.pull", "nothing will be seen"),
        (("acceptance", "tip_position"), 2.0, "acceptance.tip_position", "write 0.02"),
    ],
)
def test_a_mistake_is_named(path, value, where, mistake):
    data = tables(find(ARM))
    if path[0] == "load":  # by the name that it has there
        path = ("load", next(iter(data["load"])), *path[2:])
        where = f"load.{path[1]}"
    sentences = implausible(changed(ARM, path, value))
    assert [s for s in sentences if s.startswith(where) and mistake in s], sentences


@pytest.mark.parametrize(
    ("pressure", "mistake"), [("18 MPa", "in kPa"), ("-1 GPa", "in kPa"), ("18 mPa", "nothing")]
)
def test_a_pressure_is_judged_by_the_rubber(pressure, mistake):
    name = next(iter(tables(find("gong_bending_one"))["load"]))
    sentences = implausible(changed("gong_bending_one", ("load", name, "pressure"), pressure))
    assert [s for s in sentences if s.startswith(f"load.{name}") and mistake in s], sentences


def test_without_thread_a_cavity_bears_less():
    """5/2 mu is the pressure at which a cavity in a large block grows without bound."""
    mu = load("renda_mantle_inflation").material["body"].shear_modulus
    name = next(iter(load("renda_mantle_inflation").load))
    for factor, warned in ((2.4, False), (2.6, True)):
        case = changed("renda_mantle_inflation", ("load", name, "pressure"), f"{factor * mu!r} Pa")
        assert bool(implausible(case)) == warned


def test_a_load_of_zero_is_no_mistake():
    name = next(iter(tables(find(ARM))["load"]))
    assert implausible(changed(ARM, ("load", name, "force"), ["0 N", "0 N", "0 N"])) == ()


@pytest.mark.parametrize("size", ["1e300 m", "1e-300 m"])
def test_any_size_is_judged(size):
    """The square of the largest number is no number."""
    data = tables(find(ARM))
    data["body"] |= {"base_radius": size, "tip_radius": size, "length": size}
    data["load"] |= {"turn": {"kind": "tip_moment", "moment": ["0 N m", "1 N m", "0 N m"]}}
    assert [s for s in implausible(resolve(data, find(ARM))) if s.startswith("body: a length")]
