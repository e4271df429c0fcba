"""The laws as a fit sees them: a vector of coefficients."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from loligo.cases.core.record import BadInput
from loligo.cases.rubber.elastomer import (
    Elastomer,
    Gent,
    MooneyRivlin,
    NeoHooke,
    Ogden,
    OgdenTerm,
    Yeoh,
)
from loligo.cases.rubber.plane_stress import plane_stress
from loligo.validation.fitting.rubber.coupon import Array, Points

Energy = Literal["neo_hooke", "mooney_rivlin", "yeoh", "ogden", "gent"]

_NAMES: dict[Energy, tuple[str, ...]] = {
    "neo_hooke": ("mu",),
    "mooney_rivlin": ("c10", "c01"),
    "yeoh": ("c10", "c20", "c30"),
    "gent": ("mu", "limit"),
}
MOST_OGDEN_TERMS = 4


@dataclass(frozen=True)
class Law:
    """An energy with its number of coefficients."""

    energy: Energy
    terms: int = 3
    """Of Ogden's energy; the others do not ask."""

    def __post_init__(self) -> None:
        """Refuse unknown energies and numbers of terms."""
        known = (*_NAMES, "ogden")
        if self.energy not in known:
            raise BadInput(f"the law {self.energy!r} is unknown; known are {', '.join(known)}")
        if self.energy == "ogden" and not 1 <= self.terms <= MOST_OGDEN_TERMS:
            raise BadInput(f"an Ogden law is fitted with 1 to {MOST_OGDEN_TERMS} terms")

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the coefficients; an Ogden law has first all mu_p, then all alpha_p."""
        if self.energy == "ogden":
            return tuple(f"{n}_{p}" for n in ("mu", "alpha") for p in range(1, self.terms + 1))
        return _NAMES[self.energy]

    @property
    def units(self) -> tuple[str, ...]:
        """SI unit of each coefficient."""
        pure = ("alpha", "limit")
        return tuple("1" if name.startswith(pure) else "Pa" for name in self.names)

    def elastomer(self, values: Array) -> Elastomer:
        """Return the energy as a record: unchecked and without density, for the search only."""
        v = [float(value) for value in values]
        match self.energy:
            case "neo_hooke":
                return NeoHooke.model_construct(mu=v[0])
            case "mooney_rivlin":
                return MooneyRivlin.model_construct(c10=v[0], c01=v[1])
            case "yeoh":
                return Yeoh.model_construct(c10=v[0], c20=v[1], c30=v[2])
            case "gent":
                return Gent.model_construct(mu=v[0], limit=v[1])
            case "ogden":
                pairs = zip(v[: self.terms], v[self.terms :], strict=True)
                terms = [OgdenTerm.model_construct(mu=mu, alpha=alpha) for mu, alpha in pairs]
                return Ogden.model_construct(terms=tuple(terms))

    def stress(self, values: Array, points: Points) -> Array:
        """Return the nominal stress (Pa) at points."""
        return plane_stress(self.elastomer(values), points.first, points.second).d1

    def slopes(self, values: Array, scale: Array, points: Points) -> Array:
        """Return dP/dcoefficient, shape (points, coefficients), by central differences."""
        columns = []
        for step in np.diag(6e-6 * scale):
            high, low = self.stress(values + step, points), self.stress(values - step, points)
            columns.append((high - low) / (2.0 * step.sum()))
        return np.stack(columns, axis=-1)
