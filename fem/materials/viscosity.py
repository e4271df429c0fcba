r"""Kelvin-Voigt viscosity: the Kirchhoff stress :math:`2 \eta\,d` beside that of the energy.

With :math:`l = \dot F F^{-1}` the velocity gradient and d its symmetric part, the virtual work per
reference volume is

.. math:: 2 \eta\,d : (\nabla v\,F^{-1}),

v the virtual displacement. Objective, and it dissipates :math:`2 \eta\,d : d \ge 0`. A slender rod
of incompressible rubber has d = diag(1, -1/2, -1/2) of its rate of stretch; the free sides make
the pressure -eta, so that the section resists with 3 eta in stretch and bending, and with eta in
torsion and shear: Upsilon of Renda 2018, as 3 mu = E and mu do in its stiffness.

A power law has :math:`\eta\,(\dot e^2 + \dot e_0^2)^{(k - 1)/2}` for eta, e measured in 1/s, with
:math:`\dot e^2 = 2/3\,d : d`, the rate of stretch of a fibre that is stretched alone. Such a fibre
carries :math:`3 \eta\,|\dot e|^{k - 1} \dot e` above the smallest rate :math:`\dot e_0`; below it
the law is Newtonian. Zhang 2022, Eqs 24-25, with eta_0 = 3 eta.
"""

from __future__ import annotations

from typing import Any

import ufl

from loligo.fem.core.kinematics import Kinematics
from loligo.fem.materials.hyperelastic import Material


def viscous_work(k: Kinematics, material: Material) -> Any:
    """Return the virtual work of the viscous stress per reference volume (J/m^3)."""
    back = ufl.inv(k.gradient)
    rate = _rate(k, back)
    along = ufl.inner(rate, ufl.sym(ufl.grad(k.virtual) * back))
    return 2 * _viscosity(material, rate) * along


def dissipated_power(k: Kinematics, material: Material) -> Any:
    """Return what the viscous stress dissipates per reference volume (W/m^3)."""
    rate = _rate(k, ufl.inv(k.gradient))
    return 2 * _viscosity(material, rate) * ufl.inner(rate, rate)


def _rate(k: Kinematics, back: Any) -> Any:
    """Rate of deformation d (1/s)."""
    return ufl.sym(ufl.grad(k.velocity) * back)


def _viscosity(material: Material, rate: Any) -> Any:
    """Return eta at a rate of deformation (Pa s)."""
    if material.elastomer.rate_index == 1.0:
        return material.viscosity
    square = 2 * ufl.inner(rate, rate) / 3 + material.smallest_rate**2
    return material.viscosity * square ** ((material.rate_index - 1) / 2)
