"""Walls of shells: energies written a second time, complex-step derivatives, closed forms."""

import numpy as np
import pytest

from loligo.cases.rubber.elastomer import Gent, MooneyRivlin, NeoHooke, Ogden, OgdenTerm, Yeoh
from loligo.cases.rubber.plane_stress import plane_stress
from loligo.reduced.shell.laws import GreenLaw, LinearLaw, RubberLaw

E, NU, K, H = 7.0, 0.3, 0.8, 0.2
REST = np.array([1.0, 0.0, -0.5, 1.0, 0.3])  # lambda, beta, mu, tau, c of a doubly curved wall
RUBBERS = {
    "neo_hooke": NeoHooke(mu=3.0, density=1e3),
    "mooney_rivlin": MooneyRivlin(c10=1.2, c01=0.3, density=1e3),
    "yeoh": Yeoh(c10=1.5, c20=0.2, c30=-0.01, density=1e3),
    "gent": Gent(mu=3.0, limit=4.0, density=1e3),
    "ogden": Ogden(
        terms=(OgdenTerm(mu=6.3, alpha=1.3), OgdenTerm(mu=0.012, alpha=5.0)), density=1e3
    ),
}


def psi(rubber, l1, l2):
    """The energies of the cases' documentation, from the three principal stretches."""
    l3 = 1.0 / (l1 * l2)
    i1 = l1**2 + l2**2 + l3**2
    i2 = (l1 * l2) ** 2 + (l2 * l3) ** 2 + (l3 * l1) ** 2
    match rubber.energy:
        case "neo_hooke":
            return rubber.mu / 2 * (i1 - 3)
        case "mooney_rivlin":
            return rubber.c10 * (i1 - 3) + rubber.c01 * (i2 - 3)
        case "yeoh":
            return sum(
                c * (i1 - 3) ** (n + 1) for n, c in enumerate((rubber.c10, rubber.c20, rubber.c30))
            )
        case "gent":
            return -rubber.mu * rubber.limit / 2 * np.log(1 - (i1 - 3) / rubber.limit)
        case "ogden":
            return sum(
                t.mu / t.alpha * (l1**t.alpha + l2**t.alpha + l3**t.alpha - 3) for t in rubber.terms
            )


def green_energy(s):
    lam, beta, mu, tau, c = s
    e1, e2 = (lam**2 + beta**2 - 1) / 2, (tau**2 - 1) / 2
    d1, d2 = REST[2] - mu * lam, tau * c - REST[4]
    stiff = E * H / (1 - NU**2)
    return (
        stiff / 2 * (e1**2 + e2**2 + 2 * NU * e1 * e2)
        + stiff * H**2 / 24 * (d1**2 + d2**2 + 2 * NU * d1 * d2)
        + K * E / (2 * (1 + NU)) * H * beta**2 / 2
    )


def linear_energy(s):
    e1, e2, k1, k2 = s[0] - 1, s[3] - 1, REST[2] - s[2], s[4] - REST[4]
    stiff = E * H / (1 - NU**2)
    return (
        stiff / 2 * (e1**2 + e2**2 + 2 * NU * e1 * e2)
        + stiff * H**2 / 24 * (k1**2 + k2**2 + 2 * NU * k1 * k2)
        + K * E / (2 * (1 + NU)) * H * s[1] ** 2 / 2
    )


def rubber_energy(rubber):
    points, weights = np.polynomial.legendre.leggauss(5)

    def energy(s):
        lam, beta, mu, tau, c = s
        a = (lam**2 + beta**2) ** 0.5
        thin = 1 / (a * tau)
        total = K * rubber.shear_modulus * H * (thin * beta / a) ** 2 / 2
        for z, w in zip(H / 2 * points, H / 2 * weights, strict=True):
            a1, a2 = 1 - z * REST[2], 1 + z * REST[4]
            total += w * a1 * a2 * psi(rubber, (a - z * thin * mu) / a1, (tau + z * thin * c) / a2)
        return total

    return energy


