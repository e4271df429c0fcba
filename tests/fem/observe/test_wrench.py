"""Section wrenches against nodal forces on the cut and against loads computed by hand."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from mpi4py import MPI

import dolfinx
import numpy as np
import pytest
import ufl
from dolfinx.fem import form

from loligo.cases.body import ChamberedArm, Segment, TaperedArm, Tendons
from loligo.cases.case import GRAVITY, Case, Support
from loligo.cases.load.kinds import (
    CavityPressure,
    OuterPressure,
    RecruitedTorque,
    TendonTension,
    TipForce,
    TipMoment,
    Water,
    Weight,
)
from loligo.cases.rubber.elastomer import NeoHooke
from loligo.cases.water import Surroundings
from loligo.fem.core.domain import distribute
from loligo.fem.core.measure import Probe
from loligo.fem.from_case import set_up
from loligo.fem.march.static import march
from loligo.fem.observe.observer import Observer
from loligo.fem.problem.problem import Problem
from loligo.meshes import bodies
from loligo.meshes.build import build_mesh
from loligo.reduced.predict.predict import predict

Array = np.ndarray
RUBBER = NeoHooke(mu=20e3, density=1200.0)
CONE = TaperedArm(
    length=0.05,
    base_radius=0.01,
    tip_radius=0.008,
    base_disc=0.002,
    tip_disc=0.003,
    tendons=Tendons(count=4, base_offset=0.006, tip_offset=0.005),
    stations=4,
)
SEGMENT = ChamberedArm(
    radius=0.017,
    plates=(0.005, 0.005),
    segments=(Segment(length=0.04, chambers=1, chamber_radius=0.005, chamber_offset=0.01),),
    stations=3,
)
SOLVER = 1e-7
"""Newton's tolerance of 1e-9 is relative to internal forces, up to a hundred times the wrench."""


def study(body: Any, *loads: Any, **more: Any) -> Case:
    return Case(
        name="study",
        title="a test",
        source="none",
        body=body,
        material={"body": RUBBER},
        load={f"l{i}": load for i, load in enumerate(loads)},
        steps=(1.0,),
        **more,
    )


def solve(case: Case, size: float = 0.01) -> tuple[Problem, dict[str, Array]]:
    """The last state of a case on a coarse mesh, observed."""
    comm = MPI.COMM_WORLD
    mesh = build_mesh(case.body, 0, size=size) if comm.rank == 0 else None
    setup = set_up(case, distribute(mesh, comm))
    observer = Observer(setup.problem, case)
    for result in march(setup.problem, setup.targets):
        found = observer.observe(result)
    return setup.problem, found


def fixed(found: dict[str, Array], name: str = "wrench") -> Array:
    """Wrenches of all stations in fixed axes, about the origin."""
    frame, wrench = found["frame"], found[name]
    moment, force = (
        np.einsum("sij,sj->si", frame[:, :3, :3], wrench[:, i : i + 3]) for i in (0, 3)
    )
    return np.hstack([moment + np.cross(frame[:, :3, 3], force), force])


def on_the_cut(problem: Problem, plane: float) -> Array:
    """What the cells beyond a plane do to the nodes in it, by their own nodal forces."""
    mesh, k, fields = problem.domain.mesh, problem.kinematics, problem.fields
    chi = dolfinx.fem.Function(dolfinx.fem.functionspace(mesh, ("DG", 0)))
    middle = chi.function_space.tabulate_dof_coordinates()[:, 0]
    chi.x.array[:] = middle > plane
    c, j = k.gradient.T * k.gradient, ufl.det(k.gradient)
    energy = sum(
        chi * (m.isochoric(c, j) + m.mixed_volumetric(j, fields.pressure)) * k.cells(g)
        for g, m in problem.materials.items()
    )
    beyond = replace(k, virtual=chi * k.virtual)  # chi is constant in every cell
    parts = [ufl.derivative(energy, fields.function, fields.test)]
    parts += [
        -load.virtual_work(beyond, dolfinx.fem.Constant(mesh, problem.values[load.name]))
        for load in (*problem.loads, *problem.cavities)
    ]
    vector = dolfinx.fem.Function(fields.space).x
    for part in parts:
        dolfinx.fem.assemble_vector(vector.array, form(part))
    vector.scatter_reverse(dolfinx.la.InsertMode.add)
    cut = np.isclose(fields.node_positions[:, 0], plane, atol=1e-9)
    unknowns = fields.node_unknowns[cut]
    x = fields.node_positions[cut] + fields.function.x.array[unknowns]
    force = -vector.array[unknowns]
    return problem.comm.allreduce(np.concatenate([np.cross(x, force).sum(0), force.sum(0)]))


