"""The viscous part of a wall that is made of a Kelvin-Voigt solid: resultants from strain rates.

All three walls dissipate the power R . rate per reference area, R = V(strain) rate, V symmetric and
positive: twice a potential, quadratic in the rates. V = A^T P A, with A the derivative of what the
law measures by the five strains of `loligo.reduced.shell.laws`, eta the shear viscosity in Pa s and
h the full thickness:

- Green (Renda 2018 Eq 7, which has half the thickness: 6 eta h there is 3 eta h here): P is the
  elastic matrix with 3 eta for E and eta for G. The rates of e11 and e22 in H are printed with
  beta_dot and multiply beta: only so the power is never negative.
- linear: the same in the engineering strains, with 3 eta for E and 3 eta/(2 (1 + nu)) for G.
- rubber: the Kirchhoff stress 2 eta d of an incompressible solid in plane stress. With the rates A
  of ln l1 and B of ln l2 of a layer, d = diag(A, B, -A - B) and the power per reference volume
  is 2 eta d : d = 4 eta (A^2 + A B + B^2), integrated through the thickness; the normals to the
  surface shear at the rate q = (beta_dot - beta (tau_dot/tau + 3 a_dot/a))/a of 2 d, which
  adds k eta h q^2.

At small strains the rubber has 4 eta h with the coupling 1/2: the linear wall at nu = 1/2. Renda's
nu = 0 has 3 eta h without coupling, a difference of the models and not of the notation.
"""

import numpy as np

from loligo.reduced.lie import Array
from loligo.reduced.shell.laws import (
    GreenLaw,
    LinearLaw,
    RubberLaw,
    ShellLaw,
    green_rows,
    layer_bends,
    layers,
)

Viscous = tuple[Array, Array, Array]
"""Resultants (..., 5), their derivatives by the strains and by the rates (..., 5, 5)."""


def viscosity(law: ShellLaw) -> float:
    """Return the shear viscosity eta of a wall (Pa s).

    Raises:
        ValueError: if the law is none of this package: nothing is known of its viscosity.
    """
    match law:
        case GreenLaw() | LinearLaw():
            return law.viscosity
        case RubberLaw():
            return law.elastomer.viscosity
    raise ValueError(f"a wall of {type(law).__name__} has no viscous part: use one of shell_laws")


def viscous(law: ShellLaw, strain: Array, rate: Array, rest: Array, thickness: Array) -> Viscous:
    """Return the viscous resultants and their derivatives by strains and rates."""
    eta = viscosity(law)
    match law:
        case GreenLaw():
            return _green(law, eta, strain, rate, thickness)
        case LinearLaw():
            shear = 3.0 * eta / (2.0 * (1.0 + law.poisson))
            matrix = law.matrix(3.0 * eta, shear, thickness)
            return (matrix @ rate[..., None])[..., 0], np.zeros_like(matrix), matrix
        case RubberLaw():
            return _rubber(law.shear_correction, eta, strain, rate, rest, thickness)
    raise AssertionError("`viscosity` has refused every other law")


def _green(law: GreenLaw, eta: float, strain: Array, rate: Array, thickness: Array) -> Viscous:
    nu = law.poisson
    plane = np.array([[1.0, nu], [nu, 1.0]])
    stretch = 3.0 * eta * thickness / (1.0 - nu**2)
    by_strain = np.zeros((*thickness.shape, 5, 5))
    by_rate = np.zeros_like(by_strain)
    pairs = zip(
        green_rows(strain), green_rows(rate), (stretch, stretch * thickness**2 / 12.0), strict=True
    )
    stress = []
    for rows, row_rates, modulus in pairs:
        left = modulus[..., None, None] * np.swapaxes(rows, -1, -2) @ plane
        by_rate += left @ rows
        by_strain += left @ row_rates
        stress.append(modulus[..., None] * ((rows @ rate[..., None])[..., 0] @ plane))
    by_rate[..., 1, 1] += law.shear_correction * eta * thickness
    (n11, n22), (m11, m22) = (np.moveaxis(s, -1, 0) for s in stress)
    for i, j, value in ((0, 0, n11), (1, 1, n11), (3, 3, n22)):
        by_strain[..., i, j] += value
    for i, j, value in ((0, 2, -m11), (3, 4, m22)):
        by_strain[..., i, j] += value
        by_strain[..., j, i] += value
    return (by_rate @ rate[..., None])[..., 0], by_strain, by_rate


