"""SO(3) and SE(3) against scipy's matrix functions, which know nothing of rotations."""

from fractions import Fraction
from math import factorial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import expm, expm_frechet
from twists import matrix, twist

from loligo.reduced import lie

EPS = np.finfo(float).eps
ANGLES = [0.0, 1e-320, 1e-160, 1e-12, 1e-8, 1e-4, 0.01, 0.5, 1.9999, 2.0, 2.0001, 3.0, 3.14]
BEYOND = [np.pi, 4.0, 6.0, 10.0, 25.0]  # angles that only exp and its tangent must handle

components = st.floats(-1.0, 1.0, allow_nan=False, allow_subnormal=True)
vectors = st.tuples(components, components, components).map(np.array)


def body_tangent(x: np.ndarray) -> np.ndarray:
    """exp(-x) d exp(x)[e_k] column by column, by scipy's Frechet derivative of expm."""
    columns = []
    for basis in np.eye(6):
        value, slope = expm_frechet(matrix(x), matrix(basis))
        m = np.linalg.solve(value, slope)
        columns.append([m[2, 1], m[0, 2], m[1, 0], *m[:3, 3]])
    return np.array(columns).T


@pytest.mark.parametrize("s", [0.0, 1e-300, 1e-8, 0.3, 3.999999, 4.0, 9.0, 40.0, 400.0])
def test_stumpff_equals_its_series_in_long_arithmetic(s):
    exact = Fraction(s)
    for k, value in enumerate(lie.stumpff(s)):
        term, total = Fraction(1, factorial(k)), Fraction(0)
        for j in range(1, 90):
            total += term
            term *= -exact / ((k + 2 * j - 1) * (k + 2 * j))
        # absolute, since c_k oscillates about zero for large s; the worst recurrence is c_7 at s=4
        assert abs(value - float(total)) <= 8 * EPS / factorial(k) * (1 if s < 4 else 2**k)


@pytest.mark.parametrize("angle", ANGLES + BEYOND)
def test_exponentials_equal_expm(angle):
    x = twist(angle)
    tolerance = 20 * EPS * (1 + angle) ** 2  # expm squares log2(angle) times
    np.testing.assert_allclose(lie.hat_se3(x), matrix(x), rtol=0, atol=0)
    np.testing.assert_allclose(lie.exp_se3(x), expm(matrix(x)), rtol=0, atol=tolerance)
    np.testing.assert_allclose(lie.exp_so3(x[:3]), expm(matrix(x)[:3, :3]), atol=tolerance)


@pytest.mark.parametrize("angle", ANGLES + BEYOND)
def test_tangents_equal_the_frechet_derivative(angle):
    x = twist(angle)
    tolerance = 1e-14 * (1 + angle) ** 2
    np.testing.assert_allclose(lie.tangent_se3(x), body_tangent(x), rtol=0, atol=tolerance)
    np.testing.assert_allclose(lie.tangent_so3(x[:3]), body_tangent(x)[:3, :3], atol=tolerance)


@pytest.mark.parametrize("angle", [*ANGLES, np.pi, 4.0, 6.0])
def test_inverse_tangents(angle):
    x = twist(angle)
    tolerance = 20 * EPS / (1 - angle / (2 * np.pi)) ** 2  # singular at a full turn, like 1/gap^2
    product = lie.tangent_inverse_se3(x) @ lie.tangent_se3(x)
    np.testing.assert_allclose(product, np.eye(6), rtol=0, atol=tolerance)
    product = lie.tangent_inverse_so3(x[:3]) @ lie.tangent_so3(x[:3])
    np.testing.assert_allclose(product, np.eye(3), rtol=0, atol=tolerance)


@pytest.mark.parametrize("angle", ANGLES + BEYOND)
def test_wrench_through_the_tangent_and_its_derivative(angle):
    """Against the Frechet tangent above, differenced centrally with Richardson's correction."""
    x, n = twist(angle), np.array([0.3, -1.1, 0.7, 2.0, 0.4, -0.9])
    value, slope = lie.tangent_wrench_se3(x, n)
    np.testing.assert_allclose(value, body_tangent(x).T @ n, atol=3e-14 * (1 + angle) ** 2)

    def difference(h):
        return np.array(
            [
                (body_tangent(x + h * e).T @ n - body_tangent(x - h * e).T @ n) / (2 * h)
                for e in np.eye(6)
            ]
        ).T

    h = 1e-2  # error h^4 x fifth derivatives (~1e-9) plus rounding / h (~1e-11 at 25 rad)
    reference = (4 * difference(h) - difference(2 * h)) / 3
    np.testing.assert_allclose(slope, reference, rtol=0, atol=2e-8)


