"""Acceptance levels are of things that are compared, and stand in every case that is."""

import pytest

from loligo.cases.acceptance import Acceptance
from loligo.cases.case_file import library_names, load
from loligo.cases.core.units import PositiveAngle
from loligo.validation.compare.metrics import BY_NAME

METRICS = [name for name in Acceptance.model_fields if name != "purpose"]


@pytest.mark.parametrize("name", METRICS)
def test_a_level_is_of_a_metric_and_in_its_measure(name):
    of_angle = Acceptance.model_fields[name].annotation == PositiveAngle | None
    assert of_angle == (BY_NAME[name].scale is None)


@pytest.mark.parametrize("name", [name for name in library_names() if name != "cylinder"])
def test_every_case_of_a_robot_has_levels_and_a_purpose(name):
    acceptance = load(name).acceptance
    assert acceptance is not None and acceptance.purpose and acceptance.levels


def test_a_motion_is_judged_by_what_a_shifted_phase_does_not_hide():
    for name in library_names():
        case = load(name)
        if case.time is not None:
            assert "end_path" in case.acceptance.levels, name
