"""A case becomes the problem that it describes: resultants and work against closed forms."""

import math
from collections.abc import Callable
from typing import Any

from mpi4py import MPI

import numpy as np
import pytest

from loligo.cases.case import Case
from loligo.fem.core.domain import distribute
from loligo.fem.from_case import Setup, materials, set_up
from loligo.fem.loads.discs import STIFFNESS
from loligo.fem.march.static import march
from loligo.meshes.build import build_mesh

Array = np.ndarray
External = Callable[[Any], tuple[Array, float]]

RUBBER = {"energy": "neo_hooke", "mu": 3e4, "density": 1080.0}
ARM = {
    "kind": "tapered_arm",
    "length": 0.1,
    "base_radius": 0.012,
    "tip_radius": 0.008,
    "bore_radius": 0.003,
    "base_disc": 0.003,
    "tip_disc": 0.002,
    "tendons": {"count": 4, "base_offset": 0.008, "tip_offset": 0.005},
    "stations": 3,
}
SEGMENT = {
    "kind": "chambered_arm",
    "radius": 0.02,
    "plates": [0.005, 0.004],
    "segments": [{"length": 0.05, "chambers": 1, "chamber_radius": 0.008, "chamber_offset": 0.0}],
    "stations": 2,
}
MANTLE = {"kind": "mantle", "radius": 0.031, "thickness": 0.004, "cylinder_length": 0.05}
SIZE = {"tapered_arm": 0.012, "chambered_arm": 0.02, "mantle": 0.02}
MESH = 5e-3
"""Error of a volume on these coarse meshes, whose curved edges are quadratic."""


def case_of(body: dict[str, Any], load: dict[str, Any], **more: Any) -> Case:
    given = {"name": "test", "title": "t", "source": "s", "material": {"body": RUBBER}, **more}
    return Case.model_validate({**given, "body": body, "load": load})


def make(body: dict[str, Any], load: dict[str, Any], **more: Any) -> Setup:
    case = case_of(body, load, **more)
    mesh = None
    if MPI.COMM_WORLD.rank == 0:
        mesh = build_mesh(case.body, 0, size=SIZE[case.body.kind])
    setup = set_up(case, distribute(mesh, MPI.COMM_WORLD))
    for name, value in setup.targets[-1].items():
        setup.problem.set_value(name, value)
    return setup


def frustum(r0: float, r1: float, length: float) -> tuple[float, float]:
    """Volume of a frustum, and its first moment about its start."""
    volume = math.pi * length / 3 * (r0**2 + r0 * r1 + r1**2)
    first = math.pi * length**2 * (r0**2 / 12 + r0 * r1 / 6 + r1**2 / 4)
    return volume, first


def arm_moments() -> tuple[float, float]:
    """Volume of ARM's solid, discs included, and its first moment about x = 0."""
    volume = first = 0.0
    for start, length, r0, r1 in ((0.0, 0.003, 12, 12), (0.003, 0.1, 12, 8), (0.103, 0.002, 8, 8)):
        v, m = frustum(r0 / 1e3, r1 / 1e3, length)
        bored = math.pi * 0.003**2 * length
        volume += v - bored
        first += m - bored * length / 2 + start * (v - bored)
    return volume, first


def work(setup: Setup, displacement: Callable[[Array], Array]) -> float:
    """Work that all loads do at rest on a virtual displacement of the nodes."""
    problem = setup.problem
    internal, residual = problem.assemble_residual()
    nodes = problem.fields.node_unknowns
    force = (internal.array_r - residual.array_r)[nodes]
    here = float(np.sum(force * displacement(problem.fields.node_positions)))
    return float(problem.comm.allreduce(here))


@pytest.mark.mpi
def test_weight_is_that_of_solid_and_discs_along_gravity(external: External) -> None:
    setup = make(ARM, {"w": {"kind": "weight"}}, gravity=(0.0, -1.0, 0.0), steps=(0.5,))
    volume, first = arm_moments()
    g = 0.5 * 9.81 * 1080.0
    wrench, _ = external(setup.problem)
    assert setup.targets[0] == {"load_w": pytest.approx(0.5 * 9.81)}
    expected = [0.0, 0.0, -g * first, 0.0, -g * volume, 0.0]
    assert wrench[:3] == pytest.approx(expected[:3], abs=MESH * g * first)
    assert wrench[3:] == pytest.approx(expected[3:], abs=MESH * g * volume)


