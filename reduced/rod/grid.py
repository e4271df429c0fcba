"""Where a rod is sampled: nodes, Gauss points, quadrature weights and strain shape functions.

Every interval has m cells between its m + 1 Gauss-Lobatto points, and two Gauss points in every
cell. Strains live at the Gauss points, where the Magnus step and the internal work need them;
frames and distributed loads live at the nodes, whose Lobatto weights integrate degree 2 m - 1.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.polynomial import legendre

from loligo.reduced.lie import Array

FieldOfX = Callable[[Array], Array]
Span = tuple[float, float]
GAUSS = 0.5 - np.sqrt(3.0) / 6.0  # the first of two Gauss points on [0, 1]


@dataclass(frozen=True, eq=False)
class Grid:
    """The points of a rod and what does not change during a solve.

    Attributes:
        breaks: ends of the intervals, (intervals + 1,).
        rigid: which intervals keep their rest strain, (intervals,).
        component: strain component of the local unknowns of an interval, (local,).
        degree: their polynomial degrees, (local,).
        nodes: arc lengths, (cells + 1,).
        steps: lengths of all cells, (cells,).
        lobatto_weights: of the m + 1 nodes of every interval, (intervals, m + 1).
        gauss: arc lengths of the Gauss points, (2 cells,).
        gauss_weights: their weights, (2 cells,).
        first: the first unknown of every cell, -1 where it is rigid, (cells,).
    """

    breaks: Array
    rigid: Array
    component: Array
    degree: Array
    nodes: Array
    steps: Array
    lobatto_weights: Array
    gauss: Array
    gauss_weights: Array
    first: Array

    @property
    def intervals(self) -> int:
        """Number of intervals."""
        return len(self.breaks) - 1

    @property
    def unknowns(self) -> int:
        """Number of generalised coordinates."""
        return int(np.count_nonzero(~self.rigid)) * len(self.component)

    def by_interval(self, q: Array) -> Array:
        """Return the local unknowns of every interval, zero where it is rigid."""
        local = np.zeros((self.intervals, len(self.component)))
        local[~self.rigid] = q.reshape(-1, len(self.component))
        return local

    def interval_of(self, X: Array) -> Array:
        """Return the interval of every X; of an end shared by two, the soft one or that before."""
        length = self.breaks[-1]
        close = 1e-12 * length
        outside = (X < -close) | (X > length + close)
        if np.any(outside):
            raise ValueError(f"X = {X[outside][0]:.6g} m is not on the rod of {length:.6g} m")
        before, after = (
            np.clip(np.searchsorted(self.breaks, near) - 1, 0, self.intervals - 1)
            for near in (X - close, X + close)
        )
        return np.where(self.rigid[before], after, before)

    def legendre_values(self, X: Array) -> Array:
        """Return the polynomials of the local unknowns at X, (n, local), within [-1, 1]."""
        interval = self.interval_of(X)
        low, high = self.breaks[interval], self.breaks[interval + 1]
        values = legendre.legvander((2.0 * X - low - high) / (high - low), int(self.degree.max()))
        shapes: Array = values[:, self.degree]
        return shapes

    def integrals_beyond(self, X: Array) -> Array:
        """Return weights on the nodes of X's interval for integrals from X to its end, (n, m + 1).

        Exact for the polynomial of degree m through the nodes.
        """
        m = self.lobatto_weights.shape[1] - 1
        interval = self.interval_of(X)
        low, high = self.breaks[interval], self.breaks[interval + 1]
        values = legendre.legvander((2.0 * X - low - high) / (high - low), m + 1)
        # Integral of P_k from x to 1: (P_(k-1)(x) - P_(k+1)(x))/(2 k + 1), and 1 - x for k = 0
        integrals = np.empty((len(X), m + 1))
        integrals[:, 0] = 1.0 - values[:, 1]
        integrals[:, 1:] = (values[:, :m] - values[:, 2:]) / (2.0 * np.arange(1, m + 1) + 1.0)
        to_nodes = np.linalg.inv(legendre.legvander(lobatto(m)[0], m))
        weights: Array = 0.5 * (high - low)[:, None] * (integrals @ to_nodes)
        return weights

    @property
    def soft(self) -> Array:
        """Which Gauss points are not rigid, (2 cells,)."""
        return np.repeat(self.first >= 0, 2)

    @property
    def nodes_by_interval(self) -> Array:
        """Numbers of the nodes of every interval, (intervals, m + 1)."""
        m = self.lobatto_weights.shape[1] - 1
        return np.arange(self.intervals)[:, None] * m + np.arange(m + 1)


def make_grid(breaks: Array, rigid: Array, degrees: Array, cells: int) -> Grid:
    """Return the grid of intervals between `breaks` with `cells` cells each.

    Args:
        breaks: ends of the intervals.
        rigid: which of them keep their rest strain.
        degrees: polynomial degree of the six strains, -1 for one that is not free.
        cells: number of cells of an interval.
    """
    points, weights = lobatto(cells)
    spans = np.diff(breaks)
    nodes = breaks[:-1, None] + spans[:, None] * (0.5 * (points + 1.0))[None, :]
    nodes = np.append(nodes[:, :-1].ravel(), breaks[-1])
    steps = np.diff(nodes)
    gauss = nodes[:-1, None] + steps[:, None] * np.array([GAUSS, 1.0 - GAUSS])
    local = np.sum(degrees + 1)
    first = np.where(rigid, -1, local * (np.cumsum(~rigid) - 1))
    return Grid(
        breaks=breaks,
        rigid=rigid,
        component=np.repeat(np.arange(6), degrees + 1),
        degree=np.concatenate([np.arange(d + 1) for d in degrees]),
        nodes=nodes,
        steps=steps,
        lobatto_weights=0.5 * spans[:, None] * weights,
        gauss=gauss.ravel(),
        gauss_weights=np.repeat(0.5 * steps, 2),
        first=np.repeat(first, cells),
    )


def end_at(breaks: Array, X: float, name: str) -> int:
    """Return the number of the interval end at X; `name` says what asks for it."""
    number = int(np.argmin(np.abs(breaks - X)))
    if abs(breaks[number] - X) > 1e-12 * breaks[-1]:
        ends = ", ".join(f"{end:.6g}" for end in breaks)
        raise ValueError(
            f"{name} = {X:.6g} m is not an end of an interval ({ends}); "
            "add it to the rod's segments"
        )
    return number


def intervals_in(breaks: Array, span: Span | None, name: str) -> Array:
    """Return which intervals lie in a span, all without one, (intervals,)."""
    inside = np.ones(len(breaks) - 1, bool)
    if span is not None:
        first, last = (
            end_at(breaks, X, f"{name} {end}")
            for X, end in zip(span, ("start", "end"), strict=True)
        )
        if first >= last:
            raise ValueError(
                f"a {name} must run towards the tip, not from {span[0]} to {span[1]} m"
            )
        inside[:first] = False
        inside[last:] = False
    return inside


def lobatto(cells: int) -> tuple[Array, Array]:
    """Return the cells + 1 Gauss-Lobatto points on [-1, 1] and their weights."""
    polynomial = legendre.Legendre.basis(cells)
    points = np.concatenate([[-1.0], np.sort(polynomial.deriv().roots().real), [1.0]])
    return points, 2.0 / (cells * (cells + 1) * polynomial(points) ** 2)


def evaluate(
    field: Array | Sequence[float] | float | FieldOfX, X: Array, shape: tuple[int, ...], name: str
) -> Array:
    """Return a constant or a function of X at points X, with its shape and values checked."""
    values = np.asarray(field(X) if callable(field) else field, float)
    if not callable(field) and values.shape == shape:
        values = np.broadcast_to(values, (len(X), *shape))
    if values.shape != (len(X), *shape):
        expected = f"({len(X)}{''.join(f', {n}' for n in shape)})"
        raise ValueError(
            f"{name} must be constant of shape {shape} or a function that returns shape "
            f"{expected} for X of shape ({len(X)},), but has shape {values.shape}"
        )
    finite = np.isfinite(values.reshape(len(X), -1)).all(axis=1)
    if not finite.all():
        raise ValueError(f"{name} is not finite at X = {X[~finite][0]:.6g} m")
    return values
