"""Rung 2: homogeneous states of every law through the solver, against closed forms written here."""

from collections.abc import Callable

import numpy as np
import pytest
from scipy.optimize import brentq

from loligo.cases.rubber.elastomer import Elastomer, NeoHooke
from loligo.fem.core.domain import Domain
from loligo.fem.loads.supports import Fixed, Moved
from loligo.fem.march.static import march
from loligo.fem.problem.problem import Problem

Array = np.ndarray
Stress = Callable[[Elastomer, Array], Array]
SYMMETRY = (Fixed("x0", (0,)), Fixed("y0", (1,)), Fixed("z0", (2,)))


def _stretch(i: int, factor: float = 1.0) -> Callable[[Array, float], Array]:
    def motion(x: Array, value: float) -> Array:
        u = np.zeros_like(x)
        u[i] = factor * value * x[i]
        return u

    return motion


def _shear(x: Array, value: float) -> Array:
    return np.stack([value * x[1], 0 * x[1], 0 * x[1]])


# Supports that force F, and F itself at value v; the face z = 1 is free to move along z.
MODES = {
    "uniaxial": (
        (*SYMMETRY, Moved("v", "x1", _stretch(0), (0,))),
        lambda v: np.diag([1 + v, (1 + v) ** -0.5, (1 + v) ** -0.5]),
    ),
    "biaxial": (
        (
            *SYMMETRY,
            Moved("v", "x1", _stretch(0), (0,)),
            Moved("v", "y1", _stretch(1), (1,)),
        ),
        lambda v: np.diag([1 + v, 1 + v, (1 + v) ** -2]),
    ),
    "planar": (
        (*SYMMETRY, Fixed("y1", (1,)), Moved("v", "x1", _stretch(0), (0,))),
        lambda v: np.diag([1 + v, 1.0, 1 / (1 + v)]),
    ),
    "simple_shear": (
        (
            Fixed("z0", (2,)),
            Moved("v", ("x0", "x1", "y0", "y1"), _shear),
            Moved("v", ("z0", "z1"), _shear, (0, 1)),
        ),
        lambda v: np.array([[1, v, 0], [0, 1, 0], [0, 0, 1.0]]),
    ),
}


def _face_z_free(stress: Array) -> Array:
    """Add the pressure that leaves the face z = 1 without traction."""
    return stress - stress[2, 2] * np.eye(3)


def _mean_stress(problem: Problem) -> Array:
    """Volume mean of the first Piola-Kirchhoff stress in the unit cube: sum of nodal f (x) X."""
    residual = problem.assemble_residual()[1].array_r
    virial = np.einsum(
        "ni,nj", residual[problem.fields.node_unknowns], problem.fields.node_positions
    )
    return problem.domain.mesh.comm.allreduce(virial)


def _solve(domain: Domain, elastomer: Elastomer, mode: str, value: float) -> Array:
    supports, _ = MODES[mode]
    problem = Problem(domain, elastomer, supports=supports)
    results = list(march(problem, [{n: value for n in problem.values}]))
    assert results[-1].target == 0
    assert results[-1].stable
    return _mean_stress(problem)


@pytest.mark.parametrize(("mode", "value"), [(m, 0.5 if "shear" in m else 1.0) for m in MODES])
def test_state_is_exact(
    box: Callable[..., Domain], elastomer: Elastomer, extra_stress: Stress, mode: str, value: float
) -> None:
    f = MODES[mode][1](value)
    expected = _face_z_free(extra_stress(elastomer, f @ f.T)) @ np.linalg.inv(f).T
    found = _solve(box(distort=0.3), elastomer, mode, value)
    assert found == pytest.approx(expected, abs=1e-8 * np.abs(expected).max())


@pytest.mark.mpi
def test_neo_hooke_uniaxial_is_exact_on_any_number_of_ranks(
    box: Callable[..., Domain], laws: dict[str, Elastomer]
) -> None:
    found = _solve(box(distort=0.3), laws["neo_hooke"], "uniaxial", 1.0)
    assert found[0, 0] == pytest.approx(1e5 * (2 - 2**-2), rel=1e-8)


# Nominal stress at stretch 2 (MPa): F5 of the benchmark list, to the digits given there.
TABLE = {"neo_hooke": 0.1750, "mooney_rivlin": 0.1575, "yeoh": 0.6650, "gent": 0.1875}


@pytest.mark.parametrize("law", [*TABLE, "ogden"])
def test_closed_form_agrees_with_the_published_uniaxial_numbers(
    laws: dict[str, Elastomer], extra_stress: Stress, law: str
) -> None:
    f = MODES["uniaxial"][1](1.0)
    cauchy = _face_z_free(extra_stress(laws[law], f @ f.T))
    stress = cauchy[0, 0] / f[0, 0] * 1e-6
    if law == "ogden":
        assert stress == pytest.approx(0.60272, abs=5e-6)
    else:
        assert stress == pytest.approx(TABLE[law], rel=1e-12)


@pytest.mark.parametrize(
    ("law", "expected"), [("neo_hooke", (0.05, 0.025, 0)), ("mooney_rivlin", (0.05, 0.02, -0.005))]
)
def test_closed_form_agrees_with_the_published_shear_numbers(
    laws: dict[str, Elastomer], extra_stress: Stress, law: str, expected: tuple[float, ...]
) -> None:
    f = MODES["simple_shear"][1](0.5)
    stress = _face_z_free(extra_stress(laws[law], f @ f.T)) * 1e-6
    assert (stress[0, 1], stress[0, 0], stress[1, 1]) == pytest.approx(expected, abs=1e-12)


def test_normal_stresses_in_shear_obey_the_universal_relation(
    box: Callable[..., Domain], elastomer: Elastomer
) -> None:
    f = MODES["simple_shear"][1](0.8)
    stress = _solve(box(distort=0.3), elastomer, "simple_shear", 0.8) @ f.T
    assert stress[0, 0] - stress[1, 1] == pytest.approx(0.8 * stress[0, 1], rel=1e-8)


@pytest.mark.parametrize("method", ["mixed", "displacement"])
def test_compressible_neo_hooke_contracts_as_its_lateral_equilibrium_says(
    box: Callable[..., Domain], method: str
) -> None:
    mu, kappa, stretch = 1e5, 4e5, 1.6

    def lateral(t: float) -> float:  # Kirchhoff stress across, W = mu/2 (I1bar - 3) + k/2 (J-1)^2
        j = stretch * t**2
        return mu * j ** (-2 / 3) * (t**2 - stretch**2) / 3 + kappa * (j - 1) * j

    t = brentq(lateral, 0.5, 1.0, xtol=1e-15)
    j = stretch * t**2
    axial = mu * j ** (-2 / 3) * 2 / 3 * (stretch**2 - t**2) + kappa * (j - 1) * j
    law = NeoHooke(mu=mu, density=1000, bulk_modulus=kappa)
    problem = Problem(box(distort=0.3), law, supports=MODES["uniaxial"][0], method=method)
    list(march(problem, [{"v": stretch - 1}]))
    expected = np.diag([axial / stretch, 0.0, 0.0])
    assert _mean_stress(problem) == pytest.approx(expected, abs=1e-8 * axial)
    outer = np.isclose(problem.fields.node_positions[:, 1], 1.0)
    across = problem.fields.function.x.array[problem.fields.node_unknowns[outer, 1]]
    assert across == pytest.approx(t - 1, abs=1e-9)
