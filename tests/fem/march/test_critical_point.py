"""Critical points: located alike by every control and step, limit points and bifurcations apart."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from dolfinx.mesh import CellType

from loligo.cases.rubber.elastomer import Elastomer
from loligo.fem.core.domain import Domain
from loligo.fem.loads.base import Traction
from loligo.fem.loads.cavities import Cavity
from loligo.fem.loads.supports import Fixed
from loligo.fem.march.arclength import follow
from loligo.fem.march.standing import MarchStopped, Standing
from loligo.fem.march.static import march
from loligo.fem.march.step import StepResult
from loligo.fem.problem.problem import Problem
from loligo.fem.solvers.newton import Newton

Build = Callable[..., Domain]
Advance = Callable[..., Iterator[StepResult]]
MU = 1e5
ALIKE = 1e-4
"""Relative difference of critical loads by different steps and controls."""
LISTS = ([1.0], [0.2, 0.5, 0.7, 1.0], [0.45, 0.45, 0.97, 1.3])
"""Requested states over a load beyond the critical one."""


def _up_to_the_limit(
    advance: Advance, problem: Problem, targets: Sequence[Mapping[str, float]], **more: Any
) -> tuple[list[StepResult], Mapping[str, float]]:
    """All states up to the first limit point, and the values there."""
    states = []
    try:
        for state in advance(problem, targets, **more):
            states.append(state)
            if state.limit:
                return states, state.limit
    except MarchStopped as stop:
        assert stop.limit is not None, str(stop)
        name = next(iter(targets[0]))
        assert f"a limit point lies near {name} = {stop.limit[name]:.6g}" in str(stop)
        return states, stop.limit
    raise AssertionError("there is no limit point")


# A limit point: the balloon F10 ------------------------------------------------------------------


def _ball(octant: Build, law: Elastomer) -> Problem:
    supports = (Fixed("x0", (0,)), Fixed("y0", (1,)), Fixed("z0", (2,)))
    cavity = Cavity("inside", "inner")
    return Problem(octant(0.010, 0.015, 0.005), law, supports=supports, cavities=[cavity])


@pytest.mark.mpi
def test_pressure_supply_and_arc_length_agree_on_a_limit_pressure(
    octant: Build, laws: dict[str, Elastomer]
) -> None:
    """The balloon's is 0.493519 mu (closed form, B/A = 1.5); the mesh is coarse."""
    ball = _ball(octant, laws["neo_hooke"])
    rest, volume, tops = ball.save(), ball.cavity_volume("inside"), []
    for steps in LISTS:
        for advance in (march, follow):
            ball.restore(rest)
            targets = [{"inside": 0.6 * MU * share} for share in steps]
            tops.append(_up_to_the_limit(advance, ball, targets)[1]["inside"])
    # By supply the pressure rises and falls, and all states are stable. Its maximum is that of a
    # parabola through five of them; the stretch there is 1.603.
    for before in ([], [1.5], [1.2, 2.0, 3.0]):
        ball.restore(rest)
        near = np.linspace(0.97, 1.03, 5) * 1.603**3
        targets = [{"inside": volume * share} for share in (*before, *near)]
        states = list(march(ball, targets, volume_controlled=("inside",)))
        assert all(state.stable for state in states)
        met = [s.pressures["inside"] for s in states if s.target is not None][-5:]
        assert met[0] < max(met) > met[-1]
        curve = np.polynomial.Polynomial.fit(near, met, 2)
        tops.append(float(curve(curve.deriv().roots()[0])))
    assert len(tops) == 9
    assert max(tops) / min(tops) - 1 < ALIKE
    assert np.mean(tops) / MU == pytest.approx(0.493519, rel=1e-2)


# A bifurcation: Euler's column -------------------------------------------------------------------


@pytest.mark.mpi
@pytest.mark.parametrize("advance", [march, follow])
def test_a_column_has_a_bifurcation_and_no_limit_point(
    box: Build, laws: dict[str, Elastomer], advance: Advance
) -> None:
    """It bends in two directions at once. The perfect column stays straight, and unstable."""
    slenderness = 20
    domain = box((slenderness, 1, 1), (float(slenderness), 1.0, 1.0), cell=CellType.hexahedron)
    push = Traction("push", "x1", (-1.0, 0.0, 0.0))
    column = Problem(domain, laws["neo_hooke"], supports=[Fixed("x0")], loads=[push])
    euler = np.pi**2 / 4 * 3 * MU / 12 / slenderness**2
    rest, found = column.save(), []
    for steps in ([1.3], [0.3, 0.6, 0.9, 1.2, 1.3], [0.9, 1.5]):
        column.restore(rest)
        states = list(advance(column, [{"push": share * euler} for share in steps]))
        assert not any(state.limit for state in states)
        (branch,) = (state for state in states if state.bifurcation)
        found.append(branch.bifurcation["push"])
        assert branch.mode is not None
        before = [s.values["push"] for s in states if s.stable]
        behind = [s.values["push"] for s in states if not s.stable]
        assert max(before) < found[-1] < min(behind)
        assert all(s.inertia.unstable == 2 for s in states if not s.stable)
        side = column.save().unknowns[column.fields.node_unknowns[:, 1:]]
        far = column.comm.allreduce(float(np.sum((side - side.mean(0)) ** 2)))
        assert np.sqrt(far) < 0.1  # beyond the swelling of compression it does not bend
    assert max(found) / min(found) - 1 < ALIKE
    # The clamp holds the section; shear and compression are below 1 %.
    assert found[0] / euler == pytest.approx(1.0, abs=0.5 / slenderness + 0.02)


