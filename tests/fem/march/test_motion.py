"""Motion of small bodies whose answer is known without a mesh."""

from collections.abc import Callable
from itertools import pairwise

from mpi4py import MPI

import numpy as np
import numpy.typing as npt
import pytest
from scipy.integrate import solve_ivp

from loligo.cases.rubber.elastomer import NeoHooke, Yeoh
from loligo.fem.core.domain import Domain
from loligo.fem.loads.base import Traction, Weight
from loligo.fem.loads.supports import Fixed, Moved
from loligo.fem.march.motion import TimeControl, move
from loligo.fem.march.standing import MarchStopped
from loligo.fem.problem.problem import Problem

Array = npt.NDArray[np.float64]
Box = Callable[..., Domain]

MU, ETA = 1e5, 2e3
RUBBER = NeoHooke(mu=MU, density=1000.0, viscosity=ETA)
LIGHT = RUBBER.model_copy(update={"density": 1e-3})
"""Its waves cross a body of 1 m in 0.1 ms: on the scale of seconds it has no inertia."""


def mean(problem: Problem) -> Array:
    """Mean displacement of all nodes of all ranks (m)."""
    fields = problem.fields
    moved = fields.function.x.array[fields.node_unknowns]
    total, count = problem.comm.allreduce(np.array([*moved.sum(axis=0), len(moved)])), 3
    return np.asarray(total[:count] / total[count])


@pytest.mark.parametrize("steps", [1, 3])
def test_free_fall_is_exact_in_any_step(box: Box, check: Callable[..., None], steps: int) -> None:
    problem = Problem(box((2, 1, 1)), RUBBER, supports=[], loads=[Weight("g")], moving=True)
    control = TimeControl(tolerance=None, longest=1.0 / steps)
    times = [r.time for r in move(problem, (0.0, 1.0), lambda _: {"g": -9.81}, control=control)]
    assert times == pytest.approx(np.arange(1, steps + 1) / steps)
    check("F19", "fall in a second (m)", mean(problem), [-4.905, 0.0, 0.0], 1e-10)


def test_second_order_in_the_step(box: Box) -> None:
    """A bar is pushed aside, smoothly, and let go: it swings widely, and stiffens as it does."""
    problem = Problem(
        box((2, 1, 1), (2.0, 1.0, 1.0)),
        NeoHooke(mu=MU, density=1000.0),
        supports=[Fixed("x0")],
        loads=[Traction("push", "x1", (0.0, 1.0, 0.0))],
        moving=True,
    )
    ends = []
    for steps in (20, 40, 80):
        problem.fields.function.x.array[:] = 0.0
        control = TimeControl(rho_inf=0.8, tolerance=None, longest=2.0 / steps)
        swing = lambda t: {"push": 1e4 * np.sin(np.pi * t / 2.0) ** 4}  # noqa: E731
        for _ in move(problem, (0.0, 2.0), swing, control=control):
            pass
        ends.append(mean(problem))
    far, near = (np.abs(b - a).max() for a, b in pairwise(ends))
    print(ends, far, near)
    assert np.abs(ends[-1]).max() > 0.05
    assert np.log2(far / near) == pytest.approx(2.0, abs=0.15)


def block(box: Box, moved: dict[str, int], rubber: NeoHooke | Yeoh) -> Problem:
    """A unit cube on three frictionless planes; some faces are moved along their normals."""
    return Problem(
        box((1, 1, 1)),
        rubber,
        supports=[
            *(Fixed(f"{axis}0", (i,)) for i, axis in enumerate("xyz")),
            *(
                Moved(f"by_{face}", face, lambda x, value: np.full_like(x, value), (i,))
                for face, i in moved.items()
            ),
        ],
        loads=[Traction("pull", "x1", (1.0, 0.0, 0.0))],
        moving=True,
    )


def test_creep_under_a_dead_load(box: Box, check: Callable[..., None]) -> None:
    """Yeoh with 3 eta in stretch: P = 2 W'(I1) (l - l^-2) + 3 eta l_dot/l^2 for the stretch l."""
    rubber = Yeoh(c10=0.11e6, c20=0.02e6, density=1e-3, viscosity=0.05e6)
    problem, pull = block(box, {}, rubber), 0.2e6
    stretch = []
    for result in move(problem, (0.0, 0.1, 0.5, 1.0, 2.0), lambda _: {"pull": pull}):
        if result.target is not None:
            end = problem.fields.node_positions[:, 0] > 0.999
            mine = problem.fields.function.x.array[problem.fields.node_unknowns[end, 0]]
            stretch.append(1.0 + problem.comm.allreduce(mine.max(initial=-1.0), MPI.MAX))

    def rate(_: float, now: Array) -> Array:
        x = now**2 + 2.0 / now - 3.0
        elastic = 2.0 * (0.11e6 + 2.0 * 0.02e6 * x) * (now - now**-2)
        return now**2 / 3.0 / 0.05e6 * (pull - elastic)

    exact = solve_ivp(rate, (0.0, 2.0), [1.0], t_eval=(0.1, 0.5, 1.0, 2.0), rtol=1e-9).y[0]
    assert exact == pytest.approx([1.120622, 1.333568, 1.356863, 1.357731], abs=2e-6)
    check("F15", "stretch that creeps", stretch, exact, 5e-4)


