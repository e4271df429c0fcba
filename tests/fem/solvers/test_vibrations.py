"""Frequencies of a clamped arm against Timoshenko's beam, and under load."""

from collections.abc import Callable

from mpi4py import MPI

import numpy as np
import pytest
from scipy.linalg import expm
from scipy.optimize import brentq

from loligo.cases.rubber.elastomer import NeoHooke
from loligo.fem.core.domain import Domain
from loligo.fem.loads.base import Pressure, Traction
from loligo.fem.loads.supports import Fixed
from loligo.fem.march.static import march
from loligo.fem.problem.problem import Problem
from loligo.fem.solvers.vibrations import vibrations

MU, ETA = 1e5, 20.0
RUBBER = NeoHooke(mu=MU, density=1070.0, viscosity=ETA)


def beam(
    young: float, shear: float, area: float, second: float, length: float, pull: float, count: int
) -> list[float]:
    """Frequencies (Hz) of Timoshenko's cantilever of density 1070 under a dead pull at its end.

    The deflection w, turn t, moment m and transverse force q at an angular frequency o obey
    w' = (q + k G A t)/(k G A + P), t' = m/E I, m' = P w' - q - r I o^2 t, q' = -r A o^2 w.
    """
    stiff, density = shear * area, 1070.0

    def free_end(frequency: float) -> float:
        o = (2.0 * np.pi * frequency) ** 2
        slope = np.array([0.0, stiff, 0.0, 1.0]) / (stiff + pull)
        rows = np.array(
            [
                slope,
                [0.0, 0.0, 1.0 / (young * second), 0.0],
                pull * slope + [0.0, -density * second * o, 0.0, -1.0],
                [-density * area * o, 0.0, 0.0, 0.0],
            ]
        )
        return float(np.linalg.det(expm(rows * length)[2:, 2:]))

    slow = np.sqrt(young * second / (density * area)) / length**2  # 0.56 of it is the first one
    tried = slow * np.linspace(0.05, 1.2 * count**2 + 1.0, 400)
    signs = [free_end(f) for f in tried]
    return [
        brentq(free_end, tried[i], tried[i + 1])
        for i in range(len(tried) - 1)
        if signs[i] * signs[i + 1] < 0.0
    ][:count]


def test_an_arm_vibrates_as_timoshenkos(
    cone: Callable[..., Domain], check: Callable[..., None]
) -> None:
    """20 mm across, 250 mm long, E = 0.3 MPa: bending in two planes, and torsion.

    Rubber that does not contract sideways (nu = 0) meets the beam. A clamp that blocks what
    incompressible rubber would contract makes it 2 % faster: as if it were a tenth of its
    diameter shorter, in every mode.
    """
    area, second = np.pi * 1e-4, np.pi / 4.0 * 1e-8
    still = [beam(3e5, k * g, area, second, 0.25, 0.0, 2) for k, g in ((6 / 7, 1.5e5), (0.9, 1e5))]
    assert still[1] == pytest.approx([0.74660, 4.57129], rel=1e-5)
    domain = cone(0.01, 0.01, 0.25, 0.012)
    cork = NeoHooke(mu=1.5e5, bulk_modulus=1e5, density=1070.0)
    modes = vibrations(Problem(domain, cork, supports=[Fixed("x0")]), 4)
    found = [mode.frequency for mode in modes]
    check("F20", "bending at nu = 0 (Hz)", found[::2], still[0], 1e-2)
    # Both planes of bending: the mesh alone tells them apart.
    assert found[1] == pytest.approx(found[0], rel=1e-3)
    modes = vibrations(Problem(domain, RUBBER, supports=[Fixed("x0")]), 5)
    found = [mode.frequency for mode in modes]
    torsion = np.sqrt(MU / 1070.0) / (4.0 * 0.25)
    check("F20", "torsion (Hz)", found[4], torsion, 1e-2)
    shorter = 1.0 - np.sqrt(np.divide(still[1], found[:4:2]))
    assert shorter * 0.25 == pytest.approx(np.full(2, 0.0022), abs=4e-4)
    # eta omega/(2 mu) of every mode of one rubber: at rest C is to K as eta is to mu, save that
    # J = 1 in the mean of cells alone, and d has a trace there that the rubber does not feel.
    exact = [ETA * 2.0 * np.pi * f / (2.0 * MU) for f in found]
    check("F16", "damping of modes", [mode.damping for mode in modes], exact, 1e-2)


def test_tension_makes_it_faster_and_compression_slower(box: Callable[..., Domain]) -> None:
    """Against the beam under the same pull, half of what would buckle it."""
    problem = Problem(
        box((8, 1, 1), (10.0, 1.0, 1.0)),
        RUBBER,
        supports=[Fixed("x0")],
        loads=[Traction("pull", "x1", (1.0, 0.0, 0.0))],
    )
    euler = np.pi**2 * 3.0 * MU / 12.0 / (4.0 * 10.0**2)
    solid, rod = [], []
    for load in (-0.5 * euler, 0.0, 0.5 * euler):
        for _ in march(problem, [{"pull": load}]):
            pass
        solid.append(vibrations(problem, 1)[0].square)
        rod += beam(3.0 * MU, 0.857 * MU, 1.0, 1.0 / 12.0, 10.0, load, 1)
    share = np.array(rod) ** 2 / rod[1] ** 2
    # The solid is up to 5 % stiffer (clamp, mesh): so much less of the load's change is seen.
    assert np.array(solid) / solid[1] - 1.0 == pytest.approx(share - 1.0, rel=0.08, abs=1e-9)


def test_no_modes_where_a_load_has_no_potential(box: Callable[..., Domain]) -> None:
    problem = Problem(box(), RUBBER, supports=[Fixed("x0")], loads=[Pressure("p", "x1")])
    problem.set_value("p", MU)
    with pytest.raises(ValueError, match="a load has no potential"):
        vibrations(problem, 1)


@pytest.mark.mpi
def test_two_ranks_hear_the_same(box: Callable[..., Domain]) -> None:
    alone, together = (
        [
            mode.frequency
            for mode in vibrations(
                Problem(box((4, 1, 1), (4.0, 1.0, 0.8), comm=comm), RUBBER, supports=[Fixed("x0")]),
                3,
            )
        ]
        for comm in (MPI.COMM_SELF, MPI.COMM_WORLD)
    )
    assert together == pytest.approx(alone, rel=1e-6)
