"""Small problems with known answers, one for every part that is installed."""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class SelfTest:
    """A number that this installation computed, and what it should be."""

    name: str
    value: float
    reference: float
    tolerance: float


def self_tests() -> Iterator[SelfTest]:
    """Compute what can be computed here; collective where there is MPI."""
    yield _rod()
    if importlib.util.find_spec("gmsh") is not None:
        yield _mesh()
    if importlib.util.find_spec("dolfinx") is not None:
        yield _stretched_block()


def _rod() -> SelfTest:
    """Roll a cantilever up to a circle by a moment 2 pi EI/L: its tip comes back to its base."""
    from loligo.reduced.rod import Rod, circular_stiffness
    from loligo.reduced.rod_loads import PointLoad
    from loligo.reduced.rod_solve import solve

    stiffness = circular_stiffness(0.01, young=1e5, shear=1e5 / 3)
    moment = 2.0 * math.pi * stiffness[2, 2]
    state = solve(Rod(1.0, stiffness), [PointLoad(moment=(0.0, 0.0, moment))])
    return SelfTest("rod closes a circle", float(state.tip_position[0]), 0.0, 1e-9)


def _mesh() -> SelfTest:
    """Mesh the library's cylinder: its volume in ml."""
    from loligo.cases.read import load
    from loligo.meshes.build import build_mesh
    from loligo.meshes.integrals import volumes

    mesh = build_mesh(load("cylinder").body, 0)
    volume = float(volumes(mesh.element, mesh.points, mesh.cells).sum())
    return SelfTest("volume of a mesh", 1e6 * volume, math.pi * 12.2, 1e-3 * math.pi * 12.2)


def _stretched_block() -> SelfTest:
    """Stretch a neo-Hooke cube to twice its length: nominal stress mu (2 - 1/4), in kPa."""
    from mpi4py import MPI

    import numpy as np
    from dolfinx.mesh import create_box

    from loligo.cases.elastomer import NeoHooke
    from loligo.fem.domain import from_mesh
    from loligo.fem.march import march
    from loligo.fem.problem import Problem
    from loligo.fem.supports import Fixed, Moved

    mesh = create_box(MPI.COMM_WORLD, [np.zeros(3), np.ones(3)], [2, 2, 2])
    domain = from_mesh(
        mesh,
        {
            "x0": lambda x: np.isclose(x[0], 0.0),
            "y0": lambda x: np.isclose(x[1], 0.0),
            "z0": lambda x: np.isclose(x[2], 0.0),
            "x1": lambda x: np.isclose(x[0], 1.0),
        },
    )
    pull = Moved("pull", "x1", lambda x, value: np.stack([value * x[0], 0 * x[0], 0 * x[0]]), (0,))
    supports = (Fixed("x0", (0,)), Fixed("y0", (1,)), Fixed("z0", (2,)), pull)
    problem = Problem(domain, NeoHooke(mu=1e5, density=1000.0), supports=supports)
    for _ in march(problem, [{"pull": 1.0}]):
        pass
    stress = problem.reaction("x1")[3] / 1e3
    return SelfTest("stress of a block", float(stress), 175.0, 1e-6)
