r"""One record for every rubber: energy, compressibility, density, viscosity, fitted range.

The isochoric energies per reference volume, with :math:`\bar C = J^{-2/3} C` and principal
stretches :math:`\bar\lambda_a`:

- neo-Hooke: :math:`\mu/2\,(\bar I_1 - 3)`
- Mooney-Rivlin: :math:`c_{10}(\bar I_1 - 3) + c_{01}(\bar I_2 - 3)`
- Yeoh: :math:`\sum_i c_{i0}(\bar I_1 - 3)^i`
- Ogden: :math:`\sum_p \mu_p/\alpha_p\,(\sum_a \bar\lambda_a^{\alpha_p} - 3)`, so that
  :math:`2\mu = \sum_p \mu_p\alpha_p`
- Gent: :math:`-\mu J_m/2\,\ln(1 - (\bar I_1 - 3)/J_m)`
- a user's own function of :math:`\bar I_1, \bar I_2`, see :mod:`loligo.cases.user_law`

Everything else (Young's modulus, section stiffness, joint law) derives from this record.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal, Self, assert_never

from pydantic import Field, PositiveFloat, PrivateAttr, Strict, model_validator

from loligo.cases.core.record import BadInput, Record
from loligo.cases.core.units import Density, Modulus, PositiveModulus, PositiveRate, Viscosity


class _Elastomer(Record):
    """What every rubber has beside its energy."""

    energy: str
    bulk_modulus: Literal["incompressible"] | PositiveModulus = "incompressible"
    """Either "incompressible" or the initial bulk modulus; never a Poisson ratio of 0.49."""
    density: Density
    viscosity: Viscosity = 0.0
    """Shear viscosity eta of the Kelvin-Voigt part, Kirchhoff stress 2 eta d; of a power law that
    at a rate of 1/s."""
    rate_index: Annotated[float, Field(gt=0.0, le=1.0)] = 1.0
    """k of a power law: eta goes with the rate to the power k - 1 (Zhang 2022, Eqs 24-25)."""
    smallest_rate: PositiveRate = 1e-5
    """Rate below which a power law is linear."""
    fitted_stretch: tuple[PositiveFloat, PositiveFloat] | None = None
    """Smallest and largest principal stretch of the data that the coefficients were fitted on."""
    spread: Annotated[float, Field(ge=1.0, le=100.0)] = 1.0
    """Largest over smallest shear modulus published under the trade name; 1 if measured here."""

    @property
    def shear_modulus(self) -> float:
        """Initial shear modulus mu (Pa)."""
        raise NotImplementedError

    @property
    def young_modulus(self) -> float:
        """Initial Young's modulus (Pa): 3 mu if incompressible, else 9 K mu / (3 K + mu)."""
        if self.bulk_modulus == "incompressible":
            return 3.0 * self.shear_modulus
        bulk = self.bulk_modulus
        return 9.0 * bulk * self.shear_modulus / (3.0 * bulk + self.shear_modulus)

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.shear_modulus <= 0.0:
            raise ValueError(
                f"the initial shear modulus of this {self.energy} law is "
                f"{self.shear_modulus:.4g} Pa; it must be positive"
            )
        if self.fitted_stretch is not None and not (
            self.fitted_stretch[0] <= 1.0 <= self.fitted_stretch[1]
        ):
            raise ValueError("fitted_stretch must be [smallest, largest] with 1 between them")
        return self


class NeoHooke(_Elastomer):
    """One coefficient: the shear modulus; mu = E/3 for an incompressible rubber."""

    energy: Literal["neo_hooke"] = "neo_hooke"
    mu: PositiveModulus

    @property
    def shear_modulus(self) -> float:
        """Initial shear modulus mu (Pa)."""
        return self.mu


class MooneyRivlin(_Elastomer):
    """Two coefficients; mu = 2 (c10 + c01)."""

    energy: Literal["mooney_rivlin"] = "mooney_rivlin"
    c10: Modulus
    c01: Modulus

    @property
    def shear_modulus(self) -> float:
        """Initial shear modulus 2 (c10 + c01) (Pa)."""
        return 2.0 * (self.c10 + self.c01)


