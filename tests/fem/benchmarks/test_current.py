"""Water that flows past an arm: Galilei's principle, Morison's equation, bodies carried along."""

from typing import Any

from mpi4py import MPI

import numpy as np
import pytest
from dolfinx.fem import Constant, form
from slender import slender_arm

from loligo.cases.case import Case
from loligo.cases.rubber.elastomer import NeoHooke
from loligo.fem.core.domain import distribute
from loligo.fem.core.measure import global_sum
from loligo.fem.loads.base import StreamPressure
from loligo.fem.loads.supports import Fixed, Moved
from loligo.fem.march.motion import TimeControl, Travel, move
from loligo.fem.observe.wrench import Slabs
from loligo.fem.problem.problem import Problem
from loligo.fem.run import Run
from loligo.fem.solvers.vibrations import vibrations
from loligo.fem.water.strips import FlowingWater, MovingWater, strips
from loligo.meshes import bodies
from loligo.meshes.build import build_mesh

LENGTH, RADIUS, WATER = 0.25, 0.01, 1000.0
SPEED, ADDED, DRAG = 0.3, 1.2, 1.1
STREAM = FlowingWater("u", "du", (0.0, 0.6, 0.8))


def arm(mu: float, current: dict[str, Any], **time: float) -> Case:
    return slender_arm(
        LENGTH,
        RADIUS,
        {"mu": mu, "density": 1070.0, "viscosity": 300.0},
        stations=5,
        water={
            "density": WATER,
            "base_depth": 1.0,
            "strip": {"drag": (0.3, DRAG, DRAG), "added": (0.2, ADDED, ADDED)},
        },
        load={"stream": {"kind": "current", "velocity": (0.0, 0.18, 0.24), **current}},
        mesh={"size": 0.02},
        time={"duration": 0.4, "every": 0.1, **time},
    )


def problem(density: float, supports: list[Fixed | Moved], flows: bool) -> Problem:
    """A slender arm in water that flows, or not."""
    case, comm = arm(1e5, {}), MPI.COMM_WORLD
    domain = distribute(build_mesh(case.body, 0, size=0.02) if comm.rank == 0 else None, comm)
    built = Problem(
        domain,
        NeoHooke(mu=1e5, density=density),
        supports=supports,
        loads=[StreamPressure(STREAM.rate, WATER, STREAM.along)] if flows else [],
        parameters=[STREAM.speed] if flows else [],
        moving=True,
    )
    at = strips(case)
    assert at is not None
    slabs = Slabs(domain, bodies.centreline(case.body), bodies.station_planes(case.body))
    built.water = MovingWater(built, at, slabs, STREAM if flows else None)
    return built


@pytest.mark.mpi
def test_an_arm_in_a_stream_is_one_that_is_carried_through_still_water() -> None:
    """Galilei: it bends alike, to what Newton's method leaves."""
    times, along = np.array([0.0, 0.05]), np.array(STREAM.along)
    stays = problem(1070.0, [Fixed("base")], True)
    goes = problem(
        1070.0, [Moved("way", "base", lambda x, way: way * along[:, None] + 0.0 * x)], False
    )
    x, nodes = goes.fields.function.x.array, goes.fields.every_node_unknowns
    nothing, thrown = np.zeros_like(x), np.zeros_like(x)
    thrown[nodes] = -SPEED * along
    begins = Travel(0.0, 0.01, True, 0, goes.save(), {}, thrown, nothing, nothing, 0.01)
    control = TimeControl(tolerance=None, longest=0.01)
    for _ in move(stays, times, lambda t: {"u": SPEED}, control=control):
        pass
    for _ in move(goes, times, lambda t: {"way": -SPEED * t}, control=control, resume=begins):
        pass
    bent = stays.fields.function.x.array[nodes]
    apart = bent - (x[nodes] + SPEED * times[-1] * along)
    largest = stays.comm.allreduce(np.abs(bent).max(), MPI.MAX)
    assert largest > 1e-3
    assert np.abs(apart).max() < 1e-9 * largest


@pytest.mark.mpi
def test_what_an_accelerated_stream_does_to_an_arm_that_stays() -> None:
    """Morison: (C_a + 1) rho V dU/dt by the displaced volume, and the drag of U."""
    held = problem(1070.0, [Fixed("base")], True)
    assert isinstance(held.water, MovingWater)
    every = held.kinematics.cells(tuple(held.materials))
    volume = global_sum(form(Constant(held.domain.mesh, 1.0) * every))
    rate, cylinder = 2.0, np.pi * RADIUS**2 * LENGTH
    for speed in (0.0, SPEED):
        held.set_value("u", speed)
        held.set_value("du", rate)
        assert held.water.flows
        residual = held.assemble_residual()[1].array_r[held.fields.node_unknowns]
        force = -held.comm.allreduce(residual.sum(axis=0))
        inertia = WATER * rate * (volume + ADDED * cylinder)
        drag = WATER * DRAG * RADIUS * LENGTH * speed**2
        expected = (inertia + drag) * np.array(STREAM.along)
        np.testing.assert_allclose(force, expected, atol=1e-9 * (inertia + drag))


