"""What a 3D solution takes, by its unknowns and ranks: a model fitted to what was measured.

Time and memory are power laws of the unknowns, c N^p, fitted in logarithms over several bodies: p
is common to all, c to those of one element, and the bodies lie around it by a factor that is
stated. On R ranks a share f of the work is divided and the rest is not (Amdahl), with f from the
speed-up on two ranks; memory grows by a factor, that of two ranks.
"""

from __future__ import annotations

from dataclasses import dataclass
from operator import attrgetter
from typing import Literal

import numpy as np

from loligo.hpc.measured import MEASURED
from loligo.hpc.measurement import Element, Measured

Solver = Literal["direct", "krylov"]

KRYLOV_FROM = 600_000
"""Unknowns from which on the solver `auto` is the iterative one; `fem.solvers.factor`."""
LIBRARIES = 0.3
"""Memory that every rank needs for the libraries alone (GB)."""
_LEAST = 20_000
"""Unknowns a rank below which ranks mostly wait for one another."""


@dataclass(frozen=True)
class StateCost:
    """What one converged state took on one rank."""

    body: str
    """With what it is meshed with."""
    element: Element
    solver: Solver
    unknowns: int
    seconds: float
    """CPU time; meshing, set-up and observation left out."""
    gigabytes: float
    """The largest that the process was."""


STATES = tuple(
    StateCost(
        one.subject,
        one.element,
        one.solver,
        one.unknowns,
        one.seconds / one.states,
        one.gigabytes,
    )
    for one in MEASURED
    if one.ranks == 1
)


@dataclass(frozen=True)
class CostLaw:
    """A power law, and how far what was measured lies from it."""

    factor: float
    exponent: float
    spread: float
    """Largest ratio of a measured value and the law, or its inverse."""

    def at(self, unknowns: float) -> float:
        """Return c N^p."""
        return float(self.factor * unknowns**self.exponent)


@dataclass(frozen=True)
class Cost:
    """What one state takes."""

    solver: Solver
    ranks: int
    seconds: float
    """Wall time of one converged state, on cores of its own."""
    gigabytes: float
    """Of all ranks."""
    spread: float
    """Factor by which the bodies that were measured lie around the time."""
    measured: bool
    """Whether unknowns and ranks lie within what was measured."""


def law(solver: Solver, element: Element, quantity: Literal["seconds", "gigabytes"]) -> CostLaw:
    """Fit a power law to what was measured; memory is that beyond the libraries.

    The exponent is at least 1: what small problems cost an unknown is no promise to large ones.
    """
    base = LIBRARIES if quantity == "gigabytes" else 0.0
    states = [one for one in STATES if one.solver == solver]
    points = [(one.unknowns, getattr(one, quantity) - base) for one in states]
    size, value = np.log(np.array(points)).T
    bodies = np.array([one.body for one in states])
    off = np.empty((2, len(states)))  # how far a state is from the mean of its body
    for body in set(bodies):
        here = bodies == body
        off[:, here] = size[here] - size[here].mean(), value[here] - value[here].mean()
    exponent = max(1.0, float(off[0] @ off[1] / (off[0] @ off[0])))
    mine = np.array([one.element == element for one in states])
    rest = (value - exponent * size)[mine]
    offset = float(np.mean(rest))
    return CostLaw(float(np.exp(offset)), exponent, float(np.exp(np.abs(rest - offset).max())))


def cost(
    unknowns: int, ranks: int, element: Element = "tetrahedron", solver: Solver | None = None
) -> Cost:
    """Return what one state of a problem takes on some ranks."""
    solver = solver or ("krylov" if unknowns >= KRYLOV_FROM else "direct")
    seconds, memory = law(solver, element, "seconds"), law(solver, element, "gigabytes")
    divided = divided_share(solver)
    return Cost(
        solver,
        ranks,
        seconds.at(unknowns) * (1.0 - divided + divided / ranks),
        ranks * LIBRARIES + memory.at(unknowns) * (memory_growth(solver) if ranks > 1 else 1.0),
        seconds.spread,
        unknowns <= largest(solver, ranks, element),
    )


def largest(solver: Solver, ranks: int, element: Element) -> int:
    """Return the unknowns beyond which the model is an estimate; 0 for ranks never measured."""
    sizes = [
        one.unknowns
        for one in MEASURED
        if (one.solver, one.ranks, one.element) == (solver, ranks, element)
    ]
    return max(sizes, default=0)


def sensible_ranks(unknowns: int, solver: Solver | None = None) -> int:
    """Return the largest power of two on which half of the cores' time is not lost."""
    solver = solver or ("krylov" if unknowns >= KRYLOV_FROM else "direct")
    ranks, divided = 1, divided_share(solver)
    while (
        unknowns / (2 * ranks) >= _LEAST
        and 1.0 / (2 * ranks * (1.0 - divided + divided / (2 * ranks))) >= 0.5
    ):
        ranks *= 2
    return ranks


def speed_up(solver: Solver) -> float:
    """Return the time of one rank over that of two, the median over meshes."""
    return float(np.median([strong(one, two) for one, two in _pairs(solver) if one.quiet]))


def strong(one: Measured, two: Measured) -> float:
    """Return the time of one rank over that of two; of the iterative solver that of an iteration.

    Two runs may take unlike numbers of them; what a factor costs does not change.
    """
    ratio = one.seconds / two.seconds
    return ratio * two.iterations / one.iterations if one.solver == "krylov" else ratio


def divided_share(solver: Solver) -> float:
    """Return f of Amdahl's law, 1/s = 1 - f + f/R, from the speed-up s on two ranks.

    It is at most 1: a second rank's cache may make two more than twice as fast, many are not so.
    """
    return min(1.0, max(0.0, 2.0 * (1.0 - 1.0 / speed_up(solver))))


def memory_growth(solver: Solver) -> float:
    """Return memory beyond the libraries on two ranks over what the law says of one, the largest.

    The largest: who asks for too much memory waits for it, who asks for too little is killed. Of
    meshes that take less than the libraries it would tell how much these vary.
    """
    rows = [one for one in MEASURED if (one.solver, one.ranks) == (solver, 2)]
    laws = [law(solver, one.element, "gigabytes").at(one.unknowns) for one in rows]
    return max(
        2.0 * (one.gigabytes - LIBRARIES) / single
        for one, single in zip(rows, laws, strict=True)
        if single > LIBRARIES
    )


def _pairs(solver: Solver) -> list[tuple[Measured, Measured]]:
    """Return what was measured on one rank and on two."""
    run = attrgetter("subject", "level", "load", "quiet")
    rows = [one for one in MEASURED if one.solver == solver]
    single = {run(one): one for one in rows if one.ranks == 1}
    return [(single[run(two)], two) for two in rows if two.ranks == 2 and run(two) in single]
