r"""Hyperelastic energies as UFL functions, one for each record of `cases.rubber.elastomer`.

The isochoric part is a function of invariants of :math:`\bar C = J^{-2/3} C`. The volumetric part
of the mixed form is

.. math:: -p\,(J - 1) - p^2 / (2\kappa),

with p the pressure (Pa, positive in compression). Eliminating p gives
:math:`\kappa/2\,(J - 1)^2`, convex in J, so that :math:`p = -\kappa (J - 1)`; an incompressible
material lacks the second term and keeps J = 1.

Every law takes its invariants and its coefficients (Pa; Ogden's exponents and Gent's limit are
numbers), vanishes at rest and has there the shear modulus that its record states.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, assert_never

import numpy as np
import ufl
from dolfinx.fem import Constant
from dolfinx.mesh import Mesh

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
from loligo.fem.materials.principal_powers import deviator_invariants, sum_of_powers

Invariants = tuple[Any, ...]


def main_invariants(c: Any, j: Any) -> Invariants:
    """Return I1 and I2 of the unimodular C-bar = (J^2)^(-1/3) C, which folded cells have, too."""
    scale = (j**2) ** (-1 / 3)
    i1 = scale * ufl.tr(c)
    return i1, (i1**2 - scale**2 * ufl.inner(c, c)) / 2


def neo_hooke(i: Invariants, mu: Any) -> Any:
    """mu/2 (I1 - 3)."""
    return mu / 2 * (i[0] - 3)


def mooney_rivlin(i: Invariants, c10: Any, c01: Any) -> Any:
    """c10 (I1 - 3) + c01 (I2 - 3), shear modulus 2 (c10 + c01)."""
    return c10 * (i[0] - 3) + c01 * (i[1] - 3)


def yeoh(i: Invariants, c10: Any, c20: Any, c30: Any) -> Any:
    """c10 (I1 - 3) + c20 (I1 - 3)^2 + c30 (I1 - 3)^3, shear modulus 2 c10."""
    x = i[0] - 3
    return x * (c10 + x * (c20 + x * c30))


def gent(i: Invariants, mu: Any, limit: Any) -> Any:
    """-mu Jm/2 ln(1 - (I1 - 3)/Jm); not a number beyond I1 - 3 = Jm, which fails a Newton step."""
    return -mu * limit / 2 * ufl.ln(1 - (i[0] - 3) / limit)


def ogden(i: Invariants, *coefficients: Any) -> Any:
    """sum_p mu_p/alpha_p (sum_a lambda_a^alpha_p - 3); shear modulus sum_p mu_p alpha_p / 2.

    The coefficients are mu_1, alpha_1, mu_2, alpha_2 and so on. Its invariants are those
    of :func:`loligo.fem.materials.principal_powers.deviator_invariants`.
    """
    mu, alpha = coefficients[0::2], coefficients[1::2]
    sums = sum_of_powers(i, [a / 2 for a in alpha])
    return sum(m / a * (s - 3) for m, a, s in zip(mu, alpha, sums, strict=True))


@dataclass(frozen=True)
class _OwnLaw:
    """A user's energy, whose parameters are not Constants: equal only to itself."""

    record: UserLaw

    def __call__(self, i: Invariants, _: Any) -> Any:
        try:
            return self.record.at(i[0], i[1], SYMBOLS)
        except BadInput:
            raise
        except (Exception, SystemExit) as error:  # what serves numbers need not serve symbols
            raise BadInput(
                f'"{self.record.entry}" is no formula: {type(error).__name__}: {error}; take exp, '
                "ln and sqrt from its third argument, and no branches"
            ) from error


SYMBOLS = SimpleNamespace(exp=ufl.exp, ln=ufl.ln, sqrt=ufl.sqrt)
"""What a user's own energy may call."""


def law(elastomer: Elastomer) -> tuple[Callable[..., Any], tuple[float, ...]]:
    """Return the energy function of a record and its coefficients in the function's order."""
    match elastomer:
        case NeoHooke():
            return neo_hooke, (elastomer.mu,)
        case MooneyRivlin():
            return mooney_rivlin, (elastomer.c10, elastomer.c01)
        case Yeoh():
            return yeoh, (elastomer.c10, elastomer.c20, elastomer.c30)
        case Gent():
            return gent, (elastomer.mu, elastomer.limit)
        case Ogden():
            return ogden, tuple(x for term in elastomer.terms for x in (term.mu, term.alpha))
        case UserLaw():
            return _OwnLaw(elastomer), (elastomer.mu,)
        case unknown:
            assert_never(unknown)


