"""The jet of a mantle: its force for a known rate of volume, its tangent, its work."""

from typing import Any

from mpi4py import MPI

import numpy as np
import pytest
from dolfinx.fem import Constant, form

from loligo.cases.case import Case
from loligo.cases.fluid import Jet
from loligo.fem.core.domain import distribute
from loligo.fem.core.measure import global_sum
from loligo.fem.from_case import set_up
from loligo.fem.problem.generalised_alpha import Rates
from loligo.fem.problem.problem import Problem
from loligo.fem.run import Run
from loligo.fem.solvers.vibrations import vibrations
from loligo.fem.water.jet import JetWater
from loligo.meshes.build import build_mesh

JET = Jet(1000.0, 4.9e-4, 1.4e-3, 0.9)
ADDED = 1.1


def mantle(**more: Any) -> Case:
    return Case.model_validate(
        {
            "name": "mantle",
            "title": "t",
            "source": "s",
            "body": {
                "kind": "mantle",
                "radius": 0.031,
                "thickness": 0.004,
                "truncation": np.pi / 4,
                "cylinder_length": 0.03,
            },
            "material": {
                "body": {
                    "energy": "neo_hooke",
                    "mu": 13e3,
                    "density": 1080.0,
                    "viscosity": 200.0,
                }
            },
            "water": {
                "density": JET.density,
                "base_depth": 1.0,
                "nozzle": {"outflow": JET.outflow, "inflow": JET.inflow, "loss": JET.loss},
                "wall": {"added": ADDED},
            },
            "load": {
                "ring": {
                    "kind": "hoop_tension",
                    "tension": 15.0,
                    "history": {"kind": "triangle", "frequency": 5.0},
                }
            },
            "mesh": {"size": 0.016},
            "time": {"duration": 0.2, "every": 0.1, "tolerance": 1e-3},
            **more,
        }
    )


@pytest.fixture(scope="module")
def held() -> Problem:
    case, comm = mantle(), MPI.COMM_WORLD
    mesh = build_mesh(case.body, 0, size=case.mesh.size) if comm.rank == 0 else None
    return set_up(case, distribute(mesh, comm)).problem


@pytest.mark.mpi
@pytest.mark.parametrize("rate", [-3.0, 2.0])
def test_a_mantle_that_widens_at_a_known_rate(held: Problem, rate: float) -> None:
    """By y and z at c times themselves the volume grows by 2 c V, whatever its shape."""
    water, fields, motion = held.water, held.fields, held.motion
    assert isinstance(water, JetWater) and motion is not None
    fields.function.x.array[:] = 0.0
    velocity = np.zeros_like(fields.function.x.array)
    place = fields.nodal_space.tabulate_dof_coordinates()
    velocity[fields.every_node_unknowns] = rate * place * (0.0, 1.0, 1.0)
    motion.set(Rates(0.0, velocity, 0.0, np.zeros_like(velocity)))
    volume = held.cavity_volume("mantle")
    area = JET.outflow if rate < 0.0 else JET.inflow
    expected = -JET.density * JET.loss * 2.0 * rate * volume * abs(2.0 * rate * volume) / area
    assert water.thrust() == pytest.approx(expected, rel=1e-9)
    force = np.zeros(fields.owned)
    water.add_force(1.0, force)
    total = held.comm.allreduce(force[fields.node_unknowns].sum(axis=0))
    np.testing.assert_allclose(total, [-expected, 0.0, 0.0], atol=1e-9 * abs(expected))


@pytest.mark.mpi
def test_water_that_moves_with_the_wall(held: Problem) -> None:
    """B_s of Renda 2018, Eq 14: energy and force of inertia are 1 + B_s times those of the wall."""
    fields, motion = held.fields, held.motion
    assert motion is not None
    fields.function.x.array[:] = 0.0
    velocity, rate = np.zeros((2, len(fields.function.x.array)))
    velocity[fields.every_node_unknowns] = (1.0, 2.0, 2.0)
    rate[fields.every_node_unknowns] = (0.0, 3.0, 4.0)
    motion.set(Rates(0.0, velocity, 0.0, rate))
    every = held.kinematics.cells(tuple(held.materials))
    wall = 1080.0 * global_sum(form(Constant(held.domain.mesh, 1.0) * every))
    assert held.kinetic_energy() == pytest.approx((1.0 + ADDED) * wall * 9.0 / 2.0, rel=1e-12)
    residual = held.assemble_residual()[1].array_r[fields.node_unknowns]
    force = held.comm.allreduce(residual.sum(axis=0))
    # Along x is the thrust of the rate at which water is drawn in.
    expected = (1.0 + ADDED) * wall * np.array([3.0, 4.0])
    np.testing.assert_allclose(force[1:], expected, rtol=1e-9)
    # A mode has unit modal mass, by the same water.
    slowest = vibrations(held, 1)[0].mode
    motion.set(Rates(0.0, slowest, 0.0, np.zeros_like(slowest)))
    assert held.kinetic_energy() == pytest.approx(0.5, rel=1e-9)


