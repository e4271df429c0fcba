"""Half-widths against what statistics and closed forms say."""

import numpy as np
from scipy.spatial.transform import Rotation

from loligo.validation.measured.holds import mean_over
from loligo.validation.measured.registration import kabsch, register
from loligo.validation.measured.uncertainty import by_placement, by_registration, repeated

RANDOM = np.random.default_rng(3)
PLACES = np.array([[0.1, 0.02, 0.0], [0.1, -0.02, 0.005], [0.08, 0.0, 0.03], [0.02, 0.01, -0.02]])


def test_the_interval_of_a_mean_covers_19_of_20():
    time, inside = np.arange(200) * 0.01, 0
    for _ in range(2000):
        mean = mean_over(RANDOM.normal(0.0, 1.0, time.size), time, (0.0, 2.0))
        inside += abs(mean.value) <= mean.half_width
    assert 0.93 < inside / 2000 < 0.97


def test_the_interval_of_pooled_repeats_covers_19_of_20():
    groups, inside = [[0, 1], [2, 3], [4, 5]], 0
    for _ in range(2000):
        mean, half = repeated(RANDOM.normal(0.0, 1.0, 6), groups)
        inside += int(np.sum(np.abs(mean) <= half))
    assert 0.93 < inside / 6000 < 0.97


def test_a_rotation_is_found_and_its_scatter_is_what_registration_says():
    turn = Rotation.from_euler("xyz", [0.3, -2.0, 1.0])
    lab = turn.inv().apply(PLACES - [0.3, 0.1, -0.2])
    rotation, shift, residual = kabsch(lab, PLACES)
    np.testing.assert_allclose(rotation, turn.as_matrix(), atol=1e-14)
    np.testing.assert_allclose(shift, [0.3, 0.1, -0.2], atol=1e-14)
    assert residual < 1e-15
    way, sigma = np.array([0.0, 0.0, 0.03]), 2e-4
    said, seen = [], []
    for _ in range(2000):
        noisy = lab + RANDOM.normal(0.0, sigma, lab.shape)
        found = register("abcd", noisy, PLACES, "test")
        said.append(by_registration(way, found.covariance) / 1.96)
        seen.append(found.rotation @ turn.inv().apply(way) - way)
    np.testing.assert_allclose(
        np.sqrt(np.mean(np.square(said), axis=0))[:2], np.std(seen, axis=0)[:2], rtol=0.08
    )


def test_a_place_shows_where_an_arc_turns():
    """On an arc of angle a and length L a place that is d further along goes d sin(a) further."""
    angle, length, d = 0.4, 0.1, 1e-6
    radius = length / angle
    way = np.array([[[radius * np.sin(angle) - length, 0.0, radius * (1 - np.cos(angle))]]])
    half = by_placement(way, np.array([[length, 0.0, 0.0]]), (d, 0.0, 0.0))
    np.testing.assert_allclose(half[0, 0, 2], d * np.sin(angle), rtol=0.02)
    np.testing.assert_allclose(half[0, 0, 0], d * (1 - np.cos(angle)), rtol=0.05)
    assert half[0, 0, 1] == 0.0
