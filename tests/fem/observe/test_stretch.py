"""The largest stretch and its place."""

from collections.abc import Callable

import numpy as np
import pytest

from loligo.cases.rubber.elastomer import Elastomer
from loligo.fem.core.domain import Domain
from loligo.fem.observe.stretch import Stretches
from loligo.fem.problem.problem import Problem


@pytest.mark.mpi
def test_of_a_homogeneous_and_of_a_graded_stretch(
    box: Callable[..., Domain], laws: dict[str, Elastomer], deform: Callable[..., None]
) -> None:
    problem = Problem(box((4, 2, 2)), laws["neo_hooke"], supports=[])
    stretches = Stretches(problem)
    assert stretches.largest().stretch == pytest.approx(1.0)
    gradient = np.array([[1.1, 0.4, 0.0], [0.0, 0.9, 0.3], [0.2, 0.0, 1.0]])
    deform(problem, lambda x: x @ (gradient - np.eye(3)).T)
    largest = np.linalg.svd(gradient, compute_uv=False)[0]
    assert stretches.largest().stretch == pytest.approx(largest, rel=1e-12)
    # du/dx = x: the stretch is 1 + x of the point itself.
    deform(problem, lambda x: np.column_stack([x[:, 0] ** 2 / 2, 0 * x[:, :2]]))
    found = stretches.largest()
    assert found.group == "body"
    assert found.stretch == pytest.approx(1.0 + found.position[0], rel=1e-12)
    assert 0.8 < found.position[0] < 1.0


@pytest.mark.mpi
@pytest.mark.mpi3
def test_rounding_does_not_choose_the_place(
    box: Callable[..., Domain], laws: dict[str, Elastomer], deform: Callable[..., None]
) -> None:
    """Of many places stretched alike the first along x, whichever is ahead by the last digit."""
    problem = Problem(box((4, 2, 2)), laws["neo_hooke"], supports=[])
    stretches = Stretches(problem)
    for tilt in (1e-9, -1e-9):
        slope = np.array([0.1, tilt, tilt])
        deform(problem, lambda x, slope=slope: np.outer(x @ slope * 0.5 + x[:, 0] * 0.1, slope))
        x, y, z = stretches.largest().position
        assert 0.0 < x < 0.25 and 0.0 < y < 0.5 and 0.0 < z < 0.5
