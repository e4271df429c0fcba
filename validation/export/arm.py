"""An arm's section law as other codes take it: one record that every target is written from.

Strains and wrenches are in the order of the data set, (torsion, bend_y, bend_z, stretch, shear_y,
shear_z), in SI, in the section's axes; X is x of the case. A chamber acts by a wrench per pressure,
as a thread through (y, z) that is pushed by p A would:

    (0, A z, -A y; A, 0, 0),   A = f_x,  y = -m_z/f_x,  z = m_y/f_x.

A is the effective area and (y, z) the effective place: the wall that a pressure pushes along counts
in both, so that neither is that of the drawing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from loligo.cases.body import ChamberedArm, TaperedArm
from loligo.cases.case import Case
from loligo.cases.coefficients import Coefficients, check_belongs
from loligo.cases.core.record import BadInput
from loligo.cases.section_law.law import ArmLaws
from loligo.cases.section_law.shipped import others
from loligo.meshes.bodies import Arm, Hole, Piece, pieces
from loligo.reduced.lie import Array
from loligo.reduced.predict.rod_motion import arm_damping, arm_inertia
from loligo.reduced.rod.grid import FieldOfX
from loligo.reduced.section.arm_law import ArmLaw, arm_law, chambers, soft_pieces
from loligo.reduced.section.pressures import cavity_pressures
from loligo.reduced.section.solid_sections import Length, SolidSections, solid_sections
from loligo.validation.export.linear import (
    BestLinear,
    FreeState,
    best_linear,
    states_of_arm,
    states_of_solid,
)

SMALL = 1.05
"""Stretch up to which a law at rest is taken to hold: neo-Hooke has changed by as much."""
SLACK = 0.05
"""Part of a range by which a state may be beyond it before it is refused."""
_LOST = (0, 4, 5)
"""Components of a chamber's wrench that no thread through a place exerts."""


_ENDS = "The law of the ends at the discs is left out: a rod without it is 1 to 5 % off at the tip."


@dataclass(frozen=True, eq=False)
class Chamber:
    """What a pressure in a chamber does to its soft length."""

    name: str
    start: float
    """Of its soft length (m)."""
    end: float
    wrench: Array
    """Per pressure, (6,): m^3, m^2."""
    drawn: Hole
    """As the geometry has it."""
    pressure: tuple[float, float]
    """Smallest and largest of the range (Pa)."""

    @property
    def area(self) -> float:
        """Effective area (m^2)."""
        return float(self.wrench[3])

    @property
    def place(self) -> tuple[float, float]:
        """Effective place (y, z) in the section (m); the axis for a pure couple."""
        if self.area == 0.0:
            return 0.0, 0.0
        return float(-self.wrench[2] / self.area), float(self.wrench[1] / self.area)

    @property
    def allowed(self) -> tuple[float, float]:
        """Smallest and largest pressure (Pa) that is not refused."""
        low, high = self.pressure
        slack = SLACK * max(-low, high)
        return low - slack, high + slack

    @property
    def most(self) -> float:
        """Pressure of the range that is furthest from none (Pa)."""
        return max(self.pressure, key=abs)

    @property
    def offset(self) -> float:
        """Distance of the effective place from the axis (m)."""
        return math.hypot(*self.place)

    @property
    def drawn_area(self) -> float:
        """Area of the bore (m^2)."""
        return math.pi * self.drawn.radius**2

    def no_thread(self, radius: float) -> float:
        """Return the part of the wrench that no thread exerts, over all of it.

        Moments are over the radius (m).
        """
        if self.area == 0.0:
            return 1.0
        scale = np.array([1.0 / radius] * 3 + [1.0] * 3)
        sizes = self.wrench * scale
        return float(np.linalg.norm(sizes[list(_LOST)]) / np.linalg.norm(sizes))


