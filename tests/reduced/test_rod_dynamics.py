"""Rods in motion against closed forms, balances, statics and themselves on finer grids."""

import numpy as np
import pytest
from scipy.linalg import expm
from scipy.optimize import brentq

from loligo.reduced.rod import Rod, circular_stiffness
from loligo.reduced.rod_dynamics import simulate
from loligo.reduced.rod_inertia import mass_matrix, vibrations
from loligo.reduced.rod_loads import LineLoad, PointLoad, Tendon, chamber_pressure, net_weight
from loligo.reduced.rod_motion import FreeBase, State, Water, circular_inertia
from loligo.reduced.rod_solve import solve

E, G, ETA, RHO, L = 110e3, 110e3 / 3, 300.0, 1080.0, 0.245  # Renda 2018, Table 1, nu = 1/2


def radius(X):
    return 0.010 - 0.008 * X / L


def area(X):
    return np.pi * radius(X) ** 2


def stiffness(X):
    return circular_stiffness(radius(X), E, G)


def damping(X):
    return circular_stiffness(radius(X), 3 * ETA, ETA, 1.0)


def inertia(X):
    return circular_inertia(radius(X), RHO)


ARM = Rod(L, stiffness, degrees=3, scaled_by="compliance")
WATER = Water(1000.0, radius, drag=(0.01, 2.5, 2.5), added=(0.0, 1.5, 1.5))
LOADS = [PointLoad((0, 2e-3, -1e-3)), net_weight(area, RHO, 1000.0, (0, 0, -9.81))]


def balance(motion):
    return (
        motion.kinetic
        + motion.stored
        + motion.dissipated
        + motion.drained
        + motion.lost
        - motion.work
    )


# --- ten lines -----------------------------------------------------------------------------------


def test_ten_lines_swing_an_arm_in_water():
    arm = Rod(0.245, stiffness, degrees=3, scaled_by="compliance")
    water = Water(1000.0, radius, drag=(0.01, 2.5, 2.5), added=(0.0, 1.5, 1.5))
    weight = net_weight(area, 1080.0, 1000.0, (0.0, 0.0, -9.81))
    times = np.linspace(0.0, 20.0, 21)
    motion = simulate(arm, inertia, times, loads=[weight], damping=damping, water=water)
    # It sinks into its equilibrium, and the base carries its weight in water.
    still = solve(arm, [weight]).tip_position
    sag = np.linalg.norm(still - [L, 0, 0])
    assert np.linalg.norm(motion.tip_position[-1] - still) < 0.01 * sag
    volume = np.pi * L / 3 * (0.010**2 + 0.010 * 0.002 + 0.002**2)
    assert motion.reaction[-1, 5] == pytest.approx(80.0 * 9.81 * volume, rel=1e-2)
    assert (np.diff(motion.lost) >= 0.0).all()


def test_static_limit_is_the_static_equilibrium():
    """Under much viscosity, drag left out, all forces of the arm come to rest in those of `solve`.

    The slowest motion decays with the ratio 3 eta/E of viscosity to stiffness, 0.5 s here.
    """
    loads = [
        *LOADS,
        chamber_pressure(200.0, 2e-5, 0.0, 0.003),
        Tendon(0.01, lambda X: np.stack([0.5 * radius(X), 0 * X], axis=-1)),
        PointLoad((0, 0, 1e-3), axes="body"),
    ]
    slow = E / (3 * ETA) * 0.5

    def viscous(X):
        return slow * damping(X)

    times = np.linspace(0.0, 30.0, 4)
    motion = simulate(ARM, inertia, times, loads=loads, damping=viscous, step=0.25)
    still = solve(ARM, loads)
    # The midpoint rule lets the stiffest motions ring: by no more than this, for long
    np.testing.assert_allclose(motion.tip_position[-1], still.tip_position, atol=1e-6 * L)


# --- order and account ---------------------------------------------------------------------------


def test_order_two_in_time_with_everything_on():
    times = [0.0, 0.15, 0.3]

    def loads(t):
        return [PointLoad((0, 4e-3 * np.sin(9 * t), -1e-3)), LOADS[1]]

    def carried(t):
        turn = np.zeros((4, 4))
        turn[:3, :3] = 0.3 * t**2 * np.array([[0, -1.0, 0.5], [1, 0, 0], [-0.5, 0, 0]])
        turn[:3, 3] = [0.1 * t**2, 0, 0.05 * t**3]
        return expm(turn)

    def run(count, base):
        motion = simulate(
            ARM,
            inertia,
            times,
            loads=loads,
            damping=damping,
            water=WATER,
            base=base,
            step=0.3 / count,
            tolerance=None,
        )
        assert motion.steps == count
        return np.concatenate([motion.tip_position[-1], 0.05 * motion.velocity[-1, :6] / 4])

    for base in (None, carried, FreeBase(np.diag([1e-6, 1e-6, 2e-6, 0.01, 0.01, 0.01]))):
        a, b, c = (run(count, base)[:3] for count in (30, 60, 120))
        order = np.log2(np.linalg.norm(a - b) / np.linalg.norm(b - c))
        assert order == pytest.approx(2.0, abs=0.15)


def test_account_closes_and_the_scheme_loses_energy_of_third_order():
    """An arm that is let go without viscosity or water; it may never gain energy, however fast."""
    arm = Rod(
        L, stiffness, degrees={"torsion": 1, "bend_y": 2, "bend_z": 2}, scaled_by="compliance"
    )
    bent = solve(arm, [PointLoad((0, 6e-3, 3e-3))])
    start = State(bent.q, 0 * bent.q, np.eye(4), np.zeros(6))
    lost = []
    for count in (100, 200, 400):
        motion = simulate(
            arm, inertia, np.linspace(0, 0.4, 5), start=start, step=0.4 / count, tolerance=None
        )
        total = balance(motion)
        np.testing.assert_allclose(total, total[0], rtol=1e-8)
        assert (np.diff(motion.lost) >= 0).all() and motion.work[-1] == 0
        lost.append(motion.lost[-1] / total[0])
    assert np.log2(lost[1] / lost[2]) > 2.7
    assert lost[2] < 1e-6, lost
    wild = simulate(arm, inertia, [0.0, 20.0], start=start, step=0.1, tolerance=None)
    assert wild.kinetic[-1] + wild.stored[-1] <= wild.stored[0]
