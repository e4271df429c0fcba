"""Fibres in the volume: energy by hand, slack thread, sleeves, and the hooped actuator."""

from collections.abc import Callable
from itertools import pairwise

from mpi4py import MPI

import dolfinx.mesh
import numpy as np
import pytest
import ufl
from dolfinx.fem import Constant, form
from scipy.integrate import quad
from scipy.optimize import brentq

from loligo.cases.body import ChamberedArm
from loligo.cases.case import Winding as Thread
from loligo.cases.case_file import load
from loligo.cases.rubber.elastomer import Elastomer, NeoHooke, Yeoh
from loligo.fem.core.domain import Domain, distribute
from loligo.fem.core.measure import global_sum
from loligo.fem.from_case import set_up
from loligo.fem.loads.base import Traction
from loligo.fem.loads.cavities import Cavity
from loligo.fem.loads.supports import Fixed, Moved
from loligo.fem.march.static import march
from loligo.fem.materials.fibres import Fibres, thread_energy
from loligo.fem.materials.thread import windings
from loligo.fem.problem.problem import Problem
from loligo.fem.solvers.newton import Newton
from loligo.fem.solvers.slack import Slackening
from loligo.meshes.bodies import pieces
from loligo.meshes.build import build_mesh

Box = Callable[..., Domain]
Array = np.ndarray
SKEW = (0.6, -0.3, 0.5)
GRADIENT = np.array([[1.1, 0.1, 0.2], [0.0, 0.9, 0.3], [0.1, -0.2, 1.2]])


def _deform(problem: Problem, f: Array) -> None:
    fields = problem.fields
    motion = fields.node_positions @ (f - np.eye(3)).T
    fields.function.x.array[fields.node_unknowns] = motion
    fields.function.x.scatter_forward()


def _pair(domain: Domain, elastomer: Elastomer, *layers: Fibres) -> tuple[Problem, Problem]:
    """The same body without and with fibres."""
    bare = Problem(domain, elastomer, supports=[])
    return bare, Problem(domain, elastomer, supports=[], windings=layers)


@pytest.mark.mpi
@pytest.mark.parametrize("tension_only", [False, True])
def test_energy_is_that_of_the_stretch_whatever_the_rotation(
    box: Box, laws: dict[str, Elastomer], tension_only: bool
) -> None:
    fibres = Fibres("body", lambda _: SKEW, 40.0, lambda _: 2.0, tension_only)
    bare, reinforced = _pair(box(size=(2.0, 1.0, 0.5)), laws["neo_hooke"], fibres)
    rotation, _ = np.linalg.qr(GRADIENT)
    stretch = np.linalg.norm(GRADIENT @ SKEW) / np.linalg.norm(SKEW)
    for f, expected in (
        (np.eye(3), 0.0),
        (GRADIENT, 40.0 / 4 * (stretch - 1) ** 2),  # volume 1
        (rotation @ GRADIENT, 40.0 / 4 * (stretch - 1) ** 2),
    ):
        for problem in (bare, reinforced):
            _deform(problem, f)
        stored = reinforced.strain_energy() - bare.strain_energy()
        # Rounding of the rubber's energy, mu/2 (I1 - 3) of about 1e4 J; a slack thread's 1e-12.
        assert stored == pytest.approx(expected, rel=1e-9, abs=1e-10)


@pytest.mark.mpi
def test_slack_thread_carries_nothing(box: Box, laws: dict[str, Elastomer]) -> None:
    """But for rounding: the two kernels may sum in another order."""
    fibres = Fibres("body", lambda _: (1.0, 0.0, 0.0), 1e6, tension_only=True)
    bare, slack = _pair(box(), laws["neo_hooke"], fibres)
    for problem in (bare, slack):
        _deform(problem, np.diag([0.98, 1.1, 1.0]))
    assert slack.strain_energy() == pytest.approx(bare.strain_energy(), rel=1e-13)
    force, bare_force = (one.assemble_residual()[1].array_r.copy() for one in (slack, bare))
    np.testing.assert_allclose(force, bare_force, rtol=0.0, atol=1e-13 * 1e6)


