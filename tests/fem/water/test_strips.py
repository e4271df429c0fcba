"""Water that moves with an arm: against motions of rigid bodies, Lagrange's equations and modes."""

from types import SimpleNamespace
from typing import Any, cast

from mpi4py import MPI

import numpy as np
import numpy.typing as npt
import pytest
from slender import slender_arm

from loligo.cases.case import Case
from loligo.cases.rubber.elastomer import NeoHooke
from loligo.fem.core.domain import distribute
from loligo.fem.loads.base import Weight
from loligo.fem.loads.supports import Fixed
from loligo.fem.march.motion import TimeControl, move
from loligo.fem.observe.wrench import Slabs
from loligo.fem.problem.generalised_alpha import Rates
from loligo.fem.problem.problem import Problem
from loligo.fem.run import Run
from loligo.fem.solvers.vibrations import vibrations
from loligo.fem.water.jet import JetWater
from loligo.fem.water.strips import MovingWater, strips
from loligo.meshes import bodies
from loligo.meshes.build import build_mesh

Array = npt.NDArray[np.float64]

LENGTH, RADIUS, MU, DENSITY, WATER = 0.25, 0.01, 1e5, 1070.0, 1000.0
MORE, LESS, DRAG, SKIN = 1.0, 0.2, 1.1, 0.3
"""Added mass across and along the arm, C of drag likewise."""


def arm(strip: dict[str, Any]) -> Case:
    """A slender arm; nothing acts on it but what a test adds."""
    return slender_arm(
        LENGTH,
        RADIUS,
        {"mu": MU, "density": DENSITY},
        stations=5,
        water={"density": WATER, "base_depth": 1.0, "strip": strip},
        load={"weight": {"kind": "weight"}},
        mesh={"size": 0.02},
        time={"duration": 1.0, "every": 1.0},
    )


def problem(strip: dict[str, Any], free: bool) -> Problem:
    """The arm alone, held at its base or not at all."""
    case = arm(strip)
    comm = MPI.COMM_WORLD
    domain = distribute(build_mesh(case.body, 0, size=0.02) if comm.rank == 0 else None, comm)
    built = Problem(
        domain,
        NeoHooke(mu=MU, density=DENSITY),
        supports=[] if free else [Fixed("base")],
        loads=[Weight("g", (0.0, 1.0, 0.0))],
        moving=True,
    )
    at = strips(case)
    assert at is not None
    slabs = Slabs(domain, bodies.centreline(case.body), bodies.station_planes(case.body))
    built.water = MovingWater(built, at, slabs)
    return built


def spin(built: Problem, seed: int, speed: float) -> Rates:
    """Let the body be bent and turn, in smooth fields that a partition does not change."""
    fields, x = built.fields, built.fields.function.x
    rng = np.random.default_rng(seed)
    shape = [rng.standard_normal((3, 3)) for _ in range(3)]
    found = []
    for map_, size in zip(shape, (0.3, speed, speed**2), strict=True):
        field = np.zeros_like(x.array)
        place = fields.node_positions / LENGTH
        values = size * LENGTH * (0.3 * np.sin(2.0 * place) @ map_ + place**2 @ map_.T)
        field[fields.node_unknowns] = values
        found.append(field)
    x.array[:] = found[0]
    return Rates(0.0, found[1], 0.0, found[2])


ALL = {"drag": (SKIN, DRAG, DRAG), "added": (LESS, MORE, MORE)}


@pytest.fixture(scope="module")
def floating() -> Problem:
    return problem(ALL, free=True)


@pytest.mark.mpi
def test_kinetic_energy_of_a_rigid_motion(floating: Problem) -> None:
    """A cylinder that turns about its end: rho A B omega^2 L^3/6, that along the arm v^2/2."""
    fields, motion = floating.fields, floating.motion
    assert motion is not None and floating.water is not None
    fields.function.x.array[:] = 0.0
    field = np.zeros_like(fields.function.x.array)
    for velocity, b, size in (
        (np.cross([0.0, 0.0, 2.0], fields.node_positions), MORE, 2.0**2 * LENGTH**3 / 6.0),
        (np.tile([3.0, 0.0, 0.0], (len(fields.node_positions), 1)), LESS, 3.0**2 * LENGTH / 2.0),
    ):
        field[fields.node_unknowns] = velocity
        motion.set(Rates(0.0, field, 0.0, np.zeros_like(field)))
        line = WATER * np.pi * RADIUS**2
        assert floating.water.kinetic_energy() == pytest.approx(b * line * size, rel=1e-12)


