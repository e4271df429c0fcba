"""Small problems with known answers, one for every part that is installed."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class SelfTest:
    """A number that this installation computed, and what it should be."""

    value: float
    reference: float
    tolerance: float


def _rod() -> SelfTest:
    """Roll a cantilever up to a circle by a moment 2 pi EI/L: its tip comes back to its base."""
    from loligo.reduced.rod.loads import PointLoad
    from loligo.reduced.rod.model import Rod, circular_stiffness
    from loligo.reduced.rod.statics import solve

    stiffness = circular_stiffness(0.01, young=1e5, shear=1e5 / 3)
    moment = 2.0 * math.pi * stiffness[2, 2]
    state = solve(Rod(1.0, stiffness), [PointLoad(moment=(0.0, 0.0, moment))])
    return SelfTest(float(state.tip_position[0]), 0.0, 1e-9)


def _mesh() -> SelfTest:
    """Mesh the library's cylinder: its volume in ml."""
    from loligo.cases.case_file import load
    from loligo.meshes.build import build_mesh
    from loligo.meshes.integrals import volumes

    mesh = build_mesh(load("cylinder").body, 0)
    volume = float(volumes(mesh.element, mesh.points, mesh.cells).sum())
    return SelfTest(1e6 * volume, math.pi * 12.2, 1e-3 * math.pi * 12.2)


def _stretched_block() -> SelfTest:
    """Stretch a neo-Hooke cube to twice its length: nominal stress mu (2 - 1/4), in kPa."""
    from mpi4py import MPI

    import numpy as np
    from dolfinx.mesh import create_box

    from loligo.cases.rubber.elastomer import NeoHooke
    from loligo.fem.core.domain import from_mesh
    from loligo.fem.loads.supports import Fixed, Moved
    from loligo.fem.march.static import march
    from loligo.fem.problem.problem import Problem

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
    return SelfTest(float(stress), 175.0, 1e-6)


def _solved_case() -> SelfTest:
    """Solve a case from its mesh to its data set, as `loligo solve` does: the force at its base.

    A weightless cylinder is pulled by 0.1 N at its tip, so that its base carries as much (N).
    """
    from mpi4py import MPI

    from loligo.cases.body import TaperedArm
    from loligo.cases.case import Case, MeshChoice
    from loligo.cases.dataset.io import read, write
    from loligo.cases.load.kinds import TipForce
    from loligo.cases.rubber.elastomer import NeoHooke
    from loligo.fem.io.ranks import on_first_rank
    from loligo.fem.run import Run

    case = Case(
        name="doctor",
        title="A cylinder that is pulled",
        source="loligo doctor",
        body=TaperedArm(length=0.03, base_radius=0.01, tip_radius=0.01, tip_disc=0.002, stations=3),
        material={"body": NeoHooke(mu=3e4, density=1000.0)},
        load={"pull": TipForce(force=(0.1, 0.0, 0.0))},
        steps=(1.0,),
        mesh=MeshChoice(size=0.012),
    )
    run = Run(case, MPI.COMM_WORLD)
    for _ in run.march():
        pass
    if run.stopped:
        raise RuntimeError(run.stopped)

    def base_force() -> float:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "doctor.nc"
            write(run.dataset(), file, run.groups())
            return abs(float(read(file)["reaction"].values[-1, 3]))

    return SelfTest(on_first_rank(run.comm, base_force), 0.1, 1e-6)


SELF_TESTS: Mapping[str, tuple[tuple[str, ...], Callable[[], SelfTest]]] = {
    "rod closes a circle": (("numba",), _rod),
    "volume of a mesh": (("gmsh",), _mesh),
    "stress of a block": (("dolfinx",), _stretched_block),
    "a case solves": (("dolfinx", "gmsh"), _solved_case),
}
"""By name: the packages without which there is no such test, and the test itself; collective where
there is MPI."""
