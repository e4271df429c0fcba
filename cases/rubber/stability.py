r"""The range of stretch over which an elastomer is stable, from its record alone.

Incompressible, with principal stretches :math:`\lambda_i` and principal Kirchhoff stresses
:math:`\tau_i` up to a pressure:

- Drucker: :math:`d\tau : d\epsilon > 0` for every isochoric increment of logarithmic strain coaxial
  with the stretch: :math:`H_{ij} = \partial\tau_i/\partial\ln\lambda_j` is positive definite on
  trace-free vectors;
- Baker-Ericksen: :math:`(\tau_i - \tau_j)(\lambda_i - \lambda_j) > 0`, the larger stress along the
  larger stretch.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, Literal, assert_never

import numpy as np
import numpy.typing as npt

from loligo.cases.rubber.elastomer import (
    Elastomer,
    Gent,
    MooneyRivlin,
    NeoHooke,
    Ogden,
    UserLaw,
    Yeoh,
)

Mode = Literal["uniaxial", "biaxial", "planar"]
Array = npt.NDArray[np.floating[Any]]

_EXPONENTS: dict[Mode, tuple[float, float, float]] = {
    "uniaxial": (1.0, -0.5, -0.5),
    "biaxial": (1.0, 1.0, -2.0),
    "planar": (1.0, 0.0, -1.0),
}
ARRAYS = SimpleNamespace(exp=np.exp, ln=np.log, sqrt=np.sqrt)
"""What a user's own energy may call on arrays."""
_DIFFERENCE = 1e-3  # of logarithmic stretch: the tangent is right to 1e-6 of the law's next slopes
# Orthonormal basis of the trace-free principal strains.
_ISOCHORIC = np.array([[1, -1, 0], [1, 1, -2]]).T / np.sqrt([2.0, 6.0])


@dataclass(frozen=True)
class StableRange:
    """The interval of stretch around 1 in which both criteria hold, as far as was searched."""

    mode: Mode
    smallest: float
    largest: float
    below: str
    """What ends it towards small stretch: "Drucker", "Baker-Ericksen", "limit" or "searched"."""
    above: str
    """The same towards large stretch."""

    def __str__(self) -> str:
        """Return one line for people."""
        return (
            f"{self.mode}: stable from {self.smallest:.4g} ({self.below}) "
            f"to {self.largest:.4g} ({self.above})"
        )


def principal_stress(elastomer: Elastomer, stretch: Array) -> tuple[Array, Array]:
    """Return tau_i = dW/dln(lambda_i) and H_ij = dtau_i/dln(lambda_j) (Pa).

    The stretches, shape (..., 3), have product 1. The stresses, shape (..., 3), are known up to a
    pressure; the tangent has shape (..., 3, 3). Both are not a number beyond Gent's limit.
    """
    square, inverse = stretch**2, stretch**-2.0
    if isinstance(elastomer, Ogden):
        tau = sum(t.mu * stretch**t.alpha for t in elastomer.terms)
        slope = sum(t.mu * t.alpha * stretch**t.alpha for t in elastomer.terms)
        return np.asarray(tau), np.asarray(slope)[..., None] * np.eye(3)
    if isinstance(elastomer, UserLaw):
        return _by_differences(elastomer, stretch)
    x = square.sum(-1) - 3.0
    w1, w2, w11 = _slopes(elastomer, x)
    d1 = 2.0 * square  # dI1/dln(lambda_i)
    d2 = -2.0 * inverse
    tau = w1[..., None] * d1 + w2 * d2
    slope = 4.0 * (w1[..., None] * square + w2 * inverse)
    tangent = (
        slope[..., None] * np.eye(3) + w11[..., None, None] * d1[..., :, None] * d1[..., None, :]
    )
    return tau, tangent


