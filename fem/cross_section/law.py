"""The section law as data: expansions about free states, fitted over the chambers' pressures.

Free states are solved for at pressures spread over the range. Each gives the free strain and the
volumes with their derivatives by the pressures, and the stiffness. Third and fourth derivatives
follow from differences of the tangent: two held strains beside the free one for each of the six
coordinates give all third derivatives, and all fourth ones with an index that occurs twice; the
others are small and left out. They are solved for at the corners of the range.

Chambers that a turn or a mirror maps to one another need one state for all: the images follow.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement, permutations, product

import numpy as np
import numpy.typing as npt
from scipy.stats import qmc

from loligo.cases.solid_law import Polynomial, SolidLaw, coordinates, strain_of
from loligo.fem.cross_section.path import PathEnded, follow, free_targets, rest
from loligo.fem.cross_section.problem import SectionProblem
from loligo.fem.cross_section.solve import HELD, Array, NoEquilibrium, SectionState, Target, solve

_STATES = 24
"""Free states inside the range, beside the corners."""
_DEGREE = 6
"""Of the free strain and the potential in the pressures of several chambers."""
_STEP = 0.04
"""Difference of a coordinate for third and fourth derivatives, bends times the radius."""
REACH = 0.1
"""Distance from the free state within which the expansion is used without a warning."""


@dataclass(frozen=True)
class Image:
    """A turn or mirror of the section that maps its chambers to one another."""

    order: tuple[int, ...]
    """Chamber whose pressure each chamber takes."""
    matrix: Array
    """Of the coordinates (k; v), shape (6, 6)."""


@dataclass(frozen=True)
class _Node:
    t: Array
    """Pressures over the largest."""
    free: Array
    free_slope: Array
    """By t, shape (cavities, 6)."""
    potential: float
    potential_slope: Array
    stiffness: Array


def images_of(centres: Sequence[tuple[float, float]]) -> list[Image]:
    """Return the turns and mirrors that map round chambers of one radius to one another.

    Args:
        centres: of the chambers (y, z) (m), of equal radius.
    """
    places = np.array([complex(y, z) for y, z in centres])
    close = 1e-6 * max(np.abs(places).max(initial=0.0), 1e-12)
    images = []
    angles = np.angle(places)
    for mirror in (False, True):
        moved = places.conj() if mirror else places
        for turn in {
            round(float(a), 9) for a in np.angle(np.exp(1j * (angles - np.angle(moved[:1]))))
        }:
            result = moved * np.exp(1j * turn)
            distance = np.abs(result[:, None] - places[None, :])
            order = distance.argmin(axis=0)
            if np.any(distance.min(axis=0) > close) or len(set(order)) < len(places):
                continue
            plane = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
            if mirror:
                plane = plane @ np.diag([1.0, -1.0])
            spatial = np.eye(3)
            spatial[1:, 1:] = plane
            matrix = np.zeros((6, 6))
            # Bends and torsion are an axial vector: a mirror turns them round.
            matrix[:3, :3] = np.linalg.det(spatial) * spatial
            matrix[3:, 3:] = spatial
            images.append(Image(tuple(int(i) for i in order), matrix))
    return images or [Image((), np.eye(6))]


def make_law(
    problem: SectionProblem,
    cavities: Sequence[str],
    pressure: Array,
    images: Sequence[Image] = (),
) -> SolidLaw:
    """Return the law of a section for pressures from zero to the largest of every chamber.

    Args:
        problem: the section; its chambers are the cavities in this order.
        cavities: their names in the case.
        pressure: largest pressure of every chamber (Pa).
        images: symmetries of the section and of the range of pressures.

    Raises:
        PathEnded: if the section has no stable free state somewhere in the range.
    """
    count = len(cavities)
    images = [one for one in images if count and np.allclose(pressure[list(one.order)], pressure)]
    images = images or [Image(tuple(range(count)), np.eye(6))]
    corners = [np.array(c, dtype=float) for c in product((0.0, 1.0), repeat=count)]
    inside = _inside(count)
    states: dict[bytes, tuple[Array, SectionState]] = {}

    def state_at(t: Array) -> SectionState:
        if t.tobytes() not in states:
            near = min(states.values(), key=lambda s: float(np.abs(s[0] - t).max()), default=None)
            start = near[1] if near else rest(problem)
            (state,) = follow(problem, free_targets([t * pressure]), start) if count else (start,)
            states[t.tobytes()] = t, state
        return states[t.tobytes()][1]

    chosen = _representatives(corners, images)
    nodes = [_node(state_at(t), t, pressure) for t in [*chosen, *inside]]
    spread = [image for node in nodes for image in _images(node, images)]
    free, potential, stiffness = _fitted(spread, count, _DEGREE if count > 1 else len(inside) + 3)
    tests = [_node(state_at(t), t, pressure) for t in _between(count)]
    error = max((_miss(free, potential, node) for node in tests), default=0.0)
    higher = []
    for t in chosen:
        cubic, quartic = _higher(problem, state_at(t))
        higher += [(t[list(one.order)], *_turned(one.matrix, cubic, quartic)) for one in images]
    exponents = np.array(list(product((0, 1), repeat=count)), dtype=np.int64).reshape(-1, count)
    basis = np.array([np.prod(t**exponents, axis=1) for t, _, _ in higher])
    parts = [
        Polynomial(exponents, _least_squares(basis, np.array([one[i] for one in higher])))
        for i in (1, 2)
    ]
    return SolidLaw(
        tuple(cavities),
        np.asarray(pressure, dtype=float),
        float(np.sqrt(problem.area / np.pi)),
        REACH,
        error,
        free,
        potential,
        stiffness,
        *parts,
    )


def _inside(count: int) -> list[Array]:
    """Pressures inside the range: Chebyshev's points for one chamber, Sobol's for several."""
    if count == 0:
        return []
    if count == 1:
        return [np.array([0.5 - 0.5 * np.cos(np.pi * (i + 0.5) / 5)]) for i in range(5)]
    points = qmc.Sobol(count, scramble=False).random(2 ** int(np.ceil(np.log2(_STATES + 1))))
    ordered = [np.sort(p)[::-1] for p in points[1 : _STATES + 1]]
    return [np.asarray(p) for p in ordered]


def _between(count: int) -> list[Array]:
    """Pressures that are not fitted, to measure the error with."""
    if count == 0:
        return []
    if count == 1:
        return [np.array([0.37]), np.array([0.81])]
    points = [np.full(count, 0.6), *(np.eye(count)[:1] * 0.5), *(np.eye(count)[:1] * 0.8)]
    half = np.zeros(count)
    half[:2] = 0.7, 0.35
    return [np.asarray(p, dtype=float) for p in [*points, half]]


def _representatives(corners: Sequence[Array], images: Sequence[Image]) -> list[Array]:
    """One corner of every set that the images map to one another."""
    kept: list[Array] = []
    for corner in corners:
        known = {tuple(k[list(one.order)]) for k in kept for one in images}
        if tuple(corner) not in known:
            kept.append(corner)
    return kept


def _expansion(state: SectionState) -> tuple[Array, Array]:
    """Return gradient and second derivatives of Pi by the coordinates."""
    rate = np.ones(6)
    rate[3] = state.strain[3]
    second = rate[:, None] * state.tangent[:6, :6] * rate
    second[3, 3] += state.wrench[3] * state.strain[3]
    return rate * state.wrench, second


def _node(state: SectionState, t: Array, pressure: Array) -> _Node:
    tangent = state.tangent
    by_pressure = -np.linalg.solve(tangent[:6, :6], tangent[:6, 6:])
    by_pressure[3] /= state.strain[3]
    return _Node(
        t,
        coordinates(state.strain),
        (by_pressure * pressure).T,
        state.energy - float(state.pressures @ state.volumes),
        -state.volumes * pressure,
        _expansion(state)[1],
    )


def _images(node: _Node, images: Sequence[Image]) -> Iterator[_Node]:
    for one in images:
        order, m = list(one.order), one.matrix
        yield _Node(
            node.t[order],
            m @ node.free,
            (node.free_slope @ m.T)[order],
            node.potential,
            node.potential_slope[order],
            m @ node.stiffness @ m.T,
        )


def _exponents(count: int, degree: int) -> npt.NDArray[np.int64]:
    terms = [
        np.bincount(np.array(c, dtype=int), minlength=count)
        for d in range(degree + 1)
        for c in combinations_with_replacement(range(count), d)
    ]
    return np.array(terms, dtype=np.int64).reshape(-1, count)


def _fitted(
    nodes: Sequence[_Node], count: int, degree: int
) -> tuple[Polynomial, Polynomial, Polynomial]:
    """Fit the free strain and the potential to values and slopes, the stiffness to values."""
    exponents = _exponents(count, degree) if count else np.zeros((1, 0), dtype=np.int64)
    rows: list[Array] = []
    free: list[Array] = []
    potential: list[Array] = []
    probe = Polynomial(exponents, np.eye(len(exponents)))
    for node in nodes:
        rows.append(probe(node.t)[None])
        free.append(node.free[None])
        potential.append(np.array([node.potential]))
        if count:
            rows.append(probe.slope(node.t))
            free.append(node.free_slope)
            potential.append(node.potential_slope)
    basis = np.concatenate(rows)
    lower = _exponents(count, max(degree - 1, 0)) if count else exponents
    values = Polynomial(lower, np.eye(len(lower)))
    fitted = Polynomial(
        lower,
        _least_squares(
            np.array([values(node.t) for node in nodes]), np.array([n.stiffness for n in nodes])
        ),
    )
    return (
        Polynomial(exponents, _least_squares(basis, np.concatenate(free))),
        Polynomial(exponents, _least_squares(basis, np.concatenate(potential))),
        fitted,
    )


def _least_squares(basis: Array, values: Array) -> Array:
    flat = values.reshape(len(values), -1)
    solution = np.linalg.lstsq(basis, flat, rcond=1e-10)[0]
    return np.asarray(solution.reshape(-1, *values.shape[1:]))


def _miss(free: Polynomial, potential: Polynomial, node: _Node) -> float:
    """Error of the free strain over its distance from rest, and of the volumes."""
    size = np.linalg.norm(node.free - coordinates(np.array([0.0, 0, 0, 1, 0, 0])))
    strain = float(np.linalg.norm(free(node.t) - node.free) / max(float(size), 1e-12))
    slope = potential.slope(node.t) - node.potential_slope
    return max(strain, float(np.abs(slope / node.potential_slope).max(initial=0.0)))


def _higher(problem: SectionProblem, state: SectionState) -> tuple[Array, Array]:
    """Return third and fourth derivatives of Pi by the coordinates at a state."""
    middle = _expansion(state)[1]
    cubic, repeated = np.zeros((6, 6, 6)), np.zeros((6, 6, 6))
    for k in range(6):
        step = _STEP / (state.radius if k < 3 else 1.0)
        while True:
            try:
                ends = [_held(problem, state, k, sign * step) for sign in (1.0, -1.0)]
                break
            except NoEquilibrium:
                step /= 2.0
                if step < _STEP * 1e-2 / (state.radius if k < 3 else 1.0):
                    raise PathEnded(
                        "the section has no equilibrium beside its free state", state
                    ) from None
        cubic[:, :, k] = (ends[0] - ends[1]) / (2.0 * step)
        repeated[:, :, k] = (ends[0] + ends[1] - 2.0 * middle) / step**2
    cubic = np.sum([cubic.transpose(p) for p in permutations(range(3))], axis=0) / 6.0
    quartic, count = np.zeros((6, 6, 6, 6)), np.zeros((6, 6, 6, 6))
    for i, j, k in product(range(6), repeat=3):
        for at in set(permutations((i, j, k, k))):
            quartic[at] += repeated[i, j, k]
            count[at] += 1
    return cubic, np.divide(quartic, count, out=np.zeros_like(quartic), where=count > 0)


def _held(problem: SectionProblem, state: SectionState, k: int, step: float) -> Array:
    at = coordinates(state.strain)
    at[k] += step
    return _expansion(solve(problem, Target(state.pressures, HELD, strain_of(at)), state))[1]


def _turned(m: Array, cubic: Array, quartic: Array) -> tuple[Array, Array]:
    return (
        np.einsum("ia,jb,kc,abc->ijk", m, m, m, cubic, optimize=True),
        np.einsum("ia,jb,kc,ld,abcd->ijkl", m, m, m, m, quartic, optimize=True),
    )
