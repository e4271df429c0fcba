"""The error that a rod in motion says of itself, against a much finer rod."""

import numpy as np
import pytest

from loligo.reduced.rod.loads import net_weight
from loligo.reduced.rod.model import Rod, circular_stiffness
from loligo.reduced.rod.motion.dynamics import simulate
from loligo.reduced.rod.motion.equations import circular_inertia
from loligo.reduced.rod.motion.error import distance, motion_error

LENGTH = 0.245
TIMES = np.linspace(0.0, 0.3, 16)


def radius(X):
    return 0.010 - 0.008 * X / LENGTH


def swinging(segments, degrees):
    """Renda's tapered arm, let go in air."""
    return Rod(
        LENGTH,
        lambda X: circular_stiffness(radius(X), young=110e3, shear=110e3 / 3),
        degrees=degrees,
        segments=segments,
        scaled_by="compliance",
    )


def swing(rod, tolerance):
    return simulate(
        rod,
        lambda X: circular_inertia(radius(X), density=1080.0),
        TIMES,
        loads=[net_weight(lambda X: np.pi * radius(X) ** 2, 1080.0, 1.2, (0, 0, -9.81))],
        damping=lambda X: circular_stiffness(radius(X), 90.0, 30.0, 1.0),
        scheme="radau",
        tolerance=tolerance,
    )


@pytest.fixture(scope="module")
def exact():
    """Six intervals of degree 4 are within 1e-5 of twelve."""
    return swing(swinging(6, 4), 1e-6)


@pytest.mark.parametrize(("segments", "degrees"), [(1, 3), (2, 3), (2, 2)])
def test_the_error_in_space_is_that_against_a_much_finer_rod(segments, degrees, exact):
    motion = swing(swinging(segments, degrees), 1e-5)
    said = motion_error(motion, 1e-5, swing)
    true = distance(motion, exact)
    assert true > 5e-4  # so much that the reference's own error does not count
    assert true / 3.0 < said.space < 3.0 * true
    assert said.time < 0.1 * said.space


def test_the_error_in_time_is_that_against_much_shorter_steps():
    rod = swinging(2, 3)
    motion = swing(rod, 3e-2)
    said = motion_error(motion, 3e-2, swing)
    true = distance(motion, swing(rod, 1e-7))
    assert true > 1e-6
    assert true / 3.0 < said.time < 3.0 * true