def test_water_buoys_the_solid_alone_chambers_and_bores_are_flooded(external: External) -> None:
    water = {"water": {"density": 1025.0, "base_depth": 1.0}, "gravity": (0.6, 0.8, 0.0)}
    for body in (ARM, SEGMENT):
        weight, _ = external(make(body, {"w": {"kind": "weight"}}, **water).problem)
        setup = make(body, {"b": {"kind": "water"}}, **water)
        buoyancy, size = external(setup.problem)
        # Archimedes on the very same mesh. Forces: rounding of the pressures' sum. Moments: those
        # of weight have x J, of degree 5, under a rule that is exact to degree 3.
        expected = -weight * 1025.0 / 1080.0
        assert buoyancy[3:] == pytest.approx(expected[3:], abs=1e-12 * size)
        assert buoyancy[:3] == pytest.approx(expected[:3], abs=1e-5 * np.abs(expected[:3]).max())
        assert setup.targets[-1]["load_b"] == pytest.approx(1025.0 * 9.81)


def test_outer_pressure_lowers_gauge_pressures_and_leaves_no_resultant(external: External) -> None:
    load = {
        "out": {"kind": "outer_pressure", "pressure": 300.0},
        "in": {"kind": "pressure", "cavities": ["s1c1"], "pressure": 1000.0},
    }
    setup = make(SEGMENT, load)
    assert setup.targets[-1] == {"load_out": 300.0, "s1c1": 700.0}
    wrench, size = external(setup.problem)
    assert wrench == pytest.approx(np.zeros(6), abs=1e-12 * size)
    assert setup.problem.cavity_volume("s1c1") == pytest.approx(math.pi * 0.008**2 * 0.05, rel=MESH)


def test_tip_loads_act_where_the_soft_part_ends(external: External) -> None:
    force = {"kind": "tip_force", "force": (0.0, 0.03, 0.04)}
    wrench, size = external(make(ARM, {"f": force}, steps=(2.0,)).problem)
    # The point is on the axis: meshes of circles are symmetric up to rounding of their nodes.
    expected = [0.0, -0.103 * 0.08, 0.103 * 0.06, 0.0, 0.06, 0.08]
    assert wrench == pytest.approx(expected, abs=1e-9 * size)
    moment = {"kind": "tip_moment", "moment": (0.0, 3e-3, -4e-3)}
    setup = make(ARM, {"m": moment})
    wrench, size = external(setup.problem)
    assert setup.targets[-1] == {"load_m": pytest.approx(5e-3)}
    assert wrench == pytest.approx([0.0, 3e-3, -4e-3, 0.0, 0.0, 0.0], abs=1e-9 * size)


def test_tendons_run_straight_from_the_base_face_to_the_inner_face(external: External) -> None:
    loads = {
        "one": {"kind": "tendon", "tendons": [2], "tension": 0.2},
        "two": {"kind": "tendon", "tendons": [2, 3], "tension": 0.1},
    }
    setup = make(ARM, loads)
    assert setup.targets[-1] == {"tendon_2": pytest.approx(0.3), "tendon_3": 0.1}
    slope = (0.005 - 0.008) / 0.1
    start = 0.008 - slope * 0.003
    azimuth = math.pi  # tendon 2 of 4: 90 deg + 90 deg
    path = np.array([0.103, *(0.005 - start) * np.array([math.cos(azimuth), math.sin(azimuth)])])
    assert setup.problem.tendon_length("tendon_2") == pytest.approx(np.linalg.norm(path))
    setup.problem.set_value("tendon_3", 0.0)
    wrench, size = external(setup.problem)
    # Both ends of a tendon are within the body: its forces cancel where it is straight.
    assert wrench == pytest.approx(np.zeros(6), abs=1e-9 * size)
    # A displacement along the anchor's pull does the work T times its part along the tendon.
    pulled = work(setup, lambda x: np.outer(x[:, 0], path / np.linalg.norm(path)))
    assert pulled == pytest.approx(-0.3 * path[0], rel=1e-9)
    # Where it is anchored: u_x = x y stretches its path by t_x [t_x x y] from end to end.
    along = path[0] / np.linalg.norm(path)
    sheared = work(setup, lambda x: np.outer(x[:, 0] * x[:, 1], (1.0, 0.0, 0.0)))
    assert sheared == pytest.approx(-0.3 * along * 0.103 * -0.005, rel=1e-9)


def test_hoop_tension_does_the_work_of_a_shrinking_circumference() -> None:
    whole = make(MANTLE, {"t": {"kind": "hoop_tension", "tension": 15.0}})
    r, h, angle, cylinder = 0.031, 0.004, math.pi / 4, 0.05
    outer, inner = r + h / 2, r - h / 2
    volume = 2 / 3 * math.pi * (outer**3 - inner**3) * math.sin(angle)
    volume += math.pi * (outer**2 - inner**2) * cylinder

    def widen(x: Array) -> Array:
        return np.column_stack([np.zeros(len(x)), x[:, 1], x[:, 2]])

    assert work(whole, widen) == pytest.approx(-15.0 * volume / h, rel=MESH)
    sphere = r * angle
    band = {"kind": "hoop_tension", "tension": 15.0, "band": (sphere + 0.01, sphere + 0.03)}
    part = make(MANTLE, {"t": band})
    # Scaled to its share of the arc, of a wall whose circumference is the cylinder's.
    assert work(part, widen) == pytest.approx(-15.0 * 2 * math.pi * r * 0.02, rel=0.05)


