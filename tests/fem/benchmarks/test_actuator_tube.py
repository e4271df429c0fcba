"""Zhang's actuator with its ends free to slide, hooped and bare, against its energy.

A closed tube, bore 8 mm in silicone to 14 mm (Zhang et al. 2022, Table 1). Its ends stay plane, so
that the wall's axial force balances the pressure on the cap; lengths in mm, pressures in MPa.
"""

from collections.abc import Callable

import numpy as np
import pytest
from scipy.optimize import minimize_scalar, root_scalar

from loligo.cases.rubber.elastomer import Yeoh
from loligo.fem.core.domain import Domain
from loligo.fem.loads.cavities import Cavity
from loligo.fem.loads.supports import Fixed, Moved
from loligo.fem.march.static import march
from loligo.fem.materials.thread import ThreadMembrane
from loligo.fem.problem.problem import Problem

Check = Callable[..., None]
C = (12563e-6, -67.784e-6, 2.7385e-6)
BORE, OUTER, LENGTH = 8.0, 14.0, 3.0
NODES, WEIGHTS = np.polynomial.legendre.leggauss(40)
RADIUS = (OUTER + BORE) / 2 + (OUTER - BORE) / 2 * NODES


def _energy(bore: complex, stretch: complex) -> complex:
    """Energy per reference length, of the deformed bore's radius and the axial stretch."""
    hoop = (bore**2 + (RADIUS**2 - BORE**2) / stretch) / RADIUS**2  # squared
    x = hoop + stretch**2 + 1 / (hoop * stretch**2) - 3
    density = x * (C[0] + x * (C[1] + x * C[2]))
    return (OUTER - BORE) / 2 * np.sum(WEIGHTS * density * 2 * np.pi * RADIUS)


def _hooped_pressure(stretch: float) -> float:
    """p dV = dU at a fixed outer radius, V = pi OUTER^2 stretch less the wall."""

    def along(s: complex) -> complex:
        return _energy(np.sqrt(OUTER**2 - (OUTER**2 - BORE**2) / s), s)

    return along(stretch + 1e-20j).imag / 1e-20 / (np.pi * OUTER**2)


def _bare(bore: float) -> tuple[float, float]:
    """Pressure and axial stretch of the bare tube, from both derivatives of p V - U."""

    def pressure(stretch: float) -> float:
        return _energy(bore + 1e-20j, stretch).imag / 1e-20 / (2 * np.pi * bore * stretch)

    def force(stretch: float) -> float:
        return _energy(bore, stretch + 1e-20j).imag / 1e-20 - pressure(stretch) * np.pi * bore**2

    stretch = root_scalar(force, bracket=(0.9, 1.6), xtol=1e-12).root
    return pressure(stretch), stretch


def _bare_limit() -> tuple[float, float, float]:
    """Largest pressure, with the bore's and the axial stretch there."""
    top = minimize_scalar(
        lambda b: -_bare(b)[0], bounds=(1.3 * BORE, 2.6 * BORE), method="bounded"
    ).x
    return (_bare(top)[0], top / BORE, _bare(top)[1])


def test_the_closed_forms_agree_with_the_stated_numbers() -> None:
    found = [1e3 * _hooped_pressure(s) for s in (1.05, 1.1, 1.2, 1.5)]
    assert found == pytest.approx([4.505, 8.048, 13.338, 22.857], abs=6e-4)
    assert _bare_limit() == pytest.approx((10.40e-3, 1.929, 1.1675), rel=1e-3)


def _tube(tube: Callable[..., Domain], **more: object) -> Problem:
    """A quarter of a piece of the tube, far from its ends."""
    pull = Moved("pull", "x1", lambda x, v: np.stack([v * x[0], 0 * x[0], 0 * x[0]]), (0,))
    return Problem(
        tube(BORE, OUTER, LENGTH, (4, 8, 1)),
        Yeoh(c10=C[0], c20=C[1], c30=C[2], density=1),
        supports=[Fixed("x0", (0,)), Fixed("y0", (1,)), Fixed("z0", (2,)), pull],
        cavities=[Cavity("inside", "inner", open_along_x=True)],
        **more,
    )


def _pull_on_cap(problem: Problem, stretch: float, inside: float, *controlled: str) -> float:
    """The wall's axial force less the pressure's on the cap, at a pressure or a volume."""
    state = {"pull": stretch - 1, "inside": inside}
    *_, last = march(problem, [state], volume_controlled=controlled)
    area = last.volumes["inside"] / (stretch * LENGTH)
    return problem.reaction("x1")[3] - last.pressures["inside"] * area


def test_the_hooped_actuator_extends_as_its_energy_says(
    tube: Callable[..., Domain], check: Check
) -> None:
    problem = _tube(tube, windings=[ThreadMembrane("outer", 1e3)])  # N/mm: 2800 mu R
    found, stretches, guess = [], (1.05, 1.1, 1.2, 1.5), 4e-3
    for stretch in stretches:
        guess = root_scalar(
            lambda p, s=stretch: _pull_on_cap(problem, s, p), x0=guess, x1=1.2 * guess, rtol=1e-6
        ).root
        found.append(guess)
    exact = [_hooped_pressure(s) for s in stretches]
    ratio = np.divide(found, exact)
    check("actuator", "hooped actuator, free ends: p(stretch)", ratio, 1.0, 1e-2)


@pytest.mark.slow
def test_the_bare_tube_has_the_stated_limit_pressure(
    tube: Callable[..., Domain], check: Check
) -> None:
    problem = _tube(tube)
    rest = problem.cavity_volume("inside")
    growth, pressures, stretches = np.linspace(3.7, 5.0, 5), [], []
    guess = 1.1
    for share in growth:
        guess = root_scalar(
            lambda s, v=share * rest: _pull_on_cap(problem, s, v, "inside"),
            x0=guess,
            x1=guess + 0.02,
            rtol=1e-6,
        ).root
        pressures.append(problem.values["inside"])
        stretches.append(guess)
    curve = np.polynomial.Polynomial.fit(growth, pressures, 3)
    at = minimize_scalar(lambda v: -curve(v), bounds=(growth[0], growth[-1]), method="bounded").x
    stretch = np.polynomial.Polynomial.fit(growth, stretches, 3)(at)
    pressure, bore, axial = _bare_limit()
    check("actuator", "bare closed tube: limit pressure", curve(at), pressure, 1e-2)
    check("actuator", "bare closed tube: axial stretch there", stretch, axial, 1e-2)
    check("actuator", "bare closed tube: bore stretch there", np.sqrt(at / stretch), bore, 1e-2)
