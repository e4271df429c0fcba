"""The sections of an arm to its rod from section laws of the solid, at the pressures of a step.

The law of one section of a soft length serves all of it. Solid round sections of one rubber are
similar: with all lengths times s, bends times s and stretches are those of the section that was
solved, and Pi is s^2 of its potential, so that moments are s^3 and forces s^2 of its.

Where a law has ends, a stretch beside each disc stands for them, with a law of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from loligo.cases.core.record import BadInput
from loligo.cases.section_law.law import ArmLaws, LocalLaw, SolidLaw
from loligo.cases.section_law.parts import Polynomial
from loligo.meshes.bodies import Arm, Piece
from loligo.reduced.checks import positive
from loligo.reduced.lie import Array
from loligo.reduced.rod.model import STRAIGHT, SectionLaw
from loligo.reduced.section.arm_law import soft_pieces

_OFF = 1e-6
"""Pressure that a law cannot have, over its largest, from which on it is refused."""
_INACCURATE = 0.05
"""Error of a law from which on it is said."""
_SLACK = 0.01
"""How far beyond its range a parameter or a strain is used before that is said."""
_BEYOND = 0.25
"""How far beyond its largest pressures a law is still better than one at rest. The law of Liu's
segment up to 20 kPa and that up to 60 kPa differ by 0.2 % of the tip's way at 30 kPa."""


@dataclass(frozen=True, eq=False)
class Length:
    """A soft length with the law of its sections."""

    piece: Piece
    law: SolidLaw
    at_disc: bool = False
    """Whether it is the stretch that stands for an end at a disc."""

    @property
    def x(self) -> float:
        """Its middle (m), by which messages name it."""
        return (self.piece.start + self.piece.end) / 2

    def scale(self, X: Array) -> Array:
        """Return the size of the sections at X over that of the law's, (n,)."""
        if self.piece.holes:
            return np.ones(len(X))
        ratio: Array = self.piece.radius(X) / self.law.radius
        return ratio


@dataclass(frozen=True, eq=False)
class SolidSections:
    """The soft lengths of an arm with their laws, from base to tip."""

    lengths: tuple[Length, ...]

    @property
    def ends(self) -> bool:
        """Whether stretches stand for the ends at discs."""
        return any(one.at_disc for one in self.lengths)

    @property
    def marks(self) -> list[float]:
        """Places (m) where one law ends and another begins."""
        return [one.piece.end for one in self.lengths]

    @property
    def error(self) -> float:
        """The largest error that the laws state."""
        return max(one.law.error for one in self.lengths)

    def at(self, pressure: Mapping[str, float]) -> PressedSections:
        """Return the sections at pressures of the cavities (Pa).

        Raises:
            BadInput: if a law does not know one of them beside the others.
        """
        found = []
        for one in self.lengths:
            given = np.array([pressure[name] for name in one.law.cavities])
            if _is_strange(one.law, given):
                raise BadInput(
                    f"the section law at x = {1e3 * one.x:.4g} mm was made for other pressures: "
                    f"it knows {_ranges(one.law)}, and here {_named(one.law.cavities, given)}; "
                    "make it for independent pressures, loligo section --law --pressure, or for "
                    "this case"
                )
            found.append((one, given, one.law.at(given)))
        return PressedSections(tuple(found))


