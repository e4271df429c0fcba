"""How many edges follow each circle of an arm's sections."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import permutations

import numpy as np

from loligo.meshes.bodies import Piece
from loligo.meshes.finding import Finding, MeshError
from loligo.meshes.mirror import Mirrors
from loligo.meshes.section import Circle

HOLE_EDGES = 8
"""Edges around a hole at nominal size, at least."""
LEAST_EDGES = 6
"""Edges around any circle; with fewer, the triangles beside them tangle."""
SLEEVE_LAYERS = 2
"""Cells across a sleeve at level 0, at least. With one, all its pressures are those of the rubber
beside it, and keep hoops that should slide over each other from doing so."""
MOST_EDGES = 400
"""Edges around any circle; a wall that needs more would keep the mesher busy for ever."""


@dataclass(frozen=True)
class Grain:
    """Nominal size (m), its ratio to the size wanted at level 0, and the refinement of level 0."""

    nominal: float
    fineness: float
    refinement: float


def sections_of(pieces: Sequence[Piece], grain: Grain, mirrors: Mirrors) -> list[list[Circle]]:
    """Return the circles of the section of each soft piece, the outer one first.

    The outer circles of all sections have the same number of edges, so that connectors fit.
    Counts of level 0 are multiplied by the refinement. Counts are such that the mirror planes
    divide them.
    """
    sections = [_facing(piece, _circles(piece, grain, mirrors), 0.0) for piece in pieces]
    around = max(circles[0].edges for circles in sections)
    return [
        [
            replace(
                circle,
                edges=_whole(circle.edges * grain.refinement, mirrors.edges(circle.y, circle.z)),
            )
            for circle in _facing(piece, [replace(outer, edges=around), *inner], grain.refinement)
        ]
        for piece, (outer, *inner) in zip(pieces, sections, strict=True)
    ]


def outlines(piece: Piece) -> tuple[Circle, ...]:
    """Return the circles of a section where the piece is thinnest, the outer first; no edges."""
    radius = min(piece.start_radius, piece.end_radius)
    circles = [Circle(0.0, 0.0, radius, 0)]
    if piece.winding_radius is not None and not piece.wound_outside:
        circles.append(Circle(0.0, 0.0, piece.winding_radius, 0))
    for hole in piece.holes:
        radii = (hole.radius, *(hole.sleeve or ()))
        circles += [
            Circle(hole.y, hole.z, r, 0) for r in radii if not math.isclose(r, radius, rel_tol=1e-9)
        ]
    return tuple(circles)


def _circles(piece: Piece, grain: Grain, mirrors: Mirrors) -> list[Circle]:
    """Circles with edges enough at level 0 for size, curvature, and the gap to the next circle."""
    circles = outlines(piece)
    size = grain.nominal * circles[0].radius / piece.start_radius
    result = []
    for a in circles:
        wanted = max(2 * math.pi * a.radius / size, HOLE_EDGES) * grain.fineness
        least = max(LEAST_EDGES, *(_clear(a, b) for b in circles))
        if least > MOST_EDGES:
            raise MeshError(
                "the arm",
                [
                    Finding(
                        f"the body is too thin somewhere to be meshed: beside the circle of radius "
                        f"{1e3 * a.radius:.4g} mm at X = {1e3 * piece.start:.4g} mm a wall or gap "
                        f"needs {least} edges around, more than {MOST_EDGES}"
                    )
                ],
            )
        result.append(replace(a, edges=_whole(wanted, mirrors.edges(a.y, a.z), least)))
    return result


def _whole(edges: float, divisor: int, least: int = 1) -> int:
    """The multiple of the divisor nearest to a number of edges, of those that are not too few."""
    return divisor * max(round(edges / divisor), math.ceil(least / divisor))


def _clear(a: Circle, b: Circle) -> int:
    """Edges that circle a needs so that they do not tangle with what lies between it and b.

    An edge bulges over its chord by r (pi/n)^2 / 2, which may take a share of the gap: the least
    where it bulges into a gap that narrows, more where it bulges away from it, the most in a ring,
    whose inner edges bend with it.
    """
    centres = math.hypot(a.y - b.y, a.z - b.z)
    gap = max(centres - a.radius - b.radius, abs(a.radius - b.radius) - centres)
    if gap <= 0.0:
        return 0
    ring, around = centres < 1e-9 * a.radius, a.radius > b.radius + centres
    share = 0.6 if ring else 0.35 if around else 0.25
    return math.ceil(math.pi * math.sqrt(a.radius / (2 * share * gap)))


def _facing(piece: Piece, circles: list[Circle], refinement: float) -> list[Circle]:
    """Let edges across sleeves and thin concentric rings face each other, and divide these."""
    sleeves = [hole.sleeve for hole in piece.holes if hole.sleeve]
    between = []
    for a, b in permutations(range(len(circles)), 2):
        outer, inner = circles[a], circles[b]
        thickness = outer.radius - inner.radius
        if (outer.y, outer.z) != (inner.y, inner.z) or thickness <= 0.0:
            continue
        sleeve = any(np.allclose((inner.radius, outer.radius), one, rtol=1e-9) for one in sleeves)
        if sleeve or thickness < outer.edge / 2:
            edges = max(outer.edges, inner.edges)
            circles[a], circles[b] = replace(outer, edges=edges), replace(inner, edges=edges)
            layers = max(1, round((SLEEVE_LAYERS if sleeve else 1) * refinement))
            between += [
                replace(inner, radius=inner.radius + k / layers * thickness, edges=edges)
                for k in range(1, layers)
            ]
    return circles + between