@pytest.mark.mpi
def test_drag_of_an_arm_that_moves_askew(floating: Problem) -> None:
    """At u along itself and w across, |v| = 5 m/s: C_x pi/2 and C_y, each by its own component."""
    fields, motion, water = floating.fields, floating.motion, floating.water
    assert motion is not None and isinstance(water, MovingWater)
    fields.function.x.array[:] = 0.0
    velocity = np.zeros_like(fields.function.x.array)
    velocity[fields.node_unknowns] = (3.0, 0.0, 4.0)
    motion.set(Rates(0.0, velocity, 0.0, np.zeros_like(velocity)))
    across = WATER * RADIUS * LENGTH * 5.0
    expected = -across * np.array([0.5 * np.pi * SKIN * 3.0, 0.0, DRAG * 4.0])
    force = water.resultants().sum(axis=0)
    # That p = M v is not along v gives a moment, and no force on a body that does not turn.
    np.testing.assert_allclose(force[3:], expected, rtol=1e-9, atol=1e-12 * across)
    line = WATER * np.pi * RADIUS**2 * LENGTH
    couple = -(MORE - LESS) * line * np.cross([3.0, 0.0, 4.0], [0.0, 0.0, 4.0])
    centred = force[:3] - np.cross([LENGTH / 2, 0.0, 0.0], force[3:])
    np.testing.assert_allclose(centred, couple, atol=1e-9 * np.abs(couple).max())


@pytest.mark.mpi
def test_the_force_does_the_work_that_the_water_loses(floating: Problem) -> None:
    """Along a motion with its acceleration, by differences of the kinetic energy."""
    motion, water, x = floating.motion, floating.water, floating.fields.function.x
    assert motion is not None and water is not None
    state = spin(floating, 1, 5.0)
    here, h = x.array.copy(), 1e-4
    energies = []
    for side in (-h, h):
        x.array[:] = here + side * state.velocity_start + side**2 / 2 * state.acceleration_start
        fast = state.velocity_start + side * state.acceleration_start
        motion.set(Rates(0.0, fast, 0.0, state.acceleration_start))
        energies.append(water.kinetic_energy())
    x.array[:] = here
    motion.set(state)
    force = np.zeros_like(here)
    water.add_force(1.0, force)
    power = floating.comm.allreduce(float(force @ state.velocity_start))
    growth = (energies[1] - energies[0]) / (2.0 * h)
    drained = water.drained_power()
    assert drained > 0.0
    assert -power == pytest.approx(growth + drained, rel=1e-5)


@pytest.mark.mpi
def test_forces_turn_with_the_body(floating: Problem) -> None:
    motion, water, fields = floating.motion, floating.water, floating.fields
    assert motion is not None and water is not None
    turn = np.linalg.qr(np.random.default_rng(2).standard_normal((3, 3)))[0]
    turn *= np.linalg.det(turn)
    state = spin(floating, 3, 5.0)
    motion.set(state)
    x, nodes = fields.function.x.array, fields.node_unknowns
    before = water.resultants()
    x[nodes] = (fields.node_positions + x[nodes]) @ turn.T - fields.node_positions
    for field in (state.velocity_start, state.acceleration_start):
        field[nodes] = field[nodes] @ turn.T
    motion.set(state)
    after = water.resultants()
    both = np.kron(np.eye(2), turn)
    np.testing.assert_allclose(after, before @ both.T, atol=1e-12 * np.abs(before).max())


@pytest.mark.mpi
def test_the_tangent_is_that_of_the_force(floating: Problem) -> None:
    motion, water, x = floating.motion, floating.water, floating.fields.function.x
    assert motion is not None and water is not None
    start = spin(floating, 4, 5.0)
    rates = Rates(300.0, start.velocity_start, 4e4, start.acceleration_start)
    motion.set(rates)
    here = x.array.copy()
    way = np.zeros_like(here)
    nodes = floating.fields.node_unknowns
    way[nodes] = np.cos(floating.fields.node_positions @ np.diag([9.0, 40.0, -30.0]))
    found, sides = np.zeros_like(here), []
    water.add_tangent(way, found)
    h = 1e-7
    for side in (-h, h):
        x.array[:] = here + side * way
        force = np.zeros_like(here)
        water.add_force(1.0, force)
        sides.append(force)
    x.array[:] = here
    by_differences = -(sides[1] - sides[0]) / (2.0 * h)
    largest = floating.comm.allreduce(np.abs(found).max(), MPI.MAX)
    np.testing.assert_allclose(found, by_differences, atol=1e-6 * largest)


