"""What the wall of a shell of revolution is made of: from strains to resultants and their tangent.

The strains of a point of the mid-surface, per unit reference length (Renda 2018 section 3.1.1, Simo
and Fox 1989), are five:

- lambda = x' cos phi + r' sin phi, the meridian's stretch along the director's frame,
- beta = r' cos phi - x' sin phi, its transverse shear,
- mu = phi', the bending of the meridian (1/m),
- tau = r / r*, the hoop stretch,
- c = cos phi / r*, the hoop bending (1/m),

primes being derivatives by the reference arc length X, a star the state of rest. A point of the
wall at the distance z outside the mid-surface has the meridian length lambda - z mu and the hoop
length tau + z c. A law is an energy per reference area, W in J/m^2, of the strains, whose
derivatives are the resultants N_X, H (N/m), M_X (N), N_phi (N/m), M_phi (N), in the strains' order.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from loligo.cases.rubber.elastomer import Elastomer
from loligo.cases.rubber.plane_stress import plane_stress
from loligo.reduced.checks import non_negative, positive
from loligo.reduced.lie import Array

# Gauss points through a rubber wall, and their weights, on [-1, 1].
PLACE, SHARE = np.polynomial.legendre.leggauss(5)


class ShellLaw(Protocol):
    """What a shell asks of its wall; shapes (..., 5), (..., 5, 5) for points of shape (...)."""

    def response(self, strain: Array, rest: Array, thickness: Array) -> tuple[Array, Array, Array]:
        """Return energy per reference area, resultants and tangent of the strains.

        Energy is not finite where the strains are beyond what the wall can suffer.
        """
        ...

    def thickness_stretch(self, strain: Array) -> Array:
        """Return deformed over reference thickness of the wall, shape (...)."""
        ...


def _check_linear(young: float, poisson: float, shear_correction: float, viscosity: float) -> None:
    positive("young", young)
    if not -1.0 < poisson <= 0.5:
        raise ValueError(f"poisson is {poisson}; it must be above -1 and at most 0.5")
    positive("shear_correction", shear_correction)
    non_negative("viscosity", viscosity)


@dataclass(frozen=True)
class GreenLaw:
    """Renda's wall: resultants linear in strains of Green type, 2018 Eq 7.

    With e11 = (lambda^2 + beta^2 - 1)/2, e22 = (tau^2 - 1)/2, d11 = mu* - mu lambda and
    d22 = tau c - c*, the energy per reference area of a wall of full thickness h is

        W = K/2 (e11^2 + e22^2 + 2 nu e11 e22) + K h^2/24 (d11^2 + d22^2 + 2 nu d11 d22)
            + k G h beta^2 / 2,   K = E h/(1 - nu^2),  G = E/(2 (1 + nu)),

    whose derivatives are Eq 7 (there h is half the thickness, and N_phi, M_phi are divided by r*).
    The elastic part of Eq 7 is right as printed; its misprint, beta_dot for beta, is in the viscous
    part of H. It softens in compression: a ring has a limit load where tau^2 = 1/3.

    Attributes:
        young: E in Pa.
        poisson: nu; Renda's mantle has 0.
        shear_correction: k; Eq 7 has 1.
        viscosity: shear viscosity eta in Pa s, see `loligo.reduced.shell.viscosity`.
        bending: factor on the elastic stiffness in bending, where it has been calibrated.
    """

    young: float
    poisson: float = 0.0
    shear_correction: float = 1.0
    viscosity: float = 0.0
    bending: float = 1.0

    def __post_init__(self) -> None:
        """Refuse constants of no material."""
        _check_linear(self.young, self.poisson, self.shear_correction, self.viscosity)
        positive("bending", self.bending)

    def response(self, strain: Array, rest: Array, thickness: Array) -> tuple[Array, Array, Array]:
        """Return energy, resultants and tangent, see `ShellLaw`."""
        lam, beta, mu, tau, c = np.moveaxis(strain, -1, 0)
        nu = self.poisson
        stretch = self.young * thickness / (1.0 - nu**2)
        bend = self.bending * stretch * thickness**2 / 12.0
        slide = self.shear_correction * self.young * thickness / (2.0 * (1.0 + nu))
        e11, e22 = 0.5 * (lam**2 + beta**2 - 1.0), 0.5 * (tau**2 - 1.0)
        d11, d22 = rest[..., 2] - mu * lam, tau * c - rest[..., 4]
        n11, n22 = stretch * (e11 + nu * e22), stretch * (e22 + nu * e11)
        m11, m22 = bend * (d11 + nu * d22), bend * (d22 + nu * d11)
        energy = 0.5 * (n11 * e11 + n22 * e22 + m11 * d11 + m22 * d22 + slide * beta**2)
        resultant = np.stack(
            [
                lam * n11 - mu * m11,
                slide * beta + beta * n11,
                -lam * m11,
                tau * n22 + c * m22,
                tau * m22,
            ],
            axis=-1,
        )
        e, d = green_rows(strain)
        plane = np.array([[1.0, nu], [nu, 1.0]])
        tangent = (
            stretch[..., None, None] * np.swapaxes(e, -1, -2) @ plane @ e
            + bend[..., None, None] * np.swapaxes(d, -1, -2) @ plane @ d
        )
        tangent[..., 0, 0] += n11
        tangent[..., 1, 1] += n11 + slide
        tangent[..., 3, 3] += n22
        tangent[..., 0, 2] -= m11
        tangent[..., 2, 0] -= m11
        tangent[..., 3, 4] += m22
        tangent[..., 4, 3] += m22
        return energy, resultant, tangent

    def thickness_stretch(self, strain: Array) -> Array:
        """Return 1 - nu/(1 - nu) (e11 + e22), plane stress with linear strains."""
        e11 = 0.5 * (strain[..., 0] ** 2 + strain[..., 1] ** 2 - 1.0)
        e22 = 0.5 * (strain[..., 3] ** 2 - 1.0)
        stretch: Array = 1.0 - self.poisson / (1.0 - self.poisson) * (e11 + e22)
        return stretch


def green_rows(strain: Array) -> tuple[Array, Array]:
    """Return the derivatives of (e11, e22) and of (d11, d22) by the strains, shapes (..., 2, 5).

    They are linear in the strains: with rates in their place they are the rates of the derivatives.
    """
    lam, beta, mu, tau, c = np.moveaxis(strain, -1, 0)
    e = np.zeros((*lam.shape, 2, 5))
    d = np.zeros_like(e)
    e[..., 0, 0], e[..., 0, 1], e[..., 1, 3] = lam, beta, tau
    d[..., 0, 0], d[..., 0, 2], d[..., 1, 3], d[..., 1, 4] = -mu, -lam, c, tau
    return e, d


@dataclass(frozen=True)
class LinearLaw:
    """Reissner's wall: resultants linear in the engineering strains, whatever the rotation.

    With e1 = lambda - 1, e2 = tau - 1, k1 = mu* - mu, k2 = c - c*, the energy per reference area is

        W = K/2 (e1^2 + e2^2 + 2 nu e1 e2) + K h^2/24 (k1^2 + k2^2 + 2 nu k1 k2) + k G h beta^2/2,

    K = E h/(1 - nu^2): the shell of the textbooks, for small strains and any rotation. A tension of
    k G h, a strain of about 0.3, turns its director over: it is no law for stretched rubber.

    Attributes:
        young: E in Pa.
        poisson: nu.
        shear_correction: k.
        viscosity: shear viscosity eta in Pa s, see `loligo.reduced.shell.viscosity`.
    """

    young: float
    poisson: float
    shear_correction: float = 5.0 / 6.0
    viscosity: float = 0.0

    def __post_init__(self) -> None:
        """Refuse constants of no material."""
        _check_linear(self.young, self.poisson, self.shear_correction, self.viscosity)

    def response(self, strain: Array, rest: Array, thickness: Array) -> tuple[Array, Array, Array]:
        """Return energy, resultants and tangent, see `ShellLaw`."""
        tangent = self.matrix(self.young, self.young / (2.0 * (1.0 + self.poisson)), thickness)
        change = strain - rest
        resultant = (tangent @ change[..., None])[..., 0]
        return 0.5 * (resultant * change).sum(-1), resultant, tangent

    def matrix(self, extension: float, shear: float, thickness: Array) -> Array:
        """Return resultants by strains of a wall with these moduli: of elasticity or viscosity."""
        nu = self.poisson
        stretch = extension * thickness / (1.0 - nu**2)
        bend = stretch * thickness**2 / 12.0
        matrix = np.zeros((*thickness.shape, 5, 5))
        matrix[..., 0, 0] = matrix[..., 3, 3] = stretch
        matrix[..., 0, 3] = matrix[..., 3, 0] = nu * stretch
        matrix[..., 1, 1] = self.shear_correction * shear * thickness
        matrix[..., 2, 2] = matrix[..., 4, 4] = bend
        matrix[..., 2, 4] = matrix[..., 4, 2] = -nu * bend  # k1 runs against mu
        return matrix

    def thickness_stretch(self, strain: Array) -> Array:
        """Return 1 - nu/(1 - nu) (e1 + e2), plane stress."""
        change = strain[..., 0] + strain[..., 3] - 2.0
        stretch: Array = 1.0 - self.poisson / (1.0 - self.poisson) * change
        return stretch


@dataclass(frozen=True)
class RubberLaw:
    """A wall of incompressible rubber: its energy integrated through the thickness.

    The wall is in plane stress and thins by g. With a the meridian's own stretch, a layer at the
    reference distance z has the principal stretches l1 and l2:

        a^2 = lambda^2 + beta^2,  g = 1/(a tau),
        l1 = (a - g z mu)/(1 - z mu*),  l2 = (tau + g z c)/(1 + z c*),
        W = int psi(l1, l2) (1 - z mu*)(1 + z c*) dz + k G h (g beta/a)^2 / 2,

    by Gauss points through the thickness, G the initial shear modulus. Layers beside the middle one
    are incompressible to first order in z, so that the energy is right to (h/R)^2 and, for small
    strains, becomes Koiter's with nu = 1/2. The shear term is that of a neo-Hookean wall (k = 1) to
    second order in beta. The membrane must see a, not lambda: a director that turns in a stretched
    wall would otherwise unload it, and win once the tension exceeds k G h.

    Attributes:
        elastomer: any incompressible elastomer.
        shear_correction: k.
        bending: factor on the stiffness in bending, where it has been calibrated: layers at z times
            its root.
    """

    elastomer: Elastomer
    shear_correction: float = 5.0 / 6.0
    bending: float = 1.0

    def __post_init__(self) -> None:
        """Refuse a compressible rubber, for which the wall's thickness is another unknown."""
        if self.elastomer.bulk_modulus != "incompressible":
            raise ValueError("a shell's rubber must be incompressible: leave bulk_modulus out")
        positive("shear_correction", self.shear_correction)
        positive("bending", self.bending)

    def response(self, strain: Array, rest: Array, thickness: Array) -> tuple[Array, Array, Array]:
        """Return energy, resultants and tangent, see `ShellLaw`."""
        lam, beta, mu, tau, c = np.moveaxis(strain, -1, 0)
        a = np.hypot(lam, beta)
        with np.errstate(all="ignore"):  # a wild state gives an energy that is not finite
            energy, first, second = self._layers(a, mu, tau, c, rest, thickness)
            # (a, mu, tau, c) by the strains
            slope = np.zeros((*lam.shape, 4, 5))
            slope[..., 0, 0], slope[..., 0, 1] = lam / a, beta / a
            slope[..., 1, 2] = slope[..., 2, 3] = slope[..., 3, 4] = 1.0
            flip = np.swapaxes(slope, -1, -2)
            resultant = (flip @ first[..., None])[..., 0]
            tangent = flip @ second @ slope
            by_a = first[..., 0] / a**3
            tangent[..., 0, 0] += by_a * beta**2
            tangent[..., 1, 1] += by_a * lam**2
            tangent[..., 0, 1] -= by_a * lam * beta
            tangent[..., 1, 0] -= by_a * lam * beta

            slide = self.shear_correction * self.elastomer.shear_modulus * thickness
            s, s1, s2 = _shear_angle(lam, beta, tau)
            energy = energy + 0.5 * slide * s * s
            resultant[..., [0, 1, 3]] += (slide * s)[..., None] * s1
            rows = np.array([0, 1, 3])
            tangent[..., rows[:, None], rows] += slide[..., None, None] * (
                s1[..., :, None] * s1[..., None, :] + s[..., None, None] * s2
            )
        return energy, resultant, tangent

    def thickness_stretch(self, strain: Array) -> Array:
        """Return g: the wall keeps its volume."""
        stretch: Array = 1.0 / (np.hypot(strain[..., 0], strain[..., 1]) * strain[..., 3])
        return stretch

    def _layers(
        self, a: Array, mu: Array, tau: Array, c: Array, rest: Array, thickness: Array
    ) -> tuple[Array, Array, Array]:
        """Return the layers' energy with its derivatives by (a, mu, tau, c)."""
        weight, l1, l2, d1, d2 = layers(a, mu, tau, c, rest, thickness, self.bending**0.5)
        psi, p1, p2, p11, p12, p22 = plane_stress(self.elastomer, l1, l2)
        first = (weight * p1)[..., None] * d1 + (weight * p2)[..., None] * d2
        second = (
            (weight * p11)[..., None, None] * d1[..., :, None] * d1[..., None, :]
            + (weight * p22)[..., None, None] * d2[..., :, None] * d2[..., None, :]
            + (weight * p12)[..., None, None]
            * (d1[..., :, None] * d2[..., None, :] + d2[..., :, None] * d1[..., None, :])
        ).sum(0)
        # The derivatives of l1 by mu and of l2 by c are z1 and z2, alike for all layers.
        m1, m2 = (weight * p1 * d1[..., 1]).sum(0), (weight * p2 * d2[..., 3]).sum(0)
        second += layer_bends(m1, m2, a, mu, tau, c)
        inside = (a > 0.0) & (tau > 0.0) & (l1 > 0.0).all(0) & (l2 > 0.0).all(0)
        energy = np.where(inside, (weight * psi).sum(0), np.inf)
        return energy, first.sum(0), second


