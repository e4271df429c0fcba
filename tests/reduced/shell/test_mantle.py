"""Renda's mantle: the paper's own equations by collocation, the ring limit, ten lines of use."""

from itertools import islice

import numpy as np
import pytest
from scipy.integrate import solve_bvp
from scipy.optimize import brentq

from loligo.cases.body import Mantle
from loligo.cases.rubber.elastomer import NeoHooke
from loligo.reduced.shell.laws import GreenLaw, RubberLaw
from loligo.reduced.shell.loads import hoop_tension_load, pressure_load
from loligo.reduced.shell.model import Span, make_shell, mantle_shell
from loligo.reduced.shell.statics import (
    NoEquilibrium,
    arc_length,
    displacement_control,
    follow,
    solve,
)

E, HALF, R = 40e3, 1e-3, 31e-3  # Table 1: Young's modulus, half thickness, radius
CAP, TUBE = R * np.pi / 4, 94e-3
LIMIT = 2 * E * HALF / (3 * np.sqrt(3))  # of tau^3 - tau = -2 T/(2 E h), 15.396 N/m


def mantle(law=None, size=3e-3, thin=1.0, breaks=()):
    """The mantle; with `thin` above 1 a thinner wall of the same E h."""
    body = Mantle(radius=R, thickness=2 * HALF / thin, cylinder_length=TUBE)
    return mantle_shell(body, law or GreenLaw(E * thin), size, breaks)


def ring(law, thickness, length=0.05):
    """A tube whose ends are free but for its place on the axis."""
    return make_shell(
        [Span(length, 10)],
        law,
        thickness=thickness,
        radius=R,
        angle=0.0,
        start="supported",
        end="free",
        lids=False,
    )


def hoop_root(tension, thickness=2 * HALF, bending=True):
    """The upper root of Eq 7 on a ring, tau^3 - tau + (h/R)^2/6 (tau - 1) = -2 T/(E h), h full."""
    share = thickness**2 / (6 * R**2) if bending else 0.0
    stiff = 2 * E * HALF

    def balance(tau):
        return tau**3 - tau + share * (tau - 1) + 2 * tension / stiff

    return brentq(balance, 1 / np.sqrt(3), 1.0, xtol=1e-15)


# --- ten lines -----------------------------------------------------------------------------------


def test_ten_lines_solve_the_mantle():
    body = Mantle(radius=31e-3, thickness=2e-3, cylinder_length=94e-3)
    shell = mantle_shell(body, GreenLaw(young=40e3, poisson=0.0), size=3e-3)
    state = solve(shell, hoop_tension_load(shell, 10.0))
    x, r = (shell.rest + state.displacement[:, :2]).T

    assert r[np.argmin(abs(shell.arc - (CAP + TUBE / 2)))] == pytest.approx(25.9675e-3, rel=1e-4)
    assert state.unstable_at_load == 0
    assert np.pi * np.sum(np.diff(x) * (r[1:] ** 2 + r[:-1] ** 2) / 2) == pytest.approx(
        state.volume, rel=1e-4
    )


# --- the paper's equations -----------------------------------------------------------------------


def renda_wall(strain, rest_r, rest_theta, rest_mu, r, theta):
    """Eq 7 without viscosity, as printed, nu = 0: N_X, H, M_X and the hoop's N_phi, M_phi.

    N_phi and M_phi times r*, which makes them forces per unit of reference length.
    """
    lam, beta, mu = strain
    js, g = HALF**2 / 3, E / 2
    e11, e22 = (lam**2 + beta**2 - 1) / 2, (r**2 - rest_r**2) / 2
    d11 = rest_mu - mu * lam
    d22 = rest_r * np.sin(rest_theta) - r * np.sin(theta)
    n_x = 2 * E * HALF * (lam * e11 - js * mu * d11)
    h = 2 * HALF * beta * (g + E * e11)
    m_x = -2 * E * HALF * js * lam * d11
    n_phi = 2 * E * HALF * (r * e22 - js * np.sin(theta) * d22) / rest_r**4 * rest_r
    m_phi = -2 * E * HALF * js * r * d22 / rest_r**4 * rest_r
    return n_x, h, m_x, n_phi, m_phi


