"""F24: problems 1 and 2 of Land et al. 2015 (Proc. R. Soc. A 471:20150641), with our error bar.

Guccione's law is not in the library: W = C/2 (exp Q - 1), Q = bf E11^2 + bt (E22^2 + E33^2 +
2 E23^2) + bfs (2 E12^2 + 2 E13^2), E the isochoric Green-Lagrange strain, fibres along x. Eleven
codes agree to about 0.5 % on fine meshes; their values are read off published curves, so the band
here is a check of sanity, and the number is our own with its bar. Lengths in mm, stress in kPa.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import gmsh
import numpy as np
import pytest
import ufl
from dolfinx.mesh import CellType

from loligo.cases.dataset.gci import grid_convergence
from loligo.cases.rubber.elastomer import NeoHooke
from loligo.fem.core.domain import Domain
from loligo.fem.core.kinematics import Kinematics
from loligo.fem.core.measure import Probe
from loligo.fem.loads.base import Pressure
from loligo.fem.loads.supports import Fixed
from loligo.fem.march.static import march
from loligo.fem.problem.problem import Problem

Check = Callable[..., None]
pytestmark = pytest.mark.slow


@dataclass(frozen=True)
class Guccione:
    """At value 1 the body is of Guccione's law instead of a neo-Hooke rubber: its extra work."""

    mu: float
    c: float
    bf: float
    bt: float
    bfs: float
    name: str = "law"

    def energy(self, f: Any) -> Any:
        """W less that of the rubber."""
        bar = ufl.det(f) ** (-2 / 3) * f.T * f
        e = (bar - ufl.Identity(3)) / 2
        across = e[1, 1] ** 2 + e[2, 2] ** 2 + 2 * e[1, 2] ** 2
        along = 2 * (e[0, 1] ** 2 + e[0, 2] ** 2)
        q = self.bf * e[0, 0] ** 2 + self.bt * across + self.bfs * along
        return self.c / 2 * (ufl.exp(q) - 1) - self.mu / 2 * (ufl.tr(bar) - 3)

    def virtual_work(self, k: Kinematics, value: Any) -> Any:
        """Minus the variation of the energy."""
        f = ufl.variable(k.gradient)
        stress = ufl.diff(self.energy(f), f)
        return -value * ufl.inner(stress, ufl.grad(k.virtual)) * k.cells("body")


def _solve(domain: Domain, law: Guccione, supports: list[Fixed], facets: str, p: float) -> Problem:
    problem = Problem(
        domain,
        NeoHooke(mu=law.mu, density=1),
        supports=supports,
        loads=[law, Pressure("p", facets)],
    )
    problem.set_value("law", 1.0)  # at rest both laws are free of stress
    list(march(problem, [{"p": p}]))
    return problem


def _bar(check: Check, what: str, values: list[float], sizes: list[float]) -> None:
    """Assert that three levels agree as well as the eleven codes do, on every level's number."""
    bar = float(grid_convergence(values, sizes, 2.0).half_width)
    check("F24", f"{what} {values[-1]:.3f} mm: our bar", bar, 0.0, 5e-3, scale=abs(values[-1]))


BEAM = Guccione(mu=2.0, c=2.0, bf=8.0, bt=2.0, bfs=4.0)


def test_beam(box: Callable[..., Domain], check: Check) -> None:
    """Deformed height z of (10, 0.5, 1), 0.004 kPa from below: read as 4.0 to 4.2.

    The published "deflection" is that height: the displacement is 3.18.
    """
    levels, found = (2, 3, 4), []
    for n in levels:
        domain = box((5 * n, n, n), (10.0, 1.0, 1.0), cell=CellType.hexahedron)
        problem = _solve(domain, BEAM, [Fixed("x0")], "z0", 0.004)
        probe = Probe(domain.mesh, [[10.0, 0.5, 1.0]])
        found.append(1.0 + float(probe.read(problem.fields.displacement_field())[0, 2]))
    _bar(check, "beam, height of the end", found, [1 / n for n in levels])
    check("F24", "beam, height in the published band 4.1 +- 0.1", found[-1], 4.1, 0.1, scale=1.0)


VENTRICLE = Guccione(mu=5.0, c=10.0, bf=1.0, bt=1.0, bfs=1.0)


def _ventricle(size: float) -> Callable[[Any], dict[str, list[int]]]:
    """A quarter of a truncated ellipsoid about z: half axes 7 and 17 inside, 10 and 20 outside."""

    def paint(model: Any) -> dict[str, list[int]]:
        occ = model.occ
        centre = occ.addPoint(0, 0, 0)
        ends = [
            (occ.addPoint(0, 0, -c), occ.addPoint(a * np.sqrt(1 - (5 / c) ** 2), 0, 5))
            for a, c in ((7, 17), (10, 20))
        ]
        inside, outside = (occ.addEllipseArc(low, centre, low, high) for low, high in ends)
        axis, base = (occ.addLine(*pair) for pair in zip(*ends, strict=True))
        section = occ.addPlaneSurface([occ.addCurveLoop([axis, outside, -base, -inside])])
        occ.revolve([(2, section)], 0, 0, 0, 0, 0, 1, np.pi / 2)
        occ.synchronize()
        gmsh.option.setNumber("Mesh.MeshSizeMax", size)
        faces: dict[str, list[int]] = {}
        for _, face in model.getEntities(2):
            x, y, z = occ.getCenterOfMass(2, face)
            low = model.getBoundingBox(2, face)[2]
            flat = {"y0": abs(y) < 1e-6, "x0": abs(x) < 1e-6, "base": abs(z - 5) < 1e-6}
            name = next((n for n, is_it in flat.items() if is_it), "in" if low > -18 else "out")
            faces.setdefault(name, []).append(face)
        return faces

    return paint


def test_ventricle(draw: Callable[..., Domain], check: Check) -> None:
    """Apex after 10 kPa inside, the base held: read as near -26.6 inside and -28.3 outside.

    Smaller cells at the apex, where the axis of the mesh is, move it by 0.02: hence
    three fine levels.
    """
    sizes, found = [1.53 / 1.4**n for n in range(3)], []
    for size in sizes:
        domain = draw(_ventricle(size))
        supports = [Fixed("base"), Fixed("x0", (0,)), Fixed("y0", (1,))]
        problem = _solve(domain, VENTRICLE, supports, "in", 10.0)
        probe = Probe(domain.mesh, [[0, 0, -17.0], [0, 0, -20.0]])
        moved = probe.read(problem.fields.displacement_field())[:, 2]
        found.append(np.array([-17.0, -20.0]) + moved)
    for name, at, values in zip(
        ("inside", "outside"), (-26.6, -28.3), np.transpose(found), strict=True
    ):
        _bar(check, f"ventricle, apex {name}", list(values), list(sizes))
        check("F24", f"ventricle, apex {name} near {at}", values[-1], at, 0.2, scale=1.0)
