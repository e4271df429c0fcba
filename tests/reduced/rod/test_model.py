"""The rod's description and kinematics: bases, frames, orders of convergence, clear refusals."""

import numpy as np
import pytest
from numpy.polynomial import legendre
from scipy.integrate import solve_ivp
from scipy.interpolate import make_interp_spline
from scipy.linalg import expm

from loligo.reduced.rod.grid import lobatto
from loligo.reduced.rod.model import STRAINS, Rod, circular_stiffness

SECTION = np.diag([0.7, 1.0, 1.3, 40.0, 15.0, 12.0])


def hat(x):
    return np.array(
        [[0, -x[2], x[1], x[3]], [x[2], 0, -x[0], x[4]], [-x[1], x[0], 0, x[5]], [0, 0, 0, 0]]
    )


def test_circular_stiffness_by_hand():
    """r = 10 mm, E = 3 GPa, G = 1 GPa: I = pi r^4/4 = 7.854e-9 m^4, A = 3.1416e-4 m^2."""
    k = circular_stiffness(0.01, 3e9, 1e9)
    expected = [15.708, 23.562, 23.562, 942477.8, 282743.3, 282743.3]
    np.testing.assert_allclose(k, np.diag(expected), rtol=1e-4)
    assert circular_stiffness(np.ones(5), 3.0, 1.0).shape == (5, 6, 6)


@pytest.mark.parametrize("cells", [1, 2, 3, 6, 11])
def test_lobatto_integrates_up_to_degree_2m_minus_1(cells):
    points, weights = lobatto(cells)
    moments = [weights @ points**k for k in range(2 * cells)]
    exact = [(1 + (-1) ** k) / (k + 1) for k in range(2 * cells)]
    np.testing.assert_allclose(moments, exact, atol=1e-13)
    assert abs(weights @ points ** (2 * cells) - 2 / (2 * cells + 1)) > 1e-8  # and no further


def test_strain_is_rest_plus_legendre_series_of_the_free_strains():
    breaks = [0.0, 0.4, 1.0]
    degrees = {"bend_z": 2, "torsion": 1}

    def rest(X):
        return np.stack([X, 0 * X, 1 - X, 1 + 0 * X, 0 * X, 0.1 * X], axis=-1)

    rod = Rod(1.0, SECTION, degrees=degrees, segments=breaks, strain_rest=rest)
    q = np.arange(1.0, 11.0)  # each interval: torsion 0, 1, then bend_z 0, 1, 2
    X = np.array([0.1, 0.4, 0.7])
    expected = rest(X)
    expected[:2, 0] += legendre.legval(X[:2] / 0.2 - 1, [1, 2])
    expected[:2, 2] += legendre.legval(X[:2] / 0.2 - 1, [3, 4, 5])
    expected[2, 0] += legendre.legval(0.0, [6, 7])
    expected[2, 2] += legendre.legval(0.0, [8, 9, 10])
    np.testing.assert_allclose(rod.strain(q, X), expected, atol=1e-13)
    np.testing.assert_allclose(rod.strain_at_gauss(q), rod.strain(q, rod.grid.gauss), atol=1e-13)


def test_compliance_scaling_makes_a_constant_moment_one_coordinate():
    def section(X):
        return (1.0 - 0.5 * X)[:, None, None] ** 4 * SECTION

    rod = Rod(1.0, section, degrees=0, scaled_by="compliance")
    X = np.linspace(0, 1, 5)
    q = np.array([0, 0, 0.3, 0, 0, 0])
    expected = 0.3 / (1 - 0.5 * X) ** 4
    np.testing.assert_allclose(rod.strain(q, X)[:, 2], expected, rtol=1e-13)


def test_piecewise_constant_strain_is_exact_with_one_cell_each():
    rng = np.random.default_rng(0)
    rod = Rod(1.0, SECTION, degrees=0, segments=3, cells=1)
    q = rng.normal(size=18)
    g = np.eye(4)
    for piece in q.reshape(3, 6):
        g = g @ expm(hat(piece + np.eye(6)[3]) / 3)
    np.testing.assert_allclose(rod.frames(q, np.array([1.0]))[0], g, atol=1e-14)