@pytest.mark.mpi
@pytest.mark.parametrize(("density", "share"), [(WATER, 1.0), (3000.0, 2.2 / 4.2)])
def test_a_free_body_is_carried_along(density: float, share: float) -> None:
    """As fast as the water if it weighs as much; else (1 + C_a) rho_w/(rho_s + C_a rho_w) of it.

    From rest, as long as drag is nothing: here (U'^2 t^3 C_d rho_w R/3)/(m U' t) is 1e-5.
    """
    free, rate, end = problem(density, [], True), 0.01, 0.1
    assert free.motion is not None
    flow = {"u": 0.0, "du": rate}
    values = lambda t: {"u": rate * t, "du": rate}  # noqa: E731
    for name, value in flow.items():
        free.set_value(name, value)
    for _ in move(free, [0.0, end], values, jumps=[0.0], control=TimeControl(longest=0.02)):
        pass
    nodes = free.fields.every_node_unknowns
    found = free.motion.velocity_at(free.fields.function.x.array)[nodes]
    across = np.broadcast_to(share * rate * end * np.array(STREAM.along), found.shape)
    # Where the densities differ, the mesh's volume is off by 1e-3 from that of the strips.
    within = 1e-7 if density == WATER else 2e-3
    np.testing.assert_allclose(found, across, atol=within * rate * end)


@pytest.mark.mpi
def test_a_steady_current_as_a_case() -> None:
    """The motion begins in equilibrium and stays; a stiff arm bears the drag of the closed form."""
    run = Run(arm(1e8, {}, duration=0.2), MPI.COMM_WORLD)
    for _ in run.march():
        pass
    data = run.dataset()
    drag = WATER * DRAG * RADIUS * LENGTH * SPEED**2
    force = -drag * np.array([0.0, 0.6, 0.8])
    moment = 0.5 * LENGTH * np.cross([1.0, 0.0, 0.0], force)
    reaction, frame = data["reaction"].values, data["frame"].values
    # It bends by 0.2 mm: directions are off by that over the length.
    np.testing.assert_allclose(reaction[0, 3:], force, atol=1e-3 * drag)
    np.testing.assert_allclose(reaction[0, :3], moment, atol=1e-3 * drag * LENGTH)
    np.testing.assert_allclose(frame, np.broadcast_to(frame[0], frame.shape), atol=1e-9)
    np.testing.assert_allclose(data["load_stream"], SPEED)
    assert (data["stable"] == -1).all()
    energies = ("stored_energy", "kinetic_energy", "dissipated_energy")
    lost = data["external_work"] - sum(data[name] for name in energies)
    assert np.abs(lost).max() < 1e-6 * data["external_work"].values[-1]
    taken = np.diff(data["dissipated_energy"].values)
    np.testing.assert_allclose(taken, drag * SPEED * 0.1, rtol=2e-3)
    with pytest.raises(ValueError, match="the drag of a current has no potential"):
        vibrations(run.setup.problem, 1)


@pytest.mark.mpi
def test_a_current_that_rises_as_a_case() -> None:
    """Acceleration jumps where its table kinks; energy and first section are accounted for."""
    rises = {"history": {"kind": "table", "times": (0.0, 0.15), "factors": (0.0, 1.0)}}
    run = Run(arm(1e5, rises, tolerance=1e-4), MPI.COMM_WORLD)
    assert run.setup.drive is not None
    assert run.setup.drive.jumps == (0.0, 0.15)
    assert run.setup.drive.values(0.15)["rate_of_load_stream"] == pytest.approx(SPEED / 0.15)
    assert run.setup.drive.values(0.16)["rate_of_load_stream"] == 0.0
    for _ in run.march():
        pass
    data = run.dataset()
    frame, wrench, reaction = (data[n].values for n in ("frame", "wrench", "reaction"))
    for g, inside, held in zip(frame[:, 0], wrench[:, 0], reaction, strict=True):
        moment, force = inside.reshape(2, 3) @ g[:3, :3].T
        expected = -np.concatenate([moment + np.cross(g[:3, 3], force), force])
        np.testing.assert_allclose(held, expected, atol=1e-7 * np.abs(reaction).max())
    energies = ("stored_energy", "kinetic_energy", "dissipated_energy")
    lost = data["external_work"] - sum(data[name] for name in energies)
    # The scheme's own loss at this tolerance
    assert np.abs(lost).max() < 2e-3 * data["external_work"].values[-1]
