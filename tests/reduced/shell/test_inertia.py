"""Mass of shells by hand, and their natural frequencies against closed forms."""

import numpy as np
import pytest

from loligo.cases.body import Mantle
from loligo.reduced.shell.inertia import mass_matrix, vibrations
from loligo.reduced.shell.laws import GreenLaw, LinearLaw
from loligo.reduced.shell.loads import edge_load, hoop_tension_load, pressure_load
from loligo.reduced.shell.model import Span, make_shell, mantle_shell
from loligo.reduced.shell.statics import solve

E, RHO, H, R = 40e3, 1100.0, 1e-3, 0.03


def tube(length, elements, poisson=0.0, start="supported", thickness=H, law=LinearLaw):
    return make_shell(
        [Span(length, elements)],
        law(E, poisson),
        thickness=thickness,
        radius=R,
        angle=0.0,
        start=start,
        end="free",
        lids=False,
    )


def kinetic(mass, shell, u=0.0, w=0.0, psi=0.0):
    one = np.ones(len(shell.arc))
    v = np.stack([u * one, w * one, psi * one], axis=-1).ravel()
    return 0.5 * v @ (mass @ v)


# --- mass ----------------------------------------------------------------------------------------


def test_mass_by_hand():
    """A cone whose wall grows along the meridian: polynomials, so exact to rounding."""
    slope, length = 0.4, 0.1
    shell = make_shell(
        [Span(0.03, 2), Span(0.07, 3)],
        GreenLaw(E),
        thickness=lambda x: 1e-3 + 0.02 * x,
        radius=R,
        angle=slope,
        start="supported",
        end="free",
    )
    x, w = np.polynomial.legendre.leggauss(8)
    x, w = length * (1 + x) / 2, length * w / 2
    h, ring = 1e-3 + 0.02 * x, 2 * np.pi * (R + x * np.sin(slope)) * w
    mass = mass_matrix(shell, RHO)
    wall = RHO * h @ ring
    assert kinetic(mass, shell, u=2.0) == pytest.approx(2.0 * wall, rel=1e-13)
    assert kinetic(mass, shell, u=1.0, w=1.0) == pytest.approx(wall, rel=1e-13)
    # Rotary inertia: with Renda's missing factor 2h it would be 500 times and more of this.
    assert kinetic(mass, shell, psi=3.0) == pytest.approx(4.5 * RHO / 12 * h**3 @ ring, rel=1e-13)
    water = mass_matrix(shell, RHO, added=1.1)
    assert kinetic(water, shell, w=1.0) == pytest.approx(2.1 * wall / 2, rel=1e-13)
    assert kinetic(water, shell, psi=3.0) == kinetic(mass, shell, psi=3.0)
    assert abs(mass - mass.T).max() == 0.0


def test_mass_of_the_mantle():
    """rho_s 7415 kg/m^3 and 2 mm: 336 g of shell and motors, as in the authors' code (0.5 %)."""
    body = Mantle(radius=31e-3, thickness=2e-3, cylinder_length=94e-3)
    shell = mantle_shell(body, GreenLaw(E), 6e-3)
    # A zone of a sphere between polar angles 45 and 90 deg has the height R cos 45 deg.
    area = 2 * np.pi * 31e-3 * (31e-3 * np.cos(np.pi / 4) + 94e-3)
    total = 2 * kinetic(mass_matrix(shell, 7415.0), shell, u=1.0)
    assert total == pytest.approx(7415.0 * 2e-3 * area, rel=1e-5)  # r* is interpolated
    assert total == pytest.approx(0.336, rel=5e-3)


def test_added_mass_may_be_any_local_law():
    """Water that follows the normal of a disc weighs on u alone."""
    shell = make_shell(
        [Span(0.1, 5)],
        LinearLaw(E, 0.3),
        thickness=H,
        radius=0.0,
        angle=np.pi / 2,
        start="guided",
        end="clamped",
    )
    water = np.zeros((*shell.weight.shape, 2, 2))
    water[..., 0, 0] = 1.5
    mass = mass_matrix(shell, RHO, water)
    area = np.pi * 0.1**2
    assert kinetic(mass, shell, u=1.0) == pytest.approx((RHO * H + 1.5) * area / 2, rel=1e-13)
    assert kinetic(mass, shell, w=1.0) == pytest.approx(RHO * H * area / 2, rel=1e-13)


@pytest.mark.parametrize(
    ("density", "added", "message"),
    [
        (0.0, 0.0, "density must be positive and finite, but is 0"),
        (np.nan, 0.0, "density must be positive and finite, but is nan"),
        (1.0, -1.0, "not be negative"),
        (1.0, np.diag([1.0, -1.0]), "not be negative"),
        (1.0, np.inf, "look for NaN or inf"),
    ],
)
def test_no_mass(density, added, message):
    with pytest.raises(ValueError, match=message):
        mass_matrix(tube(0.05, 3), density, added)


# --- frequencies ---------------------------------------------------------------------------------


def test_ring_breathes():
    """sqrt(E/rho)/R, with nu = 0, and with added mass less by sqrt(1 + B)."""
    shell = tube(0.02, 4)
    for added in (0.0, 1.1):
        modes = vibrations(shell, mass_matrix(shell, RHO, added), 8)
        w = modes.shape[:, :, 1]
        uniform = int(np.argmax(np.abs(w.mean(1)) / np.abs(w).max(1)))
        exact = np.sqrt(E / (RHO * (1 + added))) / R
        assert modes.frequency[uniform] == pytest.approx(exact, rel=1e-10)
        np.testing.assert_allclose(w[uniform], w[uniform, 0], rtol=1e-6)


