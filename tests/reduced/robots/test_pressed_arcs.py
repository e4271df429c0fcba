"""Chambered segments under pressure: against the rod of arcs, and in closed form."""

import numpy as np
import pytest

from loligo.cases.case_file import load
from loligo.cases.coefficients import Coefficient, Coefficients, fingerprint
from loligo.reduced.predict.predict import predict
from loligo.reduced.robots import pressed_arcs as pressed


def segments(case, **values):
    coefficients = Coefficients(
        source="test",
        belongs_to=fingerprint(case),
        coefficient=tuple(Coefficient(name=n, value=v, unit="1") for n, v in values.items()),
    )
    return pressed.pressed_segments(case.body, case.material, coefficients), coefficients


@pytest.mark.parametrize("name", ["gong_bending_one", "gong_bending_two", "liu_segment"])
def test_an_arc_is_that_of_the_chain_of_arcs(name):
    """The same energy by another way: the rod's solver on the arcs' three strains."""
    case = load(name)
    (segment,), coefficients = segments(
        case, stretch_stiffness=0.6, softening=1.2, bending_stiffness=1.3, chamber_growth=0.5
    )
    found = predict(case, "pcc", coefficients=coefficients)
    pressures = found.pressure.values
    arc = pressed.arcs(segment, pressures)
    strain = found.strain.values[:, len(found.station_mid) // 2]
    expected = segment.length * np.stack([strain[:, 3], strain[:, 2], -strain[:, 1]], axis=-1)
    assert arc == pytest.approx(expected, abs=1e-8)
    assert pressed.largest_stretch(segment, pressures) == pytest.approx(
        found.max_stretch.values.max(), rel=1e-8
    )


def test_a_chamber_that_lengthens_in_closed_form():
    """N = K e (1 + s e/2)/(1 + s e)^2 = p A, by a quadratic; above K A/(2 s) nothing balances."""
    case = load("gong_elongation")
    (segment,), _ = segments(case, softening=1.5)
    law = segment.law
    k = law.stiffness(np.array([segment.middle]))[0, 3, 3]
    limit = k / (2 * 1.5) / law.arms["s1c1"][3]
    shares = np.array([0.1, 0.5, 0.9])
    # With y = (1 + s e)^-2 the force is k (1 - y)/(2 s): so y is 1 - share.
    stretch = 1 + ((1 - shares) ** -0.5 - 1) / 1.5
    arcs = pressed.arcs(segment, (shares * limit)[:, None])
    assert arcs[:, 0] == pytest.approx(segment.length * stretch, rel=1e-10)
    assert arcs[:, 1:] == pytest.approx(np.zeros((3, 2)), abs=1e-12)
    assert np.isnan(pressed.arcs(segment, [[1.01 * limit]])).any()
    assert pressed.largest_stretch(segment, [[1.01 * limit]]) == np.inf
    back = pressed.pressures(segment, arcs)
    assert back[:, 0] == pytest.approx(shares * limit, rel=1e-9)


def test_pressures_make_the_arcs_that_were_asked_for():
    (segment,), _ = segments(load("gong_bending_one"), softening=1.0, chamber_growth=1.3)
    wanted = np.random.default_rng(3).uniform(0.0, 3e4, (20, 3))
    arcs = pressed.arcs(segment, wanted)
    assert pressed.pressures(segment, arcs) == pytest.approx(wanted, rel=1e-7, abs=1e-4)


def test_an_arm_has_its_segments_in_a_row():
    found, _ = segments(load("gong_arm"), bending_stiffness=1.3)
    assert [segment.length for segment in found] == pytest.approx([0.1, 0.1, 0.075])
    assert [len(segment.cavities) for segment in found] == [3, 3, 1]
    one, two = (pressed.arcs(segment, [[1e4, 0.0, 0.0]])[0] for segment in found[:2])
    assert two == pytest.approx(one * [1, -1, -1])  # the second is turned by 180 deg