def renda_strains(wrench, rest_r, rest_theta, rest_mu, r, theta):
    """Solve Eq 7 for (lambda, beta, mu), all points at once, by Newton with complex steps."""
    strain = np.stack([np.ones_like(r), 0 * r, rest_mu + 0 * r])
    scale = np.array([1.0, 1.0, 1.0 / HALF])
    for _ in range(30):
        now = np.array(renda_wall(strain, rest_r, rest_theta, rest_mu, r, theta)[:3])
        slope = np.empty((3, 3, len(r)))
        for j in range(3):
            step = np.zeros((3, 1), complex)
            step[j] = 1e-30j
            wall = renda_wall(strain + step, rest_r, rest_theta, rest_mu, r, theta)[:3]
            slope[:, j] = np.array(wall).imag / 1e-30
        move = np.linalg.solve(slope.transpose(2, 0, 1), (wrench - now).T[..., None])[..., 0].T
        strain = strain + move
        if np.abs(move / scale[:, None]).max() < 1e-13:
            return strain
    raise AssertionError("Eq 7 was not inverted")


def renda_statics(tension):
    """Eq 5 at rest by `solve_bvp`, in the paper's frame: (r, z, theta, N_X, H, M_X) of X.

    r* N_X, r* H, r* M_X obey (r* F1)'/r* = ad_xi1^T F1 + ad_xi2^T (F2 - F2a), ad^T of (k; q) on
    (M; N) being (M x k + N x q; N x k); actuation F2a pulls with the hoop tension `tension`.
    The cap and the tube are two systems on [0, 1], joined.
    """
    lengths = (CAP, TUBE)

    def rest(part, s):
        if part == 0:
            theta = -np.pi / 4 - s * CAP / R
            return -R * np.sin(theta), theta, np.full_like(s, -1 / R)
        return np.full_like(s, R), np.full_like(s, -np.pi / 2), np.zeros_like(s)

    def rates(s, y):
        out = []
        for part in (0, 1):
            r, _, theta, n_x, h, m_x = y[6 * part : 6 * part + 6]
            rest_r, rest_theta, rest_mu = rest(part, s)
            place = (rest_r, rest_theta, rest_mu, r, theta)
            strain = renda_strains(np.array([n_x, h, m_x]), *place)
            lam, beta, mu = strain
            *_, n_phi, m_phi = renda_wall(strain, *place)
            hoop = n_phi + tension
            widen = np.cos(rest_theta) / rest_r
            c, sn = np.cos(theta) / rest_r, np.sin(theta) / rest_r
            out += [
                np.cos(theta) * lam - np.sin(theta) * beta,
                np.sin(theta) * lam + np.cos(theta) * beta,
                mu,
                -widen * n_x + h * mu + hoop * c,
                -widen * h - n_x * mu - hoop * sn,
                -widen * m_x + n_x * beta - h * lam + m_phi * c,
            ]
            out[-6:] = [lengths[part] * v for v in out[-6:]]
        return np.array(out)

    def ends(a, b):
        clamp = [a[0] - R * np.sin(np.pi / 4), a[1], a[2] + np.pi / 4]
        return np.array([*clamp, *(a[6:] - b[:6]), *b[9:]])

    s = np.linspace(0, 1, 200)
    guess = np.zeros((12, len(s)))
    for part in (0, 1):
        rest_r, rest_theta, _ = rest(part, s)
        guess[6 * part], guess[6 * part + 2] = rest_r, rest_theta
    guess[1] = -s * CAP
    guess[7] = guess[1, -1] - s * TUBE
    out = solve_bvp(rates, ends, s, guess, tol=1e-7, max_nodes=20000)
    assert out.success, out.message
    return out.sol


