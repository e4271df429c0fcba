"""Rods in motion against closed forms, balances, statics and themselves on finer grids."""

import numpy as np
import pytest
from arms import (
    ARM,
    ETA,
    LOADS,
    RHO,
    WATER,
    E,
    L,
    area,
    balance,
    damping,
    inertia,
    radius,
    stiffness,
    turned,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import expm

from loligo.reduced.rod.loads import PointLoad, RodTendon, chamber_pressure, net_weight
from loligo.reduced.rod.model import Rod
from loligo.reduced.rod.motion.dynamics import simulate
from loligo.reduced.rod.motion.equations import FreeBase, MovingRod, RodWater, circular_inertia
from loligo.reduced.rod.statics import solve

# --- ten lines -----------------------------------------------------------------------------------


def test_ten_lines_swing_an_arm_in_water():
    arm = Rod(0.245, stiffness, degrees=3, scaled_by="compliance")
    water = RodWater(1000.0, radius, drag=(0.01, 2.5, 2.5), added=(0.0, 1.5, 1.5))
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
        RodTendon(0.01, lambda X: np.stack([0.5 * radius(X), 0 * X], axis=-1)),
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
    start = MovingRod(bent.q, 0 * bent.q, np.eye(4), np.zeros(6))
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


def test_error_control_keeps_the_tolerance_and_hits_the_output_times():
    times = [0.0, 0.037, 0.1, 0.25]

    def run(tolerance):
        options = dict(loads=LOADS, damping=damping, water=WATER, tolerance=tolerance)
        return simulate(ARM, inertia, times, **options)

    fine = simulate(
        ARM, inertia, times, loads=LOADS, damping=damping, water=WATER, step=2.5e-4, tolerance=None
    )
    np.testing.assert_array_equal(fine.time, times)
    previous = 0
    for tolerance in (1e-3, 1e-4, 1e-5):
        motion = run(tolerance)
        error = np.linalg.norm(motion.tip_position - fine.tip_position, axis=1).max() / L
        # Errors of the steps add up, less what viscosity forgets
        assert error < 5 * tolerance
        assert motion.steps > previous
        previous = motion.steps


# --- invariance and symmetry ---------------------------------------------------------------------


def swing(turn, mirror=1.0, base=None):
    """A short, violent motion whose world is turned by a rotation and mirrored in z."""
    frame = np.eye(4)
    frame[:3, :3] = turn
    frame[:3, 3] = turn @ [0.1, -0.2, 0.3 * mirror]
    arm = Rod(L, stiffness, degrees=2, scaled_by="compliance", base=frame)
    loads = [
        PointLoad(turn @ [0, 4e-3, 2e-3 * mirror]),
        PointLoad((0, 1e-3, -2e-3 * mirror), (1e-5 * mirror, 0, 0), axes="body"),
        net_weight(area, RHO, 1000.0, turn @ [0, 1.0, -9.0 * mirror]),
    ]
    return simulate(
        arm, inertia, [0.0, 0.1], loads=loads, damping=damping, water=WATER, base=base, step=0.01
    )


@settings(max_examples=10)
@given(
    st.floats(-3.0, 3.0),
    st.tuples(*[st.floats(-1.0, 1.0)] * 3).filter(lambda v: np.linalg.norm(v) > 0.1),
    st.booleans(),
)
def test_motion_turns_with_the_world(angle, axis, free):
    turn = turned(angle, np.asarray(axis) / np.linalg.norm(axis))
    base = FreeBase(np.diag([1e-6, 1e-6, 2e-6, 0.02, 0.02, 0.02])) if free else None
    here, there = swing(np.eye(3), base=base), swing(turn, base=base)
    np.testing.assert_allclose(there.tip_position[-1], turn @ here.tip_position[-1], atol=1e-9)
    np.testing.assert_allclose(there.velocity, here.velocity, atol=1e-6)
    force = there.reaction[-1].reshape(2, 3)
    np.testing.assert_allclose(force, here.reaction[-1].reshape(2, 3) @ turn.T, atol=1e-9)


@pytest.mark.parametrize("free", [False, True])
def test_motion_is_mirrored_with_its_loads(free):
    base = FreeBase(np.diag([1e-6, 1e-6, 2e-6, 0.02, 0.02, 0.02])) if free else None
    one, other = swing(np.eye(3), 1.0, base), swing(np.eye(3), -1.0, base)
    np.testing.assert_allclose(other.tip_position, one.tip_position * [1, 1, -1], atol=1e-10)


# --- refusals ------------------------------------------------------------------------------------


STIFF = np.diag([1e3, 1e3, 1e3, 1e6, 1e6, 1e6])
BAR = Rod(0.5, STIFF, degrees={"bend_y": 0, "bend_z": 0})
BAR_INERTIA = circular_inertia(0.01, 1080.0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"times": [0.0]}, "times must be two or more"),
        ({"times": [0.0, 0.0]}, "finite and increasing"),
        ({"step": 0.0}, "the step is 0.0 s"),
        ({"tolerance": 0.0}, "the tolerance is 0.0"),
        ({"inertia": np.diag([1.0, 1, 1, 1, 2, 2])}, r"inertia at X = .* must be \[\[J, 0\]"),
        ({"inertia": np.diag([1.0, 1, 1, -1, -1, -1])}, "nothing negative"),
        ({"damping": -np.eye(6)}, "must not drive the rod"),
        ({"base": FreeBase(np.eye(5))}, "free base must be 6x6"),
        ({"base": lambda t: np.zeros((4, 4))}, "the base at t = "),
        ({"start": MovingRod(np.zeros(3), np.zeros(3), np.eye(4), np.zeros(6))}, "q of the start"),
    ],
)
def test_refusals_name_what_is_wrong(options, message):
    given_options = {"inertia": BAR_INERTIA, "times": [0.0, 1.0]} | options
    with pytest.raises(ValueError, match=message):
        simulate(BAR, **given_options)


def test_water_that_pushes_is_refused():
    with pytest.raises(ValueError, match="drag of the water must be 3 numbers"):
        RodWater(1000.0, 0.01, drag=(0, -1, 0))
