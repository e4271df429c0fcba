r"""What a soft joint's actuators are made of: rubber, viscosity, fabric, and the areas that carry.

Strain is engineering strain along the actuator, :math:`\epsilon = q/L_0 = \lambda - 1`; stresses
are nominal, per reference area, so that the generalised force on a lengthening is area times
stress.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from loligo.cases.core.record import BadInput
from loligo.cases.rubber.elastomer import Elastomer
from loligo.cases.rubber.plane_stress import plane_stress
from loligo.reduced.checks import non_negative, positive

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Hooke:
    """A stress linear in the engineering strain: Zhang's modulus E_m taken at its word."""

    young: float
    """Young's modulus (Pa)."""

    def __post_init__(self) -> None:
        """Refuse a modulus that is none."""
        positive("young", self.young)


class Uniaxial(NamedTuple):
    """Energy per reference volume (J/m^3), nominal stress and its slope by the stretch (Pa)."""

    energy: Array
    stress: Array
    tangent: Array


def uniaxial(law: Elastomer | Hooke, stretch: ArrayLike) -> Uniaxial:
    """Return the answer of an incompressible bar, free across, to an axial stretch.

    For Yeoh it is Zhang's Eqs 22-23, U(lambda) with I_1 = lambda^2 + 2/lambda; the nominal stress
    is dU/dlambda. (Eq 19 stores sigma epsilon/2 instead, which is not the energy at finite
    strain.)
    """
    stretch = np.asarray(stretch, dtype=np.float64)
    if isinstance(law, Hooke):
        strain = stretch - 1.0
        stress = law.young * strain
        return Uniaxial(0.5 * stress * strain, stress, np.full_like(strain, law.young))
    w = plane_stress(law, stretch, 1.0 / np.sqrt(stretch))
    # Free across, d2 = 0: the width follows and relaxes the tangent.
    return Uniaxial(w.energy, w.d1, w.d11 - w.d12**2 / w.d22)


class Viscosity(Protocol):
    """What a joint asks of its viscosity."""

    def stress(self, stretch: Array, rate: Array) -> Array:
        """Return the nominal viscous stress (Pa) at a stretch and its rate (1/s)."""
        ...


@dataclass(frozen=True)
class PowerLaw:
    r"""Zhang's power law (Eqs 24-25), made smooth through zero rate.

    :math:`\eta_0 (\dot\epsilon^2 + \dot\epsilon_r^2)^{(k-1)/2}\,\dot\epsilon`: below the rate
    :math:`\dot\epsilon_r` the damper is Newtonian, where the printed
    :math:`\eta_0 |\dot\epsilon|^{k-1}\dot\epsilon` with k < 1 has an infinite slope.
    """

    consistency: float
    """eta_0 (Pa s^k)."""
    index: float
    """k."""
    smallest_rate: float = 1e-5
    """Rate below which the law is linear (1/s)."""

    def __post_init__(self) -> None:
        """Refuse a law that drives, or has no slope."""
        non_negative("consistency", self.consistency)
        positive("index", self.index)
        positive("smallest_rate", self.smallest_rate)

    def stress(self, stretch: Array, rate: Array) -> Array:
        """Return the nominal viscous stress (Pa)."""
        size = rate * rate + self.smallest_rate**2
        return np.asarray(self.consistency * size ** (0.5 * (self.index - 1.0)) * rate)


@dataclass(frozen=True)
class Newtonian:
    r"""Kirchhoff stress 2 eta d of an incompressible bar, nominal 3 eta times rate/stretch^2."""

    viscosity: float
    """Shear viscosity eta (Pa s), as in an elastomer's record."""

    def __post_init__(self) -> None:
        """Refuse a viscosity that drives."""
        non_negative("viscosity", self.viscosity)

    def stress(self, stretch: Array, rate: Array) -> Array:
        """Return the nominal viscous stress (Pa)."""
        return np.asarray(3.0 * self.viscosity * rate / stretch**2)