@pytest.mark.parametrize("tension", [5.0, 10.0])
def test_mantle_solves_the_papers_equations(tension):
    exact = renda_statics(tension)
    shell = mantle(size=1.5e-3)
    state = solve(shell, hoop_tension_load(shell, tension))
    x, r = (shell.rest + state.displacement[:, :2]).T
    cap = shell.arc <= CAP * (1 + 1e-12)
    for nodes, part, start, length in ((cap, 0, 0.0, CAP), (~cap, 6, CAP, TUBE)):
        y = exact((shell.arc[nodes] - start) / length)
        np.testing.assert_allclose(r[nodes], y[part], rtol=2e-6)
        np.testing.assert_allclose(x[nodes], -y[part + 1], atol=2e-6 * shell.arc[-1])


# --- the ring ------------------------------------------------------------------------------------


def test_ring_under_renda_law_and_under_rubber():
    # A wall 100 times thinner of the same E h leaves no bending in the fifth digit.
    shell = ring(GreenLaw(100 * E), 2 * HALF / 100)
    state = solve(shell, hoop_tension_load(shell, 15.0))
    assert 1 + state.displacement[0, 1] / R == pytest.approx(0.6514, abs=5e-5)
    assert 1 + state.displacement[0, 1] / R == pytest.approx(hoop_root(15.0, bending=False))
    rubber = ring(RubberLaw(NeoHooke(mu=100 * E / 3, density=1e3)), 2 * HALF / 100)
    state = solve(rubber, hoop_tension_load(rubber, 15.0))
    stretch = brentq(lambda t: E / 3 * 2 * HALF * (t - t**-2) + 15.0, 0.5, 1.0)
    assert stretch == pytest.approx(0.843, abs=5e-4)
    middle = len(rubber.arc) // 2  # Poisson's effect bends the wall at its free ends
    assert 1 + state.displacement[middle, 1] / R == pytest.approx(stretch, rel=1e-6)


@pytest.mark.parametrize("tension", [5.0, 10.0, 15.0])
def test_ring_has_the_exact_root_with_bending(tension):
    shell = ring(GreenLaw(E), 2 * HALF)
    state = solve(shell, hoop_tension_load(shell, tension))
    # With nu = 0 nothing bends the meridian: the state is uniform and exact to rounding.
    np.testing.assert_allclose(1 + state.displacement[:, 1] / R, hoop_root(tension), rtol=1e-10)


def test_limit_load_of_the_ring():
    assert LIMIT == pytest.approx(15.396, abs=5e-4)
    shell = ring(GreenLaw(100 * E), 2 * HALF / 100)
    control = displacement_control(shell, 0.025, "radial")
    stretches = 1 / np.sqrt(3) + np.array([0.02, 0.0, -0.02])
    states = follow(shell, hoop_tension_load(shell, 1.0), control, R * (stretches - 1))
    loads = [state.factor for state in states]
    assert loads[1] == pytest.approx(LIMIT, rel=1e-6)
    assert loads[0] < loads[1] > loads[2]
    assert states[0].unstable_at_load == 0 < states[2].unstable_at_load


def test_beyond_the_limit_there_is_no_equilibrium():
    shell = ring(GreenLaw(100 * E), 2 * HALF / 100)
    with pytest.raises(NoEquilibrium, match=r"limit point.*`follow`.*`arc_length`") as failure:
        solve(shell, hoop_tension_load(shell, 16.0))
    (last,) = failure.value.reached
    assert np.isfinite(last.displacement).all()
    # What it keeps is an equilibrium near the limit: all but the last of its halved steps.
    reached = -last.loads.dead[:, 1].sum() / (2 * np.pi * shell.arc[-1])
    assert 0.99 * LIMIT < reached <= LIMIT


# --- the whole mantle ----------------------------------------------------------------------------