@pytest.mark.parametrize("ratio", [10.0, 1e3])
def test_stiff_thread_goes_slack_at_once(
    box: Box, laws: dict[str, Elastomer], ratio: float
) -> None:
    """A cube pulled, then pushed: it softens by the ratio from rest on, which is no jump."""
    law = laws["neo_hooke"]
    mu, stiffness = law.shear_modulus, ratio * law.young_modulus
    pull = Traction("pull", "x1", (1.0, 0.0, 0.0))
    problem = Problem(
        box(),
        law,
        supports=[Fixed("x0", (0,)), Fixed("y0", (1,)), Fixed("z0", (2,))],
        loads=[pull],
        windings=[Fibres("body", lambda _: (1.0, 0.0, 0.0), stiffness, tension_only=True)],
    )
    wanted = [0.3 * mu, -0.3 * mu]
    for result in march(problem, [{"pull": value} for value in wanted]):
        if result.target is None:
            continue
        stress, carried = wanted[result.target], stiffness * (result.target == 0)

        def unbalanced(s: float, stress: float = stress, carried: float = carried) -> float:
            return mu * (s - s**-2) + carried * (s - 1) - stress

        tip = problem.fields.node_positions[:, 0] > 1 - 1e-9
        moved = problem.fields.function.x.array[problem.fields.node_unknowns[tip, 0]]
        exact = brentq(unbalanced, 0.5, 1.5, xtol=1e-14)
        # Slack or taut 1e-12 below 1, and the solver's 1e-9 of forces.
        assert moved == pytest.approx(exact - 1, rel=1e-6, abs=1e-11)
    assert result.target == 1


def test_slack_thread_is_at_rest_at_rest(box: Box, laws: dict[str, Elastomer]) -> None:
    """Rounding must not say which thread is taut there: the first step needs all of it."""
    law = laws["neo_hooke"]
    fibres = Fibres("body", lambda _: SKEW, 2e4 * law.shear_modulus, tension_only=True)
    problem = Problem(box(distort=0.3), law, supports=[Fixed("x0")], windings=[fibres])
    assert Newton(problem).solve().iterations == 0


def test_thread_that_no_load_pulls_is_never_softened(box: Box, laws: dict[str, Elastomer]) -> None:
    """Not even tried: a residual for every softness, in iteration after iteration."""
    fibres = Fibres("body", lambda _: SKEW, 1e9, tension_only=True)
    problem = Problem(box(distort=0.3), laws["neo_hooke"], supports=[], windings=[fibres])
    _deform(problem, GRADIENT)
    residual = problem.assemble_residual()[1].array_r.copy()
    tried = []

    def measure() -> Array:
        tried.append(problem.softness.value.item())
        return residual

    path = Slackening(problem, measure)
    for _ in range(10):
        path.soften(residual, 1.0)
    assert tried == []


@pytest.mark.parametrize("strain", [-3e-2, -1e-3, 0.0, 1e-3, 3e-2])
def test_force_of_soft_thread_turns_by_and_by(box: Box, strain: float) -> None:
    softness, domain = 1e-3, box()
    stretch = ufl.variable(Constant(domain.mesh, 1.0 + strain))
    energy = thread_energy(stretch, tension_only=True, softness=Constant(domain.mesh, softness))
    force = global_sum(form(ufl.diff(energy, stretch) * ufl.dx(domain.mesh)))
    volume = global_sum(form(Constant(domain.mesh, 1.0) * ufl.dx))
    # It solves f (f - strain) = softness^2.
    assert force / volume == pytest.approx(max(np.roots([1.0, -strain, -(softness**2)])))