def _rubber(
    shear_correction: float, eta: float, strain: Array, rate: Array, rest: Array, thickness: Array
) -> Viscous:
    lam, beta, mu, tau, c = np.moveaxis(strain, -1, 0)
    a = np.hypot(lam, beta)
    # (a, mu, tau, c) by the strains, and the second derivative of a by (lambda, beta)
    slope = np.zeros((*lam.shape, 4, 5))
    slope[..., 0, 0], slope[..., 0, 1] = lam / a, beta / a
    slope[..., 1, 2] = slope[..., 2, 3] = slope[..., 3, 4] = 1.0
    across = np.stack([-beta, lam], axis=-1)
    turn = across[..., :, None] * across[..., None, :] / (a**3)[..., None, None]

    flow = (slope @ rate[..., None])[..., 0]
    first, by_state, by_flow = _layers(eta, a, mu, tau, c, flow, rest, thickness)
    flip = np.swapaxes(slope, -1, -2)
    resultant = (flip @ first[..., None])[..., 0]
    by_strain = flip @ by_state @ slope
    by_strain[..., :2, :2] += first[..., :1, None] * turn
    # The rate of a depends on the strains too.
    turned = (turn @ rate[..., :2, None])[..., 0]
    by_strain[..., :2] += (flip @ by_flow)[..., :, :1] * turned[..., None, :]
    by_rate = flip @ by_flow @ slope

    rows = np.array([0, 1, 3])
    row, bend = _shear_rate(lam, beta, tau, a)
    modulus = shear_correction * eta * thickness
    seen = rate[..., rows]
    q = (row * seen).sum(-1)
    resultant[..., rows] += (modulus * q)[..., None] * row
    by_rate[..., rows[:, None], rows] += (
        modulus[..., None, None] * row[..., :, None] * row[..., None, :]
    )
    by_strain[..., rows[:, None], rows] += modulus[..., None, None] * (
        q[..., None, None] * bend
        + row[..., :, None] * (np.swapaxes(bend, -1, -2) @ seen[..., None])[..., None, :, 0]
    )
    return resultant, by_strain, by_rate


def _layers(
    eta: float,
    a: Array,
    mu: Array,
    tau: Array,
    c: Array,
    flow: Array,
    rest: Array,
    thickness: Array,
) -> Viscous:
    """Return what is conjugate to (a, mu, tau, c), with derivatives by these and their rates."""
    weight, l1, l2, d1, d2 = layers(a, mu, tau, c, rest, thickness)
    one, zero = np.ones_like(l1), np.zeros_like(l1)
    rows = np.stack([d1 / l1[..., None], d2 / l2[..., None]], axis=-2)  # of ln l1, ln l2
    bends = np.stack(
        [
            layer_bends(d1[..., 1], zero, a * one, mu * one, tau * one, c * one),
            layer_bends(zero, d2[..., 3], a * one, mu * one, tau * one, c * one),
        ],
        axis=-3,
    )
    bends = bends / np.stack([l1, l2], axis=-1)[..., None, None]
    bends -= rows[..., :, None] * rows[..., None, :]
    modulus = 4.0 * eta * weight[..., None, None] * np.array([[1.0, 0.5], [0.5, 1.0]])
    stress = modulus @ (rows @ flow[..., None])
    flip = np.swapaxes(rows, -1, -2)
    by_flow = flip @ modulus
    flowing = (bends @ flow[..., None, :, None])[..., 0]  # rates of the rows
    by_state = by_flow @ flowing + (stress[..., None] * bends).sum(-3)
    return (flip @ stress)[..., 0].sum(0), by_state.sum(0), (by_flow @ rows).sum(0)


def _shear_rate(lam: Array, beta: Array, tau: Array, a: Array) -> tuple[Array, Array]:
    """Return the shear rate q by the rates of (lambda, beta, tau), and that by the strains."""
    row = np.stack(
        [-3.0 * beta * lam / a**3, 1.0 / a - 3.0 * beta**2 / a**3, -beta / (tau * a)], axis=-1
    )
    bend = np.zeros((*lam.shape, 3, 3))
    bend[..., 0, 0] = -3.0 * beta / a**3 + 9.0 * beta * lam**2 / a**5
    bend[..., 0, 1] = -3.0 * lam / a**3 + 9.0 * beta**2 * lam / a**5
    bend[..., 1, 0] = -lam / a**3 + 9.0 * beta**2 * lam / a**5
    bend[..., 1, 1] = -7.0 * beta / a**3 + 9.0 * beta**3 / a**5
    bend[..., 2, 0] = beta * lam / (tau * a**3)
    bend[..., 2, 1] = -1.0 / (tau * a) + beta**2 / (tau * a**3)
    bend[..., 2, 2] = beta / (tau**2 * a)
    return row, bend
