"""The linear section law that fits a nonlinear one best over the pressures of its range.

Targets know a stiffness K and a wrench A per pressure. Of the free states of a soft length, the
strains e(p) that nothing but pressures p loads, with the tangents K(p) there,

    K = mean of K(p),    A minimises the sum of |K e(p) - A p|^2.

The error that is said is the largest |K^-1 A p - e(p)| over the largest |e(p)|, bends times the
section's radius.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from loligo.cases.core.record import BadInput
from loligo.reduced.lie import Array
from loligo.reduced.rod.model import STRAIGHT
from loligo.reduced.section.arm_law import ArmLaw
from loligo.reduced.section.solid_sections import Length

LEVELS = 5
"""Of every pressure or parameter of a law, rest included."""
_ITERATIONS = 50
_CONVERGED = 1e-12


@dataclass(frozen=True, eq=False)
class FreeState:
    """What pressures alone do to a section."""

    pressure: Array
    """Of the soft length's chambers (Pa), (chambers,)."""
    excess: Array
    """Strain beyond that at rest, (6,)."""
    tangent: Array
    """Derivative of the wrench by the strain there, (6, 6)."""


@dataclass(frozen=True, eq=False)
class BestLinear:
    """The linear law of a soft length, and how far it is from the one that it stands for."""

    stiffness: Array
    """K (6, 6)."""
    arms: Array
    """A (6, chambers)."""
    error: float
    """Largest error of the free strain over the largest free strain."""
    softest: float
    """Largest relative change of a tangent from K, over the roots of the diagonal of K."""


def best_linear(states: Sequence[FreeState], radius: float) -> BestLinear:
    """Return the linear law that fits free states best.

    Args:
        states: of one soft length, rest among them. A chamber that is at rest in all of them has
            no arm: its column is zero.
        radius: of the section (m), which makes bends and stretches comparable.

    Raises:
        BadInput: if the states do not tell the chambers apart.
    """
    pressure = np.array([state.pressure for state in states])
    excess = np.array([state.excess for state in states])
    stiffness = np.mean([state.tangent for state in states], axis=0)
    arms, _, rank, _ = np.linalg.lstsq(pressure, excess @ stiffness.T)
    if rank < np.count_nonzero(pressure.any(axis=0)):
        raise BadInput(
            "the section law knows its chambers in proportion only, and no linear law per chamber "
            "follows: make it for independent pressures, loligo section --law --pressure"
        )
    scale = np.array([radius] * 3 + [1.0] * 3)
    size = np.linalg.norm(excess * scale, axis=1).max(initial=0.0)
    missed = (pressure @ np.linalg.solve(stiffness, arms.T).T - excess) * scale
    error = np.linalg.norm(missed, axis=1).max(initial=0.0)
    root = np.sqrt(np.diag(stiffness))
    change = [np.abs(s.tangent - stiffness) / np.outer(root, root) for s in states]
    return BestLinear(
        stiffness, arms.T, float(error / size) if size else 0.0, float(np.max(change))
    )


def states_of_solid(length: Length) -> Iterator[FreeState]:
    """Yield free states over the range of a law of the solid."""
    law = length.law
    for t in product(np.linspace(0.0, 1.0, LEVELS), repeat=law.directions.shape[1]):
        pressure = law.directions @ np.array(t)
        local = law.at(pressure)
        free = local.free_strain
        yield FreeState(pressure, free - STRAIGHT, local.wrench(free[None])[1][0])


def states_of_arm(
    law: ArmLaw, cavities: Sequence[str], x: float, most: Mapping[str, float]
) -> Iterator[FreeState]:
    """Yield free states of a law of coefficients: every chamber alone, and all together.

    Args:
        law: the law.
        cavities: of the soft length.
        x: a place in it (m).
        most: largest pressure of every cavity (Pa).
    """
    largest = np.array([most[name] for name in cavities])
    for ways in (*np.eye(len(cavities)), np.ones(len(cavities))):
        for share in np.linspace(0.0, 1.0, LEVELS):
            pressure = share * largest * ways
            pushed = [law.push(n, p) for n, p in zip(cavities, pressure, strict=True)]
            yield _free(law, np.sum(pushed, axis=0), x, pressure)


def _free(law: ArmLaw, wrench: Array, x: float, pressure: Array) -> FreeState:
    """Return the state in which a section balances a wrench, by Newton's method."""
    section, at = law.section_law(), np.array([x])
    excess: Array = np.zeros(6)
    for _ in range(_ITERATIONS):
        held, tangent = (part[0] for part in section(excess[None], at))
        step = np.linalg.solve(tangent, wrench - held)
        excess = excess + step
        if np.abs(step).max() <= _CONVERGED * (1.0 + np.abs(excess).max()):
            return FreeState(pressure, excess, section(excess[None], at)[1][0])
    raise BadInput(
        f"the section at x = {1e3 * x:.4g} mm has no free state at {_named(pressure)}: softening "
        "and growth lead beyond what their law can hold; lower the pressures of the case"
    )


def _named(pressure: Array) -> str:
    return ", ".join(f"{p:.4g} Pa" for p in pressure)
