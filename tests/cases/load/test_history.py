"""How loads run in time, and what a case in motion asks for."""

from typing import Any

import numpy as np
import pytest
from slender import slender_arm

from loligo.cases.case import Case
from loligo.cases.dataset.io import load_variables
from loligo.cases.load.history import Sine, Step, Table, Triangle


def test_a_step_has_its_old_value_where_it_jumps() -> None:
    release = Step(at=0.5, before=1.0, after=0.0)
    assert [release.factor(t) for t in (0.0, 0.5, np.nextafter(0.5, 1.0))] == [1.0, 1.0, 0.0]
    assert release.jumps(1.0) == (0.5,)
    assert release.jumps(0.4) == ()


def test_pulses_are_straight_and_kink_twice_a_period() -> None:
    pulse = Triangle(frequency=2.0)
    assert [pulse.factor(t) for t in (0.0, 0.125, 0.25, 0.375, 0.5)] == [0.0, 0.5, 1.0, 0.5, 0.0]
    assert pulse.kinks(1.0) == pytest.approx((0.0, 0.25, 0.5, 0.75, 1.0))


def test_a_table_and_a_sine() -> None:
    table = Table(times=(0.0, 1.0, 3.0), factors=(0.0, 2.0, 0.0))
    assert [table.factor(t) for t in (-1.0, 0.5, 2.0, 9.0)] == [0.0, 1.0, 1.0, 0.0]
    assert table.kinks(2.0) == (0.0, 1.0)
    sine = Sine(frequency=0.5, mean=1.0, amplitude=2.0, phase=np.pi / 2)
    assert [sine.factor(t) for t in (0.0, 0.5, 1.0)] == pytest.approx([3.0, 1.0, -1.0])
    with pytest.raises(ValueError, match="its times must increase"):
        Table(times=(0.0, 0.0), factors=(0.0, 1.0))
    with pytest.raises(ValueError, match="has 2 times for 3 factors"):
        Table(times=(0.0, 1.0), factors=(0.0, 1.0, 2.0))


def case(load: dict[str, Any], **more: Any) -> Case:
    return slender_arm(0.1, 0.01, {"mu": 3e4, "density": 1080.0}, load=load, **more)


def test_a_motion_reports_its_loads_at_its_times() -> None:
    muscle = {
        "kind": "recruited_torque",
        "moment": (0.0, 3e-3),
        "history": {"kind": "triangle", "frequency": 1.0},
    }
    found = case(
        {"muscle": muscle, "weight": {"kind": "weight"}}, time={"duration": 1.0, "every": 0.25}
    )
    assert found.time is not None
    assert found.time.times == (0.0, 0.25, 0.5, 0.75, 1.0)
    loads = load_variables(found)
    assert loads["load_muscle"][1] == pytest.approx(3e-3 * np.array([0.0, 0.5, 1.0, 0.5, 0.0]))
    assert loads["load_weight"][1] == pytest.approx(np.full(5, 9.81))
    spreading = case({"muscle": {**muscle, "spreads": True}}, time={"duration": 1.0, "every": 0.5})
    _, share, attrs = load_variables(spreading)["load_muscle"]
    assert share.tolist() == [0.0, 1.0, 0.0]
    assert attrs["units"] == "1"


@pytest.mark.parametrize(
    ("load", "time", "complaint"),
    [
        ({"kind": "weight", "history": {"kind": "step"}}, None, "there is no motion: add"),
        ({"kind": "weight", "path": (1.0,) * 4}, 1.0, "in a motion give the load a history"),
        (
            {"kind": "base_motion", "displacement": (0.0, 0.1, 0.0)},
            None,
            "moves the base in time: add",
        ),
        (
            {"kind": "recruited_torque", "moment": (0.0, 1.0), "spreads": True},
            1.0,
            "give the load a history",
        ),
        ({"kind": "weight"}, 1.03, r"duration over every is 10\.3; it must be a whole number"),
    ],
)
def test_what_cannot_be_meant(load: dict[str, Any], time: float | None, complaint: str) -> None:
    more = {} if time is None else {"time": {"duration": time, "every": 0.1}}
    with pytest.raises(ValueError, match=complaint):
        case({"l": load}, **more)


@pytest.mark.parametrize(
    ("load", "more", "complaint"),
    [
        ({"path": (1.0, 2.0)}, {"steps": (1.0, 2.0)}, r"load\.l\.path: .* drives all loads by one"),
        ({}, {"steps": (0.0, 1.0)}, "steps: the path of arc_length begins where all loads are 0"),
        ({}, {"time": {"duration": 1.0, "every": 0.5}}, "control: arc_length belongs to static"),
    ],
)
def test_what_no_path_by_arc_length_leads_through(
    load: dict[str, Any], more: dict[str, Any], complaint: str
) -> None:
    assert case({"l": {"kind": "weight"}}, control="arc_length").control == "arc_length"
    with pytest.raises(ValueError, match=complaint):
        case({"l": {"kind": "weight", **load}}, control="arc_length", **more)
