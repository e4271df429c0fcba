"""Lobes of walls that are pressed from outside: a clamped and free tube, and Renda's mantle.

Small lobed tractions probe them: what they move grows like 1/(p_n - p), so that its inverse falls
on a line to zero at the n-th critical pressure (Southwell), found far below it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from mpi4py import MPI

import numpy as np
import pytest
import ufl
from dolfinx.fem import form

from loligo.cases.case_file import load
from loligo.cases.rubber.elastomer import NeoHooke
from loligo.fem.core.domain import Domain, distribute
from loligo.fem.core.kinematics import Kinematics
from loligo.fem.core.measure import global_sum
from loligo.fem.loads.base import Pressure
from loligo.fem.loads.supports import Fixed
from loligo.fem.march.static import march
from loligo.fem.problem.problem import Problem
from loligo.meshes.build import build_mesh

MODULUS, RADIUS, WALL = 40e3, 0.031, 0.002  # Renda's mantle


def _long_tube(lobes: int, length: float) -> float:
    """Critical pressure of a tube, one end clamped: of a ring, and of the wall that must stretch.

    With bending along the axis left out, w = W(x) cos(n t) takes (n^2 - 1) D/R^3 around, and
    (E h/R) (1.8751 R/L)^4/(n^4 (n^2 - 1)) in the membrane, W the first mode of a cantilever.
    """
    n = lobes
    ring = (n**2 - 1) * MODULUS * WALL**3 / 9 / RADIUS**3  # 12 (1 - 1/4)
    along = (1.8751 * RADIUS / length) ** 4 / (n**4 * (n**2 - 1))
    return ring + MODULUS * WALL / RADIUS * along


@dataclass(frozen=True)
class Lobed:
    """Dead traction value * cos(lobes * azimuth) along the radius."""

    lobes: int

    @property
    def name(self) -> str:
        return f"lobes {self.lobes}"

    def along(self, k: Kinematics, v: Any) -> Any:
        """The integral of its direction times a displacement."""
        x = ufl.SpatialCoordinate(k.domain.mesh)
        angle = self.lobes * ufl.atan2(x[2], x[1])
        radius = ufl.sqrt(x[1] ** 2 + x[2] ** 2)
        return ufl.cos(angle) * (x[1] * v[1] + x[2] * v[2]) / radius * k.facets("outer")

    def virtual_work(self, k: Kinematics, value: Any) -> Any:
        return value * self.along(k, k.virtual)


def _critical(problem: Problem, probes: list[Lobed]) -> dict[int, float]:
    """Critical pressure of every number of lobes, from three pressures below all of them."""
    moved = [form(probe.along(problem.kinematics, problem.fields.displacement)) for probe in probes]
    small = dict.fromkeys([probe.name for probe in probes], 2e-4)  # Pa: a thousandth of the wall
    pressures, stiffness = (0.0, 1.0, 2.0), []
    for result in march(problem, [{"outside": p, **small} for p in pressures]):
        if result.target is not None:
            stiffness.append([1 / global_sum(one) for one in moved])
    critical = {}
    for probe, column in zip(probes, np.transpose(stiffness), strict=True):
        line = np.polynomial.Polynomial.fit(pressures, column, 1)
        assert line(np.array(pressures)) == pytest.approx(column, abs=0.01 * column[0])
        (critical[probe.lobes],) = line.roots()
    return critical


@pytest.mark.slow
def test_a_clamped_tube_takes_two_lobes_as_its_wall_says(
    tube: Callable[..., Domain], check: Callable[..., None]
) -> None:
    length, probe = 0.118, Lobed(2)
    problem = Problem(
        tube(RADIUS - WALL / 2, RADIUS + WALL / 2, length, (1, 10, 10), hexahedra=True),
        NeoHooke(mu=MODULUS / 3, density=1),
        supports=[Fixed("x0"), Fixed("y0", (1,)), Fixed("z0", (2,))],
        loads=[Pressure("outside", "outer"), probe],
    )
    found = _critical(problem, [probe])[2]
    check("mantle", "clamped tube: pressure of two lobes", found, _long_tube(2, length), 0.05)


@pytest.mark.slow
def test_lobes_of_the_mantle(check: Callable[..., None]) -> None:
    """Three lobes come where a tube of its meridian's length has them; two come before.

    The dome between clamp and tube lets two lobes pass with little stretch: 4.2 Pa, a tube 6.7 Pa.
    """
    case = load("renda_mantle_buckling")
    probes = [Lobed(n) for n in (2, 3, 4)]
    problem = Problem(
        distribute(build_mesh(case.body, 0), MPI.COMM_WORLD),
        case.material["body"],
        supports=[Fixed("base")],
        loads=[Pressure("outside", "outer"), *probes],
    )
    found = _critical(problem, probes)
    assert found[3] < found[4]
    length = case.body.meridian_length
    check("mantle", "mantle: pressure of three lobes", found[3], _long_tube(3, length), 0.05)
    check("mantle", "mantle: three lobes over two", found[3] / found[2], at_least=1.0)
