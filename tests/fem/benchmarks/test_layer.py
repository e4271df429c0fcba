"""A layer in shear, with the damped waves of its closed form.

Between planes that keep it from moving but along x, rubber on a plane that stays has u(y, t) with
rho u_tt = mu u_yy + eta u_yyt: nothing of it changes its volume, so that the mesh alone is in the
way. Its modes are sin((2 n - 1) pi y/(2 H)), all damped by zeta = eta omega/(2 mu).
"""

from collections.abc import Callable

from mpi4py import MPI

import numpy as np
import numpy.typing as npt
import pytest

from loligo.cases.rubber.elastomer import NeoHooke
from loligo.fem.core.domain import Domain
from loligo.fem.loads.base import Traction
from loligo.fem.loads.supports import Fixed
from loligo.fem.march.motion import TimeControl, move
from loligo.fem.problem.problem import Problem
from loligo.fem.solvers.vibrations import vibrations

Array = npt.NDArray[np.float64]
Box = Callable[..., Domain]
MU, DENSITY, HEIGHT = 1e5, 1000.0, 1.0
OMEGA = np.pi / (2.0 * HEIGHT) * np.sqrt(MU / DENSITY)
"""Of the slowest mode, undamped (1/s)."""


def layer(box: Box, zeta: float) -> Problem:
    """Four cells high; pulled along x by its upper face."""
    rubber = NeoHooke(mu=MU, density=DENSITY, viscosity=2.0 * MU * zeta / OMEGA)
    sides = ("x0", "x1", "y1", "z0", "z1")
    return Problem(
        box((1, 4, 1), (0.25, HEIGHT, 0.25)),
        rubber,
        supports=[Fixed("y0"), *(Fixed(side, (1, 2)) for side in sides)],
        loads=[Traction("pull", "y1", (1.0, 0.0, 0.0))],
        moving=True,
    )


def upper_face(problem: Problem) -> float:
    """Displacement of the upper face along x (m)."""
    top = problem.fields.node_positions[:, 1] > HEIGHT - 1e-9
    mine = problem.fields.function.x.array[problem.fields.node_unknowns[top, 0]]
    return float(problem.comm.allreduce(mine.sum(), MPI.SUM) / problem.comm.allreduce(mine.size))


def test_modes_have_the_frequency_and_the_damping_of_the_closed_form(
    box: Box, check: Callable[..., None]
) -> None:
    """The second mode has a wave of 1.3 heights: the elements are a fifth of it."""
    zeta = 0.05
    first, second = vibrations(layer(box, zeta), 2)
    check("F16", "shear of a layer: damping of the slowest mode", first.damping, zeta, 1e-3)
    exact = np.array([1.0, 3.0]) * OMEGA / (2.0 * np.pi)
    check("F16", "frequency of the slowest mode", first.frequency, exact[0], 1e-3)
    assert second.frequency == pytest.approx(exact[1], rel=5e-3)
    assert second.damping == pytest.approx(3.0 * zeta, rel=5e-3)


@pytest.mark.slow
def test_a_layer_that_is_let_go_decays_by_its_decrement(
    box: Box, check: Callable[..., None]
) -> None:
    """From a period and a half on the other modes have died: nine times as fast, at least."""
    zeta, share = 0.1, 1e-3
    problem = layer(box, zeta)
    for _ in move(problem, (0.0, 1e3), lambda _: {"pull": share * MU}, control=TimeControl()):
        pass  # it creeps to where the pull holds it
    start = upper_face(problem)
    assert start == pytest.approx(share * HEIGHT, rel=1e-5)
    period = 2.0 * np.pi / (OMEGA * np.sqrt(1.0 - zeta**2))
    times = np.linspace(0.0, 3.5 * period, 351)
    control = TimeControl(tolerance=None, rho_inf=0.8)
    path = [start, *(upper_face(problem) for _ in move(problem, times, still, control=control))]
    at, value = turning(times, np.array(path))
    late = at > 1.4 * period
    swings = np.abs(value[late])
    decrement = 2.0 * np.mean(np.log(swings[:-1] / swings[1:]))
    exact = 2.0 * np.pi * zeta / np.sqrt(1.0 - zeta**2)
    check("F16", "logarithmic decrement of a layer", decrement, exact, 1e-3)
    check("F16", "its period", 2.0 * np.diff(at[late]).mean(), period, 1e-3)


@pytest.mark.slow
def test_a_driven_layer_answers_as_its_closed_form(box: Box, check: Callable[..., None]) -> None:
    """Amplitude and phase of the upper face: tau tan(k H)/(k mu*), mu* = mu + i w eta."""
    zeta, share, turn = 0.3, 1e-3, 0.8 * OMEGA
    problem = layer(box, zeta)
    per, periods = 120, 5
    times = np.linspace(0.0, periods * 2.0 * np.pi / turn, per * periods + 1)
    pull = lambda t: {"pull": share * MU * np.sin(turn * t)}  # noqa: E731
    control = TimeControl(tolerance=None, rho_inf=0.8)
    path = np.array([upper_face(problem) for _ in move(problem, times, pull, control=control)])
    last = slice(-per, None)
    found = 2.0j * np.mean(path[last] * np.exp(-1j * turn * times[1:][last]))
    soft = MU + 1j * turn * 2.0 * MU * zeta / OMEGA
    wave = turn * np.sqrt(DENSITY / soft)
    exact = share * MU * np.tan(wave * HEIGHT) / (wave * soft)
    check("F16", "layer that is driven: amplitude", abs(found), abs(exact), 1e-3)
    check("F16", "its phase (rad)", np.angle(found), np.angle(exact), 1e-3, scale=1.0)


def still(_: float) -> dict[str, float]:
    return {"pull": 0.0}


def turning(time: Array, x: Array) -> tuple[Array, Array]:
    """Where samples of one distance turn, by parabolas through three of them."""
    i = np.flatnonzero(np.diff(x)[1:] * np.diff(x)[:-1] < 0.0) + 1
    tilt, bend = (x[i + 1] - x[i - 1]) / 2.0, x[i + 1] - 2.0 * x[i] + x[i - 1]
    return time[i] - tilt / bend * (time[1] - time[0]), x[i] - tilt**2 / (2.0 * bend)
