"""Rods in motion on bases that are free, spun, towed and shaken, and rods put on rods."""

import numpy as np
import pytest
from arms import (
    ARM,
    L,
    balance,
    damping,
    inertia,
    turned,
)

from loligo.reduced.rod.loads import LineLoad, PointLoad, net_weight
from loligo.reduced.rod.model import Rod
from loligo.reduced.rod.motion.dynamics import simulate
from loligo.reduced.rod.motion.equations import FreeBase, RodWater, circular_inertia
from loligo.reduced.rod.motion.inertia import mass_matrix
from loligo.reduced.rod.statics import solve
from loligo.reduced.rod.tip import tip_jacobian

STIFF = np.diag([1e3, 1e3, 1e3, 1e6, 1e6, 1e6])
BAR = Rod(0.5, STIFF, degrees={"bend_y": 0, "bend_z": 0})
BAR_INERTIA = circular_inertia(0.01, 1080.0)


def test_a_bar_sinks_as_its_equation_says():
    """(m + m_a) v' = (rho - rho_w) A g - c v^2 per length: v = v_t tanh(t/tau)."""
    section = np.pi * 0.01**2
    water = RodWater(1000.0, 0.01, drag=(0.01, 2.5, 2.5), added=(0.0, 1.5, 1.5))
    weight = net_weight(section, 1080.0, 1000.0, (0, 0, -9.81))
    times = np.linspace(0.0, 1.0, 5)
    motion = simulate(
        BAR, BAR_INERTIA, times, loads=[weight], water=water, base=FreeBase(), tolerance=1e-6
    )
    heavy = (1080.0 + 1500.0) * section
    wet, drag = 80.0 * section * 9.81, 1000.0 * 0.01 * 2.5
    final, tau = np.sqrt(wet / drag), heavy / np.sqrt(wet * drag)
    fallen = final * tau * np.log(np.cosh(times / tau))
    np.testing.assert_allclose(motion.base[:, 2, 3], -fallen, atol=1e-5)
    np.testing.assert_allclose(motion.base_twist[:, 5], -final * np.tanh(times / tau), atol=1e-4)
    assert np.abs(balance(motion)).max() < 1e-9 * motion.work[-1]


def test_a_float_rolls_with_the_bar_that_it_carries():
    """A moment M about the axis turns both at M t/(J_float + rho pi r^4 L/2)."""
    body = FreeBase(np.diag([2e-5, 3e-5, 3e-5, 0.1, 0.1, 0.1]))
    load = PointLoad(moment=(1e-4, 0, 0), at=0.0)
    motion = simulate(BAR, BAR_INERTIA, [0.0, 0.5, 1.0], loads=[load], base=body)
    rate = 1e-4 / (2e-5 + 1080.0 * np.pi * 0.01**4 / 2 * 0.5)
    np.testing.assert_allclose(motion.base_twist[:, 0], rate * motion.time, rtol=1e-9)


def test_reaction_of_a_bar_that_is_spun():
    """Held at its end and turned at 3 rad/s it pulls with m W^2 L/2 towards the axis."""

    def spun(t):
        frame = np.eye(4)
        c, s = np.cos(3 * t), np.sin(3 * t)
        frame[:2, :2] = [[c, -s], [s, c]]
        return frame

    mass = 1080.0 * np.pi * 0.01**2 * 0.5
    motion = simulate(
        BAR,
        BAR_INERTIA,
        [0.0, 0.1, 0.101],
        base=spun,
        step=0.001,
        tolerance=None,
        damping=10 * np.eye(6),
    )
    middle = 3 * 0.1005
    pull = -mass * 9 * 0.25 * np.array([np.cos(middle), np.sin(middle), 0])
    np.testing.assert_allclose(motion.reaction[2, 3:], pull, atol=1e-4 * np.abs(pull).max())
    np.testing.assert_allclose(motion.base[1], spun(0.1), atol=1e-15)
    spin = mass * 0.5**2 / 3 + mass * 0.01**2 / 4
    assert motion.momentum[1, 2] == pytest.approx(3 * spin, rel=1e-5)
    assert abs(motion.work[-1]) < 1e-5 * motion.kinetic[-1] > abs(motion.lost[-1])


def test_munk_moment_of_ideal_water():
    """Towed at an angle, a bar feels the couple -v x B v: steady, and no force."""
    water = RodWater(1000.0, 0.01, added=(0.0, 1.5, 1.5))

    def towed(t):
        frame = np.eye(4)
        frame[:3, 3] = [0.3 * t, 0.2 * t, 0.0]
        return frame

    options = dict(base=towed, water=water, damping=10 * np.eye(6), step=0.01)
    motion = simulate(BAR, BAR_INERTIA, [0.0, 0.5], **options)
    slid = simulate(BAR, BAR_INERTIA, [0.5, 1.0], start=motion.state(), **options)
    couple = 1000.0 * np.pi * 0.01**2 * 0.5 * 1.5 * 0.3 * 0.2
    expected = [0, 0, couple, 0, 0, 0]
    np.testing.assert_allclose(slid.reaction[1], expected, atol=1e-3 * couple)
    # Spread evenly, it bends the bar by the mean moment beyond, half of the couple.
    assert slid.q[-1, 1] == pytest.approx(-0.5 * couple / 1e3, rel=1e-3)


