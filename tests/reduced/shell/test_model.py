"""Shell of revolution: mesh, kinematics, volume, loads, tangent."""

from itertools import pairwise

import numpy as np
import pytest

from loligo.cases.body import Mantle
from loligo.cases.rubber.elastomer import NeoHooke
from loligo.reduced.shell.assembly import (
    Inadmissible,
    linearise,
    negative_pivots,
    resultants,
    strains,
    wall_thickness,
)
from loligo.reduced.shell.laws import GreenLaw, LinearLaw, RubberLaw
from loligo.reduced.shell.loads import (
    edge_load,
    hoop_tension_load,
    pressure_load,
    surface_load,
)
from loligo.reduced.shell.model import BAND, DEGREE, Span, make_shell, mantle_shell

LAWS = {
    "green": GreenLaw(40e3, 0.3),
    "linear": LinearLaw(40e3, 0.3),
    "rubber": RubberLaw(NeoHooke(mu=40e3 / 3, density=1e3)),
}
R = 0.03
POT = (  # a spherical cap, a cone with a kink on both sides, a cylinder
    Span(0.04, 4, curvature=-1 / R),
    Span(0.02, 3, turn=0.5),
    Span(0.03, 3, turn=-0.7),
)


def pot(law="green", end="free", lids=True, **kwargs):
    options = dict(thickness=2e-3, radius=0.0, angle=np.pi / 2, start="clamped", end=end)
    return make_shell(POT, LAWS[law], lids=lids, **{**options, **kwargs})


def sphere(elements, lids=True):
    return make_shell(
        [Span(np.pi * R, elements, curvature=-1 / R)],
        LAWS["linear"],
        thickness=1e-3,
        radius=0.0,
        angle=np.pi / 2,
        start="clamped",
        end="guided",
        lids=lids,
    )


def wobble(shell, seed=0):
    """A smooth displacement that respects the supports and moves a free rim; strains near 10 %."""
    s = shell.arc / shell.arc[-1]
    a = np.random.default_rng(seed).normal(size=(3, 3))
    size = np.array([0.1 * R, 0.1 * R, 0.3])
    waves = np.stack([np.sin(k * np.pi * s) for k in (0.5, 1.5, 2.5)], axis=1)
    return np.where(shell.fixed, 0.0, waves @ a * size / 3)


def dense(tangent):
    n = tangent.shape[1]
    out = np.zeros((n, n))
    for offset in range(-BAND, BAND + 1):
        column = np.arange(max(0, -offset), min(n, n - offset))
        out[column + offset, column] = tangent[BAND + offset, column]
    return out


def force(shell, q, pressure):
    state = linearise(shell, q, pressure)
    return np.where(shell.fixed, 0.0, state.internal - pressure * state.wall)


# --- geometry -----------------------------------------------------------------------------------


def test_meridian_ends_where_geometry_says():
    body = Mantle(radius=0.031, thickness=2e-3, cylinder_length=0.094)
    shell = mantle_shell(body, LAWS["green"], size=3e-3, breaks=(0.025, 0.110))
    assert np.diff(shell.arc[::DEGREE]).max() <= 3e-3 * (1 + 1e-12)
    np.testing.assert_allclose(shell.rest[-1], [0.031 * np.sin(np.pi / 4) + 0.094, 0.031])
    assert shell.arc[-1] == pytest.approx(0.031 * np.pi / 4 + 0.094)
    corners = shell.arc[::DEGREE]
    for mark in (0.025, 0.110, 0.031 * np.pi / 4):
        assert np.abs(corners - mark).min() < 1e-15
    for a, b in pairwise(corners):
        assert a < b


def test_kinks_turn_the_meridian():
    # 76 deg of a sphere, then a cone at 14 deg + 0.5, then a wall at that less 0.7.
    shell = pot()
    x, r, phi = R * (1 - np.cos(0.04 / R)), R * np.sin(0.04 / R), np.pi / 2 - 0.04 / R
    for length, turn in ((0.02, 0.5), (0.03, -0.7)):
        phi += turn
        x, r = x + length * np.cos(phi), r + length * np.sin(phi)
    np.testing.assert_allclose(shell.rest[-1], [x, r], rtol=1e-14)
    np.testing.assert_allclose(shell.point_rest[-1, :, 2], phi, rtol=1e-14)