def volumes(problem: Problem, planes: Array) -> Array:
    """Deformed volumes of the mesh between planes x = const at rest, and beyond the last one."""
    mesh = problem.domain.mesh
    space = dolfinx.fem.functionspace(mesh, ("DG", 0))
    owned = mesh.topology.index_map(3).size_local
    middle = space.tabulate_dof_coordinates()[:owned, 0]
    volume = ufl.TestFunction(space) * ufl.det(problem.kinematics.gradient)
    dx = ufl.dx(mesh, metadata={"quadrature_degree": 8})
    cells = dolfinx.fem.assemble_vector(form(volume * dx))
    beyond = [problem.comm.allreduce(cells.array[:owned][middle > x].sum()) for x in planes]
    return -np.diff([*beyond, 0.0])


TIP_LOADS = TipForce(force=(0.02, 0.05, -0.03)), TipMoment(moment=(1e-3, -5e-4, 1e-3))
WATER = {"water": Surroundings(density=1000.0, base_depth=0.3), "gravity": (0.6, 0.8, 0.0)}


@pytest.mark.mpi
@pytest.mark.parametrize(
    "case",
    [
        study(CONE, *TIP_LOADS),
        study(CONE, Weight(), gravity=(0.0, 0.6, 0.8)),
        study(CONE, RecruitedTorque(moment=(2e-3, 1e-3)), TIP_LOADS[0]),
        study(SEGMENT, CavityPressure(cavities=("s1c1",), pressure=4e3), Weight()),
    ],
    ids=["tip", "weight", "torque", "chamber"],
)
def test_equals_the_nodal_forces_on_the_cut(case: Case) -> None:
    problem, found = solve(case)
    wrench = fixed(found)
    scale = np.abs(wrench).reshape(-1, 2, 3).max(axis=(0, 2)).repeat(3)
    for x, at in list(zip(bodies.stations(case.body), wrench, strict=True))[1:-1]:
        np.testing.assert_allclose(at / scale, on_the_cut(problem, x) / scale, atol=SOLVER)


@pytest.mark.mpi
def test_tip_loads_by_hand() -> None:
    """Everywhere force and moment of the tip, about where the tip has moved."""
    problem, found = solve(study(CONE, *TIP_LOADS))
    tip = np.array([[CONE.base_disc + CONE.length, 0.0, 0.0]])
    moved = tip + Probe(problem.domain.mesh, tip).read(problem.fields.displacement_field())
    force, moment = np.array(TIP_LOADS[0].force), np.array(TIP_LOADS[1].moment)
    expected = np.concatenate([moment + np.cross(moved[0], force), force])
    wrench = fixed(found)
    # The disc is not quite rigid: its centre is 1e-5 of the way off what a rigid disc says.
    np.testing.assert_allclose(wrench[:, 3:], np.tile(force, (4, 1)), atol=1e-12)
    np.testing.assert_allclose(wrench[:, :3], np.tile(expected[:3], (4, 1)), atol=2e-4 * 1e-3)
    np.testing.assert_allclose(found["reaction"], -expected, atol=2e-4 * 1e-3)


@pytest.mark.mpi
def test_weight_jumps_by_the_slabs() -> None:
    gravity = np.array([0.0, 0.6, 0.8])
    problem, found = solve(study(CONE, Weight(), gravity=tuple(gravity)))
    force = fixed(found)[:, 3:]
    parts = volumes(problem, np.array([-1.0, *bodies.stations(CONE)]))
    weights = np.outer(parts, 1200.0 * GRAVITY * gravity)
    # Mass is that at rest; slab by slab a mixed method keeps the volume to 1e-3 only.
    np.testing.assert_allclose(-np.diff(force, axis=0), weights[1:-1], rtol=3e-3, atol=1e-9)
    np.testing.assert_allclose(force[-1], weights[-1], rtol=3e-3, atol=1e-9)
    np.testing.assert_allclose(-found["reaction"][3:], weights.sum(0), rtol=1e-5, atol=SOLVER)
    # The mesh is that of the body, up to what eighteen quadratic edges lose of a circle.
    assert parts.sum() == pytest.approx(sum(bodies.volumes(CONE).values()), rel=5e-3)


@pytest.mark.mpi
def test_water_leaves_buoyancy_alone() -> None:
    """0.3 m of water are 0.9 N on the section; what remains is a tenth of that."""
    down = np.array(WATER["gravity"])
    problem, found = solve(study(CONE, Water(), **WATER))
    force = fixed(found)[:, 3:]
    lift = np.outer(volumes(problem, np.array([-1.0, *bodies.stations(CONE)])), -9810.0 * down)
    # All integrals are of polynomials on faces and in cells: 3 kPa on the section to 1e-9.
    close = 1e-9 * 3e3 * np.pi * CONE.base_radius**2
    np.testing.assert_allclose(-np.diff(force, axis=0), lift[1:-1], atol=close)
    np.testing.assert_allclose(force[-1], lift[-1], atol=close)
    np.testing.assert_allclose(-found["reaction"][3:], lift.sum(0), atol=SOLVER)


