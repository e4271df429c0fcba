"""A symmetric load on a symmetric body has a symmetric answer, since the mesh is symmetric."""

from collections.abc import Callable

from mpi4py import MPI

import pytest

from loligo.cases.case_file import load
from loligo.fem.core.domain import distribute
from loligo.fem.core.measure import Probe
from loligo.fem.from_case import set_up
from loligo.fem.loads.discs import tip_point
from loligo.fem.march.static import march
from loligo.meshes.build import build_mesh


def _sideways(level: int) -> float:
    """The tip's way out of the plane y = 0 over that in it; the chamber lies at +z."""
    case = load("gong_bending_one")
    domain = distribute(build_mesh(case.body, level), MPI.COMM_WORLD)
    setup = set_up(case, domain)
    assert list(march(setup.problem, setup.targets[:1]))[-1].stable
    tip = Probe(domain.mesh, [tip_point(case.body, domain)])
    _, sideways, down = tip.read(setup.problem.fields.displacement_field())[0]
    assert down < -1e-3  # the tip bends away from its chamber
    return abs(sideways / down)


@pytest.mark.slow
def test_one_chamber_bends_an_arm_in_its_plane(check: Callable[..., None]) -> None:
    for level in (0, 1):
        # The mesh is its own mirror image: what is left is the tolerance of Newton's method.
        text = f"Gong's segment, level {level}: tip out of plane"
        check("symmetry", text, _sideways(level), 0.0, 1e-4, scale=1.0)
