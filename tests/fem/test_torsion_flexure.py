"""Rung 5: Rivlin's torsion with the Poynting effect (F7), and flexure of a block (F8)."""

from collections.abc import Callable

import numpy as np
import pytest
from dolfinx.mesh import CellType

from loligo.cases.elastomer import Elastomer, MooneyRivlin, NeoHooke, Yeoh
from loligo.fem.domain import Domain
from loligo.fem.march import march
from loligo.fem.measure import Probe
from loligo.fem.problem import Problem
from loligo.fem.supports import Fixed, Moved

Build = Callable[..., Domain]
RADIUS, TWIST = 0.010, 50.0  # m, rad per m of the reference length


def _twisted(x: np.ndarray, twist: float, stretch: float) -> np.ndarray:
    """Displacement of the exact solution: sections turn by twist * X, stretch, and stay plane."""
    radial, angle = stretch**-0.5, twist * x[0]
    y = radial * (np.cos(angle) * x[1] - np.sin(angle) * x[2])
    z = radial * (np.sin(angle) * x[1] + np.cos(angle) * x[2])
    return np.stack([(stretch - 1) * x[0], y - x[1], z - x[2]])


def _end_wrench(cylinder: Build, law: Elastomer, stretch: float) -> tuple[float, float]:
    """Torque and axial force at the end of the twisted cylinder."""

    def motion(x: np.ndarray, v: float) -> np.ndarray:
        return _twisted(x, v * TWIST, 1 + v * (stretch - 1))

    problem = Problem(
        cylinder(RADIUS, 0.004, 0.0014), law, supports=[Moved("v", ("x0", "x1"), motion)]
    )
    *_, last = march(problem, [{"v": 1.0}])
    assert last.stable
    wrench = problem.reaction("x1")
    return wrench[0], wrench[3]


MR = MooneyRivlin(c10=4e4, c01=1e4, density=1000)
NH = NeoHooke(mu=1e5, density=1000)
# Torque (N m) and axial force (N): mu pi k A^4/2 and -(c10 + 2 c01) pi k^2 A^4/2.
TORQUE = 0.0785398


@pytest.mark.slow
@pytest.mark.parametrize(
    ("law", "stretch", "force"),
    [(NH, 1.0, -1.96350), (MR, 1.0, -2.35619), (NH, 1.0204138, 0.0), (MR, 1.0243240, 0.0)],
)
def test_torsion(cylinder: Build, law: Elastomer, stretch: float, force: float) -> None:
    torque, axial = _end_wrench(cylinder, law, stretch)
    assert axial == pytest.approx(force, abs=2e-3 * 1.9635)
    if stretch == 1.0:
        assert torque == pytest.approx(TORQUE, rel=2e-3)


HEIGHT = 0.010
WIDTH = 0.002


def _outer_stretch(curvature: float) -> float:
    return float(np.exp(np.arcsinh(curvature * HEIGHT) / 2))


def _flexed(x: np.ndarray, curvature: float) -> np.ndarray:
    """Displacement of the exact solution: the block 0 < X < h bends about z, lengths along y.

    r^2 = r_i^2 + 2 X/c and angle c Y, with r_i c = 1/lambda_b, sinh(2 ln lambda_b) = h c.
    """
    if curvature == 0.0:
        return np.zeros_like(x)
    inner = 1 / (_outer_stretch(curvature) * curvature)
    r, angle = np.sqrt(inner**2 + 2 * x[0] / curvature), curvature * x[1]
    return np.stack([r * np.cos(angle) - inner - x[0], r * np.sin(angle) - x[1], 0 * x[2]])


@pytest.mark.parametrize(
    ("law", "moment", "cells", "accept"),
    [
        (NH, 2.664200, 4, 3e-3),
        (NH, 2.664200, 16, 1e-4),
        (Yeoh(c10=0.11e6, c20=0.02e6, density=1000), 6.931853, 8, 3e-3),
    ],
)
def test_flexure(box: Build, law: Elastomer, moment: float, cells: int, accept: float) -> None:
    """Moments per width are given in N for h = 10 mm at hc = 1 (MPa mm^2)."""
    length = HEIGHT / cells
    domain = box((cells, 1, 1), (HEIGHT, length, WIDTH), cell=CellType.hexahedron)
    supports = [Moved("c", ("y0", "y1"), _flexed), Fixed(("z0", "z1"), (2,))]
    problem = Problem(domain, law, supports=supports)
    list(march(problem, [{"c": 1 / HEIGHT}]))
    stretch = _outer_stretch(1 / HEIGHT)
    inner = HEIGHT / stretch
    assert (inner, HEIGHT * stretch) == pytest.approx((6.43594e-3, 15.53774e-3), rel=1e-6)
    # The centre of curvature is at x = -inner; forces on a section vanish together.
    wrench = problem.reaction("y1")
    about_centre = wrench[2] + inner * wrench[4]
    assert about_centre / WIDTH == pytest.approx(moment, rel=accept)
    assert np.linalg.norm(wrench[3:5]) < accept * moment * WIDTH / HEIGHT * 10
    free = Probe(domain.mesh, [[HEIGHT, length / 2, WIDTH / 2]])
    found = free.read(problem.fields.displacement_field())[0]
    exact = _flexed(np.array([[HEIGHT], [length / 2], [WIDTH / 2]]), 1 / HEIGHT)[:, 0]
    assert found == pytest.approx(exact, abs=accept * HEIGHT)
