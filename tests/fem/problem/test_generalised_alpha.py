"""Generalised-alpha on oscillators whose motion is known in closed form."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest
from scipy.special import ellipj

from loligo.fem.problem.generalised_alpha import Alpha, MotionState, Rates, euler

Array = npt.NDArray[np.float64]
Force = Callable[[Array], tuple[Array, Array]]
"""Restoring force per mass of a displacement, and its slope."""


def equilibrium(r: Rates, u: Array, force: Force) -> Array:
    """Displacement at the end of a step of an oscillator, by Newton's method."""
    for _ in range(20):
        restoring, slope = force(u)
        gap = r.acceleration_slope * u + r.acceleration_start + restoring
        u = u - gap / (r.acceleration_slope + slope)
        if abs(gap[0]) < 1e-13 * r.acceleration_slope:
            break
    return u


def step(alpha: Alpha, place: MotionState, h: float, force: Force) -> MotionState:
    u = equilibrium(alpha.rates(place, h), place.displacement, force)
    return alpha.arrive(place, h, u)


def begin(u: Array, v: Array, h: float, force: Force) -> MotionState:
    """Where a motion begins, as a small step of Euler's method sees it."""
    r = euler(u, v, h / 16)
    a = r.acceleration_slope * equilibrium(r, u, force) + r.acceleration_start
    return MotionState(u, v, a, a, h)


def spring(u: Array) -> tuple[Array, Array]:
    """The linear oscillator of unit frequency."""
    return u, np.ones_like(u)


def amplification(rho: float, h: float) -> Array:
    """What a step makes of (u, v, a) of the linear oscillator, its acceleration being -u."""
    columns = []
    for u, v, a in np.eye(3):
        place = MotionState(np.array([u]), np.array([v]), np.array([-u]), np.array([a]), h)
        after = step(Alpha(rho), place, h, spring)
        columns.append([after.displacement[0], after.velocity[0], after.auxiliary[0]])
    return np.array(columns).T


@pytest.mark.parametrize("rho", [1.0, 0.8, 0.5, 0.0])
def test_what_is_infinitely_fast_is_left_to_the_share_rho(rho: float) -> None:
    size = np.abs(np.linalg.eigvals(amplification(rho, 1e5))).max()
    assert size == pytest.approx(rho, abs=5e-3)  # a triple root is found to the cube root of 1e-8
    # No step, however long, lets anything grow.
    for h in np.geomspace(1e-2, 1e3, 21):
        assert np.abs(np.linalg.eigvals(amplification(rho, h))).max() <= 1.0 + 1e-9


@pytest.mark.parametrize(
    ("rho", "damping", "longer"),
    [
        (1.0, 0.0, 0.007456),
        (0.8, 1.82e-5, 0.007868),
        (0.5, 4.77e-4, 0.01110),
        (0.0, 1.03e-2, 0.03602),
    ],
)
def test_damping_and_period_of_the_linear_oscillator(
    rho: float, damping: float, longer: float
) -> None:
    """Of the scheme of Chung and Hulbert, at a twentieth of a period a step (omega h = 0.3)."""
    roots = np.linalg.eigvals(amplification(rho, 0.3))
    root = roots[np.argmax(np.abs(roots.imag))]
    turn = abs(np.angle(root))
    assert -np.log(abs(root)) / turn == pytest.approx(damping, rel=5e-3, abs=1e-12)
    assert 0.3 / turn - 1.0 == pytest.approx(longer, rel=1e-3)


