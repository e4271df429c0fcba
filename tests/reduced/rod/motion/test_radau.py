"""Rods that are stepped by collocation: order, damping of what is fast, energy, other scheme."""

import numpy as np
import pytest
from arms import ETA, RHO, WATER, E, L, area, damping, inertia, radius, stiffness
from scipy.linalg import expm

from loligo.cases.rubber.elastomer import Yeoh
from loligo.reduced.rod.fibres import fibre_law, round_fibres
from loligo.reduced.rod.loads import PointLoad, RodTendon, chamber_pressure, net_weight
from loligo.reduced.rod.model import Rod
from loligo.reduced.rod.motion.dynamics import simulate
from loligo.reduced.rod.motion.equations import FreeBase, MovingRod
from loligo.reduced.rod.statics import solve

ARM = Rod(L, stiffness, degrees=2, scaled_by="compliance")
WEIGHT = net_weight(area, RHO, 1000.0, (0, 0, -9.81))
BODY = FreeBase(np.diag([1e-6, 1e-6, 2e-6, 0.01, 0.01, 0.01]))


def loads(t):
    return [PointLoad((0, 4e-3 * np.sin(9 * t), -1e-3)), WEIGHT]


def carried(t):
    turn = np.zeros((4, 4))
    turn[:3, :3] = 0.3 * t**2 * np.array([[0, -1.0, 0.5], [1, 0, 0], [-0.5, 0, 0]])
    turn[:3, 3] = [0.1 * t**2, 0, 0.05 * t**3]
    return expm(turn)


EVERYTHING = {"loads": loads, "damping": damping, "water": WATER}


@pytest.mark.parametrize("base", [None, carried, BODY], ids=["held", "carried", "free"])
def test_order_five_and_the_limit_of_the_other_scheme(base):
    """Everything on: loads that change, water, viscosity, and every kind of base."""

    def run(count, scheme):
        motion = simulate(
            ARM,
            inertia,
            [0.0, 0.3],
            **EVERYTHING,
            base=base,
            step=0.3 / count,
            tolerance=None,
            scheme=scheme,
        )
        assert motion.steps == count
        place, force = motion.tip_position[-1], motion.reaction[-1]
        return np.concatenate([place, 0.1 * motion.velocity[-1, :6], force, motion.work[-1:]])

    a, b, c = (run(count, "radau") for count in (24, 48, 96))
    order = np.log2(np.linalg.norm((a - b)[:3]) / np.linalg.norm((b - c)[:3]))
    assert order > 4.3
    one, two = (run(count, "midpoint") for count in (150, 300))
    other = (4 * two - one) / 3  # the limit, but for the fourth order
    scale = np.repeat([L, 0.1, 1e-3, 1e-2, 1e-3], [3, 6, 3, 3, 1])
    np.testing.assert_allclose(c / scale, other / scale, atol=4e-5)


def test_error_control_keeps_the_tolerance():
    times = [0.0, 0.037, 0.1, 0.25]
    fine = simulate(ARM, inertia, times, **EVERYTHING, tolerance=1e-8, scheme="radau")
    for tolerance in (1e-2, 1e-3, 1e-4):
        motion = simulate(ARM, inertia, times, **EVERYTHING, tolerance=tolerance, scheme="radau")
        error = np.linalg.norm(motion.tip_position - fine.tip_position, axis=1).max() / L
        assert error < tolerance


def test_stiff_motions_die_within_steps_where_the_midpoint_rule_lets_them_ring():
    """A bar pulled at once: its length rings 28 times in a step, about the length of statics."""
    bar = Rod(1.0, np.diag([1.0, 1, 1, 1e4, 1, 1]), degrees={"stretch": 0})
    mass = np.diag([0.0, 0, 0, 1, 1, 1])
    pulled = {"loads": [PointLoad((100.0, 0, 0))], "step": 1.0, "tolerance": None}
    radau, midpoint = (
        simulate(bar, mass, [0.0, 9.0, 10.0], **pulled, scheme=scheme).q[1:, 0]
        for scheme in ("radau", "midpoint")
    )
    # The mode of constant strain has w^2 = 3 EA/m: R -> 3/(w h) = 0.017 is left after a step
    assert (np.abs(radau - 0.01) < 1e-14).all()
    assert (np.abs(midpoint - 0.01) > 0.005).all()


