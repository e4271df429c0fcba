"""Steps that conserve energy and momenta: large ones, of bodies that turn and stretch widely."""

from collections.abc import Callable
from itertools import pairwise

from mpi4py import MPI

import numpy as np
import numpy.typing as npt
import pytest
import ufl
from dolfinx.fem import form

from loligo.cases.rubber.elastomer import Elastomer, NeoHooke
from loligo.fem.core.domain import Domain
from loligo.fem.core.measure import global_sum
from loligo.fem.loads.base import Traction, Weight
from loligo.fem.loads.cavities import Cavity
from loligo.fem.loads.supports import Fixed, Moved
from loligo.fem.loads.tendons import Tendon
from loligo.fem.march.motion import TimeControl, Travel, move
from loligo.fem.materials.fibres import Fibres, thread_work
from loligo.fem.observe.work import Balance
from loligo.fem.problem.problem import Problem
from loligo.fem.solvers.newton import Newton

Array = npt.NDArray[np.float64]
Box = Callable[..., Domain]

MU = 1e5
DRIFT = 1e-10
"""Largest change of the energy in a step, over the energy."""


def energy(problem: Problem) -> float:
    return problem.strain_energy() + problem.kinetic_energy()


def thrown(
    problem: Problem, spin: tuple[float, float, float], stretch: float, step: float
) -> Travel:
    """A body of 3 x 1 x 1 at rest in shape, that turns about its middle, stretches and drifts."""
    fields = problem.fields
    from_middle = fields.node_positions - [1.5, 0.5, 0.5]
    velocity = np.zeros_like(fields.function.x.array)
    velocity[fields.node_unknowns] = (
        np.cross(spin, from_middle) + stretch * from_middle * [1.0, -0.5, -0.5] + [0.3, 0.2, 0.1]
    )
    fields.function.x.array[:] = velocity
    fields.function.x.scatter_forward()
    velocity = fields.function.x.array.copy()
    fields.function.x.array[:] = 0.0
    nothing = np.zeros_like(velocity)
    return Travel(0.0, step, True, 0, problem.save(), {}, velocity, nothing, nothing, step)


class Momenta:
    """Momentum and spin about the origin of a problem of 1000 kg/m^3."""

    def __init__(self, problem: Problem) -> None:
        k = problem.kinematics
        dx = k.cells(tuple(problem.materials))
        vectors = k.velocity, ufl.cross(k.position, k.velocity)
        self._forms = [form(1000.0 * v[i] * dx) for v in vectors for i in range(3)]

    def __call__(self) -> Array:
        return np.array([global_sum(one) for one in self._forms]).reshape(2, 3)


@pytest.mark.mpi
@pytest.mark.parametrize("name", ["neo_hooke", "yeoh", "compressible"])
def test_a_free_body_keeps_energy_momentum_and_spin(
    box: Box, laws: dict[str, Elastomer], name: str, check: Callable[..., None]
) -> None:
    """In ten steps a period, while a third of the energy and more goes to and fro."""
    law = laws["neo_hooke" if name == "compressible" else name]
    if name == "compressible":
        law = law.model_copy(update={"bulk_modulus": 10.0 * MU})
    problem = Problem(
        box((3, 1, 1), (3.0, 1.0, 1.0)), law, supports=[], moving=True, conserving=True
    )
    start, momenta = thrown(problem, (1.0, 2.0, 8.0), 6.0, 0.02), Momenta(problem)
    control = TimeControl(tolerance=None, longest=0.02)
    energies, stored, moved = [], [], []
    for _ in move(problem, (0.0, 0.3), lambda _: {}, control=control, resume=start):
        energies.append(energy(problem))
        stored.append(problem.strain_energy())
        moved.append(momenta())
    assert len(energies) == 15
    assert max(stored) - min(stored) > energies[0] / 3.0
    drift = np.abs(np.diff(energies)) / energies[0]
    check("F18", f"energy drift a step, {name}", drift, 0.0, DRIFT, scale=1.0)
    # Of a block that turns like a rigid one; its stretch has no spin.
    momentum = 3000.0 * np.array([0.3, 0.2, 0.1])
    turning = 3000.0 / 12.0 * np.array([2.0, 10.0, 10.0]) * [1.0, 2.0, 8.0]
    spin = turning + np.cross([1.5, 0.5, 0.5], momentum)
    # Newton leaves 1e-9 of the forces, which are mu times an area.
    rounding = 1e-9 * MU * 0.3
    np.testing.assert_allclose(
        moved, np.tile([momentum, spin], (15, 1, 1)), rtol=0.0, atol=rounding
    )