@pytest.mark.mpi
def test_the_tangent_is_that_of_the_force(held: Problem) -> None:
    water, fields, motion = held.water, held.fields, held.motion
    assert isinstance(water, JetWater) and motion is not None
    x, nodes = fields.function.x.array, fields.every_node_unknowns
    place = fields.nodal_space.tabulate_dof_coordinates() / 0.03
    start, way = np.zeros_like(x), np.zeros_like(x)
    start[nodes] = 0.05 * np.sin(place @ [[1.0, 2.0, 0.5], [0.3, -1.0, 1.0], [2.0, 0.1, -1.0]])
    way[nodes] = np.cos(place @ np.diag([1.0, 2.0, -1.0]))
    x[nodes] = 3e-3 * np.sin(2.0 * place)
    x[:] = np.where(way == 0.0, 0.0, x)
    here = x.copy()
    motion.set(Rates(60.0, start, 0.0, np.zeros_like(x)))
    found, sides = np.zeros(fields.owned), []
    water.add_tangent(way, found)
    h = 1e-6
    for side in (-h, h):
        x[:] = here + side * way
        force = np.zeros(fields.owned)
        water.add_force(1.0, force)
        sides.append(force)
    x[:] = here
    largest = held.comm.allreduce(np.abs(found).max(), MPI.MAX)
    assert largest > 0.0
    # Central differences of a function that is nearly quadratic.
    np.testing.assert_allclose(found, -(sides[1] - sides[0]) / (2 * h), atol=1e-6 * largest)


@pytest.mark.mpi
def test_what_a_stream_does_to_a_mantle_and_to_one_that_is_towed() -> None:
    """Eq 12 by the velocity of the base in the water and the widest ring; Eq 14 and buoyancy."""
    case, comm, drag = mantle(), MPI.COMM_WORLD, 1.7
    assert case.water is not None
    flow = {"kind": "current", "velocity": (-0.5, 0.0, 0.0)}
    water = {**case.water.model_dump(), "hull": {"drag": drag}}
    case = mantle(water=water, load={"flow": flow})
    mesh = build_mesh(case.body, 0, size=case.mesh.size) if comm.rank == 0 else None
    problem = set_up(case, distribute(mesh, comm)).problem
    fields, motion, jet = problem.fields, problem.motion, problem.water
    assert isinstance(jet, JetWater) and motion is not None
    volume = problem.cavity_volume("mantle")
    place = fields.nodal_space.tabulate_dof_coordinates()
    towed, wide = np.zeros((2, len(fields.function.x.array)))
    wide[fields.every_node_unknowns] = 0.1 * place * (0.0, 1.0, 1.0)
    fields.function.x.array[:] = wide
    towed[fields.every_node_unknowns] = (0.2, 0.0, 0.0)
    problem.set_value("load_flow", 0.5)
    assert jet.flows
    problem.set_value("rate_of_load_flow", 3.0)
    motion.set(Rates(0.0, towed, 0.0, np.zeros_like(towed)))
    slip = 0.2 + 0.5
    expected = -0.5 * JET.density * drag * np.pi * (1.1 * 0.031) ** 2 * slip**2
    # Of the widest ring of a coarse mesh.
    assert jet.drag() == pytest.approx(expected, rel=3e-3)
    assert problem.cavity_volume("mantle") > volume
    assert jet.driving_power() == pytest.approx((jet.drag() - jet.thrust()) * 0.2, rel=1e-9)
    every = problem.kinematics.cells(tuple(problem.materials))
    size = global_sum(form(Constant(problem.domain.mesh, 1.0) * every))
    problem.set_value("load_flow", 0.0)
    motion.rest()
    residual = problem.assemble_residual()[1].array_r[fields.node_unknowns]
    force = -problem.comm.allreduce(residual.sum(axis=0))
    pushed = (JET.density + ADDED * 1080.0) * size * -3.0
    np.testing.assert_allclose(force, [pushed, 0.0, 0.0], atol=1e-6 * abs(pushed))


@pytest.mark.slow
def test_a_mantle_in_a_steady_current_as_a_case() -> None:
    """The motion begins in equilibrium and stays; its base bears the drag of its widest ring."""
    case = mantle()
    assert case.water is not None
    water = {**case.water.model_dump(), "hull": {"drag": 1.7}}
    flow = {"kind": "current", "velocity": (0.3, 0.0, 0.0)}
    run = Run(mantle(water=water, load={"flow": flow}, mesh={"size": 0.01}), MPI.COMM_SELF)
    for _ in run.march():
        pass
    data = run.dataset()
    widest = data["profile_radius"].values.max(axis=1)
    drag = 0.5 * JET.density * 1.7 * np.pi * widest**2 * 0.3**2
    np.testing.assert_allclose(data["reaction"].values[:, 3], -drag, rtol=1e-6)
    axial = data["profile_axial"].values[:, -1]
    np.testing.assert_allclose(axial, axial[0], atol=1e-8)


@pytest.mark.slow
def test_what_the_jet_works_is_external_work() -> None:
    """With and without it the scheme loses the same, to a quarter of what the jet takes."""
    lost, works = [], []
    for dry in ({"water": None}, {}):
        time = {"duration": 0.2, "every": 0.1, "tolerance": 2e-4}
        run = Run(mantle(mesh={}, time=time, **dry), MPI.COMM_SELF)
        for _ in run.march():
            pass
        assert run.status == "complete"
        end = run.dataset().isel(step=-1)
        works.append(float(end.external_work))
        spent = end.stored_energy + end.kinetic_energy + end.dissipated_energy
        lost.append(works[-1] - float(spent))
    assert works[1] != works[0]
    assert abs(lost[1] - lost[0]) < 2e-5  # J; the jet takes 7.7e-5