LAWS = {
    "green": (GreenLaw(E, NU, K), green_energy),
    "linear": (LinearLaw(E, NU, K), linear_energy),
    **{name: (RubberLaw(r, K), rubber_energy(r)) for name, r in RUBBERS.items()},
}


@pytest.mark.parametrize("name", LAWS)
def test_resultants_and_tangent_are_derivatives_of_the_written_energy(name):
    law, energy = LAWS[name]
    strain = REST + np.array([0.11, 0.07, 0.4, -0.13, 0.5])
    value, resultant, tangent = law.response(strain, REST, np.array(H))
    assert value == pytest.approx(energy(strain), rel=1e-13)
    step = 1e-30j * np.eye(5)
    exact = np.array([energy(strain + e).imag / 1e-30 for e in step])
    np.testing.assert_allclose(resultant, exact, rtol=0, atol=1e-13 * np.abs(exact).max())

    def slope(at):
        return np.array([energy(at + e).imag / 1e-30 for e in step])

    # Fourth-order differences with a step of 1e-3: the truncation is below 1e-9 here.
    def column(e):
        return (8 * (slope(strain + e) - slope(strain - e)) - slope(strain + 2 * e)
                + slope(strain - 2 * e)) / 12e-3  # fmt: skip

    numeric = np.stack([column(1e-3 * e) for e in np.eye(5)], axis=1)
    np.testing.assert_allclose(tangent, numeric, rtol=0, atol=1e-8 * np.abs(numeric).max())


@pytest.mark.parametrize("name", LAWS)
def test_rest_carries_nothing(name):
    energy, resultant, _ = LAWS[name][0].response(REST, REST, np.array(H))
    assert energy == pytest.approx(0.0, abs=1e-15)
    np.testing.assert_allclose(resultant, 0.0, atol=1e-14)


@pytest.mark.parametrize("name", LAWS)
def test_points_do_not_mix(name):
    law = LAWS[name][0]
    rng = np.random.default_rng(1)
    strain = REST + 0.05 * rng.normal(size=(4, 2, 5))
    rest = REST + 0.01 * rng.normal(size=(4, 2, 5)) * np.array([0, 0, 1, 0, 1])
    wall = 0.1 + 0.1 * rng.random((4, 2))
    every = law.response(strain, rest, wall)
    for index in np.ndindex(4, 2):
        one = law.response(strain[index], rest[index], wall[index])
        for a, b in zip(every, one, strict=True):
            np.testing.assert_allclose(a[index], b, rtol=1e-12, atol=1e-13)


def test_shear_of_a_stretched_neo_hookean_wall_is_exact_to_second_order():
    """F = lambda t(x)e1 + beta n(x)e1 + g' n(x)e3 with det F tau = 1: its energy, k = 1."""
    mu, lam, tau = 3.0, 1.4, 1.2
    law = RubberLaw(NeoHooke(mu=mu, density=1e3), 1.0)
    flat = np.array([1.0, 0.0, 0.0, 1.0, 0.0])
    gaps = []
    for beta in (0.02, 0.01):
        i1 = lam**2 + beta**2 + tau**2 + 1 / (lam * tau) ** 2
        energy, _, _ = law.response(np.array([lam, beta, 0.0, tau, 0.0]), flat, np.array(H))
        gaps.append(abs(energy - H * mu / 2 * (i1 - 3)))
    assert gaps[0] < 1e-6 * H * mu
    assert np.log2(gaps[0] / gaps[1]) == pytest.approx(4.0, abs=0.1)


