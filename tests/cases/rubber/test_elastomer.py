"""The elastomer record: its small-strain moduli, worked out by hand, and its refusals."""

import pytest
from pydantic import ValidationError

from loligo.cases.rubber.elastomer import Gent, MooneyRivlin, NeoHooke, Ogden, OgdenTerm, Yeoh

RUBBER = {"density": 1070.0}


@pytest.mark.parametrize(
    ("law", "mu"),
    [
        (NeoHooke(mu=23e3, **RUBBER), 23e3),
        (MooneyRivlin(c10=40e3, c01=10e3, **RUBBER), 100e3),
        (Yeoh(c10=110e3, c20=20e3, **RUBBER), 220e3),
        # Treloar's rubber in the classic convention: (0.63 1.3 + 0.0012 5 + 0.01 2)/2 MPa
        (
            Ogden(
                terms=(
                    OgdenTerm(mu=0.63e6, alpha=1.3),
                    OgdenTerm(mu=0.0012e6, alpha=5.0),
                    OgdenTerm(mu=-0.01e6, alpha=-2.0),
                ),
                **RUBBER,
            ),
            0.4225e6,
        ),
        (Gent(mu=50e3, limit=30.0, **RUBBER), 50e3),
    ],
)
def test_initial_moduli(law, mu):
    assert law.shear_modulus == pytest.approx(mu)
    assert law.young_modulus == pytest.approx(3 * mu)


def test_finite_bulk_modulus_lowers_young_modulus():
    # nu = (3K - 2mu)/(2(3K + mu)) = 0.25 at K = 5 mu/3, and E = 2 mu (1 + nu)
    rubber = NeoHooke(mu=30e3, bulk_modulus=50e3, **RUBBER)
    assert rubber.young_modulus == pytest.approx(2 * 30e3 * 1.25)


def test_negative_initial_modulus_is_refused():
    with pytest.raises(ValidationError, match="initial shear modulus of this mooney_rivlin law"):
        MooneyRivlin(c10=10e3, c01=-11e3, **RUBBER)


def test_fitted_stretch_must_span_one():
    with pytest.raises(ValidationError, match="with 1 between them"):
        NeoHooke(mu=1e3, fitted_stretch=(1.2, 3.0), **RUBBER)


def test_records_do_not_change():
    with pytest.raises(ValidationError, match="frozen"):
        NeoHooke(mu=1e3, **RUBBER).mu = 2e3