class Material:
    """One elastomer on one mesh; its coefficients are Constants: a change needs no compilation."""

    def __init__(self, mesh: Mesh, elastomer: Elastomer) -> None:
        """Make the Constants; the law and the kind of compressibility are fixed from now on."""
        self._function, values = law(elastomer)
        self._invariants = deviator_invariants if self._function is ogden else main_invariants
        self._coefficients = Constant(mesh, np.array(values, dtype=np.float64))
        self.incompressible = elastomer.bulk_modulus == "incompressible"
        self._bulk = Constant(mesh, np.inf)
        self.density = Constant(mesh, elastomer.density)
        self.viscosity = Constant(mesh, elastomer.viscosity)
        self.rate_index = Constant(mesh, elastomer.rate_index)
        self.smallest_rate = Constant(mesh, elastomer.smallest_rate)
        self.elastomer = elastomer
        self.set(elastomer)

    def set(self, elastomer: Elastomer) -> None:
        """Take over the numbers of another record of the same law.

        Raises:
            ValueError: if its law, its number of terms or its kind of compressibility differs.
        """
        function, values = law(elastomer)
        if (
            function != self._function
            or len(values) != len(self._coefficients.value)
            or (elastomer.bulk_modulus == "incompressible") != self.incompressible
            or (elastomer.rate_index == 1.0) != (self.elastomer.rate_index == 1.0)
        ):
            raise ValueError(
                f"a problem built for {_kind(self.elastomer)} cannot take {_kind(elastomer)}: "
                "its forms differ; build a new problem"
            )
        self._coefficients.value[:] = values
        if elastomer.bulk_modulus != "incompressible":
            self._bulk.value = elastomer.bulk_modulus
        self.density.value = elastomer.density
        self.viscosity.value = elastomer.viscosity
        self.rate_index.value = elastomer.rate_index
        self.smallest_rate.value = elastomer.smallest_rate
        self.elastomer = elastomer

    def isochoric(self, c: Any, j: Any) -> Any:
        """Return the isochoric energy (J/m^3 of the reference) at right Cauchy-Green tensor c.

        J is its own argument: as the root of det C it would make kernels four times as large.
        """
        return self._energy(self._invariants(c, j))

    def isochoric_variation(self, c: Any, j: Any, w: Any, v: Any) -> Any:
        """Return the variation of the isochoric energy as the unknown w of c and j moves along v.

        The chain rule through the few invariants is written out: left to automatic differentiation
        of the energy in the displacement, Ogden's kernel is ten times as large.
        """
        invariants = tuple(ufl.variable(i) for i in self._invariants(c, j))
        energy = self._energy(invariants)
        return sum(ufl.diff(energy, i) * ufl.derivative(i, w, v) for i in invariants)

    def isochoric_slope(self, c: Any) -> Any:
        """Return dW/dC of the isochoric energy W at c, symmetric: half the second Piola stress."""
        c = ufl.variable(c)
        j = ufl.sqrt(ufl.det(c))
        invariants = tuple(ufl.variable(i) for i in self._invariants(c, j))
        energy = self._energy(invariants)
        return sum(ufl.diff(energy, i) * ufl.diff(i, c) for i in invariants)

    def _energy(self, invariants: Invariants) -> Any:
        size = len(self._coefficients.value)
        return self._function(invariants, *(self._coefficients[i] for i in range(size)))

    def mixed_volumetric(self, j: Any, p: Any) -> Any:
        """Return -p (J - 1) - p^2/(2 kappa), the second term only if compressible."""
        constraint = -p * (j - 1)
        return constraint if self.incompressible else constraint - p**2 / (2 * self._bulk)

    def swollen(self, j: Any, p: Any) -> Any:
        """Return J - 1 + p/kappa, which the mixed form makes zero."""
        return j - 1 if self.incompressible else j - 1 + p / self._bulk

    def volumetric(self, j: Any) -> Any:
        """Return kappa/2 (J - 1)^2, for the displacement form, which locks as kappa/mu grows.

        Raises:
            ValueError: if the material is incompressible.
        """
        if self.incompressible:
            raise ValueError("an incompressible elastomer needs the mixed form")
        return self._bulk / 2 * (j - 1) ** 2


def _kind(elastomer: Elastomer) -> str:
    terms = f" with {len(elastomer.terms)} terms" if isinstance(elastomer, Ogden) else ""
    kind = "incompressible" if elastomer.bulk_modulus == "incompressible" else "compressible"
    law = "" if elastomer.rate_index == 1.0 else " with a power law of viscosity"
    return f"{kind} {elastomer.energy}{terms}{law}"
