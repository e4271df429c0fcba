"""Viscous walls: powers written a second time, derivatives by differences, small-strain limits."""

import numpy as np
import pytest

from loligo.cases.rubber.elastomer import NeoHooke
from loligo.reduced.shell.laws import GreenLaw, LinearLaw, RubberLaw
from loligo.reduced.shell.viscosity import viscosity, viscous

ETA, H, K, NU = 500.0, 0.2, 0.8, 0.3
REST = np.array([1.0, 0.0, -0.5, 1.0, 0.3])  # lambda, beta, mu, tau, c of a doubly curved wall
WALLS = {
    "green": GreenLaw(7.0, NU, K, ETA),
    "linear": LinearLaw(7.0, NU, K, ETA),
    "rubber": RubberLaw(NeoHooke(mu=3.0, density=1e3, viscosity=ETA), K),
}


def states(seed=0, count=4):
    rng = np.random.default_rng(seed)
    strain = REST + 0.2 * rng.standard_normal((count, 5))
    rate = rng.standard_normal((count, 5))
    return strain, rate, np.broadcast_to(REST, strain.shape), np.full(count, H)


def along(function, strain, rate, h=1e-6):
    """The rate of a function of the strains by a central difference: error h^2."""
    return (function(strain + h * rate) - function(strain - h * rate)) / (2 * h)


def green_power(strain, rate):
    """Eq 7 with half the thickness b: 6 eta b/(1 - nu^2), Js = b^2/3, eta for G, beta in H."""
    b = H / 2

    def measures(s):
        lam, beta, mu, tau, c = s
        return np.array(
            [
                (lam**2 + beta**2 - 1) / 2,
                (tau**2 - 1) / 2,
                REST[2] - mu * lam,
                tau * c - REST[4],
            ]
        )

    e1, e2, d1, d2 = along(measures, strain, rate)
    stiff = 6 * ETA * b / (1 - NU**2)
    membrane = e1**2 + e2**2 + 2 * NU * e1 * e2
    bending = b**2 / 3 * (d1**2 + d2**2 + 2 * NU * d1 * d2)
    return stiff * (membrane + bending) + K * 2 * b * ETA * rate[1] ** 2


def linear_power(strain, rate):
    e1, k1, e2, k2 = rate[0], -rate[2], rate[3], rate[4]
    stiff = 3 * ETA * H / (1 - NU**2)
    return (
        stiff * (e1**2 + e2**2 + 2 * NU * e1 * e2)
        + stiff * H**2 / 12 * (k1**2 + k2**2 + 2 * NU * k1 * k2)
        + K * 3 * ETA / (2 * (1 + NU)) * H * rate[1] ** 2
    )


def rubber_power(strain, rate):
    """2 eta d : d of the layers' principal stretches, by Gauss points, and of the shear angle."""
    z, w = np.polynomial.legendre.leggauss(30)
    z, w = z * H / 2, w * H / 2

    def logs(s):
        lam, beta, mu, tau, c = s
        a = np.hypot(lam, beta)
        g = 1 / (a * tau)
        l1 = (a - g * z * mu) / (1 - z * REST[2])
        l2 = (tau + g * z * c) / (1 + z * REST[4])
        return np.log(np.stack([l1, l2, 1 / (l1 * l2)]))

    def shear(s):  # beta/(tau a^3), whose rate times a^2 tau is the shear rate
        return s[1] / (s[3] * np.hypot(s[0], s[1]) ** 3)

    d = along(logs, strain, rate)
    volume = (1 - z * REST[2]) * (1 + z * REST[4]) * w
    q = np.hypot(strain[0], strain[1]) ** 2 * strain[3] * along(shear, strain, rate)
    return 2 * ETA * (d**2).sum(0) @ volume + K * H * ETA * q**2


POWERS = {"green": green_power, "linear": linear_power, "rubber": rubber_power}


@pytest.mark.parametrize("name", WALLS)
def test_power_is_the_written_one(name):
    strain, rate, rest, thickness = states()
    resultant, _, _ = viscous(WALLS[name], strain, rate, rest, thickness)
    power = [POWERS[name](s, r) for s, r in zip(strain, rate, strict=True)]
    np.testing.assert_allclose((resultant * rate).sum(-1), power, rtol=1e-8)


@pytest.mark.parametrize("name", WALLS)
def test_resultants_are_half_the_power_by_the_rates(name):
    """V is symmetric and the resultants V rate: only so the power says all about them."""
    strain, rate, rest, thickness = states(1)
    resultant, _, by_rate = viscous(WALLS[name], strain, rate, rest, thickness)
    scale = np.abs(by_rate).max()
    np.testing.assert_allclose(by_rate, np.swapaxes(by_rate, -1, -2), atol=1e-14 * scale)
    np.testing.assert_allclose((by_rate @ rate[..., None])[..., 0], resultant, rtol=1e-12)
    assert (np.linalg.eigvalsh(by_rate) > 0.0).all()


