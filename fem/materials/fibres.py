r"""Fibres in the solid: a volume layer that resists stretch along one direction.

With e the unit direction of the fibres at rest, :math:`\lambda = |F e|` their stretch and E their
modulus per area of the layer, the energy per reference volume is

.. math:: E/2\,(\lambda - 1)^2,

added to that of the rubber between them: objective, zero at rest, convex in the stretch.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import ufl
from dolfinx.fem import Constant

from loligo.fem.core.domain import Names
from loligo.fem.core.kinematics import Kinematics

_TAUT = 1e-12
"""How far below 1 thread goes slack: far above rounding, far below any load."""


def thread_energy(stretch: Any, *, tension_only: bool, softness: Constant | None = None) -> Any:
    """Return (stretch - 1)^2 / 2, the energy of thread of unit stiffness.

    Thread that carries tension alone has max(stretch - 1, 0)^2 / 2. Convex, unstressed at rest and
    never in compression leave no choice below 1; above it any smoother start would make the thread
    soft at rest, where Newton's first step needs its full stiffness. Thus the energy is C1, with
    one jump of its tangent, which Newton's method passes like a change of an active set. The jump
    lies 1e-12 below 1, or rounding would say which thread is taut at rest.

    On the way to a solution the jump may be rounded: with a softness d above 0 the force is
    (g + sqrt(g^2 + 4 d^2)) / 2 for max(g, 0), where g = stretch - 1 (Chen and Mangasarian 1996),
    too large by d at g = 0 and by d^2 / |g| afar.
    """
    strain = stretch - 1
    if not tension_only:
        return strain**2 / 2
    sharp = ufl.conditional(ufl.gt(stretch, 1 - _TAUT), strain**2 / 2, 0.0)
    if softness is None:
        return sharp
    root = ufl.sqrt(strain**2 + 4 * softness**2)
    side = ufl.conditional(ufl.ge(strain, 0.0), 1.0, -1.0)
    inverse_sinh = side * ufl.ln((root + side * strain) / (2 * softness))
    smooth = strain * (strain + root) / 4 + softness**2 * inverse_sinh
    return ufl.conditional(ufl.gt(softness, 0.0), smooth, sharp)


def fibre_stretch(f: Any, direction: Any) -> Any:
    """Return |F e| of a direction e of any length other than zero."""
    along = f * direction
    return ufl.sqrt(ufl.inner(along, along) / ufl.inner(direction, direction))


def thread_work(f0: Any, f1: Any, way: Any, direction: Any, *, tension_only: bool) -> Any:
    """Return the work of thread of unit stiffness between two states along a virtual way of F.

    Along f1 - f0 it is the difference of the energies: with g the stretch - 1 and l what a unit of
    the thread becomes, that is (g_1 + g_0)/2 (g_1 - g_0), where g_1 - g_0 is (l_1 + l_0) .
    (l_1 - l_0)/(|l_1| + |l_0|). Thread that carries tension alone has a share of it.
    """
    size = ufl.sqrt(ufl.inner(direction, direction))
    l0, l1, along = (f * direction / size for f in (f0, f1, way))
    stretch0, stretch1 = (ufl.sqrt(ufl.inner(v, v)) for v in (l0, l1))
    growth = ufl.inner(l0 + l1, along) / (stretch0 + stretch1)
    if not tension_only:
        return ((stretch0 + stretch1) / 2 - 1) * growth
    g0, g1 = stretch0 - 1, stretch1 - 1
    low, high = ufl.min_value(g0, g1), ufl.max_value(g0, g1)
    # Slack thread that stands still would have 0/0.
    between = ufl.conditional(ufl.gt(high, low), high - low, 1.0)
    rest = ufl.max_value(high, 0.0) / between
    share = ufl.conditional(ufl.gt(low, -_TAUT), 1.0, rest)
    taut0, taut1 = (ufl.conditional(ufl.gt(g, -_TAUT), g, 0.0) for g in (g0, g1))
    return (taut0 + taut1) / 2 * share * growth


@dataclass(frozen=True)
class Fibres:
    """A cell group with fibres, of energy k/(2 h) (stretch - 1)^2 per reference volume."""

    cells: Names
    direction: Callable[[Any], Any]
    """Gives the direction of the fibres at reference positions (UFL), a vector of any length."""
    stiffness: float
    """k: modulus times thickness (N/m), or the modulus itself (Pa) with a thickness of 1."""
    thickness: Callable[[Any], Any] = lambda _: 1.0
    """Gives the thickness h over which k is spread at reference positions (UFL)."""
    tension_only: bool = False
    """Whether fibres go slack instead of carrying compression."""

    def energy(self, k: Kinematics, stiffness: Constant, softness: Constant | None = None) -> Any:
        """Return the stored energy (a UFL form, J), see :func:`thread_energy`."""
        direction, modulus = self._layer(k, stiffness)
        stretch = fibre_stretch(k.gradient, direction)
        stored = thread_energy(stretch, tension_only=self.tension_only, softness=softness)
        return modulus * stored * k.cells(self.cells)

    def work(self, start: Kinematics, k: Kinematics, stiffness: Constant) -> Any:
        """Return the virtual work between two states, see :func:`thread_work` (a UFL form)."""
        direction, modulus = self._layer(k, stiffness)
        f0, f1, way = start.gradient, k.gradient, ufl.grad(k.virtual)
        stored = thread_work(f0, f1, way, direction, tension_only=self.tension_only)
        return modulus * stored * k.cells(self.cells)

    def tension(self, k: Kinematics) -> Any:
        """Return the stress of fibres that push as well as pull, over their stretch (UFL, Pa)."""
        direction, modulus = self._layer(k, Constant(k.domain.mesh, self.stiffness))
        stretch = fibre_stretch(k.gradient, direction)
        return modulus * (stretch - 1) / stretch

    def _layer(self, k: Kinematics, stiffness: Constant) -> tuple[Any, Any]:
        """Direction of the fibres, and their modulus per area of the layer (Pa)."""
        x = ufl.SpatialCoordinate(k.domain.mesh)
        return ufl.as_vector(self.direction(x)), stiffness / self.thickness(x)
