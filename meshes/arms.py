"""Meshes of arms: sections swept along the pieces of the stack."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import assert_never

import numpy as np
import numpy.typing as npt

from loligo.cases.body import ChamberedArm, TaperedArm
from loligo.meshes import bodies
from loligo.meshes.bodies import Hole, Piece
from loligo.meshes.circles import HOLE_EDGES, Grain, sections_of
from loligo.meshes.fill import fill
from loligo.meshes.finding import Finding, MeshError
from loligo.meshes.mesh import HEXAHEDRON, TETRAHEDRON, Array, Element, Index, Mesh, faces, oriented
from loligo.meshes.mirror import mirrors_of
from loligo.meshes.rings import quadrangulate
from loligo.meshes.section import CrossSection, triangulate
from loligo.meshes.sweep import compress, hexahedra, lattice, planes, prisms_to_tetrahedra


@dataclass(frozen=True)
class _Lengths:
    """Axial sizes of an element."""

    rim: float
    """Size at a rigid end, over the size across the section."""
    growth: float
    """Growth with the distance from a rigid end."""
    stretch: float
    """Size far from rigid ends, over the size across the section."""


_LENGTHS = {TETRAHEDRON: _Lengths(1.0, 0.5, 2.5), HEXAHEDRON: _Lengths(0.35, 1.0, 5.0)}


def nominal_size(body: TaperedArm | ChamberedArm) -> float:
    """Return an edge length on the outer surface at the base (m) that fits the radius."""
    match body:
        case TaperedArm():
            return body.base_radius / 3
        case ChamberedArm():
            return body.radius / 3
        case unknown:
            assert_never(unknown)


def build_arm(
    body: TaperedArm | ChamberedArm, element: Element, size: float, refinement: float = 1.0
) -> Mesh:
    """Return the mesh of an arm; edges on its outer surface are ``size`` (m) at the base.

    All other sizes follow in proportion: along a taper the local radius, around holes and thin
    rings their curvature. ``refinement`` multiplies the whole numbers of edges and layers that this
    gives.

    Neighbouring pieces with equal holes share one section and are swept together; a connector
    between segments that differ is filled, with tetrahedra alone.

    Raises:
        MeshError: segments differ, and hexahedra are asked for; a wall is too thin.
    """
    grain = Grain(nominal_size(body), nominal_size(body) / size, refinement)
    stack = bodies.pieces(body)
    names = tuple(sorted(bodies.volumes(body)))
    runs = _runs(stack)
    soft = [_soft(run) for run in runs]
    points: Array = np.empty((0, 3))
    cells: list[Index] = []
    tags: list[Index] = []
    below: Index | None = None
    for run, section in zip(runs, sections_of_run(soft, element, grain), strict=True):
        ends = _planes(run, grain, element)
        lower = len(points) + section.cells
        sweep = hexahedra if element is HEXAHEDRON else prisms_to_tetrahedra
        swept, groups = sweep(section, groups_of(run, ends, section, names))
        swept += len(points)
        points = np.r_[points, _place(run, section.circles[0].radius, lattice(section, ends))]
        if below is not None:
            connector = stack[stack.index(run[0]) - 1]
            layers = len(_planes((connector,), grain, element)) - 1
            points, filled = fill(points, below, lower, layers)
            cells.append(filled)
            tags.append(np.full(len(filled), names.index(connector.region) + 1))
        cells.append(swept)
        tags.append(groups)
        below = lower + 2 * (len(ends) - 1) * len(section.points)
    points, all_cells = compress(points, np.concatenate(cells))
    if element is TETRAHEDRON:
        all_cells = oriented(points, all_cells)
    planes_of = zip(bodies.station_groups(body), bodies.stations(body), strict=True)
    nodes, facet_tags, facet_names = facets_of(stack, list(planes_of), element, points, all_cells)
    return Mesh(
        element,
        points,
        all_cells,
        np.concatenate(tags),
        names,
        nodes,
        facet_tags,
        facet_names,
    )


def build_slice(piece: Piece, size: float) -> Mesh:
    """Return the tetrahedra of a prismatic piece that begins at x = 0, in two layers along x.

    The faces ``base`` and ``tip`` have equal nodes in (y, z). Edges on the outer surface are
    ``size`` (m).
    """
    nominal = piece.start_radius / 3
    (section,) = sections_of_run([piece], TETRAHEDRON, Grain(nominal, nominal / size, 1.0))
    ends: Array = np.linspace(0.0, piece.end, 3, dtype=np.float64)
    names = (piece.region, *(["winding"] if any(hole.sleeve for hole in piece.holes) else []))
    cells, groups = prisms_to_tetrahedra(section, groups_of((piece,), ends, section, names))
    points, cells = compress(lattice(section, ends), cells)
    cells = oriented(points, cells)
    facets = facets_of((piece,), [], TETRAHEDRON, points, cells)
    return Mesh(TETRAHEDRON, points, cells, groups, names, *facets)


def build_end(piece: Piece, depth: float, size: float) -> Mesh:
    """Return the hexahedra of a body's end: a soft length from x = 0 to a disc at x = ``depth``.

    It is half of a soft length between two discs that is its own mirror image; the face ``base``
    is the mirror, where the holes are open.

    Args:
        piece: the soft length whose section it has; its length is of no account.
        depth: length of the soft part (m).
        size: length of the edges on the outer surface (m).
    """
    nominal = piece.start_radius / 3
    grain = Grain(nominal, nominal / size, 1.0)
    whole = replace(piece, start=-depth, end=depth, stations=(-depth, 0.0, depth))
    soft = replace(whole, start=0.0, stations=())
    # With one layer the pressures of its free face alone keep the disc's volume: too few.
    layers = tuple(float(x) for x in depth + nominal * np.linspace(0.0, 1.0, 3))
    disc = Piece("disc_tip", depth, layers[-1], *(piece.start_radius,) * 2, stations=layers)
    (section,) = sections_of_run([soft], HEXAHEDRON, grain)
    ends = _planes((whole, disc), grain, HEXAHEDRON)
    ends = ends[ends > -1e-9 * depth]
    ends[0] = 0.0
    names = ("body", "disc_tip", *(["winding"] if any(hole.sleeve for hole in soft.holes) else []))
    cells, groups = hexahedra(section, groups_of((soft, disc), ends, section, names))
    points, cells = compress(lattice(section, ends), cells)
    facets = facets_of((soft, disc), [], HEXAHEDRON, points, cells)
    return Mesh(HEXAHEDRON, points, cells, groups, names, *facets)


def sections_of_run(soft: Sequence[Piece], element: Element, grain: Grain) -> list[CrossSection]:
    """Sections of the runs' soft pieces."""
    if element is TETRAHEDRON:
        mirrors = mirrors_of(soft)
        return [triangulate(circles, mirrors) for circles in sections_of(soft, grain, mirrors)]
    if len(soft) > 1:
        raise MeshError(
            "the arm",
            [
                Finding(
                    "segments that differ in chambers or winding are joined by tetrahedra; "
                    "hexahedra need equal ones, which may differ in length"
                )
            ],
        )
    return [quadrangulate(soft[0], grain)]


