"""Nothing in a case changes nothing without a word: the prediction moves, warns, or is refused."""

import typing

import numpy as np
import pytest

from loligo.cases import coefficients as files
from loligo.cases.body import Mantle, TaperedArm
from loligo.cases.case import Support, Winding
from loligo.cases.case_file import library_names, load
from loligo.cases.core.record import BadInput
from loligo.cases.load import kinds as loads
from loligo.cases.rubber.elastomer import NeoHooke, Yeoh
from loligo.reduced.predict.predict import answer, predict
from loligo.reduced.predict.scope import check_scope, models_of
from loligo.reduced.predict.scope_table import FEATURES, Model, of_load

GONG, ZHANG, LIMB = load("gong_bending_one"), load("zhang_joint_one"), load("cylinder")
RING = load("renda_mantle_ring")
KINDS = typing.get_args(typing.get_args(loads.Load)[0])
RUBBER = Yeoh(c10=21.59e3, c20=3.044e3, c30=-0.112e3, density=1070.0)
THREAD = Winding(stiffness=1e6)


def gong(**changes):
    return GONG.model_copy(update=changes)


def loaded(case, load_, name="more"):
    return case.model_copy(update={"load": {**case.load, name: load_}})


def outcome(case, model):
    """Shape of a prediction, warnings, or the refusal."""
    try:
        found = predict(case, model)
    except BadInput as refusal:
        return str(refusal)
    shape = found["frame"] if "frame" in found else found["profile_radius"]
    return shape.values[-1], found.attrs.get("left_out", "")


def segment(**changes):
    one = GONG.body.segments[0].model_copy(update=changes)
    return GONG.body.model_copy(update={"segments": (one,)})


PLAIN = gong(material={"body": NeoHooke(mu=43.18e3, density=1070.0)}, steps=(1.0,))
"""Of Gong's segment with a rubber that has nothing beyond its modulus."""


def plain(**changes):
    return PLAIN.model_copy(update=changes)


CHANGES = {
    "angle": (plain(), plain(winding=Winding(stiffness=1e6, angle=0.955))),
    "soft thread": (plain(), plain(winding=Winding(stiffness=10.0))),
    "slack thread": (plain(), plain(winding=Winding(stiffness=1e6, tension_only=True))),
    "no thread": (plain(), plain(body=segment(winding_radius=None), winding=None)),
    "nonlinear law": (plain(), plain(material={"body": RUBBER})),
    "bulk modulus": (
        plain(),
        plain(material={"body": NeoHooke(mu=43.18e3, density=1070.0, bulk_modulus=1e7)}),
    ),
    "soft bulk": (
        plain(),
        plain(material={"body": NeoHooke(mu=43.18e3, density=1070.0, bulk_modulus=1e5)}),
    ),
    "weight": (plain(), loaded(plain(gravity=(0.0, 1.0, 0.0)), loads.Weight())),
    "tip force": (plain(), loaded(plain(), loads.TipForce(force=(0.0, 0.1, 0.0)))),
    "tip moment": (plain(), loaded(plain(), loads.TipMoment(moment=(0.0, 0.01, 0.0)))),
    "follower": (
        loaded(plain(), loads.TipForce(force=(0.0, 0.1, 0.0))),
        loaded(plain(), loads.TipForce(force=(0.0, 0.1, 0.0), follower=True)),
    ),
    "outer pressure": (plain(), loaded(plain(), loads.OuterPressure(pressure=5e3))),
    "blocked tip": (plain(), plain(support=Support(tip="blocked"))),
    "tip plate": (
        loaded(plain(gravity=(0.0, 1.0, 0.0)), loads.Weight()),
        loaded(
            plain(
                gravity=(0.0, 1.0, 0.0),
                body=GONG.body.model_copy(update={"plates": (0.005, 0.02)}),
            ),
            loads.Weight(),
        ),
    ),
}


@pytest.mark.parametrize("model", ["rod", "pcc", "pcc_lengths"])
@pytest.mark.parametrize("name", CHANGES)
def test_what_changes_in_a_segment_changes_the_prediction_or_is_said(name, model):
    before, after = (outcome(case, model) for case in CHANGES[name])
    if isinstance(after, str):
        return  # refused, with words
    if isinstance(before, str):
        raise AssertionError(before)
    moved = np.abs(after[0] - before[0]).max() > 1e-9 if after[0].shape == before[0].shape else True
    words = set(after[1].split("; ")) - set(before[1].split("; "))
    # A load of another sort is left out in the same words: then it is named in both.
    assert moved or words or "load.more" in after[1]


JOINT_CHANGES = {
    "angle": {"winding": Winding(stiffness=1e6, angle=0.5)},
    "soft thread": {"winding": Winding(stiffness=10.0)},
    "bulk modulus": {
        "material": {
            "body": ZHANG.material["body"].model_copy(update={"bulk_modulus": 1e8}),
        }
    },
    "sleeve": {
        "material": {
            "body": ZHANG.material["body"],
            "winding": NeoHooke(mu=1e5, density=1080.0),
        }
    },
}


