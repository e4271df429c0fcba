"""Rung 4: Cook's membrane (F12), plane strain, nearly incompressible; P1 beside it locks.

Reference (an independent 2D code, P2/P1, Richardson): mu = 80.1938, kappa = 400889.8, a shear force
of 100 per thickness; vertical displacement 6.9616 in the middle of the right edge (6.8865 on 8 x 8
cells and 6.9221 on 16 x 16), (-5.8371, 6.9333) at its upper corner.
"""

from collections.abc import Callable

import numpy as np
import pytest
from dolfinx.mesh import CellType

from loligo.cases.elastomer import NeoHooke
from loligo.fem.domain import Domain
from loligo.fem.loads import Traction
from loligo.fem.march import march
from loligo.fem.measure import Probe
from loligo.fem.problem import Problem
from loligo.fem.supports import Fixed

Build = Callable[..., Domain]
MIDDLE, CORNER = 6.9616, np.array([-5.8371, 6.9333])
LAW = NeoHooke(mu=80.1938, density=1, bulk_modulus=400889.8)


def _solve(box: Build, n: int, **choice: object) -> tuple[float, np.ndarray]:
    """Vertical displacement in the middle of the right edge, and the corner's displacement."""
    thickness = 48 / n
    domain = box((n, n, 1), (1.0, 1.0, thickness), cell=choice.pop("cell", CellType.tetrahedron))
    x = domain.mesh.geometry.x
    left, height = x[:, 0].copy(), x[:, 1].copy()
    x[:, 0] = 48 * left
    x[:, 1] = 44 * left + height * (44 - 28 * left)
    supports = [Fixed("x0"), Fixed(("z0", "z1"), (2,))]
    load = Traction("shear", "x1", (0.0, 1.0, 0.0))
    problem = Problem(domain, LAW, supports=supports, loads=[load], **choice)
    list(march(problem, [{"shear": 100 / 16}]))
    probe = Probe(domain.mesh, [[48, 52, thickness / 2], [48, 60, thickness / 2]])
    middle, corner = probe.read(problem.fields.displacement_field())
    return middle[1], corner[:2]


def test_hexahedra_on_eight_cells(box: Build) -> None:
    middle, corner = _solve(box, 8, cell=CellType.hexahedron)
    # Half of what the reference's P2/P1 cells miss on this mesh (1.1 %): Q2 has the bilinear terms.
    assert middle == pytest.approx(MIDDLE, rel=0.0055)
    assert corner == pytest.approx(CORNER, rel=0.0055)


@pytest.mark.slow
def test_hexahedra_are_within_a_fifth_of_a_per_cent_on_sixteen_cells(box: Build) -> None:
    middle, corner = _solve(box, 16, cell=CellType.hexahedron)
    assert middle == pytest.approx(MIDDLE, rel=0.002)
    assert corner == pytest.approx(CORNER, rel=0.002)


@pytest.mark.slow
def test_tetrahedra_are_within_one_per_cent_on_sixteen_cells(box: Build) -> None:
    middle, corner = _solve(box, 16)
    assert middle == pytest.approx(MIDDLE, rel=0.01)
    assert corner[1] == pytest.approx(CORNER[1], rel=0.01)


@pytest.mark.slow
def test_linear_tetrahedra_lock(box: Build) -> None:
    curve = [_solve(box, n, method="displacement", degree=1)[0] for n in (8, 16, 32)]
    assert curve[0] < curve[1] < curve[2] < 0.5 * MIDDLE