@pytest.mark.mpi
@pytest.mark.parametrize(
    ("direction", "pull", "size"),
    [
        ((-0.5, -0.5, -0.7), (-0.8, 0.2, -0.6), 0.0107),
        ((0.0, 1.2, -1.0), (0.5, 0.6, -0.6), 0.072),
        ((0.6, -0.3, 0.5), (0.987, -0.143, -0.072), 0.026),
    ],
    ids=["turns", "fold", "back"],
)
def test_slack_thread_is_solved_for(
    box: Box,
    laws: dict[str, Elastomer],
    direction: tuple[float, ...],
    pull: tuple[float, ...],
    size: float,
) -> None:
    """Skew fibres under a skew pull: full steps with a kink do not end, or fold the block.

    The last block needs a path that goes back where its kink hardened too fast.
    Which pulls of a few per cent more or less they fail at is a matter of rounding.
    """
    law = laws["neo_hooke"]
    fibres = Fibres("body", lambda _: direction, 2e4 * law.shear_modulus, tension_only=True)
    problem = Problem(
        box((3, 3, 2), (2.0, 1.0, 0.5), distort=0.2),
        law,
        supports=[Fixed("x0")],
        loads=[Traction("pull", "x1", pull)],
        windings=[fibres],
    )
    newton, rest = Newton(problem), problem.save()
    for share in np.linspace(0.97, 1.03, 7):
        problem.restore(rest)
        problem.set_value("pull", share * size * law.shear_modulus)
        assert newton.solve().failure is None
        assert problem.softness.value == 0.0
        assert newton.solve().iterations == 0  # the forces balance as they are


@pytest.mark.slow
def test_tetrahedra_of_zhangs_joint_between_fixed_plates_need_no_cutback() -> None:
    case = load("zhang_joint_blocked")
    setup = set_up(case, distribute(build_mesh(case.body, 0), MPI.COMM_WORLD))
    (state,) = march(setup.problem, setup.targets[:1], solver="direct")
    assert state.cutbacks == ()
    assert state.stable


def test_energy_of_slack_and_taut_thread_is_convex_and_smooth(
    box: Box, laws: dict[str, Elastomer]
) -> None:
    fibres = Fibres("body", lambda _: (1.0, 0.0, 0.0), 1.0, tension_only=True)
    bare, thread = _pair(box((1, 1, 1)), laws["neo_hooke"], fibres)
    stretches = 1.0 + np.linspace(-0.02, 0.02, 41)
    energies = []
    for stretch in stretches:
        for problem in (bare, thread):
            _deform(problem, np.diag([stretch, 1.0, 1.0]))
        energies.append(thread.strain_energy() - bare.strain_energy())
    expected = np.where(stretches > 1, (stretches - 1) ** 2 / 2, 0.0)
    assert energies == pytest.approx(expected, abs=1e-9)  # rounding of the rubber's energy


@pytest.mark.mpi
@pytest.mark.parametrize("tension_only", [False, True])
def test_tangent_is_the_derivative_of_the_residual(
    box: Box,
    laws: dict[str, Elastomer],
    tangent_error: Callable[[Problem], float],
    tension_only: bool,
) -> None:
    # Stiffer than the rubber by a hundred, and stretched by 30 % before the wave of 9 %.
    fibres = Fibres("body", lambda x: (1.0 + x[1], 0.2, x[2]), 1e7, tension_only=tension_only)
    problem = Problem(box(distort=0.3), laws["neo_hooke"], supports=[], windings=[fibres])
    # Away from the kink of single points: the central difference crosses it in few of them.
    assert tangent_error(problem) < (1e-4 if tension_only else 1e-7)