@pytest.mark.parametrize("name", JOINT_CHANGES)
def test_what_changes_in_a_joint_is_said(name):
    before = outcome(ZHANG, "joint")
    after = outcome(ZHANG.model_copy(update=JOINT_CHANGES[name]), "joint")
    assert isinstance(after, str) or set(after[1].split("; ")) - set(before[1].split("; "))


@pytest.mark.parametrize("model", ["rod", "pcc", "pcc_lengths"])
def test_thread_at_an_angle_is_refused_unless_coefficients_carry_it(model):
    case = plain(winding=Winding(stiffness=1e6, angle=0.955))
    with pytest.raises(BadInput, match=r"refuses winding\.angle \(thread at an angle"):
        predict(case, model)
    with pytest.raises(BadInput, match=r"winding\.angle"):
        answer(case, model, shape_only=True)
    given = files.for_case(case, "made")
    if model == "pcc_lengths":
        assert predict(case, model, coefficients=given.replaced({"length_gain": 0.5}))
        return
    stiffness = np.diag([5.7, 0.025, 0.025, 848.0, 156.0, 156.0]).tolist()
    arms = {f"s1c{j}": [0.0, -2e-6, 0.0, -7e-4, 0.0, 0.0] for j in (1, 2, 3)}
    sections = (
        files.StationLaw.model_validate({"x": 0.055, "stiffness": stiffness, "arms": arms}),
    )
    found = predict(case, model, coefficients=given.model_copy(update={"section": sections}))
    assert "winding" not in found.attrs.get("left_out", "")


def test_a_refusal_names_load_model_and_who_applies():
    heavy = loaded(ZHANG, loads.Weight())
    with pytest.raises(BadInput) as refusal:
        predict(heavy, "joint")
    assert "load.more (a load of kind weight)" in str(refusal.value)
    assert "the model joint refuses" in str(refusal.value)
    assert "take the model rod or pcc or pcc_lengths" in str(refusal.value)


def test_what_is_wound_or_pumped_is_refused_by_all():
    supply = GONG.model_copy(
        update={"load": {"pump": loads.Supply(cavities=("s1c1",), volume=1e-6, compliance=1e-12)}}
    )
    for model in ("rod", "pcc", "joint"):
        with pytest.raises(BadInput, match=r"load\.pump.*those that the 3D solution finds"):
            predict(supply, model)


def test_two_tensions_of_one_tendon_are_their_sum_in_the_rod():
    limb = load("emet_limb_one_tendon").model_copy(update={"steps": (1.0,)})
    around = {name: one for name, one in limb.load.items() if one.kind != "tendon"}
    around = {name: one.model_copy(update={"path": None}) for name, one in around.items()}

    def pulled(*tensions):
        pulls = {
            f"pull{i}": loads.TendonTension(tendons=(1,), tension=tension)
            for i, tension in enumerate(tensions)
        }
        return predict(limb.model_copy(update={"load": {**around, **pulls}}))["frame"].values

    np.testing.assert_allclose(pulled(0.2, 0.4), pulled(0.6), atol=1e-9)


def test_a_load_that_is_not_known_is_refused():
    stranger = loads._Load.model_construct()
    object.__setattr__(stranger, "kind", "tickle")
    for case in (LIMB, RING, GONG):
        for model in models_of(case.body):
            with pytest.raises((AssertionError, BadInput)):
                answer(loaded(case, stranger), model)


def test_every_model_has_an_entry_for_every_load_that_its_bodies_can_have():
    """By the checks of a case: which kinds a body of the library can bear."""
    only_tapered = {loads.TendonTension, loads.TendonShortening, loads.RecruitedTorque}
    no_mantle = {loads.TipForce, loads.TipMoment, *only_tapered}
    for kind in KINDS:
        entries = of_load(kind.model_construct())
        for case in (LIMB, GONG, RING):
            for model in models_of(case.body):
                arm = not isinstance(case.body, Mantle)
                can = kind is not loads.HoopTension if arm else kind not in no_mantle
                if can and kind in only_tapered:
                    can = isinstance(case.body, TaperedArm)
                assert model in entries or not can, (kind, model)


def test_the_library_is_predicted_by_its_default_models_but_for_what_is_refused():
    for name in library_names():
        case = load(name)
        assert isinstance(check_scope(case, models_of(case.body)[0]), tuple)


def test_features_are_named_once():
    names = [(feature.key, feature.words) for feature in FEATURES]
    assert len(set(names)) == len(names)
    known = set(typing.get_args(Model))
    assert all(set(feature.entries) <= known for feature in FEATURES)
    settling = {e.settled_by for f in FEATURES for e in f.entries.values()} - {
        "",
        "sections",
        "law",
    }
    assert settling <= set(files.KNOWN)
