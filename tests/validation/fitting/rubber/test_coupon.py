"""Nominal stress in three modes and CSV files, against closed forms and by hand."""

import numpy as np
import pytest

from loligo.cases.core.record import BadInput
from loligo.cases.rubber.elastomer import Gent, MooneyRivlin, NeoHooke, Ogden, OgdenTerm, Yeoh
from loligo.validation.fitting.rubber.coupon import (
    MODES,
    Coupon,
    fingerprint,
    first_invariant,
    nominal_stress,
    points,
    read_coupons,
    stretch_range,
)
from loligo.validation.fitting.rubber.treloar import treloar

MPA = 1e6
RHO = {"density": 1000.0}
TRELOAR_OGDEN = Ogden(
    terms=tuple(
        OgdenTerm(mu=mu * MPA, alpha=alpha)
        for mu, alpha in ((0.63, 1.3), (0.0012, 5.0), (-0.01, -2.0))
    ),
    **RHO,
)
# Rivlin's stresses as functions of the invariants: P = factor (W_1 + other W_2).
RIVLIN = {
    "uniaxial": (lambda x: 2 * (x - x**-2.0), lambda x: 1 / x, lambda x: x**2 + 2 / x),
    "equibiaxial": (lambda x: 2 * (x - x**-5.0), lambda x: x**2, lambda x: 2 * x**2 + x**-4.0),
    "pure_shear": (lambda x: 2 * (x - x**-3.0), lambda x: 1.0, lambda x: 1 + x**2 + x**-2.0),
}


@pytest.mark.parametrize("mode", MODES)
def test_laws_of_the_invariants(mode):
    stretch = np.linspace(0.6, 2.5, 20)
    factor, other, i1 = (f(stretch) for f in RIVLIN[mode])
    x = i1 - 3.0
    expected = {
        NeoHooke(mu=2.0, **RHO): 1.0,
        MooneyRivlin(c10=1.0, c01=0.3, **RHO): 1.0 + 0.3 * other,
        Yeoh(c10=1.0, c20=0.2, c30=0.03, **RHO): 1.0 + 0.4 * x + 0.09 * x**2,
        Gent(mu=2.0, limit=50.0, **RHO): 1.0 / (1.0 - x / 50.0),
    }
    for law, slope in expected.items():
        np.testing.assert_allclose(
            nominal_stress(law, mode, stretch), factor * slope, rtol=1e-12, atol=1e-12
        )
    second = {"uniaxial": stretch**-0.5, "equibiaxial": stretch, "pure_shear": stretch**0.0}[mode]
    np.testing.assert_allclose(first_invariant(stretch, second), x, atol=1e-12)


def test_ogden_in_its_own_closed_form():
    """P = sum mu (l^(a-1) - l3^a/l): l3 = l^-1/2, l^-2, l^-1."""
    stretch = np.linspace(0.6, 2.5, 20)
    for mode, power in zip(MODES, (-0.5, -2.0, -1.0), strict=True):
        expected = sum(
            t.mu * (stretch**t.alpha - stretch ** (power * t.alpha)) / stretch
            for t in TRELOAR_OGDEN.terms
        )
        np.testing.assert_allclose(nominal_stress(TRELOAR_OGDEN, mode, stretch), expected)


@pytest.mark.parametrize(
    ("law", "stress"),
    [
        (NeoHooke(mu=0.1 * MPA, **RHO), 0.1750),
        (MooneyRivlin(c10=0.04 * MPA, c01=0.01 * MPA, **RHO), 0.1575),
        (Yeoh(c10=0.11 * MPA, c20=0.02 * MPA, **RHO), 0.6650),
        (Gent(mu=0.1 * MPA, limit=30.0, **RHO), 0.1875),
        (TRELOAR_OGDEN, 0.60272),
    ],
)
def test_uniaxial_stress_at_twice_the_length(law, stress):
    assert nominal_stress(law, "uniaxial", 2.0) / MPA == pytest.approx(stress, abs=5e-6)


def test_published_ogden_on_treloar():
    rms = [
        np.sqrt(np.mean((nominal_stress(TRELOAR_OGDEN, c.mode, c.stretch) - c.stress) ** 2)) / MPA
        for c in treloar()
    ]
    assert rms == pytest.approx([0.310, 0.041, 0.0247], abs=5e-4)


