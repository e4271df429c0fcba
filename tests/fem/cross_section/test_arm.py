"""Section laws of whole arms: rods with the shipped ones against 3D solutions, nothing fitted."""

import numpy as np
import pytest

from loligo.cases.case_file import load
from loligo.cases.core.record import BadInput
from loligo.cases.dataset import io as dataset
from loligo.cases.rubber.elastomer import NeoHooke
from loligo.cases.section_law.law import coordinates
from loligo.fem.cross_section.arm import arm_laws, directions_of, independent
from loligo.fem.cross_section.from_case import section_of
from loligo.fem.cross_section.images import images_of
from loligo.fem.cross_section.law import make_law
from loligo.fem.cross_section.path import follow, free_targets, rest
from loligo.fem.cross_section.plane import domain_of
from loligo.fem.cross_section.problem import SectionProblem, Thread
from loligo.fem.cross_section.solve import HELD, Target, solve
from loligo.meshes.bodies import Hole, Piece
from loligo.meshes.mesh import HEXAHEDRON
from loligo.meshes.plane import build_plane
from loligo.reduced.predict.predict import predict
from loligo.reduced.rod.loads import PointLoad
from loligo.reduced.rod.model import STRAIGHT, Rod
from loligo.reduced.rod.statics import solve as solve_rod
from loligo.reduced.section.law_choice import choose
from loligo.reduced.section.solid_sections import Length, SolidSections
from loligo.validation.data.shipped import folder

MU, A = 0.1e6, 10e-3


def miss(found, reference):
    """Distance of the tips over the displacement of the reference's, step by step."""
    tips = [data["frame"].values[:, -1, :3, 3] for data in (found, reference)]
    at_rest = np.array([reference["station"].values[-1], 0.0, 0.0])
    moved = np.linalg.norm(tips[1] - at_rest, axis=1)
    return np.linalg.norm(tips[0] - tips[1], axis=1) / moved


def _bare(case):
    """The shipped laws without the ends at discs."""
    return choose(case, "rod").laws.without_ends()


@pytest.mark.parametrize(
    ("name", "tip", "volume"),
    [
        ("zhang_actuator", 0.005, 0.005),
        ("gong_bending_one", 0.015, 0.005),
        ("gong_bending_two", 0.015, 0.005),
        ("gong_bending_three", 0.015, 0.005),
        ("gong_elongation", 0.015, 0.005),
        ("gong_arm", 0.015, 0.005),
        ("liu_segment", 0.015, 0.005),
        ("liu_arm", 0.015, 0.005),
        ("zhang_joint_one", 0.02, 0.01),
        ("zhang_joint_two", 0.02, 0.01),
        ("zhang_joint_three", 0.02, 0.01),
    ],
)
def test_a_rod_follows_the_solid_at_every_step(name, tip, volume):
    """With the ends at the discs, of whole arms, too; nothing is fitted."""
    found = predict(load(name))
    reference = dataset.read(folder() / f"{name}.nc")
    assert found.attrs["status"] == "complete" and found.attrs["law_beyond"] == ""
    assert "left_out" not in found.attrs
    assert miss(found, reference).max() < tip
    assert found["volume"].values == pytest.approx(reference["volume"].values, rel=volume)


def test_without_ends_a_rod_follows_the_solid_to_five_percent():
    """That is most of what is left."""
    name = "gong_bending_one"
    case, reference = load(name), dataset.read(folder() / f"{name}.nc")
    found = predict(case, law=_bare(case))
    assert 0.01 < miss(found, reference).max() < 0.05
    assert "a section beside a plate is as free" in found.attrs["assumptions"]


def test_wrenches_of_solid_and_fluid_are_those_of_the_solid():
    found = predict(load("gong_bending_one"))
    reference = dataset.read(folder() / "gong_bending_one.nc")
    middle = found.sizes["station"] // 2
    scale = np.array([0.01] * 3 + [1.0] * 3)  # moments by the chambers' distance from the axis
    for name in ("wrench", "wrench_fluid"):
        ours, theirs = (data[name].values[:, middle] / scale for data in (found, reference))
        off = np.linalg.norm(ours - theirs, axis=1)
        assert (off < 0.01 * np.linalg.norm(theirs, axis=1)).all()


