"""The gate: what is wrong with a mesh, all at once."""

from __future__ import annotations

from loligo.meshes.bodies import AnyBody
from loligo.meshes.finding import Finding
from loligo.meshes.mesh import Mesh
from loligo.meshes.shape import (
    check_length,
    check_places,
    check_planes,
    check_quality,
    check_sides,
    check_sizes,
)
from loligo.meshes.topology import (
    check_cavities,
    check_elements,
    check_groups,
    check_membership,
    check_parts,
    check_skin,
)


def check(mesh: Mesh, body: AnyBody) -> tuple[Finding, ...]:
    """Return everything that is wrong with the mesh of a body; an error makes it unusable."""
    findings = [*check_elements(mesh)]
    if not len(mesh.cells):
        return (*findings, Finding("the mesh has no second-order tetrahedra or hexahedra"))
    findings += [
        *check_groups(mesh, body),
        *check_membership(mesh),
        *check_skin(mesh),
        *check_cavities(mesh, body),
        *check_parts(mesh),
        *check_length(mesh, body),
        *check_planes(mesh, body),
        *check_sides(mesh, body),
        *check_quality(mesh),
    ]
    if all(finding.severity == "warning" for finding in findings):
        # Of a mesh whose groups are wrong, sizes say nothing new.
        findings += [*check_sizes(mesh, body), *check_places(mesh, body)]
    return tuple(findings)