def layers(
    a: Array,
    mu: Array,
    tau: Array,
    c: Array,
    rest: Array,
    thickness: Array,
    spread: float = 1.0,
) -> tuple[Array, Array, Array, Array, Array]:
    """Return the layers of a rubber wall: what `RubberLaw` integrates over, first axis the layer.

    With a `spread` they lie so many times as far from the mid-surface as they do.

    Reference volume per reference area (m), l1 = a/a1 + z1 mu and l2 = tau/a2 + z2 c, with z1, z2
    proportional to g = 1/(a tau), and their derivatives by (a, mu, tau, c), shape (..., 4).
    """
    z = 0.5 * spread * np.multiply.outer(PLACE, thickness)
    a1, a2 = 1.0 - z * rest[..., 2], 1.0 + z * rest[..., 4]
    weight = 0.5 * np.multiply.outer(SHARE, thickness) * a1 * a2
    g = 1.0 / (a * tau)
    z1, z2 = -z * g / a1, z * g / a2
    zero = np.zeros_like(z1)
    d1 = np.stack([1.0 / a1 - z1 * mu / a, z1, -z1 * mu / tau, zero], axis=-1)
    d2 = np.stack([-z2 * c / a, zero, 1.0 / a2 - z2 * c / tau, z2], axis=-1)
    return weight, a / a1 + z1 * mu, tau / a2 + z2 * c, d1, d2


