"""Stability of an equilibrium, from the signs of the pivots of a factor.

With the pressure unknowns eliminated the quadratic form v . K v over isochoric v is the
second-order work of a small disturbance. Sylvester: as many pivots of the mixed tangent are
negative as there are pressure unknowns and borders, and one more for every direction in which the
form is negative.

Where every load has a potential (weights, dead forces and tractions, tendons, muscles, water and
pressure on surfaces that are closed or end at supports) K is symmetric: a stable state is a minimum
of the potential energy under the control in force, and no disturbance of finite size below its
barrier grows.

Follower forces and moments, moments about fixed axes, and pressure on a surface with a free edge
have no potential: K is not symmetric. Stated is then the inertia of (K + K^T)/2. If it is
definite, every disturbance must do positive work against the body (Hill's condition): K is
regular, there is no other equilibrium nearby, and none appears under further constraints, either.
So the state cannot diverge; it does not say that undamped vibrations cannot grow (flutter, as of a
column under a follower force). If it is indefinite some dead disturbance can do work, and K may
still be regular: the state is "not shown to be stable". How far apart the two are is the skew part:
small for pressure with a free edge, the whole matter for follower forces and moments on a slender
body, of which the data set says -1, not known.

A volume-controlled cavity that is open does work on another volume than the one that is prescribed.
Stated is then the definiteness for disturbances on which its pressure does no work.
"""

from __future__ import annotations

from dataclasses import dataclass

from mpi4py import MPI

import numpy as np
import numpy.typing as npt

from loligo.fem.problem.problem import Problem
from loligo.fem.solvers.linear import Linear

_MODE = 1e-8
"""Change of a mode of norm 1 between two iterations at which it is taken."""
_ITERATIONS = 40


@dataclass(frozen=True)
class PivotSigns:
    """Signs of the pivots of the tangent at a converged state, volume control's border included."""

    negative: int
    zero: int
    expected: int
    """Negative pivots of a stable state: one for every pressure unknown and every border."""
    symmetric: bool = True
    """Whether they are those of the tangent itself, else of its symmetric part."""

    @property
    def stable(self) -> bool:
        """Whether the second-order work is positive, under the control in force."""
        return self.zero == 0 and self.negative == self.expected

    @property
    def unstable(self) -> int:
        """Number of independent directions in which the second-order work is not positive."""
        return self.negative + self.zero - self.expected


def inertia(problem: Problem, linear: Linear) -> PivotSigns | None:
    """Return the inertia of the tangent that was factored last; None if the factor has none.

    Of a current, the factor does not know the part.
    """
    found = linear.factor.inertia()
    if found is None or (problem.water is not None and problem.water.flows):
        return None
    negative, zero = found
    schur = linear.border.potential_schur()
    negative += int(np.count_nonzero(np.linalg.eigvalsh(schur) < 0.0))
    expected = problem.fields.pressure_count + len(schur)
    return PivotSigns(negative, zero, expected, linear.symmetric and linear.border.symmetric)


@dataclass(frozen=True)
class Neutral:
    """The eigenpair of a tangent whose eigenvalue is closest to zero."""

    stiffness: float
    """The eigenvalue theta (N/m, over squared displacements of nodes); its sign is that of the
    second-order work."""
    mode: npt.NDArray[np.float64]
    """Displacements for every unknown of this rank, the largest is 1; pressures are zero."""


def neutral(problem: Problem, linear: Linear) -> Neutral:
    """Return how stiff a body is in the displacements in which it is closest to neutral.

    Where stability has just been lost, that is how it buckles. K x = theta M x with M = 1 on the
    displacements of nodes and 0 on pressures; inverse iteration x <- K^-1 M x with the tangent that
    was factored last finds the theta next to zero; volumes in control are kept, the load factor of
    an arc length stays. The sign of the mode is that of a generic displacement along it.
    """
    fields = problem.fields
    moves, held = fields.by_name["displacement"], problem.supports.held
    generic = fields.wave(problem.length, 0.3)
    generic[held] = 0.0

    def dot(a: npt.NDArray[np.float64], b: npt.NDArray[np.float64]) -> float:
        return float(problem.comm.allreduce(float(a @ b)))

    force, way = (linear.matrix.createVecRight() for _ in range(2))
    mode = generic / np.sqrt(dot(generic, generic))
    softness = 0.0
    for _ in range(_ITERATIONS):
        force.array_w[:] = mode
        linear.border.yield_to(force, way)
        new = np.zeros(fields.owned)
        new[moves] = way.array_r[moves]
        softness = dot(new, mode)
        new /= np.sqrt(dot(new, new)) * np.sign(softness)
        change = np.sqrt(dot(new - mode, new - mode))
        mode = new
        if change < _MODE:
            break
    for vector in (force, way):
        vector.destroy()
    nodes = mode[fields.node_unknowns]
    largest = float(np.sqrt((nodes**2).sum(axis=1)).max(initial=0.0))
    largest = problem.comm.allreduce(largest, MPI.MAX)
    return Neutral(1.0 / softness, np.asarray(mode / (largest * np.sign(dot(mode, generic)))))