def test_long_tube_rings_along_its_axis():
    """(2 k - 1) pi/(2 L) sqrt(E/rho) with nu = 0; cubic elements: an error of (omega h/c)^6."""
    shell = tube(0.5, 10)
    modes = vibrations(shell, mass_matrix(shell, RHO), 90)
    size = np.abs(modes.shape).max(1)
    axial = modes.frequency[size[:, 0] > 1e3 * size[:, 1]]
    exact = (2 * np.arange(1, 4) - 1) * np.pi / (2 * 0.5) * np.sqrt(E / RHO)
    np.testing.assert_allclose(axial[:3], exact, rtol=1e-5)


@pytest.mark.parametrize("law", [GreenLaw, LinearLaw])
def test_clamped_disc(law):
    """lambda^2 = 10.2158, 39.771, 89.104 of Kirchhoff; shear and rotary inertia: (h/a)^2."""
    a, poisson, h = 0.1, 0.3, 0.2e-3
    shell = make_shell(
        [Span(a, 24)],
        law(E, poisson),
        thickness=h,
        radius=0.0,
        angle=np.pi / 2,
        start="guided",
        end="clamped",
    )
    unit = np.sqrt(E * h**2 / (12 * (1 - poisson**2) * RHO)) / a**2
    frequency = vibrations(shell, mass_matrix(shell, RHO), 3).frequency
    np.testing.assert_allclose(frequency / unit, [10.2158, 39.771, 89.104], rtol=1e-4)


@pytest.mark.parametrize("poisson", [0.0, 0.3, 0.5])
def test_sphere_rings_as_a_membrane(poisson):
    """Lamb's sphere: x^2 - (1 + 3 nu + n (n + 1)) x + (1 - nu^2) (n (n + 1) - 2) = 0.

    x = omega^2 rho R^2 (1 - nu^2)/E, the lower roots of n = 2 and 4 and the breathing of n = 0,
    x = 2 (1 + nu); half a sphere, symmetric to its equator, thin: bending adds (h/R)^2 n^4/12.
    """
    radius, h = 0.1, 0.1e-3
    shell = make_shell(
        [Span(radius * np.pi / 2, 24, curvature=-1 / radius)],
        LinearLaw(E, poisson),
        thickness=h,
        radius=0.0,
        angle=np.pi / 2,
        start="guided",
        end="symmetry",
    )
    modes = vibrations(shell, mass_matrix(shell, RHO), 40)
    x = modes.frequency**2 * RHO * radius**2 * (1 - poisson**2) / E
    for n in (2, 4):
        square = n * (n + 1)
        total, product = 1 + 3 * poisson + square, (1 - poisson**2) * (square - 2)
        root = (total - np.sqrt(total**2 - 4 * product)) / 2
        assert x[n // 2 - 1] == pytest.approx(root, rel=1e-4)
    assert np.abs(x / (2 * (1 + poisson)) - 1).min() < 1e-4


def test_modes_are_orthogonal_and_of_unit_mass():
    shell = tube(0.1, 6, poisson=0.3, start="clamped")
    mass = mass_matrix(shell, RHO)
    shapes = vibrations(shell, mass, 6).shape.reshape(6, -1)
    np.testing.assert_allclose(shapes @ (mass @ shapes.T), np.eye(6), atol=1e-10)
    assert not shapes.reshape(6, -1, 3)[:, 0].any()


def test_load_tunes_the_ring():
    """Eq 7 on a ring: E h (tau^3 - tau)/2 = -T, of the slope E h (3 tau^2 - 1)/2."""
    thin, tension = 1e-5, 0.07
    shell = tube(0.02, 4, law=GreenLaw, thickness=thin)
    state = solve(shell, hoop_tension_load(shell, tension))
    tau = 1 + state.displacement[0, 1] / R
    modes = vibrations(shell, mass_matrix(shell, RHO), 8, state)
    w = modes.shape[:, :, 1]
    uniform = int(np.argmax(np.abs(w.mean(1)) / np.abs(w).max(1)))
    exact = np.sqrt(E / RHO * (3 * tau**2 - 1) / 2) / R
    assert tau < 0.8
    assert modes.frequency[uniform] == pytest.approx(exact, rel=1e-6)


def test_what_does_not_vibrate():
    body = Mantle(radius=31e-3, thickness=2e-3, cylinder_length=94e-3)
    shell = mantle_shell(body, GreenLaw(E), 12e-3)
    state = solve(shell, pressure_load(shell, 30.0))
    with pytest.raises(ValueError, match="no potential"):
        vibrations(shell, mass_matrix(shell, RHO), 2, state)
    # Beyond the classical axial load of a cylinder, E h^2/(R sqrt(3)) = 0.77 N/m at nu = 0.
    pushed = tube(0.05, 10)
    state = solve(pushed, edge_load(pushed, "end", axial=-1.0))
    with pytest.raises(ValueError, match=r"unstable: its lowest omega\^2 is -"):
        vibrations(pushed, mass_matrix(pushed, RHO), 1, state)
