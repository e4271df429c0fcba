"""The tangent of a step, and the velocities of sections, against differences."""

import numpy as np
import pytest

from loligo.reduced.lie import exp_se3, tangent_se3
from loligo.reduced.rod.kernel import frames_along
from loligo.reduced.rod.loadset import in_world
from loligo.reduced.rod.model import Rod
from loligo.reduced.rod.motion.equations import FreeBase, RodWater
from loligo.reduced.rod.motion.inertia import Lumps, lumps
from loligo.reduced.rod.motion.kernel import subtract_motion

TURN = np.array([[0.0, -0.6, 0.8], [1.0, 0, 0], [0, 0.8, 0.6]])
ROD = Rod(1.0, np.eye(6), degrees=2, segments=3, joints={1 / 3: TURN}, rigid=[(2 / 3, 1.0)])
H = 0.3
RNG = np.random.default_rng(5)
N = ROD.grid.unknowns
START = RNG.normal(size=N) * 0.4
BEFORE = RNG.normal(size=(len(ROD.grid.nodes), 6))
CARRIED = RNG.normal(size=(len(ROD.grid.nodes), 3))
LOAD = RNG.normal(size=(len(ROD.grid.nodes), 7, 3))
BASE = exp_se3(np.array([0.3, -0.8, 0.4, 1.0, 2.0, -1.0]))
BODY = FreeBase(np.diag([0.2, 0.3, 0.4, 1.5, 1.5, 1.5]))
INERTIA = np.diag([0.2, 0.1, 0.15, 2.0, 2.0, 2.0])
WATER = RodWater(1.5, 0.4, drag=(0.2, 1.0, 0.7), added=(0.1, 1.0, 0.5), linear=(0.3, 0.2, 0.5, 0.4))
CARRY = lumps(ROD, INERTIA, WATER, BODY)


def step(theta, change, carry: Lumps = CARRY):
    """Residual, tangent and the rest of a step of a free rod from START."""
    grid = ROD.grid
    values, tangent = np.zeros(6 + N), np.zeros((6 + N, 6 + N))
    by_base = np.zeros((6, 6 + N))
    by_base[:, :6] = np.linalg.inv(tangent_se3(0.5 * theta)) / H
    first = np.where(grid.first < 0, -1, grid.first + 6)
    rest = subtract_motion(
        BASE @ exp_se3(0.5 * theta),
        grid.steps,
        ROD.joints_at_cells,
        ROD.strain_at_gauss(START + 0.5 * change),
        ROD.shapes,
        grid.component,
        first,
        np.eye(6, 6 + N),
        np.append(np.zeros(6), change / H),
        theta / H,
        by_base,
        H,
        carry.mass,
        carry.rotary,
        carry.added,
        carry.drag,
        BEFORE,
        CARRIED,
        LOAD,
        values,
        tangent,
    )
    return values, tangent, rest


THETA, CHANGE = RNG.normal(size=6) * 0.3, RNG.normal(size=N) * 0.3


def test_tangent_is_the_derivative_of_the_residual():
    """By central differences with Richardson's correction, error h^4 and rounding/h: 1e-9."""
    _, tangent, _ = step(THETA, CHANGE)
    expected = np.zeros_like(tangent)
    scale = np.linalg.inv(tangent_se3(0.5 * THETA))

    def difference(h, column):
        d = np.zeros(6 + N)
        d[column] = h
        d[:6] = scale @ d[:6]
        plus = step(THETA + d[:6], CHANGE + d[6:])[0]
        minus = step(THETA - d[:6], CHANGE - d[6:])[0]
        return (plus - minus) / (2 * h)

    for column in range(6 + N):
        expected[:, column] = (4 * difference(1e-3, column) - difference(2e-3, column)) / 3
    np.testing.assert_allclose(tangent, expected, atol=1e-8 * np.abs(expected).max())


def test_twists_are_those_of_the_frames():
    _, _, (frames, twist, _, _) = step(THETA, CHANGE)

    def at(share):
        base = BASE @ exp_se3((0.5 + share) * THETA)
        strain = ROD.strain_at_gauss(START + (0.5 + share) * CHANGE)
        return frames_along(base, ROD.grid.steps, ROD.joints_at_cells, strain)

    h = 1e-4
    rate = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h * H)
    moved = np.linalg.inv(frames) @ rate
    expected = np.stack(
        [moved[:, 2, 1], moved[:, 0, 2], moved[:, 1, 0], *np.moveaxis(moved[:, :3, 3], 1, 0)], -1
    )
    np.testing.assert_allclose(twist, expected, atol=1e-9)


@pytest.mark.parametrize("water", [None, WATER])
def test_inertia_takes_just_the_kinetic_energy_that_the_lumps_gain(water):
    """Without loads and drag, sum of wrench . twist h = -(T_1 - T_0), T_1 of 2 zeta - zeta_0."""
    carry = lumps(ROD, INERTIA, water, BODY)
    carry = Lumps(carry.mass, carry.rotary, carry.added, 0 * carry.drag)
    values, _, (frames, twist, _, _) = step(THETA, CHANGE, carry)
    loaded = in_world(LOAD, frames[:, :3, :3])
    work = H * np.sum((loaded @ frames[:, :3, :3]).reshape(-1, 6) * twist)

    def kinetic(spin, body, world):
        return 0.5 * (
            np.sum(spin * (carry.rotary @ spin[:, :, None])[:, :, 0])
            + np.sum(body * (carry.added @ body[:, :, None])[:, :, 0])
            + np.sum(carry.mass[:, None] * world**2)
        )

    ended = 2 * twist - BEFORE
    world = 2 * (frames[:, :3, :3] @ twist[:, 3:, None])[:, :, 0] - CARRIED
    gained = kinetic(ended[:, :3], ended[:, 3:], world)
    gained -= kinetic(BEFORE[:, :3], BEFORE[:, 3:], CARRIED)
    # The residual is minus the generalised force: theta moves with the base, CHANGE the strains.
    done = -values @ np.append(THETA, CHANGE)
    assert done == pytest.approx(work - gained, rel=1e-12)
