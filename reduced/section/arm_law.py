r"""What an arm's sections are to its rod: from the geometry, and from coefficients where there are.

The energy per length of a section is

    W = eps . K eps / (2 (1 + s e)),    eps = strain - strain at rest,  e its stretch,

with s = 0 unless the coefficients say that the stiffness falls as the section stretches. A
pressure p in a chamber drives it by p * arm: K eps = loads + p * arm where s = 0. As a bore widens,
the moment of its pressure grows faster than p: coefficients may say M = p (1 + g p) M_arm. What the
pressure works on is then the derivative by p of the potential U = p (1 + g p) M_arm . kappa + ...,
with M_arm (1 + 2 g p), and p dU/dp - U is stored beside W in the wall that the bore has widened.

Sections of coefficients are carried along a soft length by k = D^-1 K D^-1, D^2 the diagonal of the
stiffness from the geometry: k is linear between their places and constant beyond, so that
a taper needs few of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from loligo.cases.coefficients import Coefficients, StationLaw
from loligo.cases.core.record import BadInput
from loligo.cases.rubber.elastomer import Elastomer
from loligo.meshes.bodies import Arm, Hole, Piece, pieces
from loligo.reduced.checks import positive
from loligo.reduced.lie import Array
from loligo.reduced.rod.grid import FieldOfX
from loligo.reduced.rod.model import SectionLaw
from loligo.reduced.section.stiffness import Moduli, section_stiffness

_FACTORS = {
    "bending_stiffness": (1, 2),
    "stretch_stiffness": (3,),
    "torsion_stiffness": (0,),
    "shear_stiffness": (4, 5),
    "modulus": (0, 1, 2, 3, 4, 5),
}
_TAPERS = {"bending_taper": (1, 2), "stretch_taper": (3,), "torsion_taper": (0,)}


@dataclass(frozen=True, eq=False)
class ArmLaw:
    """The sections of an arm.

    Attributes:
        stiffness: K of X, (n,) to (n, 6, 6).
        arms: wrench (moment; force) per pressure that drives the section, by cavity (m^3, m^2).
        softening: s.
        growth: g (1/Pa).
        given: whether stiffness and arms are those of coefficients, not of the geometry.
    """

    stiffness: FieldOfX
    arms: Mapping[str, Array]
    softening: float = 0.0
    growth: float = 0.0
    given: bool = False

    def push(self, cavity: str, pressure: float) -> Array:
        """Return the wrench by which a pressure (Pa) drives the section."""
        return pressure * self._grown(cavity, self.growth * pressure)

    def volume_arm(self, cavity: str, pressure: float) -> Array:
        """Return the volume per length that the cavity gains by a strain, at a pressure (Pa)."""
        return self._grown(cavity, 2.0 * self.growth * pressure)

    def widening(self, cavity: str, pressure: float) -> Array:
        """Return the energy per length that a pressure (Pa) stores in the wall, by strain."""
        stored: Array = pressure * self.volume_arm(cavity, pressure) - self.push(cavity, pressure)
        return stored

    def _grown(self, cavity: str, share: float) -> Array:
        arm: Array = self.arms[cavity] * np.repeat([1.0 + share, 1.0], 3)
        return arm

    def energy(self, excess: Array, X: Array) -> Array:
        """Return W (J/m) of strains beyond those at rest, (n, 6), at X, (n,)."""
        square = np.einsum("ni,nij,nj->n", excess, self.stiffness(X), excess)
        energy: Array = 0.5 * square / (1.0 + self.softening * excess[:, 3])
        return energy

    def section_law(self) -> SectionLaw:
        """Return the law as a rod takes it: wrench and tangent, the derivatives of W."""

        def law(excess: Array, X: Array) -> tuple[Array, Array]:
            k = self.stiffness(X)
            soft = 1.0 + self.softening * excess[:, 3]
            factor = np.where(soft > 0.0, 1.0 / soft, np.nan)  # the solver has to step back
            linear = (k @ excess[:, :, None])[:, :, 0]
            half = 0.5 * np.sum(excess * linear, axis=1)
            slope = -self.softening * factor**2
            wrench = factor[:, None] * linear
            wrench[:, 3] += half * slope
            tangent = factor[:, None, None] * k
            tangent[:, 3, :] += slope[:, None] * linear
            tangent[:, :, 3] += slope[:, None] * linear
            tangent[:, 3, 3] += half * 2.0 * self.softening**2 * factor**3
            return wrench, tangent

        return law


def arm_law(
    body: Arm,
    material: Mapping[str, Elastomer],
    stiffness: ArrayLike = 1.0,
    coefficients: Coefficients | None = None,
    model: str = "rod",
) -> ArmLaw:
    """Return the sections of an arm.

    Args:
        body: the arm.
        material: rubber of every volume group; `body` serves the groups that are not named.
        stiffness: factors f on the six stiffnesses of the section, K_ij sqrt(f_i f_j).
        coefficients: sections to take in place of those of the geometry, factors to apply.
        model: who asks; it reads the coefficients that are for it.

    Raises:
        BadInput: if the coefficients have sections, but none of a soft length or of a cavity, or if
            they were fitted on the law of the solid.
    """
    if coefficients is not None and (coefficients.law or "").startswith("solid"):
        raise BadInput(
            f'these coefficients ({coefficients.source}) were fitted on the law "'
            f'{coefficients.law}" and cannot be used with a linear one: calibrate with --law '
            "geometry"
        )
    values = coefficients.read_by(model) if coefficients else {}
    given = coefficients.section if coefficients else ()
    field = section_field(body, material, values, stiffness=stiffness, given=given)
    force = values.get("chamber_area", 1.0)
    moment = force * values.get("chamber_arm", 1.0)
    drive = np.array([moment] * 3 + [force] * 3)
    arms = {}
    for name, piece, hole in chambers(body):
        arm = fluid_arm(hole)
        if given:
            sections = _within(piece, given)
            if any(name not in section.arms for section in sections):
                raise BadInput(f"the coefficients have no pressure arm of the cavity {name}")
            arm = np.mean([section.arms[name] for section in sections], axis=0)
        arms[name] = drive * arm
    return ArmLaw(
        field,
        arms,
        softening=values.get("softening", 0.0),
        growth=values.get("chamber_growth", 0.0) / material["body"].shear_modulus,
        given=bool(given),
    )


def section_field(
    body: Arm,
    material: Mapping[str, Moduli],
    values: Mapping[str, float],
    *,
    stiffness: ArrayLike = 1.0,
    given: Sequence[StationLaw] = (),
    shear_factor: float | None = None,
) -> FieldOfX:
    """Return K of X of an arm, (n,) to (n, 6, 6): the one of cases and of robots.

    Args:
        body: the arm.
        material: moduli of every volume group; `body` serves the groups that are not named.
        values: coefficients by name; those that are no factor on a stiffness are left alone.
        stiffness: factors f on the six stiffnesses of the section, K_ij sqrt(f_i f_j).
        given: sections to take in place of those of the geometry.
        shear_factor: k in place of Cowper's, for a model that states its own.

    Raises:
        BadInput: if there are sections, but none of a soft length.
    """
    positive("stiffness", stiffness)
    soft = soft_pieces(body)
    owned = [_within(piece, given) for piece in soft]
    if given and not all(owned):
        piece = soft[owned.index([])]
        raise BadInput(
            f"the coefficients have no section between x = {1e3 * piece.start:.4g} mm and "
            f"{1e3 * piece.end:.4g} mm: make them for the whole arm, loligo section without --at"
        )
    scaled = [
        [_scaled(body, material, section) for section in sections] for sections in owned if given
    ]

    known: dict[bytes, Array] = {}  # the solver asks at the same places again and again

    def field(X: Array) -> Array:
        if (place := X.tobytes()) not in known:
            known[place] = anew(X)
        return known[place]

    def anew(X: Array) -> Array:
        k = section_stiffness(body, material, X, shear_factor)
        for piece, sections, ratios in zip(soft, owned, scaled, strict=False):
            here = (piece.start <= X) & (piece.end >= X)
            root = np.sqrt(np.diagonal(k[here], axis1=1, axis2=2))
            ratio = _between(X[here], [s.x for s in sections], ratios)
            k[here] = ratio * root[:, :, None] * root[:, None, :]
        share = np.sqrt(np.asarray(stiffness, float) * _factors(values, X, soft))
        scaled_k: Array = k * share[:, :, None] * share[:, None, :]
        return scaled_k

    return field


def soft_pieces(body: Arm) -> list[Piece]:
    """Return the soft lengths of an arm from base to tip."""
    return [piece for piece in pieces(body) if piece.region == "body"]


def chambers(body: Arm) -> list[tuple[str, Piece, Hole]]:
    """Return name, soft length and hole of every cavity of an arm."""
    return [
        (hole.name.removeprefix("cavity_"), piece, hole)
        for piece in soft_pieces(body)
        for hole in piece.holes
        if hole.name.startswith("cavity_")
    ]


def fluid_arm(hole: Hole) -> Array:
    """Return the wrench per pressure of the fluid on a chamber's ends, A (0, z, -y; 1, 0, 0)."""
    arm: Array = np.pi * hole.radius**2 * np.array([0.0, hole.z, -hole.y, 1.0, 0.0, 0.0])
    return arm


