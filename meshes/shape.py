"""Whether a mesh has the shape of its body: planes, volumes, areas, element quality."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from loligo.cases.body import Mantle, Solid
from loligo.meshes import bodies, integrals
from loligo.meshes.bodies import AnyBody
from loligo.meshes.finding import Finding, near
from loligo.meshes.mesh import Array, Index, Mesh, face_keys, faces
from loligo.meshes.topology import open_edges

POOR_JACOBIAN = 1e-3
"""Scaled Jacobians below this are refused."""
FLAT = 1e-6
"""Nodes of a section may leave its plane by this share of the length."""
LENGTH_RANGE = (1e-3, 10.0)
"""Lengths (m) outside of this range are probably in another unit."""

# A parabola through the ends and the middle of an arc of radius r and angle 2a is a^4/60 of the
# arc's length l = 2 r a too short and encloses r^2 a^5/30 = l^2 a^3/120 too little. Four times as
# much is granted, for surfaces that curve both ways.
AREA_SLACK = 4 / 60
VOLUME_SLACK = 4 / 120
ROUNDING = 1e-9
AXIS = 1e-3
"""Share of the body's radius by which the axis of a group may be off."""


def check_length(mesh: Mesh, body: AnyBody) -> Iterator[Finding]:
    """The mesh is as long as the body, in metres."""
    spans = np.ptp(bodies.centreline(body), axis=0)
    wanted, extent = spans.max(), float(np.ptp(mesh.points[:, spans.argmax()]))
    if not 0.5 < extent / wanted < 2.0:
        yield Finding(
            f"the mesh is {extent:.4g} m long but the body {wanted:.4g} m; "
            "is the unit of the file right?"
        )
    elif not LENGTH_RANGE[0] <= extent <= LENGTH_RANGE[1]:
        yield Finding(f"the body is {extent:.4g} m long; is the unit right?", "warning")


def check_planes(mesh: Mesh, body: AnyBody) -> Iterator[Finding]:
    """The base lies in x = 0, every station is a plane of facets that cuts through the body."""
    close = FLAT * bodies.length(body)
    base = mesh.points[mesh.facets_of("base")].reshape(-1, 3)
    if len(base) and not isinstance(body, Mantle) and np.abs(base[:, 0]).max() > close:
        worst = base[np.abs(base[:, 0]).argmax()]
        yield Finding(f"the base must lie in the plane x = 0, but has a node at {near(worst)}")
    outside = np.unique(mesh.skin.nodes[mesh.skin.count == 1])
    groups = bodies.station_groups(body)
    for name, s, (origin, normal) in zip(
        groups, bodies.stations(body), bodies.station_planes(body), strict=True
    ):
        facets = mesh.facets_of(name)
        if not len(facets):
            yield Finding(
                f'station {1e3 * s:.4g} mm is not a plane of facets: put them into group "{name}"'
            )
            continue
        height = (mesh.points[facets].reshape(-1, 3) - origin) @ normal
        if np.abs(height).max() > close:
            worst = mesh.points[facets].reshape(-1, 3)[np.abs(height).argmax()]
            yield Finding(
                f'facets of "{name}" leave the plane of station {1e3 * s:.4g} mm, by '
                f"{1e3 * np.abs(height).max():.4g} mm at {near(worst)}"
            )
        edges = open_edges(mesh, facets)
        inner = edges[~np.isin(edges, outside).all(axis=1)]
        if len(inner):
            yield Finding(
                f'facets of "{name}" do not cut the whole body: they end inside it at '
                f"{near(mesh.points[inner[0]].mean(axis=0))}"
            )


def check_sides(mesh: Mesh, body: AnyBody) -> Iterator[Finding]:
    """The facets of a cavity face it."""
    for name in body.cavities:
        facets = seen_from_solid(mesh, mesh.facets_of(f"cavity_{name}"))
        volume = integrals.enclosed_volume(mesh.element, mesh.points, facets)
        if volume < 0.0:
            yield Finding(
                f'group "cavity_{name}" encloses {1e6 * volume:.4g} cm^3: it is the outside of the '
                "body, not the skin of a cavity"
            )


def check_places(mesh: Mesh, body: AnyBody) -> Iterator[Finding]:
    """Base, tip and cavities of a library body are where its record puts them in (y, z)."""
    if isinstance(body, Solid):
        return
    reach = float(np.abs(mesh.points[:, 1:]).max())
    wanted: dict[str, tuple[float, float]] = {"outer": (0.0, 0.0)}
    wanted |= {f"cavity_{name}": axis for name, axis in bodies.cavity_axes(body).items()}
    for name, axis in wanted.items():
        facets = seen_from_solid(mesh, mesh.facets_of(name))
        volume = integrals.enclosed_volume(mesh.element, mesh.points, facets)
        if volume == 0.0:
            continue  # another check says that the group is empty
        centre = integrals.enclosed_moment(mesh.element, mesh.points, facets) / volume
        off = float(np.hypot(*(centre - axis)))
        if off > AXIS * reach:
            yield Finding(
                f'the axis of "{name}" is at (y, z) = ({1e3 * centre[0]:.4g}, '
                f"{1e3 * centre[1]:.4g}) mm, but the body has it at ({1e3 * axis[0]:.4g}, "
                f"{1e3 * axis[1]:.4g}) mm: is the mesh turned or shifted, or are names swapped?"
            )


def seen_from_solid(mesh: Mesh, facets: Index) -> Index:
    """Return facets with nodes in such order that normals point out of their first cell."""
    keys = face_keys(mesh.element, mesh.skin.nodes)
    at = np.searchsorted(keys, face_keys(mesh.element, facets))
    found = keys[np.minimum(at, len(keys) - 1)] == face_keys(mesh.element, facets)
    result: Index = mesh.skin.nodes[at[found]]
    return result


