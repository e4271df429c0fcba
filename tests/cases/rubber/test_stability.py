"""Stable ranges against roots of the criteria written out by hand for single modes."""

import numpy as np
import pytest
from scipy.optimize import brentq

from loligo.cases.rubber.elastomer import (
    Elastomer,
    Gent,
    MooneyRivlin,
    NeoHooke,
    Ogden,
    OgdenTerm,
    Yeoh,
)
from loligo.cases.rubber.stability import principal_stress, stable_range

STEP = 1.1e-3  # the walk's resolution in relative stretch


def test_neo_hooke_is_stable_wherever_one_looks() -> None:
    law = NeoHooke(mu=1e5, density=1000)
    for mode in ("uniaxial", "biaxial", "planar"):
        found = stable_range(law, mode, (0.2, 5.0))
        assert (found.smallest, found.largest) == (0.2, 5.0)
        assert (found.below, found.above) == ("searched", "searched")


def test_softening_yeoh_loses_drucker_where_the_true_stress_peaks() -> None:
    c10, c20 = 1e5, -2e3
    found = stable_range(Yeoh(c10=c10, c20=c20, density=1000), "uniaxial")

    def slope(s: float) -> float:  # d/dln(s) of (s^2 - 1/s) (c10 + 2 c20 (I1 - 3)), over 2
        x, spread = s**2 + 2 / s - 3, s**2 - 1 / s
        return (c10 + 2 * c20 * x) * (2 * s**2 + 1 / s) + 4 * c20 * spread**2

    assert found.largest == pytest.approx(brentq(slope, 1.5, 6.0), rel=STEP)
    assert found.smallest == pytest.approx(brentq(slope, 0.1, 0.8), rel=STEP)
    assert (found.below, found.above) == ("Drucker", "Drucker")


def test_ogden_with_a_negative_term_in_biaxial_stretch() -> None:
    terms = (OgdenTerm(mu=1e5, alpha=2.0), OgdenTerm(mu=-1e3, alpha=4.0))
    found = stable_range(Ogden(terms=terms, density=1000), "biaxial")
    # The increment (1, -1, 0) costs 2e5 s^2 - 4e3 s^4.
    assert found.largest == pytest.approx(np.sqrt(50.0), rel=STEP)
    assert found.above == "Drucker"


def test_baker_ericksen_can_fail_first() -> None:
    terms = (OgdenTerm(mu=-0.5e5, alpha=1.0), OgdenTerm(mu=-0.25e5, alpha=-4.0))
    found = stable_range(Ogden(terms=terms, density=1000), "planar")
    root = brentq(lambda s: -0.5 * (s - 1) + 0.25 * (1 - s**-4), 1.2, 2.0)
    assert found.largest == pytest.approx(root, rel=STEP)
    assert found.above == "Baker-Ericksen"


def test_gent_ends_at_its_limit() -> None:
    found = stable_range(Gent(mu=1e5, limit=30.0, density=1000), "uniaxial")
    root = brentq(lambda s: s**2 + 2 / s - 33.0, 2.0, 10.0)
    assert found.largest == pytest.approx(root, rel=STEP)
    assert found.above == "limit"
    assert "limit" in str(found)


@pytest.mark.parametrize(
    "elastomer",
    [
        NeoHooke(mu=1e5, density=1000),
        MooneyRivlin(c10=4e4, c01=1e4, density=1000),
        Yeoh(c10=1.1e5, c20=2e4, density=1000),
        Gent(mu=1e5, limit=30.0, density=1000),
        Ogden(terms=(OgdenTerm(mu=1e5, alpha=1.3), OgdenTerm(mu=-1e4, alpha=-2.0)), density=1000),
    ],
    ids=lambda law: law.energy,
)
def test_tangent_is_the_derivative_of_the_stress(elastomer: Elastomer) -> None:
    log_stretch, h = np.array([0.4, -0.1, -0.3]), 1e-6
    tangent = principal_stress(elastomer, np.exp(log_stretch))[1]
    numerical = np.stack(
        [
            principal_stress(elastomer, np.exp(log_stretch + h * e))[0]
            - principal_stress(elastomer, np.exp(log_stretch - h * e))[0]
            for e in np.eye(3)
        ],
        axis=-1,
    ) / (2 * h)
    # Central differences: h^2 and rounding over h, both about 1e-10 of the modulus.
    assert tangent == pytest.approx(numerical, abs=1e-8 * elastomer.shear_modulus)