def layer_bends(m1: Array, m2: Array, a: Array, mu: Array, tau: Array, c: Array) -> Array:
    """Return the second derivatives by (a, mu, tau, c) of m1 mu + m2 c, m1, m2 as 1/(a tau)."""
    bend = m1 * mu + m2 * c
    second = np.zeros((*bend.shape, 4, 4))
    second[..., 0, 0] = 2.0 * bend / a**2
    second[..., 2, 2] = 2.0 * bend / tau**2
    for i, j, value in (
        (0, 2, bend / (a * tau)),
        (0, 1, -m1 / a),
        (0, 3, -m2 / a),
        (2, 1, -m1 / tau),
        (2, 3, -m2 / tau),
    ):
        second[..., i, j] = second[..., j, i] = value
    return second


def _shear_angle(lam: Array, beta: Array, tau: Array) -> tuple[Array, Array, Array]:
    """Return s = g beta/a = beta/(tau a^2) and its derivatives by (lambda, beta, tau)."""
    square = lam**2 + beta**2
    s = beta / (tau * square)
    by_lam = -2.0 * lam * s / square
    by_beta = (lam**2 - beta**2) / (tau * square**2)
    first = np.stack([by_lam, by_beta, -s / tau], axis=-1)
    second = np.empty((*lam.shape, 3, 3))
    second[..., 0, 0] = 2.0 * s * (3.0 * lam**2 - beta**2) / square**2
    second[..., 1, 1] = -second[..., 0, 0]  # beta/(lam^2 + beta^2) is harmonic
    second[..., 0, 1] = 2.0 * lam * (3.0 * beta**2 - lam**2) / (tau * square**3)
    second[..., 0, 2], second[..., 1, 2] = -by_lam / tau, -by_beta / tau
    second[..., 2, 2] = 2.0 * s / tau**2
    for i, j in ((1, 0), (2, 0), (2, 1)):
        second[..., i, j] = second[..., j, i]
    return s, first, second