def test_piecewise_constant_curvature_is_the_arc():
    """l = 0.5 (1 + stretch), turn by kappa l towards +z, which takes bend_y < 0."""
    rod = Rod(0.5, SECTION, degrees={"bend_y": 0, "bend_z": 0, "stretch": 0}, cells=1)
    kappa, stretch = 1.7, 0.2
    turn = 0.5 * kappa
    tip = rod.frames(np.array([-kappa, 0, stretch]), np.array([0.5]))[0]
    radius = (1 + stretch) / kappa
    expected = [radius * np.sin(turn), 0, radius * (1 - np.cos(turn))]
    np.testing.assert_allclose(tip[:3, 3], expected, atol=1e-15)
    np.testing.assert_allclose(tip[:3, 0], [np.cos(turn), 0, np.sin(turn)], atol=1e-15)


def test_frames_converge_with_order_four():
    """Against Runge-Kutta on R' = R w^, p' = R v, with non-commuting strains of cubic degree."""
    q = np.random.default_rng(3).normal(size=24)
    rods = [Rod(1.0, SECTION, degrees=3, cells=n) for n in (12, 24, 48)]

    def slope(X, y):
        return (y.reshape(4, 4) @ hat(rods[0].strain(q, np.array([X]))[0])).ravel()

    exact = solve_ivp(slope, (0, 1), np.eye(4).ravel(), method="DOP853", rtol=1e-12, atol=1e-13)
    tip = exact.y[:, -1].reshape(4, 4)
    errors = [np.abs(rod.frames(q, np.array([1.0]))[0] - tip).max() for rod in rods]
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    np.testing.assert_allclose(orders, 4.0, atol=0.2)
    inside = np.array([0.0, 0.123, 0.5, 0.77])
    frames = rods[2].frames(q, inside)
    for X, frame in zip(inside, frames, strict=True):
        y = solve_ivp(slope, (0, X), np.eye(4).ravel(), method="DOP853", rtol=1e-12, atol=1e-13).y
        np.testing.assert_allclose(frame, y[:, -1].reshape(4, 4), atol=2 * errors[2])


def test_tabulated_stiffness_needs_nothing_but_a_spline():
    s = np.array([0.0, 0.5, 1.0])
    table = np.array([3.0, 2.0, 1.0])[:, None, None] * SECTION
    rod = Rod(1.0, make_interp_spline(s, table, k=1), degrees=2)
    expected = (3 - 2 * rod.grid.gauss)[:, None, None] * SECTION
    wrench, tangent = rod.section(rod.rest_at_gauss)
    np.testing.assert_allclose(tangent, expected, atol=1e-12)
    np.testing.assert_array_equal(wrench, 0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"length": 0.0}, "length must be positive"),
        ({"stiffness": None}, "either a stiffness or a section law"),
        ({"degrees": {"bend": 1}}, 'a strain "bend"; the nearest one is "bend_'),
        ({"degrees": {}}, "at least one free strain"),
        ({"degrees": {"bend_y": -1}}, "degree of bend_y must be a whole number"),
        ({"segments": 0}, "segments must be at least 1"),
        ({"segments": [0.0, 0.6, 0.5, 1.0]}, "must increase from 0 to the length"),
        ({"cells": 0}, "cells must be at least 1"),
        ({"base": np.diag([1.0, 1, -1, 1])}, "with a rotation"),
        ({"scaled_by": "flexibility"}, 'scaled_by is "strain" or "compliance"'),
        ({"strain_rest": (0, 0, 0)}, "strain_rest must be constant of shape"),
        ({"stiffness": np.eye(5)}, "stiffness must be constant of shape"),
        ({"stiffness": np.triu(np.ones((6, 6)))}, "not symmetric at X = "),
        ({"stiffness": np.diag([1.0, 1, 1, 1, 0, 0])}, "not positive definite in the strains"),
        ({"stiffness": lambda X: SECTION / (X - X)[:, None, None]}, "stiffness is not finite at X"),
    ],
)
@pytest.mark.filterwarnings("ignore:divide by zero", "ignore:invalid value")
def test_refusals_name_what_is_wrong(options, message):
    with pytest.raises(ValueError, match=message):
        Rod(**({"length": 1.0, "stiffness": SECTION} | options))


def test_only_places_on_the_rod_are_answered():
    rod = Rod(1.0, SECTION)
    for X in (-0.1, 1.1):
        with pytest.raises(ValueError, match="is not on the rod of 1 m"):
            rod.strain(np.zeros(24), [X])
        with pytest.raises(ValueError, match="is not on the rod of 1 m"):
            rod.frames(np.zeros(24), [X])


def test_a_strain_without_stiffness_may_be_left_out():
    rod = Rod(1.0, np.diag([1.0, 1, 1, 1, 0, 0]), degrees=dict.fromkeys(STRAINS[:4], 1))
    assert rod.grid.unknowns == 8
