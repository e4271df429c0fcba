"""Parts of a section law: polynomials of the pressures, and what a body's end adds to them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Exponents = npt.NDArray[np.int64]

OF_END = ("free", "potential", "stiffness", "volume")
"""Parts of a law that an end changes."""


@dataclass(frozen=True)
class Polynomial:
    """Arrays that depend on the pressures: sum over terms of coefficient times monomial."""

    exponents: Exponents
    """Of every parameter in every term, shape (terms, parameters)."""
    coefficients: Array
    """Shape (terms, ...)."""

    def __call__(self, t: Array) -> Array:
        """Return the value at parameters, shape (parameters,)."""
        weights = np.prod(t**self.exponents, axis=1)
        return np.asarray(np.tensordot(weights, self.coefficients, 1))

    def slope(self, t: Array) -> Array:
        """Return the derivatives by t, shape (parameters, ...)."""
        rows = []
        for c in range(self.exponents.shape[1]):
            lower = self.exponents.copy()
            factor = lower[:, c].astype(float)
            lower[:, c] = np.maximum(lower[:, c] - 1, 0)
            rows.append(np.tensordot(factor * np.prod(t**lower, axis=1), self.coefficients, 1))
        return np.array(rows).reshape(self.exponents.shape[1], *self.coefficients.shape[1:])

    def plus(self, other: Polynomial) -> Polynomial:
        """Return the sum with another one of the same parameters."""
        return Polynomial(
            np.concatenate([self.exponents, other.exponents]),
            np.concatenate([self.coefficients, other.coefficients]),
        )


@dataclass(frozen=True)
class EndLaw:
    """What a body's end at a disc differs by from its section, over a length from the disc on.

    The end is bonded to the disc and no section like the others. A stretch of rod with this law
    moves, holds and stores as much as the end does. The disc lies towards the tip.
    """

    length: float
    """Of the stretch (m)."""
    free: Polynomial
    """Added to epsilon_f, shape (6,)."""
    potential: Polynomial
    """Added to Pi_0 (J/m)."""
    stiffness: Polynomial
    """Added to K, shape (6, 6)."""
    volume: Polynomial
    """Added to the volumes of the chambers per reference length (m^2), shape (cavities,)."""

    def scaled(self, modulus: float) -> EndLaw:
        """Return the end of rubber and thread that are so many times as stiff."""

        def stiffer(part: Polynomial) -> Polynomial:
            return replace(part, coefficients=modulus * part.coefficients)

        return replace(self, potential=stiffer(self.potential), stiffness=stiffer(self.stiffness))
