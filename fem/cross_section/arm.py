"""The laws of all soft lengths of an arm, for the pressures that its loads span."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from loligo.cases.body import ChamberedArm, TaperedArm
from loligo.cases.case import Case
from loligo.cases.core.record import BadInput
from loligo.cases.section_law.law import SolidLaw
from loligo.fem.cross_section.end import make_end
from loligo.fem.cross_section.from_case import section_of
from loligo.fem.cross_section.images import images_of
from loligo.fem.cross_section.law import make_law
from loligo.fem.cross_section.path import PathEnded
from loligo.fem.cross_section.solve import Array
from loligo.meshes.bodies import Piece, pieces

_SAME = 1e-9
"""Largest difference of two pressures in proportion, relative."""


def arm_laws(
    case: Case,
    pressures: Mapping[str, Sequence[float]],
    size: float | None = None,
    say: Callable[[str], None] = lambda _: None,
    *,
    ends: bool = True,
) -> list[tuple[float, SolidLaw]]:
    """Return the law in the middle of every soft length, with its place (m).

    Sections that are alike are solved once. A taper without a bore has sections that are similar:
    its law holds with all lengths scaled.

    Args:
        case: the arm, its rubber, its thread.
        pressures: of every cavity along the steps (Pa). Cavities in proportion share a parameter of
            the law; the others are independent.
        size: length of the edges on a section's outer surface (m).
        say: takes a line on how far the work is.
        ends: whether chambered arms have a law of their ends at the discs, too.

    Raises:
        BadInput: if the body is no arm, if it tapers around a bore, if a pressure changes its sign,
            or if a section has no equilibrium within the range.
    """
    if not isinstance(case.body, TaperedArm | ChamberedArm):
        raise BadInput(f"{case.name}: only an arm has sections, not a {case.body.kind}")
    known: dict[tuple[object, ...], SolidLaw] = {}
    laws = []
    for piece in pieces(case.body):
        if piece.region != "body":
            continue
        if piece.start_radius != piece.end_radius and piece.holes:
            raise BadInput(
                f"{case.name}: the arm tapers around a bore of constant radius, so that its "
                "sections are not similar and one law does not serve them; take the linear law of "
                "loligo section without --law"
            )
        cavities = [h.name.removeprefix("cavity_") for h in piece.holes if h.name != "bore"]
        directions = directions_of({name: pressures[name] for name in cavities})
        x = (piece.start + piece.end) / 2
        alike = (*_shape(piece), directions.tobytes())
        if alike not in known:
            say(f"x = {1e3 * x:.4g} mm")
            known[alike] = _law(case, piece, cavities, directions, size, say, ends=ends)
        else:
            say(f"x = {1e3 * x:.4g} mm: alike")
        laws.append((x, replace(known[alike], cavities=tuple(cavities))))
    return laws


def independent(case: Case, largest: float) -> dict[str, list[float]]:
    """Return pressures of the cavities of an arm, each alone up to the largest (Pa)."""
    cavities = case.body.cavities if isinstance(case.body, ChamberedArm) else ()
    return {name: [largest if one == name else 0.0 for one in cavities] for name in cavities}


def directions_of(pressures: Mapping[str, Sequence[float]]) -> Array:
    """Return the largest pressures of groups of cavities, shape (cavities, groups).

    A group are the cavities whose pressures are in proportion at all steps. A cavity without
    pressure is in none.

    Raises:
        BadInput: if a pressure changes its sign.
    """
    columns: list[tuple[Array, Array]] = []
    for i, (name, values) in enumerate(pressures.items()):
        along = np.asarray(values, dtype=float)
        if not np.any(along):
            continue
        largest = along[np.abs(along).argmax()]
        shape = along / largest
        if shape.min() < -_SAME:
            raise BadInput(
                f"the pressure of {name} changes its sign, from {along.min():.4g} to "
                f"{along.max():.4g} Pa: a section law begins at zero; split the case"
            )
        for known, column in columns:
            if np.abs(shape - known).max() < _SAME:
                column[i] = largest
                break
        else:
            columns.append((shape, largest * np.eye(len(pressures))[i]))
    directions = np.zeros((len(pressures), len(columns)))
    for j, (_, column) in enumerate(columns):
        directions[:, j] = column
    return directions


def _shape(piece: Piece) -> tuple[object, ...]:
    """Return what of a soft length its section depends on: all but names and places along x."""
    holes = tuple(replace(hole, name=hole.name[:4]) for hole in piece.holes)
    return (piece.start_radius, piece.end_radius, piece.winding_radius, holes)


def _law(
    case: Case,
    piece: Piece,
    cavities: Sequence[str],
    directions: Array,
    size: float | None,
    say: Callable[[str], None],
    *,
    ends: bool,
) -> SolidLaw:
    x = (piece.start + piece.end) / 2
    chambers = [hole for hole in piece.holes if hole.name != "bore"]
    alike = len({(hole.radius, hole.sleeve) for hole in chambers}) == 1
    images = images_of([(hole.y, hole.z) for hole in chambers]) if alike else []
    try:
        law = make_law(section_of(case, x, size), cavities, directions, images, say)
        if not (ends and isinstance(case.body, ChamberedArm)):
            return law
        return replace(law, end=make_end(case, piece, directions, images, say))
    except PathEnded as ended:
        last = ", ".join(
            f"{name} {pressure:.4g} Pa"
            for name, pressure in zip(cavities, ended.last.pressures, strict=True)
        )
        raise BadInput(
            f"{case.name}: at x = {1e3 * x:.4g} mm the section has no stable equilibrium beyond "
            f"{last or 'rest'}: {ended}. Ask for smaller pressures with --pressure"
        ) from None
