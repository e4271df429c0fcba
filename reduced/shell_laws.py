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

from loligo.cases.elastomer import Elastomer
from loligo.reduced.lie import Array
from loligo.reduced.shell_energy import plane_stress

LAYERS = 5  # Gauss points through a rubber wall: the error of its bending energy is (h/R)^8


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


def _check_linear(young: float, poisson: float, shear_correction: float) -> None:
    if not young > 0.0:
        raise ValueError(f"young is {young} Pa; it must be positive")
    if not -1.0 < poisson <= 0.5:
        raise ValueError(f"poisson is {poisson}; it must be above -1 and at most 0.5")
    if not shear_correction > 0.0:
        raise ValueError(f"shear_correction is {shear_correction}; it must be positive")


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
    """

    young: float
    poisson: float = 0.0
    shear_correction: float = 1.0

    def __post_init__(self) -> None:
        """Refuse constants of no material."""
        _check_linear(self.young, self.poisson, self.shear_correction)

    def response(self, strain: Array, rest: Array, thickness: Array) -> tuple[Array, Array, Array]:
        """Return energy, resultants and tangent, see `ShellLaw`."""
        lam, beta, mu, tau, c = np.moveaxis(strain, -1, 0)
        nu = self.poisson
        stretch = self.young * thickness / (1.0 - nu**2)
        bend = stretch * thickness**2 / 12.0
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
        # The Green strains (e11, e22) and (d11, d22) by the five strains.
        e = np.zeros((*lam.shape, 2, 5))
        d = np.zeros_like(e)
        e[..., 0, 0], e[..., 0, 1], e[..., 1, 3] = lam, beta, tau
        d[..., 0, 0], d[..., 0, 2], d[..., 1, 3], d[..., 1, 4] = -mu, -lam, c, tau
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
        return 1.0 - self.poisson / (1.0 - self.poisson) * (e11 + e22)


@dataclass(frozen=True)
class LinearLaw:
    """Reissner's wall: resultants linear in the engineering strains, whatever the rotation.

    With e1 = lambda - 1, e2 = tau - 1, k1 = mu* - mu, k2 = c - c*, the energy per reference area is

        W = K/2 (e1^2 + e2^2 + 2 nu e1 e2) + K h^2/24 (k1^2 + k2^2 + 2 nu k1 k2) + k G h beta^2/2,

    K = E h/(1 - nu^2): the shell of the textbooks, for small strains and any rotation.

    Attributes:
        young: E in Pa.
        poisson: nu.
        shear_correction: k.
    """

    young: float
    poisson: float
    shear_correction: float = 5.0 / 6.0

    def __post_init__(self) -> None:
        """Refuse constants of no material."""
        _check_linear(self.young, self.poisson, self.shear_correction)

    def response(self, strain: Array, rest: Array, thickness: Array) -> tuple[Array, Array, Array]:
        """Return energy, resultants and tangent, see `ShellLaw`."""
        nu = self.poisson
        stretch = self.young * thickness / (1.0 - nu**2)
        bend = stretch * thickness**2 / 12.0
        slide = self.shear_correction * self.young * thickness / (2.0 * (1.0 + nu))
        tangent = np.zeros((*thickness.shape, 5, 5))
        tangent[..., 0, 0] = tangent[..., 3, 3] = stretch
        tangent[..., 0, 3] = tangent[..., 3, 0] = nu * stretch
        tangent[..., 1, 1] = slide
        tangent[..., 2, 2] = tangent[..., 4, 4] = bend
        tangent[..., 2, 4] = tangent[..., 4, 2] = -nu * bend  # k1 runs against mu
        change = strain - rest
        resultant = (tangent @ change[..., None])[..., 0]
        return 0.5 * (resultant * change).sum(-1), resultant, tangent

    def thickness_stretch(self, strain: Array) -> Array:
        """Return 1 - nu/(1 - nu) (e1 + e2), plane stress."""
        change = strain[..., 0] + strain[..., 3] - 2.0
        return 1.0 - self.poisson / (1.0 - self.poisson) * change


@dataclass(frozen=True)
class RubberLaw:
    """A wall of incompressible rubber: its energy integrated through the thickness.

    The wall is in plane stress and thins: the director stretches by 1/(lambda tau), so that a layer
    at the reference distance z has the principal stretches

        l1 = (lambda - g z mu)/(1 - z mu*),  l2 = (tau + g z c)/(1 + z c*),  g = 1/(lambda tau),
        W = int psi(l1, l2) (1 - z mu*)(1 + z c*) dz + k G h beta^2 / 2,

    by Gauss points through the thickness, G the initial shear modulus. Layers beside the middle one
    are incompressible to first order in z, so that the energy is right to (h/R)^2 and, for small
    strains, becomes Koiter's with nu = 1/2. The shear term is exact for a neo-Hookean wall (k = 1)
    and small in any thin one.

    Attributes:
        elastomer: any incompressible elastomer.
        shear_correction: k.
    """

    elastomer: Elastomer
    shear_correction: float = 5.0 / 6.0

    def __post_init__(self) -> None:
        """Refuse a compressible rubber, for which the wall's thickness is another unknown."""
        if self.elastomer.bulk_modulus != "incompressible":
            raise ValueError("a shell's rubber must be incompressible: leave bulk_modulus out")
        if not self.shear_correction > 0.0:
            raise ValueError(f"shear_correction is {self.shear_correction}; it must be positive")

    def response(self, strain: Array, rest: Array, thickness: Array) -> tuple[Array, Array, Array]:
        """Return energy, resultants and tangent, see `ShellLaw`."""
        lam, beta, mu, tau, c = np.moveaxis(strain, -1, 0)
        place, share = np.polynomial.legendre.leggauss(LAYERS)
        z = 0.5 * place.reshape(-1, *[1] * thickness.ndim) * thickness
        a1, a2 = 1.0 - z * rest[..., 2], 1.0 + z * rest[..., 4]
        weight = 0.5 * share.reshape(-1, *[1] * thickness.ndim) * thickness * a1 * a2
        with np.errstate(all="ignore"):  # a wild state gives an energy that is not finite
            z1, z2, g = -z / a1, z / a2, 1.0 / (lam * tau)
            l1, l2 = lam / a1 + z1 * g * mu, tau / a2 + z2 * g * c
            psi, p1, p2, p11, p12, p22 = plane_stress(self.elastomer, l1, l2)
            inside = (lam > 0.0) & (tau > 0.0) & (l1 > 0.0).all(0) & (l2 > 0.0).all(0)
            slide = self.shear_correction * self.elastomer.shear_modulus * thickness
            energy = (weight * psi).sum(0) + 0.5 * slide * beta * beta
            # Derivatives of l1 by (lambda, mu, tau, c) are d1, of l2 d2; the second derivatives of
            # g mu and g c are the same for all layers.
            zero = np.zeros_like(l1)
            d1 = np.stack([1.0 / a1 - z1 * g * mu / lam, z1 * g, -z1 * g * mu / tau, zero], -1)
            d2 = np.stack([-z2 * g * c / lam, zero, 1.0 / a2 - z2 * g * c / tau, z2 * g], -1)
            first = (weight * p1)[..., None] * d1 + (weight * p2)[..., None] * d2
            second = (
                (weight * p11)[..., None, None] * d1[..., :, None] * d1[..., None, :]
                + (weight * p22)[..., None, None] * d2[..., :, None] * d2[..., None, :]
                + (weight * p12)[..., None, None]
                * (d1[..., :, None] * d2[..., None, :] + d2[..., :, None] * d1[..., None, :])
            ).sum(0)
            m1, m2 = (weight * p1 * z1 * g).sum(0), (weight * p2 * z2 * g).sum(0)
            bend = m1 * mu + m2 * c
            second[..., 0, 0] += 2.0 * bend / lam**2
            second[..., 2, 2] += 2.0 * bend / tau**2
            for i, j, value in (
                (0, 2, bend / (lam * tau)),
                (0, 1, -m1 / lam),
                (0, 3, -m2 / lam),
                (2, 1, -m1 / tau),
                (2, 3, -m2 / tau),
            ):
                second[..., i, j] += value
                second[..., j, i] += value
        resultant = np.empty_like(strain)
        resultant[..., [0, 2, 3, 4]] = first.sum(0)
        resultant[..., 1] = slide * beta
        tangent = np.zeros((*lam.shape, 5, 5))
        order = np.array([0, 2, 3, 4])
        tangent[..., order[:, None], order] = second
        tangent[..., 1, 1] = slide
        return np.where(inside, energy, np.inf), resultant, tangent

    def thickness_stretch(self, strain: Array) -> Array:
        """Return 1/(lambda tau): the wall keeps its volume."""
        return np.reciprocal(strain[..., 0] * strain[..., 3])