@pytest.mark.mpi
def test_uniform_outer_pressure_leaves_nothing() -> None:
    _, found = solve(study(CONE, OuterPressure(pressure=5e3)))
    scale = 5e3 * np.pi * CONE.base_radius**2
    np.testing.assert_allclose(found["wrench"][:, 3:], 0.0, atol=1e-6 * scale)
    np.testing.assert_allclose(found["wrench"][:, :3], 0.0, atol=1e-6 * scale * CONE.length)


@pytest.mark.mpi
def test_outer_pressure_lowers_the_gauge_pressure_of_a_chamber() -> None:
    """Rubber does not feel pressure all around: 4 kPa gauge is 9 inside and 5 outside."""
    inside = CavityPressure(cavities=("s1c1",), pressure=9e3)
    _, gauge = solve(study(SEGMENT, inside.model_copy(update={"pressure": 4e3})))
    _, both = solve(study(SEGMENT, inside, OuterPressure(pressure=5e3)))
    for name in ("wrench", "wrench_fluid", "frame", "pressure"):
        scale = np.abs(gauge[name]).max()
        np.testing.assert_allclose(both[name], gauge[name], atol=1e-6 * scale)


@pytest.mark.mpi
def test_a_chamber_pulls_the_solid_and_pushes_the_fluid() -> None:
    """p A of the deformed bore, A from how the volume changes along it; nothing else acts."""
    pressure = 4e3
    problem, found = solve(study(SEGMENT, CavityPressure(cavities=("s1c1",), pressure=pressure)))
    np.testing.assert_allclose(fixed(found) + fixed(found, "wrench_fluid"), 0.0, atol=1e-8)
    # The bore's rim in the middle section: 40 points just outside its wall, shrunk onto it.
    hole = bodies.pieces(SEGMENT)[1].holes[0]
    phi = np.arange(40) * np.pi / 20
    rim = []
    for scale in (1.02, 1.04):
        y, z = (a + scale * hole.radius * f(phi) for a, f in ((hole.y, np.cos), (hole.z, np.sin)))
        at = np.column_stack([np.full(40, bodies.stations(SEGMENT)[1]), y, z])
        rim.append(at + Probe(problem.domain.mesh, at).read(problem.fields.displacement_field()))
    wall = 2 * rim[0] - rim[1]
    area = np.cross(wall, np.roll(wall, -1, axis=0)).sum(0) / 2
    area *= 1.0 + (np.pi / 40) ** 2 * 2 / 3  # of a polygon in a circle
    pull = fixed(found)[1, 3:]
    # Linear extrapolation over 2 % of the radius and a coarse mesh's bore: 1 %.
    np.testing.assert_allclose(pull, pressure * area, atol=1e-2 * pressure * np.linalg.norm(area))
    assert np.linalg.norm(area) > 1.02 * np.pi * hole.radius**2  # the bore has opened


@pytest.mark.mpi
def test_a_tendon_compresses_the_solid() -> None:
    tension = 0.4
    problem, found = solve(study(CONE, TendonTension(tendons=(1,), tension=tension)))
    path = np.array(problem.tendons[0].path)
    x = bodies.stations(CONE)
    share = x / path[1, 0]
    ends = [path[0] + np.outer(np.clip(share + d, 0, 1), path[1] - path[0]) for d in (-1e-3, 1e-3)]
    field = problem.fields.displacement_field()
    before, after = (p + Probe(problem.domain.mesh, p).read(field) for p in ends)
    pull = tension * (after - before) / np.linalg.norm(after - before, axis=1, keepdims=True)
    expected = -np.hstack([np.cross((after + before) / 2, pull), pull])
    # The tendon leaves nothing beyond its anchor, and the pull of who holds it at the base.
    np.testing.assert_allclose(fixed(found)[:, 3:], expected[:, 3:], atol=2e-3 * tension)
    np.testing.assert_allclose(fixed(found)[:, :3], expected[:, :3], atol=2e-3 * tension * 0.05)
    crossing = fixed(found, "wrench_tendon")
    np.testing.assert_allclose(crossing[:, 3:], pull, atol=2e-3 * tension)
    np.testing.assert_allclose(crossing, -fixed(found), atol=1e-8)  # nothing else acts
    # Every tendon's length, as chords of its moved path: 1 is pulled short, 3 beyond it pays out.
    assert found["tendon_tension"].tolist() == [tension, 0.0, 0.0, 0.0]
    azimuth = np.pi / 2 + np.pi / 2 * np.arange(4)
    along = np.linspace(0.0, 1.0, 401)[:, None]
    for phi, length in zip(azimuth, found["tendon_length"], strict=True):
        across = np.array([np.cos(phi), np.sin(phi)])
        root, anchor = np.append(0.0, 0.00604 * across), np.append(0.052, 0.005 * across)
        line = root + along * (anchor - root)
        chords = np.diff(line + Probe(problem.domain.mesh, line).read(field), axis=0)
        assert length == pytest.approx(np.linalg.norm(chords, axis=1).sum(), rel=1e-5)
    at_rest = np.hypot(0.052, 0.00104)
    assert found["tendon_length"][0] < 0.95 * at_rest < 1.01 * at_rest < found["tendon_length"][2]
    # Pulled from beyond the base face, it presses the body onto its support, 6.04 mm from
    # the axis towards +z, and leaning 1 in 50 as the path does. A rod says the same.
    lean = np.array([50.0, 0.0, -1.0]) / np.hypot(50.0, 1.0)
    pressed = np.append(np.cross([0.0, 0.0, 0.00604], lean), lean) * tension
    np.testing.assert_allclose(found["reaction"][3:], pressed[3:], atol=2e-3 * tension)
    np.testing.assert_allclose(found["reaction"][:3], pressed[:3], atol=2e-3 * tension * 0.05)
    rod = predict(study(CONE, TendonTension(tendons=(1,), tension=tension)), "rod")
    np.testing.assert_allclose(rod["reaction"].values[-1], pressed, atol=1e-9 * tension)
    # The stress on the cut agrees as far as a coarse mesh resolves it around a line force.
    np.testing.assert_allclose(on_the_cut(problem, x[2])[3:], expected[2, 3:], atol=0.1 * tension)