@pytest.mark.parametrize("rho", [1.0, 0.8, 0.5, 0.0])
def test_the_roots_are_those_of_the_scheme_of_chung_and_hulbert(
    rho: float, check: Callable[..., None]
) -> None:
    """Theirs balances forces between the ends of a step; of a linear system the roots are one."""
    m, f = (2.0 * rho - 1.0) / (rho + 1.0), rho / (rho + 1.0)
    gamma, beta = 0.5 - m + f, (1.0 - m + f) ** 2 / 4.0
    for h in (0.03, 0.3, 3.0, 30.0):
        new = np.array([[1.0, 0.0, -beta * h**2], [0.0, 1.0, -gamma * h], [1.0 - f, 0.0, 1.0 - m]])
        old = np.array([[1.0, h, (0.5 - beta) * h**2], [0.0, 1.0, (1.0 - gamma) * h], [-f, 0, -m]])
        theirs = np.sort(np.abs(np.linalg.eigvals(np.linalg.solve(new, old))))
        mine = np.sort(np.abs(np.linalg.eigvals(amplification(rho, h))))
        check("F17", f"spectral radius, rho {rho:g}, step {h:g}", mine[-1], theirs[-1], 1e-6)


def duffing(u: Array) -> tuple[Array, Array]:
    """A spring that stiffens: u + u^3."""
    return u + u**3, 1.0 + 3.0 * u**2


def duffing_end(rho: float, steps: int, end: float) -> Array:
    """Displacement and velocity at the end, from u = 1 at rest; steps of two sizes in turn."""
    alpha, h = Alpha(rho), end / steps
    place = begin(np.ones(1), np.zeros(1), h, duffing)
    for i in range(steps):
        place = step(alpha, place, h * (0.7 if i % 4 < 2 else 1.3), duffing)
    return np.concatenate([place.displacement, place.velocity])


@pytest.mark.parametrize("rho", [1.0, 0.8, 0.5, 0.0])
def test_second_order_where_the_spring_stiffens_and_the_step_changes(rho: float) -> None:
    """Duffing: u = cn(w t, k), w^2 = 1 + A^2, k^2 = A^2/(2 w^2) with A = 1."""
    end, w, m = 5.0, np.sqrt(2.0), 0.25
    sn, cn, dn, _ = ellipj(w * end, m)
    exact = np.array([cn, -w * sn * dn])
    errors = [np.abs(duffing_end(rho, n, end) - exact).max() for n in (400, 800, 1600)]
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert orders[-1] == pytest.approx(2.0, abs=0.1)


def test_the_energy_of_a_spring_that_stiffens_goes_to_and_fro_but_does_not_drift(
    check: Callable[..., None],
) -> None:
    """With rho = 1 it conserves linear systems alone: a trapezoidal rule of its own says how far.

    From u = 1 at rest the energy rises by 6.938e-4 where the spring is slack, at h = 0.05.
    """
    h = 0.05
    place = begin(np.ones(1), np.zeros(1), h, duffing)
    energies = []
    for _ in range(4000):
        place = step(Alpha(1.0), place, h, duffing)
        u, v = place.displacement[0], place.velocity[0]
        energies.append((v**2 + u**2 + u**4 / 2.0) / 1.5 - 1.0)
    early, late = np.array(energies[:1000]), np.array(energies[-1000:])
    check("F18", "rho 1, Duffing: share of energy that goes to and fro", early.max(), 6.938e-4, 0.1)
    check("F18", "rho 1, Duffing: drift in 3000 steps", late.max(), early.max(), 1e-5, scale=1.0)
    assert late.min() == pytest.approx(early.min(), abs=1e-5)


def test_the_estimate_is_the_error_of_a_step() -> None:
    """One step of the linear oscillator from its exact motion against the motion itself."""
    alpha, h = Alpha(0.8), 1e-2
    shift = (alpha.mass_shift - alpha.force_shift) * h  # the auxiliary one lives there
    start = MotionState(*(np.array([x]) for x in (0.0, 1.0, 0.0, -np.sin(shift))), h)
    after = step(alpha, start, h, spring)
    estimate = alpha.own_error(start, after)
    assert estimate[0] == pytest.approx(after.displacement[0] - np.sin(h), rel=0.02)


def test_no_scheme_that_blows_up() -> None:
    with pytest.raises(ValueError, match=r"rho_inf must be from 0 to 1, not 1\.1"):
        Alpha(1.1)
