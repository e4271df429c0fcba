"""Logarithms and strains of frames, against scipy's matrix functions."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import expm, logm
from twists import matrix, twist

from loligo.cases.core.frames import derived_strain, log_se3, log_so3, lost_turns, strain_between
from loligo.cases.core.record import BadInput

EPS = np.finfo(float).eps
ANGLES = [0.0, 1e-320, 1e-160, 1e-12, 1e-8, 1e-4, 0.01, 0.0999, 0.1001, 0.5, 2.0, 3.0, 3.14]

components = st.floats(-1.0, 1.0, allow_nan=False, allow_subnormal=True)
vectors = st.tuples(components, components, components).map(np.array)


@pytest.mark.parametrize("angle", [1e-6, 1e-3, 0.5, 2.0, 3.0])
def test_logarithm_equals_logm(angle):
    g = expm(matrix(twist(angle)))
    reference = logm(g).real
    expected = [reference[2, 1], reference[0, 2], reference[1, 0], *reference[:3, 3]]
    np.testing.assert_allclose(log_se3(g), expected, rtol=0, atol=1e-13)


@pytest.mark.parametrize("gap", [1e-2, 1e-6, 1e-9, 1e-14, 0.0])
def test_logarithm_keeps_its_accuracy_up_to_pi(gap):
    """logm loses digits near the double eigenvalue -1, so expm is inverted instead."""
    for seed in range(20):
        x = twist(np.pi - gap, seed)
        found = log_se3(expm(matrix(x)))
        if gap < 1e-12 and found[:3] @ x[:3] < 0:  # the other representative of the half turn
            np.testing.assert_allclose(-found[:3], x[:3], rtol=0, atol=1e-13)
        else:
            np.testing.assert_allclose(found, x, rtol=0, atol=200 * EPS)  # expm scales and squares


@pytest.mark.parametrize("axis", np.eye(3))
def test_half_turns_about_the_axes(axis):
    r = 2.0 * np.outer(axis, axis) - np.eye(3)
    np.testing.assert_allclose(np.abs(log_so3(r)), np.pi * axis, atol=2 * EPS)


def test_batches_of_any_shape():
    x = np.array([twist(angle, k) for k, angle in enumerate(ANGLES)])
    g = np.array([expm(matrix(row)) for row in x])
    np.testing.assert_allclose(log_se3(g), x, rtol=0, atol=1e-14)
    np.testing.assert_array_equal(log_se3(g[None, :, None])[0, :, 0], log_se3(g))


@settings(max_examples=200, deadline=None)
@given(vectors, vectors, st.floats(0.0, 3.1))
def test_round_trip_anywhere_below_pi(direction, v, angle):
    norm = np.linalg.norm(direction)
    w = direction * (angle / norm) if norm > 1e-8 else direction
    x = np.concatenate([w, v])
    np.testing.assert_allclose(log_se3(expm(matrix(x))), x, rtol=0, atol=200 * EPS)


def test_strain_of_a_helix_is_constant():
    strain = np.array([3.0, -7.0, 2.0, 1.2, 0.1, -0.05])
    station = np.array([0.0, 0.01, 0.04, 0.1])
    start = expm(matrix(twist(1.0)))
    frame = np.array([start @ expm(matrix(strain * x)) for x in station])
    steps = np.array([frame, start @ frame])  # two steps; a rigid motion strains nothing
    found = strain_between(steps, station)
    np.testing.assert_allclose(found, np.tile(strain, (2, 3, 1)), rtol=0, atol=1e-11)


def helix(strain, station):
    return np.array([[expm(matrix(strain * x)) for x in station]])


STATIONS = np.array([0.0, 0.1, 0.2])


@pytest.mark.parametrize("angle", [100.0, 170.0, 190.0, 350.0, 360.0, 370.0, 530.0, 900.0])
@pytest.mark.parametrize("axis", [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.3, -0.6, 0.5)])
def test_a_strain_near_by_says_how_often_a_helix_turns(axis, angle):
    """Beyond 180 deg between stations, exact with a guess 5 % off, whatever the axis."""
    w = np.radians(angle) / 0.1 * np.array(axis) / np.linalg.norm(axis)
    strain = np.array([*w, 1.1, 0.05, -0.02])
    found = strain_between(helix(strain, STATIONS), STATIONS, np.tile(1.05 * strain, (2, 1)))
    turned = 1.05 if angle == 360.0 else 1.0  # shear is open after a whole turn: the guess
    np.testing.assert_allclose(found[0], np.tile(turned * strain, (2, 1)), rtol=0, atol=1e-10)


@pytest.mark.parametrize("angle", [160.0, 200.0, 270.0, 350.0, 400.0, 520.0])
def test_frames_alone_do_not_say_how_often_an_arc_turns(angle):
    """An arc that turns by more than 150 deg between stations shows: by angle or by its chord."""
    curvature = np.radians(angle) / 0.1
    frame = helix(np.array([0.0, 0.6 * curvature, 0.8 * curvature, 1.0, 0.0, 0.0]), STATIONS)
    assert "X = 0 and 0.1 m at step 1" in lost_turns(frame, STATIONS)
    with pytest.raises(BadInput, match="add stations"):
        derived_strain(frame, STATIONS)


def test_a_torsion_shows_by_its_jump_and_a_coarse_bend_does_not():
    """240 deg of torsion look like -120; after 100 deg a step before that is a jump."""
    twisted = [np.array([np.radians(a) / 0.1, 0, 0, 1, 0, 0]) for a in (100.0, 240.0)]
    frame = np.concatenate([helix(strain, STATIONS) for strain in twisted])
    assert "at step 2" in lost_turns(frame, STATIONS)
    bent = np.array([0.0, np.radians(149.0) / 0.1, 0.0, 1.0, 0.0, 0.0])
    assert lost_turns(helix(bent, STATIONS), STATIONS) == ""
    np.testing.assert_allclose(
        derived_strain(helix(bent, STATIONS), STATIONS)[0, 1], bent, atol=1e-12
    )


def test_gaps_are_in_no_doubt():
    frame = np.full((1, 3, 4, 4), np.nan)
    assert lost_turns(frame, STATIONS) == ""