def test_curves_are_sorted_cut_and_joined():
    curve = Coupon("uniaxial", np.array([2.0, 1.0, 3.0]), np.array([20.0, 0.0, 30.0]))
    np.testing.assert_array_equal(curve.stress, [0.0, 20.0, 30.0])
    np.testing.assert_array_equal(curve.up_to(2.0).stretch, [1.0, 2.0])
    pair = (curve.up_to(2.0), Coupon("equibiaxial", np.array([1.1, 1.2]), np.array([5.0, 8.0])))
    joined = points(pair, weights={"equibiaxial": 3.0})
    np.testing.assert_array_equal(joined.weight, [1.0, 1.0, 3.0, 3.0])
    np.testing.assert_allclose(joined.second, [1.0, 2.0**-0.5, 1.1, 1.2])
    relative = points(pair[1:], "relative")
    np.testing.assert_allclose(relative.weight, [1 / 5.0, 1 / 8.0])
    assert stretch_range(pair) == pytest.approx((1.2**-2, 2.0))
    with pytest.raises(ValueError, match="no relative residual"):
        points(pair, "relative")
    assert fingerprint(pair) == fingerprint(pair) != fingerprint(pair[:1])


def test_read_coupons(tmp_path):
    file = tmp_path / "pulls.csv"
    file.write_text(
        "# by hand\nmode, stretch [1], stress [kPa], remark\n"
        "uniaxial,1.5,100,a\npure_shear,1.2,40,b\n\nuniaxial,1.2,50,c\npure_shear,1.4,80,d\n"
    )
    uniaxial, shear = read_coupons(file)
    assert (uniaxial.mode, shear.mode) == ("uniaxial", "pure_shear")
    np.testing.assert_array_equal(uniaxial.stretch, [1.2, 1.5])
    np.testing.assert_array_equal(uniaxial.stress, [50e3, 100e3])


@pytest.mark.parametrize("mark", [";", "\t"])
def test_a_spreadsheet_may_part_by_semicolons_and_write_decimal_commas(tmp_path, mark):
    file = tmp_path / "pulls.csv"
    rows = ("stretch;stress [kPa];mode", "1,5;100,5;uniaxial", "1,2;50;uniaxial")
    file.write_text("\n".join(rows).replace(";", mark))
    (curve,) = read_coupons(file)
    np.testing.assert_allclose(curve.stretch, [1.2, 1.5], rtol=1e-15)
    np.testing.assert_allclose(curve.stress, [50e3, 100.5e3], rtol=1e-15)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("stretch,stress,mode\n1.1,2,uniaxial\n", "has no unit.*as in stress \\[MPa\\]"),
        ("stretch,stress [mm],mode\n1.1,2,uniaxial\n", "is not a stress"),
        ("strain,stress [Pa],mode\n1.1,2,uniaxial\n", "lacks stretch"),
        ("stretch [mm],stress [Pa],mode\n1.1,2,uniaxial\n", "column stretch has no unit"),
        ("stretch,stress [Pa],mode\n1.1,2,uniaxal\n", 'row 1.*did you mean "uniaxial"'),
        ("stretch,stress [Pa],mode\n1.1,x,uniaxial\n", 'row 1: "x" is no number for stress'),
        ("stretch,stress [Pa],mode\n-0.1,2,uniaxial\n1.2,2,uniaxial\n", "1 \\+ strain"),
        ("stretch,stress [Pa],mode\n1.1,2,uniaxial\n", "two or more stretches"),
        ("stretch,stress [Pa],mode\n", "no rows"),
        ("stretch,stress [Pa],mode\n1.1,1e300,uniaxial\n", "stress is 1e300"),
        ("stretch,stretch,stress [Pa],mode\n1.1,1,2,uniaxial\n", "two columns stretch"),
        ("stretch,stress [Pa],mode\n1.1,2\n", "row 1 has no mode"),
        ("", "is empty; it needs a header"),
    ],
)
def test_bad_files_are_refused(tmp_path, text, reason):
    file = tmp_path / "pulls.csv"
    file.write_text(text)
    with pytest.raises(BadInput, match=reason):
        read_coupons(file)
    with pytest.raises(BadInput, match="no such file"):
        read_coupons(tmp_path / "other.csv")


def test_treloar_has_all_points_of_the_table():
    assert [(c.mode, c.stretch.size) for c in treloar()] == [
        ("uniaxial", 24),
        ("equibiaxial", 16),
        ("pure_shear", 13),
    ]
