"""Exact geometry of the bodies: lengths, stations, volumes, areas, cavities and section properties.

An arm is a stack of pieces along +x, each a frustum of one make-up: a rigid disc, or a soft length
with its holes, sleeves and winding. Everything that can be said about an arm in closed form is a
sum over its pieces, and the meshes are built from the same pieces. A mantle is a spherical zone
that runs on into a cylinder. Of a :class:`~loligo.cases.body.Solid` only centreline and stations
are known.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from typing import assert_never

import numpy as np
import numpy.typing as npt

from loligo.cases.body import Bar, Body, ChamberedArm, Mantle, Segment, Solid, TaperedArm
from loligo.cases.core.record import BadInput

Array = npt.NDArray[np.float64]
Arm = TaperedArm | ChamberedArm | Bar
AnyBody = Body


@dataclass(frozen=True)
class Hole:
    """A round hole along x: facet group of its wall, centre, radius, and radii of its sleeve."""

    name: str
    y: float
    z: float
    radius: float
    sleeve: tuple[float, float] | None = None


@dataclass(frozen=True)
class Piece:
    """A length of an arm in which only the outer radius may vary, linearly in x.

    ``region`` is the volume group of the material outside the sleeves, ``stations`` are the section
    planes.
    """

    region: str
    start: float
    end: float
    start_radius: float
    end_radius: float
    holes: tuple[Hole, ...] = ()
    winding_radius: float | None = None
    stations: tuple[float, ...] = ()
    sides: tuple[float, float] | None = None
    """Width and height of a rectangular section; its radius is half the longer side."""

    @property
    def length(self) -> float:
        """Extent along x (m)."""
        return self.end - self.start

    @property
    def wound_outside(self) -> bool:
        """Whether the outer surface itself carries the winding."""
        return self.winding_radius is not None and math.isclose(
            self.winding_radius, self.start_radius, rel_tol=1e-9
        )

    def radius(self, x: npt.ArrayLike) -> Array:
        """Outer radius at x (m)."""
        share = (np.asarray(x, dtype=float) - self.start) / self.length
        return self.start_radius + share * (self.end_radius - self.start_radius)

    def full(self, x: npt.ArrayLike) -> SectionMoments:
        """Moments of the section at places x (n,), holes filled."""
        x = np.asarray(x, dtype=float)
        if self.sides is None:
            return _disc(self.radius(x))
        width, height = self.sides
        area = width * height
        second = area / 12 * np.diag([width**2, height**2])
        return SectionMoments(
            np.full(x.shape, area), np.zeros((*x.shape, 2)), np.tile(second, (*x.shape, 1, 1))
        )

    def reach(self, x: npt.ArrayLike, bend_y: Array, bend_z: Array) -> Array:
        """Return the largest |z bend_y - y bend_z| on the surface at places x."""
        if self.sides is None:
            return np.asarray(self.radius(x) * np.hypot(bend_y, bend_z))
        width, height = self.sides
        return 0.5 * (height * np.abs(bend_y) + width * np.abs(bend_z))


@dataclass(frozen=True)
class SectionMoments:
    r"""Moments of a region cut by planes normal to x, one row a plane, about y = z = 0.

    ``area`` :math:`\int dA` (m^2), shape (n,); ``first`` :math:`\int (y, z)\,dA` (m^3), shape (n,
    2); ``second`` :math:`\int (y, z) \otimes (y, z)\,dA` (m^4), shape (n, 2, 2). Bending about y
    feels ``second[:, 1, 1]``.
    """

    area: Array
    first: Array
    second: Array

    def __add__(self, other: SectionMoments) -> SectionMoments:
        """Moments of two regions taken together."""
        return SectionMoments(
            self.area + other.area, self.first + other.first, self.second + other.second
        )

    def where(self, here: npt.NDArray[np.bool_]) -> SectionMoments:
        """Moments at some planes, zero at the others."""
        return SectionMoments(
            here * self.area, here[:, None] * self.first, here[:, None, None] * self.second
        )

    def __sub__(self, other: SectionMoments) -> SectionMoments:
        """Moments of a region with another one cut out."""
        return SectionMoments(
            self.area - other.area, self.first - other.first, self.second - other.second
        )


def pieces(body: Arm) -> tuple[Piece, ...]:
    """Return the stack of an arm, from its base at x = 0 to its tip."""
    match body:
        case TaperedArm():
            return _tapered_pieces(body)
        case ChamberedArm():
            return _chambered_pieces(body)
        case Bar():
            return _bar_pieces(body)
        case unknown:
            assert_never(unknown)


def soft_piece(body: Arm, x: float) -> Piece:
    """Return the soft length at x (m) as a prism of the local radius; BadInput if there is none."""
    for piece in pieces(body):
        if piece.region == "body" and piece.start <= x <= piece.end:
            radius = float(piece.radius(x))
            return replace(piece, start_radius=radius, end_radius=radius, stations=())
    raise BadInput(f"x = {x:.6g} m lies in a rigid disc or beyond the body")


def length(body: AnyBody) -> float:
    """Return the length from base to tip (m); of a mantle, the axial length of its mid-surface."""
    match body:
        case TaperedArm() | ChamberedArm() | Bar():
            return pieces(body)[-1].end
        case Mantle():
            return body.radius * math.sin(body.truncation) + body.cylinder_length
        case Solid():
            return body.stations[-1]
        case unknown:
            assert_never(unknown)


def centreline(body: AnyBody) -> Array:
    """Return the corners of the axis from base to tip (m), shape (n, 3)."""
    match body:
        case TaperedArm() | ChamberedArm() | Bar() | Mantle():
            return np.array([[0.0, 0.0, 0.0], [length(body), 0.0, 0.0]])
        case Solid():
            return np.array(body.centreline)
        case unknown:
            assert_never(unknown)


def arc_lengths(body: AnyBody, places: Array) -> Array:
    """Return the arc length of the section of each place (n, 3) (m) of a body at rest.

    That of the nearest point of the axis; beyond its ends, along the axis on from there.
    """
    corners = centreline(body)
    spans = np.diff(corners, axis=0)
    sizes = np.linalg.norm(spans, axis=1)
    along = spans / sizes[:, None]
    begin = np.r_[0.0, np.cumsum(sizes)]
    way = np.einsum("nsi,si->ns", places[:, None] - corners[:-1], along)
    low, high = np.zeros(len(sizes)), sizes.copy()
    low[0], high[-1] = -np.inf, np.inf
    way = np.clip(way, low, high)
    off = np.linalg.norm(places[:, None] - corners[:-1] - way[..., None] * along, axis=-1)
    nearest = np.argmin(off, axis=1)
    return np.asarray(begin[nearest] + way[np.arange(len(places)), nearest])


def stations(body: AnyBody) -> Array:
    """Return the arc lengths of the section planes (m); a mantle has none.

    The planes of a soft length are equally spaced and include its two ends, so that both faces of a
    connector are stations, of neighbouring segments.
    """
    match body:
        case TaperedArm() | ChamberedArm() | Bar():
            return np.array([x for piece in pieces(body) for x in piece.stations])
        case Mantle():
            return np.empty(0)
        case Solid():
            return np.array(body.stations)
        case unknown:
            assert_never(unknown)


def station_groups(body: AnyBody) -> tuple[str, ...]:
    """Return the facet group of every station.

    Station i lies inside the body and is ``section_ii``, except where a soft length without a disc
    ends: there the station is the exterior face ``base`` or ``tip``.
    """
    x = stations(body)
    close = 1e-9 * length(body)
    return tuple(
        "base" if s < close else "tip" if s > length(body) - close else f"section_{i:02d}"
        for i, s in enumerate(x)
    )


def station_planes(body: AnyBody) -> list[tuple[Array, Array]]:
    """Return origin (m) and unit normal of every section plane; at a corner the mean direction."""
    corners = centreline(body)
    spans = np.diff(corners, axis=0)
    lengths = np.linalg.norm(spans, axis=1)
    directions = spans / lengths[:, None]
    ends = np.r_[0.0, np.cumsum(lengths)]
    close = 1e-9 * ends[-1]
    planes = []
    for s in stations(body):
        touching = (ends[:-1] <= s + close) & (ends[1:] >= s - close)
        normal = directions[touching].mean(axis=0)
        origin = [np.interp(s, ends, corners[:, i]) for i in range(3)]
        planes.append((np.array(origin), normal / np.linalg.norm(normal)))
    return planes


def volumes(body: AnyBody) -> dict[str, float]:
    """Return the volume of every volume group (m^3); empty for a solid from a file."""
    match body:
        case TaperedArm() | ChamberedArm() | Bar():
            return _arm_volumes(body)
        case Mantle():
            outer, inner = _wall_radii(body)
            zone = 2 / 3 * math.pi * (outer**3 - inner**3) * math.sin(body.truncation)
            return {"body": zone + math.pi * (outer**2 - inner**2) * body.cylinder_length}
        case Solid():
            return {}
        case unknown:
            assert_never(unknown)


def areas(body: AnyBody) -> dict[str, float]:
    """Return the area of every facet group (m^2); empty for a solid from a file."""
    match body:
        case TaperedArm() | ChamberedArm() | Bar():
            return _arm_areas(body)
        case Mantle():
            outer, inner = (
                2 * math.pi * r * (r * math.sin(body.truncation) + body.cylinder_length)
                for r in _wall_radii(body)
            )
            rim = 2 * math.pi * body.radius * body.thickness
            return {
                "base": rim * math.cos(body.truncation),
                "rim": rim,
                "cavity_mantle": inner,
                "outer": outer,
            }
        case Solid():
            return {}
        case unknown:
            assert_never(unknown)


def cavity_volumes(body: AnyBody) -> dict[str, float]:
    """Return the enclosed volume of every cavity (m^3); empty for a solid from a file.

    The open cavity of a mantle is closed by flat discs over the two edges of its inner wall.
    """
    match body:
        case TaperedArm() | ChamberedArm() | Bar():
            return {
                hole.name.removeprefix("cavity_"): math.pi * hole.radius**2 * piece.length
                for piece in pieces(body)
                for hole in piece.holes
                if hole.name.startswith("cavity_")
            }
        case Mantle():
            _, inner = _wall_radii(body)
            sine = math.sin(body.truncation)
            zone = math.pi * inner**3 * (sine - sine**3 / 3)
            return {"mantle": zone + math.pi * inner**2 * body.cylinder_length}
        case Solid():
            return {}
        case unknown:
            assert_never(unknown)


def cavity_axes(body: AnyBody) -> dict[str, tuple[float, float]]:
    """Return where the axis of every cavity is, (y, z) (m); empty for a solid from a file."""
    match body:
        case TaperedArm() | ChamberedArm() | Bar():
            return {
                hole.name.removeprefix("cavity_"): (hole.y, hole.z)
                for piece in pieces(body)
                for hole in piece.holes
                if hole.name.startswith("cavity_")
            }
        case Mantle():
            return {"mantle": (0.0, 0.0)}
        case Solid():
            return {}
        case unknown:
            assert_never(unknown)


def tendon_offset(body: TaperedArm, number: int, x: npt.ArrayLike) -> Array:
    """Return the offset (y, z) of a tendon from the axis at places x along it (m), shape (..., 2).

    Tendon j of n sits at 90 deg + 360 deg (j - 1)/n from the y axis about +x: the first at +z. The
    offset changes linearly along the soft part, with the same slope inside the base disc.
    """
    assert body.tendons is not None  # the case has been checked
    azimuth = math.pi / 2 + 2 * math.pi * (number - 1) / body.tendons.count
    base, slope = body.tendons.base_offset, body.tendons.tip_offset - body.tendons.base_offset
    offset = base + slope * (np.asarray(x) - body.base_disc) / body.length
    return np.multiply.outer(offset, [math.cos(azimuth), math.sin(azimuth)])


def sections(body: AnyBody, x: npt.ArrayLike) -> dict[str, SectionMoments]:
    """Return the section moments at every x, by volume group and by facet group of a hole.

    A plane between a soft length and a disc counts to the soft length. Empty for a solid from a
    file.
    """
    x = np.atleast_1d(np.asarray(x, dtype=float))
    match body:
        case TaperedArm() | ChamberedArm() | Bar():
            return _arm_sections(body, x)
        case Mantle():
            outer, inner = _wall_cut(body, x)
            closed = x >= body.thickness / 2 * math.sin(body.truncation)
            return {
                "body": _disc(outer) - _disc(inner),
                "cavity_mantle": _disc(np.where(closed, inner, 0.0)),
            }
        case Solid():
            return {}
        case unknown:
            assert_never(unknown)


def solid_sections(body: AnyBody, x: npt.ArrayLike) -> SectionMoments:
    """Return the section moments of all material together, without holes."""
    parts = sections(body, x)
    solid = [parts[name] for name in volumes(body)]
    return sum(solid[1:], start=solid[0])


def _tapered_pieces(body: TaperedArm) -> tuple[Piece, ...]:
    holes = (Hole("bore", 0.0, 0.0, body.bore_radius),) if body.bore_radius > 0.0 else ()
    soft, end = body.base_disc, body.base_disc + body.length
    planes = tuple(float(x) for x in np.linspace(soft, end, body.stations))
    r0, r1 = body.base_radius, body.tip_radius
    stack = (
        Piece("disc_base", 0.0, soft, r0, r0, holes),
        Piece("body", soft, end, r0, r1, holes, stations=planes),
        Piece("disc_tip", end, end + body.tip_disc, r1, r1, holes),
    )
    return tuple(piece for piece in stack if piece.length > 0.0)


def _chambered_pieces(body: ChamberedArm) -> tuple[Piece, ...]:
    lengths = [body.plates[0]]
    for segment, plate in zip(body.segments, body.plates[1:], strict=True):
        lengths += [segment.length, plate]
    ends = list(accumulate(lengths, initial=0.0))
    stack = []
    for i, (start, end) in enumerate(pairwise(ends)):
        plate, number = i % 2 == 0, i // 2
        if plate:
            stack.append(Piece(f"disc_{body.discs[number]}", start, end, body.radius, body.radius))
            continue
        segment = body.segments[number]
        stack.append(
            Piece(
                "body",
                start,
                end,
                body.radius,
                body.radius,
                _chambers(segment, number + 1),
                segment.winding_radius,
                tuple(float(x) for x in np.linspace(start, end, body.stations)),
            )
        )
    return tuple(stack)


def _bar_pieces(body: Bar) -> tuple[Piece, ...]:
    soft, end = body.base_disc, body.base_disc + body.length
    planes = tuple(float(x) for x in np.linspace(soft, end, body.stations))
    sides = body.width, body.height
    half = max(sides) / 2
    stack = (
        Piece("disc_base", 0.0, soft, half, half, sides=sides),
        Piece("body", soft, end, half, half, stations=planes, sides=sides),
        Piece("disc_tip", end, end + body.tip_disc, half, half, sides=sides),
    )
    return tuple(piece for piece in stack if piece.length > 0.0)


def _chambers(segment: Segment, number: int) -> tuple[Hole, ...]:
    layer = segment.sleeve
    sleeve = (layer.inner_radius, layer.outer_radius) if layer else None
    return tuple(
        Hole(
            f"cavity_s{number}c{j}",
            segment.chamber_offset * math.cos(azimuth),
            segment.chamber_offset * math.sin(azimuth),
            segment.chamber_radius,
            sleeve,
        )
        for j, azimuth in enumerate(segment.azimuths, 1)
    )


def _arm_volumes(body: Arm) -> dict[str, float]:
    result: dict[str, float] = {}
    for piece in pieces(body):
        frustum = _full_volume(piece)
        wound = sum(
            math.pi * (h.sleeve[1] ** 2 - h.sleeve[0] ** 2) * piece.length
            for h in piece.holes
            if h.sleeve
        )
        bored = sum(math.pi * hole.radius**2 * piece.length for hole in piece.holes)
        result[piece.region] = result.get(piece.region, 0.0) + frustum - wound - bored
        if wound:
            result["winding"] = result.get("winding", 0.0) + wound
    return result


def _arm_areas(body: Arm) -> dict[str, float]:
    stack = pieces(body)
    faces = solid_sections(body, [0.0, length(body)]).area
    result = {"base": float(faces[0]), "tip": float(faces[1])}

    def add(name: str, area: float) -> None:
        result[name] = result.get(name, 0.0) + area

    for piece in stack:
        lateral = _lateral_area(piece)
        add("winding" if piece.wound_outside else "outer", lateral)
        if piece.winding_radius is not None and not piece.wound_outside:
            add("winding", 2 * math.pi * piece.winding_radius * piece.length)
        for hole in piece.holes:
            ends = 0.0 if hole.name == "bore" else 2 * math.pi * hole.radius**2
            add(hole.name, 2 * math.pi * hole.radius * piece.length + ends)
    planes = solid_sections(body, stations(body)).area
    for name, area in zip(station_groups(body), planes, strict=True):
        result.setdefault(name, float(area))
    return result


def _full_volume(piece: Piece) -> float:
    if piece.sides is not None:
        return math.prod(piece.sides) * piece.length
    r0, r1 = piece.start_radius, piece.end_radius
    return math.pi / 3 * (r0**2 + r0 * r1 + r1**2) * piece.length


def _lateral_area(piece: Piece) -> float:
    if piece.sides is not None:
        return 2 * sum(piece.sides) * piece.length
    slant = math.hypot(piece.length, piece.start_radius - piece.end_radius)
    return math.pi * (piece.start_radius + piece.end_radius) * slant


def _arm_sections(body: Arm, x: Array) -> dict[str, SectionMoments]:
    stack = pieces(body)
    soft_first = sorted(stack, key=lambda piece: piece.region != "body")
    free = np.ones(x.shape, dtype=bool)
    close = 1e-12 * length(body)
    result: dict[str, SectionMoments] = {}

    def add(name: str, part: SectionMoments) -> None:
        result[name] = result[name] + part if name in result else part

    for piece in soft_first:
        here = free & (x >= piece.start - close) & (x <= piece.end + close)
        free &= ~here
        material = piece.full(x).where(here)
        for hole in piece.holes:
            bore = _disc(np.where(here, hole.radius, 0.0), hole.y, hole.z)
            add(hole.name, bore)
            material -= bore
            if hole.sleeve:
                inner, outer = (_disc(np.where(here, r, 0.0), hole.y, hole.z) for r in hole.sleeve)
                add("winding", outer - inner)
                material -= outer - inner
        add(piece.region, material)
    return result


def _disc(radius: Array, y: float = 0.0, z: float = 0.0) -> SectionMoments:
    """Moments of full discs of the given radii around (y, z)."""
    area = np.pi * radius**2
    centre = np.array([y, z])
    own = np.pi / 4 * radius**4
    return SectionMoments(
        area,
        area[:, None] * centre,
        own[:, None, None] * np.eye(2) + area[:, None, None] * np.outer(centre, centre),
    )


def _wall_radii(body: Mantle) -> tuple[float, float]:
    """Outer and inner radius of sphere and cylinder."""
    return body.radius + body.thickness / 2, body.radius - body.thickness / 2


def _wall_cut(body: Mantle, x: Array) -> tuple[Array, Array]:
    """Outer and inner radius of the wall in planes x; its held edge is a cone from the centre."""
    centre = body.radius * math.sin(body.truncation)
    depth = np.maximum(centre - x, 0.0)
    outer, inner = (np.sqrt(r**2 - np.minimum(depth, r) ** 2) for r in _wall_radii(body))
    cone = depth / math.tan(body.truncation)
    inner = np.maximum(inner, np.minimum(cone, outer))
    inside = (x <= length(body)) & (cone <= outer)
    return np.where(inside, outer, 0.0), np.where(inside, inner, 0.0)
