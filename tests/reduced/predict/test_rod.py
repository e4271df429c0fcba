"""Predictions of rods against formulas written out by hand, from the numbers of the case files."""

import numpy as np
import pytest
from scipy.integrate import quad

from loligo.cases.body import ChamberedArm, Segment
from loligo.cases.case_file import load
from loligo.cases.core.record import BadInput
from loligo.cases.dataset import io as dataset
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
from loligo.reduced.predict import predict as models
from loligo.validation.compare.consistency import strain_findings


def predict(case, model=None, **options):
    """The numbers here follow from the linear law of the geometry."""
    return models.predict(case, model, law="geometry", **options)


G = 9.81
STRAIGHT = [0, 0, 0, 1, 0, 0]


def changed(name, **update):
    return load(name).model_copy(update=update)


def tip(found, step=-1):
    return found["frame"].values[step, -1]


# Renda 2018: length, radii, E, and G = E/3 of the incompressible solid

LENGTH, YOUNG = 0.245, 110e3


def radius(X):
    return 0.010 - 0.008 * X / LENGTH


def bending(X):
    return YOUNG * np.pi / 4 * radius(X) ** 4


def shearing(X):
    return 0.9 * YOUNG / 3 * np.pi * radius(X) ** 2


def test_small_tip_force():
    """28.4 mm per mN by bending, and 0.1 mm by the shear of the incompressible solid."""
    bend = quad(lambda X: (LENGTH - X) ** 2 / bending(X), 0, LENGTH)[0]
    assert bend * 1e-3 == pytest.approx(28.4e-3, rel=2e-3)
    linear = bend + quad(lambda X: 1 / shearing(X), 0, LENGTH)[0]
    found = predict(changed("renda_arm_tip_force", steps=(1e-4,)))
    assert tip(found)[1, 3] == pytest.approx(1e-7 * linear, rel=1e-5)


def test_net_weight():
    """60 mm by the unit-load theorem, at a thousandth of the weight and of the water."""

    def per_length(X):
        return 80.0 * G * np.pi * radius(X) ** 2

    def shear(X):
        return quad(per_length, X, LENGTH)[0]

    def moment(X):
        return quad(lambda s: per_length(s) * (s - X), X, LENGTH)[0]

    bend = quad(lambda X: moment(X) * (LENGTH - X) / bending(X), 0, LENGTH)[0]
    assert bend == pytest.approx(60e-3, rel=5e-3)
    linear = bend + quad(lambda X: shear(X) / shearing(X), 0, LENGTH)[0]
    found = predict(changed("renda_arm_self_weight", steps=(1e-3,)))
    assert tip(found)[1, 3] == pytest.approx(-1e-3 * linear, rel=1e-4)


def test_recruited_torque_turns_the_tip():
    """theta = int m (1 - X/L)/EI dX = 8.27 rad, towards +y for a positive moment about z."""
    exact = quad(lambda X: 5e-3 * (1 - X / LENGTH) / bending(X), 0, LENGTH)[0]
    assert exact == pytest.approx(8.27, abs=5e-3)
    found = predict(load("renda_arm_recruited_torque"))
    turn = float(found["strain"].values[-1, :, 2] @ np.diff(found["station"]))
    assert turn == pytest.approx(exact, rel=1e-4)
    assert found["frame"].values[0, -1, 1, 3] > 0  # the first step is a gentle bend
    # the muscle is part of the solid, which so carries nothing
    np.testing.assert_allclose(found["wrench"], 0, atol=1e-12)


def test_half_recruited_torque_about_y_stops_at_half_the_length():
    half = load("renda_arm_recruited_torque").load["muscle"]
    half = half.model_copy(update={"moment": (1e-3, 0.0), "recruited": 0.5})
    found = predict(changed("renda_arm_recruited_torque", load={"muscle": half}, steps=(1.0,)))
    strain = found["strain"].values[0]
    exact = quad(lambda X: 1e-3 * (1 - 2 * X / LENGTH) / bending(X), 0, LENGTH / 2)[0]
    assert strain[:, 1] @ np.diff(found["station"]) == pytest.approx(exact, rel=1e-5)
    np.testing.assert_allclose(strain[5:, 1], 0, atol=1e-6 * strain[0, 1])