class Yeoh(_Elastomer):
    """Three coefficients; mu = 2 c10."""

    energy: Literal["yeoh"] = "yeoh"
    c10: PositiveModulus
    c20: Modulus = 0.0
    c30: Modulus = 0.0

    @property
    def shear_modulus(self) -> float:
        """Initial shear modulus 2 c10 (Pa)."""
        return 2.0 * self.c10


class OgdenTerm(Record):
    """One term mu_p/alpha_p (sum of stretches to the power alpha_p, minus 3)."""

    mu: Modulus
    alpha: float


class Ogden(_Elastomer):
    """Any number of terms in the classic convention; 2 mu = sum of mu_p alpha_p."""

    energy: Literal["ogden"] = "ogden"
    terms: tuple[OgdenTerm, ...] = Field(min_length=1)

    @property
    def shear_modulus(self) -> float:
        """Initial shear modulus, half the sum of mu_p alpha_p (Pa)."""
        return 0.5 * sum(term.mu * term.alpha for term in self.terms)


class Gent(_Elastomer):
    """Two coefficients: mu and the limit Jm that I1 - 3 cannot reach."""

    energy: Literal["gent"] = "gent"
    mu: PositiveModulus
    limit: PositiveFloat

    @property
    def shear_modulus(self) -> float:
        """Initial shear modulus mu (Pa)."""
        return self.mu


class UserLaw(_Elastomer):
    """A function of the user's own, in a Python file beside the case; runs with `--trust` alone."""

    energy: Literal["python"] = "python"
    entry: str = Field(pattern=r"^[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*$")
    """`module:function`; the module is a file in the folder of the case, or below it."""
    mu: PositiveModulus
    """Initial shear modulus, 2 (W1 + W2) at rest; the function is checked against it."""
    parameters: dict[str, Modulus | Annotated[float, Strict()]] = Field(default_factory=dict)
    """Keywords of the function: texts with a unit of pressure, or plain numbers."""
    _function: Callable[..., Any] | None = PrivateAttr(None)

    @property
    def shear_modulus(self) -> float:
        """Initial shear modulus mu (Pa)."""
        return self.mu

    def bound(self, function: Callable[..., Any]) -> Self:
        """Return the same law with its function loaded."""
        law = self.model_copy()
        law._function = function
        return law

    def at(self, i1: Any, i2: Any, math: Any) -> Any:
        """Return the energy at invariants, arrays or symbols (Pa).

        Raises:
            BadInput: if nobody has said that the function may run.
        """
        if self._function is None:
            raise BadInput(
                f'the energy "{self.entry}" is Python code beside the case, which could do '
                "anything: read it, then say --trust"
            )
        return self._function(i1, i2, math, **self.parameters)


Elastomer = Annotated[
    NeoHooke | MooneyRivlin | Yeoh | Ogden | Gent | UserLaw, Field(discriminator="energy")
]


def scaled(rubber: Elastomer, factor: float) -> Elastomer:
    """Return a rubber of another modulus: all that its energy has in Pa, times a factor."""
    if factor == 1.0:
        return rubber
    changes: dict[str, Any]
    match rubber:
        case NeoHooke() | Gent():
            changes = {"mu": factor * rubber.mu}
        case MooneyRivlin():
            changes = {"c10": factor * rubber.c10, "c01": factor * rubber.c01}
        case Yeoh():
            changes = {name: factor * getattr(rubber, name) for name in ("c10", "c20", "c30")}
        case Ogden():
            terms = (term.model_copy(update={"mu": factor * term.mu}) for term in rubber.terms)
            changes = {"terms": tuple(terms)}
        case UserLaw():
            raise BadInput(f'the energy "{rubber.entry}" cannot be scaled: change its parameters')
        case unknown:
            assert_never(unknown)
    if rubber.bulk_modulus != "incompressible":
        changes["bulk_modulus"] = factor * rubber.bulk_modulus
    return rubber.model_copy(update=changes)
