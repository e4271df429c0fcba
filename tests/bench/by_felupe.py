"""FElupe on a mesh and one load, in each way that it has to keep a volume."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import NamedTuple

import felupe as fe
import numpy as np
from pypardiso import spsolve

from loligo.meshes.mesh import HEXAHEDRON, Mesh, corners

WAYS = ("u", "u-p0", "u-p-J")
"""Displacements alone; pressure and volume constant in every cell, and condensed; linear ones as
unknowns, continuous in tetrahedra and not so in hexahedra: what FElupe does unless it is asked."""
# Nodes of our cells in FElupe's order, of their corners and on their faces.
_HEXAHEDRON = [*range(8), 8, 11, 13, 9, 16, 18, 19, 17, 10, 12, 14, 15]
_HEXAHEDRON += [22, 23, 21, 24, 20, 25, 26]
_TETRAHEDRON = [*range(8), 9, 8]
# A tetrahedron turned such that each of its faces becomes the first three corners.
_TURNED = (
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
    [0, 3, 1, 2, 7, 8, 4, 6, 9, 5],
    [0, 2, 3, 1, 6, 9, 7, 4, 5, 8],
    [1, 3, 2, 0, 8, 9, 5, 4, 7, 6],
)


class Found(NamedTuple):
    """What FElupe found in the last state, and what it cost."""

    nodes: np.ndarray
    """Where those of the tip's face are at rest (m)."""
    moved: np.ndarray
    """Their displacements (m)."""
    force: np.ndarray
    """What holds the tip's face (N)."""
    unknowns: int
    cpu: float
    """Seconds."""
    wall: float
    """Seconds."""


def solve(
    given: Mesh, way: str, mu: float, bulk: float, steps: int, load: tuple[str, float] | float
) -> Found:
    """Solve for a body that is held at its base.

    Args:
        given: with facets ``base`` and ``tip``.
        way: one of :data:`WAYS`.
        mu: of mu/2 (J^(-2/3) I1 - 3) + bulk/2 (J - 1)^2 (Pa).
        bulk: see there (Pa).
        steps: equal increments.
        load: a group of facets and the pressure on it (Pa), or the way of the tip's face along z
            (m).
    """
    given = _corners_first(given)
    mesh, region = _region(given)
    if way == "u-p-J":
        dual = {} if given.element is HEXAHEDRON else {"npoints": corners(given)}
        field = fe.FieldsMixed(region, n=3, **dual)
        rubber = fe.SolidBody(fe.ThreeFieldVariation(fe.NeoHooke(mu=mu, bulk=bulk)), field)
    else:
        field = fe.FieldContainer([fe.Field(region, dim=3)])
        rubber = (
            fe.SolidBody(fe.NeoHooke(mu=mu, bulk=bulk), field)
            if way == "u"
            else fe.SolidBodyNearlyIncompressible(fe.NeoHooke(mu=mu), field, bulk=bulk)
        )
    bounds = fe.BoundaryDict(base=fe.Boundary(field[0], fx=0))
    items: list[object] = [rubber]
    if isinstance(load, tuple):
        end = load[1]
        wall = np.zeros(len(given.points), dtype=bool)
        wall[given.facets_of(load[0])] = True
        pressure = fe.SolidBodyPressure(fe.FieldContainer([fe.Field(_skin(mesh, wall), dim=3)]))
        items.append(pressure)
        drive = pressure.update
    else:
        end = load
        bounds["tip"] = fe.Boundary(field[0], fx=given.points[:, 0].max(), skip=(1, 1, 0))
        drive = bounds["tip"].update
    cpu, start = time.process_time(), time.perf_counter()
    for i in range(1, steps + 1):
        drive(end * i / steps)
        free = fe.dof.partition(field, bounds)
        found = fe.newtonraphson(
            x0=field,
            items=items,
            dof0=free[0],
            dof1=free[1],
            ext0=fe.dof.apply(field, bounds, free[0]),
            solver=spsolve,
            verbose=0,
            tol=1e-8,
        )
    cpu, wall_time = time.process_time() - cpu, time.perf_counter() - start
    tip = np.unique(given.facets_of("tip"))
    force = fe.tools.force(field, found.fun, bounds["tip"]) if "tip" in bounds else np.zeros(3)
    unknowns = sum(f.values.size for f in field.fields)
    return Found(given.points[tip], field[0].values[tip], force, unknowns, cpu, wall_time)


def _region(given: Mesh) -> tuple[fe.Mesh, fe.Region]:
    if given.element is HEXAHEDRON:
        mesh = fe.Mesh(given.points, given.cells[:, _HEXAHEDRON], cell_type="hexahedron27")
        return mesh, fe.RegionTriQuadraticHexahedron(mesh)
    mesh = fe.Mesh(given.points, given.cells[:, _TETRAHEDRON], cell_type="tetra10")
    return mesh, fe.RegionQuadraticTetra(mesh)


def _corners_first(mesh: Mesh) -> Mesh:
    """Return a mesh whose first nodes are the corners of cells, as FElupe's linear fields need."""
    corner = np.zeros(len(mesh.points), dtype=bool)
    corner[mesh.cells[:, : mesh.element.corners]] = True
    order = np.argsort(~corner, kind="stable")
    number = np.argsort(order)
    return replace(
        mesh, points=mesh.points[order], cells=number[mesh.cells], facets=number[mesh.facets]
    )


def _skin(mesh: fe.Mesh, wall: np.ndarray) -> fe.Region:
    """Return the faces all of whose nodes are marked; FElupe itself has none of tetrahedra."""
    if mesh.cell_type == "hexahedron27":
        return fe.RegionTriQuadraticHexahedronBoundary(mesh, mask=wall)
    turned = np.concatenate([mesh.cells[:, turn] for turn in _TURNED])
    turned = turned[wall[turned[:, [0, 1, 2, 4, 5, 6]]].all(axis=1)]
    triangle = fe.TriangleQuadrature(order=5)
    points = np.column_stack([triangle.points, np.zeros(len(triangle.weights))])
    rule = fe.quadrature.Scheme(points, triangle.weights)
    region = fe.Region(fe.Mesh(mesh.points, turned, "tetra10"), fe.QuadraticTetra(), rule)
    # dX/dr x dX/ds points into the cell: its fourth corner lies ahead.
    area = -np.cross(region.dXdr[:, 0], region.dXdr[:, 1], axis=0) * triangle.weights[:, None]
    region.dA, region.dV = area, np.linalg.norm(area, axis=0)
    region.normals = area / region.dV
    return region
