"""How far beside the free state a law's expansion holds: measured at states that it has not seen.

The expansion knows states that differ from the free one in one coordinate. Here pairs of
coordinates change together, by more and more. At each state the wrench of the law is compared with
that of the section; the difference over the tangent is the error of the strain that a given wrench
would have.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from loligo.cases.section_law.law import SolidLaw, coordinates, strain_of
from loligo.fem.cross_section.problem import SectionProblem
from loligo.fem.cross_section.solve import (
    HELD,
    Array,
    SectionNotSolved,
    SectionState,
    Target,
    solve,
)

RADII = (0.0125, 0.025, 0.05, 0.1, 0.2, 0.4)
"""Distances from the free state that are tried, bends times the radius."""
ACCEPTED = 0.05
"""Error of the strain over the distance, up to which the expansion is said to hold."""
_PAIRS = ((1, 3), (1, -3), (-1, 3), (2, 3), (2, -3), (1, 2), (4, 1), (5, 2))
"""Coordinates that change together, with their signs: bend_y 1, bend_z 2, stretch 3, shear_y 4,
shear_z 5."""


def with_reach(law: SolidLaw, problem: SectionProblem, starts: Sequence[SectionState]) -> SolidLaw:
    """Return the law with the reach that its expansion has, and the error there.

    The reach is the largest of `RADII` up to which no error is above `ACCEPTED`. Where the smallest
    has more already, it is the reach, and its error says so.

    Args:
        law: the law of the section.
        problem: the section.
        starts: free states to go out from.
    """
    paths = [(start, direction) for start in starts for direction in _directions(law.radius)]
    states = [start for start, _ in paths]
    reach, error = RADII[0], 1.0  # nothing is known yet
    for radius in RADII:
        try:
            states = [
                _beside(problem, start, state, radius * direction)
                for (start, direction), state in zip(paths, states, strict=True)
            ]
        except SectionNotSolved:  # or one that such steps do not reach
            break
        worst = max(
            _miss(law, state, radius * direction) / radius
            for (_, direction), state in zip(paths, states, strict=True)
        )
        if worst > ACCEPTED and radius > RADII[0]:
            break
        reach, error = radius, worst
        if worst > ACCEPTED:
            break
    return replace(law, reach=reach, reach_error=error)


def _directions(radius: float) -> list[Array]:
    """Return changes of the coordinates at distance 1, two of them together."""
    scale = np.array([1.0 / radius] * 3 + [1.0] * 3)
    found = []
    for pair in _PAIRS:
        one = np.zeros(6)
        for number in pair:
            one[abs(number)] = np.sign(number)
        found.append(one / np.sqrt(2.0) * scale)
    return found


def _beside(
    problem: SectionProblem, start: SectionState, state: SectionState, change: Array
) -> SectionState:
    """Return the section at a change of the coordinates, by two steps from a smaller one."""
    here: Array = coordinates(state.strain)
    there: Array = coordinates(start.strain) + change
    halfway: Array = np.asarray(0.5 * (here + there), dtype=float)
    for at in (halfway, there):
        state = solve(problem, Target(start.pressures, HELD, strain_of(at)), state)
    return state


def _miss(law: SolidLaw, state: SectionState, change: Array) -> float:
    """Return the strain by which the law's wrench is off, bends times the radius."""
    rate = np.ones(6)
    rate[3] = state.strain[3]
    second = rate[:, None] * state.tangent[:6, :6] * rate
    second[3, 3] += state.wrench[3] * state.strain[3]
    off = law.at(state.pressures).gradient(change[None])[0] - rate * state.wrench
    strain = np.linalg.solve(second, off) * np.array([law.radius] * 3 + [1.0] * 3)
    return float(np.linalg.norm(strain))
