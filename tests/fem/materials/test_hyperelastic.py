"""Rung 1: energy, stress and tangent of every law at a point, against what they must satisfy."""

from functools import cache

from mpi4py import MPI

import numpy as np
import pytest
import ufl
from dolfinx.fem import Constant, Function, assemble_matrix, assemble_scalar, assemble_vector, form
from dolfinx.fem import functionspace as function_space
from dolfinx.mesh import create_unit_cube

from loligo.cases.core.record import BadInput
from loligo.cases.rubber.elastomer import (
    Elastomer,
    Gent,
    MooneyRivlin,
    NeoHooke,
    Ogden,
    OgdenTerm,
    UserLaw,
    Yeoh,
)
from loligo.fem.materials.hyperelastic import Material

REST = np.eye(3)
DX = ufl.dx(degree=1)  # everything here is constant in a cell


class AtPoint:
    """Energy, first Piola-Kirchhoff stress and tangent at a homogeneous F, without a solver."""

    def __init__(self, elastomer: Elastomer) -> None:
        mesh = create_unit_cube(MPI.COMM_SELF, 1, 1, 1)
        space = function_space(mesh, ("DG", 0, (3, 3)))
        self.material = Material(mesh, elastomer)
        self._f = Function(space)
        c, j = self._f.T * self._f, ufl.det(self._f)
        test = ufl.TestFunction(space)
        variation = self.material.isochoric_variation(c, j, self._f, test) * DX
        self._forms = [
            form(self.material.isochoric(c, j) * DX),
            form(variation),
            form(ufl.derivative(variation, self._f, ufl.TrialFunction(space))),
        ]
        volume = Function(function_space(mesh, ("DG", 0)))
        self._volume = assemble_vector(
            form(ufl.TestFunction(volume.function_space) * Constant(mesh, 1.0) * DX)
        ).array[0]

    def _set(self, f: np.ndarray) -> None:
        self._f.x.array.reshape(-1, 9)[:] = f.ravel()

    def energy(self, f: np.ndarray) -> float:
        self._set(f)
        return float(assemble_scalar(self._forms[0]))

    def stress(self, f: np.ndarray) -> np.ndarray:
        self._set(f)
        return assemble_vector(self._forms[1]).array[:9].reshape(3, 3) / self._volume

    def tangent(self, f: np.ndarray) -> np.ndarray:
        self._set(f)
        dense = assemble_matrix(self._forms[2]).to_dense()
        return dense[:9, :9].reshape(3, 3, 3, 3) / self._volume


@cache
def at_point(elastomer: Elastomer) -> AtPoint:
    return AtPoint(elastomer)


def _random(seed: int, size: float = 0.3) -> np.ndarray:
    """A deformation gradient with positive determinant, not isochoric."""
    return np.eye(3) + size * np.random.default_rng(seed).uniform(-1, 1, (3, 3))


def _rotation(seed: int) -> np.ndarray:
    q, r = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))
    q = q @ np.diag(np.sign(np.diag(r)))
    return q * np.linalg.det(q)


def test_rest_is_free_of_energy_and_stress(elastomer: Elastomer) -> None:
    point = at_point(elastomer)
    scale = elastomer.shear_modulus
    assert abs(point.energy(REST)) < 1e-14 * scale
    assert np.abs(point.stress(REST)).max() < 1e-14 * scale


def test_energy_is_objective_and_isotropic(elastomer: Elastomer) -> None:
    point = at_point(elastomer)
    f, q = _random(1), _rotation(2)
    energy = point.energy(f)
    assert energy > 0.0
    assert point.energy(q @ f) == pytest.approx(energy, rel=1e-12)
    assert point.energy(f @ q) == pytest.approx(energy, rel=1e-12)


def test_energy_ignores_volume(elastomer: Elastomer) -> None:
    point = at_point(elastomer)
    assert point.energy(1.7 * _random(1)) == pytest.approx(point.energy(_random(1)), rel=1e-12)


def test_taylor_remainders_of_stress_and_tangent_fall_with_slope_two(elastomer: Elastomer) -> None:
    point = at_point(elastomer)
    f, direction = _random(3), np.random.default_rng(4).uniform(-1, 1, (3, 3))
    energy, stress, tangent = point.energy(f), point.stress(f), point.tangent(f)
    # Between 1e-2 and 1e-3 the remainder is far above rounding and the third-order term below 10 %.
    steps = np.array([4e-3, 2e-3, 1e-3])
    first = [
        abs(point.energy(f + h * direction) - energy - h * np.sum(stress * direction))
        for h in steps
    ]
    second = [
        np.linalg.norm(
            point.stress(f + h * direction) - stress - h * np.einsum("ijkl,kl", tangent, direction)
        )
        for h in steps
    ]
    for remainder in (first, second):
        slopes = np.log2(np.array(remainder[:-1]) / remainder[1:])
        assert slopes == pytest.approx(2.0, abs=0.05)


