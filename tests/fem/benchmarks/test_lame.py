"""F11: Lame's sphere and tube under inner pressure, the small-strain limit of Rivlin's."""

from collections.abc import Callable

import pytest
import ufl
from dolfinx.fem import Constant, form

from loligo.cases.rubber.elastomer import NeoHooke
from loligo.fem.core.domain import Domain
from loligo.fem.core.measure import global_sum
from loligo.fem.loads.base import Pressure
from loligo.fem.loads.supports import Fixed
from loligo.fem.march.static import march
from loligo.fem.problem.problem import Problem

Build = Callable[..., Domain]
Check = Callable[..., None]
E, NU, A, B = 1e5, 0.3, 10.0, 15.0
LAW = NeoHooke(mu=E / 2 / (1 + NU), density=1, bulk_modulus=E / 3 / (1 - 2 * NU))
SHARE = 1e-6  # pressure over E: strains are small to 1e-6
SYMMETRY = (Fixed("x0", (0,)), Fixed("y0", (1,)), Fixed("z0", (2,)))


def _sphere(r: float) -> float:
    growth = (1 - 2 * NU) * r + (1 + NU) * B**3 / (2 * r**2)
    return SHARE * A**3 / (B**3 - A**3) * growth


def _tube(r: float) -> float:
    """In plane strain."""
    return SHARE * (1 + NU) * A**2 / (B**2 - A**2) * ((1 - 2 * NU) * r + B**2 / r)


def test_the_closed_forms_agree_with_the_published_numbers() -> None:
    assert _sphere(A) / SHARE == pytest.approx(10.9211, abs=5e-5)
    assert _tube(A) / SHARE == pytest.approx(27.5600, abs=5e-5)


@pytest.mark.parametrize("method", ["mixed", "displacement"])
@pytest.mark.parametrize("body", ["sphere", "tube"])
def test_the_inside_moves_as_the_closed_form_says(
    octant: Build, tube: Build, check: Check, body: str, method: str
) -> None:
    if body == "sphere":
        domain, exact, ends = octant(A, B, 1.2), _sphere(A), ()
    else:
        domain, exact, ends = tube(A, B, 2.0, (4, 10, 1)), _tube(A), (Fixed("x1", (0,)),)
    problem = Problem(
        domain, LAW, supports=(*SYMMETRY, *ends), loads=[Pressure("p", "inner")], method=method
    )
    list(march(problem, [{"p": SHARE * E}]))
    k, inside = problem.kinematics, problem.kinematics.facets("inner")
    outward = -ufl.dot(k.displacement, ufl.FacetNormal(domain.mesh))
    mean = global_sum(form(outward * inside)) / global_sum(
        form(Constant(domain.mesh, 1.0) * inside)
    )
    check("F11", f"{body}, {method}: u(A)", mean, exact, 1e-4)
