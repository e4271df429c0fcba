"""Twists for tests of rigid motions, written out without the code under test."""

import numpy as np


def twist(angle: float, seed: int = 0) -> np.ndarray:
    """A twist that turns by an angle about some axis."""
    rng = np.random.default_rng(seed)
    axis = rng.normal(size=3)
    return np.concatenate([angle * axis / np.linalg.norm(axis), rng.normal(size=3)])


def matrix(x: np.ndarray) -> np.ndarray:
    """The 4x4 matrix of a twist."""
    return np.array(
        [[0, -x[2], x[1], x[3]], [x[2], 0, -x[0], x[4]], [-x[1], x[0], 0, x[5]], [0, 0, 0, 0]]
    )
