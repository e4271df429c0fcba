"""Section laws of the solid as the sections of a rod: places, pressures, range."""

from dataclasses import replace

import numpy as np
import pytest

from loligo.cases.case_file import load
from loligo.cases.coefficients import for_case
from loligo.cases.core.record import BadInput
from loligo.cases.section_law.law import ArmLaws, SolidLaw
from loligo.cases.section_law.parts import EndLaw, Polynomial
from loligo.cases.section_law.shipped import identity
from loligo.meshes.bodies import pieces
from loligo.reduced.predict.predict import predict
from loligo.reduced.section.solid_sections import beyond, covers, solid_sections
from loligo.reduced.section.stiffness import pressure_arms, section_stiffness


def linear_law(case, x, reach=1.0):
    """The law of the geometry: Pi = K d d/2 - p A - p S p/2, S what a pressure widens by the free
    strain; the logarithm of the stretch is the stretch to first order."""
    body = case.body
    piece = next(p for p in pieces(body) if p.region == "body" and p.start <= x <= p.end)
    names = [h.name.removeprefix("cavity_") for h in piece.holes if h.name != "bore"]
    k = section_stiffness(body, case.material, np.array([x]))[0]
    n = len(names)
    one = np.zeros((1, n), dtype=np.int64)
    linear = np.concatenate([one, np.eye(n, dtype=np.int64)])
    largest = 1e3  # small strains: the free strain is then linear in the pressures
    arms = np.array([pressure_arms(body, x)[name] for name in names]).reshape(n, 6)
    slopes = np.linalg.solve(k, arms.T).T * largest
    areas = np.array([np.pi * h.radius**2 for h in piece.holes if h.name != "bore"])
    gain = largest * slopes @ arms.T
    both = (linear[1:, None] + linear[None, 1:]).reshape(n * n, n)
    potential = np.concatenate([[0.0], -largest * areas, -gain.ravel() / 2])
    return SolidLaw(
        cavities=tuple(names),
        directions=largest * np.eye(n),
        radius=float(piece.radius(x)),
        reach=reach,
        reach_error=0.0,
        error=0.0,
        free=Polynomial(linear, np.concatenate([np.zeros((1, 6)), slopes])),
        potential=Polynomial(np.concatenate([linear, both]), potential),
        stiffness=Polynomial(one, k[None]),
        cubic=Polynomial(one, np.zeros((1, 6, 6, 6))),
        quartic=Polynomial(one, np.zeros((1, 6, 6, 6, 6))),
        volume=Polynomial(one, areas[None]),
        volume_slope=Polynomial(one, arms[None]),
        fluid=Polynomial(one, np.zeros((1, 6))),
        fluid_slope=Polynomial(one, np.zeros((1, 6, 6))),
    )


def laws(case, **more):
    places = [(p.start + p.end) / 2 for p in pieces(case.body) if p.region == "body"]
    return ArmLaws(tuple((x, linear_law(case, x, **more)) for x in places), identity(case))


def pressed(name, pressure):
    case = load(name)
    loads = {
        key: value.model_copy(update={"pressure": pressure})
        for key, value in case.load.items()
        if value.kind == "pressure"
    }
    return case.model_copy(update={"load": loads})


def test_a_quadratic_law_is_the_linear_section():
    """Small pressures in Gong's arm: today's linear rod has the same shape, volumes and energy."""
    case = pressed("gong_arm", 500.0)
    law, geometry = (predict(case, law=given) for given in (laws(case), "geometry"))
    tips = [data["frame"].values[:, -1, :3, 3] for data in (law, geometry)]
    moved = np.linalg.norm(tips[1] - [geometry["station"].values[-1], 0, 0], axis=1)
    assert (np.linalg.norm(tips[0] - tips[1], axis=1) < 0.01 * moved).all()
    assert law["volume"].values == pytest.approx(geometry["volume"].values, rel=1e-4)
    assert law["chamber_length"].values == pytest.approx(
        geometry["chamber_length"].values, rel=1e-4
    )
    assert law.attrs["law_beyond"] == ""


def test_ends_that_stretch_more_move_the_tip_by_both_of_them():
    """A stretch of e^0.02 over 10 mm at each end, which nothing loads; shears of both cancel."""
    case = pressed("gong_bending_one", 0.0)
    plain = laws(case)
    ((x, law),) = plain.sections
    constant = np.zeros((1, 3), dtype=np.int64)
    free = np.array([[0.0, 0.0, 0.0, 0.02, 0.01, 0.0]])
    shapes = {"potential": (1,), "stiffness": (1, 6, 6), "volume": (1, 3)}
    end = EndLaw(
        10e-3,
        free=Polynomial(constant, free),
        **{name: Polynomial(constant, np.zeros(shape)) for name, shape in shapes.items()},
    )
    ended = plain._replace(sections=((x, replace(law, end=end)),))
    without, found = (predict(case, law=given) for given in (plain, ended))
    moved = (found["frame"] - without["frame"]).values[-1, -1, :3, 3]
    assert moved == pytest.approx([2 * 10e-3 * np.expm1(0.02), 0.0, 0.0], abs=1e-9)
    assert "ends at plates" in found.attrs["assumptions"]
    assert len(solid_sections(case.body, ended).lengths) == 3
    short = replace(law, end=replace(end, length=0.06))  # of a length of 100 mm nothing is left
    (one,) = solid_sections(case.body, ArmLaws(((x, short),), {})).lengths
    assert one.law.end is short.end


