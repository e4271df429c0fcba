"""The loads of a rod as arrays on its grid: what the solver adds up, scales and blends."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.polynomial import polynomial

from loligo.reduced.lie import Array
from loligo.reduced.rod.grid import end_at, evaluate, intervals_in
from loligo.reduced.rod.loads import ActiveWrench, LineLoad, Load, PointLoad, RodTendon
from loligo.reduced.rod.model import Rod

_STENCIL = np.arange(-2, 3)
# Row j: the coefficients of the derivative of the Lagrange polynomial that is 1 at stencil point j
_SLOPES = np.array(
    [
        polynomial.polyder(
            polynomial.polyfromroots(np.delete(_STENCIL, j))
            / np.prod(_STENCIL[j] - np.delete(_STENCIL, j))
        )
        for j in range(5)
    ]
)
_STEP = 0.02  # of the interval: the slope's error is its fifth derivative times step^4/30 or less


@dataclass(frozen=True, eq=False)
class Actuation:
    """Internal actuation at a number of points along the rod.

    Attributes:
        wrench: what does not depend on the strain, (points, 6).
        offset: of the tendons in the section, (tendons, points, 3).
        slope: their derivatives with respect to X, (tendons, points, 3).
        tension: their tensions, (tendons, points), zero outside their spans.
    """

    wrench: Array
    offset: Array
    slope: Array
    tension: Array

    def scaled(self, factor: float) -> "Actuation":
        """Return the actuation times a factor."""
        return Actuation(factor * self.wrench, self.offset, self.slope, factor * self.tension)

    def plus(self, other: "Actuation") -> "Actuation":
        """Return both together."""
        return Actuation(
            self.wrench + other.wrench,
            np.concatenate([self.offset, other.offset]),
            np.concatenate([self.slope, other.slope]),
            np.concatenate([self.tension, other.tension]),
        )


@dataclass(frozen=True, eq=False)
class LoadSet:
    """All loads of a rod; linear in the loads, so that two sets can be blended.

    The external ones hold seven rows: dead moment and force, follower moment and force, and the
    sum T of r F^T of dead forces F at levers r in the section's axes, whose moment turns with it.

    Attributes:
        line: densities on the Lobatto nodes of every interval, (intervals, m + 1, 7, 3).
        point: on the nodes, (nodes, 7, 3).
        actuation: at the Gauss points.
    """

    line: Array
    point: Array
    actuation: Actuation

    def scaled(self, factor: float) -> "LoadSet":
        """Return the loads times a factor."""
        return LoadSet(factor * self.line, factor * self.point, self.actuation.scaled(factor))

    def plus(self, other: "LoadSet") -> "LoadSet":
        """Return both sets of loads together."""
        return LoadSet(
            self.line + other.line,
            self.point + other.point,
            self.actuation.plus(other.actuation),
        )

    def with_tip_wrench(self, wrench: Array) -> "LoadSet":
        """Return the loads with a follower wrench (moment; force) at the tip beside them."""
        point = self.point.copy()
        point[-1, 2:4] += wrench.reshape(2, 3)
        return LoadSet(self.line, point, self.actuation)

    def on_nodes(self, rod: Rod) -> Array:
        """Return the loads lumped on the nodes by their quadrature weights, (nodes, 7, 3)."""
        lumps = self.point.copy()
        weighted = rod.grid.lobatto_weights[:, :, None, None] * self.line
        # Beyond a joint the follower loads are given in axes that the node does not have.
        weighted[:, 0, 2:4] = weighted[:, 0, 2:4] @ np.swapaxes(rod.turns, 1, 2)
        np.add.at(lumps, rod.grid.nodes_by_interval, weighted)
        return lumps


def in_world(load: Array, rotation: Array) -> Array:
    """Return the rows of a `LoadSet`, (..., 7, 3), as moment and force in the world."""
    follower = load[..., 2:4, :].copy()
    tilted = load[..., 4:, :] @ rotation
    follower[..., 0, :] += np.stack(
        [
            tilted[..., 1, 2] - tilted[..., 2, 1],
            tilted[..., 2, 0] - tilted[..., 0, 2],
            tilted[..., 0, 1] - tilted[..., 1, 0],
        ],
        axis=-1,
    )
    acting: Array = load[..., :2, :] + follower @ np.swapaxes(rotation, -1, -2)
    return acting


def load_set(rod: Rod, loads: Sequence[Load]) -> LoadSet:
    """Return the loads on the rod's grid."""
    grid = rod.grid
    numbers = grid.nodes_by_interval
    line = np.zeros((*numbers.shape, 7, 3))
    point = np.zeros((len(grid.nodes), 7, 3))
    for load in loads:
        if isinstance(load, PointLoad):
            first = _first(load)
            at = rod.length if load.at is None else load.at
            node = end_at(grid.breaks, at, "PointLoad.at") * (numbers.shape[1] - 1)
            force, lever = np.asarray(load.force, float), np.asarray(load.lever, float)
            point[node, first] += np.asarray(load.moment, float)
            point[node, first + 1] += force
            if load.axes == "world":
                point[node, 4:] += np.outer(lever, force)
            else:
                point[node, 2] += np.cross(lever, force)
        elif isinstance(load, LineLoad):
            first = _first(load)
            inside = intervals_in(rod.grid.breaks, load.span, "span")
            X = grid.nodes[numbers[inside]]
            for k, name in ((first, "moment"), (first + 1, "force")):
                values = evaluate(getattr(load, name), X.ravel(), (3,), f"LineLoad.{name}")
                line[inside, :, k] += values.reshape(*X.shape, 3)
        elif not isinstance(load, ActiveWrench | RodTendon):
            raise ValueError(f"a rod's loads are those of rod_loads, but one is {load!r}")
    return LoadSet(line, point, actuation(rod, loads, grid.gauss))


