"""The section law as data: expansions about free states, fitted over the chambers' pressures.

Free states are solved for at pressures spread over the range. Each gives the free strain and the
volumes with their derivatives by the pressures, and the stiffness. Third and fourth derivatives
follow from differences of the tangent: two held strains beside the free one for each of the six
coordinates give all third derivatives, and all fourth ones with an index that occurs twice; the
others are small and left out. They are solved for at the corners of the range.

Chambers that a turn or a mirror maps to one another need one state for all: the images follow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement, permutations, product
from math import factorial
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.stats import qmc

from loligo.cases.section_law.law import SolidLaw, coordinates, strain_of
from loligo.cases.section_law.parts import Polynomial
from loligo.fem.cross_section.images import Image, one_of_each, turns_of
from loligo.fem.cross_section.path import PathEnded, follow, free_targets, rest
from loligo.fem.cross_section.problem import SectionProblem
from loligo.fem.cross_section.reach import with_reach
from loligo.fem.cross_section.solve import (
    HELD,
    Array,
    SectionNotSolved,
    SectionState,
    Target,
    solve,
)

_STATES = 24
"""Free states inside the range, beside the corners."""
_DEGREE = 6
"""Of the free strain and the potential in several parameters."""
_STEP = 0.02
"""Difference of a coordinate for third and fourth derivatives, bends times the radius: a wound
section without pressure bulges finely when it is stretched by twice as much."""
_TAUT = 0.02
"""Smallest parameter of a section whose thread slackens: at rest it is neither taut nor slack, and
the stiffness jumps there."""


@dataclass(frozen=True)
class _Node:
    t: Array
    """Parameters, which scale the pressures."""
    free: Array
    free_slope: Array
    """By t, shape (parameters, 6)."""
    potential: float
    potential_slope: Array
    stiffness: Array
    volume: Array
    volume_slope: Array
    """By the coordinates, shape (cavities, 6)."""
    fluid: Array
    """Wrench of the fluid."""


def make_law(
    problem: SectionProblem,
    cavities: Sequence[str],
    directions: Array,
    images: Sequence[Image] = (),
    say: Callable[[str], None] = lambda _: None,
) -> SolidLaw:
    """Return the law of a section for pressures that some parameters from 0 to 1 scale.

    Args:
        problem: the section; its chambers are the cavities in this order.
        cavities: their names in the case.
        directions: pressures (Pa) at 1 of every parameter, shape (cavities, parameters).
        images: symmetries of the section; those that keep the range of pressures are used.
        say: takes a line on how far the work is.

    Raises:
        PathEnded: if the section has no stable free state somewhere in the range.
    """
    count = directions.shape[1]
    turns = turns_of(images, directions)
    orders = {tuple(order) for _, order in turns}
    low = lowest(problem)
    corners = [np.array(c, dtype=float) for c in product((low, 1.0), repeat=count)]
    inside = [low + (1.0 - low) * t for t in _inside(count, sort=len(orders) == factorial(count))]
    chosen = one_of_each(corners, orders)
    state_at = _solver(problem, directions)
    say(f"{len(chosen) + len(inside)} free states")
    nodes = [_node(state_at(t), t, directions) for t in [*chosen, *inside]]
    spread = [image for node in nodes for image in _images(node, turns)]
    fitted = _fitted(spread, count, _DEGREE if count > 1 else len(inside) + 3)
    others = [low + (1.0 - low) * t for t in _between(count)]
    tests = [_node(state_at(t), t, directions) for t in others]
    error = max((_miss(fitted, node) for node in tests), default=0.0)
    say(f"error {error:.1e} at {len(tests)} other states; {12 * len(chosen)} states beside them")
    parts: dict[str, Any] = fitted | _fitted_higher(
        problem, [(t, state_at(t)) for t in chosen], turns, count
    )
    law = SolidLaw(
        cavities=tuple(cavities),
        directions=directions,
        radius=float(np.sqrt(problem.area / np.pi)),
        reach=0.0,
        reach_error=0.0,
        error=error,
        turned_from="",
        **parts,
    )
    law = with_reach(law, problem, [state_at(t) for t in (others[-2:] or chosen)])
    say(f"off by {law.reach_error:.1e} at {law.reach:g} beside the free strain")
    return law


def lowest(problem: SectionProblem) -> float:
    """Return the smallest parameter of the pressures at which a section has a law."""
    return _TAUT if problem.slackens else 0.0


def _solver(problem: SectionProblem, directions: Array) -> Callable[[Array], SectionState]:
    """Return the free state of parameters, followed from the nearest one that is known."""
    known: dict[bytes, tuple[Array, SectionState]] = {}

    def state_at(t: Array) -> SectionState:
        if t.tobytes() not in known:
            near = min(known.values(), key=lambda s: float(np.abs(s[0] - t).max()), default=None)
            state = near[1] if near else rest(problem)
            if len(t):
                (state,) = follow(problem, free_targets([directions @ t]), state)
            known[t.tobytes()] = t, state
        return known[t.tobytes()][1]

    return state_at


def _inside(count: int, *, sort: bool) -> list[Array]:
    """Parameters inside the range: Chebyshev's points for one, Sobol's for several.

    Where all parameters may change places, sorted ones serve for the others.
    """
    if count == 0:
        return []
    if count == 1:
        return [np.array([0.5 - 0.5 * np.cos(np.pi * (i + 0.5) / 5)]) for i in range(5)]
    points = qmc.Sobol(count, scramble=False).random(2 ** int(np.ceil(np.log2(_STATES + 1))))
    return [np.sort(p)[::-1] if sort else np.array(p) for p in points[1 : _STATES + 1]]


def _between(count: int) -> list[Array]:
    """Parameters that are not fitted, to measure the error with."""
    if count == 0:
        return []
    if count == 1:
        return [np.array([0.37]), np.array([0.81])]
    half = np.zeros(count)
    half[:2] = 0.7, 0.35
    inside = qmc.Sobol(count, scramble=False).random(64)[40:44]
    points = [*inside, np.full(count, 0.6), *(f * np.eye(count)[0] for f in (0.5, 0.8)), half]
    return [np.asarray(p, dtype=float) for p in points]


def expansion(state: SectionState) -> tuple[Array, Array]:
    """Return gradient and second derivatives of Pi by the coordinates."""
    rate = _rate(state)
    second = rate[:, None] * state.tangent[:6, :6] * rate
    second[3, 3] += state.wrench[3] * state.strain[3]
    return rate * state.wrench, second


def _rate(state: SectionState) -> Array:
    """Derivative of the strain by the coordinates, component by component."""
    rate = np.ones(6)
    rate[3] = state.strain[3]
    return rate


def _node(state: SectionState, t: Array, directions: Array) -> _Node:
    tangent = state.tangent
    by_pressure = -np.linalg.solve(tangent[:6, :6], tangent[:6, 6:])
    by_pressure[3] /= state.strain[3]
    return _Node(
        t,
        coordinates(state.strain),
        (by_pressure @ directions).T,
        state.energy - float(state.pressures @ state.volumes),
        -state.volumes @ directions,
        expansion(state)[1],
        state.volumes,
        -tangent[6:, :6] * _rate(state),
        state.wrench - state.wrench_solid,
    )


def _images(node: _Node, turns: Sequence[tuple[Image, list[int]]]) -> Iterator[_Node]:
    for one, order in turns:
        chambers, m = list(one.order), one.matrix
        yield _Node(
            node.t[order],
            m @ node.free,
            (node.free_slope @ m.T)[order],
            node.potential,
            node.potential_slope[order],
            m @ node.stiffness @ m.T,
            node.volume[chambers],
            (node.volume_slope @ m.T)[chambers],
            m @ node.fluid,
        )


def _exponents(count: int, degree: int) -> npt.NDArray[np.int64]:
    terms = [
        np.bincount(np.array(c, dtype=int), minlength=count)
        for d in range(degree + 1)
        for c in combinations_with_replacement(range(count), d)
    ]
    return np.array(terms, dtype=np.int64).reshape(-1, count)


def _fitted(nodes: Sequence[_Node], count: int, degree: int) -> dict[str, Polynomial]:
    """Fit the free strain and the potential to values and slopes, the others to values."""
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
    lower = _exponents(count, degree - (2 if count == 1 else 1)) if count else exponents
    probe = Polynomial(lower, np.eye(len(lower)))
    values = np.array([probe(node.t) for node in nodes])
    parts = {
        name: Polynomial(
            lower, least_squares(values, np.array([getattr(node, name) for node in nodes]))
        )
        for name in ("stiffness", "volume", "volume_slope", "fluid")
    }
    return {
        "free": Polynomial(exponents, least_squares(basis, np.concatenate(free))),
        "potential": Polynomial(exponents, least_squares(basis, np.concatenate(potential))),
        **parts,
    }


def _fitted_higher(
    problem: SectionProblem,
    corners: Sequence[tuple[Array, SectionState]],
    turns: Sequence[tuple[Image, list[int]]],
    count: int,
) -> dict[str, Polynomial]:
    """Fit third and fourth derivatives and the fluid's slopes at corners, linear in every t."""
    places, parts = [], []
    for t, state in corners:
        found = _higher(problem, state)
        for one, order in turns:
            places.append(t[order])
            parts.append(_turned(one.matrix, *found))
    exponents = np.array(list(product((0, 1), repeat=count)), dtype=np.int64)
    exponents = exponents.reshape(2**count, count)
    basis = np.array([np.prod(t**exponents, axis=1) for t in places])
    return {
        name: Polynomial(exponents, least_squares(basis, np.array(values)))
        for name, values in zip(
            ("cubic", "quartic", "fluid_slope"), zip(*parts, strict=True), strict=True
        )
    }


