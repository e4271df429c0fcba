"""An arm for soromox (JAX): generalised stiffness and damping from its own basis and Gauss points.

A link of soromox takes explicit matrices, the integrals of B^T K B and B^T D B over the link, so
that the whole 6x6 law arrives. The record has K and D at the points of soromox's rule. Its mass
comes from a solid circle of a density; radius and density here give the mass and the transverse
inertia of the section. The order and the frames are loligo's.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from loligo.meshes.bodies import Piece
from loligo.reduced.lie import Array
from loligo.validation.export.arm import ExportedArm
from loligo.validation.export.losses import Loss, threads

POINTS = 10
"""Gauss points of every link; soromox asks for 5."""
ORDER = 3
"""Of the Legendre polynomials for every strain of a link."""
_PARTS = 4
"""Links of a soft length whose sections vary: its curvature is no polynomial."""
_CLOSE = 1e-9
"""Of a piece's length: its ends belong to it, not to the next."""


def arrays(arm: ExportedArm) -> dict[str, Any]:
    """Return the arrays of soromox: one link for every piece, several for a taper."""
    return {"soromox": {"order": ORDER, "links": [_link(arm, part) for part in _parts(arm)]}}


def _parts(arm: ExportedArm) -> Iterator[Piece]:
    """Yield the pieces of an arm, tapers in parts."""
    for piece in arm.pieces:
        tapers = piece.region == "body" and piece.start_radius != piece.end_radius
        ends = np.linspace(piece.start, piece.end, _PARTS + 1 if tapers else 2)
        for a, b in pairwise(ends):
            radius = piece.radius(np.array([a, b]))
            yield replace(
                piece,
                start=float(a),
                end=float(b),
                start_radius=float(radius[0]),
                end_radius=float(radius[1]),
            )


def _link(arm: ExportedArm, piece: Piece) -> dict[str, Any]:
    place, _ = np.polynomial.legendre.leggauss(POINTS)
    X = piece.start + piece.length * 0.5 * (1.0 + place)
    soft = piece.region == "body"
    zero = np.zeros((POINTS, 6, 6))
    radius, density = _circle(arm, piece)
    return {
        "start": piece.start,
        "length": piece.length,
        "soft": soft,
        **_of_solid(arm, X, soft),
        "outer": max(piece.start_radius, piece.end_radius),
        "radius": radius.tolist(),
        "density": density,
        "stiffness": (arm.law.stiffness(X) if soft else zero).tolist(),
        "damping": (arm.damping(X) if soft else zero).tolist(),
    }


def _of_solid(arm: ExportedArm, X: Array, soft: bool) -> dict[str, Any]:
    """Return whose law of the solid a link has, and sizes of its sections over that of the law."""
    if arm.solid is None or not soft:
        return {}
    number = next(i for i, p in enumerate(arm.soft) if p.start <= X[0] <= p.end)
    return {"length_of": number, "scale": arm.solid.lengths[number].scale(X).tolist()}


def _circle(arm: ExportedArm, piece: Piece) -> tuple[Array, float]:
    """Return radii at both ends and the density of a solid that has a piece's mass and inertia."""
    close = _CLOSE * piece.length
    inertia = arm.inertia(np.array([piece.start + close, piece.end - close]))
    mass, second = inertia[:, 3, 3], 0.5 * inertia[:, 0, 0]
    radius = 2.0 * np.sqrt(second / mass)
    return radius, float(np.mean(mass / (np.pi * radius**2)))


def losses(arm: ExportedArm) -> list[Loss]:
    """Return what soromox cannot hold."""
    worst = 0.0
    for piece in _parts(arm):
        radius, density = _circle(arm, piece)
        X = np.linspace(piece.start, piece.end, 9)[1:-1]
        r = np.interp(X, (piece.start, piece.end), radius)
        mass = arm.inertia(X)[:, 3, 3]
        worst = max(worst, float(np.abs(density * np.pi * r**2 / mass - 1.0).max()))
    return [
        *threads(arm),
        Loss("mass per length", worst, "of a solid circle of one density, linear along a link"),
    ]


LINES = (
    "The whole 6x6 stiffness and damping arrive, coupling terms too.",
    "A softening or growing law of coefficients arrives as a function, and so does that of the "
    "solid: `make_robot(pressure)` is then the robot at these pressures.",
    "There is no water: added mass and drag are left out.",
)
