"""Rung 5: Rivlin's exact solutions for incompressible bodies (F9, F10), and a hooped tube.

Lengths in m, radii 10 and 15 mm; the pressures follow from radial equilibrium, integrated here.
"""

from collections.abc import Callable

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq, minimize_scalar

from loligo.cases.rubber.elastomer import Elastomer, Gent
from loligo.fem.core.domain import Domain
from loligo.fem.loads.cavities import Cavity
from loligo.fem.loads.supports import Fixed, Moved
from loligo.fem.march.arclength import follow
from loligo.fem.march.standing import MarchStopped, StepControl
from loligo.fem.march.static import march
from loligo.fem.materials.thread import ThreadMembrane
from loligo.fem.problem.problem import Problem

slow = pytest.mark.slow
Build = Callable[..., Domain]
Stress = Callable[[Elastomer, np.ndarray], np.ndarray]
Check = Callable[..., None]
A, B = 0.010, 0.015
SYMMETRY = (Fixed("x0", (0,)), Fixed("y0", (1,)), Fixed("z0", (2,)))


class Sphere:
    """Inflation of a thick sphere: p = int (t_hoop - t_rad) 2/(l (l^3 - 1)) dl, outer to inner."""

    def __init__(self, law: Elastomer, stress: Stress, ratio: float = B / A) -> None:
        self._difference = lambda s: np.diff(np.diag(stress(law, np.diag([s**-4, s**2, s**2]))))[0]
        self._ratio = ratio

    def pressure(self, inner: float) -> float:
        outer = (1 + (inner**3 - 1) / self._ratio**3) ** (1 / 3)
        return quad(lambda s: 2 * self._difference(s) / (s * (s**3 - 1)), outer, inner)[0]

    def thin(self, stretch: float) -> float:
        """Pressure of a balloon, times radius over thickness."""
        return 2 * self._difference(stretch) / stretch**3


class Tube:
    """Inflation of a thick tube at a fixed axial stretch."""

    def __init__(self, law: Elastomer, stress: Stress, axial: float) -> None:
        self._axial = axial
        self._stress = lambda s: np.diag(stress(law, np.diag([(s * axial) ** -2, s**2, axial**2])))

    def hoop(self, inner: float, radius: float) -> float:
        """Hoop stretch at a reference radius, from the volume between it and the inner one."""
        square = ((inner**2 * self._axial - 1) * A**2 + radius**2) / (radius**2 * self._axial)
        return float(np.sqrt(square))

    def pressure(self, inner: float) -> float:
        def integrand(s: float) -> float:
            radial, hoop, _ = self._stress(s)
            return (hoop - radial) / (s * (s**2 * self._axial - 1))

        return quad(integrand, self.hoop(inner, B), inner)[0]

    def wall_force(self, inner: float) -> float:
        """Axial force of the wall: the axial stress over the deformed section."""

        def radial_stress(outer: float) -> float:  # from the inside to hoop stretch `outer`
            def integrand(s: float) -> float:
                radial, hoop, _ = self._stress(s)
                return (hoop - radial) / (s * (s**2 * self._axial - 1))

            return -self.pressure(inner) + quad(integrand, outer, inner)[0]

        def per_radius(radius: float) -> float:
            s = self.hoop(inner, radius)
            radial, _, axial = self._stress(s)
            return (radial_stress(s) + axial - radial) * radius / self._axial

        return 2 * np.pi * quad(per_radius, A, B)[0]


def _inflate(problem: Problem, shares: list[float]) -> list[float]:
    """Pressures at these multiples of the cavity's rest volume; every state must be stable."""
    rest = problem.cavity_volume("inside")
    targets = [{"inside": s * rest} for s in shares]
    results = list(march(problem, targets, volume_controlled=("inside",)))
    assert all(r.stable for r in results)
    return [r.pressures["inside"] for r in results if r.target is not None]


def _ball(
    octant: Build, law: Elastomer, outer: float = B, size: float = 0.0017, **more: object
) -> Problem:
    cavity = Cavity("inside", "inner")
    return Problem(octant(A, outer, size), law, supports=SYMMETRY, cavities=[cavity], **more)


@slow
def test_sphere(octant: Build, elastomer: Elastomer, extra_stress: Stress, check: Check) -> None:
    stretches = [1.2, 1.6, 2.0, 2.5]
    found = _inflate(_ball(octant, elastomer), [s**3 for s in stretches])
    expected = [Sphere(elastomer, extra_stress).pressure(s) for s in stretches]
    check("F9", f"{elastomer.energy} sphere: p", np.divide(found, expected), 1.0, 1e-3)