def test_tip_moment_turns_the_tip():
    """1.47 rad at 0.1 mN m: the moment is the same in every section."""
    exact = quad(lambda X: 1e-4 / bending(X), 0, LENGTH)[0]
    assert exact == pytest.approx(1.47, abs=5e-3)
    found = predict(load("renda_arm_tip_moment"))
    frame = tip(found)
    assert np.arctan2(frame[1, 0], frame[0, 0]) == pytest.approx(exact, rel=1e-5)
    np.testing.assert_allclose(found["reaction"].values[-1], [0, 0, -1e-4, 0, 0, 0], atol=1e-15)


# A straight cylinder: R = 10 mm, L = 120 mm, E = 90 kPa


def test_tip_moment_bends_a_cylinder_to_an_arc():
    moment, second = 2e-3, np.pi / 4 * 0.01**4
    found = predict(
        changed("cylinder", load={"bend": TipMoment(moment=(0, 0, moment))}, steps=(0.5, 1.0))
    )
    kappa = moment / (90e3 * second)
    angle = kappa * 0.12
    expected = [np.sin(angle) / kappa, (1 - np.cos(angle)) / kappa, 0]
    np.testing.assert_allclose(tip(found)[:3, 3], expected, atol=1e-9)
    assert found["max_stretch"].values[-1] == pytest.approx(1 + 0.01 * kappa, rel=1e-6)
    energy = 0.5 * moment**2 * 0.12 / (90e3 * second)
    assert found["stored_energy"].values[-1] == pytest.approx(energy, rel=1e-6)


def test_dead_and_follower_forces_keep_their_directions():
    def reaction_and_tip(follower):
        force = TipForce(force=(0, 0.04, 0.01), follower=follower)
        found = predict(changed("cylinder", load={"push": force}))
        return found["reaction"].values[-1], tip(found)

    dead, frame = reaction_and_tip(False)
    force = np.array([0, 0.04, 0.01])
    np.testing.assert_allclose(dead[3:], -force, atol=1e-14)
    np.testing.assert_allclose(dead[:3], -np.cross(frame[:3, 3], force), atol=1e-14)
    turned, frame = reaction_and_tip(True)
    np.testing.assert_allclose(turned[3:], -frame[:3, :3] @ force, atol=1e-14)


def test_a_tip_disc_weighs_about_its_own_centre():
    """Its weight at 1 mm beyond the last station: the wrench there, in its own axes."""
    found = predict(
        changed("cylinder", load={"weight": Weight()}, gravity=(0.0, -1.0, 0.0), steps=(1.0,))
    )
    disc = 1080 * G * np.pi * 0.01**2 * 0.002
    frame = tip(found)
    force = frame[:3, :3].T @ [0, -disc, 0]
    expected = np.append(np.cross([0.001, 0, 0], force), force)
    np.testing.assert_allclose(found["wrench"].values[0, -1], expected, atol=1e-12)


def test_outer_pressure_does_nothing_to_an_arm_without_cavities():
    found = predict(changed("cylinder", load={"deep": OuterPressure(pressure=5e3)}))
    np.testing.assert_allclose(found["strain"], np.tile(STRAIGHT, (4, 10, 1)), atol=1e-14)
    np.testing.assert_array_equal(found["reaction"], 0)


# Emet 2023: bore 3 mm, discs 5 mm, E = 69 kPa, tendons at 0.7 of the radius


def emet_radius(X):
    return 0.030 - 0.020 * X / 0.6


def emet_second(X, bore):
    return np.pi / 4 * (emet_radius(X) ** 4 - bore**4)