def test_energy_and_momentum_of_a_free_rod_are_kept_to_fifth_order():
    bent = solve(ARM, [PointLoad((0, 3e-3, 1e-3))])
    start = MovingRod(bent.q, 0 * bent.q, np.eye(4), np.array([1.0, 0.5, 2.0, 0.1, 0.2, 0.3]))
    lost, turned = [], []
    for count in (80, 160):
        motion = simulate(
            ARM,
            inertia,
            [0.0, 0.2],
            start=start,
            base=BODY,
            step=0.2 / count,
            tolerance=None,
            scheme="radau",
        )
        np.testing.assert_allclose(motion.work, 0.0, atol=1e-15)
        energy = motion.kinetic[0] + motion.stored[0]
        np.testing.assert_allclose(
            motion.lost[-1] / energy, 1 - (motion.kinetic + motion.stored)[-1] / energy, atol=1e-14
        )
        lost.append(abs(motion.lost[-1]) / energy)
        before, after = motion.momentum
        turned.append(np.linalg.norm((after - before)[:3]) / np.linalg.norm(before[:3]))
        np.testing.assert_allclose(after[3:], before[3:], atol=1e-7 * np.abs(before[3:]).max())
    assert lost[1] < 1e-6 and turned[1] < 1e-8
    assert np.log2(lost[0] / lost[1]) > 4.0
    assert np.log2(turned[0] / turned[1]) > 4.0


def test_static_limit_with_every_force():
    """All forces of the arm, on sections of rubber, come to rest in those of `solve`."""
    rubber = Yeoh(c10=E / 6, c20=E / 60, density=RHO)
    arm = Rod(L, law=fibre_law(rubber, round_fibres(radius), stiffness), degrees=2)
    acting = [
        PointLoad((0, 1e-3, -1e-3)),
        WEIGHT,
        chamber_pressure(200.0, 2e-5, 0.0, 0.003),
        RodTendon(0.01, lambda X: np.stack([0.5 * radius(X), 0 * X], axis=-1)),
        PointLoad((0, 0, 1e-3), axes="body"),
    ]
    slow = E / (3 * ETA) * 0.5

    def viscous(X):
        return slow * damping(X)

    motion = simulate(
        arm, inertia, [0.0, 60.0], loads=acting, damping=viscous, scheme="radau", tolerance=1e-3
    )
    still = solve(arm, acting)
    np.testing.assert_allclose(motion.tip_position[-1], still.tip_position, atol=1e-7 * L)
    assert motion.steps < 100


def test_joints_rigid_spans_and_a_law_move_as_by_the_other_scheme():
    quarter = np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])
    rod = Rod(
        L,
        np.diag([2e-4, 1e-4, 1e-4, 5, 2, 2]),
        degrees=1,
        segments=[0, 0.1, 0.12, L],
        rigid=[(0.1, 0.12)],
        joints={0.1: quarter},
    )
    pulled = {"loads": [PointLoad((0, 1e-3, 1e-3))]}
    radau, midpoint = (
        simulate(rod, inertia, [0.0, 0.1], **pulled, scheme=scheme, tolerance=1e-6)
        for scheme in ("radau", "midpoint")
    )
    np.testing.assert_allclose(radau.tip_position, midpoint.tip_position, atol=1e-5 * L)


def test_a_load_that_jumps_at_an_output_time_gives_its_impulse():
    def pushed(t):
        return [PointLoad((0, 0.02, 0), at=0.0)] if t < 0.1 else []

    times = [0.0, 0.1, 0.2]
    motion = simulate(ARM, inertia, times, loads=pushed, base=BODY, scheme="radau", tolerance=1e-4)
    # The last stage alone has a ninth of the weight: seen on the wrong side it would take per cents
    np.testing.assert_allclose(motion.momentum[1:, 4], 0.002, rtol=3e-4)


def test_a_scheme_that_is_none():
    with pytest.raises(ValueError, match='the scheme is "midpoint" or "radau", not "euler"'):
        simulate(ARM, inertia, [0.0, 1.0], scheme="euler")


def test_a_force_off_the_axis_is_the_same_to_both_schemes():
    """The midpoint's distance from collocation falls by four as the steps are halved."""
    rod = Rod(1.0, np.diag([0.7, 1.0, 1.3, 40.0, 15.0, 12.0]), degrees=1)
    pushed = [PointLoad((0.2, 0.5, -0.4), lever=(0.1, 0.3, -0.2))]

    def tip(count, scheme):
        motion = simulate(
            rod,
            np.diag([0.02, 0.01, 0.01, 0.5, 0.5, 0.5]),
            [0.0, 0.8],
            loads=pushed,
            step=0.8 / count,
            tolerance=None,
            scheme=scheme,
        )
        total = motion.kinetic + motion.stored + motion.dissipated + motion.lost - motion.work
        assert np.ptp(total) < 1e-8 * motion.work[-1]
        return motion.frames([1.0])[-1, 0, :3].ravel()

    limit = tip(100, "radau")
    assert np.abs(limit.reshape(3, 4)[:, :3] - np.eye(3)).max() > 0.2
    far, near = (np.abs(tip(count, "midpoint") - limit).max() for count in (200, 400))
    assert far / near == pytest.approx(4.0, abs=0.3)