def least_squares(basis: Array, values: Array) -> Array:
    """Return the coefficients of columns of a basis that fit values best, of any shape."""
    flat = values.reshape(len(values), int(np.prod(values.shape[1:])))
    solution = np.linalg.lstsq(basis, flat, rcond=1e-10)[0]
    return np.asarray(solution.reshape(basis.shape[1], *values.shape[1:]))


def _miss(fitted: Mapping[str, Polynomial], node: _Node) -> float:
    """Error of the free strain over its distance from rest, of the volumes, of the stiffness."""
    size = np.linalg.norm(node.free - coordinates(np.array([0.0, 0, 0, 1, 0, 0])))
    off = np.linalg.norm(fitted["free"](node.t) - node.free)
    slope = fitted["potential"].slope(node.t) - node.potential_slope
    root = np.sqrt(np.diag(node.stiffness))
    stiffness = (fitted["stiffness"](node.t) - node.stiffness) / np.outer(root, root)
    return max(
        float(off / max(float(size), 1e-12)),
        float(np.abs(slope / node.potential_slope).max(initial=0.0)),
        float(np.abs(stiffness).max()),
    )


def _higher(problem: SectionProblem, state: SectionState) -> tuple[Array, Array, Array]:
    """Return third and fourth derivatives of Pi by the coordinates, and first of the fluid."""
    middle = expansion(state)[1]
    cubic, repeated = np.zeros((6, 6, 6)), np.zeros((6, 6, 6))
    fluid = np.zeros((6, 6))
    for k in range(6):
        step = _STEP / (state.radius if k < 3 else 1.0)
        while True:
            try:
                ends = [_held(problem, state, k, sign * step) for sign in (1.0, -1.0)]
                break
            except SectionNotSolved:
                step /= 2.0
                if step < _STEP * 1e-2 / (state.radius if k < 3 else 1.0):
                    raise PathEnded(
                        "the section has no equilibrium beside its free state", state
                    ) from None
        upper, under = (expansion(end)[1] for end in ends)
        cubic[:, :, k] = (upper - under) / (2.0 * step)
        repeated[:, :, k] = (upper + under - 2.0 * middle) / step**2
        carried = [end.wrench - end.wrench_solid for end in ends]
        fluid[:, k] = (carried[0] - carried[1]) / (2.0 * step)
    cubic = np.sum([cubic.transpose(p) for p in permutations(range(3))], axis=0) / 6.0
    quartic, count = np.zeros((6, 6, 6, 6)), np.zeros((6, 6, 6, 6))
    for i, j, k in product(range(6), repeat=3):
        for at in set(permutations((i, j, k, k))):
            quartic[at] += repeated[i, j, k]
            count[at] += 1
    return cubic, quartic / np.maximum(count, 1.0), fluid


def _held(problem: SectionProblem, state: SectionState, k: int, step: float) -> SectionState:
    at = coordinates(state.strain)
    at[k] += step
    return solve(problem, Target(state.pressures, HELD, strain_of(at)), state)


def _turned(m: Array, cubic: Array, quartic: Array, fluid: Array) -> tuple[Array, Array, Array]:
    return (
        np.einsum("ia,jb,kc,abc->ijk", m, m, m, cubic, optimize=True),
        np.einsum("ia,jb,kc,ld,abcd->ijkl", m, m, m, m, quartic, optimize=True),
        m @ fluid @ m.T,
    )