@pytest.mark.parametrize(("tension", "radius"), [(5, 28.8425), (10, 25.9645), (15, 20.193)])
def test_middle_of_the_mantle(tension, radius):
    """The printed radii are those of a membrane; a wall of 2 mm adds its bending, (h/R)^2/6."""
    thick, thin = mantle(), mantle(thin=20.0, size=1e-3)
    radii = []
    for shell in (thick, thin):
        middle = np.argmin(np.abs(shell.arc - (CAP + TUBE / 2)))
        state = solve(shell, hoop_tension_load(shell, float(tension)))
        assert state.unstable_at_load == 0
        radii.append(shell.rest[middle, 1] + state.displacement[middle, 1])
    # At 15 N/m, 97 % of the limit, the clamp's layer is long and reaches the middle with 4e-4.
    assert radii[0] == pytest.approx(R * hoop_root(tension), rel=1e-5 if tension < 15 else 5e-4)
    assert 1e3 * radii[1] == pytest.approx(radius, rel=2e-5)


def test_band_contracts_what_it_covers():
    shell = mantle(breaks=(25e-3, 110e-3))
    state = solve(shell, hoop_tension_load(shell, 10.0, (25e-3, 110e-3)))
    middle = np.argmin(np.abs(shell.arc - (CAP + TUBE / 2)))
    r = shell.rest[:, 1] + state.displacement[:, 1]
    # The rim that is not pulled holds the middle back by a little, and itself stays wide.
    assert r[middle] == pytest.approx(R * hoop_root(10.0), rel=1e-3)
    assert r[-1] > r[middle] + 1e-3
    # Nodes at the ends of the band or not: the same answer to the mesh's accuracy.
    other = mantle(size=1.4e-3)
    coarse = solve(other, hoop_tension_load(other, 10.0, (25e-3, 110e-3)))
    assert coarse.volume == pytest.approx(state.volume, rel=1e-4)


def test_inflation_is_work_of_the_pressure_less_that_on_the_missing_lid():
    """On an open rim dU = p dV - p pi r^2 du of the nozzle; Simpson on a fine path."""
    shell = mantle()
    pressures = np.linspace(0.0, 60.0, 41)
    states = []
    for p in pressures:
        states.append(solve(shell, pressure_load(shell, p), states[-1] if states else None))
    volume = np.array([s.volume for s in states])
    u = np.array([s.displacement[-1, 0] for s in states])
    disc = np.pi * np.array([R + s.displacement[-1, 1] for s in states]) ** 2
    rate_v, rate_u = (np.gradient(a, pressures, edge_order=2) for a in (volume, u))
    rates = pressures * (rate_v - disc * rate_u)
    weight = np.r_[1, np.tile([4, 2], 20)[:-1], 1] * (pressures[1] / 3)
    assert states[-1].energy == pytest.approx(weight @ rates, rel=1e-3)
    assert volume[-1] > 1.03 * volume[0]


def test_stability_of_an_open_mantle_follows_its_pressure():
    """The pressure of an open rim has no potential; its limit point still turns the stability.

    The nozzle carries nothing, so that the pressure pushes the cap's wall towards the clamp: it
    folds there, near 225 Pa. Every point before has an even number of negative pivots, every point
    beyond, where the pressure falls, an odd one; two meshes agree on the pressure.
    """
    limits = []
    for size in (3e-3, 1.5e-3):
        shell = mantle(RubberLaw(NeoHooke(mu=E / 3, density=1e3)), size=size)
        path = list(islice(arc_length(shell, pressure_load(shell, 1.0), 2e-4), 65))
        pressures = np.array([state.factor for state in path])
        odd = np.array([state.unstable_at_load % 2 for state in path])
        top = int(np.argmax(pressures))
        assert 40 < top < 60
        assert not odd[: top - 1].any() and odd[top + 2 :].all()
        limits.append(pressures[top])
    assert limits[0] == pytest.approx(limits[1], rel=1e-4)
