"""The fitted law against section problems at states that it has not seen."""

import math

import numpy as np
import pytest

from loligo.cases.case_file import load
from loligo.cases.rubber.elastomer import NeoHooke
from loligo.fem.cross_section.from_case import section_of
from loligo.fem.cross_section.images import images_of
from loligo.fem.cross_section.law import make_law
from loligo.fem.cross_section.path import follow, free_targets, rest
from loligo.fem.cross_section.plane import domain_of
from loligo.fem.cross_section.problem import SectionProblem, Thread
from loligo.fem.cross_section.solve import HELD, Target, solve
from loligo.fem.section_slice import section_law
from loligo.meshes.bodies import Hole, Piece, pieces
from loligo.meshes.mesh import HEXAHEDRON
from loligo.meshes.plane import build_plane

MU, A = 0.1e6, 10e-3


@pytest.fixture(scope="module")
def eccentric():
    """A tube with its bore off the axis and hoops outside: pressure bends and lengthens it."""
    piece = Piece("body", 0.0, 1.0, A, A, (Hole("cavity", 0.0, 3e-3, 4e-3),), A)
    domain = domain_of(build_plane(piece, A / 6, HEXAHEDRON))
    return SectionProblem(
        domain,
        {"body": NeoHooke(mu=MU, density=1000)},
        chambers=["cavity"],
        threads=[Thread("winding", 1e3 * MU * A)],
    )


@pytest.fixture(scope="module")
def law(eccentric):
    return make_law(eccentric, ["cavity"], np.array([[0.3 * MU]]), images_of([(0.0, 3e-3)]))


def test_free_strain_and_volume_at_other_pressures(eccentric, law):
    for fraction in (0.13, 0.58, 0.95):
        pressure = np.array([fraction * 0.3 * MU])
        (state,) = follow(eccentric, free_targets([pressure]))
        free = law.at(pressure).free_strain
        size = np.linalg.norm(state.strain - [0, 0, 0, 1, 0, 0])
        assert np.linalg.norm(free - state.strain) < max(3 * law.error, 1e-5) * size
        volume = law.volumes(pressure, state.strain[None])[0]
        assert volume == pytest.approx(state.volumes, rel=max(3 * law.error, 1e-5))
    assert law.error < 2e-3


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_wrench_beside_the_free_state(eccentric, law, seed):
    """Within half of the law's reach a wrench is right to 1 % of its difference from zero."""
    pressure = np.array([0.2 * MU])
    (state,) = follow(eccentric, free_targets([pressure]))
    way = np.random.default_rng(seed).normal(size=6)
    way *= 0.5 * law.reach / np.linalg.norm(way) / np.array([law.radius] * 3 + [1.0] * 3)
    strain = state.strain + way
    exact = solve(eccentric, Target(pressure, HELD, strain), state).wrench
    found = law.at(pressure).wrench(strain[None])[0][0]
    scale = np.array([1 / law.radius] * 3 + [1.0] * 3)
    assert np.linalg.norm((found - exact) * scale) < 0.01 * np.linalg.norm(exact * scale)


def test_symmetries_of_three_chambers():
    """Three turns and three mirrors; each maps the chambers and the bend alike."""
    centres = [(math.cos(a), math.sin(a)) for a in np.deg2rad([90.0, 210.0, 330.0])]
    images = images_of(centres)
    assert len(images) == 6
    place = np.array([[0.0, y, z] for y, z in centres])
    for one in images:
        moved = place @ one.matrix[3:, 3:].T  # where each chamber goes
        assert moved[list(one.order)] == pytest.approx(place, abs=1e-9)
        bend = np.cross([1.0, 0.0, 0.0], place)  # axis about which each chamber's pressure bends
        turned = bend @ one.matrix[:3, :3].T
        assert turned[list(one.order)] == pytest.approx(bend, abs=1e-9)


def test_symmetries_of_one_and_of_no_chamber():
    (same, mirror) = images_of([(0.0, 3e-3)])
    assert np.allclose(same.matrix, np.eye(6))
    # The mirror in y = 0 turns the bend about z and the torsion round, and the shear along y.
    assert np.allclose(np.diag(mirror.matrix), [-1, 1, -1, 1, -1, 1])
    assert len(images_of([])) == 1


def test_stiffness_at_rest_is_the_slices():
    """Torsion, bends and stretch, and their couplings, of Gong's segment: two discretisations.

    Shear differs by more than the mesh: under a uniform shear nothing varies along the axis, under
    a shear force the bend and its lateral contraction do. Of a round section of incompressible
    rubber the shear factors are 6/7 and Cowper's 9/10.
    """
    case = load("gong_bending_one")
    soft = next(p for p in pieces(case.body) if p.region == "body")
    x = (soft.start + soft.end) / 2
    ours = rest(section_of(case, x)).tangent
    slice_ = section_law(case.body, case.material, case.winding, x)
    scale = np.sqrt(np.diag(slice_.stiffness))
    k, s = ours[:6, :6] / np.outer(scale, scale), slice_.stiffness / np.outer(scale, scale)
    assert np.abs(k - s)[:4, :4].max() < 0.02
    arms = -ours[:6, 6:]  # wrench per pressure
    assert (
        np.abs((arms - slice_.arms) / scale[:, None]).max()
        < 0.02 * np.abs(slice_.arms / scale[:, None]).max()
    )


def test_shear_of_a_round_section_is_six_sevenths():
    piece = Piece("body", 0.0, 1.0, A, A)
    domain = domain_of(build_plane(piece, A / 4, HEXAHEDRON))
    problem = SectionProblem(domain, {"body": NeoHooke(mu=MU, density=1000)})
    shear = np.diag(rest(problem).tangent)[4:6] / (MU * math.pi * A**2)
    assert shear == pytest.approx([6 / 7, 6 / 7], rel=1e-4)
