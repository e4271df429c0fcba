"""What is to be known about a mesh, as data."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np

from loligo.meshes import integrals
from loligo.meshes.bodies import AnyBody
from loligo.meshes.finding import Finding
from loligo.meshes.mesh import Mesh, corners, mesh_hash, unknowns
from loligo.meshes.shape import (
    compare_areas,
    compare_cavities,
    compare_volumes,
    seen_from_solid,
)


@dataclass(frozen=True)
class Measure:
    """Volume (m^3) or area (m^2) of a group, as meshed and, where known, in closed form.

    ``tag`` is the physical tag, which counts from 1 for facets (dimension 2) and cells (3) alike.
    """

    name: str
    dimension: int
    tag: int
    elements: int
    value: float
    exact: float | None = None

    @property
    def error(self) -> float | None:
        """Relative difference from the closed form."""
        return None if self.exact is None else self.value / self.exact - 1.0


@dataclass(frozen=True)
class Quality:
    """Scaled Jacobians: the smallest, the first and fifth percentile, the median."""

    least: float
    p01: float
    p05: float
    median: float


@dataclass(frozen=True)
class MeshReport:
    """Counts, groups, quality and findings of a mesh of a case.

    ``size`` is the element size of level 0 (m), ``mean_size`` the cube root of the mean cell volume
    (m), which tells the refinement between levels; ``cavities`` are enclosed volumes.
    """

    case: str
    body: str
    element: str
    level: int
    size: float | None
    mean_size: float
    nodes: int
    corners: int
    cells: int
    facets: int
    unknowns: int
    volumes: tuple[Measure, ...]
    areas: tuple[Measure, ...]
    cavities: tuple[Measure, ...]
    quality: Quality
    hash: str
    findings: tuple[Finding, ...]

    def to_json(self) -> str:
        """Return the report as JSON text, the same for the same mesh."""
        return json.dumps(asdict(self), indent=1) + "\n"


def describe(
    mesh: Mesh,
    body: AnyBody,
    findings: Sequence[Finding],
    *,
    case: str,
    level: int,
    size: float | None,
) -> MeshReport:
    """Measure a mesh that has passed the gate."""
    quality = integrals.scaled_jacobians(mesh.element, mesh.points, mesh.cells)
    volume = integrals.volumes(mesh.element, mesh.points, mesh.cells)
    area = integrals.areas(mesh.element, mesh.points, mesh.facets)
    exact_volumes, exact_areas, exact_cavities = (
        {name: exact for name, (_, exact, _) in compare(mesh, body).items()}
        for compare in (compare_volumes, compare_areas, compare_cavities)
    )
    cavities = []
    for name in body.cavities:
        facets = seen_from_solid(mesh, mesh.facets_of(f"cavity_{name}"))
        tag = mesh.facet_names.index(f"cavity_{name}") + 1
        enclosed = integrals.enclosed_volume(mesh.element, mesh.points, facets)
        cavities.append(Measure(name, 2, tag, len(facets), enclosed, exact_cavities.get(name)))
    return MeshReport(
        case=case,
        body=body.kind,
        element=mesh.element.name,
        level=level,
        size=size,
        mean_size=float(np.cbrt(volume.mean())),
        nodes=len(mesh.points),
        corners=corners(mesh),
        cells=len(mesh.cells),
        facets=len(mesh.facets),
        unknowns=unknowns(mesh),
        volumes=tuple(
            Measure(name, 3, tag, int(at.sum()), float(volume[at].sum()), exact_volumes.get(name))
            for tag, name in enumerate(mesh.cell_names, 1)
            for at in [mesh.cell_tags == tag]
        ),
        areas=tuple(
            Measure(name, 2, tag, int(at.sum()), float(area[at].sum()), exact_areas.get(name))
            for tag, name in enumerate(mesh.facet_names, 1)
            for at in [mesh.facet_tags == tag]
        ),
        cavities=tuple(cavities),
        quality=Quality(
            float(quality.min()), *(float(q) for q in np.percentile(quality, [1, 5, 50]))
        ),
        hash=mesh_hash(mesh),
        findings=tuple(findings),
    )
