"""A tapered limb bent by tendons: closed forms of the cone, and a rod with a tendon."""

import numpy as np
import pytest

from loligo.cases.case_file import load
from loligo.cases.coefficients import Coefficient, Coefficients, fingerprint
from loligo.cases.core.record import BadInput
from loligo.reduced.arcs import pcc
from loligo.reduced.predict.arm_loads import arm_rod
from loligo.reduced.robots import pulled_arcs as pulled
from loligo.reduced.rod.loads import RodTendon
from loligo.reduced.rod.statics import solve
from loligo.reduced.section.arm_law import arm_law

CASE = load("emet_limb_one_tendon")
SOLID = CASE.body.model_copy(update={"bore_radius": 0.0})


def coefficients(**values):
    return Coefficients(
        source="test",
        belongs_to=fingerprint(CASE),
        coefficient=tuple(Coefficient(name=n, value=v, unit="1") for n, v in values.items()),
    )


def test_a_cone_with_converging_tendons_in_closed_form():
    """kappa = 4 T 0.7/(pi E r^3): 1.722 rad/N for Emet's limb, most of it near the tip."""
    limb = pulled.pulled_limb(SOLID, CASE.material, 1)
    squares = [radius**-2 for radius in (0.03, 0.01)]
    per_newton = 4 * 0.7 / (np.pi * 69e3) * (squares[1] - squares[0]) / (2 * 0.02 / 0.6)
    assert per_newton == pytest.approx(1.722, abs=1e-3)
    # The middles of 32 pieces leave (r' h/r)^2/2 of each: 0.2 % where it is 10 mm thin.
    assert 1 / limb.tension[0] == pytest.approx(per_newton, rel=2e-3)
    half = (0.02**-2 - squares[0]) / (squares[1] - squares[0])
    assert limb.shares[0, :16].sum() == pytest.approx(half, rel=2e-3)
    # So much of the bend near the tip puts that 0.22 m from where one arc has it.
    tips = [pcc.chain(pulled.arcs(limb, 0, np.pi / 2, 0.0))[-1, :3, 3]]
    tips.append(pcc.position(pcc.from_polar(0.6, np.pi / 2, 0.0)))
    assert np.linalg.norm(tips[0] - tips[1]) == pytest.approx(0.221, abs=2e-3)


def test_a_rod_with_a_tendon_has_that_shape():
    """Its tendon shortens it, too, by T/EA of the thin end: compared are directions and bends."""
    law = arm_law(CASE.body, CASE.material, coefficients=coefficients(bending_stiffness=1.1))
    limb = pulled.pulled_limb(
        CASE.body, CASE.material, 1, coefficients(bending_stiffness=1.1, bending_taper=1.0)
    )
    rod = arm_rod(CASE.body, law)
    start, end, base, tip = 0.005, 0.605, 0.021, 0.007
    tendon = RodTendon(
        0.3,
        lambda X: np.outer(base + (tip - base) * (X - start) / (end - start), [1.0, 0.0]),
        (0.0, end),
    )
    state = solve(rod, [tendon])
    places = start + np.array([0.25, 0.5, 0.75, 1.0]) * (end - start)
    frames = state.frames(places)
    turned = np.arctan2(frames[:, 1, 0], frames[:, 0, 0])
    frames_here = pcc.chain(pulled.arcs(limb, 0, 0.3 / limb.tension[0], 0.0))
    here = np.arctan2(frames_here[:, 1, 0], frames_here[:, 0, 0])[[7, 15, 23, 31]]
    # By the shortening T/EA, 1.4 % at the tip, the tendon's lever and the length go.
    assert here == pytest.approx(turned, rel=0.015)


def test_segments_bend_on_their_own():
    """Halves of a limb: the outer one is thinner, needs less tension, and bends as told."""
    limb = pulled.pulled_limb(SOLID, CASE.material, 2)
    assert limb.length == pytest.approx(0.3)
    assert limb.tension[0] > 4 * limb.tension[1]
    first = pcc.chain(pulled.arcs(limb, 0, 0.7, np.pi / 2))[-1]
    assert np.arccos(first[0, 0]) == pytest.approx(0.7)
    assert first[2, 3] > 0.0
    assert first[1, 3] == pytest.approx(0.0, abs=1e-12)
    # Twice the taper of the stiffness from base to tip moves the bend towards the base.
    tapered = pulled.pulled_limb(CASE.body, CASE.material, 1, coefficients(bending_taper=2.0))
    plain = pulled.pulled_limb(CASE.body, CASE.material, 1)
    assert tapered.shares[0, :16].sum() > 1.2 * plain.shares[0, :16].sum()


def test_largest_stretch_is_at_the_thin_end():
    """1 + kappa r, kappa r = theta share/h r: for a quarter turn at 10 mm closed-form r^-3."""
    limb = pulled.pulled_limb(SOLID, CASE.material, 1)
    tension = limb.tension[0] * np.pi / 2
    bend = 4 * 0.7 * tension / (np.pi * 69e3 * 0.01**2)
    # The last piece's middle is at 10.3 mm: kappa r goes as r^-2.
    found = pulled.largest_stretch(limb, 0, np.pi / 2) - 1
    assert found == pytest.approx(bend * (10 / 10.3125) ** 2, rel=3e-3)


def test_a_limb_without_tendons_is_refused():
    arm = load("renda_arm_tip_force")
    with pytest.raises(BadInput, match="has none"):
        pulled.pulled_limb(arm.body, arm.material, 1)
