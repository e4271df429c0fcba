"""The section law that a model stands on: the best there is, what is asked for, what is refused."""

import numpy as np
import pytest

from loligo.cases.case_file import load
from loligo.cases.coefficients import for_case
from loligo.cases.core.record import BadInput
from loligo.cases.section_law import shipped as shipped_laws
from loligo.reduced.predict.predict import predict
from loligo.reduced.section.law_choice import choose, common


def changed(name, **body):
    case = load(name)
    segments = tuple(s.model_copy(update=body) for s in case.body.segments)
    return case.model_copy(update={"body": case.body.model_copy(update={"segments": segments})})


def pressed(name, pressure):
    case = load(name)
    loads = {k: v.model_copy(update={"pressure": pressure}) for k, v in case.load.items()}
    return case.model_copy(update={"load": loads})


@pytest.mark.parametrize(
    ("name", "kind", "said"),
    [
        ("gong_bending_one", "solid", "shipped as gong_bending"),
        ("gong_bending_three", "solid", "shipped as gong_bending"),
        ("gong_arm", "solid", "shipped as gong_bending, gong_elongation"),
        ("liu_arm", "solid", "shipped as liu_segment_small"),
        ("zhang_joint_two", "solid", "shipped as zhang_joint_two"),
        ("zhang_joint_tip_moment", "slice", "thread that slackens has no law at finite strain"),
        ("renda_arm_tip_force", "solid", "shipped as renda_arm"),
        ("gong_bending_rise", "slice", "at rest at x = 55 mm, shipped as gong_bending, "),
        ("gong_bending_rise", "slice", "a motion takes no law at finite strain"),
        ("renda_arm_motion", "geometry", "a motion takes no law at finite strain"),
        ("emet_limb_weight", "geometry", "none of the solid is shipped for it"),
        ("zhang_joint_blocked", "slice", "a blocked tip holds the strain"),
    ],
)
def test_the_best_law_that_there_is(name, kind, said):
    choice = choose(load(name), "rod")
    assert choice.kind == kind and said in choice.words


def test_a_law_is_for_all_arms_with_its_sections():
    longer = changed("gong_bending_one", length=0.15)
    assert choose(longer, "pcc").kind == "solid"
    wider = changed("gong_bending_one", chamber_radius=0.0051)
    assert choose(wider, "pcc").kind == "geometry"


def test_pressures_that_no_law_has_seen_get_the_sections_at_rest():
    choice = choose(pressed("gong_bending_one", 40e3), "rod")
    assert choice.kind == "slice" and "covers these pressures" in choice.words
    with pytest.raises(BadInput, match="no law solid: none that is shipped covers its pressures"):
        choose(pressed("gong_bending_one", 40e3), "rod", "solid")


def test_a_law_can_be_asked_for_by_name():
    case = load("gong_bending_one")
    tips = {
        name: predict(case, law=name)["frame"].values[-1, -1, :3, 3]
        for name in ("solid", "slice", "geometry")
    }
    assert np.array_equal(tips["solid"], predict(case)["frame"].values[-1, -1, :3, 3])
    # The 3D solution's tip: (0.0935, 0, -0.0371) m or so; the geometry misses a third of the way.
    apart = {name: np.linalg.norm(tip - tips["solid"]) for name, tip in tips.items()}
    assert 0.0 < apart["slice"] and apart["geometry"] > 5e-3
    with pytest.raises(BadInput, match="the model joint takes no section law"):
        predict(case, "joint", law="geometry")


def test_coefficients_stand_on_the_law_that_they_were_fitted_on():
    case = load("gong_bending_one")
    bare = for_case(case, "test")
    solid = choose(case, "rod")
    assert choose(case, "rod", None, bare.replaced({"density": 1.1})).kind == "solid"
    assert choose(case, "rod", None, bare.replaced({"bending_stiffness": 1.1})).kind == "geometry"
    fitted = bare.replaced({"modulus": 1.1}).model_copy(update={"law": solid.name})
    assert choose(case, "rod", None, fitted).name == solid.name
    with pytest.raises(
        BadInput, match=r'fitted on the law "solid .*cannot be used with "geometry"'
    ):
        choose(case, "rod", "geometry", fitted)
    unknown = fitted.model_copy(update={"law": "solid 0123456789abcdef"})
    with pytest.raises(BadInput, match="does not bring along for this case: give its"):
        choose(case, "rod", None, unknown)
    by_geometry = fitted.model_copy(update={"law": "geometry"})
    assert choose(case, "rod", None, by_geometry).kind == "geometry"
    with pytest.raises(BadInput, match='fitted on the law "geometry"'):
        choose(case, "rod", "solid", by_geometry)


def test_cases_that_are_fitted_together_stand_on_one_law():
    base = for_case(load("zhang_joint_one"), "test")
    cases = [load(f"zhang_joint_{n}") for n in ("one", "two")]
    assert common(cases, "rod", None, base).kind == "slice"  # each has a law of its own
    base = for_case(load("gong_bending_one"), "test")
    cases = [load(f"gong_bending_{n}") for n in ("one", "two", "three")]
    assert common(cases, "rod", None, base).kind == "solid"
    assert common([*cases, pressed("gong_bending_one", 40e3)], "rod", None, base).kind == "slice"


def test_a_file_that_is_not_the_published_one_is_refused(tmp_path, monkeypatch):
    name = "renda_arm"
    (tmp_path / "manifest.toml").write_bytes((shipped_laws.folder() / "manifest.toml").read_bytes())
    (tmp_path / f"{name}.nc").write_bytes(b"something else")
    monkeypatch.setattr(shipped_laws, "folder", lambda: tmp_path)
    shipped_laws.shipped_law.cache_clear()
    with pytest.raises(BadInput, match="its SHA-256 is another"):
        shipped_laws.shipped_law(name)


def test_the_spelling_of_a_length_does_not_decide():
    """0.9 cm is 0.009000000000000001 m to a computer."""
    case = load("gong_elongation")
    (segment,) = case.body.segments
    other = segment.model_copy(update={"chamber_radius": segment.chamber_radius * (1.0 + 3e-16)})
    assert other.chamber_radius != segment.chamber_radius
    body = case.body.model_copy(update={"segments": (other,)})
    assert choose(case.model_copy(update={"body": body}), "rod").kind == "solid"


def test_a_little_more_pressure_keeps_the_law_and_says_so():
    found = predict(pressed("gong_bending_one", 31e3))
    assert found.attrs["law_name"].startswith("solid") and "3% outside" in found.attrs["law_beyond"]
    assert choose(pressed("gong_bending_one", 40e3), "rod").kind == "slice"
