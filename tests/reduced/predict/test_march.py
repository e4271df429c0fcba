"""How far a reduced model gets: the states before are kept, with the reason why it stops."""

import numpy as np
import pytest

from loligo.cases.body import TaperedArm, Tendons
from loligo.cases.case import Case, Motion
from loligo.cases.case_file import load
from loligo.cases.dataset import io as dataset
from loligo.cases.load.history import Table
from loligo.cases.load.kinds import TendonTension, TipForce
from loligo.cases.rubber.elastomer import NeoHooke
from loligo.reduced.predict.march import NoAnswer, march
from loligo.reduced.predict.predict import NothingPredicted, answer, predict

LENGTH, BASE, TIP = 0.2, 0.01, 0.005


def pulled(steps=(1.0,), time=None, history=None, tension=3.0):
    """An arm of soft rubber with a tendon that is far too strong for it."""
    body = TaperedArm(
        length=LENGTH,
        base_radius=BASE,
        tip_radius=TIP,
        tip_disc=0.002,
        tendons=Tendons(count=1, base_offset=0.007, tip_offset=0.003),
    )
    return Case(
        name="pulled",
        title="Pulled",
        source="Test",
        body=body,
        material={"body": NeoHooke(mu=16e3, density=1070.0, viscosity=300.0 if time else 0.0)},
        load={"pull": TendonTension(tendons=(1,), tension=tension, history=history)},
        steps=steps,
        time=time,
    )


def times(case, factor):
    """A case with so many times its loads."""
    return case.model_copy(update={"steps": (factor,)})


def test_a_section_that_is_compressed_to_nothing_is_no_state():
    """A tendon shifts and bends a slender section by T (1/EA + r d/EI) on the inner side.

    The tip's section has the largest of it, with E = 3 mu, A = pi r^2 and I = A r^2/4, and reaches
    nothing at T = E A/(1 + 4 d/r): the tendon's slope changes that by its square, 2 %.
    """
    found = predict(pulled(steps=(0.1, 1.0)), on_the_way=True)
    assert dataset.check(found) == []
    assert found.sizes["step"] == 2 and np.all(found["stable"] == 1)
    limit = 3 * 16e3 * np.pi * TIP**2 / (1 + 4 * 0.003 / TIP)
    tension = found["load_pull"].values
    assert tension[0] == pytest.approx(0.3)
    assert 0.96 < tension[1] / limit < 1.01
    assert found.attrs["reached"] == pytest.approx(1 + (tension[1] - 0.3) / 2.7)
    assert found.attrs["status"].startswith("stopped at step 2: the surface on the inner side")
    share = (tension[1] - 0.3) / 2.7
    assert f"the last state is {share:.1%} of the way to it" in found.attrs["status"]
    # The state kept is that of its load alone
    same = predict(pulled(steps=(tension[1] / 3.0,)))
    np.testing.assert_allclose(found["frame"][1], same["frame"][0], atol=1e-8)


def test_without_the_state_on_the_way_the_steps_before_are_kept():
    found = predict(pulled(steps=(0.1, 1.0)))
    assert found.sizes["step"] == 1 and found.attrs["reached"] == 1.0
    with pytest.raises(NothingPredicted, match="pulled: the rod stopped at step 1: "):
        predict(pulled())
    with pytest.raises(NothingPredicted):  # a search sees the same
        answer(pulled(), "rod", shape_only=True)


def test_no_convergence_is_told_from_a_law_without_an_answer():
    push = TipForce(force=(-40.0, 0.0, 0.0))
    case = pulled().model_copy(update={"load": {"push": push}})
    found = predict(case, on_the_way=True)
    assert "no equilibrium was found: " in found.attrs["status"]
    assert found.sizes["step"] == 1 and 0.0 < found.attrs["reached"] < 1.0
    assert found["load_push"].item() == pytest.approx(40.0 * found.attrs["reached"])


@pytest.mark.parametrize(
    ("name", "model", "factor"),
    [
        ("gong_bending_one", "pcc_lengths", 15.0),
        ("renda_mantle_inflation", "shell", 5.0),
        ("zhang_joint_one", "joint", 40.0),
        ("emet_limb_one_tendon", "pcc", 60.0),
    ],
)
def test_every_model_keeps_the_last_state_on_the_way(name, model, factor):
    case = load(name)
    loads = {n: one.model_copy(update={"path": None}) for n, one in case.load.items()}
    found = predict(times(case.model_copy(update={"load": loads}), factor), model, on_the_way=True)
    assert not [one for one in dataset.check(found) if one.verdict == "bad"]
    assert found.sizes["step"] == 1 and 0.0 < found.attrs["reached"] < 1.0
    assert found.attrs["status"].startswith("stopped at step 1: ")
    assert np.all(np.isfinite(found["max_stretch"]))


def test_a_motion_ends_before_the_state_that_is_none():
    """The tension grows slowly: the arm goes through its equilibria, and stops where they do."""
    ramp = Table(times=(0.0, 10.0), factors=(0.0, 1.0))
    found = predict(pulled(time=Motion(duration=10.0, every=1.0), history=ramp))
    assert dataset.check(found) == []
    limit = 3 * 16e3 * np.pi * TIP**2 / (1 + 4 * 0.003 / TIP)
    last = int(limit / 0.3)  # outputs with 0, 0.3, 0.6, ... N
    assert found.sizes["step"] == last + 1
    assert found.attrs["status"].startswith(f"stopped at step {last + 2}: the surface")


def test_what_is_not_finite_is_not_reached():
    case = pulled(steps=(0.5, 1.0, 1.5))

    def advance(now, step, start):
        factor = now.steps[step]
        return factor, {"value": np.array(np.nan if factor > 0.8 else factor), "from": start or 0}

    marched = march(case, advance, on_the_way=True)
    assert [report["value"] for report in marched.reports] == pytest.approx([0.5, 0.8], abs=4e-3)
    assert marched.reports[-1]["value"] <= 0.8
    assert marched.place == pytest.approx(1.6, abs=8e-3)
    assert marched.status.startswith("stopped at step 2: value is not finite")

    def never(now, step, start):
        raise NoAnswer("none")

    assert march(case, never, on_the_way=True).reports == []