@pytest.mark.parametrize("name", WALLS)
def test_derivatives_by_differences(name):
    strain, rate, rest, thickness = states(2)
    law, h = WALLS[name], 1e-6

    def differences(strain_step, rate_step):
        columns = [
            viscous(law, strain + strain_step * e, rate + rate_step * e, rest, thickness)[0]
            - viscous(law, strain - strain_step * e, rate - rate_step * e, rest, thickness)[0]
            for e in np.eye(5)
        ]
        return np.stack(columns, axis=-1) / (2 * h)

    _, by_strain, by_rate = viscous(law, strain, rate, rest, thickness)
    scale = np.abs(by_rate).max()
    np.testing.assert_allclose(by_strain, differences(h, 0.0), atol=1e-8 * scale)
    np.testing.assert_allclose(by_rate, differences(0.0, h), atol=1e-8 * scale)


def test_shear_of_rubber_is_that_of_the_flow_to_second_order():
    """2 eta d : d of the deformation gradient itself, whose third column is the director.

    F = [[lambda, 0], [beta, 1/(lambda tau)]] in the plane of the meridian, tau around. What a thin
    wall dissipates must differ from it by the fourth power of beta.
    """
    law = RubberLaw(NeoHooke(mu=3.0, density=1e3, viscosity=ETA), shear_correction=1.0)
    rest = np.array([[1.0, 0.0, 0.0, 1.0, 0.0]])
    rate = np.array([0.4, 0.0, 0.0, -0.7, 0.0])

    def gradient(s):
        return np.array([[s[0], 0.0], [s[1], 1 / (s[0] * s[3])]])

    gaps = []
    for beta in (0.1, 0.05):
        strain = np.array([1.3, beta, 0.0, 0.9, 0.0])
        moving = rate + np.array([0.0, 3.0 * beta, 0.0, 0.0, 0.0])
        flow = along(gradient, strain, moving) @ np.linalg.inv(gradient(strain))
        d = 0.5 * (flow + flow.T)
        exact = 2 * ETA * H * ((d**2).sum() + (moving[3] / strain[3]) ** 2)
        r, _, _ = viscous(law, strain[None], moving[None], rest, np.array([H]))
        gaps.append(abs(float(r[0] @ moving) - exact) / exact)
    assert gaps[0] / gaps[1] == pytest.approx(16.0, rel=0.1)
    assert gaps[0] < 1e-2


def test_small_strain_limits():
    """Rubber: 8 eta b with coupling 1/2 (b half the thickness), Trouton's 3 eta; Renda: 6 eta b."""
    rest, still = np.array([[1.0, 0.0, 0.0, 1.0, 0.0]]), np.zeros((1, 5))
    b, thickness = H / 2, np.array([H])
    _, _, rubber = viscous(WALLS["rubber"], rest, still, rest, thickness)
    membrane = rubber[0][np.ix_([0, 3], [0, 3])]
    np.testing.assert_allclose(membrane, 8 * ETA * b * np.array([[1, 0.5], [0.5, 1]]), rtol=1e-14)
    pulled = 1 / np.linalg.inv(membrane)[0, 0]  # with the hoop free of force
    assert pulled == pytest.approx(3 * ETA * H)
    bending = rubber[0][np.ix_([2, 4], [2, 4])]
    np.testing.assert_allclose(
        bending, 8 * ETA * b**3 / 3 * np.array([[1, -0.5], [-0.5, 1]]), rtol=1e-12
    )
    assert rubber[0, 1, 1] == pytest.approx(K * ETA * H)

    _, _, renda = viscous(GreenLaw(1.0, viscosity=ETA), rest, still, rest, thickness)
    np.testing.assert_allclose(np.diag(renda[0])[[0, 3]], 6 * ETA * b, rtol=1e-14)
    assert renda[0, 0, 3] == 0.0 and renda[0, 1, 1] == pytest.approx(2 * b * ETA)
    for law in (GreenLaw(1.0, 0.5, K, ETA), LinearLaw(1.0, 0.5, K, ETA)):
        _, _, half = viscous(law, rest, still, rest, thickness)
        np.testing.assert_allclose(half, rubber, rtol=1e-12, atol=1e-12 * ETA)


def test_viscosity_is_refused_where_it_is_none():
    with pytest.raises(ValueError, match="viscosity must be finite and not negative, but is -1"):
        GreenLaw(1.0, viscosity=-1.0)
    with pytest.raises(ValueError, match="a wall of str has no viscous part"):
        viscosity("jelly")
