"""Strains that do not belong to the frames are found, with the factor between them."""

import numpy as np
import pytest

from loligo.validation.compare.consistency import strain_findings
from loligo.validation.data.importers import frames_from_folder


@pytest.fixture
def arc(tmp_path, write_frames):
    write_frames(tmp_path / "0.csv")
    return frames_from_folder(tmp_path, source="test")


def test_frames_and_their_strains_agree(arc):
    assert list(strain_findings(arc)) == []


def test_a_factor_is_named(arc):
    # strain rows multiplied by the length of the body, 0.3 m
    arc["strain"][..., 2] *= 0.3
    (finding,) = strain_findings(arc)
    assert finding.where == "strain, kz"
    assert "they are 0.3 times them" in finding.reason


def test_swapped_axes_are_found(arc):
    arc["strain"].values[...] = arc["strain"].values[..., [0, 2, 1, 3, 4, 5]]
    assert [finding.where for finding in strain_findings(arc)] == ["strain, ky", "strain, kz"]


def test_a_straight_body_has_no_false_alarm(arc):
    arc["frame"].values[..., :3, :3] = np.eye(3)
    arc["frame"].values[..., :3, 3] = arc["station"].values[:, None] * np.array([1.0, 0.0, 0.0])
    arc["strain"].values[...] = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0]
    assert list(strain_findings(arc)) == []
