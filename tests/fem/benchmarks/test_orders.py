"""Rung 4, manufactured solutions: the orders of P2 and P2/P1, on straight and on curved cells.

The body force is the divergence of the exact stress, which is written out here from the law.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import ufl
from dolfinx.fem import Constant, form

from loligo.cases.rubber.elastomer import NeoHooke
from loligo.fem.core.domain import Domain
from loligo.fem.core.kinematics import Kinematics
from loligo.fem.core.measure import global_sum
from loligo.fem.loads.supports import Moved
from loligo.fem.march.static import march
from loligo.fem.problem.problem import Problem

Build = Callable[..., Domain]
MU, KAPPA = 1.0, 5.0
ENDS = ("x0", "x1")
pytestmark = pytest.mark.slow


def _stretching(x: Any, a: Any, f: Any) -> list[Any]:
    """A smooth compressible map, u = a (...)."""
    return [
        a * f.sin(2 * x[1] + x[2]) + a * x[0] * x[1],
        a * f.cos(2 * x[0] - x[2]),
        a * f.sin(x[0] + 2 * x[1]) - a * x[2] ** 2,
    ]


def _shearing(x: Any, a: Any, f: Any) -> list[Any]:
    """Three shears one after the other, so that J = 1 exactly for every a."""
    first = x[0] + a * f.sin(x[1] + 2 * x[2])
    second = x[1] + a * f.sin(2 * first - x[2])
    third = x[2] + a * f.cos(first + second)
    return [first - x[0], second - x[1], third - x[2]]


def _exact_pressure(x: Any) -> Any:
    return 0.3 * MU * ufl.sin(x[0] + x[1]) * ufl.cos(x[2])


def _exact_stress(x: Any, map_: Any, incompressible: bool) -> Any:
    u = ufl.as_vector(map_(x, 0.15, ufl))
    f = ufl.Identity(3) + ufl.grad(u)
    j = ufl.det(f)
    pressure = _exact_pressure(x) if incompressible else -KAPPA * (j - 1)
    inverse = ufl.inv(f).T
    i1 = ufl.inner(f, f)
    return MU * j ** (-2 / 3) * (f - i1 / 3 * inverse) - pressure * j * inverse


class Manufactured:
    """The body force and, if incompressible, the traction that belong to the exact solution."""

    name = "load"

    def __init__(self, map_: Any, incompressible: bool) -> None:
        self._map, self._incompressible = map_, incompressible

    def virtual_work(self, k: Kinematics, value: Constant) -> Any:
        mesh = k.domain.mesh
        stress = _exact_stress(ufl.SpatialCoordinate(mesh), self._map, self._incompressible)
        work = -ufl.inner(ufl.div(stress), k.virtual) * k.dx(degree=6)
        if self._incompressible:
            traction = stress * ufl.FacetNormal(mesh)
            work += ufl.inner(traction, k.virtual) * k.facets(_loaded(k.domain))(degree=6)
        return value * work


def _loaded(domain: Domain) -> tuple[str, ...]:
    return tuple(name for name in domain.facet_groups if name not in ENDS)


def _errors(domain: Domain, method: str, incompressible: bool) -> dict[str, float]:
    map_ = _shearing if incompressible else _stretching
    held = tuple(domain.facet_groups)
    if incompressible:  # else a corner cell with all its nodes held could not keep its volume
        held = ENDS
    support = Moved("v", held, lambda x, a: np.stack(map_(x, 0.15 * a, np)))
    law = NeoHooke(mu=MU, density=1, bulk_modulus="incompressible" if incompressible else KAPPA)
    problem = Problem(
        domain,
        law,
        supports=[support],
        loads=[Manufactured(map_, incompressible)],
        method=method,
    )
    list(march(problem, [{"v": 1.0, "load": 1.0}]))
    x = ufl.SpatialCoordinate(domain.mesh)
    e = problem.fields.displacement - ufl.as_vector(map_(x, 0.15, ufl))
    dx = ufl.dx(domain.mesh, degree=8)
    squares = {"u": ufl.inner(e, e) * dx, "grad u": ufl.inner(ufl.grad(e), ufl.grad(e)) * dx}
    if incompressible:
        squares["p"] = (problem.fields.pressure - _exact_pressure(x)) ** 2 * dx
    return {name: global_sum(form(square)) ** 0.5 for name, square in squares.items()}


def _orders(meshes: list[Domain], method: str, incompressible: bool) -> dict[str, float]:
    coarse, fine = (_errors(domain, method, incompressible) for domain in meshes)
    return {name: float(np.log2(coarse[name] / fine[name])) for name in fine}


@pytest.mark.parametrize("curved", [False, True])
@pytest.mark.parametrize("case", ["displacement", "mixed", "incompressible"])
def test_orders(
    box: Build, tube: Build, check: Callable[..., None], case: str, curved: bool
) -> None:
    if curved:
        meshes = [tube(0.5, 1.0, 0.5, (n, 3 * n, n)) for n in (2, 4)]
    else:
        meshes = [box((n, n, n)) for n in (4, 8)]
    orders = _orders(
        meshes, "displacement" if case == "displacement" else "mixed", case == "incompressible"
    )
    row = "F1" if case == "displacement" else "F2"
    what = f"{case} on {'curved' if curved else 'straight'} cells: order of"
    for name, least in (("u", 2.85), ("grad u", 1.9), ("p", 1.9)):
        if name in orders:
            check(row, f"{what} {name}", orders[name], at_least=least)