def test_sphere_has_its_area_and_volume():
    # The Gauss rule of three points leaves H^6 (3!)^4 / (7 (6!)^3) times the integral of the sixth
    # derivative, H = pi/8: of sin that is -2 against 2, of sin^3 it is 120 against 4/3.
    rule = (np.pi / 8) ** 6 * 6**4 / (7 * 720**3)
    shell = sphere(8)
    area = 2 * np.pi * (shell.weight * shell.point_rest[..., 4]).sum()
    assert area / (4 * np.pi * R**2) - 1 == pytest.approx(rule, rel=0.05)
    volume = linearise(shell, np.zeros(shell.fixed.shape), 0.0).volume
    assert 1 - volume / (4 / 3 * np.pi * R**3) == pytest.approx(90 * rule, rel=0.1)


def test_volume_of_a_stretched_sphere():
    # x -> 1.3 x, r -> 0.8 r is a spheroid; x from the first pole.
    errors = []
    for elements in (4, 8):
        shell = sphere(elements)
        q = np.zeros(shell.fixed.shape)
        q[:, :2] = shell.rest * np.array([0.3, -0.2])
        volume = linearise(shell, q, 0.0).volume
        errors.append(abs(volume / (4 / 3 * np.pi * R**3 * 1.3 * 0.64) - 1))
    assert errors[1] < 1e-5
    assert np.log2(errors[0] / errors[1]) > DEGREE + 1 - 0.5  # interpolation of order p + 1


@pytest.mark.parametrize("law", LAWS)
def test_rest_is_free_of_force_across_kinks(law):
    shell = pot(law)
    state = linearise(shell, np.zeros(shell.fixed.shape), 0.0)
    stiff = np.abs(state.tangent).max() * R
    assert np.abs(state.internal).max() < 1e-14 * stiff
    assert state.energy < 1e-16 * stiff * R


@pytest.mark.parametrize("law", LAWS)
def test_axial_shift_costs_nothing(law):
    shell = pot(law, start="guided", end="supported")
    q = wobble(shell)
    shifted = q + np.array([0.7, 0.0, 0.0])
    a, b = linearise(shell, q, 50.0), linearise(shell, shifted, 50.0)
    # 0.7 m against millimetres: rounding of the coordinates is 1e-16 / 1e-3.
    assert b.energy == pytest.approx(a.energy, rel=1e-11)
    assert b.volume == pytest.approx(a.volume, rel=1e-11)
    np.testing.assert_allclose(b.internal, a.internal, atol=1e-11 * np.abs(a.internal).max())


def test_stretched_rubber_thins():
    shell = make_shell(
        [Span(1.0, 2)],
        LAWS["rubber"],
        thickness=lambda arc: 0.01 * (2.0 + arc),
        radius=1.0,
        angle=0.0,
        start="supported",
        end="free",
    )
    q = np.zeros(shell.fixed.shape)
    q[:, 0], q[:, 1] = 0.5 * shell.arc, 0.2  # 1.5 along, 1.2 around
    expected = 0.01 * (2.0 + shell.point_arc) / (1.5 * 1.2)
    np.testing.assert_allclose(wall_thickness(shell, q), expected, rtol=1e-13)


def test_turned_strip_carries_nothing():
    # At a radius of 1e7 lengths a cylinder is a strip, whose meridian may turn and shift freely.
    turn, far = 0.7, 1e7
    shell = make_shell(
        [Span(1.0, 3)],
        LAWS["linear"],
        thickness=0.1,
        radius=far,
        angle=0.0,
        start="supported",
        end="free",
    )
    q = np.stack(
        [
            shell.arc * (np.cos(turn) - 1) + 0.3,
            shell.arc * np.sin(turn),
            np.full(len(shell.arc), turn),
        ],
        axis=1,
    )
    stiff = 40e3 * 0.1
    np.testing.assert_allclose(resultants(shell, q), 0.0, atol=stiff * 10 / far)
    np.testing.assert_allclose(strains(shell, q)[..., :3], [[[1.0, 0.0, 0.0]] * 3] * 3, atol=1e-8)


