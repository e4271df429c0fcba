"""A released arm: the solid's vibration against the rod's, frequency and decrement."""

from mpi4py import MPI

import numpy as np
import numpy.typing as npt
import pytest
from scipy.optimize import curve_fit
from slender import slender_arm

from loligo.cases.case import Case
from loligo.fem.run import Run
from loligo.fem.solvers.vibrations import Vibration, vibrations
from loligo.reduced.rod.loads import net_weight
from loligo.reduced.rod.model import Rod, circular_stiffness
from loligo.reduced.rod.motion.dynamics import simulate
from loligo.reduced.rod.motion.equations import MovingRod, circular_inertia
from loligo.reduced.rod.statics import solve

Array = npt.NDArray[np.float64]
LENGTH, RADIUS, MU, ETA, DENSITY = 0.2, 0.01, 3e4, 1500.0, 1080.0
SHARE = 0.02
"""Of its weight, under which the arm sags by a hundredth of its length."""
TIMES = np.arange(0.0, 3.001, 0.1)


def released(size: float) -> Case:
    """An arm that sags a little, on cells of this size (m), and is let go."""
    history = {"kind": "step", "before": SHARE, "after": 0.0}
    return slender_arm(
        LENGTH,
        RADIUS,
        {"mu": MU, "density": DENSITY, "viscosity": ETA},
        gravity=(0.0, -1.0, 0.0),
        load={"weight": {"kind": "weight", "history": history}},
        mesh={"size": size},
        time={"duration": 3.0, "every": 0.1, "tolerance": 1e-5},
    )


def solid() -> tuple[Array, Vibration]:
    """Deflection of the tip (m), and the slowest mode at rest."""
    run = Run(released(0.012), MPI.COMM_SELF)
    mode = vibrations(run.setup.problem, 1)[0]
    for _ in run.march():
        pass
    return np.asarray(run.dataset()["frame"].values[:, -1, 1, 3]), mode


def rod() -> Array:
    """The same of a Cosserat rod of E = 3 mu and G = mu, with 3 eta and eta beside them."""
    arm = Rod(LENGTH, circular_stiffness(RADIUS, 3.0 * MU, MU), degrees=4)
    weight = net_weight(np.pi * RADIUS**2, DENSITY, 0.0, (0.0, -9.81 * SHARE, 0.0))
    sagged = solve(arm, [weight])
    motion = simulate(
        arm,
        circular_inertia(RADIUS, DENSITY),
        TIMES,
        damping=circular_stiffness(RADIUS, 3.0 * ETA, ETA, 1.0),
        start=MovingRod(sagged.q, np.zeros_like(sagged.q), np.asarray(arm.base), np.zeros(6)),
        tolerance=1e-6,
    )
    return np.asarray(motion.tip_position[:, 1])


def frequency_and_decrement(tip: Array) -> tuple[float, float]:
    """Of a damped cosine through a deflection; the decrement is ln of a period's decay."""

    def wave(t: Array, size: float, rate: float, turn: float, phase: float) -> Array:
        return size * np.exp(-rate * t) * np.cos(turn * t + phase)

    (_, rate, turn, _), _ = curve_fit(wave, TIMES, tip, (tip[0], 0.4, 4.0, 0.1))
    return turn / (2.0 * np.pi), 2.0 * np.pi * rate / turn


@pytest.mark.slow
def test_the_solid_decays_as_its_mode_and_as_the_rod() -> None:
    """A decrement of 2 pi zeta/sqrt(1 - zeta^2) and a frequency sqrt(1 - zeta^2) slower, of all."""
    tip, mode = solid()
    frequency, decrement = frequency_and_decrement(tip)
    root = np.sqrt(1.0 - mode.damping**2)
    assert frequency == pytest.approx(mode.frequency * root, rel=5e-3)
    assert decrement == pytest.approx(2.0 * np.pi * mode.damping / root, rel=0.02)
    slower, less = np.divide(frequency_and_decrement(rod()), (frequency, decrement))
    # The clamp blocks the contraction of the solid, and the mesh is coarse: 3 % faster than the
    # rod; zeta = eta omega/(2 mu) grows with it.
    assert 0.965 < slower < 0.98
    assert 0.94 < less < 0.98


@pytest.mark.slow
def test_what_parts_the_decrement_from_the_rods_falls_with_the_mesh() -> None:
    """zeta = eta omega/(2 mu): half is the frequency, which the clamp raises, half a trace of d.

    A clamp that makes the arm shorter by 2.2 mm would leave 2.2 % of the frequency; coarse cells
    bend less easily than fine ones. J = 1 holds in the mean of cells, so that d keeps a trace.
    """
    turn = 2.0 * np.pi * frequency_and_decrement(rod())[0]
    rods = turn / np.sqrt(1.0 - (ETA * turn / (2.0 * MU)) ** 2)
    faster, trace = [], []
    for size in (0.012, 0.006):
        mode = vibrations(Run(released(size), MPI.COMM_SELF).setup.problem, 1)[0]
        omega = 2.0 * np.pi * mode.frequency
        faster.append(omega / rods - 1.0)
        trace.append(mode.damping * 2.0 * MU / (ETA * omega) - 1.0)
    assert 0.01 < faster[1] < 0.6 * faster[0] < 0.022
    assert trace[1] < 0.5 * trace[0] < 0.012