def test_the_similarity_of_a_cone_is_that_of_its_stiffness():
    """K of a cone of one rubber: bends by the fourth power of the radius, forces by the second."""
    case = load("renda_arm_tip_force")
    sections = solid_sections(case.body, laws(case)).at({})
    X = np.linspace(0.01, 0.24, 7)
    excess = np.tile([1e-6, 2e-6, -1e-6, 1e-8, 2e-8, 3e-8], (7, 1))
    wrench, tangent = sections.section_law()(excess, X)
    k = section_stiffness(case.body, case.material, X)
    assert wrench == pytest.approx(np.einsum("nij,nj->ni", k, excess), rel=1e-5)
    assert tangent == pytest.approx(k, rel=1e-5, abs=1e-5 * np.abs(k).min(axis=(1, 2)).max())


def test_pressures_that_the_law_does_not_know_are_refused():
    case = load("gong_bending_one")
    sections = solid_sections(case.body, laws(case))
    (one,) = sections.lengths
    alone = one.law.__class__(**{**vars(one.law), "directions": np.array([[1e3], [0.0], [0.0]])})
    known = solid_sections(case.body, ArmLaws(((one.x, alone),), {}))
    assert covers(alone, {"s1c1": 100.0, "s1c2": 0.0, "s1c3": 0.0})
    assert not covers(alone, {"s1c1": 100.0, "s1c2": 200.0, "s1c3": 0.0})
    assert not covers(alone, {"s1c1": 1500.0, "s1c2": 0.0, "s1c3": 0.0})
    with pytest.raises(BadInput, match=r"it knows s1c1 to 1000 Pa.*s1c2 has 200 Pa.*--pressure"):
        known.at({"s1c1": 100.0, "s1c2": 200.0, "s1c3": 0.0})


def test_what_leaves_the_range_is_said_with_its_step():
    case = load("gong_bending_one")
    sections = solid_sections(case.body, laws(case, reach=0.01))
    at = sections.at({"s1c1": 1500.0, "s1c2": 0.0, "s1c3": 0.0})
    X = np.array([0.05])
    near = at.reach(at.parts[0][2].free_strain[None], X)
    assert near == pytest.approx(np.array([[0.0, 0.5]]))
    far = at.reach(at.parts[0][2].free_strain[None] + [0, 0, 0, 0, 0.03, 0], X)
    assert far == pytest.approx(np.array([[3.0, 0.5]]))
    pressure, strain = beyond(sections, [np.array([[0.5, 0.0]]), far])
    assert "at step 2 a pressure is 50% outside" in pressure
    assert "to 0.0% of the difference; at step 2 the strain is 3 times as far" in strain
    assert beyond(sections, [np.array([[0.5, 0.0]])]) == []


def test_a_warning_is_in_the_data_set():
    case = pressed("gong_bending_one", 1500.0)
    found = predict(case, law=laws(case))
    assert "at step 5 a pressure is 50% outside" in found.attrs["law_beyond"]
    assert found.attrs["law"] == "section law of the solid at x = 55 mm, given, error 0.0e+00"
    assert found.attrs["law_name"] == f"solid {laws(case).digest}"


@pytest.mark.parametrize(
    ("name", "model", "said"),
    [
        ("gong_bending_two", "rod", "belongs to other sections"),
        ("zhang_joint_one", "joint", "the model joint takes no section law"),
        ("gong_bending_rise", "rod", "a motion takes no section law"),
    ],
)
def test_a_law_where_it_does_not_belong_is_refused(name, model, said):
    case = load(name)
    given = laws(load("gong_elongation") if said.startswith("belongs") else case)
    with pytest.raises(BadInput, match=said):
        predict(case, model, law=given)


def test_coefficients_of_a_linear_law_are_refused():
    case = load("gong_bending_one")
    stiff = for_case(case, "test").replaced({"bending_stiffness": 1.1})
    with pytest.raises(BadInput, match="bending_stiffness correct a linear section law"):
        predict(case, law=laws(case), coefficients=stiff)


def test_the_modulus_scales_the_law():
    """Twice the modulus under twice the pressures: the same shape and volumes, twice the energy."""
    one, two = pressed("gong_bending_one", 400.0), pressed("gong_bending_one", 800.0)
    stiff = for_case(one, "test").replaced({"modulus": 2.0})
    found = [predict(one, law=laws(one)), predict(two, law=laws(one), coefficients=stiff)]
    assert found[1]["frame"].values == pytest.approx(found[0]["frame"].values, abs=1e-9)
    assert found[1]["volume"].values == pytest.approx(found[0]["volume"].values, rel=1e-9)
    energies = [data["stored_energy"].values for data in found]
    assert energies[1] == pytest.approx(2.0 * energies[0], rel=1e-6)


def test_thread_at_an_angle_is_carried_with_the_law():
    """The geometry refuses it; the law has it."""
    case = pressed("gong_bending_one", 500.0)
    leaning = case.winding.model_copy(update={"angle": 0.2})
    case = case.model_copy(update={"winding": leaning})
    with pytest.raises(BadInput, match="thread at an angle"):
        predict(case, law="geometry")
    found = predict(case, law=laws(case))
    assert found.attrs["status"] == "complete" and "left_out" not in found.attrs


def test_an_arm_without_a_law_of_every_length_is_refused():
    case = load("gong_arm")
    given = laws(case)
    with pytest.raises(BadInput, match="2 section laws for 3 soft lengths"):
        predict(case, law=given._replace(sections=given.sections[:2]))
