r"""The 6x6 stiffness of an arm's section from its geometry and its rubbers.

The fibre at (y, z) of a section stretches by e + z kappa_y - y kappa_z, so that with Young's moduli
E of the regions, about the geometric axis,

    EA = int E dA,  K(bend_y, bend_y) = int E z^2 dA,  K(bend_z, bend_z) = int E y^2 dA, K(bend_y,
    bend_z) = -int E y z dA,  K(bend_y, stretch) = int E z dA,  K(bend_z, stretch) = -int E y dA.

Shear is k int G dA, k Cowper's coefficient of the disc with its round holes at the Poisson ratio of
`body` (Cowper 1966; 0.9 for incompressible rubber without holes), from the flexure function,
harmonic in the section. Torsion is G J with Saint-Venant's J of the disc with its round holes,

    J = int (y^2 + z^2) dA - int |grad w|^2 dA,

w the warping function, harmonic, with dw/dn = z n_y - y n_z on every circle. Where regions differ
in G, J is weighted as the polar moment would be. A winding adds nothing here: thread around the
hoop is free along the axis, and what it does to an incompressible wall is no property of the bare
section (a slice of the solid tells).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Protocol

import numpy as np
import numpy.typing as npt

from loligo.cases.core.record import BadInput
from loligo.meshes.bodies import Arm, Hole, Piece, SectionMoments, pieces, sections
from loligo.reduced.checks import between, finite, positive
from loligo.reduced.lie import Array

_TERMS = (24, 48, 96, 192)  # of each series of a harmonic function, until two agree
_AGREED = 1e-4  # of the loss; the better one is then right to the square of it, about


class Moduli(Protocol):
    """The two moduli (Pa) that a section takes from a rubber at rest; every elastomer has them."""

    @property
    def young_modulus(self) -> float:
        """E."""

    @property
    def shear_modulus(self) -> float:
        """G."""


@dataclass(frozen=True)
class Isotropic:
    """A linear material of Young's modulus E (Pa) and Poisson ratio nu, 0 to 1/2."""

    young_modulus: float
    poisson: float

    def __post_init__(self) -> None:
        """Refuse what is no material."""
        positive("young_modulus", self.young_modulus)
        between("poisson", self.poisson, 0.0, 0.5)

    @property
    def shear_modulus(self) -> float:
        """G = E/(2 (1 + nu)) in Pa."""
        return self.young_modulus / (2.0 * (1.0 + self.poisson))


