"""The mesh of a bar passes the gate, and its sections are a rectangle's."""

import numpy as np
import pytest

from loligo.cases.body import Bar
from loligo.meshes.bodies import solid_sections
from loligo.meshes.build import checked_mesh

BODY = Bar(length=0.05, width=0.02, height=0.01, base_disc=0.003, tip_disc=0.002, stations=4)


@pytest.mark.parametrize("element", ["tetrahedron", "hexahedron"])
@pytest.mark.parametrize("level", [0, 1])
def test_a_bar_is_meshed_exactly(element, level):
    mesh, report = checked_mesh("bar", BODY, level, element=element, size=0.004)
    volume = {m.name: m for m in report.volumes}
    assert abs(volume["body"].value / (0.05 * 0.02 * 0.01) - 1.0) < 1e-12
    assert abs(volume["disc_tip"].value / (0.002 * 0.02 * 0.01) - 1.0) < 1e-12
    area = {m.name: m.value for m in report.areas}
    assert area["outer"] == pytest.approx(0.055 * 2 * 0.03, rel=1e-12)
    assert area["base"] == pytest.approx(2e-4, rel=1e-12)
    assert len(mesh.cells) > 0


def test_its_moments_are_those_of_a_rectangle():
    found = solid_sections(BODY, [0.001, 0.03])
    np.testing.assert_allclose(found.area, 2e-4)
    np.testing.assert_allclose(found.second[1], np.diag([0.01 * 0.02**3, 0.02 * 0.01**3]) / 12)