@dataclass(frozen=True, eq=False)
class ExportedArm:
    """The section law of an arm along its axis, linear, with what is known of its errors."""

    case: Case
    body: Arm
    source: str
    """Where the law comes from, in words."""
    law: ArmLaw
    """The linear law."""
    own: ArmLaw | None
    """The law that it stands for, where that is a formula of softening and growth."""
    solid: SolidSections | None
    """The law of the solid that it stands for, where there is one."""
    fits: tuple[BestLinear, ...]
    """How well it stands for a nonlinear law, of every soft length; empty for a linear one."""
    chambers: tuple[Chamber, ...]
    damping: FieldOfX
    """Upsilon of X, (n,) to (n, 6, 6): wrench per rate of strain."""
    inertia: FieldOfX
    """Per length, (n,) to (n, 6, 6), about the axis."""
    max_stretch: float
    """Of a fibre, up to which the law holds."""
    fitted: tuple[int, ...]
    """Steps of the case that were fitted, from 1."""
    notes: tuple[str, ...]

    @property
    def allowed_stretch(self) -> float:
        """Stretch of a fibre that is not refused."""
        return self.max_stretch + SLACK * (self.max_stretch - 1.0)

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """Soft lengths and rigid pieces from base to tip."""
        return pieces(self.body)

    @property
    def soft(self) -> list[Piece]:
        """Soft lengths from base to tip."""
        return soft_pieces(self.body)

    def as_itself(self) -> ExportedArm:
        """Return the arm with the law of softening and growth, for targets that take functions.

        So with the law of the solid, of which the linear one is then a start alone.
        """
        if self.solid is not None:
            return replace(self, fits=())
        if self.own is None:
            return self
        spans = {chamber.name: chamber.pressure for chamber in self.chambers}
        named = _chambers(self.body, self.own, spans)
        return replace(self, law=self.own, own=None, fits=(), chambers=named)

    def linear(self) -> ExportedArm:
        """Return the arm without the law of the solid, for targets that cannot take it."""
        return replace(self, solid=None)

    @property
    def error(self) -> float:
        """Largest error of a free strain over the largest, by taking the law as linear."""
        return max((fit.error for fit in self.fits), default=0.0)


def exported_arm(
    case: Case,
    coefficients: Coefficients | None = None,
    laws: ArmLaws | None = None,
    *,
    model: str = "rod",
) -> ExportedArm:
    """Return the section law of a case's arm as other codes take it.

    Args:
        case: the case.
        coefficients: sections and factors in place of those from geometry and rubber.
        laws: section laws of the solid, in place of coefficients.
        model: who reads the coefficients, rod or pcc.

    Raises:
        BadInput: if the body is no arm, or the coefficients or laws belong to another.
    """
    body = case.body
    if not isinstance(body, TaperedArm | ChamberedArm):
        raise BadInput(f"{case.name}: only an arm has a section law, not a {body.kind}")
    if coefficients is not None and laws is not None:
        raise BadInput(f"{case.name}: give either coefficients or a section law of the solid")
    if coefficients is not None:
        check_belongs(coefficients, case)
    if laws is not None:
        return _of_solid(case, body, laws)
    own = arm_law(body, case.material, coefficients=coefficients, model=model)
    spans = _pressures(case, body, coefficients)
    most = {name: max(span, key=abs) for name, span in spans.items()}
    most = {name: p if math.isfinite(p) else 0.0 for name, p in most.items()}
    reach = coefficients.reach.max_stretch if coefficients else SMALL
    linear = own.softening == 0.0 and own.growth == 0.0
    fits: tuple[BestLinear, ...] = ()
    law = own
    if not linear:
        states = [_states(own, body, piece, most) for piece in soft_pieces(body)]
        fits, law = _fitted(body, own.stiffness, states)
        if not any(piece.holes for piece in soft_pieces(body)):
            law = replace(own, softening=0.0, growth=0.0)
    seen = [d for d in coefficients.data if d.case == case.name] if coefficients else []
    return ExportedArm(
        case,
        body,
        coefficients.source if coefficients else "geometry and rubber at rest",
        law,
        None if linear else own,
        None,
        fits,
        _chambers(body, law, spans),
        arm_damping(case, body),
        arm_inertia(case, body),
        reach if math.isfinite(reach) else math.inf,
        tuple(step for data in seen for step in data.steps),
        (*(coefficients.notes if coefficients else ()), *_left_out(body, law)),
    )


def _of_solid(case: Case, body: Arm, laws: ArmLaws) -> ExportedArm:
    if other := others(laws.belongs_to, case):
        raise BadInput(
            f"{case.name}: this section law belongs to another {' and another '.join(other)}; "
            f"make it anew: loligo section {case.name} --law"
        )
    with_ends = any(law.end is not None for _, law in laws.sections)
    sections = solid_sections(body, laws.without_ends())
    lengths = sections.lengths
    states = [list(states_of_solid(length)) for length in lengths]
    fits, law = _fitted(body, _similar(lengths), states)
    spans = {
        name: (float(row.min(initial=0.0)), float(row.max(initial=0.0)))
        for length in lengths
        for name, row in zip(length.law.cavities, length.law.directions, strict=True)
    }
    stretch = max(
        float(state.excess[3] + 1.0 + length.piece.radius(length.x) * np.hypot(*state.excess[1:3]))
        for length, found in zip(lengths, states, strict=True)
        for state in found
    )
    at = ", ".join(f"{1e3 * length.x:.4g}" for length in lengths)
    return ExportedArm(
        case,
        body,
        f"section law of the solid at x = {at} mm, best linear law over its pressures",
        law,
        None,
        sections,
        fits,
        _chambers(body, law, spans),
        arm_damping(case, body),
        arm_inertia(case, body),
        stretch + max(length.law.reach for length in lengths),
        (),
        (*((_ENDS,) if with_ends else ()), *_left_out(body, law)),
    )


