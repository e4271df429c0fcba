"""The work of the loads against the energy that it becomes, and how the difference shrinks."""

from collections.abc import Callable, Sequence
from typing import Any

from mpi4py import MPI

import numpy as np
import pytest

from loligo.cases.rubber.elastomer import Elastomer
from loligo.fem.core.domain import Domain
from loligo.fem.loads.base import Pressure, Traction, WaterPressure, Weight
from loligo.fem.loads.cavities import Cavity
from loligo.fem.loads.discs import DiscMoment
from loligo.fem.loads.muscles import RecruitedMuscle
from loligo.fem.loads.supports import Fixed, Moved
from loligo.fem.loads.tendons import Tendon
from loligo.fem.march.static import march
from loligo.fem.observe.work import Balance
from loligo.fem.problem.problem import Problem

Box = Callable[..., Domain]
SIZE = (0.04, 0.01, 0.01)


def worked(problem: Problem, steps: int, end: dict[str, float]) -> tuple[dict[str, float], float]:
    """Work by load, and stored energy, at the end of equal steps."""
    balance = Balance(problem)
    targets = [{n: v * i / steps for n, v in end.items()} for i in range(1, steps + 1)]
    for _ in march(problem, targets):
        balance.add(problem.assemble_residual()[1].array_r)
    return balance.work, problem.strain_energy()


def bar(box: Box, laws: dict[str, Elastomer], **more: Any) -> Problem:
    """A clamped bar of 100 kPa, long enough to bend."""
    domain = box((6, 2, 2), SIZE)
    supports: Sequence[Any] = [Fixed("x0"), *more.pop("supports", [])]
    return Problem(domain, laws["neo_hooke"], supports=supports, **more)


ALL = ("x0", "x1", "y0", "y1", "z0", "z1")
CASES = {
    "weight": ({"loads": [Weight("f", (0.0, 0.6, 0.8))]}, {"f": 120.0}),
    "traction": ({"loads": [Traction("f", "x1", (0.0, 1.0, 0.0))]}, {"f": 600.0}),
    "follower": ({"loads": [Pressure("f", "y1")]}, {"f": 200.0}),
    "torque": (
        {"loads": [RecruitedMuscle("f", "body", 0.0, 0.04, (0.0, 1.0), lambda x: 8.3e-10)]},
        {"f": 1.2e-3},
    ),
    "moment": ({"loads": [DiscMoment("f", "body", (0.0, 0.0, 1.0), True)]}, {"f": 1e-3}),
    "cavity": ({"cavities": [Cavity("f", "y1")]}, {"f": 200.0}),
    "tendon": ({"tendons": [Tendon("f", ((0.0, 0.007, 0.005), (0.04, 0.007, 0.005)))]}, {"f": 0.5}),
    "support": (
        {"supports": [Moved("f", "x1", lambda x, v: np.outer([0.0, v, 0.0], 1 + 0 * x[0]))]},
        {"f": 0.015},
    ),
}


@pytest.mark.mpi
@pytest.mark.parametrize("name", CASES)
def test_work_becomes_energy_as_steps_shrink(
    box: Box, laws: dict[str, Elastomer], name: str
) -> None:
    """Muscles, whose energy is no stored one, do their work as loads."""
    made, end = CASES[name]
    gaps = []
    for steps in (3, 6):
        work, energy = worked(bar(box, laws, **made), steps, end)
        gaps.append(abs(sum(work.values()) - energy) / energy)
    assert gaps[0] < 0.05
    assert gaps[1] < max(gaps[0] / 3.0, 1e-6)  # second order: 4; 1e-6 is Newton's share


@pytest.mark.mpi
def test_pressure_all_around_does_no_work_on_rubber(box: Box, laws: dict[str, Elastomer]) -> None:
    """40 atmospheres on a bar that its weight bends: the way of every facet is long."""
    around = [Pressure("p", ALL), Weight("f", (0.0, 1.0, 0.0))]
    problem = bar(box, laws, loads=around)
    work, energy = worked(problem, 3, {"p": 4e5, "f": 120.0})
    # J = 1 on average over an element, so that the whole volume is kept to Newton's 1e-9.
    assert abs(work["p"]) < 1e-8 * 4e5 * np.prod(SIZE)
    assert work["f"] == pytest.approx(energy, rel=0.05)


@pytest.mark.mpi
def test_water_does_the_work_of_buoyancy(box: Box, laws: dict[str, Elastomer]) -> None:
    """Of the weight of the water in the bar's place, upwards; 1 m deep."""
    down = (0.0, 1.0, 0.0)
    heavy = bar(box, laws, loads=[Weight("f", down)])
    light = bar(box, laws, loads=[WaterPressure("f", ALL, 1.0, down)])
    # The laws' rubber weighs 1000 kg/m^3, the load's value times that is the weight per volume.
    by_weight, energy = worked(heavy, 2, {"f": -20.0})
    by_water, same = worked(light, 2, {"f": 20e3})
    # Mass is that at rest, buoyancy that of the deformed volume: equal only as far as J = 1 holds
    # inside elements. Twenty kilopascals do 1000 times the work on volumes that are not kept.
    assert same == pytest.approx(energy, rel=1e-5)
    assert sum(by_water.values()) == pytest.approx(sum(by_weight.values()), rel=1e-5)


@pytest.mark.mpi
def test_the_state_is_left_as_it_was(box: Box, laws: dict[str, Elastomer]) -> None:
    problem = bar(box, laws, loads=[Traction("f", "x1", (0.0, 1.0, 0.0))])
    balance = Balance(problem)
    list(march(problem, [{"f": 300.0}]))
    before = problem.save()
    balance.add(problem.assemble_residual()[1].array_r)
    after = problem.save()
    np.testing.assert_array_equal(after.unknowns, before.unknowns)
    assert after.values == before.values
    assert MPI.COMM_WORLD.allreduce(np.abs(after.unknowns).max()) > 0.0
