"""Loads that exclude one another are named."""

import pytest

from loligo.cases.case import Case, Problems

RUBBER = {"body": {"energy": "neo_hooke", "mu": 3e4, "density": 1080.0}}
ARM = {
    "kind": "tapered_arm",
    "length": 0.1,
    "base_radius": 0.012,
    "tip_radius": 0.008,
    "tip_disc": 0.002,
    "tendons": {"count": 2, "base_offset": 0.008, "tip_offset": 0.005},
}
SEGMENT = {
    "kind": "chambered_arm",
    "radius": 0.02,
    "plates": [0.005, 0.004],
    "segments": [{"length": 0.05, "chambers": 1, "chamber_radius": 0.008, "chamber_offset": 0.0}],
}
PRESSURE = {"kind": "pressure", "cavities": ["s1c1"], "pressure": 1e3}
SUPPLY = {"kind": "supply", "cavities": ["s1c1"], "volume": 1e-6}
TENSION = {"kind": "tendon", "tendons": [1, 2], "tension": 1.0}
WEIGHT, WATER = {"kind": "weight"}, {"kind": "water"}
OUTSIDE = {"kind": "outer_pressure", "pressure": 1e3}
SHORTENING = {"kind": "shortening", "tendons": [2], "shortening": 1e-3}


@pytest.mark.parametrize(
    ("body", "loads", "words"),
    [
        (SEGMENT, (PRESSURE, SUPPLY), 'cavity "s1c1" is also driven by load.a'),
        (ARM, (TENSION, SHORTENING), "tendon 2 is also driven by a"),
        (ARM, (SHORTENING, SHORTENING), "tendon 2 is also driven by b"),
        (SEGMENT, ({**PRESSURE, "cavities": ["s1c1"] * 2},), "cavity s1c1 is named 2 times"),
        (SEGMENT, ({**SUPPLY, "cavities": ["s1c1"] * 3},), "cavity s1c1 is named 3 times"),
        (SEGMENT, (PRESSURE, PRESSURE), 'cavity "s1c1" is also driven by load.a'),
        (SEGMENT, (SUPPLY, SUPPLY), 'cavity "s1c1" is also driven by load.a'),
        (ARM, ({**TENSION, "tendons": [1, 2, 1]},), "tendon 1 is named 2 times"),
        (ARM, ({**SHORTENING, "tendons": [2, 2]},), "tendon 2 is named 2 times"),
        (ARM, (WEIGHT, WEIGHT), "load.b: the body's weight acts already by load.a"),
        (ARM, (WATER, WATER), "load.b: the water presses already by load.a"),
        (ARM, (OUTSIDE, OUTSIDE), "load.b: an outer pressure acts already by load.a"),
        (SEGMENT, ({**SUPPLY, "cavities": ["s1c9"]},), 'has no cavity "s1c9"'),
        (ARM, ({**SHORTENING, "tendons": [3]},), "there is no tendon 3"),
        (SEGMENT, ({**SUPPLY, "compliance": -1.0},), "greater than or equal to 0"),
    ],
)
def test_what_cannot_be_driven_twice_or_does_not_exist(body, loads, words):
    given = {"name": "c", "title": "t", "source": "s", "body": body, "material": RUBBER}
    with pytest.raises((Problems, ValueError), match=words):
        Case.model_validate({**given, "load": dict(zip("ab", loads, strict=False))})


def test_tensions_of_one_tendon_by_two_loads_are_valid():
    """Pretension and a pull; test_from_case.py and test_scope.py have their sum."""
    given = {"name": "c", "title": "t", "source": "s", "body": ARM, "material": RUBBER}
    assert Case.model_validate({**given, "load": {"a": TENSION, "b": TENSION}})
