"""A power law of viscosity against that of a joint's bars, which is Zhang's."""

from collections.abc import Callable

import numpy as np
import pytest

from loligo.cases.rubber.elastomer import NeoHooke
from loligo.fem.core.domain import Domain
from loligo.fem.loads.supports import Fixed, Moved
from loligo.fem.march.motion import TimeControl, move
from loligo.fem.problem.problem import Problem
from loligo.reduced.joint.material import PowerLaw

MU, ETA, INDEX = 1e4, 2e3, 0.3
END = 0.02
"""ln of the stretch at the end."""


def fibre(box: Callable[..., Domain], rubber: NeoHooke) -> Problem:
    """A cube that is free to thin, pulled along x by its end."""
    return Problem(
        box((1, 1, 1)),
        rubber,
        supports=[
            *(Fixed(f"{axis}0", (i,)) for i, axis in enumerate("xyz")),
            Moved("by", "x1", lambda x, value: np.full_like(x, value), (0,)),
        ],
        moving=True,
    )


def pulled(box: Callable[..., Domain], rate: float, smallest: float) -> tuple[float, float]:
    """Viscous nominal stress, and dissipated power, of a free cube at a rate of ln stretch."""
    light = NeoHooke(mu=MU, density=1e-4, viscosity=ETA, rate_index=INDEX, smallest_rate=smallest)
    problem = fibre(box, light)
    duration = END / rate
    control = TimeControl(tolerance=None, longest=duration / 20, rho_inf=0.5)
    grow = lambda t: {"by": np.expm1(rate * t)}  # noqa: E731
    for _ in move(problem, (0.0, duration), grow, control=control):
        pass
    stretch = np.exp(END)
    elastic = MU * (stretch - stretch**-2)
    return float(problem.reaction("x1")[3]) - elastic, problem.dissipated_power()


@pytest.mark.parametrize("rate", [0.02, 2.0])
def test_a_fibre_carries_the_joints_power_law(box: Callable[..., Domain], rate: float) -> None:
    """At a stretch of 1 the joint's nominal stress and the solid's are one.

    The Kirchhoff stress is that of the true rate, so that beyond it the nominal one has the factor
    stretch^-(1 + k), as 3 eta rate/stretch^2 of Newton's law has.
    """
    stretch, joint = np.exp(END), PowerLaw(consistency=3.0 * ETA, index=INDEX)
    found, power = pulled(box, rate, joint.smallest_rate)
    told = float(joint.stress(np.array(stretch), np.array(rate * stretch)))
    assert found == pytest.approx(told * stretch ** -(1.0 + INDEX), rel=2e-3)
    assert found == pytest.approx(told, rel=0.03)
    assert power == pytest.approx(found * rate * stretch, rel=5e-3)


def test_a_hysteresis_loop_has_the_area_of_the_closed_form(box: Callable[..., Domain]) -> None:
    """pi 3 eta omega e^2 of a fibre that is strained by e sin(omega t), odd in the rate."""
    rubber = NeoHooke(mu=MU, density=1e-4, viscosity=ETA)
    problem = fibre(box, rubber)
    size, turn = 1e-3, 2.0 * np.pi
    times = np.linspace(0.0, 1.5, 97)
    control = TimeControl(tolerance=None, rho_inf=0.5)
    strain = lambda t: {"by": size * np.sin(turn * t)}  # noqa: E731
    force = [
        float(problem.reaction("x1")[3]) for _ in move(problem, times, strain, control=control)
    ]
    strains, loop = size * np.sin(turn * times[1:]), np.array(force)
    cycle = slice(-65, None)  # the last period, both ends included
    area = float(np.trapezoid(loop[cycle], strains[cycle]))
    assert area == pytest.approx(3.0 * np.pi * ETA * turn * size**2, rel=5e-3)
    # Half a period later the rate is the other one, and so is the force, but for finite strain.
    assert loop[-1] == pytest.approx(-loop[-33], rel=0.02)


def test_below_the_smallest_rate_it_is_newtons(box: Callable[..., Domain]) -> None:
    smallest, rate = 2.0, 0.02
    found, _ = pulled(box, rate, smallest)
    newton = 3.0 * ETA * smallest ** (INDEX - 1.0) * rate
    assert found == pytest.approx(newton / np.exp(END), rel=2e-3)