def swinging(box: Box, *, conserving: bool) -> list[Array]:
    """Mean place of a bar that is pushed aside, smoothly, and let go, in steps of three sizes."""
    problem = Problem(
        box((2, 1, 1), (2.0, 1.0, 1.0)),
        NeoHooke(mu=MU, density=1000.0),
        supports=[Fixed("x0")],
        loads=[Traction("push", "x1", (0.0, 1.0, 0.0))],
        moving=True,
        conserving=conserving,
    )
    swing = lambda t: {"push": 1e4 * np.sin(np.pi * t / 2.0) ** 4}  # noqa: E731
    ends = []
    for steps in (20, 40, 80):
        problem.fields.function.x.array[:] = 0.0
        control = TimeControl(tolerance=None, longest=2.0 / steps)
        for _ in move(problem, (0.0, 2.0), swing, control=control):
            pass
        moved = problem.fields.function.x.array[problem.fields.node_unknowns]
        ends.append(problem.comm.allreduce(moved.sum(axis=0)) / problem.comm.allreduce(len(moved)))
    return ends


def test_second_order_and_the_limit_of_the_other_scheme(box: Box) -> None:
    ends, others = swinging(box, conserving=True), swinging(box, conserving=False)
    far, near = (np.abs(b - a).max() for a, b in pairwise(ends))
    print(far, near)
    assert np.log2(far / near) == pytest.approx(2.0, abs=0.15)
    limit, other = ((4.0 * s[2] - s[1]) / 3.0 for s in (ends, others))
    assert limit == pytest.approx(other, abs=0.1 * near)


@pytest.mark.mpi
@pytest.mark.parametrize("closed", [True, False])
def test_work_is_what_is_stored_moved_and_dissipated(box: Box, closed: bool) -> None:
    """Of weight and of pressure on a closed surface or an open one, through viscous rubber.

    Around the closed one the rubber shrinks; where the other one is pressed there are fibres.
    """
    rubber = NeoHooke(mu=MU, density=1000.0, viscosity=5e3)
    domain = box((3, 1, 1), (3.0, 1.0, 1.0))
    fibres = Fibres("body", lambda _: (0.2, 1.0, 0.3), 2.0 * MU, tension_only=True)
    problem = Problem(
        domain,
        rubber.model_copy(update={"bulk_modulus": 3.0 * MU}) if closed else rubber,
        supports=[Fixed("x0")],
        loads=[Weight("g", (0.0, 1.0, 0.0))],
        cavities=[Cavity("p", tuple(domain.facet_groups) if closed else "y1")],
        windings=[] if closed else [fibres],
        moving=True,
        conserving=True,
    )
    balance = Balance(problem)
    values = lambda t: {"g": 5.0 * t, "p": -4e4 * np.sin(5.0 * t)}  # noqa: E731
    sums, drained, powers, times = [], 0.0, [0.0], [0.0]
    control = TimeControl(tolerance=None, longest=0.05)
    for result in move(problem, (0.0, 0.6), values, control=control):
        balance.add(problem.assemble_residual()[1].array_r)
        assert result.dissipated is not None
        assert result.time is not None
        drained += result.dissipated
        powers.append(problem.dissipated_power())
        times.append(result.time)
        sums.append(energy(problem) + drained - sum(balance.work.values()))
    total = energy(problem) + drained
    assert drained > 0.05 * total
    assert abs(balance.work["p"]) > 0.1 * total
    assert np.abs(np.diff([0.0, *sums])).max() < DRIFT * total
    # What the steps say is the integral of the power, to their own order.
    assert drained == pytest.approx(np.trapezoid(powers, times), rel=0.1)


@pytest.mark.parametrize("tension_only", [True, False])
def test_work_of_thread_is_the_difference_of_its_energies(tension_only: bool) -> None:
    """Taut, slack, and from one to the other."""
    direction = np.array([0.5, -2.0, 1.0])
    stretched = [np.eye(3) * [[1.0], [size], [1.0]] for size in (0.6, 0.9, 1.2, 1.7)]
    for before in stretched:
        for after in stretched:
            work = thread_work(
                *(ufl.as_matrix(f.tolist()) for f in (before, after, after - before)),
                ufl.as_vector(direction.tolist()),
                tension_only=tension_only,
            )
            stretches = [
                np.linalg.norm(f @ direction / np.linalg.norm(direction)) for f in (before, after)
            ]
            low, high = (
                (max(s - 1.0, 0.0) if tension_only else s - 1.0) ** 2 / 2.0 for s in stretches
            )
            assert ufl.as_ufl(work)(()) == pytest.approx(high - low, abs=1e-11)


def test_thread_that_can_go_slack_rests_at_rest(box: Box) -> None:
    """Rounding of stretches is no motion, however stiff the thread is."""
    problem = Problem(
        box(distort=0.3),
        NeoHooke(mu=MU, density=1000.0),
        supports=[Fixed("x0")],
        windings=[Fibres("body", lambda _: (3.0, 1.0, 0.5), 2e4 * MU, tension_only=True)],
        moving=True,
        conserving=True,
    )
    control = TimeControl(tolerance=None, longest=0.1)
    states = list(move(problem, (0.0, 0.3), lambda _: {}, control=control))
    assert [state.iterations for state in states] == [0, 0, 0]


