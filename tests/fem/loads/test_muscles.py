"""Muscles against closed forms: a tube that tightens, a cone that bends."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import ufl
from scipy.integrate import quad
from scipy.optimize import minimize

from loligo.cases.body import Mantle
from loligo.cases.rubber.elastomer import NeoHooke
from loligo.fem.core.domain import Domain
from loligo.fem.core.kinematics import Kinematics
from loligo.fem.core.measure import Probe
from loligo.fem.loads.muscles import Band, HoopMuscle, RecruitedMuscle, mantle_band
from loligo.fem.loads.supports import Fixed
from loligo.fem.march.static import march
from loligo.fem.problem.problem import Problem

Array = np.ndarray
Box = Callable[..., Domain]
Tube = Callable[..., Domain]
External = Callable[[Problem], tuple[Array, float]]

# Renda's mantle: E = 40 kPa, radius 31 mm, wall 2 mm, 15 N/m.
MU, RADIUS, WALL, TENSION = 40e3 / 3, 0.031, 0.002, 15.0
INNER, OUTER = RADIUS - WALL / 2, RADIUS + WALL / 2
LAW = NeoHooke(mu=MU, density=1080)
SYMMETRIC = [Fixed("x0", (0,)), Fixed("y0", (1,)), Fixed("z0", (2,))]


@dataclass(frozen=True)
class RadialDeadLoad:
    """Force T/(h rho) inward per reference volume of a wall: T/r* per area of the mid-surface."""

    name: str

    def virtual_work(self, k: Kinematics, value: Any) -> Any:
        x = ufl.SpatialCoordinate(k.domain.mesh)
        inward = -(x[1] * k.virtual[1] + x[2] * k.virtual[2]) / (x[1] ** 2 + x[2] ** 2)
        return value / WALL * inward * k.cells("body")


def _tight_tube(wall: float) -> tuple[float, float]:
    """Deformed mid radius over RADIUS and axial stretch of an incompressible tube, ends free.

    r^2 = b^2 + (rho^2 - RADIUS^2)/stretch is every round state; the energy has a minimum.
    """

    def energy(q: Array) -> float:
        mid, stretch = q

        def density(x: float) -> float:  # x = rho/RADIUS
            hoop = np.sqrt(mid**2 + (x**2 - 1) / stretch) / x
            rubber = MU / 2 * (hoop**2 + stretch**2 + (hoop * stretch) ** -2 - 3)
            return float((rubber + TENSION / wall * hoop) * x)

        half = wall / RADIUS / 2
        return float(quad(density, 1 - half, 1 + half, epsabs=0, epsrel=1e-13)[0] * wall)

    found = minimize(
        energy, [0.85, 1.08], method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 0}
    )
    return float(found.x[0]), float(found.x[1])


def test_the_thin_limit_is_uniaxial_shortening_of_the_hoop() -> None:
    root = np.roots([1.0, TENSION / (MU * WALL), 0.0, -1.0])
    hoop = float(root[np.abs(root.imag) < 1e-12].real.max())
    assert hoop == pytest.approx(0.843, abs=5e-4)
    # The correction is of order (h/R)^2.
    assert _tight_tube(WALL) == pytest.approx((hoop, hoop**-0.5), rel=(WALL / RADIUS) ** 2)


@pytest.mark.slow
@pytest.mark.mpi
def test_a_tube_tightens_as_its_energy_says(tube: Tube) -> None:
    # The free end bulges over sqrt(R h) = 8 mm; the first 10 mm are 40 mm away from it.
    domain = tube(INNER, OUTER, 0.05, (2, 6, 10), hexahedra=True)
    radii = []
    for load in (HoopMuscle("t", "body", WALL), RadialDeadLoad("t")):
        problem = Problem(domain, LAW, supports=SYMMETRIC, loads=[load])
        list(march(problem, [{"t": TENSION}]))
        points = [[0.01, RADIUS * np.cos(a), RADIUS * np.sin(a)] for a in (0.2, 0.9)]
        moved = points + Probe(domain.mesh, points).read(problem.fields.displacement_field())
        radii.append(np.hypot(moved[:, 1], moved[:, 2]) / RADIUS)
        mid, stretch = _tight_tube(WALL)
        # The circle in eight second-order arcs is round to 1e-5.
        assert radii[-1] == pytest.approx([mid, mid], rel=1e-4)
        assert moved[:, 0] == pytest.approx(0.01 * stretch, rel=1e-4)
    assert radii[0] == pytest.approx(radii[1], rel=1e-4)


@pytest.mark.mpi
def test_a_band_carries_its_share_wherever_it_cuts_the_mesh(
    tube: Tube, deform: Callable[..., None]
) -> None:
    length, (start, end) = 0.05, (0.0137, 0.0291)
    domain = tube(INNER, OUTER, length, (1, 8, 5), hexahedra=True)
    band = Band(start, end, lambda x: x[0], length)
    problem = Problem(domain, LAW, supports=[], loads=[HoopMuscle("t", "body", WALL, band)])
    deform(problem, lambda x: 0 * x)
    problem.set_value("t", TENSION)
    internal, residual = problem.assemble_residual()
    force = internal.array_r - residual.array_r
    # Work on v = rho e_r: hoop strain 1, T R per azimuth and meridian, over a quarter.
    widen = np.zeros(problem.fields.owned)
    for i in (1, 2):
        widen[problem.fields.node_unknowns[:, i]] = problem.fields.node_positions[:, i]
    work = problem.comm.allreduce(force @ widen)
    # The mean of rho over the wall is R.
    assert work == pytest.approx(-TENSION * RADIUS * (end - start) * np.pi / 2, rel=1e-4)


def test_arc_length_along_a_mantle(box: Box) -> None:
    body = Mantle(radius=0.031, thickness=0.002, cylinder_length=0.094)
    arc = mantle_band(body, 0.025, 0.110).arc
    c, r = body.radius * np.sin(body.truncation), body.radius
    for lean, along in ((0.6, 0.0), (0.1, 0.0), (0.0, 0.02)):
        x = ufl.as_vector([c - 1.03 * r * np.sin(lean) + along, 0.0, 1.03 * r * np.cos(lean)])
        assert float(arc(x)) == pytest.approx(r * (np.pi / 4 - lean) + along, rel=1e-12)


CONE = (1.0, 0.5, 20.0)  # radii at both ends, length


def _second_moment(x: Any) -> Any:
    return np.pi / 4 * (CONE[0] + (CONE[1] - CONE[0]) * x / CONE[2]) ** 4


@pytest.fixture(scope="module")
def bending(cone: Callable[..., Domain]) -> Problem:
    """A tapered cone with a recruited torque over three quarters of it."""
    torque = RecruitedMuscle("m", "body", 0.0, 15.0, (0.6, 0.8), _second_moment)
    law = NeoHooke(mu=1e5, density=1000)
    return Problem(cone(*CONE, 0.5), law, supports=[Fixed("x0")], loads=[torque])


@pytest.mark.mpi
def test_a_recruited_torque_balances_itself(bending: Problem, external: External) -> None:
    bending.fields.function.x.array[:] = 0.0
    bending.set_value("m", 50.0)
    wrench, size = external(bending)
    assert np.abs(wrench).max() < 1e-10 * size


@pytest.mark.mpi
@pytest.mark.parametrize(("axis", "share"), [("y", 0.6), ("z", 0.8)])
def test_its_work_is_moment_times_curvature(bending: Problem, axis: str, share: float) -> None:
    fields = bending.fields
    fields.function.x.array[:] = 0.0
    bending.set_value("m", 50.0)
    internal, residual = bending.assemble_residual()
    x, y, z = fields.node_positions.T
    bend = np.zeros(fields.owned)
    # Unit curvature about +z moves the tip to +y, about +y to -z.
    lever, across, sign = (y, 1, 1.0) if axis == "z" else (z, 2, -1.0)
    bend[fields.node_unknowns[:, 0]] = -sign * lever * x
    bend[fields.node_unknowns[:, across]] = sign * x**2 / 2
    work = bending.comm.allreduce((internal.array_r - residual.array_r) @ bend)
    # int m dX = m reach / 2; the circle is met to 1e-3 in I by second-order cells of half a radius.
    assert work == pytest.approx(share * 50.0 * 15.0 / 2, rel=3e-3)


def test_a_cone_takes_the_curvature_of_its_stiffness(bending: Problem) -> None:
    modulus, value = 3e5, 100.0  # curvature 100/(3e5 pi/4) = 4e-4: a straight beam in effect
    bending.fields.function.x.array[:] = 0.0
    list(march(bending, [{"m": value}]))
    stations, lever = (5.0, 12.0), 0.3
    points = [
        (x, *(s * lever * np.array(d))) for x in stations for d in ((1, 0), (0, 1)) for s in (1, -1)
    ]
    u = Probe(bending.domain.mesh, points).read(bending.fields.displacement_field())
    slope = (u[0::2, 0] - u[1::2, 0]).reshape(2, 2) / (2 * lever)
    turned = slope[1] - slope[0]  # of u_x along y and along z between the stations
    total = quad(lambda x: value * (1 - x / 15.0) / (modulus * _second_moment(x)), *stations)[0]
    # Rotation about +z is -du_x/dy, about +y it is du_x/dz. Taper: tan^2 = 6e-4.
    assert turned == pytest.approx([-0.8 * total, 0.6 * total], rel=1e-2)


@pytest.mark.parametrize("kind", ["hoop", "axial"])
def test_tangent_is_the_derivative_of_the_residual(
    box: Box, tangent_error: Callable[[Problem], float], kind: str
) -> None:
    domain = box((2, 2, 2), (1.0, 1.0, 1.0))
    domain.mesh.geometry.x[:, 1] += 0.5  # off the axis
    load = {
        "hoop": HoopMuscle("a", "body", 0.1),
        "axial": RecruitedMuscle("a", "body", 0.0, 0.7, (0.6, 0.8), lambda x: 1 + x),
    }[kind]
    problem = Problem(domain, NeoHooke(mu=1e5, density=1000), supports=[], loads=[load])
    problem.set_value("a", 3e4)
    assert tangent_error(problem) < 1e-7
