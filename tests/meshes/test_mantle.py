"""Mantles in tetrahedra and in hexahedra."""

import numpy as np
import pytest

from loligo.cases.body import Mantle
from loligo.meshes import bodies, integrals
from loligo.meshes.build import build_mesh
from loligo.meshes.check import check
from loligo.meshes.mesh import unknowns

MANTLE = Mantle(radius=0.031, thickness=0.002, cylinder_length=0.094)


@pytest.mark.parametrize("element", ["tetrahedron", "hexahedron"])
def test_volume_and_cavity_converge_at_order_4(element):
    errors = []
    for level in (0, 2):
        mesh = build_mesh(MANTLE, level, element=element)
        assert check(mesh, MANTLE) == ()
        volume = integrals.volumes(mesh.element, mesh.points, mesh.cells).sum()
        errors.append(abs(volume / bodies.volumes(MANTLE)["body"] - 1))
    assert np.log(errors[0] / errors[1]) / np.log(1.4**2) > 3.5


@pytest.mark.parametrize("element", ["tetrahedron", "hexahedron"])
def test_the_wall_has_two_elements_and_no_handedness(element):
    mesh = build_mesh(MANTLE, 0, element=element)
    assert unknowns(mesh) < 30_000
    rim = mesh.points[np.unique(mesh.facets_of("rim"))]
    heights = np.unique(np.round(np.hypot(rim[:, 1], rim[:, 2]), 9))
    np.testing.assert_allclose(heights, 0.031 + 0.001 * np.linspace(-1, 1, 5), atol=1e-9)
    # Mirrored in y = 0, the centres of the cells are the same set of points.
    centres = mesh.points[mesh.cells[:, : mesh.element.corners]].mean(axis=1)
    mirrored = centres * [1, 1, -1]
    keys = [np.unique(np.round(1e7 * c).astype(int), axis=0) for c in (centres, mirrored)]
    np.testing.assert_array_equal(*keys)