# Both: a clamped arch ----------------------------------------------------------------------------


@pytest.fixture
def arch(box: Build, laws: dict[str, Elastomer]) -> Problem:
    """An arch between two walls in plane strain, rise 3, span 20, thickness 1, pressed from above.

    It may sway to one side before it snaps through.
    """
    domain = box((16, 1, 1), (20.0, 1.0, 1.0), cell=CellType.hexahedron)
    x = domain.mesh.geometry.x
    x[:, 2] += 3.0 * np.sin(np.pi * x[:, 0] / 20.0)
    walls = [Fixed("x0"), Fixed("x1"), Fixed("y0", (1,)), Fixed("y1", (1,))]
    loads = [Traction("push", "z1", (0.0, 0.0, -1.0)), Traction("side", "z1", (1.0, 0.0, 0.0))]
    return Problem(domain, laws["neo_hooke"], supports=walls, loads=loads)


def _pushed(side: float, steps: Sequence[float]) -> list[dict[str, float]]:
    return [{"push": 500.0 * share, "side": side * 500.0 * share} for share in steps]


def _negative(arch: Problem, loads: Sequence[float]) -> list[int]:
    """Unstable directions of the symmetric states under loads, by Newton's method from each."""
    newton, found = Newton(arch), []
    for load in loads:
        newton.apply({"push": load})
        solve = newton.solve()
        assert solve.failure is None and solve.inertia is not None
        found.append(solve.inertia.unstable)
    newton.destroy()
    return found


@pytest.mark.mpi
def test_an_arch_sways_at_a_bifurcation_and_snaps_at_a_limit_point(arch: Problem) -> None:
    """The march goes on at the first and ends at the second, where the path turns back."""
    rest, branches, tops = arch.save(), [], []
    for steps in LISTS:
        for advance in (march, follow):
            arch.restore(rest)
            states, limit = _up_to_the_limit(advance, arch, _pushed(0.0, steps))
            tops.append(limit["push"])
            (branch,) = (state for state in states if state.bifurcation)
            branches.append(branch.bifurcation["push"])
            assert branch.limit is None and branch.mode is not None
            # It sways: both halves go down and up by turns, the middle stays.
            mode = branch.mode[arch.fields.node_unknowns]
            along = np.sin(2 * np.pi * arch.fields.node_positions[:, 0] / 20.0)
            sums = np.array([along @ mode[:, 2], along @ along, mode[:, 2] @ mode[:, 2]])
            sums = arch.comm.allreduce(sums)
            assert sums[0] ** 2 > 0.9 * sums[1] * sums[2]
    assert max(branches) / min(branches) - 1 < ALIKE
    assert max(tops) / min(tops) - 1 < ALIKE
    # What Newton's method and the inertia say without any search.
    arch.restore(rest)
    load = branches[0]
    ramp = list(np.linspace(0.1, 0.99, 10) * load)
    around = [(1.0 - ALIKE) * load, (1.0 + ALIKE) * load]
    assert _negative(arch, [*ramp, *around])[-3:] == [0, 0, 1]


@pytest.mark.mpi
def test_an_imperfect_arch_has_a_limit_point_in_place_of_the_bifurcation(arch: Problem) -> None:
    """Long steps jump from one path to the other. Koiter: the load falls by imperfection^(2/3)."""
    rest = arch.save()
    perfect = next(s.bifurcation for s in follow(arch, _pushed(0.0, [1.0])) if s.bifurcation)
    falls = []
    for side in (1e-5, 1e-3):
        tops = []
        for steps in LISTS:
            for advance in (march, follow):
                arch.restore(rest)
                limit = _up_to_the_limit(advance, arch, _pushed(side, steps))[1]
                tops.append(limit["push"])
        assert max(tops) / min(tops) - 1 < ALIKE
        falls.append(1.0 - tops[0] / perfect["push"])
    assert 0.0 < falls[0] < falls[1] < 0.01
    # The next term of the law is of the order of the fall's square root, 6 % of it.
    assert falls[1] / falls[0] == pytest.approx(100 ** (2 / 3), rel=0.06)


@pytest.mark.mpi
@pytest.mark.mpi3
@pytest.mark.parametrize("side", [0.0, 1e-3])
@pytest.mark.parametrize("advance", [march, follow])
def test_what_was_stopped_beside_a_critical_point_goes_on_alike(
    arch: Problem, advance: Advance, side: float
) -> None:
    """From the states before and behind it, to the same limit point over the same states."""
    rest, kept = arch.save(), list[Standing]()
    targets = _pushed(side, [1.0])
    whole, end = _up_to_the_limit(advance, arch, targets, keep=kept.append)
    behind = next((i for i, s in enumerate(whole) if s.bifurcation), len(whole) - 1)
    for at in (behind - 1, behind):
        if whole[at].limit:
            continue  # nothing is left of the way
        arch.restore(rest)
        again, told = _up_to_the_limit(advance, arch, targets, resume=kept[at])
        assert [s.number for s in again] == [s.number for s in whole[at + 1 :]]
        for one, two in zip(again, whole[at + 1 :], strict=True):
            assert one.inertia is not None and two.inertia is not None
            assert one.inertia.unstable == two.inertia.unstable
            assert one.values["push"] == pytest.approx(two.values["push"], rel=1e-6)
            assert (one.bifurcation is None) == (two.bifurcation is None)
            if one.bifurcation is not None and two.bifurcation is not None:
                wanted = two.bifurcation["push"]
                assert one.bifurcation["push"] == pytest.approx(wanted, rel=1e-6)
        assert told["push"] == pytest.approx(end["push"], rel=1e-6)