def test_a_sheet_resists_with_four_eta_and_half_of_it_across(box: Box) -> None:
    """Plane stress at nu = 1/2: 4 eta (A + B/2) per area for the rates A, B of both ln stretches.

    With h the half thickness that is the shell limit 8 eta h; the rod limit 3 eta is B = -A/2.
    """
    problem = block(box, {"x1": 0, "y1": 1}, LIGHT)
    a, b, end = 0.3, -0.1, 0.5
    grow = lambda t: {"by_x1": np.expm1(a * t), "by_y1": np.expm1(b * t)}  # noqa: E731
    control = TimeControl(tolerance=None, longest=end / 20, rho_inf=0.5)
    for _ in move(problem, (0.0, end), grow, control=control):
        pass
    lx, ly = np.exp(a * end), np.exp(b * end)
    lz = 1.0 / (lx * ly)
    for face, stretch, rates in (("x1", lx, (a, b)), ("y1", ly, (b, a))):
        elastic, viscous = MU * (stretch**2 - lz**2), 4.0 * ETA * (rates[0] + rates[1] / 2.0)
        pulled = problem.reaction(face)[3:]["xy".index(face[0])] * stretch  # Kirchhoff
        assert pulled - elastic == pytest.approx(viscous, rel=5e-3)
    assert problem.dissipated_power() == pytest.approx(4.0 * ETA * (a**2 + a * b + b**2), rel=5e-3)


def test_shear_is_resisted_with_eta(box: Box) -> None:
    shear = lambda x, value: np.stack([value * x[1], 0.0 * x[1], 0.0 * x[1]])  # noqa: E731
    faces = ("x0", "x1", "y0", "y1", "z0", "z1")
    problem = Problem(box((1, 1, 1)), LIGHT, supports=[Moved("g", faces, shear)], moving=True)
    speed, end = 0.4, 0.5
    control = TimeControl(tolerance=None, longest=end / 10, rho_inf=0.5)
    for _ in move(problem, (0.0, end), lambda t: {"g": speed * t}, control=control):
        pass
    # Edges count for each of their faces: the power over the shear rate is the shear stress.
    stress = problem.dissipated_power() / speed
    assert stress == pytest.approx(ETA * speed, rel=1e-3)  # the beginning is damped by 2 a step


def test_a_kink_beside_a_requested_time_takes_no_step_of_its_own(box: Box) -> None:
    problem = Problem(box((2, 1, 1)), RUBBER, supports=[], loads=[Weight("g")], moving=True)
    beside = float(np.nextafter(0.1, 1.0))
    control, fall = TimeControl(tolerance=None), lambda _: {"g": 9.81}
    results = list(move(problem, (0.0, 0.1, 0.2), fall, kinks=(beside, 0.15), control=control))
    assert [r.time for r in results] == [beside, 0.15, 0.2]
    assert [r.target for r in results] == [0, None, 1]
    # Nor does one beside a jump: a pulse of 5 Hz ends at 0.30000000000000004 s.
    jump, kink = 0.3, 3 * 0.1
    assert kink != jump
    results = list(move(problem, (0.2, 0.4), fall, jumps=(jump,), kinks=(kink,), control=control))
    assert [r.time for r in results] == [jump, 0.4]


def test_what_cannot_be_moved(box: Box) -> None:
    still = Problem(box((1, 1, 1)), RUBBER, supports=[Fixed("x0")])
    with pytest.raises(ValueError, match="build it with moving=True"):
        next(move(still, (0.0, 1.0), lambda _: {}))
    problem = Problem(box((1, 1, 1)), RUBBER, supports=[Fixed("x0")], moving=True)
    with pytest.raises(ValueError, match="increasing"):
        next(move(problem, (1.0, 0.0), lambda _: {}))


def test_a_motion_that_cannot_go_on_says_when(box: Box) -> None:
    """Nothing holds what is pulled ever faster: the rubber would fold or the step vanish."""
    problem = Problem(
        box((1, 1, 1)),
        RUBBER,
        supports=[Fixed("x0")],
        loads=[Traction("push", "x1", (-1.0, 0.0, 0.0))],
        moving=True,
    )
    control = TimeControl(tolerance=None, smallest=0.2)
    with pytest.raises(MarchStopped, match=r"stopped at t = 0 s, after \d failed attempts"):
        for _ in move(problem, (0.0, 1.0), lambda _: {"push": 1e9}, control=control):
            pass


@pytest.mark.mpi
def test_two_ranks_move_as_one(box: Box) -> None:
    ends, counts = [], []
    for comm in (MPI.COMM_SELF, MPI.COMM_WORLD):
        problem = Problem(
            box((4, 1, 1), (4.0, 1.0, 1.0), comm=comm),
            RUBBER,
            supports=[Fixed("x0")],
            loads=[Traction("push", "x1", (0.0, 1.0, 0.5))],
            moving=True,
        )
        results = list(move(problem, (0.0, 0.3), lambda _: {"push": 1e3}))
        counts.append(len(results))
        ends.append(mean(problem))
    assert counts[0] == counts[1]
    assert ends[1] == pytest.approx(ends[0], rel=1e-6)
