r"""A step in time that conserves energy and momenta: what acts between the states at its ends.

With the index m for means of both ends and D for their differences, a step is Dx = h v_m and, for
every virtual displacement w,

.. math:: \int \rho\,\frac{Dv}{h} \cdot w + S : F_m^T \nabla w\,dV = \text{work of the loads},

S symmetric and S : DC/2 the difference of the stored energies (Gonzalez 2000). With w = Dx kinetic
and stored energy grow by the work of the loads, for the symmetric part of F_m^T DF is DC/2; with w
= a + b x x_m a free body keeps its momentum and its spin. S/2 is

- of an energy W the mean of dW/dC at Gauss's two points of the straight way from C_0 to C_1, and
  along DC what is missing to DW. That is of fifth order in DC: below :data:`_NEAR` it is less than
  rounding and left out, or it would be 0/0;
- of the pressure :math:`-p_m\,(\mathrm{cof}\,C_m + \mathrm{cof}\,DC/12)/(J_0 + J_1)`: det C is a
  cubic of C, so that the bracket times DC is D det C = DJ (J_0 + J_1), exactly.

J - 1 = -p/kappa holds at the ends against all shape functions of the pressure, so against p_m: what
the pressure gives is what p^2/(2 kappa) takes, nothing if incompressible. Viscosity acts at F_m
with v_m and dissipates what it does there, times h. Loads act with the mean of their values, at the
mean of Gauss's two points on the straight way of the displacement. Of the volume inside a closed
surface, a cubic, that is the difference; it is how :mod:`loligo.fem.observe.work` counts work, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import ufl
from dolfinx.fem import Constant, Function, locate_dofs_topological

from loligo.fem.core.fields import Fields
from loligo.fem.core.kinematics import GAUSS, Kinematics
from loligo.fem.materials.hyperelastic import Material
from loligo.fem.materials.viscosity import viscous_work

Array = npt.NDArray[np.float64]

_NEAR = 1e-2
"""|DC| below which two Gauss points give the energy's difference to 1e-12 of the modulus."""


class ConservingStep:
    """Where a step begins, and what acts between there and the unknowns, which are at its end."""

    def __init__(
        self, fields: Fields, names: Iterable[str], swelling: npt.NDArray[np.int32]
    ) -> None:
        """Make the unknowns and, by name, the values where the step begins.

        Args:
            fields: the unknowns at the end.
            names: of the values.
            swelling: this rank's cells that have a bulk modulus, ghosts included.
        """
        self._fields = fields
        self.jumps = np.ones(len(fields.function.x.array), dtype=np.bool_)
        """Which unknowns of this rank are no state: pressures that are not stored as energy."""
        self.jumps[fields.every_node_unknowns] = False
        dim = fields.space.mesh.topology.dim
        self.jumps[locate_dofs_topological(fields.space.sub(1), dim, swelling)] = False
        self._start = Function(fields.space)
        self._displacement, self._pressure = fields.parts(self._start)
        self._values = {name: Constant(fields.space.mesh, 0.0) for name in names}

    def begin(self, unknowns: Array, values: Mapping[str, float]) -> None:
        """Begin a step from unknowns of this rank, ghosts included, and values."""
        self._start.x.array[:] = unknowns
        for name, constant in self._values.items():
            constant.value = values[name]

    def mean(self, name: str, value: Constant) -> Any:
        """Return the mean of a value over the step, by that at its end."""
        return (self._values[name] + value) / 2

    def at(self, k: Kinematics, share: float) -> Kinematics:
        """Return the deformation at a share of the straight way, by that at its end."""
        return replace(k, displacement=(1 - share) * self._displacement + share * k.displacement)

    def along(self, k: Kinematics, work: Any) -> Any:
        """Return the mean of a virtual work, a function of the deformation, along the way."""
        return sum(0.5 * work(self.at(k, share)) for share in GAUSS)

    def rubber(self, k: Kinematics, material: Material) -> Any:
        """Return the virtual work of an elastomer per reference volume (J/m^3)."""
        middle, before, after = self.at(k, 0.5), self.at(k, 0.0).gradient, k.gradient
        # Of C, as F goes along grad w from F_m; its transpose adds nothing to a symmetric S.
        way = 2 * middle.gradient.T * ufl.grad(k.virtual)
        c0, c1 = before.T * before, after.T * after
        j0, j1 = ufl.det(before), ufl.det(after)
        fields = self._fields
        work = ufl.inner(_energy_slope(material, (c0, j0), (c1, j1)), way)
        swelling = ufl.inner(_determinant_slope(c0, c1), way) / (j0 + j1)
        work -= (self._pressure + fields.pressure) / 2 * swelling
        work -= fields.virtual_pressure * material.swollen(j1, fields.pressure)
        if material.elastomer.viscosity > 0.0:
            work += viscous_work(middle, material)
        return work


def _energy_slope(material: Material, start: tuple[Any, Any], end: tuple[Any, Any]) -> Any:
    """Return S/2 of the isochoric energy: its product with c1 - c0 is the energy's difference.

    Start and end are C and J there.
    """
    (c0, _), (c1, _) = start, end
    change = c1 - c0
    slope = sum(material.isochoric_slope(c0 + share * change) for share in GAUSS) / 2
    missing = material.isochoric(*end) - material.isochoric(*start) - ufl.inner(slope, change)
    size = ufl.inner(change, change)
    return slope + ufl.conditional(ufl.gt(size, _NEAR**2), missing / size, 0.0) * change


def _determinant_slope(c0: Any, c1: Any) -> Any:
    """Return the symmetric tensor whose product with c1 - c0 is det c1 - det c0."""
    return _cofactor((c0 + c1) / 2) + _cofactor(c1 - c0) / 12


def _cofactor(c: Any) -> Any:
    """Cofactor of a symmetric tensor, by Cayley and Hamilton: no division."""
    trace = ufl.tr(c)
    return c * c - trace * c + (trace**2 - ufl.inner(c, c)) / 2 * ufl.Identity(3)