def test_a_carried_base_gives_its_work_to_the_rod():
    def shaken(t):
        frame = np.eye(4)
        frame[:3, 3] = [0.01 * np.sin(20 * t), 0.02 * np.sin(13 * t) ** 2, 0.0]
        return frame

    times = np.linspace(0, 0.5, 6)
    coarse, fine = (
        simulate(ARM, inertia, times, base=shaken, damping=damping, step=h, tolerance=None)
        for h in (4e-3, 2e-3)
    )
    total = balance(fine)
    np.testing.assert_allclose(total, total[0], atol=1e-8 * fine.work.max())
    assert fine.work[-1] > 0
    np.testing.assert_allclose(coarse.tip_position, fine.tip_position, atol=2e-3 * L)


# --- joints --------------------------------------------------------------------------------------


def test_a_joint_puts_one_rod_on_another():
    """The part beyond a joint is in statics what a rod of its own would be on the first one's tip.

    All loads act beyond the joint; the first part bears their sum as a point load on its tip.
    """
    knee = turned(0.8, [0.6, 0, 0.8])
    section = np.diag([0.7, 1.0, 1.3, 40.0, 15.0, 12.0])
    whole = Rod(1.0, section, degrees=4, segments=[0, 0.4, 0.7, 1.0], joints={0.4: knee})
    beyond = [
        LineLoad(force=(0.0, 0.5, 0.0), moment=(0.1, 0, 0), axes="body", span=(0.4, 1.0)),
        LineLoad(force=(0, 0, -0.7), span=(0.4, 1.0)),
        PointLoad((0.3, 0.2, 0.1)),
    ]
    state = solve(whole, beyond)
    carried = state.wrench(np.array([0.4]))[0]
    first = Rod(0.4, section, degrees=4)
    seen = [PointLoad(carried[3:], carried[:3], axes="body")]
    one = solve(first, seen)
    np.testing.assert_allclose(one.tip, state.frames([0.4])[0], atol=1e-9)
    base = one.tip.copy()
    base[:3, :3] = base[:3, :3] @ knee
    second = Rod(0.6, section, degrees=4, segments=2, base=base)
    two = solve(
        second,
        [
            LineLoad(force=(0.0, 0.5, 0.0), moment=(0.1, 0, 0), axes="body"),
            LineLoad(force=(0, 0, -0.7)),
            PointLoad((0.3, 0.2, 0.1)),
        ],
    )
    np.testing.assert_allclose(two.tip, state.tip, atol=1e-9)


def test_a_joint_turns_inertia_and_water_of_what_lies_beyond():
    """For the strains before a joint, what lies beyond is a rigid body with the water around it."""
    knee = turned(0.9, [0.6, 0, 0.8])
    section = np.diag([3.0, 2.0, 1.0, 5.0, 5.0, 5.0])
    water = RodWater(1000.0, 0.03, added=(0.1, 1.0, 2.0))
    whole = Rod(1.0, np.eye(6), degrees=2, segments=2, joints={0.5: knee})
    first = Rod(0.5, np.eye(6), degrees=2)
    n = first.grid.unknowns
    matrix = mass_matrix(whole, np.zeros(2 * n), section, water)[:n, :n]

    wet = section.copy()
    wet[3:, 3:] += 1000.0 * np.pi * 0.03**2 * np.diag([0.1, 1.0, 2.0])
    body = np.zeros((6, 6))
    for x, weight in zip(*np.polynomial.legendre.leggauss(3), strict=True):
        X = 0.25 * (x + 1)
        shift = X * knee[:, 0]  # of the section at X from the joint, in the joint's axes
        cross = np.array(
            [[0, -shift[2], shift[1]], [shift[2], 0, -shift[0]], [-shift[1], shift[0], 0]]
        )
        seen = np.block([[knee.T, np.zeros((3, 3))], [-knee.T @ cross, knee.T]])
        body += 0.25 * weight * seen.T @ wet @ seen
    tip = tip_jacobian(first, np.zeros(n))[1]
    expected = mass_matrix(first, np.zeros(n), section, water) + tip.T @ body @ tip
    np.testing.assert_allclose(matrix, expected, atol=1e-12 * np.abs(expected).max())


@pytest.mark.parametrize(
    ("joints", "message"),
    [
        ({0.3: np.eye(3)}, "a joint's X = 0.3 m is not an end of an interval"),
        ({0.0: np.eye(3)}, "between base and tip"),
        ({0.5: np.diag([1.0, 1, -1])}, "must be a 3x3 rotation"),
    ],
)
def test_joints_that_are_none(joints, message):
    with pytest.raises(ValueError, match=message):
        Rod(1.0, np.eye(6), segments=2, joints=joints)
