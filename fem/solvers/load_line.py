"""The line of values that one load factor drives, and cubics between two states on a path."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

_PROPORTIONAL = 1e-9
"""Relative distance of requested values from the line through the others."""


@dataclass
class Line:
    """Values that one load factor drives, and the equation that says where on the path to be.

    Without an ``origin`` the factor is ``wanted``. With one it is unknown, and the displacements
    of all nodes have moved from there by ``length`` (Euclidean norm, m).
    """

    start: Mapping[str, float]
    """Values where the factor is 0."""
    way: Mapping[str, float]
    """How much they change where it is 1."""
    factor: float = 0.0
    """The current one."""
    wanted: float = 0.0
    origin: Array | None = None
    """Unknowns of this rank."""
    length: float = 1.0

    def values(self, factor: float) -> dict[str, float]:
        """Return all values at a load factor."""
        return {name: value + factor * self.way[name] for name, value in self.start.items()}


def line_through(
    start: Mapping[str, float], targets: Sequence[Mapping[str, float]]
) -> tuple[Line, list[float]]:
    """Return the line of all requested values, and the load factor of each; the largest is 1.

    Raises:
        ValueError: if there is none.
    """
    if unknown := {name for target in targets for name in target} - set(start):
        raise ValueError(
            f"no load, motion or cavity is called {', '.join(sorted(unknown))}; there are "
            f"{', '.join(start)}"
        )
    names = list(start)
    ways, last = [], dict(start)
    for target in targets:
        last |= target
        ways.append(np.array([last[name] - start[name] for name in names]))
    sizes = np.abs(ways).max(axis=0, initial=0.0)
    sizes[sizes == 0.0] = 1.0
    way = max(ways, key=lambda one: float(np.linalg.norm(one / sizes)))
    factors = [
        float((one / sizes) @ (way / sizes) / ((way / sizes) @ (way / sizes))) for one in ways
    ]
    for number, (one, factor) in enumerate(zip(ways, factors, strict=True)):
        if np.abs((one - factor * way) / sizes).max() > _PROPORTIONAL:
            raise ValueError(
                f"arc length drives all values by one load factor, but requested state {number} is "
                "not on the line of the others; let all loads follow the same steps"
            )
    return Line(start, dict(zip(names, map(float, way), strict=True))), factors


def hermite(share: float) -> tuple[float, float, float, float]:
    """Weights of two values and of the two slopes at them, of a cubic between them."""
    s = share
    return (1 + 2 * s) * (1 - s) ** 2, s * s * (3 - 2 * s), s * (1 - s) ** 2, s * s * (s - 1)


def meets(curve: np.polynomial.Polynomial, wanted: float) -> float | None:
    """Return where in ]0, 1] a cubic first has a value; None if it has not."""
    roots = real_roots(curve - wanted)
    return min((s for s in roots if 1e-9 < s <= 1.0 + 1e-12), default=None)


def real_roots(curve: np.polynomial.Polynomial) -> list[float]:
    """Return the real roots of a polynomial."""
    return [float(s.real) for s in np.asarray(curve.roots(), dtype=complex) if abs(s.imag) < 1e-12]