@pytest.mark.mpi
def test_a_dropped_cylinder_comes_to_its_terminal_velocity_and_drag_stops_it() -> None:
    """Across its axis: v = v_t tanh(g t/v_t) with the acceleration g that added mass leaves."""
    falling = problem(ALL, free=True)
    motion = falling.motion
    assert motion is not None
    mass = DENSITY + MORE * WATER
    begins = 9.81 * DENSITY / mass
    terminal = np.sqrt(9.81 * DENSITY * np.pi * RADIUS / (WATER * DRAG))
    let_go, end = 0.15, 0.3
    drop = lambda t: {"g": 9.81 if t <= let_go else 0.0}  # noqa: E731
    times = np.array([0.0, 0.02, 0.05, 0.1, let_go, 0.2, end])
    speeds = []
    for state in move(falling, times, drop, jumps=(let_go,), control=TimeControl(tolerance=1e-5)):
        if state.target is not None:
            field = motion.velocity_at(falling.fields.function.x.array)
            speeds.append(falling.comm.allreduce(field[falling.fields.node_unknowns].sum(0))[1])
    count = falling.comm.allreduce(len(falling.fields.node_unknowns))
    found = np.array(speeds) / count
    fast = terminal * np.tanh(begins * let_go / terminal)
    rate = begins / terminal**2
    expected = [
        terminal * np.tanh(begins * t / terminal)
        if t <= let_go
        else fast / (1.0 + rate * fast * (t - let_go))
        for t in times[1:]
    ]
    # The mesh's volume is off by 1e-3.
    np.testing.assert_allclose(found, expected, rtol=2e-3)


@pytest.mark.mpi
def test_wet_and_dry_frequencies_of_a_beam(check: Any) -> None:
    """R13: bending slower by 1/sqrt(1 + 1000/1070), torsion not at all."""
    held = problem({"added": (0.0, 1.0, 1.0)}, free=False)
    wet = [v.frequency for v in vibrations(held, 7)]
    held.water = None
    dry = [v.frequency for v in vibrations(held, 5)]
    # Rotary inertia is dry: a slender beam's own ratio is higher by a quarter of 1.9e-3 of it.
    check("R13", "first bending frequency, wet over dry", wet[0] / dry[0], 0.718963, 1e-3)
    torsion = dry[4]
    assert np.abs(np.array(wet) - torsion).min() < 1e-4 * torsion


@pytest.mark.mpi
def test_an_arm_let_go_in_water_as_a_case() -> None:
    """What holds the base balances the first section, and energy is accounted for."""
    given = arm(ALL).model_dump()
    given |= {
        "gravity": (0.0, -1.0, 0.0),
        "time": {"duration": 0.2, "every": 0.05, "tolerance": 1e-4},
        "mesh": {"size": 0.02},
    }
    given["material"]["body"]["viscosity"] = 100.0
    given["load"]["weight"]["history"] = {"kind": "step", "before": 0.1, "after": 0.0}
    run = Run(Case.model_validate(given), MPI.COMM_WORLD)
    for _ in run.march():
        pass
    data = run.dataset()
    frame, wrench, reaction = (data[n].values for n in ("frame", "wrench", "reaction"))
    for g, inside, held in zip(frame[:, 0], wrench[:, 0], reaction, strict=True):
        moment, force = inside.reshape(2, 3) @ g[:3, :3].T
        expected = -np.concatenate([moment + np.cross(g[:3, 3], force), force])
        np.testing.assert_allclose(held, expected, atol=1e-7 * np.abs(reaction).max())
    lost = data.external_work - data.stored_energy - data.kinetic_energy - data.dissipated_energy
    # The scheme's own loss at this tolerance; before 0 s the work is summed along the static march.
    assert np.ptp(lost.values) < 0.02 * data.dissipated_energy.values[-1]


@pytest.mark.parametrize(
    ("motion", "step", "words"),
    [(None, None, "moving=True"), (1, 1, "conserve energy have no place for moving water")],
)
def test_steps_without_a_place_for_water_refuse_it(motion: Any, step: Any, words: str) -> None:
    built, nothing = cast(Problem, SimpleNamespace(motion=motion, step=step)), cast(Any, None)
    with pytest.raises(ValueError, match=words):
        MovingWater(built, nothing, nothing)
    with pytest.raises(ValueError, match=words):
        JetWater(built, nothing, nothing)
