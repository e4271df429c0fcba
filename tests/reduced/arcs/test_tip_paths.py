"""Lines, arcs and helices against their definitions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from loligo.reduced.arcs.tip_paths import HelicalPath

coordinate = st.floats(-1.0, 1.0).map(lambda value: round(value, 6))
points = st.tuples(coordinate, coordinate, coordinate)
START, END, AXIS = (0.1, -0.2, 0.3), (0.4, 0.1, 0.5), (1.0, 2.0, -1.0)


@given(points, points, st.floats(-6.0, 6.0))
def test_a_path_runs_from_start_to_end(start, end, angle):
    path = HelicalPath(start, end, AXIS, angle)
    np.testing.assert_allclose(path.points([0.0, 1.0]), [start, end], rtol=0, atol=1e-14)


@pytest.mark.parametrize("angle", [-5.0, -1.0, 1e-9, 0.5, np.pi, 6.0])
def test_turn_radius_pitch_and_even_speed(angle):
    path = HelicalPath(START, END, AXIS, angle)
    share = np.linspace(0.0, 1.0, 4001)
    curve = path.points(share)
    steps = np.linalg.norm(np.diff(curve, axis=0), axis=1)
    np.testing.assert_allclose(steps, path.length / 4000, rtol=1e-6)  # chords: (angle/4000)^2/24
    unit = np.array(AXIS) / np.linalg.norm(AXIS)
    np.testing.assert_allclose(np.diff(curve @ unit), (END - np.array(START)) @ unit / 4000)
    if abs(angle) > 1e-3:
        flat = curve - np.outer(curve @ unit, unit)
        tangents = np.gradient(flat, share, axis=0)[1:-1]
        # Right-handed about the axis, at a constant distance from one centre.
        centre = flat[1:-1] + np.cross(unit, tangents) / angle
        np.testing.assert_allclose(centre, np.broadcast_to(centre[0], centre.shape), atol=2e-6)
        np.testing.assert_allclose(
            np.linalg.norm(flat[1:-1] - centre, axis=1), path.radius, rtol=1e-5
        )


def test_no_turn_is_the_straight_line():
    path = HelicalPath(START, END)
    np.testing.assert_allclose(path.points(0.25), 0.75 * np.array(START) + 0.25 * np.array(END))
    assert path.length == pytest.approx(np.linalg.norm(np.subtract(END, START)))
    assert path.radius == np.inf


def test_half_turn_keeps_its_radius():
    path = HelicalPath((1.0, 0.0, 0.0), (-1.0, 0.0, 0.5), axis=(0.0, 0.0, 2.0), angle=np.pi)
    np.testing.assert_allclose(path.points(0.5), [0.0, 1.0, 0.25], rtol=0, atol=1e-15)
    assert path.radius == pytest.approx(1.0)


def test_what_no_path_can_be():
    with pytest.raises(ValueError, match="zero vector"):
        HelicalPath(START, END, axis=(0.0, 0.0, 0.0))
    with pytest.raises(ValueError, match=r"cannot turn by 360 deg"):
        HelicalPath(START, END, AXIS, 2 * np.pi)