def _by_differences(law: UserLaw, stretch: Array) -> tuple[Array, Array]:
    """Stress and tangent of a user's law, by central differences along logarithmic stretches."""

    def energy(shift: Array) -> Array:
        square = (stretch * np.exp(shift)) ** 2
        bar = square / np.prod(square, axis=-1, keepdims=True) ** (1 / 3)
        w = law.at(bar.sum(-1), (1 / bar).sum(-1), ARRAYS)
        return np.broadcast_to(np.asarray(w, dtype=float), stretch.shape[:-1])

    h = _DIFFERENCE * np.eye(3)
    tau = np.stack([(energy(e) - energy(-e)) / (2 * _DIFFERENCE) for e in h], axis=-1)

    def bend(a: Array, b: Array) -> Array:
        return energy(a + b) - energy(a - b) - energy(b - a) + energy(-a - b)

    tangent = np.stack([np.stack([bend(a, b) for b in h], axis=-1) for a in h], axis=-1)
    return tau, tangent / (4 * _DIFFERENCE**2)


def _slopes(
    elastomer: NeoHooke | MooneyRivlin | Yeoh | Gent, x: Array
) -> tuple[Array, float, Array]:
    """Return dW/dI1, dW/dI2 and d2W/dI1^2 at I1 - 3 = x."""
    one = np.ones_like(x)
    match elastomer:
        case NeoHooke():
            return elastomer.mu / 2 * one, 0.0, 0.0 * one
        case MooneyRivlin():
            return elastomer.c10 * one, elastomer.c01, 0.0 * one
        case Yeoh():
            c1, c2, c3 = elastomer.c10, elastomer.c20, elastomer.c30
            return c1 + 2 * c2 * x + 3 * c3 * x**2, 0.0, 2 * c2 + 6 * c3 * x
        case Gent():
            left = np.where(x < elastomer.limit, 1.0 - x / elastomer.limit, np.nan)
            return elastomer.mu / (2 * left), 0.0, elastomer.mu / (2 * elastomer.limit * left**2)
        case unknown:
            assert_never(unknown)


def stable_range(
    elastomer: Elastomer, mode: Mode, searched: tuple[float, float] = (0.1, 10.0)
) -> StableRange:
    """Walk from stretch 1 both ways in steps of 0.1 % until a criterion fails.

    Args:
        elastomer: the record; taken as incompressible.
        mode: "uniaxial", "biaxial" (equal) or "planar" (pure shear).
        searched: smallest and largest stretch to look at.
    """
    ends = [_walk(elastomer, mode, end) for end in searched]
    (smallest, below), (largest, above) = ends
    return StableRange(mode, smallest, largest, below, above)


def _walk(elastomer: Elastomer, mode: Mode, end: float) -> tuple[float, str]:
    steps = int(np.ceil(abs(np.log(end)) / 1e-3))
    # At exactly 1 all stretches repeat and Baker-Ericksen says nothing: start one step away.
    stretch = np.exp(np.linspace(0.0, np.log(end), steps + 1))[1:]
    principal = stretch[:, None] ** np.array(_EXPONENTS[mode])
    tau, tangent = principal_stress(elastomer, principal)
    drucker = np.linalg.eigvalsh(np.nan_to_num(_ISOCHORIC.T @ tangent @ _ISOCHORIC, nan=-1.0)).min(
        -1
    )
    pairs = [(0, 1), (1, 2), (2, 0)]
    order = np.stack(
        [(tau[:, i] - tau[:, j]) * np.sign(principal[:, i] - principal[:, j]) for i, j in pairs], -1
    )
    apart = np.stack([np.abs(principal[:, i] / principal[:, j] - 1) > 1e-9 for i, j in pairs], -1)
    criteria = {
        "limit": np.isnan(tau).any(-1),
        "Drucker": drucker <= 0.0,
        "Baker-Ericksen": (apart & (order <= 0.0)).any(-1),
    }
    failed = np.logical_or.reduce(list(criteria.values()))
    if not failed.any():
        return float(end), "searched"
    first = int(np.argmax(failed))
    reason = next(name for name, broken in criteria.items() if broken[first])
    return float(stretch[first - 1]) if first else 1.0, reason