@dataclass(frozen=True, eq=False)
class PressedSections:
    """The sections of an arm at fixed pressures."""

    parts: tuple[tuple[Length, Array, LocalLaw], ...]
    """Soft lengths, pressures of their cavities (Pa), and the law at them."""

    def section_law(self) -> SectionLaw:
        """Return wrench and tangent of section and fluid as a rod takes them."""
        places: dict[bytes, list[tuple[Array, Array, LocalLaw]]] = {}

        def law(excess: Array, X: Array) -> tuple[Array, Array]:
            if (key := X.tobytes()) not in places:  # the solver asks at the same places again
                places[key] = [
                    (here, _factors(one.scale(X[here])), local)
                    for one, _, local, here in self._within(X)
                ]
            wrench, tangent = np.zeros((len(X), 6)), np.zeros((len(X), 6, 6))
            total = excess + STRAIGHT
            for here, c, local in places[key]:
                w, k = local.wrench(c * total[here])
                w, k = c * w, c[:, :, None] * k * c[:, None, :]
                square = c[:, 0] ** 2
                wrench[here], tangent[here] = square[:, None] * w, square[:, None, None] * k
            return wrench, tangent

        return law

    def energy(self, strain: Array, X: Array) -> Array:
        """Return the energy stored in the solid (J/m) at strains (n, 6), X (n,)."""

        def of(one: Length, given: Array, local: LocalLaw, scaled: Array) -> Array:
            return one.law.energy(given, scaled)

        return self._each(of, strain, X)

    def fluid(self, strain: Array, X: Array) -> Array:
        """Return the fluid's wrench (N m, N) at strains (n, 6), X (n,)."""

        def of(one: Length, given: Array, local: LocalLaw, scaled: Array) -> Array:
            return one.law.fluid_wrench(given, scaled)

        found = self._each(of, strain, X, (6,))
        for one, _, _, here in self._within(X):
            found[here] *= _factors(one.scale(X[here]))
        return found

    def volumes(self, strain: Array, X: Array) -> dict[str, Array]:
        """Return the volume per reference length (m^2) of every cavity, (n,), zero elsewhere."""
        found: dict[str, Array] = {}
        for one, given, _, here in self._within(X):
            c = _factors(one.scale(X[here]))
            values = c[:, :1] ** 2 * one.law.volumes(given, c * strain[here])
            for name, column in zip(one.law.cavities, values.T, strict=True):
                found.setdefault(name, np.zeros(len(X)))[here] = column
        return found

    def reach(self, strain: Array, X: Array) -> Array:
        """Return how far every soft length leaves the range of its law, (lengths, 2).

        First the largest distance of a strain from the free one over the law's reach, then by how
        much a parameter of the pressures is outside 0 to 1.
        """
        found = []
        for one, given, local, here in self._within(X):
            distance = local.distance(_factors(one.scale(X[here])) * strain[here])
            found.append([distance.max(initial=0.0), _outside(one.law, given)])
        return np.array(found)

    def farthest(self, strain: Array, X: Array) -> float:
        """Return the largest distance of a strain from the free one, bends times the radius."""
        reaches = [one.law.reach for one, _, _ in self.parts]
        return float((self.reach(strain, X)[:, 0] * reaches).max())

    def _within(self, X: Array) -> Iterator[tuple[Length, Array, LocalLaw, Array]]:
        """Yield every soft length with those of X that lie in it; an end that is shared is its."""
        for one, given, local in self.parts:
            here = np.flatnonzero((one.piece.start <= X) & (one.piece.end >= X))
            yield one, given, local, here

    def _each(
        self,
        of: Callable[[Length, Array, LocalLaw, Array], Array],
        strain: Array,
        X: Array,
        shape: tuple[int, ...] = (),
    ) -> Array:
        """Collect values that grow with the square of the section's size."""
        found: Array = np.zeros((len(X), *shape))
        for one, given, local, here in self._within(X):
            c = _factors(one.scale(X[here]))
            factor = (c[:, 0] ** 2).reshape(-1, *(1 for _ in shape))
            found[here] = factor * of(one, given, local, c * strain[here])
        return found


def beyond(sections: SolidSections, reaches: Sequence[Array]) -> list[str]:
    """Return in sentences where states leave the range of their laws.

    Args:
        sections: of the arm.
        reaches: of every reported state, see `PressedSections.reach`.
    """
    said = []
    for one, (distance, outside) in zip(
        sections.lengths, np.moveaxis(np.array(reaches), 0, -1), strict=True
    ):
        place = f"the section law at x = {1e3 * one.x:.4g} mm"
        if one.at_disc:
            middle = (one.piece.start + one.piece.end) / 2
            place = f"the law of the end at x = {1e3 * middle:.4g} mm"
        elif one.law.error > _INACCURATE:
            said.append(f"{place} has an error of {one.law.error:.0%} between its own pressures")
        if outside.max() > _SLACK and not one.at_disc:
            said.append(
                f"{place} holds for {_ranges(one.law)}; at step {outside.argmax() + 1} a pressure "
                f"is {outside.max():.0%} outside"
            )
        if distance.max() > 1.0 + _SLACK:
            said.append(
                f"{place} holds near the strain that the pressures alone give, to "
                f"{one.law.reach_error:.1%} of the difference; at step {distance.argmax() + 1} the "
                f"strain is {distance.max():.2g} times as far from it"
            )
    return said


