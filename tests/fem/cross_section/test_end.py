"""Ends of a body at its discs: against pieces of another length, and against whole bodies in 3D."""

from functools import cache

from mpi4py import MPI

import numpy as np
import pytest

from loligo.cases.case_file import load
from loligo.cases.coefficients import fingerprint
from loligo.cases.load.kinds import TipForce
from loligo.cases.section_law.law import ArmLaws
from loligo.fem.cross_section import end
from loligo.fem.cross_section.arm import arm_laws
from loligo.fem.cross_section.end import make_end
from loligo.fem.cross_section.end_piece import EndPiece
from loligo.fem.cross_section.from_case import section_of
from loligo.fem.cross_section.path import follow, free_targets
from loligo.fem.run import Run
from loligo.meshes.bodies import Piece, soft_piece
from loligo.reduced.predict.arm_loads import cavity_pressures
from loligo.reduced.predict.predict import predict

R = 17e-3


@cache
def laws(name):
    case = load(name)
    steps = [cavity_pressures(case.body, case, step) for step in range(len(case.steps))]
    pressures = {cavity: [at[cavity] for at in steps] for cavity in case.body.cavities}
    return ArmLaws(tuple(arm_laws(case, pressures)), fingerprint(case))


def test_the_lost_length_is_not_that_of_the_piece():
    """A central bore at 15 kPa: an end stretches by 1.7 mm less of its length than its section."""
    case = load("gong_elongation")
    piece, pressures = soft_piece(case.body, 40e-3), [np.array([15e3])]
    (uniform,) = follow(section_of(case, 40e-3, R / 3), free_targets(pressures))
    stretch = uniform.strain[3]
    lost = []
    for depth in (2.0 * R, 3.0 * R):
        (state,) = EndPiece(case, piece, depth, R / 3).states(pressures)
        assert state.frame[:3, :3] == pytest.approx(np.eye(3), abs=1e-9)
        lost.append((stretch * depth - state.frame[0, 3]) / (stretch - 1.0))
        swelling = uniform.volumes[0] - np.pi * 9e-3**2
        assert (uniform.volumes * depth - state.volumes)[0] > 0.02 * depth * swelling
    assert lost == pytest.approx([1.70e-3] * 2, rel=0.01)


def test_compliance_of_a_bonded_cylinder():
    """In the middle it is that of a bar, (l - lost)/(E A) and (l - lost)/(E I).

    The differences of two lengths have no end in them. A whole cylinder of four radii of coarse
    tetrahedra, clamped at one end and with a thick disc at the other, loses 0.17 and 0.13 radii an
    end.
    """
    case = load("gong_elongation").model_copy(update={"winding": None})
    young = 3.0 * case.material["body"].shear_modulus
    area, second = np.pi * R**2, np.pi * R**4 / 4.0
    found = []
    for depth in (2.0, 3.0):
        cylinder = Piece("body", 0.0, R, R, R)
        (state,) = EndPiece(case, cylinder, depth * R, R / 4.5).states([np.zeros(0)])
        c = state.compliance
        assert c[0, 1:] == pytest.approx(c[0, 0], rel=1e-8)  # nothing bends by a pull in the axis
        bend = (c[1, 1] - c[0, 0]) / R**2
        found.append([c[0, 0] * young * area / R, bend * young * second / R])
    assert np.subtract(found[1], found[0]) == pytest.approx([1.0, 1.0], rel=2e-4)
    assert np.subtract([3.0, 3.0], found[1]) == pytest.approx([0.162, 0.123], abs=0.002)


def test_where_the_end_is_cut_has_no_influence(monkeypatch):
    """Its displacement is that of the piece: the stretch that stands for it only distributes it."""
    case = load("gong_elongation")
    piece, directions = soft_piece(case.body, 40e-3), np.array([[25e3]])
    monkeypatch.setattr(end, "_places", lambda count, taut: [np.array([1.0])])
    (uniform,) = follow(section_of(case, 40e-3, R / 3), free_targets([directions[:, 0]]))
    gains = []
    for length in (0.7, 1.0):
        monkeypatch.setattr(end, "LENGTH", length)
        law = make_end(case, piece, directions)
        t = np.array([1.0])
        stretch = uniform.strain[3] * np.exp(law.free(t)[3])
        gains.append([law.length * (stretch - uniform.strain[3]), law.length * law.potential(t)])
    assert gains[0] == pytest.approx(gains[1], rel=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("force", "pressure", "limit"),
    [((2.0, 0.0, 0.0), 0.0, 0.012), ((1.0, 0.0, 0.0), 15e3, 0.01), ((0.0, 0.2, 0.0), 15e3, 0.015)],
)
def test_a_rod_with_ends_follows_the_solid_under_tip_loads(force, pressure, limit):
    """None of these loads was used for the law. Level 0; without ends the tip is 3 to 4 % off."""
    case = load("gong_bending_one")
    supply = case.load["supply"].model_copy(update={"pressure": pressure})
    changed = {
        "load": {"push": TipForce(force=force), **({"supply": supply} if pressure else {})},
        "steps": (1.0,),
        "mesh": case.mesh.model_copy(update={"element": "hexahedron"}),
    }
    case = case.model_copy(update=changed)
    run = Run(case, MPI.COMM_SELF)
    assert [*run.march()] and run.status == "complete"
    solid = run.dataset()
    rod = predict(case, law=laws("gong_bending_one")._replace(belongs_to=fingerprint(case)))
    tips = [data["frame"].values[-1, -1, :3, 3] for data in (rod, solid)]
    moved = np.linalg.norm(tips[1] - [solid["station"].values[-1], 0.0, 0.0])
    assert np.linalg.norm(tips[0] - tips[1]) < limit * moved
