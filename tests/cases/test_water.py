"""What a case may say of the water that moves with its body."""

import pytest

from loligo.cases.case import Case, Problems

ARM = {"kind": "tapered_arm", "length": 0.1, "base_radius": 0.012, "tip_radius": 0.008}
MANTLE = {"kind": "mantle", "radius": 0.031, "thickness": 0.002, "cylinder_length": 0.09}
MOTION = {"duration": 1.0, "every": 0.5}


CURRENT = {"kind": "current", "velocity": (0.0, 0.2, 0.0)}
JUMPS = {**CURRENT, "history": {"kind": "step"}}
NOZZLE = {"outflow": 1e-4, "inflow": 1e-4}
HULL = {"base_depth": 1.0, "hull": {"drag": 1.7}}


def given(strip, body=ARM, nozzle=None, **more):
    return {
        "name": "c",
        "title": "t",
        "source": "s",
        "body": body,
        "material": {"body": {"energy": "neo_hooke", "mu": 3e4, "density": 1080.0}},
        "water": {"base_depth": 1.0, "strip": strip, "nozzle": nozzle},
        "load": {},
        "time": MOTION,
        **more,
    }


def test_what_is_left_out_is_none():
    case = Case.model_validate(given({"drag": (0.01, 2.5, 2.5)}))
    assert case.water.strip.drag == (0.01, 2.5, 2.5)
    assert case.water.strip.added == (0.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("strip", "more", "words"),
    [
        ({"drag": (0.0, 1.0, 1.1)}, {}, "must be equal, not 1.0 and 1.1"),
        ({"added": (0.0, -1.0, -1.0)}, {}, "greater than or equal to 0"),
        ({}, {"time": None}, "felt in a motion only"),
        ({}, {"time": {**MOTION, "scheme": "conserving"}}, "not there in the conserving scheme"),
        (None, {"nozzle": NOZZLE}, "belongs to a mantle"),
        (None, {"water": HULL}, "water.hull: belongs to a mantle"),
        (None, {"water": HULL, "body": MANTLE}, r"water.hull: .* add \[water.nozzle\]"),
        (None, {"load": {"flow": CURRENT}, "body": MANTLE}, r"load.flow: .* add \[water.nozzle\]"),
        (
            None,
            {"load": {"flow": CURRENT}, "body": MANTLE, "nozzle": NOZZLE},
            "load.flow.velocity: a mantle is dragged along its axis only",
        ),
        ({}, {"body": MANTLE}, "belongs to a tapered_arm or chambered_arm; the body is a mantle"),
        (None, {"water": {"base_depth": 1.0, "wall": {"added": 1.1}}}, "belongs to a mantle"),
        ({}, {"load": {"flow": CURRENT}, "time": None}, "load.flow: is felt in a motion only"),
        (None, {"load": {"flow": CURRENT}}, r"load.flow: .* add \[water.strip\]"),
        ({}, {"load": {"flow": CURRENT}, "water": None}, r"load.flow: .* add \[water.strip\]"),
        ({}, {"load": {"flow": JUMPS}}, "load.flow.history: water that jumps would hit the body"),
        ({}, {"load": {"a": CURRENT, "b": CURRENT}}, "load.b: the water also flows by load.a"),
        (
            {},
            {"gravity": (-1.0, 0.0, 0.0), "water": {"base_depth": 0.05, "strip": {}}},
            "50 mm out",
        ),
        ({}, {"gravity": (0.0, 0.0, 1.0), "water": {"base_depth": 0.0, "strip": {}}}, "12 mm out"),
        ({}, {"water": {"density": -1.0, "base_depth": 1.0}}, "greater than 0"),
        ({}, {"water": {"base_depth": -1.0}}, "greater than or equal to 0"),
    ],
)
def test_what_no_water_does(strip, more, words):
    with pytest.raises((ValueError, Problems), match=words):
        Case.model_validate(given(strip, **more))