@slow
def test_quadrature_changes_less_than_the_mesh(octant: Build, laws: dict[str, Elastomer]) -> None:
    found = [
        _inflate(_ball(octant, laws["yeoh"], quadrature=(degree, 6)), [8.0])[0] for degree in (3, 6)
    ]
    assert found[0] == pytest.approx(found[1], rel=5e-4)


def _extreme(curve: Callable[[float], float], low: float, high: float, sign: int) -> np.ndarray:
    """Where a curve has its maximum (sign 1) or minimum (-1) between two stretches, and which."""
    found = minimize_scalar(
        lambda s: -sign * curve(s), bounds=(low, high), method="bounded", options={"xatol": 1e-9}
    )
    return np.array([found.x, curve(found.x)])


def test_sphere_agrees_with_the_published_numbers(
    laws: dict[str, Elastomer], extra_stress: Stress
) -> None:
    neo = laws["neo_hooke"]
    exact = Sphere(neo, extra_stress)
    assert exact.pressure(2.0) == pytest.approx(0.0456106e6, abs=0.06)
    assert _extreme(exact.pressure, 1.2, 2.5, 1) == pytest.approx([1.60344, 0.493519e5], rel=4e-6)
    thicker = Sphere(neo, extra_stress, 2.0)
    assert _extreme(thicker.pressure, 1.2, 3.0, 1)[1] == pytest.approx(0.816424e5, rel=1e-6)
    top = _extreme(exact.thin, 1.1, 2.0, 1)
    assert top == pytest.approx([7 ** (1 / 6), 1.239463e5], rel=1e-6)
    gent, ogden = (Sphere(laws[name], extra_stress).thin for name in ("gent", "ogden"))
    assert _extreme(gent, 1.1, 1.9, 1)[0] == pytest.approx(1.445, abs=5e-4)
    assert _extreme(gent, 1.9, 3.0, -1)[0] == pytest.approx(2.318, abs=5e-4)
    assert _extreme(ogden, 1.1, 2.0, 1)[0] == pytest.approx(1.37405, abs=5e-6)
    assert _extreme(ogden, 2.0, 8.0, -1)[0] == pytest.approx(4.320, abs=5e-4)


def _found_extreme(stretches: np.ndarray, pressures: list[float]) -> np.ndarray:
    """Where the cubic through computed pressures has its extreme, and its value there."""
    curve = np.polynomial.Polynomial.fit(stretches, pressures, 3)
    (at,) = (
        s.real
        for s in curve.deriv().roots()
        if stretches[0] < s.real < stretches[-1] and abs(s.imag) < 1e-9
    )
    return np.array([at, curve(at)])


@slow
@pytest.mark.parametrize(
    ("law", "low", "high", "sign"),
    [
        ("neo_hooke", 1.5, 1.7, 1),
        ("gent", 1.6, 1.8, 1),
        ("gent", 2.5, 2.9, -1),
        ("ogden", 1.5, 1.7, 1),
    ],
)
def test_limit_pressures_are_passed_by_volume(
    octant: Build,
    laws: dict[str, Elastomer],
    extra_stress: Stress,
    check: Check,
    law: str,
    low: float,
    high: float,
    sign: int,
) -> None:
    stretches = np.linspace(low, high, 5)
    way = np.arange(1.5, low, 0.5)
    pressures = _inflate(_ball(octant, laws[law]), [*way**3, *stretches**3])[len(way) :]
    found = _found_extreme(stretches, pressures)
    exact = _extreme(Sphere(laws[law], extra_stress).pressure, low, high, sign)
    what = "limit pressure" if sign > 0 else "least pressure beyond it"
    check("F10", f"{law} sphere: {what}", found[1], exact[1], 1e-3)
    # Flat: the abscissa sees the root of the error.
    check("F10", f"{law} sphere: stretch at the {what}", found[0], exact[0], 1e-2)


@slow
@pytest.mark.parametrize("law", ["mooney_rivlin", "yeoh"])
def test_a_rubber_that_stiffens_has_no_limit_pressure(
    octant: Build, laws: dict[str, Elastomer], law: str
) -> None:
    stretches = np.arange(1.25, 3.1, 0.25)
    pressures = _inflate(_ball(octant, laws[law]), list(stretches**3))
    assert np.all(np.diff(pressures) > 0)