def emet_area(X, bore):
    return np.pi * (emet_radius(X) ** 2 - bore**2)


def test_one_tendon_per_newton():
    """1.72 rad and 9.2 mm per newton but for the bore, at a small tension and without weight."""
    pull = {"pull": TendonTension(tendons=(1,), tension=1e-4)}
    found = predict(changed("emet_limb_one_tendon", load=pull, steps=(1.0,)))
    lean = np.cos(np.arctan(0.7 * 0.02 / 0.6))

    def per_newton(bore):
        turn = quad(lambda X: 0.7 * emet_radius(X) / (69e3 * emet_second(X, bore)), 0, 0.6)[0]
        return turn, quad(lambda X: 1 / (69e3 * emet_area(X, bore)), 0, 0.6)[0]

    assert per_newton(0.0) == (pytest.approx(1.72, abs=5e-3), pytest.approx(9.2e-3, abs=5e-5))
    turn, short = per_newton(0.003)
    frame = tip(found)
    assert np.arctan2(frame[2, 0], frame[0, 0]) == pytest.approx(1e-4 * turn * lean, rel=1e-3)
    stretch = found["strain"].values[0, :, 3] - 1
    assert -stretch @ np.diff(found["station"]) == pytest.approx(1e-4 * short * lean, rel=1e-3)
    # anchored at the last station, pulled beyond the base: the solid is compressed all along
    carried = 1e-4 * lean
    assert found["wrench"].values[0, -1, 3] == pytest.approx(-carried, rel=1e-3)
    assert found["reaction"].values[0, 3] == pytest.approx(carried, rel=1e-3)


def test_tendons_sit_at_z_and_minus_y():
    """Tendon 1 of 4 at +z, tendon 2 a quarter turn on, at -y: together they bend between them."""
    x, y, z = tip(predict(load("emet_limb_two_tendons")))[:3, 3]
    assert z > 0.05 and y == pytest.approx(-z, rel=1e-9) and x > 0.5


def test_discs_weigh_and_displace_like_the_body():
    """70 kg/m^3 times the frustum and both discs less the open bore: 0.560 N."""
    cone = np.pi / 3 * 0.6 * (0.03**2 + 0.03 * 0.01 + 0.01**2)
    discs = np.pi * 0.005 * (0.03**2 + 0.01**2)
    bore = np.pi * 0.003**2 * 0.61
    net = 70 * G * (cone + discs - bore)
    found = predict(load("emet_limb_weight"))
    expected = np.zeros(6)
    expected[3] = -net
    np.testing.assert_allclose(found["reaction"].values[-1], expected, atol=1e-9 * net)


def test_a_tendon_cannot_push():
    with pytest.raises(BadInput, match=r"load.pull: a tendon cannot push; its factor at step 1"):
        predict(changed("emet_limb_one_tendon", steps=(-1.0, 0, 0, 0, 0)))


# Gong 2018: R = 17 mm, L = 100 mm, three bores of 5 mm at 10 mm, E = 6 c10 = 129.54 kPa

E_GONG, BORE = 6 * 21.59e3, np.pi * 0.005**2
SOLID = np.pi * 0.017**2 - 3 * BORE


def gong_second():
    """int z^2 dA with bores at z = 10, -5, -5 mm."""
    own = np.pi / 4 * 0.005**4
    return np.pi / 4 * 0.017**4 - sum(own + BORE * z**2 for z in (0.010, -0.005, -0.005))


