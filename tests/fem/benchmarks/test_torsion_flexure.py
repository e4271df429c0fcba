"""Rung 5: Rivlin's torsion with the Poynting effect (F7), and flexure of a block (F8)."""

from collections.abc import Callable

import numpy as np
import pytest
from dolfinx.mesh import CellType
from scipy.integrate import quad
from scipy.optimize import brentq

from loligo.cases.rubber.elastomer import Elastomer
from loligo.fem.core.domain import Domain
from loligo.fem.core.measure import Probe
from loligo.fem.loads.supports import Fixed, Moved
from loligo.fem.march.static import march
from loligo.fem.problem.problem import Problem

Build = Callable[..., Domain]
Check = Callable[..., None]
Stress = Callable[[Elastomer, np.ndarray], np.ndarray]
RADIUS, TWIST = 0.010, 50.0  # m, rad per m of the reference length


def _twisted(x: np.ndarray, twist: float, stretch: float) -> np.ndarray:
    """Displacement of the exact solution: sections turn by twist * X, stretch, and stay plane."""
    radial, angle = stretch**-0.5, twist * x[0]
    y = radial * (np.cos(angle) * x[1] - np.sin(angle) * x[2])
    z = radial * (np.sin(angle) * x[1] + np.cos(angle) * x[2])
    return np.stack([(stretch - 1) * x[0], y - x[1], z - x[2]])


def _end_wrench(cone: Build, law: Elastomer, stretch: float) -> tuple[float, float]:
    """Torque and axial force at the end of the twisted cylinder."""

    def motion(x: np.ndarray, v: float) -> np.ndarray:
        return _twisted(x, v * TWIST, 1 + v * (stretch - 1))

    problem = Problem(
        cone(RADIUS, RADIUS, 0.004, 0.0014), law, supports=[Moved("v", ("x0", "x1"), motion)]
    )
    *_, last = march(problem, [{"v": 1.0}])
    assert last.stable
    wrench = problem.reaction("x1")
    return wrench[0], wrench[3]


class Torsion:
    """The exact torque and axial force: no rubber moves other than :func:`_twisted`.

    At the deformed radius r, twist k r meets stretch; the radial stress follows from equilibrium.
    """

    def __init__(self, law: Elastomer, stress: Stress) -> None:
        self._law, self._stress = law, stress

    def _at(self, r: float, stretch: float) -> np.ndarray:
        across = stretch**-0.5
        f = np.array([[across, 0, 0], [0, across, r * TWIST], [0, 0, stretch]])
        return self._stress(self._law, f @ f.T)

    def torque(self, stretch: float) -> float:
        return quad(
            lambda r: 2 * np.pi * self._at(r, stretch)[1, 2] * r**2, 0, RADIUS * stretch**-0.5
        )[0]

    def force(self, stretch: float) -> float:
        def normal(r: float) -> float:  # 2 s_zz - s_rr - s_tt: s_rr integrated by parts
            s = self._at(r, stretch)
            return np.pi * (3 * s[2, 2] - np.trace(s)) * r

        return quad(normal, 0, RADIUS * stretch**-0.5)[0]

    def free_stretch(self) -> float:
        """Stretch without axial force: the Poynting effect."""
        return brentq(self.force, 0.9, 1.2, xtol=1e-12)


def test_torsion_agrees_with_the_published_numbers(
    laws: dict[str, Elastomer], extra_stress: Stress
) -> None:
    for name, force, stretch in (
        ("neo_hooke", -1.96350, 1.0204138),
        ("mooney_rivlin", -2.35619, 1.0243240),
    ):
        exact = Torsion(laws[name], extra_stress)
        assert exact.torque(1.0) == pytest.approx(0.0785398, rel=1e-6)
        assert exact.force(1.0) == pytest.approx(force, rel=3e-6)
        assert exact.free_stretch() == pytest.approx(stretch, abs=1e-7)


@pytest.mark.slow
def test_torsion(cone: Build, elastomer: Elastomer, extra_stress: Stress, check: Check) -> None:
    exact = Torsion(elastomer, extra_stress)
    torque, force = _end_wrench(cone, elastomer, 1.0)
    check("F7", f"{elastomer.energy}: torque", torque, exact.torque(1.0), 2e-3)
    check("F7", f"{elastomer.energy}: axial force", force, exact.force(1.0), 2e-3)
    stretch = exact.free_stretch()
    torque, force = _end_wrench(cone, elastomer, stretch)
    check("F7", f"{elastomer.energy}: torque at free length", torque, exact.torque(stretch), 2e-3)
    unit = abs(exact.force(1.0))
    check("F7", f"{elastomer.energy}: force at free length", force, 0.0, 2e-3, scale=unit)