def test_tangent_at_rest_is_the_linear_deviatoric_one(elastomer: Elastomer) -> None:
    delta = np.eye(3)
    symmetric = np.einsum("ik,jl", delta, delta) + np.einsum("il,jk", delta, delta)
    expected = elastomer.shear_modulus * (symmetric - 2 / 3 * np.einsum("ij,kl", delta, delta))
    tangent = at_point(elastomer).tangent(REST)
    assert tangent == pytest.approx(expected, abs=1e-10 * elastomer.shear_modulus)


def _ogden_in_principal_axes(
    elastomer: Ogden, stretch: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """P and dP/dF at F = diag(stretch), written by hand in principal stretches."""
    bar = stretch / np.prod(stretch) ** (1 / 3)
    tau, slope = np.zeros(3), np.zeros((3, 3))
    for term in elastomer.terms:
        power = bar**term.alpha
        tau += term.mu * (power - power.mean())
        slope += (
            term.mu
            * term.alpha
            * (np.diag(power) - (power[:, None] + power[None, :]) / 3 + power.sum() / 9)
        )
    stress = tau / stretch
    normal = (slope - np.diag(tau)) / np.outer(stretch, stretch)
    tangent = np.zeros((3, 3, 3, 3))
    for i in range(3):
        for j in range(3):
            tangent[i, i, j, j] = normal[i, j]
    for i, j in ((0, 1), (1, 2), (2, 0)):
        li, lj, pi, pj = stretch[i], stretch[j], stress[i], stress[j]
        if li == lj:
            plus, minus = (
                normal[i, i] - normal[i, j] + pi / li,
                normal[i, i] - normal[i, j] - pi / li,
            )
            same, swapped = plus / 2, minus / 2
        else:
            same = (li * pi - lj * pj) / (li**2 - lj**2)
            swapped = (lj * pi - li * pj) / (li**2 - lj**2)
        tangent[i, j, i, j] = tangent[j, i, j, i] = same
        tangent[i, j, j, i] = tangent[j, i, i, j] = swapped
    return np.diag(stress), tangent


APART = [
    (2.0, 0.8, 0.6),
    (1.001, 1.0, 0.999),
    (1.3, 1.301, 0.5),
    (4.0, 0.501, 0.5),
    (0.3, 1.9, 2.1),
    (2.0, 1.92, 0.5),  # the pair is as far apart as its series reaches
]
REPEATED = [
    (1.0, 1.0, 1.0),
    (1.0 + 1e-9, 1.0, 1.0),
    (1.0 + 1e-5, 1.0, 1.0 - 1e-5),
    (2.0, 2.0**-0.5, 2.0**-0.5),
    (6.0, 6.0**-0.5, 6.0**-0.5),
    (2.0, 2.0, 0.25),
    (4.0, 4.0, 1 / 16),
    (1.02, 1.02, 0.9),
    (1.5, 1.5 + 1e-7, 0.4),
]


@pytest.mark.parametrize(
    ("stretch", "of_stress", "of_tangent"),
    [(s, 1e-8, 1e-8) for s in APART] + [(s, 1e-6, 1e-5) for s in REPEATED],
)
def test_ogden_by_principal_stretches(
    laws: dict[str, Elastomer], stretch: tuple[float, ...], of_stress: float, of_tangent: float
) -> None:
    law = laws["ogden"]
    assert isinstance(law, Ogden)
    stress, tangent = _ogden_in_principal_axes(law, np.array(stretch))
    left, right = _rotation(5), _rotation(6)
    f = left @ np.diag(stretch) @ right.T
    point = at_point(law)
    expected = left @ stress @ right.T
    scale = max(np.abs(expected).max(), law.shear_modulus)
    assert point.stress(f) == pytest.approx(expected, abs=of_stress * scale)
    expected = np.einsum("ijkl,ai,bj,ck,dl", tangent, left, right, left, right)
    assert point.tangent(f) == pytest.approx(expected, abs=of_tangent * np.abs(expected).max())


def test_ogden_with_exponents_two_and_minus_two_is_mooney_rivlin(
    laws: dict[str, Elastomer],
) -> None:
    mooney = laws["mooney_rivlin"]
    assert isinstance(mooney, MooneyRivlin)
    terms = (OgdenTerm(mu=2 * mooney.c10, alpha=2.0), OgdenTerm(mu=-2 * mooney.c01, alpha=-2.0))
    zero = OgdenTerm(mu=0.0, alpha=1.0)  # three terms, so that the compiled form is shared
    twin = Ogden(terms=(*terms, zero), density=mooney.density)
    for seed in range(5):
        f = _random(seed)
        assert at_point(twin).energy(f) == pytest.approx(at_point(mooney).energy(f), rel=1e-12)
        assert at_point(twin).stress(f) == pytest.approx(
            at_point(mooney).stress(f), abs=1e-11 * mooney.shear_modulus
        )


def test_new_numbers_of_the_same_law_need_no_new_forms() -> None:
    material = (point := AtPoint(Yeoh(c10=1e5, c20=2e4, density=1000))).material
    f = _random(7)
    before = point.energy(f)
    material.set(Yeoh(c10=2e5, c20=4e4, density=2000))
    assert point.energy(f) == pytest.approx(2 * before, rel=1e-14)
    assert material.density.value == 2000


@pytest.mark.parametrize(
    "other",
    [
        NeoHooke(mu=1e5, density=1000),
        Gent(mu=1e5, limit=30.0, density=1000, bulk_modulus=1e7),
        Ogden(terms=(OgdenTerm(mu=1e5, alpha=2.0),), density=1000),
    ],
)
def test_another_law_is_refused(laws: dict[str, Elastomer], other: Elastomer) -> None:
    base = laws["ogden"] if isinstance(other, Ogden) else laws["gent"]
    material = Material(create_unit_cube(MPI.COMM_SELF, 1, 1, 1), base)
    with pytest.raises(ValueError, match="build a new problem"):
        material.set(other)


def test_volumetric_parts_give_the_bulk_modulus() -> None:
    mesh = create_unit_cube(MPI.COMM_SELF, 1, 1, 1)
    bulk = 3e7
    material = Material(mesh, NeoHooke(mu=1e5, density=1000, bulk_modulus=bulk))
    j, p = Constant(mesh, 0.98), Constant(mesh, 0.02 * bulk)
    assert assemble_scalar(form(material.volumetric(j) * DX)) == pytest.approx(
        bulk / 2 * 0.02**2, rel=1e-12
    )
    # Stationary in p at p = -kappa (J - 1), where both forms agree.
    assert assemble_scalar(form(material.mixed_volumetric(j, p) * DX)) == pytest.approx(
        bulk / 2 * 0.02**2, rel=1e-12
    )
    variable = ufl.variable(p)
    slope = ufl.diff(material.mixed_volumetric(j, variable), variable)
    assert abs(assemble_scalar(form(slope * DX))) < 1e-12


def test_displacement_form_refuses_incompressible(laws: dict[str, Elastomer]) -> None:
    mesh = create_unit_cube(MPI.COMM_SELF, 1, 1, 1)
    material = Material(mesh, laws["neo_hooke"])
    with pytest.raises(ValueError, match="mixed"):
        material.volumetric(Constant(mesh, 1.0))


def test_a_users_own_energy_is_its_twin() -> None:
    yeoh = Yeoh(c10=1e4, c20=-1500.0, c30=40.0, density=1000)

    def energy(i1: object, i2: object, math: object, *, c10: float, c20: float, c30: float):
        x = i1 - 3
        return c10 * x + c20 * x**2 + c30 * x**3

    record = UserLaw(
        entry="mine:energy",
        mu=2e4,
        parameters={"c10": 1e4, "c20": -1500.0, "c30": 40.0},
        density=1000,
    )
    own, known = AtPoint(record.bound(energy)), AtPoint(yeoh)
    f = _random(3)
    assert own.energy(f) == pytest.approx(known.energy(f), rel=1e-12)
    assert own.stress(f) == pytest.approx(known.stress(f), abs=1e-10 * 1e4)
    assert own.tangent(f) == pytest.approx(known.tangent(f), abs=1e-9 * 1e4)
    with pytest.raises(ValueError, match="--trust"):
        AtPoint(record)


def test_a_users_own_energy_that_is_no_formula_is_named() -> None:
    """It serves numbers, so that only the finite elements find out."""
    record = UserLaw(entry="mine:energy", mu=1.0, density=1000)
    with pytest.raises(BadInput, match=r'"mine:energy" is no formula: TypeError.*third argument'):
        AtPoint(record.bound(lambda i1, i2, math: np.exp(i1 - 3.0) - 1.0))