def _states(law: ArmLaw, body: Arm, piece: Piece, most: Mapping[str, float]) -> Sequence[FreeState]:
    names = [name for name, of, _ in chambers(body) if of == piece]
    return list(states_of_arm(law, names, 0.5 * (piece.start + piece.end), most))


def _fitted(
    body: Arm, shape: FieldOfX, states: Sequence[Sequence[FreeState]]
) -> tuple[tuple[BestLinear, ...], ArmLaw]:
    """Return the best linear law of every soft length, and all of them as one law of the arm.

    Args:
        body: the arm.
        shape: a stiffness whose diagonal says how that of a soft length varies along it.
        states: of every soft length, from base to tip.
    """
    soft, fits = soft_pieces(body), list[BestLinear]()
    arms: dict[str, Array] = {}
    for piece, found in zip(soft, states, strict=True):
        names = [name for name, of, _ in chambers(body) if of == piece]
        known = np.any([state.pressure != 0.0 for state in found], axis=0)
        try:
            fit = best_linear(found, float(piece.radius(0.5 * (piece.start + piece.end))))
        except BadInput as unknown:
            span = f"between x = {1e3 * piece.start:.4g} mm and {1e3 * piece.end:.4g} mm"
            raise BadInput(f"{span}: {unknown}") from None
        fits.append(fit)
        arms |= {name: fit.arms[:, j] for j, name in enumerate(names) if known[j]}

    def root(X: Array) -> Array:
        found: Array = np.sqrt(np.diagonal(shape(X), axis1=1, axis2=2))
        return found

    def field(X: Array) -> Array:
        k = np.zeros((len(X), 6, 6))
        for piece, fit in zip(soft, fits, strict=True):
            here = (piece.start <= X) & (piece.end >= X)
            if not here.any():
                continue
            middle = np.array([0.5 * (piece.start + piece.end)])
            ratio = root(X[here]) / root(middle)
            k[here] = ratio[:, :, None] * fit.stiffness * ratio[:, None, :]
        return k

    return tuple(fits), ArmLaw(field, arms, given=True)


def _similar(lengths: Sequence[Length]) -> FieldOfX:
    """Return the diagonals at rest along soft lengths of similar sections."""

    def field(X: Array) -> Array:
        k = np.zeros((len(X), 6, 6))
        for length in lengths:
            here = (length.piece.start <= X) & (length.piece.end >= X)
            local = length.law.at(np.zeros(len(length.law.cavities)))
            rest = local.wrench(local.free_strain[None])[1][0]
            c = length.scale(X[here])
            powers = np.stack([c**4] * 3 + [c**2] * 3, axis=1)
            k[here] = powers[:, :, None] * np.diag(np.diag(rest))
        return k

    return field


def _pressures(
    case: Case, body: Arm, coefficients: Coefficients | None
) -> dict[str, tuple[float, float]]:
    """Return the range of every cavity's pressure: of the coefficients, else of the case."""
    load = coefficients.reach.load if coefficients else None
    if load and "pressure" in load:
        return dict.fromkeys(body.cavities, load["pressure"])
    if case.time is not None:
        return dict.fromkeys(body.cavities, (-math.inf, math.inf))
    steps = [cavity_pressures(body, case, step) for step in range(len(case.steps))]
    found = [p for at in steps for p in at.values()]
    if not any(found):  # nothing says how far: a linear law is the same at any pressure
        return dict.fromkeys(body.cavities, (-math.inf, math.inf))
    return dict.fromkeys(body.cavities, (min([0.0, *found]), max([0.0, *found])))


def _left_out(body: Arm, law: ArmLaw) -> tuple[str, ...]:
    """Say which chambers a law has no arm of."""
    return tuple(
        f"{name}: its pressure is not in the range of the law, so that it is left out; give a case "
        "that drives it, or a law of loligo section --law --pressure"
        for name in body.cavities
        if name not in law.arms
    )


def _chambers(
    body: Arm, law: ArmLaw, spans: Mapping[str, tuple[float, float]]
) -> tuple[Chamber, ...]:
    return tuple(
        Chamber(name, piece.start, piece.end, law.arms[name], hole, spans[name])
        for name, piece, hole in chambers(body)
        if name in law.arms
    )


def between(field: Callable[[Array], Array], start: float, end: float, points: int = 4) -> Array:
    """Return the mean of a field over a span, by Gauss's rule."""
    place, weight = np.polynomial.legendre.leggauss(points)
    X = start + (end - start) * 0.5 * (1.0 + place)
    mean: Array = np.tensordot(0.5 * weight, field(X), 1)
    return mean