def _runs(stack: Sequence[Piece]) -> list[tuple[Piece, ...]]:
    """Stretches of the stack with one section, without connectors of different sections."""
    runs: list[list[Piece]] = [[]]
    for piece in stack:
        if piece.region == "body" and any(p.region == "body" for p in runs[-1]):
            if _make_up(piece) != _make_up(_soft(runs[-1])):
                runs[-1].pop()
                runs.append([])
        runs[-1].append(piece)
    return [tuple(run) for run in runs]


def _soft(run: Sequence[Piece]) -> Piece:
    return next(piece for piece in run if piece.region == "body")


def _make_up(piece: Piece) -> tuple[object, ...]:
    return tuple(replace(hole, name="") for hole in piece.holes), piece.winding_radius


def _planes(run: Sequence[Piece], grain: Grain, element: Element) -> Array:
    """Planes of a sweep through all stations of a run."""
    result = [np.array([run[0].start])]
    for piece in run:
        stops = piece.stations or (piece.start, piece.end)
        size = partial(_axial_size, piece, grain, _LENGTHS[element])
        result.append(planes(stops, size, grain.refinement)[1:])
    return np.concatenate(result)


def _axial_size(piece: Piece, grain: Grain, lengths: _Lengths, x: Array) -> Array:
    """Size along x: that of the section at rigid ends, where chambers end that of their edges."""
    local = np.asarray(grain.nominal * piece.radius(x) / piece.start_radius)
    if piece.region != "body":
        return np.asarray(lengths.stretch * local / grain.fineness)
    chambers = [hole.radius for hole in piece.holes if hole.name != "bore"]
    near = np.minimum(local, 2 * math.pi * min(chambers, default=math.inf) / HOLE_EDGES)
    depth = np.minimum(x - piece.start, piece.end - x)
    towards_ends = lengths.rim * near + lengths.growth * depth
    size: Array = np.minimum(lengths.stretch * local, towards_ends) / grain.fineness
    return size