def section_stiffness(
    body: Arm, material: Mapping[str, Moduli], x: Array, shear_factor: float | None = None
) -> Array:
    """Return the section stiffness at every x of the soft lengths of an arm, (n, 6, 6).

    In the order (torsion, bend_y, bend_z, stretch, shear_y, shear_z): N m^2, N m, N.

    Args:
        body: the arm.
        material: rubber of every volume group; `body` serves the groups that are not named.
        x: places along the axis in m. A plane between a soft length and a disc counts to the soft
            length.
        shear_factor: k in place of Cowper's, for a model that states its own.
    """
    x = np.atleast_1d(finite("x", x))
    if shear_factor is not None:
        positive("shear_factor", shear_factor)
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
    main = material["body"]
    poisson = main.young_modulus / (2.0 * main.shear_modulus) - 1.0
    factors = np.array(
        [shear_factors(piece, at, poisson) for piece, at in zip(piece_at, x, strict=True) if piece]
        if shear_factor is None
        else np.full((x.size, 2), shear_factor)
    )
    k[:, 4, 4], k[:, 5, 5] = factors.T * g.area
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
    between("x", x, 0.0, pieces(body)[-1].end)
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

    w = Re sum_k a_k (s/R)^k + sum over holes (Re sum_k b_k (r/(s - c))^k + d log |s - c|), with
    s = y + i z, meets the condition on all circles in the least squares sense. Thin walls between
    circles want more terms.
    """
    if piece.sides is not None:
        return _loss_of_rectangle(*piece.sides)
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


def _loss_of_rectangle(width: float, height: float) -> float:
    r"""Return the warping loss (m^4) of a rectangle, whose J is that of Saint-Venant's series.

    J = a b^3 (1/3 - 64 b/(pi^5 a) sum over odd n of tanh(n pi a/(2 b))/n^5), a the longer side
    (Timoshenko and Goodier, Theory of Elasticity, article 109).
    """
    a, b = max(width, height), min(width, height)
    n = np.arange(1, 60, 2)
    series = float(np.sum(np.tanh(0.5 * n * np.pi * a / b) / n.astype(float) ** 5))
    torsion = a * b**3 * (1.0 / 3.0 - 64.0 * b / (np.pi**5 * a) * series)
    return float(a * b * (a**2 + b**2) / 12.0 - torsion)


def shear_factors(piece: Piece, x: float, poisson: float = 0.5) -> tuple[float, float]:
    """Return Cowper's k for shear along y and along z at a place of a piece.

    Of a rectangle 10 (1 + nu)/(12 + 11 nu). Of a ring, with m the inner over the outer radius
    (Cowper 1966, Table 1),

        k = 6 (1 + nu) (1 + m^2)^2 / ((7 + 6 nu) (1 + m^2)^2 + (20 + 12 nu) m^2).

    With holes beside the axis k is that of nu = 1/2, whatever the material. Sections without
    symmetry about the force also twist, which k leaves out.
    """
    if piece.sides is not None:
        k = 10.0 * (1.0 + poisson) / (12.0 + 11.0 * poisson)
        return k, k
    holes = [hole for hole in piece.holes if hole.radius > 0.0]
    if any(np.hypot(hole.y, hole.z) > 0.0 for hole in holes):
        return _shear_factors(replace(piece, start=0.0, end=1.0, stations=()))
    m = max((hole.radius for hole in holes), default=0.0) / float(piece.radius(x))
    square = (1.0 + m**2) ** 2
    k = 6.0 * (1.0 + poisson) * square
    k /= (7.0 + 6.0 * poisson) * square + (20.0 + 12.0 * poisson) * m**2
    return k, k


@lru_cache(maxsize=64)
def _shear_factors(piece: Piece) -> tuple[float, float]:
    """The better of two that agree; thin walls have been refused by the torsion before."""
    last = np.array([_shear_factor(piece, _TERMS[0], turn) for turn in (1.0, 1.0j)])
    for terms in _TERMS[1:]:
        found = np.array([_shear_factor(piece, terms, turn) for turn in (1.0, 1.0j)])
        if np.abs(found - last).max() <= _AGREED:
            break
        last = found
    return float(found[0]), float(found[1])


def _shear_factor(piece: Piece, terms: int, turn: complex) -> float:
    r"""Return Cowper's k at nu = 1/2, with u along the force and v across it from the centroid.

        k = 3 I_u / ((I_v - I_u)/4 - A/I_u int u (chi + u v^2) dA),  I_u = int u^2 dA.

    chi is harmonic with d chi/dn = -n_u (u^2/4 + 3 v^2/4) - n_v 5/2 u v. Integrals over the section
    are taken along its circles: u = lap(u (u^2 + v^2)/8).
    """
    rim = _circles(piece, terms)
    area = 0.5 * np.sum(rim.arc * np.real(rim.s * np.conj(rim.normal)))
    centre = np.sum(rim.arc * rim.normal.real * rim.s.real**2) / (2.0 * area) + 1j * (
        np.sum(rim.arc * rim.normal.imag * rim.s.imag**2) / (2.0 * area)
    )
    s, n = (rim.s - centre) / turn, rim.normal / turn
    u, v, n_u, n_v = s.real, s.imag, n.real, n.imag
    i_u, i_v = np.sum(rim.arc * n_u * u**3) / 3.0, np.sum(rim.arc * n_v * v**3) / 3.0
    flux = -n_u * (0.25 * u**2 + 0.75 * v**2) - 2.5 * n_v * u * v
    chi = rim.harmonic(flux)
    phi = u * (u**2 + v**2) / 8.0
    slope = n_u * (3.0 * u**2 + v**2) / 8.0 + n_v * u * v / 4.0
    along = np.sum(rim.arc * (chi * slope - phi * flux))
    along += np.sum(rim.arc * n_u * u**3 * v**2) / 3.0
    return float(3.0 * i_u / (0.25 * (i_v - i_u) - area / i_u * along))


@dataclass(frozen=True, eq=False)
class _Circles:
    """Points around all circles of a section, with harmonic functions and their slopes there."""

    s: npt.NDArray[np.complex128]
    normal: npt.NDArray[np.complex128]
    arc: Array
    value: Array
    slope: Array

    def harmonic(self, flux: Array) -> Array:
        """Return on the circles the harmonic function with a normal derivative, least squares."""
        weight = np.sqrt(self.arc)
        factors = np.linalg.lstsq(self.slope * weight[:, None], flux * weight)[0]
        found: Array = self.value @ factors
        return found


def _circles(piece: Piece, terms: int) -> _Circles:
    radius = piece.start_radius
    turn = np.exp(2j * np.pi * np.arange(6 * terms) / (6 * terms))
    order = np.arange(1, terms + 1)
    value, slope, points, normals, arc = [], [], [], [], []
    for circle in [Hole("outer", 0.0, 0.0, radius), *piece.holes]:
        s = circle.y + 1j * circle.z + circle.radius * turn
        normal = turn if circle.name == "outer" else -turn
        columns = [(s[:, None] / radius) ** order]
        slopes = [order / radius * (s[:, None] / radius) ** (order - 1)]
        for hole in piece.holes:
            ratio = hole.radius / (s - hole.y - 1j * hole.z)
            columns.append(ratio[:, None] ** order)
            slopes.append(-order / hole.radius * ratio[:, None] ** (order + 1))
        f, df = np.hstack(columns), np.hstack(slopes) * normal[:, None]
        sources = [s - hole.y - 1j * hole.z for hole in piece.holes]
        logs = [np.log(np.abs(away) / radius) for away in sources]
        value.append(np.column_stack([f.real, -f.imag, *logs]))
        slope.append(np.column_stack([df.real, -df.imag, *((normal / a).real for a in sources)]))
        points.append(s)
        normals.append(normal)
        arc.append(np.full(s.size, 2.0 * np.pi * circle.radius / s.size))
    return _Circles(*(np.concatenate(parts) for parts in (points, normals, arc, value, slope)))


def _warping_loss(piece: Piece, terms: int) -> float:
    """Warping loss (m^4) with a number of terms in every series."""
    rim = _circles(piece, terms)
    flux = rim.s.imag * rim.normal.real - rim.s.real * rim.normal.imag
    return float(np.sum(rim.harmonic(flux) * flux * rim.arc))


def _weighted(
    regions: Mapping[str, SectionMoments], modulus: Mapping[str, float]
) -> SectionMoments:
    """Sum of the regions' moments, each multiplied by its modulus."""
    parts = [
        SectionMoments(
            modulus[name] * part.area, modulus[name] * part.first, modulus[name] * part.second
        )
        for name, part in regions.items()
    ]
    return sum(parts[1:], start=parts[0])