@slow
def test_pressure_alone_stops_at_the_limit_pressure(
    octant: Build, laws: dict[str, Elastomer], extra_stress: Stress
) -> None:
    ball = _ball(octant, laws["neo_hooke"])
    top = _extreme(Sphere(laws["neo_hooke"], extra_stress).pressure, 1.2, 2.5, 1)[1]
    reached = 0.0
    with pytest.raises(MarchStopped):
        for result in march(ball, [{"inside": 1.02 * top}], control=StepControl(first=0.25)):
            assert result.stable
            reached = result.pressures["inside"]
    assert reached == pytest.approx(top, rel=2e-2)


@slow
@pytest.mark.parametrize("first", [1.0, 0.1, 0.03])
def test_pressure_does_not_jump_over_a_limit_point(
    octant: Build, extra_stress: Stress, first: float
) -> None:
    # Gent's ball has a second stable branch, which Newton's method finds from far below.
    law = Gent(mu=1e5, limit=20.0, density=1000)
    ball = Problem(
        octant(A, B, 0.0035), law, supports=SYMMETRY, cavities=[Cavity("inside", "inner")]
    )
    rest = ball.cavity_volume("inside")
    exact = Sphere(law, extra_stress)
    top = minimize_scalar(lambda s: -exact.pressure(s), bounds=(1.5, 2.05), method="bounded")
    assert exact.pressure(2.5) > -top.fun
    reached = []
    with pytest.raises(MarchStopped, match=r"limit point lies near inside = (\d+)") as stop:
        for result in march(ball, [{"inside": 0.6e5}], control=StepControl(first=first)):
            assert result.stable
            reached.append(result)
    assert (reached[-1].volumes["inside"] / rest) ** (1 / 3) < 1.02 * top.x
    # The mesh of four cells through the wall is within 1 %; half of that is left of the way.
    assert reached[-1].pressures["inside"] == pytest.approx(-top.fun, rel=1e-2)
    said = float(str(stop.value).split("near inside = ")[1].split(",")[0])
    assert said == pytest.approx(-top.fun, rel=1e-2)


def _pipe(tube: Build, law: Elastomer, axial: float, **more: object) -> Problem:
    length = 0.004
    pull = Moved("pull", "x1", lambda x, v: np.stack([v * x[0], 0 * x[0], 0 * x[0]]), (0,))
    problem = Problem(
        tube(A, B, length, (4, 8, 2)),
        law,
        supports=[*SYMMETRY, pull],
        cavities=[Cavity("inside", "inner", open_along_x=True)],
        **more,
    )
    if axial != 1.0:
        list(march(problem, [{"pull": axial - 1.0}]))
    return problem


@slow
@pytest.mark.parametrize("axial", [1.0, 1.25])
def test_tube(
    tube: Build, elastomer: Elastomer, extra_stress: Stress, check: Check, axial: float
) -> None:
    stretches = [1.2, 1.6, 2.0]
    problem = _pipe(tube, elastomer, axial)
    exact = Tube(elastomer, extra_stress, axial)
    section = np.pi / 4 * A**2 * 0.004
    start = problem.cavity_volume("inside")
    assert start == pytest.approx(section, rel=2e-3)
    rest = section / start
    found, forces = [], []
    for result in march(
        problem,
        [{"inside": s**2 * axial * section / rest} for s in stretches],
        volume_controlled=("inside",),
    ):
        assert result.stable
        if result.target is not None:
            found.append(result.pressures["inside"])
            forces.append(4 * problem.reaction("x1")[3])
    expected = [exact.pressure(s) for s in stretches]
    expected_forces = [exact.wall_force(s) for s in stretches]
    what = f"{elastomer.energy} tube at {axial}"
    check("F9", f"{what}: p", np.divide(found, expected), 1.0, 1e-3)
    check("F9", f"{what}: wall force", np.divide(forces, expected_forces), 1.0, 1e-3)


def _passed(problem: Problem, pressure: float, count: int) -> list[float]:
    """The first limit pressures on the path by arc length, some way beyond each included."""
    found: list[float] = []
    control = StepControl(first=0.5)
    for result in follow(problem, [{"inside": pressure}] * (count + 1), control=control):
        if result.limit:
            found.append(result.limit["inside"])
        if len(found) == count:
            break
    return found


Extremes = list[tuple[float, float, int]]


