r"""Kelvin-Voigt viscosity: the Kirchhoff stress :math:`2 \eta\,d` beside that of the energy.

With :math:`l = \dot F F^{-1}` the velocity gradient and d its symmetric part, the virtual work per
reference volume is

.. math:: 2 \eta\,d : (\nabla v\,F^{-1}),

v the virtual displacement. Objective, and it dissipates :math:`2 \eta\,d : d \ge 0`. A slender rod
of incompressible rubber has d = diag(1, -1/2, -1/2) of its rate of stretch; the free sides make
the pressure -eta, so that the section resists with 3 eta in stretch and bending, and with eta in
torsion and shear: Upsilon of Renda 2018, as 3 mu = E and mu do in its stiffness.
"""

from __future__ import annotations

from typing import Any

import ufl
from dolfinx.fem import Constant

from loligo.fem.kinematics import Kinematics


def viscous_work(k: Kinematics, viscosity: Constant) -> Any:
    """Return the virtual work of the viscous stress per reference volume (J/m^3)."""
    back = ufl.inv(k.gradient)
    return 2 * viscosity * ufl.inner(_rate(k, back), ufl.sym(ufl.grad(k.virtual) * back))


def dissipated_power(k: Kinematics, viscosity: Constant) -> Any:
    """Return what the viscous stress dissipates per reference volume (W/m^3)."""
    rate = _rate(k, ufl.inv(k.gradient))
    return 2 * viscosity * ufl.inner(rate, rate)


def _rate(k: Kinematics, back: Any) -> Any:
    """Rate of deformation d (1/s)."""
    return ufl.sym(ufl.grad(k.velocity) * back)