@pytest.mark.mpi
def test_work_of_the_forces_is_the_growth_of_the_energy(
    box: Box, laws: dict[str, Elastomer]
) -> None:
    fibres = Fibres("body", lambda x: (1.0, x[2], -x[1]), 1e7)
    bare, reinforced = _pair(box(distort=0.3), laws["neo_hooke"], fibres)
    fields = reinforced.fields
    direction = fields.wave(1.0, 0.3)
    steps, remainders = (4e-3, 2e-3, 1e-3), []
    for problem in (bare, reinforced):
        _deform(problem, GRADIENT)
    state = fields.function.x.array.copy()
    forces = reinforced.assemble_residual()[1].array_r - bare.assemble_residual()[1].array_r
    work = reinforced.comm.allreduce(forces @ direction)
    start = reinforced.strain_energy() - bare.strain_energy()
    for h in steps:
        for problem in (bare, reinforced):
            problem.fields.function.x.array[: fields.owned] = (
                state[: fields.owned] + h * 20 * direction
            )
            problem.fields.function.x.scatter_forward()
        stored = reinforced.strain_energy() - bare.strain_energy()
        remainders.append(abs(stored - start - h * 20 * work))
    slopes = np.log2(np.array(remainders[:-1]) / remainders[1:])
    assert slopes == pytest.approx(2.0, abs=0.05)


# Sleeves ------------------------------------------------------------------------------------------


def _sleeved(segments: int, chambers: int = 3) -> ChamberedArm:
    """Sleeved chambers, in a second segment turned by 60 degrees and with thinner sleeves."""
    base = {"length": 0.06, "chambers": chambers, "chamber_radius": 0.006, "chamber_offset": 0.02}
    layers = [(0.008, 0.010), (0.008, 0.009)]
    return ChamberedArm.model_validate(
        {
            "radius": 0.034,
            "plates": [0.005] * (segments + 1),
            "stations": 2,
            "segments": [
                {
                    **base,
                    "turn": i * np.pi / 3,
                    "sleeve": dict(zip(("inner_radius", "outer_radius"), layer, strict=True)),
                }
                for i, layer in enumerate(layers[:segments])
            ],
        }
    )


@pytest.mark.mpi
@pytest.mark.parametrize(("segments", "chambers"), [(1, 1), (2, 3)])
def test_hoops_run_around_each_chamber_of_its_own_segment(segments: int, chambers: int) -> None:
    """One alone as well: hoops around the body's axis have the same mean over three."""
    body = _sleeved(segments, chambers)
    comm = MPI.COMM_WORLD
    domain = distribute(build_mesh(body, 0, size=0.012) if comm.rank == 0 else None, comm)
    rubber = NeoHooke(mu=1.0, density=1000.0)
    (layer,) = windings(pieces(body), Thread(stiffness=50.0), domain)
    bare, wound = _pair(domain, rubber, layer)
    f = np.diag([1.0, 1.3, 1.0])
    for problem in (bare, wound):
        _deform(problem, f)
    # The hoop at angle a from y stretches to |(1.3 sin a, cos a)|: any other centre gives another
    # mean. Per sleeve k/(2 h) mean volume, volume = pi (r2^2 - r1^2) length.
    mean = quad(lambda a: (np.hypot(1.3 * np.sin(a), np.cos(a)) - 1) ** 2, 0, np.pi)[0] / np.pi
    volumes = [
        np.pi * (s.sleeve.outer_radius**2 - s.sleeve.inner_radius**2) * s.length
        for s in body.segments
    ]
    shares = [
        chambers * 50.0 / 2 * mean * v / (s.sleeve.outer_radius - s.sleeve.inner_radius)
        for v, s in zip(volumes, body.segments, strict=True)
    ]
    stored = wound.strain_energy() - bare.strain_energy()
    # Parabolas for arcs of 2 pi/12 and quadrature of degree 3 on a function of cos 2a.
    assert stored == pytest.approx(sum(shares), rel=5e-3)


