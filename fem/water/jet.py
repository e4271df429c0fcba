r"""The jet of a mantle: thrust by the rate of the volume that it encloses (Renda 2018, Eq 15).

Beside it is the drag of the whole mantle (Eq 12), by the velocity of its base in the water, which
may flow. It is spread like the thrust, and follows the displacements by the widest ring alone: that
is left to Newton's iterations, for a drag hardly widens a mantle.

The thrust T of the rate :math:`\dot V = dV/du \cdot \dot u`, by the law in
:mod:`loligo.cases.fluid`, acts along the axis away from the nozzle, evenly spread over the wall at
rest. With s the nodal forces of 1 N of that, the forces are -T s and their derivative
:math:`-T' s \otimes (\sigma\,dV/du + d^2V/du^2\,\dot u)`, of rank one, where :math:`\sigma` is how
the velocity follows the displacement in a step. V is a cubic of u, so that the second derivative is
a central difference of the first without error.
"""

from __future__ import annotations

from dataclasses import dataclass

from mpi4py import MPI

import dolfinx.fem
import numpy as np
import numpy.typing as npt
import ufl
from dolfinx.fem import Constant, form, locate_dofs_topological

from loligo.cases.fluid import Jet, hull_drag, quadratic_drag
from loligo.fem.core.measure import Probe, global_sum
from loligo.fem.loads.cavities import Cavity
from loligo.fem.problem.problem import Problem
from loligo.fem.water.strips import FlowingWater, check_steps

Array = npt.NDArray[np.float64]

_WAY = 1e-2
"""Largest displacement of the difference over the body's length."""


@dataclass(frozen=True, eq=False)
class DraggedHull:
    """What of a mantle is dragged."""

    drag: float
    """C_d."""
    rings: Array
    """Points of the mid-surface at rest, at equal azimuths, shape (rings, azimuths, 3) (m)."""


class JetWater:
    """The jet of a cavity that is open along x, as `fem.water.strips.MovingWater` is."""

    def __init__(
        self,
        problem: Problem,
        cavity: Cavity,
        jet: Jet,
        hull: DraggedHull | None = None,
        stream: FlowingWater | None = None,
    ) -> None:
        """Compile what is needed of a problem that can move; its base is the facets of that name.

        Raises:
            ValueError: if the problem's steps conserve energy, or it cannot move.
        """
        check_steps(problem)
        assert problem.motion is not None
        k, fields = problem.kinematics, problem.fields
        self._problem, self._motion, self._jet = problem, problem.motion, jet
        slope = ufl.derivative(cavity.volume(k), fields.function, fields.test)
        self._slope = form(slope)
        every = k.cells(tuple(k.density))
        size = global_sum(form(Constant(k.domain.mesh, 1.0) * every))
        self._share = self._assembled(form(k.virtual[0] * every)) / size
        self._hull, self._stream = hull, stream
        if hull is not None:
            self._probe = Probe(k.domain.mesh, hull.rings.reshape(-1, 3))
            dim, facets = k.domain.mesh.topology.dim, k.domain.facets("base")
            held = locate_dofs_topological(fields.nodal_space, dim - 1, facets)
            held = held[held < len(fields.node_unknowns)]
            self._base = fields.node_unknowns[held, 0]

    @property
    def flows(self) -> bool:
        """Whether the water moves by itself."""
        return bool(self.velocity.any())

    @property
    def velocity(self) -> Array:
        """Of the stream (m/s)."""
        if self._stream is None:
            return np.zeros(3)
        return self._problem.values[self._stream.speed] * np.array(self._stream.along)

    def kinetic_energy(self) -> float:
        """Return none: the water of a jet is not carried along."""
        return 0.0

    def momentum(self) -> Array:
        """Return none, likewise."""
        return np.zeros(3)

    def drained_power(self) -> float:
        """Return none: what jet and drag take is negative work, for their wall moves on its own."""
        return 0.0

    def driving_power(self) -> float:
        """Return the power of thrust and drag on the body (W)."""
        velocity = self._motion.velocity_at(self._problem.fields.function.x.array)
        return self._force() * self._sum(self._share * velocity[: self._problem.fields.owned])

    def resultants(self) -> Array:
        """Return nothing: a mantle has no sections."""
        return np.zeros((1, 6))

    def thrust(self) -> float:
        """Return the force away from the nozzle (N)."""
        x = self._problem.fields.function.x.array
        velocity = self._motion.velocity_at(x)[: self._problem.fields.owned]
        return self._jet.thrust(self._sum(self._assembled(self._slope) * velocity))[0]

    def drag(self) -> float:
        """Return the force of the drag along x (N)."""
        if self._hull is None:
            return 0.0
        fields, rings = self._problem.fields, self._hull.rings
        mine = self._motion.velocity_at(fields.function.x.array)[self._base]
        total = self._problem.comm.allreduce(np.array([mine.sum(), float(mine.size)]))
        moved = rings + self._probe.read(fields.displacement_field()).reshape(rings.shape)
        widest = float(np.hypot(moved[..., 1], moved[..., 2]).mean(axis=1).max())
        slip = np.array([total[0] / total[1] - self.velocity[0]])
        coefficient = hull_drag(self._jet.density, self._hull.drag, widest)
        return float(quadratic_drag(coefficient, slip)[0][0])

    def _force(self) -> float:
        """Along x, of both (N)."""
        return self.drag() - self.thrust()

    def add_force(self, scale: float, force: Array) -> None:
        """Add the nodal forces of both, scaled, to an array of this rank's unknowns."""
        force += scale * self._force() * self._share

    def add_mass(self, way: Array, force: Array) -> None:
        """Add nothing: a jet has no mass."""

    def add_tangent(self, way: Array, force: Array) -> None:
        """Add the derivative of what the jet takes along a way of this rank's unknowns."""
        problem, x = self._problem, self._problem.fields.function.x.array
        owned, here = problem.fields.owned, x.copy()
        velocity = self._motion.velocity_at(here)
        slope = self._assembled(self._slope)
        by_end = float(self._motion.rates.velocity_slope) * slope
        fastest = np.abs(velocity[problem.fields.node_unknowns]).max(initial=0.0)
        fastest = problem.comm.allreduce(fastest, MPI.MAX)
        if fastest > 0.0:
            span, sides = _WAY * problem.length / fastest, []
            for sign in (-1.0, 1.0):
                x[:] = here + sign * span * velocity
                sides.append(self._assembled(self._slope))
            x[:] = here
            by_end += (sides[1] - sides[0]) / (2.0 * span)
        steeper = self._jet.thrust(self._sum(slope * velocity[:owned]))[1]
        force += steeper * self._sum(by_end * way[:owned]) * self._share

    def _assembled(self, of: dolfinx.fem.Form) -> Array:
        """This rank's unknowns of a linear form."""
        vector = dolfinx.fem.assemble_vector(of)
        vector.scatter_reverse(dolfinx.la.InsertMode.add)
        return np.asarray(vector.array[: self._problem.fields.owned])

    def _sum(self, mine: Array) -> float:
        return float(self._problem.comm.allreduce(float(np.sum(mine))))