def actuation(rod: Rod, loads: Sequence[Load], X: Array) -> Actuation:
    """Return the internal actuation at X; at an end shared by two intervals that of the one before.

    Args:
        rod: whose intervals bound the spans.
        loads: all loads; external ones are passed over.
        X: arc lengths.
    """
    interval = rod.grid.interval_of(X)
    wrench = np.zeros((len(X), 6))
    offsets, slopes, tensions = [], [], []
    for load in loads:
        if isinstance(load, ActiveWrench):
            inside = intervals_in(rod.grid.breaks, load.span, "span")[interval]
            wrench[inside] += evaluate(load.wrench, X[inside], (6,), "ActiveWrench.wrench")
        elif isinstance(load, RodTendon):
            inside = intervals_in(rod.grid.breaks, load.span, "span")[interval]
            offset, slope = np.zeros((2, len(X), 3))
            offset[inside, 1:], slope[inside, 1:] = _path(rod, load, X[inside])
            offsets.append(offset)
            slopes.append(slope)
            tensions.append(np.where(inside, load.tension, 0.0))
    count = len(tensions)
    return Actuation(
        wrench,
        np.reshape(offsets, (count, len(X), 3)),
        np.reshape(slopes, (count, len(X), 3)),
        np.reshape(tensions, (count, len(X))),
    )


def _path(rod: Rod, tendon: RodTendon, X: Array) -> tuple[Array, Array]:
    """Offset (y, z) and its slope; the stencil never leaves the interval, where paths may kink."""
    interval = rod.grid.interval_of(X)
    low, high = rod.grid.breaks[interval], rod.grid.breaks[interval + 1]
    step = _STEP * (high - low)
    centre = np.clip(X, low + 2 * step, high - 2 * step)
    points = centre[:, None] + step[:, None] * _STENCIL
    values = evaluate(tendon.path, points.ravel(), (2,), "Tendon.path").reshape(-1, 5, 2)
    weights = polynomial.polyval((X - centre) / step, _SLOPES.T).T / step[:, None]
    return evaluate(tendon.path, X, (2,), "Tendon.path"), np.einsum("ij,ijk->ik", weights, values)


def _first(load: PointLoad | LineLoad) -> int:
    """Where the load's moment stands among the four vectors of a `LoadSet`; its force is next."""
    return 0 if load.axes == "world" else 2