def test_the_recruited_torque_bends_by_its_moment() -> None:
    load = {"kind": "recruited_torque", "moment": (2e-3, -1e-3), "recruited": 0.5}
    setup = make(ARM, {"m": load})

    def bend(about: int) -> Callable[[Array], Array]:
        """Unit curvature about y (0) or z (1): plane sections that turn with x."""

        def displacement(x: Array) -> Array:
            sign, across = ((1.0, 2), (-1.0, 1))[about]
            u = np.zeros_like(x)
            u[:, 0] = sign * x[:, 0] * x[:, across]
            u[:, across] = -sign * x[:, 0] ** 2 / 2
            return u

        return displacement

    # The moment falls from m to 0 over half the length, so that m L/4 does work on unit curvature.
    for about, moment in enumerate((2e-3, -1e-3)):
        # I varies within a cell and the kink lies in one: coarse cells know that to some per cent.
        assert work(setup, bend(about)) == pytest.approx(moment * 0.1 / 4, rel=0.05)


def test_materials_and_what_a_blocked_tip_is_made_of() -> None:
    free = case_of(ARM, {})
    blocked = case_of(ARM, {}, support={"tip": "blocked"})
    domain = distribute(build_mesh(free.body, 0, size=SIZE["tapered_arm"]), MPI.COMM_SELF)
    of = materials(free, domain)
    assert of["body"] == free.material["body"]
    assert of["disc_tip"] == of["disc_base"]
    assert of["disc_tip"].shear_modulus == STIFFNESS * 3e4
    assert of["disc_tip"].density == 1080.0
    held = materials(blocked, domain)["disc_tip"]
    assert held.bulk_modulus == pytest.approx(STIFFNESS**2 * 3e4)


@pytest.mark.mpi
def test_a_blocked_tip_holds_what_the_base_does_not() -> None:
    load = {"in": {"kind": "pressure", "cavities": ["s1c1"], "pressure": 3000.0}}
    setup = make(SEGMENT, load, support={"tip": "blocked"})
    problem = setup.problem
    for name in setup.targets[-1]:
        problem.set_value(name, 0.0)
    (result,) = march(problem, setup.targets[-1:])
    assert result.stable
    base = problem.reaction("base")
    tip = problem.reaction(cells="disc_tip")
    assert base + tip == pytest.approx(np.zeros(6), abs=1e-8 * abs(tip[3]))
    # The pressed plate wants to move on along x: its support pushes back. Between the pressure on
    # the bore alone (no wall) and what the widening bore pulls back by.
    assert -3000.0 * math.pi * 0.008**2 < tip[3] < 0.0
    here = problem.fields.node_unknowns[problem.fields.node_positions[:, 0] > 0.0551]
    assert np.abs(problem.fields.function.x.array[here]).max(initial=0.0) == 0.0


def test_a_sleeve_and_a_wound_surface_carry_thread() -> None:
    wound = {**SEGMENT, "segments": [{**SEGMENT["segments"][0], "winding_radius": 0.018}]}
    setup = make(wound, {}, winding={"stiffness": 1e5})
    problem = setup.problem
    energy = problem.strain_energy
    assert energy() == pytest.approx(0.0, abs=1e-15)
    fields = problem.fields
    # A widening by 1 % costs k/2 0.01^2 on the thread's area, and the rubber's own energy.
    nodes, x = fields.node_unknowns, fields.node_positions
    fields.function.x.array[nodes[:, 1]] = 0.01 * x[:, 1]
    fields.function.x.array[nodes[:, 2]] = 0.01 * x[:, 2]
    fields.function.x.array[nodes[:, 0]] = (1.01**-2 - 1) * x[:, 0]  # the volume is kept
    fields.function.x.scatter_forward()
    with_thread = energy()
    bare = make(SEGMENT, {}).problem
    bare.fields.function.x.array[:] = 0.0
    thread = 1e5 / 2 * 0.01**2 * 2 * math.pi * 0.018 * 0.05
    stretch = np.array([1.01**-2, 1.01, 1.01])
    of_rubber = np.sum(stretch**2) - 3
    soft = math.pi * (0.02**2 - 0.008**2) * 0.05
    stiff = math.pi * 0.02**2 * 0.009
    rubber = 3e4 / 2 * of_rubber * (soft + STIFFNESS * stiff)
    assert with_thread == pytest.approx(thread + rubber, rel=MESH)