@pytest.mark.parametrize("name", [*RUBBERS, "green"])
def test_a_stretched_wall_does_not_turn_its_director(name):
    """At a fixed meridian of stretch 1.8, turning the director costs energy at every angle."""
    flat = np.array([1.0, 0.0, 0.0, 1.0, 0.0])
    angle = np.linspace(0.0, 1.2, 13)
    strain = np.tile(flat, (13, 1))
    strain[:, 0], strain[:, 1] = 1.8 * np.cos(angle), -1.8 * np.sin(angle)
    energy, _, _ = LAWS[name][0].response(strain, np.tile(flat, (13, 1)), np.full(13, H))
    assert (np.diff(energy) > 0.0).all()


def test_uniaxial_stress_of_every_rubber():
    # Nominal stress at a stretch of 2, verification table F5; energies in MPa.
    cases = (
        (NeoHooke(mu=0.1, density=1e3), 0.1750),
        (MooneyRivlin(c10=0.04, c01=0.01, density=1e3), 0.1575),
        (Yeoh(c10=0.11, c20=0.02, density=1e3), 0.6650),
        (Gent(mu=0.1, limit=30.0, density=1e3), 0.1875),
        (
            Ogden(
                terms=(
                    OgdenTerm(mu=0.63, alpha=1.3),
                    OgdenTerm(mu=0.0012, alpha=5.0),
                    OgdenTerm(mu=-0.01, alpha=-2.0),
                ),
                density=1e3,
            ),
            0.60272,
        ),
    )
    for rubber, expected in cases:
        across = 2.0**-0.5
        plane = plane_stress(rubber, np.array(2.0), np.array(across))
        assert plane.d2 == pytest.approx(0.0, abs=1e-12 * rubber.shear_modulus)
        assert plane.d1 == pytest.approx(expected, abs=5e-6)  # the table has five digits


@pytest.mark.parametrize("name", RUBBERS)
def test_thin_rubber_at_rest_is_the_linear_wall_of_poisson_half(name):
    mu, wall = RUBBERS[name].shear_modulus, 1e-3
    flat = np.array([1.0, 0.0, 0.0, 1.0, 0.0])
    _, _, rubber = RubberLaw(RUBBERS[name], K).response(flat, flat, np.array(wall))
    _, _, linear = LinearLaw(3 * mu, 0.5, K).response(flat, flat, np.array(wall))
    np.testing.assert_allclose(rubber, linear, rtol=1e-12, atol=1e-12 * mu * wall**3)


def test_beyond_the_law_the_energy_is_not_finite():
    gent = RubberLaw(RUBBERS["gent"])
    far = REST + np.array([1.5, 0, 0, 1.5, 0])
    assert not np.isfinite(gent.response(far, REST, np.array(H))[0])
    neo = RubberLaw(RUBBERS["neo_hooke"])
    inside_out = REST + np.array([0.0, 0, 60.0, 0, 0])  # the outer face has a negative length
    assert not np.isfinite(neo.response(inside_out, REST, np.array(H))[0])


def test_thickness_follows_plane_stress():
    strain = np.array([1.1, 0.0, 0.0, 1.2, 0.0])
    assert RubberLaw(RUBBERS["yeoh"]).thickness_stretch(strain) == pytest.approx(1 / 1.32)
    assert LinearLaw(E, 0.25).thickness_stretch(strain) == pytest.approx(1 - 0.3 / 3)
    assert GreenLaw(E).thickness_stretch(strain) == 1.0


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: LinearLaw(-1.0, 0.3), "young must be positive and finite, but is -1"),
        (lambda: GreenLaw(1.0, 0.6), "poisson is 0.6"),
        (lambda: GreenLaw(1.0, 0.3, 0.0), "shear_correction must be positive and finite, but is 0"),
        (lambda: RubberLaw(NeoHooke(mu=1.0, density=1e3), -1.0), "shear_correction must be .* -1"),
        (lambda: RubberLaw(NeoHooke(mu=1.0, bulk_modulus=9.0, density=1e3)), "incompressible"),
    ],
)
def test_no_material(make, message):
    with pytest.raises(ValueError, match=message):
        make()