def _check_extremes(
    check: Check, what: str, found: list[float], curve: Callable[[float], float], ranges: Extremes
) -> None:
    """Compare limit pressures with those of a curve, one in each of some ranges of stretch."""
    for pressure, (low, high, sign) in zip(found, ranges, strict=True):
        name = "limit pressure" if sign > 0 else "least pressure beyond it"
        exact = _extreme(curve, low, high, sign)[1]
        check("F10", f"{what}: {name}, by arc length", pressure, exact, 1e-3)


@slow
@pytest.mark.parametrize(
    ("law", "ratio", "pressure", "ranges"),
    [
        ("neo_hooke", 1.5, 4.5e4, [(1.2, 2.0, 1)]),
        ("neo_hooke", 2.0, 7.5e4, [(1.2, 3.0, 1)]),
        ("gent", 1.5, 5.0e4, [(1.2, 2.1, 1), (2.1, 3.4, -1)]),
        ("ogden", 1.5, 1.5e5, [(1.2, 2.2, 1)]),
    ],
)
def test_limit_pressures_of_spheres_by_arc_length(
    octant: Build,
    laws: dict[str, Elastomer],
    extra_stress: Stress,
    check: Check,
    law: str,
    ratio: float,
    pressure: float,
    ranges: Extremes,
) -> None:
    """Arc length meets one limit point in each range of stretch, in their order."""
    ball = _ball(octant, laws[law], ratio * A, 0.0017 if ratio == 1.5 else 0.0025)
    curve = Sphere(laws[law], extra_stress, ratio).pressure
    found = _passed(ball, pressure, len(ranges))
    what = f"{law} sphere" if ratio == 1.5 else f"{law} sphere of B/A = {ratio:g}"
    _check_extremes(check, what, found, curve, ranges)


@slow
@pytest.mark.parametrize(
    ("axial", "pressure", "ranges"),
    [
        (1.0, 1.32e5, [(1.5, 3.0, 1), (3.0, 5.0, -1)]),
        (1.25, 1.1e5, [(1.5, 3.0, 1), (3.0, 5.0, -1)]),
    ],
)
def test_limit_pressures_of_a_tube_by_arc_length(
    tube: Build,
    laws: dict[str, Elastomer],
    extra_stress: Stress,
    check: Check,
    axial: float,
    pressure: float,
    ranges: Extremes,
) -> None:
    """Of the laws here, Ogden's alone lets a tube of fixed length soften, and stiffen again."""
    law = laws["ogden"]
    found = _passed(_pipe(tube, law, axial), pressure, len(ranges))
    curve = Tube(law, extra_stress, axial).pressure
    _check_extremes(check, f"ogden tube at {axial}", found, curve, ranges)


def test_tube_agrees_with_the_published_numbers(
    laws: dict[str, Elastomer], extra_stress: Stress
) -> None:
    exact = Tube(laws["neo_hooke"], extra_stress, 1.0)
    assert exact.pressure(1.6) == pytest.approx(0.0306617e6, abs=0.06)
    assert exact.wall_force(1.6) == pytest.approx(14.5317, abs=6e-5)
    cap = np.pi * (1.6 * A) ** 2 * exact.pressure(1.6)
    assert cap == pytest.approx(24.66, abs=6e-3)


@pytest.mark.parametrize("stiffness", [1.0, 1e3])  # k / (mu B)
def test_hooped_tube(
    tube: Build, laws: dict[str, Elastomer], extra_stress: Stress, stiffness: float
) -> None:
    law = laws["neo_hooke"]
    k = stiffness * law.shear_modulus * B
    problem = _pipe(tube, law, 1.0, windings=[ThreadMembrane("outer", k)])
    rest = problem.cavity_volume("inside")
    exact = Tube(law, extra_stress, 1.0)

    def pressure(inner: float) -> float:
        outer = exact.hoop(inner, B)
        # The hoops' energy per length, 2 pi B k/2 (l - 1)^2, against pressure times area.
        return exact.pressure(inner) + k * (outer - 1) / (B * outer)

    target = 0.3 * law.shear_modulus if stiffness == 1.0 else 2.0 * law.shear_modulus
    (result,) = [r for r in march(problem, [{"inside": target}]) if r.target == 0]
    inner = brentq(lambda s: pressure(s) - target, 1.00001, 3.0)
    growth = result.volumes["inside"] - rest
    assert result.stable
    assert growth == pytest.approx(rest * (inner**2 - 1), rel=2e-3)
