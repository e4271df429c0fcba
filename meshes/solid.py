"""Meshes of a user's own body: a Gmsh mesh as it is, or a STEP shape cut and meshed."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import gmsh
import numpy as np

from loligo.cases.body import Solid
from loligo.meshes import bodies
from loligo.meshes.curving import curve_interior
from loligo.meshes.finding import Finding, MeshError, near
from loligo.meshes.mesh import Array, Mesh
from loligo.meshes.session import extract, read_msh, session

UNITS = {"m": 1.0, "cm": 1e-2, "mm": 1e-3}
CURVE_EDGES = 8
"""Edges around a full circle at level 0, at least."""
TOUCH = 1e-2
"""A point names a face when it is closer to it than this share of the element size."""
# OpenCASCADE works with absolute tolerances that suit millimetres.
MM = 1e3


def read_solid(body: Solid, folder: Path) -> Mesh:
    """Return the user's mesh in metres."""
    assert body.mesh is not None and body.file_unit is not None
    return read_msh(_existing(folder / body.mesh), UNITS[body.file_unit])


def build_solid(body: Solid, folder: Path, size: float, refinement: float = 1.0) -> Mesh:
    """Return second-order tetrahedra of a STEP shape with elements of ``size / refinement`` (m).

    The file states its own unit. The shape is cut by the planes of the stations; its faces bear the
    names that the body's points give them, and "outer" otherwise.
    """
    assert body.step is not None
    if body.discs:
        raise MeshError(
            body.step,
            [
                Finding(
                    "a STEP file has no named volumes: give discs in a .msh file, or leave them out"
                )
            ],
        )
    path = _existing(folder / body.step)
    with session():
        gmsh.option.setString("Geometry.OCCTargetUnit", "MM")
        gmsh.model.add("shape")
        import_step(path)
        gmsh.model.occ.synchronize()
        names = _named_faces(body, path.name, TOUCH * size)
        gmsh.model.add("cut")
        sections = _cut(body, path)
        gmsh.option.setNumber("Mesh.MeshSizeMax", MM * size / refinement)
        gmsh.option.setNumber("Mesh.MeshSizeFromCurvature", math.ceil(CURVE_EDGES * refinement))
        gmsh.model.mesh.generate(3)
        gmsh.model.mesh.setOrder(2)
        _group(names, sections)
        mesh = extract(1 / MM)
    return replace(mesh, points=curve_interior(mesh.points, mesh.cells, mesh.facets))


def import_step(path: Path) -> list[tuple[int, int]]:
    """Import a STEP file into the current model; return its shapes."""
    try:
        shapes: list[tuple[int, int]] = gmsh.model.occ.importShapes(str(path), format="step")
    except Exception as error:  # Gmsh raises nothing more specific
        raise MeshError(path.name, [Finding(f"it cannot be read as STEP: {error}")]) from None
    if not shapes:
        raise MeshError(path.name, [Finding("the STEP file has no shape")])
    return shapes


def _existing(path: Path) -> Path:
    if not path.is_file():
        raise MeshError(path.name, [Finding(f"there is no file {path.name} beside the case")])
    return path


def _named_faces(body: Solid, file: str, touch: float) -> dict[int, str]:
    """Names of the faces of the current model, from the points on them."""
    names: dict[int, str] = {}
    findings = []
    for name, points in body.surfaces.items():
        for point in points:
            face, distance = _closest_face(np.array(point))
            if distance > touch:
                findings.append(
                    f'the point {near(np.array(point))} of surface "{name}" lies '
                    f"{1e3 * distance:.4g} mm away from the nearest face"
                )
            elif names.setdefault(face, name) != name:
                findings.append(
                    f'the face at {near(np.array(point))} is named both "{names[face]}" and '
                    f'"{name}"'
                )
    if findings:
        raise MeshError(file, [Finding(text) for text in findings])
    return names


def _closest_face(point: Array) -> tuple[int, float]:
    """The face of the current model nearest to a point (m), and its distance (m)."""
    probe = gmsh.model.occ.addPoint(*(MM * point))
    distances = {
        face: gmsh.model.occ.getDistance(0, probe, 2, face)[0] / MM
        for _, face in gmsh.model.getEntities(2)
    }
    gmsh.model.occ.remove([(0, probe)])
    face = min(distances, key=lambda tag: distances[tag])
    return face, distances[face]


def _cut(body: Solid, path: Path) -> dict[str, list[int]]:
    """Import the shape into the current model and cut it; the faces of each interior section."""
    occ = gmsh.model.occ
    shape = [entity for entity in import_step(path) if entity[0] == 3]
    if not shape:
        raise MeshError(
            path.name, [Finding("the STEP file has no volume, only surfaces or curves")]
        )
    occ.synchronize()
    box = np.array(gmsh.model.getBoundingBox(-1, -1)).reshape(2, 3)
    reach = float(np.linalg.norm(box[1] - box[0]))
    discs = {
        name: occ.addDisk(*(MM * origin), reach, reach, zAxis=list(normal))
        for name, (origin, normal) in zip(
            bodies.station_groups(body), bodies.station_planes(body), strict=True
        )
        if name.startswith("section_")
    }
    _, parts = occ.fragment(shape, [(2, disc) for disc in discs.values()])
    occ.synchronize()
    loose = [s for s in gmsh.model.getEntities(2) if not len(gmsh.model.getAdjacencies(*s)[0])]
    occ.remove(loose, recursive=True)
    occ.synchronize()
    kept = {tag for _, tag in gmsh.model.getEntities(2)}
    planes = parts[len(shape) :]
    return {
        name: [tag for _, tag in plane if tag in kept]
        for name, plane in zip(discs, planes, strict=True)
    }


def _group(names: dict[int, str], sections: dict[str, list[int]]) -> None:
    """Make physical groups of the cut and meshed model."""
    volumes = [tag for _, tag in gmsh.model.getEntities(3)]
    gmsh.model.addPhysicalGroup(3, volumes, name="body")
    skin = {
        tag: _place_on(tag)
        for _, tag in gmsh.model.getEntities(2)
        if len(gmsh.model.getAdjacencies(2, tag)[0]) == 1
    }
    gmsh.model.setCurrent("shape")
    groups = dict(sections)
    for tag, place in skin.items():
        face, _ = _closest_face(place)
        groups.setdefault(names.get(face, "outer"), []).append(tag)
    gmsh.model.setCurrent("cut")
    for name, tags in groups.items():
        if tags:
            gmsh.model.addPhysicalGroup(2, tags, name=name)


def _place_on(surface: int) -> Array:
    """A point (m) within a meshed surface: the middle of its first second-order triangle."""
    _, nodes = gmsh.model.mesh.getElementsByType(9, surface)
    points = np.array([gmsh.model.mesh.getNode(node)[0] for node in nodes[:6]])
    middle: Array = (4 * points[3:].sum(axis=0) - points[:3].sum(axis=0)) / 9 / MM
    return middle
