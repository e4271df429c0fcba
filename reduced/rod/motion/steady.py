"""Equilibrium of a rod that is carried steadily through water: what its motion may begin with."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from loligo.reduced.checks import vector
from loligo.reduced.lie import Array
from loligo.reduced.rod.kernel import add_internal, add_tendons
from loligo.reduced.rod.loads import Load
from loligo.reduced.rod.loadset import load_set
from loligo.reduced.rod.model import Rod
from loligo.reduced.rod.motion.equations import RodWater
from loligo.reduced.rod.motion.inertia import lumps
from loligo.reduced.rod.motion.radau_kernel import demanded
from loligo.reduced.rod.statics import NotConvergedError

_ITERATIONS = 12
_TOLERANCE = 1e-8  # of the last correction, in strain times length; the error left is smaller
_SIDE = 1e-7  # of differences, likewise
_SHORTEST_STEP = 1.0 / 256.0  # of the velocity


def carry(
    rod: Rod, loads: Sequence[Load], water: RodWater, velocity: Array, start: Array | None = None
) -> Array:
    """Return the coordinates of a rod whose held base moves through water, all else at rest on it.

    Nothing accelerates, so that of the water there remain drag and the moment -v x p (Munk), by
    where the sections point. Newton's method, with differences for the tangent, and in steps of
    the velocity where it fails.

    Args:
        rod: the rod; its base is where it moves.
        loads: what acts on it.
        water: around it.
        velocity: of the base, in the world (m/s).
        start: coordinates of the equilibrium in still water.

    Raises:
        NotConvergedError: if there is no equilibrium, or none is found.
    """
    velocity = vector("velocity", velocity, 3)
    grid, acting = rod.grid, load_set(rod, loads)
    nodal, pull = acting.on_nodes(rod), acting.actuation
    carried = lumps(rod, np.zeros((6, 6)), water, None)
    inertia, base = carried.inertia(), np.asarray(rod.base, float)
    basis = rod.shapes, grid.component, grid.first
    still, nothing = np.zeros_like(rod.rest_at_gauss), np.zeros(6)
    slope, unused = np.zeros((len(still), 6, 6)), np.zeros((grid.unknowns,) * 2)

    def residual(q: Array, share: float) -> Array:
        strain = rod.strain_at_gauss(q)
        wrench = rod.section(strain)[0] + pull.wrench
        add_tendons(strain, pull.offset, pull.slope, pull.tension, wrench, slope)
        left = np.zeros(grid.unknowns)
        add_internal(*basis, grid.gauss_weights, wrench, slope, left, unused)
        twist = np.concatenate([np.zeros(3), share * velocity @ base[:3, :3]])
        demanded(
            base,
            grid.steps,
            rod.joints_at_cells,
            strain,
            still,
            still,
            *basis,
            twist,
            nothing,
            inertia,
            carried.drag,
            nodal,
            left,
        )
        return left

    def strain_of(way: Array) -> Array:
        return (rod.strain_at_gauss(way) - rod.rest_at_gauss) * ([rod.length] * 3 + [1.0] * 3)

    ways = np.array([_SIDE / np.abs(strain_of(way)).max() * way for way in np.eye(grid.unknowns)])

    def newton(q: Array, share: float) -> Array | None:
        for _ in range(_ITERATIONS):
            here = residual(q, share)
            slopes = np.array([residual(q + way, share) - here for way in ways])
            correction = -np.linalg.solve(slopes.T, here) @ ways
            moved = np.linalg.norm(strain_of(correction), axis=1)
            size_of = float(grid.gauss_weights @ moved) / rod.length
            if not size_of < np.pi:
                return None
            q = q + correction
            if size_of < _TOLERANCE:
                return q
        return None

    q = np.zeros(grid.unknowns) if start is None else start
    share, step = 0.0, 1.0
    while share < 1.0:
        found = newton(q, min(share + step, 1.0))
        if found is not None:
            q, share = found, min(share + step, 1.0)
        elif (step := 0.5 * step) < _SHORTEST_STEP:
            raise NotConvergedError(share, q, "in the current Newton's method finds none")
    return q