def groups_of(
    run: Sequence[Piece],
    ends: Array,
    section: CrossSection,
    names: tuple[str, ...],
) -> list[Index]:
    """Volume group of every cell of the section in every layer; 0 in holes."""

    def inside(hole: Hole, radius: float) -> npt.NDArray[np.bool_]:
        at = (hole.y, hole.z, radius)
        match = [
            np.allclose(at, (c.y, c.z, c.radius), rtol=1e-9, atol=0.0) for c in section.circles
        ]
        return section.inside[:, match.index(True)]

    of_piece = {}
    for piece in run:
        group = np.full(len(section.cells), names.index(piece.region) + 1)
        for hole in piece.holes:
            if hole.sleeve:
                inner, outer = (inside(hole, radius) for radius in hole.sleeve)
                group[outer & ~inner] = names.index("winding") + 1
            group[inside(hole, hole.radius)] = 0
        of_piece[piece.end] = group
    last = np.array(list(of_piece))
    middles = (ends[1:] + ends[:-1]) / 2
    return [of_piece[last[np.searchsorted(last, x)]] for x in middles]


def _place(run: Sequence[Piece], reference: float, points: Array) -> Array:
    """Scale the wall of a swept section from the reference radius to the local one; bores stay."""
    soft = _soft(run)
    if soft.start_radius == soft.end_radius:
        return points
    bore = max((hole.radius for hole in soft.holes), default=0.0)
    ends = np.array([soft.start, soft.end])
    local = np.interp(points[:, 0], ends, [soft.start_radius, soft.end_radius])
    rho = np.hypot(points[:, 1], points[:, 2])
    wanted = bore + (rho - bore) * (local - bore) / (reference - bore)
    # Only the nodes of the void, which no cell uses, lie within the bore.
    scale = np.divide(wanted, rho, out=np.ones_like(rho), where=rho > 0.0)
    placed: Array = points * np.c_[np.ones_like(scale), scale, scale]
    return placed


def facets_of(
    stack: Sequence[Piece],
    stations: Sequence[tuple[str, float]],
    element: Element,
    points: Array,
    cells: Index,
) -> tuple[Index, Index, tuple[str, ...]]:
    """Facets with their groups, told from where all of their nodes lie."""
    end = stack[-1].end
    all_faces = faces(element, cells)
    outside = all_faces.count == 1
    at = points[all_faces.nodes]
    x = at[:, :, 0]
    close = 1e-9 * end
    group = np.full(len(at), "", dtype=object)

    def name(text: str, where: npt.NDArray[np.bool_]) -> None:
        group[where & (group == "")] = text

    def within(piece: Piece) -> npt.NDArray[np.bool_]:
        inside = (x > piece.start - close) & (x < piece.end + close)
        return np.asarray(inside.all(axis=1))

    name("base", np.all(x < close, axis=1))
    name("tip", np.all(x > end - close, axis=1))
    for piece in stack:
        here = within(piece)
        for hole in piece.holes:
            distance = np.hypot(at[:, :, 1] - hole.y, at[:, :, 2] - hole.z)
            name(hole.name, outside & here & np.all(distance < hole.radius + close, axis=1))
        if piece.wound_outside:
            name("winding", outside & here)
        elif piece.winding_radius is not None:
            distance = np.hypot(at[:, :, 1], at[:, :, 2])
            name("winding", here & np.all(abs(distance - piece.winding_radius) < close, axis=1))
    name("outer", outside)
    for text, station in stations:
        name(text, np.all(abs(x - station) < close, axis=1))
    names = tuple(sorted(set(group) - {""}))
    tags = np.array([names.index(text) + 1 if text else 0 for text in group])
    return all_faces.nodes[tags > 0], tags[tags > 0], names
