"""Rung 3: loads against equilibrium, rotation and finite differences, under any displacement."""

from collections.abc import Callable

import numpy as np
import pytest

from loligo.cases.rubber.elastomer import Elastomer
from loligo.fem.core.domain import Domain
from loligo.fem.core.measure import Probe
from loligo.fem.loads.base import Pressure, Traction, WaterPressure, Weight
from loligo.fem.loads.cavities import Cavity
from loligo.fem.loads.supports import Fixed
from loligo.fem.march.static import march
from loligo.fem.problem.problem import Problem
from loligo.fem.solvers.linear import Linear

Box = Callable[..., Domain]
Array = np.ndarray
External = Callable[[Problem], tuple[Array, float]]
FACES = ("x0", "x1", "y0", "y1", "z0", "z1")
SIDES = ("y0", "y1", "z0", "z1")
DOWN = (0.6, 0.0, -0.8)
RIGID = np.array([[0.36, 0.48, -0.8], [-0.8, 0.6, 0.0], [0.48, 0.64, 0.6]])  # a rotation


def _anyhow(x: Array) -> Array:
    return 0.15 * np.stack([np.sin(3 * x @ k + 1) for k in ((1, 2, -1), (2, -1, 1), (1, 1, 2))], 1)


@pytest.fixture
def loaded(box: Box, laws: dict[str, Elastomer]) -> Problem:
    """A distorted box under no supports and every kind of load."""
    return Problem(
        box(distort=0.3),
        laws["neo_hooke"],
        supports=[],
        loads=[
            Pressure("all_round", FACES),
            Pressure("end", "x1"),
            Traction("pull", "x1", (0.0, 0.6, 0.8)),
            Weight(down=DOWN),
            WaterPressure("water", FACES, depth=2.0, down=DOWN),
        ],
        cavities=[Cavity("outside", FACES)],
    )


@pytest.mark.mpi
def test_pressure_on_a_closed_surface_has_no_resultant(
    loaded: Problem, deform: Callable[..., None], external: External
) -> None:
    deform(loaded, _anyhow)
    loaded.set_value("all_round", 3e4)
    wrench, size = external(loaded)
    assert np.abs(wrench).max() < 1e-12 * size


@pytest.mark.mpi
def test_buoyancy_is_the_weight_of_the_displaced_water(
    loaded: Problem, deform: Callable[..., None], external: External
) -> None:
    deform(loaded, _anyhow)
    loaded.set_value("water", 9810.0)
    volume = -loaded.cavity_volume("outside")  # seen from outside the normal is the other one
    assert volume > 0.5
    wrench, _ = external(loaded)
    assert wrench[3:] == pytest.approx(-9810.0 * volume * np.array(DOWN), rel=1e-10, abs=1e-7)


def test_water_above_its_surface_presses_nothing(
    box: Box, laws: dict[str, Elastomer], external: External
) -> None:
    water = WaterPressure("water", FACES, depth=-5.0, down=(1.0, 0.0, 0.0))
    problem = Problem(box(), laws["neo_hooke"], supports=[], loads=[water])
    problem.set_value("water", 9810.0)
    assert external(problem)[1] == 0.0


@pytest.mark.mpi
def test_pressure_turns_with_its_surface_and_traction_does_not(
    loaded: Problem, deform: Callable[..., None], external: External
) -> None:
    deform(loaded, lambda x: x @ (RIGID - np.eye(3)).T)
    loaded.set_value("end", 2e3)
    assert external(loaded)[0][3:] == pytest.approx(-2e3 * RIGID[:, 0], abs=1e-9)
    loaded.set_value("end", 0.0)
    loaded.set_value("pull", 2e3)
    assert external(loaded)[0][3:] == pytest.approx([0.0, 1.2e3, 1.6e3], abs=1e-9)


def test_weight_is_that_of_the_reference_mass(
    loaded: Problem, deform: Callable[..., None], external: External
) -> None:
    deform(loaded, lambda x: 0.2 * _anyhow(x))
    loaded.set_value("weight", 9.81)
    assert external(loaded)[0][3:] == pytest.approx(9810.0 * np.array(DOWN), rel=1e-12, abs=1e-8)


