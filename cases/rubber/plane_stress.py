"""Energy of an incompressible elastomer in plane stress, of its two in-plane stretches."""

from typing import Any, NamedTuple, assert_never

import numpy as np
from numpy.typing import NDArray

from loligo.cases.core.record import BadInput
from loligo.cases.rubber.elastomer import (
    Elastomer,
    Gent,
    MooneyRivlin,
    NeoHooke,
    Ogden,
    UserLaw,
    Yeoh,
)

Array = NDArray[Any]  # of float64


class PlaneEnergy(NamedTuple):
    """Energy per reference volume (Pa) and its derivatives by the stretches (l1, l2)."""

    energy: Array
    d1: Array
    d2: Array
    d11: Array
    d12: Array
    d22: Array


def plane_stress(elastomer: Elastomer, l1: Array, l2: Array) -> PlaneEnergy:
    """Return psi(l1, l2, 1/(l1 l2)) and its first and second derivatives.

    The energies are those of `loligo.cases.rubber.elastomer` at J = 1. Not finite where a Gent
    rubber is beyond its limit.
    """
    match elastomer:
        case NeoHooke(mu=mu):
            return _powers([(mu, 2.0)], l1, l2)
        case MooneyRivlin(c10=c10, c01=c01):
            # I2 is the sum of the stretches to the power -2.
            return _powers([(2.0 * c10, 2.0), (-2.0 * c01, -2.0)], l1, l2)
        case Ogden(terms=terms):
            return _powers([(term.mu, term.alpha) for term in terms], l1, l2)
        case UserLaw():
            raise BadInput(
                f'the energy "{elastomer.entry}" is for the 3D solution: reduced models know the '
                "laws that loligo brings"
            )
        case Yeoh(c10=c10, c20=c20, c30=c30):
            i = _powers([(2.0, 2.0)], l1, l2)  # I1 - 3
            s = i.energy
            return _compose(
                c10 * s + c20 * s**2 + c30 * s**3,
                c10 + 2.0 * c20 * s + 3.0 * c30 * s**2,
                2.0 * c20 + 6.0 * c30 * s,
                i,
            )
        case Gent(mu=mu, limit=limit):
            i = _powers([(2.0, 2.0)], l1, l2)
            inside = np.where(i.energy < limit, i.energy, np.nan)
            stiffer = np.reciprocal(1.0 - inside / limit)
            return _compose(
                0.5 * mu * limit * np.log(stiffer),
                0.5 * mu * stiffer,
                0.5 * mu / limit * stiffer * stiffer,
                i,
            )
        case unknown:
            assert_never(unknown)


def _powers(terms: list[tuple[float, float]], l1: Array, l2: Array) -> PlaneEnergy:
    """Return the sum over (m, a) of m/a (l1^a + l2^a + (l1 l2)^-a - 3)."""
    out = [np.zeros_like(l1) for _ in range(6)]
    for m, a in terms:
        first, second = l1**a, l2**a
        third = 1.0 / (first * second)
        out[0] += m / a * (first + second + third - 3.0)
        out[1] += m * (first - third) / l1
        out[2] += m * (second - third) / l2
        out[3] += m * ((a - 1.0) * first + (a + 1.0) * third) / l1**2
        out[4] += m * a * third / (l1 * l2)
        out[5] += m * ((a - 1.0) * second + (a + 1.0) * third) / l2**2
    return PlaneEnergy(*out)


def _compose(f: Array, slope: Array, bend: Array, i: PlaneEnergy) -> PlaneEnergy:
    """Return f(i) with its derivatives by the chain rule, given f, f', f''."""
    return PlaneEnergy(
        f,
        slope * i.d1,
        slope * i.d2,
        slope * i.d11 + bend * i.d1**2,
        slope * i.d12 + bend * i.d1 * i.d2,
        slope * i.d22 + bend * i.d2**2,
    )
