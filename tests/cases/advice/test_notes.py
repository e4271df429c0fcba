"""Gravity that is ramped with the actuation is noted, and the lines that change it are right."""

import re

import pytest

from loligo.cases.advice.notes import attributes, notes
from loligo.cases.case_file import library_names, load
from loligo.cases.load.kinds import TendonTension, Water, Weight

LIMB = load("emet_limb_two_tendons")
"""Its weight and its water have paths of ones."""


def with_loads(**loads):
    return LIMB.model_copy(update={"load": loads, "steps": (0.5, 1.0)})


PULL = TendonTension(tendons=(1,), tension=0.6)


def test_ramped_gravity_is_noted_with_lines_that_put_it_first():
    case = with_loads(weight=Weight(), water=Water(), pull=PULL)
    (note,) = notes(case)
    assert "load.weight and load.water are ramped with load.pull" in note
    lines = re.findall(r"^    (\w+) = \[([^]]*)\](?:  # \[load\.(\w+)\])?$", note, re.MULTILINE)
    assert lines == [
        ("steps", "0.0, 0.5, 1.0", ""),
        ("path", "1.0, 1.0, 1.0", "weight"),
        ("path", "1.0, 1.0, 1.0", "water"),
    ]
    assert attributes(case) == {"notes": note}


def test_a_path_that_another_load_has_is_longer_too():
    pull = PULL.model_copy(update={"path": (0.2, 1.0)})
    (note,) = notes(with_loads(weight=Weight(), pull=pull))
    assert "path = [0.0, 0.2, 1.0]  # [load.pull]" in note


def test_steps_that_begin_with_zero_stay():
    case = with_loads(weight=Weight(), pull=PULL).model_copy(update={"steps": (0.0, 1.0)})
    assert "steps =" not in notes(case)[0]
    assert "path = [1.0, 1.0]  # [load.weight]" in notes(case)[0]


@pytest.mark.parametrize(
    "case",
    [
        with_loads(weight=Weight()),
        with_loads(pull=PULL),
        with_loads(weight=Weight(path=(1.0, 1.0)), pull=PULL),
        with_loads(weight=Weight(), pull=PULL).model_copy(update={"steps": (1.0,)}),
    ],
)
def test_what_is_as_meant_has_no_note(case):
    assert notes(case) == () and attributes(case) == {}


def test_the_library_has_none():
    assert not any(notes(load(name)) for name in library_names())
