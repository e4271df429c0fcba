r"""The 6x6 stiffness of an arm's section from its geometry and its rubbers.

The fibre at (y, z) of a section stretches by e + z kappa_y - y kappa_z, so that with Young's moduli
E of the regions, about the geometric axis,

    EA = int E dA,  K(bend_y, bend_y) = int E z^2 dA,  K(bend_z, bend_z) = int E y^2 dA, K(bend_y,
    bend_z) = -int E y z dA,  K(bend_y, stretch) = int E z dA,  K(bend_z, stretch) = -int E y dA.

Shear is k int G dA in both directions. Torsion is G J with Saint-Venant's J of the disc with its
round holes,

    J = int (y^2 + z^2) dA - int |grad w|^2 dA,

w the warping function, harmonic, with dw/dn = z n_y - y n_z on every circle. Where regions differ
in G, J is weighted as the polar moment would be. A winding adds nothing here: thread around the
hoop is free along the axis, and what it does to an incompressible wall is no property of the bare
section (a slice of the solid tells).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import numpy as np

from loligo.cases.elastomer import Elastomer
from loligo.cases.record import BadInput
from loligo.meshes.bodies import Arm, Hole, Piece, Sections, pieces, sections
from loligo.reduced.lie import Array

SHEAR_FACTOR = 0.9
"""Cowper's k of a solid circle at Poisson ratio 1/2."""
_TERMS = (24, 48, 96, 192)  # of each series of the warping function, until two agree
_AGREED = 1e-4  # of the loss; the better one is then right to the square of it, about


def section_stiffness(body: Arm, material: Mapping[str, Elastomer], x: Array) -> Array:
    """Return the section stiffness at every x of the soft lengths of an arm, (n, 6, 6).

    In the order (torsion, bend_y, bend_z, stretch, shear_y, shear_z): N m^2, N m, N.

    Args:
        body: the arm.
        material: rubber of every volume group; `body` serves the groups that are not named.
        x: places along the axis in m. A plane between a soft length and a disc counts to the soft
            length.
    """
    x = np.atleast_1d(np.asarray(x, float))
    soft = [piece for piece in pieces(body) if piece.region == "body"]
    piece_at = [next((p for p in soft if p.start <= at <= p.end), None) for at in x]
    for at, piece in zip(x, piece_at, strict=True):
        if piece is None:
            raise ValueError(f"x = {at:.6g} m lies in a rigid disc or beyond the body")
    regions = {
        name: part for name, part in sections(body, x).items() if name in ("body", "winding")
    }
    rubber = {name: material.get(name, material["body"]) for name in regions}
    e = _weighted(regions, {name: rubber[name].young_modulus for name in regions})
    g = _weighted(regions, {name: rubber[name].shear_modulus for name in regions})
    bare = _weighted(regions, dict.fromkeys(regions, 1.0))
    k = np.zeros((x.size, 6, 6))
    k[:, 1, 1] = e.second[:, 1, 1]
    k[:, 2, 2] = e.second[:, 0, 0]
    k[:, 1, 2] = k[:, 2, 1] = -e.second[:, 0, 1]
    k[:, 1, 3] = k[:, 3, 1] = e.first[:, 1]
    k[:, 2, 3] = k[:, 3, 2] = -e.first[:, 0]
    k[:, 3, 3] = e.area
    k[:, 4, 4] = k[:, 5, 5] = SHEAR_FACTOR * g.area
    loss = {piece: warping_loss(piece) for piece in set(soft)}
    share = np.array([loss[piece] for piece in piece_at if piece is not None])
    polar, weighted = (np.trace(part.second, axis1=1, axis2=2) for part in (bare, g))
    k[:, 0, 0] = weighted * (1.0 - share / polar)
    return k


def pressure_arms(body: Arm, x: float) -> dict[str, Array]:
    """Return what drives a section per pressure in each chamber there, A (0, z, -y, 1, 0, 0).

    Moment and force (m^3, m^2) of the fluid on the chamber's closed ends, (y, z) its axis. The wall
    is left out, which counts: rubber without thread swells instead and is hardly driven at all,
    and hoops let the wall push along (a slice of the solid tells).
    """
    arms = {}
    for piece in pieces(body):
        if piece.region == "body" and piece.start <= x <= piece.end:
            for hole in piece.holes:
                if hole.name != "bore":
                    direction = np.array([0.0, hole.z, -hole.y, 1.0, 0.0, 0.0])
                    arms[hole.name.removeprefix("cavity_")] = np.pi * hole.radius**2 * direction
    return arms


@lru_cache(maxsize=64)
def warping_loss(piece: Piece) -> float:
    """Return int |grad w|^2 dA (m^4) of a piece of constant section; 0 where its holes are central.

    w = Re sum_k a_k (s/R)^k + Re sum over holes b_k (r/(s - c))^k, s = y + i z, meets the condition
    on all circles in the least squares sense. Thin walls between circles want more terms.
    """
    if not any(np.hypot(hole.y, hole.z) > 0.0 for hole in piece.holes):
        return 0.0
    last = _warping_loss(piece, _TERMS[0])
    for terms in _TERMS[1:]:
        loss = _warping_loss(piece, terms)
        if abs(loss - last) <= _AGREED * loss:
            return loss
        last = loss
    raise BadInput(
        "the walls around the chambers are too thin for the torsion of a solid section: its series "
        f"has not converged with {_TERMS[-1]} terms; make the walls thicker"
    )


def _warping_loss(piece: Piece, terms: int) -> float:
    """Warping loss (m^4) with a number of terms in every series."""
    radius = piece.start_radius
    circles = [Hole("outer", 0.0, 0.0, radius), *piece.holes]
    turn = np.exp(2j * np.pi * np.arange(6 * terms) / (6 * terms))
    order = np.arange(1, terms + 1)
    value, slope, data, arc = [], [], [], []
    for circle in circles:
        centre = circle.y + 1j * circle.z
        s = centre + circle.radius * turn
        normal = turn if circle.name == "outer" else -turn
        columns = [(s[:, None] / radius) ** order]
        slopes = [order / radius * (s[:, None] / radius) ** (order - 1)]
        for hole in piece.holes:
            ratio = hole.radius / (s - hole.y - 1j * hole.z)
            columns.append(ratio[:, None] ** order)
            slopes.append(-order / hole.radius * ratio[:, None] ** (order + 1))
        f, df = np.hstack(columns), np.hstack(slopes) * normal[:, None]
        value.append(np.hstack([f.real, -f.imag]))
        slope.append(np.hstack([df.real, -df.imag]))
        data.append(s.imag * normal.real - s.real * normal.imag)
        arc.append(np.full(s.size, 2.0 * np.pi * circle.radius / s.size))
    weight = np.sqrt(np.concatenate(arc))
    flux = np.concatenate(data)
    w = np.vstack(value) @ np.linalg.lstsq(np.vstack(slope) * weight[:, None], flux * weight)[0]
    return float(np.sum(w * flux * weight**2))


def _weighted(regions: Mapping[str, Sections], modulus: Mapping[str, float]) -> Sections:
    """Sum of the regions' moments, each multiplied by its modulus."""
    parts = [
        Sections(modulus[name] * part.area, modulus[name] * part.first, modulus[name] * part.second)
        for name, part in regions.items()
    ]
    return sum(parts[1:], start=parts[0])