@pytest.mark.mpi
def test_a_blocked_tip() -> None:
    case = study(
        SEGMENT,
        CavityPressure(cavities=("s1c1",), pressure=4e3),
        Weight(),
        gravity=(0.0, 0.0, -1.0),
        support=Support(tip="blocked"),
    )
    problem, found = solve(case)
    total = fixed(found) + fixed(found, "wrench_fluid")
    weight = sum(bodies.volumes(SEGMENT).values()) * 1200.0 * GRAVITY
    assert found["reaction"][5] + found["reaction_tip"][5] == pytest.approx(weight, rel=1e-3)
    # At the last section the held disc alone acts: with its weight, about its inner face's centre.
    inner = np.array([bodies.stations(SEGMENT)[-1], 0.0, 0.0])
    disc = 1200.0 * GRAVITY * bodies.volumes(SEGMENT)["disc_tip"] * np.array([0.0, 0.0, -1.0])
    lever = np.array([SEGMENT.plates[1] / 2, 0.0, 0.0])
    about = total[-1, :3] - np.cross(inner, total[-1, 3:])
    tip = found["reaction_tip"]
    scale = np.abs(tip[3:]).max()
    np.testing.assert_allclose(total[-1, 3:], tip[3:] + disc, atol=1e-3 * scale)
    np.testing.assert_allclose(about, tip[:3] + np.cross(lever, disc), atol=1e-3 * scale * 0.04)
    middle = on_the_cut(problem, bodies.stations(SEGMENT)[1])
    np.testing.assert_allclose(fixed(found)[1], middle, atol=SOLVER * np.abs(middle).max())


@pytest.mark.mpi
def test_slabs_of_a_bent_body() -> None:
    """Around a corner of the centreline the section's plane divides, whatever lies outside it."""
    from loligo.fem.observe.wrench import Slabs

    corners = np.array([[0.0, 0, 0], [1.0, 0, 0], [1.0, 1.0, 0]])
    bisector = np.array([1.0, 1.0, 0]) / np.sqrt(2)
    planes = [(corners[0], np.eye(3)[0]), (corners[1], bisector), (corners[2], np.eye(3)[1])]
    slabs = Slabs.__new__(Slabs)
    slabs._corners, slabs._planes = corners, planes
    points = [[0.5, 0.1, 0], [0.9, 0.3, 0], [1.1, 0.3, 0], [1.2, -0.1, 0], [1.1, -0.2, 0]]
    np.testing.assert_array_equal(slabs.find(np.array(points)), [1, 2, 2, 2, 1])


def test_in_section_transports_moments(deform: Callable[..., None]) -> None:
    from loligo.fem.observe.wrench import in_section

    turn = np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])
    frame = np.eye(4)
    frame[:3, :3], frame[:3, 3] = turn, (1.0, 2.0, 3.0)
    found = in_section(np.array([[0.0, 0, 0, 1, 0, 0]]), frame[None])
    # -(1, 2, 3) x e_x = (0, -3, 2); the frame's first axis is y, its second -x.
    np.testing.assert_allclose(found, [[-3.0, 0, 2, 0, -1, 0]], atol=1e-15)
