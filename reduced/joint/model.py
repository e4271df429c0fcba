r"""Zhang 2022: the soft joint of three actuators, in their lengthenings as generalised coordinates.

The joint is one constant-curvature arc (Eqs 3-5) along +x. With :math:`q_j` the lengthening of
actuator j, at the distance :math:`r_s` from the axis, its length and its tilt towards y and z are

.. math:: L = L_0 + \tfrac13 \textstyle\sum q_j, \quad u = \frac{q_2 + q_3 - 2 q_1}{3 r_s}, \quad
   v = \frac{q_3 - q_2}{\sqrt3\,r_s},

with actuator 1 towards +y (``turn`` = -90 deg from our own count of chambers). Eq 5 as printed is
the matrix of an arm along z with z and x exchanged in part; here it is the exponential of the
constant twist, smooth through the straight joint. The mass is spread evenly over the fraction f of
the arc, in slices of inertia :math:`m\,\mathrm{diag}(R^2/2, R^2/4, R^2/4)` (Eq 16 has the axial
one last).

Twists are (angular; linear) in the frame of the slice. Forces are conjugate to q, in N: positive
ones lengthen the actuators. The balance is

.. math:: M(q)\ddot q + c(q, \dot q) + \partial E/\partial q + f_v(q, \dot q) = K p + Q_g .
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from loligo.cases.rubber.elastomer import Elastomer, Yeoh
from loligo.reduced.arcs import pcc
from loligo.reduced.checks import finite, non_negative, positive
from loligo.reduced.joint.material import (
    Areas,
    EquivalentArea,
    Hooke,
    PowerLaw,
    Viscosity,
    equivalent_area,
    thin_wall_areas,
    uniaxial,
)

Array = NDArray[np.float64]

# Twelve Gauss points on [0, 1] integrate the trigonometry of bends up to 2 pi to 1e-11.
_SHARES, _WEIGHTS = 0.5 * np.array(np.polynomial.legendre.leggauss(12)) + [[0.5], [0.0]]


@dataclass(frozen=True)
class Joint:
    """A joint of three equal actuators at 120 deg."""

    rest_length: float
    """L_0 (m)."""
    radius: float
    """Outer radius R_s (m), for the inertia of the slices."""
    actuator_offset: float
    """Distance r_s of the actuators from the axis (m)."""
    areas: Areas
    """Reference areas of rubber and fabric sleeve that each actuator stretches (m^2)."""
    pressure_area: float
    """K = dV/dq, force per pressure of an actuator (m^2); calibrate it from the blocked force."""
    mass: float
    """m_s (kg)."""
    law: Elastomer | Hooke
    """Elasticity of the rubber; calibrate it from q(p), once K is known."""
    viscosity: Viscosity
    """Viscosity of the rubber."""
    submerged_mass: float = 0.0
    """Mass less that of the displaced water (kg): what gravity acts on."""
    matrix_fraction: float = 1.0
    """V_m0, volume fraction of rubber in the sleeve at rest."""
    matrix_to_fabric: float = 0.0
    """E_m/E_f, 0 for fibres that do not stretch."""
    turn: float = -np.pi / 2
    """Azimuth of actuator 1 less 90 deg (rad)."""

    def __post_init__(self) -> None:
        """Refuse what is no joint."""
        for name in ("rest_length", "radius", "actuator_offset", "pressure_area", "mass"):
            positive(name, getattr(self, name))
        for name in ("matrix", "fabric"):
            non_negative(f"areas.{name}", getattr(self.areas, name))
        positive("the sum of areas", sum(self.areas))
        positive("matrix_fraction", self.matrix_fraction)
        non_negative("matrix_to_fabric", self.matrix_to_fabric)
        finite("submerged_mass", self.submerged_mass)
        finite("turn", self.turn)


ZHANG_2022: Final = Joint(
    rest_length=0.200,
    radius=0.045,
    actuator_offset=0.024,
    areas=thin_wall_areas(radius=0.045, bore=0.008, wall=0.006, sleeve=0.002),
    pressure_area=np.pi * 0.008**2,
    mass=0.158,
    law=Yeoh(c10=12563.0, c20=-67.784, c30=2.7385, density=1070.0),
    viscosity=PowerLaw(consistency=22263.8, index=0.3),
)
"""Zhang's joint, Table 1. The printed radius of 90 mm can only be the diameter. Not printed, and
assumed: V_m0 = 1, K = pi r_a^2 (a hooped bore has 3.06 times that), neutral buoyancy ("close to
water"). The printed 158 g are kept, although three actuators alone weigh 387 g."""


def arc_map(joint: Joint) -> Array:
    """Return d(L, u, v)/dq, (3, 3), constant."""
    return pcc.chamber_map(joint.actuator_offset, pcc.chamber_directions(3, joint.turn))


def arc(joint: Joint, q: ArrayLike) -> Array:
    """Return (L, u, v) (..., 3) of lengthenings q (..., 3) (m); see `reduced.arcs.pcc`."""
    q = np.asarray(q, dtype=np.float64)
    return np.asarray(q @ arc_map(joint).T + np.array([joint.rest_length, 0.0, 0.0]))


def jacobian(joint: Joint, q: ArrayLike) -> Array:
    """Return the tip's body twist (angular; linear) per rate of q, (..., 6, 3)."""
    return np.asarray(pcc.jacobian(arc(joint, q)) @ arc_map(joint))


def mass_matrix(joint: Joint, q: ArrayLike) -> Array:
    """Return M(q), the integral of J^T diag(I, m) J over the slices (kg), for one q (3,)."""
    twists = _slice_jacobians(joint, q)
    weighted = _WEIGHTS[:, None, None] * _slice_inertia(joint)[:, None] * twists
    return np.asarray(np.einsum("nij,nik->jk", twists, weighted))


def inertial_force(joint: Joint, q: ArrayLike, rate: ArrayLike) -> Array:
    """Return c(q, q'), the Coriolis and centrifugal forces (N) that belong to M(q), for one q (3,).

    Newton and Euler on each slice: its momentum changes by I a + w x I w and m (a + w x v), with a
    what J' q' leaves of acceleration.
    """
    rate = np.asarray(rate, dtype=np.float64)
    map_ = arc_map(joint)
    arcs = _SHARES[:, None] * arc(joint, q)
    bias = pcc.jacobian_rate(arcs, _SHARES[:, None] * (map_ @ rate))
    twists = _slice_jacobians(joint, q)
    velocity = twists @ rate
    inertia = _slice_inertia(joint)
    wrench = inertia * bias
    spin = velocity[:, :3]
    wrench[:, :3] += np.cross(spin, inertia[:3] * spin)
    wrench[:, 3:] += inertia[3:] * np.cross(spin, velocity[:, 3:])
    return np.asarray(np.einsum("n,nij,ni->j", _WEIGHTS, twists, wrench))


class Elastic(NamedTuple):
    """Energy of each actuator (J), its force dE/dq (N) and stiffness d2E/dq2 (N/m)."""

    energy: Array
    force: Array
    stiffness: Array


def elastic(joint: Joint, q: ArrayLike) -> Elastic:
    """Return E = L_0 A(strain) U(1 + strain) of each actuator with its derivatives, shapes of q.

    A is the area of plain rubber that is as stiff as the actuator with its sleeve; with V_m0 = 1,
    no fibres, it is constant and the force is area times nominal stress.
    """
    strain = np.asarray(q, dtype=np.float64) / joint.rest_length
    area, slope, curvature = _area(joint, strain)
    bar = uniaxial(joint.law, 1.0 + strain)
    stiffness = area * bar.tangent + 2.0 * slope * bar.stress + curvature * bar.energy
    return Elastic(
        joint.rest_length * area * bar.energy,
        area * bar.stress + slope * bar.energy,
        np.asarray(stiffness / joint.rest_length),
    )


def viscous_force(joint: Joint, q: ArrayLike, rate: ArrayLike) -> Array:
    """Return f_v = A(strain) times the nominal viscous stress of each actuator (N), shape of q.

    A dissipative force of its own, V sigma_v d(strain)/dq: inside the Lagrangian (Eq 26) it would
    make accelerations of the strain.
    """
    strain = np.asarray(np.asarray(q, dtype=np.float64) / joint.rest_length)
    strain_rate = np.asarray(np.asarray(rate, dtype=np.float64) / joint.rest_length)
    stress = joint.viscosity.stress(1.0 + strain, strain_rate)
    return np.asarray(_area(joint, strain).area * stress)


def gravity_energy(joint: Joint, q: ArrayLike, gravity: ArrayLike) -> float:
    """Return -m_net times the integral of g . p over the slices (J), for one q (3,).

    Args:
        joint: The joint; its submerged mass is what counts (Zhang Eq 18 with the scalar m_s).
        q: Lengthenings (m).
        gravity: Acceleration in the frame at the joint's base (m/s^2), pointing down.
    """
    points = pcc.position(_SHARES[:, None] * arc(joint, q))
    return float(-joint.submerged_mass * (_WEIGHTS @ points @ np.asarray(gravity)))


def gravity_force(joint: Joint, q: ArrayLike, gravity: ArrayLike) -> Array:
    """Return Q_g = - d(gravity_energy)/dq (N), for one q (3,)."""
    gradient = pcc.position_gradient(_SHARES[:, None] * arc(joint, q))
    pulled = np.einsum("n,nij,i->j", _WEIGHTS * _SHARES, gradient, np.asarray(gravity))
    return np.asarray(joint.submerged_mass * (pulled @ arc_map(joint)))


def gravity_stiffness(joint: Joint, q: ArrayLike, gravity: ArrayLike) -> Array:
    """Return dQ_g/dq (N/m), (3, 3), for one q (3,)."""
    hessian = pcc.position_hessian(_SHARES[:, None] * arc(joint, q))
    pulled = np.einsum("n,nijk,i->jk", _WEIGHTS * _SHARES**2, hessian, np.asarray(gravity))
    map_ = arc_map(joint)
    return np.asarray(joint.submerged_mass * (map_.T @ pulled @ map_))


def _area(joint: Joint, strain: ArrayLike) -> EquivalentArea:
    return equivalent_area(joint.areas, strain, joint.matrix_fraction, joint.matrix_to_fabric)


def _slice_jacobians(joint: Joint, q: ArrayLike) -> Array:
    """Return the body Jacobians of the quadrature's slices, (n, 6, 3)."""
    shares = _SHARES[:, None]
    return np.asarray(pcc.jacobian(shares * arc(joint, q)) @ (shares[..., None] * arc_map(joint)))


def _slice_inertia(joint: Joint) -> Array:
    """Return diag(I, m) of a slice of unit share (kg m^2, kg), (6,)."""
    square = joint.radius**2
    return joint.mass * np.array([square / 2.0, square / 4.0, square / 4.0, 1.0, 1.0, 1.0])