# --- derivatives --------------------------------------------------------------------------------


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("end", ["free", "clamped"])
@pytest.mark.parametrize("lids", [True, False])
def test_forces_and_tangent_are_exact_derivatives(law, end, lids):
    """Taylor remainders fall with the square of the step; differences agree to their rounding.

    A thick wall and a high pressure, so that no part of the tangent hides behind another.
    """
    shell = pot(law, end, lids, thickness=8e-3)
    q, d, pressure = wobble(shell), wobble(shell, 1), 2e4
    at = linearise(shell, q, pressure)
    slope = {
        "energy": (at.internal * d).sum(),
        "volume": (at.volume_gradient * d).sum(),
        "force": (dense(at.tangent) @ d.ravel()).reshape(d.shape),
    }

    def values(e):
        moved = linearise(shell, q + e * d, pressure)
        return {
            "energy": moved.energy,
            "volume": moved.volume,
            "force": force(shell, q + e * d, pressure),
        }

    rest = values(0.0)
    steps = 10.0 ** -np.arange(1, 4)
    for what, exact in slope.items():
        remainders = [np.abs(values(e)[what] - rest[what] - e * exact).max() for e in steps]
        assert (-np.diff(np.log10(remainders)) > 1.9).all(), (what, remainders)
        e = 1e-3
        numeric = (
            8 * (values(e)[what] - values(-e)[what]) - values(2 * e)[what] + values(-2 * e)[what]
        ) / (12 * e)
        np.testing.assert_allclose(numeric, exact, rtol=0, atol=1e-8 * np.abs(exact).max())


@pytest.mark.parametrize(("end", "lids"), [("free", True), ("clamped", False), ("free", False)])
def test_pressure_tangent_is_symmetric_unless_an_open_rim_moves(end, lids):
    shell = pot(end=end, lids=lids)
    tangent = dense(linearise(shell, wobble(shell), 1e3).tangent)
    skew = np.abs(tangent - tangent.T).max() / np.abs(tangent).max()
    if end == "free" and not lids:
        assert skew > 1e-4
    else:
        assert skew < 1e-14


def test_volume_rate_of_a_moving_shell():
    # A path of states q(t) = sin(t) a + t^2 b: the rate is the gradient times the velocity.
    shell = pot()
    a, b, t, e = wobble(shell, 2), wobble(shell, 3), 0.4, 1e-3

    def volume(t):
        return linearise(shell, np.sin(t) * a + t**2 * b, 0.0).volume

    state = linearise(shell, np.sin(t) * a + t**2 * b, 0.0)
    rate = (state.volume_gradient * (np.cos(t) * a + 2 * t * b)).sum()
    numeric = (8 * (volume(t + e) - volume(t - e)) - volume(t + 2 * e) + volume(t - 2 * e)) / (
        12 * e
    )
    assert rate == pytest.approx(numeric, rel=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_negative_pivots_count_negative_eigenvalues(seed):
    shell = pot()
    state = linearise(shell, wobble(shell, seed), 3e3 * seed)
    eigenvalues = np.linalg.eigvalsh(dense(state.tangent))
    assert negative_pivots(state.tangent) == (eigenvalues < 0).sum()


# --- loads --------------------------------------------------------------------------------------


def test_pressure_on_a_closed_shell_has_no_resultant():
    for shell in (sphere(6), pot(lids=True)):
        wall = linearise(shell, wobble(shell), 0.0).wall
        assert abs(wall[:, 0].sum()) < 1e-13 * np.abs(wall).sum()


def test_pressure_on_an_open_shell_pulls_with_the_missing_disc():
    shell = pot(lids=False)
    q = wobble(shell)
    rim = shell.rest[-1, 1] + q[-1, 1]
    wall = linearise(shell, q, 0.0).wall
    assert wall[:, 0].sum() == pytest.approx(-np.pi * rim**2, rel=1e-12)


@pytest.mark.parametrize("band", [None, (0.013, 0.071), (0.0411, 0.0417)])
def test_hoop_tension_pulls_each_ring_with_t(band):
    shell = pot()
    low, high = band or (0.0, shell.arc[-1])
    load = hoop_tension_load(shell, 7.0, band)
    np.testing.assert_array_equal(load.dead[:, [0, 2]], 0.0)
    # Dead radial force T per reference meridian and radian: its work on r = X^k, k <= p, is exact.
    for k in range(DEGREE + 1):
        work = (load.dead[:, 1] * shell.arc**k).sum()
        exact = -2 * np.pi * 7.0 * (high ** (k + 1) - low ** (k + 1)) / (k + 1)
        assert work == pytest.approx(exact, rel=1e-12)


def test_dead_loads_sum_to_what_they_say():
    shell = pot()
    area = 2 * np.pi * (shell.weight * shell.point_rest[..., 4]).sum()
    load = surface_load(shell, axial=3.0, radial=-2.0)
    np.testing.assert_allclose(load.dead.sum(0), [3.0 * area, -2.0 * area, 0.0], rtol=1e-12)
    rim = edge_load(shell, "end", axial=1.0, radial=2.0, moment=3.0)
    circumference = 2 * np.pi * shell.rest[-1, 1]
    np.testing.assert_allclose(rim.dead[-1], circumference * np.array([1.0, 2.0, 3.0]))
    assert np.abs(rim.dead[:-1]).max() == 0.0
    both = 2.0 * (load + pressure_load(shell, 5.0)) - rim
    assert both.pressure == 10.0
    np.testing.assert_allclose(both.dead, 2.0 * load.dead - rim.dead)


# --- refusals -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"start": "welded"}, "start is 'welded'; it must be one of free, supported"),
        ({"start": "guided", "end": "free"}, "nothing holds the shell along x"),
        ({"start": "hinged"}, r"the start is a pole \(r = 0\).*not 'hinged'"),
        ({"radius": -0.01}, "radius must be finite and not negative, but is -0.01"),
        ({"thickness": 0.0}, "thickness must be positive and finite, but is 0"),
        (
            {"thickness": lambda arc: 1e-3 - 0.02 * arc},
            "thickness must be positive and finite, .* -",
        ),
    ],
)
def test_no_shell(change, message):
    with pytest.raises(ValueError, match=message):
        pot(**change)