def slackened(box: Box) -> tuple[Problem, Travel]:
    """A cube with slack thread that is held compressed, and a motion that begins there, at rest."""

    def push(x: Array, value: float) -> Array:
        return np.stack([-value * x[0], 0 * x[0], 0 * x[0]])

    problem = Problem(
        box(),
        NeoHooke(mu=MU, density=1000.0),
        supports=[
            *(Fixed(face, (i,)) for i, face in enumerate(("x0", "y0", "z0"))),
            Moved("push", "x1", push, (0,)),
        ],
        windings=[Fibres("body", lambda _: (3.0, 1.0, 0.5), 10.0 * MU, tension_only=True)],
        moving=True,
        conserving=True,
    )
    problem.set_value("push", 0.1)
    newton = Newton(problem)
    assert newton.solve().failure is None
    newton.destroy()
    assert problem.step is not None
    here = problem.save()
    nothing = np.zeros_like(here.unknowns)
    means = np.where(problem.step.jumps, here.unknowns, 0.0)
    return problem, Travel(0.0, 0.1, False, 0, here, {}, nothing, nothing, means, 0.1)


@pytest.mark.mpi
def test_slack_thread_that_is_held_compressed_stands_still(box: Box) -> None:
    problem, start = slackened(box)
    control = TimeControl(tolerance=None, longest=0.1)
    for _ in move(problem, (0.0, 0.3), lambda _: {"push": 0.1}, control=control, resume=start):
        moved = problem.save().unknowns - start.state.unknowns
        assert np.abs(moved[problem.fields.every_node_unknowns]).max() < 1e-9
        assert problem.kinetic_energy() < 1e-12 * MU


def test_a_step_has_no_softness_to_set(box: Box, monkeypatch: pytest.MonkeyPatch) -> None:
    """What acts between its ends has none; only the problem at rest is given a path."""
    made = []
    monkeypatch.setattr("loligo.fem.solvers.newton.Slackening", lambda *_: made.append("path"))
    problem, start = slackened(box)
    assert made == ["path"]
    control = TimeControl(tolerance=None, longest=0.1)
    (*_,) = move(problem, (0.0, 0.1), lambda _: {"push": 0.1}, control=control, resume=start)
    assert made == ["path"]


def test_the_pressure_at_an_end_is_of_second_order(box: Box) -> None:
    """Rubber in a tub stands still, whatever it weighs: p = rho g (1 - x)."""
    sides = [Fixed(face, ("xyz".index(face[0]),)) for face in ("x0", "y0", "y1", "z0", "z1")]
    problem = Problem(
        box((1, 1, 1)),
        NeoHooke(mu=MU, density=1000.0),
        supports=sides,
        loads=[Weight("g", (-1.0, 0.0, 0.0))],
        moving=True,
        conserving=True,
    )
    end, off = 0.3, []
    for steps in (6, 12):
        problem.fields.function.x.array[:] = 0.0
        control = TimeControl(tolerance=None, longest=end / steps)
        weight = lambda t: {"g": 10.0 * np.sin(5.0 * t)}  # noqa: E731
        for _ in move(problem, (0.0, end), weight, control=control):
            pass
        found = problem.fields.function.x.array[problem.fields.by_name["pressure"]].max()
        off.append(abs(problem.comm.allreduce(found, MPI.MAX) / 1e4 - np.sin(5.0 * end)))
    assert off[0] < 0.05
    assert np.log2(off[0] / off[1]) == pytest.approx(2.0, abs=0.3)


def test_what_has_no_such_step(box: Box) -> None:
    tendon = Tendon("t", ((0.0, 0.5, 0.5), (1.0, 0.5, 0.5)))
    with pytest.raises(ValueError, match="without tendons; take generalised-alpha"):
        Problem(
            box((1, 1, 1)),
            NeoHooke(mu=MU, density=1.0),
            supports=[Fixed("x0")],
            tendons=[tendon],
            moving=True,
            conserving=True,
        )


@pytest.mark.mpi
def test_two_ranks_move_as_one(box: Box) -> None:
    ends = []
    for comm in (MPI.COMM_SELF, MPI.COMM_WORLD):
        problem = Problem(
            box((3, 1, 1), (3.0, 1.0, 1.0), comm=comm),
            NeoHooke(mu=MU, density=1000.0),
            supports=[],
            moving=True,
            conserving=True,
        )
        start = thrown(problem, (1.0, 2.0, 3.0), 4.0, 0.02)
        for _ in move(problem, (0.0, 0.2), lambda _: {}, resume=start):
            pass
        ends.append(problem.strain_energy())
    assert ends[1] == pytest.approx(ends[0], rel=1e-6)