HEIGHT = 0.010
WIDTH = 0.002


def _outer_stretch(curvature: float) -> float:
    return float(np.exp(np.arcsinh(curvature * HEIGHT) / 2))


def _flexed(x: np.ndarray, curvature: float) -> np.ndarray:
    """Displacement of the exact solution: the block 0 < X < h bends about z, lengths along y.

    r^2 = r_i^2 + 2 X/c and angle c Y, with r_i c = 1/lambda_b, sinh(2 ln lambda_b) = h c.
    """
    if curvature == 0.0:
        return np.zeros_like(x)
    inner = 1 / (_outer_stretch(curvature) * curvature)
    r, angle = np.sqrt(inner**2 + 2 * x[0] / curvature), curvature * x[1]
    return np.stack([r * np.cos(angle) - inner - x[0], r * np.sin(angle) - x[1], 0 * x[2]])


def _moment(law: Elastomer, stress: Stress, curvature: float) -> float:
    """Moment per width: hoop over radial stress times r/2, the radial stress by equilibrium."""

    def integrand(r: float) -> float:
        hoop = r * curvature
        radial, around, _ = np.diag(stress(law, np.diag([hoop**-2, hoop**2, 1.0])))
        return (around - radial) * r / 2

    outer = _outer_stretch(curvature) / curvature
    return quad(integrand, outer - _thickness(curvature), outer)[0]


def _thickness(curvature: float) -> float:
    stretch = _outer_stretch(curvature)
    return (stretch - 1 / stretch) / curvature


def test_flexure_agrees_with_the_published_numbers(
    laws: dict[str, Elastomer], extra_stress: Stress
) -> None:
    for name, moment in (("neo_hooke", 2.664200), ("yeoh", 6.931853)):  # MPa mm^2
        found = _moment(laws[name], extra_stress, 1 / HEIGHT)
        assert found == pytest.approx(moment, rel=3e-7)
    stretch = _outer_stretch(1 / HEIGHT)
    found_radii = (HEIGHT / stretch, HEIGHT * stretch)
    assert found_radii == pytest.approx((6.43594e-3, 15.53774e-3), rel=1e-6)


def test_flexure(box: Build, elastomer: Elastomer, extra_stress: Stress, check: Check) -> None:
    _check_flexure(box, elastomer, extra_stress, check, 8, 3e-3)


def test_flexure_on_a_finer_mesh(
    box: Build, laws: dict[str, Elastomer], extra_stress: Stress, check: Check
) -> None:
    _check_flexure(box, laws["neo_hooke"], extra_stress, check, 16, 1e-4)


def _check_flexure(
    box: Build, law: Elastomer, stress: Stress, check: Check, cells: int, accept: float
) -> None:
    length = HEIGHT / cells
    domain = box((cells, 1, 1), (HEIGHT, length, WIDTH), cell=CellType.hexahedron)
    supports = [Moved("c", ("y0", "y1"), _flexed), Fixed(("z0", "z1"), (2,))]
    problem = Problem(domain, law, supports=supports)
    list(march(problem, [{"c": 1 / HEIGHT}]))
    inner = HEIGHT / _outer_stretch(1 / HEIGHT)
    # The centre of curvature is at x = -inner; forces on a section vanish together.
    wrench = problem.reaction("y1")
    moment = (wrench[2] + inner * wrench[4]) / WIDTH
    exact = _moment(law, stress, 1 / HEIGHT)
    check("F8", f"{law.energy}, {cells} cells: moment", moment, exact, accept)
    scale = 10 * exact * WIDTH / HEIGHT  # of the forces that the moment is the difference of
    check("F8", f"{law.energy}, {cells} cells: force", wrench[3:5], 0.0, accept, scale=scale)
    free = Probe(domain.mesh, [[HEIGHT, length / 2, WIDTH / 2]])
    found = free.read(problem.fields.displacement_field())[0]
    exact = _flexed(np.array([[HEIGHT], [length / 2], [WIDTH / 2]]), 1 / HEIGHT)[:, 0]
    check("F8", f"{law.energy}, {cells} cells: free side", found, exact, accept, scale=HEIGHT)