def test_one_chamber_bends_away_from_z():
    p, z = 30e3, 0.010
    found = predict(load("gong_bending_one"))
    kappa, stretch = p * BORE * z / (E_GONG * gong_second()), 1 + p * BORE / (E_GONG * SOLID)
    np.testing.assert_allclose(
        found["strain"].values[-1], np.tile([0, kappa, 0, stretch, 0, 0], (6, 1)), atol=1e-9
    )
    angle, arc = 0.1 * kappa, stretch / kappa
    expected = [0.005 + arc * np.sin(angle), 0, -arc * (1 - np.cos(angle))]
    np.testing.assert_allclose(tip(found)[:3, 3], expected, atol=1e-10)
    # chamber 1 lies outside, chambers 2 and 3 inside
    length = found["chamber_length"].values[-1]
    expected = [
        [0.1 * (stretch + 0.010 * kappa), 0.1 * (stretch + 0.017 * kappa)],
        [0.1 * (stretch - 0.005 * kappa), 0.1 * (stretch - 0.0085 * kappa)],
    ]
    np.testing.assert_allclose(length[:2], expected, rtol=1e-9)
    np.testing.assert_allclose(length[2], length[1], rtol=1e-9)
    np.testing.assert_allclose(found["volume"].values[-1], BORE * length[:, 0], rtol=1e-9)
    np.testing.assert_allclose(found["pressure"].values[-1], [p, 0, 0])


def test_solid_and_fluid_balance_in_every_section():
    """No load lies beyond any station: what the fluid pushes the solid holds back, at every end."""
    p, z = 30e3, 0.010
    found = predict(load("gong_bending_one"))
    fluid = np.array([0, -p * BORE * z, 0, -p * BORE, 0, 0])
    np.testing.assert_allclose(found["wrench_fluid"].values[-1], np.tile(fluid, (7, 1)), atol=1e-12)
    np.testing.assert_allclose(found["wrench"].values[-1], np.tile(-fluid, (7, 1)), atol=1e-12)
    np.testing.assert_allclose(found["reaction"], 0, atol=1e-12)


def test_three_chambers_lengthen():
    found = predict(load("gong_bending_three"))
    growth = 30e3 * 3 * BORE / (E_GONG * SOLID)
    expected = [0.005 + 0.1 * (1 + growth), 0, 0]
    np.testing.assert_allclose(tip(found)[:3, 3], expected, atol=1e-12)


def test_equal_pressures_in_opposite_segments_leave_the_tip_parallel():
    found = predict(load("gong_arm"))
    frame = tip(found)
    np.testing.assert_allclose(frame[:3, :3], np.eye(3), atol=1e-12)
    assert frame[2, 3] < -0.02  # but it has moved aside
    along = found["station"].values
    connector = np.argmin(np.abs(along - 0.105))  # where segment 1 ends; the next is 7.5 mm on
    np.testing.assert_allclose(found["strain"].values[-1, connector], [0, 0, 0, 1, 0, 0], atol=1e-9)
    kappa = 20e3 * BORE * 0.010 / (E_GONG * gong_second())
    ends = found["frame"].values[-1, [connector, connector + 1], :3, :3]
    turn = np.arctan2(-ends[:, 2, 0], ends[:, 0, 0])
    np.testing.assert_allclose(turn, 0.1 * kappa, rtol=1e-9)
    # segment 3 has one central bore of 9 mm
    area = np.pi * 0.009**2
    growth = 20e3 * area / (E_GONG * (np.pi * 0.017**2 - area))
    assert found["chamber_length"].values[-1, -1, 0] == pytest.approx(0.075 * (1 + growth))


def test_outer_pressure_lowers_the_gauge_pressure_of_cavities():
    inside = CavityPressure(cavities=("s1c1",), pressure=9e3)
    others = CavityPressure(cavities=("s1c2", "s1c3"), pressure=-1e3)
    less = CavityPressure(cavities=("s1c1",), pressure=8e3)
    under = {"supply": inside, "deep": OuterPressure(pressure=1e3)}
    squeezed = predict(changed("gong_bending_one", load=under))
    same = predict(changed("gong_bending_one", load={"a": less, "b": others}))
    np.testing.assert_allclose(squeezed["frame"], same["frame"], atol=1e-12)
    np.testing.assert_allclose(squeezed["pressure"].values[-1], [8e3, -1e3, -1e3])