def _within(piece: Piece, sections: Sequence[StationLaw]) -> list[StationLaw]:
    """Sections of a soft length, from its base on."""
    here = [section for section in sections if piece.start <= section.x <= piece.end]
    return sorted(here, key=lambda section: section.x)


def _scaled(body: Arm, material: Mapping[str, Moduli], section: StationLaw) -> Array:
    """A section's stiffness over the roots of the geometry's diagonal there, both ways."""
    root = np.sqrt(np.diag(section_stiffness(body, material, np.array([section.x]))[0]))
    ratio: Array = np.array(section.stiffness) / np.outer(root, root)
    return ratio


def _between(X: Array, places: Sequence[float], values: Sequence[Array]) -> Array:
    """Values at X, linear between their places and constant beyond."""
    found: Array = np.tile(values[0], (len(X), 1, 1))
    for (a, low), (b, high) in pairwise(zip(places, values, strict=True)):
        share = np.clip((X - a) / (b - a), 0.0, 1.0)[:, None, None]
        found += share * (high - low)
    return found


def _factors(values: Mapping[str, float], X: Array, soft: Sequence[Piece]) -> Array:
    """Factors on the six stiffnesses at X, (n, 6)."""
    factors: Array = np.ones((len(X), 6))
    for name, at in _FACTORS.items():
        factors[:, at] *= values.get(name, 1.0)
    along = (X - soft[0].start) / (soft[-1].end - soft[0].start)
    for name, at in _TAPERS.items():
        factors[:, at] *= values.get(name, 1.0) ** (along - 0.5)[:, None]
    return factors