def check_quality(mesh: Mesh) -> Iterator[Finding]:
    """No cell is inverted or nearly flat."""
    quality = integrals.scaled_jacobians(mesh.element, mesh.points, mesh.cells)
    worst = near(mesh.points[mesh.cells[quality.argmin()]].mean(axis=0))
    if quality.min() <= 0.0:
        yield Finding(
            f"{(quality <= 0.0).sum()} cells are inverted, the worst (scaled Jacobian "
            f"{quality.min():.3g}) at {worst}: refine there, change the size a little, or optimise "
            "the mesh after raising its order"
        )
    elif quality.min() < POOR_JACOBIAN:
        yield Finding(
            f"{(quality < POOR_JACOBIAN).sum()} cells are nearly flat, the worst (scaled Jacobian "
            f"{quality.min():.3g}, at least {POOR_JACOBIAN:g} is needed) at {worst}"
        )


def check_sizes(mesh: Mesh, body: AnyBody) -> Iterator[Finding]:
    """Volumes and areas agree with the closed form as well as second-order geometry can."""
    for kind, unit, values in (
        ("volume", "m^3", compare_volumes(mesh, body)),
        ("area", "m^2", compare_areas(mesh, body)),
        ("enclosed volume", "m^3", compare_cavities(mesh, body)),
    ):
        for name, (numeric, exact, tolerance) in values.items():
            if abs(numeric - exact) > tolerance:
                yield Finding(
                    f'the {kind} of "{name}" is {numeric:.6g} {unit}, but {exact:.6g} {unit} in '
                    f"closed form; second-order elements of this size are off by "
                    f"{tolerance / exact:.1e} of it at most"
                )


Comparison = dict[str, tuple[float, float, float]]


def compare_volumes(mesh: Mesh, body: AnyBody) -> Comparison:
    """Return numeric and exact volume (m^3) of each volume group, and its tolerance."""
    result = {}
    for name, exact in bodies.volumes(body).items():
        cells = mesh.cells_of(name)
        skin = faces(mesh.element, cells)
        numeric = integrals.volumes(mesh.element, mesh.points, cells).sum()
        slack = _volume_slack(mesh, skin.nodes[skin.count == 1])
        result[name] = (float(numeric), exact, slack + ROUNDING * exact)
    return result


def compare_cavities(mesh: Mesh, body: AnyBody) -> Comparison:
    """Return numeric and exact enclosed volume (m^3) of each cavity, and its tolerance."""
    result = {}
    for name, exact in bodies.cavity_volumes(body).items():
        facets = seen_from_solid(mesh, mesh.facets_of(f"cavity_{name}"))
        numeric = integrals.enclosed_volume(mesh.element, mesh.points, facets)
        result[name] = (numeric, exact, _volume_slack(mesh, facets) + ROUNDING * exact)
    return result


def compare_areas(mesh: Mesh, body: AnyBody) -> Comparison:
    """Return numeric and exact area (m^2) of each facet group, and its tolerance."""
    result = {}
    for name, exact in bodies.areas(body).items():
        facets = mesh.facets_of(name)
        area = integrals.areas(mesh.element, mesh.points, facets)
        turn, _ = _turns(mesh, facets)
        slack = float((area * turn**4).sum()) * AREA_SLACK + _rim_slack(mesh, facets)
        result[name] = (float(area.sum()), exact, slack + ROUNDING * exact)
    return result


def _volume_slack(mesh: Mesh, facets: Index) -> float:
    """Volume between facets and the smooth surface through their nodes."""
    area = integrals.areas(mesh.element, mesh.points, facets)
    turn, length = _turns(mesh, facets)
    return float((area * length * turn**3).sum()) * VOLUME_SLACK


def _turns(mesh: Mesh, facets: Index) -> tuple[Array, Array]:
    """Half the largest angle of normals at the ends of an edge of each facet, and its length."""
    n = mesh.element.facet_corners
    at = np.array([[0, 0], [1, 0], [0, 1]] if n == 3 else [[0, 0], [1, 0], [1, 1], [0, 1]], float)
    _, normal = integrals.normals(mesh.element, mesh.points, facets, at)
    normal /= np.linalg.norm(normal, axis=2, keepdims=True)
    sine = np.linalg.norm(normal - np.roll(normal, -1, axis=0), axis=2) / 2
    turn = np.arcsin(np.minimum(sine, 1.0))
    corners = mesh.points[facets[:, :n]]
    length = np.linalg.norm(corners - np.roll(corners, -1, axis=1), axis=2).T
    # Of the edges that turn most, the shortest runs along the curvature.
    most = turn >= 0.99 * turn.max(axis=0)
    return turn.max(axis=0), np.where(most, length, np.inf).min(axis=0)


def _rim_slack(mesh: Mesh, facets: Index) -> float:
    """Area between the curved rim of a group and the smooth curve through its nodes."""
    ends = open_edges(mesh, facets)
    n = mesh.element.facet_corners
    corners, middles = facets[:, :n], facets[:, n : 2 * n]
    edges = np.stack([corners, np.roll(corners, -1, axis=1), middles], axis=2).reshape(-1, 3)
    keys = np.sort(edges[:, :2], axis=1) @ [len(mesh.points), 1]
    rim = edges[np.isin(keys, ends @ [len(mesh.points), 1])]
    a, b, middle = (mesh.points[rim[:, i]] for i in range(3))
    chord = np.linalg.norm(b - a, axis=1)
    # The tangents at both ends of a parabola of this rise.
    turn = np.arctan(4 * np.linalg.norm(middle - (a + b) / 2, axis=1) / chord)
    return float((chord**2 * turn**3).sum()) * VOLUME_SLACK
