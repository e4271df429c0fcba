"""Cases are related by what stands in them: every value counts, names and words do not."""

import math

import pytest
import xarray as xr

from loligo.cases import identity
from loligo.cases.case_file import library_names, load, to_toml
from loligo.cases.core.record import BadInput
from loligo.cases.load.history import Sine
from loligo.cases.load.kinds import TipForce, Weight

ARM = load("renda_arm_tip_force")
PUSH = ARM.load["tip"]


def changed(case=ARM, **values):
    return case.model_copy(update=values)


def rubber(case=ARM, **values):
    return {"body": case.material["body"].model_copy(update=values)}


def pushed(**values):
    return {"tip": PUSH.model_copy(update=values)}


def data(case, **attrs):
    return xr.Dataset(attrs={"case_name": case.name, "case": to_toml(case), **attrs})


def keys(one, other):
    return {(d.part, d.key) for d in identity.differences(one, other)}


@pytest.mark.parametrize("name", library_names())
def test_a_case_written_and_read_again_is_the_same(name):
    case = load(name)
    renamed = changed(case, name="another", title="T", source="S", assumptions=(), acceptance=None)
    found = identity.relation(renamed, data(case))
    assert (found.by, found.differences) == ("content", ())


@pytest.mark.parametrize(
    ("other", "part", "key"),
    [
        (changed(body=ARM.body.model_copy(update={"length": 0.2451})), "body", "body.length"),
        (changed(body=ARM.body.model_copy(update={"tip_disc": 0.003})), "body", "body.tip_disc"),
        (changed(body=ARM.body.model_copy(update={"stations": 7})), "stations", "body.stations"),
        (changed(material=rubber(mu=1.0)), "rubber", "material.body.mu"),
        (changed(material=rubber(density=1.0)), "rubber", "material.body.density"),
        (changed(load={**ARM.load, "weight": Weight()}), "loads", "load.weight.kind"),
        (changed(load={}), "loads", "load.tip.kind"),
        (changed(load={"tip": Weight()}), "loads", "load.tip.kind"),
        (changed(load=pushed(force=(0.0, 0.0, 1e-3))), "loads", "load.tip.force"),
        (changed(load=pushed(force=(0.0, -1e-3, 0.0))), "loads", "load.tip.force"),
        (changed(load=pushed(force=(0.0, 2e-3, 0.0))), "steps", "load.tip.force"),
        (changed(load=pushed(follower=True)), "loads", "load.tip.follower"),
        (changed(steps=(0.5, 1.0)), "steps", "steps"),
    ],
)
def test_one_value_is_one_difference_in_its_part(other, part, key):
    assert keys(ARM, other) == keys(other, ARM) == {(part, key)}


def test_another_thread_and_one_chamber_more():
    segment = load("gong_bending_one")
    thread = segment.winding.model_copy(update={"angle": math.radians(10.0)})
    assert keys(segment, changed(segment, winding=thread)) == {("thread", "winding.angle")}
    two = load("gong_bending_two")
    assert keys(segment, two) == {("loads", f"load.{next(iter(two.load))}.cavities")}


def test_gravity_counts_where_something_weighs():
    turned = {"gravity": (0.0, 1.0, 0.0)}
    assert keys(ARM, changed(**turned)) == set()
    heavy = changed(load={**ARM.load, "weight": Weight()})
    assert keys(heavy, changed(heavy, **turned)) == {("support", "gravity")}


def test_a_motion_depends_on_how_large_its_loads_are_and_when():
    motion = load("renda_arm_motion")
    name, first = next(iter(motion.load.items()))
    other = first.model_copy(update={"history": Sine(frequency=3.0)})
    found = identity.differences(motion, changed(motion, load={**motion.load, name: other}))
    assert found and all(d.part == "loads" for d in found)


def test_the_message_has_both_values_in_the_words_of_a_case_file():
    soft, stiff = changed(material=rubber(mu=12e3)), changed(material=rubber(mu=24e3))
    with pytest.raises(BadInput) as error:
        identity.relate(soft, data(stiff), "reference")
    assert "differs in rubber" in str(error.value)
    assert "material.body.mu: 12 kPa here, 24 kPa in the data set" in str(error.value)


def test_other_steps_serve_and_are_said():
    found = identity.relate(changed(steps=(0.5, 1.0)), data(ARM), "reference")
    (line,) = found.said("reference")
    assert "other steps" in line and "[0.5, 1] here, [0.25, 0.5, 0.75, 1] in the data set" in line
    (row,) = found.record()["differences"]
    assert (row["key"], row["here"], row["there"]) == ("steps", "[0.5, 1]", "[0.25, 0.5, 0.75, 1]")


def test_data_without_a_case_are_related_by_name_and_that_is_said():
    named = xr.Dataset(attrs={"case_name": ARM.name})
    assert "only its name" in identity.relate(ARM, named, "reference").said("reference")[0]
    nameless = identity.relate(ARM, xr.Dataset(), "reference")
    assert "no case and no name" in nameless.said("reference")[0]
    with pytest.raises(BadInput, match="of the case cylinder, not of renda"):
        identity.relate(ARM, xr.Dataset(attrs={"case_name": "cylinder"}), "reference")


def test_a_load_in_the_data_alone_is_noticed():
    loads = {
        "load_tip": ("step", [1e-3], {"units": "N"}),
        "load_weight": ("step", [9.81], {"units": "m/s^2"}),
    }
    for attrs in ({"case_name": ARM.name}, data(ARM).attrs):
        with pytest.raises(BadInput, match=r"load\.weight: none here, up to 9\.81 m/s\^2 in the"):
            identity.relate(ARM, xr.Dataset(loads, attrs=attrs), "reference")
    idle = xr.Dataset({**loads, "load_weight": ("step", [0.0], {"units": "m/s^2"})})
    assert identity.relate(ARM, idle, "reference").by == "nothing"


def test_what_is_no_case_is_refused():
    with pytest.raises(BadInput, match="not valid TOML"):
        identity.written(xr.Dataset(attrs={"case": "="}))
    with pytest.raises(BadInput, match="cannot be used"):
        identity.written(xr.Dataset(attrs={"case": "a = 1"}))
    assert isinstance(PUSH, TipForce)
