"""The cross-section of an arm of a case, as a section problem."""

from __future__ import annotations

from loligo.cases.body import ChamberedArm, TaperedArm
from loligo.cases.case import Case
from loligo.cases.core.record import BadInput
from loligo.fem.cross_section.plane import domain_of
from loligo.fem.cross_section.problem import SectionProblem, Thread
from loligo.meshes.bodies import Piece, soft_piece
from loligo.meshes.mesh import HEXAHEDRON, Element
from loligo.meshes.plane import build_plane

FINENESS = 2.0
"""Edges on the outer surface are a third of the radius over this, unless requested otherwise."""


def section_of(
    case: Case, x: float, size: float | None = None, element: Element = HEXAHEDRON
) -> SectionProblem:
    """Return the section problem of an arm at a place along its axis.

    A taper is ignored: the section is that of a prismatic body of the local radius.

    Args:
        case: the arm, its rubber, its thread.
        x: place along the axis (m). A plane between a soft length and a disc counts to the soft
            length.
        size: length of the edges on the outer surface (m).
        element: HEXAHEDRON gives quadrilaterals, TETRAHEDRON triangles.

    Raises:
        BadInput: if the body is no arm, or x lies in a disc or beyond the body.
    """
    if not isinstance(case.body, TaperedArm | ChamberedArm):
        raise BadInput(f"{case.name}: only an arm has sections, not a {case.body.kind}")
    piece = soft_piece(case.body, x)
    plane = build_plane(piece, size or piece.start_radius / 3 / FINENESS, element)
    return SectionProblem(
        domain_of(plane),
        {name: case.material.get(name, case.material["body"]) for name in plane.cell_names},
        chambers=[hole.name for hole in piece.holes if hole.name != "bore"],
        threads=_threads(case, piece),
    )


def _threads(case: Case, piece: Piece) -> list[Thread]:
    """Return the thread of a case where a piece carries it."""
    wound = case.winding
    if wound is None:
        return []
    threads = []
    if piece.winding_radius is not None:
        threads.append(Thread("winding", wound.stiffness, wound.angle, wound.tension_only))
    sleeves = [hole.sleeve for hole in piece.holes if hole.sleeve]
    if sleeves:
        thickness = sleeves[0][1] - sleeves[0][0]
        centres = tuple((hole.y, hole.z) for hole in piece.holes if hole.sleeve)
        threads.append(
            Thread("winding", wound.stiffness / thickness, wound.angle, wound.tension_only, centres)
        )
    return threads
