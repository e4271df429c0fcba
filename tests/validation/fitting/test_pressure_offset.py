"""Liu 2020 Eq 1g: the line's own formulas, and an arm whose upright pressures are known."""

import numpy as np
import pytest
from scipy import stats

from loligo.cases.case_file import load
from loligo.cases.core.record import BadInput
from loligo.cases.load.kinds import TipMoment
from loligo.meshes.bodies import pieces
from loligo.reduced.section.arm_law import fluid_arm
from loligo.validation.fitting.pressure_offset import fit_offset, upright

ARM = load("liu_arm")
PRESSURES = (5e3, 10e3, 15e3)


def test_the_line_with_its_intervals_by_the_normal_equations():
    random = np.random.default_rng(3)
    second = np.linspace(0.0, 60e3, 13)
    first = 1.02 * second - 0.89e3 + 200.0 * random.normal(size=13)
    found = fit_offset(second, first)
    columns = np.stack([second, np.ones(13)], axis=-1)
    best, squares, *_ = np.linalg.lstsq(columns, first)
    error = np.sqrt(np.diag(squares[0] / 11 * np.linalg.inv(columns.T @ columns)))
    reach = stats.t.ppf(0.975, 11) * error
    assert (found.slope, found.offset) == pytest.approx(tuple(best), rel=1e-9)
    assert found.slope_interval == pytest.approx((best[0] - reach[0], best[0] + reach[0]))
    assert found.offset_interval == pytest.approx((best[1] - reach[1], best[1] + reach[1]))
    assert found.determination > 0.999
    with pytest.raises(BadInput, match="three pairs"):
        fit_offset([1e3, 2e3], [1e3, 2e3])


def test_without_weight_equal_pressures_keep_the_tip_upright():
    bare = ARM.model_copy(update={"load": {}})
    found = upright(bare, ("s1c1", "s2c1"), PRESSURES)
    np.testing.assert_allclose(found, PRESSURES, rtol=1e-5)


def test_a_moment_at_the_tip_is_made_up_for_by_a_constant():
    """Both segments and the third bend by M L/EI each: segment 1 alone must undo 3 M of them."""
    moment = 1e-3
    bare = ARM.model_copy(update={"load": {"turn": TipMoment(moment=(0.0, moment, 0.0))}})
    first = upright(bare, ("s1c1", "s2c1"), PRESSURES)
    hole = next(hole for piece in pieces(ARM.body) for hole in piece.holes)
    arm = fluid_arm(hole)  # of chamber 1 of segment 1, at +z: a moment about y alone
    assert arm[2] == pytest.approx(0.0, abs=1e-12)
    found = fit_offset(PRESSURES, first)
    assert found.slope == pytest.approx(1.0, rel=1e-4)
    assert found.offset == pytest.approx(-3.0 * moment / arm[1], rel=1e-3)