def solid_sections(body: Arm, laws: ArmLaws, modulus: float = 1.0) -> SolidSections:
    """Return the sections of an arm, every soft length with its law, from base to tip.

    Args:
        body: the arm.
        laws: one for each of its soft lengths.
        modulus: factor on the modulus of all rubber and thread.

    Raises:
        BadInput: if there are more or less laws than soft lengths, or one has other cavities.
    """
    positive("modulus", modulus)
    soft = soft_pieces(body)
    if len(soft) != len(laws.sections):
        raise BadInput(
            f"there are {len(laws.sections)} section laws for {len(soft)} soft lengths: one is "
            "needed for each"
        )
    lengths = []
    for piece, (_, law) in zip(soft, laws.sections, strict=True):
        names = [h.name.removeprefix("cavity_") for h in piece.holes if h.name != "bore"]
        if list(law.cavities) != names:
            raise BadInput(
                f"the section law between x = {1e3 * piece.start:.4g} mm and "
                f"{1e3 * piece.end:.4g} mm has other cavities than the body"
            )
        lengths += _with_ends(piece, law if modulus == 1.0 else _scaled(law, modulus))
    return SolidSections(tuple(lengths))


def _with_ends(piece: Piece, law: SolidLaw) -> list[Length]:
    """Return a soft length in three if its law has ends and they leave a length between them."""
    if law.end is None or 2.0 * law.end.length >= piece.length:
        return [Length(piece, law)]
    first, last = piece.start + law.end.length, piece.end - law.end.length
    return [
        Length(replace(piece, end=first), law.at_disc(towards_base=True), at_disc=True),
        Length(replace(piece, start=first, end=last), law),
        Length(replace(piece, start=last), law.at_disc(), at_disc=True),
    ]


def _scaled(law: SolidLaw, modulus: float) -> SolidLaw:
    """Return a law whose rubber and thread are so many times as stiff.

    Pi(epsilon, p) becomes f Pi(epsilon, p/f): wrenches and pressures are f times as large at the
    same strain.
    """

    def stiffer(part: Polynomial) -> Polynomial:
        return replace(part, coefficients=modulus * part.coefficients)

    return replace(
        law,
        directions=modulus * law.directions,
        potential=stiffer(law.potential),
        stiffness=stiffer(law.stiffness),
        cubic=stiffer(law.cubic),
        quartic=stiffer(law.quartic),
        fluid=stiffer(law.fluid),
        fluid_slope=stiffer(law.fluid_slope),
        end=None if law.end is None else law.end.scaled(modulus),
    )


def covers(law: SolidLaw, pressure: Mapping[str, float]) -> bool:
    """Whether a law knows pressures of the cavities (Pa) and has seen almost as large ones."""
    given = np.array([pressure[name] for name in law.cavities])
    t = law.parameters(given)
    return bool(not _is_strange(law, given) and (t >= -_SLACK).all() and (t <= 1.0 + _BEYOND).all())


def _is_strange(law: SolidLaw, pressures: Array) -> bool:
    """Whether a law cannot have these pressures beside one another."""
    largest = max(np.abs(law.directions).max(initial=0.0), np.abs(pressures).max(initial=0.0))
    return bool(law.strays(pressures) > _OFF * largest)


def _outside(law: SolidLaw, pressures: Array) -> float:
    """Return by how much a parameter of the pressures is outside 0 to 1."""
    t = law.parameters(pressures)
    return float(np.concatenate([t - 1.0, -t]).max(initial=0.0))


def _factors(scale: Array) -> Array:
    """Return factors of a section's size on the six strains, (n, 6)."""
    c: Array = np.ones((len(scale), 6))
    c[:, :3] = scale[:, None]
    return c


def _ranges(law: SolidLaw) -> str:
    """Name the pressures of a law."""
    spans = [
        " with ".join(f"{n} to {p:.4g} Pa" for n, p in zip(law.cavities, column, strict=True) if p)
        for column in law.directions.T
    ]
    return ", beside ".join(spans) or "no pressure"


def _named(cavities: Sequence[str], pressures: Array) -> str:
    return ", ".join(f"{n} has {p:.4g} Pa" for n, p in zip(cavities, pressures, strict=True))
