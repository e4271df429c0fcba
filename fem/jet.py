r"""The jet of a mantle: thrust by the rate of the volume that it encloses (Renda 2018, Eq 15).

The thrust T of the rate :math:`\dot V = dV/du \cdot \dot u`, by the law in
:mod:`loligo.cases.fluid`, acts along the axis away from the nozzle, evenly spread over the wall at
rest. With s the nodal forces of 1 N of that, the forces are -T s and their derivative
:math:`-T' s \otimes (\sigma\,dV/du + d^2V/du^2\,\dot u)`, of rank one, where :math:`\sigma` is how
the velocity follows the displacement in a step. V is a cubic of u, so that the second derivative is
a central difference of the first without error.
"""

from __future__ import annotations

from mpi4py import MPI

import dolfinx.fem
import numpy as np
import numpy.typing as npt
import ufl
from dolfinx.fem import Constant, form

from loligo.cases.fluid import Jet
from loligo.fem.cavities import Cavity
from loligo.fem.measure import global_sum
from loligo.fem.problem import Problem
from loligo.fem.water import check_steps

Array = npt.NDArray[np.float64]

_WAY = 1e-2
"""Largest displacement of the difference over the body's length."""


class JetWater:
    """The jet of a cavity that is open along x, as :class:`loligo.fem.water.MovingWater` is."""

    def __init__(self, problem: Problem, cavity: Cavity, jet: Jet) -> None:
        """Compile what is needed of a problem that can move.

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

    flows, velocity = False, np.zeros(3)
    """A mantle is in still water."""

    def kinetic_energy(self) -> float:
        """Return none: the water of a jet is not carried along."""
        return 0.0

    def momentum(self) -> Array:
        """Return none, likewise."""
        return np.zeros(3)

    def drained_power(self) -> float:
        """Return none: what a jet takes is negative work."""
        return 0.0

    def driving_power(self) -> float:
        """Return the power of the thrust on the body (W)."""
        velocity = self._motion.velocity_at(self._problem.fields.function.x.array)
        return -self.thrust() * self._sum(self._share * velocity[: self._problem.fields.owned])

    def resultants(self) -> Array:
        """Return nothing: a mantle has no sections."""
        return np.zeros((1, 6))

    def thrust(self) -> float:
        """Return the force away from the nozzle (N)."""
        x = self._problem.fields.function.x.array
        velocity = self._motion.velocity_at(x)[: self._problem.fields.owned]
        return self._jet.thrust(self._sum(self._assembled(self._slope) * velocity))[0]

    def add_force(self, scale: float, force: Array) -> None:
        """Add the jet's nodal forces, scaled, to an array of this rank's unknowns."""
        force += -scale * self.thrust() * self._share

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