def test_crossed_threads_of_a_sleeve_share_its_stiffness() -> None:
    body = _sleeved(1)
    comm = MPI.COMM_WORLD
    domain = distribute(build_mesh(body, 0, size=0.012) if comm.rank == 0 else None, comm)
    layers = windings(pieces(body), Thread(stiffness=50.0, angle=0.5), domain)
    bare, wound = _pair(domain, NeoHooke(mu=1.0, density=1000.0), *layers)
    for problem in (bare, wound):
        _deform(problem, np.diag([1.3, 1.0, 1.0]))
    # Both stretch alike and everywhere: cos a around, 1.3 sin a along.
    stretch = np.hypot(np.cos(0.5), 1.3 * np.sin(0.5))
    volume = 3 * np.pi * (0.010**2 - 0.008**2) * 0.06
    expected = 50.0 / 2 / 0.002 * (stretch - 1) ** 2 * volume
    # The volume of parabolas for arcs of 2 pi/12.
    assert wound.strain_energy() - bare.strain_energy() == pytest.approx(expected, rel=2e-3)


# The hooped actuator ------------------------------------------------------------------------------

BORE, LENGTH = 8e-3, 2e-3
SILICONE = Yeoh(c10=12563.0, c20=-67.784, c30=2.7385, density=1080.0)  # Zhang 2022, Table 1