def test_arcs_take_the_law_as_well():
    """A free arm under pressure bends alike all along, save at its ends: one arc is the rod."""
    case = load("zhang_actuator")
    rod, arc = (predict(case, model, law=_bare(case)) for model in ("rod", "pcc"))
    assert arc["frame"].values == pytest.approx(rod["frame"].values, abs=1e-9)
    rod, arc = (predict(case, model) for model in ("rod", "pcc"))
    assert miss(arc, rod).max() < 5e-3  # the strain of an end, spread along the arc


def test_a_cone_of_plain_rubber_under_a_tip_force():
    name = "renda_arm_tip_force"
    found = predict(load(name))
    reference = dataset.read(folder() / f"{name}.nc")
    assert miss(found, reference).max() < 0.01
    stored = found["stored_energy"].values[-1]
    assert stored == pytest.approx(float(reference["stored_energy"][-1]), rel=0.01)


def test_sections_of_one_rubber_are_similar():
    """Half the size at twice the bend: an eighth of the moments, a quarter of the forces."""
    strain = np.array([3.0, 20.0, -8.0, 1.15, 0.05, 0.02])
    wrenches = []
    for size in (1.0, 0.5):
        piece = Piece("body", 0.0, 1.0, size * A, size * A)
        domain = domain_of(build_plane(piece, size * A / 4, HEXAHEDRON))
        problem = SectionProblem(domain, {"body": NeoHooke(mu=MU, density=1000)})
        start = rest(problem)
        target = strain / np.array([size] * 3 + [1.0] * 3)
        (state,) = follow(problem, [Target(np.zeros(0), HELD, target)], start)
        wrenches.append(state.wrench)
    assert wrenches[1] == pytest.approx(wrenches[0] * np.array([1 / 8] * 3 + [1 / 4] * 3), rel=1e-6)


@pytest.fixture(scope="module")
def piece():
    """A tube with its bore off the axis and hoops outside: pressure bends and lengthens it."""
    return Piece("body", 0.0, 0.1, A, A, (Hole("cavity_c", 0.0, 3e-3, 4e-3),), A)


@pytest.fixture(scope="module")
def problem(piece):
    return SectionProblem(
        domain_of(build_plane(piece, A / 6, HEXAHEDRON)),
        {"body": NeoHooke(mu=MU, density=1000)},
        chambers=["cavity_c"],
        threads=[Thread("winding", 1e3 * MU * A)],
    )


@pytest.fixture(scope="module")
def law(problem):
    return make_law(problem, ["c"], np.array([[0.3 * MU]]), images_of([(0.0, 3e-3)]))


def test_a_rod_with_the_law_is_one_with_the_section_problem(piece, problem, law):
    """Free, and under a tip force that doubles the bend at the base."""
    pressure = np.array([0.2 * MU])
    (free,) = follow(problem, free_targets([pressure]))

    def direct(excess, X):
        states = [
            solve(problem, Target(pressure, HELD, strain), free) for strain in excess + STRAIGHT
        ]
        tangents = [state.tangent[:6, :6] for state in states]
        return np.array([state.wrench for state in states]), np.array(tangents)

    pressed = SolidSections((Length(piece, law),)).at({"c": pressure[0]})
    # A guess beside the free state: this far from it the section problem has to be solved at all.
    guess = solve_rod(Rod(0.1, law=pressed.section_law(), degrees=1, cells=2), [])
    for force, allowed in (((0.0, 0.0, 0.0), max(3 * law.error, 1e-5)), ((0.0, 0.0, -0.1), 0.01)):
        tips = []
        for section in (pressed.section_law(), direct):
            rod = Rod(0.1, law=section, degrees=1, cells=2)
            loads = [PointLoad(force=np.array(force), at=0.1)]
            tips.append(solve_rod(rod, loads, guess).tip_position)
        moved = np.linalg.norm(tips[1] - [0.1, 0.0, 0.0])
        assert moved > 0.01
        assert np.linalg.norm(tips[0] - tips[1]) < allowed * moved


