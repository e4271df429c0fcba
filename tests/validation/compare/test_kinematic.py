"""The best members of model classes: exact where the shape is one, and never beaten by a scan."""

import numpy as np
import pytest
from synthetic import STATION, arm

from loligo.cases.core.record import BadInput
from loligo.reduced.arcs import pcc
from loligo.validation.compare.kinematic import CLASSES, best_member
from loligo.validation.compare.metrics import BY_NAME

L = STATION[-1]
ARC, TWO_ARCS, CONSTANT, TWO = CLASSES


def error(name, reference, member):
    return float(BY_NAME[name].error(reference, member)[0])


def member(reference, kind, spans=((0.0, L),)):
    return best_member(reference, spans, kind)


def test_a_class_finds_its_own_members():
    arc = arm([0.0, 3.0, -4.0, 0.1, 0.0, 0.0])
    screw = arm([2.0, 3.0, -4.0, 0.1, 0.05, -0.02])
    halves = np.zeros((10, 6))
    halves[:5, 2], halves[5:, 2] = 8.0, -3.0
    for reference, kinds in (
        (arc, CLASSES),
        (screw, (CONSTANT, TWO)),
        (arm(halves), (TWO_ARCS, TWO)),
    ):
        for kind in kinds:
            assert error("centreline_max", reference, member(reference, kind)) < 1e-9 * L, kind
    assert error("centreline_max", arm(halves), member(arm(halves), ARC)) > 1e-2 * L


def test_rigid_lengths_stay_straight():
    plates = np.zeros((10, 6))
    plates[1:9, 2] = 6.0
    reference = arm(plates)
    assert error("centreline_max", reference, member(reference, ARC, [(0.02, 0.18)])) < 1e-9 * L
    assert error("centreline_max", reference, member(reference, ARC)) > 1e-3 * L


def test_no_arc_of_a_scan_is_nearer_than_the_best_one():
    kappa = np.linspace(9.0, 1.0, 10)
    excess = np.zeros((10, 6))
    excess[:, 2] = kappa
    reference = arm(excess)
    best = error("centreline_l2", reference, member(reference, ARC))
    found = []
    for length in np.linspace(0.9, 1.1, 41) * L:
        for bend in np.linspace(0.5, 1.6, 111):
            points = pcc.position(np.outer(STATION / L, [length, bend, 0.0]))
            other = reference.drop_vars("strain").assign(
                frame=(reference["frame"].dims, at(points)[None])
            )
            found.append(error("centreline_l2", reference, other))
    # The attitude's weight leaves the points (1e-3)^2 away from their optimum, relative.
    assert best <= min(found) * (1.0 + 1e-4)
    assert best == pytest.approx(min(found), rel=0.02)  # the scan's own resolution


def at(points):
    g = np.tile(np.eye(4), (len(points), 1, 1))
    g[:, :3, 3] = points
    return g


def test_it_starts_where_the_body_stands():
    reference = arm([0.0, 3.0, -4.0, 0.1, 0.0, 0.0])
    g = np.eye(4)
    g[:3, 3] = [0.3, 0.1, -0.2]
    reference = reference.assign(frame=(reference["frame"].dims, g @ reference["frame"].values))
    assert error("centreline_max", reference, member(reference, ARC)) < 1e-9 * L


def test_frames_that_may_have_lost_a_turn_have_no_best_member():
    """200 deg between the two ends look like -160."""
    whole = arm([0.0, 0.0, np.radians(200.0) / L, 0.0, 0.0, 0.0])
    ends = whole.drop_dims("station_mid").isel(station=[0, -1])
    with pytest.raises(BadInput, match="no strain follows from these frames; add stations"):
        member(ends, ARC)