def _wall(tube: Callable[..., Domain], cells: int, width: float, wound: int) -> Domain:
    """A quarter of a wall from 8 mm on, one cell long; the last cells along the radius are wound.

    Nodes between cells are put onto circles, where gmsh leaves chords of 11 degrees.
    """
    plain = tube(BORE, BORE + cells * width, LENGTH, (cells, 8, 1), hexahedra=True)
    mesh = plain.mesh
    x, y, z = mesh.geometry.x.T
    radius, angle = np.hypot(y, z), np.arctan2(z, y)
    by_line = np.lexsort((radius, np.round(angle / (np.pi / 32)), np.round(2 * x / LENGTH)))
    levels = BORE + width / 2 * np.arange(2 * cells + 1)
    exact = np.empty_like(radius)
    exact[by_line] = np.tile(levels, len(radius) // len(levels))
    mesh.geometry.x[:, 1:] = (exact * [np.cos(angle), np.sin(angle)]).T

    low = BORE + (cells - wound - 0.1) * width
    inside = dolfinx.mesh.locate_entities(mesh, 3, lambda x: np.hypot(x[1], x[2]) > low)
    values = plain.cell_tags.values.copy()
    values[np.isin(plain.cell_tags.indices, inside)] = 7
    tags = dolfinx.mesh.meshtags(mesh, 3, plain.cell_tags.indices, values)
    groups = {"body": plain.cell_groups["body"], "winding": 7}
    return Domain(mesh, tags, plain.facet_tags, groups, plain.facet_groups)


def _hooped(domain: Domain, k: float, thickness: float, *, tension_only: bool) -> Problem:
    """The slice of an actuator whose ends stay plane; its value "stretch" moves one of them."""
    return Problem(
        domain,
        SILICONE,
        supports=[
            Fixed("x0", (0,)),
            Fixed("y0", (1,)),
            Fixed("z0", (2,)),
            Moved("extension", "x1", lambda x, v: np.stack([0 * x[0] + v * LENGTH] * 3), (0,)),
        ],
        cavities=[Cavity("bore", "inner", open_along_x=True)],
        windings=[
            Fibres(
                "winding",
                lambda x: (0.0, -x[2], x[1]),
                k,
                lambda _: thickness,
                tension_only=tension_only,
            )
        ],
    )


def _free_pressure(problem: Problem, stretch: float, guesses: tuple[float, float]) -> float:
    """Pressure at which the free closed end is in balance at a stretch, by secants."""

    def unbalanced(pressure: float) -> float:
        list(march(problem, [{"extension": stretch - 1, "bore": pressure}]))
        # The mesh's own bore, so that its parabolas for arcs do not count; a quarter of it.
        area = problem.cavity_volume("bore") / (LENGTH * stretch)
        return float(problem.reaction("x1")[3] - pressure * area)

    a, b = guesses
    fa, fb = unbalanced(a), unbalanced(b)
    for _ in range(6):
        step = -fb * (b - a) / (fb - fa)
        a, fa, b = b, fb, b + step
        if abs(step) < 1e-3 * b:  # what remains is of the order of its product with the last
            break
        fb = unbalanced(b)
    return b


def _hooped_in_closed_form(
    stretch: float, layer: tuple[float, float], k: float, *, tension_only: bool
) -> float:
    """Pressure of the free closed tube at an axial stretch, from its energy by quadrature.

    Incompressible, so that r^2 = b^2 + (R^2 - a^2)/stretch with the deformed bore b the only other
    unknown; the energy is stationary for p = dU/dV along both.
    """

    def energy(s: float, bore: float) -> float:
        def density(radius: float) -> float:
            r = np.sqrt(bore**2 + (radius**2 - BORE**2) / s)
            hoop = r / radius
            x = hoop**2 + s**2 + 1 / (hoop * s) ** 2 - 3
            w = SILICONE.c10 * x + SILICONE.c20 * x**2 + SILICONE.c30 * x**3
            if layer[0] < radius < layer[1]:
                thread = hoop - 1 if hoop > 1 or not tension_only else 0.0
                w += k / (layer[1] - layer[0]) / 2 * thread**2
            return 2 * np.pi * radius * w

        ends = (BORE, *layer)
        return sum(quad(density, a, b)[0] for a, b in pairwise(ends))

    def slope(f: Callable[[float], float], at: float) -> float:
        h = 1e-5 * at
        return (f(at + h) - f(at - h)) / (2 * h)

    def pressures(bore: float) -> tuple[float, float]:
        return (
            slope(lambda b: energy(stretch, b), bore) / (2 * np.pi * bore * stretch),
            slope(lambda s: energy(s, bore), stretch) / (np.pi * bore**2),
        )

    def gap(bore: float) -> float:
        around, along = pressures(bore)
        return around - along

    middle = (layer[0] + layer[1]) / 2
    rigid = np.sqrt(middle**2 - (middle**2 - BORE**2) / stretch)
    bore = brentq(gap, 0.995 * rigid, 1.02 * rigid, xtol=1e-12)
    return pressures(bore)[1]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("stretch", "pressure"), [(1.05, 4505.0), (1.1, 8048.0), (1.2, 13338.0), (1.5, 22857.0)]
)
def test_a_thin_layer_is_the_inextensible_hoop(
    tube: Callable[..., Domain], stretch: float, pressure: float
) -> None:
    # The outermost 0.1 mm with thread of k/(mu R) = 284: within 0.7 % of the inextensible hoop at
    # 14 mm by the energy below.
    problem = _hooped(_wall(tube, 60, 0.1e-3, 1), 1e5, 0.1e-3, tension_only=False)
    found = _free_pressure(problem, stretch, (0.98 * pressure, 1.02 * pressure))
    assert found == pytest.approx(pressure, rel=1e-2)


@pytest.mark.parametrize("tension_only", [False, True])
def test_a_thick_sleeve_is_its_energy(tube: Callable[..., Domain], tension_only: bool) -> None:
    # Hoops that fill 2 mm cannot all keep their length when the rubber between them gets thinner:
    # the sleeve is much stiffer than a thin layer, unless the outer hoops go slack.
    width, k, stretch = 0.75e-3, 1e5, 1.2
    layer = (BORE + 6 * width, BORE + 8 * width)
    exact = _hooped_in_closed_form(stretch, layer, k, tension_only=tension_only)
    problem = _hooped(_wall(tube, 8, width, 2), k, 2 * width, tension_only=tension_only)
    found = _free_pressure(problem, stretch, (0.98 * exact, 1.02 * exact))
    # Quadratic cells; the kink where hoops go slack is not resolved.
    assert found == pytest.approx(exact, rel=1e-2 if tension_only else 1e-3)