@pytest.mark.parametrize("name", ["all_round", "end", "water", "outside"])
def test_tangent_is_the_derivative_of_the_residual(
    loaded: Problem, name: str, tangent_error: Callable[[Problem], float]
) -> None:
    loaded.set_value(name, 3e5)
    assert tangent_error(loaded) < 1e-7


HOLD = {
    "free_rim": ([Fixed("x0")], "x1"),
    "clamped_rim": ([Fixed(SIDES)], "x1"),
    "rim_in_symmetry_planes": ([Fixed(("y0", "y1"), (1,)), Fixed(("z0", "z1"), (2,))], "x1"),
    "closed": ([Fixed("x0", (0,))], FACES),
}


@pytest.mark.mpi
@pytest.mark.parametrize("name", list(HOLD))
def test_only_a_free_rim_makes_the_tangent_unsymmetric(
    box: Box, laws: dict[str, Elastomer], name: str
) -> None:
    supports, facets = HOLD[name]
    problem = Problem(
        box(distort=0.3), laws["neo_hooke"], supports=supports, loads=[Pressure("p", facets)]
    )
    linear = Linear(problem, ())
    problem.disturb()
    problem.assemble_tangent(linear.matrix)
    if name == "free_rim":
        assert linear.asymmetry() > 1e-3
        assert not linear.potential
    else:
        assert linear.asymmetry() < 1e-14
        assert linear.potential
    linear.destroy()


def _bend(box: Box, law: Elastomer, turn: Array) -> tuple[Array, Array]:
    """Tip displacement and base reaction of a cantilever under pressure, the whole turned."""
    domain = box((6, 1, 1), (6.0, 1.0, 1.0))
    domain.mesh.geometry.x[:] = domain.mesh.geometry.x @ turn.T
    problem = Problem(domain, law, supports=[Fixed("x0")], loads=[Pressure("p", "y1")])
    result = list(march(problem, [{"p": 250.0}]))[-1]
    assert result.inertia is not None
    assert not result.inertia.symmetric
    assert result.stable
    tip = Probe(domain.mesh, [turn @ [6.0, 0.5, 0.5]]).read(problem.fields.displacement_field())
    return tip[0], problem.reaction("x0")


@pytest.mark.mpi
def test_a_turned_problem_has_the_turned_answer(box: Box, laws: dict[str, Elastomer]) -> None:
    tip, reaction = _bend(box, laws["neo_hooke"], np.eye(3))
    turned_tip, turned_reaction = _bend(box, laws["neo_hooke"], RIGID)
    assert tip[1] < -1.0  # positive pressure pushes the side y = 1 down, and far
    assert turned_tip == pytest.approx(RIGID @ tip, abs=1e-8)
    for part in (slice(0, 3), slice(3, 6)):
        expected = RIGID @ reaction[part]
        assert turned_reaction[part] == pytest.approx(expected, abs=1e-8 * np.abs(expected).max())


@pytest.mark.mpi
def test_reactions_balance_a_bent_weight(
    box: Box, laws: dict[str, Elastomer], external: External
) -> None:
    domain = box((6, 1, 1), (6.0, 1.0, 1.0))
    beam = Problem(
        domain, laws["neo_hooke"], supports=[Fixed("x0")], loads=[Weight(down=(0.0, 0.0, -1.0))]
    )
    list(march(beam, [{"weight": 0.2}]))
    tip = Probe(domain.mesh, [[6.0, 0.5, 0.5]]).read(beam.fields.displacement_field())[0]
    assert tip[2] < -0.5
    loads, _ = external(beam)
    assert loads[3:] == pytest.approx([0.0, 0.0, -0.2 * 6000.0], abs=1e-8)
    assert beam.reaction("x0") == pytest.approx(-loads, abs=1e-7 * np.abs(loads).max())