def test_wrench_of_the_fluid_and_energy_beside_the_free_state(problem, law):
    """Some percent of bend and stretch away, to 2 % of the differences from the free state."""
    pressure = np.array([0.23 * MU])
    (free,) = follow(problem, free_targets([pressure]))
    at_free = free.wrench - free.wrench_solid
    found = law.fluid_wrench(pressure, free.strain[None])[0]
    assert found == pytest.approx(at_free, rel=1e-3, abs=1e-7)
    way = np.array([3.0, 5.0, -4.0, 0.04, 0.03, -0.03])
    scale = np.array([A] * 3 + [1.0] * 3)
    for part in (0.5, 0.25):
        strain = free.strain + part * way
        (state,) = follow(problem, [Target(pressure, HELD, strain)], free)
        fluid = state.wrench - state.wrench_solid
        off = law.fluid_wrench(pressure, strain[None])[0] - fluid
        assert np.linalg.norm(off / scale) < 0.02 * np.linalg.norm((fluid - at_free) / scale)
        stored = law.energy(pressure, strain[None])[0] - free.energy
        assert stored == pytest.approx(state.energy - free.energy, rel=0.02)
        assert law.volumes(pressure, strain[None])[0] == pytest.approx(state.volumes, rel=1e-3)


@pytest.mark.slow
def test_two_chambers_that_differ_are_independent():
    """Neither may take the other's place: states are spread over the whole square of pressures."""
    holes = (Hole("cavity_a", 0.0, 5e-3, 2.5e-3), Hole("cavity_b", 0.0, -4e-3, 4e-3))
    piece = Piece("body", 0.0, 1.0, A, A, holes, A)
    problem = SectionProblem(
        domain_of(build_plane(piece, A / 5, HEXAHEDRON)),
        {"body": NeoHooke(mu=MU, density=1000)},
        chambers=["cavity_a", "cavity_b"],
        threads=[Thread("winding", 1e3 * MU * A)],
    )
    law = make_law(problem, ["a", "b"], np.diag([0.3 * MU, 0.25 * MU]))
    for share in ([0.1, 0.9], [0.9, 0.15], [0.45, 0.7]):
        pressure = np.array(share) * [0.3 * MU, 0.25 * MU]
        (state,) = follow(problem, free_targets([pressure]))
        off = coordinates(law.at(pressure).free_strain) - coordinates(state.strain)
        size = np.linalg.norm(coordinates(state.strain))
        assert np.linalg.norm(off) < 0.005 * size
        assert law.volumes(pressure, state.strain[None])[0] == pytest.approx(
            state.volumes, rel=2e-3
        )


def test_chambers_in_proportion_share_a_parameter():
    found = directions_of(
        {"a": [1e3, 2e3], "b": [0.0, 0.0], "c": [-2e3, -4e3], "d": [0.0, 5e3], "e": [0.0, 1e3]}
    )
    assert found == pytest.approx(np.array([[2e3, 0, -4e3, 0, 0], [0, 0, 0, 5e3, 1e3]]).T, abs=1e-9)
    assert directions_of({}).shape == (0, 0)
    with pytest.raises(BadInput, match="the pressure of a changes its sign"):
        directions_of({"a": [1e3, -1e3]})


def test_a_pressure_for_every_chamber_alone():
    pressures = independent(load("gong_bending_one"), 2e4)
    assert directions_of(pressures) == pytest.approx(2e4 * np.eye(3))


def test_a_taper_around_a_bore_is_refused():
    case = load("renda_arm_tip_force")
    body = case.body.model_copy(update={"bore_radius": 1e-3})
    with pytest.raises(BadInput, match="tapers around a bore"):
        arm_laws(case.model_copy(update={"body": body}), {})


def test_thread_that_slackens_has_a_law_from_small_pressures_on():
    """At rest the stiffness jumps; a polynomial through the jump is wrong everywhere."""
    problem = section_of(load("zhang_joint_two"), 0.11, size=4e-3)
    assert problem.slackens
    directions = np.array([[5e4], [5e4], [0.0]])
    law = make_law(problem, ["a", "b", "c"], directions)
    assert law.error < 0.02
    pressure = 0.07 * directions[:, 0]
    (state,) = follow(problem, free_targets([pressure]))
    stiffness, found = state.tangent[:6, :6], law.at(pressure).wrench(state.strain[None])[1][0]
    root = np.sqrt(np.diag(stiffness))
    assert np.abs((found - stiffness) / np.outer(root, root)).max() < 0.02