def test_adjoints_by_their_definitions():
    g, x, y = lie.exp_se3(twist(1.3, 1)), twist(0.8, 2), twist(2.1, 3)
    n = np.array([0.3, -1.1, 0.7, 2.0, 0.4, -0.9])
    conjugated = g @ matrix(x) @ np.linalg.inv(g)
    np.testing.assert_allclose(matrix(lie.adjoint(g) @ x), conjugated, atol=1e-14)
    bracket = matrix(x) @ matrix(y) - matrix(y) @ matrix(x)
    np.testing.assert_allclose(matrix(lie.ad(x) @ y), bracket, atol=1e-14)
    np.testing.assert_allclose(lie.coadjoint(n) @ x, lie.ad(x).T @ n, atol=1e-15)
    np.testing.assert_allclose(lie.inverse(g) @ g, np.eye(4), atol=4 * EPS)
    np.testing.assert_allclose(lie.adjoint(lie.exp_se3(x)), expm(lie.ad(x)), atol=1e-14)


def test_batches_are_the_scalars():
    x = np.array([twist(angle, k) for k, angle in enumerate(ANGLES)])
    g = lie.exp_se3_batch(x)
    np.testing.assert_array_equal(g, [lie.exp_se3(row) for row in x])


@settings(max_examples=200, deadline=None)
@given(vectors, vectors, st.floats(0.0, 3.1))
def test_exponentials_are_rigid_motions(direction, v, angle):
    norm = np.linalg.norm(direction)
    w = direction * (angle / norm) if norm > 1e-8 else direction
    x = np.concatenate([w, v])
    g = lie.exp_se3(x)
    assert np.all(np.isfinite(g))
    np.testing.assert_allclose(g[:3, :3] @ g[:3, :3].T, np.eye(3), rtol=0, atol=10 * EPS)
    assert np.linalg.det(g[:3, :3]) > 0


@pytest.mark.parametrize("angle", ANGLES + BEYOND)
def test_twist_through_the_tangent_and_its_derivative(angle):
    """As for the wrench above."""
    x, y = twist(angle), np.array([0.3, -1.1, 0.7, 2.0, 0.4, -0.9])
    value, slope = lie.tangent_twist_se3(x, y)
    np.testing.assert_allclose(value, body_tangent(x) @ y, atol=3e-14 * (1 + angle) ** 2)

    def difference(h):
        sides = [(body_tangent(x + h * e) - body_tangent(x - h * e)) @ y for e in np.eye(6)]
        return np.array(sides).T / (2 * h)

    h = 1e-2  # see there
    reference = (4 * difference(h) - difference(2 * h)) / 3
    np.testing.assert_allclose(slope, reference, atol=1e-7)


@pytest.mark.parametrize("angle", ANGLES + BEYOND)
def test_products_without_matrices(angle):
    """Brackets and tangents on vectors are those of the matrices."""
    x, y = twist(angle), np.array([0.3, -1.1, 0.7, 2.0, 0.4, -0.9])
    allowed = {"rtol": 0, "atol": 1e-13 * (1 + angle) ** 4}
    np.testing.assert_allclose(lie.bracket(x, y), lie.ad(x) @ y, **allowed)
    np.testing.assert_allclose(lie.cobracket(x, y), lie.ad(x).T @ y, **allowed)
    np.testing.assert_allclose(lie.tangent_apply(x, y), lie.tangent_se3(x) @ y, **allowed)
    transposed = lie.tangent_apply_transposed(x, y)
    np.testing.assert_allclose(transposed, lie.tangent_se3(x).T @ y, **allowed)
    value, rate = lie.tangent_rate(x, y)
    np.testing.assert_allclose(value, lie.tangent_se3(x) @ y, **allowed)
    np.testing.assert_allclose(rate, lie.tangent_twist_se3(x, y)[1] @ y, **allowed)