def test_in_water_cavities_displace_nothing():
    material = {
        "body": NeoHooke(mu=30e3, density=1200.0),
        "winding": NeoHooke(mu=30e3, density=1500.0),
    }
    found = predict(
        changed(
            "zhang_joint_one",
            material=material,
            water=Surroundings(density=1000.0, base_depth=1.0),
            load={"weight": Weight(), "sea": Water()},
            steps=(1.0,),
        )
    )
    sleeves = 3 * np.pi * (0.016**2 - 0.014**2) * 0.2
    bores = 3 * np.pi * 0.008**2 * 0.2
    body = np.pi * 0.045**2 * 0.22 - sleeves - bores
    assert found["reaction"].values[0, 3] == pytest.approx(-G * (200 * body + 500 * sleeves))


def test_a_rod_that_stands_out_of_the_water_is_refused():
    """Its buoyancy would go on above the surface; the solid's does not."""
    case = changed(
        "zhang_joint_one",
        gravity=(0.0, 0.0, -1.0),
        water=Surroundings(density=1000.0, base_depth=0.02),
        load={"sea": Water()},
    )
    with pytest.raises(BadInput, match=r"load\.sea: at rest the arm stands 25 mm out of the water"):
        predict(case)


# Liu 2020 and Zhang 2022


def test_wet_weight_of_lius_arm_is_balanced_at_the_base():
    found = predict(load("liu_arm"))
    force = np.array([2.06, 0, 0])
    reaction = found["reaction"].values[-1]
    np.testing.assert_allclose(reaction[3:], -force, atol=1e-12)
    np.testing.assert_allclose(reaction[:3], -np.cross(tip(found)[:3, 3], force), atol=1e-12)


def test_blocked_joint():
    """Nothing moves; the fluid's p A = 10.05 N at z = 24 mm goes into both supports."""
    found = predict(load("zhang_joint_blocked"))
    thrust = 50e3 * np.pi * 0.008**2
    assert thrust == pytest.approx(10.05, abs=5e-3)
    at_tip = np.array([0, -thrust * 0.024, 0, -thrust, 0, 0])
    np.testing.assert_allclose(found["reaction_tip"].values[-1], at_tip, atol=1e-9)
    np.testing.assert_allclose(found["reaction"].values[-1], -at_tip, atol=1e-9)
    np.testing.assert_allclose(found["wrench"].values[-1], 0, atol=1e-9)
    np.testing.assert_allclose(found["wrench_fluid"].values[-1], np.tile(at_tip, (7, 1)), atol=1e-9)
    np.testing.assert_allclose(found["strain"], np.tile(STRAIGHT, (4, 6, 1)), atol=1e-12)


def test_a_level_joint_held_at_both_ends_shares_its_weight_equally():
    """Mirror symmetry: each support carries one plate and half the rubber, with mirrored moments.

    The moment at the base is about the origin, that at the tip about the plate's inner face.
    """
    level = {"load": {"weight": Weight()}, "gravity": (0.0, -1.0, 0.0), "steps": (1.0,)}
    found = predict(changed("zhang_joint_blocked", **level))
    rubber = 1080 * G * np.pi * (0.045**2 - 3 * 0.008**2) * 0.2
    plate = 1080 * G * np.pi * 0.045**2 * 0.01
    base, end = found["reaction"].values[0], found["reaction_tip"].values[0]
    assert [base[4], end[4]] == pytest.approx([0.5 * rubber + plate] * 2, rel=1e-9)
    at_base_face = base[2] - 0.010 * base[4] + 0.005 * plate
    at_tip_face = end[2] - 0.005 * plate
    assert at_base_face == pytest.approx(-at_tip_face, rel=1e-7) and at_base_face > 0
    assert base[3] == pytest.approx(-end[3], rel=1e-9)