def matrix_fraction(strain: ArrayLike, rest: float) -> Array:
    """Return V_m = (strain + V_m0)/(strain + 1) of the sleeve (Zhang Eq 21).

    The fabric keeps its volume while the sleeve lengthens at a constant section.
    """
    strain = np.asarray(strain, dtype=np.float64)
    return np.asarray((strain + rest) / (strain + 1.0))


def transverse_modulus(fraction: ArrayLike, matrix_to_fabric: float) -> Array:
    """Return E_c/E_m = 1/(V_m + V_f E_m/E_f), the inverse rule of mixtures (Zhang Eq 20).

    Args:
        fraction: Volume fraction V_m of the matrix; V_f = 1 - V_m.
        matrix_to_fabric: E_m/E_f, 0 for fibres that do not stretch.
    """
    fraction = np.asarray(fraction, dtype=np.float64)
    return np.asarray(1.0 / (fraction + (1.0 - fraction) * matrix_to_fabric))


class Areas(NamedTuple):
    """Reference areas an actuator stretches (m^2): of plain rubber and of the fabric sleeve."""

    matrix: float
    fabric: float


class EquivalentArea(NamedTuple):
    """Area of plain rubber as stiff as an actuator (m^2), its two derivatives by the strain."""

    area: Array
    slope: Array
    curvature: Array


def equivalent_area(
    areas: Areas, strain: ArrayLike, rest: float, matrix_to_fabric: float
) -> EquivalentArea:
    """Return rubber plus sleeve times E_c/E_m, which falls with the strain (Zhang Eq 21).

    Args:
        areas: Of rubber and sleeve at rest.
        strain: Engineering strain along the actuator (...).
        rest: V_m0, volume fraction of rubber in the sleeve at rest.
        matrix_to_fabric: E_m/E_f, 0 for fibres that do not stretch.
    """
    strain = np.asarray(strain, dtype=np.float64)
    ratio = transverse_modulus(matrix_fraction(strain, rest), matrix_to_fabric)
    # Both rules are rational: ratio = (1 + e)/(e + s), with s the softness at rest.
    softness = rest + (1.0 - rest) * matrix_to_fabric
    slope = np.asarray(areas.fabric * (softness - 1.0) / (strain + softness) ** 2)
    curvature = np.asarray(-2.0 * slope / (strain + softness))
    return EquivalentArea(areas.matrix + areas.fabric * ratio, slope, curvature)


def thin_wall_areas(radius: float, bore: float, wall: float, sleeve: float) -> Areas:
    """Return Zhang's Eq 21 corrected: an area, and its last term is the bore times the wall.

    A third of the section outside the sleeves, the wall at its inner and the sleeve at its inner
    circumference: 1793.8 mm^2 in all for his joint. (Printed 2 pi r_a r_s for 2 pi r_a h_c:
        2698.6.)

    Args:
        radius: Of the joint, R_s (m).
        bore: Radius of the bore, r_a (m).
        wall: Thickness of the silicone around it, h_c (m).
        sleeve: Thickness of the fabric layer around that, h_s (m).
    """
    _check_section(radius, bore, wall, sleeve)
    third = np.pi * (radius**2 / 3.0 - (bore + wall + sleeve) ** 2)
    return Areas(third + 2.0 * np.pi * bore * wall, 2.0 * np.pi * (bore + wall) * sleeve)


def exact_areas(radius: float, bore: float, wall: float, sleeve: float) -> Areas:
    """Return a third of the section without its bores, 1919.5 mm^2 in all for Zhang's joint."""
    _check_section(radius, bore, wall, sleeve)
    middle = bore + wall
    fabric = np.pi * ((middle + sleeve) ** 2 - middle**2)
    return Areas(np.pi * (radius**2 / 3.0 - bore**2) - fabric, fabric)


def _check_section(radius: float, bore: float, wall: float, sleeve: float) -> None:
    """Refuse three actuators that do not fit into a section."""
    positive("radius", radius)
    positive("bore", bore)
    non_negative("wall", wall)
    non_negative("sleeve", sleeve)
    if 3.0 * (bore + wall + sleeve) ** 2 > radius**2:
        raise BadInput(
            f"a radius of {radius:.4g} m has no room for three actuators of a radius of "
            f"{bore + wall + sleeve:.4g} m"
        )