def test_meridian_through_the_axis_is_refused():
    with pytest.raises(ValueError, match="the meridian reaches the axis at X"):
        make_shell(
            [Span(4.0 * R, 8, curvature=-1 / R)],
            LAWS["linear"],
            thickness=1e-3,
            radius=0.0,
            angle=np.pi / 2,
            start="clamped",
            end="free",
        )
    with pytest.raises(ValueError, match="elements must be a whole number of at least 1, but is 0"):
        make_shell(
            [Span(1.0, 1), Span(1.0, 0)],
            LAWS["linear"],
            thickness=1e-3,
            radius=1.0,
            angle=0.0,
            start="clamped",
            end="free",
        )


def test_breaks_are_nodes_of_the_meridian():
    body = Mantle(radius=0.031, thickness=2e-3, cylinder_length=0.094)
    joint = 0.031 * np.pi / 4
    # A break at the joint, but for rounding, is the joint.
    shell = mantle_shell(body, LAWS["green"], 0.01, (joint * (1 + 1e-14), 0.0))
    assert len(shell.weight) == 3 + 10
    with pytest.raises(ValueError, match=r"the break at 0\.2 m is not within 0 to 0\.118"):
        mantle_shell(body, LAWS["green"], 0.01, (0.2,))
    with pytest.raises(ValueError, match="size must be positive and finite, but is 0"):
        mantle_shell(body, LAWS["green"], 0.0)


@pytest.mark.parametrize("band", [(0.05, 0.01), (-0.01, 0.05), (0.05, 0.5)])
def test_band_outside_the_meridian_is_refused(band):
    with pytest.raises(ValueError, match="must rise and lie within the meridian"):
        hoop_tension_load(pot(), 1.0, band)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_loads_are_finite(value):
    for load in (pressure_load, hoop_tension_load):
        with pytest.raises(ValueError, match=r"(tension|pressure|load) (must be|is not) finite"):
            load(pot(), value)


def test_unknown_edge_is_refused():
    with pytest.raises(ValueError, match="edge must be one of start, end, but is 'rim'"):
        edge_load(pot(), "rim", axial=1.0)


def test_wall_inside_out_is_no_state():
    shell = pot("rubber")
    q = np.zeros(shell.fixed.shape)
    q[1:, 1] = -2 * shell.rest[1:, 1]
    with pytest.raises(Inadmissible, match="turned inside out"):
        linearise(shell, q, 0.0)
    bent = np.zeros(shell.fixed.shape)
    bent[1:, 2] = 900.0 * shell.arc[1:]  # a bend of 1/(0.6 h): the inner face is used up
    with pytest.raises(Inadmissible):
        linearise(shell, bent, 0.0)