def test_a_single_eccentric_chamber_couples_stretch_and_bend():
    """One chamber at z = 4 mm: K (kappa, e) = p A (z, 1) with the centroid off the axis."""
    body = ChamberedArm(
        radius=0.01,
        segments=(Segment(length=0.1, chambers=1, chamber_radius=0.003, chamber_offset=0.004),),
        plates=(0.005, 0.005),
    )
    loads = {"supply": CavityPressure(cavities=("s1c1",), pressure=10e3)}
    found = predict(changed("cylinder", body=body, load=loads, steps=(1.0,)))
    assert dataset.check(found) == []
    area, own = np.pi * 0.003**2, np.pi / 4 * 0.003**4
    second = np.pi / 4 * 0.01**4 - own - area * 0.004**2
    stiffness = 90e3 * np.array([[second, -area * 0.004], [-area * 0.004, np.pi * 0.01**2 - area]])
    kappa, growth = np.linalg.solve(stiffness, 10e3 * area * np.array([0.004, 1.0]))
    expected = np.tile([0, kappa, 0, 1 + growth, 0, 0], (6, 1))
    np.testing.assert_allclose(found["strain"].values[0], expected, atol=1e-9)


def test_a_stiffer_section_bends_less_by_its_factor_where_bending_is_linear():
    case = load("renda_arm_tip_moment")
    bend = [
        predict(case, stiffness=[1.0, f, f, 1.0, 1.0, 1.0])["strain"].values[..., 1:3]
        for f in (1.0, 2.0)
    ]
    np.testing.assert_allclose(bend[1], 0.5 * bend[0], atol=1e-6 * np.abs(bend[0]).max())


def test_a_finer_rod_is_the_same_to_what_the_usual_one_promises():
    case = load("renda_arm_tip_force")
    tip = [predict(case, refine=n)["frame"].values[-1, -1, :3, 3] for n in (1, 2)]
    assert 0.0 < np.linalg.norm(tip[1] - tip[0]) < 1e-5 * 0.245


@pytest.mark.parametrize("model", ["rod", "pcc"])
def test_two_stations_have_the_strain_of_all_turns(model):
    """Bent by more than a turn between its ends: the curvature is M/EI."""
    case = load("cylinder")
    body = case.body.model_copy(update={"stations": 2})
    bending = case.material["body"].young_modulus * np.pi / 4 * body.base_radius**4
    curvature = np.radians(500.0) / body.length
    pull = TipMoment(kind="tip_moment", moment=(0.0, 0.0, curvature * bending))
    bent = case.model_copy(
        update={"body": body, "load": {"pull": pull}, "steps": tuple(np.linspace(0.1, 1.0, 10))}
    )
    found = predict(bent, model)
    assert found.attrs["status"] == "complete"
    strain = found["strain"].values[-1]
    assert strain[0] == pytest.approx([0, 0, curvature, 1, 0, 0], rel=1e-6, abs=1e-6)
    warned = [f for f in dataset.check(found) if f.where == "frame"]
    assert len(warned) == 1 and "add stations" in warned[0].reason
    assert list(strain_findings(found)) == []


def test_two_muscles_leave_the_rod_as_fine_as_one():
    """Their kinks are no ends at discs: the rest of the arm keeps its intervals."""
    case = load("renda_arm_tip_force")
    push = case.load["tip"].model_copy(update={"force": (0.0, 1e-3, 0.0)})
    muscles = {f"m{i}": RecruitedTorque(moment=(0.0, 5e-4), recruited=0.05 * i) for i in (1, 2)}
    case = case.model_copy(update={"load": {"tip": push, **muscles}})
    coarse, fine = (models.predict(case, refine=refine) for refine in (1.0, 4.0))
    tips = [found["frame"].values[-1, -1, :3, 3] for found in (coarse, fine)]
    assert np.linalg.norm(tips[0] - tips[1]) < 1e-5 * 0.245
